# SPDX-License-Identifier: BSD-3-Clause
"""Functions of elements that take options or have two results, by NumPy."""

import numpy as np

import reference_elementwise
from casts import LARGEST, cast, is_complex, is_inexact
from compare import Value
from library import BFLOAT16


def do_isclose(a, b, rtol=None, atol=None, equal_nan=0):
    if not isinstance(a, np.ndarray) and not isinstance(b, np.ndarray):
        raise ValueError("numbers alone")
    rtol, atol = 1e-5 if rtol is None else rtol, 1e-8 if atol is None else atol
    out = np.asarray(np.isclose(a, b, rtol, atol, equal_nan=bool(equal_nan)))
    skip = None
    if np.iscomplexobj(a) or np.iscomplexobj(b):  # the last bit of a modulus may decide
        far, limit = np.abs(np.asarray(a) - np.asarray(b)), atol + rtol * np.abs(np.asarray(b))
        skip = np.broadcast_to(np.abs(far - limit) <= 1e-5 * limit, out.shape)
    return Value(out, skip=skip)


def do_nan_to_num(x, nan=None, posinf=None, neginf=None):
    name = x.dtype.name
    if not is_inexact(name):
        return Value(x.copy())
    if name != "bfloat16":
        return Value(np.asarray(np.nan_to_num(x, nan=0.0 if nan is None else nan, posinf=posinf, neginf=neginf)))
    high = float(LARGEST["bfloat16"])
    given = [cast(np.asarray(default if value is None else value, float), name).astype(np.float32)
             for value, default in ((nan, 0.0), (posinf, high), (neginf, -high))]
    out = np.nan_to_num(x.astype(np.float32), nan=given[0], posinf=given[1], neginf=given[2])
    return Value(cast(np.asarray(out), name))


def do_real_if_close(x, tol=None):
    return Value(np.asarray(np.real_if_close(x, 100 if tol is None else tol)).copy())


def one_axis(x, axis):
    """x, flattened for None, and the axis; NumPy takes axis 0 of a number too."""
    if axis is None:
        return x.reshape(-1), 0
    if len(axis) != 1:
        raise ValueError("takes one axis")
    if not -x.ndim <= axis[0] < x.ndim:
        raise np.exceptions.AxisError(axis[0], x.ndim)
    return x, axis[0]


def do_packbits(x, axis, little=0):
    x, axis = one_axis(x, axis)
    if x.dtype.kind not in "biu":
        raise TypeError("integers or bools")
    return Value(np.packbits(x, axis, "little" if little else "big"))


def do_unpackbits(x, axis, little=0, count=None):
    x, axis = one_axis(x, axis)
    if x.dtype != np.uint8:
        raise TypeError("uint8")
    total = 8 * x.shape[axis]
    if count is not None and count < -total:
        raise ValueError("count")
    bits = np.unpackbits(x, axis=axis, bitorder="little" if little else "big")
    length = total if count is None else count if count >= 0 else total + count
    shape = list(x.shape)
    shape[axis] = length
    out = np.zeros(shape, np.uint8)
    place = [slice(None)] * x.ndim
    place[axis] = slice(0, min(length, total))
    out[tuple(place)] = bits[tuple(place)]
    return Value(out)


def do_unwrap(p, axis, period=None):
    if not -p.ndim <= axis < p.ndim:
        raise np.exceptions.AxisError(axis, p.ndim)
    return Value(np.unwrap(p, axis=axis, period=period))


def do_divmod(a, b):
    return [reference_elementwise.evaluate(op, [a, b], {}, None) for op in ("floor_divide", "remainder")]


def parts(function, x):
    if is_complex(x.dtype.name):
        raise TypeError("complex")
    first, second = function(x.astype(np.float32) if x.dtype == BFLOAT16 else x)
    first, second = np.asarray(first), np.asarray(second)
    if x.dtype == BFLOAT16:
        first, second = cast(first, "bfloat16"), second if second.dtype == np.int32 else cast(second, "bfloat16")
    return [Value(first), Value(second)]


def do_frexp(x):
    return parts(np.frexp, x)


def do_modf(x):
    return parts(np.modf, x)
