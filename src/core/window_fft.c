/* SPDX-License-Identifier: BSD-3-Clause
 * Sums of windows by way of Fourier transforms, and when they pay. */
#include <math.h>
#include "core/compose.h"
#include "core/window.h"
#include "garray/fft.h"
#include "garray/shape.h"
#include "garray/signal.h"

/* The least product of 2, 3, 5 and 7 that is not below n. */
static int64_t fast_length(int64_t n)
{
    int64_t best = INT64_MAX;
    for (int64_t a = 1; a < 2 * n && a < best; a *= 7)
        for (int64_t b = a; b < 2 * n && b < best; b *= 5)
            for (int64_t c = b; c < 2 * n && c < best; c *= 3) {
                int64_t d = c;
                while (d < n)
                    d *= 2;
                best = d < best ? d : best;
            }
    return best;
}

/* The axes along which the window reaches to others. */
static void find_axes(const garray_t *in, const garray_t *weights, const int64_t *origin, const garray_t *out, bool *over)
{
    for (int i = 0; i < in->ndim; i++)
        over[i] = weights->shape[i] != 1 || origin[i] != 0 || in->shape[i] != out->shape[i];
}

/* The same as a list, and the lengths of their transforms. */
static int list_axes(const garray_t *in, const garray_t *weights, const bool *over, int32_t *axes, int64_t *lengths)
{
    int n = 0;
    for (int i = 0; i < in->ndim; i++)
        if (over[i]) {
            axes[n] = i;
            lengths[n++] = fast_length(in->shape[i] + weights->shape[i] - 1);
        }
    return n;
}

/* Whether transforms need clearly less work: about 40 steps of a direct sum for each item and halving. */
static bool prefers_fft(const garray_t *in, const garray_t *weights, const int64_t *origin, const garray_t *out)
{
    int32_t axes[GARRAY_MAX_NDIM];
    int64_t lengths[GARRAY_MAX_NDIM];
    bool over[GARRAY_MAX_NDIM];
    double direct = (double)out->size * (double)weights->size, full = (double)in->size;
    if (garray__kind_of(in->dtype) < GARRAY__K_FLOAT || garray__size_of(in->dtype) == 2 || weights->size < 256)
        return false;
    find_axes(in, weights, origin, out, over);
    const int n = list_axes(in, weights, over, axes, lengths);
    if (n == 0)
        return false;
    for (int i = 0; i < n; i++)
        full *= (double)lengths[i] / (double)in->shape[axes[i]];
    return direct > 40 * full * log2(full);
}

/* An array transformed along the axes, which become as long as lengths say. */
static garray_status transform(const garray_t *x, int dtype, int n, const int64_t *lengths, const int32_t *axes, garray_t **out)
{
    garray_t *wide = NULL;
    const garray_shape s = { n, lengths };
    const garray_axes over = { n, axes };
    garray_status st = garray__contiguous(x, dtype, &wide);
    if (st == GARRAY_OK)
        st = garray__kind_of(dtype) == GARRAY__K_COMPLEX ? garray_fft_fftn(wide, s, over, NULL, out)
                                                         : garray_fft_rfftn(wide, s, over, NULL, out);
    garray_release(wide);
    return st;
}

garray_status garray__window_fft(const garray_t *in, const garray_t *weights, const int64_t *origin, const bool *over, int dtype,
                                 garray_t *out)
{
    garray_t *turned = NULL, *x = NULL, *w = NULL, *part = NULL;
    int32_t axes[GARRAY_MAX_NDIM];
    int64_t lengths[GARRAY_MAX_NDIM];
    const int n = list_axes(in, weights, over, axes, lengths);
    const bool complex = garray__kind_of(dtype) == GARRAY__K_COMPLEX;
    garray_status st = GARRAY_OK;
    if (out->size == 0)
        return GARRAY_OK;
    if (n == 0) {
        const garray_operand both[2] = { GARRAY__ARR(in), GARRAY__ARR(weights) };
        return garray__elementwise(GARRAY_OP_multiply, 2, both, dtype, garray_into(out));
    }
    const garray_shape s = { n, lengths };
    const garray_axes list = { n, axes };
    GARRAY__TRY(garray_flip(weights, list, &turned));
    GARRAY__TRY(transform(in, dtype, n, lengths, axes, &x));
    GARRAY__TRY(transform(turned, dtype, n, lengths, axes, &w));
    GARRAY__TRY(garray__binary(GARRAY_OP_multiply, GARRAY__ARR(x), GARRAY__ARR(w), 0, &x));
    GARRAY__TRY(complex ? garray_fft_ifftn(x, s, list, NULL, &x) : garray_fft_irfftn(x, s, list, NULL, &x));
    for (int i = 0; i < n; i++) {
        const int axis = axes[i];
        GARRAY__TRY(garray__part(x, axis, weights->shape[axis] - 1 - origin[axis], out->shape[axis], &part));
        garray_release(x);
        x = part;
        part = NULL;
    }
    if (garray__kind_of(out->dtype) < GARRAY__K_FLOAT) {    /* sums of integers are integers, and wrap */
        GARRAY__TRY(garray__unary(GARRAY_OP_rint, GARRAY__ARR(x), &x));
        GARRAY__TRY(garray_astype(x, GARRAY_INT64, &x));
    }
    st = garray__assign(out, x);
done:
    garray_release(turned);
    garray_release(x);
    garray_release(w);
    garray_release(part);
    return st;
}

garray_status garray__window_convolve(const garray_t *in, const garray_t *weights, const int64_t *origin, int method,
                                      garray_t *out)
{
    const bool fft = method == GARRAY_CONVOLVE_FFT || (method != GARRAY_CONVOLVE_DIRECT &&
                                                       prefers_fft(in, weights, origin, out));
    const int wide = garray__kind_of(in->dtype) == GARRAY__K_COMPLEX ? GARRAY_COMPLEX128 : GARRAY_FLOAT64;
    bool over[GARRAY_MAX_NDIM];
    if (!fft)
        return garray__window_sum(in, weights, origin, out);
    find_axes(in, weights, origin, out, over);
    return garray__window_fft(in, weights, origin, over, wide, out);
}
