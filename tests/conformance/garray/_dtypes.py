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
