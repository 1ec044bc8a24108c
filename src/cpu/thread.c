/* SPDX-License-Identifier: BSD-3-Clause
 * The thread pool: started at the first parallel call, owned by one caller at a time (others run
 * serially), built again after a fork.  Workers spin briefly after a job and then sleep. */
#ifndef _GNU_SOURCE
#define _GNU_SOURCE 1                   /* sched_getaffinity */
#endif
#include <pthread.h>
#include <sched.h>
#include <signal.h>
#include <stdatomic.h>
#include <stdlib.h>
#include <time.h>
#include "cpu/cpu.h"

enum {
    MAX_THREADS = 1024,
    SPIN_NS = 50000,            /* how long a worker looks for the next job before it sleeps */
    COST_AWAKE_NS = 5000,       /* work below this does not pay for a hand-over to spinning workers, */
    COST_ASLEEP_NS = 30000      /* and below this not for waking sleeping ones */
};

/* state: number of the job (upper half), OPEN while workers may join, workers inside (lower bits). */
#define JOB_ONE ((uint64_t)1 << 32)
#define JOB_OPEN ((uint64_t)1 << 31)
#define JOB_INSIDE (JOB_OPEN - 1)

static struct {
    atomic_bool owned;          /* a caller is using the pool: the fields of the job are its own */
    atomic_int wanted;          /* threads, the caller included; 0: not yet known */
    int started;                /* workers that exist */
    bool tried;                 /* a failed start is not repeated on every call */
    pthread_t worker[MAX_THREADS];
    /* the job */
    garray__cpu_block *block;
    void *ctx;
    int64_t n, grain;
    atomic_llong next;          /* the next block */
    atomic_int most;            /* workers that have something to do */
    atomic_ullong state;
    atomic_bool quit;
    /* sleeping */
    pthread_mutex_t lock;
    pthread_cond_t wake, done;
    atomic_int sleeping;
    atomic_bool waiting;        /* the caller sleeps on done */
} pool = {
    .lock = PTHREAD_MUTEX_INITIALIZER, .wake = PTHREAD_COND_INITIALIZER, .done = PTHREAD_COND_INITIALIZER};

static _Thread_local bool inside;

static void relax(void)
{
#if defined(__x86_64__)
    __builtin_ia32_pause();
#elif defined(__aarch64__)
    __asm__ volatile("yield");
#endif
}

static int64_t now_ns(void)
{
    struct timespec t;
    clock_gettime(CLOCK_MONOTONIC, &t);
    return (int64_t)t.tv_sec * 1000000000 + t.tv_nsec;
}

static void run_blocks(void)
{
    int64_t count = (pool.n - 1) / pool.grain + 1, k;
    while ((k = atomic_fetch_add_explicit(&pool.next, 1, memory_order_relaxed)) < count) {
        int64_t begin = k * pool.grain, end = pool.n - begin < pool.grain ? pool.n : begin + pool.grain;
        pool.block(pool.ctx, begin, end);
    }
}

static bool new_job(uint64_t state, uint64_t last)
{
    return (state & JOB_OPEN) && state / JOB_ONE != last;
}

static void *work(void *unused)
{
    uint64_t last = 0;
    (void)unused;
    inside = true;
    for (;;) {
        uint64_t state = atomic_load(&pool.state);
        int64_t deadline = 0;
        for (int i = 0; !new_job(state, last) && !atomic_load(&pool.quit); i++) {
            relax();
            if (i % 64 == 0) {
                int64_t t = now_ns();
                if (deadline == 0)
                    deadline = t + SPIN_NS;
                else if (t > deadline)
                    break;
            }
            state = atomic_load(&pool.state);
        }
        if (atomic_load(&pool.quit))
            return NULL;
        if (!new_job(state, last)) {
            pthread_mutex_lock(&pool.lock);
            atomic_fetch_add(&pool.sleeping, 1);
            while (!new_job(atomic_load(&pool.state), last) && !atomic_load(&pool.quit))
                pthread_cond_wait(&pool.wake, &pool.lock);
            atomic_fetch_sub(&pool.sleeping, 1);
            pthread_mutex_unlock(&pool.lock);
            continue;
        }
        /* More than there are blocks would only make the caller wait for them. */
        if ((int)(state & JOB_INSIDE) >= atomic_load(&pool.most)) {
            last = state / JOB_ONE;
            continue;
        }
        /* Joining succeeds only while the job is open, so its fields stay what they are until this worker
         * leaves. */
        unsigned long long seen = state;
        if (!atomic_compare_exchange_strong(&pool.state, &seen, state + 1))
            continue;
        last = state / JOB_ONE;
        run_blocks();
        uint64_t after = atomic_fetch_sub(&pool.state, 1) - 1;
        if (!(after & (JOB_OPEN | JOB_INSIDE)) && atomic_load(&pool.waiting)) {
            pthread_mutex_lock(&pool.lock);
            pthread_cond_signal(&pool.done);
            pthread_mutex_unlock(&pool.lock);
        }
    }
}

/* ---- the number of threads ----------------------------------------------------------------------------- */
static int default_threads(void)
{
    const char *text = getenv("GARRAY_NUM_THREADS");
    if (text && *text) {
        char *end;
        long n = strtol(text, &end, 10);
        if (*end == 0 && n >= 1)
            return n < MAX_THREADS ? (int)n : MAX_THREADS;
    }
    int n = 0;
    cpu_set_t set;
    if (sched_getaffinity(0, sizeof set, &set) == 0)
        n = CPU_COUNT(&set);
    return n < 1 ? 1 : n < MAX_THREADS ? n : MAX_THREADS;
}

int garray__cpu_threads(void)
{
    int n = atomic_load_explicit(&pool.wanted, memory_order_relaxed);
    if (n == 0) {
        int none = 0;
        n = default_threads();
        if (!atomic_compare_exchange_strong(&pool.wanted, &none, n))
            n = none;
    }
    return n;
}

bool garray__cpu_parallel_now(void)
{
    return inside;
}

/* ---- start, stop, fork --------------------------------------------------------------------------------- */
/* The child has only the thread that forked: whatever state the pool was in, it begins anew. */
static void child(void)
{
    pool.started = 0;
    pool.tried = false;
    atomic_store(&pool.state, 0);
    atomic_store(&pool.quit, false);
    atomic_store(&pool.sleeping, 0);
    atomic_store(&pool.waiting, false);
    pool.lock = (pthread_mutex_t)PTHREAD_MUTEX_INITIALIZER;
    pool.wake = (pthread_cond_t)PTHREAD_COND_INITIALIZER;
    pool.done = (pthread_cond_t)PTHREAD_COND_INITIALIZER;
    inside = false;
    atomic_store(&pool.owned, false);
}

static void watch_forks(void)
{
    pthread_atfork(NULL, NULL, child);
}

/* Called by the owner. */
static void start(int workers)
{
    static pthread_once_t once = PTHREAD_ONCE_INIT;
    sigset_t all, old;
    pthread_once(&once, watch_forks);
    pool.tried = true;
    /* Signals are the program's business: workers take none. */
    sigfillset(&all);
    pthread_sigmask(SIG_SETMASK, &all, &old);
    while (pool.started < workers && pthread_create(&pool.worker[pool.started], NULL, work, NULL) == 0)
        pool.started++;
    pthread_sigmask(SIG_SETMASK, &old, NULL);
}

/* Called by the owner. */
static void stop(void)
{
    pthread_mutex_lock(&pool.lock);
    atomic_store(&pool.quit, true);
    pthread_cond_broadcast(&pool.wake);
    pthread_mutex_unlock(&pool.lock);
    for (int i = 0; i < pool.started; i++)
        pthread_join(pool.worker[i], NULL);
    pool.started = 0;
    pool.tried = false;
    atomic_store(&pool.quit, false);
}

static bool own(void)
{
    return !atomic_load_explicit(&pool.owned, memory_order_relaxed) && !atomic_exchange(&pool.owned, true);
}

garray_status garray__cpu_set_threads(int count)
{
    if (count < 0 || count > MAX_THREADS)
        return garray__cpu_host->fail(GARRAY_ERR_INVALID, "thread count %d is not in [0, %d]", count,
                                      MAX_THREADS);
    while (!own())
        sched_yield();
    stop();
    atomic_store(&pool.wanted, count ? count : default_threads());
    atomic_store(&pool.owned, false);
    return GARRAY_OK;
}

/* ---- parallel calls ------------------------------------------------------------------------------------ */
static void serial(int64_t n, int64_t grain, garray__cpu_block *block, void *ctx)
{
    for (int64_t begin = 0; begin < n; begin += grain) {
        if (n - begin <= grain) {
            block(ctx, begin, n);
            return;
        }
        block(ctx, begin, begin + grain);
    }
}

/* Waits until the workers that joined have left. */
static void finish(void)
{
    atomic_fetch_and(&pool.state, ~(unsigned long long)JOB_OPEN);
    int64_t deadline = 0;
    for (int i = 1; atomic_load(&pool.state) & JOB_INSIDE; i++) {
        relax();
        if (i % 64)
            continue;
        int64_t t = now_ns();
        if (deadline == 0)
            deadline = t + SPIN_NS;
        if (t <= deadline)
            continue;
        pthread_mutex_lock(&pool.lock);
        atomic_store(&pool.waiting, true);
        while (atomic_load(&pool.state) & JOB_INSIDE)
            pthread_cond_wait(&pool.done, &pool.lock);
        atomic_store(&pool.waiting, false);
        pthread_mutex_unlock(&pool.lock);
    }
}

void garray__cpu_parallel(int64_t n, int64_t grain, double cost, garray__cpu_block *block, void *ctx)
{
    if (grain < 1)
        grain = 1;
    if (n <= grain || cost < COST_AWAKE_NS || inside || garray__cpu_threads() == 1 || !own()) {
        serial(n, grain, block, ctx);
        return;
    }
    int workers = garray__cpu_threads() - 1;
    if (pool.started < workers && !pool.tried && cost >= COST_ASLEEP_NS)
        start(workers);
    if (pool.started == 0 || (cost < COST_ASLEEP_NS && atomic_load(&pool.sleeping) > 0)) {
        atomic_store(&pool.owned, false);
        serial(n, grain, block, ctx);
        return;
    }
    pool.block = block;
    pool.ctx = ctx;
    pool.n = n;
    pool.grain = grain;
    atomic_store_explicit(&pool.next, 0, memory_order_relaxed);
    const int64_t others = (n - 1) / grain;     /* blocks but one */
    const int most = others < pool.started ? (int)others : pool.started;
    atomic_store(&pool.most, most);
    uint64_t job = atomic_load(&pool.state) / JOB_ONE + 1;
    atomic_store(&pool.state, job * JOB_ONE | JOB_OPEN);
    if (atomic_load(&pool.sleeping) > 0) {
        pthread_mutex_lock(&pool.lock);
        if (most < pool.started / 2)
            for (int i = 0; i < most; i++)
                pthread_cond_signal(&pool.wake);
        else
            pthread_cond_broadcast(&pool.wake);
        pthread_mutex_unlock(&pool.lock);
    }
    inside = true;
    run_blocks();
    inside = false;
    finish();
    atomic_store(&pool.owned, false);
}
