# SPDX-License-Identifier: BSD-3-Clause
"""__array_interface__ and __cuda_array_interface__: dictionaries of the fields that the library fills in and takes."""

import ctypes as C
import itertools

from ._binding import abi, lib, raised

RELEASE = C.CFUNCTYPE(None, C.c_void_p)
lent = {}  # who owns the memory of arrays made here, until the library lets go of it
numbers = itertools.count(1)


@RELEASE
def let_go(number):
    lent.pop(number, None)


def export(x, on_cpu):
    """The dictionary of x. AttributeError if x is on the other kind of device, or of a dtype that has no typestr, so that
    hasattr() tells."""
    if (lib.c.garray_device_of(x.slot(None)).type == 0) != on_cpu or x.dtype.name == "bfloat16":
        raise AttributeError("the array has no such interface")
    fields = abi.array_interface()
    with raised():
        lib.check("to_array_interface", x.slot(None), C.byref(fields))
    n = fields.ndim
    found = {
        "shape": tuple(fields.shape[:n]) if n else (),
        "typestr": fields.typestr.decode(),
        "data": (fields.data or 0, bool(fields.readonly)),
        "strides": tuple(fields.strides[:n]) if fields.strides else None,
        "version": fields.version,
    }
    if fields.has_stream:
        found["stream"] = fields.stream
    return found


def numbers_of(values):
    return (C.c_int64 * max(len(values), 1))(*values)


def take(other):
    """The slot of an array over the memory of `other`."""
    on_cpu = not hasattr(other, "__cuda_array_interface__")
    given = other.__array_interface__ if on_cpu else other.__cuda_array_interface__
    fields = abi.array_interface(typestr=given["typestr"].encode(), version=given["version"], ndim=len(given["shape"]))
    shape, strides = numbers_of(given["shape"]), given.get("strides")
    fields.shape = shape
    if strides is not None:
        fields.strides = numbers_of(strides)
    fields.data, readonly = given["data"]
    fields.readonly = bool(readonly)
    if given.get("mask") is not None:
        fields.mask = 1
    if given.get("stream") is not None:
        fields.has_stream, fields.stream = 1, given["stream"]
    fields.device = abi.device(0, 0) if on_cpu else abi.device(1, -1)
    number = next(numbers)
    lent[number] = other
    slot = C.c_void_p()
    try:
        with raised():
            lib.check("from_array_interface", C.byref(fields), let_go, C.c_void_p(number), C.byref(slot))
    except Exception:
        lent.pop(number, None)
        raise
    return slot
