# SPDX-License-Identifier: BSD-3-Clause
"""Real floats against NumPy (ml_dtypes for bfloat16): exact rows bit for bit, elementary functions in ulps
against a wider type.  Operands: a grid of special values, neighbours of rounding decisions, random bits."""
import numpy as np

EXACT = ["abs", "add", "ceil", "conj", "copysign", "divide", "equal", "floor", "floor_divide", "greater",
         "greater_equal", "imag", "isfinite", "isinf", "isnan", "less", "less_equal", "logical_and", "logical_not",
         "logical_or", "logical_xor", "multiply", "negative", "nextafter", "not_equal", "positive", "real",
         "reciprocal", "remainder", "rint", "fix", "fabs", "fmod", "heaviside", "round", "sign", "signbit", "sqrt", "square", "subtract", "trunc"]
ROUNDED = ["acos", "acosh", "asin", "asinh", "atan", "atan2", "atanh", "cbrt", "cos", "cosh", "degrees", "exp", "exp2",
           "expm1", "hypot", "log", "log10", "log1p", "log2", "logaddexp", "logaddexp2", "pow", "radians", "sin", "sinh",
           "tan", "tanh"]
# By mpmath, on fewer values; the bounds of float64 in ulp, those of the C library or of the formula.
SPECIAL = {"rsqrt": 0.51, "sigmoid": 2, "erf": 1.5, "erfc": 4, "erfinv": 6, "gamma": 6, "lgamma": 5, "sinc": 2, "i0": 4}


def numpy_type(formula):
    if formula.name == "bfloat16":
        import ml_dtypes
        return np.dtype(ml_dtypes.bfloat16)
    return np.dtype(formula.name)


def from_bits(bits, kind):
    return np.asarray(bits).astype("u%d" % kind.itemsize).view(kind)


def operands(formula):
    kind = numpy_type(formula)
    rng = np.random.default_rng(2)
    if formula.bits == 16:
        grid = from_bits(np.arange(0, 65536, 97), kind)
        everything = from_bits(np.arange(65536), kind)
    else:
        grid = from_bits(rng.integers(0, 1 << formula.bits, 250, np.uint64, endpoint=False)
                         if formula.bits < 64 else rng.integers(0, 2**64 - 1, 250, np.uint64), kind)
        everything = from_bits(rng.integers(0, 2**formula.bits - 1, 200000, np.uint64), kind)
    tiny = from_bits([1, 2, 3], kind)
    least = 2.0 ** {"float16": -14, "float64": -1022}.get(formula.name, -126)
    largest = {"float16": 65504.0, "float64": np.finfo(float).max, "float32": float(np.finfo(np.float32).max),
               "bfloat16": 3.3895313892515355e38}[formula.name]
    positive = [0, 0.1, 0.25, 0.5, 0.75, 1, 1.5, 2, 2.5, 3, 3.5, 4, 5, 7, 10, 100, 1023.5, 2048, least, largest,
                largest / 2, np.pi, np.pi / 2, np.inf, np.nan]
    positive = np.concatenate([np.array(positive).astype(kind), tiny])
    special = np.concatenate([positive, -positive, grid])
    near = (1 + rng.normal(size=4000) * 2.0 ** rng.integers(-10, 3, 4000)).astype(kind)
    # A signalling NaN is another argument than a quiet one to some C libraries (hypot with an infinity).
    with np.errstate(all="ignore"):
        special, everything = (np.where(np.isnan(part), np.array(np.nan, kind), part)
                               for part in (special, everything))
    return special, np.concatenate([special, near, -near, everything])


def same(out, expected):
    """Equal bits, or both NaN."""
    unsigned = "u%d" % out.dtype.itemsize
    equal = out.view(unsigned) == expected.view(unsigned)
    if out.dtype == np.uint8:
        return equal
    return equal | (np.isnan(out) & np.isnan(expected))


def reference(formula, row, arrays):
    """NumPy's result in the dtype itself, with the places where ours is meant to differ."""
    function = getattr(np, {"conj": "conjugate", "pow": "power", "remainder": "remainder", "round": "rint",
                            "fix": "trunc", "fabs": "absolute", "abs": "absolute"}.get(row, row))
    if row == "imag":
        return np.zeros_like(arrays[0])
    result = function(*arrays)
    if row == "heaviside":  # ml_dtypes' gives 1 of NaN
        result = np.where(np.isnan(arrays[0]), arrays[0], result)
    if row == "nextafter":  # of equal numbers the second, as in C; NumPy's halves: the first
        result = np.where(arrays[0] == arrays[1], arrays[1], result)
    if row == "sign":  # +0 of both zeros, as NumPy and the array API; ml_dtypes keeps -0
        result = np.where(arrays[0] == 0, np.zeros_like(arrays[0]), result)
    return np.asarray(result)


def check(formula, report):
    kind = numpy_type(formula)
    special, many = operands(formula)
    grid = [part.ravel() for part in np.meshgrid(special, special)]
    rng = np.random.default_rng(3)
    pairs = [np.concatenate([part, rng.permutation(many)]) for part in grid]
    # Quotients near integers are where a floor can go wrong.
    with np.errstate(all="ignore"):
        whole = (np.floor(pairs[0].astype(float) % 1000) * pairs[1].astype(float)).astype(kind)
    pairs = [np.concatenate([pairs[0], whole]), np.concatenate([pairs[1], pairs[1]])]
    done = set()
    compute = formula.compute

    def narrow(out):
        return out if out.dtype == np.uint8 or out.dtype == kind else out.astype(kind)

    def compare(row, expected, *arrays):
        done.add(row)
        out = narrow(formula.call(row, *[array if array.dtype == np.uint8 else array.astype(compute)
                                         for array in arrays]))
        expected = expected.astype(np.uint8) if out.dtype == np.uint8 else expected.astype(kind)
        report.expect(formula.name, row, same(out, expected),
                      lambda i: "%s gives %r, not %r" % ([x[i] for x in arrays], out[i], expected[i]))

    with np.errstate(all="ignore"):
        for row in EXACT:
            arrays = pairs if row_takes_two(row) else [many]
            compare(row, reference(formula, row, arrays), *arrays)

        a, b = pairs
        first_nan = np.where(np.isnan(a), a, b)
        either = np.isnan(a) | np.isnan(b)
        zeros = (a == 0) & (b == 0)
        plus = np.where(np.signbit(a) & np.signbit(b), -0.0, 0.0)
        minus = np.where(np.signbit(a) | np.signbit(b), -0.0, 0.0)
        highest = np.where(either, first_nan, np.where(zeros, plus.astype(kind), np.where(a > b, a, b)))
        lowest = np.where(either, first_nan, np.where(zeros, minus.astype(kind), np.where(a < b, a, b)))
        compare("maximum", highest, a, b)
        compare("minimum", lowest, a, b)
        assert ((np.maximum(a, b) == highest) | either).all() and (np.isnan(np.maximum(a, b)) == either).all()
        c = np.roll(a, 12345)
        clipped = np.clip(a, b, c)
        ordinary = ~((clipped == 0) & ((a == 0) | (b == 0) | (c == 0)))
        compare("clip", clipped[ordinary], a[ordinary], b[ordinary], c[ordinary])
        pick = (np.arange(a.size) % 3 == 0).astype(np.uint8)
        compare("where", np.where(pick, a, b), pick, a, b)

        for row in ROUNDED:
            done.add(row)
            two = row in ("atan2", "hypot", "logaddexp", "logaddexp2", "pow")
            check_rounded(formula, report, row, pairs if two else [many])
        check_hidden(formula, compare, many, a, b, c)
        if "float_power" in formula.rows:
            compare("float_power", formula.call("pow", a, b), a, b)
        some = np.concatenate([special, rng.choice(many, 1500)]).astype(kind)
        for row, limit in SPECIAL.items():
            done.add(row)
            check_special(formula, report, row, some, limit)
    return done


def check_hidden(formula, compare, many, a, b, c):
    """What NumPy has as part of a function, or with other zeros, by its definition in the compute type."""
    kind = many.dtype
    wide, (u, v, w) = many.astype(np.float64), (part.astype(formula.compute) for part in (a, b, c))
    fraction, exponent = np.frexp(wide)
    compare("frexp_fraction", fraction, many)
    compare("frexp_exponent", exponent.astype(float), many)
    compare("modf_fraction", np.modf(wide)[0], many)
    for row in ("isposinf", "isneginf", "isreal", "iscomplex"):
        compare(row, getattr(np, row)(wide), many)
    fair = (u != 0) | (v != 0)          # of two zeros as maximum and minimum
    for row in ("fmax", "fmin"):
        number = getattr(np, row)(u, v)
        compare(row, np.where(np.isnan(u) & np.isnan(v), u, number)[fair], a[fair], b[fair])
    limit = 100 if kind.itemsize == 2 else 3000
    n = np.clip(np.nan_to_num(np.floor(v)), -limit, limit).astype(int)
    compare("ldexp", np.ldexp(u, n), a, n.astype(kind))
    compare("spacing", spacing(many), many)
    number = np.where(np.isposinf(u), w, np.where(np.isneginf(u), -w, u))
    compare("nan_to_num", np.where(np.isnan(u), v, number), a, b, c)
    compare("tolerance", w + v * np.abs(u), a, b, c)
    near = (np.abs(u - v) <= w) & np.isfinite(v) | (u == v)
    compare("isclose", near, a, b, c)
    compare("isclose_nan", near | (np.isnan(u) & np.isnan(v)), a, b, c)
    high = v / 2
    folded = formula.call("remainder", u + high, v) - high
    folded = np.where((folded == -high) & (u > 0), high, folded)
    compare("unwrap", np.where(np.abs(u) < w, 0, folded - u), a, b, c)
    if formula.bits == 64:
        compare("exp_difference", formula.call("exp", u - v), a, b)
    else:       # the neighbour where the exact value lies between two
        exact = np.exp(u.astype(float) - v.astype(float))
        out, right = formula.call("exp_difference", u, v), exact.astype(formula.compute)
        for change in (2.0 ** -32, -2.0 ** -32):
            near = (exact * (1 + change)).astype(formula.compute)
            right = np.where(same(out, near), near, right)
        compare("exp_difference", right, a, b)


def spacing(x):
    """To the next number away from 0, with the sign of x; of both zeros the least positive number."""
    digits, least, largest = {"float16": (11, -24, 65504.0), "bfloat16": (8, -133, 3.3895313892515355e38),
                              "float32": (24, -149, float(np.finfo(np.float32).max)),
                              "float64": (53, -1074, np.finfo(float).max)}[x.dtype.name]
    wide = np.abs(x.astype(float))
    _, exponent = np.frexp(np.where(np.isfinite(wide), wide, 1))
    step = np.ldexp(1.0, np.maximum(exponent - digits, least))
    step = np.where(wide == largest, np.inf, np.where(wide == 0, 2.0 ** least, step))
    return np.where(np.isfinite(wide), np.where(x < 0, -step, step), np.nan).astype(x.dtype)


def check_special(formula, report, row, values, limit):
    """In ulps of the dtype, against mpmath; next to the zeros of lgamma below 0 in ulps of 1."""
    import special_functions
    kind = values.dtype
    exact = special_functions.exact(row, values.astype(float))
    out = formula.call(row, values.astype(formula.compute)).astype(kind).astype(float)
    digits = {"float16": 11, "bfloat16": 8, "float32": 24, "float64": 53}[formula.name]
    least = {"float16": -24, "bfloat16": -133, "float32": -149, "float64": -1074}[formula.name]
    size = np.abs(exact)
    if row == "lgamma" and formula.bits == 64:
        size = np.where((values < 0) & (size < 1), 1, size)
    _, exponent = np.frexp(np.where(np.isfinite(exact), size, 1))
    ulp = np.ldexp(1.0, np.maximum(exponent - digits, least))
    error = np.abs(out - exact) / ulp
    limit = limit if formula.bits == 64 else 0.51
    rounded = exact.astype(kind).astype(float)
    good = (error <= limit) | (out == rounded) | (np.isnan(out) & np.isnan(exact))
    good &= np.isnan(out) | (np.signbit(out) == np.signbit(exact))
    print("%-10s %-10s %8.2f ulp at most" % (formula.name, row, np.nanmax(np.where(out == rounded, 0, error))))
    report.expect(formula.name, row, good, lambda i: "%s gives %r, not %r (%.2f ulp)" % (values[i], out[i], exact[i], error[i]))


def row_takes_two(row):
    return row in ("add", "copysign", "divide", "equal", "floor_divide", "fmod", "heaviside", "greater", "greater_equal", "less",
                   "less_equal", "logical_and", "logical_or", "logical_xor", "multiply", "nextafter", "not_equal",
                   "remainder", "subtract")


def check_rounded(formula, report, row, arrays):
    """In ulps of the dtype, against NumPy in float64 (long double for float64)."""
    kind = numpy_type(formula)
    wide = np.longdouble if formula.bits == 64 else np.float64
    names = {"acos": "arccos", "acosh": "arccosh", "asin": "arcsin", "asinh": "arcsinh", "atan": "arctan",
             "atan2": "arctan2", "atanh": "arctanh", "pow": "power"}
    exact = getattr(np, names.get(row, row))(*[array.astype(wide) for array in arrays])
    out = formula.call(row, *[array.astype(formula.compute) for array in arrays]).astype(kind).astype(wide)
    digits = {"float16": 11, "bfloat16": 8, "float32": 24, "float64": 53}[formula.name]
    least = {"float16": -24, "bfloat16": -133, "float32": -149, "float64": -1074}[formula.name]
    rounded = exact.astype(kind).astype(wide)
    size = exact
    if row in ("logaddexp", "logaddexp2") and formula.bits == 64:  # near 0 the rounding of the larger argument remains
        size = np.fmax(np.abs(exact), np.fmax(*np.abs(arrays)))
    _, exponent = np.frexp(np.where(np.isfinite(size), size, 1))
    ulp = np.ldexp(wide(1), np.maximum(exponent - digits, least))
    limit = 1.5 if formula.bits == 64 else 0.51
    loose = ("logaddexp", "logaddexp2", "tanh", "sinh", "cosh", "atanh", "asinh", "acosh", "log10", "pow")
    if formula.bits == 64 and row in loose:
        limit = 2.6  # the C library's own bounds
    error = np.abs(out - exact) / ulp
    good = (error <= limit) | (out == rounded) | (np.isnan(out) & np.isnan(exact))
    good &= np.isnan(out) | (np.signbit(out) == np.signbit(exact)) | (row in ("logaddexp", "logaddexp2"))
    report.expect(formula.name, row, good, lambda i: "%s gives %r, not %r (%.2f ulp)"
                  % ([x[i] for x in arrays], out[i], exact[i], error[i]))
