#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-3-Clause
"""Fits the polynomials of src/core/elementary.h and writes src/core/elementary_poly.h; with --special those of
src/core/elementary_special.h, in src/core/special_poly.h; with --wide those of
src/core/formula_wide.h, in src/core/wide_poly.h; with --loops those of the CPU's float64 loops alone, in
src/cpu/vecmath_poly.h.

Each polynomial minimizes the largest weighted error on its interval (Remez exchange in 60 digits), then its
coefficients are rounded to float64: their rounding, 2^-53, is far below the errors wanted here (2^-33 or so).

usage: fit_elementary.py > src/core/elementary_poly.h;  fit_elementary.py --special > src/core/special_poly.h
       fit_elementary.py --wide > src/core/wide_poly.h;  fit_elementary.py --loops > src/cpu/vecmath_poly.h
"""
import argparse
import sys

from mpmath import mp, mpf

mp.dps = 60


def remez(function, weight, low, high, degree):
    """The polynomial p of this degree with the least max |weight * (p - function)|, and that maximum."""
    n = degree + 2
    low, high = mpf(low), mpf(high)
    middle, half = (low + high) / 2, (high - low) / 2
    nodes = [middle - half * mp.cos(mp.pi * i / (n - 1)) for i in range(n)]
    grid = [middle - half * mp.cos(mp.pi * i / 2000) for i in range(2001)]
    values = [function(x) for x in grid]
    weights = [weight(x) for x in grid]
    for _ in range(40):
        system = mp.matrix(n, n)
        right = mp.matrix(n, 1)
        for i, x in enumerate(nodes):
            for j in range(degree + 1):
                system[i, j] = x ** j
            system[i, degree + 1] = (-1) ** i / weight(x)
            right[i] = function(x)
        solution = mp.lu_solve(system, right)
        coefficients = [solution[j] for j in range(degree + 1)]
        level = abs(solution[degree + 1])
        errors = [w * (mp.polyval(coefficients[::-1], x) - v) for x, w, v in zip(grid, weights, values)]
        # One extremum of each run of equal sign; the grid is fine enough for the digits that we keep.
        extrema = []
        for i, error in enumerate(errors):
            if extrema and (error > 0) == (errors[extrema[-1]] > 0):
                if abs(error) > abs(errors[extrema[-1]]):
                    extrema[-1] = i
            else:
                extrema.append(i)
        while len(extrema) > n:
            extrema.pop(0 if abs(errors[extrema[0]]) < abs(errors[extrema[-1]]) else -1)
        if len(extrema) < n:
            raise SystemExit("remez: lost alternation")
        nodes = [grid[i] for i in extrema]
        worst = max(abs(e) for e in errors)
        if worst < level * mpf("1.0001"):
            break
    return [float(c) for c in coefficients], worst


def near_zero(function, limit):
    """function, with its limit at 0, where the quotient that defines it is 0/0."""
    return lambda x: limit if abs(x) < mpf(10) ** -25 else function(x)


LN2 = mp.log(2)
R2 = mp.sqrt(2)
QUARTER = mp.pi / 4 * mpf("1.0001")     # the quotient is rounded, so r passes the quarter by a little
HALF = mp.pi / 2 * mpf("1.0001")
HALFLN2 = LN2 / 2 * mpf("1.0001")

exp2m1 = near_zero(lambda f: mp.expm1(f * LN2) / f, LN2)
log1pq = near_zero(lambda f: mp.log1p(f) / f, mpf(1))


def of_square(function, first, limit):
    """q with function(x) = x^first-part + ... : q(u) at u = x*x for the odd and even functions below."""
    return near_zero(lambda u: first(mp.sqrt(u), function), limit)


def odd(x, function):
    return (function(x) - x) / x ** 3


def even(x, function):
    return (function(x) - 1) / x ** 2


def odd_fit(function, limit, bound, degree):
    w = lambda u: mp.mpf(10) ** -20 if u == 0 else u * mp.sqrt(u) / function(mp.sqrt(u))
    return remez(of_square(function, odd, limit), w, 0, bound ** 2, degree)


def even_fit(function, limit, bound, degree):
    w = lambda u: mp.mpf(10) ** -20 if u == 0 else u / function(mp.sqrt(u))
    return remez(of_square(function, even, limit), w, 0, bound ** 2, degree)


FITS = [
    ("exp2", "(2^f - 1) / f, |f| <= 1/2; the error counts relative to 2^f",
     lambda: remez(exp2m1, lambda f: max(abs(f), mpf("1e-20")) / 2 ** f, "-0.5001", "0.5001", 6)),
    ("exp2m1", "(2^f - 1) / f, |f| <= 1/2; the error counts relative to 2^f - 1",
     lambda: remez(exp2m1, lambda f: 1 / exp2m1(f), "-0.5001", "0.5001", 7)),
    ("log", "log(1 + f) / f, sqrt(1/2) <= 1 + f <= sqrt(2)",
     lambda: remez(log1pq, lambda f: 1 / log1pq(f), 1 / R2 - 1, R2 - 1, 11)),
    ("log_long", "the same to more digits, for pow",
     lambda: remez(log1pq, lambda f: 1 / log1pq(f), 1 / R2 - 1, R2 - 1, 14)),
    ("sin_half", "(sin(r) - r) / r^3 in u = r^2, |r| <= pi/2",
     lambda: odd_fit(mp.sin, mpf(-1) / 6, HALF, 4)),
    ("sin", "(sin(r) - r) / r^3 in u = r^2, |r| <= pi/4",
     lambda: odd_fit(mp.sin, mpf(-1) / 6, QUARTER, 3)),
    ("cos", "(cos(r) - 1) / r^2 in u = r^2, |r| <= pi/4",
     lambda: even_fit(mp.cos, mpf(-1) / 2, QUARTER, 3)),
    ("sinh", "(sinh(r) - r) / r^3 in u = r^2, |r| <= log(2)/2",
     lambda: odd_fit(mp.sinh, mpf(1) / 6, HALFLN2, 2)),
    ("cosh", "(cosh(r) - 1) / r^2 in u = r^2, |r| <= log(2)/2",
     lambda: even_fit(mp.cosh, mpf(1) / 2, HALFLN2, 2)),
    ("asin", "(asin(t) - t) / t^3 in u = t^2, |t| <= 1/2",
     lambda: odd_fit(mp.asin, mpf(1) / 6, mpf("0.5"), 6)),
    ("atan", "(atan(t) - t) / t^3 in u = t^2, |t| <= tan(pi/8)",
     lambda: odd_fit(mp.atan, mpf(-1) / 3, R2 - 1, 5)),
    ("atanh", "(atanh(t) - t) / t^3 in u = t^2, |t| <= 0.2005",
     lambda: odd_fit(mp.atanh, mpf(1) / 3, mpf("0.2005"), 3)),
    ("rcbrt", "m^(-1/3), 1 <= m <= 2: a start, 2^-16, for one step of third order",
     lambda: remez(lambda m: mp.power(m, mpf(-1) / 3), lambda m: mp.power(m, mpf(1) / 3), 1, 2, 5)),
]

# ---- special functions ----

ROOT_PI = mp.sqrt(mp.pi)


def erf_exponent(x):
    return -mp.log(mp.erfc(x), 2) / x


def erf_weight(x):
    """How much an error of the exponent counts in erf(x) = 1 - 2^(-x g(x))."""
    return LN2 * ROOT_PI / 2 if x == 0 else LN2 * x * mp.erfc(x) / mp.erf(x)


def erfc_scaled(q):
    x = 2 * (1 + q) / (1 - q)
    return mp.exp(x * x) * mp.erfc(x) * (1 + 2 * x)


def stirling(v):
    """(log(gamma(x)) - ((x - 1/2) log(x) - x + log(2 pi) / 2)) x at v = 1 / x^2."""
    x = 1 / mp.sqrt(v)
    return (mp.loggamma(x) - (x - mpf(1) / 2) * mp.log(x) + x - mp.log(2 * mp.pi) / 2) * x


def lgamma_reduced(f):
    x = f + 2
    x += mpf("1e-24") if min(abs(x - 1), abs(x - 2)) < mpf("1e-24") else 0
    return mp.loggamma(x) / ((x - 1) * (x - 2))


sinpi = near_zero(lambda u: mp.sin(mp.pi * mp.sqrt(u)) / mp.sqrt(u), mp.pi)
sinpi_rest = near_zero(lambda u: (sinpi(u) - mp.pi) / u, -mp.pi ** 3 / 6)
bessel_small = near_zero(lambda u: (mp.besseli(0, 2 * mp.sqrt(u)) - 1) / u, mpf(1))


def bessel_large(f):
    return 1 / mp.sqrt(2 * mp.pi) if f < mpf("1e-6") else mp.besseli(0, 1 / f) * mp.exp(-1 / f) / mp.sqrt(f)


def relative(function, low, high, degree):
    return lambda: remez(function, lambda x: 1 / function(x), low, high, degree)


FLOAT_BESSEL = (mpf(1) / 93, mpf("0.125"))
SPECIAL = [
    ("erf", "-log2(erfc(f)) / f, 0 <= f <= 4; the error counts relative to erf",
     lambda: remez(near_zero(erf_exponent, 2 / ROOT_PI / LN2), erf_weight, 0, 4, 12)),
    ("erfc", "exp(x^2) erfc(x) (1 + 2 x) at f = (x - 2) / (x + 2), 0 <= x <= 10.2",
     relative(erfc_scaled, -1, mpf("8.2") / mpf("12.2"), 14)),
    ("stirling", "x (log(gamma(x)) - (x - 1/2) log(x) + x - log(2 pi) / 2) in u = 1 / x^2, 3 <= x; absolute",
     lambda: remez(near_zero(stirling, mpf(1) / 12), lambda v: mp.sqrt(v) + mpf("1e-20"), 0, mpf(1) / 9, 6)),
    ("lgamma", "log(gamma(x)) / ((x - 1) (x - 2)) at f = x - 2, 1 <= x <= 3",
     relative(lgamma_reduced, -1, 1, 17)),
    ("gamma", "gamma(x) at f = x - 5/2, 2 <= x <= 3",
     relative(lambda f: mp.gamma(f + mpf("2.5")), -0.5, 0.5, 16)),
    ("sinpi", "(sin(pi r) / r - pi) / r^2 in u = r^2, |r| <= 1/2",
     lambda: remez(sinpi_rest, lambda u: u / sinpi(u) + mpf("1e-20"), 0, mpf("0.25"), 7)),
    ("i0", "(I0(x) - 1) / u in u = x^2 / 4, 0 <= x <= 8",
     lambda: remez(bessel_small, lambda u: u / (1 + u * bessel_small(u)) + mpf("1e-20"), 0, 16, 14)),
    ("i0_tail", "I0(x) exp(-x) sqrt(x) at f = 1 / x, 8 <= x <= 93",
     relative(bessel_large, *FLOAT_BESSEL, 8)),
]


# ---- functions of float64: what the first terms of a series, taken as pairs of numbers, leave over ----

def rest(function, terms, power):
    """(function(x) - terms[0] - terms[1] x - ...) / x^power, where the terms are those below it."""
    def value(x):
        x = mpf("1e-20") if abs(x) < mpf("1e-20") else x
        with mp.extradps(60):
            return (function(x) - mp.polyval(terms[::-1], x)) / x ** power
    return value


def rest_fit(function, terms, low, high, degree):
    """The error counts relative to function."""
    weight = lambda x: max(abs(x), mpf("1e-9")) ** len(terms) / abs(function(x))
    if mpf(low) < 0:
        return lambda: interpolate(rest(function, terms, len(terms)), weight, low, high, degree)
    return lambda: remez(rest(function, terms, len(terms)), weight, low, high, degree)


def interpolate(function, weight, low, high, degree):
    """The polynomial that agrees with function at Chebyshev's points: for weights that vanish inside the interval, where
    the exchange does not settle."""
    n = degree + 1
    middle, half = (mpf(low) + mpf(high)) / 2, (mpf(high) - mpf(low)) / 2
    nodes = [middle - half * mp.cos(mp.pi * (2 * i + 1) / (2 * n)) for i in range(n)]
    system = mp.matrix(n, n)
    for i, x in enumerate(nodes):
        for j in range(n):
            system[i, j] = x ** j
    solution = mp.lu_solve(system, mp.matrix([function(x) for x in nodes]))
    coefficients = [solution[j] for j in range(n)]
    grid = [middle - half * mp.cos(mp.pi * i / 500) for i in range(501)]
    return [float(c) for c in coefficients], max(weight(x) * abs(mp.polyval(coefficients[::-1], x) - function(x)) for x in grid)


def root_argument(function):
    """function(x) / x as a function of u = x^2."""
    def value(u):
        x = mp.sqrt(u) if u > mpf("1e-40") else mpf("1e-20")
        return function(x) / x
    return value


def lgamma_slope(f):
    f = mpf("1e-30") if f == 0 else f
    with mp.extradps(40):
        return mp.loggamma(f + 2) / f


def bessel_tail(t):
    x = 16 / (1 + t)
    return mp.besseli(0, x) * mp.exp(-x) * mp.sqrt(x)


def wide_terms():
    """Leading terms of the series that stay apart, each printed as a pair."""
    erfc2 = mp.exp(4) * mp.erfc(2)
    return [
        ("ROOT_PI_2", 2 / ROOT_PI, "2 / sqrt(pi)"),
        ("ERFC_0", 5 * erfc2, "exp(x^2) erfc(x) (1 + 2 x) at x = 2"),
        ("ERFC_1", 4 * (5 * (4 * erfc2 - 2 / ROOT_PI) + 2 * erfc2), "its derivative by f"),
        ("ERFINV_0", ROOT_PI / 2, "sqrt(pi) / 2"),
        ("LGAMMA_0", 1 - mp.euler, "lgamma(2 + f) / f at 0"),
        ("LGAMMA_1", (mp.zeta(2) - 1) / 2, "its derivative"),
        ("I0_0", bessel_tail(mpf(0)), "I0(x) exp(-x) sqrt(x) at x = 16"),
        ("HALF_LOG_2PI", mp.log(2 * mp.pi) / 2, "log(2 pi) / 2"),
        ("LN2", LN2, "log(2)"),
        ("LOG2E", 1 / LN2, "1 / log(2)"),
        ("PI", mp.pi, "pi"),
        ("LOG_PI", mp.log(mp.pi), "log(pi)"),
    ]


TERMS = {name: value for name, value, _ in wide_terms()}
ATAN_PI_8 = mpf("0.17163")
WIDE = [
    ("exp_rest", "(exp(f) - 1 - f - f^2 / 2) / f^3, |f| <= log(2) / 2",
     rest_fit(mp.exp, [mpf(1), mpf(1), mpf("0.5")], -HALFLN2, HALFLN2, 9)),
    ("atanh_rest", "(atanh(s) / s - 1 - u / 3) / u^2 in u = s^2, |s| <= 0.1716",
     rest_fit(root_argument(mp.atanh), [mpf(1), mpf(1) / 3], 0, ATAN_PI_8 ** 2, 8)),
    ("sin_rest", "(sin(t) / t - 1 + u / 6) / u^2 in u = t^2, |t| <= pi / 4",
     rest_fit(root_argument(mp.sin), [mpf(1), mpf(-1) / 6], 0, QUARTER ** 2, 5)),
    ("cos_rest", "(cos(t) - 1 + u / 2) / u^2 in u = t^2, |t| <= pi / 4",
     rest_fit(lambda u: mp.cos(mp.sqrt(u)), [mpf(1), mpf("-0.5")], 0, QUARTER ** 2, 5)),
    ("stirling_long", "x (log(gamma(x)) - (x - 1/2) log(x) + x - log(2 pi) / 2) in u = 1 / x^2, 8 <= x; absolute",
     lambda: remez(near_zero(stirling, mpf(1) / 12), lambda v: mp.sqrt(v) + mpf("1e-20"), 0, mpf(1) / 64, 7)),
    ("lgamma_rest", "(lgamma(2 + f) / f - first terms) / f^2, |f| <= 1/2",
     rest_fit(lgamma_slope, [TERMS["LGAMMA_0"], TERMS["LGAMMA_1"]], "-0.5001", "0.5001", 18)),
    ("erf_rest", "(erf(x) / x - 2 / sqrt(pi)) / u in u = x^2, |x| <= 1/2",
     rest_fit(root_argument(mp.erf), [TERMS["ROOT_PI_2"]], 0, mpf("0.25"), 8)),
    ("erfc_rest", "(exp(x^2) erfc(x) (1 + 2 x) - first terms) / f^2 at f = (x - 2) / (x + 2), 1/2 <= x <= 27.5",
     rest_fit(erfc_scaled, [TERMS["ERFC_0"], TERMS["ERFC_1"]], "-0.6", mpf("25.5") / mpf("29.5"), 23)),
    ("erfinv_rest", "(erfinv(a) / a - sqrt(pi) / 2) / u in u = a^2, |a| <= 0.53",
     rest_fit(root_argument(mp.erfinv), [TERMS["ERFINV_0"]], 0, mpf("0.281"), 14)),
    ("i0_rest", "(I0(x) exp(-x) sqrt(x) - first term) / f at f = 16 / x - 1, 8 <= x <= 720",
     rest_fit(bessel_tail, [TERMS["I0_0"]], mpf(16) / 720 - 1, 1, 24)),
]

LOOPS = [
    ("log_rest", "(2 atanh(s) / s - 2) / u in u = s^2, |s| <= 0.1716",
     rest_fit(lambda u: 2 * root_argument(mp.atanh)(u), [mpf(2)], 0, ATAN_PI_8 ** 2, 6)),
]


def emit_terms():
    print()
    for name, value, what in wide_terms():
        high = float(value)
        low = float(value - mpf(high))
        print(f"#define W_{name} {high!r}    /* {what} */\n#define W_{name}_LOW {low!r}")
        if name in ("LN2", "HALF_LOG_2PI"):
            print(f"#define W_{name}_LOWEST {float(value - mpf(high) - mpf(low))!r}")


def emit(name, comment, c, error):
    bits = float(mp.log(error, 2))
    print(f"\n/* {comment}: 2^{bits:.1f} */")
    x = "u" if " in u = " in comment else "m" if "<= m <=" in comment else "f"
    print(f"E_TABLE({name}, {len(c)}) = {{")
    line = "   "
    for i, value in enumerate(c):
        item = f" {value!r}" + ("," if i + 1 < len(c) else "")
        if len(line) + len(item) > 110:
            print(line)
            line = "   "
        line += item
    print(line + "\n};")
    k = [f"E_K({name}, {i})" for i in range(len(c))]
    print(f"E_FN double e_poly_{name}(double {x})\n{{")
    if len(c) >= 6:
        # Two chains, the even powers and the odd ones: half the latency for one product more.
        print(f"    double q = {x} * {x};")
        for chain, start in (("even", 0), ("odd", 1)):
            terms = k[start::2]
            print(f"    double {chain} = {terms[-1]};")
            for value in reversed(terms[:-1]):
                print(f"    {chain} = e_fma({chain}, q, {value});")
        print(f"    return e_fma(odd, {x}, even);")
    else:
        print(f"    double p = {k[-1]};")
        for value in reversed(k[:-1]):
            print(f"    p = e_fma(p, {x}, {value});")
        print("    return p;")
    print("}")


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--only", help="print the error of this fit alone")
    parser.add_argument("--special", action="store_true", help="the special functions")
    parser.add_argument("--wide", action="store_true", help="the special functions of float64")
    parser.add_argument("--loops", action="store_true", help="the float64 loops of the CPU")
    arguments = parser.parse_args()
    if arguments.only:
        for name, comment, fit in FITS + SPECIAL + WIDE + LOOPS:
            if name == arguments.only:
                c, error = fit()
                print(name, float(mp.log(error, 2)), c)
        return
    user, guard, fits = ("elementary.h", "ELEMENTARY", FITS)
    if arguments.special:
        user, guard, fits = ("special functions", "SPECIAL", SPECIAL)
    if arguments.wide:
        user, guard, fits = ("special functions of float64", "WIDE", WIDE)
    place = "CPU" if arguments.loops else "CORE"
    if arguments.loops:
        user, guard, fits = ("the CPU's float64 loops", "VECMATH", LOOPS)
    print("/* SPDX-License-Identifier: BSD-3-Clause")
    print(f" * The polynomials of {user} and their relative errors; made by tools/fit_elementary.py. */")
    print(f"#ifndef GARRAY_{place}_{guard}_POLY_H\n#define GARRAY_{place}_{guard}_POLY_H")
    if arguments.wide:
        emit_terms()
    for name, comment, fit in fits:
        c, error = fit()
        print(name, float(mp.log(error, 2)), file=sys.stderr)
        emit(name, comment, c, error)
    print("\n#endif")


if __name__ == "__main__":
    main()
