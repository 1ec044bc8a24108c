# SPDX-License-Identifier: BSD-3-Clause
"""Shapes, joins, indexing by arrays, and products of matrices."""

import ctypes as C

from ._array import many, one
from ._binding import abi, lib, raised


def broadcast_arrays(*arrays):
    return many("broadcast_arrays", list(arrays), outputs=len(arrays))


def broadcast_to(x, /, shape):
    return one("broadcast_to", x, shape)


def broadcast_shapes(*shapes):
    given = (abi.shape * max(len(shapes), 1))()
    for i, shape in enumerate(shapes):
        given[i] = lib.argument("s", shape, None)
    lengths, result = (C.c_int64 * 64)(), abi.shape()
    with raised():
        lib.check("broadcast_shapes", len(shapes), given, lengths, C.byref(result))
    return tuple(lengths[: result.n])


def concat(arrays, /, *, axis=0):
    if axis is None:
        return one("concat", [one("ravel", x) for x in arrays], 0)
    return one("concat", arrays, axis)


def expand_dims(x, /, axis):
    return one("expand_dims", x, axis)


def flip(x, /, *, axis=None):
    return one("flip", x, axis)


def matmul(x1, x2, /):
    return one("matmul", x1, x2)


def matrix_transpose(x, /):
    return one("matrix_transpose", x)


def moveaxis(x, source, destination, /):
    return one("moveaxis", x, source, destination)


def nonzero(x, /):
    return many("nonzero", x, outputs=x.ndim)


def permute_dims(x, /, axes):
    return one("permute_dims", x, tuple(axes))


def repeat(x, repeats, /, *, axis=None):
    return one("repeat", x, repeats, axis)


def reshape(x, /, shape, *, copy=None):
    out = one("reshape", x, shape)
    if copy is True:
        return one("copy", out)
    if copy is False and x.size and address(out) != address(x):  # a view begins where x does
        raise ValueError("this shape needs a copy")
    return out


def address(x):
    pointer = C.c_void_p()
    with raised():
        lib.check("begin", x.slot(None), 1, None, C.byref(pointer))
        lib.check("end", x.slot(None), None)
    return pointer.value


def roll(x, /, shift, *, axis=None):
    shift = shift if isinstance(shift, tuple) else (shift,)
    return one("roll", x, shift, axis)


def squeeze(x, /, axis):
    return one("squeeze", x, axis)


def stack(arrays, /, *, axis=0):
    return one("stack", arrays, axis)


def take(x, indices, /, *, axis=None):
    return one("take", x, indices, axis)


def take_along_axis(x, indices, /, *, axis=-1):
    return one("take_along_axis", x, indices, axis)


def tensordot(x1, x2, /, *, axes=2):
    if isinstance(axes, int):
        return one("tensordot_n", x1, x2, axes)
    return one("tensordot", x1, x2, tuple(axes[0]), tuple(axes[1]))


def tile(x, repetitions, /):
    return one("tile", x, repetitions)


def unstack(x, /, *, axis=0):
    return many("unstack", x, axis, outputs=x.shape[axis])


def vecdot(x1, x2, /, *, axis=-1):
    return one("vecdot", x1, x2, axis)


__all__ = (
    "broadcast_arrays broadcast_to broadcast_shapes concat expand_dims flip matmul matrix_transpose moveaxis nonzero permute_dims "
    "repeat reshape roll squeeze stack take take_along_axis tensordot tile unstack vecdot"
).split()
