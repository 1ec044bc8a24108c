# SPDX-License-Identifier: BSD-3-Clause
"""The elementwise functions: each is one call of the C function of its name."""

from ._array import one

UNARY = (
    "abs acos acosh asin asinh atan atanh bitwise_invert ceil conj cos cosh exp expm1 floor imag isfinite isinf isnan "
    "log log1p log2 log10 logical_not negative positive real reciprocal round sign signbit sin sinh square sqrt tan "
    "tanh trunc"
).split()
BINARY = (
    "add atan2 bitwise_and bitwise_left_shift bitwise_or bitwise_right_shift bitwise_xor copysign divide equal "
    "floor_divide greater greater_equal hypot less less_equal logaddexp logical_and logical_or logical_xor maximum "
    "minimum multiply nextafter not_equal pow remainder subtract"
).split()


def unary(name):
    def function(x, /):
        return one(name, x)

    return function


def binary(name):
    def function(x1, x2, /):
        return one(name, x1, x2)

    return function


def clip(x, /, min=None, max=None):
    return one("clip", x, min, max)


def where(condition, x1, x2, /):
    return one("where", condition, x1, x2)


__all__ = ["clip", "where"]
for make, names in ((unary, UNARY), (binary, BINARY)):
    for name in names:
        globals()[name] = make(name)
        globals()[name].__name__ = name
        __all__.append(name)
