# SPDX-License-Identifier: BSD-3-Clause
"""What is drawn of different elements, membership and sets."""

import numpy as np

from casts import is_complex
from draw import ALL
from program import Call


def add(d, name, args, kw, count, needed=0):
    """Results may be left out, but for the first `needed` and the last one left."""
    call = d.outs(Call(name, args, {key: value for key, value in kw.items() if value}, [None] * count))
    if not call.into:
        for i in range(needed, count):
            if d.chance(0.3) and sum(out is not None for out in call.outs) > 1:
                call.outs[i] = None
    d.add(call)


def drawn(d, shape, kinds=ALL):
    """Often with the same element many times."""
    x = d.array(kinds, shape)
    value = d.of(x)
    if value.size and d.chance(0.4):
        return d.make(d.rng.choice(value.reshape(-1)[: d.int(1, 5)], value.shape).astype(value.dtype))
    return x


def unique(d):
    x = drawn(d, d.shape(0, 3))
    value = d.of(x)
    axis = None if d.chance(0.6) or not value.ndim else (d.axis(value.ndim),)
    if axis and is_complex(value.dtype.name) and np.isnan(value).any():
        axis = None  # NumPy orders such slices by their bytes
    name = d.pick(["unique"] * 3 + ["unique_all", "unique_counts", "unique_inverse", "unique_values"])
    if name != "unique":
        count = {"unique_all": 4, "unique_values": 1}.get(name, 2)
        return add(d, name, [x], {}, count)
    add(d, name, [x, axis], {"distinct_nan": int(d.chance(0.3))}, 4)


def isin(d):
    kinds = [d.dtype()] if d.chance(0.6) else ALL
    x = drawn(d, d.shape(0, 3), kinds) if d.chance(0.9) else d.scalar()
    tests = drawn(d, d.shape(0, 2), kinds) if d.chance(0.9) or not hasattr(x, "name") else d.scalar()
    add(d, "isin", [x, tests], {"invert": int(d.chance(0.3))}, 1)


def sets(d):
    kinds = [d.dtype()] if d.chance(0.6) else ALL
    a, b = (drawn(d, d.shape(1, 2), kinds) for _ in range(2))
    name = d.pick(["intersect1d", "setdiff1d", "setxor1d", "union1d"])
    kw = {"assume_unique": int(d.chance(0.2))} if name != "union1d" else {}
    add(d, name, [a, b], kw, 3 if name == "intersect1d" else 1, needed=1)


FAMILIES = {"unique": (unique, 1.5), "isin": (isin, 1), "sets": (sets, 1)}
