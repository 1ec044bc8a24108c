# SPDX-License-Identifier: BSD-3-Clause
"""What is drawn of statistics, differences, histograms and reductions without NaN."""

import numpy as np

from draw import ALL, INTEGERS
from program import Call

REAL = [name for name in ALL if not name.startswith("complex")]
# bfloat16 is no dtype for NumPy's sorts by value here, and float16 rounds q
ORDERED = [name for name in REAL if name not in ("bool", "bfloat16")]


def apply(d, name, *args, count=1, **kw):
    kw = {key: value for key, value in kw.items() if value is not None}
    d.call(Call(name, list(args), kw, [None] * count))


def flag(d, p=0.3):
    return 1 if d.chance(p) else None


def reduction(d):
    name = d.pick(["ptp", "nansum", "nanprod", "nanmin", "nanmax", "nanmean"])
    x = d.array()
    kw = {"keepdims": flag(d)}
    if name not in ("ptp", "nanmean") and d.chance(0.2):
        kw["initial"] = d.pick([0, 1, 2])
    if name != "ptp" and d.chance(0.2) and (name not in ("nanmin", "nanmax") or "initial" in kw):
        value = d.of(x)
        kw["where"] = d.array(["bool"], d.broadcastable(value.shape)[-value.ndim :] if value.ndim else ())
    apply(d, name, x, d.axes(d.of(x).ndim), **kw)


def variance(d):
    x = d.array()
    kw = {"keepdims": flag(d)}
    if d.chance(0.3):
        kw["correction"] = d.pick([1, 0.5, 2])
    apply(d, d.pick(["nanvar", "nanstd"]), x, d.axes(d.of(x).ndim), **kw)


def place(d):
    x = d.array(REAL)
    apply(d, d.pick(["nanargmin", "nanargmax"]), x, d.axes(d.of(x).ndim, several=False), keepdims=flag(d))


def scan(d):
    x = d.array(shape=d.shape(1, 3))
    name = d.pick(["cumsum", "cumprod", "nancumsum", "nancumprod"])
    apply(d, name, x, d.axes(d.of(x).ndim, several=False))


def order(d):
    x = d.array(ORDERED, d.shape(0, 3))
    if not d.of(x).size:  # NumPy cannot shape the result
        x = d.make(d.elements((3, 2), d.pick(ORDERED)))
    axes = d.axes(d.of(x).ndim)
    if d.chance(0.4):
        return apply(d, d.pick(["median", "nanmedian"]), x, axes, keepdims=flag(d))
    name = d.pick(["quantile", "nanquantile", "percentile"])
    scale = 100 if name == "percentile" else 1
    q = d.pick([0.0, 0.25, 0.5, 0.3, 1.0]) * scale
    if d.chance(0.4):
        q = d.make(d.rng.random(d.pick([1, 3, 5])) * scale)
    apply(d, name, x, q, axes, keepdims=flag(d), method=d.int(1, 13))


def difference(d):
    x = d.array(shape=d.shape(1, 3))
    if d.chance(0.3):
        return apply(d, "ediff1d", x)
    apply(d, "diff", x, d.pick([0, 1, 1, 1, 2, 3, -1]), d.axis(d.of(x).ndim))


def histogram(d):
    x = d.array(["int8", "int32", "uint8", "float32", "float64", "int64", "uint16"])
    kw = {}
    bins = d.pick([1, 2, 7, 10, 64, 300])
    if d.chance(0.4):
        kw = {"low": d.pick([-4.0, -0.5, 0.0]), "high": d.pick([0.0, 3.0, 7.5])}
    if d.chance(0.4):
        kw, edges = {}, np.sort(d.rng.integers(-6, 12, d.int(1, 9)))
        bins = d.make(edges.astype(d.pick(["float64", "int32"])))
    apply(d, "histogram", x, bins, count=2, **kw)


def bincount(d):
    data = d.rng.integers(0, d.pick([3, 20, 100]), d.length()).astype(d.pick(INTEGERS + ["bool"]))
    if data.size and d.chance(0.05) and data.dtype.kind == "i":
        data[0] = -1
    apply(d, "bincount", d.make(data), minlength=d.pick([None, 5, 200]))


def digitize(d):
    edges = np.sort(d.rng.integers(-6, 12, d.int(1, 9)))
    edges = edges[::-1].copy() if d.chance(0.4) else edges
    x = d.array(["int8", "int64", "uint8", "float32", "float64"]) if d.chance(0.9) else 2.5
    apply(d, "digitize", x, d.make(edges.astype(d.pick(["float64", "int32", "float32"]))), right=flag(d, 0.5))


FAMILIES = {
    "nan_reduction": (reduction, 1.5),
    "nan_variance": (variance, 0.7),
    "nan_place": (place, 0.7),
    "flat_scan": (scan, 1),
    "order_statistics": (order, 2),
    "difference": (difference, 1),
    "histogram": (histogram, 1),
    "bincount": (bincount, 0.5),
    "digitize": (digitize, 0.5),
}
