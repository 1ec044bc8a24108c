#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-3-Clause
"""Arrays handed over between a C library that uses libgarray (exchange.c) and NumPy, PyTorch and CuPy, without a copy.

    exchange.py LIBRARY [cpu|cuda]     LIBRARY: libexchange.so, as the build makes it

Each package that is installed and has the device takes an array of ours, and gives one of its own to us. Exit codes: 0,
1 for a wrong result, 77 where no package could be tried."""
import ctypes
import importlib
import sys

CPU, CUDA = 1, 2  # DLPack's numbers of devices

new_capsule = ctypes.pythonapi.PyCapsule_New
new_capsule.restype, new_capsule.argtypes = ctypes.py_object, [ctypes.c_void_p, ctypes.c_char_p, ctypes.c_void_p]
is_capsule = ctypes.pythonapi.PyCapsule_IsValid
is_capsule.argtypes = [ctypes.py_object, ctypes.c_char_p]
capsule_pointer = ctypes.pythonapi.PyCapsule_GetPointer
capsule_pointer.restype, capsule_pointer.argtypes = ctypes.c_void_p, [ctypes.py_object, ctypes.c_char_p]
rename_capsule = ctypes.pythonapi.PyCapsule_SetName
rename_capsule.argtypes = [ctypes.py_object, ctypes.c_char_p]
NAMES = [b"dltensor", b"dltensor_versioned"]
USED = [b"used_dltensor", b"used_dltensor_versioned"]  # kept: a capsule points to its name


class Library:
    def __init__(self, path):
        self.c = ctypes.CDLL(path)
        self.c.garray_error_message.restype = ctypes.c_char_p

    def call(self, name, *args):
        """Calls a function whose last argument is the pointer that it gives."""
        result = ctypes.c_void_p()
        if getattr(self.c, name)(*args, ctypes.byref(result)):
            raise RuntimeError(self.c.garray_error_message().decode())
        return result.value


class Array:
    """An array of ours with the two methods that other packages' from_dlpack() asks for."""

    def __init__(self, library, handle, device):
        self.library, self.handle, self.device = library, ctypes.c_void_p(handle), device

    def __dlpack_device__(self):
        return (CUDA if self.device == "cuda" else CPU, 0)

    def __dlpack__(self, *, stream=None, max_version=None, **_):
        versioned = int(max_version is not None and max_version[0] >= 1)
        named = self.device == "cuda" and stream != -1  # -1: the consumer wants no waiting
        tensor = self.library.call("exchange_give", self.handle, versioned, int(named),
                                   ctypes.c_void_p(stream if named and stream else None))
        return new_capsule(tensor, NAMES[versioned], None)

    def __del__(self):
        self.library.c.garray_release(self.handle)


def standardize(library, array, device):
    """Hands an array of another package to C: the result is an array of ours."""
    stream = {"stream": library.call("exchange_stream", device.encode())} if device == "cuda" else {}
    try:
        capsule = array.__dlpack__(max_version=(1, 1), **stream)
    except TypeError:  # a package from before version 1
        capsule = array.__dlpack__(**stream)
    versioned = is_capsule(capsule, NAMES[1])
    tensor = ctypes.c_void_p(capsule_pointer(capsule, NAMES[versioned]))
    result = library.call("exchange_standardize", tensor, versioned)
    rename_capsule(capsule, USED[versioned])  # the tensor belongs to C now
    return Array(library, result, device)


def check(library, package, device):
    ramp = library.call("exchange_ramp", device.encode(), ctypes.c_int64(100), ctypes.c_int64(3))
    ours = package.from_dlpack(Array(library, ramp, device))
    if tuple(ours.shape) != (100, 3) or float(ours[99, 2]) != 299:
        return "a wrong array came over"
    theirs = ours * 2 + 1
    result = package.from_dlpack(standardize(library, theirs, device))
    expected = (theirs - theirs.mean(0)) / ((theirs - theirs.mean(0)) ** 2).mean(0) ** 0.5
    error = float(abs(result - expected).max())
    return None if error < 1e-5 else f"a wrong result: off by {error}"


def main(args):
    if not args or args[0] in ("-h", "--help"):
        print(__doc__)
        return 0 if args else 2
    library, device = Library(args[0]), args[1] if len(args) > 1 else "cpu"
    tried = failed = 0
    for name in ("torch", "cupy") if device == "cuda" else ("numpy", "torch"):
        try:
            package = importlib.import_module(name)
        except ImportError:
            print(f"{name}: not installed")
            continue
        if device == "cuda" and name == "torch" and not package.cuda.is_available():
            print("torch: without CUDA")
            continue
        if not hasattr(package, "from_dlpack"):
            print(f"{name} {package.__version__}: without from_dlpack")
            continue
        fault = check(library, package, device)
        tried, failed = tried + 1, failed + bool(fault)
        print(f"{name} {package.__version__} on {device}: {fault or 'right'}")
    return 1 if failed else 0 if tried else 77


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
