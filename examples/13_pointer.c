/* SPDX-License-Identifier: BSD-3-Clause
 * Arrays over memory of your own: nothing is copied, both sides see every change, and a function of yours is told when
 * the last array over the memory has gone. */
#include <garray/garray.h>
#include <stdlib.h>

enum { ROWS = 3, COLUMNS = 4, COUNT = ROWS * COLUMNS };

struct samples {
    double *data;
    int given_back;
};

/* Called once, by the thread that releases the last array over the memory. */
static void give_back(void *ctx)
{
    struct samples *own = (struct samples *)ctx;
    free(own->data);
    own->given_back = 1;
}

/* An array of the samples; they must stay where they are until give_back() is called. */
static garray_status wrap(struct samples *own, garray_t **out)
{
    GARRAY_AUTO garray_t *flat = NULL;
    GARRAY_TRY(garray_frombuffer(own->data, COUNT * sizeof *own->data, GARRAY_FLOAT64, NULL, give_back, own, &flat));
    return garray_reshape(flat, GARRAY_SHAPE(ROWS, COLUMNS), out); /* a view: still the same memory */
}

int main(int argc, char **argv)
{
    GARRAY_AUTO garray_t *x = NULL, *there = NULL, *total = NULL;
    struct samples own = { (double *)malloc(COUNT * sizeof(double)), 0 };
    double result[COUNT], sum;
    garray_device device;

    if (argc > 1 && !strcmp(argv[1], "--help"))
        return printf("usage: %s [cpu|cuda|cuda:1|auto]\nWraps memory of the program in an array.\n", argv[0]) < 0;
    if (!own.data)
        return 1;
    for (int i = 0; i < COUNT; i++)
        own.data[i] = i;
    GARRAY_CHECK(garray_device_parse(argc > 1 ? argv[1] : "cpu", &device));
    GARRAY_CHECK(wrap(&own, &x));

    GARRAY_CHECK(garray_multiply(x, 2, garray_into(x))); /* x *= 2 writes into own.data */
    if (own.data[5] != 10)
        return 1;
    own.data[5] = 100; /* and x sees what the program writes */
    GARRAY_CHECK(garray_sum(x, GARRAY_ALL_AXES, NULL, &total));
    GARRAY_CHECK(garray_item(total, &sum));
    printf("the sum of the program's own samples: %g\n", sum);
    if (sum != 132 - 10 + 100)
        return 1;

    /* A GPU does not reach this memory: to_device copies there, to_host back. On the CPU `there` is another handle of x. */
    GARRAY_CHECK(garray_to_device(x, device, &there));
    GARRAY_CHECK(garray_negative(there, &there));
    GARRAY_CHECK(garray_to_host(there, result, NULL, sizeof result));
    for (int i = 0; i < COUNT; i++)
        if (result[i] != -own.data[i])
            return 1;

    garray_release(x);
    x = NULL;
    printf("given back: %s\n", own.given_back ? "yes" : "no");
    return !own.given_back;
}
