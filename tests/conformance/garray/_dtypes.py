# SPDX-License-Identifier: BSD-3-Clause
"""Data types as objects, and the functions about them."""

import ctypes as C
from types import SimpleNamespace

from ._binding import abi, interface, lib, raised


class DType:
    """One of garray_dtype; made once each, so that equality is identity."""

    def __init__(self, name):
        self.name = name
        self.number = interface.DTYPES[name]

    def __repr__(self):
        return "garray." + self.name

    def __str__(self):
        return self.name


BY_NAME = {name: DType(name) for name in interface.DTYPES}
globals().update(BY_NAME)
# The dtypes of the standard; float16 and bfloat16 are extras.
STANDARD = [name for name in BY_NAME if name not in ("float16", "bfloat16")]


def name_of(dtype):
    """What library.py takes: a name, or None for the default."""
    if dtype is None:
        return None
    if not isinstance(dtype, DType):
        raise TypeError(f"{dtype!r} is not a dtype of this library")
    return dtype.name


def of(x):
    return x if isinstance(x, DType) else x.dtype


class FloatInfo(C.Structure):
    _fields_ = [(name, C.c_int32) for name in "dtype bits precision nmant nexp minexp maxexp reserved".split()]
    _fields_ += [
        (name, C.c_double) for name in "eps epsneg min max smallest_normal smallest_subnormal resolution".split()
    ]


class IntInfo(C.Structure):
    _fields_ = [("dtype", C.c_int32), ("bits", C.c_int32), ("min", C.c_int64), ("max", C.c_uint64)]


def limits(function, struct, names):
    def limits_of(type, /):
        info = struct()
        with raised():
            lib.check(function, of(type).number, C.byref(info))
        found = {name: getattr(info, name) for name in names}
        return SimpleNamespace(dtype=BY_NAME[interface.DTYPE_NAMES[info.dtype]], **found)

    return limits_of


finfo = limits("finfo", FloatInfo, ["bits", "eps", "max", "min", "smallest_normal"])
iinfo = limits("iinfo", IntInfo, ["bits", "max", "min"])
KINDS = {
    "bool": 1,
    "signed integer": 2,
    "unsigned integer": 4,
    "integral": 6,
    "real floating": 8,
    "complex floating": 16,
    "numeric": 30,
}


def isdtype(dtype, kind):
    if isinstance(kind, tuple):
        return any(isdtype(dtype, k) for k in kind)
    if isinstance(kind, DType):
        return dtype == kind
    if kind not in KINDS:
        raise ValueError(f"{kind!r} is no kind of dtypes")
    lib.c.garray_isdtype.restype = C.c_bool
    return lib.c.garray_isdtype(dtype.number, KINDS[kind])


def can_cast(from_, to, /):
    lib.c.garray_can_cast.restype = C.c_bool
    return lib.c.garray_can_cast(of(from_).number, to.number, 3)  # GARRAY_CAST_SAFE


def result_type(*arrays_and_dtypes):
    operands = (abi.operand * max(len(arrays_and_dtypes), 1))()
    keep = []
    for i, x in enumerate(arrays_and_dtypes):
        if isinstance(x, DType):  # stands for an array of that dtype
            from ._creation import empty

            x = empty((0,), dtype=x)
            keep.append(x)
        operands[i] = lib.operand(x, None)
    dtype = C.c_int32()
    with raised():
        lib.check("result_type", len(arrays_and_dtypes), operands, C.byref(dtype))
    return BY_NAME[interface.DTYPE_NAMES[dtype.value]]
