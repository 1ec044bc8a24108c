/* SPDX-License-Identifier: BSD-3-Clause
 * Reading data: a table from the program, through a .npy file that NumPy reads too, to sums by column. */
#include <garray/garray.h>

int main(int argc, char **argv)
{
    GARRAY_AUTO garray_t *table = NULL, *loaded = NULL, *price = NULL, *amount = NULL, *value = NULL;
    const char *path = argc > 2 ? argv[2] : "07_reading.npy";
    const struct { float price, amount; } rows[3] = { { 1.5f, 4 }, { 2.25f, 8 }, { 10, 0.5f } };
    float result;
    garray_device device;

    if (argc > 1 && !strcmp(argv[1], "--help"))
        return printf("usage: %s [cpu|cuda|cuda:1|auto]\nReads a .npy file.\n", argv[0]) < 0;
    GARRAY_CHECK(garray_device_parse(argc > 1 ? argv[1] : "cpu", &device));
    GARRAY_CHECK(garray_from_host(rows, GARRAY_FLOAT32, GARRAY_SHAPE(3, 2), NULL, device, &table));
    GARRAY_CHECK(garray_save(path, table));

    GARRAY_CHECK(garray_load(path, device, &loaded));
    if (garray_ndim(loaded) != 2 || garray_shape_of(loaded).v[1] != 2 ||
        garray_dtype_of(loaded) != GARRAY_FLOAT32)
        return 1;
    GARRAY_CHECK(garray_getitem(loaded, GARRAY_AT(GARRAY_ALL, 0), &price));
    GARRAY_CHECK(garray_getitem(loaded, GARRAY_AT(GARRAY_ALL, 1), &amount));
    GARRAY_CHECK(garray_vecdot(price, amount, -1, &value));
    GARRAY_CHECK(garray_item(value, &result));
    printf("%s: %d rows of %s worth %g\n", path, (int)garray_len(loaded),
           garray_dtype_name(garray_dtype_of(loaded)), (double)result);
    return remove(path) != 0 || result != 29.0f;
}
