/* SPDX-License-Identifier: BSD-3-Clause
 * Scan kernels.  A long sequence is cut into segments: their totals are taken in a first read, and then each block scans
 * its segment from what is before it.  One read more than a chained scan, in which each tile waits for those before it, but
 * nothing waits; and the order of additions follows from the sizes alone, so the same call gives the same bits. */
#include "cuda/axis.h"
#include "cuda/kernel.cuh"
#include "cuda/scan.h"
#include "cuda/scan_ops.cuh"

using namespace garray__cuda;

namespace {

constexpr int THREADS = GARRAY_CUDA_BLOCK, WARPS = THREADS / 32;
constexpr int TILE_THREADS = GARRAY_CUDA_SCAN_THREADS;

template <class Op> constexpr int items_of = sizeof(typename Op::In) <= 4 ? 16 : sizeof(typename Op::In) == 8 ? 8 : 4;

template <class S> __device__ __forceinline__ S shuffle(const S &s, int lane)
{
    uint32_t w[sizeof(S) / 4];
    S t;
    memcpy(w, &s, sizeof s);
#pragma unroll
    for (int i = 0; i < (int)(sizeof(S) / 4); i++)
        w[i] = __shfl_sync(0xffffffffu, w[i], lane);
    memcpy(&t, w, sizeof t);
    return t;
}

/* Inclusive over the lanes of a warp. */
template <class Op> __device__ __forceinline__ void warp_scan(typename Op::State &s, int lane)
{
#pragma unroll
    for (int d = 1; d < 32; d <<= 1) {
        typename Op::State before = shuffle(s, lane >= d ? lane - d : lane);
        if (lane >= d) {
            Op::merge(before, s);
            s = before;
        }
    }
}

/* The total of all lanes, in every lane, by a fixed tree. */
template <class Op> __device__ __forceinline__ typename Op::State warp_total(typename Op::State s, int lane)
{
#pragma unroll
    for (int d = 16; d > 0; d >>= 1) {
        const typename Op::State other = shuffle(s, (lane + d) & 31);
        Op::merge(s, other);
    }
    return shuffle(s, 0);
}

/* Byte offset of a sequence. */
__device__ __forceinline__ int64_t sequence_offset(const garray__scan_args &a, int64_t sequence, const int64_t (&stride)[3])
{
    const int64_t row = sequence / a.inner;
    return row * stride[0] + (sequence - row * a.inner) * stride[2];
}

/* The total of each segment of long sequences. */
template <class Op>
__global__ void __launch_bounds__(TILE_THREADS) segment_totals(const __grid_constant__ garray__scan_args a)
{
    typedef typename Op::In In;
    typedef typename Op::State State;
    constexpr int ahead = 8;            /* loads under way together */
    __shared__ alignas(16) unsigned char room[sizeof(State) * (TILE_THREADS / 32)];
    State *warps = (State *)room;
    const int64_t sequence = blockIdx.x / a.segments, begin = (blockIdx.x - sequence * a.segments) * a.segment;
    const int64_t count = min(a.segment, a.n - begin), step = a.in_stride[1];
    const char *from = a.in + sequence_offset(a, sequence, a.in_stride) + begin * step;
    const int lane = threadIdx.x & 31;
    State s = Op::empty();
    int64_t i = threadIdx.x;
#pragma unroll 1
    for (; i + (ahead - 1) * TILE_THREADS < count; i += ahead * TILE_THREADS) {
        In v[ahead];
#pragma unroll
        for (int j = 0; j < ahead; j++)
            v[j] = item_load<In>(from + (i + j * TILE_THREADS) * step, a.unaligned);
#pragma unroll
        for (int j = 0; j < ahead; j++)
            Op::take(s, v[j]);
    }
#pragma unroll 1
    for (; i < count; i += TILE_THREADS)
        Op::take(s, item_load<In>(from + i * step, a.unaligned));
    s = warp_total<Op>(s, lane);
    if (lane == 0)
        warps[threadIdx.x / 32] = s;
    __syncthreads();
    if (threadIdx.x == 0) {
        for (int w = 1; w < TILE_THREADS / 32; w++)
            Op::merge(s, warps[w]);
        ((State *)a.totals)[blockIdx.x] = s;
    }
}

/* The totals of a sequence's segments become what is before each: a warp for each sequence. */
template <class Op> __global__ void __launch_bounds__(THREADS) segment_starts(const __grid_constant__ garray__scan_args a)
{
    typedef typename Op::State State;
    const int lane = threadIdx.x & 31;
    const int64_t sequence = (int64_t)blockIdx.x * WARPS + threadIdx.x / 32;
    if (sequence >= a.outer * a.inner)
        return;
    State *totals = (State *)a.totals + sequence * a.segments, carry = Op::empty();
#pragma unroll 1
    for (int64_t base = 0; base < a.segments; base += 32) {
        State s = base + lane < a.segments ? totals[base + lane] : Op::empty();
        warp_scan<Op>(s, lane);
        const State before = shuffle(s, lane > 0 ? lane - 1 : 0);
        State start = carry;
        if (lane > 0)
            Op::merge(start, before);
        if (base + lane < a.segments)
            totals[base + lane] = start;
        Op::merge(carry, shuffle(s, 31));
    }
}

/* Sequences along the middle axis, or segments of them, tile by tile through shared memory; the next tile's items are
 * under way while a tile is worked on. */
template <class Op>
__global__ void __launch_bounds__(TILE_THREADS, sizeof(typename Op::State) <= 16 ? 2 : 1)
    scan_tiles(const __grid_constant__ garray__scan_args a)
{
    typedef typename Op::In In;
    typedef typename Op::State State;
    constexpr int items = items_of<Op>, tile = items * TILE_THREADS;
    __shared__ alignas(16) unsigned char room[sizeof(In) * (tile + TILE_THREADS)];
    __shared__ alignas(16) unsigned char warp_room[sizeof(State) * (TILE_THREADS / 32)];
    In *data = (In *)room;              /* a thread's items are one place apart from the next thread's: no bank conflicts */
    State *warp_totals = (State *)warp_room;
    const int thread = threadIdx.x, lane = thread & 31, warp = thread >> 5, mine = thread * items;
    const int64_t sequence = blockIdx.x / a.segments, begin = (blockIdx.x - sequence * a.segments) * a.segment;
    const int64_t end = min(begin + a.segment, a.n);
    const char *in = a.in + sequence_offset(a, sequence, a.in_stride);
    char *out = a.out + sequence_offset(a, sequence, a.out_stride);

    In v[items];
    const auto load = [&](int64_t base) {
        const int64_t count = end - base, step = TILE_THREADS * a.in_stride[1];
        const char *from = in + (base + thread) * a.in_stride[1];
#pragma unroll
        for (int j = 0; j < items; j++)
            if (j * TILE_THREADS + thread < count)
                v[j] = item_load<In>(from + j * step, a.unaligned);
    };

    State carry = a.totals ? ((const State *)a.totals)[blockIdx.x] : Op::empty();
    load(begin);
#pragma unroll 1
    for (int64_t base = begin; base < end; base += tile) {
        const int count = (int)min((int64_t)tile, end - base);
        __syncthreads();
#pragma unroll
        for (int j = 0; j < items; j++) {
            const int i = j * TILE_THREADS + thread;
            if (i < count)
                data[i + i / items] = v[j];
        }
        __syncthreads();
        load(base + tile);

        State s = Op::empty();
#pragma unroll
        for (int j = 0; j < items; j++)
            if (mine + j < count)
                Op::take(s, data[mine + j + thread]);
        warp_scan<Op>(s, lane);
        if (lane == 31)
            warp_totals[warp] = s;
        State before = shuffle(s, lane > 0 ? lane - 1 : 0);     /* exclusive within the warp */
        if (lane == 0)
            before = Op::empty();
        __syncthreads();
        State block_total = warp_totals[0], start = Op::empty();
#pragma unroll
        for (int w = 1; w < (TILE_THREADS / 32); w++) {
            if (w == warp)
                start = block_total;
            Op::merge(block_total, warp_totals[w]);
        }
        State running = carry;
        Op::merge(running, start);
        Op::merge(running, before);
#pragma unroll
        for (int j = 0; j < items; j++)
            if (mine + j < count) {
                Op::take(running, data[mine + j + thread]);
                data[mine + j + thread] = Op::value(running, a.boolean);
            }
        Op::merge(carry, block_total);
        __syncthreads();
        char *to = out + (base + thread) * a.out_stride[1];
        const int64_t step = TILE_THREADS * a.out_stride[1];
#pragma unroll
        for (int j = 0; j < items; j++) {
            const int i = j * TILE_THREADS + thread;
            if (i < count)
                item_store<In>(to + j * step, data[i + i / items], a.unaligned);
        }
    }
}

/* Short sequences: a warp for each. */
template <class Op>
__global__ void __launch_bounds__(THREADS) scan_warps(const __grid_constant__ garray__scan_args a)
{
    typedef typename Op::In In;
    typedef typename Op::State State;
    const int lane = threadIdx.x & 31;
    const int64_t sequence = (int64_t)blockIdx.x * WARPS + threadIdx.x / 32;
    if (sequence >= a.outer * a.inner)
        return;
    const int64_t row = sequence / a.inner, column = sequence - row * a.inner;
    const char *in = a.in + row * a.in_stride[0] + column * a.in_stride[2];
    char *out = a.out + row * a.out_stride[0] + column * a.out_stride[2];
    State carry = Op::empty();
    constexpr int ahead = 4;            /* loads under way together */
#pragma unroll 1
    for (int64_t base = 0; base < a.n; base += 32 * ahead) {
        In v[ahead];
#pragma unroll
        for (int j = 0; j < ahead; j++)
            if (base + 32 * j + lane < a.n)
                v[j] = item_load<In>(in + (base + 32 * j + lane) * a.in_stride[1], a.unaligned);
#pragma unroll
        for (int j = 0; j < ahead; j++) {
            const int64_t i = base + 32 * j + lane;
            if (base + 32 * j >= a.n)
                break;
            State s = Op::empty();
            if (i < a.n)
                Op::take(s, v[j]);
            warp_scan<Op>(s, lane);
            State prefix = carry;
            Op::merge(prefix, s);
            if (i < a.n)
                item_store<In>(out + i * a.out_stride[1], Op::value(prefix, a.boolean), a.unaligned);
            Op::merge(carry, shuffle(s, 31));
        }
    }
}

/* Columns that are next to each other in memory: a block walks down a strip of 2^log_x of them, or down a segment of
 * the strip, whose start is the sum of the segments above (totals, from a first launch with totals_only). */
template <class Op>
__global__ void __launch_bounds__(THREADS, sizeof(typename Op::In) <= 4 ? 3 : 1)
    scan_columns(const __grid_constant__ garray__scan_args a)
{
    typedef typename Op::In In;
    typedef typename Op::State State;
    constexpr int rows = GARRAY_CUDA_SCAN_ROWS;
    __shared__ alignas(16) unsigned char room[sizeof(State) * THREADS];
    State *states = (State *)room;
    const int nx = 1 << a.log_x, ny = THREADS >> a.log_x;
    const int x = threadIdx.x & (nx - 1), y = threadIdx.x >> a.log_x;
    const int64_t strips = (a.inner + nx - 1) >> a.log_x;
    const int64_t segment = blockIdx.x % a.segments, strip = blockIdx.x / a.segments % strips;
    const int64_t row = blockIdx.x / a.segments / strips;
    const int64_t column = (strip << a.log_x) + x, columns = a.outer * a.inner, place = row * a.inner + column;
    const bool active = column < a.inner;
    const int64_t begin = segment * a.segment, end = min(begin + a.segment, a.n);
    const char *in = a.in + row * a.in_stride[0] + column * a.in_stride[2];
    char *out = a.out + row * a.out_stride[0] + column * a.out_stride[2];
    const State *totals = (const State *)a.totals;
    State carry = Op::empty();

    if (!a.totals_only && segment > 0) {
        State s = Op::empty();
        if (active)
#pragma unroll 1
            for (int64_t above = y; above < segment; above += ny)
                Op::merge(s, totals[above * columns + place]);
        states[threadIdx.x] = s;
        __syncthreads();
#pragma unroll 1
        for (int k = 0; k < ny; k++)
            Op::merge(carry, states[(k << a.log_x) + x]);
        __syncthreads();
    }
    const int64_t step = (int64_t)ny * rows;
    In next[rows];
    const auto load = [&](int64_t mine) {
#pragma unroll
        for (int r = 0; r < rows; r++)
            if (active && mine + r < end)
                next[r] = item_load<In>(in + (mine + r) * a.in_stride[1], a.unaligned);
    };
    load(begin + (int64_t)y * rows);
#pragma unroll 1
    for (int64_t base = begin; base < end; base += step) {
        const int64_t mine = base + (int64_t)y * rows;
        In v[rows];
        State s = Op::empty();
#pragma unroll
        for (int r = 0; r < rows; r++) {
            v[r] = next[r];
            if (active && mine + r < end)
                Op::take(s, v[r]);
        }
        states[threadIdx.x] = s;
        load(mine + step);              /* the next step's items are under way while this one's are written */
        __syncthreads();
        State running = carry;
#pragma unroll 2
        for (int k = 0; k < ny; k++) {
            if (k == y)
                running = carry;
            Op::merge(carry, states[(k << a.log_x) + x]);
        }
        __syncthreads();
        if (a.totals_only)
            continue;
#pragma unroll
        for (int r = 0; r < rows; r++)
            if (active && mine + r < end) {
                Op::take(running, v[r]);
                item_store<In>(out + (mine + r) * a.out_stride[1], Op::value(running, a.boolean), a.unaligned);
            }
    }
    if (a.totals_only && active && y == 0)
        ((State *)a.totals)[segment * columns + place] = carry;
}

} /* namespace */

#define KERNELS(...)                                                                                            \
    {(const void *)scan_tiles<__VA_ARGS__>, (const void *)segment_totals<__VA_ARGS__>,                          \
     (const void *)segment_starts<__VA_ARGS__>, (const void *)scan_warps<__VA_ARGS__>, (const void *)scan_columns<__VA_ARGS__>, items_of<__VA_ARGS__> * TILE_THREADS, (int)sizeof(__VA_ARGS__::State)}
#define INTEGER(T) {KERNELS(scan_integer<T, false>), KERNELS(scan_integer<T, true>)}
#define REAL(T) {KERNELS(scan_real_sum<T>), KERNELS(scan_real_product<T>)}
#define COMPLEX(T) {KERNELS(scan_complex_sum<T>), KERNELS(scan_complex_product<T>)}

extern "C" const garray__scan_kernels *garray__cuda_scan_kernels(int dtype, bool product)
{
    static const garray__scan_kernels integers[][2] = {INTEGER(uint8_t), INTEGER(uint16_t), INTEGER(uint32_t),
                                                       INTEGER(uint64_t)};
    static const garray__scan_kernels floats[][2] = {REAL(half16), REAL(bfloat), REAL(float), REAL(double),
                                                     COMPLEX(garray__c64), COMPLEX(garray__c128)};
    if (dtype == GARRAY_BOOL)
        return &integers[0][product];
    if (dtype >= GARRAY_INT8 && dtype <= GARRAY_UINT64)
        return &integers[(dtype - GARRAY_INT8) % 4][product];
    return dtype >= GARRAY_FLOAT16 && dtype <= GARRAY_COMPLEX128 ? &floats[dtype - GARRAY_FLOAT16][product] : NULL;
}
