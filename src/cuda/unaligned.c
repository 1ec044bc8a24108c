/* SPDX-License-Identifier: BSD-3-Clause
 * Plans with operands that are not aligned to their items (memory from elsewhere): such an input is copied to
 * scratch memory first, such an output is written there and copied to its place. */
#include <string.h>
#include "cuda/dtype.h"
#include "cuda/elementwise.h"

static bool operand_is_aligned(const garray_ew_plan *plan, const garray_ew_operand *operand)
{
    const uint64_t alignment = (uint64_t)garray__cuda_alignment(operand->dtype);
    uint64_t bits = (uint64_t)(uintptr_t)operand->data;
    if (operand->data == NULL)
        return true;
    for (int d = 0; d < plan->ndim; d++)
        bits |= plan->shape[d] > 1 ? (uint64_t)operand->strides[d] : 0;
    return (bits & (alignment - 1)) == 0;
}

bool garray__cuda_is_aligned(const garray_ew_plan *plan)
{
    for (int k = 0; k < plan->nop; k++)
        if (!operand_is_aligned(plan, &plan->operand[k]))
            return false;
    return true;
}

garray_status garray__cuda_run_unaligned(const garray__queue *q, const garray_ew_plan *plan,
                                         garray_status (*run)(const garray__queue *q, const garray_ew_plan *plan))
{
    void *scratch[GARRAY_EW_OPERANDS] = {NULL};
    int64_t strides[GARRAY_MAX_NDIM];
    garray_ew_plan aligned = *plan;
    garray_status st = GARRAY_OK;

    for (int k = 0; k < plan->nop && st == GARRAY_OK; k++) {
        garray_ew_operand *operand = &aligned.operand[k];
        const int size = garray__cuda_size(operand->dtype);
        if (operand_is_aligned(plan, operand))
            continue;
        st = garray__cuda_host->scratch(q, (size_t)plan->count * (size_t)size, &scratch[k]);
        if (st != GARRAY_OK)
            break;
        int64_t step = size;
        for (int d = plan->ndim - 1; d >= 0; d--) {
            strides[d] = step;
            step *= plan->shape[d];
        }
        if (k > 0)
            st = garray__cuda_copy_bytes(q, size, plan->ndim, plan->shape, scratch[k], strides, operand->data,
                                         operand->strides);
        operand->data = scratch[k];
        memcpy(operand->strides, strides, (size_t)plan->ndim * sizeof *strides);
    }
    if (st == GARRAY_OK)
        st = run(q, &aligned);
    if (st == GARRAY_OK && scratch[0] != NULL)
        st = garray__cuda_copy_bytes(q, garray__cuda_size(plan->operand[0].dtype), plan->ndim, plan->shape,
                                     plan->operand[0].data, plan->operand[0].strides, scratch[0],
                                     aligned.operand[0].strides);
    for (int k = 0; k < plan->nop; k++)
        if (scratch[k] != NULL)
            garray__cuda_host->scratch_free(q, scratch[k]);
    return st;
}
