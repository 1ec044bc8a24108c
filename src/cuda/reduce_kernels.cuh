/* SPDX-License-Identifier: BSD-3-Clause
 * The kernels of a reduction, and the table entry that holds them:
 *   reduce_rows     the innermost reduced axis is contiguous: 16-byte vectors, a power of two of threads per row
 *   reduce_columns  outputs are neighbours in memory: x threads along the outputs, y along the reduction
 *   reduce_short    few items for each of many outputs: a thread has several outputs
 *   reduce_grid     any layout, masks, any alignment; rare operations have only this one
 *   reduce_merge    partial results of segments to outputs
 * In the first two a segment is a part of the one reduced axis, or one whole run of the innermost of several.
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
#pragma unroll 1
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

/* The merge that follows may be set up while this kernel runs (programmatic dependent launch). */
__device__ __forceinline__ void allow_merge()
{
#if __CUDA_ARCH__ >= 900
    asm volatile("griddepcontrol.launch_dependents;");
#endif
}

__device__ __forceinline__ void await_partials()
{
#if __CUDA_ARCH__ >= 900
    asm volatile("griddepcontrol.wait;" ::: "memory");
#endif
}

/* Takes in items whose indices ascend. */
template <class Op, int N, class Index>
__device__ __forceinline__ void take_batch(const Op &op, typename Op::State &s, const typename Op::In (&v)[N], Index index)
{
    if constexpr (Op::manner == COUNTED) {
        int count = 0;
#pragma unroll
        for (int i = 0; i < N; i++)
            count += op.counts(v[i]);
        s += count;
    } else {
        bool worth = true;
        if constexpr (Op::manner == BEATEN)
            worth = op.beaten(s, v);
        if (worth) {
#pragma unroll
            for (int i = 0; i < N; i++)
                op.take(s, v[i], index(i));
        }
    }
}

/* The part of the reduction that a segment is. */
struct reduce_part {
    int64_t begin, end, offset, index;  /* places along the innermost axis; bytes and items before it */
};

__device__ __forceinline__ reduce_part part_of(const garray__reduce_args &a, int64_t segment)
{
    if (a.nred == 1) {
        const int64_t begin = segment * a.segment;
        return reduce_part{begin, min(begin + a.segment, a.red), 0, 0};
    }
    int64_t offset[1] = {0};
    axis_walk<1>(reduce_axes(a) + a.nkeep, a.nred - 1, a.wide, segment, offset);
    return reduce_part{0, a.segment, offset[0], segment * a.segment};
}

/* Blocks that a multiprocessor should hold: enough loads under way, as long as the states fit the registers. */
template <class Op> constexpr int blocks_of = Op::manner == BEATEN ? 3 : sizeof(typename Op::State) <= 16 ? 5 : 2;

template <class Op>
__global__ void __launch_bounds__(GARRAY_CUDA_BLOCK, blocks_of<Op>)
    reduce_rows(const __grid_constant__ garray__reduce_args a)
{
    typedef typename Op::In In;
    constexpr int per = 16 / sizeof(In), unroll = per > 8 ? 2 : 4;
    const int log_group = a.log_y, group = 1 << log_group, lane = threadIdx.x & (group - 1);
    const int64_t unit = ((int64_t)blockIdx.x << a.log_x) + (threadIdx.x >> log_group);
    const int64_t keep = a.segments == 1 ? unit : unit / a.segments, segment = unit - keep * a.segments;
    const bool active = keep < a.keep;
    allow_merge();

    Op op(a);
    typename Op::State s = Op::empty();
    int64_t offset[2] = {0, 0}, count = 0;
    if (active) {
        axis_walk<2>(reduce_axes(a), a.nkeep, a.wide, keep, offset);
        const reduce_part part = part_of(a, segment);
        op.begin(*(const In *)(a.in + offset[0]));
        const In *row = (const In *)(a.in + offset[0] + part.offset);
        const int64_t begin = part.begin, end = part.end, index = part.index;
        count = end - begin;

        /* Items up to the first 16-byte boundary, whole vectors, the rest. */
        const int64_t head = min(begin + (int64_t)((-(uintptr_t)(row + begin) & 15) / sizeof(In)), end);
        const int64_t vectors = (end - head) / per, tail = head + vectors * per;
#pragma unroll 1
        for (int64_t i = begin + lane; i < head; i += group)
            op.take(s, row[i], index + i);

#pragma unroll 1
        for (int64_t v = lane; v < vectors; v += unroll * group) {
            pack<16> p[unroll];
#pragma unroll
            for (int u = 0; u < unroll; u++)
                if (v + u * group < vectors)
                    p[u] = load_aligned<16>(row + head + (v + u * group) * per);
            if (v + (unroll - 1) * group < vectors) {
                In items[unroll * per];
#pragma unroll
                for (int i = 0; i < unroll * per; i++)
                    items[i] = item<In>(p[i / per], i % per);
                take_batch(op, s, items, [&](int i) { return index + head + (v + i / per * group) * per + i % per; });
                continue;
            }
#pragma unroll
            for (int u = 0; u < unroll; u++)
                if (v + u * group < vectors)
#pragma unroll
                    for (int e = 0; e < per; e++)
                        op.take(s, item<In>(p[u], e), index + head + (v + u * group) * per + e);
        }
#pragma unroll 1
        for (int64_t i = tail + lane; i < end; i += group)
            op.take(s, row[i], index + i);
    }
    merge_group<Op>(s, log_group);
    if (active && lane == 0)
        reduce_put<Op>(a, keep, segment, offset[1], s, count);
}

/* Merges over y, through shared memory, by a tree whose shape is that of the block. */
template <class Op>
__device__ __forceinline__ void merge_columns(typename Op::State &s, int64_t &count, int x, int y, int nx, int ny)
{
    typedef typename Op::State State;
    __shared__ alignas(16) unsigned char room[sizeof(State) * GARRAY_CUDA_BLOCK];
    __shared__ int64_t counts[GARRAY_CUDA_BLOCK];
    State *states = (State *)room;
    const int place = y * nx + x;
    if (ny == 1)
        return;
    states[place] = s;
    counts[place] = count;
#pragma unroll 1
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

template <class Op>
__global__ void __launch_bounds__(GARRAY_CUDA_BLOCK, blocks_of<Op>)
    reduce_columns(const __grid_constant__ garray__reduce_args a)
{
    typedef typename Op::In In;
    constexpr int unroll = sizeof(In) <= 4 ? 16 : sizeof(In) == 8 ? 8 : 4;
    const int nx = 1 << a.log_x, ny = 1 << a.log_y, x = threadIdx.x & (nx - 1), y = threadIdx.x >> a.log_x;
    /* Blocks that run together read whole rows. */
    const int64_t segment = blockIdx.x / a.tiles, keep = ((blockIdx.x - segment * a.tiles) << a.log_x) + x;
    const bool active = keep < a.keep;
    allow_merge();

    Op op(a);
    typename Op::State s = Op::empty();
    int64_t offset[2] = {0, 0}, count = 0;
    if (active) {
        axis_walk<2>(reduce_axes(a), a.nkeep, a.wide, keep, offset);
        const reduce_part part = part_of(a, segment);
        const int64_t stride = reduce_axes(a)[a.nkeep + a.nred - 1].stride[0], step = stride * ny;
        op.begin(*(const In *)(a.in + offset[0]));
        count = y == 0 ? part.end - part.begin : 0;
        int64_t i = part.begin + y;
        const char *p = a.in + offset[0] + part.offset + i * stride;
#pragma unroll 1
        for (; i + (unroll - 1) * ny < part.end; i += unroll * ny) {
            In v[unroll];
#pragma unroll
            for (int u = 0; u < unroll; u++, p += step)
                v[u] = *(const In *)p;
            take_batch(op, s, v, [&](int u) { return part.index + i + u * ny; });
        }
#pragma unroll 1
        for (; i < part.end; i += ny, p += step)
            op.take(s, *(const In *)p, part.index + i);
    }
    merge_columns<Op>(s, count, x, y, nx, ny);
    if (active && y == 0)
        reduce_put<Op>(a, keep, segment, offset[1], s, count);
}

/* Operations have no state to begin with but what the arguments give them. */
template <class Op, int N> struct several;
template <class Op> struct several<Op, 1> {
    Op each[1];
    __device__ __forceinline__ several(const garray__reduce_args &a) : each{Op(a)} {}
};
template <class Op> struct several<Op, 2> {
    Op each[2];
    __device__ __forceinline__ several(const garray__reduce_args &a) : each{Op(a), Op(a)} {}
};
template <class Op> struct several<Op, 4> {
    Op each[4];
    __device__ __forceinline__ several(const garray__reduce_args &a) : each{Op(a), Op(a), Op(a), Op(a)} {}
};

template <class Op>
__global__ void __launch_bounds__(GARRAY_CUDA_BLOCK, blocks_of<Op> - 1)
    reduce_short(const __grid_constant__ garray__reduce_args a)
{
    typedef typename Op::In In;
    /* taken together, as many as the registers hold */
    constexpr int outputs = sizeof(typename Op::State) <= 8 ? 4 : sizeof(typename Op::State) <= 16 ? 2 : 1;
    static_assert(GARRAY_CUDA_SHORT_OUTPUTS % outputs == 0, "whole turns");
    const garray__axis *axes = reduce_axes(a);
    const int64_t stride = axes[a.nkeep].stride[0];
    const int64_t first = (int64_t)blockIdx.x * (GARRAY_CUDA_BLOCK * GARRAY_CUDA_SHORT_OUTPUTS) + threadIdx.x;
    for (int at = 0; at < GARRAY_CUDA_SHORT_OUTPUTS; at += outputs) {
        const char *p[outputs];
        int64_t out[outputs];
        typename Op::State s[outputs];
        several<Op, outputs> op(a);
#pragma unroll
        for (int u = 0; u < outputs; u++) {
            const int64_t keep = min(first + (at + u) * GARRAY_CUDA_BLOCK, a.keep - 1);
            int64_t offset[2] = {0, 0};
            axis_walk<2>(axes, a.nkeep, a.wide, keep, offset);
            p[u] = a.in + offset[0];
            out[u] = offset[1];
            s[u] = Op::empty();
        }
        constexpr int depth = 4;
#pragma unroll 1
        for (int64_t i = 0; i < a.red; i += depth) {
            In v[depth][outputs];
#pragma unroll
            for (int j = 0; j < depth; j++)
                if (i + j < a.red)
#pragma unroll
                    for (int u = 0; u < outputs; u++)
                        v[j][u] = *(const In *)(p[u] + (i + j) * stride);
#pragma unroll
            for (int j = 0; j < depth; j++)
                if (i + j < a.red)
#pragma unroll
                    for (int u = 0; u < outputs; u++) {
                        if (i + j == 0)
                            op.each[u].begin(v[j][u]);
                        op.each[u].take(s[u], v[j][u], i + j);
                    }
        }
#pragma unroll
        for (int u = 0; u < outputs; u++)
            if (first + (at + u) * GARRAY_CUDA_BLOCK < a.keep)
                Op::finish(a, s[u], a.red, a.out + out[u]);
    }
}

/* The item that begin() gets: the first one that takes part, looked for among the first 64. */
template <class Op>
__device__ __forceinline__ void reduce_begin(const garray__reduce_args &a, Op &op, const char *in, const uint8_t *mask)
{
    if (a.red == 0)
        return;
    int64_t offset[3] = {0, 0, 0};
    if (mask) {
        const int64_t tries = min(a.red, (int64_t)64);
        int64_t i = 0;
#pragma unroll 1
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
    constexpr int unroll = 2;
    const int nx = 1 << a.log_x, ny = 1 << a.log_y;
    const int x = a.y_fastest ? threadIdx.x >> a.log_y : threadIdx.x & (nx - 1);
    const int y = a.y_fastest ? threadIdx.x & (ny - 1) : threadIdx.x >> a.log_x;
    const int64_t segment = blockIdx.x / a.tiles, keep = ((blockIdx.x - segment * a.tiles) << a.log_x) + x;
    const bool active = keep < a.keep;
    const garray__axis *axes = reduce_axes(a), *along = axes + a.nkeep;
    allow_merge();

    Op op(a);
    typename Op::State s = Op::empty();
    int64_t base[3] = {0, 0, 0}, count = 0;
    if (active) {
        axis_walk<3>(axes, a.nkeep, a.wide, keep, base);
        const char *in = a.in + base[0];
        const uint8_t *mask = a.mask ? a.mask + base[2] : NULL;
        const int64_t begin = segment * a.segment, end = min(begin + a.segment, a.red);
        reduce_begin(a, op, in, mask);
#pragma unroll 1
        for (int64_t i = begin + y; i < end; i += unroll * ny) {
            In v[unroll];
            bool take[unroll];
#pragma unroll
            for (int u = 0; u < unroll; u++) {
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
            for (int u = 0; u < unroll; u++)
                if (take[u]) {
                    op.take(s, v[u], i + u * ny);
                    count++;
                }
        }
    }
    merge_columns<Op>(s, count, x, y, nx, ny);
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
    await_partials();
    if (active) {
        const partial_result<Op> *from = (const partial_result<Op> *)a.partial + keep * a.segments;
#pragma unroll 4
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

template <class Op> garray__reduce_kernels kernels_of()
{
    garray__reduce_kernels k = {NULL, NULL, NULL, (const void *)reduce_grid<Op>, (const void *)reduce_merge<Op>,
                                sizeof(partial_result<Op>)};
    if constexpr (Op::is_fast) {
        k.rows = (const void *)reduce_rows<Op>;
        k.columns = (const void *)reduce_columns<Op>;
        if constexpr (Op::manner != BEATEN)
            k.few = (const void *)reduce_short<Op>;
    }
    return k;
}

#define GARRAY_REDUCE_KERNELS(...) kernels_of<__VA_ARGS__>()

} /* namespace garray__cuda */
#endif
