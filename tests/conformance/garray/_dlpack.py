# SPDX-License-Identifier: BSD-3-Clause
"""DLPack capsules: Python's envelope around the tensors that the library makes and takes."""

import ctypes as C

from ._binding import abi, interface, lib, raised

NAME, USED = b"dltensor", b"used_dltensor"
VERSIONED, USED_VERSIONED = b"dltensor_versioned", b"used_dltensor_versioned"
KINDS = {0: 1, 1: 2}  # of garray_device: DLPack's kDLCPU, kDLCUDA

python = C.pythonapi
python.PyCapsule_New.restype = C.py_object
python.PyCapsule_New.argtypes = [C.c_void_p, C.c_char_p, C.c_void_p]
python.PyCapsule_GetPointer.restype = C.c_void_p
python.PyCapsule_GetPointer.argtypes = [C.py_object, C.c_char_p]
python.PyCapsule_SetName.argtypes = [C.py_object, C.c_char_p]

CAPSULE = C.PYFUNCTYPE(None, C.c_void_p)
pointer_of = C.PYFUNCTYPE(C.c_void_p, C.c_void_p, C.c_char_p)(("PyCapsule_GetPointer", python))
is_valid = C.PYFUNCTYPE(C.c_int, C.c_void_p, C.c_char_p)(("PyCapsule_IsValid", python))
DELETER = C.CFUNCTYPE(None, C.c_void_p)


class Versioned(C.Structure):
    """The head of DLManagedTensorVersioned."""

    _fields_ = [("major", C.c_uint32), ("minor", C.c_uint32), ("ctx", C.c_void_p), ("deleter", DELETER)]


@CAPSULE
def unused(capsule):
    """A capsule that nobody took gives its tensor back."""
    if is_valid(capsule, VERSIONED):
        tensor = pointer_of(capsule, VERSIONED)
        Versioned.from_address(tensor).deleter(tensor)
    elif is_valid(capsule, NAME):
        tensor = pointer_of(capsule, NAME)
        interface.DLManagedTensor.from_address(tensor).deleter(
            C.cast(tensor, C.POINTER(interface.DLManagedTensor))
        )


def device(x):
    device = lib.c.garray_device_of(x.slot(None))
    return KINDS[device.type], device.index


def export(x, stream, max_version, dl_device, copy):
    if dl_device is not None and tuple(dl_device) != device(x):
        kind, index = dl_device
        if kind != 1:
            raise BufferError(f"an array on {x.device} is not exported to device {dl_device}")
        if copy is False:
            raise ValueError("moving to another device copies")
        return export(x.to_device("cpu"), None, max_version, None, None)
    opts = abi.dlpack_opts()
    opts.copy = {None: 0, True: 1, False: 2}[copy]
    if stream is not None and stream != -1:
        opts.has_stream, opts.stream = 1, 0 if stream in (0, 1) else stream
    tensor = C.c_void_p()
    versioned = max_version is not None and max_version[0] >= 1
    with raised():
        lib.check(
            "to_dlpack" if versioned else "to_dlpack_unversioned", x.slot(None), C.byref(opts), C.byref(tensor)
        )
    return python.PyCapsule_New(tensor, VERSIONED if versioned else NAME, C.cast(unused, C.c_void_p))


def take(other, copy):
    """The slot of an array that shares the memory of `other`."""
    kw = {} if copy is None else {"copy": copy}
    try:
        capsule = other.__dlpack__(max_version=(1, 0), **kw)
    except TypeError:  # a producer of before max_version
        capsule = other.__dlpack__()
    versioned = bool(python.PyCapsule_IsValid(C.py_object(capsule), VERSIONED))
    tensor = python.PyCapsule_GetPointer(capsule, VERSIONED if versioned else NAME)
    slot = C.c_void_p()
    with raised():
        lib.check(
            "from_dlpack" if versioned else "from_dlpack_unversioned", C.c_void_p(tensor), None, C.byref(slot)
        )
    python.PyCapsule_SetName(capsule, USED_VERSIONED if versioned else USED)
    return slot



