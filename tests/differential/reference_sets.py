# SPDX-License-Identifier: BSD-3-Clause
"""What the functions of different elements, membership and sets should give, by NumPy's; bfloat16 as float32."""

import numpy as np

from casts import cast, floats, promote
from compare import Value


def int64(x):
    return Value(np.asarray(x).astype(np.int64))


def do_unique(x, axis, distinct_nan=0):
    if axis is not None:
        axis = axis[0]
        if not -x.ndim <= axis < x.ndim:
            raise np.exceptions.AxisError(axis, x.ndim)
    _, index, inverse, counts = np.unique(floats(x), True, True, True, axis, equal_nan=not distinct_nan)
    values = x.reshape(-1)[index] if axis is None else np.take(x, index, axis)
    return [Value(values, zeros=True), int64(index), int64(inverse), int64(counts)]


def do_unique_all(x):
    return do_unique(x, None, 1)


def do_unique_counts(x):
    return do_unique(x, None, 1)[::3]


def do_unique_inverse(x):
    return do_unique(x, None, 1)[::2]


def do_unique_values(x):
    return do_unique(x, None, 1)[:1]


def common(a, b):
    """Both in their common dtype; a number is an array of its own, but for an integer that the other's dtype holds."""
    arrays = [x for x in (a, b) if isinstance(x, np.ndarray)]
    for i, x in enumerate((a, b)):
        if not isinstance(x, np.ndarray):
            kind = arrays[0].dtype
            x = np.asarray(x)
            if kind.kind in "iu" and x.dtype.kind in "iu" and np.iinfo(kind).min <= int(x) <= np.iinfo(kind).max:
                x = x.astype(kind)
            a, b = (x, b) if i == 0 else (a, x)
    name = promote([a, b])
    return floats(cast(a, name)), floats(cast(b, name)), name


def do_isin(x, tests, invert=0):
    a, b, _ = common(x, tests)
    return Value(np.asarray(np.isin(a, b, invert=bool(invert), kind="sort")))


def do_intersect1d(a, b, assume_unique=0):
    values, first, second = np.intersect1d(floats(a), floats(b), bool(assume_unique), True)
    return [Value(cast(values, promote([a, b])), zeros=True), int64(first), int64(second)]


def do_setdiff1d(a, b, assume_unique=0):
    x, y, _ = common(a, b)
    flat = x.reshape(-1)
    index = np.arange(flat.size) if assume_unique else np.unique(floats(a).reshape(-1), True)[1]
    keep = np.isin(flat[index], y, invert=True, kind="sort")
    return Value(a.reshape(-1)[index][keep], zeros=True)


def do_setxor1d(a, b, assume_unique=0):
    x, y, name = common(a, b)
    if not assume_unique:       # NumPy takes them before it casts
        x, y = (cast(v.reshape(-1)[np.unique(floats(v).reshape(-1), True)[1]], name) for v in (a, b))
        x, y = floats(x), floats(y)
    joined = np.sort(np.concatenate((x.reshape(-1), y.reshape(-1))), kind="stable")
    if joined.size:
        edges = np.concatenate(([True], joined[1:] != joined[:-1], [True]))
        joined = joined[edges[1:] & edges[:-1]]
    return Value(cast(joined, name), zeros=True)


def do_union1d(a, b):
    x, y, name = common(a, b)
    joined = np.concatenate((x.reshape(-1), y.reshape(-1)))
    return Value(cast(joined[np.unique(joined, True)[1]], name), zeros=True)
