/* SPDX-License-Identifier: BSD-3-Clause
 * Numbers as text by Python's % formats: "%.18e", "%5d:%g". */
#ifndef GARRAY_CORE_TEXT_FORMAT_H
#define GARRAY_CORE_TEXT_FORMAT_H

#include "core/format.h"

/* One conversion and the text before it. */
typedef struct garray__conversion {
    size_t literal, nliteral;       /* where the text before it is in garray__row_format.text, and how long */
    bool minus, plus, blank, zero, alternate;
    int width, precision;           /* precision -1: not given */
    char type;
    char c_format[48];              /* the same for snprintf() and a double */
} garray__conversion;

typedef struct garray__row_format {
    int64_t n;
    garray__conversion *conversion;
    char *text;                     /* all literal text, %% as % */
    size_t tail, ntail;             /* what is behind the last conversion */
} garray__row_format;

/* Reads a format; the types are d i u x X o e E f F g G s.  INVALID for others, and for * and named values. */
garray_status garray__row_format_open(garray__row_format *format, const char *text);
void garray__row_format_close(garray__row_format *format);

/* How many conversions a format has; -1 if it cannot be read to the end. */
int64_t garray__count_conversions(const char *text);

/* An element of a real dtype.  The calling thread must be in the "C" locale.  DTYPE where the type does not fit, INVALID
 * for NaN and infinities as integers. */
garray_status garray__convert_number(const garray__conversion *conversion, int dtype, const void *item, garray__text *out);

/* The text of an element as str() of the Python number that x.item() is. */
int garray__python_number(int dtype, const void *item, char *out);

#endif
