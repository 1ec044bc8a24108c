/* SPDX-License-Identifier: BSD-3-Clause
 * Convolution and correlation of arrays of any rank, as scipy.signal has them, with borders of every kind: zeros outside
 * are left out by the backend, other borders are padded. */
#include <string.h>
#include "core/compose.h"
#include "core/result.h"
#include "core/window.h"
#include "garray/rearrange.h"
#include "garray/shape.h"
#include "garray/signal.h"

/* Where each axis of the result begins within the full convolution, and its length. */
typedef struct place {
    int64_t start[GARRAY_MAX_NDIM], length[GARRAY_MAX_NDIM];
} place;

static garray_status find_place(const garray_t *x, const garray_t *y, int mode, place *p)
{
    bool x_longer = true, y_longer = true;
    for (int i = 0; i < x->ndim; i++) {
        x_longer = x_longer && x->shape[i] >= y->shape[i];
        y_longer = y_longer && x->shape[i] <= y->shape[i];
    }
    GARRAY_REQUIRE(mode != GARRAY_CONVOLVE_VALID || x_longer || y_longer, SHAPE,
                   "For 'valid' mode, one must be at least as large as the other in every dimension");
    for (int i = 0; i < x->ndim; i++) {
        const int64_t n = x->shape[i], m = y->shape[i];
        switch (mode) {
        case GARRAY_CONVOLVE_SAME:
            p->start[i] = (m - 1) / 2;
            p->length[i] = n;
            break;
        case GARRAY_CONVOLVE_VALID:
            p->start[i] = (n < m ? n : m) - 1;
            p->length[i] = (n < m ? m - n : n - m) + 1;
            break;
        default:
            p->start[i] = 0;
            p->length[i] = n + m - 1;
        }
    }
    return GARRAY_OK;
}

static int pad_mode(int boundary)
{
    switch (boundary) {
    case GARRAY_BOUNDARY_WRAP: return GARRAY_PAD_WRAP;
    case GARRAY_BOUNDARY_SYMM: return GARRAY_PAD_SYMMETRIC;
    case GARRAY_BOUNDARY_REFLECT: return GARRAY_PAD_REFLECT;
    case GARRAY_BOUNDARY_NEAREST: return GARRAY_PAD_EDGE;
    default: return GARRAY_PAD_CONSTANT;
    }
}

/* x with all that the windows reach, so that they begin at place 0. */
static garray_status add_border(garray_t **x, const int64_t *window, const int64_t *length, int64_t *origin,
                                const garray_convolve_opts *opts)
{
    int64_t widths[2 * GARRAY_MAX_NDIM];
    const int ndim = (*x)->ndim;
    for (int i = 0; i < ndim; i++) {
        const int64_t end = length[i] + window[i] - 1 - origin[i] - (*x)->shape[i];
        widths[2 * i] = origin[i];
        widths[2 * i + 1] = end > 0 ? end : 0;
        origin[i] = 0;
    }
    const garray_pad_opts pad = { .mode = (garray_pad_mode)pad_mode((int)opts->boundary), .values = opts->fill };
    return garray_pad(*x, (garray_shape){ 2 * ndim, widths }, &pad, x);
}

/* The convolution of arrays of one dtype and rank; y is turned already: its first item meets the first of a window. */
static garray_status convolve(garray_t *x, garray_t *y, int mode, const garray_convolve_opts *opts, garray_t **out)
{
    garray_t *in = NULL, *turned = NULL, *weights = NULL;
    struct garray__result r = { NULL, NULL, NULL };
    int64_t origin[GARRAY_MAX_NDIM];
    place p;
    const bool border = opts && mode != GARRAY_CONVOLVE_VALID &&
                        (opts->fill.kind != GARRAY_OPERAND_NONE || opts->boundary > GARRAY_BOUNDARY_FILL);
    const bool swap = !border && y->size > x->size;     /* the smaller array is the window */
    garray_status st = find_place(x, y, mode, &p);
    if (st != GARRAY_OK)
        return st;
    if (swap) {
        GARRAY__TRY(garray_flip(y, GARRAY_ALL_AXES, &in));
        GARRAY__TRY(garray_flip(x, GARRAY_ALL_AXES, &turned));
    } else {
        in = garray_retain(x);
        turned = garray_retain(y);
    }
    GARRAY__TRY(garray__contiguous(turned, 0, &weights));
    for (int i = 0; i < x->ndim; i++)
        origin[i] = weights->shape[i] - 1 - p.start[i];
    if (border)
        GARRAY__TRY(add_border(&in, weights->shape, p.length, origin, opts));
    const garray_t *const inputs[2] = { in, weights };
    GARRAY__TRY(garray__result_open(&r, out, x->dtype, x->ndim, p.length, garray__device_of(x), 0, 2, inputs));
    st = garray__result_close(&r, garray__window_convolve(in, weights, origin, opts ? (int)opts->method : 0, r.target));
done:
    garray_release(in);
    garray_release(turned);
    garray_release(weights);
    return st;
}

static garray_status check_options(const garray_convolve_opts *opts)
{
    GARRAY_REQUIRE_OPTIONS(opts, reserved32);
    if (!opts)
        return GARRAY_OK;
    GARRAY_REQUIRE(opts->mode <= GARRAY_CONVOLVE_VALID, INVALID, "mode must be one of full, same and valid, not %d",
                   (int)opts->mode);
    GARRAY_REQUIRE(opts->boundary <= GARRAY_BOUNDARY_NEAREST, INVALID, "boundary %d is not known", (int)opts->boundary);
    GARRAY_REQUIRE(opts->method <= GARRAY_CONVOLVE_FFT, INVALID, "method %d is not known", (int)opts->method);
    GARRAY_REQUIRE(opts->fill.kind == GARRAY_OPERAND_NONE || opts->boundary <= GARRAY_BOUNDARY_FILL, INVALID,
                   "fill belongs to the boundary of that name");
    GARRAY_TRY(garray__option_check(&opts->fill, "fill", GARRAY__NUMBER));
    return GARRAY_OK;
}

garray_status garray__window_check(const garray_t *in1, const garray_t *in2)
{
    GARRAY_REQUIRE(in1, INVALID, "in1 is NULL");
    GARRAY_REQUIRE(in2, INVALID, "in2 is NULL");
    garray_status st = garray__same_device(garray__device_of(in1), in2);
    if (st != GARRAY_OK)
        return st;
    GARRAY_REQUIRE(in1->ndim == in2->ndim, SHAPE, "in1 and in2 should have the same dimensionality, not %d and %d axes",
                   in1->ndim, in2->ndim);
    GARRAY_REQUIRE(in1->size > 0, INVALID, "in1 cannot be empty");
    GARRAY_REQUIRE(in2->size > 0, INVALID, "in2 cannot be empty");
    return GARRAY_OK;
}

static garray_status run(const garray_t *in1, const garray_t *in2, bool correlates, const garray_convolve_opts *opts,
                         garray_t **out)
{
    garray_t *x = NULL, *y = NULL;
    const int mode = opts && opts->mode ? (int)opts->mode : GARRAY_CONVOLVE_FULL;
    garray_status st = garray__result_check(out);
    if (st == GARRAY_OK)
        st = check_options(opts);
    if (st == GARRAY_OK)
        st = garray__window_check(in1, in2);
    if (st != GARRAY_OK)
        return st;
    const int dtype = garray__promote(in1->dtype, in2->dtype);
    GARRAY__TRY(garray__as(in1, dtype, &x));
    GARRAY__TRY(garray__as(in2, dtype, &y));
    if (!correlates)
        GARRAY__TRY(garray_flip(y, GARRAY_ALL_AXES, &y));
    else if (garray__kind_of(dtype) == GARRAY__K_COMPLEX)
        GARRAY__TRY(garray__unary(GARRAY_OP_conj, GARRAY__ARR(y), &y));
    if (x->ndim == 0)
        st = garray__binary(GARRAY_OP_multiply, GARRAY__ARR(x), GARRAY__ARR(y), 0, out);
    else
        st = convolve(x, y, mode, opts, out);
done:
    garray_release(x);
    garray_release(y);
    return st;
}

garray_status garray_signal_convolve(const garray_t *in1, const garray_t *in2, const garray_convolve_opts *opts, garray_t **out)
{
    GARRAY_ENTER("garray_signal_convolve");
    return run(in1, in2, false, opts, out);
}

garray_status garray_signal_correlate(const garray_t *in1, const garray_t *in2, const garray_convolve_opts *opts, garray_t **out)
{
    GARRAY_ENTER("garray_signal_correlate");
    return run(in1, in2, true, opts, out);
}

static garray_status check_matrices(const garray_t *in1, const garray_t *in2)
{
    GARRAY_REQUIRE((!in1 || in1->ndim == 2) && (!in2 || in2->ndim == 2), SHAPE, "inputs must both be 2-D arrays");
    return GARRAY_OK;
}

garray_status garray_signal_convolve2d(const garray_t *in1, const garray_t *in2, const garray_convolve_opts *opts, garray_t **out)
{
    GARRAY_ENTER("garray_signal_convolve2d");
    garray_status st = check_matrices(in1, in2);
    return st == GARRAY_OK ? run(in1, in2, false, opts, out) : st;
}

garray_status garray_signal_correlate2d(const garray_t *in1, const garray_t *in2, const garray_convolve_opts *opts,
                                        garray_t **out)
{
    GARRAY_ENTER("garray_signal_correlate2d");
    garray_status st = check_matrices(in1, in2);
    return st == GARRAY_OK ? run(in1, in2, true, opts, out) : st;
}

/* x correlated with a filter of odd length along one axis, mirrored at the outermost items. */
static garray_status filter_axis(const garray_t *x, const garray_t *h, int axis, garray_t **out)
{
    garray_t *weights = NULL;
    int64_t shape[2] = { 1, 1 };
    const garray_convolve_opts opts = { .mode = GARRAY_CONVOLVE_SAME, .boundary = GARRAY_BOUNDARY_REFLECT };
    shape[axis] = h->size;
    garray_status st = garray_reshape(h, (garray_shape){ 2, shape }, &weights);
    if (st == GARRAY_OK)
        st = run(x, weights, false, &opts, out);
    garray_release(weights);
    return st;
}

garray_status garray_signal_sepfir2d(const garray_t *input, const garray_t *hrow, const garray_t *hcol, garray_t **out)
{
    GARRAY_ENTER("garray_signal_sepfir2d");
    garray_t *rows = NULL;
    garray_status st = garray__result_check(out);
    if (st != GARRAY_OK)
        return st;
    GARRAY_REQUIRE(input && hrow && hcol, INVALID, "an array is NULL");
    GARRAY_REQUIRE(input->ndim == 2, SHAPE, "object of too small depth for desired array: input has %d axes, not 2", input->ndim);
    GARRAY_REQUIRE(hrow->ndim == 1 && hcol->ndim == 1 && hrow->size % 2 && hcol->size % 2, SHAPE,
                   "hrow and hcol must be one dimensional vectors of odd length");
    st = garray__same_device(garray__device_of(input), hrow);
    if (st == GARRAY_OK)
        st = garray__same_device(garray__device_of(input), hcol);
    if (st == GARRAY_OK)
        st = filter_axis(input, hrow, 1, &rows);
    if (st == GARRAY_OK)
        st = filter_axis(rows, hcol, 0, out);
    garray_release(rows);
    return st;
}
