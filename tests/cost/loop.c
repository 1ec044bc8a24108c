/* SPDX-License-Identifier: BSD-3-Clause
 * A loop of small calls in C, which check_cost counts; loop.cpp is the same in C++. */
#include <garray/garray.h>
#include <stdlib.h>

int main(int argc, char **argv)
{
    const int n = argc > 1 ? atoi(argv[1]) : 1;
    GARRAY_AUTO garray_t *x = NULL, *y = NULL;
    GARRAY_CHECK(garray_ones(GARRAY_SHAPE(8, 8), GARRAY_FLOAT32, GARRAY_CPU, &x));
    GARRAY_CHECK(garray_copy(x, &y));
    for (int i = 0; i < n; i++) {
        GARRAY_AUTO garray_t *z = NULL, *row = NULL, *total = NULL;
        GARRAY_CHECK(garray_add(x, y, &z));
        GARRAY_CHECK(garray_multiply(z, 0.5, &z));
        GARRAY_CHECK(garray_add(x, 1, garray_into(x)));
        GARRAY_CHECK(garray_getitem(z, GARRAY_AT(GARRAY_RANGE(1, 3), 0), &row));
        GARRAY_CHECK(garray_sum(row, GARRAY_AXES(-1), NULL, &total));
        GARRAY_CHECK(garray_setitem(x, GARRAY_AT(0), total));
    }
    return 0;
}
