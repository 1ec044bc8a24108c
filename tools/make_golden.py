#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-3-Clause
"""Makes tests/golden/{elementwise,promotion,casts,create}.bin: what the elementwise half of the test suite
expects.

    python3 -m pip install 'numpy>=2' ml_dtypes mpmath;  python3 tools/make_golden.py [NAME ...]

The values are NumPy's (ml_dtypes' for bfloat16), computed one type wider for functions of 16- and 32-bit
floats, and mpmath's for functions of float64 and complex numbers.  Where libgarray is meant to differ,
DEVIATIONS says why, and the value comes from the rule written there.
"""
import re
import sys
from fractions import Fraction

import mpmath
import numpy as np

from golden import DIRECTORY, DTYPES, Golden, number_of, numpy_dtype

ROOT = DIRECTORY.parent.parent
sys.path.insert(0, str(ROOT / "tests" / "formulas"))
import check_complex  # noqa: E402  (exact(), on_cut(), accepted(): mpmath's side of the formula checks)
import check_float    # noqa: E402  (reference(): NumPy's side of them)
import special_functions  # noqa: E402  (exact(): by mpmath)

DEVIATIONS = {
    "maximum, minimum":
        "max(-0, +0) is +0 and min is -0 in any order; NumPy returns the one that its loop meets",
    "reciprocal": "of the integer 0 is 0; NumPy leaves it to the processor",
    "pow": "a negative integer exponent in an array gives the truncated power (0 for base 0); NumPy raises. "
           "Complex powers of infinities and NaN are those of exp(b log a); NumPy's are its C library's",
    "round": "bools stay as numbers (int8); NumPy makes them float16",
    "nextafter": "of equal numbers is the second, as in C; NumPy's float16 gives the first",
    "sign": "of -0 is +0 in every dtype; ml_dtypes keeps -0",
    "expm1": "complex, of infinities: the array API's -1 or inf; NumPy 2.4 gives NaN",
    "spacing": "has the sign of its argument and goes away from 0 in every dtype; NumPy's float16 goes up",
    "fmax, fmin": "of zeros as maximum and minimum; ml_dtypes' bfloat16 gives the first NaN of two",
    "bitwise_count": "bools count as int8, as in NumPy",
    "gcd, lcm, fmod": "the smallest integer has itself as its absolute value; fmod by 0 is 0",
    "sinc": "is 0 at integers and 1 at 0; NumPy's rounds pi x first",
    "divide": "complex: the sign of a part that cancels to zero depends on the formula",
    "arange": "every value is start + i * step in float64, rounded once; NumPy takes the step from the first "
              "two values in the dtype itself",
    "casts": "floats out of the range of an integer dtype saturate, NaN is 0; NumPy leaves it to the "
             "processor. complex to real drops the imaginary part, as NumPy does with a warning",
    "bfloat16": "promotes as float16 does, with float16 to float32; ml_dtypes has rules of its own",
}

NUMPY_NAMES = {"abs": "absolute", "acos": "arccos", "acosh": "arccosh", "asin": "arcsin", "asinh": "arcsinh",
               "atan": "arctan", "atan2": "arctan2", "atanh": "arctanh", "bitwise_left_shift": "left_shift",
               "bitwise_right_shift": "right_shift", "conj": "conjugate", "pow": "power", "round": "rint"}
SPECIAL = set(special_functions.ONE + special_functions.TWO)
FUNCTIONS = set("acos acosh asin asinh atan atan2 atanh cbrt cos cosh degrees exp expm1 float_power hypot log log10 "
                "log1p log2 logaddexp pow radians sin sinh tan tanh".split()) | SPECIAL

# Bounds in hundredths of an ulp against the rounded value; 0: equal bits.  The contract for float32 is 0.51
# ulp of the exact value, which lets a result be the rounded value's neighbour.
EXACT, SINGLE, DOUBLE, COMPLEX, MODULUS = 0, 100, 200, 400, 100
# Of float64, where the devices' libraries are not better, or the formula is not.
LOOSE = {"erfinv": 600, "gamma": 1000, "lgamma": 600, "i0": 400, "erfc": 500, "sigmoid": 300, "sinc": 300,
         "logaddexp2": 1000}


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
    edges = [info.min, info.min + 1, info.min // 2, info.max, info.max - 1, info.max // 2 + 1, 0, 1, 2, 3, 5,
             7, 8, 10, 15, 16, 31, 32, 63, 64, 100, -1, -2, -3, -7, -8, -64, -100]
    return np.array(sorted({e for e in edges if info.min <= e <= info.max}), dtype)


def float_values(dtype):
    largest = {"float16": 65504.0, "bfloat16": 3.3895313892515355e38,
               "float32": float(np.finfo(np.float32).max),
               "float64": np.finfo(float).max}[dtype.name]
    least = {"float16": -14, "float64": -1022}.get(dtype.name, -126)
    bits = {"float16": 10, "bfloat16": 7, "float32": 23, "float64": 52}[dtype.name]
    positive = [0, 0.25, 0.5, 1, 1.5, 2, 2.5, 3, 7, 100, 1023.5, np.pi / 2, 2.0 ** least,
                2.0 ** (least - bits),
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
    values = np.array([one(int(x), int(y)) & ((1 << bits) - 1) for x, y in zip(a, b)],
                      "u%d" % a.dtype.itemsize)
    return values.view(a.dtype)


def extremum(name, a, b):
    """The first NaN wins; +0 is above -0."""
    sign, larger = (np.logical_and, a > b) if name == "maximum" else (np.logical_or, a < b)
    zero = np.where(sign(np.signbit(a), np.signbit(b)), -0.0, 0.0).astype(a.dtype)
    first_nan = np.where(np.isnan(a), a, b)
    number = np.where((a == 0) & (b == 0), zero, np.where(larger, a, b))
    return np.where(np.isnan(a) | np.isnan(b), first_nan, number)


def friendly_extremum(name, a, b):
    """Of a number and NaN the number."""
    number = extremum("maximum" if name == "fmax" else "minimum", a, b)
    return np.where(np.isnan(a), b, np.where(np.isnan(b), a, number)).astype(a.dtype)


def result_type_of(name, dtype, arity):
    """The dtype NumPy computes a function in, or None where it has none."""
    if name in ("sinc", "i0"):
        return None if dtype.kind == "c" and name == "i0" else np.dtype(float) if dtype.kind in "biu" else dtype
    if name in SPECIAL and not hasattr(np, name):
        return None if dtype.kind == "c" else result_type_of("sqrt", dtype, 1)
    if name == "bitwise_count" and dtype.kind in "fcV":
        return None
    stand_in = np.dtype("float16") if dtype.name == "bfloat16" else dtype
    function = getattr(np, NUMPY_NAMES.get(name, name))
    try:
        with np.errstate(all="ignore"):
            result = function(*[np.ones(1, stand_in)] * arity).dtype
    except TypeError:
        return None
    if name in ("isneginf", "isposinf") and dtype.kind == "c":
        return None
    return dtype if dtype.name == "bfloat16" and result == np.float16 else result


def mpmath_real(name, arrays, numpy_value):
    """float64 functions from 200 bits; NumPy's value where that is NaN, infinite or zero."""
    names = {"pow": mpmath.power, "float_power": mpmath.power, "hypot": mpmath.hypot,
             "degrees": mpmath.degrees, "radians": mpmath.radians,
             "log2": lambda x: mpmath.log(x, 2), "log10": mpmath.log10,
             "log1p": mpmath.log1p, "expm1": mpmath.expm1,
             "cbrt": lambda x: mpmath.sign(x) * mpmath.cbrt(abs(x)),  # mpmath's root of a negative is complex
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
    """Complex functions from 400 bits off the branch cuts; NumPy's value on them and where something is
    infinite."""
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


COMPLEX_ROUNDED = {"abs", "divide", "float_power", "pow", "reciprocal", "sign"} | set(check_complex.FUNCTIONS)


def complex_result(name, arrays):
    """(inputs, expected, bound); the inputs without those where libgarray is meant to differ."""
    with np.errstate(all="ignore"):
        if name == "imag" or name == "real":
            return arrays, getattr(arrays[0], name).copy(), EXACT
        if name in ("maximum", "minimum", "fmax", "fmin", "isreal", "iscomplex"):
            return arrays, getattr(np, name)(*arrays), EXACT
        plain = getattr(np, NUMPY_NAMES.get(name, name))(*arrays)
        if name not in COMPLEX_ROUNDED:
            return arrays, plain, 200 if name in ("multiply", "square") else EXACT
        wide = [array.astype(np.complex128) for array in arrays]
        given = getattr(np, NUMPY_NAMES.get(name, name))(*wide)
        expected = mpmath_complex(name, wide, given).astype(plain.dtype)
        odd = np.zeros(expected.shape, bool)
        if name == "sinc":      # NumPy multiplies by pi first, which makes NaN of infinities, and zeros lose their sign
            odd = ~np.isfinite(arrays[0]) | ~np.isfinite(expected) | (expected.real == 0) | (expected.imag == 0)
        if name in ("pow", "float_power", "divide"):
            # numbers that are neither zero nor infinite are mpmath's; of the rest only what both agree on
            odd = ~(np.isfinite(expected) & np.isfinite(arrays[0]) & np.isfinite(arrays[1]))
            odd |= (arrays[0] == 0) | (arrays[1] == 0)
            odd |= (expected.real == 0) | (expected.imag == 0)
        if name in ("pow", "float_power"):
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
        if name in ("fmax", "fmin") and floating:
            return friendly_extremum(name, *arrays), EXACT
        if name in ("isreal", "iscomplex", "isneginf", "isposinf"):
            return getattr(np, name)(arrays[0].astype(float)), EXACT
        if name in ("gcd", "lcm"):
            return getattr(np, name)(*[array.astype(result) for array in arrays]), EXACT
        if name == "fmod" and not floating:
            a, b = (array.astype(result) for array in arrays)
            return np.where(b == 0, 0, np.fmod(a, np.where(b == 0, 1, b))).astype(result), EXACT
        if name == "ldexp":
            if result.name == "bfloat16":
                return None, EXACT
            return np.ldexp(arrays[0].astype(result), arrays[1]), EXACT
        if name == "spacing":
            return check_float.spacing(arrays[0].astype(result)), EXACT
        if name == "fix":
            return np.trunc(arrays[0].astype(float)).astype(result) if floating else arrays[0].copy(), EXACT
        if name == "imag":
            return np.zeros_like(arrays[0]), EXACT
        if name == "real":
            return arrays[0].copy(), EXACT
        if name in FUNCTIONS and floating:
            # integers become the result's dtype first, as NumPy's loops are chosen
            arrays = [array.astype(result).astype(np.float64) for array in arrays]
            if name in SPECIAL:
                bound = SINGLE if result != np.float64 else LOOSE.get(name, DOUBLE)
                return special_functions.exact(name, *arrays).astype(result), bound
            function = getattr(np, NUMPY_NAMES.get(name, name))
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
    if name == "lgamma" and result == np.float64:   # next to its zeros below 0 only its distance from 0 is right
        keep = ~((arrays[0] < -2) & (arrays[0] > -12)) | (arrays[0].astype(float) == np.floor(arrays[0].astype(float)))
        return [arrays[0][keep]], expected[keep], bound
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


# ---- promotion ----

PAIR, WEAK, CAN_CAST, MIXED, SCALAR = range(5)
CASTING = {3: "safe", 4: "same_kind"}


def can_cast(a, b, rule):
    names = [x.name for x in (a, b)]
    if set(names) == {"float16", "bfloat16"}:
        return rule == "same_kind"
    stand_in = [np.dtype("float16") if x.name == "bfloat16" else x for x in (a, b)]
    return np.can_cast(*stand_in, casting=rule)


def few_values(dtype, seed):
    """12 values, the extreme ones first."""
    rng = np.random.default_rng(seed)
    if dtype.kind == "b":
        return rng.integers(0, 2, 12).astype(bool)
    if dtype.kind in "iu":
        info = np.iinfo(dtype)
        return np.array([info.min, info.max, info.max - 1, info.max // 2 + 1, 0, 1] + list(range(3, 9)),
                        dtype)
    values = np.concatenate([[np.inf, np.nan, -0.0, 1.5, -2.25, 3], rng.normal(size=6)])
    if dtype.kind == "c":
        return check_complex.make(values, rng.permutation(values), dtype)
    return values.astype(dtype)


def binary(name, a, b, common):
    """NumPy's result; through the common dtype where bfloat16 has a part."""
    function = getattr(np, name)
    with np.errstate(all="ignore"):
        if "bfloat16" in (a.dtype.name, getattr(b, "dtype", a.dtype).name):
            a, b = a.astype(common), np.asarray(b).astype(common)
        return np.asarray(function(a, b))


def scalar_case(golden, number, name, array, value, first):
    """array op value, or value op array; value a Python scalar, which is weak."""
    stand_in = np.dtype("float16") if array.dtype.name == "bfloat16" else array.dtype
    common = np.result_type(stand_in, value)
    if array.dtype.name == "bfloat16" and common == np.float16:
        common = array.dtype
    try:
        arrays = [array, value]
        if array.dtype.name == "bfloat16":
            with np.errstate(all="ignore"):
                strong = np.asarray(value, complex if common.kind == "c" else float)
                arrays = [array.astype(common), strong.astype(common)]
        with np.errstate(all="ignore"):
            expected = golden.block(np.asarray(getattr(np, name)(*(arrays[::-1] if first else arrays))))
    except OverflowError:
        expected = -1
    boxed = np.array([value], np.uint64 if isinstance(value, int) and value > 2**63 - 1 else None)
    golden.case(SCALAR, number, golden.block(array), golden.block(boxed), expected, int(first))


def promotion():
    """Cases, by their first number: promote_types of a pair; result_type of a dtype and a weak scalar (2:
    bool, 3: int, 5: float, 6: complex, as in garray_operand); can_cast; a binary operation on two dtypes; the
    same on an array and a weak scalar, first or second (-1: an integer that does not fit, INVALID)."""
    golden = Golden(6)
    dtypes = [numpy_dtype(name) for name in DTYPES]
    numbers = {name: number for number, name, _ in operations()}
    scalars = [(2, True), (3, 1), (5, 1.0), (6, 1j)]
    for a in dtypes:
        for b in dtypes:
            golden.case(PAIR, number_of(a), number_of(b), number_of(promote(a, b)), 0, 0)
            for rule, name in CASTING.items():
                golden.case(CAN_CAST, number_of(a), number_of(b), rule, int(can_cast(a, b, name)), 0)
            x, y = few_values(a, 1), few_values(b, 2)[::-1].copy()
            names = ("add", "less", "less_equal", "equal", "not_equal", "greater", "greater_equal")
            for name in names if a != b else ():
                if name not in ("add", "less", "equal") and not {a.kind, b.kind} <= set("iu"):
                    continue
                golden.case(MIXED, numbers[name], golden.block(x), golden.block(y),
                            golden.block(binary(name, x, y, promote(a, b))), 0)
        for kind, value in scalars:
            stand_in = np.dtype("float16") if a.name == "bfloat16" else a
            result = np.result_type(stand_in, value)
            golden.case(WEAK, number_of(a), kind,
                        number_of(a if a.name == "bfloat16" and result == np.float16 else result), 0, 0)
        values = [True, 0, 1, -1, 7, 127, 128, 255, 300, -129, 70000, 2**31, 2**63 - 1, -2**63, 2**63,
                  2**64 - 1, 0.5, -3.0, 1e300, float("inf"), float("nan"), 1 - 2j]
        for value in values:
            # NumPy's rule for a Python int beyond int64 beside bool depends on its version
            if a.kind == "b" and isinstance(value, int) and value > 2**63 - 1:
                continue
            for name in ("add", "less", "equal", "greater_equal"):
                for first in (False, True):
                    scalar_case(golden, numbers[name], name, few_values(a, 1), value, first)
    golden.write("promotion", "tools/make_golden.py")


# ---- casts ----

def exactly_rounded(value, dtype):
    """A rational number as a 16-bit float, rounded once, ties to even."""
    digits, least, largest = (11, -24, 65504) if dtype.name == "float16" else (8, -133, 2**128 - 2**120)
    if value == 0:
        return 0.0
    size = abs(value)
    exponent = 0
    while size >= Fraction(2) ** (exponent + 1):
        exponent += 1
    while size < Fraction(2) ** exponent:
        exponent -= 1
    unit = Fraction(2) ** max(exponent + 1 - digits, least)
    rounded = round(size / unit) * unit
    result = np.inf if rounded > largest else float(rounded)
    return result if value > 0 else -result


def cast(array, to):
    with np.errstate(all="ignore"):
        if array.dtype.kind == "c" and to.kind != "c":
            return array != 0 if to.kind == "b" else cast(array.real.copy(), to)
        real = array.dtype.kind == "f" or array.dtype.name == "bfloat16"
        if to.kind == "b":
            return array != 0
        if real and to.kind in "iu":
            info = np.iinfo(to)
            wide = array.astype(np.float64)
            return np.array([0 if np.isnan(x) else min(max(int(np.clip(x, -1e30, 1e30)), info.min), info.max)
                             for x in wide.tolist()], to)
        if to.name in ("float16", "bfloat16") and array.dtype.kind != "b":
            wide = array.astype(np.float64) if real else array
            out = [x if real and (not np.isfinite(x) or x == 0) else exactly_rounded(Fraction(x), to)
                   for x in wide.tolist()]
            return np.array(out, np.float64).astype(np.float32).astype(to)
        return array.astype(to)


def cast_values(dtype):
    special = special_values(dtype)
    if dtype.kind in "iu":
        edges = [2**k + d for k in (8, 11, 12, 24, 25, 53, 54, 62, 63) for d in (-1, 0, 1)]
        edges += [65504, 65519, 65520, 2049, 2051]
        # 1 + 2^-11 + 2^-30 of float16's grid, which two roundings would make 1
        edges += [(2**11 + 1) * 2**20 + 1, -(2**11 + 1) * 2**20 - 1, (2**8 + 1) * 2**20 + 1,
                  2**54 + 2**30 + 1]
        info = np.iinfo(dtype)
        extra = np.array([e for e in edges if info.min <= e <= info.max], dtype)
        return np.concatenate([special, extra])
    if dtype.kind == "b":
        return special
    parts = [127, 127.9, 128, -128.9, -129, 255.5, 256, -0.9, -1, 32767.5, 32768, 65535.9, 65536, 2**31 - 1,
             2**31, -2**31 - 1, 2**32 - 1, 2**32, 2**53, 2**63, -2**63, 2**64, 1e30, -1e30, 65519.99, 65520,
             1 + 2**-11, 1 + 2**-11 + 2**-30, 1 + 3 * 2**-11, 1 + 2**-8 + 2**-30, 2**-25,
             2**-25 * (1 + 2**-20), 2**-24 * 1.5, 1 + 2**-24, 1 + 2**-24 + 2**-50, 3.39e38, 3.4e38, 2**-149.0,
             2**-150.0, 1.5 * 2**-149]
    with np.errstate(all="ignore"):
        if dtype.kind == "c":
            values = np.array(parts + [np.inf, -np.inf, np.nan, -0.0, 0.0], float)
            return check_complex.make(values, values[::-1], dtype)
        return np.concatenate([special, np.array(parts, float).astype(dtype)])


def casts():
    """Cases: block, the same elements in another dtype."""
    golden = Golden(2)
    for a in map(numpy_dtype, DTYPES):
        values = cast_values(a)
        for b in map(numpy_dtype, DTYPES):
            golden.case(golden.block(values), golden.block(cast(values, b)))
    golden.write("casts", "tools/make_golden.py")


# ---- creation ----

def create():
    """Cases: kind, block of the numbers, dtype (0: not given), block of the result.  Kinds: 0 and 1
    arange(start, stop, step) of integers and floats; 2 and 3 linspace(start, stop, num), with and without the
    end; 4 and 5 the same of complex numbers."""
    golden = Golden(4)
    for numbers in [(0, 10, 1), (3, 20, 4), (10, 0, -3), (0, -7, 2), (5, 5, 1), (-100, 100, 7),
                    (2**53, 2**53 + 5, 1)]:
        for name in [None, "int8", "int16", "int32", "int64", "uint8", "uint64", "float32", "float64",
                     "complex64"]:
            small = name in ("int8", "int16", "uint8", "int32", "float32", "complex64")
            if small and max(numbers) > 127 or name in ("uint8", "uint64") and min(numbers) < 0:
                continue
            # NumPy's float step is the difference of the first two values, here 0
            if name == "float64" and max(numbers) > 2**52:
                continue
            result = np.arange(*numbers, dtype=name)
            golden.case(0, golden.block(np.array(numbers)), number_of(name) if name else 0,
                        golden.block(result))
    for numbers in [(0, 1, 0.1), (0.1, 2, 0.3), (1, -1, -0.25), (0, 5.5, 1), (-3.7, 4, 0.9), (1, 1, 0.5),
                    (0, 1e6, 12345.678)]:
        for name in [None, "float32", "float64", "float16"]:
            if name == "float16" and numbers[1] > 1e4:
                continue
            # start + i * step in float64, rounded once: NumPy works in the dtype itself, which loses more
            count = len(np.arange(*numbers))
            result = (numbers[0] + np.arange(count) * np.float64(numbers[2])).astype(name or float)
            golden.case(1, golden.block(np.array(numbers, float)), number_of(name) if name else 0,
                        golden.block(result))
    for numbers in [(0, 1, 11), (2, 3, 5), (-1, 1, 50), (5, 5, 3), (0, 1, 1), (0, 1, 0), (3, -3, 7),
                    (0, 1e-300, 4),
                    (1, 1e300, 9), (0.1, 0.7, 100)]:
        for name in [None, "float32", "float16", "complex64", "int32", "float64"]:
            if name == "int32" and numbers[1] > 1e9 or name == "float16" and numbers[1] > 1e4:
                continue
            for kind, endpoint in ((2, True), (3, False)):
                with np.errstate(all="ignore"):
                    result = np.linspace(*numbers, endpoint=endpoint, dtype=name)
                golden.case(kind, golden.block(np.array(numbers, float)), number_of(name) if name else 0,
                            golden.block(result))
    for numbers in [(0, 1 + 1j, 5), (-1j, 2, 8)]:
        for kind, endpoint in ((4, True), (5, False)):
            result = np.linspace(*numbers, endpoint=endpoint)
            golden.case(kind, golden.block(np.array(numbers, complex)), 0, golden.block(result))
    golden.write("create", "tools/make_golden.py")


def main():
    makers = {"elementwise": elementwise, "promotion": promotion, "casts": casts, "create": create}
    for name in sys.argv[1:] or makers:
        makers[name]()


if __name__ == "__main__":
    main()
