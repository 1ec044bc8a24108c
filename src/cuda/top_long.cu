/* SPDX-License-Identifier: BSD-3-Clause
 * The k first items of long rows: see top_long.h. */
#include "cuda/pick_rank.cuh"
#include "cuda/top_long.h"

using namespace garray__cuda;

namespace {

constexpr int SAMPLERS = 1024, DRAWERS = 16, THREADS = GARRAY_CUDA_BLOCK, WARPS = THREADS / 32;

/* Keys in the registers of a thread of the block that searches. */
template <class K> constexpr int per_thread = sizeof(K) == 4 ? 16 : 8;
template <class K> constexpr int sample_size = per_thread<K> * SAMPLERS;

template <class K> struct bound {
    K key;
    uint32_t place;

    __device__ __forceinline__ bool holds(K k, uint32_t p) const { return k < key || (k == key && p <= place); }
};

/* ---- a bound ---- */
/* At least rank + 1 of the block's `size` items are within the bound, and not many more than `slack` more (0: no more).  Item m
 * of a thread is item m * SAMPLERS + threadIdx.x, its key the largest number where there is none; place_of(m) is asked where
 * many keys are equal. */
template <class K, class Place>
__device__ bound<K> bound_of(rank_room &room, key_range<K> &range, const K (&key)[per_thread<K>], int size, uint32_t rank,
                             uint32_t slack, const Place &place_of)
{
    K least = (K)~(K)0, most = 0;
#pragma unroll
    for (int m = 0; m < per_thread<K>; m++)
        if (m * SAMPLERS + (int)threadIdx.x < size) {
            least = key[m] < least ? key[m] : least;
            most = key[m] > most ? key[m] : most;
        }
    range.find(least, most);
    const rank_found<K> r = block_rank<K>(room, range.low, range.high, rank, (uint32_t)size, slack, [&](const auto &take) {
#pragma unroll
        for (int m = 0; m < per_thread<K>; m++)
            if (m * SAMPLERS + (int)threadIdx.x < size)
                take(key[m]);
    });
    if (!r.exact)
        return {(K)(r.above - 1), UINT32_MAX};
    if (r.over <= rank + 1 + slack)
        return {r.found, UINT32_MAX};
    const rank_found<uint32_t> p = block_rank<uint32_t>(room, 0, UINT32_MAX, rank - r.under, r.over - r.under, slack,
                                                        [&](const auto &take) {
#pragma unroll
        for (int m = 0; m < per_thread<K>; m++)
            if (m * SAMPLERS + (int)threadIdx.x < size && key[m] == r.found)
                take(place_of(m));
    });
    return {r.found, p.exact ? p.found : p.above - 1};
}

/* Some blocks draw a row's sample; the last one to be ready finds the bound.  Of several draws from a stretch the first one in
 * order stands in the sample, at the stretch's last place: so the bound holds as many items of all draws as of those. */
template <class K> __global__ void __launch_bounds__(SAMPLERS) top_sample(const __grid_constant__ garray__top_args a)
{
    constexpr int PER = per_thread<K>, SAMPLE = sample_size<K>;
    __shared__ rank_room room;
    __shared__ key_range<K> range;
    __shared__ bool last;
    const unsigned drawers = DRAWERS * a.draws;
    const int64_t row = blockIdx.x / drawers;
    const uint32_t thread = threadIdx.x, drawer = blockIdx.x % drawers, several = a.draws > 1 ? 3 : 0;
    garray__top_state &s = a.states[row];
    K *const sample = (K *)a.sample + row * SAMPLE;
    for (uint32_t i = drawer * SAMPLERS + thread; i < SAMPLE << several; i += drawers * SAMPLERS) {
        const uint32_t number = i >> several, draw = i & ((1u << several) - 1);
        const int64_t item = (int64_t)sampled_item<SAMPLE>(number, (uint64_t)a.n, draw);
        K key = (K)level_item(a.order, a.size, a.in, row * a.n + item, a.flip);
        if (several)
#pragma unroll
            for (int d = 4; d > 0; d >>= 1) {
                const K other = __shfl_xor_sync(ALL_LANES, key, d);
                key = other < key ? other : key;
            }
        if (draw == 0)
            sample[number] = key;
    }
    __threadfence();
    __syncthreads();
    if (thread == 0)
        last = atomicAdd(&s.ticket, 1u) == drawers - 1;
    __syncthreads();
    if (!last)
        return;
    __threadfence();
    K key[PER];
#pragma unroll
    for (int m = 0; m < PER; m++)
        key[m] = __ldcg(&sample[m * SAMPLERS + thread]);
    const bound<K> b = bound_of<K>(room, range, key, SAMPLE, a.rank, a.slack, [&](int m) {
        const uint32_t number = m * SAMPLERS + thread;
        return (uint32_t)(several ? (number + 1) * (uint64_t)a.n / SAMPLE - 1 : sampled_item<SAMPLE>(number, (uint64_t)a.n));
    });
    if (thread == 0) {
        s.key = b.key;
        s.place = b.place;
    }
}

/* ---- one read ---- */
/* Blocks that a multiprocessor holds; no more are launched, since a few that begin later would take as long as all others. */
constexpr int RESIDENT = 6;

/* U: the items; N: the type of their numbers, or, if AS_KEYS, of their keys.  Most items are beyond the bound, and one
 * comparison as a number tells so; the others, and those beside whole vectors, are looked at again one by one. */
template <class U, class N, class K, bool AS_KEYS>
__global__ void __launch_bounds__(THREADS, RESIDENT) top_narrow(const __grid_constant__ garray__top_args a)
{
    constexpr int EACH = 16 / (int)sizeof(U), VECTORS = EACH >= 4 ? 16 / EACH : 4, ITEMS = VECTORS * EACH, TILE = 32 * ITEMS;
    constexpr uint32_t ROOM = 96;       /* items that a warp gathers before it asks for a place for them */
    __shared__ K gathered[WARPS][ROOM];
    __shared__ uint32_t gathered_places[WARPS][ROOM];
    const int lane = threadIdx.x & 31, warp = threadIdx.x >> 5;
    const int64_t row = blockIdx.x / a.blocks;
    garray__top_state &s = a.states[row];
    const U *const source = (const U *)a.in + row * a.n;
    const bound<K> limit = {(K)s.key, s.place};
    const auto key_of = [&](U x) { return (K)level_item(a.order, (int)sizeof(U), &x, 0, a.flip); };
    const U flip = AS_KEYS ? 0 : flip_of<N, U>(a.order);
    N number;
    if constexpr (AS_KEYS)
        number = (N)limit.key;
    else
        number = number_of_bits<N>(number_of_key<U>(a.order, (U)limit.key), flip);

    uint32_t held = 0;
    const auto put = [&]() {            /* what the warp has gathered */
        uint32_t at = 0;
        __syncwarp();
        if (lane == 0)
            at = atomicAdd(&s.kept, held);
        at = __shfl_sync(ALL_LANES, at, 0);
        for (uint32_t i = lane; i < held; i += 32)
            if (at + i < a.room && at + i >= at) {
                ((K *)a.keys[0])[row * a.room + at + i] = gathered[warp][i];
                a.places[0][row * a.room + at + i] = gathered_places[warp][i];
            }
        __syncwarp();
        held = 0;
    };
    /* The lane's items in `left`: bit i is item i % EACH of vector i / EACH, or item i of lines of 32. */
    const auto look = [&](uint32_t tile, uint32_t left, bool lines) {
        while (__any_sync(ALL_LANES, left != 0)) {
            K key = 0;
            uint32_t place = 0;
            bool inside = false;
            if (left != 0) {
                const uint32_t i = (uint32_t)__ffs(left) - 1;
                place = tile + (lines ? i * 32 + lane : (i / EACH * 32 + lane) * EACH + i % EACH);
                key = key_of(source[place]);
                inside = limit.holds(key, place);
                left &= left - 1;
            }
            const uint32_t in = __ballot_sync(ALL_LANES, inside);
            if (inside) {
                const uint32_t at = held + (uint32_t)__popc(in & ((1u << lane) - 1));
                gathered[warp][at] = key;
                gathered_places[warp][at] = place;
            }
            held += (uint32_t)__popc(in);
            if (held > ROOM - 32)
                put();
        }
    };

    const uint32_t count = (uint32_t)a.n, misaligned = (uint32_t)(((16 - ((uintptr_t)source & 15)) & 15) / sizeof(U));
    const uint32_t head = misaligned < count ? misaligned : count, tiles = (count - head) / TILE, rest = head + tiles * TILE;
    const uint32_t warps = (uint32_t)a.blocks * WARPS, first = blockIdx.x % a.blocks * WARPS + warp;
    for (uint32_t t = first; t < tiles; t += warps) {
        const uint32_t tile = head + t * TILE;
        pack<16> v[VECTORS];
        bool near = false;
#pragma unroll
        for (int m = 0; m < VECTORS; m++)
            v[m] = load_aligned<16>(source + tile + (m * 32 + lane) * EACH);
        const auto within = [&](int m, int e) {
            const U x = item<U>(v[m], e);
            if constexpr (AS_KEYS)
                return !((N)key_of(x) > number);
            else
                return !(number_of_bits<N>(x, flip) > number);
        };
#pragma unroll
        for (int m = 0; m < VECTORS; m++)
#pragma unroll
            for (int e = 0; e < EACH; e++)
                near |= within(m, e);
        if (!__any_sync(ALL_LANES, near))
            continue;
        uint32_t left = 0;
#pragma unroll
        for (int m = 0; m < VECTORS; m++)
#pragma unroll
            for (int e = 0; e < EACH; e++)
                left |= (uint32_t)within(m, e) << (m * EACH + e);
        look(tile, left, false);
    }
    if (first == warps - 1)
        for (uint32_t i = 0; i < count - rest; i += 32)
            look(rest + i, i + lane < count - rest, true);
    if (first == 0)
        look(0, (uint32_t)lane < head, true);
    if (held > 0)
        put();
}

/* ---- the k of what was kept ---- */
/* Moves the items within a bound; *moved, 0 before, is in shared memory. */
template <class K, class Put>
__device__ void move_within(const bound<K> &b, const K *keys, const uint32_t *places, uint32_t count, uint32_t *moved,
                            const Put &put)
{
    constexpr int UNROLL = 8;
    const int lane = threadIdx.x & 31;
    for (uint32_t start = 0; start < count; start += UNROLL * SAMPLERS) {
        K key[UNROLL];
        uint32_t place[UNROLL], in = 0;
#pragma unroll
        for (int u = 0; u < UNROLL; u++) {
            const uint32_t i = start + u * SAMPLERS + threadIdx.x;
            key[u] = 0;
            place[u] = 0;
            if (i < count) {
                key[u] = keys[i];
                place[u] = places[i];
            }
        }
#pragma unroll
        for (int u = 0; u < UNROLL; u++)
            in |= (uint32_t)(start + u * SAMPLERS + threadIdx.x < count && b.holds(key[u], place[u])) << u;
        if (!__any_sync(ALL_LANES, in != 0))
            continue;
#pragma unroll
        for (int u = 0; u < UNROLL; u++) {
            const uint32_t lanes = __ballot_sync(ALL_LANES, in >> u & 1);
            uint32_t at = 0;
            if (lanes != 0 && lane == 0)
                at = atomicAdd(moved, (uint32_t)__popc(lanes));
            at = __shfl_sync(ALL_LANES, at, 0) + (uint32_t)__popc(lanes & ((1u << lane) - 1));
            if (in >> u & 1)
                put(at, key[u], place[u]);
        }
    }
    __syncthreads();
}

/* A block for each row: bounds are drawn from samples until all fits the block's registers. */
template <class K> __global__ void __launch_bounds__(SAMPLERS) top_finish(const __grid_constant__ garray__top_args a)
{
    constexpr int PER = per_thread<K>, SAMPLE = sample_size<K>;
    __shared__ rank_room room;
    __shared__ key_range<K> range;
    __shared__ uint32_t moved;
    const int thread = threadIdx.x;
    const int64_t row = blockIdx.x;
    garray__top_state &s = a.states[row];
    uint32_t count = s.kept;
    const uint32_t k = (uint32_t)a.k;
    int from = 0;
    for (;;) {
        if (count < k || count > a.room) {
            if (thread == 0)
                s.failed = 1;
            return;
        }
        const K *keys = (const K *)a.keys[from] + row * a.room;
        const uint32_t *places = a.places[from] + row * a.room;
        const bool whole = count <= SAMPLE;
        const int size = whole ? (int)count : SAMPLE;
        K key[PER];
#pragma unroll
        for (int m = 0; m < PER; m++) {
            const int i = m * SAMPLERS + thread;
            key[m] = (K)~(K)0;
            if (i < size)
                key[m] = keys[whole ? (uint64_t)i : sampled_item<SAMPLE>((uint32_t)i, count)];
        }
        uint32_t rank = k - 1, slack = 0;
        if (!whole) {
            const float part = (float)k * SAMPLE / (float)count;
            rank = (uint32_t)(part + 5 * sqrtf(part) + 5);
            slack = (uint32_t)(0.5f * sqrtf(part)) + 1;
            if (rank >= SAMPLE - 1) {   /* more than half are wanted */
                if (thread == 0)
                    s.failed = 1;
                return;
            }
        }
        const bound<K> b = bound_of<K>(room, range, key, size, rank, slack, [&](int m) {
            const int i = m * SAMPLERS + thread;
            return places[whole ? (uint64_t)i : sampled_item<SAMPLE>((uint32_t)i, count)];
        });
        __syncthreads();
        if (thread == 0)
            moved = 0;
        __syncthreads();
        if (whole) {
            uint64_t *out = a.top_keys + row * k;
            uint32_t *out_places = a.top_places + row * k;
            move_within<K>(b, keys, places, count, &moved, [&](uint32_t at, K key, uint32_t place) {
                out[at] = key;
                out_places[at] = place;
            });
            return;
        }
        K *to = (K *)a.keys[1 - from] + row * a.room;
        uint32_t *to_places = a.places[1 - from] + row * a.room;
        move_within<K>(b, keys, places, count, &moved, [&](uint32_t at, K key, uint32_t place) {
            to[at] = key;
            to_places[at] = place;
        });
        if (moved == count) {           /* a sample that bounds nothing */
            if (thread == 0)
                s.failed = 1;
            return;
        }
        count = moved;
        from = 1 - from;
    }
}

const void *narrow_kernel(int dtype, int size)
{
    switch (dtype) {
    case GARRAY_FLOAT32: return (const void *)top_narrow<uint32_t, float, uint32_t, false>;
    case GARRAY_FLOAT64: return (const void *)top_narrow<uint64_t, double, uint64_t, false>;
    case GARRAY_INT32: return (const void *)top_narrow<uint32_t, int32_t, uint32_t, false>;
    case GARRAY_INT64: return (const void *)top_narrow<uint64_t, int64_t, uint64_t, false>;
    case GARRAY_UINT32: return (const void *)top_narrow<uint32_t, uint32_t, uint32_t, false>;
    case GARRAY_UINT64: return (const void *)top_narrow<uint64_t, uint64_t, uint64_t, false>;
    default: break;
    }
    switch (size) {
    case 1: return (const void *)top_narrow<uint8_t, uint32_t, uint32_t, true>;
    case 2: return (const void *)top_narrow<uint16_t, uint32_t, uint32_t, true>;
    default: return (const void *)top_narrow<uint64_t, uint64_t, uint64_t, true>;
    }
}

} /* namespace */

extern "C" int garray__cuda_top_sample_size(int size)
{
    return size == 8 ? sample_size<uint64_t> : sample_size<uint32_t>;
}

/* The bound's rank: five deviations beyond where the k-th item is expected in the sample.  What is below it then varies by
 * about n * sqrt(rank) / sample.  Few items of long rows are bounded by more draws, so that what is kept fits one block. */
extern "C" void garray__cuda_top_plan(garray__top_args *a, int multiprocessors)
{
    const double slots = garray__cuda_top_sample_size(a->size), n = (double)a->n, k = (double)a->k;
    a->draws = a->rows <= 16 && n >= 64 * slots && 8 * k * slots <= 256 * n ? 8 : 1;
    const double sample = slots * a->draws, part = k * sample / n;
    const int64_t tile = THREADS * 16, most = (a->n + tile - 1) / tile;
    const int64_t share = RESIDENT * (int64_t)multiprocessors / a->rows > 1 ? RESIDENT * (int64_t)multiprocessors / a->rows : 1;
    a->rank = (uint32_t)(part + 5 * sqrt(part) + 5);
    a->slack = (uint32_t)(0.5 * sqrt(part)) + 1;
    const double reach = a->rank + a->slack + 8 * sqrt((double)a->rank) + 16;
    a->room = (uint32_t)(n * reach / slots) + 64;       /* among equal keys whole stretches are kept */
    a->blocks = (int32_t)(most < share ? most : share);
}

extern "C" garray_status garray__cuda_top_find(const garray__queue *q, const garray__top_args *args)
{
    garray__top_args a = *args;
    void *list[] = {&a};
    const bool wide = a.size == 8;
    const unsigned rows = (unsigned)a.rows;
    const void *sample = wide ? (const void *)top_sample<uint64_t> : (const void *)top_sample<uint32_t>;
    GARRAY_CUDA_TRY(garray__cuda_launch(q, "top_k", sample, dim3(rows * DRAWERS * a.draws), dim3(SAMPLERS), 0, list));
    GARRAY_CUDA_TRY(garray__cuda_launch(q, "top_k", narrow_kernel(a.dtype, a.size), dim3(rows * (unsigned)a.blocks),
                                        dim3(THREADS), 0, list));
    return garray__cuda_launch(q, "top_k", wide ? (const void *)top_finish<uint64_t> : (const void *)top_finish<uint32_t>,
                               dim3(rows), dim3(SAMPLERS), 0, list);
}
