/* SPDX-License-Identifier: BSD-3-Clause
 * Masks: select, count, replace and reduce where a condition holds. */
#include <garray/garray.h>

int main(int argc, char **argv)
{
    GARRAY_AUTO garray_t *x = NULL, *mask = NULL, *odd = NULL, *n = NULL, *sum = NULL, *y = NULL;
    garray_device device;
    int64_t count, odd_sum, top;

    if (argc > 1 && !strcmp(argv[1], "--help"))
        return printf("usage: %s [cpu|cuda|cuda:1|auto]\nMasks.\n", argv[0]) < 0;
    GARRAY_CHECK(garray_device_parse(argc > 1 ? argv[1] : "cpu", &device));
    GARRAY_CHECK(garray_arange(-4, 6, 1, GARRAY_DTYPE_DEFAULT, device, &x));      /* -4 ... 5 */

    GARRAY_CHECK(garray_remainder(x, 2, &mask));
    GARRAY_CHECK(garray_equal(mask, 1, &mask));                                   /* mask = x % 2 == 1 */
    GARRAY_CHECK(garray_getitem(x, GARRAY_AT(mask), &odd));                       /* odd = x[mask] */
    GARRAY_CHECK(garray_print(odd, NULL));                                        /* [-3 -1  1  3  5] */

    GARRAY_CHECK(garray_count_nonzero(mask, GARRAY_ALL_AXES, NULL, &n));
    GARRAY_CHECK(garray_item(n, &count));
    GARRAY_CHECK(garray_sum(x, GARRAY_ALL_AXES, GARRAY_KW(reduce, .where = GARRAY_VAL(mask)), &sum));
    GARRAY_CHECK(garray_item(sum, &odd_sum));

    GARRAY_CHECK(garray_less(x, 0, &mask));
    GARRAY_CHECK(garray_setitem(x, GARRAY_AT(mask), 0));                          /* x[x < 0] = 0 */
    GARRAY_CHECK(garray_greater(x, 3, &mask));
    GARRAY_CHECK(garray_where(mask, x, -1, &y));                                  /* where(x > 3, x, -1) */
    GARRAY_CHECK(garray_clip(y, GARRAY_NONE, 4, &y));
    GARRAY_CHECK(garray_sum(y, GARRAY_ALL_AXES, NULL, &sum));
    GARRAY_CHECK(garray_item(sum, &top));                                     /* 8 * -1 + 4 + 4 */
    return !(count == 5 && garray_size(odd) == 5 && odd_sum == 5 && top == 0);
}
