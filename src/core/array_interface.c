/* SPDX-License-Identifier: BSD-3-Clause
 * The array interface of NumPy and of CUDA libraries: typestr and fields out of arrays, arrays over the memory of fields,
 * which are not believed before they are checked. */
#include "core/foreign.h"
#include "core/graph.h"
#include "core/result.h"
#include "core/stream.h"
#include "garray/array_interface.h"
#include "garray/dlpack.h"

enum { VERSION = 3 };

/* ---- typestr ---- */
static char kind_letter(int dtype)
{
    switch (garray__kind_of(dtype)) {
    case GARRAY__K_BOOL: return 'b';
    case GARRAY__K_SINT: return 'i';
    case GARRAY__K_UINT: return 'u';
    case GARRAY__K_FLOAT: return dtype == GARRAY_BFLOAT16 ? 0 : 'f';
    default: return 'c';
    }
}

/* 0 if it is no dtype here. */
static int dtype_of(const char typestr[8])
{
    const char order = typestr[0], letter = order ? typestr[1] : 0, *digits = typestr + 2;
    int size = 0;
    if (letter && digits[0] >= '1' && digits[0] <= '9')
        size = !digits[1] ? digits[0] - '0' : digits[0] == '1' && digits[1] == '6' && !digits[2] ? 16 : 0;
    if (!(order == '<' || order == '=' || (size == 1 && (order == '|' || order == '>'))))
        return 0;
    for (int d = 1; d < GARRAY__DTYPES; d++)
        if (garray__size_of(d) == size && kind_letter(d) == letter)
            return d;
    return 0;
}

static void write_typestr(char typestr[8], char letter, int size)
{
    int n = 0;
    typestr[n++] = size == 1 ? '|' : '<';
    typestr[n++] = letter;
    if (size > 9)
        typestr[n++] = '1';
    typestr[n++] = (char)('0' + size % 10);
    typestr[n] = 0;
}

/* ---- out ---- */
garray_status garray_to_array_interface(const garray_t *x, garray_array_interface *out)
{
    GARRAY_ENTER("garray_to_array_interface");
    GARRAY_REQUIRE(x && out, INVALID, "an argument is NULL");
    char letter = kind_letter(x->dtype);
    GARRAY_REQUIRE(letter, DTYPE, "%s has no typestr; DLPack carries it", garray_dtype_name((garray_dtype)x->dtype));
    garray__device *device = garray__device_of(x);
    const garray__foreign_stream current = { false, NULL };
    GARRAY_TRY(garray__not_captured(device, "a pointer is of use only where work runs"));
    GARRAY_TRY(garray__foreign_lend(x, current));
    garray_array_interface fields = {
        .version = VERSION, .ndim = x->ndim, .shape = x->shape,
        /* CuPy refuses an empty array that has strides */
        .strides = x->size == 0 || x->flags & GARRAY__CONTIGUOUS ? NULL : garray__strides(x),
        .data = x->size ? x->data : NULL,
        .readonly = !(x->flags & GARRAY__WRITEABLE),
        .device = device->id,
    };
    write_typestr(fields.typestr, letter, garray__size_of(x->dtype));
    if (garray__device_is_async(device)) {
        void *native = garray__stream_current(device)->queue.stream;
        fields.has_stream = 1;
        fields.stream = native ? native : GARRAY_STREAM_LEGACY;
    }
    *out = fields;
    return GARRAY_OK;
}

/* ---- in ---- */
/* The device that the fields name, or the one that has the memory. */
static garray_status find_device(const garray_array_interface *fields, garray__device **device)
{
    garray_device id = fields->device;
    int32_t index = -1;
    if (id.type == GARRAY_DEVICE_CPU || id.index != -1)
        return garray__device_get(id, device);
    id.index = 0;
    garray_status st = garray__device_get(id, device);
    if (st != GARRAY_OK || !fields->data || !(*device)->backend->pointer_info)
        return st;
    st = (*device)->backend->pointer_info((*device)->handle, fields->data, &index);
    if (st != GARRAY_OK)
        return st;
    GARRAY_REQUIRE(index >= 0, FORMAT, "the interface's memory is on no device of this type");
    id.index = index;
    return garray__device_get(id, device);
}

garray_status garray_from_array_interface(const garray_array_interface *fields, void (*release)(void *ctx), void *ctx,
                                          garray_t **out)
{
    GARRAY_ENTER("garray_from_array_interface");
    GARRAY_REQUIRE(fields, INVALID, "the fields are NULL");
    GARRAY_REQUIRE_OPTIONS(fields, reserved);
    garray_status st = garray__result_check(out);
    if (st != GARRAY_OK)
        return st;
    GARRAY_REQUIRE(fields->version >= 0 && fields->version <= VERSION, UNSUPPORTED,
                   "the interface is of version %d; versions 0 to %d are known", (int)fields->version, VERSION);
    GARRAY_REQUIRE(!fields->mask, UNSUPPORTED, "the interface has a mask");
    int dtype = dtype_of(fields->typestr);
    GARRAY_REQUIRE(dtype, DTYPE, "typestr '%.8s' is no dtype here", fields->typestr);
    garray__foreign f = { .what = "interface", .dtype = dtype, .ndim = fields->ndim, .writeable = !fields->readonly,
                          .shape = fields->shape, .steps = fields->strides, .unit = 1, .start = fields->data };
    st = garray__foreign_check(&f);
    if (st == GARRAY_OK)
        st = find_device(fields, &f.device);
    if (st != GARRAY_OK)
        return st;
    GARRAY_REQUIRE(!fields->has_stream || garray__device_is_async(f.device), INVALID, "memory of %s has no stream",
                   garray__device_text(f.device->id));
    GARRAY_REQUIRE(!fields->has_stream || fields->stream, INVALID,
                   "stream NULL is ambiguous: GARRAY_STREAM_LEGACY and GARRAY_STREAM_PER_THREAD tell the default streams apart");
    if (f.count > 0)
        st = garray__foreign_check_owner(&f);
    if (st != GARRAY_OK)
        return st;
    const garray__foreign_stream stream = { true, fields->has_stream ? fields->stream : GARRAY_STREAM_NO_WAIT };
    return garray__foreign_take(&f, stream, false, (garray__owner){ release, ctx }, out);
}
