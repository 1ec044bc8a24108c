# SPDX-License-Identifier: BSD-3-Clause
"""Reductions, searching, sorting and cumulative functions."""

from ._array import one
from ._dtypes import name_of

REDUCTIONS = "all any count_nonzero max mean min".split()
TYPED = "prod sum".split()  # those with a dtype


def reduction(name):
    def function(x, /, *, axis=None, keepdims=False):
        return one(name, x, axis, keepdims=int(keepdims))

    return function


def typed_reduction(name):
    def function(x, /, *, axis=None, dtype=None, keepdims=False):
        return one(name, x, axis, keepdims=int(keepdims), dtype=name_of(dtype))

    return function


def variance(name):
    def function(x, /, *, axis=None, correction=0.0, keepdims=False):
        return one(name, x, axis, keepdims=int(keepdims), correction=correction)

    return function


def extremum(name):
    def function(x, /, *, axis=None, keepdims=False):
        return one(name, x, axis, keepdims=int(keepdims))

    return function


def cumulative(name):
    def function(x, /, *, axis=None, dtype=None, include_initial=False):
        return one(name, x, axis, dtype=name_of(dtype), include_initial=int(include_initial))

    return function


def diff(x, /, *, axis=-1, n=1, prepend=None, append=None):
    return one("diff", x, n, axis, prepend=prepend, append=append)


def searchsorted(x1, x2, /, *, side="left", sorter=None):
    if side not in ("left", "right"):
        raise ValueError(f"side is {side!r}")
    return one("searchsorted", x1, x2, right=int(side == "right"), sorter=sorter)


def sorting(name):
    def function(x, /, *, axis=-1, descending=False, stable=True):
        return one(name, x, axis, descending=int(descending), unstable=int(not stable))

    return function


__all__ = ["diff", "searchsorted"]
for make, names in (
    (reduction, REDUCTIONS),
    (typed_reduction, TYPED),
    (variance, ["std", "var"]),
    (extremum, ["argmax", "argmin"]),
    (cumulative, ["cumulative_prod", "cumulative_sum"]),
    (sorting, ["argsort", "sort"]),
):
    for name in names:
        globals()[name] = make(name)
        globals()[name].__name__ = name
        __all__.append(name)
