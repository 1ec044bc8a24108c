/* SPDX-License-Identifier: BSD-3-Clause
 * Arrays made from a shape and a rule: empty, zeros, ones, full, arange, linspace, eye. */
#include <math.h>
#include <string.h>
#include "core/array.h"
#include "core/result.h"
#include "core/series.h"
#include "core/submit.h"

/* An array of garray_into() is filled directly only in the dtype asked for: what a cast to that loses stays lost. */
static int casts(garray_t **out, int dtype)
{
    const garray_t *into = garray__into(out);
    return into && into->dtype != dtype ? 0 : GARRAY__CASTS;
}

/* Creates into out, on a device, and fills with value unless that is not given. */
static garray_status create(int64_t ndim, const int64_t *shape, garray_operand value, int dtype, garray_device device,
                            garray_t **out)
{
    garray__device *dev;
    struct garray__result r;
    garray_status st = garray__result_check(out);
    if (st != GARRAY_OK)
        return st;
    GARRAY_REQUIRE(ndim >= 0 && ndim <= GARRAY_MAX_NDIM, SHAPE, "%lld axes; at most %d are allowed", (long long)ndim,
                   GARRAY_MAX_NDIM);
    GARRAY_REQUIRE(shape || ndim == 0, INVALID, "shape is NULL");
    dtype = dtype ? dtype : GARRAY_FLOAT64;
    GARRAY_REQUIRE(garray__is_dtype(dtype), DTYPE, "%d is not a dtype", dtype);
    st = garray__device_get(device, &dev);
    if (st == GARRAY_OK)
        st = garray__result_open(&r, out, dtype, (int)ndim, shape, dev, casts(out, dtype), 0, NULL);
    if (st != GARRAY_OK)
        return st;
    if (value.kind != GARRAY_OPERAND_NONE)
        st = garray__fill(r.target, &value);
    return garray__result_close(&r, st);
}

static garray_status create_like(const garray_t *x, garray_operand value, int dtype, garray_t **out)
{
    GARRAY_REQUIRE(x, INVALID, "x is NULL");
    return create(x->ndim, x->shape, value, dtype ? dtype : x->dtype, garray_device_of(x), out);
}

garray_status garray_empty(garray_shape shape, garray_dtype dtype, garray_device device, garray_t **out)
{
    GARRAY_ENTER("garray_empty");
    return create(shape.n, shape.v, GARRAY_NONE, dtype, device, out);
}

garray_status garray_zeros(garray_shape shape, garray_dtype dtype, garray_device device, garray_t **out)
{
    GARRAY_ENTER("garray_zeros");
    return create(shape.n, shape.v, garray_operand_int(0), dtype, device, out);
}

garray_status garray_ones(garray_shape shape, garray_dtype dtype, garray_device device, garray_t **out)
{
    GARRAY_ENTER("garray_ones");
    return create(shape.n, shape.v, garray_operand_int(1), dtype, device, out);
}

garray_status garray_empty_like(const garray_t *x, garray_dtype dtype, garray_t **out)
{
    GARRAY_ENTER("garray_empty_like");
    return create_like(x, GARRAY_NONE, dtype, out);
}

garray_status garray_zeros_like(const garray_t *x, garray_dtype dtype, garray_t **out)
{
    GARRAY_ENTER("garray_zeros_like");
    return create_like(x, garray_operand_int(0), dtype, out);
}

garray_status garray_ones_like(const garray_t *x, garray_dtype dtype, garray_t **out)
{
    GARRAY_ENTER("garray_ones_like");
    return create_like(x, garray_operand_int(1), dtype, out);
}

/* full with an array as value: it broadcasts into the new one. */
static garray_status fill_with_array(int64_t ndim, const int64_t *shape, const garray_t *value, int dtype, garray__device *device,
                                     garray_t **out)
{
    struct garray__result r;
    GARRAY_REQUIRE(device == garray__device_of(value), MIXED_DEVICES, "the value is on another device");
    GARRAY_REQUIRE(ndim >= 0 && ndim <= GARRAY_MAX_NDIM && (shape || ndim == 0), SHAPE, "shape is malformed");
    garray_status st = garray__result_open(&r, out, dtype, (int)ndim, shape, device, casts(out, dtype), 1, &value);
    if (st != GARRAY_OK)
        return st;
    return garray__result_close(&r, garray__assign(r.target, value));
}

static garray_status full(int64_t ndim, const int64_t *shape, garray_operand value, int dtype, garray_device device,
                          garray_t **out)
{
    garray__device *dev;
    garray_status st = garray__result_check(out);
    if (st != GARRAY_OK)
        return st;
    GARRAY_REQUIRE(value.kind > GARRAY_OPERAND_NONE && value.kind <= GARRAY_OPERAND_COMPLEX
                   && (value.kind != GARRAY_OPERAND_ARRAY || value.array), INVALID, "a value must be given");
    if (!dtype)
        dtype = garray__common_dtype(1, &value);
    GARRAY_REQUIRE(garray__is_dtype(dtype), DTYPE, "%d is not a dtype", dtype);
    if (value.kind != GARRAY_OPERAND_ARRAY)
        return create(ndim, shape, value, dtype, device, out);
    st = garray__device_get(device, &dev);
    return st == GARRAY_OK ? fill_with_array(ndim, shape, value.array, dtype, dev, out) : st;
}

garray_status (garray_full)(garray_shape shape, garray_operand value, garray_dtype dtype, garray_device device, garray_t **out)
{
    GARRAY_ENTER("garray_full");
    return full(shape.n, shape.v, value, dtype, device, out);
}

garray_status (garray_full_like)(const garray_t *x, garray_operand value, garray_dtype dtype, garray_t **out)
{
    GARRAY_ENTER("garray_full_like");
    GARRAY_REQUIRE(x, INVALID, "x is NULL");
    return full(x->ndim, x->shape, value, dtype ? (int)dtype : x->dtype, garray_device_of(x), out);
}

/* ---- generated ---- */

static garray_status generate(garray_gen_plan *plan, int ndim, const int64_t *shape, garray_device device, garray_t **out)
{
    garray__device *dev;
    struct garray__result r;
    garray_status st = garray__device_get(device, &dev);
    if (st == GARRAY_OK)
        st = garray__result_open(&r, out, plan->dtype, ndim, shape, dev, 0, 0, NULL);
    if (st != GARRAY_OK)
        return st;
    plan->out = r.target->data;
    plan->count = r.target->size;
    if (plan->count > 0) {
        garray__uses uses;
        uses.device = dev;
        uses.nread = 0;
        uses.nwrite = 1;
        uses.write[0] = r.target->buffer;
        st = garray__submit(GARRAY__GENERATE, plan, &uses);
    }
    return garray__result_close(&r, st);
}

static bool is_number(const garray_operand *o)
{
    return o->kind >= GARRAY_OPERAND_BOOL && o->kind <= GARRAY_OPERAND_COMPLEX;
}

static double real_part(const garray_operand *o)
{
    uint64_t bits[2];
    double value;
    garray__scalar_cast(o, GARRAY_FLOAT64, bits);
    memcpy(&value, bits, 8);
    return value;
}

static double imaginary_part(const garray_operand *o)
{
    double value = 0;
    if (o->kind == GARRAY_OPERAND_COMPLEX)
        memcpy(&value, &o->bits[1], 8);
    return value;
}

static __int128 integer(const garray_operand *o)
{
    return o->kind == GARRAY_OPERAND_UINT ? (__int128)o->bits[0] : (__int128)(int64_t)o->bits[0];
}

/* The exact number of steps between two 64-bit integers, rounded up; -1 if it passes int64. */
static int64_t integer_steps(const garray_operand *start, const garray_operand *stop, const garray_operand *step)
{
    const __int128 a = integer(start), b = integer(stop), s = integer(step);
    const __int128 n = s > 0 ? (b - a + s - 1) / s : (a - b - s - 1) / -s;
    return n <= 0 ? 0 : n > INT64_MAX ? -1 : (int64_t)n;
}

garray_status (garray_arange)(garray_operand start, garray_operand stop, garray_operand step, garray_dtype dtype,
                              garray_device device, garray_t **out)
{
    GARRAY_ENTER("garray_arange");
    garray_status st = garray__result_check(out);
    if (st != GARRAY_OK)
        return st;
    if (start.kind == GARRAY_OPERAND_NONE)
        start = garray_operand_int(0);
    if (step.kind == GARRAY_OPERAND_NONE)
        step = garray_operand_int(1);
    GARRAY_REQUIRE(is_number(&start) && is_number(&stop) && is_number(&step), INVALID, "start, stop and step must be numbers");
    garray_operand all[3] = { start, stop, step };
    int natural = garray__common_dtype(3, all);
    GARRAY_REQUIRE(garray__kind_of(natural) != GARRAY__K_COMPLEX, DTYPE, "complex numbers have no order");
    bool integers = natural == GARRAY_INT64 || natural == GARRAY_BOOL;
    if (natural == GARRAY_BOOL)
        natural = GARRAY_INT64;
    garray_gen_plan plan = { .kind = GARRAY_GEN_ARANGE, .dtype = dtype ? (int)dtype : natural };
    GARRAY_REQUIRE(garray__is_dtype(plan.dtype), DTYPE, "%d is not a dtype", plan.dtype);
    plan.first = real_part(&start);
    plan.step = real_part(&step);
    GARRAY_REQUIRE(plan.step != 0, INVALID, "step is 0");
    int64_t n;
    if (integers) {
        n = integer_steps(&start, &stop, &step);
        GARRAY_REQUIRE(n >= 0, SHAPE, "maximum allowed size exceeded");
        const __int128 first = integer(&start), last = first + (n > 0 ? n - 1 : 0) * integer(&step);
        if (!dtype && n > 0 && (first > INT64_MAX || last > INT64_MAX)) {
            GARRAY_REQUIRE(first >= 0 && last >= 0, INVALID, "no integer dtype holds values below 0 and above 2^63 - 1");
            plan.dtype = GARRAY_UINT64;
        }
    } else {
        const double way = real_part(&stop) - plan.first;
        double length = ceil(way / plan.step);
        if (length == 0 && way != 0 && (way > 0) == (plan.step > 0))    /* the step is so long that the quotient is 0 */
            length = 1;
        GARRAY_REQUIRE(!isnan(length) && length < 0x1p63, INVALID, "the range has no finite length");
        n = length > 0 ? (int64_t)length : 0;
    }
    GARRAY_REQUIRE(plan.dtype != GARRAY_BOOL || n <= 2, DTYPE, "arange of bool has at most two elements");
    if (integers && garray__kind_of(plan.dtype) <= GARRAY__K_UINT) {
        plan.ifirst = (int64_t)start.bits[0];
        plan.istep = (int64_t)step.bits[0];
    } else if (garray__kind_of(plan.dtype) <= GARRAY__K_UINT) {
        /* NumPy casts the first two values and goes on from there */
        uint64_t bits[2];
        garray_operand second = garray_operand_double(plan.first + plan.step);
        garray__scalar_cast(&start, GARRAY_INT64, bits);
        plan.ifirst = (int64_t)bits[0];
        garray__scalar_cast(&second, GARRAY_INT64, bits);
        plan.istep = (int64_t)(bits[0] - (uint64_t)plan.ifirst);
    }
    return generate(&plan, 1, &n, device, out);
}

garray_status (garray_linspace)(garray_operand start, garray_operand stop, int64_t num, const garray_linspace_opts *opts,
                                garray_device device, garray_t **out)
{
    GARRAY_ENTER("garray_linspace");
    GARRAY_REQUIRE_OPTIONS(opts, reserved32);
    garray_status st = garray__result_check(out);
    if (st != GARRAY_OK)
        return st;
    GARRAY_REQUIRE(num >= 0, INVALID, "number of samples, %lld, must not be negative", (long long)num);
    if (start.kind == GARRAY_OPERAND_ARRAY || stop.kind == GARRAY_OPERAND_ARRAY) {
        garray__device *dev;
        st = garray__device_get(device, &dev);
        return st != GARRAY_OK ? st : garray__linspace_arrays(start, stop, num, !(opts && opts->no_endpoint),
                                                              opts ? (int)opts->dtype : 0, opts ? opts->axis : 0, dev, out);
    }
    GARRAY_REQUIRE(is_number(&start) && is_number(&stop), INVALID, "start and stop must be numbers or arrays");
    GARRAY_REQUIRE(!opts || opts->axis == 0 || opts->axis == -1, AXIS, "axis %d is out of bounds for array of dimension 1",
                   opts ? opts->axis : 0);
    garray_operand both[2] = { start, stop };
    int natural = garray__common_dtype(2, both);
    if (garray__kind_of(natural) < GARRAY__K_FLOAT)
        natural = GARRAY_FLOAT64;
    garray_gen_plan plan = { .kind = GARRAY_GEN_LINSPACE, .dtype = opts && opts->dtype ? (int)opts->dtype : natural };
    GARRAY_REQUIRE(garray__is_dtype(plan.dtype), DTYPE, "%d is not a dtype", plan.dtype);
    GARRAY_REQUIRE(garray__kind_of(natural) != GARRAY__K_COMPLEX || garray__kind_of(plan.dtype) == GARRAY__K_COMPLEX, DTYPE,
                   "complex bounds and dtype %s", garray__name_of(plan.dtype));
    bool endpoint = !(opts && opts->no_endpoint);
    double divisor = (double)(endpoint ? num - 1 : num);
    plan.first = real_part(&start);
    plan.first_im = imaginary_part(&start);
    plan.last = real_part(&stop);
    plan.last_im = imaginary_part(&stop);
    plan.step = divisor > 0 ? (plan.last - plan.first) / divisor : 0;
    plan.step_im = divisor > 0 ? (plan.last_im - plan.first_im) / divisor : 0;
    plan.has_last = endpoint && num > 1;
    return generate(&plan, 1, &num, device, out);
}

garray_status garray_eye(int64_t rows, int64_t cols, int64_t k, garray_dtype dtype, garray_device device, garray_t **out)
{
    GARRAY_ENTER("garray_eye");
    garray_status st = garray__result_check(out);
    if (st != GARRAY_OK)
        return st;
    garray_gen_plan plan = { .kind = GARRAY_GEN_EYE, .dtype = dtype ? (int)dtype : GARRAY_FLOAT64, .columns = cols, .k = k };
    GARRAY_REQUIRE(garray__is_dtype(plan.dtype), DTYPE, "%d is not a dtype", plan.dtype);
    int64_t shape[2] = { rows, cols };
    return generate(&plan, 2, shape, device, out);
}
