# SPDX-License-Identifier: BSD-3-Clause
"""What is drawn of the methods of operations: reduce, accumulate, reduceat, outer, at.  The elements are such that no
operation rounds."""

import numpy as np

import families
from casts import cast, is_complex, is_inexact
from library import Ref
from program import Call

DTYPES = ["bool", "int8", "int32", "int64", "uint8", "uint16", "uint64", "float32", "float64", "complex128"]
EXACT = ["add", "add", "multiply", "maximum", "minimum", "subtract", "logical_and", "logical_or", "logical_xor"]
REAL = EXACT + ["floor_divide", "remainder", "divide", "copysign"]
BITS = ["bitwise_and", "bitwise_or", "bitwise_xor", "bitwise_left_shift", "bitwise_right_shift", "pow"]


def tame(d, shape, name):
    if name == "bool":
        return d.rng.random(shape) < d.pick([0.2, 0.5, 0.9])
    if is_complex(name):
        return cast(d.rng.integers(-1, 2, shape) + 1j * d.rng.integers(-1, 2, shape) + 2, name)
    if is_inexact(name):
        return cast(2.0 ** d.rng.integers(-1, 2, shape) * (1 - 2 * d.rng.integers(0, 2, shape)), name)
    return d.rng.integers(0 if name.startswith("u") or d.chance(0.3) else -3, 5, shape).astype(name)


def operation(d, name):
    if name == "bool":
        return d.pick(["add", "multiply", "maximum", "minimum", "logical_and", "logical_or", "logical_xor"]
                      + BITS[:3] + ["equal", "not_equal", "less", "greater_equal"])
    if is_complex(name):
        return d.pick(["add", "subtract", "logical_and", "logical_or", "multiply"])
    return d.pick(REAL if is_inexact(name) else EXACT + ["floor_divide", "remainder"] + BITS)


def array_for(d, least=1, most=3):
    name = d.pick(DTYPES)
    op = operation(d, name)
    shape = d.shape(least, most)
    while np.prod(shape) > 300:
        shape = tuple((n + 1) // 2 for n in shape)
    x = tame(d, shape, name)
    if op == "multiply" and x.dtype.kind == "c":
        x = np.array([1, 1j, -1, -1j], name)[d.rng.integers(0, 4, shape)]
    elif op in ("multiply", "divide", "pow") and x.dtype.kind == "f":
        x = cast(np.where(x == 0, 1, x) / np.maximum(np.abs(x), 1), name)  # no product overflows
    if op == "pow" or op.endswith("shift"):
        x = np.abs(x)
    return op, d.make(x)


def reduce(d):
    op, x = array_for(d, 0)
    value = d.of(x)
    kw = {}
    if d.chance(0.3):
        kw["keepdims"] = 1
    if d.chance(0.3):
        kw["initial"] = d.chance(0.5) if value.dtype.kind == "b" else d.int(1, 2)
    if d.chance(0.25) and (value.ndim == 0 or op != "x"):
        kw["where"] = d.make(d.rng.random(d.broadcastable(value.shape)[-value.ndim :] if value.ndim else ()) < 0.6)
    if d.chance(0.15) and op in ("add", "multiply") and value.dtype.kind in "biu":
        kw["dtype"] = d.pick(["int64", "int32", "float64", "uint8"])
    axes = d.axes(value.ndim, several=d.chance(0.4))
    families.apply(d, "ufunc_reduce", op, x, axes, **kw)


def accumulate(d):
    op, x = array_for(d)
    families.apply(d, "ufunc_accumulate", op, x, d.axis(d.of(x).ndim))


def reduceat(d):
    op, x = array_for(d)
    axis = d.int(-d.of(x).ndim, d.of(x).ndim - 1)
    n = d.of(x).shape[axis]
    indices = d.rng.integers(0, max(n, 1), d.int(0, 6))
    if d.chance(0.5):
        indices.sort()
    if d.chance(0.05) and indices.size:
        indices[0] = d.pick([-1, n])
    families.apply(d, "ufunc_reduceat", op, x, d.make(indices.astype(d.pick(["int64", "int32", "uint8"]))), axis)


def outer(d):
    op, x = array_for(d, 0, 2)
    shape = d.shape(0, 2)
    while np.prod(shape) > 100:
        shape = tuple((n + 1) // 2 for n in shape)
    y = tame(d, shape, d.of(x).dtype.name)
    y = np.abs(y) if op == "pow" or op.endswith("shift") else y
    families.apply(d, "ufunc_outer", op, x, d.int(1, 3) if d.chance(0.1) else d.make(y))


def at(d):
    op, x = array_for(d, 0)
    target = d.of(x)
    items = families.items_for(d, target.shape)
    resolved = tuple(d.of(item) if isinstance(item, Ref) else item for item in items)
    try:
        shape = target[resolved].shape
    except IndexError:
        shape = ()
    if d.chance(0.2) and target.dtype.kind != "b":
        return d.add(Call("ufunc_at", [x, d.pick(["negative", "square", "logical_not"]), items, None]))
    name = target.dtype.name if d.chance(0.7) or op == "pow" else d.pick(DTYPES)
    b = np.abs(tame(d, d.broadcastable(shape), name)) if not name.startswith("c") else tame(d, (), name)
    if op in ("divide", "floor_divide", "remainder"):  # no infinity into an integer
        b = np.where(b == 0, 1, b).astype(b.dtype)
    if op.startswith("bitwise") and (b.dtype.kind not in "biu" or target.dtype.kind not in "biu"):
        op = "add"
    value = d.int(1, 3) if d.chance(0.2) else d.make(b)
    d.add(Call("ufunc_at", [x, op, items, value]))


FAMILIES = {
    "ufunc_reduce": (reduce, 1.5),
    "ufunc_accumulate": (accumulate, 1),
    "ufunc_reduceat": (reduceat, 1),
    "ufunc_outer": (outer, 0.5),
    "ufunc_at": (at, 1),
}
