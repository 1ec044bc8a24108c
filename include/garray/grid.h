/* SPDX-License-Identifier: BSD-3-Clause
 * Coordinates: grids of them, and the way between an index per axis and one index into the flattened array. Lists of
 * results as in join.h. */
#ifndef GARRAY_GRID_H
#define GARRAY_GRID_H

#include <garray/device.h>
#include <garray/index.h>
#include <garray/operand.h>

GARRAY_BEGIN

typedef struct {
    int32_t ij;     /* 1: axis i of the grid belongs to vector i; by default the first two are exchanged ("xy") */
    int32_t sparse; /* 1: each result has its own axis only, and 1 for the others */
    int32_t views;  /* 1: read-only views instead of copies */
    int32_t reserved32;
    uint64_t reserved[4];
} garray_meshgrid_opts;

/* For n vectors (numbers in arrays count as vectors of one) n arrays of n axes: element [i, j, ...] of the k-th one is the
 * coordinate along axis k of that point. Dtypes stay. SHAPE for more than one axis. */
GARRAY_STATUS garray_meshgrid(garray_list vectors, const garray_meshgrid_opts *opts, int nout, garray_t **outs);

/* np.indices: an array of one axis more than the shape, result[k] having the index along axis k everywhere. int64 by
 * default. */
GARRAY_STATUS garray_indices_dense(garray_shape shape, garray_dtype dtype, garray_device device, garray_t **out);

/* The same as one array per axis, which broadcast against each other: np.indices(sparse=True). */
GARRAY_STATUS garray_indices_sparse(garray_shape shape, garray_dtype dtype, garray_device device, int nout,
                                    garray_t **outs);

/* Vectors of integers, or of bools that stand for the places of the true ones (then it waits), each along an axis of its
 * own: indices that select a rectangle, garray_getitem(x, GARRAY_AT(outs[0], outs[1]), &y). Views of integer vectors. */
GARRAY_STATUS garray_ix_(garray_list vectors, int nout, garray_t **outs);

typedef struct {
    const garray_index_mode *modes; /* garray_ravel_multi_index(): one per axis; NULL: RAISE for all */
    int32_t column_major;           /* 1: the first axis is the fastest */
    int32_t reserved32;
    uint64_t reserved[4];
} garray_multi_index_opts;

/* The indices into the flattened array of a shape, given those along its axes, one integer array each; they broadcast.
 * int64. An index out of range, also a negative one, is an INDEX error (for which it waits), unless its mode is WRAP or
 * CLIP. */
GARRAY_STATUS garray_ravel_multi_index(garray_list multi_index, garray_shape shape, const garray_multi_index_opts *opts,
                                       garray_t **out);

/* The way back: nout is the number of axes. INDEX for indices outside of the array, for which it waits. */
GARRAY_STATUS garray_unravel_index(const garray_t *indices, garray_shape shape, const garray_multi_index_opts *opts,
                                   int nout, garray_t **outs);

GARRAY_END

#endif
