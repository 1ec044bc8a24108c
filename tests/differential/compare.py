# SPDX-License-Identifier: BSD-3-Clause
"""What a result should be, and whether it is that."""

import numpy as np

from casts import LARGEST, PRECISION, is_complex, is_inexact, part_of
from library import BFLOAT16


class Value:
    """An expected result.  Without `error` its bits count (any NaN is as good as another); with it the
    distance from `true`, which is wider.  `skip` marks elements that are not compared, `zeros` that the sign
    of a zero is free, `view` that the value shares memory with a variable."""

    def __init__(self, value, true=None, error=None, skip=None, zeros=False, view=False):
        self.value = np.asarray(value) if not view else value
        self.true, self.error, self.skip, self.zeros, self.view = true, error, skip, zeros, view
        self.mask = None  # of where=: the elements that are written


def ulp(x, name):
    """Units in the last place of a dtype at the numbers x, in x's type."""
    digits, least = PRECISION[part_of(name)]
    x = np.abs(np.asarray(x))
    x = np.where(np.isfinite(x), x, 1)
    _, exponent = np.frexp(x)
    return np.ldexp(np.ones_like(x), np.maximum(exponent - digits, least).astype(np.int32))


def real_parts(x):
    return (x.real, x.imag) if x.dtype.kind == "c" else (x,)


def error_parts(error):
    """An error counts for both parts, or is a pair."""
    return error if isinstance(error, tuple) else (error, error)


def more_error(error, extra):
    return tuple(e + extra for e in error) if isinstance(error, tuple) else error + extra


def by_parts(function, x):
    """A function of real arrays for x, or, as a pair, for its parts."""
    return tuple(function(part) for part in real_parts(x)) if x.dtype.kind == "c" else function(x)


def bits(x):
    return x.view("u%d" % x.dtype.itemsize)


def same_part(got, value, zeros):
    if got.dtype.kind == "f" or got.dtype == BFLOAT16:
        got, value = np.ascontiguousarray(got), np.ascontiguousarray(value)
        good = (bits(got) == bits(value)) | (np.isnan(got) & np.isnan(value))
        return good | (got == value) if zeros else good
    return got == value


def close_part(got, value, true, error, largest):
    widened = got.astype(true.dtype)
    with np.errstate(all="ignore"):
        good = (got == value) | (np.abs(widened - true) <= error) | (np.isnan(got) & np.isnan(value))
        overflow = np.isinf(got) & (np.abs(true) + error >= largest) & (np.signbit(got) == np.signbit(true))
    return good | overflow


def agree(got, want):
    """An array of booleans."""
    value = want.value
    if want.error is None or not is_inexact(value.dtype.name):
        good = [same_part(g, v, want.zeros) for g, v in zip(real_parts(got), real_parts(value))]
    else:
        largest = LARGEST[part_of(value.dtype.name)]
        good = [
            close_part(g, v, t, e, largest)
            for g, v, t, e in zip(
                real_parts(got), real_parts(value), real_parts(np.asarray(want.true)), error_parts(want.error)
            )
        ]
    good = np.logical_and.reduce(good) if len(good) > 1 else good[0]
    return good if want.skip is None else good | want.skip


def difference(got, want):
    """None, or a text that tells the first difference."""
    value = want.value
    if got.dtype != value.dtype:
        return "dtype %s, expected %s" % (got.dtype.name, value.dtype.name)
    if got.shape != value.shape:
        return "shape %s, expected %s" % (got.shape, value.shape)
    good = np.asarray(agree(got, want))
    if good.all():
        return None
    good = np.broadcast_to(good, value.shape)
    at = tuple(int(i) for i in np.argwhere(~good)[0]) if value.ndim else ()
    text = "%d of %d elements differ, first [%s]: %r, expected %r" % (
        (~good).sum(),
        good.size,
        ", ".join(map(str, at)),
        got[at],
        value[at],
    )
    if want.error is not None and is_inexact(value.dtype.name):
        unit = ulp(np.abs(np.asarray(want.true)), value.dtype.name)[at]
        if not is_complex(value.dtype.name):
            text += " (%.3g ulp off, %.3g allowed)" % (
                abs(got[at].astype(unit.dtype) - want.true[at]) / unit,
                np.broadcast_to(want.error, value.shape)[at] / unit,
            )
    return text
