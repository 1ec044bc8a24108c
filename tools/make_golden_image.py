#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-3-Clause
"""Makes tests/golden/image.bin: SciPy's values for image.h and interp2d, and sums by their definition for conv1d, conv2d
and conv3d.

    python3 -m pip install 'numpy>=2' scipy ml_dtypes;  python3 tools/make_golden_image.py
"""
import itertools

import numpy as np
import scipy
from scipy import ndimage
from scipy.interpolate import RegularGridInterpolator

from golden import Golden, numpy_dtype
from make_golden_filter import array
from make_golden_signal import is_float

GAUSSIAN, SOBEL, MAXIMUM, MINIMUM, CONV, INTERP2D, DILATION, EROSION = range(1, 9)
BOUNDARIES = {"constant": 1, "wrap": 2, "reflect": 3, "mirror": 4, "nearest": 5}


class Maker:
    """Cases: function, five operands and the shapes of the first two, a result and its shape, parameters, two flags, and the
    bound as a power of ten relative to the largest item (99: exact)."""

    def __init__(self):
        self.golden = Golden(14)

    def case(self, function, operands, result, parameters=(), flag=0, other=0, bound=99):
        block = self.golden.block
        operands = (operands + [None] * 5)[:5]
        arrays = [-1 if x is None else block(np.asarray(x)) for x in operands]
        shapes = [-1 if x is None else block(np.array(np.shape(x), np.int64)) for x in operands[:2] + [result]]
        number = block(np.array(parameters, float)) if len(parameters) else -1
        self.golden.case(function, *arrays, *shapes[:2], block(np.asarray(result)), shapes[2], number, flag, other, bound)


def filters(make, rng):
    for name in ("float32", "float64", "int16", "uint8"):
        dtype = numpy_dtype(name)
        for shape in ((31,), (6, 40), (4, 5, 9)):
            x = array(dtype, shape, rng)
            for boundary, number in BOUNDARIES.items():
                wide = x.astype(float)
                sigma = [1.5] if boundary != "wrap" else [0.8, 0, 1.2][:len(shape)]
                true = ndimage.gaussian_filter(wide, sigma if len(sigma) > 1 else sigma[0], mode=boundary, truncate=3.0)
                if dtype.kind == "f":
                    make.case(GAUSSIAN, [x], true.astype(dtype), [3.0] + sigma, 0, number, -6 if name == "float32" else -13)
                for axis in range(len(shape)):
                    out = ndimage.sobel(wide, axis, mode=boundary)
                    make.case(SOBEL, [x], (out if dtype.kind == "f" else out.astype(np.int64)).astype(dtype), [0.0], axis, number,
                              -15 if dtype.kind == "f" else 99)
                for size in ((3,), (5,), (2,), tuple(range(2, 2 + len(shape)))):
                    if len(size) not in (1, len(shape)):
                        continue
                    argument = size if len(size) > 1 else size[0]
                    make.case(MAXIMUM, [x], ndimage.maximum_filter(x, argument, mode=boundary), [0.0] + list(size), 0, number)
                    make.case(MINIMUM, [x], ndimage.minimum_filter(x, argument, mode=boundary), [0.0] + list(size), 0, number)


def shapes(make, rng):
    for name in ("float32", "int16", "uint8", "int64", "float64"):
        dtype = numpy_dtype(name)
        for shape, size in (((25,), (3,)), ((25,), (4,)), ((7, 30), (3, 3)), ((6, 11), (2, 4)), ((4, 5, 6), (1, 3, 2))):
            x, mask = array(dtype, shape, rng), rng.random(size) < 0.6
            mask.flat[0] = True
            for boundary, number in BOUNDARIES.items():
                make.case(DILATION, [x, mask], ndimage.grey_dilation(x, footprint=mask, mode=boundary), [0.0], 0, number)
                make.case(EROSION, [x, mask], ndimage.grey_erosion(x, footprint=mask, mode=boundary), [0.0], 0, number)


def conv(x, w, stride, padding, dilation, groups):
    axes = x.ndim - 2
    x = np.pad(x, [(0, 0), (0, 0)] + [(p, p) for p in padding])
    out = [(x.shape[2 + i] - dilation[i] * (w.shape[2 + i] - 1) - 1) // stride[i] + 1 for i in range(axes)]
    y = np.zeros((x.shape[0], w.shape[0], *out), x.dtype)
    each_in, each_out = w.shape[1], w.shape[0] // groups
    for k in itertools.product(*(range(n) for n in w.shape[2:])):
        part = x[(slice(None), slice(None), *(slice(k[i] * dilation[i], k[i] * dilation[i] + stride[i] * (out[i] - 1) + 1, stride[i])
                                              for i in range(axes)))]
        for g in range(groups):
            y[:, g * each_out:(g + 1) * each_out] += np.einsum("oc,nc...->no...", w[(slice(g * each_out, (g + 1) * each_out),
                                                               slice(None), *k)], part[:, g * each_in:(g + 1) * each_in])
    return y


def convolutions(make, rng):
    for name in ("float32", "float64", "int32", "complex64", "float16"):
        dtype = numpy_dtype(name)
        kind = np.complex128 if dtype.kind == "c" else np.float64 if is_float(dtype) else np.int64
        for x_shape, w_shape, stride, padding, dilation, groups in (
                ((2, 3, 20), (4, 3, 5), (1,), (0,), (1,), 1), ((1, 4, 15), (6, 2, 3), (2,), (3,), (2,), 2),
                ((2, 3, 8, 9), (5, 3, 3, 3), (1, 1), (1, 1), (1, 1), 1), ((3, 4, 10, 7), (4, 1, 2, 3), (2, 3), (1, 0), (2, 1), 4),
                ((2, 5, 6, 6), (3, 5, 1, 1), (1, 1), (0, 0), (1, 1), 1),
                ((1, 2, 5, 6, 7), (3, 2, 2, 3, 1), (1, 2, 1), (1, 1, 0), (1, 1, 1), 1)):
            x, w = array(dtype, x_shape, rng), array(dtype, w_shape, rng)
            true = conv(x.astype(kind), w.astype(kind), stride, padding, dilation, groups).astype(dtype)
            make.case(CONV, [x, w], true, [*stride, *padding, *dilation], groups, len(stride), 99 if dtype.kind == "i" else -3 if name == "float16" else -6)


def grids(make, rng):
    xp, yp = np.sort(rng.normal(size=7)) * 3, np.array([0.0, 1, 3, 3.5, 9])
    x, y = rng.uniform(xp[0] - 1, xp[-1] + 1, 60), rng.uniform(-1, 10, 60)
    x[:7], y[7:12] = xp, yp
    x[20], y[21] = np.nan, np.nan
    for fp in (rng.normal(size=(7, 5)), rng.normal(size=(7, 5)) + 1j):
        for flag, method in enumerate(("linear", "nearest")):
            for other, fill in enumerate((np.nan, None, -7.5)):
                f = RegularGridInterpolator((xp, yp), fp, method, bounds_error=False, fill_value=fill)
                make.case(INTERP2D, [x, y, xp, yp, fp], f((x, y)), [0 if fill is None else fill], flag, other, -12)


def main():
    make = Maker()
    rng = np.random.default_rng(37)
    for group in (filters, convolutions, grids, shapes):
        group(make, rng)
    make.golden.write("image", "tools/make_golden_image.py", scipy=scipy.__version__)


if __name__ == "__main__":
    main()
