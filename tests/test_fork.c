/* SPDX-License-Identifier: BSD-3-Clause
 * Forked children: after the parent's threads have run, while they run, and of a process that uses a GPU. A child that
 * hangs is ended by an alarm and counts as failed. */
#include <pthread.h>
#include <stdatomic.h>
#include <sys/wait.h>
#include <unistd.h>
#include "test.h"

enum { SIDE = 300, N = 1 << 20, PATIENCE = 60 };

/* Work of each kind on a device, large enough for several threads; the results go to one number. */
static garray_status work(garray_device device, double *result)
{
    GARRAY_AUTO garray_t *x = NULL, *y = NULL, *m = NULL, *at = NULL, *sum = NULL;
    garray_rng rng = GARRAY_RNG(5);
    double a, b, c;
    GARRAY_TRY(garray_random_uniform(&rng, 0, 1, GARRAY_SHAPE(N), GARRAY_FLOAT32, device, &x));
    GARRAY_TRY(garray_exp(x, &y));
    GARRAY_TRY(garray_sum(y, GARRAY_ALL_AXES, GARRAY_KW(reduce, .dtype = GARRAY_FLOAT64), &sum));
    GARRAY_TRY(garray_item(sum, &a));
    GARRAY_TRY(garray_getitem(x, GARRAY_AT(GARRAY_TO(SIDE * SIDE)), &m));
    GARRAY_TRY(garray_reshape(m, GARRAY_SHAPE(SIDE, SIDE), &m));
    GARRAY_TRY(garray_matmul(m, GARRAY_MT(m), &y));
    GARRAY_TRY(garray_max(y, GARRAY_ALL_AXES, NULL, &sum));
    GARRAY_TRY(garray_item(sum, &b));
    GARRAY_TRY(garray_argsort(x, -1, NULL, &at));
    GARRAY_TRY(garray_take(x, at, GARRAY_AXES(0), &y));
    GARRAY_TRY(garray_cumulative_sum(y, GARRAY_AXES(0), NULL, &y));
    GARRAY_TRY(garray_getitem(y, GARRAY_AT(N / 2), &y));
    GARRAY_TRY(garray_item(y, &c));
    *result = a + b + c;
    return GARRAY_OK;
}

/* Waits for a child; its exit code, or 1000 plus the signal that ended it. */
static int finish(pid_t child)
{
    int status = 0;
    if (child < 0 || waitpid(child, &status, 0) != child)
        return -1;
    return WIFEXITED(status) ? WEXITSTATUS(status) : 1000 + WTERMSIG(status);
}

/* A child that does `work` on the CPU: 0 where it gets the expected number within a relative 1e-6 (BLAS may use another
 * number of threads). */
static pid_t child_that_works(double expected)
{
    pid_t child = fork();
    if (child)
        return child;
    double got = 0;
    alarm(PATIENCE);
    if (work(GARRAY_CPU, &got) != GARRAY_OK)
        _exit(1);
    _exit(fabs(got - expected) <= 1e-6 * fabs(expected) ? 0 : 2);
}

Test(fork, after_threads, .timeout = 300)
{
    double expected = 0, again = 0;
    garray_device device = test_device();
    TEST_OK(garray_set_num_threads(3));
    TEST_OK(work(device, &expected));
    TEST_OK(work(GARRAY_CPU, &expected));
    for (int i = 0; i < 3; i++) {
        test_context("child %d", i);
        int code = finish(child_that_works(expected));
        TEST_EXPECT(code == 0, "the child ends with %d", code);
    }
    /* grandchildren; and a child that ends by exit(), with its handlers */
    pid_t child = fork();
    if (child == 0) {
        alarm(PATIENCE);
        double got;
        if (work(GARRAY_CPU, &got) != GARRAY_OK)
            _exit(1);
        _exit(finish(child_that_works(expected)));
    }
    int code = finish(child);
    TEST_EXPECT(code == 0, "the child with a child ends with %d", code);
    child = fork();
    if (child == 0) {
        alarm(PATIENCE);
        _exit(garray_set_num_threads(2) == GARRAY_OK && work(GARRAY_CPU, &again) == GARRAY_OK && garray_num_threads() == 2 ? 0
                                                                                                                           : 1);
    }
    code = finish(child);
    TEST_EXPECT(code == 0, "the child with another number of threads ends with %d", code);
    TEST_OK(work(GARRAY_CPU, &again));
    TEST_EXPECT(again == expected, "the parent computes %.17g, not %.17g", again, expected);
    TEST_OK(work(device, &again));
}

static atomic_bool stop;

static void *work_until_stopped(void *failed)
{
    double first = 0, got = 0;
    if (work(GARRAY_CPU, &first) != GARRAY_OK)
        *(bool *)failed = true;
    while (!atomic_load(&stop))
        if (work(GARRAY_CPU, &got) != GARRAY_OK || fabs(got - first) > 1e-6 * fabs(first))
            *(bool *)failed = true;
    return NULL;
}

/* Children made while other threads are in the middle of a call. */
Test(fork, during_work, .timeout = 300)
{
    double expected = 0;
    pthread_t threads[2];
    bool failed[2] = { false, false };
    TEST_OK(garray_set_num_threads(2));
    TEST_OK(work(GARRAY_CPU, &expected));
    for (int i = 0; i < 2; i++)
        cr_assert(pthread_create(&threads[i], NULL, work_until_stopped, &failed[i]) == 0);
    for (int i = 0; i < 12; i++) {
        test_context("child %d", i);
        usleep(3000);
        int code = finish(child_that_works(expected));
        if (!TEST_EXPECT(code == 0, "the child ends with %d", code))
            break;
    }
    atomic_store(&stop, true);
    for (int i = 0; i < 2; i++) {
        pthread_join(threads[i], NULL);
        TEST_EXPECT(!failed[i], "a thread of the parent failed");
    }
}

/* In the child of a process that used a GPU each call on that is an error, and its arrays can be released. */
Test(fork, of_a_gpu_process, .timeout = 300)
{
    if (!test_on_gpu())
        return;
    garray_t *x = NULL, *y = NULL;
    double expected = 0;
    TEST_OK(garray_ones(GARRAY_SHAPE(1000), GARRAY_FLOAT32, test_device(), &x));
    TEST_OK(work(GARRAY_CPU, &expected));
    pid_t child = fork();
    if (child == 0) {
        double got;
        float one;
        alarm(PATIENCE);
        if (garray_add(x, 1, &y) != GARRAY_ERR_FORKED)
            _exit(1);
        if (garray_zeros(GARRAY_SHAPE(3), GARRAY_FLOAT32, test_device(), &y) != GARRAY_ERR_FORKED)
            _exit(2);
        if (garray_to_host(x, &one, NULL, 4000) != GARRAY_ERR_FORKED || garray_synchronize(test_device()) != GARRAY_ERR_FORKED)
            _exit(3);
        garray_release(x);
        if (work(GARRAY_CPU, &got) != GARRAY_OK)
            _exit(4);
        _exit(finish(child_that_works(expected)) ? 5 : 0);
    }
    int code = finish(child);
    TEST_EXPECT(code == 0, "the child ends with %d", code);
    TEST_OK(garray_add(x, 1, &y));
    TEST_OK(garray_synchronize(test_device()));
    garray_release(x);
    garray_release(y);
}
