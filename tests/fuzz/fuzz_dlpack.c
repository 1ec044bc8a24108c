/* SPDX-License-Identifier: BSD-3-Clause
 * Any fields in a DLPack tensor: an error that leaves it the caller's, or an array, after which it has been deleted
 * once.  Elements are looked at only where the fields keep to the memory that is there.
 *
 * Input: two bytes of choices, then fields, each a byte that picks an edge value or says that eight bytes follow.
 * Built as fuzz_npy.c is. */
#include <string.h>
#include "core/dlpack_abi.h"
#include "fuzz.h"
#include "numbers.h"

static int deleted;
static void delete_versioned(struct DLManagedTensorVersioned *self) { deleted += self != NULL; }
static void delete_unversioned(struct DLManagedTensor *self) { deleted += self != NULL; }

static uint8_t memory[4096];
static int64_t shape[80], strides[80];

static void read_fields(garray__dl_tensor *t)
{
    uint8_t flags = next_byte();
    t->data = flags & 1 ? NULL : memory + 2048;
    t->shape = flags & 2 ? NULL : shape;
    t->strides = flags & 4 ? NULL : strides;
    t->device_type = flags & 8 ? (int32_t)next_number() : GARRAY__DL_CPU;
    t->device_id = flags & 16 ? (int32_t)next_number() : 0;
    t->ndim = flags & 32 ? (int32_t)next_number() : next_byte() % 5;
    t->code = flags & 64 ? next_byte() : (uint8_t)(next_byte() % 7);
    t->bits = flags & 64 ? next_byte() : (uint8_t)(8 << next_byte() % 5);
    t->lanes = flags & 128 ? (uint16_t)next_number() : 1;
    t->byte_offset = flags & 128 ? (uint64_t)next_number() : 0;
    for (int i = 0; i < 80; i++) {
        shape[i] = i < t->ndim ? next_number() : 1;
        strides[i] = i < t->ndim ? next_number() : 1;
    }
}

static void look_at(const garray_t *x, uint64_t offset)
{
    char text[256];
    struct DLManagedTensorVersioned *again = NULL;
    if (garray_size(x) > 0 && (offset > 2048 || !lies_inside(x, 2048 + (int64_t)offset, sizeof memory)))
        return;
    FUZZ_CHECK(garray_format(x, NULL, text, sizeof text, NULL) == GARRAY_OK);
    FUZZ_CHECK(garray_to_dlpack(x, NULL, &again) == GARRAY_OK);
    again->deleter(again);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    garray_t *x = NULL;
    garray_status st;
    uint64_t offset;
    int gone = 0;
    input.at = data;
    input.end = data + size;
    deleted = 0;
    uint8_t choice = next_byte();
    garray_dlpack_opts opts = { (garray_copy_mode)0, 0, NULL, { 0 } };
    opts.copy = choice & 2 ? GARRAY_COPY_NEVER : GARRAY_COPY_IF_NEEDED;
    if (choice & 1) {
        struct DLManagedTensor t = { .deleter = choice & 4 ? NULL : delete_unversioned };
        read_fields(&t.dl_tensor);
        offset = t.dl_tensor.byte_offset;
        st = garray_from_dlpack_unversioned(&t, &opts, &x);
        if (x)
            look_at(x, offset);
        garray_release(x);
    } else {
        struct DLManagedTensorVersioned t = { .major = choice & 8 ? (uint32_t)next_number() : 1,
                                              .minor = (uint32_t)next_number(),
                                              .flags = (uint64_t)next_number(),
                                              .deleter = choice & 4 ? NULL : delete_versioned };
        read_fields(&t.dl_tensor);
        offset = t.dl_tensor.byte_offset;
        gone = t.major != 1;
        st = garray_from_dlpack(&t, &opts, &x);
        if (x)
            look_at(x, offset);
        garray_release(x);
    }
    FUZZ_CHECK((st == GARRAY_OK) == (x != NULL));
    FUZZ_CHECK(deleted == ((st == GARRAY_OK || gone) && !(choice & 4)));
    return 0;
}
