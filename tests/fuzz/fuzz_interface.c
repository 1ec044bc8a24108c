/* SPDX-License-Identifier: BSD-3-Clause
 * Any fields as an array interface: an error whose memory stays the caller's, or an array, after which its owner has been
 * told once.  Elements are looked at only where the fields keep to the memory that is there.
 *
 * Input: a byte of choices, then fields, each a byte that picks an edge value or says that eight bytes follow; the rest is
 * the typestr. Built as fuzz_npy.c is. */
#include <string.h>
#include "fuzz.h"
#include "numbers.h"

static int told;
static void tell(void *ctx) { told += ctx == &told; }

static uint8_t memory[4096];
static int64_t shape[80], strides[80];

static void read_typestr(char typestr[8], uint8_t choice)
{
    static const char kinds[] = "biufc", sizes[][3] = { "1", "2", "4", "8", "16" };
    memset(typestr, 0, 8);
    if (choice & 64) {                  /* any bytes, with or without an end */
        for (int i = 0; i < 8; i++)
            typestr[i] = (char)next_byte();
        return;
    }
    typestr[0] = "<|=>"[next_byte() % 4];
    typestr[1] = kinds[next_byte() % 5];
    strcpy(typestr + 2, sizes[next_byte() % 5]);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    garray_t *x = NULL;
    garray_array_interface fields, again;
    char text[256];
    input.at = data;
    input.end = data + size;
    told = 0;
    uint8_t choice = next_byte(), flags = next_byte();
    memset(&fields, 0, sizeof fields);
    fields.version = flags & 1 ? (int32_t)next_number() : 3;
    fields.ndim = flags & 2 ? (int32_t)next_number() : next_byte() % 5;
    fields.shape = choice & 1 ? NULL : shape;
    fields.strides = choice & 2 ? NULL : strides;
    fields.data = choice & 4 ? NULL : memory + 2048 + (choice >> 3 & 1);
    fields.readonly = (int32_t)next_byte();
    fields.mask = flags & 4 ? memory : NULL;
    fields.has_stream = flags & 8;
    fields.stream = flags & 16 ? memory : NULL;
    fields.device.type = flags & 32 ? (int32_t)next_number() : 0;
    fields.device.index = flags & 64 ? (int32_t)next_number() : 0;
    fields.reserved[3] = flags & 128 ? next_byte() : 0;
    for (int i = 0; i < 80; i++) {
        shape[i] = i < fields.ndim ? next_number() : 1;
        strides[i] = i < fields.ndim ? next_number() : 1;
    }
    read_typestr(fields.typestr, choice);
    garray_status st = garray_from_array_interface(&fields, choice & 16 ? NULL : tell, &told, &x);
    FUZZ_CHECK((st == GARRAY_OK) == (x != NULL));
    if (x) {
        FUZZ_CHECK(garray_is_writeable(x) == !fields.readonly && garray_ndim(x) == fields.ndim);
        FUZZ_CHECK(garray_to_array_interface(x, &again) == GARRAY_OK && again.readonly == (fields.readonly != 0));
        FUZZ_CHECK(garray_size(x) == 0 || again.data == fields.data);
        if (garray_size(x) == 0 || lies_inside(x, (const uint8_t *)fields.data - memory, sizeof memory))
            FUZZ_CHECK(garray_format(x, NULL, text, sizeof text, NULL) == GARRAY_OK);
    }
    garray_release(x);
    FUZZ_CHECK(told == (st == GARRAY_OK && !(choice & 16)));
    return 0;
}
