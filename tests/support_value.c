/* SPDX-License-Identifier: BSD-3-Clause
 * Elements of every dtype on the host: random ones, conversions, distances.  Written apart from the library's
 * own conversions, since it judges them. */
#include <float.h>
#include <inttypes.h>
#include <stdio.h>
#include "splitmix.h"
#include "test.h"

/* ---- 16-bit floats ---- */

struct format {
    int digits;             /* of the significand, the leading one too */
    int least;              /* exponent of the smallest subnormal */
    int largest;            /* exponent of the first power of two that overflows */
};

static struct format format_of(int dtype)
{
    switch (dtype) {
    case GARRAY_FLOAT16: return (struct format){ 11, -24, 16 };
    case GARRAY_BFLOAT16: return (struct format){ 8, -133, 128 };
    case GARRAY_FLOAT32:
    case GARRAY_COMPLEX64: return (struct format){ 24, -149, 128 };
    default: return (struct format){ 53, -1074, 1024 };
    }
}

/* To the nearest multiple of the format's unit at x, ties to even. */
static double round_to(struct format f, double x)
{
    if (!isfinite(x) || x == 0)
        return x;
    int exponent;
    frexp(x, &exponent);
    int unit = exponent - f.digits > f.least ? exponent - f.digits : f.least;
    double rounded =
        ldexp(rint(ldexp(x, -unit)), unit); /* ldexp is exact but at the very bottom, where unit saves it */
    return fabs(rounded) >= ldexp(1, f.largest - 1) * 2 ? copysign(INFINITY, x) : rounded;
}

static uint16_t pack_half(int dtype, double x)
{
    struct format f = format_of(dtype);
    int stored = f.digits - 1, width = 15 - stored;         /* bits of fraction and exponent */
    uint16_t sign = signbit(x) ? 0x8000 : 0, infinity = (uint16_t)(((1 << width) - 1) << stored);
    if (isnan(x))
        return (uint16_t)(sign | infinity | 1 << (stored - 1));
    double a = fabs(round_to(f, x));
    if (isinf(a))
        return (uint16_t)(sign | infinity);
    int exponent;
    frexp(a, &exponent);
    if (a == 0 || exponent <= f.least + stored)             /* subnormal */
        return (uint16_t)(sign | (uint16_t)ldexp(a, -f.least));
    int biased = exponent - (f.least + stored);
    return (uint16_t)(sign | (biased << stored) | ((int)ldexp(a, f.digits - exponent) & ((1 << stored) - 1)));
}

static double unpack_half(int dtype, uint16_t bits)
{
    struct format f = format_of(dtype);
    int stored = f.digits - 1, width = 15 - stored, biased = bits >> stored & ((1 << width) - 1);
    int fraction = bits & ((1 << stored) - 1);
    double a = biased == (1 << width) - 1 ? (fraction ? NAN : INFINITY)
               : biased ? ldexp(fraction + (1 << stored), f.least + biased - 1) : ldexp(fraction, f.least);
    return bits & 0x8000 ? -a : a;
}

/* ---- conversions ---- */

static bool is_complex(int dtype)
{
    return dtype >= GARRAY_COMPLEX64;
}

static int part_of(int dtype)
{
    return dtype == GARRAY_COMPLEX64 ? GARRAY_FLOAT32 : dtype == GARRAY_COMPLEX128 ? GARRAY_FLOAT64 : dtype;
}

static void store_real(int dtype, void *element, double x)
{
#define STORE(type) \
    do { \
        type value = (type)x; \
        memcpy(element, &value, sizeof value); \
    } while (0)
    switch (dtype) {
    case GARRAY_BOOL: *(uint8_t *)element = x != 0; break;
    case GARRAY_INT8: STORE(int8_t); break;
    case GARRAY_INT16: STORE(int16_t); break;
    case GARRAY_INT32: STORE(int32_t); break;
    case GARRAY_INT64: STORE(int64_t); break;
    case GARRAY_UINT8: STORE(uint8_t); break;
    case GARRAY_UINT16: STORE(uint16_t); break;
    case GARRAY_UINT32: STORE(uint32_t); break;
    case GARRAY_UINT64: STORE(uint64_t); break;
    case GARRAY_FLOAT32: STORE(float); break;
    case GARRAY_FLOAT64: STORE(double); break;
    default: {
        uint16_t bits = pack_half(dtype, x);
        memcpy(element, &bits, 2);
    }
    }
#undef STORE
}

void test_store(int dtype, void *element, double re, double im)
{
    int part = part_of(dtype);
    store_real(part, element, re);
    if (is_complex(dtype))
        store_real(part, (char *)element + garray_dtype_size((garray_dtype)part), im);
}

double test_load(int dtype, const void *element)
{
#define LOAD(type) \
    do { \
        type value; \
        memcpy(&value, element, sizeof value); \
        return (double)value; \
    } while (0)
    switch (part_of(dtype)) {
    case GARRAY_BOOL:
    case GARRAY_UINT8: LOAD(uint8_t);
    case GARRAY_INT8: LOAD(int8_t);
    case GARRAY_INT16: LOAD(int16_t);
    case GARRAY_INT32: LOAD(int32_t);
    case GARRAY_INT64: LOAD(int64_t);
    case GARRAY_UINT16: LOAD(uint16_t);
    case GARRAY_UINT32: LOAD(uint32_t);
    case GARRAY_UINT64: LOAD(uint64_t);
    case GARRAY_FLOAT32: LOAD(float);
    case GARRAY_FLOAT64: LOAD(double);
    default: {
        uint16_t bits;
        memcpy(&bits, element, 2);
        return unpack_half(dtype, bits);
    }
    }
#undef LOAD
}

void test_load_complex(int dtype, const void *element, double *re, double *im)
{
    *re = test_load(dtype, element);
    *im = is_complex(dtype)
              ? test_load(dtype, (const char *)element + garray_dtype_size((garray_dtype)dtype) / 2)
              : 0;
}

/* ---- random values ---- */

uint64_t test_random_word(uint64_t *state)
{
    return splitmix(state);
}

void test_random(int dtype, int64_t n, uint64_t seed, void *values)
{
    size_t item = garray_dtype_size((garray_dtype)dtype);
    for (int64_t i = 0; i < n; i++) {
        char *element = (char *)values + (size_t)i * item;
        uint64_t word = test_random_word(&seed);
        if (dtype == GARRAY_BOOL)
            *element = (char)(word & 1);
        else if (dtype <= GARRAY_UINT64)
            memcpy(element, &word, item);
        else
            test_store(dtype, element, (double)(int64_t)word * 0x1p-60,
                       (double)(int64_t)test_random_word(&seed) * 0x1p-60);
    }
}

/* ---- distances ---- */

/* Of two parts, in units at `size`. */
static double part_ulps(int dtype, double got, double expected, double size)
{
    if (isnan(got) || isnan(expected))
        return isnan(got) && isnan(expected) ? 0 : INFINITY;
    if (got == expected)
        return signbit(got) == signbit(expected) ? 0 : INFINITY;
    struct format f = format_of(dtype);
    double top = ldexp(1 - ldexp(1, -f.digits), f.largest);
    /* an infinity is one unit beyond the largest number */
    double past = ldexp(1, f.largest - f.digits);
    if (isinf(got) || isinf(expected)) {
        double number = isinf(got) ? expected : got, infinite = isinf(got) ? got : expected;
        if (isinf(number) || signbit(number) != signbit(infinite))
            return INFINITY;
        return (top - fabs(number)) / past + 1;
    }
    int exponent;
    frexp(isfinite(size) ? size : top, &exponent);
    int unit = size != 0 && exponent - f.digits > f.least ? exponent - f.digits : f.least;
    return ldexp(fabs(got / 2 - expected / 2), 1 - unit);
}

double test_ulps(int dtype, const void *got, const void *expected)
{
    if (memcmp(got, expected, garray_dtype_size((garray_dtype)dtype)) == 0)
        return 0;
    if (dtype <= GARRAY_UINT64)
        return INFINITY;
    double a[2], b[2];
    test_load_complex(dtype, got, &a[0], &a[1]);
    test_load_complex(dtype, expected, &b[0], &b[1]);
    if (!is_complex(dtype))
        return part_ulps(dtype, a[0], b[0], b[0]);
    double modulus = hypot(b[0], b[1]);
    double re = part_ulps(dtype, a[0], b[0], isfinite(modulus) ? modulus : b[0]);
    double im = part_ulps(dtype, a[1], b[1], isfinite(modulus) ? modulus : b[1]);
    return re > im ? re : im;
}

int64_t test_differs(int dtype, int64_t n, const void *got, const void *expected, double ulps)
{
    size_t item = garray_dtype_size((garray_dtype)dtype);
    for (int64_t i = 0; i < n; i++) {
        const char *a = (const char *)got + (size_t)i * item, *b = (const char *)expected + (size_t)i * item;
        if (memcmp(a, b, item) != 0 && !(test_ulps(dtype, a, b) <= ulps))
            return i;
    }
    return -1;
}

const char *test_text(int dtype, const void *element)
{
    static char texts[8][80];
    static int next;
    char *text = texts[next++ & 7];
    uint64_t word = 0;
    double re, im;
    test_load_complex(dtype, element, &re, &im);
    memcpy(&word, element, dtype <= GARRAY_UINT64 ? garray_dtype_size((garray_dtype)dtype) : 0);
    if (dtype == GARRAY_UINT64)
        snprintf(text, sizeof texts[0], "%" PRIu64, word);
    else if (dtype == GARRAY_INT64)
        snprintf(text, sizeof texts[0], "%" PRId64, (int64_t)word);
    else if (is_complex(dtype))
        snprintf(text, sizeof texts[0], "%.17g%+.17gj", re, im);
    else
        snprintf(text, sizeof texts[0], "%.17g", re);
    return text;
}
