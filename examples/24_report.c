/* SPDX-License-Identifier: BSD-3-Clause
 * Does the GPU pay? The same job on the CPU and on the chosen device: what each spends its time on, and whether both come
 * to the same result. The environment does so for any program, without a line of code: GARRAY_REPORT=1, GARRAY_SHADOW=cpu. */
#include <garray/garray.h>

enum { N = 600 };

/* Of data on the host to a number on the host: transfers count. */
static garray_status job(const float *data, garray_device device, double *result)
{
    GARRAY_AUTO garray_t *x = NULL, *gram = NULL, *w = NULL;
    GARRAY_TRY(garray_from_host(data, GARRAY_FLOAT32, GARRAY_SHAPE(N, N), NULL, device, &x));
    GARRAY_TRY(garray_matmul(GARRAY_MT(x), x, &gram));
    GARRAY_TRY(garray_tanh(gram, &gram));
    GARRAY_TRY(garray_softmax(gram, GARRAY_AXES(-1), &w));
    GARRAY_TRY(garray_square(w, &w));
    GARRAY_TRY(garray_sum(w, GARRAY_ALL_AXES, GARRAY_KW(reduce, .dtype = GARRAY_FLOAT64), &w));
    return garray_item(w, result);
}

/* Keeps whether the report names the operation that does most. */
static void show(void *ctx, const char *text, size_t length)
{
    *(bool *)ctx = strstr(text, "matmul") != NULL;
    fwrite(text, 1, length, stdout);
}

int main(int argc, char **argv)
{
    static float data[N * N];
    garray_device device;
    garray_rng rng = GARRAY_RNG(6);
    double here, there;
    bool named, named_too;

    if (argc > 1 && !strcmp(argv[1], "--help"))
        return printf("usage: %s [cpu|cuda|cuda:1|auto]\nReports of one job on two devices.\n", argv[0]) < 0;
    GARRAY_CHECK(garray_device_parse(argc > 1 ? argv[1] : "cpu", &device));
    {
        GARRAY_AUTO garray_t *x = NULL;
        GARRAY_CHECK(garray_random_normal(&rng, 0, 0.1, GARRAY_SHAPE(N, N), GARRAY_FLOAT32, GARRAY_CPU, &x));
        GARRAY_CHECK(garray_to_host(x, data, NULL, sizeof data));
    }
    GARRAY_CHECK(job(data, device, &there)); /* once before: the first call on a GPU starts it */

    GARRAY_CHECK(garray_report_begin());
    GARRAY_CHECK(job(data, GARRAY_CPU, &here));
    GARRAY_CHECK(garray_report_end(NULL, show, &named));
    GARRAY_CHECK(garray_report_begin());
    GARRAY_CHECK(job(data, device, &there));
    GARRAY_CHECK(garray_report_end(NULL, show, &named_too));

    double difference = here > there ? here - there : there - here;
    printf("results: %.9g and %.9g\n", here, there);
    return !(named && named_too && difference < 1e-5 * here);
}
