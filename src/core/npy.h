/* SPDX-License-Identifier: BSD-3-Clause
 * The header of a .npy file: its text, read without trust. */
#ifndef GARRAY_CORE_NPY_H
#define GARRAY_CORE_NPY_H

#include "core/array.h"

/* "\x93NUMPY", major and minor version, then the length of the header's text in 2 bytes (version 1) or 4. */
#define GARRAY__NPY_MAGIC "\x93NUMPY"
#define GARRAY__NPY_PREFIX 12       /* the longest */
#define GARRAY__NPY_TEXT_MAX 65535  /* of version 1, by its length field */
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

/* Writes prefix and text as NumPy does; out has room for GARRAY__NPY_HEADER_ROOM bytes.  Returns the length. */
#define GARRAY__NPY_HEADER_ROOM 2048
size_t garray__npy_compose(int dtype, int ndim, const int64_t *shape, bool fortran, char *out);

#endif
