/* SPDX-License-Identifier: BSD-3-Clause
 * A function that returns an array: it passes errors on, leaks nothing, and may write over its argument. */
#include <garray/garray.h>
#include <math.h>

static garray_status softmax(const garray_t *x, garray_t **out)
{
    GARRAY_AUTO garray_t *m = NULL, *e = NULL, *s = NULL;
    GARRAY_TRY(garray_max(x, GARRAY_AXES(-1), GARRAY_KW(reduce, .keepdims = true), &m));
    GARRAY_TRY(garray_subtract(x, m, &e));
    GARRAY_TRY(garray_exp(e, &e));
    GARRAY_TRY(garray_sum(e, GARRAY_AXES(-1), GARRAY_KW(reduce, .keepdims = true), &s));
    return garray_divide(e, s, out); /* out is touched last, so softmax(x, &x) is safe */
}

int main(int argc, char **argv)
{
    GARRAY_AUTO garray_t *x = NULL;
    garray_device device;
    double p[2][3];

    if (argc > 1 && !strcmp(argv[1], "--help"))
        return printf("usage: %s [cpu|cuda|cuda:1|auto]\nsoftmax as a function of its own.\n", argv[0]) < 0;
    GARRAY_CHECK(garray_device_parse(argc > 1 ? argv[1] : "cpu", &device));
    GARRAY_CHECK(garray_linspace(1, 6, 6, NULL, device, &x));
    GARRAY_CHECK(garray_log(x, &x));
    GARRAY_CHECK(garray_reshape(x, GARRAY_SHAPE(2, 3), &x));
    GARRAY_CHECK(softmax(x, &x)); /* [1 2 3] / 6 and [4 5 6] / 15 */
    GARRAY_CHECK(garray_print(x, NULL));
    GARRAY_CHECK(garray_to_host(x, p, NULL, sizeof p));
    for (int i = 0; i < 2; i++)
        for (int j = 0; j < 3; j++)
            if (!(fabs(p[i][j] - (3 * i + j + 1) / (i ? 15.0 : 6.0)) < 1e-14))
                return 1;
    return 0;
}
