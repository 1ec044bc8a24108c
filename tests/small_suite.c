/* SPDX-License-Identifier: BSD-3-Clause
 * One call of each kind on small data, for tools that slow a program down a hundredfold: memory and race checkers.
 * A plain program: small_suite [DEVICE].  The results are compared with the same calls on the CPU. */
#include <garray/garray.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

static garray_device device;

/* Fails unless x has the same elements as the CPU's y, within a relative tolerance. */
static garray_status same(const char *what, const garray_t *x, const garray_t *y, double tolerance)
{
    GARRAY_AUTO garray_t *a = NULL, *b = NULL;
    GARRAY_TRY(garray_astype(x, GARRAY_FLOAT64, &a));
    GARRAY_TRY(garray_astype(y, GARRAY_FLOAT64, &b));
    int64_t n = garray_size(a);
    double *p = calloc((size_t)n + 1, 8), *q = calloc((size_t)n + 1, 8);
    garray_status st = p && q ? GARRAY_OK : GARRAY_ERR_NOMEM;
    if (st == GARRAY_OK)
        st = garray_to_host(a, p, NULL, (size_t)n * 8);
    if (st == GARRAY_OK)
        st = garray_to_host(b, q, NULL, (size_t)n * 8);
    if (st == GARRAY_OK && n != garray_size(b)) {
        fprintf(stderr, "%s: %lld elements, not %lld\n", what, (long long)n, (long long)garray_size(b));
        st = GARRAY_ERR_INTERNAL;
    }
    for (int64_t i = 0; i < n && st == GARRAY_OK; i++)
        if (!(fabs(p[i] - q[i]) <= tolerance * (1 + fabs(q[i])) || (isnan(p[i]) && isnan(q[i])))) {
            fprintf(stderr, "%s: element %lld is %.17g, not %.17g\n", what, (long long)i, p[i], q[i]);
            st = GARRAY_ERR_INTERNAL;
        }
    free(p);
    free(q);
    return st;
}

/* The arrays that the calls below work on, equal on both devices. */
struct data {
    garray_t *x, *y, *odd, *mask, *index, *matrix, *spd, *ints;
};

static garray_status make(garray_device where, int64_t n, struct data *d)
{
    garray_rng rng = GARRAY_RNG(7);
    GARRAY_AUTO garray_t *wide = NULL, *eye = NULL;
    GARRAY_TRY(garray_random_uniform(&rng, -2, 2, GARRAY_SHAPE(n, 7), GARRAY_FLOAT32, where, &d->x));
    GARRAY_TRY(garray_random_uniform(&rng, 0.5, 2, GARRAY_SHAPE(7), GARRAY_FLOAT32, where, &d->y));
    GARRAY_TRY(garray_random_uniform(&rng, 0, 1, GARRAY_SHAPE(n + 1, 9), GARRAY_FLOAT64, where, &wide));
    GARRAY_TRY(garray_getitem(wide, GARRAY_AT(GARRAY_FROM(1), GARRAY_STEP(8, 1, -1)), &d->odd));
    GARRAY_TRY(garray_greater(d->x, 0, &d->mask));
    GARRAY_TRY(garray_random_integers(&rng, 0, n, GARRAY_SHAPE(5, 3), NULL, where, &d->index));
    GARRAY_TRY(garray_random_uniform(&rng, -1, 1, GARRAY_SHAPE(3, 5, 5), GARRAY_FLOAT64, where, &d->matrix));
    GARRAY_TRY(garray_eye(5, 5, 0, GARRAY_FLOAT64, where, &eye));
    GARRAY_TRY(garray_multiply(eye, 5, &eye));
    GARRAY_TRY(garray_matmul(d->matrix, GARRAY_MT(d->matrix), &d->spd));
    GARRAY_TRY(garray_add(d->spd, eye, &d->spd));
    return garray_random_integers(&rng, -100, 100, GARRAY_SHAPE(n, 7), GARRAY_KW(integers, .dtype = GARRAY_INT16),
                                  where, &d->ints);
}

static void drop(struct data *d)
{
    garray_t *all[] = { d->x, d->y, d->odd, d->mask, d->index, d->matrix, d->spd, d->ints };
    for (size_t i = 0; i < sizeof all / sizeof all[0]; i++)
        garray_release(all[i]);
    memset(d, 0, sizeof *d);
}

/* Call number k; *name stays NULL past the last one. */
static garray_status call(int k, const struct data *d, const char **name, double *tolerance, garray_t **out)
{
    GARRAY_AUTO garray_t *t = NULL, *u = NULL;
    *tolerance = 0;
#define CALL(text, tol, ...)            \
    case __COUNTER__:                   \
        *name = text;                   \
        *tolerance = tol;               \
        __VA_ARGS__;                    \
        return GARRAY_OK;
    switch (k) {
    CALL("add a row", 0, GARRAY_TRY(garray_add(d->x, d->y, out)))
    CALL("exp", 0, GARRAY_TRY(garray_exp(d->x, out)))
    CALL("sin, float64", 1e-15, GARRAY_TRY(garray_sin(d->odd, out)))
    CALL("mixed dtypes", 0, GARRAY_TRY(garray_multiply(d->ints, d->odd, out)))
    CALL("strided", 0, GARRAY_TRY(garray_subtract(d->odd, 1, out)))
    CALL("where", 0, GARRAY_TRY(garray_where(d->mask, d->x, -1, out)))
    CALL("clip", 0, GARRAY_TRY(garray_clip(d->x, -1, 1, out)))
    CALL("astype", 0, GARRAY_TRY(garray_astype(d->x, GARRAY_FLOAT16, out)))
    CALL("transposed copy", 0, GARRAY_TRY(garray_matrix_transpose(d->x, &t)); GARRAY_TRY(garray_copy(t, out)))
    CALL("sum", 1e-6, GARRAY_TRY(garray_sum(d->x, GARRAY_ALL_AXES, NULL, out)))
    CALL("sum of columns", 1e-6, GARRAY_TRY(garray_sum(d->x, GARRAY_AXES(0), NULL, out)))
    CALL("sum of rows", 1e-6, GARRAY_TRY(garray_sum(d->odd, GARRAY_AXES(1), NULL, out)))
    CALL("sum where", 1e-6, GARRAY_TRY(garray_sum(d->x, GARRAY_AXES(0), GARRAY_KW(reduce, .where = GARRAY_VAL(d->mask)), out)))
    CALL("max", 0, GARRAY_TRY(garray_max(d->ints, GARRAY_AXES(1), NULL, out)))
    CALL("argmin", 0, GARRAY_TRY(garray_argmin(d->x, GARRAY_AXES(0), NULL, out)))
    CALL("std", 1e-6, GARRAY_TRY(garray_std(d->x, GARRAY_AXES(0), NULL, out)))
    CALL("any", 0, GARRAY_TRY(garray_any(d->mask, GARRAY_AXES(1), NULL, out)))
    CALL("count_nonzero", 0, GARRAY_TRY(garray_count_nonzero(d->mask, GARRAY_ALL_AXES, NULL, out)))
    CALL("cumulative_sum", 1e-6, GARRAY_TRY(garray_cumulative_sum(d->x, GARRAY_AXES(0), NULL, out)))
    CALL("cumulative_sum of rows", 0, GARRAY_TRY(garray_cumulative_sum(d->ints, GARRAY_AXES(1), NULL, out)))
    CALL("boolean selection", 0, GARRAY_TRY(garray_getitem(d->x, GARRAY_AT(d->mask), out)))
    CALL("take rows", 0, GARRAY_TRY(garray_take(d->x, d->index, GARRAY_AXES(0), out)))
    CALL("assignment by index", 0, GARRAY_TRY(garray_copy(d->x, out));
         GARRAY_TRY(garray_setitem(*out, GARRAY_AT(d->index), 3)))
    CALL("assignment by mask", 0, GARRAY_TRY(garray_copy(d->x, out)); GARRAY_TRY(garray_setitem(*out, GARRAY_AT(d->mask), 0)))
    CALL("nonzero", 0, garray_t *place[2] = { NULL, NULL }; GARRAY_TRY(garray_nonzero(d->mask, 2, place));
         garray_release(place[0]); *out = place[1])
    CALL("sort", 0, GARRAY_TRY(garray_sort(d->x, 0, NULL, out)))
    CALL("argsort", 0, GARRAY_TRY(garray_argsort(d->x, -1, NULL, out)))
    CALL("top_k", 0, GARRAY_TRY(garray_top_k(d->x, 3, 0, NULL, out, NULL)))
    CALL("take_along_axis", 0, GARRAY_TRY(garray_argsort(d->x, 0, NULL, &t)); GARRAY_TRY(garray_take_along_axis(d->x, t, 0, out)))
    CALL("concat", 0, GARRAY_TRY(garray_concat(GARRAY_LIST(d->x, d->x), 1, out)))
    CALL("matmul", 1e-5, GARRAY_TRY(garray_matmul(GARRAY_MT(d->x), d->x, out)))
    CALL("matmul of a batch", 1e-13, GARRAY_TRY(garray_matmul(d->matrix, d->matrix, out)))
    CALL("matmul of integers", 0, GARRAY_TRY(garray_matmul(d->ints, GARRAY_MT(d->ints), out)))
    CALL("cholesky", 1e-12, GARRAY_TRY(garray_linalg_cholesky(d->spd, NULL, out)))
    CALL("solve", 1e-11, GARRAY_TRY(garray_linalg_solve(d->spd, d->matrix, out)))
    CALL("eigh", 1e-11, GARRAY_TRY(garray_linalg_eigh(d->spd, NULL, &u, out)))
    CALL("arange", 0, GARRAY_TRY(garray_arange(0, 37, 2, GARRAY_INT32, garray_device_of(d->x), out)))
    CALL("linspace", 0, GARRAY_TRY(garray_linspace(0, 1, 33, NULL, garray_device_of(d->x), out)))
    default: *name = NULL;
    }
    return GARRAY_OK;
}

int main(int argc, char **argv)
{
    struct data here = { 0 }, there = { 0 };
    GARRAY_CHECK(garray_device_parse(argc > 1 ? argv[1] : "cpu", &device));
    static const int64_t lengths[] = { 3, 33, 300 };
    for (size_t i = 0; i < sizeof lengths / sizeof lengths[0]; i++) {
        GARRAY_CHECK(make(GARRAY_CPU, lengths[i], &here));
        GARRAY_CHECK(make(device, lengths[i], &there));
        const char *name = "";
        for (int k = 0; name; k++) {
            GARRAY_AUTO garray_t *expected = NULL, *got = NULL;
            double tolerance;
            GARRAY_CHECK(call(k, &here, &name, &tolerance, &expected));
            GARRAY_CHECK(call(k, &there, &name, &tolerance, &got));
            if (name)
                GARRAY_CHECK(same(name, got, expected, tolerance));
        }
        drop(&here);
        drop(&there);
    }
    GARRAY_CHECK(garray_synchronize(device));
    GARRAY_CHECK(garray_shutdown());    /* nothing is left for memory checkers */
    return 0;
}
