# SPDX-License-Identifier: BSD-3-Clause
"""Builds formulas.c once per dtype of dtypes.def and calls its rows on NumPy arrays."""
import ctypes
import pathlib
import re
import subprocess

import numpy as np

HERE = pathlib.Path(__file__).resolve().parent
SOURCE = HERE.parent.parent / "src"


def table_rows(path, macros):
    """The argument lists of the given macros in a .def file."""
    for line in path.read_text().splitlines():
        match = re.match(r"(GARRAY_\w+)\s*\((.*)\)\s*$", line)
        if match and match.group(1) in macros:
            yield match.group(1), [part.strip() for part in match.group(2).split(",")]


class Formulas:
    """The rows of one dtype: self.row_name(a, b, c) on arrays of the compute type."""

    def __init__(self, name, kind, size, path):
        self.name, self.kind = name, kind
        self.bits = 8 * size // (2 if kind == "COMPLEX" else 1)
        compute = {"BOOL": "uint8", "FLOAT": "float64" if size == 8 else "float32"}.get(kind, name)
        self.compute = np.dtype(compute)
        self.real = self.compute if kind != "COMPLEX" else np.dtype("float%d" % self.bits)
        self.library = ctypes.CDLL(str(path))
        self.rows = {}
        for macro, fields in table_rows(SOURCE / "core/ops.def", OPERATION_MACROS):
            if hasattr(self.library, "row_" + fields[1]):
                self.rows[fields[1]] = (macro, fields[4])

    def call(self, row, *arrays):
        macro, result = self.rows[row]
        kind = {"SAME": self.compute, "REAL": self.real, "BOOL": np.dtype("uint8"),
                "BYTE": self.compute, "INT": self.compute}[result]
        select = [np.dtype("uint8")] if macro == "GARRAY_SELECT" else []
        types = (select + 3 * [self.compute])[:3]
        arrays = list(arrays) + (3 - len(arrays)) * [arrays[0]]
        operands = [np.ascontiguousarray(array, kind) for array, kind in zip(arrays, types)]
        out = np.empty(operands[0].shape, kind)
        function = getattr(self.library, "row_" + row)
        pointers = [ctypes.c_void_p(array.ctypes.data) for array in operands + [out]]
        function(ctypes.c_size_t(out.size), *pointers)
        return out


OPERATION_MACROS = {"GARRAY_UNARY", "GARRAY_BINARY", "GARRAY_TERNARY", "GARRAY_SELECT", "GARRAY_HIDDEN",
                    "GARRAY_HIDDEN1", "GARRAY_HIDDEN3"}


def build(directory, compiler, flags):
    """One shared object per dtype, without contraction; returns the Formulas of each by name."""
    directory = pathlib.Path(directory)
    directory.mkdir(parents=True, exist_ok=True)
    formulas = {}
    for _, fields in table_rows(SOURCE / "core/dtypes.def", {"GARRAY_DTYPE"}):
        name, kind, size = fields[1], fields[2], int(fields[3])
        bits = 8 * size // (2 if kind == "COMPLEX" else 1)
        path = directory / (name + ".so")
        command = [compiler, "-std=c11", "-D_GNU_SOURCE", "-Wall", "-Wextra", "-Wmissing-prototypes", "-Werror",
                   "-ffp-contract=off", "-fno-math-errno", "-fno-trapping-math", *flags, "-fPIC", "-shared",
                   "-DGARRAY_DT=" + name, "-DGARRAY_KIND=K_" + kind, "-DGARRAY_WIDTH=%d" % bits,
                   "-DGARRAY_IS_BFLOAT16=%d" % (name == "bfloat16"), "-I", str(SOURCE),
                   str(HERE / "formulas.c"), "-o", str(path), "-lm"]
        subprocess.run(command, check=True)
        formulas[name] = Formulas(name, kind, size, path)
    return formulas
