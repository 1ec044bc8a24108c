/* SPDX-License-Identifier: BSD-3-Clause
 * Views under construction: see layout.h. */
#include <string.h>
#include "core/layout.h"
#include "core/result.h"

void garray__layout_of(const garray_t *x, struct garray__layout *l)
{
    l->ndim = x->ndim;
    l->data = x->data;
    memcpy(l->shape, x->shape, sizeof(int64_t) * (size_t)x->ndim);
    memcpy(l->strides, garray__strides(x), sizeof(int64_t) * (size_t)x->ndim);
}

garray_status garray__layout_open(const garray_t *x, garray_t **out, struct garray__layout *l)
{
    garray_status st = garray__result_check(out);
    if (st != GARRAY_OK)
        return st;
    GARRAY_REQUIRE(x, INVALID, "x is NULL");
    garray__layout_of(x, l);
    return GARRAY_OK;
}

garray_status garray__layout_view(const garray_t *x, const struct garray__layout *l, bool writeable, garray_t **view)
{
    return garray__view(x->buffer, l->data, x->dtype, l->ndim, l->shape, l->strides, writeable, view);
}

garray_status garray__layout_assign(const garray_t *x, const struct garray__layout *l, garray_t **out)
{
    garray_t *view;
    garray_status st = garray__layout_view(x, l, x->flags & GARRAY__WRITEABLE, &view);
    return st == GARRAY_OK ? garray__result_assign(out, view) : st;
}

void garray__layout_range(struct garray__layout *l, int axis, int64_t start, int64_t step, int64_t length)
{
    l->shape[axis] = length;
    l->data += start * l->strides[axis];
    l->strides[axis] *= step;
}

void garray__layout_permute(struct garray__layout *l, const int *from)
{
    struct garray__layout old = *l;
    for (int i = 0; i < l->ndim; i++) {
        l->shape[i] = old.shape[from[i]];
        l->strides[i] = old.strides[from[i]];
    }
}

/* ---- the two sides of a copy ---- */

void garray__sides_open(struct garray__sides *s, char *to, char *from)
{
    s->to.ndim = s->from.ndim = 0;
    s->to.data = to;
    s->from.data = from;
}

void garray__sides_axis(struct garray__sides *s, int64_t length, int64_t to_step, int64_t from_step)
{
    if (length == 1)
        return;
    s->to.shape[s->to.ndim] = s->from.shape[s->from.ndim] = length;
    s->to.strides[s->to.ndim++] = to_step;
    s->from.strides[s->from.ndim++] = from_step;
}

garray_status garray__sides_copy(const garray_t *target, const garray_t *x, const struct garray__sides *s)
{
    garray_t *to = NULL, *from = NULL;
    garray_status st = GARRAY_OK;
    GARRAY__TRY(garray__layout_view(target, &s->to, true, &to));
    GARRAY__TRY(garray__layout_view(x, &s->from, false, &from));
    st = garray__assign_apart(to, from);
done:
    garray_release(to);
    garray_release(from);
    return st;
}
