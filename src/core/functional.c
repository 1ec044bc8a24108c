/* SPDX-License-Identifier: BSD-3-Clause
 * Functions of the caller over arrays: apply_along_axis, apply_over_axes, fromfunction, fromiter. */
#include <stdlib.h>
#include <string.h>
#include "core/compose.h"
#include "core/layout.h"
#include "core/result.h"
#include "garray/array.h"
#include "garray/functional.h"
#include "garray/grid.h"
#include "garray/join.h"
#include "garray/shape.h"

/* The next place of the outer axes in row-major order; moves the two layouts along.  False behind the last one. */
static bool advance(int n, const int64_t *shape, int64_t *at, struct garray__layout *from, const int64_t *from_steps,
                    struct garray__layout *to, const int64_t *to_steps)
{
    for (int i = n - 1; i >= 0; i--) {
        from->data += from_steps[i];
        to->data += to_steps[i];
        if (++at[i] < shape[i])
            return true;
        from->data -= shape[i] * from_steps[i];
        to->data -= shape[i] * to_steps[i];
        at[i] = 0;
    }
    return false;
}

static garray_status call_line(const garray_t *x, const struct garray__layout *line, garray_line_function *f, void *ctx,
                               garray_t **value)
{
    garray_t *view;
    *value = NULL;
    garray_status st = garray__layout_view(x, line, false, &view);
    if (st != GARRAY_OK)
        return st;
    st = f(ctx, view, value);
    garray_release(view);
    if (st != GARRAY_OK)
        return st;
    GARRAY_REQUIRE(*value, INVALID, "the function gave no array");
    return garray__same_device(garray__device_of(x), *value);
}

garray_status garray_apply_along_axis(const garray_t *x, int axis, garray_line_function *f, void *ctx, garray_t **out)
{
    GARRAY_ENTER("garray_apply_along_axis");
    struct garray__layout line, place;
    int64_t outer[GARRAY_MAX_NDIM], x_steps[GARRAY_MAX_NDIM], steps[GARRAY_MAX_NDIM], at[GARRAY_MAX_NDIM] = { 0 };
    int64_t shape[GARRAY_MAX_NDIM];
    garray_t *value = NULL, *result = NULL, *part = NULL;
    int n = 0, inner;
    garray_status st = garray__result_check(out);
    if (st != GARRAY_OK)
        return st;
    GARRAY_REQUIRE(x && f, INVALID, "an argument is NULL");
    st = garray__axis(axis, x->ndim, &axis);
    if (st != GARRAY_OK)
        return st;
    for (int i = 0; i < x->ndim; i++) {
        if (i == axis)
            continue;
        GARRAY_REQUIRE(x->shape[i] > 0, INVALID, "cannot apply_along_axis when any iteration dimensions are 0");
        outer[n] = x->shape[i];
        x_steps[n++] = garray__strides(x)[i];
    }
    line = (struct garray__layout){ .ndim = 1, .data = x->data, .shape = { x->shape[axis] },
                                    .strides = { garray__strides(x)[axis] } };
    GARRAY__TRY(call_line(x, &line, f, ctx, &value));
    inner = value->ndim;
    GARRAY__CHECK(n + inner <= GARRAY_MAX_NDIM, SHAPE, "%d axes; at most %d are allowed", n + inner, GARRAY_MAX_NDIM);
    for (int i = 0; i < n + inner; i++)
        shape[i] = i < axis ? outer[i] : i < axis + inner ? value->shape[i - axis] : outer[i - inner];
    GARRAY__TRY(garray__new(value->dtype, n + inner, shape, garray__device_of(x), &result));
    place.ndim = inner;
    place.data = result->data;
    memcpy(place.shape, value->shape, sizeof(int64_t) * (size_t)inner);
    for (int i = 0; i < n + inner; i++) {
        int64_t step = garray__strides(result)[i];
        if (i >= axis && i < axis + inner)
            place.strides[i - axis] = step;
        else
            steps[i < axis ? i : i - inner] = step;
    }
    for (;;) {
        char a[GARRAY__SHAPE_TEXT], b[GARRAY__SHAPE_TEXT];
        bool same = value->ndim == inner && memcmp(value->shape, place.shape, sizeof(int64_t) * (size_t)inner) == 0;
        GARRAY__CHECK(same, SHAPE, "the function gave shape %s before and now %s", garray__shape_text(inner, place.shape, a),
                      garray__shape_text(value->ndim, value->shape, b));
        GARRAY__TRY(garray__layout_view(result, &place, true, &part));
        GARRAY__TRY(garray__assign(part, value));
        garray_release(part);
        garray_release(value);
        part = value = NULL;
        if (!advance(n, outer, at, &line, x_steps, &place, steps))
            break;
        GARRAY__TRY(call_line(x, &line, f, ctx, &value));
    }
    st = garray__result_assign(out, result);
    result = NULL;
done:
    garray_release(value);
    garray_release(result);
    garray_release(part);
    return st;
}

garray_status garray_apply_over_axes(const garray_t *x, garray_axes axes, garray_axis_function *f, void *ctx, garray_t **out)
{
    GARRAY_ENTER("garray_apply_over_axes");
    garray_t *value = NULL, *next = NULL, *wide = NULL;
    garray_status st = garray__result_check(out);
    if (st != GARRAY_OK)
        return st;
    GARRAY_REQUIRE(x && f, INVALID, "an argument is NULL");
    bool all = axes.n == 0 && !axes.v;
    GARRAY_REQUIRE(axes.n >= 0 && (axes.v || axes.n == 0), INVALID, "list of axes is malformed");
    value = garray__share(x);
    for (int64_t i = 0; i < (all ? x->ndim : axes.n); i++) {
        int axis = (int)i;
        if (!all)
            GARRAY__TRY(garray__axis(axes.v[i], x->ndim, &axis));
        GARRAY__TRY(f(ctx, value, axis, &next));
        GARRAY__CHECK(next, INVALID, "the function gave no array");
        if (next->ndim != value->ndim) {
            GARRAY__CHECK(next->ndim + 1 == value->ndim, SHAPE, "function is not returning an array of the correct shape");
            GARRAY__TRY(garray_expand_dims(next, GARRAY_AXES(axis), &wide));
            garray_release(next);
            next = wide;
            wide = NULL;
        }
        garray_release(value);
        value = next;
        next = NULL;
    }
    st = garray__result_assign(out, value);
    value = NULL;
done:
    garray_release(value);
    garray_release(next);
    return st;
}

garray_status garray_fromfunction(garray_shape shape, garray_grid_function *f, void *ctx, garray_dtype dtype,
                                  garray_device device, garray_t **out)
{
    GARRAY_ENTER("garray_fromfunction");
    garray_t *sparse[GARRAY_MAX_NDIM] = { NULL }, *grid[GARRAY_MAX_NDIM] = { NULL }, *value = NULL;
    garray_status st = garray__result_check(out);
    if (st != GARRAY_OK)
        return st;
    GARRAY_REQUIRE(f, INVALID, "the function is NULL");
    GARRAY_REQUIRE(shape.n >= 0 && shape.n <= GARRAY_MAX_NDIM, SHAPE, "%lld axes; at most %d are allowed", (long long)shape.n,
                   GARRAY_MAX_NDIM);
    int n = (int)shape.n;
    GARRAY__TRY(garray_indices_sparse(shape, dtype ? dtype : GARRAY_FLOAT64, device, n, sparse));
    GARRAY__TRY(garray_broadcast_arrays(GARRAY_ARRAYS(n, sparse), n, grid));
    GARRAY__TRY(f(ctx, GARRAY_ARRAYS(n, grid), &value));
    GARRAY__CHECK(value, INVALID, "the function gave no array");
    st = garray__result_assign(out, value);
    value = NULL;
done:
    garray__results_drop(n, sparse);
    garray__results_drop(n, grid);
    garray_release(value);
    return st;
}

garray_status garray_fromiter(garray_next_function *next, void *ctx, garray_dtype dtype, int64_t count, garray_device device,
                              garray_t **out)
{
    GARRAY_ENTER("garray_fromiter");
    garray_status st = garray__result_check(out);
    if (st != GARRAY_OK)
        return st;
    GARRAY_REQUIRE(next, INVALID, "the function is NULL");
    GARRAY_REQUIRE(garray__is_dtype(dtype), DTYPE, "%d is not a dtype", (int)dtype);
    GARRAY_REQUIRE(count >= -1, INVALID, "count is %lld", (long long)count);
    size_t item = (size_t)garray__size_of(dtype), room = 0;
    int64_t n = 0;
    char *data = NULL;
    bool end = false;
    while (count < 0 || n < count) {
        uint64_t element[2] = { 0, 0 };
        GARRAY__TRY(next(ctx, element, &end));
        if (end)
            break;
        if ((size_t)n == room) {
            size_t wanted = room ? 2 * room : 64;
            char *larger = wanted <= SIZE_MAX / 2 / item ? realloc(data, wanted * item) : NULL;
            GARRAY__CHECK(larger, NOMEM, "no host memory for %zu elements", wanted);
            data = larger;
            room = wanted;
        }
        memcpy(data + (size_t)n++ * item, element, item);
    }
    GARRAY__CHECK(count < 0 || n == count, INVALID, "iterator too short: expected %lld but iterator had only %lld items.",
                  (long long)count, (long long)n);
    st = garray_from_host(data, dtype, GARRAY_DIMS(1, &n), NULL, device, out);
done:
    free(data);
    return st;
}
