# SPDX-License-Identifier: BSD-3-Clause
"""Reductions and scans by NumPy, in a wider type where the library rounds once."""

import numpy as np

from casts import cast, floats, is_complex, is_inexact, part_of, wide
from compare import Value, by_parts, real_parts, ulp


def sum_dtype(x):
    return (
        {"b": "int64", "i": "int64", "u": "uint64"}.get(x.dtype.kind, x.dtype.name)
        if x.dtype.name != "bfloat16"
        else "bfloat16"
    )


def shared(keepdims, where, initial=None):
    kw = {"keepdims": bool(keepdims)}
    if where is not None:
        kw["where"] = where
    if initial is not None:
        kw["initial"] = initial
    return kw


def fold(x, axis, keepdims, dtype, initial, where, product):
    name = dtype or sum_dtype(x)
    kw = shared(keepdims, where, initial)
    function = np.prod if product else np.sum
    if not is_inexact(name):
        if initial is not None and not isinstance(initial, int):
            kw["initial"] = cast(np.asarray(initial), name)[()]
        return Value(function(cast(x, name), axis=axis, dtype=name, **kw))
    if initial is not None:
        kw["initial"] = wide(cast(np.asarray(initial), name))[()]
    w = wide(cast(x, name))
    true = np.asarray(function(w, axis=axis, **kw))
    step = np.finfo(np.float64).eps

    def magnitude(part):
        return np.asarray(function(np.abs(part), axis=axis, **with_absolute(kw)))

    if product:
        error = ulp(np.abs(true), name) + magnitude(w) * step * 8 * (x.size + 1)
        return Value(
            cast(true, name), true, error, skip=off_range(w, axis, keepdims) | complex_infinity(true)
        )
    # float64 sums are pairwise over blocks: log n, and the block's own length
    error = by_parts(lambda part: magnitude(part) * step * (4 + min(x.size, 64)), w)
    return Value(cast(true, name), true, add_rounding(error, true, name))


def with_absolute(kw):
    return {**kw, "initial": abs(kw["initial"])} if "initial" in kw else kw


def add_rounding(error, true, name):
    """Half a unit in the last place of each part more."""
    if isinstance(error, tuple):
        return tuple(e + 0.5001 * ulp(part, name) for e, part in zip(error, real_parts(true)))
    return error + 0.5001 * ulp(true, name)


def off_range(w, axis, keepdims):
    """Where partial products may overflow or underflow, in some order."""
    size = np.abs(w)
    logs = np.abs(np.log2(np.where((size > 0) & np.isfinite(size), size, 1)))
    return np.sum(logs, axis=axis, keepdims=bool(keepdims)) > 1000


def complex_infinity(true):
    return ~np.isfinite(true) if true.dtype.kind == "c" else np.zeros(true.shape, bool)


def do_sum(x, axis, keepdims=0, dtype=None, initial=None, where=None):
    return fold(x, axis, keepdims, dtype, initial, where, False)


def do_prod(x, axis, keepdims=0, dtype=None, initial=None, where=None):
    return fold(x, axis, keepdims, dtype, initial, where, True)


def extreme(function, x, axis, keepdims, initial, where):
    kw = shared(keepdims, where, initial)
    name = x.dtype.name
    if initial is not None and isinstance(initial, complex) and not is_complex(name):
        raise TypeError("complex initial")
    if initial is not None and (is_inexact(name) or not isinstance(initial, int)):
        kw["initial"] = floats(cast(np.asarray(initial), name))[()]
    result = function(floats(x), axis=axis, **kw)
    # Which of several complex NaNs wins depends on the order.
    skip = (
        np.isnan(result) & (np.sum(np.isnan(x), axis=axis, keepdims=bool(keepdims)) > 1)
        if is_complex(name)
        else None
    )
    return Value(cast(result, name), zeros=True, skip=skip)


def do_min(x, axis, keepdims=0, initial=None, where=None):
    return extreme(np.min, x, axis, keepdims, initial, where)


def do_max(x, axis, keepdims=0, initial=None, where=None):
    return extreme(np.max, x, axis, keepdims, initial, where)


def do_mean(x, axis, keepdims=0, dtype=None, where=None):
    name = dtype or (x.dtype.name if is_inexact(x.dtype.name) else "float64")
    w = wide(cast(x, name)) if dtype or is_inexact(x.dtype.name) else x.astype(np.longdouble)
    kw = shared(keepdims, where)
    count = np.asarray(np.sum(np.ones(x.shape, np.longdouble), axis=axis, **kw))
    true = np.asarray(np.sum(w, axis=axis, **kw)) / count
    size = np.asarray(np.sum(np.abs(w), axis=axis, **kw)) / count
    # A float64 sum that rounds at each step, a division, a rounding.
    error = 0.5001 * ulp(np.abs(true), name) + size * np.finfo(float).eps * (4 + min(x.size, 64))
    if part_of(name) == "float64":
        error = error + ulp(np.abs(true), name)
    skip = ~np.isfinite(true) if is_complex(name) else None
    return Value(cast(true, name), true, error, skip=skip)


def spread(x, axis, keepdims, dtype, correction, where, root):
    name = dtype or (x.dtype.name if is_inexact(x.dtype.name) else "float64")
    w = cast(x, name)
    w = (
        w.astype(np.clongdouble if is_complex(name) else np.longdouble)
        if name != "bfloat16"
        else w.astype(np.float32).astype(np.longdouble)
    )
    if not (dtype or is_inexact(x.dtype.name)):
        w = x.astype(np.longdouble)
    kw = shared(keepdims, where)
    true = np.asarray(np.var(w, axis=axis, ddof=correction, **kw))
    mask = {"where": where} if where is not None else {}
    rms = np.asarray(np.mean(np.abs(w) ** 2, axis=axis, keepdims=bool(keepdims), **mask))
    result = part_of(name)
    eps = np.longdouble(np.finfo(np.float64).eps)
    count = np.asarray(np.sum(np.ones(x.shape, np.longdouble), axis=axis, **kw))
    scale = np.where(count > correction, count / np.where(count > correction, count - correction, 1), 1)
    error = (true * 8 + np.sqrt(true * rms) * scale * 4 + rms * eps * (4 + min(x.size, 64)) * scale) * eps * 4
    skip = None
    if root:
        deviation = np.sqrt(true)
        error = (
            np.where(true > 0, error / (2 * np.where(true > 0, deviation, 1)), np.sqrt(error))
            + 4 * eps * deviation
        )
        true = deviation
    error = error + 0.51 * ulp(true, result)
    largest = np.finfo(np.float64).max
    if x.size:
        huge = np.max(np.where(np.isfinite(np.abs(w)), np.abs(w), 0)) if x.size else 0
        if huge > np.sqrt(largest) / 4 / max(x.size, 1):
            skip = np.ones(true.shape, bool)  # squares overflow; which ones, NumPy does not say
    return Value(cast(true, result), true, error, skip=skip)


def do_var(x, axis, keepdims=0, dtype=None, correction=0, where=None):
    return spread(x, axis, keepdims, dtype, correction, where, False)


def do_std(x, axis, keepdims=0, dtype=None, correction=0, where=None):
    return spread(x, axis, keepdims, dtype, correction, where, True)


def truth(function, x, axis, keepdims, where):
    return Value(function(cast(x, "bool"), axis=axis, **shared(keepdims, where)))


def do_any(x, axis, keepdims=0, where=None):
    return truth(np.any, x, axis, keepdims, where)


def do_all(x, axis, keepdims=0, where=None):
    return truth(np.all, x, axis, keepdims, where)


def do_count_nonzero(x, axis, keepdims=0, where=None):
    return Value(np.sum(cast(x, "bool"), axis=axis, dtype=np.int64, **shared(keepdims, where)))


def argument_of(function, x, axis, keepdims):
    if isinstance(axis, tuple):
        if len(axis) != 1:
            raise np.exceptions.AxisError("one axis")
        axis = axis[0]
        if not x.ndim:
            raise np.exceptions.AxisError(axis, 0)
    return Value(np.asarray(function(floats(x), axis=axis, keepdims=bool(keepdims)), np.int64))


def do_argmin(x, axis, keepdims=0):
    return argument_of(np.argmin, x, axis, keepdims)


def do_argmax(x, axis, keepdims=0):
    return argument_of(np.argmax, x, axis, keepdims)


# ---- scans ----


def scan_axis(x, axis):
    if axis is None:
        if x.ndim != 1:
            raise np.exceptions.AxisError("an axis is needed")
        axis = 0
    if isinstance(axis, tuple):
        if len(axis) != 1:
            raise np.exceptions.AxisError("one axis")
        axis = axis[0]
    if x.ndim == 0:
        raise np.exceptions.AxisError("no axes")
    if not -x.ndim <= axis < x.ndim:
        raise np.exceptions.AxisError(axis, x.ndim)
    return axis % x.ndim


def scan(x, axis, dtype, include_initial, product):
    name = dtype or sum_dtype(x)
    axis = scan_axis(x, axis)
    if name == "bool":
        raise TypeError("bools are no numbers")
    function = np.cumulative_prod if product else np.cumulative_sum
    kw = {"axis": axis, "include_initial": bool(include_initial)}
    if not is_inexact(name):
        return Value(function(cast(x, name), dtype=name, **kw))
    w = wide(cast(x, name))
    true, size = function(w, **kw), function(np.abs(w), **kw)
    step, length = np.finfo(float).eps, x.shape[axis] + 1
    if product:
        error = ulp(np.abs(true), name) + size * step * 4 * length
        logs = np.abs(np.log2(np.where((np.abs(w) > 0) & np.isfinite(np.abs(w)), np.abs(w), 1)))
        skip = np.cumulative_sum(logs, **kw) > 1000
        if is_complex(name):
            skip |= ~np.isfinite(true)
        return Value(cast(true, name), true, error, skip=skip)
    error = by_parts(lambda part: function(np.abs(part), **kw) * step * (4 + length), w)
    error = add_rounding(error, true, name)
    return Value(cast(true, name), true, error)


def extremum(x, name, minimum, **kw):
    """NumPy's accumulate, with what precedes all elements where it is wanted."""
    function, axis = np.minimum if minimum else np.maximum, kw["axis"]
    y = cast(x, name)
    result = cast(function.accumulate(floats(y), axis), name)
    if not kw["include_initial"]:
        return result
    if name == "bool":
        first = minimum
    elif is_inexact(name):
        first = np.inf if minimum else -np.inf
        first = complex(first, first) if is_complex(name) else first
    else:
        first = np.iinfo(name).max if minimum else np.iinfo(name).min
    shape = y.shape[:axis] + (1,) + y.shape[axis + 1 :]
    return np.concatenate((cast(np.full(shape, first), name), result), axis)


def backwards(value, axis, reverse):
    """The same along a reversed axis."""
    if not reverse:
        return value
    turn = lambda part: None if part is None else np.flip(part, axis)  # noqa: E731
    error = value.error
    error = tuple(map(turn, error)) if isinstance(error, tuple) else turn(error)
    return Value(turn(value.value), turn(value.true), error, turn(value.skip), value.zeros)


def do_cumulative(kind, x, axis, dtype, include_initial, exclusive, reverse):
    at = scan_axis(x, axis)
    if include_initial and exclusive:
        raise ValueError("both initial and exclusive")
    if reverse:
        x = np.flip(x, at)
    if exclusive and x.shape[at]:
        x, include_initial = np.take(x, np.arange(x.shape[at] - 1), at), 1
    if kind in ("sum", "prod"):
        return backwards(scan(x, axis, dtype, include_initial, kind == "prod"), at, reverse)
    name = dtype or x.dtype.name
    result = extremum(x, name, kind == "min", axis=at, include_initial=include_initial)
    return backwards(Value(result, zeros=True), at, reverse)


def do_cumulative_sum(x, axis, dtype=None, include_initial=0, exclusive=0, reverse=0):
    return do_cumulative("sum", x, axis, dtype, include_initial, exclusive, reverse)


def do_cumulative_prod(x, axis, dtype=None, include_initial=0, exclusive=0, reverse=0):
    return do_cumulative("prod", x, axis, dtype, include_initial, exclusive, reverse)


def do_cummax(x, axis, dtype=None, include_initial=0, exclusive=0, reverse=0):
    return do_cumulative("max", x, axis, dtype, include_initial, exclusive, reverse)


def do_cummin(x, axis, dtype=None, include_initial=0, exclusive=0, reverse=0):
    return do_cumulative("min", x, axis, dtype, include_initial, exclusive, reverse)
