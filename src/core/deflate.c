/* SPDX-License-Identifier: BSD-3-Clause
 * zlib as a source and a sink of bytes, in bounded pieces. */
#include <inttypes.h>
#include <stdlib.h>
#include "core/deflate.h"

#ifdef GARRAY_ZLIB
#include <zlib.h>

#define BLOCK ((size_t)1 << 16)

static void *allocate(void *ctx, unsigned n, unsigned size)
{
    return calloc(n, size);
}

static void release(void *ctx, void *p)
{
    free(p);
}

/* ---- unpacking ---- */
struct garray__inflater {
    z_stream z;
    garray__infile *file;
    int64_t at, left;               /* of the packed bytes */
    bool ended;
    unsigned char block[BLOCK];
};

garray_status garray__inflate_open(garray__infile *file, int64_t at, int64_t packed, garray__inflater **out)
{
    garray__inflater *i = calloc(1, sizeof *i);
    GARRAY_REQUIRE(i, NOMEM, "no host memory to unpack with");
    i->z.zalloc = allocate;
    i->z.zfree = release;
    i->file = file;
    i->at = at;
    i->left = packed;
    if (inflateInit2(&i->z, -15) != Z_OK) {     /* a negative number: no zlib header, as in zip archives */
        free(i);
        return garray__fail(GARRAY_ERR_NOMEM, "no host memory to unpack with");
    }
    *out = i;
    return GARRAY_OK;
}

garray_status garray__inflate_read(garray__inflater *i, void *to, size_t size, size_t *got)
{
    *got = 0;
    while (*got < size && !i->ended) {
        if (i->z.avail_in == 0 && i->left > 0) {
            size_t part = i->left < (int64_t)BLOCK ? (size_t)i->left : BLOCK;
            garray_status st = garray__infile_read_at(i->file, i->at, i->block, part);
            if (st != GARRAY_OK)
                return st;
            i->at += (int64_t)part;
            i->left -= (int64_t)part;
            i->z.next_in = i->block;
            i->z.avail_in = (unsigned)part;
        }
        unsigned room = size - *got < ((size_t)1 << 30) ? (unsigned)(size - *got) : 1u << 30;
        i->z.next_out = (unsigned char *)to + *got;
        i->z.avail_out = room;
        int result = inflate(&i->z, Z_NO_FLUSH);
        *got += room - i->z.avail_out;
        i->ended = result == Z_STREAM_END;
        GARRAY_REQUIRE(result != Z_MEM_ERROR, NOMEM, "no host memory to unpack with");
        GARRAY_REQUIRE(result == Z_OK || result == Z_STREAM_END || result == Z_BUF_ERROR, FORMAT,
                       "the packed data is damaged");
        GARRAY_REQUIRE(i->ended || i->z.avail_in > 0 || i->left > 0 || i->z.avail_out == 0, FORMAT,
                       "the packed data ends too early");
    }
    return GARRAY_OK;
}

void garray__inflate_close(garray__inflater *i)
{
    if (i)
        (void)inflateEnd(&i->z);
    free(i);
}

/* ---- packing ---- */
struct garray__deflater {
    z_stream z;
    garray__sink *sink;
    int64_t packed;
    unsigned char block[BLOCK];
};

garray_status garray__deflate_open(garray__sink *sink, garray__deflater **out)
{
    garray__deflater *d = calloc(1, sizeof *d);
    GARRAY_REQUIRE(d, NOMEM, "no host memory to pack with");
    d->z.zalloc = allocate;
    d->z.zfree = release;
    d->sink = sink;
    if (deflateInit2(&d->z, Z_DEFAULT_COMPRESSION, Z_DEFLATED, -15, 8, Z_DEFAULT_STRATEGY) != Z_OK) {
        free(d);
        return garray__fail(GARRAY_ERR_NOMEM, "no host memory to pack with");
    }
    *out = d;
    return GARRAY_OK;
}

/* Gives zlib what there is, and the sink what comes out. */
static garray_status pump(garray__deflater *d, int flush)
{
    int result;
    do {
        d->z.next_out = d->block;
        d->z.avail_out = BLOCK;
        result = deflate(&d->z, flush);
        GARRAY_REQUIRE(result != Z_STREAM_ERROR, NOMEM, "no host memory to pack with");
        size_t n = BLOCK - d->z.avail_out;
        garray_status st = n > 0 ? garray__write(d->sink, d->block, n) : GARRAY_OK;
        if (st != GARRAY_OK)
            return st;
        d->packed += (int64_t)n;
    } while (d->z.avail_out == 0 || (flush == Z_FINISH && result != Z_STREAM_END));
    return GARRAY_OK;
}

garray_status garray__deflate_write(garray__deflater *d, const void *from, size_t size)
{
    garray_status st = GARRAY_OK;
    for (size_t done = 0, part; done < size && st == GARRAY_OK; done += part) {
        part = size - done < ((size_t)1 << 30) ? size - done : (size_t)1 << 30;
        /* zlib only reads it; its type has no const */
        d->z.next_in = (unsigned char *)(uintptr_t)from + done;
        d->z.avail_in = (unsigned)part;
        st = pump(d, Z_NO_FLUSH);
    }
    return st;
}

garray_status garray__deflate_finish(garray__deflater *d, int64_t *packed)
{
    d->z.avail_in = 0;
    garray_status st = pump(d, Z_FINISH);
    *packed = d->packed;
    return st;
}

void garray__deflate_close(garray__deflater *d)
{
    if (d)
        (void)deflateEnd(&d->z);
    free(d);
}

#else
/* Without zlib. */
static garray_status absent(void)
{
    return garray__fail(GARRAY_ERR_UNSUPPORTED, "compressed archives need zlib, which this libgarray was built without");
}

garray_status garray__inflate_open(garray__infile *file, int64_t at, int64_t packed, garray__inflater **out) { return absent(); }
garray_status garray__inflate_read(garray__inflater *i, void *to, size_t size, size_t *got) { return absent(); }
void garray__inflate_close(garray__inflater *i) { }
garray_status garray__deflate_open(garray__sink *sink, garray__deflater **out) { return absent(); }
garray_status garray__deflate_write(garray__deflater *d, const void *from, size_t size) { return absent(); }
garray_status garray__deflate_finish(garray__deflater *d, int64_t *packed) { return absent(); }
void garray__deflate_close(garray__deflater *d) { }

#endif
