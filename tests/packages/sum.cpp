// SPDX-License-Identifier: BSD-3-Clause
// The same from C++, by the functions of C and by garray.hpp: results come from arrays of float32 and a scalar.
#include <cstdio>
#include <garray/garray.hpp>

static int by_c(double *total)
{
    GARRAY_AUTO garray_t *x = nullptr, *s = nullptr;
    GARRAY_CHECK(garray_ones(GARRAY_SHAPE(3, 5), GARRAY_FLOAT32, GARRAY_CPU, &x));
    GARRAY_CHECK(garray_multiply(x, 2.5f, &x));
    GARRAY_CHECK(garray_sum(x, GARRAY_ALL_AXES, nullptr, &s));
    GARRAY_CHECK(garray_item(s, total));
    return 0;
}

int main()
{
    double total = 0;
    if (by_c(&total))
        return 1;
    const double again = garray::sum(garray::ones({ 3, 5 }, garray::float32) * 2.5f).item<double>();
    if (total != 37.5 || again != total) {
        std::fprintf(stderr, "sums are %g and %g\n", total, again);
        return 1;
    }
    return 0;
}
