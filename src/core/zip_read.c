/* SPDX-License-Identifier: BSD-3-Clause
 * Zip archives, read without trust: every number of the directory is checked before it is used.  The format is that of
 * PKWARE's APPNOTE 6.3. */
#include <inttypes.h>
#include <stdlib.h>
#include "core/crc32.h"
#include "core/zip.h"

/* More than any archive of arrays has; the longest name of a member. */
#define MEMBERS_MAX 1000000
#define NAME_MAX_BYTES 4096

enum {
    END_SIZE = 22, END64_SIZE = 56, LOCATOR_SIZE = 20, ENTRY_SIZE = 46, LOCAL_SIZE = 30,
    STORED = 0, DEFLATED = 8,
    ENCRYPTED = 1,
};

static uint32_t u16(const unsigned char *p) { return (uint32_t)p[0] | (uint32_t)p[1] << 8; }
static uint32_t u32(const unsigned char *p) { return u16(p) | u16(p + 2) << 16; }
static uint64_t u64(const unsigned char *p) { return u32(p) | (uint64_t)u32(p + 4) << 32; }

/* ---- the directory ---- */
struct directory {
    uint64_t count, size, at;
};

/* Finds the end record, which is the last thing in the file but a comment, and with it the directory. */
static garray_status find_directory(garray__infile *file, struct directory *d)
{
    unsigned char record[END64_SIZE];
    size_t tail = file->size < END_SIZE + 65535 ? (size_t)file->size : END_SIZE + 65535;
    GARRAY_REQUIRE(tail >= END_SIZE, FORMAT, "not a zip archive: it is too short");
    unsigned char *bytes = malloc(tail);
    GARRAY_REQUIRE(bytes, NOMEM, "no host memory for %zu bytes", tail);
    garray_status st = garray__infile_read_at(file, file->size - (int64_t)tail, bytes, tail);
    size_t at = tail - END_SIZE;
    while (st == GARRAY_OK && at > 0
           && !(memcmp(bytes + at, "PK\5\6", 4) == 0 && u16(bytes + at + 20) <= tail - END_SIZE - at))
        at--;
    if (st == GARRAY_OK && memcmp(bytes + at, "PK\5\6", 4) != 0)
        st = garray__fail(GARRAY_ERR_FORMAT, "not a zip archive: the end record is missing");
    if (st == GARRAY_OK)
        memcpy(record, bytes + at, END_SIZE);
    free(bytes);
    if (st != GARRAY_OK)
        return st;
    int64_t end = file->size - (int64_t)(tail - at);
    *d = (struct directory){ u16(record + 10), u32(record + 12), u32(record + 16) };
    GARRAY_REQUIRE(u16(record + 4) == 0 || u16(record + 4) == 0xffff, FORMAT, "archives of several parts are not read");
    unsigned char locator[LOCATOR_SIZE];
    if (end >= LOCATOR_SIZE) {
        st = garray__infile_read_at(file, end - LOCATOR_SIZE, locator, LOCATOR_SIZE);
        if (st != GARRAY_OK)
            return st;
    }
    if (end >= LOCATOR_SIZE && memcmp(locator, "PK\6\7", 4) == 0) {
        uint64_t place = u64(locator + 8);
        GARRAY_REQUIRE(place <= (uint64_t)end - LOCATOR_SIZE && (uint64_t)end - LOCATOR_SIZE - place >= END64_SIZE, FORMAT,
                       "the zip64 end record is not where it should be");
        st = garray__infile_read_at(file, (int64_t)place, record, END64_SIZE);
        if (st != GARRAY_OK)
            return st;
        GARRAY_REQUIRE(memcmp(record, "PK\6\6", 4) == 0, FORMAT, "the zip64 end record is missing");
        *d = (struct directory){ u64(record + 32), u64(record + 40), u64(record + 48) };
        end = (int64_t)place;
    }
    GARRAY_REQUIRE(d->at <= (uint64_t)end && d->size == (uint64_t)end - d->at, FORMAT,
                   "the archive's directory is not where it should be");
    GARRAY_REQUIRE(d->count <= d->size / ENTRY_SIZE, FORMAT, "the archive's directory is too short for %" PRIu64 " members",
                   d->count);
    GARRAY_REQUIRE(d->count <= MEMBERS_MAX, FORMAT, "an archive of %" PRIu64 " members; at most %d are read", d->count,
                   MEMBERS_MAX);
    return GARRAY_OK;
}

/* The 64-bit numbers of an entry's extra field, for those that are 0xffffffff, in this order. */
static garray_status read_extra(const unsigned char *extra, size_t length, uint64_t *number[3])
{
    for (size_t at = 0; at + 4 <= length;) {
        size_t size = u16(extra + at + 2), used = 0;
        const unsigned char *field = extra + at + 4;
        GARRAY_REQUIRE(at + 4 + size <= length, FORMAT, "a member's extra field is cut short");
        for (int i = 0; i < 3 && u16(extra + at) == 1; i++)
            if (*number[i] == 0xffffffffu) {
                GARRAY_REQUIRE(used + 8 <= size, FORMAT, "a member's zip64 field is too short");
                *number[i] = u64(field + used);
                used += 8;
            }
        at += 4 + size;
    }
    return GARRAY_OK;
}

/* One entry at p; *length is how long it is. */
static garray_status read_entry(const unsigned char *p, size_t left, uint64_t directory, garray__zip_member *m, char **names,
                                size_t *length)
{
    GARRAY_REQUIRE(left >= ENTRY_SIZE && memcmp(p, "PK\1\2", 4) == 0, FORMAT, "the archive's directory is damaged");
    size_t name = u16(p + 28), extra = u16(p + 30), comment = u16(p + 32);
    *length = ENTRY_SIZE + name + extra + comment;
    GARRAY_REQUIRE(*length <= left, FORMAT, "the archive's directory is damaged");
    GARRAY_REQUIRE(name <= NAME_MAX_BYTES, FORMAT, "a member's name has %zu bytes; at most %d are read", name, NAME_MAX_BYTES);
    GARRAY_REQUIRE(!memchr(p + ENTRY_SIZE, 0, name), FORMAT, "a member's name has a zero byte");
    uint64_t packed = u32(p + 20), size = u32(p + 24), header = u32(p + 42);
    garray_status st = read_extra(p + ENTRY_SIZE + name, extra, (uint64_t *[3]){ &size, &packed, &header });
    if (st != GARRAY_OK)
        return st;
    GARRAY_REQUIRE(header <= directory && packed <= directory - header && size <= INT64_MAX, FORMAT,
                   "a member is not within the file");
    *m = (garray__zip_member){ .name = *names, .method = (int)u16(p + 10), .flags = (int)u16(p + 8), .crc = u32(p + 16),
                               .packed = (int64_t)packed, .size = (int64_t)size, .header = (int64_t)header };
    memcpy(*names, p + ENTRY_SIZE, name);
    (*names)[name] = 0;
    *names += name + 1;
    return GARRAY_OK;
}

/* ---- where the members are ---- */
static int by_place(const void *a, const void *b)
{
    const garray__zip_member *const *x = a, *const *y = b;
    return (*x)->header < (*y)->header ? -1 : (*x)->header > (*y)->header;
}

/* Finds the data of all members, which must not overlap: bytes used twice are the way to small archives that become
 * endless. */
static garray_status place_members(garray__infile *file, garray__zip *zip, int64_t directory)
{
    garray__zip_member **order = malloc(sizeof *order * (size_t)(zip->n + 1));
    GARRAY_REQUIRE(order, NOMEM, "no host memory for %" PRId64 " members", zip->n);
    garray_status st = GARRAY_OK;
    for (int64_t i = 0; i < zip->n; i++)
        order[i] = &zip->member[i];
    qsort(order, (size_t)zip->n, sizeof *order, by_place);
    for (int64_t i = 0; i < zip->n; i++) {
        garray__zip_member *m = order[i];
        int64_t next = i + 1 < zip->n ? order[i + 1]->header : directory;
        unsigned char local[LOCAL_SIZE];
        GARRAY__CHECK(next - m->header >= LOCAL_SIZE, FORMAT, "'%s' overlaps with what follows it", m->name);
        GARRAY__TRY(garray__infile_read_at(file, m->header, local, LOCAL_SIZE));
        GARRAY__CHECK(memcmp(local, "PK\3\4", 4) == 0, FORMAT, "the header of '%s' is missing", m->name);
        m->data = m->header + LOCAL_SIZE + (int64_t)u16(local + 26) + (int64_t)u16(local + 28);
        GARRAY__CHECK(m->data <= next && m->packed <= next - m->data, FORMAT, "'%s' overlaps with what follows it", m->name);
    }
done:
    free(order);
    return st;
}

garray_status garray__zip_open(garray__infile *file, garray__zip *zip)
{
    struct directory d = { 0, 0, 0 };
    unsigned char *bytes = NULL;
    memset(zip, 0, sizeof *zip);
    garray_status st = find_directory(file, &d);
    if (st != GARRAY_OK)
        return st;
    /* names are shorter than their entries */
    bytes = malloc((size_t)d.size + 1);
    zip->names = malloc((size_t)d.size + 1);
    zip->member = malloc(sizeof *zip->member * (size_t)(d.count + 1));
    GARRAY__CHECK(bytes && zip->names && zip->member, NOMEM, "no host memory for a directory of %" PRIu64 " bytes", d.size);
    GARRAY__TRY(garray__infile_read_at(file, (int64_t)d.at, bytes, (size_t)d.size));
    char *names = zip->names;
    size_t at = 0;
    for (uint64_t i = 0; i < d.count; i++) {
        size_t length = 0;
        GARRAY__TRY(read_entry(bytes + at, (size_t)d.size - at, d.at, &zip->member[i], &names, &length));
        at += length;
        zip->n++;
    }
    st = place_members(file, zip, (int64_t)d.at);
done:
    free(bytes);
    if (st != GARRAY_OK)
        garray__zip_close(zip);
    return st;
}

void garray__zip_close(garray__zip *zip)
{
    free(zip->member);
    free(zip->names);
    memset(zip, 0, sizeof *zip);
}

/* ---- the bytes of a member ---- */
static garray_status member_read(garray__source *source, void *to, size_t size, size_t *got)
{
    garray__zip_source *s = (garray__zip_source *)source;
    const garray__zip_member *m = s->member;
    garray_status st = GARRAY_OK;
    int64_t left = m->size - s->done;
    size_t wanted = (int64_t)size < left ? size : (size_t)left;
    *got = 0;
    if (wanted > 0 && s->inflater) {
        st = garray__inflate_read(s->inflater, to, wanted, got);
    } else if (wanted > 0) {
        st = garray__infile_read_at(s->file, m->data + s->done, to, wanted);
        *got = wanted;
    }
    if (st != GARRAY_OK)
        return st;
    s->crc = garray__crc32(s->crc, to, *got);
    s->done += (int64_t)*got;
    GARRAY_REQUIRE(*got == wanted, FORMAT, "the member has %" PRId64 " bytes, the directory says %" PRId64, s->done, m->size);
    GARRAY_REQUIRE(s->done < m->size || s->crc == m->crc, FORMAT, "the data is damaged: its checksum is %08x instead of %08x",
                   (unsigned)s->crc, (unsigned)m->crc);
    return GARRAY_OK;
}

garray_status garray__zip_source_open(garray__zip_source *s, garray__infile *file, const garray__zip_member *m)
{
    *s = (garray__zip_source){ .source = { member_read }, .file = file, .member = m };
    GARRAY_REQUIRE(!(m->flags & ENCRYPTED), FORMAT, "the member is encrypted");
    GARRAY_REQUIRE(m->method == STORED || m->method == DEFLATED, FORMAT, "compression method %d is not read", m->method);
    if (m->method == STORED) {
        GARRAY_REQUIRE(m->size == m->packed, FORMAT, "a stored member of %" PRId64 " bytes takes %" PRId64, m->size, m->packed);
        return GARRAY_OK;
    }
    GARRAY_REQUIRE(m->size / GARRAY__DEFLATE_RATIO <= m->packed, FORMAT,
                   "%" PRId64 " bytes cannot be unpacked from %" PRId64, m->size, m->packed);
    return garray__inflate_open(file, m->data, m->packed, &s->inflater);
}

garray_status garray__zip_source_finish(garray__zip_source *s)
{
    char block[4096];
    size_t got = 1;
    garray_status st = GARRAY_OK;
    do
        st = member_read(&s->source, block, sizeof block, &got);
    while (st == GARRAY_OK && got > 0);
    if (st != GARRAY_OK || !s->inflater)
        return st;
    st = garray__inflate_read(s->inflater, block, 1, &got);
    GARRAY_REQUIRE(st != GARRAY_OK || got == 0, FORMAT, "the member has more bytes than the directory says");
    return st;
}

void garray__zip_source_close(garray__zip_source *s)
{
    garray__inflate_close(s->inflater);
    s->inflater = NULL;
}
