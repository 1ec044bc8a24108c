/* SPDX-License-Identifier: BSD-3-Clause
 * Functions by tables: polynomials by Horner's rule, some places a thread, and lines between points, a thread a place. */
#include "core/lines.h"
#include "cuda/kernel.cuh"
#include "cuda/scalar.cuh"

using namespace garray__cuda;

namespace {

enum { PLACES = 4 };            /* of a thread, whose steps do not wait for each other */

__device__ __forceinline__ garray__c64 step(garray__c64 y, garray__c64 x, garray__c64 c)
{
    garray__c64 z;
    z.re = (y.re * x.re - y.im * x.im) + c.re;
    z.im = (y.re * x.im + y.im * x.re) + c.im;
    return z;
}
__device__ __forceinline__ garray__c128 step(garray__c128 y, garray__c128 x, garray__c128 c)
{
    garray__c128 z;
    z.re = (y.re * x.re - y.im * x.im) + c.re;
    z.im = (y.re * x.im + y.im * x.re) + c.im;
    return z;
}
template <class T> __device__ __forceinline__ T step(T y, T x, T c) { return (T)(y * x + c); }

template <class S>
__global__ void __launch_bounds__(GARRAY_CUDA_BLOCK)
    polynomial(const S *__restrict__ table, int64_t n, const S *x, S *out, int64_t count)
{
    typedef typename compute_of<S>::type T;
    constexpr bool truth = same<S, boolean>::value;
    const int64_t stride = (int64_t)gridDim.x * GARRAY_CUDA_BLOCK;
    for (int64_t i = (int64_t)blockIdx.x * GARRAY_CUDA_BLOCK + threadIdx.x; i < count; i += PLACES * stride) {
        T v[PLACES], y[PLACES];
#pragma unroll
        for (int p = 0; p < PLACES; p++) {
            memset(&v[p], 0, sizeof(T));
            memset(&y[p], 0, sizeof(T));
            if (i + p * stride < count)
                v[p] = value_of(x[i + p * stride]);
        }
        for (int64_t j = 0; j < n; j++) {
            const T c = value_of(table[j]);
#pragma unroll
            for (int p = 0; p < PLACES; p++)
                if constexpr (truth)
                    y[p] = (y[p] & v[p]) | c;
                else
                    y[p] = step(y[p], v[p], c);
        }
#pragma unroll
        for (int p = 0; p < PLACES; p++)
            if (i + p * stride < count)
                out[i + p * stride] = store_as<S>(y[p]);
    }
}

struct lines_args {
    const double *x, *points, *values;
    double *out;
    int64_t n, count;
    double left[2], right[2];
    int32_t has_left, has_right, parts, reserved;
};

__global__ void __launch_bounds__(GARRAY_CUDA_BLOCK) lines(const __grid_constant__ lines_args a)
{
    for (int64_t i = (int64_t)blockIdx.x * GARRAY_CUDA_BLOCK + threadIdx.x; i < a.count;
         i += (int64_t)gridDim.x * GARRAY_CUDA_BLOCK) {
        const double v = a.x[i];
        const int64_t below = garray__points_below(a.points, a.n, v);
        for (int part = 0; part < a.parts; part++)
            a.out[i * a.parts + part] = garray__lines_at(a.points, a.values, a.n, a.parts, part, v, below,
                                                         a.has_left ? a.left : nullptr, a.has_right ? a.right : nullptr);
    }
}

unsigned grid_of(int64_t threads)
{
    const int64_t blocks = (threads + GARRAY_CUDA_BLOCK - 1) / GARRAY_CUDA_BLOCK;
    return (unsigned)(blocks < 1 << 20 ? blocks : 1 << 20);
}

template <class S> garray_status run(const garray__queue *q, const garray_evaluate_plan *p)
{
    const S *table = (const S *)p->table, *x = (const S *)p->x;
    S *out = (S *)p->out;
    int64_t n = p->n, count = p->count;
    void *list[] = {&table, &n, &x, &out, &count};
    return garray__cuda_launch(q, "polyval", (const void *)polynomial<S>, dim3(grid_of((count + PLACES - 1) / PLACES)),
                               dim3(GARRAY_CUDA_BLOCK), 0, list);
}

garray_status run_lines(const garray__queue *q, const garray_evaluate_plan *p)
{
    lines_args a = {(const double *)p->x, p->points, (const double *)p->table, (double *)p->out, p->n, p->count,
                    {p->left[0], p->left[1]}, {p->right[0], p->right[1]}, p->has_left, p->has_right,
                    p->dtype == GARRAY_COMPLEX128 ? 2 : 1, 0};
    void *list[] = {&a};
    return garray__cuda_launch(q, "interp", (const void *)lines, dim3(grid_of(p->count)), dim3(GARRAY_CUDA_BLOCK), 0, list);
}

} /* namespace */

extern "C" garray_status garray__cuda_evaluate(const garray__queue *q, const garray_evaluate_plan *p)
{
    if (p->kind == GARRAY_EVALUATE_LINES)
        return run_lines(q, p);
    switch (p->dtype) {
#define GARRAY_DTYPE(value, name, ...) \
    case value: return run<type_##name>(q, p);
#include "core/dtypes.def"
#undef GARRAY_DTYPE
    default: return garray__cuda_host->fail(GARRAY_ERR_INTERNAL, "polyval: no dtype %d", p->dtype);
    }
}
