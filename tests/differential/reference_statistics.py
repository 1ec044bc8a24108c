# SPDX-License-Identifier: BSD-3-Clause
"""Statistics, differences, histograms and reductions without NaN by NumPy."""

import numpy as np

import reference_reduce
from casts import cast, floats, is_complex, is_inexact, promote, wide
from compare import Value, ulp

METHODS = (
    "inverted_cdf averaged_inverted_cdf closest_observation interpolated_inverted_cdf hazen weibull linear "
    "median_unbiased normal_unbiased lower higher midpoint nearest"
).split()
PICKS = ("inverted_cdf", "closest_observation", "lower", "higher", "nearest")


def has_nan(x):
    return is_inexact(x.dtype.name)


def without(x, value):
    """x with a value for each NaN."""
    return cast(np.where(np.isnan(floats(x)), value, wide(x)), x.dtype.name) if has_nan(x) else x


def single(axis, ndim):
    if isinstance(axis, tuple):
        if len(axis) != 1:
            raise np.exceptions.AxisError("one axis")
        axis = axis[0]
    if axis is not None and not -ndim <= axis < ndim:
        raise np.exceptions.AxisError(axis, ndim)
    return axis


# ---- reductions ----


def do_ptp(x, axis, keepdims=0):
    if x.dtype.name == "bool":
        np.max(x, axis=axis)
        raise TypeError("bools have no difference")
    high, low = (function(floats(x), axis=axis, keepdims=bool(keepdims)) for function in (np.max, np.min))
    if not has_nan(x):
        return Value(np.asarray(high) - np.asarray(low))
    skip = ~np.isfinite(high) if is_complex(x.dtype.name) else None
    return Value(cast(np.asarray(high - low), x.dtype.name), zeros=True, skip=skip)


def do_cumsum(x, axis, **kw):
    return reference_reduce.do_cumulative_sum(x if axis is not None else x.reshape(-1), axis, **kw)


def do_cumprod(x, axis, **kw):
    return reference_reduce.do_cumulative_prod(x if axis is not None else x.reshape(-1), axis, **kw)


def do_nancumsum(x, axis, **kw):
    return do_cumsum(without(x, 0), axis, **kw)


def do_nancumprod(x, axis, **kw):
    return do_cumprod(without(x, 1), axis, **kw)


def do_nansum(x, axis, **kw):
    return reference_reduce.do_sum(without(x, 0), axis, **kw)


def do_nanprod(x, axis, **kw):
    return reference_reduce.do_prod(without(x, 1), axis, **kw)


def extreme(plain, least, x, axis, **kw):
    bound = complex(least, least) if is_complex(x.dtype.name) else least
    value = plain(without(x, bound), axis, **kw)
    if has_nan(x) and "initial" not in kw and "where" not in kw:
        nothing = np.all(np.isnan(floats(x)), axis=axis, keepdims=bool(kw.get("keepdims", 0)))
        value.value = cast(np.where(nothing, np.nan, wide(value.value)), x.dtype.name)
    return value


def do_nanmin(x, axis, **kw):
    return extreme(reference_reduce.do_min, np.inf, x, axis, **kw)


def do_nanmax(x, axis, **kw):
    return extreme(reference_reduce.do_max, -np.inf, x, axis, **kw)


def numbers(x, where):
    mask = ~np.isnan(floats(x)) if has_nan(x) else np.ones(x.shape, bool)
    return mask if where is None else mask & np.broadcast_to(where, x.shape)


def do_nanmean(x, axis, where=None, **kw):
    return reference_reduce.do_mean(x, axis, where=numbers(x, where) if has_nan(x) else where, **kw)


def spread(plain, x, axis, where=None, **kw):
    if not has_nan(x):
        return plain(x, axis, where=where, **kw)
    mask = numbers(x, where)
    value = plain(x, axis, where=mask, **kw)
    count = np.sum(mask, axis=axis, keepdims=bool(kw.get("keepdims", 0)))
    bad = count <= kw.get("correction", 0)
    value.value = cast(np.where(bad, np.nan, wide(value.value)), value.value.dtype.name)
    value.true = np.where(bad, np.nan, value.true)
    return value


def do_nanvar(x, axis, **kw):
    return spread(reference_reduce.do_var, x, axis, **kw)


def do_nanstd(x, axis, **kw):
    return spread(reference_reduce.do_std, x, axis, **kw)


def argument(function, plain, x, axis, keepdims):
    if not has_nan(x) or x.size == 0:
        return plain(x, axis, keepdims)
    axis = single(axis, x.ndim)
    return Value(np.asarray(function(floats(x), axis=axis, keepdims=bool(keepdims)), np.int64))


def do_nanargmin(x, axis, keepdims=0):
    return argument(np.nanargmin, reference_reduce.do_argmin, x, axis, keepdims)


def do_nanargmax(x, axis, keepdims=0):
    return argument(np.nanargmax, reference_reduce.do_argmax, x, axis, keepdims)


# ---- order statistics ----


def close(true, name, scale):
    """Rounded a few times in float64, then to a dtype."""
    error = 0.51 * ulp(np.abs(true), name) + 8 * ulp(np.asarray(scale, np.longdouble), "float64")
    return Value(cast(np.asarray(true), name), np.asarray(true, np.longdouble), error)


def largest(x, axis, keepdims):
    return np.max(np.abs(np.asarray(wide(x), np.longdouble)), axis=axis, keepdims=bool(keepdims), initial=0)


def do_median(x, axis, keepdims=0, nan=False):
    name = x.dtype.name if has_nan(x) else "float64"
    w = np.asarray(wide(x), np.longdouble)
    true = np.asarray((np.nanmedian if nan else np.median)(w, axis=axis, keepdims=bool(keepdims)))
    return close(true, name, largest(without(x, 0), axis, keepdims))


def do_nanmedian(x, axis, keepdims=0):
    return do_median(x, axis, keepdims, has_nan(x))


def quantile(function, x, q, axis, keepdims, method, scale=1):
    word = METHODS[(method or 7) - 1]
    q = np.asarray(q)
    if x.dtype.name == "bool" and word not in PICKS:
        raise TypeError("bools have no value between two")
    if not (np.all(q >= 0) and np.all(q <= scale)):
        raise ValueError("q")
    if word in PICKS:
        result = function(floats(x), q, axis=axis, keepdims=bool(keepdims), method=word)
        return Value(cast(np.asarray(result), x.dtype.name), zeros=True)
    w = wide(x).astype(np.float64) if x.dtype.kind in "iu" else wide(x)
    w = w.astype(np.float64) if x.dtype.name == "float64" else w
    true = np.asarray(function(w, q, axis=axis, keepdims=bool(keepdims), method=word))
    name = (x.dtype.name if has_nan(x) else "float64") if q.ndim == 0 else promote([x, q])
    return close(true, name, np.broadcast_to(largest(without(x, 0), axis, keepdims), true.shape))


def do_quantile(x, q, axis, keepdims=0, method=0):
    return quantile(np.quantile, x, q, axis, keepdims, method)


def do_nanquantile(x, q, axis, keepdims=0, method=0):
    return quantile(np.nanquantile, x, q, axis, keepdims, method)


def do_percentile(x, q, axis, keepdims=0, method=0):
    return quantile(np.percentile, x, q, axis, keepdims, method, 100)


# ---- differences ----


def do_diff(x, n, axis):
    if n == 0:
        return Value(x.copy())
    if n < 0:
        raise ValueError("order")
    if not -x.ndim <= axis < x.ndim:
        raise np.exceptions.AxisError(axis, x.ndim)
    if x.dtype.name in ("float64", "complex128") or not has_nan(x):
        return Value(np.diff(x, n, axis))
    for _ in range(n):
        x = cast(np.diff(wide(x), 1, axis), x.dtype.name)
    return Value(x)


def do_ediff1d(x):
    if x.dtype.name == "bool":
        raise TypeError("bools")
    return do_diff(x.reshape(-1), 1, 0)


# ---- counts ----


def do_histogram(x, bins, low=None, high=None):
    if is_complex(x.dtype.name):
        raise TypeError("complex")
    if isinstance(bins, np.ndarray) and (bins.ndim != 1 or bins.dtype.kind == "c" or not bins.size):
        raise ValueError("edges")
    span = None if low is None else (low, high)
    with np.errstate(all="ignore"):
        counts, edges = np.histogram(floats(x), bins, span)
    return [Value(counts), Value(edges if not isinstance(bins, np.ndarray) else bins)]


def do_bincount(x, minlength=0):
    if x.dtype.kind not in "biu" or x.dtype.name == "uint64":
        raise TypeError("integers")
    return Value(np.bincount(x, minlength=minlength))


def do_digitize(x, bins, right=0):
    if bins.ndim != 1:
        raise ValueError("bins")
    return Value(np.asarray(np.digitize(floats(np.asarray(x)), floats(bins), bool(right)), np.int64))
