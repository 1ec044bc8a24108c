/* SPDX-License-Identifier: BSD-3-Clause
 * Numbers in text, whatever the locale is: read to the nearest value. */
#ifndef GARRAY_CORE_PARSE_NUMBER_H
#define GARRAY_CORE_PARSE_NUMBER_H

#include <locale.h>
#include <stdbool.h>
#include <stddef.h>

typedef enum garray__parsed {
    GARRAY__PARSED,
    GARRAY__NO_NUMBER,
    GARRAY__OUT_OF_RANGE,           /* an integer that the dtype does not hold */
} garray__parsed;

/* The longest float at the beginning of a text that has a 0 in the end: digits with a point and an exponent, or inf,
 * infinity, nan, in any case of letters.  Too large ones become infinite. */
bool garray__parse_double(const char *text, double *value, const char **next);

/* The longest number at the beginning, as an element of a dtype.  Floats are read as double and cast, bools are true
 * where they are a float that is not 0, complex numbers are 1+2j, 1 or 2j. */
garray__parsed garray__parse_number(const char *text, int dtype, void *item, const char **next);

/* A whole field, as numpy.loadtxt() reads it: white space around it, complex numbers also in parentheses, bools as
 * integers.  text[n] is changed for a moment. */
garray__parsed garray__parse_field(char *text, size_t n, int dtype, void *item);

/* White space as Python has it for ASCII. */
static inline bool garray__is_blank(char c)
{
    return c == ' ' || (c >= '\t' && c <= '\r') || (c >= '\x1c' && c <= '\x1f');
}

/* The "C" locale, for uselocale() and strtod_l(). */
locale_t garray__c_locale(void);

#endif
