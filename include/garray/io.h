/* SPDX-License-Identifier: BSD-3-Clause
 * Files and text: .npy, and arrays as NumPy prints them. */
#ifndef GARRAY_IO_H
#define GARRAY_IO_H

#include <garray/device.h>
#include <garray/operand.h>

GARRAY_BEGIN

/* Reads a .npy file, versions 1 to 3, either byte order, either memory order. IO when it cannot be read,
 * FORMAT when it is malformed or cut short, DTYPE when its elements are of no dtype here (objects, text,
 * records). The array is row-major also where the file is in Fortran order. */
GARRAY_STATUS garray_load(const char *path, garray_device device, garray_t **out);

/* Writes a .npy file that NumPy reads: beside its place, then moved there, so that no half file is seen.
 * Fortran order is kept, as NumPy keeps it. bfloat16, which NumPy lacks, is written and read as '<V2', two
 * opaque bytes: what np.save() makes of ml_dtypes.bfloat16; to be had back by np.load(...).view(bfloat16).
 * Waits. */
GARRAY_STATUS garray_save(const char *path, const garray_t *x);

/* A number whose default is not 0 is an operand: .precision = GARRAY_VAL(3). */
typedef struct {
    garray_operand precision; /* digits after the point; 8 */
    garray_operand threshold; /* more elements than this are summarized with ...; 1000 */
    garray_operand edgeitems; /* how many are shown at each end then; 3 */
    garray_operand linewidth; /* characters; 75 */
    int32_t suppress;         /* 1: never with an exponent */
    int32_t sign;             /* '+' or ' ' before positive numbers; 0: nothing */
    int32_t repr;             /* 1: as repr(x), "array([...], dtype=...)", instead of str(x) */
    int32_t reserved32;       /* zero */
    uint64_t reserved[4];
} garray_print_opts;

/* Writes the array and a newline to standard output. Waits. IO when that fails. */
GARRAY_STATUS garray_print(const garray_t *x, const garray_print_opts *opts);

/* The same as text without newline, as snprintf does it: at most size bytes with the final zero go to buf;
 * *length, where length is not NULL, is how long the whole text is. A text cut short is no error. */
GARRAY_STATUS garray_format(const garray_t *x, const garray_print_opts *opts, char *buf, size_t size,
                            size_t *length);

GARRAY_END

#endif
