/* SPDX-License-Identifier: BSD-3-Clause
 * Numbers as NumPy prints them in arrays: one look at all of them decides form and width, then each is written. */
#include <inttypes.h>
#include <math.h>
#include <string.h>
#include "core/format.h"
#include "core/format_float.h"
#include "core/half.h"

/* ---- reading items ---- */
static double real_at(const char *item, int dtype, int part)
{
    uint16_t half;
    float single;
    double value;
    switch (dtype) {
    case GARRAY_FLOAT16:
    case GARRAY_BFLOAT16:
        memcpy(&half, item, 2);
        return (double)(dtype == GARRAY_FLOAT16 ? garray__half_to_float(half) : garray__bfloat_to_float(half));
    case GARRAY_FLOAT32:
        memcpy(&single, item + 4 * part, 4);
        return (double)single;
    default:
        memcpy(&value, item + 8 * part, 8);
        return value;
    }
}

static double round_to(double value, int dtype)
{
    switch (dtype) {
    case GARRAY_FLOAT16: return (double)garray__half_to_float(garray__double_to_half(value));
    case GARRAY_BFLOAT16: return (double)garray__bfloat_to_float(garray__double_to_bfloat(value));
    case GARRAY_FLOAT32: return (double)(float)value;
    default: return value;
    }
}

/* ---- one float ---- */
static int put_sign(char *out, double value, char sign)
{
    if (!signbit(value) && sign != '+')
        return 0;
    *out = signbit(value) ? '-' : '+';
    return 1;
}

/* Zeros, up to so many digits, and the point behind a fraction of n digits that ends at out + length; returns the new
 * length. */
static int finish_fraction(char *out, int length, int *n, int zeros, const garray__float_form *form)
{
    if (form->trim == GARRAY__KEEP_ZEROS) {
        for (; *n < zeros; ++*n)
            out[length++] = '0';
        return length;
    }
    while (*n > 0 && out[length - 1] == '0') {
        length--;
        --*n;
    }
    if (*n == 0 && form->trim == GARRAY__KEEP_ONE_ZERO) {
        out[length++] = '0';
        ++*n;
    } else if (*n == 0 && form->trim == GARRAY__KEEP_NOTHING) {
        length--;                   /* the point */
    }
    return length;
}

static int blanks(char *out, int n)
{
    if (n <= 0)
        return 0;
    memset(out, ' ', (size_t)n);
    return n;
}

int garray__positional(char *out, double value, int dtype, const garray__float_form *form)
{
    garray__decimal d;
    garray__decimal_of(fabs(value), dtype, (garray__cutoff){ !form->significant, form->exact, form->precision, form->least }, &d);
    int whole = d.exponent < 0 ? 1 : d.exponent + 1, n = 0;
    char sign;
    int signs = put_sign(&sign, value, form->sign);
    int length = blanks(out, form->left - whole - signs);
    if (signs)
        out[length++] = sign;
    for (int i = 0; i < whole; i++)
        out[length++] = d.exponent >= 0 && i < d.count ? d.digit[i] : '0';
    out[length++] = '.';
    for (int i = d.exponent + 1; i < 0; i++, n++)
        out[length++] = '0';
    for (int i = d.exponent < 0 ? 0 : whole; i < d.count; i++, n++)
        out[length++] = d.digit[i];
    int zeros = form->exact ? form->precision : form->least;
    length = finish_fraction(out, length, &n, form->significant ? zeros - whole : zeros, form);
    if (form->trim == GARRAY__KEEP_NOTHING && n == 0 && form->right >= 0)
        out[length++] = ' ';        /* in place of the point */
    return length + blanks(out + length, form->right - n);
}

int garray__scientific(char *out, double value, int dtype, const garray__float_form *form)
{
    garray__decimal d;
    int most = form->precision < 0 ? -1 : form->precision + 1, least = form->least < 0 ? -1 : form->least + 1;
    garray__decimal_of(fabs(value), dtype, (garray__cutoff){ false, form->exact, most, least }, &d);
    char sign, text[8];
    int signs = put_sign(&sign, value, form->sign), n = 0;
    int length = blanks(out, form->left - 1 - signs);
    if (signs)
        out[length++] = sign;
    out[length++] = d.digit[0];
    out[length++] = '.';
    for (int i = 1; i < d.count; i++, n++)
        out[length++] = d.digit[i];
    length = finish_fraction(out, length, &n, form->exact ? form->precision : form->least, form);
    out[length++] = 'e';
    out[length++] = d.exponent < 0 ? '-' : '+';
    int digits = 0, wanted = form->exponent_digits > 0 ? form->exponent_digits : 2;
    for (int rest = d.exponent < 0 ? -d.exponent : d.exponent; rest > 0 || digits < wanted; rest /= 10)
        text[digits++] = (char)('0' + rest % 10);
    while (digits > 0)
        out[length++] = text[--digits];
    return length;
}

/* ---- a column of floats ---- */
struct survey {
    const garray__float_column *column;
    int64_t finite, others;
    bool any_negative, any_negative_infinity, any_nonzero;
    double largest, smallest;       /* magnitudes other than 0 */
    int whole, fraction, exponent;  /* characters of the widest */
};

static void survey_value(void *ctx, const char *item)
{
    struct survey *s = ctx;
    double value = real_at(item, s->column->dtype, s->column->part), magnitude = fabs(value);
    if (!isfinite(value)) {
        s->others++;
        s->any_negative_infinity |= isinf(value) && value < 0;
        return;
    }
    s->finite++;
    s->any_negative |= signbit(value) != 0;
    if (magnitude == 0)
        return;
    if (!s->any_nonzero || magnitude > s->largest)
        s->largest = magnitude;
    if (!s->any_nonzero || magnitude < s->smallest)
        s->smallest = magnitude;
    s->any_nonzero = true;
}

static void survey_width(void *ctx, const char *item)
{
    struct survey *s = ctx;
    const garray__float_column *c = s->column;
    double value = real_at(item, c->dtype, c->part);
    if (!isfinite(value))
        return;
    garray__float_form form = { .trim = GARRAY__KEEP_POINT, .precision = c->precision, .least = -1, .right = -1,
                                .sign = c->sign };
    char text[GARRAY__WORD];
    int length = c->exponent ? garray__scientific(text, value, c->dtype, &form) : garray__positional(text, value, c->dtype, &form);
    const char *point = memchr(text, '.', (size_t)length), *e = memchr(text, 'e', (size_t)length);
    int whole = (int)(point - text), fraction = (int)((e ? e : text + length) - point) - 1;
    s->whole = whole > s->whole ? whole : s->whole;
    s->fraction = fraction > s->fraction ? fraction : s->fraction;
    if (e) {
        int digits = (int)(text + length - e) - 2;
        s->exponent = digits > s->exponent ? digits : s->exponent;
    }
}

/* NumPy asks in the arithmetic of the dtype: 10^8, or as many powers of ten as the dtype has digits (bfloat16 as
 * float16). */
static bool wants_exponent(const struct survey *s, int dtype, bool suppress)
{
    if (!s->any_nonzero)
        return false;
    double limit = dtype == GARRAY_FLOAT64 ? 1e8 : dtype == GARRAY_FLOAT32 ? 1e6 : 1e3;
    if (s->largest >= limit)
        return true;
    return !suppress && (s->smallest < round_to(0.0001, dtype) || round_to(s->largest / s->smallest, dtype) > 1000);
}

static int greater(int a, int b)
{
    return a > b ? a : b;
}

static void fit_floats(garray__float_column *c, const garray__items *items, const garray__print *print)
{
    struct survey s = { .column = c };
    c->precision = print->precision;
    c->exponent = false;
    garray__items_each(items, survey_value, &s);
    c->exponent = wants_exponent(&s, c->dtype, print->suppress);
    garray__items_each(items, survey_width, &s);
    c->keep_zeros = c->exponent;
    c->left = s.whole;
    c->right = s.fraction;
    c->least = 0;
    c->exponent_digits = s.exponent;
    if (c->exponent) {
        c->precision = c->least = s.fraction;
        c->right = s.exponent + 2 + s.fraction;
    }
    if (c->sign == ' ' && !s.any_negative)
        c->left++;
    if (s.others > 0) {             /* room for "nan" and "-inf" */
        int offset = c->right + 1, sign = c->sign != '-' || s.any_negative_infinity;
        c->left = greater(c->left, 3 + sign - offset);
    }
}

static int write_float(const garray__float_column *c, const char *item, char *out)
{
    double value = real_at(item, c->dtype, c->part);
    if (isfinite(value)) {
        garray__float_form form = { c->keep_zeros ? GARRAY__KEEP_ZEROS : GARRAY__KEEP_POINT, c->precision, c->least, c->left,
                                    c->right,
                                    c->exponent_digits, c->sign, false, false };
        return c->exponent ? garray__scientific(out, value, c->dtype, &form) : garray__positional(out, value, c->dtype, &form);
    }
    const char *word = isnan(value) ? "nan" : "inf";
    char sign = 0;
    if (c->sign == '+')
        sign = '+';
    if (isinf(value) && value < 0)
        sign = '-';
    int length = blanks(out, c->left + c->right + 1 - 3 - (sign != 0));
    if (sign)
        out[length++] = sign;
    memcpy(out + length, word, 3);
    return length + 3;
}

/* ---- integers ---- */
static uint64_t magnitude_at(const char *item, int dtype, bool *negative)
{
    garray_operand o = garray__scalar_at(item, dtype);
    *negative = o.kind == GARRAY_OPERAND_INT && (int64_t)o.bits[0] < 0;
    return *negative ? 0 - o.bits[0] : o.bits[0];
}

static int write_integer(char *out, uint64_t magnitude, char sign, int width)
{
    char text[24];
    int n = 0;
    do {
        text[n++] = (char)('0' + magnitude % 10);
        magnitude /= 10;
    } while (magnitude > 0);
    if (sign)
        text[n++] = sign;
    int length = blanks(out, width - n);
    while (n > 0)
        out[length++] = text[--n];
    return length;
}

struct range {
    int dtype;
    bool any, any_negative, any_positive;       /* positive: zero too */
    uint64_t least, greatest;                   /* the magnitude of the least negative one; the greatest positive one */
    uint64_t nearest;                           /* of the greatest negative one */
};

static void survey_integer(void *ctx, const char *item)
{
    struct range *r = ctx;
    bool negative;
    uint64_t magnitude = magnitude_at(item, r->dtype, &negative);
    if (negative) {
        r->least = magnitude > r->least ? magnitude : r->least;
        r->nearest = !r->any_negative || magnitude < r->nearest ? magnitude : r->nearest;
        r->any_negative = true;
    } else {
        r->greatest = magnitude > r->greatest ? magnitude : r->greatest;
        r->any_positive = true;
    }
}

static void fit_integers(garray__column *c, const garray__items *items, const garray__print *print)
{
    struct range r = { .dtype = c->dtype };
    char text[GARRAY__WORD];
    garray__items_each(items, survey_integer, &r);
    c->sign = print->sign == ' ' && r.any_negative ? '-' : print->sign;
    int most = r.any_positive ? write_integer(text, r.greatest, 0, 0) + (c->sign != '-')
                              : write_integer(text, r.nearest, '-', 0);
    int least = r.any_negative ? write_integer(text, r.least, '-', 0) : 0;
    c->width = greater(most, least);
}

/* ---- any item ---- */
void garray__column_fit(garray__column *c, const garray__items *items, const garray__print *print)
{
    memset(c, 0, sizeof *c);
    c->dtype = items->dtype;
    c->ndim = items->ndim;
    switch (garray__kind_of(c->dtype)) {
    case GARRAY__K_SINT:
    case GARRAY__K_UINT:
        fit_integers(c, items, print);
        break;
    case GARRAY__K_FLOAT:
    case GARRAY__K_COMPLEX:
        c->real.dtype = c->imaginary.dtype = garray__real_of(c->dtype);
        c->real.sign = print->sign;
        fit_floats(&c->real, items, print);
        if (garray__kind_of(c->dtype) == GARRAY__K_COMPLEX) {
            c->imaginary.part = 1;
            c->imaginary.sign = '+';
            fit_floats(&c->imaginary, items, print);
        }
        break;
    default:
        break;
    }
}

int garray__column_write(const garray__column *c, const char *item, char *out)
{
    bool negative;
    uint64_t magnitude;
    int length;
    switch (garray__kind_of(c->dtype)) {
    case GARRAY__K_BOOL:
        length = *item ? c->ndim > 0 ? 5 : 4 : 5;
        memcpy(out, *item ? c->ndim > 0 ? " True" : "True" : "False", (size_t)length);
        return length;
    case GARRAY__K_FLOAT:
        return write_float(&c->real, item, out);
    case GARRAY__K_COMPLEX:
        length = write_float(&c->real, item, out);
        int start = length, end;
        length += write_float(&c->imaginary, item, out + length);
        for (end = length; end > start && out[end - 1] == ' '; end--)
            continue;
        memmove(out + end + 1, out + end, (size_t)(length - end));      /* the blanks go behind the j */
        out[end] = 'j';
        return length + 1;
    default:
        magnitude = magnitude_at(item, c->dtype, &negative);
        return write_integer(out, magnitude, negative ? '-' : c->sign == '-' ? 0 : c->sign, c->width);
    }
}

/* ---- scalars ---- */
static int write_alone(char *out, double value, int dtype, enum garray__trim trim, char sign)
{
    if (!isfinite(value)) {
        int length = isnan(value) ? sign == '+' : put_sign(out, value, sign);
        if (length)
            out[0] = isinf(value) && value < 0 ? '-' : '+';
        memcpy(out + length, isnan(value) ? "nan" : "inf", 3);
        return length + 3;
    }
    garray__float_form form = { .trim = trim, .precision = -1, .least = -1, .right = -1, .sign = sign };
    /* from here on the dtype does not tell neighbouring integers apart for sure */
    double magnitude = fabs(value), limit = dtype == GARRAY_FLOAT64 ? 1e16 : dtype == GARRAY_FLOAT32 ? 1e6 : 1e3;
    if (magnitude == 0 || (magnitude < limit && magnitude >= 1e-4))
        return garray__positional(out, value, dtype, &form);
    form.trim = GARRAY__KEEP_NOTHING;
    return garray__scientific(out, value, dtype, &form);
}

int garray__scalar_write(int dtype, const char *item, char *out)
{
    bool negative;
    uint64_t magnitude;
    int part = garray__real_of(dtype), length = 0;
    switch (garray__kind_of(dtype)) {
    case GARRAY__K_BOOL:
        length = *item ? 4 : 5;
        memcpy(out, *item ? "True" : "False", (size_t)length);
        return length;
    case GARRAY__K_FLOAT:
        return write_alone(out, real_at(item, dtype, 0), dtype, GARRAY__KEEP_ONE_ZERO, '-');
    case GARRAY__K_COMPLEX: {
        double re = real_at(item, part, 0), im = real_at(item, part, 1);
        if (re == 0 && !signbit(re)) {
            length = write_alone(out, im, part, GARRAY__KEEP_NOTHING, '-');
            out[length++] = 'j';
            return length;
        }
        out[length++] = '(';
        length += write_alone(out + length, re, part, GARRAY__KEEP_NOTHING, '-');
        length += write_alone(out + length, im, part, GARRAY__KEEP_NOTHING, '+');
        out[length++] = 'j';
        out[length++] = ')';
        return length;
    }
    default:
        magnitude = magnitude_at(item, dtype, &negative);
        return write_integer(out, magnitude, negative ? '-' : 0, 0);
    }
}
