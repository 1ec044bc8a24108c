/* SPDX-License-Identifier: BSD-3-Clause
 * Inputs as numbers, edge values above all, and where arrays over given memory may be looked at. */
#ifndef GARRAY_TESTS_NUMBERS_H
#define GARRAY_TESTS_NUMBERS_H

#include "fuzz.h"

static struct {
    const uint8_t *at, *end;
} input;

static uint8_t next_byte(void)
{
    return input.at < input.end ? *input.at++ : 0;
}

static int64_t next_number(void)
{
    static const int64_t edges[] = { 0, 1, -1, 2, 3, 4, 7, 8, 63, 64, 65, INT32_MAX, INT32_MIN, INT64_MAX, INT64_MIN,
                                     INT64_C(1) << 32, INT64_C(1) << 58, INT64_C(1) << 62, -(INT64_C(1) << 58), 5, 6, -2 };
    const size_t n = sizeof edges / sizeof edges[0];
    uint8_t pick = next_byte();
    int64_t value = 0;
    if (pick < 200)
        return edges[pick % n];
    for (int i = 0; i < 8; i++)
        value = (int64_t)((uint64_t)value << 8 | next_byte());
    return value;
}

/* Whether all elements of x, whose first one is `low` bytes behind the start of the memory, lie in it. */
static int lies_inside(const garray_t *x, int64_t low, int64_t size)
{
    int64_t high = low + (int64_t)garray_dtype_size(garray_dtype_of(x));
    if (low < 0 || low > size || garray_size(x) > size)
        return 0;
    for (int i = 0; i < garray_ndim(x); i++) {
        int64_t n = garray_shape_of(x).v[i], step = garray_strides_of(x)[i], reach;
        if (n > 1 && (__builtin_mul_overflow(n - 1, step, &reach) || reach > 2 * size || reach < -2 * size))
            return 0;
        if (n > 1 && step < 0)
            low += (n - 1) * step;
        else if (n > 1)
            high += (n - 1) * step;
    }
    return low >= 0 && high <= size;
}

#endif
