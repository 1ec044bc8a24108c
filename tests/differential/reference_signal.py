# SPDX-License-Identifier: BSD-3-Clause
"""Polynomials and signals by NumPy, and by their definitions where it has none."""

import itertools

import numpy as np

from casts import cast, is_complex, is_inexact, promote
from compare import Value, ulp

MODES = {None: None, 1: "full", 2: "same", 3: "valid"}


def numbers(x):
    """As NumPy takes it: bfloat16 as float32."""
    return x.astype(np.float32) if isinstance(x, np.ndarray) and x.dtype.name == "bfloat16" else x


def of_dtype(x, name):
    """A number must fit the dtype that it has beside an array."""
    return x.astype(name) if isinstance(x, np.ndarray) else np.array(x, name)


def sums(function, a, v, mode):
    """Exact for integers; of floats within the bound of sums, one type wider."""
    name = promote([a, v])
    function(np.zeros(np.shape(a)), np.zeros(np.shape(v)))  # its errors
    if not is_inexact(name):
        return Value(function(of_dtype(a, name), of_dtype(v, name), mode))
    kind = np.clongdouble if is_complex(name) else np.longdouble
    a, v = (np.atleast_1d(np.asarray(numbers(cast(np.asarray(x), name)))) for x in (a, v))
    true = function(a.astype(kind), v.astype(kind), mode)
    size = function(np.abs(a).astype(np.longdouble), np.abs(v).astype(np.longdouble), mode)
    n = min(a.size, v.size) + 2
    value = cast(true, name)
    step = {"float16": 2.0**-22, "bfloat16": 2.0**-22}.get(name, 2.0**-50)
    finite = np.isfinite(size) & (size < (1e38 if name in ("complex64", "float32", "bfloat16") else 6e4 if name == "float16" else 1e300))
    return Value(value, true=true, error=np.where(np.isfinite(size), size, 0) * n * step + ulp(np.abs(true), name), skip=~finite)


def do_convolve(a, v, mode=None):
    return sums(lambda x, y, m="full": np.convolve(x, y, m or "full"), a, v, MODES[mode])


def do_correlate(a, v, mode=None):
    return sums(lambda x, y, m="valid": np.correlate(np.atleast_1d(x), np.atleast_1d(y), m or "valid"), a, v, MODES[mode])


def vectors(*arrays):
    for x in arrays:
        if np.ndim(x) > 1:
            raise ValueError("1d only")


def added(function, a, b):
    vectors(a, b)
    name = promote([a, b])
    if name == "bfloat16":
        n = max(np.size(a), np.size(b))
        a, b = (np.concatenate([np.zeros(n - np.size(x), np.float32), np.atleast_1d(numbers(np.asarray(x))).astype(np.float32)])
                for x in (a, b))
        return Value(cast(function(a, b), name))
    if name == "bool" and function is np.subtract:
        raise TypeError("bool")
    n = max(np.size(a), np.size(b))
    # a number takes the dtype that it has beside the other operand
    a, b = (np.atleast_1d(numbers(np.asarray(x)) if isinstance(x, np.ndarray) else of_dtype(x, name)) for x in (a, b))
    a, b = (np.concatenate([np.zeros(n - x.size, x.dtype), x]) for x in (a, b))
    return Value(cast(function(a, b), name))


def do_polyadd(a, b):
    return added(np.add, a, b)


def do_polysub(a, b):
    return added(np.subtract, a, b)


def do_polymul(a, b):
    vectors(a, b)
    name = promote([a, b])
    return Value(np.polymul(np.atleast_1d(of_dtype(a, name)), np.atleast_1d(of_dtype(b, name))).astype(name))


def do_polyval(p, x):
    if p.ndim != 1:
        raise ValueError("1d only")
    return Value(np.asarray(np.polyval(p, x)))


def do_polyder(p, m):
    if p.ndim != 1:
        raise ValueError("1d only")
    return Value(np.polyder(numbers(p), m)) if m else Value(p.copy())


def do_polyint(p, m):
    if p.ndim != 1:
        raise ValueError("1d only")
    return Value(np.polyint(numbers(p), m)) if m else Value(p.copy())


def do_interp(x, xp, fp, left=None, right=None, period=None):
    if np.iscomplexobj(x):
        raise TypeError("complex")
    return Value(np.asarray(np.interp(numbers(x), xp, numbers(fp), left, right, period)))


def any_rank(a, b, mode, turned):
    if a.ndim != b.ndim or not a.size or not b.size:
        raise ValueError("shapes")
    name = promote([a, b])
    x, w = a.astype(name), b.astype(name)
    if turned:
        w = np.flip(w)
    full = np.zeros([n + m - 1 for n, m in zip(x.shape, w.shape)], name)
    for k in itertools.product(*map(range, w.shape)):
        part = full[tuple(slice(i, i + n) for i, n in zip(k, x.shape))]
        if name == "bool":
            part |= x & w[k]
        else:
            part += x * w[k]
    if mode == 2:
        start, length = [(m - 1) // 2 for m in w.shape], x.shape
    elif mode == 3:
        if not (all(n >= m for n, m in zip(x.shape, w.shape)) or all(n <= m for n, m in zip(x.shape, w.shape))):
            raise ValueError("valid")
        start = [min(n, m) - 1 for n, m in zip(x.shape, w.shape)]
        length = [abs(n - m) + 1 for n, m in zip(x.shape, w.shape)]
    else:
        return Value(full)
    return Value(full[tuple(slice(s, s + n) for s, n in zip(start, length))])


def do_signal_convolve(a, b, mode=None):
    return any_rank(a, b, mode, False)


def do_signal_correlate(a, b, mode=None):
    return any_rank(a, b, mode, True)


def do_signal_medfilt(x, size):
    if x.dtype.kind in "bc":
        raise TypeError("dtype")
    if len(size) not in (1, x.ndim) or any(n % 2 == 0 for n in size):
        raise ValueError("size")
    size = [size[0 if len(size) == 1 else i] for i in range(x.ndim)]
    if x.ndim == 0 or not x.size:
        return Value(x.copy())
    wide = np.pad(numbers(x), [(n // 2, n // 2) for n in size])
    windows = np.lib.stride_tricks.sliding_window_view(wide, size).reshape(*x.shape, -1)
    out = np.sort(windows, axis=-1)[..., windows.shape[-1] // 2]
    return Value(out.astype(x.dtype), zeros=True)
