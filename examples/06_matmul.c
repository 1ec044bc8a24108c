/* SPDX-License-Identifier: BSD-3-Clause
 * Products as einsum writes them, by matmul, transposed operands, broadcasting and vecdot. */
#include <garray/garray.h>

/* The sum of all elements, on the host. */
static garray_status total(const garray_t *x, double *value)
{
    GARRAY_AUTO garray_t *s = NULL;
    GARRAY_TRY(garray_sum(x, GARRAY_ALL_AXES, NULL, &s));
    return garray_item(s, value);
}

int main(int argc, char **argv)
{
    GARRAY_AUTO garray_t *a = NULL, *b = NULL, *c = NULL, *column = NULL;
    double sum[4];
    garray_device device;

    if (argc > 1 && !strcmp(argv[1], "--help"))
        return printf("usage: %s [cpu|cuda|cuda:1|auto]\nMatrix products.\n", argv[0]) < 0;
    GARRAY_CHECK(garray_device_parse(argc > 1 ? argv[1] : "cpu", &device));
    GARRAY_CHECK(garray_arange(0, 24, 1, GARRAY_FLOAT64, device, &a));
    GARRAY_CHECK(garray_reshape(a, GARRAY_SHAPE(2, 3, 4), &a));
    GARRAY_CHECK(garray_getitem(a, GARRAY_AT(0), &b));            /* b = a[0] */

    GARRAY_CHECK(garray_matmul(a, GARRAY_MT(a), &c));             /* einsum("bij,bkj->bik", a, a) */
    GARRAY_CHECK(total(c, &sum[0]));
    GARRAY_CHECK(garray_matmul(a, GARRAY_MT(b), &c));             /* einsum("bij,kj->bik", a, b) */
    GARRAY_CHECK(total(c, &sum[1]));
    GARRAY_CHECK(garray_vecdot(a, b, -1, &c));                    /* einsum("bij,ij->bi", a, b) */
    GARRAY_CHECK(total(c, &sum[2]));
    GARRAY_CHECK(garray_getitem(b, GARRAY_AT(GARRAY_ALL, 1, GARRAY_NEWAXIS), &column));
    GARRAY_CHECK(garray_multiply(column, GARRAY_MT(column), &c)); /* einsum("i,j->ij", b[:, 1], b[:, 1]) */
    GARRAY_CHECK(total(c, &sum[3]));
    GARRAY_CHECK(garray_print(c, NULL));
    return !(sum[0] == 12204 && sum[1] == 4644 && sum[2] == 1804 && sum[3] == 225);
}
