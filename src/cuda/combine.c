/* SPDX-License-Identifier: BSD-3-Clause
 * The planner of combining at index arrays: by atomic operations where the result is exact in any order, sorted otherwise. */
#include "cuda/combine.h"
#include "cuda/scratch.h"
#include "cuda/sort.h"
#include "cuda/tuning.h"

/* Ordinals of one round: as many as 32-bit places can name.  Further ones are combined after these. */
#define ROUND ((int64_t)1 << 31)

static void kernels_of(int dtype, garray__combine_kernels *kernels)
{
    switch (dtype) {
#define GARRAY_DTYPE(value, name, ...) \
    case value: garray__cuda_combine_##name(kernels); break;
#include "core/dtypes.def"
#undef GARRAY_DTYPE
    default: break;
    }
}

/* Whether all addresses in base and values are multiples of the item, or of 8 bytes. */
static bool is_aligned(const garray_index_plan *plan)
{
    const int size = plan->itemsize > 8 ? 8 : plan->itemsize;
    uint64_t bits = (uint64_t)(uintptr_t)plan->base | (uint64_t)(uintptr_t)plan->values;
    for (int d = 0; d < plan->ndim; d++)
        bits |= (uint64_t)plan->base_strides[d] | (uint64_t)plan->value_strides[d];
    for (int k = 0; k < plan->narrays; k++)
        bits |= (uint64_t)plan->array[k].step;
    return (bits & (uint64_t)(size - 1)) == 0;
}

/* Into the arguments, or into memory of the device. */
static garray_status place_axes(garray__scratch *scratch, const garray__index_axis *axes, int n, garray__index_axis *near_axes,
                                const garray__index_axis **far_axes)
{
    void *memory;
    *far_axes = NULL;
    if (n <= GARRAY_CUDA_INLINE_AXES) {
        memcpy(near_axes, axes, (size_t)n * sizeof *axes);
        return GARRAY_OK;
    }
    GARRAY_CUDA_TRY(garray__scratch_take(scratch, (size_t)n * sizeof *axes, &memory));
    GARRAY_CUDA_TRY(garray__cuda_place(scratch->q, memory, axes, (size_t)n * sizeof *axes));
    *far_axes = memory;
    return GARRAY_OK;
}

static garray_status launch(const garray__queue *q, const void *kernel, int64_t threads, garray__combine_args *a)
{
    const int64_t blocks = (threads + GARRAY_CUDA_BLOCK - 1) / GARRAY_CUDA_BLOCK;
    void *args[] = {a};
    if (blocks > INT32_MAX)
        return garray__cuda_host->fail(GARRAY_ERR_UNSUPPORTED, "combining %lld items is too large for one launch",
                                       (long long)threads);
    return garray__cuda_launch(q, "combine", kernel, (dim3){(unsigned)blocks, 1, 1}, (dim3){GARRAY_CUDA_BLOCK, 1, 1}, 0, args);
}

/* ---- the sorted way ------------------------------------------------------------------------------------------- */

/* Axes with ordinals and free ones, their numbers, and the slots of the former. */
static garray_status split_axes(garray__combine_args *a, const garray__index_axis *all, garray__scratch *scratch, int64_t *ordinals)
{
    garray__index_axis own[GARRAY_MAX_NDIM], free_axes[GARRAY_MAX_NDIM];
    const int ndim = a->at.ndim;
    bool fits = true;
    a->at.ndim = a->nfree = 0;
    *ordinals = a->free = a->slots = 1;
    for (int k = a->at.narrays - 1; k >= 0; k--) {
        a->at.array[k].slot = a->slots;
        fits &= !__builtin_mul_overflow(a->slots, a->at.array[k].length, &a->slots);
    }
    for (int d = 0; d < ndim; d++) {
        garray__index_axis axis = all[d];
        bool indexed = axis.base == 0;
        for (int k = 0; k < a->at.narrays; k++)
            indexed |= axis.array[k] != 0;
        if (!indexed) {
            free_axes[a->nfree++] = axis;
            a->free *= axis.length;
            continue;
        }
        if (axis.base != 0) {
            axis.slot = a->slots;
            fits &= !__builtin_mul_overflow(a->slots, axis.length, &a->slots);
        }
        *ordinals *= axis.length;
        own[a->at.ndim++] = axis;
    }
    if (!fits)
        return garray__cuda_host->fail(GARRAY_ERR_UNSUPPORTED, "index arrays over axes of more than 2^63 positions");
    a->at.wide = *ordinals >= INT32_MAX;
    GARRAY_CUDA_TRY(place_axes(scratch, own, a->at.ndim, a->at.axes, &a->at.far_axes));
    return place_axes(scratch, free_axes, a->nfree, a->free_axes, &a->far_free);
}

/* Slots and places of a round, sorted by slot. */
static garray_status sort_slots(const garray__queue *q, garray__combine_args *a, const garray__combine_kernels *kernels,
                                garray__scratch *scratch)
{
    const int width = a->wide_keys ? 8 : 4;
    void *keys[2], *temp;
    uint32_t *places[2];
    size_t size = 0;
    int bits = 0, result = 0;
    while (bits < 63 && a->slots >> bits != 0)
        bits++;
    for (int i = 0; i < 2; i++) {
        void *memory;
        GARRAY_CUDA_TRY(garray__scratch_take(scratch, (size_t)a->entries * (size_t)width, &keys[i]));
        GARRAY_CUDA_TRY(garray__scratch_take(scratch, (size_t)a->entries * sizeof(uint32_t), &memory));
        places[i] = memory;
    }
    a->keys = keys[0];
    a->places = places[0];
    GARRAY_CUDA_TRY(launch(q, kernels->find, a->entries, a));
    GARRAY_CUDA(q, garray__cuda_radix_places(NULL, &size, width, keys, places, a->entries, bits, &result, NULL));
    GARRAY_CUDA_TRY(garray__scratch_take(scratch, size, &temp));
    GARRAY_CUDA(q, garray__cuda_radix_places(temp, &size, width, keys, places, a->entries, bits, &result,
                                             garray__cuda_stream_of(q)));
    a->keys = keys[result];
    a->places = places[result];
    return GARRAY_OK;
}

static size_t rounded_up(size_t size)
{
    return (size + 255) & ~(size_t)255;
}

static garray_status reduce_levels(const garray__queue *q, garray__combine_args *a, const garray__combine_kernels *kernels,
                                   garray__scratch *scratch)
{
    for (;;) {
        const int64_t chunks = (a->entries + GARRAY_CUDA_COMBINE_CHUNK - 1) / GARRAY_CUDA_COMBINE_CHUNK, next = 2 * chunks;
        if (chunks > 1) {
            const size_t keys = rounded_up((size_t)next * (a->wide_keys ? 8 : 4)), places = rounded_up((size_t)next * 4);
            void *memory;
            GARRAY_CUDA_TRY(garray__scratch_take(scratch, keys + places + (size_t)next * (size_t)a->free * kernels->state_size,
                                                 &memory));
            a->next_keys = memory;
            a->next_places = (uint32_t *)((char *)memory + keys);
            a->next_states = (char *)memory + keys + places;
        }
        GARRAY_CUDA_TRY(launch(q, kernels->reduce, chunks * a->free, a));
        if (chunks == 1)
            return GARRAY_OK;
        a->entries = next;
        a->keys = a->next_keys;
        a->places = a->next_places;
        a->states = a->next_states;
    }
}

static garray_status run_sorted(const garray__queue *q, garray__combine_args *a, const garray__index_axis *axes,
                                const garray__combine_kernels *kernels, garray__scratch *scratch)
{
    int64_t ordinals;
    GARRAY_CUDA_TRY(split_axes(a, axes, scratch, &ordinals));
    a->wide_keys = a->slots >= UINT32_MAX;
    for (a->first = 0; a->first < ordinals; a->first += ROUND) {
        garray__scratch round = {.q = q};
        garray_status status;
        a->entries = ordinals - a->first < ROUND ? ordinals - a->first : ROUND;
        a->states = NULL;
        status = sort_slots(q, a, kernels, &round);
        if (status == GARRAY_OK)
            status = reduce_levels(q, a, kernels, &round);
        garray__scratch_drop(&round);
        GARRAY_CUDA_TRY(status);
    }
    return GARRAY_OK;
}

/* ---- entry ---------------------------------------------------------------------------------------------------- */

/* Integers and extrema are exact in any order. */
static bool any_order(const garray_index_plan *plan)
{
    return plan->dtype < GARRAY_FLOAT16 || plan->op != GARRAY_OP_add;
}

static garray_status run(const garray__queue *q, const garray_index_plan *plan, garray__scratch *scratch)
{
    garray__index_axis axes[GARRAY_MAX_NDIM];
    garray__combine_args a = {.op = plan->op, .unaligned = !is_aligned(plan)};
    garray__combine_kernels kernels = {NULL};
    kernels_of(plan->dtype, &kernels);
    garray__cuda_index_args(plan, &a.at, axes);
    GARRAY_CUDA_TRY(garray__cuda_late(q, &a.at.late));
    if (kernels.atomic == NULL || a.unaligned || !any_order(plan))
        return run_sorted(q, &a, axes, &kernels, scratch);
    a.entries = plan->count;
    a.at.wide = plan->count >= INT32_MAX;
    GARRAY_CUDA_TRY(place_axes(scratch, axes, a.at.ndim, a.at.axes, &a.at.far_axes));
    return launch(q, kernels.atomic, plan->count, &a);
}

garray_status garray__cuda_combine(const garray__queue *q, const garray_index_plan *plan)
{
    garray__scratch scratch = {.q = q};
    const garray_status status = run(q, plan, &scratch);
    garray__scratch_drop(&scratch);
    return status;
}
