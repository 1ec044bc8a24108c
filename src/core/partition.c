/* SPDX-License-Identifier: BSD-3-Clause
 * Order statistics: partition, argpartition, and the picked items that medians and quantiles are made of. */
#include <stdlib.h>
#include <string.h>
#include "core/array.h"
#include "core/result.h"
#include "core/sort.h"
#include "garray/index.h"
#include "garray/shape.h"
#include "garray/sort.h"

/* Ranks in ascending order, each once; more than a plan holds is `many`. */
struct ranks {
    int64_t v[GARRAY_SORT_RANKS];
    int n;
    bool many;
};

static void add_rank(struct ranks *r, int64_t k)
{
    int at = 0;
    while (at < r->n && r->v[at] < k)
        at++;
    if (r->many || (at < r->n && r->v[at] == k))
        return;
    if (r->n == GARRAY_SORT_RANKS) {
        r->many = true;
        return;
    }
    memmove(&r->v[at + 1], &r->v[at], (size_t)(r->n - at) * sizeof r->v[0]);
    r->v[at] = k;
    r->n++;
}

static garray_status read_ranks(garray_shape kth, int64_t n, struct ranks *r)
{
    r->n = 0;
    r->many = false;
    GARRAY_REQUIRE(kth.n >= 0 && (kth.v || kth.n == 0), INVALID, "the places are NULL");
    for (int64_t i = 0; i < kth.n; i++) {
        GARRAY_REQUIRE(kth.v[i] >= -n && kth.v[i] < n, INDEX, "kth(=%lld) out of bounds (%lld)", (long long)kth.v[i],
                       (long long)n);
        add_rank(r, kth.v[i] < 0 ? kth.v[i] + n : kth.v[i]);
    }
    return GARRAY_OK;
}

static bool is_complex(const garray_t *x)
{
    return garray__kind_of(x->dtype) == GARRAY__K_COMPLEX;
}

static garray_status partition(bool values, const garray_t *x, garray_shape kth, int axis, const garray_sort_opts *opts,
                               garray_t **out)
{
    garray_t *flat = NULL;
    struct ranks ranks;
    garray_status st;
    GARRAY__TRY(garray__sort_open(&x, &axis, opts, out, &flat));
    if (x->size == 0)                   /* NumPy does not look at the places then */
        kth.n = 0;
    GARRAY__TRY(read_ranks(kth, x->shape[axis], &ranks));
    if (ranks.many || is_complex(x)) {
        garray_sort_opts sorted = { .descending = opts && opts->descending };
        st = values ? garray_sort(x, axis, &sorted, out) : garray_argsort(x, axis, &sorted, out);
        goto done;
    }
    if (ranks.n == 0)                   /* any order is one */
        add_rank(&ranks, 0);
    garray_sort_plan plan = { .kind = GARRAY_SORT_PARTITION, .dtype = x->dtype, .descending = opts && opts->descending,
                              .kth = ranks.v, .nkth = ranks.n };
    st = garray__sort_axis(&plan, x, axis, values, out);
done:
    garray_release(flat);
    return st;
}

garray_status garray_partition(const garray_t *x, garray_shape kth, int axis, const garray_sort_opts *opts, garray_t **out)
{
    GARRAY_ENTER("garray_partition");
    GARRAY_REQUIRE_OPTIONS(opts, reserved32);
    return partition(true, x, kth, axis, opts, out);
}

garray_status garray_argpartition(const garray_t *x, garray_shape kth, int axis, const garray_sort_opts *opts, garray_t **out)
{
    GARRAY_ENTER("garray_argpartition");
    GARRAY_REQUIRE_OPTIONS(opts, reserved32);
    return partition(false, x, kth, axis, opts, out);
}

/* ---- picked items ---- */

/* x along its last axis at the places kth. */
static garray_status take_places(const garray_t *x, int64_t n, const int64_t *kth, garray_t **out)
{
    garray_t *places = NULL;
    garray_status st = garray_from_host(kth, GARRAY_INT64, GARRAY_DIMS(1, &n), NULL, garray_device_of(x), &places);
    if (st == GARRAY_OK)
        st = (garray_take)(x, garray_operand_array(places), GARRAY_AXES(-1), out);
    garray_release(places);
    return st;
}

garray_status garray__pick(const garray_t *x, int64_t n, const int64_t *kth, garray_t **out)
{
    struct ranks ranks = { .n = 0 };
    garray_t *rows = NULL, *picked = NULL;
    int64_t shape[GARRAY_MAX_NDIM];
    bool in_order = true;
    garray_status st = GARRAY_OK;
    for (int64_t i = 0; i < n; i++) {
        in_order = in_order && (i == 0 || kth[i] > kth[i - 1]);
        add_rank(&ranks, kth[i]);
    }
    if (ranks.many || is_complex(x)) {
        GARRAY__TRY(garray_sort(x, -1, NULL, &picked));
        st = take_places(picked, n, kth, out);
        goto done;
    }
    garray_sort_plan plan = { .kind = GARRAY_SORT_PICK, .dtype = x->dtype, .kth = ranks.v, .nkth = ranks.n, .k = ranks.n };
    memcpy(shape, x->shape, sizeof(int64_t) * (size_t)x->ndim);
    shape[x->ndim - 1] = ranks.n;
    GARRAY__TRY(garray__contiguous(x, 0, &rows));
    GARRAY__TRY(garray__new(x->dtype, x->ndim, shape, garray__device_of(x), &picked));
    if (picked->size > 0)
        GARRAY__TRY(garray__sort_submit(&plan, rows, picked, NULL));
    if (in_order) {
        *out = picked;
        picked = NULL;
        goto done;
    }
    int64_t *at = malloc((size_t)n * sizeof *at);
    GARRAY__CHECK(at, NOMEM, "no memory for %lld places", (long long)n);
    for (int64_t i = 0; i < n; i++)
        for (at[i] = 0; ranks.v[at[i]] != kth[i];)
            at[i]++;
    st = take_places(picked, n, at, out);
    free(at);
done:
    garray_release(rows);
    garray_release(picked);
    return st;
}
