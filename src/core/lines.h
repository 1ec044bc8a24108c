/* SPDX-License-Identifier: BSD-3-Clause
 * The line between two points, for both backends: NumPy's interp, whose formula also copes with infinite values. */
#ifndef GARRAY__LINES_H
#define GARRAY__LINES_H

#include <stdint.h>
#include "core/inline.h"

/* How many of n ascending points are not above v. */
GARRAY_FN int64_t garray__points_below(const double *points, int64_t n, double v)
{
    int64_t low = 0, left = n;
    while (left > 0) {
        const int64_t half = left / 2;
        const int below = points[low + half] <= v;
        low = below ? low + half + 1 : low;
        left = below ? left - half - 1 : half;
    }
    return low;
}

/* At v between the points p and q, which have the values a and b: by the first point, or by the second one where that is
 * not a number. */
GARRAY_FN double garray__line_at(double v, double p, double q, double a, double b, double slope)
{
    double y = slope * (v - p) + a;
    if (y != y) {
        y = slope * (v - q) + b;
        if (y != y && a == b)
            y = a;
    }
    return y;
}

/* Part `part` (of `parts`, one after the other in values) of the value at v; below: how many points are not above it. */
GARRAY_FN double garray__lines_at(const double *points, const double *values, int64_t n, int parts, int part, double v,
                                  int64_t below, const double *left, const double *right)
{
    if (n > 1 && v != v)
        return part ? 0 : v;
    if (v > points[n - 1])
        return right ? right[part] : values[(n - 1) * parts + part];
    if (below == 0 && v == v)
        return left ? left[part] : values[part];
    const int64_t j = below > 0 ? below - 1 : 0;    /* NaN beside a single point takes its value, as in NumPy */
    const double a = values[j * parts + part];
    if (j == n - 1 || points[j] == v)
        return a;
    const double p = points[j], q = points[j + 1], b = values[(j + 1) * parts + part];
    const double slope = parts == 1 ? (b - a) / (q - p) : (b - a) * (1.0 / (q - p));
    return garray__line_at(v, p, q, a, b, slope);
}

#endif
