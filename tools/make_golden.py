#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-3-Clause
"""Makes tests/golden/{elementwise,promotion,casts,create}.bin: what the elementwise half of the test suite expects.

    python3 -m pip install 'numpy>=2' ml_dtypes mpmath;  python3 tools/make_golden.py [NAME ...]

The values are NumPy's (ml_dtypes' for bfloat16), computed one type wider for functions of 16- and 32-bit floats, and
mpmath's for functions of float64 and complex numbers.  Where libgarray is meant to differ, DEVIATIONS says why, and
the value comes from the rule written there.
"""
import pathlib
import re
import sys

import mpmath
import numpy as np

from golden import DIRECTORY, DTYPES, Golden, number_of, numpy_dtype

ROOT = DIRECTORY.parent.parent
sys.path.insert(0, str(ROOT / "tests" / "formulas"))
import check_complex  # noqa: E402  (exact(), on_cut(), accepted(): mpmath's side of the formula checks)
import check_float    # noqa: E402  (reference(): NumPy's side of them)

DEVIATIONS = {
    "maximum, minimum": "max(-0, +0) is +0 and min is -0 in any order; NumPy returns the one that its loop meets",
    "reciprocal": "of the integer 0 is 0; NumPy leaves it to the processor",
    "pow": "a negative integer exponent in an array gives the truncated power (0 for base 0); NumPy raises. "
           "Complex powers of infinities and NaN are those of exp(b log a); NumPy's are its C library's",
    "round": "bools stay as numbers (int8); NumPy makes them float16",
    "nextafter": "of equal numbers is the second, as in C; NumPy's float16 gives the first",
    "sign": "of -0 is +0 in every dtype; ml_dtypes keeps -0",
    "expm1": "complex, of infinities: the array API's -1 or inf; NumPy 2.4 gives NaN",
    "divide": "complex: the sign of a part that cancels to zero depends on the formula",
    "casts": "floats out of the range of an integer dtype saturate, NaN is 0; NumPy leaves it to the processor. "
             "complex to real drops the imaginary part, as NumPy does with a warning",
    "bfloat16": "promotes as float16 does, with float16 to float32; ml_dtypes has rules of its own",
}

NUMPY_NAMES = {"abs": "absolute", "acos": "arccos", "acosh": "arccosh", "asin": "arcsin", "asinh": "arcsinh",
               "atan": "arctan", "atan2": "arctan2", "atanh": "arctanh", "bitwise_left_shift": "left_shift",
               "bitwise_right_shift": "right_shift", "conj": "conjugate", "pow": "power", "round": "rint"}
FUNCTIONS = set("acos acosh asin asinh atan atan2 atanh cos cosh exp expm1 hypot log log10 log1p log2 logaddexp pow "
                "sin sinh tan tanh".split())

# Bounds in hundredths of an ulp against the rounded value; 0: equal bits.  The contract for float32 is 0.51 ulp of
# the exact value, which lets a result be the rounded value's neighbour.
EXACT, SINGLE, DOUBLE, COMPLEX, MODULUS = 0, 100, 200, 400, 100


def operations():
    """(number, name, operands) of the rows of ops.def."""
    arity = {"UNARY": 1, "BINARY": 2, "TERNARY": 3, "SELECT": 3}
    for line in (ROOT / "src/core/ops.def").read_text().splitlines():
        match = re.match(r"GARRAY_(UNARY|BINARY|TERNARY|SELECT) *\( *(\d+), *(\w+)", line)
        if match:
            yield int(match.group(2)), match.group(3), arity[match.group(1)]


def promote(a, b):
    """NumPy's promotion, extended to bfloat16."""
    a, b = np.dtype(a), np.dtype(b)
    names = {a.name, b.name}
    if names == {"bfloat16", "float16"}:
        return np.dtype("float32")
    if "bfloat16" in names:
        if a == b:
            return a
        half = np.promote_types(*[np.dtype("float16") if d.name == "bfloat16" else d for d in (a, b)])
        return numpy_dtype("bfloat16") if half == np.float16 else half
    return np.promote_types(a, b)


# ---- operands ----

def integer_values(dtype):
    info = np.iinfo(dtype)
    edges = [info.min, info.min + 1, info.min // 2, info.max, info.max - 1, info.max // 2 + 1, 0, 1, 2, 3, 5, 7, 8, 10,
             15, 16, 31, 32, 63, 64, 100, -1, -2, -3, -7, -8, -64, -100]
    return np.array(sorted({e for e in edges if info.min <= e <= info.max}), dtype)


def float_values(dtype):
    largest = {"float16": 65504.0, "bfloat16": 3.3895313892515355e38, "float32": float(np.finfo(np.float32).max),
               "float64": np.finfo(float).max}[dtype.name]
    least = {"float16": -14, "float64": -1022}.get(dtype.name, -126)
    bits = {"float16": 10, "bfloat16": 7, "float32": 23, "float64": 52}[dtype.name]
    positive = [0, 0.25, 0.5, 1, 1.5, 2, 2.5, 3, 7, 100, 1023.5, np.pi / 2, 2.0 ** least, 2.0 ** (least - bits),
                largest, largest / 2, np.inf, np.nan, 0.1, 1 + 2.0 ** -bits]
    return np.concatenate([np.array(positive), -np.array(positive)]).astype(dtype)


def complex_values(dtype):
    return check_complex.special_grid(dtype)


def special_values(dtype):
    kind = "f" if dtype.name == "bfloat16" else dtype.kind
    if kind == "b":
        return np.array([False, True])
    return {"i": integer_values, "u": integer_values, "f": float_values, "c": complex_values}[kind](dtype)


def random_values(dtype, count, rng):
    kind = "f" if dtype.name == "bfloat16" else dtype.kind
    if kind == "b":
        return rng.integers(0, 2, count).astype(bool)
    if kind in "iu":
        info = np.iinfo(dtype)
        values = rng.integers(info.min, info.max, count, dtype, endpoint=True)
        return np.where(rng.random(count) < 0.3, values % 11, values).astype(dtype)
    spread = {"float16": 6, "bfloat16": 20, "float32": 20}.get(dtype.name, 40) if kind == "f" else 6

    def real():
        return rng.normal(size=count) * 2.0 ** rng.integers(-spread, spread // 2, count)
    if kind == "c":
        return check_complex.make(real(), real(), dtype)
    return real().astype(dtype)


def operands(dtype, arity, seed=1):
    """Arrays to try an operation on: special values with each other, then random ones."""
    rng = np.random.default_rng(seed)
    special = special_values(dtype)
    if arity == 1:
        return [np.concatenate([special, random_values(dtype, 80, rng)])]
    if len(special) > 40:
        special = special[::4]
    a, b = (part.ravel() for part in np.meshgrid(special[:20], special[-20:], indexing="ij"))
    arrays = [np.concatenate([part, random_values(dtype, 60, rng)]) for part in (a, b)]
    # equal operands, and quotients near integers
    for left, right in ((arrays[0][-20:], arrays[0][-20:]), (arrays[0][-20:] * 3, arrays[0][-20:])):
        if dtype.kind != "b":
            arrays = [np.concatenate([arrays[0], left]), np.concatenate([arrays[1], right])]
    if arity == 3:
        arrays = [np.concatenate([part[:160], part[-60:]]) for part in arrays]
        arrays.append(rng.permutation(arrays[0]))
    return arrays


# ---- what an operation gives ----

def integer_power(a, b):
    """The true power wrapped; of a negative exponent the truncated quotient 1 / a**-b."""
    bits = 8 * a.dtype.itemsize

    def one(a, b):
        if b < 0:
            return 1 if a == 1 else (-1 if b & 1 else 1) if a == -1 else 0
        return pow(a, b, 1 << bits)
    values = np.array([one(int(x), int(y)) & ((1 << bits) - 1) for x, y in zip(a, b)], "u%d" % a.dtype.itemsize)
    return values.view(a.dtype)


def extremum(name, a, b):
    """The first NaN wins; +0 is above -0."""
    sign, larger = (np.logical_and, a > b) if name == "maximum" else (np.logical_or, a < b)
    zero = np.where(sign(np.signbit(a), np.signbit(b)), -0.0, 0.0).astype(a.dtype)
    first_nan = np.where(np.isnan(a), a, b)
    number = np.where((a == 0) & (b == 0), zero, np.where(larger, a, b))
    return np.where(np.isnan(a) | np.isnan(b), first_nan, number)


def result_type_of(name, dtype, arity):
    """The dtype NumPy computes a function in, or None where it has none."""
    stand_in = np.dtype("float16") if dtype.name == "bfloat16" else dtype
    function = getattr(np, NUMPY_NAMES.get(name, name))
    try:
        with np.errstate(all="ignore"):
            result = function(*[np.ones(1, stand_in)] * arity).dtype
    except TypeError:
        return None
    return dtype if dtype.name == "bfloat16" and result == np.float16 else result


def mpmath_real(name, arrays, numpy_value):
    """float64 functions from 200 bits; NumPy's value where that is NaN, infinite or zero."""
    names = {"pow": mpmath.power, "hypot": mpmath.hypot,
             "log2": lambda x: mpmath.log(x, 2), "log10": mpmath.log10,
             "log1p": mpmath.log1p, "expm1": mpmath.expm1,
             "logaddexp": lambda a, b: mpmath.log(mpmath.exp(a) + mpmath.exp(b))}
    function = names.get(name) or getattr(mpmath, name)
    out = np.array(numpy_value, copy=True)
    for i, operands_ in enumerate(zip(*[array.tolist() for array in arrays])):
        # zeros have no sign in mpmath
        if np.isfinite(out[i]) and out[i] != 0 and np.isfinite(operands_).all() and all(operands_):
            mpmath.mp.prec = 1300 if name in ("sin", "cos", "tan", "logaddexp") else 200
            if name == "logaddexp" and max(map(abs, operands_)) > 1e4:
                continue
            value = function(*map(mpmath.mpf, operands_))
            out[i] = float(mpmath.re(value))
    return out


def mpmath_complex(name, arrays, numpy_value):
    """Complex functions from 400 bits off the branch cuts; NumPy's value on them and where something is infinite."""
    out = np.array(numpy_value, copy=True)
    mpmath.mp.prec = 400
    cut = check_complex.on_cut(name, arrays[0])
    for i in range(out.size):
        numbers = [complex(array[i]) for array in arrays]
        if np.isfinite(out[i]) and np.isfinite(numbers).all() and not cut[i] and all(numbers):
            value = check_complex.exact(name, *numbers)
            if name == "abs":
                out[i] = float(value)
                continue
            parts = [float(value.real), float(value.imag)]
            given = [out[i].real, out[i].imag]      # signs of zeros are not mpmath's
            parts = [g if p == 0 and g == 0 else p for p, g in zip(parts, given)]
            out[i] = complex(*parts)
    return out


COMPLEX_ROUNDED = {"abs", "divide", "pow", "reciprocal", "sign"} | set(check_complex.FUNCTIONS)


def complex_result(name, arrays):
    """(inputs, expected, bound); the inputs without those where libgarray is meant to differ."""
    with np.errstate(all="ignore"):
        if name == "imag" or name == "real":
            return arrays, getattr(arrays[0], name).copy(), EXACT
        if name in ("maximum", "minimum"):
            return arrays, getattr(np, name)(*arrays), EXACT
        plain = getattr(np, NUMPY_NAMES.get(name, name))(*arrays)
        if name not in COMPLEX_ROUNDED:
            return arrays, plain, 200 if name in ("multiply", "square") else EXACT
        wide = [array.astype(np.complex128) for array in arrays]
        expected = mpmath_complex(name, wide, getattr(np, NUMPY_NAMES.get(name, name))(*wide)).astype(plain.dtype)
        odd = np.zeros(expected.shape, bool)
        if name in ("pow", "divide"):
            # numbers that are neither zero nor infinite are mpmath's; of the rest only what both agree on
            odd = ~(np.isfinite(expected) & np.isfinite(arrays[0]) & np.isfinite(arrays[1]))
            odd |= (arrays[0] == 0) | (arrays[1] == 0)
            odd |= (expected.real == 0) | (expected.imag == 0)
        if name == "pow":
            odd |= check_complex.on_cut("pow", arrays[0])
        if name == "expm1":
            odd = ~np.isfinite(arrays[0]) & np.isnan(expected)
        keep = ~odd
        bound = MODULUS if name == "abs" else 200 if name in ("divide", "reciprocal", "sign") else COMPLEX
        return [array[keep] for array in arrays], expected[keep], bound


def real_result(name, arrays, result):
    """bool, integers and floats; result: the dtype computed in."""
    dtype = arrays[0].dtype
    with np.errstate(all="ignore"):
        if name == "pow" and result.kind in "iu":
            return integer_power(*[array.astype(result) for array in arrays]), EXACT
        if name == "reciprocal" and result.kind in "iu":
            return np.where(np.abs(arrays[0].astype(float)) == 1, arrays[0], 0).astype(result), EXACT
        floating = result.kind == "f" or result.name == "bfloat16"
        if name in ("maximum", "minimum") and floating:
            return extremum(name, *arrays), EXACT
        if name == "imag":
            return np.zeros_like(arrays[0]), EXACT
        if name == "real":
            return arrays[0].copy(), EXACT
        if name in FUNCTIONS and floating:
            function = getattr(np, NUMPY_NAMES.get(name, name))
            # integers become the result's dtype first, as NumPy's loops are chosen
            arrays = [array.astype(result).astype(np.float64) for array in arrays]
            if result != np.float64:
                return function(*arrays).astype(result), SINGLE
            return mpmath_real(name, arrays, function(*arrays)), DOUBLE
        if floating and dtype.kind not in "biu":
            return check_float.reference(None, name, arrays), EXACT
        if floating:
            return getattr(np, NUMPY_NAMES.get(name, name))(*arrays).astype(result), EXACT
        return getattr(np, NUMPY_NAMES.get(name, name))(*arrays), EXACT


def reference(name, arity, dtype):
    """(inputs, expected or None, bound) of an operation on operands of one dtype."""
    arrays = operands(dtype, arity)
    if name == "where":
        pick = np.arange(arrays[0].size) % 3 == 0
        return [pick] + arrays[:2], np.where(pick, *arrays[:2]), EXACT
    if name == "clip":
        with np.errstate(all="ignore"):
            if dtype.kind == "c" or dtype.kind in "biu":
                return arrays, np.minimum(np.maximum(*arrays[:2]), arrays[2]), EXACT
            return arrays, extremum("minimum", extremum("maximum", *arrays[:2]), arrays[2]), EXACT
    if name in ("real", "imag"):
        result = dtype
    elif name == "round" and dtype.kind in "biu":
        kept = np.dtype("int8") if dtype.kind == "b" else dtype
        return arrays, arrays[0].astype(kept), EXACT
    else:
        result = result_type_of(name, dtype, arity)
    if result is None:
        return arrays, None, EXACT
    if dtype.kind == "c":
        return complex_result(name, arrays)
    expected, bound = real_result(name, arrays, result)
    return arrays, expected, bound


def elementwise():
    """Cases: operation, operands, block of each (or -1), block of the result (-1: DTYPE), bound."""
    golden = Golden(7)
    for number, name, arity in operations():
        for dtype in map(numpy_dtype, DTYPES):
            inputs, expected, bound = reference(name, arity, dtype)
            blocks = [golden.block(array) for array in inputs] + [-1] * (3 - len(inputs))
            out = -1 if expected is None else golden.block(np.asarray(expected))
            golden.case(number, arity, *blocks, out, bound)
    golden.write("elementwise", "tools/make_golden.py", mpmath=mpmath.__version__)


def main():
    makers = {"elementwise": elementwise}
    for name in sys.argv[1:] or makers:
        makers[name]()


if __name__ == "__main__":
    main()
