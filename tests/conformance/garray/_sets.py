# SPDX-License-Identifier: BSD-3-Clause
"""Set functions."""

from collections import namedtuple

from ._array import many, one

UniqueAll = namedtuple("UniqueAll", "values indices inverse_indices counts")
UniqueCounts = namedtuple("UniqueCounts", "values counts")
UniqueInverse = namedtuple("UniqueInverse", "values inverse_indices")


def isin(x1, x2, /, *, invert=False):
    return one("isin", x1, x2, invert=int(invert))


def unique_all(x, /):
    return UniqueAll(*many("unique_all", x, outputs=4))


def unique_counts(x, /):
    return UniqueCounts(*many("unique_counts", x, outputs=2))


def unique_inverse(x, /):
    return UniqueInverse(*many("unique_inverse", x, outputs=2))


def unique_values(x, /):
    return one("unique_values", x)


__all__ = "isin unique_all unique_counts unique_inverse unique_values".split()
