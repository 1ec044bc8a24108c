/* SPDX-License-Identifier: BSD-3-Clause
 * Numbers in text. */
#include <math.h>
#include <pthread.h>
#include <stdlib.h>
#include <strings.h>
#include "core/decimal.h"
#include "core/dtype.h"
#include "core/half.h"
#include "core/parse_number.h"

static locale_t c_locale;
static pthread_once_t located = PTHREAD_ONCE_INIT;

static void locate(void)
{
    c_locale = newlocale(LC_ALL_MASK, "C", (locale_t)0);
}

locale_t garray__c_locale(void)
{
    pthread_once(&located, locate);
    return c_locale;
}

/* ---- floats ---- */
static bool is_digit(char c)
{
    return c >= '0' && c <= '9';
}

static const char *take_word(const char *text, const char *word)
{
    size_t n = strlen(word);
    return strncasecmp(text, word, n) == 0 ? text + n : NULL;
}

bool garray__parse_double(const char *text, double *value, const char **next)
{
    const char *p = text, *word;
    bool negative = *p == '-';
    p += *p == '-' || *p == '+';
    if (!is_digit(*p) && *p != '.') {
        if ((word = take_word(p, "infinity")) || (word = take_word(p, "inf")))
            *value = negative ? -INFINITY : INFINITY;
        else if ((word = take_word(p, "nan")))
            *value = negative ? -NAN : NAN;
        *next = word;
        return word != NULL;
    }
    uint64_t digits = 0;                    /* the first 19 that count */
    int64_t significant = 0, exponent = 0;
    bool any = false;
    for (; is_digit(*p); p++, any = true) {
        significant += digits > 0 || *p != '0';
        if (significant <= 19)
            digits = 10 * digits + (uint64_t)(*p - '0');
        else
            exponent++;
    }
    if (*p == '.')
        for (p++; is_digit(*p); p++, any = true) {
            significant += digits > 0 || *p != '0';
            if (significant <= 19) {
                digits = 10 * digits + (uint64_t)(*p - '0');
                exponent--;
            }
        }
    if (!any)
        return false;
    if (*p == 'e' || *p == 'E') {
        const char *q = p + 1 + (p[1] == '-' || p[1] == '+');
        int given = 0;
        if (is_digit(*q)) {
            for (; is_digit(*q); q++)
                given = given < 100000 ? 10 * given + (*q - '0') : given;
            exponent += p[1] == '-' ? -given : given;
            p = q;
        }
    }
    *next = p;
    double v = garray__double_of_decimal(digits, exponent);
    if (significant > 19 && v != garray__double_of_decimal(digits + 1, exponent))
        v = fabs(strtod_l(text, NULL, garray__c_locale()));    /* the digits that were left out decide */
    *value = negative ? -v : v;
    return true;
}

/* A double as an element of a real float dtype. */
static void store_double(double value, int dtype, void *item)
{
    uint16_t half;
    float single;
    switch (dtype) {
    case GARRAY_FLOAT16:
    case GARRAY_BFLOAT16:
        half = dtype == GARRAY_FLOAT16 ? garray__double_to_half(value) : garray__double_to_bfloat(value);
        memcpy(item, &half, 2);
        break;
    case GARRAY_FLOAT32:
        single = (float)value;
        memcpy(item, &single, 4);
        break;
    default:
        memcpy(item, &value, 8);
    }
}

/* ---- integers ---- */
static garray__parsed parse_integer(const char *text, int dtype, void *item, const char **next)
{
    bool negative = *text == '-', overflow = false;
    const char *p = text + (*text == '-' || *text == '+');
    uint64_t magnitude = 0;
    if (!is_digit(*p))
        return GARRAY__NO_NUMBER;
    for (; is_digit(*p); p++) {
        uint64_t digit = (uint64_t)(*p - '0');
        overflow |= magnitude > (UINT64_MAX - digit) / 10;
        magnitude = 10 * magnitude + digit;
    }
    *next = p;
    int bits = 8 * garray__size_of(dtype);
    bool is_signed = garray__kind_of(dtype) == GARRAY__K_SINT;
    uint64_t most = UINT64_MAX >> (64 - bits + is_signed);
    if (overflow || (negative ? magnitude > (is_signed ? most + 1 : 0) : magnitude > most))
        return GARRAY__OUT_OF_RANGE;
    uint64_t value = negative ? 0 - magnitude : magnitude;
    uint8_t v8 = (uint8_t)value;
    uint16_t v16 = (uint16_t)value;
    uint32_t v32 = (uint32_t)value;
    const void *from = bits == 8 ? (void *)&v8 : bits == 16 ? (void *)&v16 : bits == 32 ? (void *)&v32 : (void *)&value;
    memcpy(item, from, (size_t)bits / 8);
    return GARRAY__PARSED;
}

/* ---- any dtype ---- */
static garray__parsed parse_complex(const char *text, int dtype, void *item, const char **next)
{
    double re = 0, im = 0;
    const char *p, *q;
    int part = garray__real_of(dtype);
    if (!garray__parse_double(text, &re, &p))
        return GARRAY__NO_NUMBER;
    if (*p == 'j') {
        im = re;
        re = 0;
        p++;
    } else if ((*p == '+' || *p == '-') && garray__parse_double(p, &im, &q) && *q == 'j') {
        p = q + 1;
    } else {
        im = 0;
    }
    store_double(re, part, item);
    store_double(im, part, (char *)item + garray__size_of(part));
    *next = p;
    return GARRAY__PARSED;
}

garray__parsed garray__parse_number(const char *text, int dtype, void *item, const char **next)
{
    double value;
    switch (garray__kind_of(dtype)) {
    case GARRAY__K_SINT:
    case GARRAY__K_UINT:
        return parse_integer(text, dtype, item, next);
    case GARRAY__K_COMPLEX:
        return parse_complex(text, dtype, item, next);
    case GARRAY__K_BOOL:
        if (!garray__parse_double(text, &value, next))
            return GARRAY__NO_NUMBER;
        *(uint8_t *)item = value != 0;
        return GARRAY__PARSED;
    default:
        if (!garray__parse_double(text, &value, next))
            return GARRAY__NO_NUMBER;
        store_double(value, dtype, item);
        return GARRAY__PARSED;
    }
}

garray__parsed garray__parse_field(char *text, size_t n, int dtype, void *item)
{
    char *end = text + n;
    const char *next = NULL;
    garray__parsed result;
    while (text < end && garray__is_blank(*text))
        text++;
    while (text < end && garray__is_blank(end[-1]))
        end--;
    if (garray__kind_of(dtype) == GARRAY__K_COMPLEX && end - text >= 2 && *text == '(' && end[-1] == ')') {
        text++;
        end--;
    }
    char saved = *end;
    *end = 0;
    if (dtype == GARRAY_BOOL) {
        int64_t value;
        result = parse_integer(text, GARRAY_INT64, &value, &next);
        *(uint8_t *)item = result == GARRAY__PARSED && value != 0;
    } else {
        result = garray__parse_number(text, dtype, item, &next);
    }
    *end = saved;
    return result != GARRAY__NO_NUMBER && next != end ? GARRAY__NO_NUMBER : result;
}
