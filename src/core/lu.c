/* SPDX-License-Identifier: BSD-3-Clause
 * LU factors and what they give: inverses, determinants, the factors themselves and solutions by them; triangular systems and
 * those of Cholesky factors. */
#include "core/compose.h"
#include "core/linalg.h"
#include "core/result.h"
#include "garray/diagonal.h"
#include "garray/index.h"
#include "garray/linalg.h"
#include "garray/math.h"
#include "garray/shape.h"

/* ---- inverses and determinants ---- */

garray_status garray__inverse(const garray_t *x, bool checked, garray_t **out)
{
    garray_t *matrix = NULL, *inverse = NULL;
    int dtype = 0;
    garray_status st;
    GARRAY__TRY(garray__open_square(x, &dtype, &matrix));
    GARRAY__TRY(garray__new(dtype, x->ndim, x->shape, garray__device_of(x), &inverse));
    if (inverse->size > 0) {
        garray_solve_plan plan = { .kind = GARRAY_SOLVE_INVERSE, .dtype = dtype, .n = x->shape[x->ndim - 1], .checked = checked };
        plan.batch = garray__matrices(x);
        GARRAY__TRY(garray__submit_solve(&plan, &(struct garray__solve_arrays){ .keep_a = matrix, .b = inverse }));
    }
    *out = inverse;
    inverse = NULL;
done:
    garray_release(matrix);
    garray_release(inverse);
    return st;
}

garray_status garray_linalg_inv(const garray_t *x, garray_t **out)
{
    GARRAY_ENTER("garray_linalg_inv");
    garray_t *inverse = NULL;
    garray_status st = garray__result_check(out);
    if (st == GARRAY_OK)
        st = garray__inverse(x, true, &inverse);
    return st == GARRAY_OK ? garray__result_assign(out, inverse) : st;
}

/* The determinant, or, with logarithm, its sign and the logarithm of its absolute value. */
static garray_status determinant(const garray_t *x, garray_t **value, garray_t **logarithm)
{
    garray_t *matrix = NULL;
    int dtype = 0;
    garray_status st;
    GARRAY__TRY(garray__open_square(x, &dtype, &matrix));
    GARRAY__TRY(garray__new(dtype, x->ndim - 2, x->shape, garray__device_of(x), value));
    if (logarithm)
        GARRAY__TRY(garray__new(garray__real_of(dtype), x->ndim - 2, x->shape, garray__device_of(x), logarithm));
    if (matrix->size > 0) {
        garray_solve_plan plan = { .kind = GARRAY_SOLVE_DETERMINANT, .dtype = dtype, .n = x->shape[x->ndim - 1] };
        plan.batch = (*value)->size;
        st = garray__submit_solve(&plan, &(struct garray__solve_arrays){ .keep_a = matrix, .b = *value,
                                                                         .w = logarithm ? *logarithm : NULL });
    } else if ((*value)->size > 0) {        /* of a matrix without elements it is 1 */
        garray_operand one = garray_operand_int(1), zero = garray_operand_int(0);
        GARRAY__TRY(garray__fill(*value, &one));
        if (logarithm)
            st = garray__fill(*logarithm, &zero);
    }
done:
    garray_release(matrix);
    return st;
}

garray_status garray_linalg_det(const garray_t *x, garray_t **out)
{
    GARRAY_ENTER("garray_linalg_det");
    garray_t *value = NULL;
    garray_status st = garray__result_check(out);
    if (st != GARRAY_OK)
        return st;
    st = determinant(x, &value, NULL);
    if (st == GARRAY_OK)
        return garray__result_assign(out, value);
    garray_release(value);
    return st;
}

garray_status garray_linalg_slogdet(const garray_t *x, garray_t **sign, garray_t **logabsdet)
{
    GARRAY_ENTER("garray_linalg_slogdet");
    garray_t **const outs[2] = { sign, logabsdet };
    garray_t *values[2] = { NULL, NULL };
    garray_status st = garray__check_outs(2, outs);
    if (st != GARRAY_OK)
        return st;
    st = determinant(x, &values[0], &values[1]);
    return garray__assign_outs(2, outs, values, st);
}

/* ---- the factors ---- */

/* L and U in one matrix (..., m, n), and pivots (..., min(m, n)). */
static garray_status factor(const garray_t *x, garray_t **lu, garray_t **pivots)
{
    int64_t shape[GARRAY_MAX_NDIM];
    int dtype = 0, last = 0;
    garray_status st = garray__check_matrix(x);
    if (st == GARRAY_OK)
        st = garray__lapack_dtype(x->dtype, &dtype);
    if (st == GARRAY_OK)
        st = garray__copy_as(x, dtype, lu);
    if (st != GARRAY_OK)
        return st;
    last = x->ndim - 1;
    const int64_t m = x->shape[last - 1], n = x->shape[last];
    for (int i = 0; i < last - 1; i++)
        shape[i] = x->shape[i];
    shape[last - 1] = m < n ? m : n;
    st = garray__new(GARRAY_INT64, last, shape, garray__device_of(x), pivots);
    if (st != GARRAY_OK || (*pivots)->size == 0)
        return st;
    garray_solve_plan plan = { .kind = GARRAY_SOLVE_LU, .dtype = dtype, .m = m, .n = n, .batch = garray__matrices(x) };
    return garray__submit_solve(&plan, &(struct garray__solve_arrays){ .a = *lu, .c = *pivots });
}

garray_status garray_linalg_lu_factor(const garray_t *x, garray_t **lu, garray_t **pivots)
{
    GARRAY_ENTER("garray_linalg_lu_factor");
    garray_t **const outs[2] = { lu, pivots };
    garray_t *values[2] = { NULL, NULL };
    garray_status st = garray__check_outs(2, outs);
    if (st != GARRAY_OK)
        return st;
    st = factor(x, &values[0], &values[1]);
    return garray__assign_outs(2, outs, values, st);
}

/* The order of n rows that the pivots' exchanges make, or its inverse. */
static garray_status order_of(const garray_t *pivots, int64_t n, bool inverse, garray_t **out)
{
    int64_t shape[GARRAY_MAX_NDIM], count = 1;
    const int last = pivots->ndim - 1;
    garray_t *plain = NULL;
    garray_status st;
    for (int i = 0; i < last; i++)
        count *= shape[i] = pivots->shape[i];
    shape[last] = n;
    GARRAY__TRY(garray__contiguous(pivots, GARRAY_INT64, &plain));
    GARRAY__TRY(garray__new(GARRAY_INT64, last + 1, shape, garray__device_of(pivots), out));
    if ((*out)->size > 0) {
        garray_solve_plan plan = { .kind = GARRAY_SOLVE_PERMUTATION, .dtype = GARRAY_INT64, .n = n,
                                   .nrhs = pivots->shape[last], .batch = count, .trans = inverse };
        st = garray__submit_solve(&plan, &(struct garray__solve_arrays){ .keep_c = plain, .d = *out });
    }
done:
    garray_release(plain);
    return st;
}

/* L, the first columns of lu below the diagonal with ones on it. */
static garray_status lower_factor(const garray_t *lu, int64_t k, garray_t **out)
{
    garray_t *part = NULL, *below = NULL, *diagonal = NULL;
    garray_operand one = garray_operand_int(1);
    const int last = lu->ndim - 1;
    garray_status st;
    GARRAY__TRY(garray__part(lu, last, 0, k, &part));
    GARRAY__TRY(garray_tril(part, -1, &below));
    if (below->size > 0) {
        int64_t shape[GARRAY_MAX_NDIM], strides[GARRAY_MAX_NDIM];
        for (int i = 0; i < last; i++) {
            shape[i] = below->shape[i];
            strides[i] = garray__strides(below)[i];
        }
        shape[last - 1] = k;
        strides[last - 1] += garray__strides(below)[last];
        GARRAY__TRY(garray__view(below->buffer, below->data, below->dtype, last, shape, strides, true, &diagonal));
        GARRAY__TRY(garray__fill(diagonal, &one));
    }
    *out = below;
    below = NULL;
done:
    garray_release(part);
    garray_release(below);
    garray_release(diagonal);
    return st;
}

/* U, the first rows of lu without what is below the diagonal. */
static garray_status upper_factor(const garray_t *lu, int64_t k, garray_t **out)
{
    garray_t *part = NULL;
    garray_status st = garray__part(lu, lu->ndim - 2, 0, k, &part);
    if (st == GARRAY_OK)
        st = garray_triu(part, 0, out);
    garray_release(part);
    return st;
}

/* The matrices P with 1 in column places[i] of row i. */
static garray_status permutation_matrix(const garray_t *places, int dtype, garray_t **out)
{
    garray_t *columns = NULL, *column = NULL, *is_one = NULL;
    const int32_t at = -1;
    const int64_t n = places->shape[places->ndim - 1];
    garray_status st;
    GARRAY__TRY(garray_arange(0, n, 1, GARRAY_INT64, garray_device_of(places), &columns));
    GARRAY__TRY(garray_expand_dims(places, (garray_axes){ 1, &at }, &column));
    GARRAY__TRY((garray_equal)(GARRAY__ARR(column), GARRAY__ARR(columns), &is_one));
    st = garray_astype(is_one, (garray_dtype)dtype, out);
done:
    garray_release(columns);
    garray_release(column);
    garray_release(is_one);
    return st;
}

/* x with its rows taken in the order of `places` (..., rows); the stacks have equal lengths. */
static garray_status rows_in_order(const garray_t *x, const garray_t *places, garray_t **out)
{
    garray_t *column = NULL, *wide = NULL;
    int64_t shape[GARRAY_MAX_NDIM];
    const int32_t at = -1;
    garray_status st;
    for (int i = 0; i < x->ndim; i++)
        shape[i] = x->shape[i];
    GARRAY__TRY(garray_expand_dims(places, (garray_axes){ 1, &at }, &column));
    shape[x->ndim - 2] = places->shape[places->ndim - 1];
    GARRAY__TRY(garray__broadcast(column, x->ndim, shape, &wide));
    st = garray_take_along_axis(x, wide, -2, out);
done:
    garray_release(column);
    garray_release(wide);
    return st;
}

garray_status garray_linalg_lu(const garray_t *x, const garray_lu_opts *opts, garray_t **p, garray_t **l, garray_t **u)
{
    GARRAY_ENTER("garray_linalg_lu");
    GARRAY_REQUIRE_OPTIONS(opts, reserved);
    const bool permute_l = opts && opts->permute_l, indices = opts && opts->p_indices;
    garray_t **const outs[3] = { p, l, u };
    garray_t *values[3] = { NULL, NULL, NULL }, *lu = NULL, *pivots = NULL, *places = NULL, *turned = NULL;
    garray_status st = garray__check_outs(3, outs);
    if (st != GARRAY_OK)
        return st;
    GARRAY_REQUIRE(!permute_l || !p, INVALID, "with permute_l there is no p: it must be NULL");
    GARRAY__TRY(factor(x, &lu, &pivots));
    const int64_t m = x->shape[x->ndim - 2], n = x->shape[x->ndim - 1], k = m < n ? m : n;
    if (p || permute_l)
        GARRAY__TRY(order_of(pivots, m, true, &places));
    if (p && indices)
        values[0] = garray_retain(places);
    else if (p)
        GARRAY__TRY(permutation_matrix(places, garray__real_of(lu->dtype), &values[0]));
    if (l)
        GARRAY__TRY(lower_factor(lu, k, &values[1]));
    if (l && permute_l) {
        GARRAY__TRY(rows_in_order(values[1], places, &turned));
        garray_release(values[1]);
        values[1] = turned;
        turned = NULL;
    }
    if (u)
        GARRAY__TRY(upper_factor(lu, k, &values[2]));
done:
    garray_release(lu);
    garray_release(pivots);
    garray_release(places);
    garray_release(turned);
    return garray__assign_outs(3, outs, values, st);
}

/* ---- solutions ---- */

static garray_status triangular(const struct garray__system *s, garray_t *b, int upper, int trans, int unit, bool checked)
{
    garray_solve_plan plan = { .kind = GARRAY_SOLVE_TRIANGULAR, .dtype = s->dtype, .upper = upper, .trans = trans, .unit = unit,
                               .checked = checked, .n = s->n, .nrhs = s->nrhs, .batch = s->batch };
    if (s->is_empty)
        return GARRAY_OK;
    return garray__submit_solve(&plan, &(struct garray__solve_arrays){ .keep_a = s->a, .b = b });
}

static garray_status check_trans(int trans)
{
    GARRAY_REQUIRE(trans >= 0 && trans <= 2, INVALID, "trans is %d; it must be 0, 1 (transposed) or 2 (and conjugated)", trans);
    return GARRAY_OK;
}

/* Whether the rows of a matrix are not together, but its columns are. */
static bool lies_by_columns(const garray_operand *a)
{
    const garray_t *x = a->array;
    if (x->ndim != 2 || a->flags & GARRAY_OPERAND_CONJUGATE)
        return false;
    const bool rows = x->flags & GARRAY__CONTIGUOUS, columns = garray__column_major(x);
    return a->flags & GARRAY_OPERAND_TRANSPOSE ? rows && !columns : columns && !rows;
}

garray_status (garray_linalg_solve_triangular)(garray_operand a, garray_operand b, const garray_triangular_opts *opts,
                                               garray_t **out)
{
    GARRAY_ENTER("garray_linalg_solve_triangular");
    GARRAY_REQUIRE_OPTIONS(opts, reserved32);
    const garray_triangular_opts o = opts ? *opts : (garray_triangular_opts){ 0 };
    struct garray__system s = { 0 };
    int upper = o.upper != 0, trans = o.trans;
    garray_status st = check_trans(o.trans);
    if (st == GARRAY_OK)
        st = garray__check_factors(&a, &b);
    /* one that lies by columns is its transpose, row by row, and need not be copied */
    if (st == GARRAY_OK && trans < 2 && lies_by_columns(&a)) {
        a.flags ^= GARRAY_OPERAND_TRANSPOSE;
        trans = !trans;
        upper = !upper;
    }
    if (st == GARRAY_OK)
        st = garray__system_begin(&s, out, &a, &b);
    if (st == GARRAY_OK)
        st = triangular(&s, s.solution, upper, trans, o.unit_diagonal != 0, true);
    return garray__system_close(&s, out, st);
}

garray_status (garray_linalg_cho_solve)(const garray_t *factor, garray_operand b, const garray_cholesky_opts *opts,
                                        garray_t **out)
{
    GARRAY_ENTER("garray_linalg_cho_solve");
    GARRAY_REQUIRE_OPTIONS(opts, reserved32);
    const int upper = opts && opts->upper;
    const garray_operand a = garray_operand_array(factor);
    struct garray__system s = { 0 };
    garray_status st = garray__system_begin(&s, out, &a, &b);
    /* L L^H x = b, or U^H U x = b */
    if (st == GARRAY_OK)
        st = triangular(&s, s.solution, upper, upper ? 2 : 0, 0, false);
    if (st == GARRAY_OK)
        st = triangular(&s, s.solution, upper, upper ? 0 : 2, 0, false);
    return garray__system_close(&s, out, st);
}

/* The order of rows for the systems of a stack: that of the pivots of lu, broadcast as lu itself is. */
static garray_status order_of_systems(const garray_t *pivots, const struct garray__system *s, bool inverse, garray_t **out)
{
    garray_t *order = NULL;
    int64_t shape[GARRAY_MAX_NDIM];
    const int n = s->b->ndim - 1;
    garray_status st;
    for (int i = 0; i < n; i++)
        shape[i] = s->b->shape[i];
    GARRAY__TRY(order_of(pivots, s->n, inverse, &order));
    st = garray__broadcast(order, n, shape, out);
done:
    garray_release(order);
    return st;
}

static garray_status check_pivots(const garray_t *lu, const garray_t *pivots)
{
    char x[GARRAY__SHAPE_TEXT], y[GARRAY__SHAPE_TEXT];
    GARRAY_REQUIRE(pivots, INVALID, "the pivots are NULL");
    garray_status st = garray__check_square(lu);
    if (st == GARRAY_OK)
        st = garray__same_device(garray__device_of(lu), pivots);
    if (st != GARRAY_OK)
        return st;
    GARRAY_REQUIRE(pivots->dtype < GARRAY_FLOAT16 && pivots->dtype != GARRAY_BOOL, DTYPE,
                   "the pivots are %s; they must be integers", garray__name_of(pivots->dtype));
    bool fits = pivots->ndim == lu->ndim - 1;
    for (int i = 0; i < pivots->ndim && fits; i++)
        fits = pivots->shape[i] == lu->shape[i];
    GARRAY_REQUIRE(fits, SHAPE, "pivots of shape %s do not belong to factors of shape %s",
                   garray__shape_text(pivots->ndim, pivots->shape, y), garray__shape_text(lu->ndim, lu->shape, x));
    return GARRAY_OK;
}

garray_status (garray_linalg_lu_solve)(const garray_t *lu, const garray_t *pivots, garray_operand b,
                                       const garray_lu_solve_opts *opts, garray_t **out)
{
    GARRAY_ENTER("garray_linalg_lu_solve");
    GARRAY_REQUIRE_OPTIONS(opts, reserved32);
    const int trans = opts ? opts->trans : 0;
    const garray_operand a = garray_operand_array(lu);
    garray_t *right = NULL, *places = NULL;
    struct garray__system s = { 0 };
    garray_status st = garray__result_check(out);
    if (st == GARRAY_OK)
        st = check_trans(trans);
    if (st == GARRAY_OK)
        st = garray__check_factors(&a, &b);
    if (st == GARRAY_OK)
        st = check_pivots(lu, pivots);
    if (st != GARRAY_OK)
        return st;
    GARRAY__TRY(garray__system_open(&s, out, &a, &b));
    if (s.is_empty) {
        GARRAY__TRY(garray__copy_as(s.b, s.dtype, &s.solution));
    } else if (trans == 0) {            /* P L U x = b */
        GARRAY__TRY(order_of_systems(pivots, &s, false, &places));
        GARRAY__TRY(garray__as(s.b, s.dtype, &right));
        GARRAY__TRY(rows_in_order(right, places, &s.solution));
        GARRAY__TRY(triangular(&s, s.solution, 0, 0, 1, false));
        GARRAY__TRY(triangular(&s, s.solution, 1, 0, 0, false));
    } else {                            /* U^T L^T P^T x = b */
        GARRAY__TRY(garray__copy_as(s.b, s.dtype, &right));
        GARRAY__TRY(triangular(&s, right, 1, trans, 0, false));
        GARRAY__TRY(triangular(&s, right, 0, trans, 1, false));
        GARRAY__TRY(order_of_systems(pivots, &s, true, &places));
        GARRAY__TRY(rows_in_order(right, places, &s.solution));
    }
done:
    garray_release(right);
    garray_release(places);
    return garray__system_close(&s, out, st);
}
