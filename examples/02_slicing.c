/* SPDX-License-Identifier: BSD-3-Clause
 * Slicing and assigning: views, writing through them, and NumPy's slice text. */
#include <garray/garray.h>

int main(int argc, char **argv)
{
    GARRAY_AUTO garray_t *x = NULL, *v = NULL, *b = NULL;
    const int64_t expected[3][4] = { { 13, 12, 11, 10 }, { 104, 105, 106, -1 }, { 108, 109, 110, -1 } };
    int64_t got[3][4];
    garray_device device;

    if (argc > 1 && !strcmp(argv[1], "--help"))
        return printf("usage: %s [cpu|cuda|cuda:1|auto]\nSlices, views and assignment through them.\n", argv[0]) < 0;
    GARRAY_CHECK(garray_device_parse(argc > 1 ? argv[1] : "cpu", &device));
    GARRAY_CHECK(garray_arange(0, 12, 1, GARRAY_INT64, device, &x));
    GARRAY_CHECK(garray_reshape(x, GARRAY_SHAPE(3, 4), &x));

    GARRAY_CHECK(garray_arange(10, 14, 1, GARRAY_INT64, device, &b));
    GARRAY_CHECK(garray_setitem(x, GARRAY_AT(0, GARRAY_REVERSED), b));            /* x[0, ::-1] = b */

    GARRAY_CHECK(garray_getitem(x, GARRAY_AT(GARRAY_FROM(1), GARRAY_TO(-1)), &v)); /* v = x[1:, :-1] */
    GARRAY_CHECK(garray_add(v, 100, garray_into(v)));                             /* v += 100, seen in x */

    GARRAY_CHECK(garray_setitem_text(x, "1:, -1", -1));                           /* x[1:, -1] = -1 */
    GARRAY_CHECK(garray_print(x, NULL));

    GARRAY_CHECK(garray_to_host(x, got, NULL, sizeof got));
    return memcmp(got, expected, sizeof got) != 0;
}
