/* SPDX-License-Identifier: BSD-3-Clause
 * The item of a rank in each window, a thread for each output.  Medians of the usual windows are selected in registers,
 * by forgetting the smallest and the largest of a few more than half of the items whenever another one comes; other
 * ranks and windows bit by bit, by counting the items below. */
#include "cuda/kernel.cuh"
#include "cuda/window.h"

using namespace garray__cuda;

namespace {

enum { SINT, UINT, FLOAT };

struct rank_args {
    const char *in;
    char *out;
    int64_t count, taps, rank;
    int32_t ndim, kind, size, reserved;
    uint64_t infinity;
    int64_t out_shape[GARRAY_MAX_NDIM], in_shape[GARRAY_MAX_NDIM], window[GARRAY_MAX_NDIM], origin[GARRAY_MAX_NDIM];
    int64_t in_strides[GARRAY_MAX_NDIM], out_strides[GARRAY_MAX_NDIM];
};
static_assert(sizeof(rank_args) <= 4000, "kernel arguments have 4 KiB");

__device__ __forceinline__ uint64_t load_bits(const char *p, int size)
{
    if (((uintptr_t)p & (size - 1)) != 0) {
        uint64_t v = 0;
        for (int i = 0; i < size; i++)
            v |= (uint64_t)(uint8_t)p[i] << (8 * i);
        return v;
    }
    return size == 1 ? *(const uint8_t *)p : size == 2 ? *(const uint16_t *)p
         : size == 4 ? *(const uint32_t *)p : *(const uint64_t *)p;
}

__device__ __forceinline__ void store_bits(char *p, int size, uint64_t v)
{
    if (((uintptr_t)p & (size - 1)) != 0) {
        for (int i = 0; i < size; i++)
            p[i] = (char)(v >> (8 * i));
    } else if (size == 1) {
        *(uint8_t *)p = (uint8_t)v;
    } else if (size == 2) {
        *(uint16_t *)p = (uint16_t)v;
    } else if (size == 4) {
        *(uint32_t *)p = (uint32_t)v;
    } else {
        *(uint64_t *)p = v;
    }
}

/* Bits to unsigned numbers of as many bits that are in order (NaN last), and back. */
__device__ __forceinline__ uint64_t to_key(const rank_args &a, uint64_t v)
{
    const uint64_t top = 1ull << (8 * a.size - 1), all = top | (top - 1);
    if (a.kind == SINT)
        return v ^ top;
    if (a.kind == FLOAT) {
        if ((v & (top - 1)) > a.infinity)
            return all;
        return v & top ? ~v & all : v | top;
    }
    return v;
}

__device__ __forceinline__ uint64_t from_key(const rank_args &a, uint64_t k)
{
    const uint64_t top = 1ull << (8 * a.size - 1), all = top | (top - 1);
    if (a.kind == SINT)
        return k ^ top;
    if (a.kind == FLOAT)
        return k & top ? k & (top - 1) : ~k & all;
    return k;
}

/* The items of one window, one after the other. */
struct cursor {
    int64_t place[GARRAY_MAX_NDIM], tap[GARRAY_MAX_NDIM];       /* place: of the window's first item, but the last axis */
    int64_t start, k;
    const char *row;

    __device__ void find(const rank_args &a)
    {
        row = a.in;
        for (int d = 0; d < a.ndim - 1; d++) {
            const int64_t at = place[d] + tap[d];
            if (at < 0 || at >= a.in_shape[d]) {
                row = nullptr;
                return;
            }
            row += at * a.in_strides[d];
        }
    }
    __device__ void begin(const rank_args &a)
    {
        for (int d = 0; d < a.ndim - 1; d++)
            tap[d] = 0;
        k = 0;
        find(a);
    }
    __device__ __forceinline__ uint64_t next(const rank_args &a)
    {
        const int last = a.ndim - 1;
        const int64_t at = start + k;
        uint64_t v = 0;
        if (row && at >= 0 && at < a.in_shape[last])
            v = load_bits(row + at * a.in_strides[last], a.size);
        if (++k == a.window[last]) {
            k = 0;
            for (int d = last - 1; d >= 0; d--) {
                if (++tap[d] < a.window[d])
                    break;
                tap[d] = 0;
            }
            if (last > 0)
                find(a);
        }
        return to_key(a, v);
    }
};

/* Where output i is written; the cursor is set to the window under it. */
__device__ __forceinline__ char *open_window(const rank_args &a, int64_t i, cursor &c)
{
    char *to = a.out;
    for (int d = a.ndim - 1; d >= 0; d--) {
        const int64_t at = i % a.out_shape[d];
        i /= a.out_shape[d];
        to += at * a.out_strides[d];
        if (d == a.ndim - 1)
            c.start = at - a.origin[d];
        else
            c.place[d] = at - a.origin[d];
    }
    c.begin(a);
    return to;
}

template <class K> __device__ __forceinline__ void exchange(K &x, K &y)
{
    const K low = x < y ? x : y;
    y = x < y ? y : x;
    x = low;
}

/* The smallest of M items to the first one, the largest to the last one. */
template <int M, class K> __device__ __forceinline__ void to_ends(K *v)
{
#pragma unroll
    for (int i = 0; i < M / 2; i++)
        exchange(v[i], v[M - 1 - i]);
#pragma unroll
    for (int i = 1; i < (M + 1) / 2; i++)
        exchange(v[0], v[i]);
#pragma unroll
    for (int i = M / 2; i < M - 1; i++)
        exchange(v[i], v[M - 1]);
}

template <int M, class K> __device__ __forceinline__ void forget(const rank_args &a, cursor &c, K *v)
{
    to_ends<M>(v);
    if constexpr (M > 3) {
        v[0] = (K)c.next(a);
        forget<M - 1>(a, c, v);
    }
}

template <int N, class K> __global__ void __launch_bounds__(GARRAY_CUDA_BLOCK) median(const __grid_constant__ rank_args a)
{
    for (int64_t i = (int64_t)blockIdx.x * GARRAY_CUDA_BLOCK + threadIdx.x; i < a.count;
         i += (int64_t)gridDim.x * GARRAY_CUDA_BLOCK) {
        cursor c;
        char *to = open_window(a, i, c);
        K v[N / 2 + 2];
#pragma unroll
        for (int j = 0; j < N / 2 + 2; j++)
            v[j] = (K)c.next(a);
        forget<N / 2 + 2>(a, c, v);
        store_bits(to, a.size, from_key(a, v[1]));
    }
}

__global__ void __launch_bounds__(GARRAY_CUDA_BLOCK) any_rank(const __grid_constant__ rank_args a)
{
    for (int64_t i = (int64_t)blockIdx.x * GARRAY_CUDA_BLOCK + threadIdx.x; i < a.count;
         i += (int64_t)gridDim.x * GARRAY_CUDA_BLOCK) {
        cursor c;
        char *to = open_window(a, i, c);
        uint64_t key = 0;               /* the largest number that at most rank items are below */
        for (int bit = 8 * a.size - 1; bit >= 0; bit--) {
            const uint64_t candidate = key | 1ull << bit;
            int64_t below = 0;
            c.begin(a);
            for (int64_t k = 0; k < a.taps; k++)
                below += c.next(a) < candidate;
            if (below <= a.rank)
                key = candidate;
        }
        store_bits(to, a.size, from_key(a, key));
    }
}

template <class K> const void *median_kernel(int64_t n)
{
    switch (n) {
    case 3: return (const void *)median<3, K>;
    case 5: return (const void *)median<5, K>;
    case 7: return (const void *)median<7, K>;
    case 9: return (const void *)median<9, K>;
    case 25: return (const void *)median<25, K>;
    default: return nullptr;
    }
}

} /* namespace */

extern "C" garray_status garray__cuda_rank(const garray__queue *q, const garray_window_plan *p)
{
    static const uint8_t sizes[] = {0, 1, 1, 2, 4, 8, 1, 2, 4, 8, 2, 2, 4, 8};
    rank_args a = {};
    a.in = (const char *)p->in;
    a.out = (char *)p->out;
    a.count = p->count;
    a.taps = p->taps;
    a.rank = p->rank;
    a.ndim = p->ndim;
    a.kind = p->dtype >= GARRAY_FLOAT16 ? FLOAT : p->dtype >= GARRAY_UINT8 ? UINT : SINT;
    a.size = sizes[p->dtype];
    a.infinity = p->dtype == GARRAY_FLOAT16    ? 0x7c00
                 : p->dtype == GARRAY_BFLOAT16 ? 0x7f80
                 : p->dtype == GARRAY_FLOAT32  ? 0x7f800000
                                               : 0x7ff0000000000000;
    for (int d = 0; d < p->ndim; d++) {
        a.out_shape[d] = p->out_shape[d];
        a.in_shape[d] = p->in_shape[d];
        a.window[d] = p->window[d];
        a.origin[d] = p->origin[d];
        a.in_strides[d] = p->in_strides[d];
        a.out_strides[d] = p->out_strides[d];
    }
    const void *kernel = p->rank != p->taps / 2 ? nullptr
                         : a.size == 8          ? median_kernel<uint64_t>(p->taps)
                                                : median_kernel<uint32_t>(p->taps);
    void *list[] = {&a};
    int64_t blocks = (a.count + GARRAY_CUDA_BLOCK - 1) / GARRAY_CUDA_BLOCK;
    blocks = blocks < 1 << 20 ? blocks : 1 << 20;
    return garray__cuda_launch(q, "rank filter", kernel ? kernel : (const void *)any_rank, dim3((unsigned)blocks),
                               dim3(GARRAY_CUDA_BLOCK), 0, list);
}
