/* SPDX-License-Identifier: BSD-3-Clause
 * Products of a matrix of real floats and a vector, read once: along the rows where the sums run, or across them.  16-bit floats
 * and float32 are summed in float32, float64 in itself, with fused products, in an order that the sizes alone decide. */
#include "cuda/kernel.cuh"
#include "cuda/matmul.h"
#include "cuda/scalar.cuh"

using namespace garray__cuda;

namespace {

constexpr int THREADS = GARRAY_CUDA_BLOCK, WARPS = THREADS / 32;
constexpr uint32_t ALL_LANES = 0xffffffffu;

/* The same arguments serve both: a is the matrix, b the vector (item i at b_row * i), m the results, k the items of a sum. */
__device__ __forceinline__ const garray__axis *axes_of(const garray__product_args &p)
{
    return p.far_axes ? p.far_axes : p.axes;
}

template <class T, class S> __device__ __forceinline__ void put(T *c, S sum, const garray__product_args &p)
{
    S v = (S)p.alpha[0] * sum;
    if (p.beta[0] != 0)
        v += (S)p.beta[0] * (S)value_of(*c);
    *c = store_as<T>(v);
}

template <class T> __device__ __forceinline__ pack<16> load_vector(const T *p)
{
    return ((uintptr_t)p & 15) == 0 ? load_aligned<16>(p) : load_shifted<sizeof(T)>(p);
}

/* EACH items of the vector from i on. */
template <class T> __device__ __forceinline__ pack<16> load_items(const T *b, int64_t i, int64_t step)
{
    if (step == 1)
        return load_vector(b + i);
    pack<16> v = zero_pack<16>();
#pragma unroll
    for (int e = 0; e < 16 / (int)sizeof(T); e++)
        set_item(v, e, b[(i + e) * step]);
    return v;
}

template <class T, class S>
__device__ __forceinline__ void multiply(S (&sum)[16 / sizeof(T)], const pack<16> &x, const pack<16> &y)
{
#pragma unroll
    for (int e = 0; e < 16 / (int)sizeof(T); e++)
        sum[e] = fma((S)value_of(item<T>(x, e)), (S)value_of(item<T>(y, e)), sum[e]);
}

/* A sum, or its part of a segment. */
template <class T, class S>
__device__ __forceinline__ void leave(const garray__product_args &p, int64_t item_of, int64_t segment, int64_t to,
                                      int64_t offset, S total)
{
    if (p.segments > 1)
        ((S *)p.partial)[(item_of * p.segments + segment) * p.m + to] = total;
    else
        put((T *)p.c + offset + to * p.c_row, total, p);
}

/* ---- along the rows ---- */
/* LANES threads for a segment of each row.  The matrix is read at vector boundaries, whatever that makes of the vector, which
 * comes from the cache. */
template <class T, class S, int LANES> __global__ void __launch_bounds__(THREADS, 4)
    rows_times_vector(const __grid_constant__ garray__product_args p)
{
    constexpr int EACH = 16 / (int)sizeof(T), ROWS = THREADS / LANES, UNROLL = 4;
    __shared__ S warp_sum[WARPS];
    const int64_t groups = (p.m + ROWS - 1) / ROWS;
    const int64_t segment = blockIdx.x / groups % p.segments, item_of = blockIdx.x / groups / p.segments;
    const int lane = threadIdx.x % LANES;
    const int64_t row = blockIdx.x % groups * ROWS + threadIdx.x / LANES, begin = segment * p.segment;
    int64_t offset[3] = {0, 0, 0};
    axis_walk<3>(axes_of(p), p.nbatch, true, item_of, offset);
    const T *a = (const T *)p.a + offset[0] + (row < p.m ? row : p.m - 1) * p.a_row + begin;
    const T *b = (const T *)p.b + offset[1] + begin * p.b_row;
    int64_t length = min(p.segment, p.k - begin);
    const int64_t head = min((int64_t)((-(uintptr_t)a & 15) / sizeof(T)), length);

    S sum[EACH] = {};
    for (int64_t i = lane; i < head; i += LANES)
        sum[0] = fma((S)value_of(a[i]), (S)value_of(b[i * p.b_row]), sum[0]);
    a += head;
    b += head * p.b_row;
    length -= head;
    const int64_t vectors = length / EACH;
    const bool aligned = ((uintptr_t)b & 15) == 0 && p.b_row == 1;
    int64_t v = lane;
    if (aligned)
        for (; v + (UNROLL - 1) * LANES < vectors; v += UNROLL * LANES) {
            pack<16> x[UNROLL], y[UNROLL];
#pragma unroll
            for (int u = 0; u < UNROLL; u++) {
                x[u] = load_aligned<16>(a + (v + u * LANES) * EACH);
                y[u] = load_aligned<16>(b + (v + u * LANES) * EACH);
            }
#pragma unroll
            for (int u = 0; u < UNROLL; u++)
                multiply<T, S>(sum, x[u], y[u]);
        }
#pragma unroll 1
    for (; v < vectors; v += UNROLL * LANES) {
        pack<16> x[UNROLL];
#pragma unroll
        for (int u = 0; u < UNROLL; u++)
            if (v + u * LANES < vectors)
                x[u] = load_aligned<16>(a + (v + u * LANES) * EACH);
#pragma unroll
        for (int u = 0; u < UNROLL; u++)
            if (v + u * LANES < vectors)
                multiply<T, S>(sum, x[u], load_items(b, (v + u * LANES) * EACH, p.b_row));
    }
    for (int64_t i = vectors * EACH + lane; i < length; i += LANES)
        sum[0] = fma((S)value_of(a[i]), (S)value_of(b[i * p.b_row]), sum[0]);

#pragma unroll
    for (int n = EACH / 2; n > 0; n /= 2)
#pragma unroll
        for (int e = 0; e < n; e++)
            sum[e] += sum[e + n];
    S total = sum[0];
#pragma unroll
    for (int d = (LANES < 32 ? LANES : 32) / 2; d > 0; d >>= 1)
        total += __shfl_xor_sync(ALL_LANES, total, d);
    if constexpr (LANES > 32) {
        if ((threadIdx.x & 31) == 0)
            warp_sum[threadIdx.x >> 5] = total;
        __syncthreads();
        total = 0;
#pragma unroll
        for (int w = 0; w < LANES / 32; w++)
            total += warp_sum[threadIdx.x / LANES * (LANES / 32) + w];
    }
    if (lane == 0 && row < p.m)
        leave<T>(p, item_of, segment, row, offset[2], total);
}

/* Of a matrix that is read once: it leaves the first cache to the vector. */
__device__ __forceinline__ pack<16> load_once(const void *p)
{
    pack<16> v;
    asm volatile("ld.global.nc.L1::no_allocate.L2::128B.v4.u32 {%0, %1, %2, %3}, [%4];"
                 : "=r"(v.w[0]), "=r"(v.w[1]), "=r"(v.w[2]), "=r"(v.w[3])
                 : "l"(p));
    return v;
}

/* The same for two rows at a time, where rows and vector begin at vector boundaries: what is read of the vector serves both. */
template <class T, class S, int LANES> __global__ void __launch_bounds__(THREADS, 4)
    two_rows_times_vector(const __grid_constant__ garray__product_args p)
{
    constexpr int EACH = 16 / (int)sizeof(T), GROUPS = THREADS / LANES, UNROLL = 4, WARPS_OF = LANES / 32;
    __shared__ S warp_sum[2][WARPS];
    const int64_t groups = (p.m + 2 * GROUPS - 1) / (2 * GROUPS);
    const int64_t segment = blockIdx.x / groups % p.segments, item_of = blockIdx.x / groups / p.segments;
    const int lane = threadIdx.x % LANES, group = threadIdx.x / LANES;
    const int64_t row = (blockIdx.x % groups * GROUPS + group) * 2, begin = segment * p.segment, last = p.m - 1;
    int64_t offset[3] = {0, 0, 0};
    axis_walk<3>(axes_of(p), p.nbatch, true, item_of, offset);
    const T *a = (const T *)p.a + offset[0] + begin, *b = (const T *)p.b + offset[1] + begin;
    const T *one = a + (row < last ? row : last) * p.a_row, *two = a + (row + 1 < last ? row + 1 : last) * p.a_row;
    const int64_t length = min(p.segment, p.k - begin), vectors = length / EACH;

    S sum[2][EACH] = {};
    int64_t v = lane;
    for (; v + (UNROLL - 1) * LANES < vectors; v += UNROLL * LANES) {
        pack<16> x[2][UNROLL], y[UNROLL];
#pragma unroll
        for (int u = 0; u < UNROLL; u++) {
            x[0][u] = load_once(one + (v + u * LANES) * EACH);
            x[1][u] = load_once(two + (v + u * LANES) * EACH);
        }
#pragma unroll
        for (int u = 0; u < UNROLL; u++)
            y[u] = load_aligned<16>(b + (v + u * LANES) * EACH);
#pragma unroll
        for (int u = 0; u < UNROLL; u++) {
            multiply<T, S>(sum[0], x[0][u], y[u]);
            multiply<T, S>(sum[1], x[1][u], y[u]);
        }
    }
    if (v < vectors) {
        pack<16> x[2][UNROLL], y[UNROLL];
#pragma unroll
        for (int u = 0; u < UNROLL; u++)
            if (v + u * LANES < vectors) {
                x[0][u] = load_once(one + (v + u * LANES) * EACH);
                x[1][u] = load_once(two + (v + u * LANES) * EACH);
                y[u] = load_aligned<16>(b + (v + u * LANES) * EACH);
            }
#pragma unroll
        for (int u = 0; u < UNROLL; u++)
            if (v + u * LANES < vectors) {
                multiply<T, S>(sum[0], x[0][u], y[u]);
                multiply<T, S>(sum[1], x[1][u], y[u]);
            }
    }
    for (int64_t i = vectors * EACH + lane; i < length; i += LANES) {
        sum[0][0] = fma((S)value_of(one[i]), (S)value_of(b[i]), sum[0][0]);
        sum[1][0] = fma((S)value_of(two[i]), (S)value_of(b[i]), sum[1][0]);
    }

#pragma unroll
    for (int r = 0; r < 2; r++) {
#pragma unroll
        for (int n = EACH / 2; n > 0; n /= 2)
#pragma unroll
            for (int e = 0; e < n; e++)
                sum[r][e] += sum[r][e + n];
#pragma unroll
        for (int d = 16; d > 0; d >>= 1)
            sum[r][0] += __shfl_xor_sync(ALL_LANES, sum[r][0], d);
        if ((threadIdx.x & 31) == 0)
            warp_sum[r][threadIdx.x >> 5] = sum[r][0];
    }
    __syncthreads();
    if (lane < 2 && row + lane < p.m) {
        S total = 0;
#pragma unroll
        for (int w = 0; w < WARPS_OF; w++)
            total += warp_sum[lane][group * WARPS_OF + w];
        leave<T>(p, item_of, segment, row + lane, offset[2], total);
    }
}

/* ---- across the rows ---- */
/* The matrix has k rows of m items; a block sums a segment of the rows for LANES vectors of columns. */
template <class T, class S, int LANES> __global__ void __launch_bounds__(THREADS, 4)
    vector_times_rows(const __grid_constant__ garray__product_args p)
{
    constexpr int EACH = 16 / (int)sizeof(T), UNROLL = 4, GROUPS = THREADS / LANES, WIDTH = LANES * EACH;
    __shared__ S room[GROUPS][WIDTH];
    const int lane = threadIdx.x % LANES, group = threadIdx.x / LANES;
    const int64_t strips = (p.m + WIDTH - 1) / WIDTH;
    const int64_t strip = blockIdx.x % strips, segment = blockIdx.x / strips % p.segments;
    const int64_t item_of = blockIdx.x / strips / p.segments;
    const int64_t column = (strip * LANES + lane) * EACH, end = min((segment + 1) * p.segment, p.k);
    int64_t offset[3] = {0, 0, 0};
    axis_walk<3>(axes_of(p), p.nbatch, true, item_of, offset);
    const T *a = (const T *)p.a + offset[0] + column, *b = (const T *)p.b + offset[1];

    S sum[EACH] = {};
    int64_t k = segment * p.segment + group;
    if (column + EACH <= p.m) {
        const bool aligned = ((uintptr_t)a & 15) == 0 && p.a_row % EACH == 0;
        for (; aligned && k + (UNROLL - 1) * GROUPS < end; k += UNROLL * GROUPS) {
            pack<16> x[UNROLL];
            S y[UNROLL];
#pragma unroll
            for (int u = 0; u < UNROLL; u++) {
                x[u] = load_aligned<16>(a + (k + u * GROUPS) * p.a_row);
                y[u] = (S)value_of(b[(k + u * GROUPS) * p.b_row]);
            }
#pragma unroll
            for (int u = 0; u < UNROLL; u++)
#pragma unroll
                for (int e = 0; e < EACH; e++)
                    sum[e] = fma((S)value_of(item<T>(x[u], e)), y[u], sum[e]);
        }
#pragma unroll 2
        for (; k < end; k += GROUPS) {
            const pack<16> x = load_vector(a + k * p.a_row);
            const S y = (S)value_of(b[k * p.b_row]);
#pragma unroll
            for (int e = 0; e < EACH; e++)
                sum[e] = fma((S)value_of(item<T>(x, e)), y, sum[e]);
        }
    } else {
        for (; k < end; k += GROUPS)
#pragma unroll
            for (int e = 0; e < EACH; e++)
                if (column + e < p.m)
                    sum[e] = fma((S)value_of(a[k * p.a_row + e]), (S)value_of(b[k * p.b_row]), sum[e]);
    }
#pragma unroll
    for (int e = 0; e < EACH; e++)
        room[group][e * LANES + lane] = sum[e];
    __syncthreads();
    for (int i = threadIdx.x; i < WIDTH; i += THREADS) {
        const int64_t to = strip * WIDTH + i;
        const int from = i % EACH * LANES + i / EACH;
        S total = 0;
#pragma unroll 8
        for (int g = 0; g < GROUPS; g++)
            total += room[g][from];
        if (to < p.m)
            leave<T>(p, item_of, segment, to, offset[2], total);
    }
}

/* 32 threads for each of 8 sums. */
template <class T, class S>
__global__ void __launch_bounds__(THREADS) add_segments(const __grid_constant__ garray__product_args p)
{
    constexpr int SUMS = 8, PARTS = THREADS / SUMS;
    __shared__ S room[PARTS][SUMS];
    const int part = threadIdx.x / SUMS, of = threadIdx.x % SUMS;
    const int64_t i = (int64_t)blockIdx.x * SUMS + of, item_of = i / p.m, to = i - item_of * p.m;
    S total = 0;
    if (i < p.batch * p.m) {
        const S *from = (const S *)p.partial + item_of * p.segments * p.m + to;
#pragma unroll 4
        for (int64_t s = part; s < p.segments; s += PARTS)
            total += from[s * p.m];
    }
    room[part][of] = total;
#pragma unroll
    for (int d = PARTS / 2; d > 0; d /= 2) {
        __syncthreads();
        if (part < d) {
            total += room[part + d][of];
            room[part][of] = total;
        }
    }
    if (part > 0 || i >= p.batch * p.m)
        return;
    int64_t offset[3] = {0, 0, 0};
    axis_walk<3>(axes_of(p), p.nbatch, true, item_of, offset);
    put((T *)p.c + offset[2] + to * p.c_row, total, p);
}

garray_status launch(const garray__queue *q, const void *kernel, int64_t blocks, const garray__product_args *args)
{
    garray__product_args p = *args;
    void *list[] = {&p};
    if (blocks > INT32_MAX)
        return garray__cuda_host->fail(GARRAY_ERR_UNSUPPORTED, "a product of a matrix with %lld x %lld and a vector, %lld times, "
                                       "is too large for one launch", (long long)p.m, (long long)p.k, (long long)p.batch);
    return garray__cuda_launch(q, "matmul", kernel, dim3((unsigned)blocks), dim3(THREADS), 0, list);
}

/* Rows and vector begin at vector boundaries, in each item of the batch. */
template <class T> bool in_vectors(const garray__product_args &p)
{
    constexpr int64_t EACH = 16 / (int64_t)sizeof(T);
    if ((uintptr_t)p.a % 16 != 0 || (uintptr_t)p.b % 16 != 0 || p.a_row % EACH != 0 || p.b_row != 1 || p.far_axes)
        return false;
    for (int d = 0; d < p.nbatch; d++)
        if (p.axes[d].stride[0] % EACH != 0 || p.axes[d].stride[1] % EACH != 0)
            return false;
    return true;
}

template <class T, class S> garray_status run(const garray__queue *q, const garray__product_args *p)
{
    const int lanes = p->lanes;
    const int64_t each = 16 / (int64_t)sizeof(T);
    if (p->along) {
        const bool two = lanes >= 128 && in_vectors<T>(*p);
        const int64_t rows = two ? 2 * (THREADS / lanes) : THREADS / (lanes < 128 ? lanes : 128);
        const void *kernel = lanes == 4    ? (const void *)rows_times_vector<T, S, 4>
                             : lanes == 32 ? (const void *)rows_times_vector<T, S, 32>
                             : !two        ? (const void *)rows_times_vector<T, S, 128>
                             : lanes == 128 ? (const void *)two_rows_times_vector<T, S, 128>
                                            : (const void *)two_rows_times_vector<T, S, 256>;
        GARRAY_CUDA_TRY(launch(q, kernel, (p->m + rows - 1) / rows * p->segments * p->batch, p));
    } else {
        GARRAY_CUDA_TRY(launch(q, lanes == 4 ? (const void *)vector_times_rows<T, S, 4>
                                             : (const void *)vector_times_rows<T, S, 32>,
                               (p->m + lanes * each - 1) / (lanes * each) * p->segments * p->batch, p));
    }
    return p->segments > 1 ? launch(q, (const void *)add_segments<T, S>, (p->batch * p->m + 7) / 8, p) : GARRAY_OK;
}

} /* namespace */

extern "C" garray_status garray__cuda_matvec(const garray__queue *q, int dtype, const garray__product_args *args)
{
    switch (dtype) {
    case GARRAY_FLOAT16: return run<half16, float>(q, args);
    case GARRAY_BFLOAT16: return run<bfloat, float>(q, args);
    case GARRAY_FLOAT32: return run<float, float>(q, args);
    default: return run<double, double>(q, args);
    }
}
