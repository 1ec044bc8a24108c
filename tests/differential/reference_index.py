# SPDX-License-Identifier: BSD-3-Clause
"""What functions that put, choose and scatter should give.  WRITERS change their first argument, a copy of the
variable, and give nothing."""

import math

import numpy as np

from casts import can_cast_same_kind, cast, promote
from compare import Value

RAISE, WRAP, CLIP = 1, 2, 3


def legal(indices, mode, length, negative=True):
    """Places from indices, as a mode makes them."""
    places = np.asarray(indices)
    if places.dtype.kind not in "iub":
        raise TypeError("indices must be integers")
    places = places.astype(object)
    if places.size and not length:
        raise IndexError("nothing to take from")
    if mode == WRAP:
        return np.asarray(places % length if places.size else places, np.int64)
    if mode == CLIP:
        return np.asarray(np.clip(places, 0, length - 1) if places.size else places, np.int64)
    low = -length if negative else 0
    if places.size and not (low <= places.min() and places.max() < length):
        raise IndexError("out of bounds")
    places = np.asarray(places, np.int64)
    return np.where(places < 0, places + length, places)


def check_integers(indices):
    if isinstance(indices, (bool, float, complex)) or (
        isinstance(indices, np.ndarray) and indices.dtype.kind not in "iu"
    ):
        raise TypeError("indices must be integers")


def do_take_mode(x, indices, axis, mode):
    check_integers(indices)
    if isinstance(axis, tuple):
        if len(axis) != 1 or not -x.ndim <= axis[0] < x.ndim:
            raise np.exceptions.AxisError("axis")
        axis = axis[0]
    length = x.size if axis is None else x.shape[axis]
    return Value(np.asarray(np.take(x, legal(indices, mode, length), axis=axis)))


def do_flatnonzero(x):
    return Value(np.flatnonzero(cast(x, "bool")))


def do_argwhere(x):
    return Value(np.argwhere(cast(x, "bool")))


def do_extract(condition, x):
    return Value(np.take(np.ravel(x), np.nonzero(np.ravel(cast(condition, "bool")))[0]))


def do_compress(condition, x, axis):
    if condition.ndim != 1:
        raise ValueError("condition must be a 1-d array")
    if isinstance(axis, tuple):
        if len(axis) != 1 or not -x.ndim <= axis[0] < x.ndim:
            raise np.exceptions.AxisError("axis")
        axis = axis[0]
    places = np.flatnonzero(cast(condition, "bool"))
    length = x.size if axis is None else x.shape[axis]
    if places.size and places.max() >= length:
        raise IndexError("out of bounds")
    return Value(np.take(x, places, axis=axis))


# ---- choices ----


def as_value(value, name):
    """A choice in the dtype of the result."""
    if isinstance(value, complex) and not name.startswith("complex"):
        raise TypeError("complex into real")
    if isinstance(value, int) and not isinstance(value, bool) and name.lstrip("u").startswith("int"):
        np.array(value, name)  # OverflowError
    return cast(np.asarray(value), name)


def do_choose(index, choices, mode):
    if index.dtype.kind not in "iub":
        raise TypeError("indices must be integers")
    name = promote(choices)
    values = np.broadcast_arrays(index, *[as_value(c, name) for c in choices])
    places = legal(values[0], mode, len(choices), negative=False)
    result = values[1].copy()
    for k, value in enumerate(values[1:]):
        result[places == k] = value[places == k]
    return Value(result)


def check_bool(conditions):
    if not conditions:
        raise ValueError("no conditions")
    if any(c.dtype.name != "bool" for c in conditions):
        raise TypeError("conditions must be bool")


def do_select(conditions, choices, otherwise):
    check_bool(conditions)
    name = promote(choices + [otherwise])
    every = np.broadcast_arrays(*conditions, *[as_value(c, name) for c in choices], as_value(otherwise, name))
    n = len(conditions)
    result = every[-1].copy()
    for condition, value in reversed(list(zip(every[:n], every[n:]))):
        result[condition] = value[condition]
    return Value(result)


def do_piecewise(x, conditions, values):
    check_bool(conditions)
    if len(values) not in (len(conditions), len(conditions) + 1):
        raise ValueError("number of values")
    every = [np.broadcast_to(as_value(v, x.dtype.name), x.shape) for v in values]
    result = every[-1].copy() if len(values) > len(conditions) else np.zeros(x.shape, x.dtype)
    for condition, value in zip(conditions, every):
        condition = np.broadcast_to(condition, x.shape)
        result[condition] = value[condition]
    return Value(result)


# ---- writers ----


def check_safe(value, name, rule):
    """Numbers cast to their kind and those above."""
    if isinstance(value, np.ndarray):
        source = value.dtype.name
        if rule == "same_kind":
            allowed = can_cast_same_kind(source, name)
        else:
            allowed = source == name or promote([value, np.zeros((), np.dtype(name))]) == name
            if {source, name} <= {"float16", "bfloat16"}:
                allowed = source == name
    else:
        order = {"b": 0, "i": 1, "u": 1, "f": 2, "V": 2, "c": 3}
        kind = np.asarray(value).dtype.kind
        allowed = order[kind] <= order[np.dtype(name).kind]
    if not allowed:
        raise TypeError("cannot cast")


def put(x, indices, values, mode):
    if isinstance(indices, (float, complex)) or isinstance(indices, bool):
        raise TypeError("indices must be integers")
    values = np.ravel(as_value(values, x.dtype.name))
    if not values.size:
        return
    places = np.ravel(legal(indices, mode, x.size))
    flat = np.ravel(x).copy()
    for k, place in enumerate(places):
        flat[place] = values[k % values.size]
    x[...] = flat.reshape(x.shape)


def put_along_axis(x, indices, values, axis):
    check_integers(indices)
    if not -x.ndim <= axis < x.ndim:
        raise np.exceptions.AxisError(axis, x.ndim)
    if x.ndim != indices.ndim:
        raise IndexError("dimensions")
    values = as_value(values, x.dtype.name)
    shape, base = list(x.shape), list(x.shape)
    axis %= x.ndim
    for i, (a, b) in enumerate(zip(x.shape, indices.shape)):
        if i == axis:
            shape[i] = b
        elif a != b and 1 not in (a, b):
            raise ValueError("shape mismatch")
        else:
            shape[i] = b if a == 1 else a
    while values.ndim > x.ndim and values.shape[0] == 1:
        values = values[0]
    values = np.broadcast_to(values, shape)
    indices = np.broadcast_to(indices, shape)
    if not values.size:
        return
    places = legal(indices, RAISE, base[axis])
    for at in np.ndindex(*shape):
        to = [0 if n == 1 else i for i, n in zip(at, base)]
        to[axis] = places[at]
        x[tuple(to)] = values[at]


def flat_mask(x, mask):
    mask = np.ravel(cast(mask, "bool"))
    if mask.size != x.size:
        raise ValueError("mask and data must be the same size")
    return mask


def putmask(x, mask, values):
    check_safe(values, x.dtype.name, "safe")
    mask, values = flat_mask(x, mask), np.ravel(as_value(values, x.dtype.name))
    if values.size:
        all_values = values[np.arange(x.size) % values.size]
        x[...] = np.where(mask, all_values, np.ravel(x)).reshape(x.shape)


def place(x, mask, values):
    check_safe(values, x.dtype.name, "safe")
    mask, values = flat_mask(x, mask), np.ravel(as_value(values, x.dtype.name))
    if not values.size:
        if mask.any():
            raise ValueError("no values")
        return
    flat = np.ravel(x).copy()
    flat[mask] = values[np.arange(mask.sum()) % values.size]
    x[...] = flat.reshape(x.shape)


def copyto(x, values, where=True, casting=0):
    if isinstance(where, np.ndarray) and where.dtype.name != "bool":
        raise TypeError("where must be bool")
    rule = {0: "same_kind", 3: "safe", 4: "same_kind", 5: "unsafe"}[casting]
    if rule != "unsafe":
        check_safe(values, x.dtype.name, rule)
    values = as_value(values, x.dtype.name)
    while values.ndim > x.ndim and values.shape[0] == 1:
        values = values[0]
    np.copyto(x, np.broadcast_to(values, x.shape).copy(), where=np.broadcast_to(where, x.shape))


def fill_diagonal(x, values, wrap=0):
    if x.ndim < 2 or x.ndim > 2 and len(set(x.shape)) > 1:
        raise ValueError("shape")
    values = np.ravel(as_value(values, x.dtype.name))
    if not values.size and x.size:
        raise ValueError("no values")  # NumPy changes nothing
    if values.size:
        np.fill_diagonal(x, values, wrap=bool(wrap))


def grouped(x, items, values):
    """For each place that is named: its number in the flattened x, and the values for it, in order."""
    numbers = np.arange(x.size).reshape(x.shape)[items]
    values = as_value(values, x.dtype.name)
    while values.ndim > numbers.ndim and values.shape[0] == 1:
        values = values[0]
    values = np.broadcast_to(values, numbers.shape)
    found = {}
    for number, value in zip(numbers.ravel().tolist(), values.ravel()):
        found.setdefault(number, []).append(value)
    return found


def exact_sum(parts):
    parts = [float(part) for part in parts]
    if all(math.isfinite(part) for part in parts):
        if not any(parts):
            return sum(parts, -0.0)
        return math.fsum(parts)
    return sum(parts)


def scatter_add(x, items, values):
    name = x.dtype.name
    for number, new in grouped(x, items, values).items():
        at = np.unravel_index(number, x.shape)
        if x.dtype.kind in "iu":
            total = sum(int(v) for v in new) + int(x[at])
            x[at] = np.array(total % 2 ** (8 * x.itemsize), "u%d" % x.itemsize).view(x.dtype)
        elif x.dtype.kind == "b":
            x[at] = x[at] or any(new)
        else:
            parts = [x[at]] + new
            total = np.float64(exact_sum(p.real if x.dtype.kind == "c" else p for p in parts))
            if x.dtype.kind == "c":
                total = complex(total, exact_sum(p.imag for p in parts))
            x[at] = cast(np.asarray(total), name)


def extreme(x, items, values, function, zero):
    for number, new in grouped(x, items, values).items():
        at = np.unravel_index(number, x.shape)
        best = x[at]
        for v in new:
            both_zero = x.dtype.kind not in "biuc" and best == 0 and v == 0
            best = zero(best, v) if both_zero else function(best, v)
        x[at] = best


def scatter_min(x, items, values):
    extreme(x, items, values, np.minimum, lambda a, b: a if np.signbit(a) else b)


def scatter_max(x, items, values):
    extreme(x, items, values, np.maximum, lambda a, b: b if np.signbit(a) else a)


WRITERS = {
    f.__name__: f
    for f in (put, put_along_axis, putmask, place, copyto, fill_diagonal, scatter_add, scatter_min, scatter_max)
}
