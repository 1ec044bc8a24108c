/* SPDX-License-Identifier: BSD-3-Clause
 * The reductions by their numbers in plans. */
#ifndef GARRAY_TESTS_REDUCTIONS_H
#define GARRAY_TESTS_REDUCTIONS_H

#include "core/backend.h"
#include "test.h"

enum { OPS = GARRAY_RED_ARGMAX + 1 };

/* Of the options each takes what it has. */
static inline garray_status reduction(int op, const garray_t *x, garray_axes axes, garray_reduce_opts o,
                                      garray_operand correction, garray_t **out)
{
    garray_var_opts v = { .keepdims = o.keepdims, .dtype = o.dtype, .where = o.where, .correction = correction };
    garray_arg_opts a = { .keepdims = o.keepdims };
    switch (op) {
    case GARRAY_RED_SUM: return garray_sum(x, axes, &o, out);
    case GARRAY_RED_PROD: return garray_prod(x, axes, &o, out);
    case GARRAY_RED_MIN: return garray_min(x, axes, &o, out);
    case GARRAY_RED_MAX: return garray_max(x, axes, &o, out);
    case GARRAY_RED_MEAN: return garray_mean(x, axes, &o, out);
    case GARRAY_RED_VAR: return garray_var(x, axes, &v, out);
    case GARRAY_RED_STD: return garray_std(x, axes, &v, out);
    case GARRAY_RED_ANY: return garray_any(x, axes, &o, out);
    case GARRAY_RED_ALL: return garray_all(x, axes, &o, out);
    case GARRAY_RED_COUNT_NONZERO: return garray_count_nonzero(x, axes, &o, out);
    case GARRAY_RED_ARGMIN: return garray_argmin(x, axes, &a, out);
    default: return garray_argmax(x, axes, &a, out);
    }
}

#endif
