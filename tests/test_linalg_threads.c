/* SPDX-License-Identifier: BSD-3-Clause
 * Products and decompositions from several threads at once, each on a stream of its own: the bits of each call are those
 * of one thread alone.  OpenBLAS has given wrong products beside LAPACK calls of other threads, so products are among them
 * all the time; small and large matrices take different ways. */
#include <pthread.h>
#include <stdatomic.h>
#include "test.h"

enum { THREADS = 4, CALLS = 10, SIZES = 3, DTYPES = 4, OUTS = 3 };

static const int64_t sizes[SIZES] = { 7, 33, 100 };
static const garray_dtype dtypes[DTYPES] = { GARRAY_FLOAT64, GARRAY_COMPLEX64, GARRAY_FLOAT32, GARRAY_COMPLEX128 };

typedef struct problem {
    garray_t *a, *b, *tall, *definite;
    void *expected[CALLS][OUTS];
    size_t bytes[CALLS][OUTS];
} problem;

static problem problems[SIZES][DTYPES];

static garray_status call(const problem *p, int which, garray_t *out[OUTS])
{
    switch (which) {
    case 0: return garray_matmul(p->tall, p->a, &out[0]);
    case 1: return garray_linalg_solve(p->a, p->b, &out[0]);
    case 2: return garray_linalg_svd(p->tall, GARRAY_KW(svd, .reduced = 1), &out[0], &out[1], &out[2]);
    case 3: return garray_matmul(GARRAY_MT(p->tall), p->tall, &out[0]);
    case 4: return garray_linalg_eigh(p->definite, NULL, &out[0], &out[1]);
    case 5: return garray_linalg_inv(p->a, &out[0]);
    case 6: return garray_linalg_qr(p->tall, NULL, &out[0], &out[1]);
    case 7: return garray_matmul(p->a, GARRAY_MH(p->a), &out[0]);
    case 8: return garray_linalg_cholesky(p->definite, NULL, &out[0]);
    default: return garray_linalg_eig(p->a, &out[0], &out[1]);
    }
}

static void *bytes_of(const garray_t *x, size_t *bytes)
{
    *bytes = (size_t)garray_nbytes(x);
    void *data = malloc(*bytes + 1);
    if (data && garray_to_host(x, data, NULL, *bytes) == GARRAY_OK)
        return data;
    free(data);
    return NULL;
}

static void release(garray_t *out[OUTS])
{
    for (int i = 0; i < OUTS; i++) {
        garray_release(out[i]);
        out[i] = NULL;
    }
}

static bool draw(garray_rng *rng, int64_t m, int64_t n, garray_dtype dtype, garray_t **out)
{
    garray_t *imaginary = NULL;
    bool good = TEST_OK(garray_random_normal(rng, 0, 1, GARRAY_SHAPE(m, n), GARRAY_FLOAT64, test_device(), out));
    if (dtype == GARRAY_COMPLEX64 || dtype == GARRAY_COMPLEX128)
        good = good && TEST_OK(garray_random_normal(rng, 0, 1, GARRAY_SHAPE(m, n), GARRAY_FLOAT64, test_device(), &imaginary))
               && TEST_OK(garray_multiply(garray_operand_array(imaginary), garray_operand_complex(0, 1), &imaginary))
               && TEST_OK(garray_add(*out, imaginary, out));
    garray_release(imaginary);
    return good && TEST_OK(garray_astype(*out, dtype, out));
}

static bool prepare(problem *p, int64_t n, garray_dtype dtype)
{
    garray_rng rng = GARRAY_RNG((uint64_t)n);
    garray_t *out[OUTS] = { NULL };
    bool good = draw(&rng, n, n, dtype, &p->a) && draw(&rng, n, 3, dtype, &p->b) && draw(&rng, n + 13, n, dtype, &p->tall)
                && TEST_OK(garray_matmul(GARRAY_MH(p->tall), p->tall, &p->definite));
    for (int c = 0; good && c < CALLS; c++) {
        test_context("call %d of %d x %d %s", c, (int)n, (int)n, garray_dtype_name(dtype));
        good = TEST_OK(call(p, c, out));
        for (int i = 0; good && i < OUTS; i++)
            if (out[i])
                p->expected[c][i] = bytes_of(out[i], &p->bytes[c][i]);
        release(out);
    }
    return good;
}

typedef struct worker {
    pthread_t thread;
    int number, rounds;
    garray_status status;
    int call, size, dtype;      /* what differs; call is -1 if nothing does */
    char message[200];
} worker;

static bool same(const problem *p, int which, worker *me)
{
    garray_t *out[OUTS] = { NULL };
    bool good = true;
    me->status = call(p, which, out);
    for (int i = 0; me->status == GARRAY_OK && i < OUTS; i++) {
        size_t bytes = 0;
        void *got = out[i] ? bytes_of(out[i], &bytes) : NULL;
        good = good && bytes == p->bytes[which][i] && (!got || memcmp(got, p->expected[which][i], bytes) == 0);
        free(got);
    }
    if (me->status != GARRAY_OK)
        snprintf(me->message, sizeof me->message, "%s", garray_error_message());
    release(out);
    return good && me->status == GARRAY_OK;
}

static void *work(void *arg)
{
    worker *me = arg;
    garray_stream *stream = NULL, *old = NULL;
    const bool streams = test_device().type != GARRAY_DEVICE_CPU;
    me->call = -1;
    if (streams && (garray_stream_new(test_device(), &stream) != GARRAY_OK
                    || garray_stream_swap(stream, test_device(), &old) != GARRAY_OK)) {
        me->call = CALLS;
        return NULL;
    }
    /* another call, size and dtype in each thread */
    for (int i = 0; i < me->rounds * CALLS * SIZES * DTYPES && me->call < 0; i++) {
        const int which = (i + 3 * me->number) % CALLS, size = (i / CALLS + me->number) % SIZES, dtype = (i + i / 7) % DTYPES;
        if (!same(&problems[size][dtype], which, me)) {
            me->call = which;
            me->size = size;
            me->dtype = dtype;
        }
    }
    if (streams) {
        if (garray_stream_swap(old, test_device(), NULL) != GARRAY_OK)
            me->call = CALLS;
        garray_stream_free(stream);
    }
    return NULL;
}

Test(linalg_threads, the_same_bits, .timeout = 280)
{
    worker workers[THREADS];
    bool good = true;
    for (int s = 0; s < SIZES; s++)
        for (int d = 0; d < DTYPES; d++)
            good = good && prepare(&problems[s][d], sizes[s], dtypes[d]);
    if (!good)
        return;
    test_context("%d threads", THREADS);
    for (int t = 0; t < THREADS; t++) {
        workers[t] = (worker){ .number = t, .rounds = 1 };
        TEST_EXPECT(pthread_create(&workers[t].thread, NULL, work, &workers[t]) == 0, "no thread");
    }
    for (int t = 0; t < THREADS; t++) {
        pthread_join(workers[t].thread, NULL);
        TEST_EXPECT(workers[t].call < 0, "thread %d: call %d of %d x %d %s: %s", t, workers[t].call, (int)sizes[workers[t].size],
                    (int)sizes[workers[t].size], garray_dtype_name(dtypes[workers[t].dtype]),
                    workers[t].status == GARRAY_OK ? "other bits" : workers[t].message);
    }
    for (int s = 0; s < SIZES; s++)
        for (int d = 0; d < DTYPES; d++) {
            problem *p = &problems[s][d];
            for (int c = 0; c < CALLS; c++)
                for (int i = 0; i < OUTS; i++)
                    free(p->expected[c][i]);
            garray_release(p->a);
            garray_release(p->b);
            garray_release(p->tall);
            garray_release(p->definite);
        }
}
