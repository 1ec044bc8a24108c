/* SPDX-License-Identifier: BSD-3-Clause
 * Fourier transforms: cuFFT, with a bounded cache of plans that own no work area.  cuFFT takes one stride and one distance
 * between lines, so axes in the middle of others go by one call for each outer index, or are transposed. */
#include <cufftXt.h>
#include <pthread.h>
#include <stdlib.h>
#include "cuda/fft.h"
#include "cuda/scratch.h"

enum {
    PLANS = 64,
    LOOPED = 4,                 /* so many outer indices, */
    LOOPED_BYTES = 4 << 20,     /* or any of them with so much each, go by a call each */
};

/* In the order of the symbols. */
static struct {
    cufftResult (*create)(cufftHandle *);
    cufftResult (*destroy)(cufftHandle);
    cufftResult (*set_auto_allocation)(cufftHandle, int);
    cufftResult (*make_plan)(cufftHandle, int rank, long long *n, long long *inembed, long long istride, long long idist,
                             cudaDataType in, long long *onembed, long long ostride, long long odist, cudaDataType out,
                             long long batch, size_t *work, cudaDataType execution);
    cufftResult (*set_stream)(cufftHandle, cudaStream_t);
    cufftResult (*set_work_area)(cufftHandle, void *);
    cufftResult (*exec)(cufftHandle, void *in, void *out, int direction);
} cufft;

static const char *const names[] = {"libcufft.so.12", "libcufft.so.11", NULL};
static const char *const symbols[] = {
    "cufftCreate", "cufftDestroy", "cufftSetAutoAllocation", "cufftXtMakePlanMany", "cufftSetStream", "cufftSetWorkArea",
    "cufftXtExec", NULL,
};
static garray__cuda_library library = {"cuFFT", names, symbols, (void **)&cufft, 0};
_Static_assert(sizeof cufft / sizeof(void *) == sizeof symbols / sizeof *symbols - 1, "one symbol a function");

/* Guards all caches; held while a plan has the stream and the work area of a call. */
static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;

/* What a plan of cuFFT is made for. */
typedef struct shape {
    int64_t kind, is_double, n, in_step, in_line, out_step, out_line, lines;
} shape;

typedef struct cached {
    shape shape;
    cufftHandle handle;
    size_t work;
    uint64_t used;
    bool recorded;              /* a graph uses its tables: it stays */
} cached;

typedef struct cache {
    uint64_t clock;
    int count;
    cached plan[PLANS];
} cache;

static garray_status failure(const garray__queue *q, cufftResult result, int64_t n)
{
    const cudaError_t e = cudaGetLastError();
    if (e != cudaSuccess)
        return garray__cuda_error(garray__cuda_device_of(q), e, "cuFFT");
    if (result == CUFFT_ALLOC_FAILED)
        return garray__cuda_host->fail(GARRAY_ERR_DEVICE_NOMEM, "transform of length %lld: cuFFT ran out of memory",
                                       (long long)n);
    if (result == CUFFT_INVALID_SIZE || result == CUFFT_NOT_SUPPORTED)
        return garray__cuda_host->fail(GARRAY_ERR_UNSUPPORTED, "cuFFT has no transform of length %lld", (long long)n);
    return garray__cuda_host->fail(GARRAY_ERR_INTERNAL, "transform of length %lld: cuFFT's error %d", (long long)n, (int)result);
}

static cufftResult make(const shape *s, cached *plan)
{
    const cudaDataType complex_type = s->is_double ? CUDA_C_64F : CUDA_C_32F, real_type = s->is_double ? CUDA_R_64F : CUDA_R_32F;
    const cudaDataType in = s->kind == GARRAY_FFT_R2C ? real_type : complex_type;
    const cudaDataType out = s->kind == GARRAY_FFT_C2R ? real_type : complex_type;
    long long n = s->n, half = s->n / 2 + 1;
    plan->shape = *s;
    cufftResult r = cufft.create(&plan->handle);
    if (r != CUFFT_SUCCESS)
        return r;
    r = cufft.set_auto_allocation(plan->handle, 0);
    if (r == CUFFT_SUCCESS)
        r = cufft.make_plan(plan->handle, 1, &n, s->kind == GARRAY_FFT_C2R ? &half : &n, s->in_step, s->in_line, in,
                            s->kind == GARRAY_FFT_R2C ? &half : &n, s->out_step, s->out_line, out, s->lines, &plan->work,
                            complex_type);
    if (r != CUFFT_SUCCESS)
        (void)cufft.destroy(plan->handle);
    return r;
}

/* Which of the plans goes for a new one: the one that was not used for longest, of graphs' the last. */
static int oldest_of(const cache *c)
{
    int oldest = 0;
    for (int i = 1; i < c->count; i++) {
        const cached *a = &c->plan[i], *b = &c->plan[oldest];
        if (a->recorded != b->recorded ? b->recorded : a->used < b->used)
            oldest = i;
    }
    return oldest;
}

/* The plan for a shape. */
static garray_status find(const garray__queue *q, const shape *s, cached **found)
{
    garray__cuda_device *dev = garray__cuda_device_of(q);
    if (dev->fft == NULL)
        dev->fft = calloc(1, sizeof(cache));
    cache *c = (cache *)dev->fft;
    if (c == NULL)
        return garray__cuda_host->fail(GARRAY_ERR_NOMEM, "out of memory: a cache of plans");
    const bool recorded = garray__cuda_is_recorded(q);
    for (int i = 0; i < c->count; i++)
        if (memcmp(&c->plan[i].shape, s, sizeof *s) == 0) {
            c->plan[i].used = ++c->clock;
            c->plan[i].recorded |= recorded;
            *found = &c->plan[i];
            return GARRAY_OK;
        }
    cached plan;
    const cufftResult r = make(s, &plan);
    if (r != CUFFT_SUCCESS)
        return failure(q, r, s->n);
    int at = c->count;
    if (c->count < PLANS) {
        c->count++;
    } else {
        /* its tables go: what uses them must be over, and a full cache is rare enough to wait for that; those of a graph
         * stay for good */
        at = oldest_of(c);
        if (!c->plan[at].recorded && cudaDeviceSynchronize() == cudaSuccess)
            (void)cufft.destroy(c->plan[at].handle);
        (void)cudaGetLastError();
    }
    plan.used = ++c->clock;
    plan.recorded = recorded;
    c->plan[at] = plan;
    *found = &c->plan[at];
    return GARRAY_OK;
}

void garray__cuda_fft_close(garray__cuda_device *dev)
{
    cache *c = (cache *)dev->fft;
    for (int i = 0; c != NULL && i < c->count; i++)
        (void)cufft.destroy(c->plan[i].handle);
    free(c);
    dev->fft = NULL;
}

/* `calls` transforms of one shape, the next one in_next and out_next bytes further on. */
static garray_status run_locked(const garray__queue *q, const shape *s, bool inverse, const char *in, char *out, int64_t calls,
                                int64_t in_next, int64_t out_next)
{
    cached *plan = NULL;
    void *work = NULL;
    GARRAY_CUDA_TRY(find(q, s, &plan));
    if (plan->work > 0)
        GARRAY_CUDA_TRY(garray__cuda_host->scratch(q, plan->work, &work));
    cufftResult r = cufft.set_stream(plan->handle, garray__cuda_stream_of(q));
    if (r == CUFFT_SUCCESS && work != NULL)
        r = cufft.set_work_area(plan->handle, work);
    for (int64_t i = 0; i < calls && r == CUFFT_SUCCESS; i++)
        r = cufft.exec(plan->handle, (void *)(uintptr_t)(in + i * in_next), out + i * out_next,
                       inverse ? CUFFT_INVERSE : CUFFT_FORWARD);
    if (work != NULL)
        garray__cuda_host->scratch_free(q, work);
    return r == CUFFT_SUCCESS ? GARRAY_OK : failure(q, r, s->n);
}

/* What a transform asks of cuFFT, and how often. */
static shape shape_of(const garray_fft_plan *p, bool turned, int64_t *calls)
{
    const int64_t half = p->n / 2 + 1;
    const int64_t in_count = p->kind == GARRAY_FFT_C2R ? half : p->n, out_count = p->kind == GARRAY_FFT_R2C ? half : p->n;
    shape s = {.kind = p->kind, .is_double = p->dtype == GARRAY_COMPLEX128, .n = p->n, .in_step = 1, .in_line = in_count, .out_step = 1,
               .out_line = out_count, .lines = p->outer * p->inner};
    *calls = 1;
    if (!turned && p->inner > 1) {
        s.in_step = s.out_step = p->inner;
        s.in_line = s.out_line = 1;
        s.lines = p->inner;
        *calls = p->outer;
    }
    return s;
}

static garray_status run(const garray__queue *q, const garray_fft_plan *p, bool turned, const void *in, void *out)
{
    const int64_t item = p->dtype == GARRAY_COMPLEX128 ? 16 : 8;
    int64_t calls;
    const shape s = shape_of(p, turned, &calls);
    pthread_mutex_lock(&lock);
    /* cuFFT wants real transforms in their usual direction: the conjugation of the others is ours */
    const bool inverse = p->kind == GARRAY_FFT_C2C ? p->inverse : p->kind == GARRAY_FFT_C2R;
    const garray_status st = run_locked(q, &s, inverse, (const char *)in, (char *)out, calls, p->n * p->inner * item,
                                        p->n * p->inner * item);
    pthread_mutex_unlock(&lock);
    return st;
}

/* Whether the transform's axis comes last first. */
static bool is_turned(const garray_fft_plan *p)
{
    const int64_t item = p->dtype == GARRAY_COMPLEX128 ? 16 : 8;
    return p->outer > 1 && p->inner > 1
           && (p->kind != GARRAY_FFT_C2C || (p->outer > LOOPED && p->n * p->inner * item < LOOPED_BYTES));
}

garray_status garray__cuda_fft_prepare(const garray__queue *q, const garray_fft_plan *p)
{
    int64_t calls;
    cached *plan;
    if (p->n == 1)
        return GARRAY_OK;
    GARRAY_CUDA_TRY(garray__cuda_library_open(&library));
    const shape s = shape_of(p, is_turned(p), &calls);
    pthread_mutex_lock(&lock);
    const garray_status st = find(q, &s, &plan);
    pthread_mutex_unlock(&lock);
    return st;
}

/* cuFFT wants real sides where a complex item could begin. */
static bool is_misaligned(const void *real, bool is_double)
{
    return (uintptr_t)real % (is_double ? 16 : 8) != 0;
}

static garray_status transform(const garray__queue *q, const garray_fft_plan *p, garray__scratch *scratch)
{
    const bool is_double = p->dtype == GARRAY_COMPLEX128;
    const bool real_in = p->kind == GARRAY_FFT_R2C, real_out = p->kind == GARRAY_FFT_C2R;
    const int item = is_double ? 16 : 8, in_size = real_in ? item / 2 : item, out_size = real_out ? item / 2 : item;
    const int64_t half = p->n / 2 + 1, in_count = real_out ? half : p->n, out_count = real_in ? half : p->n;
    const int64_t lines = p->outer * p->inner;
    const size_t in_bytes = (size_t)(lines * in_count * in_size), out_bytes = (size_t)(lines * out_count * out_size);
    const bool turned = is_turned(p);
    const void *x = p->in;
    void *y = p->out, *room;
    if (real_out) {                                     /* which also keeps the input as it is */
        GARRAY_CUDA_TRY(garray__scratch_take(scratch, in_bytes, &room));
        GARRAY_CUDA_TRY(garray__cuda_fft_spectrum(q, is_double, x, room, p->outer, half, p->inner, p->n % 2 == 0, p->scale,
                                                  p->inverse ? 1 : -1));
        x = room;
    }
    if (turned) {
        GARRAY_CUDA_TRY(garray__scratch_take(scratch, in_bytes, &room));
        GARRAY_CUDA_TRY(garray__cuda_fft_transpose(q, in_size, x, room, p->outer, in_count, p->inner));
        x = room;
    } else if (real_in && is_misaligned(x, is_double)) {
        GARRAY_CUDA_TRY(garray__scratch_take(scratch, in_bytes, &room));
        GARRAY_CUDA(q, cudaMemcpyAsync(room, x, in_bytes, cudaMemcpyDeviceToDevice, garray__cuda_stream_of(q)));
        x = room;
    }
    if (turned || (real_out && is_misaligned(y, is_double)))
        GARRAY_CUDA_TRY(garray__scratch_take(scratch, out_bytes, &y));
    GARRAY_CUDA_TRY(run(q, p, turned, x, y));
    if (!real_out && (p->scale != 1 || (real_in && p->inverse)))
        GARRAY_CUDA_TRY(garray__cuda_fft_scale(q, is_double, y, lines * out_count, p->scale, real_in && p->inverse ? -1 : 1));
    if (turned)
        return garray__cuda_fft_transpose(q, out_size, y, p->out, p->outer, p->inner, out_count);
    if (y != p->out)
        GARRAY_CUDA(q, cudaMemcpyAsync(p->out, y, out_bytes, cudaMemcpyDeviceToDevice, garray__cuda_stream_of(q)));
    return GARRAY_OK;
}

garray_status garray__cuda_fft(const garray__queue *q, const garray_fft_plan *plan)
{
    if (plan->n == 1)
        return garray__cuda_fft_single(q, plan->dtype == GARRAY_COMPLEX128, plan->kind, plan->in, plan->out,
                                       plan->outer * plan->inner, plan->scale);
    garray__scratch scratch = {.q = q};
    garray_status st = garray__cuda_library_open(&library);
    if (st == GARRAY_OK)
        st = transform(q, plan, &scratch);
    garray__scratch_drop(&scratch);
    return st;
}
