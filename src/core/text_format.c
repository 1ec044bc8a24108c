/* SPDX-License-Identifier: BSD-3-Clause
 * Python's % formats for numbers. */
#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include "core/half.h"
#include "core/decimal.h"
#include "core/text_format.h"

#define WIDTH_MAX 1000              /* of field and precision */

/* ---- reading formats ---- */
static const char *read_number(const char *p, int *value)
{
    for (*value = 0; *p >= '0' && *p <= '9'; p++)
        *value = *value <= WIDTH_MAX ? 10 * *value + (*p - '0') : *value;
    return p;
}

/* The conversion behind a %; NULL for none. */
static const char *read_conversion(const char *p, garray__conversion *c)
{
    memset(c, 0, sizeof *c);
    c->precision = -1;
    for (bool flag = true; flag; p += flag)
        switch (*p) {
        case '-': c->minus = true; break;
        case '+': c->plus = true; break;
        case ' ': c->blank = true; break;
        case '0': c->zero = true; break;
        case '#': c->alternate = true; break;
        default: flag = false;
        }
    p = read_number(p, &c->width);
    if (*p == '.')
        p = read_number(p + 1, &c->precision);
    while (*p == 'h' || *p == 'l' || *p == 'L')     /* as in Python, without a meaning */
        p++;
    c->type = *p;
    if (!*p || !strchr("diuxXoeEfFgGs", *p))
        return NULL;
    char width[16] = "", precision[16] = "";
    if (c->width > 0)
        snprintf(width, sizeof width, "%s%d", c->zero ? "0" : "", c->width);
    if (c->precision >= 0)
        snprintf(precision, sizeof precision, ".%d", c->precision);
    snprintf(c->c_format, sizeof c->c_format, "%%%s%s%s%s%s%s%c", c->minus ? "-" : "", c->plus ? "+" : "", c->blank ? " " : "",
             c->alternate ? "#" : "", width, precision, c->type);
    return p + 1;
}

int64_t garray__count_conversions(const char *text)
{
    int64_t n = 0;
    garray__conversion c;
    for (const char *p = text; *p;) {
        if (*p != '%') {
            p++;
        } else if (p[1] == '%') {
            p += 2;
        } else {
            p = read_conversion(p + 1, &c);
            if (!p)
                return -1;
            n++;
        }
    }
    return n;
}

garray_status garray__row_format_open(garray__row_format *f, const char *text)
{
    int64_t n = garray__count_conversions(text);
    memset(f, 0, sizeof *f);
    GARRAY_REQUIRE(n >= 0, INVALID, "unsupported format: '%.200s'", text);
    f->conversion = malloc(sizeof *f->conversion * (size_t)(n + 1));
    f->text = malloc(strlen(text) + 1);
    if (!f->conversion || !f->text) {
        garray__row_format_close(f);
        return garray__fail(GARRAY_ERR_NOMEM, "no host memory for a format of %" PRId64 " numbers", n);
    }
    size_t length = 0, start = 0;
    for (const char *p = text; *p;) {
        if (*p != '%' || p[1] == '%') {
            f->text[length++] = *p;
            p += *p == '%' ? 2 : 1;
            continue;
        }
        garray__conversion *c = &f->conversion[f->n++];
        p = read_conversion(p + 1, c);
        c->literal = start;
        c->nliteral = length - start;
        start = length;
    }
    f->tail = start;
    f->ntail = length - start;
    for (int64_t i = 0; i < n; i++)
        if (f->conversion[i].width > WIDTH_MAX || f->conversion[i].precision > WIDTH_MAX) {
            garray__row_format_close(f);
            return garray__fail(GARRAY_ERR_INVALID, "a width or precision of more than %d: '%.200s'", WIDTH_MAX, text);
        }
    return GARRAY_OK;
}

void garray__row_format_close(garray__row_format *f)
{
    free(f->conversion);
    free(f->text);
    memset(f, 0, sizeof *f);
}

/* ---- writing ---- */
/* A sign and digits (or a word), padded; zeros go between the two. */
static void put_padded(const garray__conversion *c, const char *sign, const char *body, size_t n, bool zeros, garray__text *out)
{
    size_t length = strlen(sign) + n, pad = (size_t)c->width > length ? (size_t)c->width - length : 0;
    if (!c->minus && !zeros)
        garray__text_fill(out, ' ', pad);
    garray__text_add(out, sign, strlen(sign));
    if (!c->minus && zeros)
        garray__text_fill(out, '0', pad);
    garray__text_add(out, body, n);
    if (c->minus)
        garray__text_fill(out, ' ', pad);
}

static const char *sign_of(const garray__conversion *c, bool negative)
{
    return negative ? "-" : c->plus ? "+" : c->blank ? " " : "";
}

static double as_double(int dtype, const void *item)
{
    garray_operand o = garray__scalar_at(item, dtype);
    double value;
    switch (o.kind) {
    case GARRAY_OPERAND_BOOL:
    case GARRAY_OPERAND_UINT:
        return (double)o.bits[0];
    case GARRAY_OPERAND_INT:
        return (double)(int64_t)o.bits[0];
    default:
        memcpy(&value, &o.bits[0], 8);
        return value;
    }
}

/* "%.18e" and shorter ones, without flags and width; returns the length, 0 where snprintf() must do it. */
static int write_exponent(const garray__conversion *c, double value, char *text)
{
    uint64_t digits;
    int exponent, n = c->precision + 1, length = 0;
    if (c->type != 'e' || c->width > 0 || c->plus || c->blank || c->precision < 1 || c->precision > 18
        || !garray__decimal_of_double(fabs(value), n, &digits, &exponent))
        return 0;
    if (signbit(value))
        text[length++] = '-';
    for (int i = n; i > 1; i--) {
        text[length + i] = (char)('0' + digits % 10);
        digits /= 10;
    }
    text[length] = (char)('0' + digits);
    text[length + 1] = '.';
    length += n + 1;
    text[length++] = 'e';
    text[length++] = exponent < 0 ? '-' : '+';
    exponent = exponent < 0 ? -exponent : exponent;
    if (exponent >= 100)
        text[length++] = (char)('0' + exponent / 100);
    text[length++] = (char)('0' + exponent / 10 % 10);
    text[length++] = (char)('0' + exponent % 10);
    return length;
}

static void put_float(const garray__conversion *c, double value, garray__text *out)
{
    char text[GARRAY__WORD];
    int quick = isfinite(value) && value != 0 ? write_exponent(c, value, text) : 0;
    if (quick) {
        garray__text_add(out, text, (size_t)quick);
        return;
    }
    if (isfinite(value)) {
        int n = snprintf(text, sizeof text, c->c_format, value);
        garray__text_add(out, text, (size_t)n);
        return;
    }
    bool upper = c->type < 'a', negative = value < 0;
    const char *word = isnan(value) ? upper ? "NAN" : "nan" : upper ? "INF" : "inf";
    put_padded(c, sign_of(c, negative), word, 3, c->zero, out);
}

/* The digits of a magnitude in a base, at least as many as the precision says. */
static void put_digits(const garray__conversion *c, bool negative, const char *digits, size_t n, const char *prefix,
                       garray__text *out)
{
    char body[GARRAY__WORD], sign[8];
    size_t zeros = c->precision > 0 && (size_t)c->precision > n ? (size_t)c->precision - n : 0;
    memset(body, '0', zeros);
    memcpy(body + zeros, digits, n);
    snprintf(sign, sizeof sign, "%s%s", sign_of(c, negative), prefix);
    put_padded(c, sign, body, zeros + n, c->zero, out);
}

static garray_status put_integer(const garray__conversion *c, int dtype, const void *item, garray__text *out)
{
    char digits[400];
    int base = c->type == 'o' ? 8 : c->type == 'x' || c->type == 'X' ? 16 : 10;
    garray_operand o = garray__scalar_at(item, dtype);
    GARRAY_REQUIRE(base == 10 || garray__is_integer(dtype), DTYPE,
                   "Mismatch between array dtype ('%s') and format specifier ('%%%c')", garray__name_of(dtype), c->type);
    if (o.kind == GARRAY_OPERAND_DOUBLE) {
        double value = as_double(dtype, item);
        GARRAY_REQUIRE(!isnan(value), INVALID, "cannot convert float NaN to integer");
        GARRAY_REQUIRE(isfinite(value), INVALID, "cannot convert float infinity to integer");
        value = trunc(value);
        int n = snprintf(digits, sizeof digits, "%.0f", fabs(value));
        put_digits(c, value < 0, digits, (size_t)n, "", out);
        return GARRAY_OK;
    }
    bool negative = o.kind == GARRAY_OPERAND_INT && (int64_t)o.bits[0] < 0;
    uint64_t magnitude = negative ? 0 - o.bits[0] : o.bits[0];
    int n = snprintf(digits, sizeof digits,
                     base == 8 ? "%" PRIo64 : base == 10 ? "%" PRIu64 : c->type == 'X' ? "%" PRIX64 : "%" PRIx64, magnitude);
    const char *prefix = !c->alternate || base == 10 ? "" : base == 8 ? "0o" : c->type == 'X' ? "0X" : "0x";
    put_digits(c, negative, digits, (size_t)n, prefix, out);
    return GARRAY_OK;
}

garray_status garray__convert_number(const garray__conversion *c, int dtype, const void *item, garray__text *out)
{
    char word[GARRAY__WORD];
    switch (c->type) {
    case 'd':
    case 'i':
    case 'u':
    case 'x':
    case 'X':
    case 'o':
        return put_integer(c, dtype, item, out);
    case 's': {
        size_t n = (size_t)garray__scalar_write(dtype, item, word);
        if (c->precision >= 0 && (size_t)c->precision < n)
            n = (size_t)c->precision;
        put_padded(c, "", word, n, false, out);
        return GARRAY_OK;
    }
    default:
        put_float(c, as_double(dtype, item), out);
        return GARRAY_OK;
    }
}

int garray__python_number(int dtype, const void *item, char *out)
{
    double value[2] = { 0 };
    switch (garray__kind_of(dtype)) {
    case GARRAY__K_FLOAT:
        value[0] = as_double(dtype, item);
        return garray__scalar_write(GARRAY_FLOAT64, (const char *)value, out);
    case GARRAY__K_COMPLEX: {
        int part = garray__real_of(dtype);
        value[0] = as_double(part, item);
        value[1] = as_double(part, (const char *)item + garray__size_of(part));
        return garray__scalar_write(GARRAY_COMPLEX128, (const char *)value, out);
    }
    default:
        return garray__scalar_write(dtype, item, out);
    }
}
