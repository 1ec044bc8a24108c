# SPDX-License-Identifier: BSD-3-Clause
"""Calls that put elements elsewhere: more views, arrays joined and taken apart, repeated, edited, padded."""

import numpy as np

from casts import is_inexact
from draw import ALL, INTEGERS
from library import Ref, numpy_dtype
from program import Call
from reference_rearrange import PAD_MODES


def apply(d, name, *args, count=1, **kw):
    if not d.world.library.has(name):
        return
    d.call(
        Call(name, list(args), {key: value for key, value in kw.items() if value is not None}, [None] * count)
    )


def one_axis(d, ndim):
    return None if d.chance(0.25) or not ndim else (d.axis(ndim),)


def views(d):
    x = d.array()
    shape = d.of(x).shape
    ndim = len(shape)
    name = d.pick("rollaxis atleast flipud fliplr rot90 sliding_window_view view flatten".split())
    if name == "rollaxis":
        return apply(d, name, x, d.axis(ndim), d.int(-ndim, ndim))
    if name == "atleast":
        return apply(d, "atleast_%dd" % d.int(1, 3), x)
    if name in ("flipud", "fliplr", "flatten"):
        return apply(d, name, x)
    if name == "rot90":
        axes = tuple(int(a) - (ndim if d.chance(0.3) else 0) for a in d.rng.permutation(ndim)[:2])
        return apply(d, name, x, d.int(-5, 5), None if d.chance(0.3) else axes)
    if name == "view":
        # garray_from_host() packs what has gaps in NumPy: then only dtypes of the same size do on both sides
        value = d.of(x)
        kinds = [k for k in ALL if k != "bool" and (value.flags.c_contiguous or numpy_dtype(k).itemsize == value.itemsize)]
        return apply(d, name, x, d.pick(kinds))
    axes = None if d.chance(0.3) else tuple(d.int(-ndim, ndim - 1) for _ in range(d.int(1, 2))) if ndim else ()
    lengths = shape if axes is None else [shape[a] for a in axes]
    if len(lengths) and np.prod(lengths) > 300:
        lengths = [min(n, 3) for n in lengths]
    window = tuple(d.int(0 if d.chance(0.1) else min(n, 1), n + (1 if d.chance(0.03) else 0)) for n in lengths)
    apply(d, name, x, window, axes, writeable=1 if d.chance(0.3) else None)


def joining(d):
    name = d.pick("hstack vstack dstack column_stack append concat_flat".split())
    first = d.array(shape=d.shape(0, 3))
    shape = d.of(first).shape
    dtypes = ALL if d.chance(0.4) else [d.of(first).dtype.name]
    if name == "append":
        if d.chance(0.3):
            return apply(d, name, first, d.scalar(), None)
        axis = one_axis(d, len(shape))
        other = list(shape)
        if axis and -len(shape) <= axis[0] < len(shape):
            other[axis[0]] = d.length()
        return apply(d, name, first, d.array(dtypes, tuple(other)), axis)
    along = {"hstack": 1 if len(shape) > 1 else 0, "vstack": 0, "dstack": 2, "column_stack": 1}.get(name, 0)
    arrays = [first]
    for _ in range(d.int(0, 3)):
        other = list(shape)
        if along < len(shape) and (len(shape) > 1 or name == "hstack" or name == "concat_flat"):
            other[along] = d.length()
        arrays.append(d.array(dtypes, tuple(other)))
    if name == "concat_flat":
        return apply(d, "concat", arrays, -(2**31))
    apply(d, name, arrays)


def splitting(d):
    name = d.pick("split array_split split_at unstack hsplit vsplit dsplit broadcast_arrays".split())
    if name == "broadcast_arrays":
        shape = d.shape()
        arrays = [d.array(ALL, d.broadcastable(shape)) for _ in range(d.int(1, 3))]
        return apply(d, name, arrays, count=len(arrays))
    x = d.array(shape=d.shape(1, 4))
    shape = d.of(x).shape
    axis = d.axis(len(shape))
    n = shape[axis] if -len(shape) <= axis < len(shape) else 1
    parts = [k for k in range(1, 13) if n % k == 0]
    if name == "split":
        return apply(d, name, x, axis, count=d.pick(parts) if d.chance(0.95) else d.int(1, 4))
    if name == "array_split":
        return apply(d, name, x, axis, count=d.int(1, 6))
    if name == "unstack":
        return apply(d, name, x, axis, count=n) if n < 12 else None
    if name == "split_at":
        places = tuple(d.int(-n - 2, n + 2) if d.chance(0.3) else d.int(0, n) for _ in range(d.int(0, 4)))
        return apply(d, name, x, places if d.chance(0.4) else tuple(sorted(places)), axis, count=len(places) + 1)
    along = {"hsplit": 1 if len(shape) > 1 else 0, "vsplit": 0, "dsplit": 2}[name]
    n = shape[along] if along < len(shape) else 1
    apply(d, name, x, count=d.pick([k for k in range(1, 13) if n % k == 0]))


def repeats(d):
    x = d.array()
    shape = d.of(x).shape
    name = d.pick(["tile", "repeat", "resize", "roll"])
    if name == "tile":
        return apply(d, name, x, tuple(d.pick([0, 1, 1, 2, 3]) for _ in range(d.int(0, 4))))
    if name == "resize":
        return apply(d, name, x, d.shape())
    axis = one_axis(d, len(shape))
    if name == "repeat":
        if d.chance(0.4):
            return apply(d, name, x, d.int(-1 if d.chance(0.05) else 0, 4), axis)
        inside = axis is not None and -len(shape) <= axis[0] < len(shape)
        n = d.of(x).size if axis is None else shape[axis[0]] if inside else 1
        n = n if d.chance(0.95) else n + 1
        counts = d.rng.integers(-1 if d.chance(0.05) else 0, 4, n)
        kind = d.pick(INTEGERS + ["bool"])
        counts = np.abs(counts) if kind[0] in "ub" else counts
        return apply(d, name, x, d.make(counts.astype(kind)), axis)
    axes = None if d.chance(0.3) or not shape else tuple(d.axis(len(shape)) for _ in range(d.int(1, 3)))
    shifts = tuple(d.int(-9, 9) for _ in range(len(axes or (0,)))) if d.chance(0.6) else (d.int(-20, 20),)
    apply(d, name, x, shifts, axes)


def one_item(d, n, insert):
    """An index item of one axis of length n."""
    extra = 1 if insert else 0
    roll = d.rng.random()
    if roll < 0.3:
        return d.int(-n, n - 1 + extra) if n + extra and d.chance(0.95) else n + 1
    if roll < 0.6:
        bounds = [None if d.chance(0.4) else d.int(-n - 1, n + 1) for _ in range(2)]
        return slice(*bounds, d.pick([None, None, 1, 2, 3, -1, -2]))
    if roll < 0.8:
        return d.array(["bool"], (n if d.chance(0.95) else n + 1,))
    count = d.pick([0, 1, 1, 2, 3, 5]) if n else d.pick([0, 1]) * extra
    data = d.rng.integers(-n, n - 1 + extra, count, endpoint=True) if count else np.zeros(0, int)
    kind = d.pick(INTEGERS)
    data = np.where(data < 0, data + n, data) if kind[0] == "u" else data
    return d.make((data.reshape(()) if count == 1 and d.chance(0.3) else data).astype(kind))


def editing(d):
    x = d.array(shape=d.shape(0 if d.chance(0.1) else 1, 3))
    value = d.of(x)
    name = d.pick(["delete", "insert", "insert", "trim_zeros"])
    if name == "trim_zeros":
        if d.chance(0.02):
            return apply(d, name, x, "fbx", None)
        return apply(d, name, x, d.pick(["fb", "f", "b", "bf", "B"]), d.axes(value.ndim))
    axis = one_axis(d, value.ndim)
    inside = axis is not None and -value.ndim <= axis[0] < value.ndim
    n = value.size if axis is None else value.shape[axis[0]] if inside else 1
    item = one_item(d, n, name == "insert")
    if name == "delete":
        return apply(d, name, x, (item,), axis)
    shape = list((value.size,) if axis is None or not inside else value.shape)
    at = axis[0] if inside else 0
    if d.chance(0.3):
        new = d.scalar()
        if isinstance(new, complex) and value.dtype.kind != "c" or isinstance(new, int) and not -4 < new < 6:
            new = 1
    else:
        index = d.of(item) if isinstance(item, Ref) else None
        single = index is not None and index.ndim == 0 or isinstance(item, int)
        if single or index is not None and index.size == 1:
            shape[at] = d.int(0, 3)
            if single:
                shape.insert(0, shape.pop(at))
        elif isinstance(item, slice):
            shape[at] = len(range(*item.indices(n)))
        elif index is not None:
            shape[at] = int(index.sum()) if index.dtype == bool else index.size
        shape = tuple(shape)
        if d.chance(0.4):
            shape = d.broadcastable(shape)
        new = d.array([value.dtype.name] if d.chance(0.6) else [k for k in ALL if k[0] != "c"], shape)
    apply(d, name, x, (item,), new, axis)


def padding(d):
    mode = d.pick(list(PAD_MODES))
    kinds = ALL
    if mode in ("mean", "median", "linear_ramp"):
        kinds = ["int8", "uint16", "int32", "float32", "float64"]
    x = d.array(kinds, d.shape(1, 3) if d.chance(0.95) else ())
    value = d.of(x)
    most = 7 if value.size < 200 else 2
    count = d.pick([1, 2, 2 * value.ndim]) if d.chance(0.97) else 3
    widths = tuple(d.int(0, most) for _ in range(count))
    if d.chance(0.02):
        widths = widths[:-1] + (-1,)
    kw = {"mode": PAD_MODES[mode]}
    if mode in ("constant", "linear_ramp") and d.chance(0.6):
        kw["values"] = d.int(0, 5)
        if is_inexact(value.dtype.name) and d.chance(0.5):
            kw["values"] = d.pick([0.5, -3.0])
        if mode == "constant" and d.chance(0.4):
            kw["values"] = d.array([value.dtype.name], d.pick([(), (1,), (2,), (value.ndim, 2), (value.ndim, 1)]))
    if mode in ("maximum", "minimum", "mean", "median") and d.chance(0.5):
        kw["stat_length"] = tuple(d.int(1, 4) for _ in range(d.pick([1, 2, 2 * value.ndim])))
    if mode in ("reflect", "symmetric") and d.chance(0.4) and not is_inexact(value.dtype.name):
        kw["odd"] = 1
    apply(d, "pad", x, widths, **kw)


FAMILIES = {
    "more_views": (views, 2.5),
    "more_joining": (joining, 1.2),
    "splitting": (splitting, 1.5),
    "repeats": (repeats, 2),
    "editing": (editing, 2),
    "padding": (padding, 1.5),
}
