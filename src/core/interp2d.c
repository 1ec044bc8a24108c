/* SPDX-License-Identifier: BSD-3-Clause
 * Interpolation on a rectangular grid: for each axis the cell of a place and how far into it, then the four corners. */
#include <math.h>
#include "core/compose.h"
#include "core/result.h"
#include "garray/index.h"
#include "garray/shape.h"
#include "garray/signal.h"
#include "garray/sort.h"

/* Places along one axis. */
typedef struct side {
    garray_t *v;                /* float64, of the places' common shape */
    garray_t *cell;             /* int64: the grid point below */
    garray_t *part;             /* from 0 there to 1 at the next one */
    garray_t *outside;          /* bool */
} side;

static void close_side(side *s)
{
    garray_release(s->v);
    garray_release(s->cell);
    garray_release(s->part);
    garray_release(s->outside);
}

/* Whether places are below the first or above the last point. */
static garray_status find_outside(side *s, const garray_t *grid)
{
    garray_t *first = NULL, *last = NULL, *above = NULL;
    garray_status st = garray__part(grid, 0, 0, 1, &first);
    if (st == GARRAY_OK)
        st = garray__part(grid, 0, grid->size - 1, 1, &last);
    if (st == GARRAY_OK)
        st = garray__binary(GARRAY_OP_less, GARRAY__ARR(s->v), GARRAY__ARR(first), 0, &s->outside);
    if (st == GARRAY_OK)
        st = garray__binary(GARRAY_OP_greater, GARRAY__ARR(s->v), GARRAY__ARR(last), 0, &above);
    if (st == GARRAY_OK)
        st = garray__binary(GARRAY_OP_logical_or, GARRAY__ARR(s->outside), GARRAY__ARR(above), 0, &s->outside);
    garray_release(first);
    garray_release(last);
    garray_release(above);
    return st;
}

/* s->v are the places already. */
static garray_status find_cells(side *s, const garray_t *grid)
{
    garray_t *low = NULL, *high = NULL, *next = NULL;
    const garray_search_opts right = { .right = 1 };
    garray_operand clip[3];
    garray_status st = GARRAY_OK;
    GARRAY__TRY((garray_searchsorted)(grid, GARRAY__ARR(s->v), &right, &s->cell));
    GARRAY__TRY(garray__binary(GARRAY_OP_subtract, GARRAY__ARR(s->cell), garray_operand_int(1), 0, &s->cell));
    clip[0] = GARRAY__ARR(s->cell);
    clip[1] = garray_operand_int(0);
    clip[2] = garray_operand_int(grid->size - 2);
    GARRAY__TRY(garray__elementwise(GARRAY_OP_clip, 3, clip, 0, &s->cell));
    GARRAY__TRY(garray__binary(GARRAY_OP_add, GARRAY__ARR(s->cell), garray_operand_int(1), 0, &next));
    GARRAY__TRY((garray_take)(grid, GARRAY__ARR(s->cell), (garray_axes){ 1, (const int32_t[]){ 0 } }, &low));
    GARRAY__TRY((garray_take)(grid, GARRAY__ARR(next), (garray_axes){ 1, (const int32_t[]){ 0 } }, &high));
    GARRAY__TRY(garray__binary(GARRAY_OP_subtract, GARRAY__ARR(high), GARRAY__ARR(low), 0, &high));
    GARRAY__TRY(garray__binary(GARRAY_OP_subtract, GARRAY__ARR(s->v), GARRAY__ARR(low), 0, &low));
    GARRAY__TRY(garray__binary(GARRAY_OP_divide, GARRAY__ARR(low), GARRAY__ARR(high), 0, &s->part));
    st = find_outside(s, grid);
done:
    garray_release(low);
    garray_release(high);
    garray_release(next);
    return st;
}

/* The values at place plus a shift. */
static garray_status corner(const garray_t *values, const garray_t *place, int64_t shift, garray_t **out)
{
    garray_t *at = NULL;
    garray_status st = garray__binary(GARRAY_OP_add, GARRAY__ARR(place), garray_operand_int(shift), 0, &at);
    if (st == GARRAY_OK)
        st = (garray_take)(values, GARRAY__ARR(at), (garray_axes){ 1, (const int32_t[]){ 0 } }, out);
    garray_release(at);
    return st;
}

/* a (1 - t) + b t, into a. */
static garray_status blend(garray_t **a, const garray_t *b, const garray_t *t)
{
    garray_t *rest = NULL, *term = NULL;
    garray_status st = garray__binary(GARRAY_OP_subtract, garray_operand_int(1), GARRAY__ARR(t), 0, &rest);
    if (st == GARRAY_OK)
        st = garray__binary(GARRAY_OP_multiply, GARRAY__ARR(*a), GARRAY__ARR(rest), 0, a);
    if (st == GARRAY_OK)
        st = garray__binary(GARRAY_OP_multiply, GARRAY__ARR(b), GARRAY__ARR(t), 0, &term);
    if (st == GARRAY_OK)
        st = garray__binary(GARRAY_OP_add, GARRAY__ARR(*a), GARRAY__ARR(term), 0, a);
    garray_release(rest);
    garray_release(term);
    return st;
}

/* values are the grid's, flattened, with rows of `columns`. */
static garray_status bilinear(const garray_t *values, int64_t columns, const side *x, const side *y, garray_t **out)
{
    garray_t *place = NULL, *a = NULL, *b = NULL, *c = NULL, *d = NULL;
    garray_status st = GARRAY_OK;
    GARRAY__TRY(garray__binary(GARRAY_OP_multiply, GARRAY__ARR(x->cell), garray_operand_int(columns), 0, &place));
    GARRAY__TRY(garray__binary(GARRAY_OP_add, GARRAY__ARR(place), GARRAY__ARR(y->cell), 0, &place));
    GARRAY__TRY(corner(values, place, 0, &a));
    GARRAY__TRY(corner(values, place, 1, &b));
    GARRAY__TRY(corner(values, place, columns, &c));
    GARRAY__TRY(corner(values, place, columns + 1, &d));
    GARRAY__TRY(blend(&a, b, y->part));
    GARRAY__TRY(blend(&c, d, y->part));
    GARRAY__TRY(blend(&a, c, x->part));
    *out = garray_retain(a);
done:
    garray_release(place);
    garray_release(a);
    garray_release(b);
    garray_release(c);
    garray_release(d);
    return st;
}

/* The nearest grid point: the lower one up to the middle; NaN for NaN. */
static garray_status nearest(const garray_t *values, int64_t columns, const side *x, const side *y, garray_t **out)
{
    garray_t *up = NULL, *place = NULL, *row = NULL, *sum = NULL, *number = NULL, *found = NULL;
    garray_status st = GARRAY_OK;
    GARRAY__TRY(garray__binary(GARRAY_OP_greater, GARRAY__ARR(x->part), garray_operand_double(0.5), 0, &up));
    GARRAY__TRY(garray__binary(GARRAY_OP_add, GARRAY__ARR(x->cell), GARRAY__ARR(up), 0, &row));
    GARRAY__TRY(garray__binary(GARRAY_OP_greater, GARRAY__ARR(y->part), garray_operand_double(0.5), 0, &up));
    GARRAY__TRY(garray__binary(GARRAY_OP_add, GARRAY__ARR(y->cell), GARRAY__ARR(up), 0, &place));
    GARRAY__TRY(garray__binary(GARRAY_OP_multiply, GARRAY__ARR(row), garray_operand_int(columns), 0, &row));
    GARRAY__TRY(garray__binary(GARRAY_OP_add, GARRAY__ARR(row), GARRAY__ARR(place), 0, &place));
    GARRAY__TRY(corner(values, place, 0, &found));
    GARRAY__TRY(garray__binary(GARRAY_OP_add, GARRAY__ARR(x->part), GARRAY__ARR(y->part), 0, &sum));
    GARRAY__TRY(garray__unary(GARRAY_OP_isnan, GARRAY__ARR(sum), &number));
    st = garray__choose(number, garray_operand_double(NAN), GARRAY__ARR(found), out);
done:
    garray_release(up);
    garray_release(place);
    garray_release(row);
    garray_release(sum);
    garray_release(number);
    garray_release(found);
    return st;
}

static garray_status check_grid(const garray_t *xp, const garray_t *yp, const garray_t *fp)
{
    GARRAY_REQUIRE(xp && yp && fp, INVALID, "an array is NULL");
    garray_status st = garray__same_device(garray__device_of(fp), xp);
    if (st == GARRAY_OK)
        st = garray__same_device(garray__device_of(fp), yp);
    if (st != GARRAY_OK)
        return st;
    GARRAY_REQUIRE(xp->ndim == 1 && yp->ndim == 1, SHAPE, "xp and yp must be vectors, not of %d and %d axes", xp->ndim, yp->ndim);
    GARRAY_REQUIRE(xp->size > 1 && yp->size > 1, SHAPE, "xp and yp must have at least 2 points");
    GARRAY_REQUIRE(fp->ndim == 2 && fp->shape[0] == xp->size && fp->shape[1] == yp->size, SHAPE,
                   "fp must have shape (%lld,%lld), a row for each point of xp", (long long)xp->size, (long long)yp->size);
    GARRAY_REQUIRE(garray__kind_of(xp->dtype) != GARRAY__K_COMPLEX && garray__kind_of(yp->dtype) != GARRAY__K_COMPLEX, DTYPE,
                   "xp and yp must be real");
    return GARRAY_OK;
}

/* The places as float64, without copies that broadcasting would need. */
static garray_status open_places(const garray_operand *o, const char *name, garray__device *device, garray_t **out)
{
    garray_t *given = NULL;
    garray_status st = garray__operand_check(o, name);
    if (st == GARRAY_OK)
        st = garray__option_array(o, name, device, &given);
    if (st == GARRAY_OK && garray__kind_of(given->dtype) == GARRAY__K_COMPLEX)
        st = garray__fail(GARRAY_ERR_DTYPE, "%s must be real", name);
    if (st == GARRAY_OK)
        st = garray__contiguous(given, GARRAY_FLOAT64, out);
    garray_release(given);
    return st;
}

garray_status (garray_interp2d)(garray_operand x, garray_operand y, const garray_t *xp, const garray_t *yp, const garray_t *fp,
                                const garray_interp2d_opts *opts, garray_t **out)
{
    GARRAY_ENTER("garray_interp2d");
    GARRAY_REQUIRE_OPTIONS(opts, reserved);
    garray_t *gx = NULL, *gy = NULL, *values = NULL, *flat = NULL, *found = NULL, *outside = NULL, *number = NULL;
    side sx = { .v = NULL }, sy = { .v = NULL };
    const garray_operand fill = opts && opts->fill.kind != GARRAY_OPERAND_NONE ? opts->fill : garray_operand_double(NAN);
    garray_status st = garray__result_check(out);
    if (st == GARRAY_OK)
        st = check_grid(xp, yp, fp);
    if (st != GARRAY_OK)
        return st;
    GARRAY_TRY(garray__option_check(&fill, "fill", GARRAY__NUMBER));
    const int dtype = garray__kind_of(fp->dtype) == GARRAY__K_COMPLEX ? GARRAY_COMPLEX128 : GARRAY_FLOAT64;
    GARRAY_REQUIRE(fill.kind != GARRAY_OPERAND_COMPLEX || dtype == GARRAY_COMPLEX128, DTYPE, "fill is complex, but fp is not");
    garray__device *device = garray__device_of(fp);
    GARRAY__TRY(open_places(&x, "x", device, &sx.v));
    GARRAY__TRY(open_places(&y, "y", device, &sy.v));
    GARRAY__TRY(garray__contiguous(xp, GARRAY_FLOAT64, &gx));
    GARRAY__TRY(garray__contiguous(yp, GARRAY_FLOAT64, &gy));
    GARRAY__TRY(garray__contiguous(fp, dtype, &values));
    GARRAY__TRY(garray__flat(values, &flat));
    GARRAY__TRY(find_cells(&sx, gx));
    GARRAY__TRY(find_cells(&sy, gy));
    if (opts && opts->nearest)
        GARRAY__TRY(nearest(flat, yp->size, &sx, &sy, &found));
    else
        GARRAY__TRY(bilinear(flat, yp->size, &sx, &sy, &found));
    if (opts && opts->extrapolate) {
        st = garray__result_assign(out, garray_retain(found));
    } else {
        GARRAY__TRY(garray__binary(GARRAY_OP_logical_or, GARRAY__ARR(sx.outside), GARRAY__ARR(sy.outside), 0, &outside));
        for (int i = 0; i < 2; i++) {           /* not where a place is NaN */
            const garray_operand v = GARRAY__ARR(i ? sy.v : sx.v);
            GARRAY__TRY(garray__binary(GARRAY_OP_equal, v, v, 0, &number));
            GARRAY__TRY(garray__binary(GARRAY_OP_logical_and, GARRAY__ARR(outside), GARRAY__ARR(number), 0, &outside));
        }
        st = garray__choose(outside, fill, GARRAY__ARR(found), out);
    }
done:
    garray_release(gx);
    garray_release(gy);
    garray_release(values);
    garray_release(flat);
    garray_release(found);
    garray_release(outside);
    garray_release(number);
    close_side(&sx);
    close_side(&sy);
    return st;
}
