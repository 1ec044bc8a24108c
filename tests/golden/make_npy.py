#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-3-Clause
"""Makes npy.bin: .npy files as NumPy writes them, which garray_load() must read and garray_save() must write.

    python3 -m pip install 'numpy>=2' ml_dtypes;  python3 tests/golden/make_npy.py

A case is: dtype; blocks of the elements (row-major), the shape (int64) and the file (uint8); what garray_save() must
make of the array: 0 another file, 1 this one, 2 this one if the array's first axis is the fastest.
"""
import io
import pathlib
import sys

import numpy as np

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parents[2] / "tools"))
from golden import DTYPES, Golden, number_of, numpy_dtype  # noqa: E402

rng = np.random.default_rng(21)
golden = Golden(5)


def add(array, saved, stored=None, version=None):
    file = io.BytesIO()
    np.lib.format.write_array(file, array if stored is None else stored, version=version)
    golden.case(number_of(array.dtype), golden.block(array), golden.block(np.array(array.shape, np.int64)),
                golden.block(np.frombuffer(file.getvalue(), np.uint8)), saved)


for name in DTYPES:
    dtype = numpy_dtype(name)

    def make(*shape):
        bits = rng.integers(0, 256, int(np.prod(shape)) * dtype.itemsize).astype(np.uint8)
        return (bits & 1 if name == "bool" else bits).view(dtype).reshape(shape)

    for shape in ((), (1,), (7,), (0,), (3, 4), (2, 0, 3), (2, 3, 4), (1, 5, 1), (100,)):
        x = make(*shape)
        add(x, 1, version=(1, 0))
        add(x, 0, version=(2, 0))
        add(x, 0, version=(3, 0))
        if dtype.itemsize > 1 and name != "bfloat16":
            add(x, 0, x.astype(dtype.newbyteorder(">")))
    for shape in ((3, 4), (4, 3, 2)):
        x = make(*shape)
        add(x, 2, np.asfortranarray(x))
        if dtype.itemsize > 1 and name != "bfloat16":
            add(x, 0, np.asfortranarray(x.astype(dtype.newbyteorder(">"))))

golden.write("npy", "tests/golden/make_npy.py")
