/* SPDX-License-Identifier: BSD-3-Clause
 * DLPack: an array handed over and taken back without a copy. */
#include <garray/garray.h>

int main(int argc, char **argv)
{
    GARRAY_AUTO garray_t *x = NULL, *y = NULL, *total = NULL;
    struct DLManagedTensorVersioned *tensor = NULL;
    garray_device device;
    int64_t value;

    if (argc > 1 && !strcmp(argv[1], "--help"))
        return printf("usage: %s [cpu|cuda|cuda:1|auto]\nAn array handed over by DLPack.\n", argv[0]) < 0;
    GARRAY_CHECK(garray_device_parse(argc > 1 ? argv[1] : "cpu", &device));
    GARRAY_CHECK(garray_zeros(GARRAY_SHAPE(3, 2), GARRAY_INT32, device, &x));

    /* Hand the tensor to another library. Here we are that library: on success it belongs to y. */
    GARRAY_CHECK(garray_to_dlpack(x, NULL, &tensor));
    GARRAY_CHECK(garray_from_dlpack(tensor, GARRAY_KW(dlpack, .copy = GARRAY_COPY_NEVER), &y));

    /* Both see the same memory. */
    GARRAY_CHECK(garray_setitem(y, GARRAY_AT(GARRAY_ALL, 1), 7));
    GARRAY_CHECK(garray_sum(x, GARRAY_ALL_AXES, NULL, &total));
    GARRAY_CHECK(garray_item(total, &value));
    GARRAY_CHECK(garray_print(x, NULL));
    return value != 21;
}
