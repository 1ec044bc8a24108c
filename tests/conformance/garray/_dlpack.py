# SPDX-License-Identifier: BSD-3-Clause
"""DLPack capsules: Python's envelope around the tensors that the library makes and takes."""

import ctypes as C
import sys

from ._binding import abi, interface, lib, raised

NAME, USED = b"dltensor", b"used_dltensor"
VERSIONED, USED_VERSIONED = b"dltensor_versioned", b"used_dltensor_versioned"
KINDS = {0: 1, 1: 2}  # of garray_device: DLPack's kDLCPU, kDLCUDA
ON_GPU = (2, 13)  # kDLCUDA, kDLCUDAManaged

python = C.pythonapi
python.PyCapsule_New.restype = C.py_object
python.PyCapsule_New.argtypes = [C.c_void_p, C.c_char_p, C.c_void_p]
python.PyCapsule_GetPointer.restype = C.c_void_p
python.PyCapsule_GetPointer.argtypes = [C.py_object, C.c_char_p]
python.PyCapsule_SetName.argtypes = [C.py_object, C.c_char_p]

DELETER = C.CFUNCTYPE(None, C.c_void_p)


class Versioned(C.Structure):
    """The head of DLManagedTensorVersioned."""

    _fields_ = [("major", C.c_uint32), ("minor", C.c_uint32), ("ctx", C.c_void_p), ("deleter", DELETER)]


made = []  # capsules that somebody may still take


def sweep():
    """Capsules that nobody took give their tensors back. A capsule's own destructor cannot do it in Python: a consumer that
    fails drops the capsule while its exception is being raised."""
    kept = []
    while made:
        capsule = made.pop()
        if sys.getrefcount(capsule) > 2:  # this variable and the argument
            kept.append(capsule)
        elif python.PyCapsule_IsValid(C.py_object(capsule), VERSIONED):
            tensor = python.PyCapsule_GetPointer(capsule, VERSIONED)
            Versioned.from_address(tensor).deleter(tensor)
        elif python.PyCapsule_IsValid(C.py_object(capsule), NAME):
            tensor = python.PyCapsule_GetPointer(capsule, NAME)
            interface.DLManagedTensor.from_address(tensor).deleter(C.cast(tensor, C.POINTER(interface.DLManagedTensor)))
    made.extend(kept)


def device(x):
    device = lib.c.garray_device_of(x.slot(None))
    return KINDS[device.type], device.index


def current_stream(index):
    """The stream that the library's work on a CUDA device is enqueued on: what a producer must make wait."""
    native = C.c_void_p()
    with raised():
        lib.check("stream_native", None, abi.device(1, index), C.byref(native))
    return native.value or 1


def export(x, stream, max_version, dl_device, copy):
    if dl_device is not None and tuple(dl_device) != device(x):
        kind, index = dl_device
        if kind != 1:
            raise BufferError(f"an array on {x.device} is not exported to device {dl_device}")
        if copy is False:
            raise ValueError("moving to another device copies")
        return export(x.to_device("cpu"), None, max_version, None, None)
    if stream is not None and device(x)[0] == 1:
        raise ValueError("memory of the CPU has no stream")
    if stream == 0:
        raise ValueError("stream 0 could be either default stream: they are 1 and 2")
    opts = abi.dlpack_opts()
    opts.copy = {None: 0, True: 1, False: 2}[copy]
    if stream is not None:
        opts.has_stream, opts.stream = 1, stream & (2**64 - 1)  # -1, too: GARRAY_STREAM_NO_WAIT
    tensor = C.c_void_p()
    versioned = max_version is not None and max_version[0] >= 1
    with raised():
        lib.check(
            "to_dlpack" if versioned else "to_dlpack_unversioned", x.slot(None), C.byref(opts), C.byref(tensor)
        )
    sweep()
    capsule = python.PyCapsule_New(tensor, VERSIONED if versioned else NAME, None)
    made.append(capsule)
    return capsule


def take(other, copy):
    """The slot of an array that shares the memory of `other`."""
    kw = {} if copy is None else {"copy": copy}
    kind, index = other.__dlpack_device__()
    stream = {"stream": current_stream(index)} if kind in ON_GPU else {}
    try:
        capsule = other.__dlpack__(max_version=(1, 0), **stream, **kw)
    except TypeError:  # a producer of before max_version
        capsule = other.__dlpack__(**stream)
    versioned = bool(python.PyCapsule_IsValid(C.py_object(capsule), VERSIONED))
    tensor = python.PyCapsule_GetPointer(capsule, VERSIONED if versioned else NAME)
    slot = C.c_void_p()
    with raised():
        lib.check(
            "from_dlpack" if versioned else "from_dlpack_unversioned", C.c_void_p(tensor), None, C.byref(slot)
        )
    python.PyCapsule_SetName(capsule, USED_VERSIONED if versioned else USED)
    return slot



