/* SPDX-License-Identifier: BSD-3-Clause
 * What `garray_t **out` means: assignment, reuse of memory nobody else sees, and garray_into().
 *
 *     struct garray__result r;
 *     GARRAY__TRY(garray__result_open(&r, out, dtype, ndim, shape, device, flags, n, inputs));
 *     ... write r.target ...
 *     return garray__result_close(&r, st);
 *
 * Open picks the target; close assigns it (status OK) or drops it (anything else), and returns the status. */
#ifndef GARRAY_CORE_RESULT_H
#define GARRAY_CORE_RESULT_H

#include "core/array.h"

enum {
    GARRAY__IN_PLACE = 1,       /* the work may write a target that is exactly one of the inputs */
    GARRAY__CASTS = 2,          /* the work can write a target of another dtype and of any strides */
};

struct garray__result {
    garray_t **slot;            /* the caller's variable; NULL with garray_into() */
    garray_t *target;           /* what the work writes; owned until close */
    garray_t *into;             /* destination of garray_into(), not owned; may be the target */
};

/* The array of a garray_into() value, or NULL if out is an ordinary variable. */
static inline garray_t *garray__into(garray_t **out)
{
    uintptr_t word = (uintptr_t)out;
    return word & 1 ? (garray_t *)(word - 1) : NULL;
}

/* inputs are the arrays that the work reads; NULL entries are skipped.  Checks out itself, and with garray_into() the
 * shape, a same_kind cast, the device and writeability. */
garray_status garray__result_open(struct garray__result *r, garray_t **out, int dtype, int ndim, const int64_t *shape,
                                  garray__device *device, int flags, int ninputs, const garray_t *const *inputs);
garray_status garray__result_close(struct garray__result *r, garray_status status);

/* Assigns a finished array (view or fresh copy, one reference of ours) to out; with garray_into() copies it there.
 * Takes the reference in every case. */
garray_status garray__result_assign(garray_t **out, garray_t *value);

/* Lists of results, `int nout, garray_t **outs`: n slots, each NULL or an array.  All are assigned, values[] being ours
 * to give, or all of values[] (NULL allowed) are dropped. */
void garray__results_assign(int n, garray_t **outs, garray_t *const *values);
void garray__results_drop(int n, garray_t *const *values);

/* Whether out can be used at all: INVALID for NULL.  The first check of every public function with a result. */
garray_status garray__result_check(garray_t **out);

#endif
