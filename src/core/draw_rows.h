/* SPDX-License-Identifier: BSD-3-Clause
 * Rows of counts that share a total, one text for C and CUDA: each number by its distribution given those before it.
 * Number j of row r has the source of element r * row + j. */
#ifndef GARRAY_CORE_DRAW_ROWS_H
#define GARRAY_CORE_DRAW_ROWS_H

#include "core/draw_count.h"
#include "core/draw_fault.h"

/* A float64 count as int64. */
GARRAY_FN int64_t d_count(double x)
{
    return x >= 9223372036854775807.0 ? INT64_MAX : x > -9223372036854775808.0 ? (int64_t)x : x == x ? INT64_MIN : 0;
}

/* n: the total (multinomial) or the size of the sample; p: probabilities or numbers of each color. */
GARRAY_FN int garray__row_fault(int kind, double n, const double *p, int64_t row)
{
    double sum = 0;
    for (int64_t j = 0; j < row; j++) {
        const int fault = garray__draw_fault(kind, n, p[j], 0);
        if (fault)
            return fault;
        if (kind == GARRAY_RANDOM_multinomial && j == row - 1)
            break;
        sum += p[j];
    }
    if (kind == GARRAY_RANDOM_multinomial)
        return sum > 1.0 + 1e-12 ? GARRAY__FAULT_SUM : garray__draw_fault(kind, n, 0, 0);
    return n > sum ? GARRAY__FAULT_COLORS : sum >= 1e9 ? GARRAY__FAULT_TOO_MANY : garray__draw_fault(kind, n, 0, 0);
}

/* out: the row.  block: that of its first number. */
GARRAY_LONG_FN void garray__row_draw(int kind, garray__source *s, double n, const double *p, int64_t row, int64_t *out)
{
    const uint64_t block = s->block;
    double left = n, rest = 1.0;
    if (kind != GARRAY_RANDOM_multinomial) {
        rest = 0.0;
        for (int64_t j = 0; j < row; j++)
            rest += p[j];
    }
    for (int64_t j = 0; j < row; j++) {
        double x = left;
        s->block = block + (uint64_t)j;
        s->attempt = 0;
        if (j < row - 1) {
            if (kind == GARRAY_RANDOM_multinomial)
                x = p[j] > 0 ? garray__binomial_of(s, left, p[j] < rest ? p[j] / rest : 1.0) : 0.0;
            else
                x = left > 0 ? garray__hypergeometric_of(s, p[j], rest - p[j], left) : 0.0;
            rest -= p[j];
            left -= x;
        }
        out[j] = d_count(x);
    }
}

#endif
