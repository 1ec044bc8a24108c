#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-3-Clause
"""Makes tests/golden/numeric.bin: NumPy's values for the functions of numeric.h and for divmod, frexp, modf, ldexp.

    python3 -m pip install 'numpy>=2' ml_dtypes;  python3 tools/make_golden_numeric.py

Softmax and logsumexp are computed one type wider, and so are phases, whose sums libgarray rounds once.  For bfloat16, of
which NumPy knows nothing, the values are those of float32, rounded.
"""
import numpy as np

from golden import DTYPES, Golden, numpy_dtype

ISCLOSE, ANGLE, NAN_TO_NUM, UNWRAP, LOGSUMEXP, SOFTMAX, PACK, UNPACK, DIVMOD, FREXP, MODF, LDEXP = range(1, 13)
FLOATS = ["float16", "bfloat16", "float32", "float64"]
COMPLEX = ["complex64", "complex128"]
INTEGERS = DTYPES[1:9]


def special(dtype, rng):
    """Special values and random ones, 96 in all."""
    kind = "f" if dtype.name == "bfloat16" else dtype.kind
    if kind == "b":
        return rng.integers(0, 2, 96).astype(bool)
    if kind in "iu":
        info = np.iinfo(dtype)
        edges = np.array([info.min, info.max, info.max - 1, 0, 1, 2, 3, 7], dtype)
        return np.concatenate([edges, rng.integers(info.min, info.max, 44, dtype, endpoint=True),
                               rng.integers(0, 9, 44).astype(dtype)])
    numbers = [0.0, -0.0, np.inf, -np.inf, np.nan, 1.0, -1.0, 1.5, -2.5, 0.3, 1e-3, 3e4, 6e-6, -7.0, 100.25, -0.1]
    with np.errstate(all="ignore"):
        if kind == "f":
            return np.concatenate([numbers, rng.normal(size=80) * 2.0 ** rng.integers(-9, 9, 80)]).astype(dtype)
        out = np.empty(96, dtype)
        out.real = np.concatenate([np.repeat(numbers[:5], 10), rng.normal(size=46)])
        out.imag = np.concatenate([np.tile(numbers[:10], 5), rng.normal(size=46)])
        return out


class Maker:
    """Cases: function, columns of a row, two operands (blocks; -1: none), two results, parameters, a flag, and the bound
    in hundredths of an ulp."""

    def __init__(self):
        self.golden = Golden(9)

    def case(self, function, columns, operands, results, parameters=(), flag=0, bound=0):
        blocks = [-1 if x is None else self.golden.block(np.asarray(x)) for x in
                  (operands + [None])[:2] + (results + [None])[:2]]
        number = self.golden.block(np.array(parameters, float)) if len(parameters) else -1
        self.golden.case(function, columns, *blocks, number, flag, bound)


def wide(x):
    return x.astype(np.float32) if x.dtype.name == "bfloat16" else x


def isclose(make, rng):
    for name in ["bool"] + INTEGERS + ["float32", "float64"] + COMPLEX:
        dtype = numpy_dtype(name)
        a = special(dtype, rng)
        b = rng.permutation(a)
        b[:40] = a[:40]
        if dtype.kind in "fc":
            b[20:60] = a[20:60] * dtype.type(1 + 1e-5) + dtype.type(1e-7)
        for parameters, flag in (((1e-5, 1e-8), 0), ((1e-5, 1e-8), 1), ((0.1, 0.0), 0), ((0.0, 2.0), 1)):
            with np.errstate(all="ignore"):
                out = np.isclose(a, b, *parameters, equal_nan=bool(flag))
            make.case(ISCLOSE, 8, [a, b], [out], parameters, flag)


def values(make, rng):
    for name in FLOATS + COMPLEX + ["bool", "int8", "uint16", "int64"]:
        dtype = numpy_dtype(name)
        x = special(dtype, rng)
        for flag in (0, 1):
            with np.errstate(all="ignore"):
                out = np.angle(wide(x), deg=bool(flag))
            make.case(ANGLE, 8, [x], [out.astype(dtype) if name == "bfloat16" else out], flag=flag,
                      bound=(300, 500)[flag])
        limits = {"float16": 65504.0, "bfloat16": 3.3895313892515355e38}
        for parameters in ((), (7.0, 50.0, -3.0), (np.nan, np.inf, -np.inf), (-1.0, -np.inf, np.inf), (0.0, 9.0, -9.0)):
            if name == "bfloat16":
                given = parameters or (0.0, limits[name], -limits[name])
                out = np.nan_to_num(wide(x), nan=given[0], posinf=given[1], neginf=given[2]).astype(dtype)
            else:
                out = np.nan_to_num(x, **dict(zip(("nan", "posinf", "neginf"), parameters)))
            make.case(NAN_TO_NUM, 8, [x], [out], parameters)


def phases(make, rng):
    for name in ["float16", "float32", "float64"]:
        dtype = numpy_dtype(name)
        p = np.cumsum(rng.normal(size=(6, 16)) * 3 + 1, axis=1)
        p = (np.round((p % (2 * np.pi)) * 64) / 64 + 8).astype(dtype)
        for parameters, flag in (((2 * np.pi, 0), 0), ((4.0, 0), 0), ((2 * np.pi, 5.0), 2)):
            discont = parameters[1] if flag & 2 else None
            # decisions in the dtype itself, sums in float64
            kept = np.unwrap(p.astype(float), discont=discont, period=parameters[0])
            make.case(UNWRAP, 16, [p], [kept.astype(dtype)], parameters, flag, bound=3200)
    for name in ["int8", "int16", "int32", "int64"]:
        p = rng.integers(0, 30, (6, 16)).astype(name)
        for parameters, flag in (((7, 0), 1), ((10, 0), 1), ((10, 6), 3), ((5.0, 0), 0)):
            discont = int(parameters[1]) if flag & 2 else None
            out = np.unwrap(p, discont=discont, period=int(parameters[0]) if flag & 1 else parameters[0])
            make.case(UNWRAP, 16, [p], [out], parameters, flag, bound=0 if flag & 1 else 400)
    p = np.array([[3, 1, 4, 1, 5, 9, 2, 6]], "uint8")
    make.case(UNWRAP, 8, [p], [np.unwrap(p, period=3.0)], (3.0, 0), 0, bound=400)


def softmax(make, rng):
    for name in FLOATS + ["int8", "uint32", "int64", "bool"]:
        dtype = numpy_dtype(name)
        if dtype.kind in "biu":
            x = rng.integers(0, 2 if dtype.kind == "b" else 40, (6, 16)).astype(dtype)
        else:
            x = (rng.normal(size=(6, 16)) * 4).astype(dtype)
            x[1, 3] = x[2, 5] = -np.inf
            x[3, 0] = np.inf
            x[4, 1] = np.nan
            x[5] = -np.inf
        y = x.astype(np.longdouble)
        result = dtype if dtype.kind not in "biu" else np.dtype(float)
        with np.errstate(all="ignore"):
            top = y.max(axis=1, keepdims=True)
            e = np.exp(y - top)
            out = (e / e.sum(axis=1, keepdims=True)).astype(result)
            top = np.where(np.isfinite(top), top, 0)
            total = (np.log(np.exp(y - top).sum(axis=1)) + top[:, 0]).astype(result)
        bound = {"float64": 1200, "float32": 250}.get(result.name, 100)
        make.case(SOFTMAX, 16, [x], [out], bound=bound)
        make.case(LOGSUMEXP, 16, [x], [total], bound=400 if result == np.float64 else 200)


def bits(make, rng):
    for name in ["bool"] + INTEGERS:
        for columns in (1, 8, 13, 16):
            x = (rng.integers(0, 5, (6, columns)) * rng.integers(0, 2, (6, columns))).astype(name)
            for flag, order in enumerate(("big", "little")):
                make.case(PACK, columns, [x], [np.packbits(x, axis=1, bitorder=order)], flag=flag)
    for columns in (1, 3, 8):
        x = rng.integers(0, 256, (6, columns)).astype(np.uint8)
        for flag, order in enumerate(("big", "little")):
            for count in (None, 0, 3, 8, 8 * columns - 3, 8 * columns + 5, -3):
                out = np.unpackbits(x, axis=1, bitorder=order, count=count)
                make.case(UNPACK, columns, [x], [out], () if count is None else (count,), flag)


def pairs(make, rng):
    for name in INTEGERS + ["float16", "float32", "float64"]:
        dtype = numpy_dtype(name)
        a = special(dtype, rng)
        b = rng.permutation(special(dtype, rng))
        with np.errstate(all="ignore"):
            make.case(DIVMOD, 8, [a, b], list(np.divmod(a, b)))
    for name in FLOATS + ["bool", "int8", "uint16", "int64"]:
        dtype = numpy_dtype(name)
        x = special(dtype, rng)
        with np.errstate(all="ignore"):
            if dtype.kind == "f" or name == "bfloat16":
                x[40:50] = (wide(x[40:50]) * {"float16": 2.0 ** -20, "float64": 2.0 ** -1060}.get(name, 2.0 ** -130)).astype(dtype)
            for function, number in ((np.frexp, FREXP), (np.modf, MODF)):
                first, second = function(wide(x))
                if name == "bfloat16":
                    first, second = first.astype(dtype), second.astype(dtype) if number == MODF else second
                make.case(number, 8, [x], [first, second])
            n = np.concatenate([np.arange(-48, 32), [-1100, -300, -270, -259, -150, 257, 259, 260, 261, 300, 1000, 1023, 1100,
                                                     2000, 2147483647, -2147483648]]).astype(np.int32)
            n = rng.permutation(n)
            if name == "bfloat16":
                make.case(LDEXP, 8, [x, n], [np.ldexp(x.astype(float), n).astype(np.float32).astype(dtype)])
                tiny = np.full(96, 2.0 ** -133).astype(dtype)
                make.case(LDEXP, 8, [tiny, n], [np.ldexp(tiny.astype(float), n).astype(np.float32).astype(dtype)])
            else:
                make.case(LDEXP, 8, [x, n], [np.ldexp(x, n)])


def main():
    make = Maker()
    rng = np.random.default_rng(17)
    for group in (isclose, values, phases, softmax, bits, pairs):
        group(make, rng)
    make.golden.write("numeric", "tools/make_golden_numeric.py")


if __name__ == "__main__":
    main()
