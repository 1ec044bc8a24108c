# SPDX-License-Identifier: BSD-3-Clause
"""Creation functions, astype, and arrays from Python's lists."""

import ctypes as C

import numpy as np

from . import _dlpack, _interface
from ._array import SCALARS, Array, many, one
from ._binding import device_of, interface, lib, raised
from ._dtypes import name_of


def lengths(shape):
    return (int(shape),) if hasattr(shape, "__index__") else tuple(int(n) for n in shape)


def empty(shape, *, dtype=None, device=None):
    return one("empty", lengths(shape), name_of(dtype), device=device)


def zeros(shape, *, dtype=None, device=None):
    return one("zeros", lengths(shape), name_of(dtype), device=device)


def ones(shape, *, dtype=None, device=None):
    return one("ones", lengths(shape), name_of(dtype), device=device)


def full(shape, fill_value, *, dtype=None, device=None):
    return one("full", lengths(shape), fill_value, name_of(dtype), device=device)


def _like(x, device):
    """x, or where another device is asked for, an array there of its shape and dtype."""
    return x if device in (None, x.device) else empty(x.shape, dtype=x.dtype, device=device)


def empty_like(x, /, *, dtype=None, device=None):
    return one("empty_like", _like(x, device), name_of(dtype))


def zeros_like(x, /, *, dtype=None, device=None):
    return one("zeros_like", _like(x, device), name_of(dtype))


def ones_like(x, /, *, dtype=None, device=None):
    return one("ones_like", _like(x, device), name_of(dtype))


def full_like(x, /, fill_value, *, dtype=None, device=None):
    return one("full_like", _like(x, device), fill_value, name_of(dtype))


def arange(start, /, stop=None, step=1, *, dtype=None, device=None):
    if stop is None:
        start, stop = 0, start
    return one("arange", start, stop, step, name_of(dtype), device=device)


def linspace(start, stop, /, num, *, dtype=None, device=None, endpoint=True):
    return one("linspace", start, stop, num, dtype=name_of(dtype), no_endpoint=int(not endpoint), device=device)


def eye(n_rows, n_cols=None, /, *, k=0, dtype=None, device=None):
    k = max(-(2**62), min(k, 2**62))  # any Python int; beyond every matrix these are the same
    return one("eye", n_rows, n_rows if n_cols is None else n_cols, k, name_of(dtype), device=device)


def meshgrid(*arrays, indexing="xy"):
    if indexing not in ("xy", "ij"):
        raise ValueError(f"indexing is {indexing!r}")
    return many("meshgrid", list(arrays), outputs=len(arrays), ij=int(indexing == "ij"))


def tril(x, /, *, k=0):
    return one("tril", x, k)


def triu(x, /, *, k=0):
    return one("triu", x, k)


def _from_numpy(data, device):
    slot = C.c_void_p()
    with raised():
        lib.from_host(np.ascontiguousarray(data).reshape(data.shape), slot, device=device_of(device))
    return Array(slot)


def _numbers(obj):
    """Nested lists of numbers; arrays of one element count as numbers."""
    if isinstance(obj, (list, tuple)):
        return [_numbers(part) for part in obj]
    return obj._number() if isinstance(obj, Array) else obj


def asarray(obj, /, *, dtype=None, device=None, copy=None):
    if isinstance(obj, Array):
        moved = obj if device in (None, obj.device) else obj.to_device(device)
        if dtype not in (None, obj.dtype) or copy:
            if copy is False:
                raise ValueError("another dtype is a copy")
            return astype(moved, dtype or obj.dtype)
        if moved is not obj and copy is False:
            raise ValueError("another device is a copy")
        return moved
    if copy is False:
        raise ValueError("numbers and host memory are copied")
    if isinstance(obj, SCALARS):
        return full((), obj, dtype=dtype, device=device)
    data = np.asarray(_numbers(obj), dtype and interface.numpy_dtype(dtype.name))
    return _from_numpy(data, device)


def from_dlpack(x, /, *, device=None, copy=None):
    out = Array(_dlpack.take(x, copy))
    if device in (None, out.device):
        return out
    if copy is False:
        raise ValueError("another device is a copy")
    return out.to_device(device)


def from_array_interface(x, /):
    """Not the standard's: over the memory that __cuda_array_interface__ (or __array_interface__) shows."""
    return Array(_interface.take(x))


def astype(x, dtype, /, *, copy=True, device=None):
    moved = x if device in (None, x.device) else x.to_device(device)
    if not copy and dtype == x.dtype:
        return moved
    return one("astype", moved, name_of(dtype))


__all__ = (
    "arange asarray astype empty empty_like eye from_dlpack full full_like linspace meshgrid ones ones_like tril "
    "triu zeros zeros_like"
).split()

