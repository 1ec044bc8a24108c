# SPDX-License-Identifier: BSD-3-Clause
"""What the methods of operations should give, by NumPy's own."""

import numpy as np

from casts import cast
from compare import Value


def ufunc(name):
    return getattr(np, name)


def do_ufunc_reduce(op, x, axes, keepdims=0, dtype=None, initial=None, where=True):
    kw = {} if initial is None else {"initial": initial}
    if isinstance(where, np.ndarray):
        kw["where"] = where
        np.broadcast_to(where, x.shape)
    if isinstance(axes, tuple) and len(set(a % max(x.ndim, 1) for a in axes)) != len(axes):
        raise ValueError("an axis twice")
    return Value(np.asarray(ufunc(op).reduce(x, axis=axes, keepdims=bool(keepdims), dtype=dtype, **kw)), zeros=True)


def do_ufunc_accumulate(op, x, axis, dtype=None):
    return Value(np.asarray(ufunc(op).accumulate(x, axis=axis, dtype=dtype)), zeros=True)


def do_ufunc_reduceat(op, x, indices, axis, dtype=None):
    return Value(np.asarray(ufunc(op).reduceat(x, indices.astype(np.int64), axis=axis, dtype=dtype)), zeros=True)


def do_ufunc_outer(op, a, b):
    if not isinstance(a, np.ndarray) and not isinstance(b, np.ndarray):
        raise ValueError("numbers alone")
    if not isinstance(b, np.ndarray):
        return Value(np.asarray(ufunc(op)(a, b)))
    return Value(np.asarray(ufunc(op).outer(a, b)))


def ufunc_at(x, op, items, b):
    if b is None:
        return ufunc(op).at(x, items)
    if isinstance(b, int) and not isinstance(b, bool):
        b = np.asarray(b, x.dtype) if x.dtype.kind != "b" else np.asarray(b)
    before = x[items]
    b = np.asarray(b)
    while b.ndim > np.ndim(before) and b.shape[0] == 1:
        b = b[0]
    b = np.broadcast_to(b, np.shape(before)).copy()
    none = [part[:0] if part.ndim else part for part in (before, b)]
    if x.dtype.kind not in "iu" or ufunc(op)(*none).dtype.kind not in "fc":
        return ufunc(op).at(x, items, b)
    # numbers that do not fit: see differences.py
    places = np.arange(x.size).reshape(x.shape)[items].ravel()
    flat = x.reshape(-1).copy()
    for place, value in zip(places, b.ravel()):
        flat[place] = cast(ufunc(op)(flat[place], value), x.dtype.name)
    x[...] = flat.reshape(x.shape)


WRITERS = {"ufunc_at": ufunc_at}
