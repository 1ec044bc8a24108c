/* SPDX-License-Identifier: BSD-3-Clause
 * Index items: see selection.h. */
#include <inttypes.h>
#include <string.h>
#include "core/selection.h"
#include "garray/operand.h"

/* start, stop and step of a slice over n items, as Python's slice.indices(); returns the length. */
static int64_t cut_slice(const garray_index *item, int64_t n, int64_t *start, int64_t *step)
{
    int64_t s = item->has & 4 ? item->step : 1;
    int64_t low = s < 0 ? -1 : 0, high = s < 0 ? n - 1 : n;
    int64_t a = s < 0 ? high : low, b = s < 0 ? low : high;
    if (item->has & 1) {
        a = item->start < 0 ? item->start + n : item->start;
        a = a < low ? low : a > high ? high : a;
    }
    if (item->has & 2) {
        b = item->stop < 0 ? item->stop + n : item->stop;
        b = b < low ? low : b > high ? high : b;
    }
    *start = a;
    *step = s;
    if (s > 0)
        return a < b ? (b - a - 1) / s + 1 : 0;
    return a > b ? (a - b - 1) / (s == INT64_MIN ? INT64_MAX : -s) + 1 : 0;
}

/* How many axes of x an item uses. */
static int axes_used(const garray_index *item)
{
    switch (item->kind) {
    case GARRAY_INDEX_INT:
    case GARRAY_INDEX_SLICE: return 1;
    case GARRAY_INDEX_ARRAY: return item->array->dtype == GARRAY_BOOL ? item->array->ndim : 1;
    default: return 0;
    }
}

static garray_status check_items(const garray_t *x, garray_indices items, int *used, bool *has_arrays)
{
    int ellipses = 0;
    *used = 0;
    *has_arrays = false;
    GARRAY_REQUIRE(items.n >= 0 && (items.v || items.n == 0), INDEX, "list of items is malformed");
    GARRAY_REQUIRE(items.n <= 2 * GARRAY_MAX_NDIM, INDEX, "too many items: %lld", (long long)items.n);
    for (int64_t i = 0; i < items.n; i++) {
        const garray_index *item = &items.v[i];
        GARRAY_REQUIRE(item->kind >= GARRAY_INDEX_INT && item->kind <= GARRAY_INDEX_ARRAY, INDEX,
                       "item %lld is malformed", (long long)i);
        if (item->kind == GARRAY_INDEX_ELLIPSIS)
            GARRAY_REQUIRE(++ellipses == 1, INDEX, "an index can only have a single ellipsis ('...')");
        if (item->kind == GARRAY_INDEX_SLICE)
            GARRAY_REQUIRE(!(item->has & 4) || item->step != 0, INDEX, "slice step cannot be zero");
        if (item->kind == GARRAY_INDEX_ARRAY) {
            *has_arrays = true;
            GARRAY_REQUIRE(item->array, INVALID, "index array %lld is NULL", (long long)i);
            int kind = garray__kind_of(item->array->dtype);
            GARRAY_REQUIRE(kind <= GARRAY__K_UINT, INDEX, "arrays used as indices must be of integer (or boolean) type, not %s",
                           garray__name_of(item->array->dtype));
            garray_status st = garray__same_device(garray__device_of(x), item->array);
            if (st != GARRAY_OK)
                return st;
        }
        *used += axes_used(item);
    }
    GARRAY_REQUIRE(*used <= x->ndim, INDEX,
                   "too many indices for array: array is %d-dimensional, but %d were indexed", x->ndim, *used);
    return GARRAY_OK;
}

/* The view as it grows, and where in x it stands. */
struct builder {
    const garray_t *x;
    int axis, ndim;             /* next axis of x; axes of the view so far */
    char *data;
    int64_t shape[GARRAY_MAX_NDIM], strides[GARRAY_MAX_NDIM];
};

static garray_status add_axis(struct builder *b, int64_t length, int64_t stride)
{
    GARRAY_REQUIRE(b->ndim < GARRAY_MAX_NDIM, INDEX, "the result would have more than %d axes", GARRAY_MAX_NDIM);
    b->shape[b->ndim] = length;
    b->strides[b->ndim++] = stride;
    return GARRAY_OK;
}

static garray_status add_whole(struct builder *b, int count)
{
    garray_status st = GARRAY_OK;
    for (; count > 0 && st == GARRAY_OK; count--, b->axis++)
        st = add_axis(b, b->x->shape[b->axis], garray__strides(b->x)[b->axis]);
    return st;
}

static garray_status add_int(struct builder *b, int64_t i)
{
    int64_t n = b->x->shape[b->axis];
    GARRAY_REQUIRE(i >= -n && i < n, INDEX, "index %" PRId64 " is out of bounds for axis %d with size %" PRId64, i, b->axis, n);
    b->data += (i < 0 ? i + n : i) * garray__strides(b->x)[b->axis++];
    return GARRAY_OK;
}

static garray_status add_slice(struct builder *b, const garray_index *item)
{
    int64_t start, step, stride = garray__strides(b->x)[b->axis];
    int64_t length = cut_slice(item, b->x->shape[b->axis++], &start, &step);
    if (length > 0)
        b->data += start * stride;
    return add_axis(b, length, length > 1 ? step * stride : stride);
}

static garray_status add_array(struct builder *b, const garray_t *index, struct garray__selection *s)
{
    garray_status st = GARRAY_OK;
    GARRAY_REQUIRE(s->narrays < GARRAY_MAX_NDIM, INDEX, "more than %d index arrays", GARRAY_MAX_NDIM);
    s->array[s->narrays].index = index;
    s->array[s->narrays].shift = b->axis - b->ndim;
    s->array[s->narrays++].axis = b->ndim;
    if (index->dtype != GARRAY_BOOL)
        return add_whole(b, 1);
    if (index->ndim == 0)           /* x[True] adds an axis of length 1 and masks it */
        return add_axis(b, 1, garray__size_of(b->x->dtype));
    for (int i = 0; i < index->ndim && st == GARRAY_OK; i++) {
        if (index->shape[i] == 0) {     /* fits any length, since it selects nothing */
            st = add_axis(b, 0, garray__strides(b->x)[b->axis]);
            b->axis++;
            continue;
        }
        GARRAY_REQUIRE(index->shape[i] == b->x->shape[b->axis], INDEX,
                       "boolean index did not match indexed array along axis %d; size of axis is %" PRId64
                       " but size of corresponding boolean axis is %" PRId64, b->axis, b->x->shape[b->axis], index->shape[i]);
        st = add_whole(b, 1);
    }
    return st;
}

garray_status garray__select_items(const garray_t *x, garray_indices items, struct garray__selection *s)
{
    int used;
    bool has_arrays, ellipsis = false;
    struct builder b = { .x = x, .data = x->data };
    enum { BEFORE, IN_RUN, AFTER, SEPARATED } run = BEFORE;
    garray_status st = check_items(x, items, &used, &has_arrays);
    s->view = NULL;
    s->narrays = s->place = 0;
    for (int64_t i = 0; i < items.n && st == GARRAY_OK; i++) {
        const garray_index *item = &items.v[i];
        /* integers beside index arrays count as such when it is decided where the new axes go */
        if (item->kind == GARRAY_INDEX_ARRAY || (item->kind == GARRAY_INDEX_INT && has_arrays)) {
            if (run == BEFORE)
                s->place = b.ndim;
            run = run == BEFORE || run == IN_RUN ? IN_RUN : SEPARATED;
        } else if (run == IN_RUN) {
            run = AFTER;
        }
        switch (item->kind) {
        case GARRAY_INDEX_INT: st = add_int(&b, item->start); break;
        case GARRAY_INDEX_SLICE: st = add_slice(&b, item); break;
        case GARRAY_INDEX_NEWAXIS: st = add_axis(&b, 1, garray__size_of(x->dtype)); break;
        case GARRAY_INDEX_ELLIPSIS:
            st = add_whole(&b, x->ndim - used);
            ellipsis = true;
            break;
        default: st = add_array(&b, item->array, s);
        }
    }
    if (st == GARRAY_OK && !ellipsis)
        st = add_whole(&b, x->ndim - used);
    if (st != GARRAY_OK)
        return st;
    if (run == SEPARATED)
        s->place = 0;
    return garray__view(x->buffer, b.data, x->dtype, b.ndim, b.shape, b.strides, x->flags & GARRAY__WRITEABLE, &s->view);
}

/* ---- text ---- */

static const char *skip_blanks(const char *p)
{
    while (*p == ' ' || *p == '\t')
        p++;
    return p;
}

/* A decimal integer with a sign, cut to 64 bits, which are further than any axis reaches; false if there is none. */
static bool parse_int(const char **text, int64_t *value)
{
    const char *p = *text;
    bool negative = *p == '-';
    if (*p == '-' || *p == '+')
        p++;
    if (*p < '0' || *p > '9')
        return false;
    int64_t n = 0;
    for (; *p >= '0' && *p <= '9'; p++)
        if (__builtin_mul_overflow(n, 10, &n) || __builtin_sub_overflow(n, *p - '0', &n))
            n = INT64_MIN;
    *value = negative ? n : n == INT64_MIN ? INT64_MAX : -n;
    *text = p;
    return true;
}

static bool parse_item(const char **text, garray_index *item)
{
    const char *p = *text;
    *item = GARRAY_ALL;
    if (strncmp(p, "...", 3) == 0) {
        item->kind = GARRAY_INDEX_ELLIPSIS;
        *text = p + 3;
        return true;
    }
    if (strncmp(p, "None", 4) == 0 || strncmp(p, "newaxis", 7) == 0) {
        item->kind = GARRAY_INDEX_NEWAXIS;
        *text = p + (*p == 'N' ? 4 : 7);
        return true;
    }
    int64_t *const part[3] = { &item->start, &item->stop, &item->step };
    int colons = 0;
    for (;;) {
        p = skip_blanks(p);
        if (parse_int(&p, part[colons]))
            item->has |= 1 << colons;
        p = skip_blanks(p);
        if (*p != ':' || colons == 2)
            break;
        p++;
        colons++;
    }
    if (colons == 0) {
        if (!item->has)
            return false;
        item->kind = GARRAY_INDEX_INT;
        item->has = 0;
    }
    *text = p;
    return true;
}

garray_status garray__parse_items(const char *text, garray_index *items, int *count)
{
    const char *p = skip_blanks(text);
    int n = 0;
    while (*p) {
        GARRAY_REQUIRE(n <= GARRAY_MAX_NDIM, INDEX, "too many items in '%.60s'", text);
        GARRAY_REQUIRE(parse_item(&p, &items[n]), INDEX, "cannot read '%.60s' at '%.20s'", text, p);
        n++;
        p = skip_blanks(p);
        if (!*p)
            break;
        GARRAY_REQUIRE(*p == ',', INDEX, "cannot read '%.60s' at '%.20s'", text, p);
        p = skip_blanks(p + 1);
    }
    *count = n;
    return GARRAY_OK;
}
