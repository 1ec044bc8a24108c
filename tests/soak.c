/* SPDX-License-Identifier: BSD-3-Clause
 * Random programs (programs.h) without end: see tools/soak. */
#include <signal.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>
#include "programs.h"

enum { JOBS = 256 };

typedef struct shared {
    atomic_llong next, done;    /* programs */
    atomic_bool stop;
} shared;

static double now(void)
{
    struct timespec t;
    clock_gettime(CLOCK_MONOTONIC, &t);
    return (double)t.tv_sec + 1e-9 * (double)t.tv_nsec;
}

/* Program i: every second one with a failing call, in each of the three ways. */
static const char *run(uint64_t seed, long long i)
{
    program_opts opts = { .seed = seed + (uint64_t)i };
    int64_t calls;
    const char *wrong = program_run(&opts, &calls);
    if (wrong || i % 2 == 0 || calls < 1)
        return wrong;
    opts.fail_at = 1 + (int64_t)((uint64_t)i * UINT64_C(2654435761) % (uint64_t)calls);
    opts.for_ever = i % 6 > 1;
    opts.sticky = i % 6 > 3;
    return program_run(&opts, NULL);
}

static int work(shared *s, uint64_t seed, long long count, double until)
{
    if (garray_set_num_threads(1) != GARRAY_OK)
        return 1;
    while (!atomic_load(&s->stop) && now() < until) {
        long long i = atomic_fetch_add(&s->next, 1);
        if (i >= count)
            return 0;
        const char *wrong = run(seed, i);
        if (wrong) {
            fprintf(stderr, "\n%s\n", wrong);
            atomic_store(&s->stop, true);
            return 1;
        }
        atomic_fetch_add(&s->done, 1);
    }
    return 0;
}

static void show(const shared *s, double start, long long count, double seconds)
{
    const double took = now() - start;
    const long long done = atomic_load(&((shared *)s)->done);
    const double part = count ? (double)done / (double)count : took / seconds;
    fprintf(stderr, "\r%lld programs, %.0f s, %.0f a second, %.1f %%  ", done, took, (double)done / (took > 0 ? took : 1),
            100 * (part < 1 ? part : 1));
}

int main(int argc, char **argv)
{
    long long count = 0, jobs = sysconf(_SC_NPROCESSORS_ONLN);
    double seconds = 0;
    uint64_t seed = 1;
    for (int i = 1; i < argc; i++) {
        const char *value = i + 1 < argc ? argv[i + 1] : NULL;
        char *end = NULL;
        double number = value ? strtod(value, &end) : 0;
        if (!value || end == value || *end || number < 0) {
            fprintf(stderr, "soak: %s wants a number\n", argv[i]);
            return 2;
        }
        if (strcmp(argv[i], "--count") == 0)
            count = (long long)number;
        else if (strcmp(argv[i], "--seconds") == 0)
            seconds = number;
        else if (strcmp(argv[i], "--seed") == 0)
            seed = strtoull(value, NULL, 10);
        else if (strcmp(argv[i], "--jobs") == 0)
            jobs = (long long)number;
        else {
            fprintf(stderr, "soak: %s is unknown\n", argv[i]);
            return 2;
        }
        i++;
    }
    if (!count && seconds <= 0)
        seconds = 60;
    jobs = jobs < 1 ? 1 : jobs > JOBS ? JOBS : jobs;
    shared *s = mmap(NULL, sizeof *s, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
    if (s == MAP_FAILED)
        return 1;
    const double start = now(), until = seconds > 0 ? start + seconds : 1e300;
    const bool line = isatty(2);
    for (int i = 0; i < jobs; i++)
        if (fork() == 0)
            exit(work(s, seed, count ? count : INT64_MAX, until));
    int failed = 0, status;
    for (long long left = jobs; left > 0;) {
        pid_t ended = waitpid(-1, &status, WNOHANG);
        if (ended < 0)
            break;
        if (ended > 0) {
            left--;
            if (!WIFEXITED(status) || WEXITSTATUS(status)) {
                if (WIFSIGNALED(status))
                    fprintf(stderr, "\na worker died of signal %d\n", WTERMSIG(status));
                atomic_store(&s->stop, true);
                failed++;
            }
            continue;
        }
        usleep(200000);
        if (line)
            show(s, start, count, seconds);
    }
    show(s, start, count, seconds);
    fprintf(stderr, "\n%lld programs from seed %llu: %s\n", (long long)atomic_load(&s->done), (unsigned long long)seed,
            failed ? "failed" : "nothing wrong");
    return failed ? 1 : 0;
}
