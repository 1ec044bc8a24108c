# SPDX-License-Identifier: BSD-3-Clause
"""What each function should give, by NumPy: the way to the right module; sorting, indexing, shapes,
creation."""

import numpy as np

import reference_create
import reference_elementwise
import reference_index
import reference_ufunc
import reference_linalg
import reference_numeric
import reference_rearrange
import reference_reduce
import reference_sets
import reference_signal
import reference_statistics
from casts import cast, dtype_of, floats, is_complex, is_inexact, promote, wide
from compare import Value, ulp
from library import LISTS, OPS, Ref


def lookup(env, value):
    """The NumPy array of a reference, or the value itself."""
    if not isinstance(value, Ref):
        return value
    x = env[value.name]
    if value.flags & 1:
        if x.ndim < 2:
            raise ValueError("matrix transpose with ndim < 2")
        x = np.swapaxes(x, -1, -2)
    return np.asarray(np.conjugate(x)) if value.flags & 2 and x.dtype.kind == "c" else x


def function_of(name):
    homes = (
        reference_reduce,
        reference_linalg,
        reference_create,
        reference_index,
        reference_numeric,
        reference_rearrange,
        reference_sets,
        reference_signal,
        reference_statistics,
        reference_ufunc,
    )
    for home in (globals(), *map(vars, homes)):
        if "do_" + name in home:
            return home["do_" + name]
    raise LookupError(name)


def evaluate(name, args, kw, env, old, count=1):
    """A list of Values.  old: the array in the out variable, which a where= leaves in part; or None."""
    resolved = [
        (
            [lookup(env, item) for item in arg]
            if isinstance(arg, list)
            else (
                tuple(lookup(env, item) for item in arg)
                if name in ("getitem", "delete", "insert") and isinstance(arg, tuple)
                else lookup(env, arg)
            )
        )
        for arg in args
    ]
    keywords = {key: lookup(env, value) for key, value in kw.items()}
    with np.errstate(all="ignore"):
        if name in OPS:
            result = reference_elementwise.evaluate(name, resolved, keywords, old)
        else:
            if name in LISTS and name != "nonzero":
                resolved.append(count)
            result = function_of(name)(*resolved, **keywords)
    return result if isinstance(result, list) else [result]


# ---- sorting ----


def ascending(x, axis):
    return np.argsort(floats(x), axis=axis, kind="stable")


def descending(x, axis):
    """Largest first, NaN before all, equal ones in their order."""
    order = ascending(np.flip(x, axis), axis)
    return np.flip(x.shape[axis] - 1 - order, axis)


def nan_last(x, order, axis):
    missing = np.take_along_axis(np.isnan(floats(x)), order, axis)
    return np.take_along_axis(order, np.argsort(missing, axis=axis, kind="stable"), axis)


def sort_order(x, axis, down):
    if not -x.ndim <= axis < x.ndim:
        raise np.exceptions.AxisError(axis, x.ndim)
    if not down:
        return ascending(x, axis)
    order = descending(x, axis)
    return nan_last(x, order, axis) if x.dtype.kind not in "biu" else order


def do_sort(x, axis, descending=0, unstable=0):
    return Value(np.take_along_axis(x, sort_order(x, axis, descending), axis), zeros=True)


def do_argsort(x, axis, descending=0, unstable=0):
    return Value(sort_order(x, axis, descending).astype(np.int64))


def do_top_k(x, k, axis, smallest=0, unsorted=0):
    if not -x.ndim <= axis < x.ndim:
        raise np.exceptions.AxisError(axis, x.ndim)
    if not 0 <= k <= x.shape[axis]:
        raise ValueError("k")
    order = ascending(x, axis) if smallest else descending(x, axis)
    order = np.take(order, np.arange(k), axis)
    return [Value(np.take_along_axis(x, order, axis), zeros=True), Value(order.astype(np.int64))]


def total_ranks(line, down):
    """Numbers that compare as the elements do, -0 below 0 and NaN last."""
    x = floats(line)
    order = np.lexsort((np.signbit(x) == 0, x)) if x.dtype.kind == "f" else np.argsort(x, kind="stable")
    arranged = x[order]
    new = arranged[1:] != arranged[:-1]
    if x.dtype.kind == "f":
        new |= np.signbit(arranged[1:]) != np.signbit(arranged[:-1])
        new &= ~np.isnan(arranged[:-1])
    ranks = np.empty(x.size, np.int64)
    ranks[order] = np.concatenate(([0], np.cumsum(new)))
    return np.where(x == x, -ranks, 1) if down else ranks


def partition_line(line, kth, down):
    ranks = total_ranks(line, down)
    limits = np.unique(np.sort(ranks)[kth])
    return np.argsort(np.searchsorted(limits, ranks, "left") + np.searchsorted(limits, ranks, "right"), kind="stable")


def partition_order(x, kth, axis, down, flat):
    if flat:
        x, axis = x.reshape(-1), 0
    if not -x.ndim <= axis < x.ndim:
        raise np.exceptions.AxisError(axis, x.ndim)
    n = x.shape[axis]
    if not x.size:
        return x, np.zeros(x.shape, np.int64), axis
    if any(not -n <= k < n for k in kth):
        raise IndexError("kth out of bounds")
    if x.dtype.kind == "c":
        return x, sort_order(x, axis, down), axis
    kth = [k % n for k in kth] or [0]
    return x, np.apply_along_axis(partition_line, axis, x, kth, down), axis


def do_partition(x, kth, axis, descending=0, flat=0):
    x, order, axis = partition_order(x, kth, axis, descending, flat)
    return Value(np.take_along_axis(x, order, axis), zeros=x.dtype.kind == "c")


def do_argpartition(x, kth, axis, descending=0, flat=0):
    return Value(partition_order(x, kth, axis, descending, flat)[1].astype(np.int64))


def do_lexsort(keys, axis):
    keys = [floats(key) for key in keys]
    if any(key.shape != keys[0].shape for key in keys):
        raise ValueError("all keys need to be the same shape")
    if len(keys) == 1:
        keys = list(keys[0])
        if not keys:
            raise ValueError("need sequence of keys with len > 0")
    return Value(np.asarray(np.lexsort(keys, axis)).astype(np.int64))


def do_sort_complex(x):
    name = x.dtype.name if x.dtype.kind == "c" else "complex64" if x.dtype.kind in "iu" and x.itemsize < 3 else "complex128"
    return Value(cast(np.take_along_axis(x, ascending(x, -1), -1), name), zeros=True)


def do_searchsorted(a, v, right=0, sorter=None):
    if a.ndim != 1:
        raise ValueError("a is not one-dimensional")
    side = "right" if right else "left"
    if isinstance(v, int) and a.dtype.kind in "iu":     # NumPy compares uint64 with int64 as float64
        a, v = a.astype(object), np.array(v, object)
    elif isinstance(v, np.ndarray):
        name = promote([a, v])
        a, v = floats(cast(a, name)), floats(cast(v, name))
    else:
        a = floats(a)
    return Value(np.asarray(np.searchsorted(a, v, side, sorter)).astype(np.int64))


# ---- indexing ----


def do_getitem(x, items):
    result = x[items]
    basic = not any(isinstance(item, np.ndarray) for item in items)
    if basic and not isinstance(result, np.ndarray):  # x[0, 0] is a number in Python, a view here
        result = x[items + (Ellipsis,)]
    return Value(result if basic else np.asarray(result), view=basic)


def do_getitem_text(x, text):
    result = eval("x[%s]" % text, {"x": x})
    if not isinstance(result, np.ndarray):
        result = eval("x[%s, ...]" % text, {"x": x})
    return Value(result, view=True)


def check_indices(indices):
    if not (isinstance(indices, np.ndarray) and indices.dtype.kind in "iu"):
        raise TypeError("indices must be integers")


def do_take(x, indices, axis):
    if isinstance(indices, np.ndarray):
        check_indices(indices)
    elif isinstance(indices, bool) or not isinstance(indices, int):
        raise TypeError("indices must be integers")
    if isinstance(axis, tuple):
        if len(axis) != 1:
            raise np.exceptions.AxisError("one axis")
        axis = axis[0]
    length = x.size if axis is None else np.moveaxis(x, axis, 0).shape[0]
    places = np.asarray(indices)
    if places.size and not (-length <= int(places.min()) and int(places.max()) < length):
        raise IndexError("out of bounds")  # NumPy does not look where the result is empty
    return Value(np.asarray(np.take(x, indices, axis=axis)))


def do_take_along_axis(x, indices, axis):
    check_indices(indices)
    return Value(np.take_along_axis(x, indices, axis))


def do_nonzero(x):
    return [Value(part) for part in np.nonzero(cast(x, "bool"))]


# ---- shapes ----


def do_reshape(x, shape):
    return Value(np.reshape(x, shape), view=True)


def do_ravel(x):
    return Value(np.reshape(x, -1), view=True)


def do_permute_dims(x, axes):
    return Value(np.permute_dims(x, axes), view=True)


def do_matrix_transpose(x):
    return Value(np.matrix_transpose(x), view=True)


def do_moveaxis(x, source, destination):
    return Value(np.moveaxis(x, source, destination), view=True)


def do_swapaxes(x, axis1, axis2):
    return Value(np.swapaxes(x, axis1, axis2), view=True)


def do_squeeze(x, axes):
    return Value(np.squeeze(x, axis=axes), view=True)


def do_expand_dims(x, axes):
    return Value(np.expand_dims(x, axes), view=True)


def do_flip(x, axes):
    return Value(np.flip(x, axes) if x.ndim or axes else x[...], view=True)


def do_broadcast_to(x, shape):
    return Value(np.broadcast_to(x, shape), view=True)


def joined(arrays):
    name = promote(arrays)
    return [cast(x, name) for x in arrays]


def do_concat(arrays, axis):
    if axis == -(2**31):  # GARRAY_FLAT
        arrays, axis = [x.ravel() for x in arrays], 0
    return Value(np.concatenate(joined(arrays), axis=axis))


def do_stack(arrays, axis):
    return Value(np.stack(joined(arrays), axis=axis))


# ---- creation and casts ----


def do_astype(x, dtype):
    return Value(cast(x, dtype))


def do_copy(x):
    return Value(x.copy())


def do_arange(start, stop, step, dtype):
    start, step = (0 if start is None else start), (1 if step is None else step)
    value = np.arange(start, stop, step)
    name = dtype or value.dtype.name
    if not is_inexact(name):
        return Value(cast(value, name))
    true = start + np.arange(value.size) * np.longdouble(step)
    error = 0.501 * ulp(true, name) + 2 * ulp(np.longdouble(max(abs(start), abs(stop))), "float64")
    return Value(cast(value, name), true, error)


def do_linspace(start, stop, num, no_endpoint=0, dtype=None, axis=0):
    if isinstance(start, np.ndarray) or isinstance(stop, np.ndarray):
        return reference_create.do_linspace_arrays(start, stop, num, no_endpoint, dtype, axis)
    value = np.linspace(start, stop, num, endpoint=not no_endpoint)
    name = dtype or value.dtype.name
    if not is_inexact(name):
        return Value(cast(np.floor(value), name))
    true = wide(value)
    scale = max(abs(start), abs(stop))
    error = 0.501 * ulp(np.abs(true), name) + 2 * ulp(np.longdouble(scale), "float64")
    return Value(cast(value, name), true, error)


def do_eye(rows, cols, k, dtype):
    return Value(cast(np.eye(rows, cols, k), dtype or "float64"))


def filled(shape, value, name):
    if isinstance(value, complex) and name and not is_complex(name):
        raise TypeError("complex to real")
    if (
        isinstance(value, int)
        and not isinstance(value, bool)
        and name
        and name[:4] in ("int8", "int1", "int3", "int6", "uint")
    ):
        np.array(value, name)  # OverflowError
    value = value if isinstance(value, np.ndarray) else np.asarray(value)
    return Value(np.broadcast_to(cast(value, name or value.dtype.name), shape).copy())


def do_zeros(shape, dtype):
    return Value(np.zeros(shape, dtype_of(dtype or "float64")))


def do_ones(shape, dtype):
    return Value(cast(np.ones(shape), dtype or "float64"))


def do_full(shape, value, dtype):
    return filled(shape, value, dtype)


def do_zeros_like(x, dtype):
    return Value(np.zeros(x.shape, dtype_of(dtype or x.dtype.name)))


def do_ones_like(x, dtype):
    return Value(cast(np.ones(x.shape), dtype or x.dtype.name))


def do_full_like(x, value, dtype):
    return filled(x.shape, value, dtype or x.dtype.name)
