/* SPDX-License-Identifier: BSD-3-Clause
 * Where the edges of bins lie: NumPy's arithmetic, so that they are the same to the bit. */
#include <float.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>
#include "core/compose.h"
#include "core/graph.h"
#include "core/half.h"
#include "core/histogram.h"
#include "garray/reduce.h"
#include "garray/shape.h"

void garray__edges_close(struct garray__edges *e)
{
    garray_release(e->array);
    garray_release(e->wide);
    e->array = e->wide = NULL;
}

/* ---- the range ---- */

/* x rounded to a float dtype. */
static double rounded(double x, int dtype)
{
    switch (dtype) {
    case GARRAY_FLOAT16: return garray__half_to_float(garray__double_to_half(x));
    case GARRAY_BFLOAT16: return garray__bfloat_to_float(garray__double_to_bfloat(x));
    case GARRAY_FLOAT32: return (float)x;
    default: return x;
    }
}

/* The smallest and the largest element, in one wait. */
static garray_status find_range(const garray_t *x, double *low, double *high)
{
    garray_t *ends[2] = { NULL, NULL }, *both = NULL;
    double *values = NULL;
    garray_status st = GARRAY_OK;
    GARRAY__TRY(garray_min(x, GARRAY_ALL_AXES, NULL, &ends[0]));
    GARRAY__TRY(garray_max(x, GARRAY_ALL_AXES, NULL, &ends[1]));
    GARRAY__TRY(garray_stack((garray_list){ 2, (const garray_t *const *)ends }, 0, &both));
    GARRAY__TRY(garray__read(both, &values));
    *low = values[0];
    *high = values[1];
done:
    free(values);
    garray_release(ends[0]);
    garray_release(ends[1]);
    garray_release(both);
    return st;
}

static garray_status get_number(const garray_operand *o, double *value)
{
    uint64_t bits[2];
    GARRAY_TRY(garray__option_check(o, "an end of the range", GARRAY__VALUE));
    GARRAY_REQUIRE(o->kind >= GARRAY_OPERAND_BOOL && o->kind <= GARRAY_OPERAND_DOUBLE, INVALID,
                   "the ends of the range must be two numbers");
    garray_status st = garray__scalar_bits(o, GARRAY_FLOAT64, bits);
    memcpy(value, bits, sizeof *value);
    return st;
}

garray_status garray__range_of(const garray_t *x, const garray_operand *low, const garray_operand *high, struct garray__range *r)
{
    bool given = low->kind != GARRAY_OPERAND_NONE || high->kind != GARRAY_OPERAND_NONE;
    garray_status st = GARRAY_OK;
    r->found = !given && x->size > 0;
    if (given) {
        st = get_number(low, &r->first);
        if (st == GARRAY_OK)
            st = get_number(high, &r->last);
        if (st != GARRAY_OK)
            return st;
        GARRAY_REQUIRE(!(r->first > r->last), INVALID, "max must be larger than min in range parameter.");
        GARRAY_REQUIRE(isfinite(r->first) && isfinite(r->last), INVALID, "supplied range of [%g, %g] is not finite", r->first,
                       r->last);
    } else if (r->found) {
        st = find_range(x, &r->first, &r->last);
        if (st != GARRAY_OK)
            return st;
        GARRAY_REQUIRE(isfinite(r->first) && isfinite(r->last), INVALID, "autodetected range of [%g, %g] is not finite", r->first,
                       r->last);
    } else {
        r->first = 0;
        r->last = 1;
    }
    if (r->first == r->last) {
        const int dtype = r->found ? x->dtype : GARRAY_FLOAT64;
        r->first = rounded(r->first - 0.5, dtype);
        r->last = rounded(r->last + 0.5, dtype);
    }
    return GARRAY_OK;
}

/* ---- even edges ---- */

/* NumPy's linspace in the arithmetic of dtype `in`, then cast to `dtype`. */
static void write_edges(const struct garray__range *r, int64_t bins, int in, int dtype, double *v)
{
    const double delta = rounded(r->last - r->first, in), step = rounded(delta / (double)bins, in);
    for (int64_t i = 0; i <= bins; i++) {
        double y = rounded((double)i, in);
        y = step == 0 ? rounded(rounded(y / (double)bins, in) * delta, in) : rounded(y * step, in);
        v[i] = rounded(rounded(y + r->first, in), dtype);
    }
    v[bins] = rounded(r->last, dtype);
}

/* What a plan says of edges on the host: how far they are from even; 0.5 of a bin is not even. */
static void describe(const double *v, struct garray__edges *e)
{
    e->first = v[0];
    e->last = v[e->bins];
    const double width = e->last - e->first, step = width / (double)e->bins;
    const double most = fmax(fabs(e->first), fabs(e->last));
    double worst = 0;
    e->uniform = e->first < e->last && width <= DBL_MAX && step >= DBL_MIN;
    for (int64_t i = 1; i < e->bins && e->uniform; i++)
        worst = fmax(worst, fabs(v[i] - (e->first + (double)i * step)));
    e->deviation = worst + most * 0x1p-50;
    e->uniform = e->uniform && e->deviation < 0.4 * step;
}

garray_status garray__edges_even(const struct garray__range *r, int64_t bins, int in, int dtype, garray__device *device,
                                 struct garray__edges *e)
{
    GARRAY_REQUIRE(bins < INT32_MAX, INVALID, "%lld bins; there may be 2147483646", (long long)bins);
    const int64_t n = bins + 1;
    const garray_linspace_opts doubles = { .dtype = GARRAY_FLOAT64 };
    garray_status st = GARRAY_OK;
    double *v = malloc((size_t)n * sizeof *v);
    GARRAY_REQUIRE(v, NOMEM, "no memory for %lld edges", (long long)n);
    write_edges(r, bins, in, dtype, v);
    for (int64_t i = 0; i < bins; i++)
        GARRAY__CHECK(v[i] < v[i + 1], INVALID, "Too many bins for data range. Cannot create %lld finite-sized bins.",
                      (long long)bins);
    e->bins = bins;
    describe(v, e);
    if (in == GARRAY_FLOAT64 && (r->last - r->first) / (double)bins != 0) {     /* made on the device: nothing waits */
        GARRAY__TRY((garray_linspace)(garray_operand_double(r->first), garray_operand_double(r->last), n, &doubles, device->id,
                                      &e->wide));
    } else {
        GARRAY__TRY(garray_from_host(v, GARRAY_FLOAT64, (garray_shape){ 1, &n }, NULL, device->id, &e->wide));
    }
    if (dtype == GARRAY_FLOAT64) {
        e->array = garray_retain(e->wide);
        goto done;
    }
    GARRAY__TRY(garray__copy_as(e->wide, dtype, &e->array));
    garray_release(e->wide);
    e->wide = NULL;
    st = garray__copy_as(e->array, GARRAY_FLOAT64, &e->wide);
done:
    free(v);
    if (st != GARRAY_OK)
        garray__edges_close(e);
    return st;
}

/* ---- edges of the caller ---- */

garray_status garray__edges_given(const garray_t *array, struct garray__edges *e)
{
    double *v = NULL;
    garray_status st = GARRAY_OK;
    GARRAY_REQUIRE(array->ndim == 1, SHAPE, "`bins` must be 1d, when an array");
    GARRAY_REQUIRE(garray__kind_of(array->dtype) != GARRAY__K_COMPLEX, DTYPE, "`bins` must be real, not %s",
                   garray__name_of(array->dtype));
    GARRAY_REQUIRE(array->size > 0 && array->size <= INT32_MAX, INVALID, "`bins` has %lld edges", (long long)array->size);
    e->bins = array->size - 1;
    GARRAY__TRY(garray__read(array, &v));
    for (int64_t i = 0; i < e->bins; i++)
        GARRAY__CHECK(!(v[i] > v[i + 1]), INVALID, "`bins` must increase monotonically, when an array");
    describe(v, e);
    GARRAY__TRY(garray__copy_as(array, array->dtype, &e->array));
    GARRAY__TRY(garray__contiguous(e->array, GARRAY_FLOAT64, &e->wide));
done:
    free(v);
    if (st != GARRAY_OK)
        garray__edges_close(e);
    return st;
}

garray_status garray__bins_number(const garray_operand *bins, int64_t *number)
{
    *number = 10;
    if (bins->kind == GARRAY_OPERAND_NONE)
        return GARRAY_OK;
    GARRAY_REQUIRE(bins->kind == GARRAY_OPERAND_INT || bins->kind == GARRAY_OPERAND_UINT, INVALID,
                   "`bins` must be an integer or an array");
    GARRAY_TRY(garray__plain_number(bins));
    *number = (int64_t)bins->bits[0];
    GARRAY_REQUIRE(*number > 0, INVALID, "`bins` must be positive, when an integer");
    return GARRAY_OK;
}
