/* SPDX-License-Identifier: BSD-3-Clause
 * Between the parts of printing: the text that grows, the items that are shown, and how one column writes them. */
#ifndef GARRAY_CORE_FORMAT_H
#define GARRAY_CORE_FORMAT_H

#include "core/array.h"

/* ---- text ---- */
typedef struct garray__text {
    char *data;
    size_t length, capacity;
    bool failed;                    /* no memory: what comes later is dropped */
} garray__text;

void garray__text_add(garray__text *text, const char *bytes, size_t n);
void garray__text_fill(garray__text *text, char c, size_t n);

/* ---- options ---- */
typedef struct garray__print {
    int64_t threshold, edge, linewidth;
    int precision;
    char sign;                      /* '-', '+' or ' ' */
    bool suppress, repr;
} garray__print;

/* ---- items ---- */
/* What is shown of an array, in host memory.  Of an axis that is cut only the first and the last `edge` places are
 * shown: place i >= edge lies gap bytes further on than its number says. */
typedef struct garray__items {
    const char *data;
    int dtype, ndim;
    int64_t edge;
    bool cut[GARRAY_MAX_NDIM];
    int64_t length[GARRAY_MAX_NDIM], stride[GARRAY_MAX_NDIM], gap[GARRAY_MAX_NDIM];
} garray__items;

static inline int64_t garray__item_offset(const garray__items *items, int axis, int64_t i)
{
    return i * items->stride[axis] + (i >= items->edge ? items->gap[axis] : 0);
}

/* Calls visit for every item, last axis first. */
void garray__items_each(const garray__items *items, void (*visit)(void *ctx, const char *item), void *ctx);

/* ---- one float ---- */
/* What becomes of zeros at the end of a fraction. */
enum garray__trim { GARRAY__KEEP_ZEROS, GARRAY__KEEP_POINT, GARRAY__KEEP_ONE_ZERO, GARRAY__KEEP_NOTHING };

typedef struct garray__float_form {
    enum garray__trim trim;
    int precision, least;           /* digits behind the point; -1: as many as needed, -1: no fewer than needed */
    int left, right;                /* blanks are added up to so many characters; right -1: none */
    int exponent_digits;            /* at least; 0 or less: two */
    char sign;                      /* '+': also before positive numbers */
    bool exact;                     /* the digits of the value itself; precision must be given */
    bool significant;               /* precision and least count all digits */
} garray__float_form;

/* A finite value of a real float dtype, as digits around a point or with an exponent.  out has room for twice
 * GARRAY__WORD characters, which do for numbers up to 1000 in the form. */
int garray__positional(char *out, double value, int dtype, const garray__float_form *form);
int garray__scientific(char *out, double value, int dtype, const garray__float_form *form);

/* ---- columns ---- */
/* How the floats of one column are written, all as wide as the widest needs. */
typedef struct garray__float_column {
    int dtype, part;                /* a real dtype; part 1: the imaginary part of the items */
    int precision, least;           /* digits behind the point, at most and at least */
    int left, right;                /* characters before and behind the point */
    int exponent_digits;
    bool exponent, keep_zeros;
    char sign;
} garray__float_column;

typedef struct garray__column {
    int dtype, ndim, width;         /* width: of integers */
    char sign;                      /* of integers */
    garray__float_column real, imaginary;
} garray__column;

void garray__column_fit(garray__column *column, const garray__items *items, const garray__print *print);

/* One item; at most GARRAY__WORD characters. */
#define GARRAY__WORD 2048
int garray__column_write(const garray__column *column, const char *item, char *out);

/* An item on its own, as str() of a NumPy scalar. */
int garray__scalar_write(int dtype, const char *item, char *out);

#endif
