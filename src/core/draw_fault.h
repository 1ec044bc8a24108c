/* SPDX-License-Identifier: BSD-3-Clause
 * What parameters of distributions must be, one text for C and CUDA, and NumPy's words for those that are not. */
#ifndef GARRAY_CORE_DRAW_FAULT_H
#define GARRAY_CORE_DRAW_FAULT_H

#include <math.h>
#include "core/backend.h"
#include "core/inline.h"

enum {
    GARRAY__RULE_NONE, GARRAY__RULE_ANY, GARRAY__RULE_NOT_NEGATIVE, GARRAY__RULE_POSITIVE, GARRAY__RULE_POSITIVE_NOT_NAN,
    GARRAY__RULE_FROM_0_TO_1, GARRAY__RULE_ABOVE_0_TO_1, GARRAY__RULE_FROM_0_BELOW_1, GARRAY__RULE_ABOVE_1,
    GARRAY__RULE_RATE, GARRAY__RULE_WEIGHT, GARRAY__RULE_WHOLE,
    GARRAY__RULE_COUNT, GARRAY__RULE_INTEGRAL
};

/* What is wrong: a parameter (0, 1, 2), or the parameters together. */
enum {
    GARRAY__FAULT_NONE, GARRAY__FAULT_FIRST, GARRAY__FAULT_TOGETHER = 4, GARRAY__FAULT_LEFT_MODE = 4, GARRAY__FAULT_MODE_RIGHT,
    GARRAY__FAULT_NO_BASE, GARRAY__FAULT_SAMPLE, GARRAY__FAULT_POPULATION, GARRAY__FAULT_MEAN, GARRAY__FAULT_SUM,
    GARRAY__FAULT_COLORS, GARRAY__FAULT_TOO_MANY, GARRAY__FAULT_LOW, GARRAY__FAULT_HIGH, GARRAY__FAULT_ORDER
};

/* The largest mean whose draws stay below 2^63. */
#define GARRAY__MOST_MEAN 9.223372006484771e18

GARRAY_FN int garray__rule_broken(int rule, double x)
{
    switch (rule) {
    case GARRAY__RULE_NOT_NEGATIVE: return x < 0;
    case GARRAY__RULE_POSITIVE: return x <= 0;
    case GARRAY__RULE_POSITIVE_NOT_NAN: return !(x > 0);
    case GARRAY__RULE_FROM_0_TO_1: return !(x >= 0 && x <= 1);
    case GARRAY__RULE_ABOVE_0_TO_1: return !(x > 0 && x <= 1);
    case GARRAY__RULE_FROM_0_BELOW_1: return !(x >= 0 && x < 1);
    case GARRAY__RULE_ABOVE_1: return !(x > 1);
    case GARRAY__RULE_RATE: return !(x >= 0 && x <= GARRAY__MOST_MEAN);
    case GARRAY__RULE_WEIGHT: return !(x >= 0 && x - x == 0);
    case GARRAY__RULE_COUNT: return !(x >= 0 && x <= GARRAY__MOST_MEAN && x == floor(x));
    case GARRAY__RULE_INTEGRAL: return x != floor(x);
    case GARRAY__RULE_WHOLE: return !(x >= -0x1p53 && x <= 0x1p53);
    default: return 0;
    }
}

/* Bounds of integers of a dtype; where it is negative, high is included. */
GARRAY_FN int garray__bounds_fault(double low, double high, int dtype)
{
    const int size = dtype < 0 ? -dtype : dtype;
    double least = -0x1p53, most = 0x1p53;
    const double last = dtype < 0 ? high : high - 1;
    switch (size) {
    case GARRAY_BOOL: least = 0, most = 1; break;
    case GARRAY_INT8: least = -0x1p7, most = 0x1p7 - 1; break;
    case GARRAY_INT16: least = -0x1p15, most = 0x1p15 - 1; break;
    case GARRAY_INT32: least = -0x1p31, most = 0x1p31 - 1; break;
    case GARRAY_UINT8: least = 0, most = 0x1p8 - 1; break;
    case GARRAY_UINT16: least = 0, most = 0x1p16 - 1; break;
    case GARRAY_UINT32: least = 0, most = 0x1p32 - 1; break;
    case GARRAY_UINT64: least = 0; break;
    default: break;
    }
    if (low < least || low > most)
        return GARRAY__FAULT_LOW;
    return last > most ? GARRAY__FAULT_HIGH : low > last ? GARRAY__FAULT_ORDER : GARRAY__FAULT_NONE;
}

/* A GARRAY__FAULT_...: FIRST + i for parameter i. */
GARRAY_FN int garray__draw_fault(int kind, double a, double b, double c)
{
    int fault = GARRAY__FAULT_NONE;
    switch (kind) {
#define GARRAY_DRAW(number, name, family, result, rule_a, name_a, rule_b, name_b, rule_c, name_c) \
    case number:                                                                                  \
        fault = garray__rule_broken(GARRAY__RULE_##rule_a, a)   ? GARRAY__FAULT_FIRST             \
                : garray__rule_broken(GARRAY__RULE_##rule_b, b) ? GARRAY__FAULT_FIRST + 1         \
                : garray__rule_broken(GARRAY__RULE_##rule_c, c) ? GARRAY__FAULT_FIRST + 2         \
                                                                : GARRAY__FAULT_NONE;             \
        break;
#include "core/draws.def"
#undef GARRAY_DRAW
    default: break;
    }
    if (fault)
        return fault;
    switch (kind) {
    case GARRAY_RANDOM_triangular:
        return a > b ? GARRAY__FAULT_LEFT_MODE : b > c ? GARRAY__FAULT_MODE_RIGHT : a == c ? GARRAY__FAULT_NO_BASE : 0;
    case GARRAY_RANDOM_hypergeometric:
        if (!(a < 1e9 && b < 1e9))
            return GARRAY__FAULT_POPULATION;
        return !(a >= 0 && b >= 0 && c >= 0 && a + b >= c) ? GARRAY__FAULT_SAMPLE : 0;
    case GARRAY_RANDOM_integers_between: return garray__bounds_fault(a, b, (int)c);
    case GARRAY_RANDOM_negative_binomial: {
        const double mean = (1 - b) / b * a;
        return mean + 10 * sqrt(mean) > GARRAY__MOST_MEAN ? GARRAY__FAULT_MEAN : 0;
    }
    default: return 0;
    }
}

#ifndef __CUDACC__      /* the texts are for the host */
#include <stdio.h>

static inline const char *garray__fault_name(int kind, int i)
{
    switch (kind) {
#define GARRAY_DRAW(number, name, family, result, rule_a, name_a, rule_b, name_b, rule_c, name_c) \
    case number: return i == 0 ? name_a : i == 1 ? name_b : name_c;
#include "core/draws.def"
#undef GARRAY_DRAW
    default: return "a parameter";
    }
}

static inline int garray__fault_rule(int kind, int i)
{
    switch (kind) {
#define GARRAY_DRAW(number, name, family, result, rule_a, name_a, rule_b, name_b, rule_c, name_c) \
    case number: return i == 0 ? GARRAY__RULE_##rule_a : i == 1 ? GARRAY__RULE_##rule_b : GARRAY__RULE_##rule_c;
#include "core/draws.def"
#undef GARRAY_DRAW
    default: return GARRAY__RULE_NONE;
    }
}

/* In text, which has GARRAY__FAULT_TEXT bytes; value: that of the parameter, where it is known. */
#define GARRAY__FAULT_TEXT 128
static inline const char *garray__fault_text(int kind, int fault, double value, char *text)
{
    const char *form = "%s is out of range";
    switch (fault) {
    case GARRAY__FAULT_LEFT_MODE: return "left > mode";
    case GARRAY__FAULT_MODE_RIGHT: return "mode > right";
    case GARRAY__FAULT_NO_BASE: return "left == right";
    case GARRAY__FAULT_SAMPLE: return "ngood, nbad or nsample < 0, or ngood + nbad < nsample";
    case GARRAY__FAULT_POPULATION: return "both ngood and nbad must be less than 1000000000";
    case GARRAY__FAULT_MEAN: return "n too large or p too small";
    case GARRAY__FAULT_SUM: return "sum(pvals[:-1]) > 1.0";
    case GARRAY__FAULT_COLORS: return "nsample > sum(colors)";
    case GARRAY__FAULT_LOW: return "low is out of bounds for the dtype";
    case GARRAY__FAULT_HIGH: return "high is out of bounds for the dtype";
    case GARRAY__FAULT_ORDER: return "low >= high";
    case GARRAY__FAULT_TOO_MANY: return "sum(colors) must be less than 1000000000";
    default: break;
    }
    const int i = fault - GARRAY__FAULT_FIRST;
    switch (garray__fault_rule(kind, i)) {
    case GARRAY__RULE_NOT_NEGATIVE: form = "%s < 0"; break;
    case GARRAY__RULE_POSITIVE: form = "%s <= 0"; break;
    case GARRAY__RULE_POSITIVE_NOT_NAN: form = "%s <= 0 or %s is NaN"; break;
    case GARRAY__RULE_FROM_0_TO_1: form = "%s < 0, %s > 1 or %s is NaN"; break;
    case GARRAY__RULE_ABOVE_0_TO_1: form = "%s <= 0, %s > 1 or %s is NaN"; break;
    case GARRAY__RULE_FROM_0_BELOW_1: form = "%s < 0, %s >= 1 or %s is NaN"; break;
    case GARRAY__RULE_ABOVE_1: form = "%s <= 1 or %s is NaN"; break;
    case GARRAY__RULE_RATE: form = value > 0 ? "%s value too large" : "%s < 0 or %s is NaN"; break;
    case GARRAY__RULE_COUNT: form = "%s < 0, or %s is no whole number below 2^63"; break;
    case GARRAY__RULE_INTEGRAL: form = "%s is no whole number"; break;
    case GARRAY__RULE_WHOLE: form = "%s is beyond 2^53, or NaN"; break;
    case GARRAY__RULE_WEIGHT: form = "Probabilities are not non-negative, or their sum is 0 or not finite"; break;
    default: break;
    }
    const char *name = garray__fault_name(kind, i);
    snprintf(text, GARRAY__FAULT_TEXT, form, name, name, name);
    return text;
}
#endif

#endif
