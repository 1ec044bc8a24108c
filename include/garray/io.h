/* SPDX-License-Identifier: BSD-3-Clause
 * Files of arrays: .npy and .npz, read, written and mapped; and arrays as NumPy prints them. */
#ifndef GARRAY_IO_H
#define GARRAY_IO_H

#include <garray/device.h>
#include <garray/operand.h>

GARRAY_BEGIN

/* ---- .npy ---- */

/* Reads a .npy file, versions 1 to 3, either byte order, either memory order. IO when it cannot be read,
 * FORMAT when it is malformed or cut short, DTYPE when its elements are of no dtype here (objects, text,
 * records). The array is row-major also where the file is in Fortran order. */
GARRAY_STATUS garray_load(const char *path, garray_device device, garray_t **out);

/* Writes a .npy file that NumPy reads: beside its place, then moved there, so that no half file is seen.
 * Fortran order is kept, as NumPy keeps it. bfloat16, which NumPy lacks, is written and read as '<V2', two
 * opaque bytes: what np.save() makes of ml_dtypes.bfloat16; to be had back by np.load(...).view(bfloat16).
 * Waits. */
GARRAY_STATUS garray_save(const char *path, const garray_t *x);

/* ---- archives of arrays: .npz ---- */

/* Writes arrays into one archive, with the bytes of numpy.savez(). names[i] is the key of arrays.v[i]; where it is NULL,
 * or names is, the keys are arr_0, arr_1 ... In C: garray_savez("xy.npz", GARRAY_LIST(x, y), (const char *[]){ "x", "y" }).
 * INVALID for a key given twice. Beside its place, then moved there. Waits. */
GARRAY_STATUS garray_savez(const char *path, garray_list arrays, const char *const *names);

/* The same, compressed (deflate). UNSUPPORTED where the library was built without zlib. */
GARRAY_STATUS garray_savez_compressed(const char *path, garray_list arrays, const char *const *names);

typedef struct garray_npz garray_npz; /* an open archive */

typedef struct {
    int64_t max_bytes; /* of one array, unpacked: a larger one is an error; 0: no limit */
    uint64_t reserved[4];
} garray_npz_opts;

/* Opens an archive and reads its directory; arrays are read when they are asked for. IO when it cannot be read, FORMAT
 * when it is no archive or its members overlap, are not within the file, or claim more than could be packed into it.
 * Until garray_npz_close(), several threads may read. */
GARRAY_STATUS garray_npz_open(const char *path, const garray_npz_opts *opts, garray_npz **out);
/* Accepts NULL. */
GARRAY_API void garray_npz_close(garray_npz *npz);

/* How many members there are. */
GARRAY_API int64_t garray_npz_count(const garray_npz *npz);

/* The key of a member, without ".npy", to buf as snprintf does it; a key is never taken as a path. *length, where length is
 * not NULL, is how long the whole key is. INDEX for a number that is not below the count. */
GARRAY_STATUS garray_npz_name(const garray_npz *npz, int64_t i, char *buf, size_t size, size_t *length);

/* The array of a key (the last one, where it is there twice, as for Python). INDEX when there is none, FORMAT when it is
 * damaged: its checksum is compared. Other errors as garray_load(). */
GARRAY_STATUS garray_npz_get(const garray_npz *npz, const char *name, garray_device device, garray_t **out);

/* ---- .npy from and to anything ---- */

/* How many bytes there were, up to size; 0 at the end; negative: failure. */
typedef ptrdiff_t (*garray_read_fn)(void *ctx, void *data, size_t size);
/* How many bytes were taken, at least 1; negative: failure. */
typedef ptrdiff_t (*garray_write_fn)(void *ctx, const void *data, size_t size);

typedef struct {
    int32_t version; /* of the format: 1, 2 or 3; 0: the oldest that will do, 1 */
    int32_t reserved32;
    uint64_t reserved[4];
} garray_npy_opts;

/* Writes an array in .npy format, as garray_save() does. IO when the callback fails. Waits. */
GARRAY_STATUS garray_format_write_array(garray_write_fn write, void *ctx, const garray_t *x, const garray_npy_opts *opts);

/* Reads an array in .npy format and nothing behind it. Errors as garray_load(); memory is taken as the data comes. */
GARRAY_STATUS garray_format_read_array(garray_read_fn read, void *ctx, garray_device device, garray_t **out);

typedef struct { /* what a .npy header says */
    garray_dtype dtype;
    int32_t ndim; /* the number of axes */
    int32_t fortran_order; /* 1: the first axis is the fastest in the file */
    int32_t swapped;       /* 1: the bytes of numbers are in the other order than this machine's */
    int64_t offset;        /* of the data, from the beginning of the header */
    int64_t shape[GARRAY_MAX_NDIM]; /* the first ndim lengths */
} garray_npy_info;

/* Reads the header alone; the data comes next from read. */
GARRAY_STATUS garray_format_read_array_header(garray_read_fn read, void *ctx, garray_npy_info *info);

/* ---- files as memory ---- */

typedef enum { /* how a file is mapped */
    GARRAY_MEMMAP_READ_WRITE = 0,    /* "r+" */
    GARRAY_MEMMAP_READ = 1,          /* "r": the array is read-only */
    GARRAY_MEMMAP_COPY_ON_WRITE = 2, /* "c": what is written to the array stays out of the file */
    GARRAY_MEMMAP_CREATE = 3,        /* "w+": a new file of zeros */
    GARRAY_MEMMAP_MAX_ENUM = 0x7fffffff
} garray_memmap_mode;

typedef struct {
    garray_memmap_mode mode;
    garray_dtype dtype;    /* what follows is for CREATE alone; float64 by default */
    garray_shape shape;    /* {0}: 0-d */
    int32_t fortran_order; /* 1: the first axis is the fastest */
    int32_t version;       /* as for garray_format_write_array() */
    uint64_t reserved[4];
} garray_memmap_opts;

/* An array on the CPU whose memory is the data of a .npy file. It comes from the disk as it is used, and its changes go
 * there, in the end at the latest when the last array over it is released. IO, FORMAT and DTYPE as garray_load(); DTYPE for
 * the other byte order. While it is mapped the file must not be made shorter: the system ends programs that read behind
 * the end. */
GARRAY_STATUS garray_format_open_memmap(const char *path, const garray_memmap_opts *opts, garray_t **out);

/* Waits until the changes of a mapped file are on the disk. INVALID for other arrays. */
GARRAY_STATUS garray_memmap_flush(const garray_t *x);

/* ---- printing ---- */

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
