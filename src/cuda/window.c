/* SPDX-License-Identifier: BSD-3-Clause
 * The window entry. */
#include "cuda/window.h"

garray_status garray__cuda_window(const garray__queue *q, const garray_window_plan *plan)
{
    return plan->kind == GARRAY_WINDOW_SUM ? garray__cuda_convolve(q, plan) : garray__cuda_rank(q, plan);
}
