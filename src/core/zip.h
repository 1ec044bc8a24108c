/* SPDX-License-Identifier: BSD-3-Clause
 * Zip archives as .npz files are: members stored or deflated, ZIP64.  Read by the central directory alone and without
 * trust; written with the bytes of Python's zipfile. */
#ifndef GARRAY_CORE_ZIP_H
#define GARRAY_CORE_ZIP_H

#include "core/deflate.h"

/* ---- reading ---- */
typedef struct garray__zip_member {
    const char *name;               /* bytes of the archive, with a 0 behind; a key, never a path */
    int method, flags;
    uint32_t crc;
    int64_t packed, size;           /* bytes in the file and unpacked */
    int64_t header, data;           /* places in the file */
} garray__zip_member;

typedef struct garray__zip {
    int64_t n;
    garray__zip_member *member;     /* in the order of the directory */
    char *names;
} garray__zip;

/* Reads the directory.  FORMAT for what is no archive, is cut short, or whose members do not lie apart from each other
 * and within the file.  close() accepts one that is all zero. */
garray_status garray__zip_open(garray__infile *file, garray__zip *zip);
void garray__zip_close(garray__zip *zip);

/* The bytes of a member.  The last read gives FORMAT if size or checksum is not as the directory says. */
typedef struct garray__zip_source {
    garray__source source;
    garray__infile *file;
    const garray__zip_member *member;
    garray__inflater *inflater;     /* NULL where it is stored */
    int64_t done;
    uint32_t crc;
} garray__zip_source;

garray_status garray__zip_source_open(garray__zip_source *source, garray__infile *file, const garray__zip_member *member);
/* Reads what is left, so that it has been checked. */
garray_status garray__zip_source_finish(garray__zip_source *source);
void garray__zip_source_close(garray__zip_source *source);

/* ---- writing ---- */
typedef struct garray__zip_entry {
    char *name;
    int64_t packed, size, header;
    uint32_t crc;
} garray__zip_entry;

typedef struct garray__zip_writer {
    garray__outfile *file;
    bool compressed;
    int64_t n, room;
    garray__zip_entry *entry;
    /* the member that is being written */
    garray__sink sink;
    garray__deflater *deflater;
} garray__zip_writer;

/* A member is what is written to writer->sink between begin and end.  finish() writes the directory; close() frees. */
garray_status garray__zip_begin(garray__zip_writer *writer, const char *name);
garray_status garray__zip_end(garray__zip_writer *writer);
garray_status garray__zip_finish(garray__zip_writer *writer);
void garray__zip_writer_close(garray__zip_writer *writer);

#endif
