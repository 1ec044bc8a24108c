/* SPDX-License-Identifier: BSD-3-Clause
 * Random draws: what a call asks for is checked, drawn by the backend (philox.h says which bits), and the caller's
 * position moves on.  Bounds that are arrays are applied to standard draws. */
#include <inttypes.h>
#include <math.h>
#include <string.h>
#include "core/graph.h"
#include "core/philox.h"
#include "core/random.h"
#include "core/submit.h"

garray_status garray__draw_open(struct garray__draw *d, const garray_rng *rng, garray_shape shape, int kind, int dtype,
                                garray_device device, garray_t **out)
{
    garray_status st = garray__result_check(out);
    if (st != GARRAY_OK)
        return st;
    GARRAY_REQUIRE(rng, INVALID, "rng is NULL");
    GARRAY_REQUIRE(rng->stream >> 56 == 0, INVALID, "rng is malformed: stream must be below 2^56");
    GARRAY_REQUIRE(shape.n >= 0 && shape.n <= GARRAY_MAX_NDIM && (shape.v || shape.n == 0), SHAPE, "shape is malformed");
    d->ndim = (int)shape.n;
    for (int i = 0; i < d->ndim; i++)
        d->shape[i] = shape.v[i];
    d->blocks = 0;
    memset(d->param, 0, sizeof d->param);
    st = garray__count(d->ndim, d->shape, garray__size_of(dtype), &d->count);
    if (st == GARRAY_OK)
        st = garray__device_get(device, &d->device);
    d->plan = (garray_random_plan){ .kind = kind, .dtype = dtype, .seed = rng->seed, .stream = rng->stream,
                                    .position = rng->position, .count = d->count };
    return st;
}

garray_status garray__draw_uses(struct garray__draw *d, uint64_t blocks)
{
    uint64_t end;
    d->blocks = blocks;
    GARRAY_REQUIRE(!__builtin_add_overflow(d->plan.position, d->blocks, &end), INVALID,
                   "position %" PRIu64 " is too near to the end of the sequence", d->plan.position);
    return GARRAY_OK;
}

garray_status garray__draw_uses_words(struct garray__draw *d, bool narrow)
{
    return garray__draw_uses(d, garray__philox_blocks(narrow, d->count));
}

garray_status garray__draw_into(struct garray__draw *d, garray_t *target)
{
    garray__uses uses;
    if (d->count == 0)
        return GARRAY_OK;
    uses.device = d->device;
    uses.nread = 0;
    uses.nwrite = target ? 1 : 0;
    if (target) {
        d->plan.out = target->data;
        uses.write[0] = target->buffer;
    }
    for (int i = 0; i < GARRAY_RANDOM_PARAMETERS; i++)
        if (d->param[i]) {
            d->plan.param[i] = (const double *)d->param[i]->data;
            uses.read[uses.nread++] = d->param[i]->buffer;
        }
    garray_graph *graph = garray__capturing(d->device);
    if (GARRAY__UNLIKELY(graph != NULL))
        GARRAY_TRY(garray__capture_draw(graph, &d->plan, d->blocks));
    return garray__submit(GARRAY__RANDOM, &d->plan, &uses);
}

garray_status garray__draw_result(struct garray__draw *d, garray_t **out)
{
    struct garray__result r;
    const garray_t *const inputs[GARRAY_RANDOM_PARAMETERS] = { d->param[0], d->param[1], d->param[2] };
    garray_status st = garray__result_open(&r, out, d->plan.dtype, d->ndim, d->shape, d->device, 0, GARRAY_RANDOM_PARAMETERS,
                                           inputs);
    return st == GARRAY_OK ? garray__result_close(&r, garray__draw_into(d, r.target)) : st;
}

garray_status garray__draw_fresh(struct garray__draw *d, garray_t **out)
{
    garray_t *x = NULL;
    garray_status st = garray__new(d->plan.dtype, d->ndim, d->shape, d->device, &x);
    if (st == GARRAY_OK)
        st = garray__draw_into(d, x);
    if (st == GARRAY_OK)
        *out = x;
    else
        garray_release(x);
    return st;
}

/* ---- bounds ---- */
/* A number, or an array broadcast to the shape of the draws. */
struct bound {
    double number;
    garray_t *array;
    garray_operand operand;
};

garray_status garray__draw_parameter(const garray__device *device, const garray_operand *o, const char *name, double *number,
                                     garray_t **array)
{
    uint64_t bits[2];
    garray_t *given = NULL;
    garray_status st = garray__operand_check(o, name);
    if (st != GARRAY_OK)
        return st;
    if (o->kind != GARRAY_OPERAND_ARRAY) {
        st = garray__scalar_bits(o, GARRAY_FLOAT64, bits);
        memcpy(number, bits, 8);
        return st;
    }
    GARRAY__TRY(garray__operand_array(o, &given));
    GARRAY__CHECK(garray__kind_of(given->dtype) != GARRAY__K_COMPLEX, DTYPE, "%s must be real, not %s", name,
                  garray__name_of(given->dtype));
    GARRAY__TRY(garray__same_device(device, given));
    *array = given;
    given = NULL;
done:
    garray_release(given);
    return st;
}

static garray_status open_bound(const struct garray__draw *d, const garray_operand *o, const char *name, struct bound *b)
{
    garray_t *given = NULL;
    b->array = NULL;
    garray_status st = garray__draw_parameter(d->device, o, name, &b->number, &given);
    if (st == GARRAY_OK && given)
        st = garray__broadcast(given, d->ndim, d->shape, &b->array);
    garray_release(given);
    if (st == GARRAY_OK)
        b->operand = b->array ? garray_operand_array(b->array) : garray_operand_double(b->number);
    return st;
}

static garray_status combine(int op, garray_operand a, garray_operand b, garray_t **out)
{
    garray_operand in[2] = { a, b };
    return garray__elementwise(op, 2, in, GARRAY_FLOAT64, out);
}

garray_status garray__draw_narrow(garray_t **x, int dtype)
{
    garray_status st = GARRAY_OK;
    if (garray__size_of(dtype) == 2)
        st = garray_astype(*x, GARRAY_FLOAT32, x);
    return st == GARRAY_OK ? garray_astype(*x, (garray_dtype)dtype, x) : st;
}

/* low + (high - low) * u, and the next lower number where rounding made that high. */
static garray_status uniform_between(struct garray__draw *d, const struct bound *low, const struct bound *high, garray_t **out)
{
    garray_status st = GARRAY_OK;
    garray_t *u = NULL, *x = NULL, *below = NULL, *reached = NULL, *proper = NULL;
    d->plan.low = 0;
    d->plan.high = 1;
    GARRAY__TRY(garray__draw_fresh(d, &u));
    GARRAY__TRY(combine(GARRAY_OP_subtract, high->operand, low->operand, &x));
    GARRAY__TRY(combine(GARRAY_OP_multiply, garray_operand_array(x), garray_operand_array(u), &x));
    GARRAY__TRY(combine(GARRAY_OP_add, low->operand, garray_operand_array(x), &x));
    GARRAY__TRY(garray__draw_narrow(&x, d->plan.dtype));
    GARRAY__TRY(combine(GARRAY_OP_greater_equal, garray_operand_array(x), high->operand, &reached));
    GARRAY__TRY(combine(GARRAY_OP_less, low->operand, high->operand, &proper));
    garray_operand both[2] = { garray_operand_array(reached), garray_operand_array(proper) };
    GARRAY__TRY(garray__elementwise(GARRAY_OP_logical_and, 2, both, 0, &reached));
    garray_operand next[2] = { garray_operand_array(x), garray_operand_double(-INFINITY) };
    GARRAY__TRY(garray__elementwise(GARRAY_OP_nextafter, 2, next, d->plan.dtype, &below));
    garray_operand choice[3] = { garray_operand_array(reached), garray_operand_array(below), garray_operand_array(x) };
    GARRAY__TRY(garray__elementwise(GARRAY_OP_where, 3, choice, 0, &x));
    st = garray__result_assign(out, x);
    x = NULL;
done:
    garray_release(u);
    garray_release(x);
    garray_release(below);
    garray_release(reached);
    garray_release(proper);
    return st;
}

/* loc + scale * z. */
static garray_status normal_around(struct garray__draw *d, const struct bound *loc, const struct bound *scale, garray_t **out)
{
    garray_status st = GARRAY_OK;
    garray_t *x = NULL;
    int dtype = d->plan.dtype;
    if (dtype != GARRAY_FLOAT64)
        d->plan.dtype = GARRAY_FLOAT32;
    d->plan.low = 0;
    d->plan.high = 1;
    GARRAY__TRY(garray__draw_fresh(d, &x));
    GARRAY__TRY(combine(GARRAY_OP_multiply, scale->operand, garray_operand_array(x), &x));
    GARRAY__TRY(combine(GARRAY_OP_add, loc->operand, garray_operand_array(x), &x));
    if (dtype != GARRAY_FLOAT64)
        GARRAY__TRY(garray__draw_narrow(&x, dtype));
    st = garray__result_assign(out, x);
    x = NULL;
done:
    garray_release(x);
    return st;
}

garray_status garray__draw_float(garray_dtype *dtype)
{
    if (*dtype == GARRAY_DTYPE_DEFAULT)
        *dtype = GARRAY_FLOAT64;
    GARRAY_REQUIRE(garray__is_dtype(*dtype) && garray__kind_of(*dtype) == GARRAY__K_FLOAT, DTYPE,
                   "dtype must be a real float, not %s", garray__name_of(*dtype));
    return GARRAY_OK;
}

/* ---- bounded integers ---- */
__extension__ typedef __int128 wide;

static garray_status integer_bound(const garray_operand *o, const char *name, wide *value)
{
    GARRAY_TRY(garray__plain_number(o));
    switch (o->kind) {
    case GARRAY_OPERAND_BOOL: *value = o->bits[0] != 0; return GARRAY_OK;
    case GARRAY_OPERAND_INT: *value = (int64_t)o->bits[0]; return GARRAY_OK;
    case GARRAY_OPERAND_UINT: *value = o->bits[0]; return GARRAY_OK;
    default: return garray__fail(GARRAY_ERR_INVALID, "%s must be an integer", name);
    }
}

static garray_status integer_range(const garray_operand *low, const garray_operand *high, bool endpoint, int dtype,
                                   garray_random_plan *plan)
{
    wide first = 0, last = 0;
    garray_status st = integer_bound(low, "low", &first);
    if (st == GARRAY_OK)
        st = integer_bound(high, "high", &last);
    if (st != GARRAY_OK)
        return st;
    if (!endpoint)
        last--;
    int bits = dtype == GARRAY_BOOL ? 1 : 8 * garray__size_of(dtype);
    bool is_signed = garray__kind_of(dtype) == GARRAY__K_SINT;
    wide least = is_signed ? -((wide)1 << (bits - 1)) : 0, most = ((wide)1 << (bits - is_signed)) - 1;
    GARRAY_REQUIRE(first >= least && first <= most, INVALID, "low is out of bounds for %s", garray__name_of(dtype));
    GARRAY_REQUIRE(last <= most, INVALID, "high is out of bounds for %s", garray__name_of(dtype));
    GARRAY_REQUIRE(first <= last, INVALID, "%s", endpoint ? "low > high" : "low >= high");
    plan->ilow = (uint64_t)first;
    plan->irange = (uint64_t)(last - first);
    return GARRAY_OK;
}

/* ---- cuRAND ---- */
#define SAME(name) _Static_assert((int)GARRAY_CURAND_##name == (int)GARRAY_ENGINE_##name, "numbers of engines")
SAME(XORWOW);
SAME(MRG32K3A);
SAME(MT19937);
SAME(PHILOX4X32_10);
SAME(SOBOL32);
SAME(SOBOL64);

static garray_status check_engine(const garray_curand *s, garray_dtype *dtype)
{
    GARRAY_REQUIRE(s, INVALID, "state is NULL");
    GARRAY_REQUIRE(s->engine >= GARRAY_CURAND_XORWOW && s->engine <= GARRAY_CURAND_SOBOL64, INVALID, "there is no engine %d",
                   (int)s->engine);
    GARRAY_REQUIRE((s->reserved[0] | s->reserved[1]) == 0, INVALID, "a reserved word of the state is not 0");
    const bool quasi = s->engine >= GARRAY_CURAND_SOBOL32, sobol64 = s->engine == GARRAY_CURAND_SOBOL64;
    GARRAY_REQUIRE(quasi ? s->dimensions >= 1 && s->dimensions <= 20000 : s->dimensions == 0, INVALID,
                   "an engine of Sobol's has 1 to 20000 dimensions, the others have 0, not %d", (int)s->dimensions);
    GARRAY_REQUIRE(!quasi || s->seed == 0, INVALID, "Sobol's engines have no seed");
    const garray_dtype bits = sobol64 ? GARRAY_UINT64 : GARRAY_UINT32;
    if (*dtype == GARRAY_DTYPE_DEFAULT)
        *dtype = bits;
    GARRAY_REQUIRE(*dtype == bits || *dtype == GARRAY_FLOAT32 || *dtype == GARRAY_FLOAT64, DTYPE,
                   "dtype must be %s, float32 or float64, not %s", garray__name_of(bits), garray__name_of(*dtype));
    return GARRAY_OK;
}

garray_status garray_random_curand(garray_curand *state, garray_shape shape, garray_dtype dtype, garray_device device,
                                   garray_t **out)
{
    GARRAY_ENTER("garray_random_curand");
    struct garray__draw d;
    garray_rng place = { 0, 0, 0, 0 };
    garray_status st = check_engine(state, &dtype);
    if (st != GARRAY_OK)
        return st;
    place.seed = state->seed;
    place.position = state->offset;
    st = garray__draw_open(&d, &place, shape, GARRAY_RANDOM_VENDOR, dtype, device, out);
    if (st != GARRAY_OK)
        return st;
    d.plan.engine = state->engine;
    d.plan.row = state->dimensions ? state->dimensions : 1;
    GARRAY_REQUIRE(d.count % d.plan.row == 0, SHAPE, "the number of elements must be a multiple of the %d dimensions",
                   (int)state->dimensions);
    st = garray__draw_uses(&d, (uint64_t)(d.count / d.plan.row));
    if (st == GARRAY_OK)
        st = garray__draw_result(&d, out);
    if (st == GARRAY_OK)
        state->offset += d.blocks;
    return st;
}

/* ---- public ---- */

garray_status garray_random_bits(garray_rng *rng, garray_shape shape, garray_dtype dtype, garray_device device,
                                 garray_t **out)
{
    GARRAY_ENTER("garray_random_bits");
    struct garray__draw d;
    if (dtype == GARRAY_DTYPE_DEFAULT)
        dtype = GARRAY_UINT32;
    GARRAY_REQUIRE(dtype == GARRAY_UINT32 || dtype == GARRAY_UINT64, DTYPE, "dtype must be uint32 or uint64, not %s",
                   garray__name_of(dtype));
    garray_status st = garray__draw_open(&d, rng, shape, GARRAY_RANDOM_BITS, dtype, device, out);
    if (st == GARRAY_OK)
        st = garray__draw_uses_words(&d, dtype == GARRAY_UINT32);
    return st == GARRAY_OK ? garray__draw_close(rng, &d, garray__draw_result(&d, out)) : st;
}

static garray_status open_floats(struct garray__draw *d, garray_rng *rng, garray_shape shape, int kind, garray_dtype *dtype,
                                 garray_device device, garray_t **out)
{
    garray_status st = garray__draw_float(dtype);
    if (st == GARRAY_OK)
        st = garray__draw_open(d, rng, shape, kind, *dtype, device, out);
    return st == GARRAY_OK ? garray__draw_uses_words(d, *dtype != GARRAY_FLOAT64) : st;
}

garray_status (garray_random_uniform)(garray_rng *rng, garray_operand low, garray_operand high, garray_shape shape,
                                      garray_dtype dtype, garray_device device, garray_t **out)
{
    GARRAY_ENTER("garray_random_uniform");
    struct garray__draw d;
    struct bound a = { 0 }, b = { 0 };
    garray_status st = open_floats(&d, rng, shape, GARRAY_RANDOM_UNIFORM, &dtype, device, out);
    if (st != GARRAY_OK)
        return st;
    GARRAY__TRY(open_bound(&d, &low, "low", &a));
    GARRAY__TRY(open_bound(&d, &high, "high", &b));
    if (!a.array && !b.array) {
        GARRAY__CHECK(isfinite(b.number - a.number), INVALID, "high - low must be finite");
        GARRAY__CHECK(a.number <= b.number, INVALID, "low > high");
        d.plan.low = a.number;
        d.plan.high = b.number;
    }
    if (a.array || b.array) {
        st = uniform_between(&d, &a, &b, out);
    } else if (a.number < b.number) {
        st = garray__draw_result(&d, out);
    } else {                        /* all there is between them */
        struct garray__result r;
        GARRAY__TRY(garray__result_open(&r, out, dtype, d.ndim, d.shape, d.device, GARRAY__CASTS, 0, NULL));
        st = garray__result_close(&r, garray__fill(r.target, &a.operand));
    }
    st = garray__draw_close(rng, &d, st);
done:
    garray_release(a.array);
    garray_release(b.array);
    return st;
}

garray_status (garray_random_normal)(garray_rng *rng, garray_operand loc, garray_operand scale, garray_shape shape,
                                     garray_dtype dtype, garray_device device, garray_t **out)
{
    GARRAY_ENTER("garray_random_normal");
    struct garray__draw d;
    struct bound a = { 0 }, b = { 0 };
    garray_status st = open_floats(&d, rng, shape, GARRAY_RANDOM_NORMAL, &dtype, device, out);
    if (st != GARRAY_OK)
        return st;
    GARRAY__TRY(open_bound(&d, &loc, "loc", &a));
    GARRAY__TRY(open_bound(&d, &scale, "scale", &b));
    GARRAY__CHECK(b.array || !(b.number < 0), INVALID, "scale < 0");
    d.plan.low = a.number;
    d.plan.high = b.number;
    st = garray__draw_close(rng, &d, a.array || b.array ? normal_around(&d, &a, &b, out) : garray__draw_result(&d, out));
done:
    garray_release(a.array);
    garray_release(b.array);
    return st;
}

garray_status (garray_random_integers)(garray_rng *rng, garray_operand low, garray_operand high, garray_shape shape,
                                       const garray_integers_opts *opts, garray_device device, garray_t **out)
{
    GARRAY_ENTER("garray_random_integers");
    GARRAY_REQUIRE_OPTIONS(opts, reserved);
    struct garray__draw d;
    garray_dtype dtype = opts && opts->dtype ? opts->dtype : GARRAY_INT64;
    GARRAY_REQUIRE(garray__is_dtype(dtype) && garray__kind_of(dtype) <= GARRAY__K_UINT, DTYPE,
                   "dtype must be an integer dtype or bool, not %s", garray__name_of(dtype));
    if (low.kind == GARRAY_OPERAND_ARRAY || high.kind == GARRAY_OPERAND_ARRAY) {
        wide number;
        garray_status fine = low.kind == GARRAY_OPERAND_ARRAY ? GARRAY_OK : integer_bound(&low, "low", &number);
        if (fine == GARRAY_OK && high.kind != GARRAY_OPERAND_ARRAY)
            fine = integer_bound(&high, "high", &number);
        return fine != GARRAY_OK
                   ? fine
                   : garray__random_integers_between(rng, &low, &high, opts && opts->endpoint, shape, dtype, device, out);
    }
    garray_status st = garray__draw_open(&d, rng, shape, GARRAY_RANDOM_INTEGERS, dtype, device, out);
    if (st == GARRAY_OK)
        st = integer_range(&low, &high, opts && opts->endpoint, dtype, &d.plan);
    if (st == GARRAY_OK)
        st = garray__draw_uses_words(&d, d.plan.irange <= UINT32_MAX);
    return st == GARRAY_OK ? garray__draw_close(rng, &d, garray__draw_result(&d, out)) : st;
}
