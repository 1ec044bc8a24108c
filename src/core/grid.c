/* SPDX-License-Identifier: BSD-3-Clause
 * Coordinates: meshgrid, indices, ix_, ravel_multi_index, unravel_index. */
#include <stdlib.h>
#include <string.h>
#include "core/compose.h"
#include "core/layout.h"
#include "core/result.h"
#include "garray/array.h"
#include "garray/grid.h"
#include "garray/reduce.h"

/* A vector as axis `axis` of n, the other ones of length 1. */
static garray_status along_axis(const garray_t *vector, int axis, int n, garray_t **out)
{
    struct garray__layout l;
    int64_t length = vector->ndim ? vector->shape[0] : 1, item = garray__size_of(vector->dtype);
    int64_t step = vector->ndim ? garray__strides(vector)[0] : item;
    l.ndim = n;
    l.data = vector->data;
    for (int i = 0; i < n; i++) {
        l.shape[i] = i == axis ? length : 1;
        l.strides[i] = i == axis ? step : item;
    }
    return garray__layout_view(vector, &l, vector->flags & GARRAY__WRITEABLE, out);
}

static garray_status check_vectors(garray_list vectors, int nout, garray_t *const *outs)
{
    GARRAY_REQUIRE(vectors.n >= 0 && (vectors.v || vectors.n == 0), INVALID, "the list of arrays is malformed");
    GARRAY_REQUIRE(vectors.n <= GARRAY_MAX_NDIM, SHAPE, "%lld axes; at most %d are allowed", (long long)vectors.n,
                   GARRAY_MAX_NDIM);
    GARRAY_REQUIRE(nout == vectors.n && (outs || nout == 0), INVALID, "there is a result per array, %lld, not %d",
                   (long long)vectors.n, nout);
    for (int64_t i = 0; i < vectors.n; i++) {
        GARRAY_REQUIRE(vectors.v[i], INVALID, "array %lld is NULL", (long long)i);
        GARRAY_REQUIRE(vectors.v[i]->ndim <= 1, SHAPE, "array %lld has %d axes; vectors are needed", (long long)i,
                       vectors.v[i]->ndim);
        garray_status st = garray__same_device(garray__device_of(vectors.v[0]), vectors.v[i]);
        if (st != GARRAY_OK)
            return st;
    }
    return GARRAY_OK;
}

garray_status garray_meshgrid(garray_list vectors, const garray_meshgrid_opts *opts, int nout, garray_t **outs)
{
    GARRAY_ENTER("garray_meshgrid");
    GARRAY_REQUIRE_OPTIONS(opts, reserved32);
    garray_t *made[GARRAY_MAX_NDIM] = { NULL };
    int64_t shape[GARRAY_MAX_NDIM], count;
    garray_status st = check_vectors(vectors, nout, outs);
    if (st != GARRAY_OK)
        return st;
    bool swap = !(opts && opts->ij) && nout > 1;
    for (int i = 0; i < nout; i++)
        shape[swap && i < 2 ? 1 - i : i] = vectors.v[i]->ndim ? vectors.v[i]->shape[0] : 1;
    if (!(opts && opts->sparse))
        GARRAY__TRY(garray__count(nout, shape, 16, &count));
    for (int i = 0; i < nout; i++) {
        garray_t *line = NULL;
        GARRAY__TRY(along_axis(vectors.v[i], swap && i < 2 ? 1 - i : i, nout, &made[i]));
        if (!(opts && opts->sparse)) {
            GARRAY__TRY(garray__broadcast(made[i], nout, shape, &line));
            garray_release(made[i]);
            made[i] = line;
        }
        if (!(opts && opts->views)) {
            line = made[i];
            made[i] = NULL;
            st = garray__copy_as(line, line->dtype, &made[i]);
            garray_release(line);
            if (st != GARRAY_OK)
                goto done;
        }
    }
    garray__results_assign(nout, outs, made);
    return GARRAY_OK;
done:
    garray__results_drop(nout, made);
    return st;
}

/* ---- indices ---- */

static garray_status check_shape(garray_shape shape, garray_dtype *dtype)
{
    GARRAY_REQUIRE(shape.n >= 0 && shape.n <= GARRAY_MAX_NDIM && (shape.v || shape.n == 0), SHAPE, "shape is malformed");
    *dtype = *dtype ? *dtype : GARRAY_INT64;
    GARRAY_REQUIRE(garray__is_dtype(*dtype), DTYPE, "%d is not a dtype", (int)*dtype);
    return GARRAY_OK;
}

/* 0, 1, 2 ... along an axis; the indices wrap in small dtypes, and are true behind the first one as bools. */
static garray_status axis_indices(garray_shape shape, int axis, garray_dtype dtype, garray_device device, garray_t **out)
{
    garray_t *line = NULL, *cast = NULL;
    garray_status st = GARRAY_OK;
    GARRAY__TRY((garray_arange)(garray_operand_int(0), garray_operand_int(shape.v[axis]), garray_operand_int(1), GARRAY_INT64,
                                device, &line));
    GARRAY__TRY(garray__contiguous(line, dtype, &cast));
    st = along_axis(cast, axis, (int)shape.n, out);
done:
    garray_release(line);
    garray_release(cast);
    return st;
}

garray_status garray_indices_dense(garray_shape shape, garray_dtype dtype, garray_device device, garray_t **out)
{
    GARRAY_ENTER("garray_indices_dense");
    struct garray__result r = { NULL, NULL, NULL };
    garray__device *dev;
    garray_t *line = NULL, *part = NULL;
    int64_t full[GARRAY_MAX_NDIM];
    garray_status st = garray__result_check(out);
    if (st == GARRAY_OK)
        st = check_shape(shape, &dtype);
    if (st != GARRAY_OK)
        return st;
    GARRAY_REQUIRE(shape.n < GARRAY_MAX_NDIM, SHAPE, "%lld axes; at most %d are allowed", (long long)shape.n + 1,
                   GARRAY_MAX_NDIM);
    full[0] = shape.n;
    if (shape.n > 0)
        memcpy(full + 1, shape.v, sizeof(int64_t) * (size_t)shape.n);
    GARRAY__TRY(garray__device_get(device, &dev));
    GARRAY__TRY(garray__result_open(&r, out, dtype, (int)shape.n + 1, full, dev, 0, 0, NULL));
    for (int i = 0; i < (int)shape.n && r.target->size > 0; i++) {
        GARRAY__TRY(axis_indices(shape, i, dtype, device, &line));
        GARRAY__TRY(garray__part(r.target, 0, i, 1, &part));
        GARRAY__TRY(garray__assign(part, line));
        garray_release(line);
        garray_release(part);
        line = part = NULL;
    }
done:
    garray_release(line);
    garray_release(part);
    return r.target ? garray__result_close(&r, st) : st;
}

garray_status garray_indices_sparse(garray_shape shape, garray_dtype dtype, garray_device device, int nout, garray_t **outs)
{
    GARRAY_ENTER("garray_indices_sparse");
    garray_t *made[GARRAY_MAX_NDIM] = { NULL };
    garray_status st = check_shape(shape, &dtype);
    if (st != GARRAY_OK)
        return st;
    GARRAY_REQUIRE(nout == shape.n && (outs || nout == 0), INVALID, "there is a result per axis, %lld, not %d",
                   (long long)shape.n, nout);
    for (int i = 0; i < nout && st == GARRAY_OK; i++)
        st = shape.v[i] < 0 ? garray__fail(GARRAY_ERR_SHAPE, "negative dimensions are not allowed: %lld at axis %d",
                                           (long long)shape.v[i], i)
                            : axis_indices(shape, i, dtype, device, &made[i]);
    if (st == GARRAY_OK)
        garray__results_assign(nout, outs, made);
    else
        garray__results_drop(nout, made);
    return st;
}

garray_status garray_ix_(garray_list vectors, int nout, garray_t **outs)
{
    GARRAY_ENTER("garray_ix_");
    garray_t *made[GARRAY_MAX_NDIM] = { NULL };
    garray_status st = check_vectors(vectors, nout, outs);
    if (st != GARRAY_OK)
        return st;
    for (int i = 0; i < nout && st == GARRAY_OK; i++) {
        const garray_t *x = vectors.v[i];
        garray_t *places = NULL;
        if (x->ndim != 1)
            st = garray__fail(GARRAY_ERR_SHAPE, "cross index must be 1 dimensional");
        else if (x->dtype > GARRAY_UINT64)
            st = garray__fail(GARRAY_ERR_INDEX, "arrays used as indices must be of integer (or boolean) type, not %s",
                              garray__name_of(x->dtype));
        else if (x->dtype == GARRAY_BOOL)
            st = garray_nonzero(x, 1, &places);
        if (st == GARRAY_OK)
            st = along_axis(places ? places : x, i, nout, &made[i]);
        garray_release(places);
    }
    if (st == GARRAY_OK)
        garray__results_assign(nout, outs, made);
    else
        garray__results_drop(nout, made);
    return st;
}

/* ---- one index for several, and back ---- */

/* An INDEX error if an index is not in [0, length) of an axis, or for axis -1 of an array.  Waits. */
static garray_status check_range(const garray_t *index, int64_t length, int axis)
{
    garray_t *low = NULL, *high = NULL;
    bool wrong = false;
    garray_status st = GARRAY_OK;
    if (index->size == 0)
        return GARRAY_OK;
    GARRAY__TRY(garray__binary(GARRAY_OP_less, GARRAY__ARR(index), garray_operand_int(0), 0, &low));
    GARRAY__TRY(garray__binary(GARRAY_OP_greater_equal, GARRAY__ARR(index), garray_operand_int(length), 0, &high));
    GARRAY__TRY(garray__binary(GARRAY_OP_logical_or, GARRAY__ARR(low), GARRAY__ARR(high), 0, &low));
    GARRAY__TRY(garray_any(low, GARRAY_ALL_AXES, NULL, &high));
    GARRAY__TRY((garray_item)(high, GARRAY_BOOL, &wrong));
    GARRAY__CHECK(!wrong || axis < 0, INDEX, "an index is out of bounds for axis %d with size %lld", axis, (long long)length);
    GARRAY__CHECK(!wrong, INDEX, "an index is out of bounds for array with size %lld", (long long)length);
done:
    garray_release(low);
    garray_release(high);
    return st;
}

static garray_status check_dims(garray_shape shape, int64_t *size)
{
    GARRAY_REQUIRE(shape.n >= 0 && shape.n <= GARRAY_MAX_NDIM && (shape.v || shape.n == 0), SHAPE, "shape is malformed");
    return garray__count((int)shape.n, shape.v, 1, size);
}

/* The index along one axis as int64 within its length. */
static garray_status axis_index(const garray_t *x, int axis, int64_t length, garray_index_mode mode, garray_t **out)
{
    garray_t *wide = NULL, *reduced = NULL;
    garray_status st = GARRAY_OK;
    GARRAY__CHECK(mode >= GARRAY_MODE_DEFAULT && mode <= GARRAY_MODE_CLIP, INVALID, "mode %d is not known", (int)mode);
    if (mode == GARRAY_MODE_WRAP || mode == GARRAY_MODE_CLIP) {
        GARRAY__CHECK(length > 0 || x->size == 0, INDEX, "no index can be taken into axis %d with size 0", axis);
        GARRAY__TRY(garray__contiguous(x, GARRAY_INT64, &wide));
        if (mode == GARRAY_MODE_WRAP) {
            GARRAY__TRY(garray__binary(GARRAY_OP_remainder, GARRAY__ARR(wide), garray_operand_int(length), 0, &reduced));
        } else {
            GARRAY__TRY(garray__binary(GARRAY_OP_maximum, GARRAY__ARR(wide), garray_operand_int(0), 0, &reduced));
            GARRAY__TRY(garray__binary(GARRAY_OP_minimum, GARRAY__ARR(reduced), garray_operand_int(length - 1), 0, &reduced));
        }
        *out = garray_retain(reduced);
        goto done;
    }
    GARRAY__TRY(check_range(x, length, axis));
    st = garray__contiguous(x, GARRAY_INT64, out);
done:
    garray_release(wide);
    garray_release(reduced);
    return st;
}

garray_status garray_ravel_multi_index(garray_list multi_index, garray_shape shape, const garray_multi_index_opts *opts,
                                       garray_t **out)
{
    GARRAY_ENTER("garray_ravel_multi_index");
    GARRAY_REQUIRE_OPTIONS(opts, reserved32);
    garray_t *sum = NULL, *index = NULL, *term = NULL;
    int64_t size, step = 1;
    garray_status st = garray__result_check(out);
    if (st == GARRAY_OK)
        st = check_dims(shape, &size);
    if (st != GARRAY_OK)
        return st;
    int n = (int)shape.n;
    GARRAY_REQUIRE(n > 0 && multi_index.n == n && multi_index.v, INVALID,
                   "parameter multi_index must be a sequence of length %d, not %lld", n, (long long)multi_index.n);
    for (int k = 0; k < n; k++) {
        const garray_t *x = multi_index.v[k];
        GARRAY_REQUIRE(x, INVALID, "array %d is NULL", k);
        GARRAY_REQUIRE(garray__is_integer(x->dtype), DTYPE, "only int indices permitted, not %s", garray__name_of(x->dtype));
        st = garray__same_device(garray__device_of(multi_index.v[0]), x);
        if (st != GARRAY_OK)
            return st;
    }
    for (int k = 0; k < n; k++) {
        int axis = opts && opts->column_major ? k : n - 1 - k;
        garray_index_mode mode = opts && opts->modes ? opts->modes[axis] : GARRAY_MODE_RAISE;
        GARRAY__TRY(axis_index(multi_index.v[axis], axis, shape.v[axis], mode, &index));
        if (!sum) {
            sum = index;
        } else {
            GARRAY__TRY(garray__binary(GARRAY_OP_multiply, GARRAY__ARR(index), garray_operand_int(step), 0, &term));
            GARRAY__TRY(garray__binary(GARRAY_OP_add, GARRAY__ARR(sum), GARRAY__ARR(term), 0, &sum));
            garray_release(index);
        }
        index = NULL;
        step *= shape.v[axis] ? shape.v[axis] : 1;
    }
    if (n == 1 && sum->buffer == multi_index.v[0]->buffer) {
        GARRAY__TRY(garray__copy_as(sum, GARRAY_INT64, &term));     /* a result of its own */
        garray_release(sum);
        sum = term;
        term = NULL;
    }
    st = garray__result_assign(out, sum);
    sum = NULL;
done:
    garray_release(sum);
    garray_release(index);
    garray_release(term);
    return st;
}

garray_status garray_unravel_index(const garray_t *indices, garray_shape shape, const garray_multi_index_opts *opts, int nout,
                                   garray_t **outs)
{
    GARRAY_ENTER("garray_unravel_index");
    GARRAY_REQUIRE_OPTIONS(opts, reserved32);
    GARRAY_REQUIRE(!opts || !opts->modes, INVALID, "modes are for ravel_multi_index only");
    garray_t *made[GARRAY_MAX_NDIM] = { NULL }, *rest = NULL, *next = NULL;
    int64_t size;
    garray_status st = check_dims(shape, &size);
    if (st != GARRAY_OK)
        return st;
    GARRAY_REQUIRE(indices, INVALID, "indices is NULL");
    GARRAY_REQUIRE(nout == shape.n && (outs || nout == 0), INVALID, "there is a result per axis, %lld, not %d",
                   (long long)shape.n, nout);
    GARRAY_REQUIRE(garray__is_integer(indices->dtype), DTYPE, "only int indices permitted, not %s",
                   garray__name_of(indices->dtype));
    GARRAY_REQUIRE(nout > 0 || indices->ndim == 0, SHAPE, "multiple indices are not supported for 0d array");
    st = check_range(indices, size, -1);
    if (st != GARRAY_OK || nout == 0)
        return st;
    GARRAY__TRY(garray__contiguous(indices, GARRAY_INT64, &rest));
    for (int k = 0; k < nout; k++) {
        int axis = opts && opts->column_major ? k : nout - 1 - k;
        if (k + 1 == nout) {
            GARRAY__TRY(garray__copy_as(rest, GARRAY_INT64, &made[axis]));
            break;
        }
        GARRAY__TRY(garray__binary(GARRAY_OP_remainder, GARRAY__ARR(rest), garray_operand_int(shape.v[axis]), 0, &made[axis]));
        GARRAY__TRY(garray__binary(GARRAY_OP_floor_divide, GARRAY__ARR(rest), garray_operand_int(shape.v[axis]), 0, &next));
        garray_release(rest);
        rest = next;
        next = NULL;
    }
    garray__results_assign(nout, outs, made);
    garray_release(rest);
    return GARRAY_OK;
done:
    garray_release(rest);
    garray_release(next);
    garray__results_drop(nout, made);
    return st;
}
