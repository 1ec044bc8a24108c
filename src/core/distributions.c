/* SPDX-License-Identifier: BSD-3-Clause
 * Distributions with parameters: numbers are checked here, arrays by the backend, which draws by the rows of draws.def. */
#include <math.h>
#include <string.h>
#include "core/compose.h"
#include "core/draw_fault.h"
#include "core/random.h"
#include "garray/numeric.h"

enum { NONE, INVERSE, PAIR, EVENT, ROW };

static const struct row {
    const char *name[GARRAY_RANDOM_PARAMETERS];
    int8_t family, parameters;
} rows[] = {
#define GARRAY_DRAW(number, name, family, result, rule_a, name_a, rule_b, name_b, rule_c, name_c)        \
    [number] = { { name_a, name_b, name_c }, family,                                                      \
                 (GARRAY__RULE_##rule_a != 0) + (GARRAY__RULE_##rule_b != 0) + (GARRAY__RULE_##rule_c != 0) },
#include "core/draws.def"
#undef GARRAY_DRAW
};

/* A parameter of each element as float64, contiguous; a single item serves all. */
static garray_status open_parameter(struct garray__draw *d, int i, const garray_operand *o, int ndim)
{
    garray_t *given = NULL, *wide = NULL;
    const struct row *row = &rows[d->plan.kind];
    garray_status st = garray__draw_parameter(d->device, o, row->name[i], &d->plan.number[i], &given);
    if (st != GARRAY_OK || !given)
        return st;
    GARRAY__TRY(garray__broadcast(given, ndim, d->shape, &wide));
    d->plan.param_step[i] = given->size != 1;
    GARRAY__TRY(garray__contiguous(given->size == 1 ? given : wide, GARRAY_FLOAT64, &d->param[i]));
done:
    garray_release(given);
    garray_release(wide);
    return st;
}

static garray_status check_numbers(const garray_random_plan *p)
{
    char text[GARRAY__FAULT_TEXT];
    const double *x = p->number;
    const int fault = garray__draw_fault(p->kind, x[0], x[1], x[2]);
    if (!fault)
        return GARRAY_OK;
    const int which = fault < GARRAY__FAULT_TOGETHER ? fault - GARRAY__FAULT_FIRST : 0;
    return garray__fail(GARRAY_ERR_INVALID, "%s", garray__fault_text(p->kind, fault, x[which], text));
}

static void release_parameters(struct garray__draw *d)
{
    for (int i = 0; i < GARRAY_RANDOM_PARAMETERS; i++)
        garray_release(d->param[i]);
}

/* scale times standard numbers, of a narrow dtype: they are drawn in float32. */
static garray_status scaled(struct garray__draw *d, garray_t **out)
{
    const int dtype = d->plan.dtype;
    garray_t *scale = garray__share(d->param[0]), *x = NULL;
    garray_status st = GARRAY_OK;
    d->plan.checked = d->plan.kind;
    d->plan.kind = GARRAY_RANDOM_CHECK;
    GARRAY__TRY(garray__draw_into(d, NULL));
    d->plan.kind = d->plan.checked;
    d->plan.dtype = GARRAY_FLOAT32;
    d->plan.param[0] = NULL;
    d->plan.number[0] = 1;
    garray_release(d->param[0]);
    d->param[0] = NULL;
    GARRAY__TRY(garray__draw_fresh(d, &x));
    GARRAY__TRY(garray__binary(GARRAY_OP_multiply, GARRAY__ARR(scale), GARRAY__ARR(x), GARRAY_FLOAT64, &x));
    GARRAY__TRY(garray__draw_narrow(&x, dtype));
    st = garray__result_assign(out, x);
    x = NULL;
done:
    garray_release(x);
    garray_release(scale);
    return st;
}

static garray_status distribution(int kind, garray_rng *rng, const garray_operand *in, garray_shape shape, garray_dtype dtype,
                                  garray_device device, garray_t **out)
{
    struct garray__draw d;
    const struct row *row = &rows[kind];
    bool numbers = true;
    garray_status st = garray__draw_open(&d, rng, shape, kind, dtype, device, out);
    if (st != GARRAY_OK)
        return st;
    const bool narrow = kind == GARRAY_RANDOM_exponential && dtype != GARRAY_FLOAT64;
    GARRAY__TRY(row->family == EVENT ? garray__draw_uses(&d, (uint64_t)d.count) : garray__draw_uses_words(&d, narrow));
    for (int i = 0; i < row->parameters; i++) {
        GARRAY__TRY(open_parameter(&d, i, &in[i], d.ndim));
        numbers &= !d.param[i];
    }
    if (numbers)
        GARRAY__TRY(check_numbers(&d.plan));
    st = garray__draw_close(rng, &d, narrow && !numbers ? scaled(&d, out) : garray__draw_result(&d, out));
done:
    release_parameters(&d);
    return st;
}

static garray_status real(int kind, garray_rng *rng, const garray_operand *in, garray_shape shape, garray_dtype dtype,
                          garray_device device, garray_t **out)
{
    garray_status st = garray__draw_float(&dtype);
    return st == GARRAY_OK ? distribution(kind, rng, in, shape, dtype, device, out) : st;
}

/* ---- the public functions ---- */

#define REAL0(name)                                                                                                     \
    garray_status garray_random_##name(garray_rng *rng, garray_shape shape, garray_dtype dtype, garray_device device,   \
                                       garray_t **out)                                                                  \
    {                                                                                                                   \
        GARRAY_ENTER("garray_random_" #name);                                                                           \
        return real(GARRAY_RANDOM_##name, rng, NULL, shape, dtype, device, out);                                        \
    }
#define REAL1(name)                                                                                                     \
    garray_status (garray_random_##name)(garray_rng *rng, garray_operand a, garray_shape shape, garray_dtype dtype,     \
                                         garray_device device, garray_t **out)                                          \
    {                                                                                                                   \
        GARRAY_ENTER("garray_random_" #name);                                                                           \
        return real(GARRAY_RANDOM_##name, rng, &a, shape, dtype, device, out);                                          \
    }
#define REAL2(name)                                                                                                     \
    garray_status (garray_random_##name)(garray_rng *rng, garray_operand a, garray_operand b, garray_shape shape,       \
                                         garray_dtype dtype, garray_device device, garray_t **out)                      \
    {                                                                                                                   \
        GARRAY_ENTER("garray_random_" #name);                                                                           \
        const garray_operand in[2] = { a, b };                                                                          \
        return real(GARRAY_RANDOM_##name, rng, in, shape, dtype, device, out);                                          \
    }
#define REAL3(name)                                                                                                     \
    garray_status (garray_random_##name)(garray_rng *rng, garray_operand a, garray_operand b, garray_operand c,         \
                                         garray_shape shape, garray_dtype dtype, garray_device device, garray_t **out)  \
    {                                                                                                                   \
        GARRAY_ENTER("garray_random_" #name);                                                                           \
        const garray_operand in[3] = { a, b, c };                                                                       \
        return real(GARRAY_RANDOM_##name, rng, in, shape, dtype, device, out);                                          \
    }
#define COUNT1(name)                                                                                                    \
    garray_status (garray_random_##name)(garray_rng *rng, garray_operand a, garray_shape shape, garray_device device,   \
                                         garray_t **out)                                                                \
    {                                                                                                                   \
        GARRAY_ENTER("garray_random_" #name);                                                                           \
        return distribution(GARRAY_RANDOM_##name, rng, &a, shape, GARRAY_INT64, device, out);                           \
    }
#define COUNT2(name)                                                                                                    \
    garray_status (garray_random_##name)(garray_rng *rng, garray_operand a, garray_operand b, garray_shape shape,       \
                                         garray_device device, garray_t **out)                                          \
    {                                                                                                                   \
        GARRAY_ENTER("garray_random_" #name);                                                                           \
        const garray_operand in[2] = { a, b };                                                                          \
        return distribution(GARRAY_RANDOM_##name, rng, in, shape, GARRAY_INT64, device, out);                           \
    }
#define COUNT3(name)                                                                                                    \
    garray_status (garray_random_##name)(garray_rng *rng, garray_operand a, garray_operand b, garray_operand c,         \
                                         garray_shape shape, garray_device device, garray_t **out)                      \
    {                                                                                                                   \
        GARRAY_ENTER("garray_random_" #name);                                                                           \
        const garray_operand in[3] = { a, b, c };                                                                       \
        return distribution(GARRAY_RANDOM_##name, rng, in, shape, GARRAY_INT64, device, out);                           \
    }

REAL0(standard_cauchy)
REAL1(exponential)
REAL2(laplace)
REAL2(gumbel)
REAL2(logistic)
REAL1(pareto)
REAL1(weibull)
REAL1(power)
REAL1(rayleigh)
REAL3(triangular)
REAL2(lognormal)
REAL2(gamma)
REAL2(beta)
REAL1(chisquare)
REAL2(f)
REAL2(noncentral_chisquare)
REAL3(noncentral_f)
REAL1(standard_t)
REAL2(vonmises)
REAL2(wald)
COUNT1(geometric)
COUNT2(binomial)
COUNT2(negative_binomial)
COUNT1(poisson)
COUNT1(zipf)
COUNT3(hypergeometric)
COUNT1(logseries)

/* ---- integers between arrays ---- */

garray_status garray__random_integers_between(garray_rng *rng, const garray_operand *low, const garray_operand *high,
                                              bool endpoint, garray_shape shape, garray_dtype dtype, garray_device device,
                                              garray_t **out)
{
    const garray_operand *const bounds[2] = { low, high };
    garray_operand in[3] = { *low, *high, garray_operand_double(endpoint ? -(double)dtype : (double)dtype) };
    garray_rng place;
    garray_t *x = NULL;
    garray_status st = garray__result_check(out);
    if (st != GARRAY_OK)
        return st;
    GARRAY_REQUIRE(rng, INVALID, "rng is NULL");
    for (int i = 0; i < 2; i++)
        GARRAY_REQUIRE(bounds[i]->kind != GARRAY_OPERAND_ARRAY || !bounds[i]->array
                           || garray__kind_of(bounds[i]->array->dtype) <= GARRAY__K_UINT,
                       DTYPE, "%s must be integers", i ? "high" : "low");
    place = *rng;
    st = distribution(GARRAY_RANDOM_integers_between, &place, in, shape, GARRAY_INT64, device, &x);
    if (st == GARRAY_OK && dtype != GARRAY_INT64)
        st = garray_astype(x, dtype, &x);
    if (st != GARRAY_OK) {
        garray_release(x);
        return st;
    }
    st = garray__result_assign(out, x);
    if (st == GARRAY_OK)
        *rng = place;
    return st;
}

/* ---- rows ---- */

/* The shape with an axis of `items` behind; *last its length. */
static garray_status row_shape(garray_shape shape, const garray_t *items, const char *name, int64_t *lengths, garray_shape *full)
{
    GARRAY_REQUIRE(items, INVALID, "%s is NULL", name);
    GARRAY_REQUIRE(garray__kind_of(items->dtype) != GARRAY__K_COMPLEX, DTYPE, "%s must be real, not %s", name,
                   garray__name_of(items->dtype));
    GARRAY_REQUIRE(items->ndim >= 1, SHAPE, "%s must have at least one axis", name);
    GARRAY_REQUIRE(shape.n >= 0 && shape.n < GARRAY_MAX_NDIM && (shape.v || shape.n == 0), SHAPE, "shape is malformed");
    for (int64_t i = 0; i < shape.n; i++)
        lengths[i] = shape.v[i];
    lengths[shape.n] = items->shape[items->ndim - 1];
    *full = (garray_shape){ shape.n + 1, lengths };
    return GARRAY_OK;
}

static garray_status row_distribution(int kind, garray_rng *rng, const garray_operand *n, const garray_t *items,
                                      garray_shape shape, garray_t **out)
{
    struct garray__draw d;
    garray_t *wide = NULL;
    int64_t lengths[GARRAY_MAX_NDIM];
    garray_shape full;
    garray_status st = row_shape(shape, items, rows[kind].name[1], lengths, &full);
    if (st == GARRAY_OK)
        st = garray__draw_open(&d, rng, full, kind, GARRAY_INT64, garray_device_of(items), out);
    if (st != GARRAY_OK)
        return st;
    const int64_t row = lengths[shape.n];
    GARRAY__TRY(garray__draw_uses(&d, (uint64_t)d.count));
    GARRAY__CHECK(row > 0, INVALID, "%s must have at least one item", rows[kind].name[1]);
    GARRAY__TRY(open_parameter(&d, 0, n, d.ndim - 1));
    if (!d.param[0])
        GARRAY__TRY(check_numbers(&d.plan));
    GARRAY__TRY(garray__broadcast(items, d.ndim, d.shape, &wide));
    d.plan.row = row;
    d.plan.param_step[1] = items->size != row;
    GARRAY__TRY(garray__contiguous(items->size == row ? items : wide, GARRAY_FLOAT64, &d.param[1]));
    st = garray__draw_close(rng, &d, garray__draw_result(&d, out));
done:
    garray_release(wide);
    release_parameters(&d);
    return st;
}

garray_status (garray_random_multinomial)(garray_rng *rng, garray_operand n, const garray_t *pvals, garray_shape shape,
                                          garray_t **out)
{
    GARRAY_ENTER("garray_random_multinomial");
    return row_distribution(GARRAY_RANDOM_multinomial, rng, &n, pvals, shape, out);
}

garray_status (garray_random_multivariate_hypergeometric)(garray_rng *rng, const garray_t *colors, garray_operand nsample,
                                                          garray_shape shape, garray_t **out)
{
    GARRAY_ENTER("garray_random_multivariate_hypergeometric");
    GARRAY_REQUIRE(!colors || garray__kind_of(colors->dtype) <= GARRAY__K_UINT, DTYPE, "colors must be integers, not %s",
                   garray__name_of(colors->dtype));
    return row_distribution(GARRAY_RANDOM_multivariate_hypergeometric, rng, &nsample, colors, shape, out);
}

/* Gamma numbers of each alpha, divided by their sum: by their logarithms, as they can be too small for numbers. */
garray_status garray_random_dirichlet(garray_rng *rng, const garray_t *alpha, garray_shape shape, garray_dtype dtype,
                                      garray_t **out)
{
    GARRAY_ENTER("garray_random_dirichlet");
    struct garray__draw d;
    garray_t *x = NULL, *none = NULL;
    int64_t lengths[GARRAY_MAX_NDIM];
    garray_shape full;
    garray_status st = garray__draw_float(&dtype);
    if (st == GARRAY_OK)
        st = row_shape(shape, alpha, "alpha", lengths, &full);
    if (st == GARRAY_OK)
        st = garray__draw_open(&d, rng, full, GARRAY_RANDOM_log_gamma, GARRAY_FLOAT64, garray_device_of(alpha), out);
    if (st != GARRAY_OK)
        return st;
    const garray_operand in = garray_operand_array(alpha);
    GARRAY__TRY(garray__draw_uses(&d, (uint64_t)d.count));
    GARRAY__TRY(open_parameter(&d, 0, &in, d.ndim));
    GARRAY__TRY(garray__draw_fresh(&d, &x));
    GARRAY__TRY(garray_softmax(x, GARRAY_AXES(-1), &x));
    /* rows of zeros alone have no numbers: NumPy makes them 0 */
    GARRAY__TRY(garray__unary(GARRAY_OP_isnan, GARRAY__ARR(x), &none));
    GARRAY__TRY(garray__choose(none, garray_operand_double(0), GARRAY__ARR(x), &x));
    if (dtype != GARRAY_FLOAT64)
        GARRAY__TRY(garray__draw_narrow(&x, dtype));
    st = garray__draw_close(rng, &d, garray__result_assign(out, x));
    x = NULL;
done:
    garray_release(x);
    garray_release(none);
    release_parameters(&d);
    return st;
}
