# SPDX-License-Identifier: BSD-3-Clause
"""The rows of ops.def by NumPy: exact ones in the dtype itself, the others in a wider type with a bound in
ulp."""

import numpy as np

from casts import cast, dtype_of, is_complex, is_inexact, part_of, promote, stand_ins, wide
from compare import Value, ulp
from library import BFLOAT16

NAMES = {
    "conj": "conjugate",
    "abs": "absolute",
    "acos": "arccos",
    "acosh": "arccosh",
    "asin": "arcsin",
    "asinh": "arcsinh",
    "atan": "arctan",
    "atan2": "arctan2",
    "atanh": "arctanh",
    "pow": "power",
    "bitwise_invert": "invert",
    "bitwise_left_shift": "left_shift",
    "bitwise_right_shift": "right_shift",
    "divide": "true_divide",
    "fix": "trunc",
}
ROUNDED = {
    "acos",
    "acosh",
    "asin",
    "asinh",
    "atan",
    "atan2",
    "atanh",
    "cbrt",
    "cos",
    "cosh",
    "degrees",
    "exp",
    "exp2",
    "expm1",
    "float_power",
    "hypot",
    "log",
    "log10",
    "log1p",
    "log2",
    "logaddexp",
    "logaddexp2",
    "pow",
    "radians",
    "sin",
    "sinh",
    "tan",
    "tanh",
}
# Of complex numbers also these, in ulps of the modulus.
COMPLEX_ROUNDED = ROUNDED | {"abs", "divide", "multiply", "reciprocal", "sign", "square", "sqrt"}
# NumPy has these as plain functions.
TESTS = {"isneginf", "isposinf", "isreal", "iscomplex"}
# NumPy has none, or another rule; tests/formulas and the golden files have the values.
ELSEWHERE = {"rsqrt", "sigmoid", "erf", "erfc", "erfinv", "gamma", "lgamma", "sinc", "i0", "spacing", "ldexp"}
COMPARISONS = {"equal", "not_equal", "less", "less_equal", "greater", "greater_equal"}


def ufunc_of(op):
    return getattr(np, NAMES.get(op, op))


def loop_dtypes(op, args):
    """The names of the dtypes that the operation computes in and returns."""
    arrays = [x.dtype.name for x in args if isinstance(x, np.ndarray)]
    dtypes, is_bfloat16 = stand_ins(arrays)
    dtypes = iter(dtypes)
    given = tuple(
        next(dtypes) if isinstance(x, np.ndarray) else np.dtype(bool) if isinstance(x, bool) else type(x)
        for x in args
    )
    found = ufunc_of(op).resolve_dtypes(given + (None,))
    names = ["bfloat16" if is_bfloat16 and dtype == np.float16 else dtype.name for dtype in found]
    return names[:-1], names[-1]


def evaluate(op, args, kw, old):
    if not any(isinstance(x, np.ndarray) for x in args):
        raise ValueError("numbers alone")
    if op == "where":
        value = where(*args)
    elif op == "clip":
        value = clip(*args)
    else:
        value = plain(op, args, kw.get("dtype"))
    if "where" in kw:
        mask = kw["where"]
        value = masked(value, mask, old)
        value.mask = np.broadcast_to(mask, value.value.shape)
    return value


def masked(value, mask, old):
    """Elements not selected keep what out held, or are 0."""
    if mask.dtype != bool:
        raise TypeError("where must be bool")
    shape = np.broadcast_shapes(value.value.shape, mask.shape)
    mask = np.broadcast_to(mask, shape)
    rest = np.zeros(shape, value.value.dtype)
    if old is not None and old.dtype == value.value.dtype and old.shape == shape:
        rest = old.copy()
    result = rest.copy()
    result[mask] = np.broadcast_to(value.value, shape)[mask]
    if value.error is None:
        skip = None if value.skip is None else np.broadcast_to(value.skip, shape) & mask
        return Value(result, skip=skip, zeros=value.zeros)
    true = np.where(mask, value.true, wide(rest))
    skip = None if value.skip is None else np.broadcast_to(value.skip, shape) & mask
    return Value(result, true, np.where(mask, value.error, 0), skip=skip)


def where(condition, x, y):
    name = promote([x, y])
    condition = cast(np.asarray(condition), "bool")
    for value in (x, y):
        if type(value) is int and not is_inexact(name):
            np.array(value, name)  # OverflowError
    return Value(np.where(condition, cast(np.asarray(x), name), cast(np.asarray(y), name)))


def clip(x, low, high):
    if low is None and high is None:
        if not isinstance(x, np.ndarray):
            raise ValueError("numbers alone")
        return Value(x.copy())
    if low is None or high is None:
        return plain("maximum" if high is None else "minimum", [x, low if high is None else high], None)
    name = promote([x, low, high])
    for value in (x, low, high):
        if type(value) is int and not is_inexact(name):
            np.array(value, name)  # OverflowError
    x, low, high = (cast(np.asarray(value), name) for value in (x, low, high))
    if name == "bfloat16":
        return Value(cast(np.clip(*(v.astype(np.float32) for v in (x, low, high))), name), zeros=True)
    skip = (
        np.broadcast_to(np.isnan(low) | np.isnan(high), np.broadcast_shapes(x.shape, low.shape, high.shape))
        if is_complex(name)
        else None
    )
    return Value(np.clip(x, low, high), zeros=True, skip=skip)


def plain(op, args, dtype):
    if op in TESTS:
        x = args[0]
        if is_complex(x.dtype.name) and op in ("isneginf", "isposinf"):
            raise TypeError("ambiguous")
        return Value(np.asarray(getattr(np, op)(x.astype(np.float32) if x.dtype == BFLOAT16 else x)))
    if op in ("real", "imag"):
        x = args[0]
        part = x.real.copy() if op == "real" else x.imag.copy() if x.dtype.kind == "c" else np.zeros_like(x)
        return Value(np.asarray(part))
    if op == "round":
        x = args[0]
        if x.dtype.name == "bfloat16":
            return Value(cast(np.rint(x.astype(np.float32)), "bfloat16"))
        if x.dtype == bool:
            return Value(x.astype(np.int8))
        return Value(np.asarray(np.rint(x)) if is_inexact(x.dtype.name) else x.copy())
    if dtype is None:
        loops, result = loop_dtypes(op, args)
    else:
        loops, result = loop_dtypes(op, [np.zeros((), dtype_of(dtype))] * len(args))
    inexact = is_inexact(loops[0])
    if op in (COMPLEX_ROUNDED if is_complex(loops[0]) else ROUNDED) and inexact:
        return rounded(op, [cast(np.asarray(x), name) for x, name in zip(args, loops)], result)
    if "bfloat16" in loops:
        return in_bfloat16(op, [cast(np.asarray(x), name) for x, name in zip(args, loops)], result)
    if op == "pow":
        return integer_power(args, loops)
    if op not in COMPARISONS or inexact:
        for x, name in zip(args, loops):
            if type(x) is int and name[:3] in ("int", "uin"):
                np.array(x, name)  # OverflowError
        # Native, but with casts of ours: NumPy rounds int64 to float16 twice.
        args = [cast(np.asarray(x), name) for x, name in zip(args, loops)]
    out = np.asarray(ufunc_of(op)(*args))
    if op == "reciprocal" and not inexact:
        out = np.where(args[0] == 0, 0, out).astype(out.dtype)
    if op == "nextafter" and loops[0] == "float16":
        out = np.where(args[0] == args[1], args[1], out)
    return Value(out, zeros=op in ("maximum", "minimum", "fmax", "fmin"))


def in_bfloat16(op, args, result):
    """bfloat16, computed in float32 and rounded once."""
    if op == "nextafter":
        args = np.broadcast_arrays(*args)
        out = np.where(args[0] == args[1], args[1], np.nextafter(*args))
        return Value(out)
    out = np.asarray(ufunc_of(op)(*[x.astype(np.float32) if x.dtype == BFLOAT16 else x for x in args]))
    return Value(cast(out, result), zeros=op in ("maximum", "minimum", "fmax", "fmin"))


def integer_power(args, loops):
    name = loops[0]
    for x in args:
        if type(x) is int:
            np.array(x, name)  # OverflowError
    if type(args[1]) is int and args[1] < 0:
        raise ValueError("Integers to negative integer powers are not allowed.")
    a, b = np.broadcast_arrays(*[cast(np.asarray(x), name) for x in args])
    if a.dtype.kind == "u":
        return Value(np.asarray(np.power(a, b)))
    out = np.asarray(np.power(a, np.where(b < 0, 0, b)))
    truncated = np.where(a == 1, 1, np.where(a == -1, np.where(b & 1, -1, 1), 0))
    return Value(np.where(b < 0, truncated, out).astype(name))


def complex_log1p(z):
    """NumPy's own loses the real part where it is small."""
    out = np.empty_like(z)
    out.real = np.log1p(2 * z.real + z.real**2 + z.imag**2) / 2
    large = np.abs(z) > 0.5
    out.real[large] = np.log(np.abs(1 + z[large]))
    out.imag = np.arctan2(z.imag, 1 + z.real)
    return out


def rounded(op, args, result):
    widened = [wide(x) for x in args]
    true = np.asarray(
        ufunc_of(op)(*widened) if op != "log1p" or not is_complex(result) else complex_log1p(*widened)
    )
    value = cast(true, result)
    if not is_complex(args[0].dtype.name):
        limit = 0.51 if result != "float64" else 2.6
        size = np.abs(true)
        if op in ("logaddexp", "logaddexp2") and result == "float64":
            size = np.fmax(size, np.fmax(*[np.abs(x) for x in widened]))
        return Value(value, true, limit * ulp(size, result))
    limit = {"abs": 1, "pow": 40 if part_of(result) == "float64" else 4, "float_power": 40, "exp2": 40}.get(op, 4)
    modulus = np.abs(true)
    finite = np.isfinite(modulus)
    for x in widened:
        finite = finite & np.isfinite(x)
    if op == "exp2":  # angles that are too large for either side to reduce
        finite = finite & (np.abs(widened[0].imag) < 1e6)
    near_top = modulus > float(np.finfo(part_of(result)).max) / 4
    # Powers of large moduli lose digits in NumPy's own wide type too;
    # infinities are judged in tests/formulas.
    if op in ("pow", "float_power"):
        turns = np.abs(widened[1]) * (1 + np.abs(np.log(np.where(widened[0] == 0, 1, widened[0]))))
        finite = finite & (turns < 200) & (widened[0] != 0)
    return Value(value, true, limit * ulp(modulus, result), skip=~finite | near_top)
