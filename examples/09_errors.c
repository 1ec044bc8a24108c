/* SPDX-License-Identifier: BSD-3-Clause
 * Errors: a status to decide by, a message for people, and everything left as it was. */
#include <garray/garray.h>

int main(int argc, char **argv)
{
    GARRAY_AUTO garray_t *a = NULL, *b = NULL, *c = NULL;
    garray_device device, gpu;
    garray_status status;
    int count;

    if (argc > 1 && !strcmp(argv[1], "--help"))
        return printf("usage: %s [cpu|cuda|cuda:1|auto]\nWhat errors look like.\n", argv[0]) < 0;
    /* A device that is not there is no reason to stop. */
    status = garray_device_parse("cuda:63", &gpu);
    if (status == GARRAY_ERR_NO_DEVICE)
        printf("going on without: %s\n", garray_error_message());
    GARRAY_CHECK(garray_device_count(GARRAY_DEVICE_CUDA, &count)); /* 0 where there is none: no error */

    GARRAY_CHECK(garray_device_parse(argc > 1 ? argv[1] : "cpu", &device));
    GARRAY_CHECK(garray_ones(GARRAY_SHAPE(3, 4), GARRAY_FLOAT64, device, &a));
    GARRAY_CHECK(garray_ones(GARRAY_SHAPE(5), GARRAY_FLOAT64, device, &b));
    GARRAY_CHECK(garray_ones(GARRAY_SHAPE(1), GARRAY_FLOAT64, device, &c));
    const garray_t *before = c;

    status = garray_add(a, b, &c);
    printf("%s: %s\n", garray_status_name(status), garray_error_message());
    if (status != GARRAY_ERR_SHAPE || c != before || !strstr(garray_error_message(), "(3,4)"))
        return 1;

    status = garray_sum(a, GARRAY_AXES(0, 2), NULL, &c);
    printf("%s: %s\n", garray_status_name(status), garray_error_message());
    if (status != GARRAY_ERR_AXIS || c != before)
        return 1;

    status = garray_bitwise_and(a, 1, &c);
    printf("%s: %s\n", garray_status_name(status), garray_error_message());
    return status != GARRAY_ERR_DTYPE || c != before;
}
