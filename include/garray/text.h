/* SPDX-License-Identifier: BSD-3-Clause
 * Text files of numbers, bare bytes, and single numbers as text. Numbers in text are read and written alike in every
 * locale, read ones to the nearest value. */
#ifndef GARRAY_TEXT_H
#define GARRAY_TEXT_H

#include <garray/device.h>
#include <garray/operand.h>

GARRAY_BEGIN

/* ---- tables ---- */

typedef struct {
    const char *fmt;         /* one % format for every number, or the format of a row; "%.18e" */
    const char *delimiter;   /* between the columns; " " */
    const char *newline;     /* "\n" */
    const char *header;      /* text in front of all rows, each line after the mark of comments */
    const char *footer;      /* behind all rows */
    const char *comments;    /* the mark; "# " */
    const char *const *fmts; /* a format for each column, instead of fmt */
    int64_t nfmts;           /* how many */
    uint64_t reserved[4];
} garray_savetxt_opts;

/* Writes a vector, one number a line, or the rows of a matrix, with the text of numpy.savetxt(). Formats are Python's, of
 * the types d i u x X o e E f F g G s. Complex numbers are " (re+imj)", or two formats each. SHAPE for other ranks, INVALID
 * for a format that does not fit, or for NaN as an integer. Beside its place, then moved there. Waits. */
GARRAY_STATUS garray_savetxt(const char *path, const garray_t *x, const garray_savetxt_opts *opts);

typedef struct {
    const char *comments;    /* what begins a comment; "#"; "" for none */
    const char *delimiter;   /* one character between the columns; NULL: white space */
    int64_t skiprows;        /* lines at the beginning that are skipped */
    garray_operand max_rows; /* rows of numbers that are read; by default all */
    garray_axes usecols;     /* the columns to be read, negative ones counted from the end; {0}: all */
    int32_t unpack;          /* 1: transposed, x, y = loadtxt(...) */
    int32_t ndmin;           /* axes of the result at least, 0, 1 or 2; axes of length 1 are dropped otherwise */
    int32_t quotechar;       /* 0: none */
    int32_t reserved32;
    uint64_t reserved[4];
} garray_loadtxt_opts;

/* Reads a table, as numpy.loadtxt(): every row of the same number of columns. By default float64. FORMAT, with NumPy's
 * words, for what is no number of the dtype and for rows of other lengths. Waits. */
GARRAY_STATUS garray_loadtxt(const char *path, garray_dtype dtype, const garray_loadtxt_opts *opts, garray_device device,
                             garray_t **out);

typedef struct {
    const char *comments;          /* "#"; "" for none */
    const char *delimiter;         /* a string; NULL: white space */
    const int32_t *widths;         /* of the columns in characters, instead of a delimiter; one for all, or one each */
    int64_t nwidths;               /* how many */
    int64_t skip_header;           /* lines at the beginning */
    int64_t skip_footer;           /* rows at the end */
    garray_operand max_rows;       /* by default all; not with skip_footer */
    garray_axes usecols;
    garray_operand filling_value;  /* for what is missing or no number; by default NaN, -1 or False */
    int32_t unpack;
    int32_t ndmin;
    int32_t drop_invalid;          /* 1: rows of other lengths are left out, not an error */
    int32_t reserved32;
    uint64_t reserved[4];
} garray_genfromtxt_opts;

/* Reads a table in which numbers may be missing, as numpy.genfromtxt() with a numeric dtype. FORMAT for rows of other
 * lengths, INVALID for an integer that the dtype does not hold. Waits. */
GARRAY_STATUS garray_genfromtxt(const char *path, garray_dtype dtype, const garray_genfromtxt_opts *opts, garray_device device,
                                garray_t **out);

/* ---- numbers in a row, or bare bytes ---- */

typedef struct {
    garray_operand count; /* numbers to be read; by default all, and what is there if there are fewer */
    const char *sep;      /* of a text: between the numbers, a blank for any white space */
    int64_t offset;       /* of bytes: before the first number */
    uint64_t reserved[4];
} garray_fromfile_opts;

/* The numbers of a file as a vector: without sep the bytes of elements, in this machine's byte order; with sep text. By
 * default float64. FORMAT for text that is no number of the dtype. Waits. */
GARRAY_STATUS garray_fromfile(const char *path, garray_dtype dtype, const garray_fromfile_opts *opts, garray_device device,
                              garray_t **out);

/* The numbers of a text as a vector; sep is " " by default. */
GARRAY_STATUS garray_fromstring(const char *text, garray_dtype dtype, const garray_fromfile_opts *opts, garray_device device,
                                garray_t **out);

typedef struct {
    const char *sep;    /* NULL or "": bytes, not text */
    const char *format; /* of text: a % format; "%s" */
    uint64_t reserved[4];
} garray_tofile_opts;

/* Writes the elements row-major, as ndarray.tofile(): their bytes, or text. Beside its place, then moved there. Waits. */
GARRAY_STATUS garray_tofile(const char *path, const garray_t *x, const garray_tofile_opts *opts);

/* Copies the bytes of the elements to host memory of `capacity` bytes, row-major ('C' or 0), column-major ('F'), or
 * column-major where x is ('A'). Waits. INVALID when the capacity does not suffice. */
GARRAY_STATUS garray_tobytes(const garray_t *x, int order, void *data, size_t capacity);

/* ---- single numbers ---- */

typedef struct {
    garray_operand precision;  /* digits behind the point at most; by default as many as it takes */
    garray_operand min_digits; /* and at least */
    garray_operand pad_left;   /* blanks until so many characters are before the point, */
    garray_operand pad_right;  /* and behind it */
    garray_operand exp_digits; /* of the exponent, at least; 2 */
    int32_t exact;             /* 1: the digits of the value itself (unique=False); precision must be given */
    int32_t significant;       /* 1: precision and min_digits count all digits (fractional=False) */
    int32_t sign;              /* 1: + before positive numbers */
    int32_t trim;              /* zeros at the end: 'k' keep (default), '.' drop, '0' keep one, '-' drop the point too */
    uint64_t reserved[4];
} garray_format_float_opts;

/* A real number, or an array of one, as numpy.format_float_positional() writes it: the fewest digits that tell it from the
 * others of its dtype. To buf as snprintf does it; *length, where length is not NULL, is how long the whole text is. Waits
 * for arrays. */
GARRAY_STATUS garray_format_float_positional(garray_operand x, const garray_format_float_opts *opts, char *buf, size_t size,
                                             size_t *length);

/* The same with an exponent. */
GARRAY_STATUS garray_format_float_scientific(garray_operand x, const garray_format_float_opts *opts, char *buf, size_t size,
                                             size_t *length);

GARRAY_END

#ifndef __cplusplus

#define garray_format_float_positional(x, opts, buf, size, length) \
    (garray_format_float_positional)(GARRAY_OPERAND(x), opts, buf, size, length)
#define garray_format_float_scientific(x, opts, buf, size, length) \
    (garray_format_float_scientific)(GARRAY_OPERAND(x), opts, buf, size, length)

#endif

#endif
