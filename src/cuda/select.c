/* SPDX-License-Identifier: BSD-3-Clause
 * Boolean selection: count (which the host waits for), then write. */
#include "cuda/scratch.h"
#include "cuda/select.h"

static int64_t tiles_of(const garray_select_plan *plan)
{
    return (plan->n + GARRAY_CUDA_SELECT_TILE - 1) / GARRAY_CUDA_SELECT_TILE;
}

/* Places for prefixes and counts: whole rounds of the sum. */
static size_t room_of(const garray_select_plan *plan)
{
    return (size_t)((tiles_of(plan) + GARRAY_CUDA_SELECT_ROUND - 1) / GARRAY_CUDA_SELECT_ROUND) * GARRAY_CUDA_SELECT_ROUND;
}

/* What the two calls share is one area: the prefixes, the counts, the mask as bits. */
static garray__select_args args_of(const garray_select_plan *plan)
{
    garray__select_args a = {.mask = plan->mask, .n = plan->n, .in = plan->in, .count = plan->count,
                             .before = plan->state, .ndim = 1, .wide = plan->n >= INT32_MAX, .tiles = tiles_of(plan)};
    a.counts = (int32_t *)(a.before + room_of(plan));
    a.words = (uint32_t *)(a.counts + room_of(plan));
    return a;
}

static garray_status count(const garray__queue *q, garray_select_plan *plan)
{
    garray__select_args a = args_of(plan);
    garray__late *word;
    GARRAY_CUDA_TRY(garray__cuda_late(q, &word));
    a.answer = &word->answer;
    GARRAY_CUDA_TRY(garray__cuda_select_step(q, GARRAY__SELECT_COUNT, 0, &a));
    GARRAY_CUDA_TRY(garray__cuda_select_step(q, GARRAY__SELECT_SUM, 0, &a));
    GARRAY_CUDA(q, cudaStreamSynchronize(garray__cuda_stream_of(q)));
    plan->count = *(volatile const int64_t *)a.answer;
    return GARRAY_OK;           /* core asks for late errors, in the words of the call they belong to */
}

garray_status garray__cuda_select_count(const garray__queue *q, garray_select_plan *plan)
{
    plan->count = 0;
    plan->state = NULL;
    if (plan->n == 0)
        return GARRAY_OK;
    const size_t size = room_of(plan) * (sizeof(int64_t) + sizeof(int32_t)) +
                        (size_t)tiles_of(plan) * (GARRAY_CUDA_SELECT_TILE / 8);
    GARRAY_CUDA_TRY(garray__cuda_host->scratch(q, size, &plan->state));
    const garray_status status = count(q, plan);
    if (status != GARRAY_OK)
        garray__cuda_select_drop(q, plan);
    return status;
}

static garray_status write_coordinates(const garray__queue *q, garray__select_args *a, int ndim, const int64_t *shape,
                                       garray__scratch *scratch)
{
    garray__axis axes[GARRAY_MAX_NDIM];
    void *far_axes = NULL;
    for (int d = 0; d < ndim; d++)
        axes[d] = garray__axis_of(shape[d], 0, 0, 0);
    a->ndim = ndim;
    GARRAY_CUDA_TRY(garray__cuda_place_axes(q, axes, ndim, a->axes, &far_axes));
    if (far_axes)
        scratch->area[scratch->count++] = far_axes;
    a->far_axes = far_axes;
    return garray__cuda_select_step(q, GARRAY__SELECT_COORDINATES, 0, a);
}

/* The widest unit of up to 16 bytes that divides a row and both addresses. */
static int unit_of(const garray_select_plan *plan)
{
    const uint64_t bits = (uint64_t)plan->row_bytes | (uint64_t)(uintptr_t)plan->in | (uint64_t)(uintptr_t)plan->out[0];
    int unit = 16;
    while (bits & (uint64_t)(unit - 1))
        unit /= 2;
    return unit;
}

static garray_status write_rows(const garray__queue *q, const garray_select_plan *plan, garray__select_args *a,
                                garray__scratch *scratch)
{
    const int unit = unit_of(plan);
    a->out[0] = plan->out[0];
    if (unit == plan->row_bytes)
        return garray__cuda_select_step(q, GARRAY__SELECT_ITEMS, unit, a);
    void *positions;
    garray__select_args flat = *a;
    GARRAY_CUDA_TRY(garray__scratch_take(scratch, (size_t)plan->count * sizeof(int64_t), &positions));
    flat.out[0] = positions;
    GARRAY_CUDA_TRY(write_coordinates(q, &flat, 1, &plan->n, scratch));
    a->positions = positions;
    a->units = plan->row_bytes / unit;
    return garray__cuda_select_step(q, GARRAY__SELECT_COPY, unit, a);
}

garray_status garray__cuda_select_write(const garray__queue *q, garray_select_plan *plan)
{
    garray__scratch scratch = {.q = q};
    garray_status status = GARRAY_OK;
    if (!plan->state)
        return status;
    garray__select_args a = args_of(plan);
    if (plan->count > 0 && plan->kind == GARRAY_SELECT_ROWS && plan->row_bytes > 0) {
        status = write_rows(q, plan, &a, &scratch);
    } else if (plan->count > 0 && plan->kind == GARRAY_SELECT_INDEX && plan->ndim > 0) {
        memcpy(a.out, plan->out, sizeof a.out);
        status = write_coordinates(q, &a, plan->ndim, plan->shape, &scratch);
    }
    garray__scratch_drop(&scratch);
    garray__cuda_select_drop(q, plan);
    return status;
}

void garray__cuda_select_drop(const garray__queue *q, garray_select_plan *plan)
{
    if (plan->state)
        garray__cuda_host->scratch_free(q, plan->state);
    plan->state = NULL;
}
