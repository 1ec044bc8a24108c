# SPDX-License-Identifier: BSD-3-Clause
"""__array_namespace_info__: what the library offers."""

import ctypes as C

from . import _dtypes
from ._binding import device_name, lib, raised

KINDS = {
    "bool": ["bool"],
    "signed integer": ["int8", "int16", "int32", "int64"],
    "unsigned integer": ["uint8", "uint16", "uint32", "uint64"],
    "real floating": ["float32", "float64"],
    "complex floating": ["complex64", "complex128"],
}
KINDS["integral"] = KINDS["signed integer"] + KINDS["unsigned integer"]
KINDS["numeric"] = KINDS["integral"] + KINDS["real floating"] + KINDS["complex floating"]


class __array_namespace_info__:
    def capabilities(self):
        return {"boolean indexing": True, "data-dependent shapes": True, "max dimensions": 64}

    def default_device(self):
        return device_name(lib.device)

    def default_dtypes(self, *, device=None):
        return {
            "real floating": _dtypes.BY_NAME["float64"],
            "complex floating": _dtypes.BY_NAME["complex128"],
            "integral": _dtypes.BY_NAME["int64"],
            "indexing": _dtypes.BY_NAME["int64"],
        }

    def dtypes(self, *, device=None, kind=None):
        if kind is None:
            names = _dtypes.STANDARD
        else:
            names = [name for k in ((kind,) if isinstance(kind, str) else kind) for name in KINDS[k]]
        return {name: _dtypes.BY_NAME[name] for name in names}

    def devices(self):
        found = ("cpu",)
        count = C.c_int()
        with raised():
            lib.check("device_count", 1, C.byref(count))
        return found + tuple(f"cuda:{i}" for i in range(count.value))
