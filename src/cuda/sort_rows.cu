/* SPDX-License-Identifier: BSD-3-Clause
 * Sorting without CUB: short rows inside a block, the steps around the radix sort, and top_k's selection. */
#include "cuda/kernel.cuh"
#include "cuda/scalar.cuh"
#include "cuda/sort.h"

using namespace garray__cuda;

namespace {

constexpr int THREADS = GARRAY_CUDA_BLOCK, TILE = GARRAY_CUDA_SORT_SHORT, PER = TILE / THREADS;

/* ---- a tile of (key, place) in shared memory; places make equal keys differ, so any network is stable ---------- */
enum { KEY32, KEY64, KEY128 };

template <int KIND> struct tile_of {
    uint64_t key[TILE];                 /* KEY32: the place is the lower half */
    uint64_t lower[KIND == KEY128 ? TILE : 1];
    uint32_t place[KIND == KEY32 ? 1 : TILE];

    __device__ __forceinline__ void put(int i, uint64_t k, uint64_t l, uint32_t p)
    {
        if constexpr (KIND == KEY32) {
            key[i] = k << 32 | p;
        } else {
            key[i] = k;
            place[i] = p;
            if constexpr (KIND == KEY128)
                lower[i] = l;
        }
    }

    __device__ __forceinline__ void put_last(int i) { put(i, ~0ull, ~0ull, ~0u); }
    __device__ __forceinline__ uint32_t place_of(int i) const
    {
        return KIND == KEY32 ? (uint32_t)key[i] : place[KIND == KEY32 ? 0 : i];
    }

    __device__ __forceinline__ void order(int i, int j, bool ascending)
    {
        bool greater;
        const uint64_t a = key[i], b = key[j];
        if constexpr (KIND == KEY32)
            greater = a > b;
        else if constexpr (KIND == KEY64)
            greater = a > b || (a == b && place[i] > place[j]);
        else
            greater = a > b || (a == b && (lower[i] > lower[j] || (lower[i] == lower[j] && place[i] > place[j])));
        if (greater != ascending)
            return;
        key[i] = b, key[j] = a;
        if constexpr (KIND != KEY32) {
            const uint32_t p = place[i];
            place[i] = place[j], place[j] = p;
        }
        if constexpr (KIND == KEY128) {
            const uint64_t l = lower[i];
            lower[i] = lower[j], lower[j] = l;
        }
    }
};

/* Bitonic sort of each run of `padded` (a power of two) places of the tile. */
template <int KIND> __device__ void sort_tile(tile_of<KIND> &tile, int padded)
{
    for (int size = 2; size <= padded; size <<= 1)
        for (int half = size >> 1; half > 0; half >>= 1) {
#pragma unroll
            for (int m = 0; m < PER / 2; m++) {
                const int pair = m * THREADS + threadIdx.x, i = 2 * pair - (pair & (half - 1));
                tile.order(i, i + half, (i & size & (padded - 1)) == 0);
            }
            /* up to a distance of 32 the pairs of a warp stay within its own 64 places */
            if (half > 32 || (half == 1 && size >= 64))
                __syncthreads();
            else
                __syncwarp();
        }
    __syncthreads();
}

/* Moves items within whole rows: everything is read before anything is written, so out may be in. */
template <class T, int KIND>
__device__ __forceinline__ void put_items(const tile_of<KIND> &tile, const garray__sort_args &a, int64_t first_row,
                                          int rows)
{
    const int log = __ffs(a.padded) - 1;
    T v[PER];
#pragma unroll
    for (int m = 0; m < PER; m++) {
        const int i = m * THREADS + threadIdx.x, row = i >> log, rank = i & (a.padded - 1);
        if (row < rows && rank < a.k)
            v[m] = ((const T *)a.in)[(first_row + row) * a.stride + tile.place_of(i)];
    }
    __syncthreads();
#pragma unroll
    for (int m = 0; m < PER; m++) {
        const int i = m * THREADS + threadIdx.x, row = i >> log, rank = i & (a.padded - 1);
        if (row < rows && rank < a.k)
            ((T *)a.values)[(first_row + row) * a.k + rank] = v[m];
    }
}

template <int KIND>
__device__ void put_tile(const tile_of<KIND> &tile, const garray__sort_args &a, int64_t first_row, int rows)
{
    const int log = __ffs(a.padded) - 1;
    if (a.indices)
        for (int i = threadIdx.x; i < TILE; i += THREADS) {
            const int row = i >> log, rank = i & (a.padded - 1);
            if (row < rows && rank < a.k)
                a.indices[(first_row + row) * a.k + rank] = tile.place_of(i);
        }
    if (!a.values)
        return;
    switch (a.size) {
    case 1: put_items<uint8_t>(tile, a, first_row, rows); break;
    case 2: put_items<uint16_t>(tile, a, first_row, rows); break;
    case 4: put_items<uint32_t>(tile, a, first_row, rows); break;
    case 8: put_items<uint64_t>(tile, a, first_row, rows); break;
    default: put_items<garray__c128>(tile, a, first_row, rows); break;
    }
}

/* Rows of n items, as many as fit a tile; the first k of each are put. */
template <int KIND> __global__ void __launch_bounds__(THREADS) sort_block(const __grid_constant__ garray__sort_args a)
{
    __shared__ tile_of<KIND> tile;
    const int log = __ffs(a.padded) - 1, per_tile = TILE >> log;
    const int64_t first_row = (int64_t)blockIdx.x * per_tile;
    const int rows = (int)min((int64_t)per_tile, a.rows - first_row);
#pragma unroll 2
    for (int i = threadIdx.x; i < TILE; i += THREADS) {
        const int row = i >> log, place = i & (a.padded - 1);
        if (row >= rows || place >= a.n) {
            tile.put_last(i);
            continue;
        }
        const int64_t at = (first_row + row) * a.stride + place;
        if constexpr (KIND == KEY128) {
            const uint64_t *item = (const uint64_t *)a.in + 2 * at;
            uint64_t upper, lower;
            keys_of_complex128(a.order, item[0], item[1], upper, lower);
            tile.put(i, upper ^ a.flip, lower ^ a.flip, place);
        } else {
            tile.put(i, level_item(a.order, a.size, a.in, at, a.flip), 0, place);
        }
    }
    __syncthreads();
    sort_tile(tile, a.padded);
    put_tile(tile, a, first_row, rows);
}

/* top_k: the candidates of one row. */
__global__ void __launch_bounds__(THREADS) sort_top(const __grid_constant__ garray__sort_args a)
{
    __shared__ tile_of<KEY64> tile;
    const int64_t row = blockIdx.x, from = row * a.out_stride;
    for (int i = threadIdx.x; i < TILE; i += THREADS) {
        if (i < a.k)
            tile.put(i, ((const uint64_t *)a.keys_in)[from + i], 0, a.places_in[from + i]);
        else
            tile.put_last(i);
    }
    __syncthreads();
    sort_tile(tile, a.padded);
    put_tile(tile, a, row, 1);
}

/* Adds 1 to a bin for each lane, with one atomic operation for lanes that agree: high digits are all but equal. */
__device__ __forceinline__ void count_bin(uint32_t *bins, uint32_t bin, int lane)
{
    const uint32_t same = __match_any_sync(0xffffffffu, bin);
    if (bin < 256 && lane == __ffs(same) - 1)
        atomicAdd(&bins[bin], (uint32_t)__popc(same));
}

/* top_k: the k smallest keys of a chunk, in the order of their places.  A radix select finds the largest key that
 * belongs to them, digit by digit; then one ordered pass takes what is below it and as many equal ones as are due. */
__global__ void __launch_bounds__(THREADS) sort_select(const __grid_constant__ garray__sort_args a)
{
    __shared__ uint32_t bins[256], warp_below[THREADS / 32], warp_level[THREADS / 32];
    __shared__ uint32_t found, due;
    const int thread = threadIdx.x, lane = thread & 31, warp = thread >> 5;
    const int64_t row = blockIdx.x / a.chunks, chunk = blockIdx.x % a.chunks;
    if (a.unless && !a.unless[row].failed)
        return;
    const int64_t base = row * a.stride, begin = chunk * a.chunk, end = min(begin + a.chunk, a.n);
    const uint32_t wanted = (uint32_t)min(a.k, end - begin);
    const auto key_at = [&](int64_t i) {
        return a.keys_in ? ((const uint64_t *)a.keys_in)[base + i] : level_item(a.order, a.size, a.in, base + i, a.flip);
    };

    uint64_t prefix = 0;
    uint32_t need = wanted;
    int shift = 8 * a.size;
    while (shift > 0) {
        shift -= 8;
        bins[thread] = 0;
        __syncthreads();
        for (int64_t start = begin; start < end; start += THREADS) {
            const int64_t i = start + thread;
            uint32_t bin = 256;         /* not counted */
            if (i < end) {
                const uint64_t key = key_at(i);
                if (shift + 8 >= 64 || key >> (shift + 8) == prefix)
                    bin = key >> shift & 255;
            }
            count_bin(bins, bin, lane);
        }
        __syncthreads();
        if (thread < 32) {              /* the bin in which the need ends */
            uint32_t sum = 0;
            for (int b = 0; b < 8; b++)
                sum += bins[8 * lane + b];
            uint32_t before = sum;
            for (int d = 1; d < 32; d <<= 1) {
                const uint32_t other = __shfl_up_sync(0xffffffffu, before, d);
                if (lane >= d)
                    before += other;
            }
            before -= sum;
            if (before < need && before + sum >= need) {
                int b = 8 * lane;
                while (before + bins[b] < need)
                    before += bins[b++];
                found = (uint32_t)b;
                due = need - before;
            }
        }
        __syncthreads();
        prefix = prefix << 8 | found;
        need = due;
        const bool whole = bins[found] == need;
        __syncthreads();
        if (whole)                      /* all of the bin belongs: no need to look into it */
            break;
    }

    uint64_t *keys = (uint64_t *)a.keys + row * a.out_stride + chunk * a.k;
    uint32_t *places = a.places + row * a.out_stride + chunk * a.k;
    uint32_t below_before = 0, level_before = 0;
    for (int64_t start = begin; start < end && below_before + min(level_before, need) < wanted; start += THREADS) {
        const int64_t i = start + thread;
        const uint64_t key = i < end ? key_at(i) : ~0ull;
        const bool below = i < end && key >> shift < prefix, level = i < end && key >> shift == prefix;
        const uint32_t belows = __ballot_sync(0xffffffffu, below), levels = __ballot_sync(0xffffffffu, level);
        if (lane == 0) {
            warp_below[warp] = __popc(belows);
            warp_level[warp] = __popc(levels);
        }
        __syncthreads();
        const uint32_t mask = (1u << lane) - 1;
        uint32_t b = below_before + __popc(belows & mask), l = level_before + __popc(levels & mask);
        for (int w = 0; w < THREADS / 32; w++) {
            if (w < warp) {
                b += warp_below[w];
                l += warp_level[w];
            }
            below_before += warp_below[w];
            level_before += warp_level[w];
        }
        if (below || (level && l < need)) {
            const uint32_t at = b + min(l, need);
            keys[at] = key;
            places[at] = a.places_in ? a.places_in[base + i] : (uint32_t)i;
        }
        __syncthreads();
    }
}

/* ---- steps around the radix sort: a thread for each item -------------------------------------------------------- */
__device__ __forceinline__ int64_t this_item() { return (int64_t)blockIdx.x * THREADS + threadIdx.x; }

__global__ void __launch_bounds__(THREADS) sort_keys(const __grid_constant__ garray__sort_args a)
{
    const int64_t i = this_item();
    if (i >= a.rows * a.n)
        return;
    if (a.size == 16) {
        const uint64_t *item = (const uint64_t *)a.in + 2 * i;
        uint64_t upper, lower;
        keys_of_complex128(a.order, item[0], item[1], upper, lower);
        ((uint64_t *)a.keys)[i] = lower ^ a.flip;
    } else if (a.key_size == 8) {
        ((uint64_t *)a.keys)[i] = level_item(a.order, a.size, a.in, i, a.flip);
    } else {
        ((uint32_t *)a.keys)[i] = (uint32_t)level_item(a.order, a.size, a.in, i, 0);
    }
    a.places[i] = (uint32_t)i;
}

/* With places: level keys, for sorting pairs; without: keys that can be turned back. */
__global__ void __launch_bounds__(THREADS) sort_row_keys(const __grid_constant__ garray__sort_args a)
{
    const int64_t i = this_item();
    if (i >= a.rows * a.n)
        return;
    uint64_t key;
    if (a.places)
        key = level_item(a.order, a.size, a.in, i, 0);
    else if (a.size == 1)
        key = key_of_number<uint8_t>(a.order, ((const uint8_t *)a.in)[i]);
    else if (a.size == 2)
        key = key_of_number<uint16_t>(a.order, ((const uint16_t *)a.in)[i]);
    else
        key = key_of_number<uint32_t>(a.order, ((const uint32_t *)a.in)[i]);
    ((uint64_t *)a.keys)[i] = (uint64_t)(i / a.n) << 32 | key;
    if (a.places)
        a.places[i] = (uint32_t)i;
}

__global__ void __launch_bounds__(THREADS) sort_from_row_keys(const __grid_constant__ garray__sort_args a)
{
    const int64_t i = this_item();
    if (i >= a.rows * a.n)
        return;
    const uint32_t key = (uint32_t)((const uint64_t *)a.keys)[i];
    if (a.size == 1)
        ((uint8_t *)a.values)[i] = number_of_key<uint8_t>(a.order, (uint8_t)key);
    else if (a.size == 2)
        ((uint16_t *)a.values)[i] = number_of_key<uint16_t>(a.order, (uint16_t)key);
    else
        ((uint32_t *)a.values)[i] = number_of_key<uint32_t>(a.order, key);
}

__global__ void __launch_bounds__(THREADS) sort_keys_at(const __grid_constant__ garray__sort_args a)
{
    const int64_t i = this_item();
    if (i >= a.rows * a.n)
        return;
    const uint64_t *item = (const uint64_t *)a.in + 2 * (int64_t)a.places[i];
    uint64_t upper, lower;
    keys_of_complex128(a.order, item[0], item[1], upper, lower);
    ((uint64_t *)a.keys)[i] = upper ^ a.flip;
}

__global__ void __launch_bounds__(THREADS) sort_rows_at(const __grid_constant__ garray__sort_args a)
{
    const int64_t i = this_item();
    if (i < a.rows * a.n)
        ((uint32_t *)a.keys)[i] = (uint32_t)(a.places[i] / a.n);
}

/* Places count from the first row; rows are in their places already. */
__global__ void __launch_bounds__(THREADS) sort_put(const __grid_constant__ garray__sort_args a)
{
    const int64_t i = this_item();
    if (i >= a.rows * a.k)
        return;
    const int64_t row = i / a.k, place = a.places[row * a.n + (i - row * a.k)];
    if (a.indices)
        a.indices[i] = place - row * a.n;
    if (!a.values)
        return;
    switch (a.size) {
    case 1: ((uint8_t *)a.values)[i] = ((const uint8_t *)a.in)[place]; break;
    case 2: ((uint16_t *)a.values)[i] = ((const uint16_t *)a.in)[place]; break;
    case 4: ((uint32_t *)a.values)[i] = ((const uint32_t *)a.in)[place]; break;
    case 8: ((uint64_t *)a.values)[i] = ((const uint64_t *)a.in)[place]; break;
    default: ((garray__c128 *)a.values)[i] = ((const garray__c128 *)a.in)[place]; break;
    }
}

/* ---- NaNs with a sign go from the begin of sorted floats to the end; nearly always there are none ------------------ */
constexpr int MOVERS = 1024;            /* blocks at most */

template <class U> __device__ __forceinline__ bool leads(U b)
{
    return b > (sizeof(U) == 4 ? (U)0xff800000u : (U)0xfffull << 52);
}

template <class U> __global__ void __launch_bounds__(THREADS) find_nans(const __grid_constant__ garray__sort_args a)
{
    __shared__ int64_t found;
    const U *values = (const U *)a.values;
    if (threadIdx.x == 0) {
        int64_t low = 0, high = leads(values[0]) ? a.n : 0;     /* values before low lead, from high on they do not */
        while (low < high) {
            const int64_t middle = low + (high - low) / 2;
            if (leads(values[middle]))
                low = middle + 1;
            else
                high = middle;
        }
        found = low;
        if (blockIdx.x == 0)
            *a.places = (uint32_t)low;
    }
    __syncthreads();
    const int64_t nans = found;
    if (nans == 0)
        return;
    for (int64_t i = this_item(); i < a.n; i += (int64_t)gridDim.x * THREADS)
        ((U *)a.keys)[i] = values[i < a.n - nans ? i + nans : i - (a.n - nans)];
}

template <class U> __global__ void __launch_bounds__(THREADS) move_nans(const __grid_constant__ garray__sort_args a)
{
    if (*a.places == 0)
        return;
    for (int64_t i = this_item(); i < a.n; i += (int64_t)gridDim.x * THREADS)
        ((U *)a.values)[i] = ((const U *)a.keys)[i];
}

} /* namespace */

extern "C" garray_status garray__cuda_sort_step(const garray__queue *q, garray__sort_step step,
                                                const garray__sort_args *args)
{
    garray__sort_args a = *args;
    void *list[] = {&a};
    const void *kernel = NULL;
    int64_t blocks = (a.rows * a.n + THREADS - 1) / THREADS;
    switch (step) {
    case GARRAY__SORT_BLOCK:
        a.padded = 2;
        while (a.padded < a.n)
            a.padded *= 2;
        kernel = a.size == 16 ? (const void *)sort_block<KEY128>
               : a.size == 8 ? (const void *)sort_block<KEY64> : (const void *)sort_block<KEY32>;
        blocks = (a.rows + TILE / a.padded - 1) / (TILE / a.padded);
        break;
    case GARRAY__SORT_TOP:
        a.padded = 2;
        while (a.padded < a.k)
            a.padded *= 2;
        kernel = (const void *)sort_top;
        blocks = a.rows;
        break;
    case GARRAY__SORT_SELECT:
        kernel = (const void *)sort_select;
        blocks = a.rows * a.chunks;
        break;
    case GARRAY__SORT_FIND_NANS:
        kernel = a.size == 4 ? (const void *)find_nans<uint32_t> : (const void *)find_nans<uint64_t>;
        blocks = blocks < MOVERS ? blocks : MOVERS;
        break;
    case GARRAY__SORT_MOVE_NANS:
        kernel = a.size == 4 ? (const void *)move_nans<uint32_t> : (const void *)move_nans<uint64_t>;
        blocks = blocks < MOVERS ? blocks : MOVERS;
        break;
    case GARRAY__SORT_KEYS: kernel = (const void *)sort_keys; break;
    case GARRAY__SORT_ROW_KEYS: kernel = (const void *)sort_row_keys; break;
    case GARRAY__SORT_FROM_ROW_KEYS: kernel = (const void *)sort_from_row_keys; break;
    case GARRAY__SORT_KEYS_AT: kernel = (const void *)sort_keys_at; break;
    case GARRAY__SORT_ROWS_AT: kernel = (const void *)sort_rows_at; break;
    case GARRAY__SORT_PUT:
        kernel = (const void *)sort_put;
        blocks = (a.rows * a.k + THREADS - 1) / THREADS;
        break;
    }
    if (blocks > INT32_MAX)
        return garray__cuda_host->fail(GARRAY_ERR_UNSUPPORTED, "sorting %lld rows of %lld items is too large for one "
                                       "launch", (long long)a.rows, (long long)a.n);
    return garray__cuda_launch(q, "sort", kernel, dim3((unsigned)blocks), dim3(THREADS), 0, list);
}
