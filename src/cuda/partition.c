/* SPDX-License-Identifier: BSD-3-Clause
 * The planner of order statistics:
 *   rows of up to 1024 items    by a warp each
 *   a few long rows             by rounds of sampling: one read, and then some hundredths of the row
 *   others                      by a block each, digit by digit
 * A partition then sorts the items' places by their group, stably: one pass of the radix sort. */
#include <string.h>
#include "cuda/pick.h"
#include "cuda/scratch.h"
#include "cuda/sort.h"

enum {
    LONG = 1 << 16,             /* items of a long row */
    FEW = 16,                   /* long rows that are searched one after the other */
    NEAR = 4,                   /* ranks so near to each other are searched together */
    KEPT = 19                   /* a round keeps at most one of so many items; four in a hundred are expected */
};

static int64_t min64(int64_t a, int64_t b) { return a < b ? a : b; }
static int64_t max64(int64_t a, int64_t b) { return a > b ? a : b; }

static int key_size(const garray__pick_args *a) { return a->size == 8 ? 8 : 4; }

/* The ranks [first, first + ranks) of one row. */
static garray_status search(const garray__queue *q, garray__pick_args *a, void *kept[2])
{
    int64_t room = a->n;
    GARRAY_CUDA(q, cudaMemsetAsync(a->state, 0, sizeof *a->state, garray__cuda_stream_of(q)));
    a->source = NULL;
    a->source_room = (uint64_t)a->n;
    for (a->round = 0;; a->round++) {
        GARRAY_CUDA_TRY(garray__cuda_pick_step(q, GARRAY__PICK_SAMPLE, a));
        if (room <= GARRAY_CUDA_PICK_SAMPLE)
            break;
        room = max64(room / KEPT, GARRAY_CUDA_PICK_SAMPLE / KEPT);
        a->kept = kept[a->round & 1];
        a->room = (uint64_t)room;
        GARRAY_CUDA_TRY(garray__cuda_pick_step(q, GARRAY__PICK_NARROW, a));
        a->source = a->kept;
        a->source_room = a->room;
    }
    a->source = NULL;
    return garray__cuda_pick_step(q, GARRAY__PICK_BLOCK, a);
}

static garray_status search_rows(const garray__queue *q, const garray__pick_args *all, garray__scratch *scratch)
{
    void *kept[2], *state, *sample;
    const size_t room = (size_t)(all->n / KEPT) * (size_t)key_size(all);
    GARRAY_CUDA_TRY(garray__scratch_take(scratch, room, &kept[0]));
    GARRAY_CUDA_TRY(garray__scratch_take(scratch, room / KEPT + GARRAY_CUDA_PICK_SAMPLE * sizeof(uint64_t), &kept[1]));
    GARRAY_CUDA_TRY(garray__scratch_take(scratch, GARRAY_CUDA_PICK_SAMPLE * sizeof(uint64_t), &sample));
    GARRAY_CUDA_TRY(garray__scratch_take(scratch, sizeof(garray__pick_state), &state));
    for (int64_t row = 0; row < all->rows; row++) {
        garray__pick_args a = *all;
        a.rows = 1;
        a.in = (const char *)all->in + row * all->n * all->size;
        a.keys = all->keys + row * all->nkth;
        a.state = state;
        a.sample = sample;
        a.top = all->nkth > 1 && all->kth[all->nkth - 1] == all->n - 1 && all->kth[all->nkth - 2] < all->n - NEAR
                    ? all->nkth - 1 : -1;
        const int end = a.top >= 0 ? a.top : all->nkth;
        for (a.first = 0; a.first < end; a.first += a.ranks) {
            for (a.ranks = 1; a.first + a.ranks < end && a.kth[a.first + a.ranks] - a.kth[a.first] < NEAR; a.ranks++)
                continue;
            GARRAY_CUDA_TRY(search(q, &a, kept));
            a.top = -1;                 /* the first search has found it */
        }
    }
    return GARRAY_OK;
}

static garray_status find_keys(const garray__queue *q, garray__pick_args *a, garray__scratch *scratch)
{
    if (a->n <= GARRAY_CUDA_PICK_WARP)
        return garray__cuda_pick_step(q, GARRAY__PICK_WARP, a);
    if (a->n > LONG && a->rows <= FEW)
        return search_rows(q, a, scratch);
    a->first = 0;
    a->ranks = a->nkth;
    return garray__cuda_pick_step(q, GARRAY__PICK_BLOCK, a);
}

/* Some rows whose places and groups fit 32 bits. */
static garray_status deal(const garray__queue *q, const garray__pick_args *a, int64_t *indices, garray__scratch *scratch)
{
    const int64_t n = a->rows * a->n, groups = a->rows * (2 * a->nkth + 1);
    garray__pick_args p = *a;
    garray__sort_args put;
    void *keys[2], *memory[2];
    int at = 0, bits = 1;
    for (int i = 0; i < 2; i++) {
        GARRAY_CUDA_TRY(garray__scratch_take(scratch, (size_t)n * sizeof(uint32_t), &keys[i]));
        GARRAY_CUDA_TRY(garray__scratch_take(scratch, (size_t)n * sizeof(uint32_t), &memory[i]));
    }
    uint32_t *places[2] = {memory[0], memory[1]};
    p.groups = keys[0];
    p.places = places[0];
    GARRAY_CUDA_TRY(garray__cuda_pick_step(q, GARRAY__PICK_GROUPS, &p));
    while (bits < 32 && (int64_t)1 << bits < groups)
        bits++;
    GARRAY_CUDA_TRY(garray__cuda_sort_pairs(q, 4, keys, places, n, bits, &at));
    memset(&put, 0, sizeof put);
    put.in = a->in;
    put.values = a->values;
    put.indices = indices;
    put.places = places[at];
    put.rows = a->rows;
    put.n = put.k = put.stride = a->n;
    put.size = a->size;
    return garray__cuda_sort_step(q, GARRAY__SORT_PUT, &put);
}

static garray_status deal_all(const garray__queue *q, const garray__pick_args *all, int64_t *indices)
{
    const int64_t group = max64(1, min64(INT32_MAX / all->n, INT32_MAX / (2 * GARRAY_SORT_RANKS + 1)));
    for (int64_t r = 0; r < all->rows; r += group) {
        garray__pick_args a = *all;
        garray__scratch own = {.q = q};
        a.rows = min64(group, all->rows - r);
        a.in = (const char *)all->in + r * all->n * all->size;
        a.keys = all->keys + r * all->nkth;
        a.values = all->values ? (char *)all->values + r * all->n * all->size : NULL;
        const garray_status status = deal(q, &a, indices ? indices + r * all->n : NULL, &own);
        garray__scratch_drop(&own);
        if (status != GARRAY_OK)
            return status;
    }
    return GARRAY_OK;
}

static garray_status run(const garray__queue *q, const garray_sort_plan *plan, garray__pick_args *a, garray__scratch *scratch)
{
    void *keys;
    GARRAY_CUDA_TRY(garray__scratch_take(scratch, (size_t)(a->rows * a->nkth) * sizeof(uint64_t), &keys));
    a->keys = keys;
    GARRAY_CUDA_TRY(find_keys(q, a, scratch));
    if (plan->kind == GARRAY_SORT_PICK)
        return garray__cuda_pick_step(q, GARRAY__PICK_VALUES, a);
    return deal_all(q, a, plan->indices);
}

garray_status garray__cuda_partition(const garray__queue *q, const garray_sort_plan *plan)
{
    static const uint8_t sizes[] = {0, 1, 1, 2, 4, 8, 1, 2, 4, 8, 2, 2, 4, 8, 8, 16};
    if (plan->kind == GARRAY_SORT_PARTITION && plan->n > (int64_t)UINT32_MAX) {
        /* places of more than 32 bits: a whole sort of the values is a partition too */
        garray_sort_plan whole = *plan;
        whole.kind = plan->values ? GARRAY_SORT_VALUES : GARRAY_SORT_INDICES;
        return garray__cuda_sort(q, &whole);
    }
    garray__pick_args a;
    memset(&a, 0, sizeof a);
    a.in = plan->in;
    a.values = plan->values;
    a.rows = plan->rows;
    a.n = plan->n;
    a.nkth = plan->nkth;
    a.dtype = plan->dtype;
    a.size = sizes[plan->dtype];
    a.top = -1;
    a.order = garray__cuda_sort_order(plan->dtype, plan->descending != 0, false);
    memcpy(a.kth, plan->kth, (size_t)plan->nkth * sizeof *a.kth);
    garray__scratch scratch = {.q = q};
    const garray_status status = run(q, plan, &a, &scratch);
    garray__scratch_drop(&scratch);
    return status;
}
