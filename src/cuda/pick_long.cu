/* SPDX-License-Identifier: BSD-3-Clause
 * Order statistics of a long row by Floyd and Rivest's sampling: the row is read once, some hundredths of it are kept, and
 * the next rounds deal with these.  Everything that later kernels need to know stays on the device. */
#include "cuda/pick.h"
#include "cuda/pick_rank.cuh"

using namespace garray__cuda;

namespace {

constexpr int SAMPLE = GARRAY_CUDA_PICK_SAMPLE, SAMPLERS = 1024, PER = SAMPLE / SAMPLERS, DRAWERS = 16;
constexpr int THREADS = GARRAY_CUDA_BLOCK, WARPS = THREADS / 32;

/* ---- the bracket of a round ---- */
/* What the last round counted: ranks that are resolved get their keys, the others go on with what was kept. */
__device__ void digest(const garray__pick_args &a, garray__pick_state &s)
{
    const uint64_t under = s.below, low_end = under + s.at_low, kept_end = low_end + s.between, high_end = kept_end + s.at_high;
    bool waiting = false;
    for (int j = 0; j < a.ranks; j++) {
        if (s.resolved >> j & 1)
            continue;
        const uint64_t k = (uint64_t)a.kth[a.first + j] - s.base;
        if (k >= under && k < low_end) {
            a.keys[a.first + j] = s.low;
            s.resolved |= 1u << j;
        } else if (k >= kept_end && k < high_end) {
            a.keys[a.first + j] = s.high;
            s.resolved |= 1u << j;
        } else if (k >= low_end && k < kept_end && s.between <= a.source_room) {
            waiting = true;
        } else {
            s.failed = 1;
        }
    }
    s.base += low_end;
    s.count = s.between;
    s.done = s.failed || !waiting;
    s.below = s.at_low = s.between = s.at_high = 0;
}

/* Some blocks draw a sample, or take all of a source that is no larger.  The last one to be ready finds the ranks in it:
 * those of a whole source are the answer, others are the ends of the bracket, which half a deviation more may widen. */
template <class K> __global__ void __launch_bounds__(SAMPLERS) pick_sample(const __grid_constant__ garray__pick_args a)
{
    __shared__ garray__pick_state now;
    __shared__ rank_room room;
    __shared__ key_range<K> range;
    __shared__ bool last;
    garray__pick_state &s = *a.state;
    K *const sample = (K *)a.sample;
    const int thread = threadIdx.x;
    if (thread == 0) {
        now = s;                        /* nobody changes it before all blocks are ready */
        if (a.round == 0)
            now.count = (uint64_t)a.n;
        else if (!now.done)
            digest(a, now);             /* all blocks write the same keys */
    }
    __syncthreads();
    const uint64_t count = now.done ? 0 : now.count;
    const bool whole = count <= SAMPLE;
    const int size = whole ? (int)count : SAMPLE;
    for (int i = blockIdx.x * SAMPLERS + thread; i < size; i += gridDim.x * SAMPLERS) {
        const uint64_t at = whole ? (uint64_t)i : sampled_item<SAMPLE>((uint32_t)i, count);
        sample[i] = a.source ? ((const K *)a.source)[at] : (K)total_item(a.order, a.size, a.in, (int64_t)at);
    }
    __threadfence();
    __syncthreads();
    if (thread == 0)
        last = atomicAdd(&s.ticket, 1u) == gridDim.x - 1;
    __syncthreads();
    if (!last)
        return;
    __threadfence();

    K key[PER], least = (K)~(K)0, most = 0;
#pragma unroll
    for (int m = 0; m < PER; m++) {
        const int i = m * SAMPLERS + thread;
        key[m] = (K)~(K)0;
        if (i < size) {
            key[m] = __ldcg(&sample[i]);
            least = key[m] < least ? key[m] : least;
            most = key[m] > most ? key[m] : most;
        }
    }
    range.find(least, most);
    const auto each = [&](const auto &take) {
#pragma unroll
        for (int m = 0; m < PER; m++)
            if (m * SAMPLERS + thread < size)
                take(key[m]);
    };
    if (count > 0 && whole) {
        for (int j = 0; j < a.ranks; j++) {
            if (now.resolved >> j & 1)
                continue;
            const uint32_t rank = (uint32_t)((uint64_t)a.kth[a.first + j] - now.base);
            const rank_found<K> r = block_rank<K>(room, range.low, range.high, rank, (uint32_t)size, 0, each);
            if (thread == 0)
                a.keys[a.first + j] = r.found;
        }
    } else if (count > 0) {
        int from = -1, to = -1;
        for (int j = 0; j < a.ranks; j++)
            if (!(now.resolved >> j & 1)) {
                from = from < 0 ? j : from;
                to = j;
            }
        const double per = (double)SAMPLE / (double)count;
        const double begin = ((double)((uint64_t)a.kth[a.first + from] - now.base) + 0.5) * per;
        const double end = ((double)((uint64_t)a.kth[a.first + to] - now.base) + 0.5) * per;
        const double low = floor(begin - 5 * sqrt(begin * (1 - begin / SAMPLE)) - 4);
        const double high = ceil(end + 5 * sqrt(end * (1 - end / SAMPLE)) + 4);
        const uint32_t slack = (uint32_t)(0.5 * sqrt(begin * (1 - begin / SAMPLE))) + 1;
        K at_low = 0, at_high = (K)~(K)0 >> (8 * sizeof(K) - 8 * min(a.size, (int)sizeof(K)));
        if (low > 0)
            at_low = block_rank<K>(room, range.low, range.high, (uint32_t)low, SAMPLE, slack, each).found;
        if (high < SAMPLE) {
            const rank_found<K> r = block_rank<K>(room, range.low, range.high, (uint32_t)high, SAMPLE, slack, each);
            if (r.exact)
                at_high = r.found;
            else if (r.above != 0 && r.above < at_high)     /* beyond all keys otherwise */
                at_high = r.above;
        }
        if (thread == 0) {
            now.low = at_low;
            now.high = at_high;
        }
    }
    if (thread == 0) {
        if (a.round == 1 && a.top >= 0)
            a.keys[a.top] = now.top;
        now.done = now.done || whole;
        now.ticket = 0;
        s = now;
    }
}

/* ---- counting and keeping ---- */
template <class N> __device__ __forceinline__ N lowest()
{
    if constexpr (is_floating<N>::value)
        return (N)-INFINITY;
    else
        return is_integer<N>::is_signed ? (N)((N)1 << (8 * sizeof(N) - 1)) : 0;
}

/* The higher number, NaN above all. */
template <class N> __device__ __forceinline__ N higher(N a, N b)
{
    if constexpr (!is_floating<N>::value)
        return b > a ? b : a;
#if defined(__CUDA_ARCH__) && __CUDA_ARCH__ >= 800
    else if constexpr (sizeof(N) == 4) {
        N c;
        asm("max.NaN.f32 %0, %1, %2;" : "=f"(c) : "f"(a), "f"(b));
        return c;
    }
#endif
    else
        return a >= b || a != a ? a : b;
}

struct nans_inside { static constexpr bool apart = false; };
struct nans_apart { static constexpr bool apart = true; };

enum source_kind { NUMBERS, ITEMS_AS_KEYS, KEYS };  /* compared as numbers; as keys made of items; keys already */

/* Blocks that a multiprocessor holds; no more are launched, since a few that begin later would take as long as all others. */
constexpr int RESIDENT = 4;

/* U: what the source holds.  Most items are far from the bracket, and one comparison as a number with each end tells so;
 * the others, and those beside whole vectors, are gathered and looked at together. */
template <class U, class N, class K, source_kind KIND>
__global__ void __launch_bounds__(THREADS, RESIDENT) pick_narrow(const __grid_constant__ garray__pick_args a)
{
    constexpr int EACH = 16 / (int)sizeof(U), VECTORS = EACH >= 4 ? 16 / EACH : 4, ITEMS = VECTORS * EACH, TILE = 32 * ITEMS;
    constexpr uint32_t ROOM = 256;      /* items that a warp gathers before it looks at them */
    __shared__ K gathered[WARPS][ROOM];
    garray__pick_state &s = *a.state;
    if (s.done)
        return;
    const int lane = threadIdx.x & 31, warp = threadIdx.x >> 5;
    const U *source = KIND == KEYS ? (const U *)a.source : (const U *)a.in;
    const K low = (K)s.low, high = (K)s.high;
    const U flip = KIND == NUMBERS ? flip_of<N, U>(a.order) : 0;
    N low_number, high_number, top_number;
    if constexpr (KIND == NUMBERS) {
        low_number = number_of_bits<N>(number_of_key<U>(a.order, (U)low), flip);
        high_number = number_of_bits<N>(number_of_key<U>(a.order, (U)high), flip);
        top_number = lowest<N>();
    } else {
        low_number = (N)low;
        high_number = (N)high;
        top_number = 0;
    }
    const U low_bits = KIND == KEYS ? (U)low : number_of_key<U>(a.order, (U)low);
    const U high_bits = KIND == KEYS ? (U)high : number_of_key<U>(a.order, (U)high);
    const auto key_of = [&](U x) {
        if constexpr (KIND == KEYS)
            return (K)x;
        else
            return (K)total_key<U>(a.order, x);
    };

    uint32_t below = 0, at_low = 0, at_high = 0, held = 0;
    K top = 0;
    K *const mine = gathered[warp];
    /* What the warp has gathered, looked at exactly; what is inside goes where the other warps leave room. */
    const auto put = [&]() {
        uint32_t inside = 0;
        __syncwarp();
        for (uint32_t i = 0; i < held; i += 32) {
            const bool is = i + lane < held;
            const K key = is ? key_of((U)mine[i + lane]) : 0;
            const bool in = is && key > low && key < high;
            below += is && key < low;
            at_low += is && key == low;
            at_high += is && key == high;
            top = key > top ? key : top;
            const uint32_t ins = __ballot_sync(ALL_LANES, in);     /* all have read: the front can be written */
            if (in)
                mine[inside + (uint32_t)__popc(ins & ((1u << lane) - 1))] = key;
            inside += (uint32_t)__popc(ins);
        }
        unsigned long long at = 0;
        __syncwarp();
        if (lane == 0 && inside > 0)
            at = atomicAdd(&s.between, (unsigned long long)inside);
        at = __shfl_sync(ALL_LANES, at, 0);
        for (uint32_t i = lane; i < inside; i += 32)
            if (at + i < a.room)
                ((K *)a.kept)[at + i] = mine[i];
        __syncwarp();
        held = 0;
    };
    /* Gathers the lane's items in `left`: bit i is item i % EACH of vector i / EACH, or item i of lines of 32. */
    const auto gather_some = [&](const U *tile, uint32_t left, uint32_t total, uint32_t before, bool lines) {
        if (held + total > ROOM)
            put();
        uint32_t at = held + before;
        while (left != 0) {
            const uint32_t i = (uint32_t)__ffs(left) - 1;
            mine[at++] = (K)tile[lines ? i * 32 + lane : i + (i / EACH * 31 + lane) * EACH];
            left &= left - 1;
        }
        held += total;
    };
    /* thin(left): the same without what can be counted at once; for where there is too much. */
    const auto gather = [&](const U *tile, uint32_t left, bool lines, const auto &thin) {
        uint32_t before = (uint32_t)__popc(left);
#pragma unroll
        for (int d = 1; d < 32; d <<= 1) {
            const uint32_t other = __shfl_up_sync(ALL_LANES, before, d);
            before += lane >= d ? other : 0;
        }
        const uint32_t total = __shfl_sync(ALL_LANES, before, 31);
        if (total <= ROOM / 2) {
            gather_some(tile, left, total, before - (uint32_t)__popc(left), lines);
        } else {
            left = thin(left);
#pragma unroll 1
            for (int bit = 0; bit < ITEMS; bit++) {
                const bool is = left >> bit & 1;
                const uint32_t lanes = __ballot_sync(ALL_LANES, is);
                if (lanes == 0)
                    continue;
                gather_some(tile, (uint32_t)is << bit, (uint32_t)__popc(lanes), (uint32_t)__popc(lanes & ((1u << lane) - 1)),
                            lines);
            }
        }
    };

    const uint64_t count = s.count;
    uint64_t head = ((16 - ((uintptr_t)source & 15)) & 15) / sizeof(U);
    head = head < count ? head : count;
    const uint64_t tiles = (count - head) / TILE, rest = head + tiles * TILE;
    const uint64_t warps = (uint64_t)gridDim.x * WARPS, first = (uint64_t)blockIdx.x * WARPS + warp;
    pack<16> v[VECTORS];
    const auto load = [&](uint64_t t) {
#pragma unroll
        for (int m = 0; m < VECTORS; m++)
            v[m] = load_aligned<16>(source + head + t * TILE + (m * 32 + lane) * EACH);
    };
    if (first < tiles)
        load(first);
    /* apart: NaNs are above the bracket, and all but the highest key need not look at them. */
    const auto read = [&](auto nans) {
        constexpr bool apart = decltype(nans)::apart;
        for (uint64_t t = first; t < tiles; t += warps) {
            const U *tile = source + head + t * TILE;
            uint32_t left = 0;
#pragma unroll
            for (int m = 0; m < VECTORS; m++)
#pragma unroll
                for (int e = 0; e < EACH; e++) {
                    const U x = item<U>(v[m], e);
                    N n;
                    if constexpr (KIND == NUMBERS)
                        n = number_of_bits<N>(x, flip);
                    else
                        n = (N)key_of(x);
                    const bool under = n < low_number, over = apart ? !(n <= high_number) : n > high_number;
                    below += under;
                    left |= (uint32_t)(!under && !over) << (m * EACH + e);
                    if constexpr (KIND != KEYS)
                        top_number = higher(top_number, n);
                }
            if (t + warps < tiles)          /* on its way while this tile's items are gathered */
                load(t + warps);
            gather(tile, left, false, [&](uint32_t all) {    /* many items are one of the ends */
                const uint32_t lows = at_low, highs = at_high;
#pragma unroll
                for (int m = 0; m < VECTORS; m++) {
                    const pack<16> again = load_aligned<16>(tile + (m * 32 + lane) * EACH);
#pragma unroll
                    for (int e = 0; e < EACH; e++) {
                        const U x = item<U>(again, e);
                        const bool is_low = x == low_bits, is_high = x == high_bits;
                        at_low += is_low;
                        at_high += is_high;
                        all &= ~((uint32_t)(is_low || is_high) << (m * EACH + e));
                    }
                }
                if (at_low != lows)
                    top = low > top ? low : top;
                if (at_high != highs)
                    top = high > top ? high : top;
                return all;
            });
        }
    };
    if constexpr (is_floating<N>::value) {
        if (high_number == high_number)
            read(nans_apart{});
        else
            read(nans_inside{});
    } else {
        read(nans_inside{});
    }
    /* The rest, and the head, by the last warps of the grid. */
    for (uint64_t i = (warps - 1 - first) * 32; i < count - rest; i += warps * 32)
        gather(source + rest + i, i + lane < count - rest, true, [](uint32_t all) { return all; });
    if (first == 0)
        gather(source, (uint64_t)lane < head, true, [](uint32_t all) { return all; });
    if (held > 0)
        put();

    if constexpr (KIND == NUMBERS) {
        U bits;
        memcpy(&bits, &top_number, sizeof bits);
        const K k = key_of(bits ^ flip);
        top = k > top ? k : top;
    } else if constexpr (KIND == ITEMS_AS_KEYS) {
        top = (K)top_number > top ? (K)top_number : top;
    }
    at_high = low == high ? 0 : at_high;
    unsigned long long sums[3] = {below, at_low, at_high};
#pragma unroll
    for (int d = 16; d > 0; d >>= 1) {
#pragma unroll
        for (int i = 0; i < 3; i++)
            sums[i] += __shfl_down_sync(ALL_LANES, sums[i], d);
        const K other = __shfl_down_sync(ALL_LANES, top, d);
        top = other > top ? other : top;
    }
    if (lane == 0) {
        atomicAdd(&s.below, sums[0]);
        atomicAdd(&s.at_low, sums[1]);
        atomicAdd(&s.at_high, sums[2]);
        if (KIND != KEYS)
            atomicMax(&s.top, (unsigned long long)top);
    }
}

const void *narrow_kernel(int dtype, int size)
{
    switch (dtype) {
    case GARRAY_FLOAT32: return (const void *)pick_narrow<uint32_t, float, uint32_t, NUMBERS>;
    case GARRAY_FLOAT64: return (const void *)pick_narrow<uint64_t, double, uint64_t, NUMBERS>;
    case GARRAY_INT32: return (const void *)pick_narrow<uint32_t, int32_t, uint32_t, NUMBERS>;
    case GARRAY_INT64: return (const void *)pick_narrow<uint64_t, int64_t, uint64_t, NUMBERS>;
    case GARRAY_UINT32: return (const void *)pick_narrow<uint32_t, uint32_t, uint32_t, NUMBERS>;
    case GARRAY_UINT64: return (const void *)pick_narrow<uint64_t, uint64_t, uint64_t, NUMBERS>;
    default: break;
    }
    switch (size) {
    case 1: return (const void *)pick_narrow<uint8_t, uint32_t, uint32_t, ITEMS_AS_KEYS>;
    case 2: return (const void *)pick_narrow<uint16_t, uint32_t, uint32_t, ITEMS_AS_KEYS>;
    default: return (const void *)pick_narrow<uint64_t, uint64_t, uint64_t, ITEMS_AS_KEYS>;
    }
}

} /* namespace */

extern "C" garray_status garray__cuda_pick_sample(const garray__queue *q, const garray__pick_args *args)
{
    garray__pick_args a = *args;
    void *list[] = {&a};
    const void *kernel = a.size == 8 ? (const void *)pick_sample<uint64_t> : (const void *)pick_sample<uint32_t>;
    return garray__cuda_launch(q, "partition", kernel, dim3(DRAWERS), dim3(SAMPLERS), 0, list);
}

extern "C" garray_status garray__cuda_pick_narrow(const garray__queue *q, const garray__pick_args *args)
{
    garray__pick_args a = *args;
    void *list[] = {&a};
    const void *kernel = !a.source ? narrow_kernel(a.dtype, a.size)
                         : a.size == 8 ? (const void *)pick_narrow<uint64_t, uint64_t, uint64_t, KEYS>
                                       : (const void *)pick_narrow<uint32_t, uint32_t, uint32_t, KEYS>;
    const int64_t items = a.source ? (int64_t)a.source_room : a.n, tile = THREADS * 8;
    const int64_t most = (int64_t)garray__cuda_device_of(q)->multiprocessors * RESIDENT;
    int64_t blocks = (items + tile - 1) / tile;
    blocks = blocks < most ? blocks : most;
    return garray__cuda_launch(q, "partition", kernel, dim3((unsigned)blocks), dim3(THREADS), 0, list);
}
