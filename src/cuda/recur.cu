/* SPDX-License-Identifier: BSD-3-Clause
 * Linear recurrences, a thread for each row.  The state is in registers where the order is small, else in scratch
 * memory, in which neighbouring threads lie side by side.
 *
 * A row is not cut into parts that run at once, although few long rows leave most of the device idle: what reaches from one
 * part into the next would have to be carried by a power of the companion matrix, which costs filters whose poles lie close
 * together up to four digits more than the recurrence itself (tried in double, 8 poles near 1). */
#include "core/complex.h"
#include "cuda/axis.h"
#include "cuda/kernel.cuh"
#include "cuda/scratch.h"

using namespace garray__cuda;

namespace {

enum { ROWS = 64 };                     /* threads of a block */
/* items read at once */
template <class P, class V, bool VECTORS>
constexpr int ahead = (VECTORS ? 128 : sizeof(V) > sizeof(double) ? 32 : 64) / (int)sizeof(P);

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

/* Items of parts P as values V, double or complex. */
template <class V> constexpr int parts = sizeof(V) / sizeof(double);
template <class P> __device__ __forceinline__ double value(const P *part, double) { return (double)part[0]; }
template <class P> __device__ __forceinline__ garray__c128 value(const P *part, garray__c128)
{
    return make((double)part[0], (double)part[1]);
}
template <class P> __device__ __forceinline__ void take_apart(P *part, double v) { part[0] = (P)v; }
template <class P> __device__ __forceinline__ void take_apart(P *part, garray__c128 v)
{
    part[0] = (P)v.re;
    part[1] = (P)v.im;
}

/* COUNT items of PARTS parts, step bytes apart, or side by side in whole vectors. */
template <bool VECTORS, int COUNT, int PARTS, class P>
__device__ __forceinline__ void read(const char *p, int64_t step, P (&part)[COUNT * PARTS])
{
    if constexpr (VECTORS) {
        constexpr int EACH = 16 / (int)sizeof(P);
#pragma unroll
        for (int v = 0; v < COUNT * PARTS / EACH; v++) {
            const pack<16> x = load_aligned<16>(p + 16 * v);
#pragma unroll
            for (int e = 0; e < EACH; e++)
                part[v * EACH + e] = item<P>(x, e);
        }
    } else {
#pragma unroll
        for (int i = 0; i < COUNT; i++)
#pragma unroll
            for (int k = 0; k < PARTS; k++)
                part[i * PARTS + k] = item_load<P>(p + i * step + k * (int)sizeof(P));
    }
}

template <bool VECTORS, int COUNT, int PARTS, class P>
__device__ __forceinline__ void write(char *p, int64_t step, const P (&part)[COUNT * PARTS])
{
    if constexpr (VECTORS) {
        constexpr int EACH = 16 / (int)sizeof(P);
#pragma unroll
        for (int v = 0; v < COUNT * PARTS / EACH; v++) {
            pack<16> x = zero_pack<16>();
#pragma unroll
            for (int e = 0; e < EACH; e++)
                set_item(x, e, part[v * EACH + e]);
            store_aligned<16>(p + 16 * v, x);
        }
    } else {
#pragma unroll
        for (int i = 0; i < COUNT; i++)
#pragma unroll
            for (int k = 0; k < PARTS; k++)
                item_store<P>(p + i * step + k * (int)sizeof(P), part[i * PARTS + k]);
    }
}

__device__ __forceinline__ void clear(double &v) { v = 0; }
__device__ __forceinline__ void clear(garray__c128 &v) { v = make(0, 0); }

/* A state of N numbers in registers, or, unless EXACT, of up to N. */
template <int N, bool EXACT, class V> struct near_state {
    V z[N + 1], b[N + 1], a[N + 1];
    int order;

    __device__ near_state(const recur_args &r, int64_t row) : order(EXACT ? N : r.order)
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
            if (EXACT || k < order)
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

/* The items that come next are on their way while the state takes those before them: one item after the other is what limits a
 * row, not the arithmetic. */
template <class P, class V, bool VECTORS, class State>
__global__ void __launch_bounds__(ROWS) recur(const __grid_constant__ recur_args r)
{
    constexpr int AHEAD = ahead<P, V, VECTORS>, PARTS = parts<V>;
    const int64_t row = (int64_t)blockIdx.x * ROWS + threadIdx.x, in_step = r.in_strides[1], out_step = r.out_strides[1];
    if (row >= r.rows)
        return;
    const char *in = r.in + row / r.inner * r.in_strides[0] + row % r.inner * r.in_strides[2];
    char *out = r.out + row / r.inner * r.out_strides[0] + row % r.inner * r.out_strides[2];
    State state(r, row);
    P coming[AHEAD * PARTS];
    int64_t i = 0;
    if (AHEAD <= r.n)
        read<VECTORS, AHEAD, PARTS>(in, in_step, coming);
#pragma unroll 1
    for (; i + AHEAD <= r.n; i += AHEAD, in += AHEAD * in_step, out += AHEAD * out_step) {
        P now[AHEAD * PARTS];
#pragma unroll
        for (int k = 0; k < AHEAD * PARTS; k++)
            now[k] = coming[k];
        if (i + 2 * AHEAD <= r.n)
            read<VECTORS, AHEAD, PARTS>(in + AHEAD * in_step, in_step, coming);
#pragma unroll
        for (int k = 0; k < AHEAD; k++)
            take_apart(&now[k * PARTS], state.next(value(&now[k * PARTS], V())));
        write<VECTORS, AHEAD, PARTS>(out, out_step, now);
    }
    for (; i < r.n; i++, in += in_step, out += out_step) {
        P one[PARTS];
        read<false, 1, PARTS>(in, in_step, one);
        take_apart(one, state.next(value(one, V())));
        write<false, 1, PARTS>(out, out_step, one);
    }
    state.finish(r, row);
}

template <class P, class V, bool VECTORS> const void *kernel_of(int order)
{
    switch (order) {
    case 1: return (const void *)recur<P, V, VECTORS, near_state<1, true, V>>;
    case 2: return (const void *)recur<P, V, VECTORS, near_state<2, true, V>>;
    case 3: return (const void *)recur<P, V, VECTORS, near_state<3, true, V>>;
    case 4: return (const void *)recur<P, V, VECTORS, near_state<4, true, V>>;
    default: break;
    }
    return order <= 8 ? (const void *)recur<P, V, VECTORS, near_state<8, false, V>>
                      : (const void *)recur<P, V, false, far_state<V>>;
}

/* The items of every row lie side by side and begin with a whole vector. */
bool in_vectors(const void *p, const int64_t *strides, int64_t inner, int64_t size)
{
    return strides[1] == size && (uintptr_t)p % 16 == 0 && strides[0] % 16 == 0 && (inner == 1 || strides[2] % 16 == 0);
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
    const int64_t size = (p->dtype == GARRAY_FLOAT32 ? 4 : 8) * (p->dtype == GARRAY_COMPLEX128 ? 2 : 1);
    const bool vectors = in_vectors(p->in, p->in_strides, p->inner, size) && in_vectors(p->out, p->out_strides, p->inner, size);
    const void *kernel;
    switch (p->dtype) {
    case GARRAY_FLOAT32:
        kernel = vectors ? kernel_of<float, double, true>(p->order) : kernel_of<float, double, false>(p->order);
        break;
    case GARRAY_FLOAT64:
        kernel = vectors ? kernel_of<double, double, true>(p->order) : kernel_of<double, double, false>(p->order);
        break;
    case GARRAY_COMPLEX64: kernel = kernel_of<float, garray__c128, false>(p->order); break;
    default: kernel = kernel_of<double, garray__c128, false>(p->order); break;
    }
    const garray_status st =
        garray__cuda_launch(q, "lfilter", kernel, dim3((unsigned)((r.rows + ROWS - 1) / ROWS)), dim3(ROWS), 0, list);
    garray__scratch_drop(&scratch);
    return st;
}
