/* SPDX-License-Identifier: BSD-3-Clause
 * SVD, QR and eigenvalues: what they share, and who does which. */
#include <math.h>
#include "core/phase.h"
#include "cpu/vectors.h"

#define REAL float
#define PARTS 1
#define SUFFIX float32
#include "cpu/vectors_tmpl.h"
#undef PARTS
#undef SUFFIX
#define PARTS 2
#define SUFFIX complex64
#include "cpu/vectors_tmpl.h"
#undef REAL
#undef PARTS
#undef SUFFIX
#define REAL double
#define PARTS 1
#define SUFFIX float64
#include "cpu/vectors_tmpl.h"
#undef PARTS
#undef SUFFIX
#define PARTS 2
#define SUFFIX complex128
#include "cpu/vectors_tmpl.h"

#define STEPS(suffix)                                                                                           \
    {                                                                                                           \
        finite_##suffix, settle_rows_##suffix, column_phases_##suffix, turn_columns_##suffix,                   \
            turn_rows_##suffix, transpose_turned_##suffix, row_factors_##suffix, take_r_##suffix                \
    }

const garray__cpu_vector_steps garray__cpu_vector_steps_of[4] = {
    STEPS(float32), STEPS(float64), STEPS(complex64), STEPS(complex128)
};

garray_status garray__cpu_with_work(const garray__cpu_vector_job *j, int64_t items, char **work,
                                    garray_status (*each)(const void *ctx), const void *ctx)
{
    void *room = NULL;
    garray_status st = garray__cpu_host->scratch(j->q, (size_t)items * (size_t)j->item, &room);
    if (st != GARRAY_OK)
        return st;
    *work = room;
    st = each(ctx);
    garray__cpu_host->scratch_free(j->q, room);
    return st;
}

garray_status garray__cpu_no_convergence(const garray_solve_plan *plan, const char *what, int64_t index)
{
    if (plan->batch > 1)
        return garray__cpu_host->fail(GARRAY_ERR_NOCONVERGE, "%s did not converge (item %lld of the batch)", what,
                                      (long long)index);
    return garray__cpu_host->fail(GARRAY_ERR_NOCONVERGE, "%s did not converge", what);
}

garray_status garray__cpu_bad_argument(const char *routine, int64_t info)
{
    return garray__cpu_host->fail(GARRAY_ERR_INTERNAL, "argument %d of %s is wrong", (int)-info, routine);
}

garray_status garray__cpu_solve_vectors(const garray__queue *q, const garray_solve_plan *plan)
{
    static const uint8_t sizes[] = { 4, 8, 8, 16 };
    garray__cpu_vector_job j = { .q = q, .plan = plan, .row = plan->dtype - GARRAY_FLOAT32 };
    if (plan->n > INT32_MAX || plan->m > INT32_MAX)
        return garray__cpu_host->fail(GARRAY_ERR_UNSUPPORTED, "a matrix of %lld rows is larger than LAPACK can take",
                                      (long long)(plan->n > plan->m ? plan->n : plan->m));
    j.steps = &garray__cpu_vector_steps_of[j.row];
    j.item = sizes[j.row];
    j.part = j.row % 2 == 0 ? 4 : 8;
    j.k = plan->m < plan->n ? plan->m : plan->n;
    switch (plan->kind) {
    case GARRAY_SOLVE_SVD: return garray__cpu_svd(&j);
    case GARRAY_SOLVE_QR:
    case GARRAY_SOLVE_QR_RAW: return garray__cpu_qr(&j);
    case GARRAY_SOLVE_EIG: return garray__cpu_eig(&j);
    default: return garray__cpu_host->fail(GARRAY_ERR_INTERNAL, "solve of unknown kind %d", (int)plan->kind);
    }
}
