# SPDX-License-Identifier: BSD-3-Clause
"""Casts and promotion as the library has them: NumPy's, with bfloat16, and with one rounding where NumPy's
own casts go through another type or are undefined."""

import numpy as np

from library import BFLOAT16

FLOATS = ("float16", "bfloat16", "float32", "float64")
COMPLEX = ("complex64", "complex128")
# Digits of the significand, exponent of the smallest subnormal, of each real part.
PRECISION = {"float16": (11, -24), "bfloat16": (8, -133), "float32": (24, -149), "float64": (53, -1074)}
LARGEST = {
    "float16": 65504.0,
    "bfloat16": 3.3895313892515355e38,
    "float32": float(np.finfo(np.float32).max),
    "float64": float(np.finfo(np.float64).max),
}


def part_of(name):
    """The dtype of the parts of a complex dtype; a real one itself."""
    return {"complex64": "float32", "complex128": "float64"}.get(name, name)


def is_inexact(name):
    return name in FLOATS or name in COMPLEX


def is_complex(name):
    return name in COMPLEX


def dtype_of(name):
    return BFLOAT16 if name == "bfloat16" else np.dtype(name)


def wide(x):
    """float64 for 16 and 32 bits, long double for 64; complex likewise; others unchanged."""
    if x.dtype == BFLOAT16 or x.dtype in (np.float16, np.float32):
        return x.astype(np.float64)
    return x.astype(
        {"float64": np.longdouble, "complex64": np.complex128, "complex128": np.clongdouble}.get(
            x.dtype.name, x.dtype
        )
    )


def floats(x):
    """bfloat16 as float32, for functions that only compare."""
    return x.astype(np.float32) if x.dtype.name == "bfloat16" else x


def to_odd(x, kind):
    """x in a narrower float type, inexact values with an odd last bit, so that a second rounding is right."""
    near = x.astype(kind)
    back = near.astype(np.longdouble)
    true = x.astype(np.longdouble)
    with np.errstate(all="ignore"):
        down = np.where(np.abs(back) > np.abs(true), np.nextafter(near, np.zeros_like(near)), near)
    word = np.asarray(down).view({4: np.uint32, 8: np.uint64}[near.dtype.itemsize])
    inexact = (back != true) & ~np.isnan(true)
    return np.where(inexact, word | word.dtype.type(1), word).view(kind)


def round_real(x, name):
    """Real numbers of any type to a float dtype, rounded once."""
    x = np.asarray(x)
    if name == "bfloat16":
        if x.dtype == BFLOAT16:
            return x
        return to_odd(x, np.float32).astype(BFLOAT16) if x.dtype != np.float32 else x.astype(BFLOAT16)
    if x.dtype == BFLOAT16:
        x = x.astype(np.float32)
    if name == "float16" and x.dtype.kind in "iug" and x.dtype.itemsize > 2:
        return to_odd(x, np.float64).astype(np.float16)
    if name == "float32" and x.dtype == np.longdouble:
        return to_odd(x, np.float64).astype(np.float32)
    return x.astype(name)


def to_integer(x, name):
    """Truncated; saturated when out of range, 0 for NaN."""
    info = np.iinfo(name)
    x = x.astype(np.float64)
    low, high = float(info.min), float(int(info.max) + 1)
    inside = (x > low - 1) & (x < high)
    if low == float(np.iinfo(np.int64).min):
        inside = (x >= low) & (x < high)
    result = np.where(inside, x, 0).astype(name)
    result = np.where(x >= high, info.max, result)
    return np.where(~inside & (x < 0), info.min, result).astype(name)


def cast(x, name):
    """x.astype(name)."""
    x = np.asarray(x)
    if x.dtype == dtype_of(name):
        return x.copy()
    with np.errstate(all="ignore"):
        if name == "bool":
            return (x != 0).astype(bool)
        if is_complex(name):
            result = np.empty(x.shape, name)
            result.real = (
                round_real(x.real, part_of(name)) if x.dtype.kind == "c" else round_real(x, part_of(name))
            )
            result.imag = round_real(x.imag, part_of(name)) if x.dtype.kind == "c" else 0
            return result
        if x.dtype.kind == "c":
            x = x.real
        if name in FLOATS:
            return round_real(x, name)
        if x.dtype.kind == "f" or x.dtype == BFLOAT16:
            return to_integer(x, name)
        return x.astype(name)


# ---- promotion ----


def stand_ins(dtypes):
    """NumPy dtypes for the names: bfloat16 promotes as float16 does, with it to float32.  Also whether a
    float16 result means bfloat16."""
    both = "float16" in dtypes and "bfloat16" in dtypes
    return [
        np.dtype(("float32" if both else "float16") if name == "bfloat16" else name) for name in dtypes
    ], "bfloat16" in dtypes and not both


def promote(values):
    """The dtype name of arrays and Python scalars together (NEP 50)."""
    names = [x.dtype.name for x in values if isinstance(x, np.ndarray)]
    dtypes, is_bfloat16 = stand_ins(names)
    scalars = [x for x in values if not isinstance(x, np.ndarray)]
    if not names:
        kinds = {bool: "bool", int: "int64", float: "float64", complex: "complex128"}
        return np.result_type(*[np.dtype(kinds[type(x)]) for x in scalars]).name
    weak = [np.dtype(bool) if isinstance(x, bool) else type(x)(0) for x in scalars]
    result = np.result_type(*dtypes, *weak).name
    return "bfloat16" if is_bfloat16 and result == "float16" else result


def can_cast_same_kind(source, target):
    (a, b), _ = stand_ins([source, target])
    if {source, target} == {"float16", "bfloat16"}:
        return True
    return np.can_cast(a, b, "same_kind")
