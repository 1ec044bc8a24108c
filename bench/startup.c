/* SPDX-License-Identifier: BSD-3-Clause
 * From nothing to a first result: one addition on a device, its result on the host.  To be timed as a whole process
 * (bench/startup.py). */
#include <garray/garray.h>

int main(int argc, char **argv)
{
    GARRAY_AUTO garray_t *x = NULL, *y = NULL, *first = NULL;
    garray_device device;
    double value;
    GARRAY_CHECK(garray_device_parse(argc > 1 ? argv[1] : "cpu", &device));
    GARRAY_CHECK(garray_ones(GARRAY_SHAPE(1000), GARRAY_FLOAT32, device, &x));
    GARRAY_CHECK(garray_add(x, x, &y));
    GARRAY_CHECK(garray_getitem(y, GARRAY_AT(7), &first));
    GARRAY_CHECK(garray_item(first, &value));
    return value != 2;
}
