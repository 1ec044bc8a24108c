/* SPDX-License-Identifier: BSD-3-Clause
 * The kernels of a reduction, and the table entry that holds them:
 *   reduce_rows     the innermost reduced axis is contiguous: 16-byte vectors, a power of two of threads per row
 *   reduce_columns  outputs are neighbours in memory: x threads along the outputs, y along the reduction; a thread has
 *                   one output, or as many as a vector holds
 *   reduce_short    few items for each of many outputs: a thread has several outputs, apart from each other or neighbours
 *   reduce_packed   likewise, where the items of an output and the outputs follow each other in memory
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

/* Partial results as states of their own. */
template <class Op> struct counted {
    typedef partial_result<Op> State;
    static __device__ __forceinline__ State empty() { return State{Op::empty(), 0}; }
    static __device__ __forceinline__ void merge(State &s, const State &t)
    {
        Op::merge(s.state, t.state);
        s.count += t.count;
    }
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

/* Whether processors from 8.0 on merge the 32 states of a warp in one step. */
template <class Op, class = void> struct in_one_step { static constexpr bool value = false; };
template <class Op> struct in_one_step<Op, decltype((void)Op::in_one_step)> { static constexpr bool value = Op::in_one_step; };

/* Merges the states of each group of 2^log_group neighbouring threads into its first thread; the groups of a block
 * are 1 to 32 threads, or the whole block.  Blocks that call this again and again take turns 0 and 1: what one turn left in
 * shared memory is read before the next one's barrier, and so no other barrier is needed. */
template <class Op> __device__ __forceinline__ void merge_group(typename Op::State &s, int log_group, int turn = 0)
{
    typedef typename Op::State State;
    bool merged = false;
#if defined(__CUDA_ARCH__) && __CUDA_ARCH__ >= 800
    if constexpr (in_one_step<Op>::value)
        if (log_group >= 5) {
            Op::merge_warp(s);
            merged = true;
        }
#endif
    if (!merged)
#pragma unroll 1
        for (int d = (1 << min(log_group, 5)) >> 1; d > 0; d >>= 1)
            Op::merge(s, shuffle_down(s, d));
    if (log_group <= 5)
        return;
    __shared__ alignas(16) unsigned char room[2 * sizeof(State) * (GARRAY_CUDA_BLOCK / 32)];
    State *warps = (State *)room + turn * (GARRAY_CUDA_BLOCK / 32);
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

/* Offsets of an output, or of a vector of them.  Up to two axes are read at fixed places of the arguments, which are
 * constants; more have been walked by a kernel of their own (reduce_places), because the walk takes registers that the
 * loads need. */
__device__ __forceinline__ garray__reduce_place keep_place(const garray__reduce_args &a, int64_t keep)
{
    if (a.keep_places)
        return a.keep_places[keep];
    if (a.nkeep == 0)
        return garray__reduce_place{0, 0};
    if (a.nkeep == 1)
        return garray__reduce_place{keep * a.axes[0].stride[0], keep * a.axes[0].stride[1]};
    const int64_t first = a.wide ? quotient(keep, a.axes[1].length) : (int64_t)garray__fastdiv((uint32_t)keep, a.axes[1].div);
    const int64_t second = keep - first * a.axes[1].length;
    return garray__reduce_place{first * a.axes[0].stride[0] + second * a.axes[1].stride[0],
                                first * a.axes[0].stride[1] + second * a.axes[1].stride[1]};
}

/* Place of a partial result: the segments of an output side by side, or the outputs of a segment. */
__device__ __forceinline__ int64_t partial_place(const garray__reduce_args &a, int64_t keep, int64_t segment)
{
    return a.by_segment ? segment * a.keep + keep : keep * a.segments + segment;
}

/* Writes an output, or its partial result. */
template <class Op>
__device__ __forceinline__ void reduce_put(const garray__reduce_args &a, int64_t keep, int64_t segment, int64_t out,
                                           const typename Op::State &s, int64_t count)
{
    if (a.partial)
        ((partial_result<Op> *)a.partial)[partial_place(a, keep, segment)] = partial_result<Op>{s, count};
    else
        Op::finish(a, s, count, a.out + out);
}

/* Writes the outputs of N neighbours. */
template <class Op, int N>
__device__ __forceinline__ void finish_several(const garray__reduce_args &a, const typename Op::State (&s)[N], int64_t count,
                                               char *out)
{
    if constexpr (N > 1 && Op::has_result) {
        if (a.out_vector) {
            typedef decltype(Op::result(a, s[0], count)) Out;
            Out results[N];
            pack<N * sizeof(Out)> v;
#pragma unroll
            for (int e = 0; e < N; e++)
                results[e] = Op::result(a, s[e], count);
            memcpy(&v, results, sizeof v);
            store_aligned<N * sizeof(Out)>(out, v);
            return;
        }
    }
#pragma unroll
    for (int e = 0; e < N; e++)
        Op::finish(a, s[e], count, out + e * a.out_step);
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
#pragma unroll
        for (int i = 0; i < N; i++)
            op.take(s, v[i], index(i));
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
    return reduce_part{0, a.segment, a.red_places[segment].in, segment * a.segment};
}

/* Blocks that a multiprocessor should hold: enough loads under way, as long as the states fit the registers. */
template <class Op> constexpr int blocks_of = sizeof(typename Op::State) <= 8 ? 5 : sizeof(typename Op::State) <= 16 ? 4 : 2;

/* The items of a unit: a segment of one output's, at most GARRAY_CUDA_ROW_ITEMS. */
template <class Op> struct row_unit {
    typedef typename Op::In In;
    const In *vectors;                  /* the first 16-byte boundary */
    int64_t index;                      /* of the first vector's first item in the reduction */
    int64_t out;                        /* offset of the output */
    int count, head, tail;              /* whole vectors, and items before and after them */
    In first;                           /* of the reduction */
};

template <class Op> __device__ __forceinline__ row_unit<Op> row_of(const garray__reduce_args &a, int64_t unit)
{
    typedef typename Op::In In;
    constexpr int per = 16 / sizeof(In);
    const int64_t keep = a.segments == 1 ? unit : quotient(unit, a.segments), segment = unit - keep * a.segments;
    const garray__reduce_place at = keep_place(a, keep);
    const reduce_part part = part_of(a, segment);
    const In *items = (const In *)(a.in + at.in + part.offset) + part.begin;
    const int n = (int)(part.end - part.begin);
    row_unit<Op> r;
    r.head = min((int)((-(uintptr_t)items & 15) / sizeof(In)), n);
    r.vectors = items + r.head;
    r.count = (n - r.head) / per;
    r.tail = n - r.head - r.count * per;
    r.index = part.index + part.begin + r.head;
    r.out = at.out;
    r.first = *(const In *)(a.in + at.in);
    return r;
}

template <class Op>
__device__ __forceinline__ void take_tail(const Op &op, typename Op::State &s, const row_unit<Op> &r, int lane, int group)
{
    const int64_t first = (int64_t)r.count * (16 / sizeof(typename Op::In));
#pragma unroll 1
    for (int i = lane; i < r.tail; i += group)
        op.take(s, r.vectors[first + i], r.index + first + i);
}

/* A block takes unit after unit: the next one's first items are under way while the last one's results are merged. */
template <class Op>
__global__ void __launch_bounds__(GARRAY_CUDA_BLOCK, blocks_of<Op>)
    reduce_rows(const __grid_constant__ garray__reduce_args a)
{
    typedef typename Op::In In;
    constexpr int per = 16 / sizeof(In), unroll = 4;
    const int group = 1 << a.log_y, lane = threadIdx.x & (group - 1);
    const int place = threadIdx.x >> a.log_y;
    const int64_t stride = (int64_t)gridDim.x << a.log_x;
    allow_merge();

    row_unit<Op> r = {};
    pack<16> p[unroll];
    const auto load = [&](int v) {
#pragma unroll
        for (int u = 0; u < unroll; u++)
            if (v + u * group < r.count)
                p[u] = load_aligned<16>(r.vectors + (int64_t)(v + u * group) * per);
    };
    int turn = 0;
    /* The first round takes nothing in. */
    int64_t unit = ((int64_t)blockIdx.x << a.log_x) + place - stride;
#pragma unroll 1
    do {
        const bool active = unit >= 0 && unit < a.units;
        typename Op::State s = Op::empty();
        int count = 0;
        if (active) {
            Op op(a);
            op.begin(r.first);
#pragma unroll 1
            for (int i = lane; i < r.head; i += group)
                op.take(s, r.vectors[i - r.head], r.index - r.head + i);
            if constexpr (!Op::in_order)
                take_tail(op, s, r, lane, group);
            if constexpr (Op::manner == KEPT) {
                typename Op::Kept kept = Op::nothing();
#pragma unroll 1
                for (int v = lane; v < r.count;) {
#pragma unroll
                    for (int u = 0; u < unroll; u++)
                        if (v + u * group < r.count)
                            op.keep(kept, p[u], v + u * group);
                    v += unroll * group;
                    load(v);
                }
                Op::merge(s, op.settle(kept, r.index));
            } else {
#pragma unroll 1
                for (int v = lane; v < r.count;) {
#pragma unroll
                    for (int u = 0; u < unroll; u++)
                        if (v + u * group < r.count) {
                            In items[per];
#pragma unroll
                            for (int i = 0; i < per; i++)
                                items[i] = item<In>(p[u], i);
                            take_batch(op, s, items, [&](int i) { return r.index + (int64_t)(v + u * group) * per + i; });
                        }
                    v += unroll * group;
                    load(v);
                }
            }
            if constexpr (Op::in_order)
                take_tail(op, s, r, lane, group);
            count = r.head + r.count * per + r.tail;
        }
        const int64_t out = r.out;
        if (unit + stride < a.units) {
            r = row_of<Op>(a, unit + stride);
            load(lane);
        }
        if (unit >= 0) {
            merge_group<Op>(s, a.log_y, turn);
            turn ^= 1;
            if (active && lane == 0) {
                if (a.partial)
                    ((partial_result<Op> *)a.partial)[unit] = partial_result<Op>{s, count};
                else
                    Op::finish(a, s, count, a.out + out);
            }
        }
        unit += stride;
    } while (unit - place < a.units);   /* as one block */
}

/* Merges over y, through shared memory, by a tree whose shape is that of the block. */
template <class Op, int N>
__device__ __forceinline__ void merge_columns(typename Op::State (&s)[N], int place, int y, int nx, int ny)
{
    typedef typename Op::State State;
    __shared__ alignas(16) unsigned char room[N * sizeof(State) * GARRAY_CUDA_BLOCK];
    State *states = (State *)room;
    if (ny == 1)
        return;
#pragma unroll
    for (int e = 0; e < N; e++)
        states[e * GARRAY_CUDA_BLOCK + place] = s[e];
#pragma unroll 1
    for (int d = ny >> 1; d > 0; d >>= 1) {
        __syncthreads();
        if (y < d) {
#pragma unroll
            for (int e = 0; e < N; e++) {
                Op::merge(s[e], states[e * GARRAY_CUDA_BLOCK + place + d * nx]);
                states[e * GARRAY_CUDA_BLOCK + place] = s[e];
            }
        }
    }
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

/* Outputs that a thread has where whole vectors of neighbours can be read. */
template <class Op>
constexpr int neighbours_of = sizeof(typename Op::In) == 16 ? 1 : sizeof(typename Op::In) == 8 ? 2
                              : sizeof(typename Op::State) <= 8 ? 4 : 2;
template <class Op> constexpr int short_neighbours_of = sizeof(typename Op::In) <= 4 ? 4 : 16 / sizeof(typename Op::In);
template <class Op>
constexpr int blocks_of_neighbours = sizeof(typename Op::State) <= 8 ? 5 : sizeof(typename Op::State) > 16 ? 2
                                     : sizeof(typename Op::In) == 8 ? 3 : 4;

/* N: outputs of a thread.  The last kept axis counts in vectors of N then. */
template <class Op, int N>
__global__ void __launch_bounds__(GARRAY_CUDA_BLOCK, N == 1 ? blocks_of<Op> : blocks_of_neighbours<Op>)
    reduce_columns(const __grid_constant__ garray__reduce_args a)
{
    typedef typename Op::In In;
    typedef pack<N * sizeof(In)> Vector;
    constexpr int bytes = N * sizeof(In), unroll = bytes <= 4 ? 16 : 64 / bytes;
    const int nx = 1 << a.log_x, ny = 1 << a.log_y, x = threadIdx.x & (nx - 1), y = threadIdx.x >> a.log_x;
    /* Blocks that run together read whole rows. */
    const int64_t segment = blockIdx.x / a.tiles, vector = ((blockIdx.x - segment * a.tiles) << a.log_x) + x;
    const bool active = vector * N < a.keep;
    allow_merge();

    several<Op, N> op(a);
    typename Op::State s[N];
#pragma unroll
    for (int e = 0; e < N; e++)
        s[e] = Op::empty();
    garray__reduce_place at = {0, 0};
    int64_t count = 0;
    if (active) {
        at = keep_place(a, vector);
        const reduce_part part = part_of(a, segment);
        const int64_t step = a.red_stride * ny;
        const Vector first = load_aligned<bytes>(a.in + at.in);
#pragma unroll
        for (int e = 0; e < N; e++)
            op.each[e].begin(item<In>(first, e));
        count = part.end - part.begin;
        int64_t i = part.begin + y;
        const char *p = a.in + at.in + part.offset + i * a.red_stride;
#pragma unroll 1
        for (; i + (unroll - 1) * ny < part.end; i += unroll * ny, p += unroll * step) {
            Vector v[unroll];
            const char *row = p;
#pragma unroll
            for (int u = 0; u < unroll; u++, row += step)
                v[u] = load_aligned<bytes>(row);
#pragma unroll
            for (int e = 0; e < N; e++) {
                In items[unroll];
#pragma unroll
                for (int u = 0; u < unroll; u++)
                    items[u] = item<In>(v[u], e);
                take_batch(op.each[e], s[e], items, [&](int u) { return part.index + i + u * ny; });
            }
        }
        constexpr int rest = N == 1 ? 4 : 2;
#pragma unroll 1
        for (; i < part.end; i += rest * ny) {
            Vector v[rest];
#pragma unroll
            for (int u = 0; u < rest; u++, p += step)
                if (i + u * ny < part.end)
                    v[u] = load_aligned<bytes>(p);
#pragma unroll
            for (int u = 0; u < rest; u++)
                if (i + u * ny < part.end)
#pragma unroll
                    for (int e = 0; e < N; e++)
                        op.each[e].take(s[e], item<In>(v[u], e), part.index + i + u * ny);
        }
    }
    merge_columns<Op, N>(s, threadIdx.x, y, nx, ny);
    if (!active || y > 0)
        return;
    if (a.partial) {
#pragma unroll
        for (int e = 0; e < N; e++)
            reduce_put<Op>(a, vector * N + e, segment, 0, s[e], count);
    } else {
        finish_several<Op, N>(a, s, count, a.out + at.out);
    }
}

template <class Op>
__global__ void __launch_bounds__(GARRAY_CUDA_BLOCK, blocks_of<Op> - 1)
    reduce_short(const __grid_constant__ garray__reduce_args a)
{
    typedef typename Op::In In;
    /* taken together, as many as the registers hold */
    constexpr int outputs = sizeof(typename Op::State) <= 8 ? 4 : sizeof(typename Op::State) <= 16 ? 2 : 1;
    static_assert(GARRAY_CUDA_SHORT_OUTPUTS % outputs == 0, "whole turns");
    const int64_t stride = a.red_stride;
    const int64_t first = (int64_t)blockIdx.x * (GARRAY_CUDA_BLOCK * GARRAY_CUDA_SHORT_OUTPUTS) + threadIdx.x;
    for (int at = 0; at < GARRAY_CUDA_SHORT_OUTPUTS; at += outputs) {
        const char *p[outputs];
        int64_t out[outputs];
        typename Op::State s[outputs];
        several<Op, outputs> op(a);
#pragma unroll
        for (int u = 0; u < outputs; u++) {
            const int64_t keep = min(first + (at + u) * GARRAY_CUDA_BLOCK, a.keep - 1);
            const garray__reduce_place at = keep_place(a, keep);
            p[u] = a.in + at.in;
            out[u] = at.out;
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

/* Likewise, neighbours: a thread reads the vector of its outputs' next items. */
template <class Op, int N> struct short_neighbours {
    typedef typename Op::In In;
    const garray__reduce_args &a;
    several<Op, N> op;
    typename Op::State s[N];

    __device__ __forceinline__ short_neighbours(const garray__reduce_args &args) : a(args), op(args)
    {
#pragma unroll
        for (int e = 0; e < N; e++)
            s[e] = Op::empty();
    }
    /* ROWS items of each output, all loads before the first use. */
    template <int ROWS> __device__ __forceinline__ void take(const char *p, int64_t stride, int64_t i)
    {
        pack<N * sizeof(In)> v[ROWS];
#pragma unroll
        for (int j = 0; j < ROWS; j++)
            v[j] = load_aligned<N * sizeof(In)>(p + j * stride);
#pragma unroll
        for (int j = 0; j < ROWS; j++)
#pragma unroll
            for (int e = 0; e < N; e++) {
                if (j == 0 && i == 0)
                    op.each[e].begin(item<In>(v[0], e));
                op.each[e].take(s[e], item<In>(v[j], e), i + j);
            }
    }
};

template <class Op, int N>
__global__ void __launch_bounds__(GARRAY_CUDA_BLOCK, sizeof(typename Op::State) <= 8    ? 6
                                                     : sizeof(typename Op::State) <= 16 ? 4
                                                                                        : 2)
    reduce_short_neighbours(const __grid_constant__ garray__reduce_args a)
{
    const int64_t stride = a.red_stride, vector = (int64_t)blockIdx.x * GARRAY_CUDA_BLOCK + threadIdx.x;
    if (vector * N >= a.keep)
        return;
    const garray__reduce_place at = keep_place(a, vector);
    const char *p = a.in + at.in;
    int64_t i = 0;
    short_neighbours<Op, N> outputs(a);
#pragma unroll 1
    for (; i + 4 <= a.red; i += 4, p += 4 * stride)
        outputs.template take<4>(p, stride, i);
    switch (a.red - i) {
    case 3: outputs.template take<3>(p, stride, i); break;
    case 2: outputs.template take<2>(p, stride, i); break;
    case 1: outputs.template take<1>(p, stride, i); break;
    }
    finish_several<Op, N>(a, outputs.s, a.red, a.out + at.out);
}

/* Outputs whose items follow each other in memory, as the outputs do: a block reads those of its 2^log_x outputs as
 * vectors, through shared memory. */
template <class Op>
__global__ void __launch_bounds__(GARRAY_CUDA_BLOCK) reduce_packed(const __grid_constant__ garray__reduce_args a)
{
    typedef typename Op::In In;
    constexpr int per = 16 / sizeof(In), vectors = GARRAY_CUDA_PACKED_BYTES / 16 / GARRAY_CUDA_BLOCK;
    __shared__ alignas(16) unsigned char room[GARRAY_CUDA_PACKED_BYTES];
    const In *items = (const In *)room;
    const int red = (int)a.red;
    const int64_t first = (int64_t)blockIdx.x << a.log_x;
    const int outputs = (int)min((int64_t)1 << a.log_x, a.keep - first), n = outputs * red, whole = n / per;
    const char *in = a.in + first * red * sizeof(In);
    pack<16> p[vectors];
#pragma unroll
    for (int u = 0; u < vectors; u++)
        if (u * GARRAY_CUDA_BLOCK + threadIdx.x < whole)
            p[u] = load_aligned<16>(in + (u * GARRAY_CUDA_BLOCK + threadIdx.x) * 16);
#pragma unroll
    for (int u = 0; u < vectors; u++)
        if (u * GARRAY_CUDA_BLOCK + threadIdx.x < whole)
            store_shared((uint4 *)room + u * GARRAY_CUDA_BLOCK + threadIdx.x, p[u]);
    if (whole * per + threadIdx.x < n)
        ((In *)room)[whole * per + threadIdx.x] = ((const In *)in)[whole * per + threadIdx.x];
    __syncthreads();
#pragma unroll 1
    for (int o = threadIdx.x; o < outputs; o += GARRAY_CUDA_BLOCK) {
        Op op(a);
        typename Op::State s = Op::empty();
        op.begin(items[o * red]);
#pragma unroll 1
        for (int i = 0; i < red; i++)
            op.take(s, items[o * red + i], i);
        Op::finish(a, s, red, a.out + (first + o) * a.out_step);
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
    const garray__axis *along = reduce_axes(a) + a.nkeep;
    allow_merge();

    Op op(a);
    typename Op::State s = Op::empty();
    int64_t base[3] = {0, 0, 0}, count = 0;
    if (active) {
        axis_walk<3>(reduce_axes(a), a.nkeep, a.wide, keep, base);
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
    typename counted<Op>::State result[1] = {{s, count}};
    merge_columns<counted<Op>, 1>(result, y * nx + x, y, nx, ny);
    if (active && y == 0)
        reduce_put<Op>(a, keep, segment, base[1], result[0].state, result[0].count);
}

/* 2^log_y threads for each output, side by side along its segments, or along the outputs. */
template <class Op>
__global__ void __launch_bounds__(GARRAY_CUDA_BLOCK) reduce_merge(const __grid_constant__ garray__reduce_args a)
{
    typedef typename counted<Op>::State State;
    const int nx = 1 << a.log_x, ny = 1 << a.log_y;
    const int x = a.by_segment ? threadIdx.x & (nx - 1) : threadIdx.x >> a.log_y;
    const int y = a.by_segment ? threadIdx.x >> a.log_x : threadIdx.x & (ny - 1);
    const int64_t keep = ((int64_t)blockIdx.x << a.log_x) + x;
    State s[1] = {counted<Op>::empty()};
    await_partials();
    if (keep < a.keep) {
        const State *from = (const State *)a.partial;
#pragma unroll 4
        for (int64_t i = y; i < a.segments; i += ny)
            counted<Op>::merge(s[0], from[partial_place(a, keep, i)]);
    }
    if (a.by_segment)
        merge_columns<counted<Op>, 1>(s, threadIdx.x, y, nx, ny);
    else
        merge_group<counted<Op>>(s[0], a.log_y);
    if (keep < a.keep && y == 0) {
        const int64_t vector = keep >> a.log_neighbours, place = keep - (vector << a.log_neighbours);
        Op::finish(a, s[0].state, s[0].count, a.out + keep_place(a, vector).out + place * a.out_step);
    }
}

/* Operations that are not fast have the grid alone. */
template <class Op> garray__reduce_kernels kernels_of()
{
    garray__reduce_kernels k = {};
    k.grid = (const void *)reduce_grid<Op>;
    k.merge = (const void *)reduce_merge<Op>;
    k.partial_size = sizeof(partial_result<Op>);
    if constexpr (Op::is_fast) {
        constexpr int n = neighbours_of<Op>, m = short_neighbours_of<Op>;
        k.rows = (const void *)reduce_rows<Op>;
        k.columns = (const void *)reduce_columns<Op, 1>;
        k.few = (const void *)reduce_short<Op>;
        k.packed = (const void *)reduce_packed<Op>;
        k.blocks = blocks_of<Op>;
        if constexpr (n > 1) {
            k.neighbours = n;
            k.neighbour_columns = (const void *)reduce_columns<Op, n>;
            k.short_neighbours = m;
            k.few_neighbours = (const void *)reduce_short_neighbours<Op, m>;
        }
    }
    return k;
}

#define GARRAY_REDUCE_KERNELS(...) kernels_of<__VA_ARGS__>()

} /* namespace garray__cuda */
#endif
