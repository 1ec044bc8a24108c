/* SPDX-License-Identifier: BSD-3-Clause
 * The array handle: dtype, shape, strides and a share in a buffer.  Handles never change after they are made;
 * what they show, the buffer, does.  Everything here is for core; backends never see a handle. */
#ifndef GARRAY_CORE_ARRAY_H
#define GARRAY_CORE_ARRAY_H

#include <stdatomic.h>
#include "core/backend.h"
#include "core/buffer.h"
#include "core/device.h"
#include "core/dtype.h"
#include "core/status.h"
#include "garray/array.h"

enum {
    GARRAY__WRITEABLE = 1,
    GARRAY__CONTIGUOUS = 2,         /* C order without gaps; also when there is at most one element */
};

struct garray_t {
    _Atomic int32_t refs;
    int32_t dtype, ndim;
    uint32_t flags;
    garray__buffer *buffer;
    char *data;                     /* of element [0, ..., 0] */
    int64_t size;                   /* elements */
    int64_t shape[];                /* ndim lengths, then ndim byte strides */
};

static inline const int64_t *garray__strides(const garray_t *x)
{
    return x->shape + x->ndim;
}

static inline garray__device *garray__device_of(const garray_t *x)
{
    return x->buffer->device;
}

/* Another share of an array that is only read from. */
static inline garray_t *garray__share(const garray_t *x)
{
    return garray_retain((garray_t *)x);
}

/* A new contiguous array, its memory from the pool and not initialized.  The shape is checked: SHAPE for a negative
 * length or too many axes, NOMEM/DEVICE_NOMEM when there is no memory for it. */
garray_status garray__new(int dtype, int ndim, const int64_t *shape, garray__device *device, garray_t **out);

/* A handle on (part of) a buffer, which gains a reference.  The caller answers for the bounds. */
garray_status garray__view(garray__buffer *buffer, char *data, int dtype, int ndim, const int64_t *shape,
                           const int64_t *strides, bool writeable, garray_t **out);

/* Checked product of lengths; SHAPE if ndim or a length is out of range or the bytes do not fit PTRDIFF_MAX. */
garray_status garray__count(int ndim, const int64_t *shape, int itemsize, int64_t *count);

/* C-order byte strides of a shape. */
void garray__c_strides(int ndim, const int64_t *shape, int itemsize, int64_t *strides);

/* The lowest and one past the highest address that the array reaches; both data if it is empty. */
void garray__extent(const garray_t *x, char **low, char **high);

/* Whether the two may share an element (same buffer and touching address ranges; errs on the side of true). */
bool garray__may_overlap(const garray_t *a, const garray_t *b);

/* Whether the array's data start and steps are multiples of size, a power of two. */
bool garray__aligned_to(const garray_t *x, int size);

/* Bytes of an item, of a complex one's parts. */
int garray__part_of(int dtype);

/* Whether the array is aligned as backends want it: to its items; the host takes complex ones by their parts. */
bool garray__aligned(const garray_t *x);

/* Whether the elements lie without gaps, the first axis fastest; also when there is at most one. */
bool garray__column_major(const garray_t *x);

/* For messages: "(3, 4)" into text, which has GARRAY__SHAPE_TEXT bytes; long shapes are shortened. Returns text. */
#define GARRAY__SHAPE_TEXT 160
char *garray__shape_text(int ndim, const int64_t *shape, char *text);

/* OK if x is on the device, else a MIXED_DEVICES error that names both. */
garray_status garray__same_device(const garray__device *device, const garray_t *x);

/* NumPy's axis rule: -ndim <= axis < ndim, else an AXIS error. */
garray_status garray__axis(int axis, int ndim, int *out);

/* A list of axes as a set, each once; {0, NULL} is all of them. An AXIS error otherwise. */
garray_status garray__axis_set(garray_axes axes, int ndim, bool set[GARRAY_MAX_NDIM]);

/* ---- copies (copy.c) ---- */
/* dst[...] = src, broadcast and cast; src may overlap dst. */
garray_status garray__assign(garray_t *dst, const garray_t *src);
/* dst[...] = scalar (an operand of a scalar kind; range-checked as NumPy does). */
garray_status garray__fill(garray_t *dst, const garray_operand *value);
/* x itself (retained) if it is contiguous, aligned and of dtype (0: any), else a contiguous copy cast to dtype. */
garray_status garray__contiguous(const garray_t *x, int dtype, garray_t **out);
/* Always a new contiguous array. */
garray_status garray__copy_as(const garray_t *x, int dtype, garray_t **out);
/* A read-only view of x broadcast to a shape (SHAPE error naming both). */
garray_status garray__broadcast(const garray_t *x, int ndim, const int64_t *shape, garray_t **out);

#endif
