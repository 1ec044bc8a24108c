# SPDX-License-Identifier: BSD-3-Clause
"""Products and factorizations by NumPy in double precision or wider, with the usual bounds on their
errors."""

import numpy as np

from casts import LARGEST, PRECISION, cast, is_complex, is_inexact, part_of, promote, wide
from compare import Value, ulp


class Unsure(Exception):
    """Rounding decides whether there is a result at all; the call is left out."""


def product_error(name, magnitude, length, true):
    """Of sums of so many products, each rounded, below the normal range too; 16-bit floats add in float32."""
    kind = "float32" if name in ("float16", "bfloat16") else part_of(name)
    factor = 4 if is_complex(name) else 1
    least = np.longdouble(2.0) ** PRECISION[kind][1]
    return (length + 4) * factor * (np.finfo(kind).eps * magnitude + least) + 0.51 * ulp(np.abs(true), name)


def near_top(size, name):
    """Where partial sums may overflow, in some order."""
    return ~(size < LARGEST[part_of(name)] / 4)


def do_matmul(a, b):
    if not isinstance(a, np.ndarray) and not isinstance(b, np.ndarray):
        raise ValueError("numbers")
    name = promote([a, b])
    a, b = (cast(np.asarray(x), name) for x in (a, b))
    if not is_inexact(name):
        return Value(np.asarray(np.matmul(a, b)))
    a, b = wide(a), wide(b)
    true = np.asarray(np.matmul(a, b))
    size = np.asarray(np.matmul(np.abs(a), np.abs(b)))
    return Value(
        cast(true, name), true, product_error(name, size, a.shape[-1], true), skip=near_top(size, name)
    )


def do_vecdot(a, b, axis):
    name = promote([a, b])
    if axis >= 0:
        raise np.exceptions.AxisError("negative axes only")
    a, b = (cast(np.asarray(x), name) for x in (a, b))
    if not is_inexact(name):
        return Value(np.asarray(np.vecdot(a, b, axis=axis)))
    a, b = wide(a), wide(b)
    true = np.asarray(np.vecdot(a, b, axis=axis))
    size = np.asarray(np.vecdot(np.abs(a), np.abs(b), axis=axis))
    return Value(
        cast(true, name), true, product_error(name, size, a.shape[axis], true), skip=near_top(size, name)
    )


def linear_dtype(values):
    name = promote(values)
    if any(x.dtype.name in ("float16", "bfloat16") for x in values):
        raise TypeError("16-bit floats")
    return name if is_inexact(name) else "float64"


def condition_of(x, name):
    if x.ndim < 2 or x.shape[-1] != x.shape[-2] or not x.size:
        return 1
    if not (np.any(x, axis=-1).all() and np.any(x, axis=-2).all()):
        return 1  # a row or a column of zeros: singular without doubt
    condition = np.max(np.linalg.cond(x))
    if not condition * np.finfo(name).eps * 100 < 1:
        raise Unsure
    return condition


def do_linalg_solve(a, b):
    name = linear_dtype([a, b])
    double = "complex128" if is_complex(name) else "float64"
    a, b = cast(a, name).astype(double), cast(b, name).astype(double)
    condition = condition_of(a, name)
    true = np.linalg.solve(a, b)
    error = (
        60 * (a.shape[-1] + 1) * np.finfo(name).eps * condition * (np.max(np.abs(true)) if true.size else 0)
    )
    return Value(cast(true, name), true, error + ulp(np.abs(true), name))


def triangle(x, upper):
    """The Hermitian matrix of which one triangle is read, in double precision."""
    name = linear_dtype([x])
    x = cast(x, name).astype("complex128" if is_complex(name) else "float64")
    if x.ndim < 2 or x.shape[-1] != x.shape[-2]:
        raise np.linalg.LinAlgError("square")
    part = np.triu(x) if upper else np.tril(x)
    side = np.triu(x, 1) if upper else np.tril(x, -1)
    whole = part + np.conjugate(np.swapaxes(side, -1, -2))
    for i in range(x.shape[-1]):
        whole[..., i, i] = whole[..., i, i].real
    return name, whole


def do_linalg_cholesky(x, upper=0):
    name, whole = triangle(x, upper)
    condition = condition_of(whole, name)
    true = np.linalg.cholesky(whole, upper=bool(upper))
    error = (
        60 * (x.shape[-1] + 1) * np.finfo(name).eps * condition * (np.max(np.abs(true)) if true.size else 0)
    )
    return Value(cast(true, name), true, error + ulp(np.abs(true), name))


def do_linalg_eigvalsh(x, upper=0):
    name, whole = triangle(x, upper)
    true = np.linalg.eigvalsh(whole)
    error = 60 * (x.shape[-1] + 1) * np.finfo(name).eps * (np.max(np.abs(true)) if true.size else 0)
    return Value(cast(true, part_of(name)), true, error + ulp(true, name))


def do_linalg_eigh(x, upper=0):
    """Vectors have no fixed sign: the driver looks at the residual (see `check_vectors`)."""
    values = do_linalg_eigvalsh(x, upper)
    name, whole = triangle(x, upper)
    return [values, Value(np.zeros(x.shape, name), skip=np.ones(x.shape, bool))]


def check_vectors(x, upper, values, vectors):
    """None, or why the columns are not orthonormal eigenvectors."""
    name, whole = triangle(x, upper)
    if not x.size:
        return None
    w, v = values.astype(whole.real.dtype), vectors.astype(whole.dtype)
    bound = 100 * (x.shape[-1] + 1) * np.finfo(name).eps
    residual = np.max(np.abs(whole @ v - v * w[..., None, :]))
    if not residual <= bound * max(np.max(np.abs(whole)) * x.shape[-1], np.finfo(name).tiny):
        return "A v - v w is as large as %g" % residual
    lack = np.max(np.abs(np.conjugate(np.swapaxes(v, -1, -2)) @ v - np.eye(x.shape[-1])))
    return None if lack <= bound else "the vectors are not orthonormal: %g" % lack
