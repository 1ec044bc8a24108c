/* SPDX-License-Identifier: BSD-3-Clause
 * The convert entry: strided copies, casts and fills.  Driven like an elementwise operation without a
 * loop. */
#include <string.h>
#include "cpu/drive.h"

garray_status garray__cpu_convert(const garray__queue *q, const garray_ew_plan *plan)
{
    const int from = plan->operand[1].dtype, to = plan->operand[0].dtype;
    garray__drive d;
    d.loop = NULL;
    d.nop = 2;
    d.cost = from == to ? 0.2 : 0.4;
    d.scalars = d.spread = 0;
    d.allowed = 0;
    garray__drive_cast(&d.path[0], to, 0, to);
    garray__drive_cast(&d.path[1], from, 0, to);

    /* A small contiguous cast or copy needs no preparation. */
    if (plan->layout == GARRAY_EW_CONTIGUOUS && plan->operand[1].data && plan->operand[1].strides[0] != 0
        && plan->count < 8192) {
        if (from == to)
            memmove(plan->operand[0].data, plan->operand[1].data,
                    (size_t)plan->count * (size_t)d.path[0].size);
        else
            d.path[1].first(plan->operand[0].data, plan->operand[1].data, plan->count);
        return GARRAY_OK;
    }
    if (garray__drive_value(&d, plan, 1)) {
        d.spread = 2;
        garray__drive_cast(&d.path[1], to, 0, to);
    }
    garray__drive_run(&d, plan);
    return GARRAY_OK;
}
