/* SPDX-License-Identifier: BSD-3-Clause
 * The planner of gather and scatter: runs of contiguous items are moved as wider ones, and a scatter in which
 * positions can repeat first finds the last item of each. */
#include "cuda/combine.h"
#include "cuda/scratch.h"
#include "cuda/sort.h"
#include "cuda/tuning.h"

static size_t index_size(int dtype)
{
    static const uint8_t sizes[] = {0, 1, 1, 2, 4, 8, 1, 2, 4, 8};
    return sizes[dtype];
}

/* Whether every address is a multiple of size; the innermost axis is looked at by its length in bytes if run. */
static bool aligned_to(const garray__index_args *a, const garray__index_axis *axes, int64_t size, bool run, int64_t item)
{
    uint64_t bits = (uint64_t)(uintptr_t)a->base | (uint64_t)(uintptr_t)a->values;
    for (int k = 0; k < a->narrays; k++)
        bits |= (uint64_t)a->array[k].step;
    for (int d = 0; d < a->ndim; d++) {
        if (run && d == a->ndim - 1)
            bits |= (uint64_t)(axes[d].length * item);
        else
            bits |= (uint64_t)axes[d].base | (uint64_t)axes[d].value;
    }
    return (bits & (uint64_t)(size - 1)) == 0;
}

/* Widens the items of an innermost run that no index array cuts. */
static int widen(garray__index_args *a, garray__index_axis *axes, int item)
{
    if (a->ndim == 0)
        return item;
    garray__index_axis *inner = &axes[a->ndim - 1];
    if (inner->base != item || inner->value != item)
        return item;
    for (int k = 0; k < a->narrays; k++)
        if (inner->array[k] != 0)
            return item;
    for (int wide = 16; wide > item; wide /= 2)
        if (aligned_to(a, axes, wide, true, item)) {
            a->count = a->count / inner->length;
            inner->length = inner->length * item / wide;
            a->count *= inner->length;
            inner->base = inner->value = wide;
            inner->div = garray__axis_of(inner->length, 0, 0, 0).div;
            return wide;
        }
    return item;
}

static garray_status place_axes(garray__index_args *a, const garray__index_axis *axes, garray__scratch *scratch)
{
    if (a->ndim <= GARRAY_CUDA_INLINE_AXES) {
        memcpy(a->axes, axes, (size_t)a->ndim * sizeof *axes);
        return GARRAY_OK;
    }
    void *memory;
    GARRAY_CUDA_TRY(garray__scratch_take(scratch, (size_t)a->ndim * sizeof *axes, &memory));
    GARRAY_CUDA_TRY(garray__cuda_place(scratch->q, memory, axes, (size_t)a->ndim * sizeof *axes));
    a->far_axes = memory;
    return GARRAY_OK;
}

static garray_status launch(const garray__queue *q, const void *kernel, int64_t per_block, garray__index_args *a)
{
    const int64_t blocks = (a->count + per_block - 1) / per_block;
    void *args[] = {a};
    if (blocks > INT32_MAX)
        return garray__cuda_host->fail(GARRAY_ERR_UNSUPPORTED, "indexing %lld items is too large for one launch",
                                       (long long)a->count);
    return garray__cuda_launch(q, "index", kernel, (dim3){(unsigned)blocks, 1, 1}, (dim3){GARRAY_CUDA_BLOCK, 1, 1}, 0,
                               args);
}

static bool multiply(int64_t *a, int64_t b)
{
    return !__builtin_mul_overflow(*a, b, a);
}

/* Small items, all of whose places index arrays give. */
static bool is_listable(const garray__index_args *a, const garray__index_axis *axes, int size, int64_t ordinals)
{
    for (int d = 0; d < a->ndim; d++)
        if (axes[d].base != 0)
            return false;
    return size <= 4 && a->narrays > 0 && a->count == ordinals;
}

/* Whether such items are sorted: many, over more slots than the cache holds. */
static bool sorts(int64_t ordinals, int64_t slots)
{
    return ordinals >= (1 << 20) && ordinals <= INT32_MAX && slots > (1 << 22) && slots < (int64_t)UINT32_MAX;
}

/* Whether they go by packed slots: not so few that clearing and reading all slots costs more than looking each item's winner
 * up. */
static bool packs(int64_t ordinals, int64_t slots)
{
    return slots <= 4 * ordinals && slots <= (1 << 28);
}

/* Sorted by slot, stably: the last item of each slot is the last of its run. */
static garray_status scatter_sorted(const garray__queue *q, garray__index_args *a, garray__index_axis *axes, int size,
                                    int64_t slots, garray__scratch *scratch)
{
    void *listed[2], *memory[2];
    int at = 0, bits = 1;
    for (int i = 0; i < 2; i++) {
        GARRAY_CUDA_TRY(garray__scratch_take(scratch, (size_t)a->count * sizeof(uint32_t), &listed[i]));
        GARRAY_CUDA_TRY(garray__scratch_take(scratch, (size_t)a->count * sizeof(uint32_t), &memory[i]));
    }
    uint32_t *items[2] = {memory[0], memory[1]};
    while (bits < 32 && (int64_t)1 << bits <= slots)
        bits++;
    a->listed = listed[0];
    a->items = items[0];
    a->slots = (uint32_t)slots;
    GARRAY_CUDA_TRY(place_axes(a, axes, scratch));
    GARRAY_CUDA_TRY(launch(q, garray__cuda_list_kernel(size), GARRAY_CUDA_BLOCK * GARRAY_CUDA_INDEX_ITEMS, a));
    GARRAY_CUDA_TRY(garray__cuda_sort_pairs(q, 4, listed, items, a->count, bits, &at));
    a->listed = listed[at];
    a->items = items[at];
    return launch(q, garray__cuda_put_listed_kernel(size), GARRAY_CUDA_BLOCK * GARRAY_CUDA_INDEX_ITEMS, a);
}

static garray_status scatter_packed(const garray__queue *q, garray__index_args *a, garray__index_axis *axes, int size,
                                    int64_t slots, garray__scratch *scratch)
{
    void *memory;
    GARRAY_CUDA_TRY(garray__scratch_take(scratch, (size_t)slots * sizeof(uint64_t), &memory));
    GARRAY_CUDA(q, cudaMemsetAsync(memory, 0, (size_t)slots * sizeof(uint64_t), garray__cuda_stream_of(q)));
    a->packed = memory;
    GARRAY_CUDA_TRY(place_axes(a, axes, scratch));
    GARRAY_CUDA_TRY(launch(q, garray__cuda_pack_kernel(size), GARRAY_CUDA_BLOCK * GARRAY_CUDA_INDEX_ITEMS, a));
    a->count = slots;
    return launch(q, garray__cuda_unpack_kernel(size), GARRAY_CUDA_BLOCK * GARRAY_CUDA_INDEX_ITEMS, a);
}

/* Gives axes and arrays their shares of ordinal and slot, and claims the slots, or does it all by packed slots.  An axis
 * has an ordinal when an index array runs along it, or when items along it fall on one place anyway. */
static garray_status claim_slots(const garray__queue *q, garray__index_args *a, garray__index_axis *axes, int size,
                                 garray__scratch *scratch)
{
    garray__index_args c = *a;
    garray__index_axis own[GARRAY_MAX_NDIM];
    int64_t ordinals = 1, slots = 1;
    bool fits = true;
    for (int k = a->narrays - 1; k >= 0; k--) {
        a->array[k].slot = slots;
        fits &= multiply(&slots, a->array[k].length);
    }
    for (int d = a->ndim - 1; d >= 0; d--) {
        bool indexed = axes[d].base == 0;
        for (int k = 0; k < a->narrays; k++)
            indexed |= axes[d].array[k] != 0;
        if (!indexed)
            continue;
        axes[d].ordinal = ordinals;
        ordinals *= axes[d].length;
        if (axes[d].base != 0) {
            axes[d].slot = slots;
            fits &= multiply(&slots, axes[d].length);
        }
    }
    if (ordinals == 1)
        return GARRAY_OK;
    if (!fits || ordinals >= (int64_t)UINT32_MAX)
        return garray__cuda_host->fail(GARRAY_ERR_UNSUPPORTED, "assignment through index arrays with %lld positions: "
                                       "the CUDA device does fewer than %lld at once", (long long)ordinals,
                                       (long long)UINT32_MAX);
    if (is_listable(a, axes, size, ordinals)) {
        if (sorts(ordinals, slots))
            return scatter_sorted(q, a, axes, size, slots, scratch);
        if (packs(ordinals, slots))
            return scatter_packed(q, a, axes, size, slots, scratch);
    }

    c.ndim = 0;
    for (int d = 0; d < a->ndim; d++)
        if (axes[d].ordinal)
            own[c.ndim++] = axes[d];
    memcpy(c.array, a->array, sizeof c.array);
    c.count = ordinals;
    c.wide = ordinals >= INT32_MAX;

    /* An array of slots costs its clearing, a hash table three or four times as much per item: the array is taken up to
     * 64 slots an item, but above 1 GiB only where it is no larger than the table. */
    const bool hashed = slots > (slots <= (1 << 28) ? 64 : 8) * ordinals + (1 << 20);
    int64_t places = slots;
    void *memory;
    if (hashed) {
        places = 1024;
        while (places < 2 * ordinals)
            places *= 2;
        GARRAY_CUDA_TRY(garray__scratch_take(scratch, (size_t)places * sizeof(uint64_t), &memory));
        GARRAY_CUDA(q, cudaMemsetAsync(memory, 0, (size_t)places * sizeof(uint64_t), garray__cuda_stream_of(q)));
        c.table = a->table = memory;
        c.table_mask = a->table_mask = (uint64_t)places - 1;
    }
    GARRAY_CUDA_TRY(garray__scratch_take(scratch, (size_t)places * sizeof(uint32_t), &memory));
    GARRAY_CUDA(q, cudaMemsetAsync(memory, 0, (size_t)places * sizeof(uint32_t), garray__cuda_stream_of(q)));
    c.winners = a->winners = memory;
    GARRAY_CUDA_TRY(place_axes(&c, own, scratch));
    return launch(q, garray__cuda_claim_kernel(), GARRAY_CUDA_BLOCK, &c);
}

void garray__cuda_index_args(const garray_index_plan *plan, garray__index_args *a, garray__index_axis *axes)
{
    *a = (garray__index_args){.base = plan->base, .values = plan->values, .count = plan->count, .ndim = plan->ndim,
                            .narrays = plan->narrays};
    for (int k = 0; k < plan->narrays; k++) {
        const garray_index_operand *from = &plan->array[k];
        a->array[k] = (garray__index_operand){.data = from->data, .length = from->length, .step = from->step,
                                             .dtype = from->dtype, .axis = from->axis};
        uint64_t bits = (uint64_t)(uintptr_t)from->data;
        for (int d = 0; d < plan->ndim; d++)
            bits |= (uint64_t)from->strides[d];
        a->unaligned_index |= (bits & (index_size(from->dtype) - 1)) != 0;
    }
    for (int d = 0; d < plan->ndim; d++) {
        axes[d] = (garray__index_axis){.length = plan->shape[d], .base = plan->base_strides[d],
                                       .value = plan->value_strides[d],
                                       .div = garray__axis_of(plan->shape[d], 0, 0, 0).div};
        for (int k = 0; k < plan->narrays; k++)
            axes[d].array[k] = plan->array[k].strides[d];
    }
}

/* Whether the innermost axis is a long run of neighbouring items that no index array cuts. */
static bool has_long_runs(const garray__index_args *a, const garray__index_axis *axes, int size)
{
    if (a->ndim == 0 || (size != 4 && size != 8 && size != 16))
        return false;
    const garray__index_axis *inner = &axes[a->ndim - 1];
    bool whole = inner->base == size && inner->value == size && inner->length >= GARRAY_CUDA_LONG_RUN;
    for (int k = 0; k < a->narrays; k++)
        whole &= inner->array[k] == 0;
    return whole;
}

static garray_status move_runs(const garray__queue *q, const void *kernel, int64_t length, garray__index_args *a)
{
    const int64_t most = GARRAY_CUDA_BLOCK * GARRAY_CUDA_RUN_ITEMS;
    a->run = length;
    a->chunks = (length + most - 1) / most;
    a->chunk = (length + a->chunks - 1) / a->chunks;
    a->count = a->count / length * a->chunks;           /* launch() makes a block of each */
    return launch(q, kernel, 1, a);
}

static garray_status run(const garray__queue *q, const garray_index_plan *plan, garray__scratch *scratch)
{
    const bool scatter = plan->kind == GARRAY_INDEX_SCATTER;
    garray__index_axis axes[GARRAY_MAX_NDIM];
    garray__index_args a;
    garray__cuda_index_args(plan, &a, axes);
    int size = widen(&a, axes, plan->itemsize);
    if (size == 16 && !aligned_to(&a, axes, 16, false, size))
        size = 17;
    a.unaligned = !aligned_to(&a, axes, size > 8 ? 8 : size, false, size);
    a.wide = a.count >= INT32_MAX;
    GARRAY_CUDA_TRY(garray__cuda_late(q, &a.late));
    if (scatter)
        GARRAY_CUDA_TRY(claim_slots(q, &a, axes, size, scratch));
    if (a.packed || a.listed)           /* it is done */
        return GARRAY_OK;
    GARRAY_CUDA_TRY(place_axes(&a, axes, scratch));
    if (has_long_runs(&a, axes, size))
        return move_runs(q, garray__cuda_run_kernel(size, scatter), axes[a.ndim - 1].length, &a);
    return launch(q, scatter ? garray__cuda_scatter_kernel(size) : garray__cuda_gather_kernel(size),
                  GARRAY_CUDA_BLOCK * GARRAY_CUDA_INDEX_ITEMS, &a);
}

garray_status garray__cuda_index(const garray__queue *q, const garray_index_plan *plan)
{
    if (plan->kind == GARRAY_INDEX_COMBINE)
        return garray__cuda_combine(q, plan);
    garray__scratch scratch = {.q = q};
    const garray_status status = run(q, plan, &scratch);
    garray__scratch_drop(&scratch);
    return status;
}
