#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-3-Clause
"""Makes print.bin: str() and repr() of NumPy arrays, which garray_format() must give byte for byte.

    python3 -m pip install 'numpy>=2.4' ml_dtypes;  python3 tests/golden/make_print.py

A case is: dtype; blocks of the elements (row-major), the shape (int64) and the text (uint8); precision, threshold,
edgeitems and linewidth, -1 where not given; suppress; sign as a character, 0 where not given; 1 for repr().
"""
import pathlib
import sys

import numpy as np

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parents[2] / "tools"))
from golden import Golden, number_of  # noqa: E402

rng = np.random.default_rng(20)
golden = Golden(11)


def add(array, repr_=0, **options):
    array = np.asarray(array)
    given = {name: bool(value) if name == "suppress" else value for name, value in options.items()}
    with np.printoptions(**given):
        text = repr(array) if repr_ else str(array)
    golden.case(number_of(array.dtype), golden.block(array), golden.block(np.array(array.shape, np.int64)),
                golden.block(np.frombuffer(text.encode(), np.uint8)),
                *(options.get(name, -1) for name in ("precision", "threshold", "edgeitems", "linewidth")),
                options.get("suppress", 0), ord(options.get("sign", "\0")), repr_)


def both(array, **options):
    add(array, 0, **options)
    add(array, 1, **options)


def reals(dtype, n):
    """Values of one of many kinds, sometimes with special ones among them."""
    kind = rng.integers(8)
    with np.errstate(all="ignore"):
        x = [lambda: rng.integers(0, 2**16, n) * 2.0**rng.integers(-40, 40), lambda: rng.normal(size=n),
             lambda: rng.integers(-50, 50, n), lambda: rng.normal(size=n) * 10.0**rng.integers(-6, 7, n),
             lambda: np.round(rng.normal(size=n), rng.integers(0, 4)),
             lambda: rng.normal(size=n) * 10.0**rng.integers(-320, 300),
             lambda: np.round(rng.random(n) * rng.choice([1, 100, 1e3, 1e6, 1e8]), rng.integers(0, 3)),
             lambda: 10.0**rng.integers(-5, 9, n)][kind]()
        x = np.asarray(x).astype(dtype)
    if n and rng.random() < 0.3:
        x[rng.integers(0, n, 2)] = rng.choice([np.nan, np.inf, -np.inf, 0, -0.0], 2)
    return x


def values(dtype, n):
    dtype = np.dtype(dtype)
    if dtype.kind == "b":
        return rng.integers(0, 2, n).astype(bool)
    if dtype.kind in "iu":
        info = np.iinfo(dtype)
        if rng.random() < 0.5:
            return rng.integers(info.min, info.max, n, dtype=dtype, endpoint=True)
        return rng.integers(0 if dtype.kind == "u" else -100, 100, n).astype(dtype)
    if dtype.kind == "c":
        part = np.dtype("f%d" % (dtype.itemsize // 2))
        x = np.empty(n, dtype)
        x.real, x.imag = reals(part, n), reals(part, n)
        return x
    return reals(dtype, n)


DTYPES = "?bhilBHILefdFD"
edges = [0.0, -0.0, 1, -1, 0.1, 1 / 3, 1e-4, 9.9999e-5, 999, 1000, 999999, 1e6, 99999999, 1e8, 1e15, 1e16, 65504, 5e-324,
         2.2250738585072014e-308, 1.7976931348623157e308, 9007199254740993, 123456789.125, np.nan, np.inf, -np.inf,
         6e-8, 1e-45, 0.3, 2.5, 1e22, 1e23, 4.35, 0.000123456789]
for code in DTYPES:
    both(np.zeros((), code))
    both(np.ones((2, 1, 3), code))
    both(np.zeros((0, 3), code))
    both(np.zeros(0, code))
    both(values(code, 24).reshape(2, 3, 4))
    both(values(code, 40))
for code in "efdFD":
    with np.errstate(all="ignore"):
        for value in edges:
            add(np.array(value).astype(code))
            add(np.array(value).astype(code), 1)
        both(np.array(edges[:15]).astype(code))
        both(np.array([1, np.nan, -np.inf]).astype(code), sign="+")
        both(np.array([1, np.nan, np.inf]).astype(code), sign=" ")
both(np.arange(1001, dtype=np.int16))
both(np.arange(1000, dtype=np.int16))
both(np.arange(1500, dtype=np.int16).reshape(15, 100))
both(np.arange(1200, dtype=np.int16).reshape(2, 2, 300))
both(np.arange(1024, dtype=np.int16).reshape(2, 8, 8, 8))
both(np.arange(1100, dtype=np.float32) / 8)
both(np.arange(30), edgeitems=0, threshold=5)
both(np.array([1.5, 1e-9, 3e7]), suppress=1)
both(np.array([1e-9, 1e9]), suppress=1)
for _ in range(260):
    code = DTYPES[rng.integers(len(DTYPES))] if rng.random() < 0.4 else str(rng.choice(list("efdFD")))
    ndim = rng.integers(0, 5)
    shape = tuple(int(n) for n in rng.integers(1, [0, 30, 9, 5, 4][ndim], ndim))
    options = {name: int(rng.integers(low, high)) for name, low, high in
               (("precision", 0, 20), ("threshold", 0, 50), ("edgeitems", 0, 6), ("linewidth", 1, 120)) if rng.random() < 0.3}
    if rng.random() < 0.3:
        options["suppress"] = 1
    if rng.random() < 0.3:
        options["sign"] = str(rng.choice(["+", " ", "-"]))
    add(values(code, int(np.prod(shape))).reshape(shape), int(rng.random() < 0.5), **options)

golden.write("print", "tests/golden/make_print.py")
