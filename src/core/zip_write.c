/* SPDX-License-Identifier: BSD-3-Clause
 * Zip archives as Python's zipfile writes them for numpy.savez(): every member with a ZIP64 field, dated 1 January 1980,
 * so that equal arrays make equal bytes. */
#include <inttypes.h>
#include <stdlib.h>
#include "core/crc32.h"
#include "core/zip.h"

#define LIMIT INT32_MAX             /* where zipfile takes 64-bit numbers */

enum { LOCAL_SIZE = 30, EXTRA_SIZE = 20, VERSION = 45, UTF8 = 0x800, DATE = 0x21, UNIX = 3 };

/* ---- little-endian records ---- */
struct record {
    unsigned char bytes[128];
    size_t n;
};

static void put(struct record *r, int width, uint64_t value)
{
    for (int i = 0; i < width; i++)
        r->bytes[r->n++] = (unsigned char)(value >> 8 * i);
}

static uint64_t low32(int64_t value)
{
    return value > LIMIT ? 0xffffffffu : (uint64_t)value;
}

static bool is_ascii(const char *name)
{
    while (*name && !(*name & 0x80))
        name++;
    return !*name;
}

static void put_common(struct record *r, const garray__zip_writer *w, const garray__zip_entry *e)
{
    put(r, 2, VERSION);
    put(r, 2, is_ascii(e->name) ? 0 : UTF8);
    put(r, 2, w->compressed ? 8 : 0);
    put(r, 2, 0);
    put(r, 2, DATE);
    put(r, 4, e->crc);
}

static void local_header(struct record *r, const garray__zip_writer *w, const garray__zip_entry *e)
{
    r->n = 0;
    put(r, 4, 0x04034b50);
    put_common(r, w, e);
    put(r, 4, 0xffffffffu);
    put(r, 4, 0xffffffffu);
    put(r, 2, strlen(e->name));
    put(r, 2, EXTRA_SIZE);
}

static void local_extra(struct record *r, const garray__zip_entry *e)
{
    r->n = 0;
    put(r, 2, 1);
    put(r, 2, 16);
    put(r, 8, (uint64_t)e->size);
    put(r, 8, (uint64_t)e->packed);
}

/* ---- members ---- */
static garray_status member_write(garray__sink *sink, const void *from, size_t size)
{
    garray__zip_writer *w = (garray__zip_writer *)((char *)sink - offsetof(garray__zip_writer, sink));
    garray__zip_entry *e = &w->entry[w->n - 1];
    e->crc = garray__crc32(e->crc, from, size);
    e->size += (int64_t)size;
    if (w->deflater)
        return garray__deflate_write(w->deflater, from, size);
    e->packed += (int64_t)size;
    return garray__write(&w->file->sink, from, size);
}

garray_status garray__zip_begin(garray__zip_writer *w, const char *name)
{
    struct record header, extra;
    if (w->n == w->room) {
        int64_t room = w->room ? 2 * w->room : 16;
        garray__zip_entry *entry = realloc(w->entry, sizeof *entry * (size_t)room);
        GARRAY_REQUIRE(entry, NOMEM, "no host memory for %" PRId64 " members", room);
        w->entry = entry;
        w->room = room;
    }
    char *copy = malloc(strlen(name) + 1);
    GARRAY_REQUIRE(copy, NOMEM, "no host memory for a name");
    strcpy(copy, name);
    garray__zip_entry *e = &w->entry[w->n++];
    *e = (garray__zip_entry){ .name = copy, .header = w->file->length };
    w->sink.write = member_write;
    local_header(&header, w, e);
    local_extra(&extra, e);
    garray_status st = garray__write(&w->file->sink, header.bytes, header.n);
    if (st == GARRAY_OK)
        st = garray__write(&w->file->sink, name, strlen(name));
    if (st == GARRAY_OK)
        st = garray__write(&w->file->sink, extra.bytes, extra.n);
    if (st == GARRAY_OK && w->compressed)
        st = garray__deflate_open(&w->file->sink, &w->deflater);
    return st;
}

garray_status garray__zip_end(garray__zip_writer *w)
{
    garray__zip_entry *e = &w->entry[w->n - 1];
    garray_status st = w->deflater ? garray__deflate_finish(w->deflater, &e->packed) : GARRAY_OK;
    garray__deflate_close(w->deflater);
    w->deflater = NULL;
    if (st != GARRAY_OK)
        return st;
    /* now the header's numbers are known */
    struct record header, extra;
    local_header(&header, w, e);
    local_extra(&extra, e);
    st = garray__outfile_write_at(w->file, e->header, header.bytes, header.n);
    if (st == GARRAY_OK)
        st = garray__outfile_write_at(w->file, e->header + (int64_t)header.n + (int64_t)strlen(e->name), extra.bytes, extra.n);
    return st;
}

/* ---- the directory ---- */
static garray_status write_entry(garray__zip_writer *w, const garray__zip_entry *e)
{
    struct record r = { .n = 0 }, extra = { .n = 0 };
    bool long_size = e->size > LIMIT || e->packed > LIMIT;
    if (long_size || e->header > LIMIT) {
        put(&extra, 2, 1);
        put(&extra, 2, (long_size ? 16 : 0) + (e->header > LIMIT ? 8 : 0));
        if (long_size) {
            put(&extra, 8, (uint64_t)e->size);
            put(&extra, 8, (uint64_t)e->packed);
        }
        if (e->header > LIMIT)
            put(&extra, 8, (uint64_t)e->header);
    }
    put(&r, 4, 0x02014b50);
    put(&r, 1, VERSION);
    put(&r, 1, UNIX);
    put_common(&r, w, e);
    put(&r, 4, long_size ? 0xffffffffu : (uint64_t)e->packed);
    put(&r, 4, long_size ? 0xffffffffu : (uint64_t)e->size);
    put(&r, 2, strlen(e->name));
    put(&r, 2, extra.n);
    put(&r, 2, 0);                  /* comment, disk, internal attributes */
    put(&r, 2, 0);
    put(&r, 2, 0);
    put(&r, 4, (uint64_t)0600 << 16);
    put(&r, 4, low32(e->header));
    garray_status st = garray__write(&w->file->sink, r.bytes, r.n);
    if (st == GARRAY_OK)
        st = garray__write(&w->file->sink, e->name, strlen(e->name));
    return st == GARRAY_OK && extra.n ? garray__write(&w->file->sink, extra.bytes, extra.n) : st;
}

garray_status garray__zip_finish(garray__zip_writer *w)
{
    garray_status st = GARRAY_OK;
    int64_t at = w->file->length;
    for (int64_t i = 0; i < w->n && st == GARRAY_OK; i++)
        st = write_entry(w, &w->entry[i]);
    if (st != GARRAY_OK)
        return st;
    int64_t size = w->file->length - at, end = w->file->length;
    struct record r = { .n = 0 };
    if (w->n > 65535 || at > LIMIT || size > LIMIT) {
        put(&r, 4, 0x06064b50);
        put(&r, 8, 44);
        put(&r, 2, VERSION);
        put(&r, 2, VERSION);
        put(&r, 4, 0);
        put(&r, 4, 0);
        put(&r, 8, (uint64_t)w->n);
        put(&r, 8, (uint64_t)w->n);
        put(&r, 8, (uint64_t)size);
        put(&r, 8, (uint64_t)at);
        put(&r, 4, 0x07064b50);
        put(&r, 4, 0);
        put(&r, 8, (uint64_t)end);
        put(&r, 4, 1);
    }
    uint64_t count = w->n > 65535 ? 65535 : (uint64_t)w->n;
    put(&r, 4, 0x06054b50);
    put(&r, 2, 0);
    put(&r, 2, 0);
    put(&r, 2, count);
    put(&r, 2, count);
    put(&r, 4, size > 0xffffffffll ? 0xffffffffu : (uint64_t)size);
    put(&r, 4, at > 0xffffffffll ? 0xffffffffu : (uint64_t)at);
    put(&r, 2, 0);
    return garray__write(&w->file->sink, r.bytes, r.n);
}

void garray__zip_writer_close(garray__zip_writer *w)
{
    for (int64_t i = 0; i < w->n; i++)
        free(w->entry[i].name);
    free(w->entry);
    garray__deflate_close(w->deflater);
    memset(w, 0, sizeof *w);
}
