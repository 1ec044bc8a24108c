#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-3-Clause
"""Makes tests/golden/statistics.bin: what NumPy gives for statistics, differences and reductions without NaN.

    python3 -m pip install 'numpy>=2' ml_dtypes;  python3 tools/make_golden_statistics.py

A case is: function, block of x, its axes and three lengths, axis (or ALL), keepdims, two numbers that the function knows,
two more blocks (or -1), the block of the result, its axes and four lengths, the bound in ulp.  Floats of 16 and 32 bits
are computed in float64 and rounded once, which is what libgarray promises."""
import warnings

import numpy as np

from golden import DTYPES, Golden, numpy_dtype

ALL = -100
NAMES = ["ptp", "cumsum", "cumprod", "nansum", "nanprod", "nanmin", "nanmax", "nanmean", "nanvar", "nanstd", "nanargmin",
         "nanargmax", "nancumsum", "nancumprod", "average", "median", "nanmedian", "quantile", "percentile", "nanquantile",
         "nanpercentile", "cov", "corrcoef", "diff", "ediff1d", "gradient", "trapezoid"]
METHODS = ["inverted_cdf", "averaged_inverted_cdf", "closest_observation", "interpolated_inverted_cdf", "hazen", "weibull",
           "linear", "median_unbiased", "normal_unbiased", "lower", "higher", "midpoint", "nearest"]
PICKS = ("inverted_cdf", "closest_observation", "lower", "higher", "nearest")
QUANTILES = ("int8", "int64", "uint64", "float16", "bfloat16", "float32", "float64")
SHAPES = [(1,), (2,), (7,), (40,), (3, 4), (5, 1), (2, 3, 4)]


def kind_of(dtype):
    return "f" if dtype.name == "bfloat16" else dtype.kind


def wider(x):
    """What narrow floats are computed in."""
    if kind_of(x.dtype) == "f" and x.dtype.itemsize < 8:
        return x.astype(np.float64)
    return x.astype(np.complex128) if x.dtype.name == "complex64" else x


class Maker:
    def __init__(self):
        self.golden, self.rng = Golden(19), np.random.default_rng(11)

    def case(self, name, x, result, axis=None, keepdims=0, numbers=(0, 0), more=(), ulps=1.0, dtype=None):
        result = np.asarray(result)
        if dtype is not None:
            result = result.astype(dtype)
        axis = ALL if axis is None else axis
        blocks = [self.golden.block(np.asarray(block)) for block in more] + [-1] * (2 - len(more))
        shape, out = list(x.shape) + [0] * (3 - x.ndim), list(result.shape) + [0] * (4 - result.ndim)
        self.golden.case(NAMES.index(name), self.golden.block(x), x.ndim, *shape, axis, int(keepdims), *numbers, *blocks,
                         self.golden.block(result), result.ndim, *out, round(100 * ulps))

    def values(self, name, shape, missing=0.0):
        dtype = numpy_dtype(name)
        if name == "bool":
            return self.rng.random(shape) < 0.5
        x = self.rng.normal(size=shape) * 9
        if kind_of(dtype) == "u":
            x = np.abs(x)
        if kind_of(dtype) == "c":
            x = x + 1j * self.rng.normal(size=shape)
        if kind_of(dtype) in "fc" and missing:
            x[self.rng.random(shape) < missing] = np.nan
        return x.astype(dtype)

    def reductions(self, name, x, nan, axis, keepdims):
        """Of x, and of nan, which is x with some NaN."""
        dtype, kind = x.dtype, kind_of(x.dtype)
        kw = {"axis": axis, "keepdims": bool(keepdims)}
        w, wn = wider(x), wider(nan)
        inexact = kind in "fc"
        same = dtype if inexact else None
        real = numpy_dtype({"complex64": "float32", "complex128": "float64"}.get(name, name)) if inexact else None
        if kind != "b":
            self.case("ptp", x, np.ptp(w, **kw), axis, keepdims, dtype=dtype)
        for f in ("nansum", "nanprod"):
            self.case(f, nan, getattr(np, f)(wn, **kw), axis, keepdims, ulps=8 if inexact else 0, dtype=same)
        for f in ("nanmin", "nanmax"):
            self.case(f, nan, getattr(np, f)(wn, **kw), axis, keepdims, ulps=0, dtype=dtype)
        if kind == "c":
            # NumPy divides complex sums by complex counts
            parts = np.nanmean(np.where(np.isnan(wn), np.nan, wn.real), **kw), np.nanmean(
                np.where(np.isnan(wn), np.nan, wn.imag), **kw)
            mean = np.asarray(parts[0] + 1j * parts[1])
            mean[np.isnan(mean)] = complex(np.nan, np.nan)
            self.case("nanmean", nan, mean, axis, keepdims, ulps=8, dtype=dtype)
        else:
            self.case("nanmean", nan, np.nanmean(wn.astype(float), **kw), axis, keepdims, ulps=8 if name == "float64" else 1,
                      dtype=dtype if inexact else np.float64)
        for ddof in (0, 1):
            v = np.nanvar(wn if kind == "c" else wn.astype(float), ddof=ddof, **kw)
            if ddof and not inexact and (x.size if axis is None else x.shape[axis]) < 2:
                continue            # plain var divides by 0
            for f, value in (("nanvar", v), ("nanstd", np.sqrt(v))):
                self.case(f, nan, value, axis, keepdims, (ddof, 0), ulps=64 if real in (None, "float64") else 2,
                          dtype=real if inexact else np.float64)
        if kind != "c":
            self.case("median", x, np.median(w.astype(float), **kw), axis, keepdims, dtype=same)
            self.case("median", nan, np.median(wn.astype(float), **kw), axis, keepdims, dtype=same)
            self.case("nanmedian", nan, np.nanmedian(wn.astype(float), **kw), axis, keepdims, dtype=same)
        weights = self.rng.random(x.shape)
        self.case("average", x, np.average(w, weights=weights, **kw), axis, keepdims, more=(weights,), ulps=4000,
                  dtype=np.complex128 if kind == "c" else np.float64)

    def along(self, name, x, nan, axis):
        dtype, kind = x.dtype, kind_of(x.dtype)
        w, wn = wider(x), wider(nan)
        inexact = kind in "fc"
        same = dtype if inexact else None
        for f in ("cumsum", "cumprod", "nancumsum", "nancumprod"):
            y = nan if f.startswith("nan") else x
            if kind == "c" and f.endswith("prod") and not np.isfinite(np.nancumprod(wider(y), axis=axis)).all():
                continue
            self.case(f, y, getattr(np, f)(wider(y), axis=axis), axis, ulps=64 if inexact else 0, dtype=same)
        for f in ("nanargmin", "nanargmax"):
            try:
                self.case(f, nan, getattr(np, f)(wn, axis=axis), axis)
            except ValueError:
                pass
        if axis is None:
            return
        if dtype.itemsize >= 4 or not inexact:      # 16-bit floats round at each step
            for n in (0, 1, 2):
                self.case("diff", x, np.diff(x, n, axis), axis, numbers=(n, 0))
            self.case("diff", x, np.diff(x, 1, axis, prepend=x), axis, numbers=(1, 0), more=(x,))
        if kind in "fc" and dtype.itemsize >= 4 or kind == "i":
            for more in ((), (np.cumsum(self.rng.random(x.shape[axis])),), (np.arange(x.shape[axis]) * 2.0,)):
                if more and name not in ("float64", "int32", "complex128"):
                    continue
                self.case("trapezoid", x, np.trapezoid(x, *more, axis=axis), axis, more=more, ulps=1e4)
                for edge in (1, 2):
                    if x.shape[axis] > edge:
                        self.case("gradient", x, np.gradient(x, *more, axis=axis, edge_order=edge), axis, numbers=(edge, 0),
                                  more=more, ulps=1e6)

    def quantiles(self, name, x, nan, axis, keepdims):
        kw = {"axis": axis, "keepdims": bool(keepdims)}
        w, wn = wider(x), wider(nan)
        for number, method in enumerate(METHODS, 1):
            for q in (np.float64(0.3), np.array([0.0, 0.25, 0.5, 0.9, 1.0])):
                same = x.dtype if method in PICKS or (q.ndim == 0 and kind_of(x.dtype) == "f") else np.float64
                picks = method in PICKS
                for f, y, z, scale in (("quantile", x, w, 1), ("percentile", nan, wn, 100), ("nanquantile", nan, wn, 1),
                                       ("nanpercentile", nan, wn, 100)):
                    p = q * scale
                    result = getattr(np, f)(z, np.array(p) if picks else p, method=method, **kw)
                    self.case(f, y, result, axis, keepdims, (number, 0), more=(np.asarray(p),),
                              ulps=0 if picks else 64, dtype=same)
        weights = self.rng.integers(0, 4, x.shape).astype(float) + 0.5
        q = np.array([0.0, 0.3, 1.0])
        self.case("quantile", x, np.quantile(w, q, weights=weights, method="inverted_cdf", **kw), axis, keepdims, (1, 0),
                  more=(q, weights), ulps=0, dtype=x.dtype)

    def matrices(self, name):
        for shape in ((6,), (3, 8), (4, 3)):
            x = self.values(name, shape)
            if kind_of(x.dtype) != "c":
                x = (np.abs(x) + np.arange(shape[-1])).astype(x.dtype)      # sums that do not cancel
            w = wider(x)
            result = np.complex128 if kind_of(x.dtype) == "c" else np.float64
            frequencies, weights = self.rng.integers(1, 4, shape[-1]), self.rng.random(shape[-1]) + 0.1
            for flags in range(4):
                if flags & 1 and len(shape) == 1:
                    continue
                self.case("cov", x, np.cov(w, rowvar=not flags & 1, bias=bool(flags & 2)), numbers=(flags, ALL), ulps=1e7,
                          dtype=result)
            self.case("cov", x, np.cov(w, ddof=2), numbers=(0, 2), ulps=1e7, dtype=result)
            self.case("cov", x, np.cov(w, fweights=frequencies, aweights=weights), numbers=(0, ALL), more=(frequencies, weights),
                      ulps=1e7, dtype=result)
            self.case("corrcoef", x, np.corrcoef(w), numbers=(0, 0), ulps=1e7, dtype=result)

    def all(self):
        for name in DTYPES:
            for shape in SHAPES:
                x = self.values(name, shape)
                nan = x.copy()
                if kind_of(x.dtype) in "fc":
                    nan[self.rng.random(shape) < 0.3] = np.nan
                for axis in [None] + list(range(len(shape))):
                    self.reductions(name, x, nan, axis, int(self.rng.integers(2)))
                    self.along(name, x, nan, axis)
                if shape in ((7,), (3, 4), (2, 3, 4)) and name in QUANTILES:
                    self.quantiles(name, x, nan, int(self.rng.integers(len(shape))), int(self.rng.integers(2)))
                if name not in ("bool", "float16", "bfloat16"):
                    self.case("ediff1d", x, np.ediff1d(x))
                    self.case("ediff1d", x, np.ediff1d(x, x, x[:1]), more=(x[:1].ravel(), x))
            if name != "bool":
                self.matrices(name)
        self.golden.write("statistics", "tools/make_golden_statistics.py")


if __name__ == "__main__":
    with np.errstate(all="ignore"), warnings.catch_warnings():
        warnings.simplefilter("ignore")
        Maker().all()
