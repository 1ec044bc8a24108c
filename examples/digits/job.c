/* SPDX-License-Identifier: BSD-3-Clause
 * The job: standardize, find the principal components, classify by the nearest neighbours, count the confusions. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include "digits.h"

const char *const stage_names[STAGES] = {
    "read and transfer in", "enlarge with noise", "standardize", "principal components", "nearest neighbours",
    "confusion matrix", "transfer out",
};

enum { BATCH_DISTANCES = 1 << 25 };     /* distances held at once */

static double now_ms(void)
{
    struct timespec t;
    clock_gettime(CLOCK_MONOTONIC, &t);
    return 1e3 * (double)t.tv_sec + 1e-6 * (double)t.tv_nsec;
}

/* Ends a stage: waits for the device, so that the time is that of the work and not of its launch. */
static garray_status end_stage(struct outcome *o, int stage, garray_device device, double *since)
{
    GARRAY_TRY(garray_synchronize(device));
    double now = now_ms();
    o->stage_ms[stage] += now - *since;
    *since = now;
    return GARRAY_OK;
}

/* x repeated `scale` times, each copy but the first with noise of half a grey level; labels likewise. */
static garray_status enlarge(int64_t scale, garray_rng *rng, garray_t **x, garray_t **labels)
{
    GARRAY_AUTO garray_t *copies = NULL, *noise = NULL, *wide = NULL, *many = NULL, *first = NULL;
    int64_t n = garray_len(*x), features = garray_shape_of(*x).v[1];
    garray_device device = garray_device_of(*x);
    if (scale == 1)
        return GARRAY_OK;
    GARRAY_TRY(garray_random_normal(rng, 0, 0.5, GARRAY_SHAPE(scale, n, features), GARRAY_FLOAT32, device, &noise));
    GARRAY_TRY(garray_getitem(noise, GARRAY_AT(0), &first));
    GARRAY_TRY(garray_multiply(first, 0, garray_into(first)));
    GARRAY_TRY(garray_add(noise, *x, &copies));
    GARRAY_TRY(garray_reshape(copies, GARRAY_SHAPE(scale * n, features), x));
    GARRAY_TRY(garray_broadcast_to(*labels, GARRAY_SHAPE(scale, n), &wide));
    GARRAY_TRY(garray_reshape(wide, GARRAY_SHAPE(scale * n), &many));
    return garray_move(&many, labels);
}

/* Zero mean and comparable spread, as the training part has it.  A grey level is added to the deviations, so that
 * pixels that are almost always white do not count as much as the others. */
static garray_status standardize(garray_t **train, garray_t **test)
{
    GARRAY_AUTO garray_t *mean = NULL, *spread = NULL;
    GARRAY_TRY(garray_mean(*train, GARRAY_AXES(0), NULL, &mean));
    GARRAY_TRY(garray_std(*train, GARRAY_AXES(0), NULL, &spread));
    GARRAY_TRY(garray_add(spread, 1, &spread));
    GARRAY_TRY(garray_subtract(*train, mean, train));
    GARRAY_TRY(garray_divide(*train, spread, train));
    GARRAY_TRY(garray_subtract(*test, mean, test));
    return garray_divide(*test, spread, test);
}

/* Both parts in the coordinates of the largest principal components of the training part. */
static garray_status project(garray_t **train, garray_t **test)
{
    GARRAY_AUTO garray_t *wide = NULL, *covariance = NULL, *values = NULL, *vectors = NULL, *axes = NULL, *axes32 = NULL;
    GARRAY_TRY(garray_astype(*train, GARRAY_FLOAT64, &wide));
    GARRAY_TRY(garray_matmul(GARRAY_MT(wide), wide, &covariance));
    GARRAY_TRY(garray_divide(covariance, (double)garray_len(*train), &covariance));
    GARRAY_TRY(garray_linalg_eigh(covariance, NULL, &values, &vectors));
    /* eigenvalues ascend: the last columns, the largest first */
    GARRAY_TRY(garray_getitem(vectors, GARRAY_AT(GARRAY_ALL, GARRAY_STEP(-1, -1 - COMPONENTS, -1)), &axes));
    GARRAY_TRY(garray_astype(axes, GARRAY_FLOAT32, &axes32));
    GARRAY_TRY(garray_matmul(*train, axes32, train));
    return garray_matmul(*test, axes32, test);
}

/* The sums of squares of the rows. */
static garray_status squared_norms(const garray_t *x, bool as_column, garray_t **out)
{
    GARRAY_AUTO garray_t *squares = NULL;
    GARRAY_TRY(garray_square(x, &squares));
    return garray_sum(squares, GARRAY_AXES(1), GARRAY_KW(reduce, .keepdims = as_column), out);
}

/* The class that most of the k nearest training points of each test point have; the smaller one if two tie. */
static garray_status classify(const garray_t *train, const garray_t *classes, const garray_t *test, int64_t k, garray_t **out)
{
    GARRAY_AUTO garray_t *norms = NULL, *own = NULL, *part = NULL, *distance = NULL, *nearest = NULL, *near_class = NULL,
                         *digits = NULL, *is_class = NULL, *votes = NULL, *winner = NULL, *result = NULL;
    int64_t n = garray_len(test), batch = BATCH_DISTANCES / garray_len(train);
    garray_device device = garray_device_of(test);
    batch = batch < 1 ? 1 : batch > n ? n : batch;
    GARRAY_TRY(squared_norms(train, false, &norms));
    GARRAY_TRY(garray_arange(0, CLASSES, 1, GARRAY_UINT8, device, &digits));
    GARRAY_TRY(garray_empty(GARRAY_SHAPE(n), GARRAY_INT64, device, &result));
    for (int64_t i = 0; i < n; i += batch) {
        int64_t end = i + batch < n ? i + batch : n;
        GARRAY_TRY(garray_getitem(test, GARRAY_AT(GARRAY_RANGE(i, end)), &part));
        GARRAY_TRY(squared_norms(part, true, &own));
        GARRAY_TRY(garray_matmul(part, GARRAY_MT(train), &distance));           /* |a|^2 - 2 a b + |b|^2 */
        GARRAY_TRY(garray_multiply(distance, -2, &distance));
        GARRAY_TRY(garray_add(distance, norms, &distance));
        GARRAY_TRY(garray_add(distance, own, &distance));
        GARRAY_TRY(garray_top_k(distance, k, 1, GARRAY_KW(topk, .smallest = 1), NULL, &nearest));
        GARRAY_TRY(garray_take(classes, nearest, GARRAY_AXES(0), &near_class));
        GARRAY_TRY(garray_expand_dims(near_class, GARRAY_AXES(-1), &near_class));
        GARRAY_TRY(garray_equal(near_class, digits, &is_class));                /* (batch, k, 10) */
        GARRAY_TRY(garray_count_nonzero(is_class, GARRAY_AXES(1), NULL, &votes));
        GARRAY_TRY(garray_argmax(votes, GARRAY_AXES(1), NULL, &winner));
        GARRAY_TRY(garray_setitem(result, GARRAY_AT(GARRAY_RANGE(i, end)), winner));
    }
    return garray_move(&result, out);
}

/* counts[t, p]: test images of class t taken for p, as a product of indicator matrices. */
static garray_status confusion(const garray_t *truth, const garray_t *predicted, garray_t **out)
{
    GARRAY_AUTO garray_t *digits = NULL, *t = NULL, *p = NULL, *t1 = NULL, *p1 = NULL;
    GARRAY_TRY(garray_arange(0, CLASSES, 1, GARRAY_UINT8, garray_device_of(truth), &digits));
    GARRAY_TRY(garray_expand_dims(truth, GARRAY_AXES(-1), &t));
    GARRAY_TRY(garray_expand_dims(predicted, GARRAY_AXES(-1), &p));
    GARRAY_TRY(garray_equal(t, digits, &t1));
    GARRAY_TRY(garray_equal(p, digits, &p1));
    GARRAY_TRY(garray_astype(t1, GARRAY_FLOAT64, &t));
    GARRAY_TRY(garray_astype(p1, GARRAY_FLOAT64, &p));
    GARRAY_TRY(garray_matmul(GARRAY_MT(t), p, &t1));
    return garray_astype(t1, GARRAY_INT64, out);
}

static garray_status load(const struct options *options, const char *name, garray_device device, garray_t **out)
{
    char path[4096];
    snprintf(path, sizeof path, "%s/%s", options->data, name);
    return garray_load(path, device, out);
}

/* Every fourth image is for the test, the others for training. */
static garray_status split(const garray_t *x, garray_t **train, garray_t **test)
{
    GARRAY_AUTO garray_t *index = NULL, *rest = NULL, *is_test = NULL, *is_train = NULL;
    GARRAY_TRY(garray_arange(0, garray_len(x), 1, GARRAY_INT64, garray_device_of(x), &index));
    GARRAY_TRY(garray_remainder(index, 4, &rest));
    GARRAY_TRY(garray_equal(rest, 3, &is_test));
    GARRAY_TRY(garray_logical_not(is_test, &is_train));
    GARRAY_TRY(garray_getitem(x, GARRAY_AT(is_train), train));
    return garray_getitem(x, GARRAY_AT(is_test), test);
}

/* Keeps the report's last line, its sentence on what limits the program. */
static void keep_limit(void *limit, const char *text, size_t length)
{
    while (length > 0 && text[length - 1] == '\n')
        length--;
    size_t begin = length;
    while (begin > 0 && text[begin - 1] != '\n')
        begin--;
    snprintf(limit, sizeof ((struct outcome *)0)->limit, "%.*s", (int)(length - begin), text + begin);
}

static garray_status fetch(const garray_t *x, void *to)
{
    return garray_to_host(x, to, NULL, (size_t)garray_nbytes(x));
}

static garray_status run(const struct options *options, garray_device device, struct outcome *o)
{
    GARRAY_AUTO garray_t *x = NULL, *labels = NULL, *train = NULL, *test = NULL, *train_labels = NULL, *test_labels = NULL,
                         *predicted = NULL, *counts = NULL, *map = NULL, *plane = NULL;
    garray_rng rng = GARRAY_RNG(1797);
    double begin = now_ms(), since = begin;
    garray_memory_info memory;

    GARRAY_TRY(load(options, "digits_images.npy", device, &x));
    GARRAY_TRY(load(options, "digits_labels.npy", device, &labels));
    GARRAY_TRY(garray_astype(x, GARRAY_FLOAT32, &x));
    GARRAY_TRY(end_stage(o, STAGE_TRANSFER_IN, device, &since));

    GARRAY_TRY(enlarge(options->scale, &rng, &x, &labels));
    GARRAY_TRY(split(x, &train, &test));
    GARRAY_TRY(split(labels, &train_labels, &test_labels));
    GARRAY_TRY(end_stage(o, STAGE_ENLARGE, device, &since));

    GARRAY_TRY(standardize(&train, &test));
    GARRAY_TRY(end_stage(o, STAGE_STANDARDIZE, device, &since));

    GARRAY_TRY(project(&train, &test));
    GARRAY_TRY(end_stage(o, STAGE_PCA, device, &since));

    GARRAY_TRY(classify(train, train_labels, test, options->k, &predicted));
    GARRAY_TRY(end_stage(o, STAGE_NEIGHBOURS, device, &since));

    GARRAY_TRY(confusion(test_labels, predicted, &counts));
    GARRAY_TRY(end_stage(o, STAGE_CONFUSION, device, &since));

    GARRAY_TRY(garray_getitem(test, GARRAY_AT(GARRAY_ALL, GARRAY_TO(2)), &plane));
    GARRAY_TRY(garray_copy(plane, &map));
    o->ntest = garray_len(test);
    o->ntrain = garray_len(train);
    o->predicted = malloc((size_t)garray_nbytes(predicted));
    o->map = malloc((size_t)garray_nbytes(map));
    o->label = malloc((size_t)garray_nbytes(test_labels));
    if (!o->predicted || !o->map || !o->label)
        return GARRAY_ERR_NOMEM;
    GARRAY_TRY(fetch(predicted, o->predicted));
    GARRAY_TRY(fetch(map, o->map));
    GARRAY_TRY(fetch(test_labels, o->label));
    GARRAY_TRY(fetch(counts, o->confusion));
    GARRAY_TRY(end_stage(o, STAGE_TRANSFER_OUT, device, &since));
    o->total_ms = now_ms() - begin;

    int64_t right = 0;
    for (int i = 0; i < CLASSES; i++)
        right += o->confusion[i * CLASSES + i];
    o->accuracy = (double)right / (double)o->ntest;
    GARRAY_TRY(garray_memory_stats(device, &memory));
    o->peak_bytes = memory.peak_bytes;
    return GARRAY_OK;
}

garray_status digits_run(const struct options *options, garray_device device, struct outcome *outcome)
{
    struct outcome warm = { 0 };
    struct options small = *options;
    small.scale = 1;
    /* once at the smallest size, so that libraries and kernels are loaded when the clock starts; then once with the
     * report, which makes calls slower; then the run that counts */
    garray_status st = run(&small, device, &warm);
    digits_free(&warm);
    if (st == GARRAY_OK)
        st = garray_report_begin();
    if (st != GARRAY_OK)
        return st;
    memset(&warm, 0, sizeof warm);
    st = run(options, device, &warm);
    garray_status ended = garray_report_end(NULL, keep_limit, outcome->limit);
    digits_free(&warm);
    if (st == GARRAY_OK)
        st = ended;
    if (st == GARRAY_OK)
        st = garray_memory_reset_peak(device);
    if (st == GARRAY_OK)
        st = run(options, device, outcome);
    return st;
}

void digits_free(struct outcome *outcome)
{
    free(outcome->predicted);
    free(outcome->map);
    free(outcome->label);
    outcome->predicted = NULL;
    outcome->map = NULL;
    outcome->label = NULL;
}
