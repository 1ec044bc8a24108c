#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-3-Clause
"""Makes tests/golden/histogram.bin: NumPy's histograms and counts.

    python3 -m pip install 'numpy>=2' ml_dtypes;  python3 tools/make_golden_histogram.py

A case is: function, block of x, number of bins or 0, block of edges, block of the range, block of weights, density, rule,
minimal length or digitize's right, and the blocks of up to three results, each -1 where there is none; the bound in ulp.
Weights are small
integers, so that their sums are exact in any order.  float16 takes few bins: with many of them NumPy's guess is off by more
than the one that it corrects."""
import warnings

import numpy as np

from golden import DTYPES, Golden, numpy_dtype

HISTOGRAM, BINCOUNT, HISTOGRAM2D, DIGITIZE = range(4)
RULES = ["auto", "fd", "doane", "scott", "stone", "rice", "sturges", "sqrt"]


class Maker:
    def __init__(self):
        self.golden, self.rng = Golden(13), np.random.default_rng(13)
        self.weights, self.edges = self.rng.integers(0, 9, 700).astype(float), np.sort(self.rng.normal(size=300))

    def case(self, function, x, bins, edges, span, weights, density, rule, length, results, ulps=0):
        def block(y):
            return -1 if y is None else self.golden.block(np.asarray(y))

        blocks = [block(y) for y in results] + [-1] * (3 - len(results))
        self.golden.case(function, block(x), bins, block(edges), block(span), block(weights), density, rule, length, *blocks,
                         round(100 * ulps))

    def values(self, name, n):
        dtype = numpy_dtype(name)
        if name == "bool":
            return self.rng.random(n) < 0.4
        if dtype.kind in "iu":
            info = np.iinfo(dtype)
            return self.rng.integers(max(info.min, -60), min(info.max, 99), n).astype(dtype)
        x = self.rng.normal(size=n) * 3
        x[:: 5] = np.round(x[:: 5])         # on edges
        return x.astype(dtype)

    def histogram(self, name, x):
        y = x.astype(np.float32) if name == "bfloat16" else x       # exact; even edges are then chosen so too
        bins = {"float16": (1, 7, 10), "bfloat16": (1, 8, 16)}.get(name, (1, 7, 10, 256))
        for number in bins:
            for span in ((-4.0, 4.0), (-1.5, 60.0), (0.0, 0.0), None)[: 1 if name == "bfloat16" else 4]:
                weights = self.weights[: x.size].astype(self.rng.choice(["float64", "float32", "int32", "complex128"]))
                hist, edges = np.histogram(y, number, span)
                if name == "bfloat16":
                    edges = edges.astype(x.dtype)
                self.case(HISTOGRAM, x, number, None, span, None, 0, 0, 0, (hist, edges))
                sums = np.histogram(y, number, span, weights=weights)[0]
                self.case(HISTOGRAM, x, number, None, span, weights, 0, 0, 0, (sums, edges))
                if name == "float64":
                    self.case(HISTOGRAM, x, number, None, span, None, 1, 0, 0,
                              (np.histogram(y, number, span, density=True)[0], edges), 4)
        for edges in (np.array([-3.0, -1, 0, 0, 2.5, 9]), np.linspace(-5, 5, 101), np.array([1], np.int32),
                      np.array([0, 1, 2, 7, 30], np.int64), self.edges, np.array([-2.0, -2.0])):
            weights = self.weights[: x.size]
            self.case(HISTOGRAM, x, 0, edges, None, None, 0, 0, 0, np.histogram(y, edges))
            self.case(HISTOGRAM, x, 0, edges, None, weights, 0, 0, 0, np.histogram(y, edges, weights=weights))

    def all(self):
        for name in DTYPES:
            if name.startswith("complex"):
                continue
            for n in (1, 37, 601):
                x = self.values(name, n)
                self.histogram(name, x)
                for edges in (np.array([-3.0, 0, 0, 2.5]), np.array([7, 3, 3, -1], np.int16), np.array([1.0])):
                    for right in (0, 1):
                        result = np.digitize(x.astype(np.float32) if name == "bfloat16" else x, edges, bool(right))
                        self.case(DIGITIZE, x, 0, edges, None, None, 0, 0, right, (result,))
                if numpy_dtype(name).kind in "biu" and name != "uint64":
                    y = x if name == "bool" else np.abs(x)
                    for length in (0, 5, 200):
                        weights = self.weights[:n]
                        self.case(BINCOUNT, y, 0, None, None, None, 0, 0, length, (np.bincount(y, minlength=length),))
                        self.case(BINCOUNT, y, 0, None, None, weights, 0, 0, length,
                                  (np.bincount(y, weights, minlength=length),))
                if name in ("float64", "int16"):
                    for rule, word in enumerate(RULES, 1):
                        for span in (None, (-2.0, 3.0)):
                            self.case(HISTOGRAM, x, 0, None, span, None, 0, rule, 0, np.histogram(x, word, span))
                if name in ("float64", "float32", "int32"):
                    for bins in (3, 20):
                        self.case(HISTOGRAM2D, x, bins, None, None, None, 0, 0, 0, np.histogram2d(x, x[::-1], bins))
                        edges = np.array([-3.0, 0, 0.5, 4])
                        weights = self.weights[:n]
                        self.case(HISTOGRAM2D, x, bins, edges, None, weights, 0, 0, 0,
                                  np.histogram2d(x, x[::-1], (bins, edges), weights=weights))
        empty = np.zeros(0)
        self.case(HISTOGRAM, empty, 4, None, None, None, 0, 0, 0, np.histogram(empty, 4))
        self.case(HISTOGRAM, empty, 0, None, None, None, 0, 1, 0, np.histogram(empty, "auto"))
        self.case(BINCOUNT, empty.astype(int), 0, None, None, None, 0, 0, 3, (np.bincount(empty.astype(int), minlength=3),))
        nan = np.array([0.5, np.nan, 2, np.inf, -np.inf, 1])
        self.case(HISTOGRAM, nan, 3, None, (0.0, 2.0), None, 0, 0, 0, np.histogram(nan, 3, (0, 2)))
        self.case(HISTOGRAM, nan, 0, np.array([0.0, 1, np.inf]), None, None, 0, 0, 0, np.histogram(nan, [0.0, 1, np.inf]))
        self.golden.write("histogram", "tools/make_golden_histogram.py")


if __name__ == "__main__":
    with np.errstate(all="ignore"), warnings.catch_warnings():
        warnings.simplefilter("ignore")
        Maker().all()
