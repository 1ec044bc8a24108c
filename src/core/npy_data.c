/* SPDX-License-Identifier: BSD-3-Clause
 * Arrays in .npy format from any source, straight to their device, and to any sink.  Sizes are checked against what the
 * source can give before memory is taken. */
#include <inttypes.h>
#include <stdlib.h>
#include "core/graph.h"
#include "core/npy.h"
#include "core/staging.h"
#include "core/submit.h"

/* Without knowing that they come, so many bytes are believed; then twice as many as came. */
#define BELIEVED ((int64_t)1 << 26)

/* ---- reading ---- */
garray_status garray__npy_read_header(garray__source *source, garray__npy_header *header, int64_t *offset)
{
    unsigned char bytes[GARRAY__NPY_PREFIX];
    size_t prefix = 0, length = 0, got, more = 0;
    garray_status st = garray__read(source, bytes, 10, &got);
    if (st == GARRAY_OK && got == 10 && bytes[6] > 1)
        st = garray__read(source, bytes + 10, 2, &more);
    if (st == GARRAY_OK)
        st = garray__npy_prefix(bytes, got + more, &prefix, &length);
    if (st != GARRAY_OK)
        return st;
    char *text = malloc(length + 1);
    GARRAY_REQUIRE(text, NOMEM, "no host memory for a header of %zu bytes", length);
    st = garray__read(source, text, length, &got);
    if (st == GARRAY_OK && got < length)
        st = garray__fail(GARRAY_ERR_FORMAT, "the header should have %zu bytes, the file ends after %zu", length, got);
    if (st == GARRAY_OK)
        st = garray__npy_parse(text, length, header);
    free(text);
    *offset = (int64_t)(prefix + length);
    return st;
}

static void swap_bytes(char *data, size_t size, size_t width)
{
    for (char *p = data; p < data + size; p += width)
        for (size_t i = 0; i < width / 2; i++) {
            char c = p[i];
            p[i] = p[width - 1 - i];
            p[width - 1 - i] = c;
        }
}

/* Bools as 0 or 1 and the bytes of each number in this machine's order: `size` bytes of whole items, as read. */
static void mend(const garray__npy_header *header, char *data, size_t size)
{
    size_t width = (size_t)garray__part_of(header->dtype);
    if (header->swapped && width > 1)
        swap_bytes(data, size, width);
    for (size_t i = 0; header->dtype == GARRAY_BOOL && i < size; i++)
        data[i] = data[i] != 0;
}

/* The next bytes, put right. */
static garray_status fetch(garray__source *source, const garray__npy_header *header, char *to, int64_t size, int64_t done,
                           int64_t all)
{
    for (int64_t at = 0, part; at < size; at += part) {
        size_t got;
        part = size - at < (int64_t)GARRAY__FILE_CHUNK ? size - at : (int64_t)GARRAY__FILE_CHUNK;
        garray_status st = garray__read(source, to + at, (size_t)part, &got);
        if (st != GARRAY_OK)
            return st;
        GARRAY_REQUIRE((int64_t)got == part, FORMAT, "the data should have %" PRId64 " bytes, it ends after %" PRId64, all,
                       done + at + (int64_t)got);
        mend(header, to + at, got);
    }
    return GARRAY_OK;
}

typedef struct reading {
    garray__source *source;
    const garray__npy_header *header;
    int64_t size;
} reading;

static garray_status fill_from_source(void *ctx, char *slot, int64_t at, int64_t size)
{
    const reading *r = ctx;
    return fetch(r->source, r->header, slot, size, at, r->size);
}

/* To the memory of a device: while it copies one piece, the next one is read. */
static garray_status fetch_to_device(garray__source *source, const garray__npy_header *header, garray_t *data, int64_t size)
{
    reading r = { source, header, size };
    garray__stage stage;
    const garray__pieces pieces = garray__pieces_of(1, &data->size, garray__size_of(data->dtype));
    garray__stage_open(&stage, garray__device_of(data), &pieces, false);
    garray_status st = garray__stage_in(&stage, data, fill_from_source, &r);
    garray__stage_close(&stage);
    return st;
}

/* As bytes of the host, where the source may end long before the header says. */
static garray_status fetch_unknown(garray__source *source, const garray__npy_header *header, int64_t size, garray_t **out)
{
    garray__device *cpu;
    garray_t *data = NULL, *longer = NULL;
    garray_status st = garray__device_get(GARRAY_CPU, &cpu);
    int64_t have = 0;
    while (st == GARRAY_OK && (have < size || !data)) {
        int64_t room = !data ? BELIEVED : 4 * have;
        room = room < size ? room : size;
        GARRAY__TRY(garray__new(GARRAY_UINT8, 1, &room, cpu, &longer));
        if (data)
            memcpy(longer->data, data->data, (size_t)have);
        garray_release(data);
        data = longer;
        longer = NULL;
        GARRAY__TRY(fetch(source, header, data->data + have, room - have, have, size));
        have = room;
    }
    if (st == GARRAY_OK) {
        *out = data;
        data = NULL;
    }
done:
    garray_release(data);
    return st;
}

garray_status garray__reversed(const garray_t *x, bool writeable, garray_t **out)
{
    int64_t shape[GARRAY_MAX_NDIM], strides[GARRAY_MAX_NDIM];
    for (int i = 0; i < x->ndim; i++) {
        shape[i] = x->shape[x->ndim - 1 - i];
        strides[i] = garray__strides(x)[x->ndim - 1 - i];
    }
    return garray__view(x->buffer, x->data, x->dtype, x->ndim, shape, strides, writeable, out);
}

/* The elements in the order of the file. */
static garray_status read_data(garray__source *source, const garray__npy_header *h, const int64_t *shape, bool known,
                               garray__device *device, garray_t **out)
{
    int64_t size = h->count * garray__size_of(h->dtype), strides[GARRAY_MAX_NDIM];
    bool async = garray__device_is_async(device);
    garray_status st = GARRAY_OK;
    garray_t *data = NULL, *bytes = NULL;
    GARRAY_TRY(garray__not_captured(device, "files are read when the call is made"));
    if (!known && size > BELIEVED) {
        GARRAY__TRY(fetch_unknown(source, h, size, &bytes));
        garray__c_strides(h->ndim, shape, garray__size_of(h->dtype), strides);
        GARRAY__TRY(garray__view(bytes->buffer, bytes->data, h->dtype, h->ndim, shape, strides, true, &data));
        st = garray_to_device(data, device->id, out);
        goto done;
    }
    GARRAY__TRY(garray__new(h->dtype, h->ndim, shape, device, &data));
    GARRAY__TRY(async ? fetch_to_device(source, h, data, size) : fetch(source, h, data->data, size, 0, size));
    *out = data;
    data = NULL;
done:
    garray_release(data);
    garray_release(bytes);
    return st;
}

garray_status garray__npy_read_data(garray__source *source, const garray__npy_header *header, garray__device *device,
                                    garray_t **out)
{
    return read_data(source, header, header->shape, true, device, out);
}

garray_status garray__npy_read(garray__source *source, int64_t left, garray__device *device, garray_t **out)
{
    garray__npy_header header;
    garray_t *data = NULL, *turned = NULL;
    int64_t offset = 0, shape[GARRAY_MAX_NDIM];
    garray_status st = garray__npy_read_header(source, &header, &offset);
    if (st != GARRAY_OK)
        return st;
    int64_t size = header.count * garray__size_of(header.dtype);
    if (left >= 0 && left - offset < size) {
        char text[GARRAY__SHAPE_TEXT];
        return garray__fail(GARRAY_ERR_FORMAT,
                            "an array of shape %s and dtype %s has %" PRId64 " bytes, the file only %" PRId64,
                            garray__shape_text(header.ndim, header.shape, text), garray__name_of(header.dtype), size,
                            left < offset ? 0 : left - offset);
    }
    for (int i = 0; i < header.ndim; i++)
        shape[i] = header.shape[header.fortran ? header.ndim - 1 - i : i];
    GARRAY__TRY(read_data(source, &header, shape, left >= 0, device, &data));
    if (header.fortran && header.ndim > 1) {
        GARRAY__TRY(garray__reversed(data, true, &turned));
        garray_release(data);
        data = NULL;
        if (turned->flags & GARRAY__CONTIGUOUS)
            data = garray_retain(turned);
        else
            GARRAY__TRY(garray__copy_as(turned, turned->dtype, &data));
    }
    *out = data;
    data = NULL;
done:
    garray_release(data);
    garray_release(turned);
    return st;
}

/* ---- writing ---- */
static garray_status drain_to_sink(void *sink, char *slot, int64_t at, int64_t size)
{
    (void)at;
    return garray__write(sink, slot, (size_t)size);
}

garray_status garray__write_elements(garray__sink *sink, const garray_t *x)
{
    garray__device *device = garray__device_of(x);
    garray_t *packed = NULL;
    garray_status st = garray__contiguous(x, 0, &packed);
    if (st != GARRAY_OK)
        return st;
    const int64_t size = packed->size * garray__size_of(packed->dtype);
    if (garray__device_is_async(device)) {
        garray__stage stage;
        const garray__pieces pieces = garray__pieces_of(1, &packed->size, garray__size_of(packed->dtype));
        garray__stage_open(&stage, device, &pieces, false);
        st = garray__stage_out(&stage, packed, drain_to_sink, sink);
        garray__stage_close(&stage);
        if (st == GARRAY_OK)
            st = garray__wait_buffer(packed->buffer);
    }
    for (int64_t done = 0, part; !garray__device_is_async(device) && done < size && st == GARRAY_OK; done += part) {
        part = size - done < (int64_t)GARRAY__FILE_CHUNK ? size - done : (int64_t)GARRAY__FILE_CHUNK;
        st = garray__write(sink, packed->data + done, (size_t)part);
    }
    garray_release(packed);
    return st;
}

garray_status garray__npy_write(garray__sink *sink, const garray_t *x, int version)
{
    garray_t *turned = NULL;
    char head[GARRAY__NPY_HEADER_ROOM];
    garray_status st = garray__reversed(x, false, &turned);
    if (st != GARRAY_OK)
        return st;
    /* as NumPy does, Fortran order is kept */
    bool fortran = !(x->flags & GARRAY__CONTIGUOUS) && turned->flags & GARRAY__CONTIGUOUS;
    size_t length = garray__npy_compose(version, x->dtype, x->ndim, x->shape, fortran, head);
    st = garray__write(sink, head, length);
    if (st == GARRAY_OK)
        st = garray__write_elements(sink, fortran ? turned : x);
    garray_release(turned);
    return st;
}
