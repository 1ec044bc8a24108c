/* SPDX-License-Identifier: BSD-3-Clause
 * The .npy format: its header, read without trust, and whole arrays from and to any source and sink. */
#ifndef GARRAY_CORE_NPY_H
#define GARRAY_CORE_NPY_H

#include "core/array.h"
#include "core/file.h"

/* "\x93NUMPY", major and minor version, then the length of the header's text in 2 bytes (version 1) or 4. */
#define GARRAY__NPY_MAGIC "\x93NUMPY"
#define GARRAY__NPY_PREFIX 12       /* the longest */
#define GARRAY__NPY_TEXT_MAX_LATER 10000    /* of versions 2 and 3, as NumPy allows */

typedef struct garray__npy_header {
    int dtype, ndim;
    bool swapped, fortran;          /* swapped: the other byte order than this machine's */
    int64_t count;
    int64_t shape[GARRAY_MAX_NDIM];
} garray__npy_header;

/* Reads the prefix, of which `available` bytes are there.  FORMAT if it is none; else how long prefix and text are. */
garray_status garray__npy_prefix(const unsigned char *bytes, size_t available, size_t *prefix, size_t *text);

/* Reads the text, a Python dictionary of exactly the keys descr, fortran_order and shape.  FORMAT for anything else,
 * DTYPE for elements that are of no dtype here. */
garray_status garray__npy_parse(const char *text, size_t length, garray__npy_header *header);

/* Writes prefix and text as NumPy does, of the version that is asked for (0: the first); out has room for
 * GARRAY__NPY_HEADER_ROOM bytes.  Returns the length. */
#define GARRAY__NPY_HEADER_ROOM 2048
size_t garray__npy_compose(int version, int dtype, int ndim, const int64_t *shape, bool fortran, char *out);

/* ---- whole arrays (npy_data.c) ---- */
/* Prefix and text from a source, which stands behind them afterwards; *offset: how long they are. */
garray_status garray__npy_read_header(garray__source *source, garray__npy_header *header, int64_t *offset);

/* A whole array, row-major.  `left` is how many bytes the source can give at most, -1 where nobody knows: memory is
 * taken only for what can come or has come. */
garray_status garray__npy_read(garray__source *source, int64_t left, garray__device *device, garray_t **out);

/* The elements of a header (its count and dtype), which the source is known to hold; as they lie there. */
garray_status garray__npy_read_data(garray__source *source, const garray__npy_header *header, garray__device *device,
                                    garray_t **out);

/* Waits, and writes the array; Fortran order is kept. */
garray_status garray__npy_write(garray__sink *sink, const garray_t *x, int version);

/* The bare elements, row-major; waits. */
garray_status garray__write_elements(garray__sink *sink, const garray_t *x);

/* x with its axes in reverse order. */
garray_status garray__reversed(const garray_t *x, bool writeable, garray_t **out);

#endif
