#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-3-Clause
"""Makes tests/golden/files.bin: archives and texts that NumPy writes, and what it reads from texts.

    python3 -m pip install 'numpy>=2' ml_dtypes;  python3 tests/golden/make_files.py

A case: what is done, dtype, elements (reading: none), shape, order (1: Fortran), the texts of two options (format and
separator or delimiter; empty: not given), and the file's bytes."""
import io
import pathlib
import sys
import tempfile

import numpy as np

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parent.parent.parent / "tools"))
from golden import DTYPES, Golden, number_of  # noqa: E402

SAVEZ, SAVEZ_COMPRESSED, SAVETXT, TOFILE, LOADTXT, GENFROMTXT, FROMSTRING = range(7)
rng = np.random.default_rng(5)
golden = Golden(8)


def text(words):
    return golden.block(np.frombuffer(words if isinstance(words, bytes) else words.encode(), np.uint8))


def case(kind, x, first, second, data):
    fortran = int(np.isfortran(x))
    golden.case(kind, number_of(x.dtype), golden.block(x), golden.block(np.array(x.shape, np.int64)), fortran, text(first),
                text(second), text(data))


def values(name, shape):
    if name == "bool":
        return rng.integers(0, 2, shape).astype(bool)
    if name[:3] in ("int", "uin"):
        info = np.iinfo(name)
        return rng.integers(info.min, info.max, shape, name, endpoint=True)
    x = rng.normal(size=shape) * 10.0 ** rng.integers(-4, 5, shape)
    return (x + 1j * rng.normal(size=shape) if name[0] == "c" else x).astype(name)


NAMES = [name for name in DTYPES if name != "bfloat16"]
for name in NAMES:
    for shape in [(), (0, 3), (7,), (3, 4)]:
        x = values(name, shape)
        x = np.asfortranarray(x) if shape == (3, 4) and number_of(x.dtype) % 2 else x
        for kind, write in (SAVEZ, np.savez), (SAVEZ_COMPRESSED, np.savez_compressed):
            file = io.BytesIO()
            write(file, **{"the array": x})
            case(kind, x, "", "", file.getvalue())
    x = values(name, (3, 2))
    for fmt, delimiter in ("", ""), ("%g", ","), ("%12.3e", ""), ("%d", "\t"), ("%s", ";"), ("%-9.2f|", ""):
        if fmt == "%d" and name[0] == "c":
            continue
        file = io.BytesIO()
        np.savetxt(file, x, **{k: v for k, v in (("fmt", fmt), ("delimiter", delimiter)) if v})
        case(SAVETXT, x, fmt, delimiter, file.getvalue())
    path = pathlib.Path(tempfile.gettempdir()) / "garray-golden-tofile"
    for fmt, sep in ("%s", ","), ("%s", " "), ("%g", "; "):
        if name[0] == "c" and fmt != "%s":
            continue
        x.tofile(path, sep, fmt)
        case(TOFILE, x, fmt, sep, path.read_bytes())
    path.unlink()
    file = io.StringIO()
    np.savetxt(file, x, **({"fmt": "%d"} if name[0] in "biu" else {}))
    case(LOADTXT, np.loadtxt(io.StringIO(file.getvalue()), dtype=name, ndmin=2), "", "", file.getvalue())
    case(GENFROMTXT, np.genfromtxt(io.StringIO(file.getvalue()), dtype=name), "", "", file.getvalue())
for words, delimiter in [("1,2\n3,4\n", ","), ("# c\n\n 1.5 -2e-3 # x\n4 5", ""), ("1\n", ""), ("1 2 3", ""), ("1\n2\n3\n", ""),
                         ("nan -inf\r\n+Infinity .5\r\n", ""), ("1;2\r3;4\r", ";"), ("", ""),
                         ("0.1 1e23 8.41 9007199254740993 2.2250738585072011e-308 4.9e-324 1.7976931348623159e308", "")]:
    x = np.loadtxt(io.StringIO(words, newline=None), **({"delimiter": delimiter} if delimiter else {}))
    case(LOADTXT, x, "", delimiter, words)
for words, delimiter in [("1,,3\n4,x,6\n", ","), ("1 2\n3 N/A", ""), ("a\n", ""), ("1, 2 ,\n3,4,5\n", ",")]:
    for name in "float64", "int32", "int64", "complex64":
        x = np.genfromtxt(io.StringIO(words), dtype=name, **({"delimiter": delimiter} if delimiter else {}))
        case(GENFROMTXT, x, "", delimiter, words)
for words, sep in [("1 2\t3\n4", " "), ("1, 2 ,3", ","), ("1;2;", ";"), ("7", "x"), ("1x2", "x"), ("", ",")]:
    for name in "float32", "int16", "uint64":
        case(FROMSTRING, np.fromstring(words, name, sep=sep), "", sep, words)
golden.write("files", "tests/golden/make_files.py")
