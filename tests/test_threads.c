/* SPDX-License-Identifier: BSD-3-Clause
 * Several threads in the library at once: each works on arrays of its own and reads shared ones, while another one
 * turns what is global.  The values are those of one thread alone; under the thread sanitizer, no races. */
#include <pthread.h>
#include <sched.h>
#include <stdatomic.h>
#include "test.h"

enum { THREADS = 4, MOST_THREADS = 64, ROUNDS = 10, RESULTS = 16 };

typedef struct shared {
    garray_t *x, *matrix, *index, *mask;    /* read by all */
    int64_t n, side;            /* elements of x; rows and columns of the matrix */
    double expected[RESULTS];
    atomic_int running;
    atomic_int lines;           /* of the log */
} shared;

/* One result of each kind of work; they depend on the seed in the random draw alone. */
static garray_status work(const shared *s, double result[RESULTS])
{
    GARRAY_AUTO garray_t *y = NULL, *z = NULL, *w = NULL, *one = NULL;
    const garray_operand in[2] = { garray_operand_array(s->x), garray_operand_double(0.5) };
    garray_ufunc_opts opts = { .where = garray_operand_array(s->mask) };
    garray_t **slot = &w;
    garray_rng rng = GARRAY_RNG(9);
    garray_device device = garray_device_of(s->x);
    const int64_t n = s->n;
    int r = 0;
#define RESULT(expression) do { GARRAY_TRY(expression); GARRAY_TRY(garray_item(one, &result[r++])); } while (0)
    GARRAY_TRY(garray_add(s->x, 1, &y));
    GARRAY_TRY(garray_exp(y, &y));
    RESULT(garray_sum(y, GARRAY_ALL_AXES, NULL, &one));
    RESULT(garray_max(y, GARRAY_AXES(0), NULL, &one));
    GARRAY_TRY(garray_ufunc(GARRAY_OP_multiply, 2, in, &opts, 1, &slot));
    RESULT(garray_sum(w, GARRAY_ALL_AXES, NULL, &one));
    RESULT(garray_var(s->x, GARRAY_ALL_AXES, NULL, &one));
    GARRAY_TRY(garray_sort(s->x, 0, GARRAY_KW(sort, .descending = 1), &z));
    RESULT(garray_getitem(z, GARRAY_AT(n / 3), &one));
    GARRAY_TRY(garray_take(s->x, s->index, GARRAY_AXES(0), &z));
    GARRAY_TRY(garray_cumulative_sum(z, GARRAY_AXES(0), NULL, &z));
    RESULT(garray_getitem(z, GARRAY_AT(-1), &one));
    GARRAY_TRY(garray_getitem(s->x, GARRAY_AT(s->mask), &z));
    RESULT(garray_sum(z, GARRAY_ALL_AXES, NULL, &one));
    GARRAY_TRY(garray_setitem(y, GARRAY_AT(GARRAY_STEP(0, n, 7)), 2));
    RESULT(garray_sum(y, GARRAY_ALL_AXES, NULL, &one));
    GARRAY_TRY(garray_argsort(s->x, 0, NULL, &z));
    GARRAY_TRY(garray_setitem(y, GARRAY_AT(z), s->x));
    RESULT(garray_sum(y, GARRAY_ALL_AXES, NULL, &one));
    GARRAY_TRY(garray_top_k(s->x, 50, 0, NULL, &z, NULL));
    RESULT(garray_sum(z, GARRAY_ALL_AXES, NULL, &one));
    GARRAY_TRY(garray_nonzero(s->mask, 1, &z));
    RESULT(garray_sum(z, GARRAY_ALL_AXES, NULL, &one));
    GARRAY_TRY(garray_sum(s->matrix, GARRAY_AXES(0), NULL, &z));
    RESULT(garray_max(z, GARRAY_ALL_AXES, NULL, &one));
    GARRAY_TRY(garray_copy(s->matrix, &y));
    GARRAY_TRY(garray_permute_dims(y, GARRAY_AXES(1, 0), &z));
    GARRAY_TRY(garray_astype(z, GARRAY_COMPLEX64, &z));
    GARRAY_TRY(garray_abs(z, &z));
    RESULT(garray_sum(z, GARRAY_ALL_AXES, NULL, &one));
    GARRAY_TRY(garray_random_normal(&rng, 0, 1, GARRAY_SHAPE(n), GARRAY_FLOAT64, device, &z));
    RESULT(garray_max(z, GARRAY_ALL_AXES, NULL, &one));
    GARRAY_TRY(garray_argmax(z, GARRAY_ALL_AXES, NULL, &one));
    GARRAY_TRY(garray_item(one, &result[r++]));
    GARRAY_TRY(garray_linspace(0, 1, n, NULL, device, &z));
    RESULT(garray_mean(z, GARRAY_ALL_AXES, NULL, &one));
#undef RESULT
    return r == RESULTS ? GARRAY_OK : GARRAY_ERR_INTERNAL;
}

/* BLAS may use another number of threads each time. */
static bool multiplies(const shared *s)
{
    GARRAY_AUTO garray_t *y = NULL, *one = NULL;
    double got = 0;
    return garray_matmul(s->matrix, GARRAY_MT(s->matrix), &y) == GARRAY_OK
           && garray_getitem(y, GARRAY_AT(3, 3), &one) == GARRAY_OK && garray_item(one, &got) == GARRAY_OK
           && fabs(got - (double)s->side) < 1e-3;
}

typedef struct worker {
    pthread_t thread;
    shared *shared;
    int rounds;
    const char *failed;
    garray_status status;
} worker;

static void *run(void *arg)
{
    worker *me = arg;
    shared *s = me->shared;
    double got[RESULTS];
    for (int i = 0; i < me->rounds && !me->failed; i++) {
        garray_t *handle = garray_retain(s->x), *none = NULL;
        me->status = work(s, got);
        if (me->status != GARRAY_OK)
            me->failed = "a call";
        else if (memcmp(got, s->expected, sizeof got) != 0)
            me->failed = "values differ";
        else if (!multiplies(s))
            me->failed = "matmul";
        else if (garray_add(handle, none, &none) != GARRAY_ERR_INVALID
                 || strncmp(garray_error_message(), "garray_add: ", 12) != 0)
            me->failed = "the error of this thread";
        garray_release(handle);
    }
    atomic_fetch_sub(&s->running, 1);
    return NULL;
}

static void count_line(void *ctx, garray_log_level level, const char *line)
{
    (void)level;
    if (line)
        atomic_fetch_add((atomic_int *)ctx, 1);
}

static void receive(void *ctx, const char *text, size_t length)
{
    *(bool *)ctx = text && length > 0;
}

/* What is global, again and again: threads, statistics, the report, the log, streams, strict mode. */
static const char *meddle(shared *s)
{
    garray_device device = garray_device_of(s->x);
    const char *failed = NULL;
    for (int i = 0; atomic_load(&s->running) > 0 && !failed; i++) {
        garray_memory_info info;
        bool received = false;
        garray_set_log(i % 2 ? count_line : NULL, &s->lines);
        garray_set_strict(i % 5 == 0);
        if (garray_set_num_threads(1 + i % 4) != GARRAY_OK || garray_num_threads() < 1)
            failed = "set_num_threads";
        else if (garray_memory_stats(device, &info) != GARRAY_OK || info.live_bytes <= 0)
            failed = "memory_stats";
        else if (garray_memory_reset_peak(device) != GARRAY_OK || (i % 3 == 0 && garray_memory_trim(device) != GARRAY_OK))
            failed = "memory_trim";
        else if (garray_report_begin() != GARRAY_OK || garray_synchronize(device) != GARRAY_OK
                 || garray_report_end(NULL, receive, &received) != GARRAY_OK || !received)
            failed = "report";
        sched_yield();
    }
    garray_set_log(NULL, NULL);
    garray_set_strict(false);
    return failed;
}

/* The shared arrays, and what one thread makes of them. */
static void open_shared(shared *s, int64_t n, int64_t side)
{
    garray_device device = test_device();
    garray_rng rng = GARRAY_RNG(4);
    *s = (shared){ .n = n, .side = side };
    TEST_OK(garray_random_uniform(&rng, -1, 1, GARRAY_SHAPE(n), GARRAY_FLOAT32, device, &s->x));
    TEST_OK(garray_ones(GARRAY_SHAPE(side, side), GARRAY_FLOAT32, device, &s->matrix));
    TEST_OK(garray_random_integers(&rng, 0, (int)n, GARRAY_SHAPE(n), NULL, device, &s->index));
    TEST_OK(garray_greater(s->x, 0.25, &s->mask));
    TEST_OK(garray_set_num_threads(1));
    cr_assert(work(s, s->expected) == GARRAY_OK, "%s", garray_error_message());
}

static void close_shared(shared *s)
{
    TEST_OK(garray_set_num_threads(0));
    garray_release(s->x);
    garray_release(s->matrix);
    garray_release(s->index);
    garray_release(s->mask);
}

/* One caller at a time, the work shared among the library's threads. */
Test(threads, of_the_library, .timeout = 280)
{
    test_mark mark = test_memory();
    shared s;
    double got[RESULTS];
    open_shared(&s, 1 << 20, 1000);
    for (int n = 2; n <= 5; n++) {
        test_context("%d threads", n);
        TEST_OK(garray_set_num_threads(n));
        TEST_OK(work(&s, got));
        TEST_EXPECT(memcmp(got, s.expected, sizeof got) == 0, "values differ from those of one thread");
        TEST_EXPECT(multiplies(&s), "matmul is wrong");
    }
    close_shared(&s);
    TEST_NO_LEAK(mark);
}

static void many_callers(int64_t n, int64_t side, int threads, int rounds)
{
    test_mark mark = test_memory();
    shared s;
    worker w[MOST_THREADS];
    open_shared(&s, n, side);
    atomic_store(&s.running, threads);
    for (int i = 0; i < threads; i++) {
        w[i] = (worker){ .shared = &s, .rounds = rounds };
        cr_assert(pthread_create(&w[i].thread, NULL, run, &w[i]) == 0);
    }
    const char *failed = meddle(&s);
    TEST_EXPECT(!failed, "the thread that turns settings: %s: %s", failed, garray_error_message());
    for (int i = 0; i < threads; i++) {
        pthread_join(w[i].thread, NULL);
        TEST_EXPECT(!w[i].failed, "thread %d: %s, %s", i, w[i].failed, garray_status_name(w[i].status));
    }
    close_shared(&s);
    TEST_NO_LEAK(mark);
}

Test(threads, of_the_program, .timeout = 280) { many_callers(60000, 300, THREADS, ROUNDS); }

/* Many more threads than processors; GARRAY_TEST_ROUNDS in the environment has them go on for longer. */
Test(threads, sixty_four, .timeout = 280)
{
    const char *rounds = getenv("GARRAY_TEST_ROUNDS");
    many_callers(3000, 40, MOST_THREADS, rounds ? atoi(rounds) : 2);
}
