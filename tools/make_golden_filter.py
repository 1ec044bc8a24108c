#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-3-Clause
"""Makes tests/golden/filter.bin: SciPy's values for the signal_ functions of signal.h.

    python3 -m pip install 'numpy>=2' scipy ml_dtypes;  python3 tools/make_golden_filter.py

Numbers are multiples of 1/8, so that sums are exact; recursive filters are computed in float64 and compared within bounds.
"""
import numpy as np
import scipy
import scipy.ndimage
from scipy import signal

from golden import DTYPES, Golden, numpy_dtype
from make_golden_signal import is_float, simple, wide

CONVOLVE, CORRELATE, CONVOLVE2D, CORRELATE2D, SEPFIR2D, LFILTER, MEDFILT, FFTCONVOLVE = range(1, 9)
MODES = ["full", "same", "valid"]
BOUNDARIES = {"fill": 1, "wrap": 2, "symm": 3}


class Maker:
    """Cases: function, three operands and their shapes (blocks; -1: none), two results and the shape of the first one,
    parameters, two flags, and the bound in hundredths of an ulp."""

    def __init__(self):
        self.golden = Golden(14)

    def case(self, function, operands, results, parameters=(), flag=0, other=0, bound=0):
        block = self.golden.block
        operands, results = (operands + [None] * 3)[:3], (results + [None])[:2]
        arrays = [-1 if x is None else block(np.asarray(x)) for x in operands + results]
        shapes = [-1 if x is None else block(np.array(np.shape(x) or (), np.int64)) for x in operands + results[:1]]
        number = block(np.array(parameters, float)) if len(parameters) else -1
        self.golden.case(function, *arrays[:3], *shapes[:3], *arrays[3:], shapes[3], number, flag, other, bound)


def array(dtype, shape, rng):
    return simple(dtype, int(np.prod(shape)), rng).reshape(shape)


def exact(function, a, b, dtype, *rest, **more):
    """In a type in which nothing is rounded; integers wrap afterwards."""
    if dtype.kind == "b":
        return function(a.astype(np.int64), b.astype(np.int64), *rest, **more) != 0
    kind = np.complex128 if dtype.kind == "c" else np.float64 if is_float(dtype) else np.int64
    out = function(a.astype(kind), b.astype(kind), *rest, **more)
    return out.astype(dtype)


def convolutions(make, rng):
    shapes = [((5,), (3,)), ((4, 7), (3, 3)), ((6, 5), (2, 4)), ((3, 4), (5, 6)), ((2, 9, 4), (2, 3, 2)), ((40, 1), (3, 1)),
              ((3, 50), (1, 5)), ((50, 3), (5, 1)), ((2, 3, 2, 5), (1, 2, 1, 3)), ((3, 300), (2, 7))]
    for name in DTYPES:
        dtype = numpy_dtype(name)
        for first, second in shapes if name in ("int8", "float32", "complex64", "float64") else shapes[1:5]:
            a, b = array(dtype, first, rng), array(dtype, second, rng)
            for flag, mode in enumerate(MODES, 1):
                make.case(CONVOLVE, [a, b], [exact(signal.convolve, a, b, dtype, mode, "direct")], flag=flag)
                make.case(CORRELATE, [a, b], [exact(signal.correlate, a, b, dtype, mode, "direct")], flag=flag)
    for name in ("float32", "int16", "complex128"):
        dtype = numpy_dtype(name)
        for first, second in (((5, 6), (3, 3)), ((4, 5), (2, 4)), ((3, 3), (5, 7))):
            a, b = array(dtype, first, rng), array(dtype, second, rng)
            for boundary, number in BOUNDARIES.items():
                for flag, mode in enumerate(MODES[:2], 1):
                    fill = 2.0 if boundary == "fill" else 0
                    parameters = (fill,) if boundary == "fill" else ()
                    for function, which in ((signal.convolve2d, CONVOLVE2D), (signal.correlate2d, CORRELATE2D)):
                        if which == CORRELATE2D and mode == "same":
                            continue
                        make.case(which, [a, b], [exact(function, a, b, dtype, mode, boundary, fill)], parameters, flag, number)


def transforms(make, rng):
    """other: the axis, -1 for all; the bound is relative to the largest item."""
    for name in ("float32", "float64", "complex64", "complex128", "int16", "float16", "bfloat16"):
        dtype = numpy_dtype(name)
        result = {"float32": np.float32, "float16": np.float32, "bfloat16": np.float32, "complex64": np.complex64,
                  "complex128": np.complex128}.get(name, np.float64)
        kind = np.complex128 if dtype.kind == "c" else np.float64
        for first, second, axis in (((30,), (7,), -1), ((5, 9), (3, 4), -1), ((4, 11), (4, 3), 1), ((9, 1), (4, 6), 0),
                                    ((3, 4), (5, 6), -1), ((2, 5, 3), (1, 2, 3), 1)):
            a, b = array(dtype, first, rng), array(dtype, second, rng)
            for flag, mode in enumerate(MODES, 1):
                if mode == "same" and axis == 0:  # SciPy cuts also the axes that broadcast
                    continue
                try:
                    out = signal.fftconvolve(a.astype(kind), b.astype(kind), mode, None if axis < 0 else axis)
                except ValueError:
                    continue
                make.case(FFTCONVOLVE, [a, b], [out.astype(result)], flag=flag, other=axis, bound=2000)


def separable(make, rng):
    for name in ("float32", "float64"):
        dtype = numpy_dtype(name)
        for shape, n, m in (((8, 9), 3, 5), ((20, 7), 7, 3), ((5, 5), 1, 5)):
            x, row, column = array(dtype, shape, rng), array(dtype, (n,), rng), array(dtype, (m,), rng)
            row, column = row + row[::-1], column + column[::-1]
            true = scipy.ndimage.convolve1d(scipy.ndimage.convolve1d(x.astype(float), row.astype(float), 1, mode="mirror"),
                                            column.astype(float), 0, mode="mirror")
            make.case(SEPFIR2D, [x, row, column], [true.astype(dtype)])


def recursive(make, rng):
    filters = [([1.0, 0.5, 0.25], [1.0]), ([0.5], [2.0, -1.0, 0.25]), signal.butter(3, 0.2), signal.butter(8, 0.6), ([3.0], [2.0]),
               (np.ones(20) / 16, [1.0, 0.5]), ([1.0], np.concatenate([[1.0], np.full(12, 0.05)]))]
    for name in ("float32", "float64", "complex64", "complex128", "int32", "float16"):
        dtype = numpy_dtype(name)
        for b, a in filters:
            shapes = (((40,), -1), ((3, 30), 1), ((30, 3), 0), ((2, 20, 9), 1), ((17, 33), -1))
            for shape, axis in shapes if name == "float32" else shapes[1:3] if name == "complex128" else shapes[:1]:
                x = array(dtype, shape, rng)
                out = {"float32": np.float32, "float16": np.float32, "complex64": np.complex64,
                       "complex128": np.complex128}.get(name, np.float64)
                kind = np.float32 if out in (np.float32, np.complex64) else np.float64
                b_, a_ = np.asarray(b, kind), np.asarray(a, kind)
                states = list(shape)
                states[axis] = max(len(b_), len(a_)) - 1
                zi = rng.integers(-8, 8, states).astype(out)
                wide_kind = np.complex128 if dtype.kind == "c" else np.float64
                true, end = signal.lfilter(b_.astype(np.float64), a_.astype(np.float64), x.astype(wide_kind), axis,
                                           zi.astype(wide_kind))
                # relative to the largest item
                make.case(LFILTER, [x, b_, a_], [true.astype(out), end.astype(out)], (1.0,) + tuple(zi.real.ravel()), flag=axis,
                          bound=100 if kind == np.float32 else 6000)
                true = signal.lfilter(b_.astype(np.float64), a_.astype(np.float64), x.astype(wide_kind), axis)
                make.case(LFILTER, [x, b_, a_], [true.astype(out)], flag=axis, bound=100 if kind == np.float32 else 6000)


def medians(make, rng):
    for name in DTYPES[1:13]:
        dtype = numpy_dtype(name)
        for shape, size in (((30,), (3,)), ((40,), (9,)), ((7, 80), (3, 3)), ((20, 9), (5, 5)), ((6, 5, 7), (3, 1, 5)),
                            ((300,), (25,)), ((90,), (151,)), ((9, 70), (7, 7)), ((70, 2), (11, 1))):
            x = rng.permutation(int(np.prod(shape))).reshape(shape) % 120
            x = (x - 60 * (dtype.kind == "i" or is_float(dtype))).astype(dtype)
            true = scipy.ndimage.median_filter(wide(x), size=size, mode="constant", cval=0).astype(dtype)
            make.case(MEDFILT, [x], [true], size)


def main():
    make = Maker()
    rng = np.random.default_rng(29)
    for group in (convolutions, transforms, separable, recursive, medians):
        group(make, rng)
    make.golden.write("filter", "tools/make_golden_filter.py", scipy=scipy.__version__)


if __name__ == "__main__":
    main()
