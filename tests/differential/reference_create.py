# SPDX-License-Identifier: BSD-3-Clause
"""What calls that make arrays of a rule should give, by NumPy."""

import numpy as np

from casts import cast, part_of, promote, wide
from compare import Value, ulp


# ---- diagonals and triangles ----


def do_diagonal(x, k, axis1, axis2):
    return Value(np.diagonal(x, clamp(k), axis1, axis2), view=True)


def clamp(k):
    return max(min(k, 10**6), -(10**6))


def do_trace(x, k, axis1, axis2, dtype):
    from reference_reduce import do_sum

    diagonal = np.diagonal(x, clamp(k), axis1, axis2)
    return do_sum(diagonal, (diagonal.ndim - 1,), dtype=dtype) if dtype else do_sum(diagonal, (diagonal.ndim - 1,))


def do_diag(x, k):
    return Value(np.diag(x, k), view=x.ndim == 2)


def do_diagflat(x, k):
    return Value(np.diagflat(x, k))


def do_tri(rows, cols, k, dtype):
    return Value(cast(np.tri(rows, cols, clamp(k)), dtype))


def do_tril(x, k):
    if not x.ndim:
        raise ValueError("no axes")
    return Value(np.tril(x, clamp(k)))


def do_triu(x, k):
    if not x.ndim:
        raise ValueError("no axes")
    return Value(np.triu(x, clamp(k)))


# ---- coordinates ----


def do_meshgrid(vectors, count, ij=0, sparse=0):
    if any(v.ndim > 1 for v in vectors):
        raise ValueError("vectors")
    return [Value(g) for g in np.meshgrid(*vectors, indexing="ij" if ij else "xy", sparse=bool(sparse))]


def do_indices_dense(shape, dtype):
    return Value(cast(np.indices(shape), dtype or "int64"))


def do_indices_sparse(shape, dtype, count):
    return [Value(cast(g, dtype or "int64")) for g in np.indices(shape, sparse=True)]


def do_ix_(vectors, count):
    return [Value(g, view=v.dtype != bool) for g, v in zip(np.ix_(*vectors), vectors)]


def do_diag_indices(n, count):
    return [Value(g.copy()) for g in np.diag_indices(n, count)]


def do_tril_indices(rows, cols, k):
    return [Value(g) for g in np.tril_indices(rows, k, cols)]


def do_triu_indices(rows, cols, k):
    return [Value(g) for g in np.triu_indices(rows, k, cols)]


def do_tril_indices_from(x, k):
    return [Value(g) for g in np.tril_indices_from(x, k)]


def do_triu_indices_from(x, k):
    return [Value(g) for g in np.triu_indices_from(x, k)]


def do_diag_indices_from(x, count):
    if x.ndim < 2 or len(set(x.shape)) > 1:
        raise ValueError("shape")
    return [Value(g.copy()) for g in np.diag_indices(x.shape[0], x.ndim)]


def do_unravel_index(indices, shape, count, column_major=0):
    if indices.dtype.kind == "u":
        indices = indices.astype(np.int64)
    if indices.size and not (0 <= int(indices.min()) and int(indices.max()) < np.prod(shape)):
        raise IndexError("out of bounds")
    if not indices.size:
        return [Value(np.zeros(indices.shape, np.int64)) for _ in shape]
    return [Value(np.asarray(g)) for g in np.unravel_index(indices, shape, "F" if column_major else "C")]


def do_ravel_multi_index(arrays, shape, column_major=0, modes=None):
    modes = modes or (1,) * len(shape)
    total, step = 0, 1
    order = range(len(shape)) if column_major else reversed(range(len(shape)))
    for axis in order:
        x, n, mode = arrays[axis].astype(np.int64), shape[axis], modes[axis]
        if mode == 1 and x.size and not (0 <= int(x.min()) and int(x.max()) < n) or not n and x.size:
            raise IndexError("out of bounds")
        x = x if mode == 1 or not n else np.mod(x, n) if mode == 2 else np.clip(x, 0, n - 1)
        total = total + x * step
        step *= max(n, 1)
    return Value(np.asarray(total))


# ---- series ----


def bounds(start, stop, dtype):
    """Both as wide numbers, and the names of the dtype of computation and of the result."""
    name = promote([start, stop])
    name = name if name[0] in "fc" or name == "bfloat16" else "float64"
    return wide(np.asarray(start, "float64" if not hasattr(start, "dtype") else None)), wide(
        np.asarray(stop, "float64" if not hasattr(stop, "dtype") else None)
    ), name, dtype or name


def spaced(function, start, stop, num, no_endpoint, dtype, axis, growth, **kw):
    a, b, name, kind = bounds(start, stop, dtype)
    if a.dtype.kind in "iub":
        a = a.astype(float)
    if b.dtype.kind in "iub":
        b = b.astype(float)
    if not -max(a.ndim, b.ndim) - 1 <= axis <= max(a.ndim, b.ndim):
        raise np.exceptions.AxisError(axis, 1)
    value = function(a, b, num, endpoint=not no_endpoint, axis=axis, **kw)
    if function is np.linspace and name == kind == "float64":       # the same operations in the same order
        return Value(np.linspace(a.astype(float), b.astype(float), num, endpoint=not no_endpoint, axis=axis))
    scale = np.abs(value).max(initial=0) + np.abs(a).max(initial=0) + np.abs(b).max(initial=0)
    error = growth * ulp(np.asarray(np.longdouble(scale)), part_of(name)) + 0.51 * ulp(np.abs(value), part_of(kind))
    return Value(cast(value, kind), value, error)


def do_linspace_arrays(start, stop, num, no_endpoint=0, dtype=None, axis=0):
    return spaced(np.linspace, start, stop, num, no_endpoint, dtype, axis, 4)


def do_logspace(start, stop, num, no_endpoint=0, dtype=None, axis=0, base=10.0):
    return spaced(np.logspace, start, stop, num, no_endpoint, dtype, axis, 200, base=float(base))


def do_geomspace(start, stop, num, no_endpoint=0, dtype=None, axis=0):
    return spaced(np.geomspace, start, stop, num, no_endpoint, dtype, axis, 200)


def do_vander(x, columns, increasing=0):
    n = x.size if columns == -1 else columns
    if n < 0:
        raise ValueError("columns")
    value = np.vander(x, n, increasing=bool(increasing))
    if value.dtype.kind != "f":
        return Value(value)
    return Value(value, wide(value), 8 * ulp(np.abs(wide(value)), value.dtype.name))
