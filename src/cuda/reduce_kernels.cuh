/* SPDX-License-Identifier: BSD-3-Clause
 * The three kernels of a reduction, and the table entry that holds them:
 *   reduce_rows   items of an output are contiguous: 16-byte vectors, a power of two of threads per row
 *   reduce_grid   any layout, masks, any alignment: x threads along the outputs, y along the reduction
 *   reduce_merge  partial results of segments to outputs
 * Who adds what to what depends on the sizes alone, so a call gives the same bits each time. */
#ifndef GARRAY_CUDA_REDUCE_KERNELS_CUH
#define GARRAY_CUDA_REDUCE_KERNELS_CUH

#include "cuda/kernel.cuh"
#include "cuda/reduce_ops.cuh"

namespace garray__cuda {

template <class Op> struct partial_result {
    typename Op::State state;
    int64_t count;
};

template <class S> __device__ __forceinline__ S shuffle_down(const S &s, int distance)
{
    constexpr int n = sizeof(S) / 4;
    uint32_t w[n > 0 ? n : 1];
    S t;
    if constexpr (n == 0) {
        w[0] = 0;
        memcpy(w, &s, sizeof s);
        w[0] = __shfl_down_sync(0xffffffffu, w[0], distance);
        memcpy(&t, w, sizeof t);
    } else {
        memcpy(w, &s, sizeof s);
#pragma unroll
        for (int i = 0; i < n; i++)
            w[i] = __shfl_down_sync(0xffffffffu, w[i], distance);
        memcpy(&t, w, sizeof t);
    }
    return t;
}

/* Merges the states of each group of 2^log_group neighbouring threads into its first thread; the groups of a block
 * are 1 to 32 threads, or the whole block. */
template <class Op> __device__ __forceinline__ void merge_group(typename Op::State &s, int log_group)
{
    typedef typename Op::State State;
    for (int d = (1 << min(log_group, 5)) >> 1; d > 0; d >>= 1)
        Op::merge(s, shuffle_down(s, d));
    if (log_group <= 5)
        return;
    __shared__ alignas(16) unsigned char room[sizeof(State) * (GARRAY_CUDA_BLOCK / 32)];
    State *warps = (State *)room;
    if (threadIdx.x % 32 == 0)
        warps[threadIdx.x / 32] = s;
    __syncthreads();
    if (threadIdx.x < 32) {
        s = threadIdx.x < GARRAY_CUDA_BLOCK / 32 ? warps[threadIdx.x] : Op::empty();
        for (int d = GARRAY_CUDA_BLOCK / 64; d > 0; d >>= 1)
            Op::merge(s, shuffle_down(s, d));
    }
}

__device__ __forceinline__ const garray__axis *reduce_axes(const garray__reduce_args &a)
{
    return a.far_axes ? a.far_axes : a.axes;
}

/* Writes an output, or its partial result. */
template <class Op>
__device__ __forceinline__ void reduce_put(const garray__reduce_args &a, int64_t keep, int64_t segment, int64_t out,
                                           const typename Op::State &s, int64_t count)
{
    if (a.partial)
        ((partial_result<Op> *)a.partial)[keep * a.segments + segment] = partial_result<Op>{s, count};
    else
        Op::finish(a, s, count, a.out + out);
}

template <class Op>
__global__ void __launch_bounds__(GARRAY_CUDA_BLOCK) reduce_rows(const __grid_constant__ garray__reduce_args a)
{
    typedef typename Op::In In;
    constexpr int per = 16 / sizeof(In), unroll = per > 8 ? 2 : 4;
    const int log_group = a.log_y, group = 1 << log_group, lane = threadIdx.x & (group - 1);
    const int64_t unit = ((int64_t)blockIdx.x << a.log_x) + (threadIdx.x >> log_group);
    const int64_t keep = a.segments == 1 ? unit : unit / a.segments, segment = unit - keep * a.segments;
    const bool active = keep < a.keep;

    Op op(a);
    typename Op::State s = Op::empty();
    int64_t offset[2] = {0, 0};
    if (active) {
        axis_walk<2>(reduce_axes(a), a.nkeep, a.wide, keep, offset);
        const In *row = (const In *)(a.in + offset[0]);
        const int64_t begin = segment * a.segment, end = min(begin + a.segment, a.red);
        op.begin(row[0]);

        /* Items up to the first 16-byte boundary, whole vectors, the rest. */
        const int64_t head = min(begin + (int64_t)((-(uintptr_t)(row + begin) & 15) / sizeof(In)), end);
        const int64_t vectors = (end - head) / per, tail = head + vectors * per;
        for (int64_t i = begin + lane; i < head; i += group)
            op.take(s, row[i], i);
        int64_t v = lane;
        for (; v + (unroll - 1) * group < vectors; v += unroll * group) {
            pack<16> p[unroll];
#pragma unroll
            for (int u = 0; u < unroll; u++)
                p[u] = load_aligned<16>(row + head + (v + u * group) * per);
#pragma unroll
            for (int u = 0; u < unroll; u++)
#pragma unroll
                for (int e = 0; e < per; e++)
                    op.take(s, item<In>(p[u], e), head + (v + u * group) * per + e);
        }
        for (; v < vectors; v += group) {
            const pack<16> p = load_aligned<16>(row + head + v * per);
#pragma unroll
            for (int e = 0; e < per; e++)
                op.take(s, item<In>(p, e), head + v * per + e);
        }
        for (int64_t i = tail + lane; i < end; i += group)
            op.take(s, row[i], i);
    }
    merge_group<Op>(s, log_group);
    if (active && lane == 0)
        reduce_put<Op>(a, keep, segment, offset[1], s, a.red);
}

/* The item that begin() gets: the first one that takes part, looked for among the first 64. */
template <class Op>
__device__ __forceinline__ void reduce_begin(const garray__reduce_args &a, Op &op, const char *in, const uint8_t *mask)
{
    if (a.red == 0)
        return;
    int64_t i = 0, offset[3] = {0, 0, 0};
    if (mask) {
        const int64_t tries = min(a.red, (int64_t)64);
        for (; i < tries; i++) {
            offset[0] = offset[1] = offset[2] = 0;
            axis_walk<3>(reduce_axes(a) + a.nkeep, a.nred, a.wide, i, offset);
            if (mask[offset[2]])
                break;
        }
        if (i == tries)
            return;
    }
    op.begin(item_load<typename Op::In>(in + offset[0], a.unaligned));
}

template <class Op>
__global__ void __launch_bounds__(GARRAY_CUDA_BLOCK) reduce_grid(const __grid_constant__ garray__reduce_args a)
{
    typedef typename Op::In In;
    typedef typename Op::State State;
    constexpr int unroll = sizeof(In) <= 4 ? 8 : 4, rare = 2;
    const int nx = 1 << a.log_x, ny = 1 << a.log_y;
    const int x = a.y_fastest ? threadIdx.x >> a.log_y : threadIdx.x & (nx - 1);
    const int y = a.y_fastest ? threadIdx.x & (ny - 1) : threadIdx.x >> a.log_x;
    const int64_t tile = a.segments == 1 ? blockIdx.x : blockIdx.x / a.segments;
    const int64_t segment = blockIdx.x - tile * a.segments;
    const int64_t keep = (tile << a.log_x) + x;
    const bool active = keep < a.keep;
    const garray__axis *axes = reduce_axes(a), *along = axes + a.nkeep;

    Op op(a);
    State s = Op::empty();
    int64_t base[3] = {0, 0, 0}, count = 0;
    if (active) {
        axis_walk<3>(axes, a.nkeep, a.wide, keep, base);
        const char *in = a.in + base[0];
        const uint8_t *mask = a.mask ? a.mask + base[2] : NULL;
        const int64_t begin = segment * a.segment, end = min(begin + a.segment, a.red);
        reduce_begin(a, op, in, mask);
        int64_t i = begin + y;
        if (!mask && a.nred == 1 && !a.unaligned) {
            const int64_t stride = along[0].stride[0], step = stride * ny;
            const char *p = in + i * stride;
            for (; i + (unroll - 1) * ny < end; i += unroll * ny) {
                In v[unroll];
#pragma unroll
                for (int u = 0; u < unroll; u++, p += step)
                    v[u] = *(const In *)p;
#pragma unroll
                for (int u = 0; u < unroll; u++)
                    op.take(s, v[u], i + u * ny);
            }
            for (; i < end; i += ny, p += step)
                op.take(s, *(const In *)p, i);
            count = y == 0 ? end - begin : 0;
        }
        for (; i < end; i += rare * ny) {
            In v[rare];
            bool take[rare];
#pragma unroll
            for (int u = 0; u < rare; u++) {
                const int64_t at = i + u * ny;
                int64_t offset[3] = {0, 0, 0};
                take[u] = at < end;
                if (!take[u])
                    continue;
                axis_walk<3>(along, a.nred, a.wide, at, offset);
                if (mask)
                    take[u] = mask[offset[2]] != 0;
                if (take[u])
                    v[u] = item_load<In>(in + offset[0], a.unaligned);
            }
#pragma unroll
            for (int u = 0; u < rare; u++)
                if (take[u]) {
                    op.take(s, v[u], i + u * ny);
                    count++;
                }
        }
    }

    /* Over y, through shared memory: a tree whose shape is that of the block. */
    __shared__ alignas(16) unsigned char room[sizeof(State) * GARRAY_CUDA_BLOCK];
    __shared__ int64_t counts[GARRAY_CUDA_BLOCK];
    State *states = (State *)room;
    const int place = y * nx + x;
    if (ny > 1) {
        states[place] = s;
        counts[place] = count;
        for (int d = ny >> 1; d > 0; d >>= 1) {
            __syncthreads();
            if (y < d) {
                Op::merge(s, states[place + d * nx]);
                count += counts[place + d * nx];
                states[place] = s;
                counts[place] = count;
            }
        }
    }
    if (active && y == 0)
        reduce_put<Op>(a, keep, segment, base[1], s, count);
}

/* 2^log_y threads for each output. */
template <class Op>
__global__ void __launch_bounds__(GARRAY_CUDA_BLOCK) reduce_merge(const __grid_constant__ garray__reduce_args a)
{
    const int log_group = a.log_y, group = 1 << log_group, lane = threadIdx.x & (group - 1);
    const int64_t keep = ((int64_t)blockIdx.x << a.log_x) + (threadIdx.x >> log_group);
    const bool active = keep < a.keep;
    struct counted {
        typedef partial_result<Op> State;
        static __device__ __forceinline__ State empty() { return State{Op::empty(), 0}; }
        static __device__ __forceinline__ void merge(State &s, const State &t)
        {
            Op::merge(s.state, t.state);
            s.count += t.count;
        }
    };
    typename counted::State s = counted::empty();
    if (active) {
        const partial_result<Op> *from = (const partial_result<Op> *)a.partial + keep * a.segments;
        for (int64_t i = lane; i < a.segments; i += group)
            counted::merge(s, from[i]);
    }
    merge_group<counted>(s, log_group);
    if (active && lane == 0) {
        int64_t offset[2] = {0, 0};
        axis_walk<2>(reduce_axes(a), a.nkeep, a.wide, keep, offset);
        Op::finish(a, s.state, s.count, a.out + offset[1]);
    }
}

/* What a table entry is initialized with. */
template <class Op> constexpr const void *rows_of()
{
    if constexpr (Op::has_rows)
        return (const void *)reduce_rows<Op>;
    else
        return NULL;
}

#define GARRAY_REDUCE_KERNELS(...)                                                                              \
    {rows_of<__VA_ARGS__>(), (const void *)reduce_grid<__VA_ARGS__>, (const void *)reduce_merge<__VA_ARGS__>,   \
     sizeof(partial_result<__VA_ARGS__>)}

} /* namespace garray__cuda */
#endif
