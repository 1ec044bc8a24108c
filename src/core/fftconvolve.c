/* SPDX-License-Identifier: BSD-3-Clause
 * fftconvolve: convolution along some axes by Fourier transforms in the operands' own precision; along the others the
 * operands broadcast. */
#include "core/compose.h"
#include "core/result.h"
#include "core/window.h"
#include "garray/shape.h"
#include "garray/signal.h"

/* The shape of the result, and where it begins in the full one; that of x where the other axes broadcast. */
static garray_status find_shape(const garray_t *x, const garray_t *y, const bool *over, int mode, int64_t *origin, int64_t *shape,
                                int64_t *x_shape)
{
    char a[GARRAY__SHAPE_TEXT], b[GARRAY__SHAPE_TEXT];
    bool x_longer = true, y_longer = true;
    for (int i = 0; i < x->ndim; i++) {
        const int64_t n = x->shape[i], m = y->shape[i];
        x_shape[i] = n;
        origin[i] = 0;
        if (!over[i]) {
            GARRAY_REQUIRE(n == m || n == 1 || m == 1, SHAPE, "incompatible shapes for in1 and in2: %s and %s",
                           garray__shape_text(x->ndim, x->shape, a), garray__shape_text(y->ndim, y->shape, b));
            shape[i] = x_shape[i] = n > m ? n : m;
            continue;
        }
        x_longer = x_longer && n >= m;
        y_longer = y_longer && n <= m;
        const int64_t start = mode == GARRAY_CONVOLVE_SAME    ? (m - 1) / 2
                              : mode == GARRAY_CONVOLVE_VALID ? (n < m ? n : m) - 1
                                                              : 0;
        origin[i] = m - 1 - start;
        shape[i] = mode == GARRAY_CONVOLVE_SAME    ? n
                   : mode == GARRAY_CONVOLVE_VALID ? (n < m ? m - n : n - m) + 1
                                                   : n + m - 1;
    }
    GARRAY_REQUIRE(mode != GARRAY_CONVOLVE_VALID || x_longer || y_longer, SHAPE,
                   "For 'valid' mode, one must be at least as large as the other in every dimension");
    return GARRAY_OK;
}

static garray_status check(const garray_t *in1, const garray_t *in2, const garray_convolve_opts *opts)
{
    GARRAY_REQUIRE_OPTIONS(opts, reserved32);
    GARRAY_REQUIRE(!opts || (opts->mode <= GARRAY_CONVOLVE_VALID && opts->boundary <= GARRAY_BOUNDARY_FILL &&
                             opts->fill.kind == GARRAY_OPERAND_NONE && opts->method != GARRAY_CONVOLVE_DIRECT),
                   INVALID, "of the options only mode counts here");
    return garray__window_check(in1, in2);
}

garray_status garray_signal_fftconvolve(const garray_t *in1, const garray_t *in2, garray_axes axes,
                                        const garray_convolve_opts *opts, garray_t **out)
{
    GARRAY_ENTER("garray_signal_fftconvolve");
    garray_t *x = NULL, *y = NULL, *full = NULL;
    struct garray__result r = { NULL, NULL, NULL };
    int64_t origin[GARRAY_MAX_NDIM], shape[GARRAY_MAX_NDIM], x_shape[GARRAY_MAX_NDIM];
    int32_t axis[GARRAY_MAX_NDIM];
    bool over[GARRAY_MAX_NDIM];
    int n = 0;
    garray_status st = garray__result_check(out);
    if (st == GARRAY_OK)
        st = check(in1, in2, opts);
    if (st == GARRAY_OK)
        st = garray__axis_set(axes, in1->ndim, over);
    if (st == GARRAY_OK)
        st = find_shape(in1, in2, over, opts && opts->mode ? (int)opts->mode : GARRAY_CONVOLVE_FULL, origin, shape, x_shape);
    if (st != GARRAY_OK)
        return st;
    int dtype = garray__promote(in1->dtype, in2->dtype);
    dtype = garray__kind_of(dtype) < GARRAY__K_FLOAT ? GARRAY_FLOAT64 : garray__size_of(dtype) == 2 ? GARRAY_FLOAT32 : dtype;
    GARRAY__TRY(garray__broadcast(in1, in1->ndim, x_shape, &x));
    for (int i = 0; i < x->ndim; i++)
        if (over[i])
            axis[n++] = i;
    y = garray__share(in2);
    if (n > 0)
        GARRAY__TRY(garray_flip(y, (garray_axes){ n, axis }, &y));
    GARRAY__TRY(garray__new(dtype, x->ndim, shape, garray__device_of(x), &full));
    GARRAY__TRY(garray__window_fft(x, y, origin, over, dtype, full));
    const garray_t *const inputs[2] = { in1, in2 };
    GARRAY__TRY(garray__result_open(&r, out, dtype, x->ndim, shape, garray__device_of(x), GARRAY__CASTS, 2, inputs));
    st = garray__result_close(&r, garray__assign(r.target, full));
done:
    garray_release(x);
    garray_release(y);
    garray_release(full);
    return st;
}
