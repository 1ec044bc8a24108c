# SPDX-License-Identifier: BSD-3-Clause
"""Calls that make arrays of a rule: diagonals, triangles, coordinates, series."""

import numpy as np

from casts import is_complex
from draw import ALL, INTEGERS
from program import Call
from families_rearrange import apply


def diagonals(d):
    name = d.pick("diagonal trace diag diagflat tri tril triu".split())
    k = d.int(-4, 4) if d.chance(0.95) else d.pick([10**9, -(10**9), 2**63 - 1, -(2**63)])
    if name == "tri":
        return apply(d, name, d.int(0, 6), d.int(0, 6), k, d.pick(ALL))
    if name in ("diag", "diagflat") and abs(k) > 100:
        k = 1
    low = {"diagonal": 2, "trace": 2, "tril": 1, "triu": 1, "diag": 1, "diagflat": 0}[name]
    x = d.array(shape=d.shape(low if d.chance(0.95) else 0, 2 if name in ("diag", "diagflat") else 4))
    ndim = d.of(x).ndim
    if (name in ("diag", "diagflat") or ndim < 2) and d.of(x).size > 60:
        return None
    if name == "diagonal":
        return apply(d, name, x, k, d.axis(ndim), d.axis(ndim))
    if name == "trace":
        kind = d.of(x).dtype.name
        dtype = d.pick(["int16", "uint64", "float64"]) if d.chance(0.2) and kind[0] in "iub" and kind != "bfloat16" else None
        return apply(d, name, x, k, d.axis(ndim), d.axis(ndim), dtype)
    apply(d, name, x, k)


def coordinates(d):
    name = d.pick(
        "meshgrid indices_dense indices_sparse ix_ unravel_index ravel_multi_index diag_indices tril_indices triu_indices "
        "diag_indices_from tril_indices_from triu_indices_from".split()
    )
    if name == "meshgrid":
        vectors = [d.array(shape=d.shape(0, 1)) for _ in range(d.int(0, 3))]
        vectors = [v for v in vectors if d.of(v).size < 40]
        kw = {key: 1 for key in ("ij", "sparse") if d.chance(0.4)}
        return apply(d, name, vectors, count=len(vectors), **kw)
    shape = tuple(d.int(0 if d.chance(0.1) else 1, 5) for _ in range(d.int(0, 3)))
    if name == "indices_dense":
        return apply(d, name, shape, d.pick(ALL) if d.chance(0.4) else None)
    if name == "indices_sparse":
        return apply(d, name, shape, d.pick(ALL) if d.chance(0.4) else None, count=len(shape))
    if name == "ix_":
        vectors = [d.array(INTEGERS + ["bool"], (d.int(0, 6),)) for _ in range(d.int(0, 3))]
        return apply(d, name, vectors, count=len(vectors))
    if name == "diag_indices":
        return apply(d, name, d.int(0, 5), count=d.int(1, 3))
    if name in ("tril_indices", "triu_indices"):
        return apply(d, name, d.int(0, 6), d.int(0, 6), d.int(-7, 7), count=2)
    if name.endswith("_from"):
        x = d.array(shape=(d.int(0, 4),) * d.int(2, 3) if d.chance(0.7) else d.shape(0, 3))
        if name == "diag_indices_from":
            return apply(d, name, x, count=d.of(x).ndim)
        return apply(d, name, x, d.int(-7, 7), count=2)
    kw = {"column_major": 1} if d.chance(0.3) else {}
    shape = shape or (3,)

    def indices(low, high):
        kind = d.pick(INTEGERS)
        data = d.rng.integers(low, max(high, low + 1), d.shape(0, 2)) if high > low else np.zeros((0,), int)
        return d.make(np.clip(data, np.iinfo(kind).min if kind[0] == "i" else 0, np.iinfo(kind).max).astype(kind))

    if name == "unravel_index":
        low, high = (0, int(np.prod(shape))) if d.chance(0.95) else (-2, int(np.prod(shape)) + 2)
        return apply(d, name, indices(low, high), shape, count=len(shape), **kw)
    common = d.shape(0, 2)
    arrays, modes = [], tuple(d.pick([1, 2, 3]) for _ in shape)
    if d.chance(0.5):
        modes = None
    else:
        kw["modes"] = modes
    for axis, n in enumerate(shape):
        free = modes and modes[axis] > 1 or d.chance(0.02)
        low, high = (-9, 12) if free else (0, n)
        where = d.broadcastable(common)
        data = d.rng.integers(low, max(high, low + 1), where)
        kind = d.pick(["int8", "int16", "int32", "int64"] if low < 0 else INTEGERS)
        arrays.append(d.make(data.astype(kind)))
    apply(d, name, arrays, shape, **kw)


def series(d):
    name = d.pick(["linspace", "linspace", "logspace", "geomspace", "vander"])
    kinds = ["int8", "int32", "float32", "float64", "complex128"]
    if name == "vander":
        x = d.array(INTEGERS + ["float64"], (d.int(0, 5),))
        return apply(d, name, x, d.int(-1, 5), increasing=1 if d.chance(0.4) else None)
    shape = d.shape(0, 2)

    def bound():
        if d.chance(0.3):
            return d.pick([1, 2, 0.5, 3.25])
        kind = d.pick(kinds[:-1] if name != "linspace" else kinds)
        data = d.rng.integers(1, 9, d.broadcastable(shape)).astype(kind)
        if name == "geomspace" and kind != "int8" and d.chance(0.2):
            data = -data
        return d.make(data)

    ends = [bound(), bound()]
    if name == "linspace" and not any(hasattr(end, "name") for end in ends):
        return None
    kw = {"no_endpoint": 1} if d.chance(0.3) else {}
    if d.chance(0.2):
        kw["axis"] = -1
    if d.chance(0.2) and not any(hasattr(end, "name") and is_complex(d.of(end).dtype.name) for end in ends):
        kw["dtype"] = d.pick(["float32", "float64", "complex128"])
    if name == "logspace" and d.chance(0.5):
        kw["base"] = d.pick([2, 2.5, 10])
    apply(d, name, *ends, d.pick([0, 1, 2, 3, 7, 20]), **kw)


FAMILIES = {"diagonals": (diagonals, 1.5), "coordinates": (coordinates, 1.5), "series": (series, 0.7)}

__all__ = ["FAMILIES", "Call"]
