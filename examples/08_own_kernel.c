/* SPDX-License-Identifier: BSD-3-Clause
 * An own kernel between begin and end, the only source of raw pointers. */
#include <garray/garray.h>

/* x[i] = x[i - 1] / 2 + x[i], which no array function does in place. Of a GPU array ptr is a device address:
 * launch a kernel on the stream that garray_stream_native(NULL, device, &native) gives, between
 * the same calls. */
static garray_status smooth(garray_t *x)
{
    void *ptr;
    int64_t n = garray_len(x), step = garray_strides_of(x)[0];
    GARRAY_TRY(garray_begin(x, GARRAY_READ | GARRAY_WRITE, NULL, &ptr));
    for (int64_t i = 1; i < n; i++) {
        double *here = (double *)((char *)ptr + i * step);
        const double *before = (const double *)((const char *)ptr + (i - 1) * step);
        *here += *before / 2;
    }
    return garray_end(x, NULL);
}

int main(int argc, char **argv)
{
    GARRAY_AUTO garray_t *x = NULL, *host = NULL, *view = NULL;
    const double expected[6] = { 1, 1, 1.5, 1, 1.75, 1 };
    double got[6];
    garray_device device;

    if (argc > 1 && !strcmp(argv[1], "--help"))
        return printf("usage: %s [cpu|cuda|cuda:1|auto]\nA kernel of its own on an array.\n", argv[0]) < 0;
    GARRAY_CHECK(garray_device_parse(argc > 1 ? argv[1] : "cpu", &device));
    GARRAY_CHECK(garray_ones(GARRAY_SHAPE(6), GARRAY_FLOAT64, device, &x));
    GARRAY_CHECK(garray_to_device(x, GARRAY_CPU, &host)); /* on the CPU the same memory */
    GARRAY_CHECK(garray_getitem(host, GARRAY_AT(GARRAY_EVERY(2)), &view));
    GARRAY_CHECK(smooth(view));
    GARRAY_CHECK(garray_to_device(host, device, &x));
    GARRAY_CHECK(garray_print(x, NULL));
    GARRAY_CHECK(garray_to_host(x, got, NULL, sizeof got));
    return memcmp(got, expected, sizeof got) != 0;
}
