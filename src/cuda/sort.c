/* SPDX-License-Identifier: BSD-3-Clause
 * The planner of sorts:
 *   short rows       some lanes of a warp sort a row in their registers; longer ones a block in shared memory
 *   values           radix sort of the items themselves; many rows of up to 4 bytes an item: with the row on top
 *   indices          radix sort of (key, place) pairs, by the row last where there are many
 *   top_k            long rows: a bound from a sample, and one read (top_long.cu); others, and where the sample misled:
 *                    selection by chunks until a row's candidates fit one chunk; then a sort of the k; for a large k a sort of
 *                    everything */
#include <string.h>
#include "cuda/scratch.h"
#include "cuda/sort.h"
#include "cuda/top_long.h"

enum {
    CHUNK = 16384,                      /* items that one block selects from */
    LOOP_ITEMS = 1 << 20,               /* rows this long are sorted one after the other */
    MOST_LONG_ROWS = 1 << 12,           /* whose top_k is looked for by samples in one launch: 64 KB each */
};

static int64_t min64(int64_t a, int64_t b) { return a < b ? a : b; }
static int64_t max64(int64_t a, int64_t b) { return a > b ? a : b; }

static int bits_for(int64_t count)
{
    int bits = 1;
    while (bits < 32 && (int64_t)1 << bits < count)
        bits++;
    return bits;
}

/* nan_first: descending reverses NaNs too (top_k counts them as the largest). */
garray__sort_order garray__cuda_sort_order(int dtype, bool descending, bool nan_first)
{
    static const uint8_t bits[] = {0, 8, 8, 16, 32, 64, 8, 16, 32, 64, 16, 16, 32, 64, 32, 64};
    static const uint8_t fraction[] = {[GARRAY_FLOAT16] = 10, [GARRAY_BFLOAT16] = 7, [GARRAY_FLOAT32] = 23,
                                       [GARRAY_FLOAT64] = 52, [GARRAY_COMPLEX64] = 23, [GARRAY_COMPLEX128] = 52};
    const uint64_t all = ~0ull >> (64 - bits[dtype]), top = all ^ (all >> 1);
    garray__sort_order o;
    memset(&o, 0, sizeof o);
    o.top = top;
    o.kind = dtype == GARRAY_COMPLEX64 ? GARRAY_SORT_COMPLEX : GARRAY_SORT_PLAIN;
    o.descending = descending;
    o.last = o.nan = o.nan_level = all;
    if (dtype >= GARRAY_INT8 && dtype <= GARRAY_INT64)
        o.negative = o.positive = top;
    if (dtype >= GARRAY_FLOAT16) {
        o.negative = all;
        o.positive = top;
        o.shift = (1ull << fraction[dtype]) - 1;
        const uint64_t numbers = all - 2 * o.shift + 1;         /* 64 bits: NaNs are fewer than 2^54, no overflow */
        o.plus = top - o.shift;
        o.minus = o.plus - 1;
        o.nan = numbers;
        o.nans = all - numbers;
        if (!nan_first)
            o.last = numbers - 1;
        if (descending) {
            o.plus = o.last - o.plus;
            o.minus = o.last - o.minus;
            if (nan_first)
                o.nan = o.nan_level = 0;
        }
    }
    return o;
}

/* The largest kind of sort that uses 32-bit places. */
static garray_status check_places(int64_t n)
{
    if (n <= (int64_t)UINT32_MAX)
        return GARRAY_OK;
    return garray__cuda_host->fail(GARRAY_ERR_UNSUPPORTED, "sorting %lld items with their indices: the CUDA device "
                                   "does up to %lld at once", (long long)n, (long long)UINT32_MAX);
}

static garray_status check(const garray__queue *q, cudaError_t e)
{
    return e == cudaSuccess ? GARRAY_OK : garray__cuda_error(garray__cuda_device_of(q), e, "radix sort");
}

/* The dtype if CUB's own order of it is ours but for NaNs, else 0. */
static int native_of(int dtype, const garray__sort_order *order, int64_t n)
{
    const bool known = dtype == GARRAY_FLOAT32 || dtype == GARRAY_FLOAT64 || dtype == GARRAY_INT32 || dtype == GARRAY_INT64;
    return known && !order->descending && order->kind == GARRAY_SORT_PLAIN && n <= (int64_t)UINT32_MAX ? dtype : 0;
}

/* Values of one run of n items; out differs from in. */
static garray_status radix_values(const garray__queue *q, int dtype, int width, const void *in, void *out, int64_t n,
                                  const garray__sort_order *order, int bits)
{
    size_t size = 0;
    void *temp = NULL, *count = NULL;
    garray__scratch scratch = {.q = q};
    const int native = native_of(dtype, order, n);
    const bool nans = native == GARRAY_FLOAT32 || native == GARRAY_FLOAT64;
    GARRAY_CUDA_TRY(check(q, garray__cuda_radix_values(NULL, &size, native, width, in, out, n, order, bits,
                                                       garray__cuda_stream_of(q))));
    const size_t bytes = (size_t)n * (size_t)width;     /* CUB's memory is used again by the steps that move NaNs */
    garray_status status = garray__scratch_take(&scratch, nans && bytes > size ? bytes : size, &temp);
    if (status == GARRAY_OK)
        status = check(q, garray__cuda_radix_values(temp, &size, native, width, in, out, n, order, bits,
                                                    garray__cuda_stream_of(q)));
    if (status == GARRAY_OK && nans)
        status = garray__scratch_take(&scratch, sizeof(uint32_t), &count);
    if (status == GARRAY_OK && nans) {
        const garray__sort_args a = {.values = out, .keys = temp, .places = count, .rows = 1, .n = n, .size = width};
        status = garray__cuda_sort_step(q, GARRAY__SORT_FIND_NANS, &a);
        if (status == GARRAY_OK)
            status = garray__cuda_sort_step(q, GARRAY__SORT_MOVE_NANS, &a);
    }
    garray__scratch_drop(&scratch);
    return status;
}

/* Pairs; *at says which of the two buffers of places (and of keys) holds the result. */
garray_status garray__cuda_sort_pairs(const garray__queue *q, int width, void *keys[2], uint32_t *places[2], int64_t n,
                                      int bits, int *at)
{
    size_t size = 0;
    void *temp = NULL;
    garray__scratch scratch = {.q = q};
    GARRAY_CUDA_TRY(check(q, garray__cuda_radix_places(NULL, &size, width, keys, places, n, bits, at,
                                                       garray__cuda_stream_of(q))));
    garray_status status = garray__scratch_take(&scratch, size, &temp);
    if (status == GARRAY_OK)
        status = check(q, garray__cuda_radix_places(temp, &size, width, keys, places, n, bits, at,
                                                    garray__cuda_stream_of(q)));
    garray__scratch_drop(&scratch);
    return status;
}

static void swap_if(uint32_t *places[2], void *keys[2], int at)
{
    if (at) {
        uint32_t *p = places[0];
        void *k = keys[0];
        places[0] = places[1], places[1] = p;
        keys[0] = keys[1], keys[1] = k;
    }
}

/* Sorted places of all rows, counted from the first row, then indices, values or both of the first k of each. */
static garray_status sort_places(const garray__queue *q, garray__sort_args *a, garray__scratch *scratch)
{
    const int64_t n = a->rows * a->n;
    const bool row_above = a->rows > 1 && a->size <= 4;
    const int key_size = a->size <= 4 && !row_above ? 4 : 8;
    void *keys[2], *memory[2];
    int at = 0;
    GARRAY_CUDA_TRY(check_places(n));
    for (int i = 0; i < 2; i++) {
        GARRAY_CUDA_TRY(garray__scratch_take(scratch, (size_t)n * (size_t)key_size, &keys[i]));
        GARRAY_CUDA_TRY(garray__scratch_take(scratch, (size_t)n * sizeof(uint32_t), &memory[i]));
    }
    uint32_t *places[2] = {memory[0], memory[1]};
    a->keys = keys[0];
    a->places = places[0];
    a->key_size = key_size;
    GARRAY_CUDA_TRY(garray__cuda_sort_step(q, row_above ? GARRAY__SORT_ROW_KEYS : GARRAY__SORT_KEYS, a));
    const int bits = row_above ? 32 + bits_for(a->rows) : 8 * (a->size < 8 ? a->size : 8);
    GARRAY_CUDA_TRY(garray__cuda_sort_pairs(q, key_size, keys, places, n, bits, &at));
    swap_if(places, keys, at);
    if (a->size == 16) {
        a->keys = keys[0];
        a->places = places[0];
        GARRAY_CUDA_TRY(garray__cuda_sort_step(q, GARRAY__SORT_KEYS_AT, a));
        GARRAY_CUDA_TRY(garray__cuda_sort_pairs(q, 8, keys, places, n, 64, &at));
        swap_if(places, keys, at);
    }
    if (a->rows > 1 && !row_above) {
        a->keys = keys[0];
        a->places = places[0];
        GARRAY_CUDA_TRY(garray__cuda_sort_step(q, GARRAY__SORT_ROWS_AT, a));
        GARRAY_CUDA_TRY(garray__cuda_sort_pairs(q, 4, keys, places, n, bits_for(a->rows), &at));
        swap_if(places, keys, at);
    }
    a->places = places[0];
    return garray__cuda_sort_step(q, GARRAY__SORT_PUT, a);
}

/* Values of many rows of up to 4 bytes an item: one sort with the row above the key. */
static garray_status sort_row_values(const garray__queue *q, garray__sort_args *a, garray__scratch *scratch)
{
    const int64_t n = a->rows * a->n;
    garray__sort_order order = a->order;
    void *keys[2];
    for (int i = 0; i < 2; i++)
        GARRAY_CUDA_TRY(garray__scratch_take(scratch, (size_t)n * sizeof(uint64_t), &keys[i]));
    order.kind = GARRAY_SORT_ROW_KEY;
    a->keys = keys[0];
    GARRAY_CUDA_TRY(garray__cuda_sort_step(q, GARRAY__SORT_ROW_KEYS, a));
    GARRAY_CUDA_TRY(radix_values(q, 0, 8, keys[0], keys[1], n, &order, 32 + bits_for(a->rows)));
    a->keys = keys[1];
    return garray__cuda_sort_step(q, GARRAY__SORT_FROM_ROW_KEYS, a);
}

static garray_status sort_rows(const garray__queue *q, garray__sort_args *a, bool values_only,
                               garray__scratch *scratch)
{
    if (!values_only || a->size == 16)
        return sort_places(q, a, scratch);
    if (a->rows == 1)
        return radix_values(q, a->dtype, a->size, a->in, a->values, a->n, &a->order, 8 * a->size);
    return a->size <= 4 ? sort_row_values(q, a, scratch) : sort_places(q, a, scratch);
}

/* Long rows one after the other, others in groups whose places fit 32 bits. */
static garray_status sort_all(const garray__queue *q, garray__sort_args *all, bool values_only, garray__scratch *scratch)
{
    if (garray__cuda_sort_is_short(all))
        return garray__cuda_sort_short(q, all);
    if (garray__cuda_sort_is_tile(q, all))
        return garray__cuda_sort_tile(q, all);
    if (all->n <= GARRAY_CUDA_SORT_SHORT)
        return garray__cuda_sort_step(q, GARRAY__SORT_BLOCK, all);
    if (all->values == all->in) {       /* CUB and the gather need the items where they are */
        const size_t bytes = (size_t)(all->rows * all->n) * (size_t)all->size;
        void *copy;
        GARRAY_CUDA_TRY(garray__scratch_take(scratch, bytes, &copy));
        GARRAY_CUDA(q, cudaMemcpyAsync(copy, all->in, bytes, cudaMemcpyDeviceToDevice, garray__cuda_stream_of(q)));
        all->in = copy;
    }
    const int64_t group = all->n >= LOOP_ITEMS ? 1 : min64(all->rows, INT32_MAX / all->n);
    for (int64_t r = 0; r < all->rows; r += group) {
        garray__sort_args a = *all;
        garray__scratch own = {.q = q};
        a.rows = min64(group, all->rows - r);
        a.in = (const char *)a.in + r * a.n * a.size;
        a.values = a.values ? (char *)a.values + r * a.k * a.size : NULL;
        a.indices = a.indices ? a.indices + r * a.k : NULL;
        const garray_status status = sort_rows(q, &a, values_only, &own);
        garray__scratch_drop(&own);
        if (status != GARRAY_OK)
            return status;
    }
    return GARRAY_OK;
}

/* The k items of long rows, into the arrays that the caller has for them; a->unless then says of which rows this is so. */
static garray_status find_top(const garray__queue *q, garray__sort_args *a, void *keys, void *places, garray__scratch *scratch)
{
    garray__top_args t = {.in = a->in, .rows = a->rows, .n = a->n, .dtype = a->dtype, .size = a->size, .k = (int32_t)a->k,
                          .flip = a->flip, .top_keys = keys, .top_places = places, .order = a->order};
    const size_t width = a->size == 8 ? 8 : 4, sample = (size_t)garray__cuda_top_sample_size(a->size);
    void *states, *kept;
    garray__cuda_top_plan(&t, garray__cuda_device_of(q)->multiprocessors);
    GARRAY_CUDA_TRY(garray__scratch_take(scratch, (size_t)a->rows * sizeof(garray__top_state), &states));
    GARRAY_CUDA_TRY(garray__scratch_take(scratch, (size_t)a->rows * sample * width, &t.sample));
    for (int i = 0; i < 2; i++) {
        GARRAY_CUDA_TRY(garray__scratch_take(scratch, (size_t)a->rows * t.room * width, &t.keys[i]));
        GARRAY_CUDA_TRY(garray__scratch_take(scratch, (size_t)a->rows * t.room * sizeof(uint32_t), &kept));
        t.places[i] = kept;
    }
    GARRAY_CUDA(q, cudaMemsetAsync(states, 0, (size_t)a->rows * sizeof(garray__top_state), garray__cuda_stream_of(q)));
    t.states = states;
    a->unless = states;
    return garray__cuda_top_find(q, &t);
}

static garray_status top_k(const garray__queue *q, garray__sort_args *a, garray__scratch *scratch)
{
    const int64_t row = a->n;
    const int64_t chunk = max64(CHUNK, 8 * a->k);
    void *top_keys, *top_places;
    if (garray__cuda_sort_is_short(a))
        return garray__cuda_sort_short(q, a);
    if (a->n <= GARRAY_CUDA_SORT_SHORT)
        return garray__cuda_sort_step(q, GARRAY__SORT_BLOCK, a);
    if (a->k > GARRAY_CUDA_SORT_SHORT || a->size == 16 || 4 * a->k > a->n)
        return sort_all(q, a, false, scratch);
    GARRAY_CUDA_TRY(check_places(a->n));
    GARRAY_CUDA_TRY(garray__scratch_take(scratch, (size_t)(a->rows * a->k) * sizeof(uint64_t), &top_keys));
    GARRAY_CUDA_TRY(garray__scratch_take(scratch, (size_t)(a->rows * a->k) * sizeof(uint32_t), &top_places));
    if (a->n >= GARRAY_CUDA_TOP_LONG && a->rows <= MOST_LONG_ROWS)
        GARRAY_CUDA_TRY(find_top(q, a, top_keys, top_places, scratch));
    do {
        a->chunks = (a->n + chunk - 1) / chunk;
        a->chunk = chunk;
        const int64_t last = a->n - (a->chunks - 1) * chunk;
        const int64_t left = (a->chunks - 1) * a->k + min64(a->k, last);
        void *keys = top_keys, *places = top_places;
        a->out_stride = left;
        if (a->chunks > 1) {
            GARRAY_CUDA_TRY(garray__scratch_take(scratch, (size_t)(a->rows * left) * sizeof(uint64_t), &keys));
            GARRAY_CUDA_TRY(garray__scratch_take(scratch, (size_t)(a->rows * left) * sizeof(uint32_t), &places));
        }
        a->keys = keys;
        a->places = places;
        GARRAY_CUDA_TRY(garray__cuda_sort_step(q, GARRAY__SORT_SELECT, a));
        a->keys_in = keys;
        a->places_in = places;
        a->n = a->stride = left;
    } while (a->chunks > 1);
    a->n = a->stride = row;
    return garray__cuda_sort_step(q, GARRAY__SORT_TOP, a);
}

garray_status garray__cuda_sort(const garray__queue *q, const garray_sort_plan *plan)
{
    static const uint8_t sizes[] = {0, 1, 1, 2, 4, 8, 1, 2, 4, 8, 2, 2, 4, 8, 8, 16};
    if (plan->kind == GARRAY_SORT_PARTITION || plan->kind == GARRAY_SORT_PICK)
        return garray__cuda_partition(q, plan);
    const bool top = plan->kind == GARRAY_SORT_TOPK, is_complex = plan->dtype >= GARRAY_COMPLEX64;
    garray__sort_args a = {
        .in = plan->in, .rows = plan->rows, .n = plan->n, .stride = plan->n, .k = top ? plan->k : plan->n,
        .dtype = plan->dtype, .size = sizes[plan->dtype],
        .values = plan->kind == GARRAY_SORT_INDICES ? NULL : plan->values,
        .indices = plan->kind == GARRAY_SORT_VALUES ? NULL : plan->indices,
    };
    if (a.k == 0)
        return GARRAY_OK;
    /* top_k of complex numbers, largest first, is their ascending order read backwards, NaNs and all. */
    const bool backwards = top && plan->descending && is_complex;
    a.order = garray__cuda_sort_order(plan->dtype, plan->descending && !backwards, top);
    a.flip = backwards ? ~0ull : 0;

    garray__scratch scratch = {.q = q};
    const garray_status status = top ? top_k(q, &a, &scratch)
                                     : sort_all(q, &a, plan->kind == GARRAY_SORT_VALUES, &scratch);
    garray__scratch_drop(&scratch);
    return status;
}
