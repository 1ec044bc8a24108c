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
 * highest eight bits count the attempts of garray_random_integers(). */
typedef struct {
    uint64_t seed;
    uint64_t stream;
    uint64_t position; /* of the next block */
    uint64_t reserved; /* zero */
} garray_rng;

/* garray_rng rng = GARRAY_RNG(42); */
#ifdef __cplusplus
#define GARRAY_RNG(seed) (garray_rng{ static_cast<uint64_t>(seed), 0, 0, 0 })
#else
#define GARRAY_RNG(seed) ((garray_rng){ (seed), 0, 0, 0 })
#endif

GARRAY_BEGIN

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

/* Normal numbers, float64 by default, with mean loc and standard deviation scale, by Box and Muller:
 * elements 2 i and 2 i + 1 share block i, for every dtype; n draws advance position by n / 2, rounded up.
 * INVALID for a number scale below 0. */
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
 * attempt number, so the advance does not depend on them. */
GARRAY_STATUS garray_random_integers(garray_rng *rng, garray_operand low, garray_operand high,
                                     garray_shape shape, const garray_integers_opts *opts,
                                     garray_device device, garray_t **out);

GARRAY_END

#ifndef __cplusplus
#define garray_random_uniform(rng, low, high, shape, dtype, device, out) \
    (garray_random_uniform)(rng, GARRAY_OPERAND(low), GARRAY_OPERAND(high), shape, dtype, device, out)
#define garray_random_normal(rng, loc, scale, shape, dtype, device, out) \
    (garray_random_normal)(rng, GARRAY_OPERAND(loc), GARRAY_OPERAND(scale), shape, dtype, device, out)
#define garray_random_integers(rng, low, high, shape, opts, device, out) \
    (garray_random_integers)(rng, GARRAY_OPERAND(low), GARRAY_OPERAND(high), shape, opts, device, out)
#endif

#endif
