/* SPDX-License-Identifier: BSD-3-Clause
 * Scan kernels.  Long sequences are scanned in one pass over memory: each tile publishes its total, and adds what is
 * before it in an order that the tile's number alone decides: the tiles before it in its group, the groups before
 * that in its super-group, and the prefix of the super-group.  A free look-back, which takes whatever is there
 * first, would be as fast but would round differently from run to run. */
#include "cuda/axis.h"
#include "cuda/kernel.cuh"
#include "cuda/scan.h"
#include "cuda/scan_ops.cuh"

using namespace garray__cuda;

namespace {

constexpr int THREADS = GARRAY_CUDA_BLOCK, WARPS = THREADS / 32, GROUP = GARRAY_CUDA_SCAN_GROUP;
constexpr int TILE_THREADS = GARRAY_CUDA_SCAN_THREADS;

template <class Op> constexpr int items_of = sizeof(typename Op::In) <= 4 ? 16 : sizeof(typename Op::In) == 8 ? 8 : 4;

/* What this thread wrote before is there for whoever sees the flag. */
__device__ __forceinline__ void publish(uint32_t *flag)
{
    asm volatile("st.release.gpu.global.u32 [%0], 1;" :: "l"(flag) : "memory");
}

__device__ __forceinline__ void await(const uint32_t *flag)
{
    uint32_t ready;
    do
        asm volatile("ld.acquire.gpu.global.u32 %0, [%1];" : "=r"(ready) : "l"(flag) : "memory");
    while (ready == 0);
}

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

/* One warp: publishes the total of tile t of a sequence and returns the prefix before it. */
template <class Op>
__device__ typename Op::State chain(const garray__scan_args &a, int64_t sequence, int64_t t,
                                    const typename Op::State &total, int lane)
{
    typedef typename Op::State State;
    const int64_t all_tiles = a.outer * a.inner * a.tiles, all_groups = a.outer * a.inner * a.groups;
    uint32_t *tile_flags = a.tickets + 1 + sequence * a.tiles;
    uint32_t *group_flags = a.tickets + 1 + all_tiles + sequence * a.groups;
    uint32_t *super_flags = a.tickets + 1 + all_tiles + all_groups + sequence * a.supers;
    State *tiles = (State *)a.states + sequence * a.tiles;
    State *groups = (State *)a.states + all_tiles + sequence * a.groups;
    State *supers = (State *)a.states + all_tiles + all_groups + sequence * a.supers;
    const int64_t group = t / GROUP, super = group / GROUP;
    const int tile_place = (int)(t % GROUP), group_place = (int)(group % GROUP);

    if (lane == 0) {
        tiles[t] = total;
        publish(tile_flags + t);
    }
    State before = Op::empty();
    if (lane < tile_place) {
        await(tile_flags + group * GROUP + lane);
        before = tiles[group * GROUP + lane];
    }
    State groups_before = Op::empty();
    State group_total = before;
    if (tile_place == GROUP - 1) {      /* the last tile of a group publishes the group's total */
        if (lane == tile_place)
            group_total = total;
        group_total = warp_total<Op>(group_total, lane);
        if (lane == 0) {
            groups[group] = group_total;
            publish(group_flags + group);
        }
    }
    if (lane < group_place) {
        await(group_flags + super * GROUP + lane);
        groups_before = groups[super * GROUP + lane];
    }
    State prefix = Op::empty();
    if (super > 0) {
        await(super_flags + super);
        prefix = supers[super];
    }
    if (tile_place == GROUP - 1 && group_place == GROUP - 1 && super + 1 < a.supers) {
        State super_total = groups_before;
        if (lane == group_place)
            super_total = group_total;
        State next = prefix;
        Op::merge(next, warp_total<Op>(super_total, lane));
        if (lane == 0) {
            supers[super + 1] = next;
            publish(super_flags + super + 1);
        }
    }
    Op::merge(prefix, warp_total<Op>(groups_before, lane));
    Op::merge(prefix, warp_total<Op>(before, lane));
    return prefix;
}

/* Which tile a block works on. */
struct place_of_tile {
    int64_t sequence, tile;
    bool exists;
};

__device__ __forceinline__ place_of_tile tile_of_ticket(const garray__scan_args &a, uint32_t ticket)
{
    const int64_t sequence = ticket / a.tiles;
    return place_of_tile{sequence, ticket - sequence * a.tiles, sequence < a.outer * a.inner};
}

/* Byte offset of a sequence. */
__device__ __forceinline__ int64_t sequence_offset(const garray__scan_args &a, int64_t sequence, const int64_t (&stride)[3])
{
    const int64_t row = sequence / a.inner;
    return row * stride[0] + (sequence - row * a.inner) * stride[2];
}

/* Sequences along the middle axis, tile by tile through shared memory; the next tile's items are under way while a tile
 * is worked on.  With tickets, tiles start in their order whoever takes them, so that waiting for those before ends;
 * without, a block follows its sequence and carries the prefix. */
template <class Op>
__global__ void __launch_bounds__(TILE_THREADS, sizeof(typename Op::State) <= 16 ? 2 : 1)
    scan_tiles(const __grid_constant__ garray__scan_args a)
{
    typedef typename Op::In In;
    typedef typename Op::State State;
    constexpr int items = items_of<Op>, tile = items * TILE_THREADS;
    __shared__ alignas(16) unsigned char room[sizeof(In) * (tile + TILE_THREADS)];
    __shared__ alignas(16) unsigned char warp_room[sizeof(State) * ((TILE_THREADS / 32) + 1)];
    __shared__ uint32_t ticket;
    In *data = (In *)room;              /* a thread's items are one place apart from the next thread's: no bank conflicts */
    State *warp_totals = (State *)warp_room;
    const int thread = threadIdx.x, lane = thread & 31, warp = thread >> 5;
    const bool chained = a.tickets != NULL;

    In v[items];
    const auto load = [&](const place_of_tile &at) {
        if (!at.exists)
            return;
        const int64_t base = at.tile * tile, count = a.n - base, step = TILE_THREADS * a.in_stride[1];
        const char *from = a.in + sequence_offset(a, at.sequence, a.in_stride) + (base + thread) * a.in_stride[1];
#pragma unroll
        for (int j = 0; j < items; j++)
            if (j * TILE_THREADS + thread < count)
                v[j] = item_load<In>(from + j * step, a.unaligned);
    };

    place_of_tile now = {blockIdx.x, 0, true};
    if (chained) {
        if (thread == 0)
            ticket = atomicAdd(a.tickets, 1u);
        __syncthreads();
        now = tile_of_ticket(a, ticket);
    }
    State carry = Op::empty();
    load(now);
#pragma unroll 1
    while (now.exists) {
        const int64_t base = now.tile * tile;
        const int count = (int)min((int64_t)tile, a.n - base), mine = thread * items;
        __syncthreads();
        if (chained && thread == 0)
            ticket = atomicAdd(a.tickets, 1u);
#pragma unroll
        for (int j = 0; j < items; j++) {
            const int i = j * TILE_THREADS + thread;
            if (i < count)
                data[i + i / items] = v[j];
        }
        __syncthreads();
        const place_of_tile next = chained ? tile_of_ticket(a, ticket)
                                           : place_of_tile{now.sequence, now.tile + 1, now.tile + 1 < a.tiles};
        load(next);

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
        if (chained) {
            if (warp == 0) {
                const State prefix = chain<Op>(a, now.sequence, now.tile, block_total, lane);
                if (lane == 0)
                    warp_totals[(TILE_THREADS / 32)] = prefix;
            }
            __syncthreads();
            carry = warp_totals[(TILE_THREADS / 32)];
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
        char *to = a.out + sequence_offset(a, now.sequence, a.out_stride) + (base + thread) * a.out_stride[1];
        const int64_t step = TILE_THREADS * a.out_stride[1];
#pragma unroll
        for (int j = 0; j < items; j++) {
            const int i = j * TILE_THREADS + thread;
            if (i < count)
                item_store<In>(to + j * step, data[i + i / items], a.unaligned);
        }
        now = next;
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
    {(const void *)scan_tiles<__VA_ARGS__>, (const void *)scan_warps<__VA_ARGS__>,                              \
     (const void *)scan_columns<__VA_ARGS__>, items_of<__VA_ARGS__> * TILE_THREADS, (int)sizeof(__VA_ARGS__::State)}
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
