/* SPDX-License-Identifier: BSD-3-Clause
 * Linear recurrences, a thread for each row.  The state is in registers where the order is small, else in scratch
 * memory, in which neighbouring threads lie side by side.
 *
 * A row is not cut into parts that run at once, although few long rows leave most of the device idle: what reaches from one
 * part into the next would have to be carried by a power of the companion matrix, which costs filters whose poles lie close
 * together up to four digits more than the recurrence itself (tried in double, 8 poles near 1). */
#include "core/complex.h"
#include "cuda/kernel.cuh"
#include "cuda/scratch.h"

using namespace garray__cuda;

namespace {

enum { ROWS = 64, AHEAD = 8 };          /* threads of a block; items that are read at once */

struct recur_args {
    const char *in;
    char *out;
    const void *b, *a, *first;
    void *last, *room;
    int64_t rows, n, inner;
    int64_t in_strides[3], out_strides[3];
    int32_t order, reserved;
};

__device__ __forceinline__ garray__c128 make(double re, double im)
{
    garray__c128 z;
    z.re = re, z.im = im;
    return z;
}

/* s + x * y, and s - x * y */
__device__ __forceinline__ double plus(double s, double x, double y) { return s + x * y; }
__device__ __forceinline__ double minus(double s, double x, double y) { return s - x * y; }
__device__ __forceinline__ garray__c128 plus(garray__c128 s, garray__c128 x, garray__c128 y)
{
    s.re += x.re * y.re;
    s.re -= x.im * y.im;
    s.im += x.re * y.im;
    s.im += x.im * y.re;
    return s;
}
__device__ __forceinline__ garray__c128 minus(garray__c128 s, garray__c128 x, garray__c128 y)
{
    return plus(s, x, make(-y.re, -y.im));
}

template <class P> __device__ __forceinline__ P part_at(const char *p)
{
    if (((uintptr_t)p & (sizeof(P) - 1)) == 0)
        return *(const P *)p;
    unsigned char bytes[sizeof(P)];
    P v;
#pragma unroll
    for (int i = 0; i < (int)sizeof(P); i++)
        bytes[i] = (unsigned char)p[i];
    memcpy(&v, bytes, sizeof v);
    return v;
}

template <class P> __device__ __forceinline__ void put_part(char *p, P v)
{
    if (((uintptr_t)p & (sizeof(P) - 1)) == 0) {
        *(P *)p = v;
        return;
    }
    unsigned char bytes[sizeof(P)];
    memcpy(bytes, &v, sizeof v);
#pragma unroll
    for (int i = 0; i < (int)sizeof(P); i++)
        ((unsigned char *)p)[i] = bytes[i];
}

/* Items of parts P as values V, double or complex. */
template <class P> __device__ __forceinline__ void fetch(const char *p, double &v) { v = part_at<P>(p); }
template <class P> __device__ __forceinline__ void fetch(const char *p, garray__c128 &v)
{
    v = make(part_at<P>(p), part_at<P>(p + sizeof(P)));
}
template <class P> __device__ __forceinline__ void put(char *p, double v) { put_part<P>(p, (P)v); }
template <class P> __device__ __forceinline__ void put(char *p, garray__c128 v)
{
    put_part<P>(p, (P)v.re);
    put_part<P>(p + sizeof(P), (P)v.im);
}

__device__ __forceinline__ void clear(double &v) { v = 0; }
__device__ __forceinline__ void clear(garray__c128 &v) { v = make(0, 0); }

/* A state of up to N numbers in registers. */
template <int N, class V> struct near_state {
    V z[N + 1], b[N + 1], a[N + 1];
    int order;

    __device__ near_state(const recur_args &r, int64_t row) : order(r.order)
    {
#pragma unroll
        for (int k = 0; k <= N; k++) {
            clear(z[k]);
            clear(b[k]);
            clear(a[k]);
            if (k <= order) {
                b[k] = ((const V *)r.b)[k];
                a[k] = ((const V *)r.a)[k];
            }
            if (k < order && r.first)
                z[k] = ((const V *)r.first)[row * order + k];
        }
    }
    __device__ __forceinline__ V next(V x)
    {
        const V y = plus(z[0], b[0], x);
#pragma unroll
        for (int k = 0; k < N; k++)
            if (k < order)
                z[k] = minus(plus(z[k + 1], b[k + 1], x), a[k + 1], y);
        return y;
    }
    __device__ void finish(const recur_args &r, int64_t row)
    {
#pragma unroll
        for (int k = 0; k < N; k++)
            if (k < order && r.last)
                ((V *)r.last)[row * order + k] = z[k];
    }
};

/* One of any size. */
template <class V> struct far_state {
    V *z;
    const V *b, *a;
    int64_t step;
    int order;

    __device__ far_state(const recur_args &r, int64_t row)
        : z((V *)r.room + row), b((const V *)r.b), a((const V *)r.a), step(r.rows), order(r.order)
    {
        for (int k = 0; k < order; k++) {
            V v;
            clear(v);
            z[k * step] = r.first ? ((const V *)r.first)[row * order + k] : v;
        }
    }
    __device__ __forceinline__ V next(V x)
    {
        const V y = plus(z[0], b[0], x);
        for (int k = 0; k < order; k++) {
            V after;
            clear(after);
            if (k + 1 < order)
                after = z[(k + 1) * step];
            z[k * step] = minus(plus(after, b[k + 1], x), a[k + 1], y);
        }
        return y;
    }
    __device__ void finish(const recur_args &r, int64_t row)
    {
        for (int k = 0; k < order && r.last; k++)
            ((V *)r.last)[row * order + k] = z[k * step];
    }
};

template <class P, class V, class State> __global__ void __launch_bounds__(ROWS) recur(const __grid_constant__ recur_args r)
{
    const int64_t row = (int64_t)blockIdx.x * ROWS + threadIdx.x;
    if (row >= r.rows)
        return;
    const char *in = r.in + row / r.inner * r.in_strides[0] + row % r.inner * r.in_strides[2];
    char *out = r.out + row / r.inner * r.out_strides[0] + row % r.inner * r.out_strides[2];
    State state(r, row);
    int64_t i = 0;
    for (; i + AHEAD <= r.n; i += AHEAD) {
        V x[AHEAD];
#pragma unroll
        for (int k = 0; k < AHEAD; k++)
            fetch<P>(in + (i + k) * r.in_strides[1], x[k]);
#pragma unroll
        for (int k = 0; k < AHEAD; k++)
            put<P>(out + (i + k) * r.out_strides[1], state.next(x[k]));
    }
    for (; i < r.n; i++) {
        V x;
        fetch<P>(in + i * r.in_strides[1], x);
        put<P>(out + i * r.out_strides[1], state.next(x));
    }
    state.finish(r, row);
}

template <class P, class V> const void *kernel_of(int order)
{
    return order <= 2   ? (const void *)recur<P, V, near_state<2, V>>
           : order <= 4 ? (const void *)recur<P, V, near_state<4, V>>
           : order <= 8 ? (const void *)recur<P, V, near_state<8, V>>
                        : (const void *)recur<P, V, far_state<V>>;
}

} /* namespace */

extern "C" garray_status garray__cuda_recur(const garray__queue *q, const garray_recur_plan *p)
{
    const bool pairs = p->dtype == GARRAY_COMPLEX64 || p->dtype == GARRAY_COMPLEX128;
    recur_args r = { (const char *)p->in,
                     (char *)p->out,
                     p->b,
                     p->a,
                     p->first,
                     p->last,
                     nullptr,
                     p->outer * p->inner,
                     p->n,
                     p->inner,
                     { p->in_strides[0], p->in_strides[1], p->in_strides[2] },
                     { p->out_strides[0], p->out_strides[1], p->out_strides[2] },
                     p->order,
                     0 };
    garray__scratch scratch = {q, 0, {}};
    void *list[] = {&r};
    if (p->order > 8)
        GARRAY_CUDA_TRY(garray__scratch_take(&scratch, (size_t)r.rows * (size_t)p->order * (pairs ? 16 : 8), &r.room));
    const void *kernel = p->dtype == GARRAY_FLOAT32     ? kernel_of<float, double>(p->order)
                         : p->dtype == GARRAY_FLOAT64   ? kernel_of<double, double>(p->order)
                         : p->dtype == GARRAY_COMPLEX64 ? kernel_of<float, garray__c128>(p->order)
                                                        : kernel_of<double, garray__c128>(p->order);
    const garray_status st =
        garray__cuda_launch(q, "lfilter", kernel, dim3((unsigned)((r.rows + ROWS - 1) / ROWS)), dim3(ROWS), 0, list);
    garray__scratch_drop(&scratch);
    return st;
}
