# SPDX-License-Identifier: BSD-3-Clause
"""What calls that put elements elsewhere should give, by NumPy."""

import numpy as np

from casts import cast, is_inexact, promote, wide
from compare import Value, ulp

PAD_MODES = {
    "constant": 1,
    "edge": 2,
    "linear_ramp": 3,
    "maximum": 4,
    "mean": 5,
    "median": 6,
    "minimum": 7,
    "reflect": 8,
    "symmetric": 9,
    "wrap": 10,
}


# ---- views ----


def do_rollaxis(x, axis, start):
    return Value(np.rollaxis(x, axis, start), view=True)


def do_atleast_1d(x):
    return Value(np.atleast_1d(x), view=True)


def do_atleast_2d(x):
    return Value(np.atleast_2d(x), view=True)


def do_atleast_3d(x):
    return Value(np.atleast_3d(x), view=True)


def do_flipud(x):
    return Value(np.flipud(x), view=True)


def do_fliplr(x):
    return Value(np.fliplr(x), view=True)


def do_rot90(x, k, axes):
    if axes is None and x.ndim < 2:
        raise ValueError("axes")
    return Value(np.rot90(x, k, (0, 1) if axes is None else axes), view=True)


def do_sliding_window_view(x, window, axes, writeable=0):
    if axes == () and x.ndim:
        raise ValueError("axes")
    view = np.lib.stride_tricks.sliding_window_view(
        x, window, None if axes in (None, ()) else axes, writeable=bool(writeable)
    )
    if not x.flags.writeable:
        view.flags.writeable = False
    return Value(view, view=True)


def do_view(x, dtype):
    if dtype == "bfloat16":
        import ml_dtypes

        dtype = ml_dtypes.bfloat16
    return Value(x.view(dtype), view=True)


def do_flatten(x):
    return Value(x.flatten())


# ---- joined and taken apart ----


def joined(arrays):
    name = promote(arrays)
    return [cast(x, name) for x in arrays]


def do_hstack(arrays):
    return Value(np.hstack(joined(arrays)))


def do_vstack(arrays):
    return Value(np.vstack(joined(arrays)))


def do_dstack(arrays):
    return Value(np.dstack(joined(arrays)))


def do_column_stack(arrays):
    return Value(np.column_stack(joined(arrays)))


def do_append(x, values, axis):
    name = promote([x, values])
    if not isinstance(values, np.ndarray) and isinstance(values, int) and np.dtype(x.dtype).kind in "iu":
        np.array(values, x.dtype)  # OverflowError
    values = cast(np.asarray(values), name)
    return Value(np.append(cast(x, name), values, None if axis is None else axis[0]))


def parts(views):
    return [Value(view, view=True) for view in views]


def check_axis(x, axis):
    if not -x.ndim <= axis < x.ndim:
        raise np.exceptions.AxisError(axis, x.ndim)


def do_split(x, axis, count):
    check_axis(x, axis)
    return parts(np.split(x, count, axis))


def do_array_split(x, axis, count):
    check_axis(x, axis)
    return parts(np.array_split(x, count, axis))


def do_split_at(x, places, axis, count):
    check_axis(x, axis)
    return parts(np.split(x, list(places), axis))


def do_unstack(x, axis, count):
    x = np.moveaxis(x, axis, 0)
    return parts(x[i, ...] for i in range(count))


def do_hsplit(x, count):
    return parts(np.hsplit(x, count))


def do_vsplit(x, count):
    return parts(np.vsplit(x, count))


def do_dsplit(x, count):
    return parts(np.dsplit(x, count))


def do_broadcast_arrays(arrays, count):
    shape = np.broadcast_shapes(*[x.shape for x in arrays])
    return parts(np.broadcast_to(x, shape) for x in arrays)


# ---- repeated and edited ----


def do_tile(x, reps):
    return Value(np.tile(x, reps).copy())


def single(axis):
    return None if axis is None else axis[0]


def do_repeat(x, repeats, axis):
    if isinstance(repeats, np.ndarray) and not np.can_cast(repeats.dtype, np.int64):
        raise TypeError("repeats")
    if np.any(np.less(repeats, 0)):
        raise ValueError("negative")  # also of nothing
    return Value(np.repeat(x, repeats, single(axis)))


def do_resize(x, shape):
    return Value(np.resize(x, shape).copy())


def do_roll(x, shifts, axes):
    return Value(np.roll(x, shifts, axes))


def do_delete(x, items, axis):
    return Value(np.delete(x, items[0], single(axis)))


def do_insert(x, items, values, axis):
    if isinstance(values, np.ndarray):
        values = cast(values, x.dtype.name)
    elif isinstance(values, complex) and x.dtype.kind != "c":
        raise TypeError("complex to real")
    elif isinstance(values, int) and x.dtype.kind in "iu":
        np.array(values, x.dtype)  # OverflowError
        values = np.asarray(values, x.dtype)
    else:
        values = cast(np.asarray(values), x.dtype.name)
    item = items[0]
    if isinstance(item, np.ndarray) and item.dtype.kind in "iu":
        item = item.astype(np.int64)  # see differences.py
    return Value(np.insert(x, item, values, single(axis)))


def do_trim_zeros(x, trim, axes):
    if trim == "fbx":
        raise ValueError("trim")  # also of nothing
    for axis in axes or ():
        check_axis(x, axis)
    return Value(np.trim_zeros(x, trim, axes) if x.ndim else x[...], view=True)


def do_pad(x, widths, mode, values=None, stat_length=None, odd=0):
    if not x.ndim and len(widths) < 3:
        return Value(x.copy())  # see differences.py
    name = {number: name for name, number in PAD_MODES.items()}[mode]

    def pairs(given):
        if len(given) not in (1, 2, 2 * x.ndim) or not x.ndim:
            raise ValueError("pairs")
        given = np.array(given)
        return np.broadcast_to(given.reshape(-1, 2) if given.size > 1 else given.reshape(1, 1), (x.ndim, 2))

    kw = {}
    if values is not None:
        if isinstance(values, np.ndarray):
            values = np.broadcast_to(values, (x.ndim, 2))
        kw["constant_values" if name == "constant" else "end_values"] = values
    if stat_length is not None:
        kw["stat_length"] = pairs(stat_length)
    if odd:
        kw["reflect_type"] = "odd"
    if isinstance(values, np.ndarray):
        result = constant_by_hand(x, pairs(widths), values)
    else:
        result = np.pad(wide(x) if name in ("mean", "median") else x, pairs(widths), name, **kw)
        result = cast(result, x.dtype.name)
    if name in ("mean", "median", "linear_ramp") and is_inexact(x.dtype.name):
        scale = np.abs(wide(x))[np.isfinite(x)].max(initial=0)
        return Value(result, wide(result), 8 * ulp(np.asarray(max(scale, abs(values or 0))), x.dtype.name))
    return Value(result, zeros=name in ("maximum", "minimum"))


def constant_by_hand(x, widths, values):
    """Values of any dtype, without a way through Python's numbers."""
    result = x
    for axis, (front, back) in enumerate(widths):
        shape = list(result.shape)
        sides = []
        for width, value in zip((front, back), values[axis]):
            shape[axis] = width
            sides.append(np.full(shape, value, x.dtype))
        result = np.concatenate([sides[0], result, sides[1]], axis)
    return result
