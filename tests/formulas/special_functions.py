# SPDX-License-Identifier: BSD-3-Clause
"""The special functions that NumPy lacks, or has at less accuracy, in float64 by mpmath: exact(name, *arrays)."""
import math

import mpmath
import numpy as np

ONE = ["rsqrt", "sigmoid", "erf", "erfc", "erfinv", "gamma", "lgamma", "sinc", "i0", "exp2"]
TWO = ["logaddexp2"]


def is_integer(x):
    return math.isinf(x) or x == math.floor(x)


def edge(name, x):
    """The value where mpmath has no number for it, or would take too long; else None."""
    if name == "rsqrt":
        return math.nan if x < 0 else math.copysign(math.inf, x) if x == 0 else 0.0 if math.isinf(x) else None
    if name in ("erf", "sigmoid", "erfc", "exp2") and abs(x) > 2000:
        high = {"erf": 1.0, "sigmoid": 1.0, "erfc": 0.0, "exp2": math.inf}[name]
        return high if x > 0 else {"erf": -1.0, "sigmoid": 0.0, "erfc": 2.0, "exp2": 0.0}[name]
    if name == "erf" and x == 0:
        return x
    if name == "erfinv" and (abs(x) >= 1 or x == 0):
        return x if x == 0 else math.copysign(math.inf, x) if abs(x) == 1 else math.nan
    if name == "gamma":
        if x == 0:
            return math.copysign(math.inf, x)
        if x > 200:
            return math.inf
        if x < 0 and is_integer(x):
            return math.nan
        if x < -200:
            return -0.0 if math.floor(x) % 2 else 0.0
    if name == "lgamma":
        return math.inf if math.isinf(x) or (x <= 0 and is_integer(x)) else 0.0 if x in (1, 2) else None
    if name == "sinc":
        return 1.0 if x == 0 else math.nan if math.isinf(x) else 0.0 if is_integer(x) else None
    if name == "i0" and abs(x) > 720:
        return math.inf
    return None


FUNCTIONS = {
    "rsqrt": lambda x: 1 / mpmath.sqrt(x),
    "sigmoid": lambda x: 1 / (1 + mpmath.exp(-x)),
    "gamma": mpmath.gamma,
    "lgamma": lambda x: mpmath.re(mpmath.loggamma(x)),
    "sinc": lambda x: mpmath.sinpi(x) / (mpmath.pi * x),
    "i0": lambda x: mpmath.besseli(0, x),
    "exp2": lambda x: mpmath.power(2, x),
}


def to_float(value):
    try:
        return float(value)
    except OverflowError:
        return math.inf if value > 0 else -math.inf


def exact_one(name, x):
    if math.isnan(x):
        return x
    known = edge(name, x)
    if known is not None:
        return known
    mpmath.mp.prec = 300
    return to_float(FUNCTIONS.get(name, getattr(mpmath, name, None))(mpmath.mpf(x)))


def exact_two(name, a, b):
    if math.isnan(a) or math.isnan(b):
        return math.nan
    larger, smaller = max(a, b), min(a, b)
    if math.isinf(larger) or math.isinf(smaller) or larger - smaller > 1500:
        return larger
    mpmath.mp.prec = 2400
    one = mpmath.mpf(1)
    return to_float(larger + mpmath.log(one + mpmath.power(2, mpmath.mpf(smaller) - larger), 2))


def exact(name, *arrays):
    function = exact_two if name in TWO else exact_one
    values = [function(name, *map(float, operands)) for operands in zip(*[array.ravel() for array in arrays])]
    return np.array(values, np.float64).reshape(arrays[0].shape)
