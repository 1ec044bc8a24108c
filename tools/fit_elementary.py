#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-3-Clause
"""Fits the polynomials of src/core/elementary.h and writes src/core/elementary_poly.h; with --special those of
src/core/elementary_special.h and formula_special.h, in src/core/special_poly.h.

Each polynomial minimizes the largest weighted error on its interval (Remez exchange in 60 digits), then its
coefficients are rounded to float64: their rounding, 2^-53, is far below the errors wanted here (2^-33 or so).

usage: fit_elementary.py > src/core/elementary_poly.h;  fit_elementary.py --special > src/core/special_poly.h
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
    ("i0_tail_long", "I0(x) exp(-x) sqrt(x) at f = 1 / x, 8 <= x <= 720",
     relative(bessel_large, mpf(1) / 720, mpf("0.125"), 22)),
]


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
    arguments = parser.parse_args()
    if arguments.only:
        for name, comment, fit in FITS + SPECIAL:
            if name == arguments.only:
                c, error = fit()
                print(name, float(mp.log(error, 2)), c)
        return
    user, guard = ("elementary.h", "ELEMENTARY") if not arguments.special else ("special functions", "SPECIAL")
    print("/* SPDX-License-Identifier: BSD-3-Clause")
    print(f" * The polynomials of {user} and their relative errors; made by tools/fit_elementary.py. */")
    print(f"#ifndef GARRAY_CORE_{guard}_POLY_H\n#define GARRAY_CORE_{guard}_POLY_H")
    for name, comment, fit in SPECIAL if arguments.special else FITS:
        c, error = fit()
        print(name, float(mp.log(error, 2)), file=sys.stderr)
        emit(name, comment, c, error)
    print("\n#endif")


if __name__ == "__main__":
    main()
