/* SPDX-License-Identifier: BSD-3-Clause
 * Random numbers: Philox4x32-10, counted, the same on every device. */
#ifndef GARRAY_RANDOM_H
#define GARRAY_RANDOM_H

#include <garray/device.h>
#include <garray/operand.h>

/* A place in a sequence of 128-bit Philox blocks. It belongs to the caller, can be copied, stored and set;
 * each call reads it and advances position by the blocks it used. Draws with the same seed, stream and
 * position are the same on every device, and streams (below 2^56) are independent of each other.
 *
 * The key of Philox is the seed; counter words 0 and 1 are the block number, 2 and 3 the stream, whose
 * highest eight bits count the attempts where draws are repeated. Its four words are its whole state: to save
 * it is to store them, to load it is to set them. */
typedef struct {
    uint64_t seed;     /* which sequences */
    uint64_t stream;   /* which of the sequences of a seed */
    uint64_t position; /* of the next block */
    uint64_t spawned;  /* how many children garray_rng_spawn() has given */
} garray_rng;

/* garray_rng rng = GARRAY_RNG(42); */
#ifdef __cplusplus
#define GARRAY_RNG(seed) (garray_rng{ static_cast<uint64_t>(seed), 0, 0, 0 })
#else
#define GARRAY_RNG(seed) ((garray_rng){ (seed), 0, 0, 0 })
#endif

GARRAY_BEGIN

/* ---- places in the sequence ---- */

/* A place from any number of words, which are hashed; n = 0: from random bytes of the system (IO if it has none).
 * NumPy's SeedSequence and default_rng(None); not its bits. */
GARRAY_STATUS garray_rng_seed(garray_rng *rng, const uint64_t *entropy, int64_t n);

/* n places with seeds and streams of their own, for as many workers; later calls give others. What rng draws does not
 * change. */
GARRAY_STATUS garray_rng_spawn(garray_rng *rng, int64_t n, garray_rng *children);

/* Moves the position by blocks of four 32-bit words, also back; INVALID where the sequence ends. */
GARRAY_STATUS garray_rng_advance(garray_rng *rng, int64_t blocks);

/* Another stream, which is as far as 2^64 blocks; INVALID beyond stream 2^56 - 1. */
GARRAY_STATUS garray_rng_jump(garray_rng *rng, uint64_t jumps);

/* ---- draws ----
 * Element i, in row-major order, of 32-bit draws is word i % 4 of block i / 4, of 64-bit draws words 2 (i %
 * 2) and 2 (i % 2) + 1 (low, high) of block i / 2; n draws advance position by n / 4 or n / 2, rounded up.
 * On failure the position stays. */

/* Uniform bits as uint32 (the default; 32-bit draws) or uint64 (64-bit draws). DTYPE for others. */
GARRAY_STATUS garray_random_bits(garray_rng *rng, garray_shape shape, garray_dtype dtype,
                                 garray_device device, garray_t **out);

/* Uniform numbers of [low, high), never high itself. float64 (the default) takes 64-bit draws: the upper 53
 * bits times 2^-53; float32 and 16-bit floats take 32-bit draws: the upper 24 bits times 2^-24 (float16 11,
 * bfloat16 8 bits). low and high are numbers, or arrays that broadcast to the shape. Where low equals high
 * the number is low; INVALID for numbers low > high. */
GARRAY_STATUS garray_random_uniform(garray_rng *rng, garray_operand low, garray_operand high,
                                    garray_shape shape, garray_dtype dtype, garray_device device,
                                    garray_t **out);

/* Normal numbers, float64 by default, with mean loc and standard deviation scale, by Box and Muller: elements 2
 * i and 2 i + 1 of float64 share block i; those of other dtypes are made in float32 of words 2 i and 2 i + 1,
 * counted as 32-bit draws, and reach 7.4 deviations. INVALID for a number scale below 0. */
GARRAY_STATUS garray_random_normal(garray_rng *rng, garray_operand loc, garray_operand scale,
                                   garray_shape shape, garray_dtype dtype, garray_device device,
                                   garray_t **out);

typedef struct {
    garray_dtype dtype; /* int64 by default */
    int32_t endpoint;   /* 1: high is among the values */
    uint64_t reserved[4];
} garray_integers_opts;

/* Uniform integers of [low, high), without bias. low and high are numbers within the dtype (INVALID); high
 * - low up to 2^32 takes 32-bit draws, more takes 64-bit ones. Rejected draws are repeated with the next
 * attempt number, so the advance does not depend on them. Or one of them, or both, are arrays of integers from -2^53
 * to 2^53 that broadcast to the shape: then each element has a block of its own (INVALID, late on a GPU). */
GARRAY_STATUS garray_random_integers(garray_rng *rng, garray_operand low, garray_operand high,
                                     garray_shape shape, const garray_integers_opts *opts,
                                     garray_device device, garray_t **out);

/* ---- distributions of real numbers ----
 * Parameters are numbers, or real arrays of the device that broadcast to the shape. One out of range is INVALID in
 * NumPy's words: at once if it is a number or on the CPU, late for arrays on a GPU. NaN passes where NumPy lets it
 * pass. dtype is a real float, float64 by default; formulas are computed in float64 and rounded once.
 *
 * A draw depends on seed, stream, position and its index alone, and has the same bits on every device: the
 * formulas use nothing that IEEE 754 leaves open (but dirichlet and multivariate_normal, which end in functions
 * of each device). Those of one uniform number take 64-bit draws; those that draw until something is accepted
 * have a block of Philox each, and its attempts: n draws advance position by n. */

/* Exponential numbers of mean scale, by the logarithm; of float32 and 16-bit floats from 32-bit draws, made in
 * float32. scale 1 is NumPy's standard_exponential. */
GARRAY_STATUS garray_random_exponential(garray_rng *rng, garray_operand scale, garray_shape shape,
                                        garray_dtype dtype, garray_device device, garray_t **out);

/* Gamma numbers (Marsaglia and Tsang); scale 1 is NumPy's standard_gamma. Parameters of 0 give 0. */
GARRAY_STATUS garray_random_gamma(garray_rng *rng, garray_operand alpha, garray_operand scale,
                                  garray_shape shape, garray_dtype dtype, garray_device device, garray_t **out);

/* Ratios and sums of gamma numbers: beta, chi-square, F, with noncentrality too, Student's t. beta is made of
 * logarithms, so that small parameters are no different. */
GARRAY_STATUS garray_random_beta(garray_rng *rng, garray_operand a, garray_operand b, garray_shape shape,
                                 garray_dtype dtype, garray_device device, garray_t **out);
GARRAY_STATUS garray_random_chisquare(garray_rng *rng, garray_operand df, garray_shape shape,
                                      garray_dtype dtype, garray_device device, garray_t **out);
GARRAY_STATUS garray_random_noncentral_chisquare(garray_rng *rng, garray_operand df, garray_operand nonc,
                                                 garray_shape shape, garray_dtype dtype, garray_device device,
                                                 garray_t **out);
GARRAY_STATUS garray_random_f(garray_rng *rng, garray_operand dfnum, garray_operand dfden, garray_shape shape,
                              garray_dtype dtype, garray_device device, garray_t **out);
GARRAY_STATUS garray_random_noncentral_f(garray_rng *rng, garray_operand dfnum, garray_operand dfden,
                                         garray_operand nonc, garray_shape shape, garray_dtype dtype,
                                         garray_device device, garray_t **out);
GARRAY_STATUS garray_random_standard_t(garray_rng *rng, garray_operand df, garray_shape shape,
                                       garray_dtype dtype, garray_device device, garray_t **out);

/* Inverses of distribution functions: loc + scale * x of Laplace's, Gumbel's and the logistic distribution;
 * Cauchy's; Pareto's II (Lomax's), Weibull's and powers of uniform numbers with exponent a; Rayleigh's; the
 * triangular one from left to right with its peak at mode. */
GARRAY_STATUS garray_random_laplace(garray_rng *rng, garray_operand loc, garray_operand scale,
                                    garray_shape shape, garray_dtype dtype, garray_device device,
                                    garray_t **out);
GARRAY_STATUS garray_random_gumbel(garray_rng *rng, garray_operand loc, garray_operand scale,
                                   garray_shape shape, garray_dtype dtype, garray_device device,
                                   garray_t **out);
GARRAY_STATUS garray_random_logistic(garray_rng *rng, garray_operand loc, garray_operand scale,
                                     garray_shape shape, garray_dtype dtype, garray_device device,
                                     garray_t **out);
GARRAY_STATUS garray_random_standard_cauchy(garray_rng *rng, garray_shape shape, garray_dtype dtype,
                                            garray_device device, garray_t **out);
GARRAY_STATUS garray_random_pareto(garray_rng *rng, garray_operand a, garray_shape shape, garray_dtype dtype,
                                   garray_device device, garray_t **out);
GARRAY_STATUS garray_random_weibull(garray_rng *rng, garray_operand a, garray_shape shape, garray_dtype dtype,
                                    garray_device device, garray_t **out);
GARRAY_STATUS garray_random_power(garray_rng *rng, garray_operand a, garray_shape shape, garray_dtype dtype,
                                  garray_device device, garray_t **out);
GARRAY_STATUS garray_random_rayleigh(garray_rng *rng, garray_operand scale, garray_shape shape,
                                     garray_dtype dtype, garray_device device, garray_t **out);
GARRAY_STATUS garray_random_triangular(garray_rng *rng, garray_operand left, garray_operand mode,
                                       garray_operand right, garray_shape shape, garray_dtype dtype,
                                       garray_device device, garray_t **out);

/* exp of normal numbers of float64. */
GARRAY_STATUS garray_random_lognormal(garray_rng *rng, garray_operand mean, garray_operand sigma,
                                      garray_shape shape, garray_dtype dtype, garray_device device,
                                      garray_t **out);

/* Angles in [-pi, pi] around mu (Best and Fisher), and inverse Gaussian numbers (Michael, Schucany, Haas). */
GARRAY_STATUS garray_random_vonmises(garray_rng *rng, garray_operand mu, garray_operand kappa,
                                     garray_shape shape, garray_dtype dtype, garray_device device,
                                     garray_t **out);
GARRAY_STATUS garray_random_wald(garray_rng *rng, garray_operand mean, garray_operand scale, garray_shape shape,
                                 garray_dtype dtype, garray_device device, garray_t **out);

/* ---- distributions of integers ----
 * int64 results; parameters as above. Counts (n, ngood ...) are whole numbers, INVALID if not, taken as float64: exact
 * below 2^53. Binomial and Poisson's draws are by search below a mean of 10, else by transformed rejection (Hoermann). */

GARRAY_STATUS garray_random_binomial(garray_rng *rng, garray_operand n, garray_operand p, garray_shape shape,
                                     garray_device device, garray_t **out);
GARRAY_STATUS garray_random_negative_binomial(garray_rng *rng, garray_operand n, garray_operand p,
                                              garray_shape shape, garray_device device, garray_t **out);
GARRAY_STATUS garray_random_poisson(garray_rng *rng, garray_operand lam, garray_shape shape,
                                    garray_device device, garray_t **out);
GARRAY_STATUS garray_random_geometric(garray_rng *rng, garray_operand p, garray_shape shape,
                                      garray_device device, garray_t **out);
GARRAY_STATUS garray_random_zipf(garray_rng *rng, garray_operand a, garray_shape shape, garray_device device,
                                 garray_t **out);
GARRAY_STATUS garray_random_hypergeometric(garray_rng *rng, garray_operand ngood, garray_operand nbad,
                                           garray_operand nsample, garray_shape shape, garray_device device,
                                           garray_t **out);
GARRAY_STATUS garray_random_logseries(garray_rng *rng, garray_operand p, garray_shape shape,
                                      garray_device device, garray_t **out);

/* ---- vectors ----
 * They lie along the last axis: the result has the shape and one axis more, and is where the given array is. */

/* How often each of the outcomes came in n trials. pvals: (..., k), and n, broadcast to the shape; the last
 * probability is what the others leave. INVALID (late for arrays on a GPU) where one is not in [0, 1] or the others
 * sum to more than 1. */
GARRAY_STATUS garray_random_multinomial(garray_rng *rng, garray_operand n, const garray_t *pvals, garray_shape shape,
                                        garray_t **out);

/* How many of each color (integers, (..., k)) are in a sample of nsample, colors one after the other (NumPy's
 * method 'marginals'). INVALID (late) where nsample exceeds the sum of colors or that is 10^9 or more. */
GARRAY_STATUS garray_random_multivariate_hypergeometric(garray_rng *rng, const garray_t *colors,
                                                        garray_operand nsample, garray_shape shape, garray_t **out);

/* Vectors of gamma numbers of alpha (..., k), divided by their sums. Within 4 ULP between devices. */
GARRAY_STATUS garray_random_dirichlet(garray_rng *rng, const garray_t *alpha, garray_shape shape, garray_dtype dtype,
                                      garray_t **out);

enum {
    GARRAY_MULTIVARIATE_EIGH = 0,    /* by eigenvectors: cov may be singular */
    GARRAY_MULTIVARIATE_CHOLESKY = 1 /* by the Cholesky factor: SINGULAR unless cov is positive definite */
};

typedef struct {
    garray_dtype dtype;  /* float64 by default */
    int32_t method;      /* GARRAY_MULTIVARIATE_... */
    int32_t check_valid; /* 1: INVALID unless cov is symmetric and positive semidefinite; waits */
    int32_t reserved32;  /* zero */
    garray_operand tol;  /* of check_valid: a number, 1e-8 if not given */
    uint64_t reserved[4];
} garray_multivariate_opts;

/* Normal vectors with a mean (k) and a covariance (k, k); SHAPE otherwise. Signs of eigenvectors differ between
 * devices, and so do the draws; those by Cholesky agree to rounding. */
GARRAY_STATUS garray_random_multivariate_normal(garray_rng *rng, const garray_t *mean, const garray_t *cov,
                                                garray_shape shape, const garray_multivariate_opts *opts,
                                                garray_t **out);

/* ---- random order ----
 * Up to 1024 items are ordered by 64 random bits of each; more by a keyed bijection of 24 rounds, which needs no
 * sort: position advances by 6 blocks then. */

/* The numbers below x, int64, in random order on the device; or, of an array x, a copy in which the items along an
 * axis are. */
GARRAY_STATUS garray_random_permutation(garray_rng *rng, garray_operand x, int axis, garray_device device,
                                        garray_t **out);

/* The same within x itself. */
GARRAY_STATUS garray_random_shuffle(garray_rng *rng, garray_t *x, int axis);

/* A copy in which each line along one axis is in an order of its own (64 bits of each element are sorted); with
 * GARRAY_ALL_AXES all elements change places. */
GARRAY_STATUS garray_random_permuted(garray_rng *rng, const garray_t *x, garray_axes axis, garray_t **out);

typedef struct {
    const garray_t *p;      /* a weight for each item, or NULL: all alike. Real, on the device of the draw */
    int32_t axis;           /* of an array a */
    int32_t no_replacement; /* 1: no item twice */
    uint64_t reserved[4];
} garray_choice_opts;

/* A sample of the numbers below a (int64), or of the items of an array a along an axis, whose place the shape takes.
 * Weights are divided by their sum, so that they need not sum to 1, where NumPy wants it; INVALID, late on a GPU,
 * if one is negative or not finite, or, with replacement, if their sum is 0 or not finite. Without replacement items come in
 * random order, by weights as if drawn one after the other (Efraimidis and Spirakis), those without weight last; INVALID if
 * the shape has more elements than a. */
GARRAY_STATUS garray_random_choice(garray_rng *rng, garray_operand a, garray_shape shape,
                                   const garray_choice_opts *opts, garray_device device, garray_t **out);

/* length random bytes, uint8: those of 32-bit draws. */
GARRAY_STATUS garray_random_bytes(garray_rng *rng, int64_t length, garray_device device, garray_t **out);


/* ---- cuRAND ----
 * For programs that need the sequences of its generators: on a CUDA device alone, UNSUPPORTED on the CPU. The library
 * is opened at the first use. */
typedef enum { /* its generators */
    GARRAY_CURAND_XORWOW = 1,        /* xorshift with a Weyl sequence */
    GARRAY_CURAND_MRG32K3A = 2,      /* combined multiple recursive */
    GARRAY_CURAND_MT19937 = 3,       /* Mersenne twister */
    GARRAY_CURAND_PHILOX4X32_10 = 4, /* counted */
    GARRAY_CURAND_SOBOL32 = 5, /* scrambled */
    GARRAY_CURAND_SOBOL64 = 6, /* scrambled */
    GARRAY_CURAND_MAX_ENUM = 0x7fffffff
} garray_curand_engine;

/* A place in the sequence of an engine: the caller's, as garray_rng is. */
typedef struct {
    int32_t engine;       /* garray_curand_engine */
    int32_t dimensions;   /* Sobol's: how many, 1 to 20000; else 0 */
    uint64_t seed;        /* Sobol's have none: 0 */
    uint64_t offset;      /* numbers drawn so far, of Sobol's points */
    uint64_t reserved[2]; /* zero */
} garray_curand;

/* uint32 bits (the default; uint64 of SOBOL64, the default there), or uniform float32 or float64 numbers of (0, 1], in
 * cuRAND's legacy order, which is the same on every device. Of Sobol's engines all first coordinates come first, then all
 * second ones ...: the number of elements must be a multiple of the dimensions (SHAPE). A draw that goes on where the
 * last one of its engine, seed and dtype ended is fast; any other one sets up a generator, and MT19937 draws again what
 * came before. */
GARRAY_STATUS garray_random_curand(garray_curand *state, garray_shape shape, garray_dtype dtype, garray_device device,
                                   garray_t **out);

GARRAY_END

#ifndef __cplusplus
#define garray_random_uniform(rng, low, high, shape, dtype, device, out) \
    (garray_random_uniform)(rng, GARRAY_OPERAND(low), GARRAY_OPERAND(high), shape, dtype, device, out)
#define garray_random_normal(rng, loc, scale, shape, dtype, device, out) \
    (garray_random_normal)(rng, GARRAY_OPERAND(loc), GARRAY_OPERAND(scale), shape, dtype, device, out)
#define garray_random_integers(rng, low, high, shape, opts, device, out) \
    (garray_random_integers)(rng, GARRAY_OPERAND(low), GARRAY_OPERAND(high), shape, opts, device, out)
#define garray_random_exponential(rng, scale, shape, dtype, device, out) \
    (garray_random_exponential)(rng, GARRAY_OPERAND(scale), shape, dtype, device, out)
#define garray_random_gamma(rng, alpha, scale, shape, dtype, device, out) \
    (garray_random_gamma)(rng, GARRAY_OPERAND(alpha), GARRAY_OPERAND(scale), shape, dtype, device, out)
#define garray_random_beta(rng, a, b, shape, dtype, device, out) \
    (garray_random_beta)(rng, GARRAY_OPERAND(a), GARRAY_OPERAND(b), shape, dtype, device, out)
#define garray_random_chisquare(rng, df, shape, dtype, device, out) \
    (garray_random_chisquare)(rng, GARRAY_OPERAND(df), shape, dtype, device, out)
#define garray_random_noncentral_chisquare(rng, df, nonc, shape, dtype, device, out) \
    (garray_random_noncentral_chisquare)(rng, GARRAY_OPERAND(df), GARRAY_OPERAND(nonc), shape, dtype, \
        device, out)
#define garray_random_f(rng, dfnum, dfden, shape, dtype, device, out) \
    (garray_random_f)(rng, GARRAY_OPERAND(dfnum), GARRAY_OPERAND(dfden), shape, dtype, device, out)
#define garray_random_noncentral_f(rng, dfnum, dfden, nonc, shape, dtype, device, out) \
    (garray_random_noncentral_f)(rng, GARRAY_OPERAND(dfnum), GARRAY_OPERAND(dfden), GARRAY_OPERAND(nonc), \
        shape, dtype, device, out)
#define garray_random_standard_t(rng, df, shape, dtype, device, out) \
    (garray_random_standard_t)(rng, GARRAY_OPERAND(df), shape, dtype, device, out)
#define garray_random_laplace(rng, loc, scale, shape, dtype, device, out) \
    (garray_random_laplace)(rng, GARRAY_OPERAND(loc), GARRAY_OPERAND(scale), shape, dtype, device, out)
#define garray_random_gumbel(rng, loc, scale, shape, dtype, device, out) \
    (garray_random_gumbel)(rng, GARRAY_OPERAND(loc), GARRAY_OPERAND(scale), shape, dtype, device, out)
#define garray_random_logistic(rng, loc, scale, shape, dtype, device, out) \
    (garray_random_logistic)(rng, GARRAY_OPERAND(loc), GARRAY_OPERAND(scale), shape, dtype, device, out)
#define garray_random_pareto(rng, a, shape, dtype, device, out) \
    (garray_random_pareto)(rng, GARRAY_OPERAND(a), shape, dtype, device, out)
#define garray_random_weibull(rng, a, shape, dtype, device, out) \
    (garray_random_weibull)(rng, GARRAY_OPERAND(a), shape, dtype, device, out)
#define garray_random_power(rng, a, shape, dtype, device, out) \
    (garray_random_power)(rng, GARRAY_OPERAND(a), shape, dtype, device, out)
#define garray_random_rayleigh(rng, scale, shape, dtype, device, out) \
    (garray_random_rayleigh)(rng, GARRAY_OPERAND(scale), shape, dtype, device, out)
#define garray_random_triangular(rng, left, mode, right, shape, dtype, device, out) \
    (garray_random_triangular)(rng, GARRAY_OPERAND(left), GARRAY_OPERAND(mode), GARRAY_OPERAND(right), \
        shape, dtype, device, out)
#define garray_random_lognormal(rng, mean, sigma, shape, dtype, device, out) \
    (garray_random_lognormal)(rng, GARRAY_OPERAND(mean), GARRAY_OPERAND(sigma), shape, dtype, device, out)
#define garray_random_vonmises(rng, mu, kappa, shape, dtype, device, out) \
    (garray_random_vonmises)(rng, GARRAY_OPERAND(mu), GARRAY_OPERAND(kappa), shape, dtype, device, out)
#define garray_random_wald(rng, mean, scale, shape, dtype, device, out) \
    (garray_random_wald)(rng, GARRAY_OPERAND(mean), GARRAY_OPERAND(scale), shape, dtype, device, out)
#define garray_random_binomial(rng, n, p, shape, device, out) \
    (garray_random_binomial)(rng, GARRAY_OPERAND(n), GARRAY_OPERAND(p), shape, device, out)
#define garray_random_negative_binomial(rng, n, p, shape, device, out) \
    (garray_random_negative_binomial)(rng, GARRAY_OPERAND(n), GARRAY_OPERAND(p), shape, device, out)
#define garray_random_poisson(rng, lam, shape, device, out) \
    (garray_random_poisson)(rng, GARRAY_OPERAND(lam), shape, device, out)
#define garray_random_geometric(rng, p, shape, device, out) \
    (garray_random_geometric)(rng, GARRAY_OPERAND(p), shape, device, out)
#define garray_random_zipf(rng, a, shape, device, out) \
    (garray_random_zipf)(rng, GARRAY_OPERAND(a), shape, device, out)
#define garray_random_hypergeometric(rng, ngood, nbad, nsample, shape, device, out) \
    (garray_random_hypergeometric)(rng, GARRAY_OPERAND(ngood), GARRAY_OPERAND(nbad), \
        GARRAY_OPERAND(nsample), shape, device, out)
#define garray_random_logseries(rng, p, shape, device, out) \
    (garray_random_logseries)(rng, GARRAY_OPERAND(p), shape, device, out)
#define garray_random_multinomial(rng, n, pvals, shape, out) \
    (garray_random_multinomial)(rng, GARRAY_OPERAND(n), pvals, shape, out)
#define garray_random_multivariate_hypergeometric(rng, colors, nsample, shape, out) \
    (garray_random_multivariate_hypergeometric)(rng, colors, GARRAY_OPERAND(nsample), shape, out)
#define garray_random_permutation(rng, x, axis, device, out) \
    (garray_random_permutation)(rng, GARRAY_OPERAND(x), axis, device, out)
#define garray_random_choice(rng, a, shape, opts, device, out) \
    (garray_random_choice)(rng, GARRAY_OPERAND(a), shape, opts, device, out)
#endif

#endif
