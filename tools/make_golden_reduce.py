#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-3-Clause
"""Makes tests/golden/reduce.bin and scan.bin: what NumPy gives for reductions and cumulative sums and products of
rows: all short rows of special numbers (infinities, NaN, zeros of both signs) and random ones.

    python3 -m pip install 'numpy>=2' ml_dtypes;  python3 tools/make_golden_reduce.py

Sums of floats are NumPy's one type wider, rounded once, which is what libgarray promises.  Where libgarray is meant
to differ: min and max of zeros of both signs are -0 and +0 in any order, where NumPy returns one of them; the mean of
complex numbers divides the parts, so that infinities stay, where NumPy's complex quotient makes them NaN; of several
complex NaNs min and max may give any.
"""
import itertools

import numpy as np

from golden import DTYPES, Golden, numpy_dtype

OPS = {"sum": 1, "prod": 2, "min": 3, "max": 4, "mean": 5, "var": 6, "std": 7, "any": 8, "all": 9, "count_nonzero": 10,
       "argmin": 11, "argmax": 12}


def kind_of(dtype):
    return "f" if dtype.name == "bfloat16" else dtype.kind


def rows_of(dtype, rng):
    """Matrices whose rows are to be reduced."""
    kind = kind_of(dtype)
    if kind == "b":
        return [np.array(list(itertools.product([False, True], repeat=n))) for n in (1, 3)]
    if kind in "iu":
        info = np.iinfo(dtype)
        edges = [info.min, info.max, 0, 1, info.max - 1]
        return [np.array(list(itertools.product(edges, repeat=n)), dtype) for n in (1, 3)] + [
            rng.integers(info.min, info.max, (7, 61), dtype, endpoint=True)]
    special = [-np.inf, -1.5, -0.0, 0.0, 2.0, np.inf, np.nan]
    if kind == "f":
        return [np.array(list(itertools.product(special, repeat=n))).astype(dtype) for n in (1, 3)] + [
            rng.normal(size=(7, 61)).astype(dtype)]
    parts = [-np.inf, 0.0, 1.5, np.nan]
    numbers = np.array([complex(a, b) for a in parts for b in parts], dtype)
    numbers.real, numbers.imag = np.repeat(parts, len(parts)), np.tile(parts, len(parts))
    pairs = np.array(list(itertools.product(range(len(numbers)), repeat=2)))
    random = (rng.normal(size=(7, 61)) + 1j * rng.normal(size=(7, 61))).astype(dtype)
    return [numbers[:, None], numbers[pairs], random]


def wider(dtype):
    kind = kind_of(dtype)
    return {"f": np.longdouble, "c": np.clongdouble}.get(kind, dtype)


def zero_rule(name, x, result):
    """The zero that min and max give where zeros of both signs are the extremum."""
    if kind_of(x.dtype) != "f":
        return result
    result = result.copy()
    for i in range(len(x)):
        if result[i] == 0:
            signs = np.signbit(x[i][x[i] == 0])
            result[i] = -0.0 if (signs.any() if name == "min" else signs.all()) else 0.0
    return result


def reduced(name, x):
    """(result, bound in hundredths of an ulp) or None."""
    dtype, kind = x.dtype, kind_of(x.dtype)
    with np.errstate(all="ignore"):
        if name in ("sum", "prod", "mean", "var", "std"):
            if kind not in "fc":
                if name in ("sum", "prod"):
                    return getattr(np, name)(x, axis=1), 0
                result = getattr(np, name)(x.astype(float).astype(np.longdouble), axis=1).astype(float)
                return result, 100 if name == "mean" else 400
            if kind == "c" and name == "prod" and not np.isfinite(x).all():
                return None     # infinities among complex factors depend on the formula
            wide = x.astype(wider(dtype))
            if kind == "c" and name == "mean":
                result = np.empty(len(x), wide.dtype)
                result.real, result.imag = wide.real.mean(axis=1), wide.imag.mean(axis=1)
            else:
                result = getattr(np, name)(wide, axis=1)
            real = numpy_dtype({"complex64": "float32", "complex128": "float64"}.get(dtype.name, dtype.name))
            result = result.astype(real if name in ("var", "std") else dtype)
            if name in ("var", "std"):
                return result, 400 if dtype.name in ("float64", "complex128") else 100
            return result, {"sum": 100, "mean": 100, "prod": 3000}[name] if x.shape[1] > 3 or kind == "c" else 100
        if name in ("argmin", "argmax", "min", "max") and dtype.name == "bfloat16":
            result = getattr(np, name)(x.astype(np.float32), axis=1)
            result = result.astype(np.int64) if name.startswith("arg") else result.astype(dtype)
        else:
            result = getattr(np, name)(x, axis=1)
        if name in ("min", "max"):
            result = zero_rule(name, x, result)
        return np.asarray(result), 0


def reduce():
    golden, rng = Golden(5), np.random.default_rng(7)
    for name in DTYPES:
        dtype = numpy_dtype(name)
        for x in rows_of(dtype, rng):
            block = golden.block(x)
            for op, number in OPS.items():
                pair = reduced(op, x)
                if pair is not None:
                    golden.case(number, x.shape[1], block, golden.block(pair[0]), pair[1])
    golden.write("reduce", "tools/make_golden_reduce.py")


def scan():
    golden, rng = Golden(5), np.random.default_rng(8)
    for name in DTYPES:
        dtype = numpy_dtype(name)
        kind = kind_of(dtype)
        for x in rows_of(dtype, rng):
            block = golden.block(x)
            for number, function in ((1, np.cumsum), (2, np.cumprod)):
                if kind == "c" and number == 2 and not np.isfinite(x).all():
                    continue
                with np.errstate(all="ignore"):
                    if kind in "fc":
                        result, bound = function(x.astype(wider(dtype)), axis=1).astype(dtype), 100 if number == 1 else 3000
                    else:
                        result, bound = function(x, axis=1), 0
                golden.case(number, x.shape[1], block, golden.block(result), bound)
    golden.write("scan", "tools/make_golden_reduce.py")


if __name__ == "__main__":
    reduce()
    scan()
