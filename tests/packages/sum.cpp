// SPDX-License-Identifier: BSD-3-Clause
// The same from C++: results come from arrays of float32 and a scalar.
#include <garray/garray.h>
#include <cstdio>

int main()
{
    GARRAY_AUTO garray_t *x = nullptr, *s = nullptr;
    double total = 0;
    GARRAY_CHECK(garray_ones(GARRAY_SHAPE(3, 5), GARRAY_FLOAT32, GARRAY_CPU, &x));
    GARRAY_CHECK(garray_multiply(x, 2.5f, &x));
    GARRAY_CHECK(garray_sum(x, GARRAY_ALL_AXES, nullptr, &s));
    GARRAY_CHECK(garray_item(s, &total));
    if (total != 37.5) {
        std::fprintf(stderr, "sum is %g\n", total);
        return 1;
    }
    return 0;
}
