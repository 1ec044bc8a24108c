/* SPDX-License-Identifier: BSD-3-Clause
 * Bytes from and to somewhere: what the formats read from and write to, and the files of the system behind it. */
#ifndef GARRAY_CORE_FILE_H
#define GARRAY_CORE_FILE_H

#include <sys/types.h>
#include "core/status.h"

/* Read and written at a time: large enough for the system, small enough to stay in the cache. */
#define GARRAY__FILE_CHUNK ((size_t)1 << 22)

/* Where bytes come from.  read() gives as many as there are up to size: fewer only at the end.  Errors are IO, or
 * FORMAT where the bytes are packed. */
typedef struct garray__source {
    garray_status (*read)(struct garray__source *source, void *to, size_t size, size_t *got);
} garray__source;

/* Where bytes go. */
typedef struct garray__sink {
    garray_status (*write)(struct garray__sink *sink, const void *from, size_t size);
} garray__sink;

static inline garray_status garray__read(garray__source *source, void *to, size_t size, size_t *got)
{
    return source->read(source, to, size, got);
}

static inline garray_status garray__write(garray__sink *sink, const void *from, size_t size)
{
    return sink->write(sink, from, size);
}

/* An IO error with the system's words for a code of errno. */
garray_status garray__fail_errno(int code, const char *what, const char *path);

/* Puts the path in front of the message of a FORMAT or DTYPE error. */
garray_status garray__name_file(garray_status st, const char *path);

/* ---- files that are read ---- */
typedef struct garray__infile {
    garray__source source;          /* reads on from `at` */
    int fd;
    const char *path;               /* not owned */
    int64_t size, at;
} garray__infile;

/* Opens a regular file.  close() takes one that was opened, or one that is all zero. */
garray_status garray__infile_open(garray__infile *file, const char *path);
void garray__infile_close(garray__infile *file);

/* Exactly size bytes from a place that must be within the file: FORMAT when it ends before. */
garray_status garray__infile_read_at(garray__infile *file, int64_t at, void *to, size_t size);

/* The rest of the file as text from malloc, with a 0 behind it. */
garray_status garray__infile_text(garray__infile *file, char **text, size_t *length);

/* ---- files that are written ----
 * A file is written beside its place and gets its name when it is complete.  An existing one keeps its place (links are
 * followed) and its permissions. */
typedef struct garray__outfile {
    garray__sink sink;
    int fd;
    const char *path;               /* not owned */
    char *aside, *real;
    mode_t mode;
    bool exists;
    int64_t length;
} garray__outfile;

garray_status garray__outfile_open(garray__outfile *file, const char *path);
/* OK gives the file its name, anything else drops it; returns the status. */
garray_status garray__outfile_close(garray__outfile *file, garray_status st);

/* Writes over what is there. */
garray_status garray__outfile_write_at(garray__outfile *file, int64_t at, const void *from, size_t size);

#endif
