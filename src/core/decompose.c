/* SPDX-License-Identifier: BSD-3-Clause
 * Singular values, QR and eigenvalues: shapes, dtypes, and the results that are wanted. */
#include "core/compose.h"
#include "core/linalg.h"
#include "garray/decompose.h"

enum { MOST_RESULTS = 3 };

/* A stack of m x n matrices and the dtype they are taken in. */
struct stack {
    const garray_t *x;
    int dtype, nbatch;
    int64_t m, n, k, batch;             /* k: the smaller one */
};

/* The results, and those that the caller has no use for but the work has. */
struct results {
    int n;
    garray_t **out[MOST_RESULTS];
    garray_t *array[MOST_RESULTS];
};

static garray_status open_stack(const garray_t *x, bool square, struct stack *s)
{
    garray_status st = square ? garray__check_square(x) : garray__check_matrix(x);
    if (st == GARRAY_OK)
        st = garray__lapack_dtype(x->dtype, &s->dtype);
    if (st != GARRAY_OK)
        return st;
    s->x = x;
    s->nbatch = x->ndim - 2;
    s->m = x->shape[s->nbatch];
    s->n = x->shape[s->nbatch + 1];
    s->k = s->m < s->n ? s->m : s->n;
    s->batch = garray__matrices(x);
    return GARRAY_OK;
}

/* The array of a result: the stack's axes, then rows (unless below 0) and columns. */
static garray_status make(const struct stack *s, int dtype, int64_t rows, int64_t columns, garray_t **out)
{
    int64_t shape[GARRAY_MAX_NDIM];
    int ndim = s->nbatch;
    for (int i = 0; i < ndim; i++)
        shape[i] = s->x->shape[i];
    if (rows >= 0)
        shape[ndim++] = rows;
    shape[ndim++] = columns;
    return garray__new(dtype, ndim, shape, garray__device_of(s->x), out);
}

/* w, c and d may be NULL. */
static garray_status submit(const struct stack *s, garray_solve_plan *plan, garray_t *w, garray_t *c, garray_t *d)
{
    garray_t *work = NULL;
    garray_status st = garray__copy_as(s->x, s->dtype, &work);
    if (st != GARRAY_OK)
        return st;
    plan->dtype = s->dtype;
    plan->batch = s->batch;
    plan->m = s->m;
    plan->n = s->n;
    st = garray__submit_solve(plan, &(struct garray__solve_arrays){ .a = work, .w = w, .c = c, .d = d });
    garray_release(work);
    return st;
}

/* An identity in each matrix of a stack, or as much of it as fits: the vectors of matrices without elements. */
static garray_status fill_identity(garray_t *x)
{
    garray_t *eye = NULL;
    const int64_t rows = x->shape[x->ndim - 2], columns = x->shape[x->ndim - 1];
    garray_status st = x->size == 0 ? GARRAY_OK
                                    : garray_eye(rows, columns, 0, (garray_dtype)x->dtype, garray_device_of(x), &eye);
    if (eye)
        st = garray__assign(x, eye);
    garray_release(eye);
    return st;
}

/* ---- singular values ---- */

static garray_status svd(const garray_t *x, bool full, struct results *r)
{
    struct stack s = { 0 };
    garray_status st = garray__check_outs(r->n, r->out);
    if (st == GARRAY_OK)
        st = open_stack(x, false, &s);
    if (st != GARRAY_OK)
        return st;
    const bool vectors = r->out[0] || r->out[2];
    /* what is not wanted is made no larger than the work needs */
    const int64_t columns = full && r->out[0] ? s.m : s.k, rows = full && r->out[2] ? s.n : s.k;
    GARRAY__TRY(make(&s, garray__real_of(s.dtype), -1, s.k, &r->array[1]));
    if (vectors) {
        GARRAY__TRY(make(&s, s.dtype, s.m, columns, &r->array[0]));
        GARRAY__TRY(make(&s, s.dtype, rows, s.n, &r->array[2]));
    }
    if (s.batch > 0 && s.k > 0) {
        garray_solve_plan plan = { .kind = GARRAY_SOLVE_SVD, .vectors = vectors, .full = columns > s.k || rows > s.k };
        st = submit(&s, &plan, r->array[1], r->array[0], r->array[2]);
    } else if (vectors) {
        GARRAY__TRY(fill_identity(r->array[0]));
        GARRAY__TRY(fill_identity(r->array[2]));
    }
done:
    return garray__assign_outs(r->n, r->out, r->array, st);
}

garray_status garray_linalg_svd(const garray_t *x, const garray_svd_opts *opts, garray_t **u, garray_t **s, garray_t **vh)
{
    GARRAY_ENTER("garray_linalg_svd");
    GARRAY_REQUIRE_OPTIONS(opts, reserved32);
    struct results r = { .n = 3, .out = { u, s, vh } };
    return svd(x, !(opts && opts->reduced), &r);
}

garray_status garray_linalg_svdvals(const garray_t *x, garray_t **out)
{
    GARRAY_ENTER("garray_linalg_svdvals");
    struct results r = { .n = 3, .out = { NULL, out, NULL } };
    return svd(x, false, &r);
}

/* ---- QR ---- */

static garray_status qr(const garray_t *x, garray_qr_mode mode, struct results *r)
{
    struct stack s = { 0 };
    garray_status st = garray__check_outs(r->n, r->out);
    if (st == GARRAY_OK)
        st = open_stack(x, false, &s);
    if (st != GARRAY_OK)
        return st;
    const bool raw = mode == GARRAY_QR_RAW, wanted = raw || r->out[0];
    const int64_t rows = mode == GARRAY_QR_COMPLETE ? s.m : s.k;
    if (raw) {
        GARRAY__TRY(make(&s, s.dtype, s.n, s.m, &r->array[0]));
        GARRAY__TRY(make(&s, s.dtype, -1, s.k, &r->array[1]));
    } else {
        if (wanted)
            GARRAY__TRY(make(&s, s.dtype, s.m, rows, &r->array[0]));
        GARRAY__TRY(make(&s, s.dtype, rows, s.n, &r->array[1]));
    }
    if (s.batch > 0 && s.k > 0) {
        garray_solve_plan plan = { .kind = raw ? GARRAY_SOLVE_QR_RAW : GARRAY_SOLVE_QR, .full = rows > s.k };
        st = submit(&s, &plan, NULL, r->array[0], r->array[1]);
    } else if (wanted && !raw) {
        st = fill_identity(r->array[0]);
    }
done:
    return garray__assign_outs(r->n, r->out, r->array, st);
}

garray_status garray_linalg_qr(const garray_t *x, const garray_qr_opts *opts, garray_t **q, garray_t **r)
{
    GARRAY_ENTER("garray_linalg_qr");
    GARRAY_REQUIRE_OPTIONS(opts, reserved32);
    const garray_qr_mode mode = opts && opts->mode ? opts->mode : GARRAY_QR_REDUCED;
    struct results results = { .n = 2, .out = { q, r } };
    GARRAY_REQUIRE(mode >= GARRAY_QR_REDUCED && mode <= GARRAY_QR_RAW, INVALID, "mode %d is unknown", (int)mode);
    return qr(x, mode, &results);
}

/* ---- eigenvalues ---- */

static garray_status eig(const garray_t *x, struct results *r)
{
    struct stack s = { 0 };
    garray_status st = garray__check_outs(r->n, r->out);
    if (st == GARRAY_OK)
        st = open_stack(x, true, &s);
    if (st != GARRAY_OK)
        return st;
    const int dtype = garray__part_of(s.dtype) == 4 ? GARRAY_COMPLEX64 : GARRAY_COMPLEX128;
    GARRAY__TRY(make(&s, dtype, -1, s.n, &r->array[0]));
    if (r->out[1])
        GARRAY__TRY(make(&s, dtype, s.n, s.n, &r->array[1]));
    if (s.batch > 0 && s.n > 0) {
        garray_solve_plan plan = { .kind = GARRAY_SOLVE_EIG, .vectors = r->out[1] != NULL };
        st = submit(&s, &plan, r->array[0], r->array[1], NULL);
    }
done:
    return garray__assign_outs(r->n, r->out, r->array, st);
}

garray_status garray_linalg_eig(const garray_t *x, garray_t **w, garray_t **v)
{
    GARRAY_ENTER("garray_linalg_eig");
    struct results r = { .n = 2, .out = { w, v } };
    return eig(x, &r);
}

garray_status garray_linalg_eigvals(const garray_t *x, garray_t **out)
{
    GARRAY_ENTER("garray_linalg_eigvals");
    struct results r = { .n = 2, .out = { out, NULL } };
    return eig(x, &r);
}
