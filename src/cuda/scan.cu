/* SPDX-License-Identifier: BSD-3-Clause
 * Scan kernels.
 *   scan_tiles            long sequences: a block for each tile, what is before it from the chain (chain.cuh)
 *   scan_warps            a warp for each sequence, piece after piece
 *   scan_columns          columns side by side: a block walks down a strip of them, or down a segment of it
 *   scan_chained_columns  likewise, many strips: a block for each tile, what is above it from the tile above
 * The order of additions follows from the sizes alone, so the same call gives the same bits. */
#include "cuda/axis.h"
#include "cuda/chain.cuh"
#include "cuda/kernel.cuh"
#include "cuda/scan.h"
#include "cuda/scan_ops.cuh"

using namespace garray__cuda;

namespace {

constexpr int THREADS = GARRAY_CUDA_BLOCK, WARPS = THREADS / 32;

/* 16-byte vectors of a thread of scan_tiles. */
template <class Op> constexpr int vectors_of = sizeof(typename Op::In) <= 2 ? 4 : 8;

/* Byte offset of a sequence. */
__device__ __forceinline__ int64_t sequence_offset(const garray__scan_args &a, int64_t sequence, const int64_t (&stride)[3])
{
    if (a.inner == 1)
        return sequence * stride[0];
    const int64_t row = quotient(sequence, a.inner);
    return row * stride[0] + (sequence - row * a.inner) * stride[2];
}

/* The piece of a sequence that a warp has in shared memory: each lane takes neighbouring items, while memory is read and
 * written by neighbouring lanes.  Vectors are placed so that neither direction meets one bank twice. */
template <class Op, int VECTORS> struct warp_piece {
    typedef typename Op::In In;
    typedef typename Op::State State;
    static constexpr int vectors = VECTORS, per = 16 / sizeof(In), items = vectors * per, length = 32 * items;
    int count;                          /* items of this lane */
    int n;                              /* items of the piece */

    __device__ static __forceinline__ int slot(int v) { return v ^ (v >> 3 & 7); }

    /* from: the piece's first item; left: items of the sequence from there on. */
    __device__ __forceinline__ void load(const char *from, int64_t left, const garray__scan_args &a, uint4 *room, int lane)
    {
        In *data = (In *)room;
        n = (int)max((int64_t)0, min(left, (int64_t)length));
        count = max(0, min(n - lane * items, items));
        int done = 0;                   /* items that move as vectors */
        if (a.in_vector) {
            pack<16> p[vectors];
            done = n / per * per;
#pragma unroll
            for (int j = 0; j < vectors; j++)
                if ((j * 32 + lane) * per < done)
                    p[j] = load_aligned<16>(from + (j * 32 + lane) * 16);
#pragma unroll
            for (int j = 0; j < vectors; j++)
                if ((j * 32 + lane) * per < done)
                    store_shared(room + slot(j * 32 + lane), p[j]);
        }
#pragma unroll 4
        for (int i = done + lane; i < n; i += 32)
            data[slot(i / per) * per + i % per] = item_load<In>(from + i * a.in_stride[1], a.unaligned);
        __syncwarp();
    }

    __device__ __forceinline__ State total(const uint4 *room, int lane) const
    {
        State s = Op::empty();
#pragma unroll
        for (int j = 0; j < vectors; j++) {
            const pack<16> p = load_aligned<16>(room + slot(lane * vectors + j));
#pragma unroll
            for (int i = 0; i < per; i++)
                if (j * per + i < count)
                    Op::take(s, item<In>(p, i));
        }
        return s;
    }

    /* running: all that is before this lane's first item.  The items are read again: registers are dear in between. */
    __device__ __forceinline__ void store(char *to, State running, const garray__scan_args &a, uint4 *room, int lane)
    {
#pragma unroll
        for (int j = 0; j < vectors; j++) {
            const pack<16> p = load_aligned<16>(room + slot(lane * vectors + j));
            pack<16> v = zero_pack<16>();
#pragma unroll
            for (int i = 0; i < per; i++)
                if (j * per + i < count) {
                    Op::take(running, item<In>(p, i));
                    set_item<In>(v, i, Op::value(running, a.boolean));
                }
            store_shared(room + slot(lane * vectors + j), v);
        }
        __syncwarp();
        const In *data = (const In *)room;
        int done = 0;
        if (a.out_vector) {
            done = n / per * per;
#pragma unroll
            for (int j = 0; j < vectors; j++)
                if ((j * 32 + lane) * per < done)
                    store_aligned<16>(to + (j * 32 + lane) * 16, load_aligned<16>(room + slot(j * 32 + lane)));
        }
#pragma unroll 4
        for (int i = done + lane; i < n; i += 32)
            item_store<In>(to + i * a.out_stride[1], data[slot(i / per) * per + i % per], a.unaligned);
    }
};

/* A tile is a piece for each warp.  Blocks take the tiles by number, so that all before a tile have been taken. */
template <class Op>
__global__ void __launch_bounds__(THREADS, sizeof(typename Op::State) <= 8 ? 5 : sizeof(typename Op::State) <= 16 ? 4 : 2)
    scan_tiles(const __grid_constant__ garray__scan_args a)
{
    typedef typename Op::State State;
    typedef warp_piece<Op, vectors_of<Op>> piece_type;
    __shared__ uint4 room[WARPS][32 * piece_type::vectors];
    __shared__ alignas(16) unsigned char state_room[sizeof(State) * (WARPS + 1)];
    __shared__ uint32_t number;
    State *totals = (State *)state_room;
    const int lane = threadIdx.x & 31, warp = threadIdx.x >> 5;
    if (threadIdx.x == 0)
        number = a.ticket ? atomicAdd(a.ticket, 1u) : blockIdx.x;
    __syncthreads();
    const int64_t sequence = number / (uint32_t)a.tiles, tile = number - sequence * a.tiles;
    const int64_t first = (tile * WARPS + warp) * piece_type::length;

    piece_type piece;
    piece.load(a.in + sequence_offset(a, sequence, a.in_stride) + first * a.in_stride[1], a.n - first, a, room[warp], lane);
    State s = piece.total(room[warp], lane);
    warp_scan<Op>(s, lane);
    if (lane == 31)
        totals[warp] = s;
    State before = shuffle(s, lane > 0 ? lane - 1 : 0);
    if (lane == 0)
        before = Op::empty();
    __syncthreads();
    if (warp == 0 && a.tiles > 1) {
        State total = totals[0];
#pragma unroll
        for (int w = 1; w < WARPS; w++)
            Op::merge(total, totals[w]);
        chain_slot<State> *slots = (chain_slot<State> *)a.slots + sequence * garray__scan_slots(a.tiles);
        const State start = chain_before<Op>(slots, a.tiles, tile, total, lane);
        if (lane == 0)
            totals[WARPS] = start;
    }
    __syncthreads();
    State running = a.tiles > 1 ? totals[WARPS] : Op::empty();
#pragma unroll 1
    for (int w = 0; w < warp; w++)
        Op::merge(running, totals[w]);
    Op::merge(running, before);
    piece.store(a.out + sequence_offset(a, sequence, a.out_stride) + first * a.out_stride[1], running, a, room[warp], lane);
}

/* A warp for each sequence: short ones, and many of some pieces. */
template <class Op, int VECTORS>
__global__ void __launch_bounds__(THREADS, sizeof(typename Op::State) > 16 ? 2
                                           : sizeof(typename Op::State) > 8 || sizeof(typename Op::In) < 4 ? 4 : 5)
    scan_warps(const __grid_constant__ garray__scan_args a)
{
    typedef typename Op::State State;
    typedef warp_piece<Op, VECTORS> piece_type;
    __shared__ uint4 room[WARPS][32 * piece_type::vectors];
    const int lane = threadIdx.x & 31, warp = threadIdx.x >> 5;
    const int64_t sequence = (int64_t)blockIdx.x * WARPS + warp;
    if (sequence >= a.outer * a.inner)
        return;
    const char *in = a.in + sequence_offset(a, sequence, a.in_stride);
    char *out = a.out + sequence_offset(a, sequence, a.out_stride);
    State carry = Op::empty();
#pragma unroll 1
    for (int64_t first = 0; first < a.n; first += piece_type::length) {
        piece_type piece;
        piece.load(in + first * a.in_stride[1], a.n - first, a, room[warp], lane);
        State s = piece.total(room[warp], lane);
        warp_scan<Op>(s, lane);
        const State before = shuffle(s, lane > 0 ? lane - 1 : 0);
        State running = carry;
        if (lane > 0)
            Op::merge(running, before);
        piece.store(out + first * a.out_stride[1], running, a, room[warp], lane);
        Op::merge(carry, shuffle(s, 31));
        __syncwarp();
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

/* A tile is WARPS times `rows` rows of a strip of 32 columns.  Each waits for the tile above it, and for that one's own
 * columns alone; there are so many strips that the tile above is done long before.  Tiles are numbered row of tiles by
 * row of tiles, so that all above a tile have been taken before it. */
template <class Op> constexpr int rows_of = sizeof(typename Op::In) <= 4 ? 32 : sizeof(typename Op::In) == 8 ? 16 : 8;

template <class Op>
__global__ void __launch_bounds__(THREADS, sizeof(typename Op::State) <= 16 ? 3 : 2)
    scan_chained_columns(const __grid_constant__ garray__scan_args a)
{
    typedef typename Op::In In;
    typedef typename Op::State State;
    constexpr int rows = rows_of<Op>;
    __shared__ alignas(16) unsigned char state_room[sizeof(State) * (WARPS + 1) * 32];
    __shared__ uint32_t number;
    State (*totals)[32] = (State (*)[32])state_room;
    const int lane = threadIdx.x & 31, warp = threadIdx.x >> 5;
    if (threadIdx.x == 0)
        number = a.ticket ? atomicAdd(a.ticket, 1u) : blockIdx.x;
    __syncthreads();
    const int64_t strips = (a.inner + 31) / 32, across = strips * a.outer;
    const int64_t tile = number / (uint32_t)across, place = number - tile * across;
    const int64_t row = (uint32_t)place / (uint32_t)strips;
    const int64_t column = (place - row * strips) * 32 + lane, first = (tile * WARPS + warp) * rows;
    const int count = column < a.inner ? (int)max((int64_t)0, min(a.n - first, (int64_t)rows)) : 0;
    const char *in = a.in + row * a.in_stride[0] + column * a.in_stride[2] + first * a.in_stride[1];
    char *out = a.out + row * a.out_stride[0] + column * a.out_stride[2] + first * a.out_stride[1];

    In v[rows];
#pragma unroll
    for (int r = 0; r < rows; r++, in += a.in_stride[1])
        if (r < count)
            v[r] = item_load<In>(in, a.unaligned);
    State s = Op::empty();
#pragma unroll
    for (int r = 0; r < rows; r++)
        if (r < count)
            Op::take(s, v[r]);
    totals[warp][lane] = s;
    __syncthreads();
    if (warp == 0 && a.tiles > 1) {
        chain_slot<State> *slot = (chain_slot<State> *)a.slots + (tile * across + place) * 32 + lane;
        State start = Op::empty(), next = totals[0][lane];
#pragma unroll
        for (int w = 1; w < WARPS; w++)
            Op::merge(next, totals[w][lane]);
        if (tile > 0)
            while (!chain_peek(slot - across * 32, start))
                ;
        totals[WARPS][lane] = start;
        Op::merge(start, next);
        if (tile + 1 < a.tiles)
            chain_publish(slot, start);
    }
    __syncthreads();
    State running = a.tiles > 1 ? totals[WARPS][lane] : Op::empty();
#pragma unroll 1
    for (int w = 0; w < warp; w++)
        Op::merge(running, totals[w][lane]);
#pragma unroll
    for (int r = 0; r < rows; r++, out += a.out_stride[1])
        if (r < count) {
            Op::take(running, v[r]);
            item_store<In>(out, Op::value(running, a.boolean), a.unaligned);
        }
}

} /* namespace */

#define KERNELS(...)                                                                                            \
    {(const void *)scan_tiles<__VA_ARGS__>,                                                                     \
     {(const void *)scan_warps<__VA_ARGS__, 1>, (const void *)scan_warps<__VA_ARGS__, 2>,                       \
      (const void *)scan_warps<__VA_ARGS__, 4>},                                                                \
     (const void *)scan_columns<__VA_ARGS__>, (const void *)scan_chained_columns<__VA_ARGS__>,                  \
     vectors_of<__VA_ARGS__> * THREADS * 16 / (int)sizeof(__VA_ARGS__::In), rows_of<__VA_ARGS__> * WARPS,       \
     (int)sizeof(__VA_ARGS__::State), (int)sizeof(chain_slot<__VA_ARGS__::State>)}
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
