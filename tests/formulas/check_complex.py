# SPDX-License-Identifier: BSD-3-Clause
"""Complex dtypes: arithmetic and comparisons against NumPy; every function on a 9x9 grid of special parts
against NumPy, with the differences that are meant; and against mpmath, in ulps of the modulus."""
import mpmath
import numpy as np

FUNCTIONS = ["acos", "acosh", "asin", "asinh", "atan", "atanh", "cos", "cosh", "exp", "exp2", "expm1", "log", "log10",
             "log1p", "log2", "sin", "sinc", "sinh", "sqrt", "tan", "tanh"]
NUMPY_NAMES = {"conj": "conjugate", "abs": "absolute", "round": "rint", "acos": "arccos", "acosh": "arccosh",
               "asin": "arcsin", "asinh": "arcsinh", "atan": "arctan", "atanh": "arctanh", "pow": "power"}
EXACT_UNARY = ["conj", "imag", "iscomplex", "isfinite", "isinf", "isnan", "isreal", "logical_not", "negative", "positive",
               "real", "rint", "round"]
EXACT_BINARY = ["add", "equal", "fmax", "fmin", "greater", "greater_equal", "less", "less_equal", "logical_and", "logical_or",
                "logical_xor", "maximum", "minimum", "not_equal", "subtract"]
CLOSE = ["abs", "divide", "multiply", "pow", "reciprocal", "sign", "square"] + FUNCTIONS


def call_numpy(row, *arrays):
    if row in ("real", "imag"):
        return getattr(arrays[0], row).copy()
    with np.errstate(all="ignore"):
        return getattr(np, NUMPY_NAMES.get(row, row))(*arrays)


def parts_agree(out, expected, tolerance):
    """Both NaN, or of the same sign and equal within tolerance of the modulus."""
    both_nan = np.isnan(out) & np.isnan(expected)
    with np.errstate(all="ignore"):
        close = (out == expected) | (np.abs(out - expected) <= tolerance)
    return both_nan | ((np.signbit(out) == np.signbit(expected)) & close)


def agree(out, expected, ulps):
    if not np.iscomplexobj(expected):
        if expected.dtype.kind != "f":
            return out == expected
        size = np.where(np.isfinite(expected), np.abs(expected), 1)
        return parts_agree(out, expected, ulps * np.spacing(size))
    with np.errstate(all="ignore"):
        modulus = np.abs(expected)
        tolerance = ulps * np.spacing(np.where(np.isfinite(modulus), modulus, 1))
        real = parts_agree(out.real, expected.real, tolerance)
        return real & parts_agree(out.imag, expected.imag, tolerance)


def make(re, im, kind):
    out = np.empty(np.broadcast(re, im).shape, kind)
    out.real, out.imag = re, im
    return out


def special_grid(kind):
    parts = np.array([-np.inf, -1.5, -1, -0.0, 0.0, 1, 2.5, np.inf, np.nan])
    return make(parts[:, None], parts[None, :], kind).ravel()


def check(formula, report):
    kind = formula.compute
    done = set()
    grid = special_grid(kind)
    a, b = (part.ravel() for part in np.meshgrid(grid, grid, indexing="ij"))
    rng = np.random.default_rng(5)
    size = 20000
    spread = 30 if formula.bits == 32 else 250
    x, y = (make(rng.normal(size=size) * 2.0 ** rng.integers(-spread, spread, size),
                 rng.normal(size=size) * 2.0 ** rng.integers(-spread, spread, size), kind) for _ in range(2))

    def compare(row, good, out, expected, *arrays):
        done.add(row)
        report.expect(formula.name, row, good,
                      lambda i: "%s gives %r, not %r" % ([z[i] for z in arrays], out[i], expected[i]))

    for row in EXACT_UNARY + EXACT_BINARY:
        for arrays in ([grid], [x]) if row in EXACT_UNARY else ([a, b], [x, y], [x, x]):
            out, expected = formula.call(row, *arrays), call_numpy(row, *arrays)
            compare(row, agree(out, expected, 0), out, expected, *arrays)
    for row in CLOSE:
        arrays = [a, b] if row in ("divide", "multiply", "pow") else [grid]
        out, expected = formula.call(row, *arrays), call_numpy(row, *arrays)
        good = agree(out, expected, 4) | accepted(row, out, expected, *arrays)
        compare(row, good, out, expected, *arrays)

    c = np.roll(b, 1234)
    expected = np.minimum(np.maximum(a, b), c)
    out = formula.call("clip", a, b, c)
    compare("clip", agree(out, expected, 0), out, expected, a, b, c)
    pick = (np.arange(a.size) % 3 == 0).astype(np.uint8)
    out, expected = formula.call("where", pick, a, b), np.where(pick, a, b)
    compare("where", agree(out, expected, 0), out, expected, a, b)

    check_accuracy(formula, report)
    if "float_power" in formula.rows:       # pow by another name
        out, expected = formula.call("float_power", x, y), formula.call("pow", x, y)
        compare("float_power", agree(out, expected, 0), out, expected, x, y)
    check_closeness(formula, compare, grid, x, y)
    return done


def check_closeness(formula, compare, grid, x, y):
    """The parts of isclose(), by their definitions."""
    size = np.abs(x)
    out = formula.call("tolerance", x, np.full_like(x, 0.5), np.full_like(x, 0.25))
    expected = (0.25 + 0.5 * size).astype(formula.real)
    compare("tolerance", agree(out, expected, 2), out, expected, x)
    for a, b, c in ((x, x * (1 + 1e-3), np.full_like(x, 1e-3)), (grid, np.roll(grid, 1), np.full_like(grid, 2.0)),
                    (grid, grid, np.full_like(grid, -1.0))):
        with np.errstate(all="ignore"):
            distance = np.where(np.isnan(np.abs(a - b)), np.inf, np.abs(a - b))
            near = (distance <= c.real) & np.isfinite(b) | (a == b)
            sure = np.abs(distance - c.real) > 1e-5 * c.real.clip(1e-9)
            for row, expected in (("isclose", near), ("isclose_nan", near | (np.isnan(a) & np.isnan(b)))):
                out = formula.call(row, a, b, c)
                compare(row, (out == expected) | ~sure, out, expected, a, b, c)


def accepted(row, out, expected, *arrays):
    """Where NumPy is not followed, and why."""
    z = arrays[0]
    finite = np.ones(z.shape, bool)
    for array in arrays:
        finite &= np.isfinite(array)
    if row in ("divide", "pow"):
        # The sign of a part that cancels to zero depends on the formula; numbers are judged by mpmath below.
        with np.errstate(all="ignore"):
            modulus = np.abs(expected)
            close = np.abs(out - expected) <= 40 * np.spacing(np.where(np.isfinite(modulus), modulus, 1))
        # NumPy's powers of infinities and NaN are its C library's, with infinities recovered in a product.
        return finite & close if row == "divide" else close | ~finite
    if row == "sinc":
        # NumPy multiplies by pi first, which makes NaN of infinities, and numbers of what is 0 at integers.
        with np.errstate(all="ignore"):
            return ~finite | (np.abs(out - expected) <= (1e-6 if z.dtype.itemsize == 8 else 1e-13) * (1 + np.abs(expected)))
    if row == "expm1":
        # NumPy 2.4 gives NaN; the array API says -1 or inf for the real part, 0 for a zero imaginary one.
        return ~np.isfinite(z.real) & (~np.isfinite(z.imag) | (z.imag == 0)) & np.isnan(expected)
    return np.zeros(z.shape, bool)


def interesting(kind):
    """Values near the branch points, the cuts, the unit circle, poles, and the ends of the range."""
    rng = np.random.default_rng(7)
    eps, largest, tiny = np.finfo(kind).eps, np.finfo(kind).max, np.finfo(kind).tiny
    small = np.ldexp(rng.normal(size=600), rng.integers(-60, 3, 600))
    values = [rng.normal(size=400) + 1j * rng.normal(size=400),
              8 * rng.normal(size=300) + 8j * rng.normal(size=300),
              small[:300] + 1j * small[300:]]
    for point in (1, -1, 1j, -1j, 0.5j * np.pi, np.pi, 2j * np.pi):
        values.append(point + small[:150] + 1j * small[150:300])
    angle = rng.uniform(-np.pi, np.pi, 200)
    values.append(np.exp(1j * angle) * (1 + eps * rng.integers(-8, 8, 200)))
    bits = int(np.log2(float(largest)))
    size = np.ldexp(rng.uniform(-1, 1, 400), rng.integers(-bits - 20, bits, 400))
    values.append(size[:200] + 1j * size[200:])
    edges = np.array([tiny, tiny * eps * 3, largest / 8, eps, 1 / eps, 1, 1 + eps, 1 - eps / 2, 0, 700, 745,
                      88.5, 20])
    edges = np.concatenate([edges, -edges])
    values.append((edges[:, None] + 1j * edges[None, :]).ravel())
    return np.concatenate(values).astype(kind)


def exact(row, z, w=None):
    """By mpmath."""
    names = {"reciprocal": lambda z: 1 / z, "square": lambda z: z * z, "abs": abs,
             "sign": lambda z: z / abs(z), "log1p": lambda z: mpmath.log(1 + z),
             "expm1": lambda z: mpmath.exp(z) - 1,
             "exp2": lambda z: mpmath.exp(z * mpmath.log(2)), "sinc": lambda z: mpmath.sinpi(z) / (mpmath.pi * z),
             "log2": lambda z: mpmath.log(z) / mpmath.log(2),
             "log10": lambda z: mpmath.log(z) / mpmath.log(10)}
    if w is not None:
        two = {"multiply": lambda a, b: a * b, "divide": lambda a, b: a / b,
               "pow": lambda a, b: mpmath.exp(b * mpmath.log(a))}
        two["float_power"] = two["pow"]
        return two[row](mpmath.mpc(z), mpmath.mpc(w))
    return names.get(row, getattr(mpmath, row, None))(mpmath.mpc(z))


def on_cut(row, z):
    """Where mpmath, which has no signed zeros, may take the other side."""
    if row in ("log", "log2", "log10", "sqrt", "pow", "log1p", "asin", "acos", "acosh", "atanh"):
        return z.imag == 0
    return z.real == 0 if row in ("asinh", "atan") else np.zeros(z.shape, bool)


def check_accuracy(formula, report):
    kind = formula.compute
    values = interesting(kind)
    rng = np.random.default_rng(9)
    least = np.finfo(kind).smallest_subnormal
    mpmath.mp.prec = 2400 if formula.bits == 64 else 500
    for row in CLOSE:
        arrays = [values]
        if row in ("divide", "multiply", "pow"):
            arrays = [values, rng.permutation(values)]
        if row == "pow":
            exponents = np.where(rng.random(values.size) < 0.3, rng.integers(-40, 40, values.size), values)
            arrays[1] = rng.permutation(exponents.astype(kind))
        keep = (arrays[0] != 0) & ~on_cut(row, arrays[0])
        keep &= ~((row == "divide") & (arrays[-1] == 0)) & ((np.abs(arrays[-1]) < 300) | (row != "pow"))
        if row in ("multiply", "square"):  # infinities of the products are kept, as in NumPy
            with np.errstate(all="ignore"):
                keep &= np.isfinite(call_numpy(row, *arrays))
        keep &= (np.abs(arrays[0].real) < 2000) | (row not in ("exp", "exp2", "expm1", "sinh", "cosh", "tanh"))
        keep &= (np.abs(arrays[0].imag) < 2000) | (row not in ("sin", "sinc", "cos", "tan", "exp2"))
        if formula.bits == 64:
            keep &= rng.random(keep.size) < 0.5
        arrays = [array[keep] for array in arrays]
        out = formula.call(row, *arrays)
        error = np.array([ulps(value, exact(row, *[complex(array[i]) for array in arrays]), kind, least)
                          for i, value in enumerate(out)])
        arithmetic = ("multiply", "divide", "square", "reciprocal", "sign")
        limit = 1 if row == "abs" else 2 if row in arithmetic else 4
        print("%-10s %-10s %8.2f ulp of the modulus at most" % (formula.name, row, error.max()))
        report.expect(formula.name, row, error <= limit, lambda i: "%s gives %r, %.2f ulp off"
                      % ([z[i] for z in arrays], out[i], error[i]))


def ulps(value, true, kind, least):
    """The larger error of the two parts, in ulps of the modulus; 0 for an overflow that is right."""
    digits = {4: 24, 8: 53}[kind.itemsize // 2]
    modulus = abs(true)
    if modulus == 0:
        return 0.0 if value == 0 else np.inf
    exponent = int(mpmath.floor(mpmath.log(modulus, 2)))
    ulp = max(mpmath.ldexp(1, exponent + 1 - digits), mpmath.mpf(float(least)))
    worst = 0.0
    for part, right in ((value.real, true.real), (value.imag, true.imag)):
        if np.isinf(part):
            limit = mpmath.mpf(float(np.finfo(kind).max))
            overflow = right * np.sign(part) + 4 * ulp > limit
            error = 0.0 if overflow else np.inf
        else:
            error = float(abs(mpmath.mpf(float(part)) - right) / ulp) if part == part else np.inf
        worst = max(worst, error)
    return worst
