#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-3-Clause
"""Makes tests/golden/signal.bin: NumPy's values for the functions of polynomial.h and signal.h.

    python3 -m pip install 'numpy>=2' ml_dtypes;  python3 tools/make_golden_signal.py

Sums of floats are of multiples of 1/8 where nothing may be rounded on the way; those of numbers with all digits are
positive and summed in longdouble.  For bfloat16, of which NumPy knows nothing, and for float16, which NumPy rounds at each
step, values are computed one type wider and rounded once.
"""
import numpy as np

from golden import DTYPES, Golden, numpy_dtype

(POLYVAL, POLYADD, POLYSUB, POLYMUL, POLYDIV, POLYDER, POLYINT, CONVOLVE, CORRELATE, INTERP, BARTLETT, BLACKMAN, HAMMING,
 HANNING, KAISER) = range(1, 16)
MODES = ["full", "same", "valid"]


def is_float(dtype):
    return dtype.name == "bfloat16" or dtype.kind in "fc"


def simple(dtype, n, rng):
    """Numbers whose sums of products are exact in a wider type."""
    if dtype.kind == "b":
        return rng.integers(0, 2, n).astype(bool)
    if not is_float(dtype):
        info = np.iinfo(dtype)
        return rng.integers(max(info.min, -100), 100, n).astype(dtype)
    x = rng.integers(-40, 41, n) / 8
    if dtype.kind == "c":
        x = x + 1j * rng.integers(-40, 41, n) / 8
    return x.astype(dtype)


def digits(dtype, n, rng):
    """Positive numbers with all their digits."""
    x = rng.random(n) + 0.25
    return (x + 1j * rng.random(n) / 64 if dtype.kind == "c" else x).astype(dtype)


def wide(x):
    return x.astype(np.float64) if x.dtype.name in ("float16", "bfloat16") else x


class Maker:
    """Cases: function, three operands (blocks; -1: none), two results, parameters, a flag, and the bound in hundredths of
    an ulp."""

    def __init__(self):
        self.golden = Golden(9)

    def case(self, function, operands, results, parameters=(), flag=0, bound=0):
        blocks = [-1 if x is None else self.golden.block(np.asarray(x)) for x in
                  (operands + [None] * 3)[:3] + (results + [None])[:2]]
        number = self.golden.block(np.array(parameters, float)) if len(parameters) else -1
        self.golden.case(function, *blocks, number, flag, bound)


def polynomials(make, rng):
    for name in DTYPES:
        dtype = numpy_dtype(name)
        for n in (0, 1, 2, 7):
            p, x = simple(dtype, n, rng), simple(dtype, 37, rng)
            if is_float(dtype):
                p, x = digits(dtype, n, rng), digits(dtype, 37, rng)
            narrow = name in ("float16", "bfloat16")
            with np.errstate(all="ignore"):
                y = np.polyval(p.astype(np.float64), x.astype(np.float64)).astype(dtype) if narrow else np.polyval(p, x)
            make.case(POLYVAL, [p, x], [y], bound=51 if narrow else 800 if dtype.kind == "c" else 0)
        for n, m in ((4, 4), (2, 7), (9, 1), (0, 3)):
            a, b = simple(dtype, n, rng), simple(dtype, m, rng)
            if name == "bfloat16":
                continue
            make.case(POLYADD, [a, b], [np.polyadd(a, b)])
            if dtype.kind != "b":
                make.case(POLYSUB, [a, b], [np.polysub(a, b)])
            if n and name != "float16":
                a[0] = 0
                make.case(POLYMUL, [a, b], [np.polymul(a, b)])
        if name in ("bfloat16", "float16"):
            continue
        for n, m in ((6, 2), (3, 5), (5, 1), (4, 4)):
            u, v = digits(dtype, n, rng) if is_float(dtype) else simple(dtype, n, rng), simple(dtype, m, rng)
            v[0] = 1
            if n == 4:
                u = v.copy()
            with np.errstate(all="ignore"):
                q, r = np.polydiv(u, v)
            make.case(POLYDIV, [u, v], [q, r], bound=0 if dtype.kind != "c" else 400)
        bound = 400 if dtype.kind == "c" else 0  # NumPy fuses their products, by processor
        for n in (1, 2, 6):
            p = simple(dtype, n, rng)
            for m in (0, 1, 2, 5):
                make.case(POLYDER, [p], [np.polyder(p, m)], flag=m, bound=bound)
                with np.errstate(all="ignore"):
                    make.case(POLYINT, [p], [np.polyint(p, m)], flag=m, bound=bound)
                    if m:
                        k = np.arange(1.5, 1.5 + m)
                        make.case(POLYINT, [p, k], [np.polyint(p, m, k)], flag=m, bound=bound)


def convolutions(make, rng):
    sizes = [(1, 1), (5, 3), (3, 5), (4, 4), (40, 7), (6, 40), (130, 33)]
    for name in DTYPES:
        dtype = numpy_dtype(name)
        for n, m in sizes + ([(700, 260), (70, 500)] if name in ("bool", "int16", "float16", "float64", "complex64") else []):
            a, v = simple(dtype, n, rng), simple(dtype, m, rng)
            for flag, mode in enumerate(MODES, 1):
                make.case(CONVOLVE, [a, v], [np.convolve(wide(a), wide(v), mode).astype(dtype)], flag=flag)
                make.case(CORRELATE, [a, v], [np.correlate(wide(a), wide(v), mode).astype(dtype)], flag=flag)
        if is_float(dtype) and dtype.kind != "c":
            a, v = digits(dtype, 200, rng), digits(dtype, 31, rng)
            true = np.convolve(a.astype(np.longdouble), v.astype(np.longdouble))
            make.case(CONVOLVE, [a, v], [true.astype(np.float64).astype(dtype)], flag=1,
                      bound={"float64": 1600, "float32": 51}.get(name, 60))
    for first, second in (("int8", "uint8"), ("bool", "int16"), ("int32", "float32"), ("float32", "complex64"), ("uint64", "int8")):
        a, v = simple(np.dtype(first), 21, rng), simple(np.dtype(second), 6, rng)
        make.case(CONVOLVE, [a, v], [np.convolve(a, v)], flag=1)
    # what lies outside takes no part, whatever the weights are
    a, v = np.array([1.0, 2, 3, 4]), np.array([np.inf, 1.0, 0.5])
    make.case(CONVOLVE, [a, v], [np.convolve(a, v)], flag=1)
    make.case(CONVOLVE, [a.astype(np.float32), np.array([1, np.nan, 0], np.float32)],
              [np.convolve(a.astype(np.float32), np.array([1, np.nan, 0], np.float32))], flag=1)


def interpolation(make, rng):
    for n in (1, 2, 3, 50):
        xp = np.sort(rng.normal(size=n) * 4)
        x = np.concatenate([rng.normal(size=40) * 6, xp, [np.nan, np.inf, -np.inf, xp[0], xp[-1], 0.0]])
        for fp in (rng.normal(size=n), rng.normal(size=n) + 1j * rng.normal(size=n)):
            make.case(INTERP, [x, xp, fp], [np.interp(x, xp, fp)])
            make.case(INTERP, [x, xp, fp], [np.interp(x, xp, fp, left=-2.5, right=7)], (-2.5, 7), flag=3)
            make.case(INTERP, [x, xp, fp], [np.interp(x, xp, fp, left=-2.5)], (-2.5, 7), flag=1)
            with np.errstate(all="ignore"):
                shuffled = rng.permutation(xp)
                make.case(INTERP, [x[:40], shuffled, fp], [np.interp(x[:40], shuffled, fp, period=-3.5)], (-3.5,), flag=4)
    xp, fp = np.array([0.0, 1, 1, 2, 3]), np.array([1.0, np.inf, -np.inf, np.inf, np.inf])
    x = np.linspace(-1, 4, 31)
    with np.errstate(all="ignore"):
        make.case(INTERP, [x, xp, fp], [np.interp(x, xp, fp)])
        make.case(INTERP, [np.arange(9), np.arange(0, 30, 5).astype(np.int16), np.arange(6).astype(np.float32)],
                  [np.interp(np.arange(9), np.arange(0, 30, 5), np.arange(6))])


def windows(make, rng):
    for m in (-3, 0, 1, 2, 3, 10, 51):
        for number, function in ((BARTLETT, np.bartlett), (BLACKMAN, np.blackman), (HAMMING, np.hamming), (HANNING, np.hanning)):
            make.case(number, [], [function(m)], flag=m)
        for beta in (0.0, 2.5, 14.0):
            make.case(KAISER, [], [np.kaiser(m, beta)], (beta,), flag=m)


def main():
    make = Maker()
    rng = np.random.default_rng(23)
    for group in (polynomials, convolutions, interpolation, windows):
        group(make, rng)
    make.golden.write("signal", "tools/make_golden_signal.py")


if __name__ == "__main__":
    main()
