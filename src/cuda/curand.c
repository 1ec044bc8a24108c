/* SPDX-License-Identifier: BSD-3-Clause
 * cuRAND's generators, for programs that need their sequences.  A device keeps the last one: a call that goes on where the
 * last one ended, on the same stream, needs no other. */
#include <pthread.h>
#include <stdlib.h>
#include "cuda/random.h"

/* As in curand.h, which a machine that builds this may lack. */
typedef struct curandGenerator_st *generator;
enum { SUCCESS = 0, LEGACY_ORDER = 103 };

static struct {
    int (*create)(generator *, int kind);
    int (*destroy)(generator);
    int (*set_stream)(generator, cudaStream_t);
    int (*set_seed)(generator, unsigned long long);
    int (*set_offset)(generator, unsigned long long);
    int (*set_ordering)(generator, int);
    int (*set_dimensions)(generator, unsigned);
    int (*words)(generator, unsigned *, size_t);
    int (*long_words)(generator, unsigned long long *, size_t);
    int (*floats)(generator, float *, size_t);
    int (*doubles)(generator, double *, size_t);
} curand;

static const char *const names[] = {"libcurand.so.10", NULL};
static const char *const symbols[] = {
    "curandCreateGenerator", "curandDestroyGenerator", "curandSetStream", "curandSetPseudoRandomGeneratorSeed",
    "curandSetGeneratorOffset", "curandSetGeneratorOrdering", "curandSetQuasiRandomGeneratorDimensions", "curandGenerate",
    "curandGenerateLongLong", "curandGenerateUniform", "curandGenerateUniformDouble", NULL,
};

static garray__cuda_library library = {"cuRAND", names, symbols, (void **)&curand, 0};
static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;

_Static_assert(sizeof curand / sizeof(void *) == sizeof symbols / sizeof *symbols - 1, "one symbol a function");

/* What a device keeps. */
typedef struct kept {
    generator handle;               /* NULL: none */
    cudaStream_t stream;
    int32_t engine, dtype;
    int64_t dimensions;
    uint64_t seed, offset;          /* offset: where it stands */
} kept;

static garray_status failed(const char *what, int status)
{
    if (status == 102)
        return garray__cuda_host->fail(GARRAY_ERR_DEVICE_NOMEM, "cuRAND: out of memory (%s)", what);
    return garray__cuda_host->fail(GARRAY_ERR_INTERNAL, "cuRAND: status %d of %s", status, what);
}

#define CURAND(call)                                                    \
    do {                                                                \
        const int status_ = (call);                                     \
        if (status_ != SUCCESS)                                         \
            return failed(#call, status_);                              \
    } while (0)

/* CURAND_RNG_... by engine; the first four are pseudorandom. */
static int kind_of(int engine)
{
    static const short kinds[] = {0, 101, 121, 141, 161, 202, 204};
    return engine > 0 && engine < (int)(sizeof kinds / sizeof *kinds) ? kinds[engine] : 0;
}

static garray_status generate(generator g, int dtype, void *out, size_t n)
{
    switch (dtype) {
    case GARRAY_UINT32: CURAND(curand.words(g, (unsigned *)out, n)); break;
    case GARRAY_UINT64: CURAND(curand.long_words(g, (unsigned long long *)out, n)); break;
    case GARRAY_FLOAT32: CURAND(curand.floats(g, (float *)out, n)); break;
    default: CURAND(curand.doubles(g, (double *)out, n)); break;
    }
    return GARRAY_OK;
}

/* Draws and forgets: the Mersenne twister cannot be set to a place. */
static garray_status skip(const garray__queue *q, generator g, int dtype, uint64_t n)
{
    const uint64_t chunk = (uint64_t)1 << 22;
    const size_t size = dtype == GARRAY_FLOAT64 ? 8 : 4;
    void *unused;
    garray_status st = garray__cuda_host->scratch(q, (size_t)(n < chunk ? n : chunk) * size, &unused);
    if (st != GARRAY_OK)
        return st;
    while (n > 0 && st == GARRAY_OK) {
        const uint64_t now = n < chunk ? n : chunk;
        st = generate(g, dtype, unused, (size_t)now);
        n -= now;
    }
    garray__cuda_host->scratch_free(q, unused);
    return st;
}

static garray_status start(const garray__queue *q, const garray_random_plan *p, kept *k)
{
    const bool pseudo = p->engine <= GARRAY_ENGINE_PHILOX4X32_10, twister = p->engine == GARRAY_ENGINE_MT19937;
    if (k->handle != NULL)
        (void)curand.destroy(k->handle);
    k->handle = NULL;
    CURAND(curand.create(&k->handle, kind_of(p->engine)));
    k->stream = garray__cuda_stream_of(q);
    k->engine = p->engine;
    k->dtype = p->dtype;
    k->dimensions = p->row;
    k->seed = p->seed;
    k->offset = p->position;
    CURAND(curand.set_stream(k->handle, k->stream));
    if (pseudo) {
        CURAND(curand.set_ordering(k->handle, LEGACY_ORDER));       /* the same on every device */
        CURAND(curand.set_seed(k->handle, p->seed));
    } else {
        CURAND(curand.set_dimensions(k->handle, (unsigned)p->row));
    }
    if (p->position > 0 && !twister)
        CURAND(curand.set_offset(k->handle, p->position));
    return p->position > 0 && twister ? skip(q, k->handle, p->dtype, p->position) : GARRAY_OK;
}

static garray_status run(const garray__queue *q, const garray_random_plan *p)
{
    garray__cuda_device *dev = garray__cuda_device_of(q);
    kept *k = (kept *)dev->curand;
    if (k == NULL) {
        k = (kept *)calloc(1, sizeof *k);
        if (k == NULL)
            return garray__cuda_host->fail(GARRAY_ERR_NOMEM, "no memory for a generator");
        dev->curand = k;
    }
    const bool goes_on = k->handle != NULL && k->stream == garray__cuda_stream_of(q) && k->engine == p->engine
                         && k->dtype == p->dtype && k->dimensions == p->row && k->seed == p->seed && k->offset == p->position;
    garray_status st = goes_on ? GARRAY_OK : start(q, p, k);
    if (st == GARRAY_OK)
        st = generate(k->handle, p->dtype, p->out, (size_t)p->count);
    k->offset += (uint64_t)(p->count / p->row);
    if (st != GARRAY_OK && k->handle != NULL) {
        (void)curand.destroy(k->handle);
        k->handle = NULL;
    }
    return st;
}

garray_status garray__cuda_vendor_random(const garray__queue *q, const garray_random_plan *plan)
{
    if (kind_of(plan->engine) == 0)
        return garray__cuda_host->fail(GARRAY_ERR_INTERNAL, "random: no engine %d", (int)plan->engine);
    GARRAY_CUDA_TRY(garray__cuda_library_open(&library));
    pthread_mutex_lock(&lock);
    const garray_status st = run(q, plan);
    pthread_mutex_unlock(&lock);
    return st;
}

void garray__cuda_curand_close(garray__cuda_device *dev)
{
    kept *k = (kept *)dev->curand;
    if (k != NULL && k->handle != NULL)
        (void)curand.destroy(k->handle);
    free(k);
    dev->curand = NULL;
}
