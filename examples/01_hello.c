/* SPDX-License-Identifier: BSD-3-Clause
 * Hello, array: standardize the columns of a table, with keywords. Run it with "cpu", "cuda" or "auto". */
#include <garray/garray.h>
#include <math.h>

int main(int argc, char **argv)
{
    GARRAY_AUTO garray_t *x = NULL, *mean = NULL, *dev = NULL, *z = NULL, *total = NULL;
    garray_device device;
    double value;

    if (argc > 1 && !strcmp(argv[1], "--help"))
        return printf("usage: %s [cpu|cuda|cuda:1|auto]\nStandardizes the columns of a table.\n", argv[0]) < 0;
    GARRAY_CHECK(garray_device_parse(argc > 1 ? argv[1] : "cpu", &device));
    GARRAY_CHECK(garray_arange(0, 12, 1, GARRAY_FLOAT64, device, &x));
    GARRAY_CHECK(garray_reshape(x, GARRAY_SHAPE(4, -1), &x));

    /* z = (x - x.mean(0, keepdims=True)) / x.std(0, ddof=1, keepdims=True) */
    GARRAY_CHECK(garray_mean(x, GARRAY_AXES(0), GARRAY_KW(reduce, .keepdims = true), &mean));
    GARRAY_CHECK(garray_std(x, GARRAY_AXES(0),
                            GARRAY_KW(var, .keepdims = true, .correction = GARRAY_VAL(1)), &dev));
    GARRAY_CHECK(garray_subtract(x, mean, &z));
    GARRAY_CHECK(garray_divide(z, dev, &z));
    GARRAY_CHECK(garray_print(z, GARRAY_KW(print, .precision = GARRAY_VAL(3))));

    /* The squares of each of the 3 columns sum to n - 1 = 3. */
    GARRAY_CHECK(garray_square(z, &z));
    GARRAY_CHECK(garray_sum(z, GARRAY_ALL_AXES, NULL, &total));
    GARRAY_CHECK(garray_item(total, &value));
    return fabs(value - 9.0) > 1e-12;
}
