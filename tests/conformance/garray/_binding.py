# SPDX-License-Identifier: BSD-3-Clause
"""The library that the package speaks to, and how a call becomes arrays.

GARRAY_LIBRARY names libgarray.so, GARRAY_DEVICE the device of new arrays ("cpu" by default).  The C interface itself is
described once, in tests/differential/library.py."""

import ctypes as C
import os
import sys

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "..", "differential"))
import library as interface  # noqa: E402

abi = interface.abi
lib = interface.Library(os.environ.get("GARRAY_LIBRARY", "libgarray.so.0"), os.environ.get("GARRAY_DEVICE", "cpu"))
lib.c.garray_device_of.restype = abi.device

class AxisError(ValueError, IndexError):
    """As NumPy's: both."""


# What each status is in Python; the others are RuntimeError.
EXCEPTIONS = {
    "INVALID": ValueError,
    "SHAPE": ValueError,
    "AXIS": AxisError,
    "DTYPE": TypeError,
    "INDEX": IndexError,
    "READONLY": ValueError,
    "NOMEM": MemoryError,
    "DEVICE_NOMEM": MemoryError,
    "MIXED_DEVICES": ValueError,
    "UNSUPPORTED": ValueError,
    "FORMAT": BufferError,
    "NO_DEVICE": ValueError,
}


class raised:
    """with raised(): a failed call becomes the Python exception of its status."""

    def __enter__(self):
        pass

    def __exit__(self, kind, failure, _):
        if kind is interface.Failure:
            word = failure.status.removeprefix("GARRAY_").removeprefix("ERR_")
            raise EXCEPTIONS.get(word, RuntimeError)(str(failure)) from None


def device_of(name):
    if name is None:
        return lib.device
    device = abi.device()
    with raised():
        lib.check("device_parse", str(name).encode(), C.byref(device))
    return device


def device_name(device):
    return "cpu" if device.type == 0 else f"cuda:{device.index}"


def checked(value):
    """A Python int that no 64-bit operand can hold is refused here, since ctypes would cut it."""
    if type(value) is int and not -(2**63) <= value < 2**64:
        raise OverflowError(f"{value} does not fit into 64 bits")
    return value


def slots(n):
    return [C.c_void_p() for _ in range(n)]


def call(name, *args, outputs=1, device=None, **kw):
    """garray_<name>; returns the slots of its results."""
    out = slots(outputs)
    kw = {key: value for key, value in kw.items() if value is not None}
    outs = out if name in interface.LISTS else [C.byref(slot) for slot in out]
    with raised():
        lib.call(name, [checked(arg) for arg in args], kw, None, outs, device_of(device))
    return out
