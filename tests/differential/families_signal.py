# SPDX-License-Identifier: BSD-3-Clause
"""Calls of polynomials and signals."""

import numpy as np

from casts import is_complex
from draw import ALL, INTEGERS
from families_numeric import apply

EXACT = [name for name in INTEGERS if name != "uint64"] + ["bool"]  # with uint64 others become float64
REAL = [name for name in ALL if not is_complex(name)]
NUMPY_REAL = [name for name in REAL if name not in ("float16", "bfloat16")]  # which NumPy rounds at each step, or not at all


def vector(d, kinds, most=60):
    return d.array(kinds, (d.int(0 if d.chance(0.1) else 1, most),) if d.chance(0.95) else d.shape(0, 2))


def convolve(d):
    a = vector(d, ALL)
    v = vector(d, [d.of(a).dtype.name] if d.chance(0.6) else ALL, d.pick([4, 20, 60]))
    if d.chance(0.1):
        v = d.pick([2, True, 1.5, -3])
    args = [a, v] if d.chance(0.8) else [v, a]
    apply(d, d.pick(["convolve", "correlate"]), *args, mode=d.pick([None, 1, 2, 3]))


def arithmetic(d):
    name = d.pick(["polyadd", "polysub", "polymul"])
    kinds = EXACT if name == "polymul" else REAL
    a, b = vector(d, kinds, 9), vector(d, kinds, 9)
    apply(d, name, *([a, b] if d.chance(0.9) else [a, d.pick([2, 0])]))


def polyval(d):
    kinds = NUMPY_REAL
    p = vector(d, kinds, 8)
    apply(d, "polyval", p, d.array(kinds, d.shape()))


def calculus(d):
    name = d.pick(["polyder", "polyint"])
    apply(d, name, vector(d, REAL, 8), d.int(-1, 4))


def interp(d):
    n = d.int(0 if d.chance(0.1) else 1, 20)
    period = d.chance(0.15)  # then no two points may fall together: NumPy's order of such is its own
    xp = d.make(np.sort(d.rng.normal(size=n) * 4 if period else np.round(d.rng.normal(size=n) * 4, 1)))
    fp = d.array(ALL, (n if d.chance(0.95) else n + 1,))
    x = d.array(REAL, d.shape()) if d.chance(0.9) else d.array()
    kw = {name: d.pick([-1, 2.5]) for name in ("left", "right") if d.chance(0.3)}
    if period:
        kw["period"] = d.pick([3, 2.5, -1.0])
    apply(d, "interp", x, xp, fp, **kw)


def any_rank(d):
    shape = d.shape(1, 3)
    a = d.array(EXACT, shape)
    b = d.array([d.of(a).dtype.name] if d.chance(0.7) else EXACT, tuple(d.int(1, 4) for _ in shape) if d.chance(0.95) else d.shape())
    apply(d, d.pick(["signal_convolve", "signal_correlate"]), a, b, mode=d.pick([None, 1, 2, 3]))


def medfilt(d):
    x = d.array(REAL, d.shape(0, 3))
    size = tuple(d.pick([1, 3, 3, 5]) for _ in range(d.of(x).ndim if d.chance(0.5) else 1))
    apply(d, "signal_medfilt", x, size if d.chance(0.95) else (2,))


FAMILIES = {
    "convolve": (convolve, 1.5),
    "polynomial_arithmetic": (arithmetic, 0.7),
    "polyval": (polyval, 0.7),
    "polynomial_calculus": (calculus, 0.5),
    "interp": (interp, 0.7),
    "convolve_any_rank": (any_rank, 1),
    "medfilt": (medfilt, 0.7),
}
