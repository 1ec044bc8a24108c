/* SPDX-License-Identifier: BSD-3-Clause
 * Functions that look into values: angle, nan_to_num, real_if_close. */
#include <float.h>
#include <math.h>
#include <string.h>
#include "core/compose.h"
#include "core/result.h"
#include "garray/numeric.h"

/* The real or the imaginary parts of complex numbers, a view. */
static garray_status part_view(const garray_t *x, int part, garray_t **out)
{
    int dtype = garray__real_of(x->dtype);
    return garray__view(x->buffer, x->data + part * garray__size_of(dtype), dtype, x->ndim, x->shape, garray__strides(x),
                        x->flags & GARRAY__WRITEABLE, out);
}

static bool is_complex(const garray_t *x)
{
    return garray__kind_of(x->dtype) == GARRAY__K_COMPLEX;
}

static bool is_inexact(const garray_t *x)
{
    return garray__kind_of(x->dtype) >= GARRAY__K_FLOAT;
}

garray_status garray_angle(const garray_t *z, bool degrees, garray_t **out)
{
    GARRAY_ENTER("garray_angle");
    garray_t *re = NULL, *im = NULL, *angle = NULL;
    garray_operand in[2];
    garray_status st = garray__result_check(out);
    if (st != GARRAY_OK)
        return st;
    GARRAY_REQUIRE(z, INVALID, "z is NULL");
    if (is_complex(z)) {
        GARRAY__TRY(part_view(z, 0, &re));
        GARRAY__TRY(part_view(z, 1, &im));
        in[0] = garray_operand_array(im);
        in[1] = garray_operand_array(re);
    } else {
        in[0] = garray_operand_int(0);
        in[1] = garray_operand_array(z);
    }
    if (!degrees) {
        st = garray__elementwise(GARRAY_OP_atan2, 2, in, 0, out);
    } else {
        GARRAY__TRY(garray__elementwise(GARRAY_OP_atan2, 2, in, 0, &angle));
        in[0] = garray_operand_array(angle);
        in[1] = garray_operand_double(180 / 3.141592653589793);
        st = garray__elementwise(GARRAY_OP_multiply, 2, in, 0, out);
    }
done:
    garray_release(re);
    garray_release(im);
    garray_release(angle);
    return st;
}

/* ---- nan_to_num ---- */

static double largest(int dtype)
{
    switch (dtype) {
    case GARRAY_FLOAT16: return 65504;
    case GARRAY_BFLOAT16: return 0x1.fep127;
    case GARRAY_FLOAT32: return FLT_MAX;
    default: return DBL_MAX;
    }
}

/* The numbers to put in place, in the storage of dtype. */
static garray_status replacements(const garray_nan_to_num_opts *opts, int dtype, garray_operand with[3], double value[3])
{
    with[0] = opts ? opts->nan : GARRAY_NONE;
    with[1] = opts ? opts->posinf : GARRAY_NONE;
    with[2] = opts ? opts->neginf : GARRAY_NONE;
    const double defaults[3] = { 0, largest(dtype), -largest(dtype) };
    static const char *const names[3] = { "nan", "posinf", "neginf" };
    for (int k = 0; k < 3; k++) {
        uint64_t bits[2];
        if (with[k].kind == GARRAY_OPERAND_NONE)
            with[k] = garray_operand_double(defaults[k]);
        GARRAY_TRY(garray__option_check(&with[k], names[k], GARRAY__REAL));
        garray__scalar_cast(&with[k], GARRAY_FLOAT64, bits);
        memcpy(&value[k], bits, sizeof value[k]);
    }
    return GARRAY_OK;
}

/* Of floats.  The operation puts -posinf for negative infinities; another number takes a second step. */
static garray_status replace(const garray_t *x, const garray_nan_to_num_opts *opts, garray_t **out)
{
    garray_operand in[3], choice[3], with[3];
    double value[3];
    garray_t *most = NULL, *negative = NULL;
    garray_status st = replacements(opts, x->dtype, with, value);
    if (st != GARRAY_OK)
        return st;
    in[0] = garray_operand_array(x);
    in[1] = with[0];
    in[2] = with[1];
    if (value[2] == -value[1] && value[1] != 0)     /* -0 is not the 0 that was wanted */
        return garray__elementwise(GARRAY__OP_nan_to_num, 3, in, x->dtype, out);
    GARRAY__TRY(garray__elementwise(GARRAY__OP_nan_to_num, 3, in, x->dtype, &most));
    GARRAY__TRY(garray__elementwise(GARRAY_OP_isneginf, 1, in, 0, &negative));
    choice[0] = garray_operand_array(negative);
    choice[1] = with[2];
    choice[2] = garray_operand_array(most);
    st = garray__elementwise(GARRAY_OP_where, 3, choice, x->dtype, out);
done:
    garray_release(most);
    garray_release(negative);
    return st;
}

garray_status garray_nan_to_num(const garray_t *x, const garray_nan_to_num_opts *opts, garray_t **out)
{
    GARRAY_ENTER("garray_nan_to_num");
    GARRAY_REQUIRE_OPTIONS(opts, reserved);
    garray_t *from = NULL, *to = NULL;
    struct garray__result r = { NULL, NULL, NULL };
    garray_status st = garray__result_check(out);
    if (st != GARRAY_OK)
        return st;
    GARRAY_REQUIRE(x, INVALID, "x is NULL");
    garray_operand in = garray_operand_array(x);
    if (!is_inexact(x))
        return garray__elementwise(x->dtype == GARRAY_BOOL ? GARRAY_OP_real : GARRAY_OP_positive, 1, &in, 0, out);
    if (!is_complex(x))
        return replace(x, opts, out);
    GARRAY__TRY(garray__result_open(&r, out, x->dtype, x->ndim, x->shape, garray__device_of(x), 0, 1, &x));
    for (int part = 0; part < 2; part++) {
        garray_release(from);
        garray_release(to);
        from = to = NULL;
        GARRAY__TRY(part_view(x, part, &from));
        GARRAY__TRY(part_view(r.target, part, &to));
        GARRAY__TRY(replace(from, opts, garray_into(to)));
    }
done:
    garray_release(from);
    garray_release(to);
    return r.target ? garray__result_close(&r, st) : st;
}

/* ---- real_if_close ---- */

garray_status garray_real_if_close(const garray_t *x, const garray_real_if_close_opts *opts, garray_t **out)
{
    GARRAY_ENTER("garray_real_if_close");
    GARRAY_REQUIRE_OPTIONS(opts, reserved);
    garray_t *part = NULL, *size = NULL, *small = NULL;
    garray_operand in[2];
    uint64_t bits[2];
    double tol = 100;
    bool close = false;
    garray_status st = garray__result_check(out);
    if (st != GARRAY_OK)
        return st;
    GARRAY_REQUIRE(x, INVALID, "x is NULL");
    if (opts && opts->tol.kind != GARRAY_OPERAND_NONE) {
        GARRAY_TRY(garray__option_check(&opts->tol, "tol", GARRAY__REAL));
        garray__scalar_cast(&opts->tol, GARRAY_FLOAT64, bits);
        memcpy(&tol, bits, sizeof tol);
    }
    in[0] = garray_operand_array(x);
    if (!is_complex(x))
        return garray__elementwise(x->dtype == GARRAY_BOOL ? GARRAY_OP_real : GARRAY_OP_positive, 1, in, 0, out);
    if (tol > 1)
        tol *= x->dtype == GARRAY_COMPLEX64 ? FLT_EPSILON : DBL_EPSILON;
    GARRAY__TRY(part_view(x, 1, &part));
    in[0] = garray_operand_array(part);
    GARRAY__TRY(garray__elementwise(GARRAY_OP_abs, 1, in, 0, &size));
    in[0] = garray_operand_array(size);
    in[1] = garray_operand_double(tol);
    GARRAY__TRY(garray__elementwise(GARRAY_OP_less, 2, in, 0, &small));
    GARRAY__TRY(garray__is_all(small, &close));
    in[0] = garray_operand_array(x);
    st = garray__elementwise(close ? GARRAY_OP_real : GARRAY_OP_positive, 1, in, 0, out);
done:
    garray_release(part);
    garray_release(size);
    garray_release(small);
    return st;
}
