/* SPDX-License-Identifier: BSD-3-Clause
 * Normal vectors: standard ones, times a factor of the covariance. */
#include "core/compose.h"
#include "core/random.h"
#include "garray/linalg.h"
#include "garray/numeric.h"

/* factor factor^T = cov: the Cholesky factor, or eigenvectors times the roots of the eigenvalues. */
static garray_status factor_of(const garray_t *cov, int method, garray_t **out)
{
    garray_t *w = NULL, *v = NULL;
    garray_status st = GARRAY_OK;
    if (method == GARRAY_MULTIVARIATE_CHOLESKY)
        return garray_linalg_cholesky(cov, NULL, out);
    GARRAY__TRY(garray_linalg_eigh(cov, NULL, &w, &v));
    GARRAY__TRY(garray__binary(GARRAY_OP_maximum, GARRAY__ARR(w), garray_operand_double(0), 0, &w));
    GARRAY__TRY(garray__unary(GARRAY_OP_sqrt, GARRAY__ARR(w), &w));
    GARRAY__TRY(garray__binary(GARRAY_OP_multiply, GARRAY__ARR(v), GARRAY__ARR(w), 0, &v));
    *out = v;
    v = NULL;
done:
    garray_release(w);
    garray_release(v);
    return st;
}

/* INVALID unless the factor gives the covariance again. */
static garray_status check_valid(const garray_t *cov, const garray_t *factor, garray_operand tol)
{
    garray_t *again = NULL;
    bool close = false;
    const garray_operand limit = tol.kind == GARRAY_OPERAND_NONE ? garray_operand_double(1e-8) : tol;
    const garray_close_opts within = { .rtol = limit, .atol = limit };
    garray_status st = GARRAY_OK;
    GARRAY__TRY((garray_matmul)(GARRAY__ARR(factor), garray_operand_flip(GARRAY__ARR(factor), GARRAY_OPERAND_TRANSPOSE), &again));
    GARRAY__TRY((garray_allclose)(GARRAY__ARR(again), GARRAY__ARR(cov), &within, &close));
    GARRAY__CHECK(close, INVALID, "covariance is not symmetric positive-semidefinite.");
done:
    garray_release(again);
    return st;
}

garray_status garray_random_multivariate_normal(garray_rng *rng, const garray_t *mean, const garray_t *cov, garray_shape shape,
                                                const garray_multivariate_opts *opts, garray_t **out)
{
    GARRAY_ENTER("garray_random_multivariate_normal");
    GARRAY_REQUIRE_OPTIONS(opts, reserved);
    static const garray_multivariate_opts defaults;
    struct garray__draw d;
    garray_t *wide = NULL, *factor = NULL, *x = NULL;
    int64_t lengths[GARRAY_MAX_NDIM];
    garray_status st = GARRAY_OK;
    if (!opts)
        opts = &defaults;
    garray_dtype dtype = opts->dtype;
    GARRAY_REQUIRE(mean && cov, INVALID, "mean or cov is NULL");
    GARRAY_REQUIRE(garray__kind_of(mean->dtype) != GARRAY__K_COMPLEX && garray__kind_of(cov->dtype) != GARRAY__K_COMPLEX, DTYPE,
                   "mean and cov must not be complex");
    GARRAY_REQUIRE(mean->ndim == 1, SHAPE, "mean must be 1 dimensional");
    GARRAY_REQUIRE(cov->ndim == 2 && cov->shape[0] == cov->shape[1], SHAPE, "cov must be 2 dimensional and square");
    GARRAY_REQUIRE(mean->shape[0] == cov->shape[0], SHAPE, "mean and cov must have same length");
    GARRAY_REQUIRE(opts->method >= 0 && opts->method <= GARRAY_MULTIVARIATE_CHOLESKY, INVALID, "method is unknown");
    GARRAY_TRY(garray__option_check(&opts->tol, "tol", GARRAY__VALUE));
    GARRAY_REQUIRE(shape.n >= 0 && shape.n < GARRAY_MAX_NDIM && (shape.v || shape.n == 0), SHAPE, "shape is malformed");
    for (int64_t i = 0; i < shape.n; i++)
        lengths[i] = shape.v[i];
    lengths[shape.n] = mean->shape[0];
    GARRAY__TRY(garray__draw_float(&dtype));
    GARRAY__TRY(garray__draw_open(&d, rng, GARRAY_DIMS(shape.n + 1, lengths), GARRAY_RANDOM_NORMAL, GARRAY_FLOAT64,
                                  garray_device_of(mean), out));
    GARRAY__TRY(garray__same_device(d.device, cov));
    GARRAY__TRY(garray__draw_uses_words(&d, false));
    GARRAY__TRY(garray__copy_as(cov, GARRAY_FLOAT64, &wide));
    GARRAY__TRY(factor_of(wide, opts->method, &factor));
    if (opts->check_valid)
        GARRAY__TRY(check_valid(wide, factor, opts->tol));
    d.plan.high = 1;
    GARRAY__TRY(garray__draw_fresh(&d, &x));
    GARRAY__TRY((garray_matmul)(GARRAY__ARR(x), garray_operand_flip(GARRAY__ARR(factor), GARRAY_OPERAND_TRANSPOSE), &x));
    GARRAY__TRY(garray__binary(GARRAY_OP_add, GARRAY__ARR(x), GARRAY__ARR(mean), GARRAY_FLOAT64, &x));
    if (dtype != GARRAY_FLOAT64)
        GARRAY__TRY(garray__draw_narrow(&x, dtype));
    st = garray__draw_close(rng, &d, garray__result_assign(out, x));
    x = NULL;
done:
    garray_release(wide);
    garray_release(factor);
    garray_release(x);
    return st;
}
