# SPDX-License-Identifier: BSD-3-Clause
"""What is drawn of the functions that put and choose."""

import numpy as np

import families
from casts import cast, is_complex, is_inexact
from draw import ALL, INTEGERS
from library import Ref
from program import Call


def apply(d, name, *args, count=1, **kw):
    d.call(
        Call(name, list(args), {key: value for key, value in kw.items() if value is not None}, [None] * count)
    )


def mode(d):
    return d.pick([0, 1, 2, 2, 3, 3])


def places(d, shape, length, how):
    """Indices, out of range where the mode mends that."""
    name = d.pick(INTEGERS + ["int64"] * 4)
    info = np.iinfo(name)
    low, high = (-length, length - 1) if how < 2 else (-3 * length - 2, 3 * length + 2)
    low, high = max(low, info.min), min(max(high, 0), info.max)
    data = d.rng.integers(min(low, high), high, shape, endpoint=True).astype(name)
    if how >= 2 and data.size and d.chance(0.1):
        data.flat[0] = d.pick([info.min, info.max])
    if how < 2 and data.size and d.chance(0.03):
        data.flat[-1] = min(length, info.max)
    return d.make(data)


def take_mode(d):
    x = d.array(shape=d.shape(1, 3) if d.chance(0.9) else ())
    value, how = d.of(x), mode(d)
    axis = None if d.chance(0.3) or not value.ndim else (d.axis(value.ndim),)
    inside = axis is not None and -value.ndim <= axis[0] < value.ndim
    length = value.shape[axis[0]] if inside else value.size
    apply(d, "take_mode", x, places(d, d.shape(0, 2), length, how), axis, how)


def truths(d):
    x = d.array(shape=d.shape(0, 4))
    apply(d, d.pick(["flatnonzero", "argwhere"]), x)


def selected(d):
    x = d.array(shape=d.shape(0, 3))
    value = d.of(x)
    kinds = ["bool"] if d.chance(0.7) else ALL
    if d.chance(0.4):
        shape = value.shape if d.chance(0.6) else (max(value.size + d.int(-2, 1), 0),)
        return apply(d, "extract", d.array(kinds, shape), x)
    axis = None if d.chance(0.2) or not value.ndim else (d.axis(value.ndim),)
    inside = axis is not None and -value.ndim <= axis[0] < value.ndim
    length = value.shape[axis[0]] if inside else value.size
    condition = d.array(kinds, (length if d.chance(0.7) else max(length + d.int(-2, 1), 0),))
    apply(d, "compress", condition, x, axis)


def values_for(d, shape, n):
    return [d.operand(shape) if d.chance(0.7) else d.scalar() for _ in range(n)]


def choose(d):
    shape, n, how = d.shape(0, 3), d.int(1, 5), mode(d)
    index_shape = d.broadcastable(shape)
    if d.chance(0.15):
        index = d.array(["bool"], index_shape)
    else:
        index = places(d, index_shape, n, how)
        if how < 2 and not d.chance(0.05):
            index = d.make(np.abs(d.of(index).astype(int)).clip(0, n - 1).astype(d.of(index).dtype))
    apply(d, "choose", index, values_for(d, shape, n), how)


def select(d):
    shape, n = d.shape(0, 3), d.int(1, 4)
    conditions = [d.array(["bool"] if d.chance(0.98) else ALL, d.broadcastable(shape)) for _ in range(n)]
    if d.chance(0.5):
        return apply(d, "select", conditions, values_for(d, shape, n), d.operand(shape))
    x = d.array(shape=shape)
    conditions = [d.array(["bool"], d.broadcastable(shape)[-len(shape) :]) for _ in range(n)]
    apply(d, "piecewise", x, conditions, values_for(d, shape, n + d.int(0, 1)))


def cyclic(d, x, most):
    """Values that are taken again and again."""
    if d.chance(0.3):
        return d.scalar()
    shape = d.pick([(), (1,), (0,), (d.int(1, 5),), (max(most, 1),), d.of(x).shape, (2, 3), (most + 2,)])
    return d.array([d.of(x).dtype.name] if d.chance(0.7) else ALL, shape)


def put(d):
    x = d.array(shape=d.shape(0, 3))
    how = mode(d)
    shape = d.shape(0, 2)
    indices = places(d, shape, d.of(x).size, how) if d.chance(0.9) else d.array(["bool"], shape)
    d.add(Call("put", [x, indices, cyclic(d, x, int(np.prod(shape))), how]))


def put_along_axis(d):
    x = d.array(shape=d.shape(1, 3))
    value = d.of(x)
    axis = d.int(-value.ndim, value.ndim - 1)
    shape = [1 if d.chance(0.15) else n for n in value.shape]
    shape[axis] = d.int(0, 5)
    indices = places(d, tuple(shape), value.shape[axis], 0)
    full = [b if a == 1 else a for a, b in zip(value.shape, shape)]
    full[axis] = shape[axis]
    d.add(Call("put_along_axis", [x, indices, d.operand(tuple(full)), axis]))


def masked(d):
    x = d.array(shape=d.shape(0, 3))
    value = d.of(x)
    shape = value.shape if d.chance(0.8) else (max(value.size + (d.int(-1, 1) if d.chance(0.1) else 0), 0),)
    mask = d.array(["bool"] if d.chance(0.8) else ALL, shape)
    d.add(Call(d.pick(["putmask", "place"]), [x, mask, cyclic(d, x, value.size)]))


def copyto(d):
    x = d.array(shape=d.shape(0, 3))
    shape = d.of(x).shape
    inside = d.broadcastable(shape)[-len(shape) :] if shape else ()
    kw = {}
    if d.chance(0.5):
        kw["where"] = d.array(["bool"], d.broadcastable(shape)[-len(shape) :] if shape else ())
    if d.chance(0.5):
        kw["casting"] = d.pick([3, 4, 5, 5])
    values = d.scalar() if d.chance(0.3) else d.array(ALL, (1,) + inside if d.chance(0.05) else inside)
    d.add(Call("copyto", [x, values], kw))


def fill_diagonal(d):
    n = d.int(0 if d.chance(0.2) else 1, 4)
    shape = (n,) * 3 if d.chance(0.2) else d.shape(1 if d.chance(0.1) else 2, 2)
    if len(shape) == 2 and d.chance(0.3):
        shape = (d.int(2, 9), d.int(1, 3))  # rows enough to wrap
    x = d.array(shape=shape)
    values = d.scalar() if d.chance(0.4) else d.array(ALL, d.shape(0, 2))
    d.add(Call("fill_diagonal", [x, values], {"wrap": 1} if d.chance(0.5) else {}))


def tame(d, shape, name):
    """Numbers whose sums lose nothing in any order; no zeros of either sign for complex extrema."""
    if name == "bool":
        return d.rng.random(shape) < 0.5
    data = d.rng.integers(1 if name.startswith("u") or d.chance(0.5) else -6, 7, shape)
    if name.startswith("complex"):
        data = data + 1j * d.rng.integers(1, 7, shape)
    return cast(np.where(data == 0, 1, data) / (8 if is_inexact(name) else 1), name)


def scatter(d):
    x = d.array(shape=d.shape(0, 3))
    if is_complex(d.of(x).dtype.name) or d.chance(0.5):
        x = d.make(tame(d, d.of(x).shape, d.of(x).dtype.name))
    target = d.of(x)
    items = families.items_for(d, target.shape)
    resolved = tuple(d.of(item) if isinstance(item, Ref) else item for item in items)
    try:
        shape = target[resolved].shape
    except IndexError:
        shape = ()
    name = target.dtype.name if d.chance(0.7) else d.pick(ALL)
    values = d.int(1, 3) if d.chance(0.2) else d.make(tame(d, d.broadcastable(shape), name))
    d.add(Call(d.pick(["scatter_add", "scatter_add", "scatter_min", "scatter_max"]), [x, items, values]))


FAMILIES = {
    "scatter": (scatter, 1.5),
    "take_mode": (take_mode, 0.7),
    "truths": (truths, 0.5),
    "selected": (selected, 0.8),
    "choose": (choose, 0.8),
    "select": (select, 0.8),
    "put": (put, 1),
    "put_along_axis": (put_along_axis, 0.7),
    "masked": (masked, 1),
    "copyto": (copyto, 0.8),
    "fill_diagonal": (fill_diagonal, 0.5),
}
