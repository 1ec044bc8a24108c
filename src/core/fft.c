/* SPDX-License-Identifier: BSD-3-Clause
 * Fourier transforms: lengths, norms and dtypes as in NumPy; axis after axis, each a plan of its own. */
#include <math.h>
#include "core/compose.h"
#include "core/result.h"
#include "core/submit.h"
#include "garray/fft.h"

/* One pass.  Lengths: R2C takes n elements and gives n / 2 + 1, C2R the other way, C2C n and n. */
struct pass {
    int kind, axis;                 /* GARRAY_FFT_C2C, ..._R2C, ..._C2R */
    bool inverse;                   /* the positive exponent; of R2C the conjugate, of C2R the usual direction */
    int64_t n;
    double scale;
};

/* Complex64 or complex128: what x of a dtype is transformed in. */
static int work_dtype(int dtype)
{
    int kind = garray__kind_of(dtype);
    return kind == GARRAY__K_FLOAT || kind == GARRAY__K_COMPLEX ? garray__complex_of(dtype) : GARRAY_COMPLEX128;
}

/* in and out are contiguous, aligned, of the pass' dtypes and shapes, and do not overlap, except that a C2C pass may work in
 * place. */
static garray_status run_pass(const struct pass *pass, const garray_t *in, garray_t *out)
{
    garray_fft_plan plan = { .kind = pass->kind, .dtype = work_dtype(in->dtype), .inverse = pass->inverse,
                             .scale = pass->scale, .outer = 1, .n = pass->n, .inner = 1, .in = in->data, .out = out->data };
    for (int i = 0; i < pass->axis; i++)
        plan.outer *= in->shape[i];
    for (int i = pass->axis + 1; i < in->ndim; i++)
        plan.inner *= in->shape[i];
    if (plan.outer * plan.inner == 0)       /* an axis without elements that a later pass will pad */
        return GARRAY_OK;
    garray__uses uses;
    uses.device = garray__device_of(in);
    uses.nread = in->buffer != out->buffer;
    uses.nwrite = 1;
    uses.read[0] = in->buffer;
    uses.write[0] = out->buffer;
    return garray__submit(GARRAY__FFT, &plan, &uses);
}

/* x cast to dtype, with `length` elements along the axis: cut, or followed by zeros.  x itself where it is so already and
 * contiguous. */
static garray_status make_input(const garray_t *x, int axis, int64_t length, int dtype, garray_t **out)
{
    garray_t *head = NULL, *tail = NULL, *padded = NULL;
    int64_t own = x->shape[axis], shape[GARRAY_MAX_NDIM];
    const garray_operand zero = garray_operand_int(0);
    garray_status st = GARRAY_OK;
    if (own >= length) {
        GARRAY__TRY(garray__part(x, axis, 0, length, &head));
        st = garray__contiguous(own == length ? x : head, dtype, out);
        goto done;
    }
    memcpy(shape, x->shape, sizeof(int64_t) * (size_t)x->ndim);
    shape[axis] = length;
    GARRAY__TRY(garray__new(dtype, x->ndim, shape, garray__device_of(x), &padded));
    GARRAY__TRY(garray__part(padded, axis, own, length - own, &tail));
    GARRAY__TRY(garray__fill(tail, &zero));
    if (x->size > 0) {
        GARRAY__TRY(garray__part(padded, axis, 0, own, &head));
        GARRAY__TRY(garray__assign(head, x));
    }
    *out = garray_retain(padded);
done:
    garray_release(head);
    garray_release(tail);
    garray_release(padded);
    return st;
}

/* ---- several passes ---- */

struct passes {
    int n;
    struct pass *pass;
};

static int64_t input_length(const struct pass *p)
{
    return p->kind == GARRAY_FFT_C2R ? p->n / 2 + 1 : p->n;
}

static int64_t output_length(const struct pass *p)
{
    return p->kind == GARRAY_FFT_R2C ? p->n / 2 + 1 : p->n;
}

static bool same_shape(const garray_t *x, const int64_t *shape)
{
    return memcmp(x->shape, shape, sizeof(int64_t) * (size_t)x->ndim) == 0;
}

/* Where a pass writes: the result as soon as its shape is reached, the input where that is ours, or a new array. */
static garray_status open_output(const struct pass *p, const garray_t *x, garray_t *in, garray_t *target,
                                 bool last, garray_t **out)
{
    int64_t shape[GARRAY_MAX_NDIM];
    memcpy(shape, in->shape, sizeof(int64_t) * (size_t)in->ndim);
    shape[p->axis] = output_length(p);
    if (last || (same_shape(target, shape) && target->dtype == work_dtype(in->dtype))) {
        *out = garray_retain(target);
        return GARRAY_OK;
    }
    if (p->kind == GARRAY_FFT_C2C && in->buffer != x->buffer) {
        *out = garray_retain(in);
        return GARRAY_OK;
    }
    return garray__new(work_dtype(in->dtype), in->ndim, shape, garray__device_of(in), out);
}

static garray_status run_passes(const struct passes *l, const garray_t *x, int dtype, garray_t *target)
{
    garray_t *now = garray__share(x), *in = NULL, *next = NULL;
    garray_status st = GARRAY_OK;
    if (l->n == 0)
        st = garray__assign(target, x);
    for (int i = 0; i < l->n; i++) {
        const struct pass *p = &l->pass[i];
        int wanted = p->kind == GARRAY_FFT_R2C ? garray__real_of(dtype) : dtype;
        GARRAY__TRY(make_input(now, p->axis, input_length(p), wanted, &in));
        garray_release(now);
        now = NULL;
        GARRAY__TRY(open_output(p, x, in, target, i == l->n - 1, &next));
        GARRAY__TRY(run_pass(p, in, next));
        garray_release(in);
        in = NULL;
        now = next;
        next = NULL;
    }
done:
    garray_release(now);
    garray_release(in);
    garray_release(next);
    return st;
}

static garray_status check_passes(const struct passes *l, const garray_t *x)
{
    for (int i = 0; i < l->n; i++) {
        const struct pass *p = &l->pass[i];
        GARRAY_REQUIRE(p->n >= 1, INVALID, "Invalid number of FFT data points (%lld) specified.", (long long)p->n);
        GARRAY_REQUIRE(p->kind != GARRAY_FFT_R2C || garray__kind_of(x->dtype) != GARRAY__K_COMPLEX, DTYPE,
                       "x is %s; it must be real", garray__name_of(x->dtype));
    }
    return GARRAY_OK;
}

static garray_status transform(const struct passes *l, const garray_t *x, garray_t **out)
{
    struct garray__result r;
    int64_t shape[GARRAY_MAX_NDIM];
    int complex_dtype = work_dtype(x->dtype), dtype = complex_dtype;
    garray_status st = check_passes(l, x);
    if (st != GARRAY_OK)
        return st;
    memcpy(shape, x->shape, sizeof(int64_t) * (size_t)x->ndim);
    for (int i = 0; i < l->n; i++) {
        shape[l->pass[i].axis] = output_length(&l->pass[i]);
        if (l->pass[i].kind == GARRAY_FFT_C2R)
            dtype = garray__real_of(complex_dtype);
    }
    st = garray__result_open(&r, out, dtype, x->ndim, shape, garray__device_of(x), 0, 1, &x);
    if (st != GARRAY_OK)
        return st;
    if (r.target->size > 0)
        st = run_passes(l, x, complex_dtype, r.target);
    return garray__result_close(&r, st);
}

/* ---- norms and lengths ---- */

/* An array without axes has none to transform along. */
static garray_status find_axis(int axis, const garray_t *x, int *found)
{
    GARRAY_REQUIRE(x->ndim > 0, AXIS, "axis %d is out of bounds for array of dimension 0", axis);
    return garray__axis(axis, x->ndim, found);
}

static garray_status check_options(const garray_fft_opts *opts)
{
    GARRAY_REQUIRE(!opts || (opts->norm >= 0 && opts->norm <= GARRAY_FFT_FORWARD), INVALID,
                   "Invalid norm value %d; should be GARRAY_FFT_BACKWARD, _ORTHO or _FORWARD", opts ? (int)opts->norm : 0);
    return GARRAY_OK;
}

/* backward: whether the transform counts as an inverse one. */
static double scale_of(const garray_fft_opts *opts, bool backward, int64_t n)
{
    int norm = opts && opts->norm ? (int)opts->norm : GARRAY_FFT_BACKWARD;
    if (norm == GARRAY_FFT_ORTHO)
        return 1 / sqrt((double)n);
    return (norm == GARRAY_FFT_BACKWARD) == backward ? 1 / (double)n : 1;
}

static garray_status read_length(const garray_fft_opts *opts, int64_t own, int64_t *n)
{
    *n = own;
    if (!opts || opts->n.kind == GARRAY_OPERAND_NONE)
        return GARRAY_OK;
    GARRAY_TRY(garray__option_check(&opts->n, "n", GARRAY__INTEGER));
    *n = (int64_t)opts->n.bits[0];
    GARRAY_REQUIRE(opts->n.kind == GARRAY_OPERAND_INT || *n >= 0, SHAPE, "n is too large: %llu",
                   (unsigned long long)opts->n.bits[0]);
    return GARRAY_OK;
}

/* backward: of the two directions by name, ifft, irfft, ihfft.  inverse: of the plan. */
static garray_status along_axis(int kind, bool inverse, bool backward, const garray_t *x, int axis, const garray_fft_opts *opts,
                                garray_t **out)
{
    struct pass pass = { .kind = kind, .inverse = inverse };
    garray_status st = garray__result_check(out);
    if (st == GARRAY_OK)
        st = check_options(opts);
    if (st != GARRAY_OK)
        return st;
    GARRAY_REQUIRE(x, INVALID, "x is NULL");
    st = find_axis(axis, x, &pass.axis);
    if (st == GARRAY_OK)
        st = read_length(opts, kind == GARRAY_FFT_C2R ? 2 * (x->shape[pass.axis] - 1) : x->shape[pass.axis], &pass.n);
    if (st != GARRAY_OK)
        return st;
    pass.scale = scale_of(opts, backward, pass.n);
    if (kind != GARRAY_FFT_C2R || garray__size_of(x->dtype) != 2 || garray__kind_of(x->dtype) != GARRAY__K_FLOAT)
        return transform(&(struct passes){ 1, &pass }, x, out);
    /* what is real keeps its dtype, as in NumPy */
    garray_t *wide = NULL;
    st = transform(&(struct passes){ 1, &pass }, x, &wide);
    if (st == GARRAY_OK)
        st = garray_astype(wide, (garray_dtype)x->dtype, out);
    garray_release(wide);
    return st;
}

#define ALONG_AXIS(name, kind, inverse, backward)                                                                   \
    garray_status garray_fft_##name(const garray_t *x, int axis, const garray_fft_opts *opts, garray_t **out)       \
    {                                                                                                               \
        GARRAY_ENTER("garray_fft_" #name);                                                                          \
        GARRAY_REQUIRE_OPTIONS(opts, reserved32);                                                                   \
        return along_axis(kind, inverse, backward, x, axis, opts, out);                                             \
    }
ALONG_AXIS(fft, GARRAY_FFT_C2C, false, false)
ALONG_AXIS(ifft, GARRAY_FFT_C2C, true, true)
ALONG_AXIS(rfft, GARRAY_FFT_R2C, false, false)
ALONG_AXIS(irfft, GARRAY_FFT_C2R, true, true)
ALONG_AXIS(hfft, GARRAY_FFT_C2R, false, false)
ALONG_AXIS(ihfft, GARRAY_FFT_R2C, true, true)

/* ---- several axes ---- */

/* The axes and lengths as NumPy reads them. */
static garray_status read_axes(int kind, const garray_t *x, garray_shape s, garray_axes axes, int defaults, struct passes *l)
{
    bool given = s.v != NULL || s.n != 0;
    if (axes.n == 0 && !axes.v) {
        int n = defaults ? defaults : given ? (int)s.n : x->ndim;
        GARRAY_REQUIRE(n <= x->ndim, AXIS, "axis %d is out of bounds for array of dimension %d", -n, x->ndim);
        GARRAY_REQUIRE(!given || s.n == n, SHAPE, "Shape and axes have different lengths.");
        for (int i = 0; i < n; i++)
            l->pass[i].axis = x->ndim - n + i;
        l->n = n;
    } else {
        l->n = (int)axes.n;
        for (int i = 0; i < l->n; i++) {
            garray_status st = find_axis(axes.v[i], x, &l->pass[i].axis);
            if (st != GARRAY_OK)
                return st;
        }
        GARRAY_REQUIRE(!given || s.n == axes.n, SHAPE, "Shape and axes have different lengths.");
    }
    GARRAY_REQUIRE(l->n > 0 || kind == GARRAY_FFT_C2C, AXIS, "a real transform takes at least one axis");
    for (int i = 0; i < l->n; i++) {
        int64_t own = x->shape[l->pass[i].axis];
        l->pass[i].n = given && s.v[i] != -1 ? s.v[i] : own;
        if (!given && kind == GARRAY_FFT_C2R && i == l->n - 1)
            l->pass[i].n = 2 * (own - 1);
    }
    return GARRAY_OK;
}

/* NumPy's order: complex transforms from the last axis to the first; irfftn from the first to the last. */
static void order_passes(int kind, bool inverse, const garray_fft_opts *opts, struct passes *l)
{
    for (int i = 0; i < l->n; i++) {
        struct pass *p = &l->pass[i];
        p->kind = i == l->n - 1 ? kind : GARRAY_FFT_C2C;
        p->inverse = inverse;
        p->scale = scale_of(opts, inverse, p->n);
    }
    for (int i = 0, j = l->n - 1; kind != GARRAY_FFT_C2R && i < j; i++, j--) {
        struct pass p = l->pass[i];
        l->pass[i] = l->pass[j];
        l->pass[j] = p;
    }
}

static garray_status along_axes(int kind, bool inverse, const garray_t *x, garray_shape s, garray_axes axes, int defaults,
                                const garray_fft_opts *opts, garray_t **out)
{
    struct pass pass[GARRAY_MAX_NDIM];
    struct passes l = { 0, pass };
    garray_status st = garray__result_check(out);
    if (st == GARRAY_OK)
        st = check_options(opts);
    if (st != GARRAY_OK)
        return st;
    GARRAY_REQUIRE(x, INVALID, "x is NULL");
    GARRAY_REQUIRE(!opts || opts->n.kind == GARRAY_OPERAND_NONE, INVALID, "n is for one axis; lengths of several are in s");
    GARRAY_REQUIRE(axes.n >= 0 && axes.n <= GARRAY_MAX_NDIM && s.n >= 0 && s.n <= GARRAY_MAX_NDIM && (s.n == 0 || s.v)
                       && (axes.n == 0 || axes.v), INVALID, "s and axes have 0 to %d elements", GARRAY_MAX_NDIM);
    st = read_axes(kind, x, s, axes, defaults, &l);
    if (st != GARRAY_OK)
        return st;
    order_passes(kind, inverse, opts, &l);
    return transform(&l, x, out);
}

#define ALONG_AXES(name, kind, inverse, defaults)                                                                   \
    garray_status garray_fft_##name(const garray_t *x, garray_shape s, garray_axes axes, const garray_fft_opts *opts, \
                                    garray_t **out)                                                                 \
    {                                                                                                               \
        GARRAY_ENTER("garray_fft_" #name);                                                                          \
        GARRAY_REQUIRE_OPTIONS(opts, reserved32);                                                                   \
        return along_axes(kind, inverse, x, s, axes, defaults, opts, out);                                          \
    }
ALONG_AXES(fftn, GARRAY_FFT_C2C, false, 0)
ALONG_AXES(ifftn, GARRAY_FFT_C2C, true, 0)
ALONG_AXES(rfftn, GARRAY_FFT_R2C, false, 0)
ALONG_AXES(irfftn, GARRAY_FFT_C2R, true, 0)
ALONG_AXES(fft2, GARRAY_FFT_C2C, false, 2)
ALONG_AXES(ifft2, GARRAY_FFT_C2C, true, 2)
ALONG_AXES(rfft2, GARRAY_FFT_R2C, false, 2)
ALONG_AXES(irfft2, GARRAY_FFT_C2R, true, 2)
