/* SPDX-License-Identifier: BSD-3-Clause
 * What the files of random draws share: the steps of a call, from the caller's position to the plan and on. */
#ifndef GARRAY_CORE_RANDOM_H
#define GARRAY_CORE_RANDOM_H

#include "core/elementwise.h"
#include "core/result.h"
#include "garray/random.h"

/* One call's wishes. */
struct garray__draw {
    int ndim;
    int64_t shape[GARRAY_MAX_NDIM], count;
    uint64_t blocks;                /* that the position moves on by */
    garray__device *device;
    garray_t *param[GARRAY_RANDOM_PARAMETERS];  /* float64, contiguous; NULL: a number */
    garray_random_plan plan;
};

/* Checks rng, shape and out, and fills in all but the parameters and the blocks. */
garray_status garray__draw_open(struct garray__draw *d, const garray_rng *rng, garray_shape shape, int kind, int dtype,
                                garray_device device, garray_t **out);

/* So many blocks are used; INVALID where the sequence ends before.  By kind of draw: of 32 bits, or of 64 bits and pairs. */
garray_status garray__draw_uses(struct garray__draw *d, uint64_t blocks);
garray_status garray__draw_uses_words(struct garray__draw *d, bool narrow);

/* Runs the plan into target, contiguous and of the plan's dtype, into the caller's result, or into a fresh array. */
garray_status garray__draw_into(struct garray__draw *d, garray_t *target);
garray_status garray__draw_result(struct garray__draw *d, garray_t **out);
garray_status garray__draw_fresh(struct garray__draw *d, garray_t **out);

/* The end of every call: a success moves the position on. */
static inline garray_status garray__draw_close(garray_rng *rng, const struct garray__draw *d, garray_status st)
{
    if (st == GARRAY_OK)
        rng->position += d->blocks;
    return st;
}

/* A parameter: *number, or *array, a real one of ours on the device that broadcasts to the shape. */
garray_status garray__draw_parameter(const garray__device *device, const garray_operand *o, const char *name, double *number,
                                     garray_t **array);

/* dtype, float64 by default, must be a real float. */
garray_status garray__draw_float(garray_dtype *dtype);

/* The keys of an ORDER plan, from where it draws. */
void garray__order_keys(garray_random_plan *plan);

/* Integers between arrays (or numbers), of the dtype (distributions.c). */
garray_status garray__random_integers_between(garray_rng *rng, const garray_operand *low, const garray_operand *high,
                                              bool endpoint, garray_shape shape, garray_dtype dtype, garray_device device,
                                              garray_t **out);

/* x as dtype: 16-bit floats by way of float32, as the backends round their draws. */
garray_status garray__draw_narrow(garray_t **x, int dtype);

#endif
