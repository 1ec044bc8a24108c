# SPDX-License-Identifier: BSD-3-Clause
"""The container of golden values: what tests/support.c reads.  Blocks of elements, and cases, rows of
integers of one width that refer to them.

    "garray golden 1\\n", int32: bytes of the text, blocks, cases, width; the text with a final zero, padded
    to 16; per block int32 dtype, int32 count, int64 offset in the file; the cases as int32; the data, each
    block at 16.
"""
import pathlib
import platform
import struct

import ml_dtypes
import numpy as np

DTYPES = ["bool", "int8", "int16", "int32", "int64", "uint8", "uint16", "uint32", "uint64", "float16",
          "bfloat16", "float32", "float64", "complex64", "complex128"]
DIRECTORY = pathlib.Path(__file__).resolve().parent.parent / "tests" / "golden"


def numpy_dtype(name):
    return np.dtype(ml_dtypes.bfloat16 if name == "bfloat16" else name)


def number_of(dtype):
    """The dtype's number in garray_dtype."""
    return 1 + DTYPES.index(np.dtype(dtype).name)


class Golden:
    def __init__(self, width):
        self.width, self.blocks, self.cases, self.known = width, [], [], {}

    def block(self, array):
        """The number of the block that holds an array's elements in row-major order; equal blocks are kept
        once."""
        array = np.ascontiguousarray(array)
        key = (array.dtype.name, array.tobytes())
        if key not in self.known:
            self.known[key] = len(self.blocks)
            self.blocks.append((number_of(array.dtype), array.size, array.tobytes()))
        return self.known[key]

    def case(self, *numbers):
        assert len(numbers) == self.width, numbers
        self.cases.append(numbers)

    def write(self, name, tool, **versions):
        versions = {"numpy": np.__version__, "ml_dtypes": ml_dtypes.__version__, **versions,
                    "python": platform.python_version()}
        text = "%s with %s" % (tool, ", ".join("%s %s" % item for item in versions.items()))
        text = text.encode() + b"\0"
        text += bytes(-len(text) % 16)
        start = 32 + len(text) + 16 * len(self.blocks) + 4 * self.width * len(self.cases)
        table, data = b"", bytes(-start % 16)
        for dtype, count, content in self.blocks:
            table += struct.pack("<iiq", dtype, count, start + len(data))
            data += content + bytes(-len(content) % 16)
        counts = struct.pack("<4i", len(text), len(self.blocks), len(self.cases), self.width)
        out = b"garray golden 1\n" + counts
        out += text + table + np.array(self.cases, "<i4").tobytes() + data
        DIRECTORY.mkdir(exist_ok=True)
        (DIRECTORY / (name + ".bin")).write_bytes(out)
        print("%s.bin: %d cases, %d blocks, %d bytes" % (name, len(self.cases), len(self.blocks), len(out)))
