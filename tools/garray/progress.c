/* SPDX-License-Identifier: BSD-3-Clause
 * How far long work is, on standard error where that is a terminal: steps that the caller counts, or one call of the
 * library, whose bytes read and written a thread looks up meanwhile. */
#include <inttypes.h>
#include <pthread.h>
#include <stdio.h>
#include <string.h>
#include <time.h>
#include <unistd.h>
#include "tool.h"

void progress(long long done, long long all, const char *what)
{
    enum { WIDTH = 30 };
    static bool shown;
    char bar[WIDTH + 1];
    if (!isatty(STDERR_FILENO) || (all == 0 && !shown))
        return;
    shown = all != 0;
    if (all == 0) {
        fputs("\r\033[K", stderr);
        return;
    }
    int full = (int)(done * WIDTH / all);
    for (int i = 0; i < WIDTH; i++)
        bar[i] = i < full ? '#' : '.';
    bar[WIDTH] = 0;
    fprintf(stderr, "\r\033[K[%s] %3lld %% %.40s", bar, 100 * done / all, what);
}

/* ---- one call ---- */
static struct {
    pthread_t thread;
    pthread_mutex_t lock;
    pthread_cond_t end;
    bool runs, ends;
    const char *what;
    long long begin, all;
} watched = { .lock = PTHREAD_MUTEX_INITIALIZER, .end = PTHREAD_COND_INITIALIZER };

/* Bytes that this process has read and written so far, as the kernel counts them; -1 if it does not tell. */
static long long bytes_moved(void)
{
    long long in = -1, out = 0;
    FILE *f = fopen("/proc/self/io", "r");
    if (!f || fscanf(f, "rchar: %lld wchar: %lld", &in, &out) != 2)
        in = -1;
    if (f)
        fclose(f);
    return in < 0 ? -1 : in + out;
}

static void *look(void *none)
{
    (void)none;
    pthread_mutex_lock(&watched.lock);
    while (!watched.ends) {
        struct timespec until;
        clock_gettime(CLOCK_REALTIME, &until);
        until.tv_nsec += 200000000;
        until.tv_sec += until.tv_nsec / 1000000000;
        until.tv_nsec %= 1000000000;
        pthread_cond_timedwait(&watched.end, &watched.lock, &until);
        long long done = bytes_moved() - watched.begin;
        if (!watched.ends && done >= watched.all)   /* text is read first and understood then */
            progress(watched.all, watched.all, "read, being worked on");
        else if (!watched.ends && done >= 0)
            progress(done, watched.all, watched.what);
    }
    pthread_mutex_unlock(&watched.lock);
    return NULL;
}

void watch(long long bytes, const char *what)
{
    if (!isatty(STDERR_FILENO) || watched.runs || bytes <= 0 || (watched.begin = bytes_moved()) < 0)
        return;
    watched.what = what;
    watched.all = bytes;
    watched.ends = false;
    watched.runs = pthread_create(&watched.thread, NULL, look, NULL) == 0;
}

void unwatch(void)
{
    if (!watched.runs)
        return;
    pthread_mutex_lock(&watched.lock);
    watched.ends = true;
    pthread_cond_signal(&watched.end);
    pthread_mutex_unlock(&watched.lock);
    pthread_join(watched.thread, NULL);
    watched.runs = false;
    progress(0, 0, "");
}
