#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-3-Clause
"""Random files against NumPy, both ways: .npy, .npz, mapped files, text and bare bytes.  What NumPy writes is read, what is
written has NumPy's bytes (compressed archives: NumPy's content), and what NumPy refuses is refused.

    files.py LIBRARY [--device cpu|cuda] [--seed N] [--count N]"""

import argparse
import ctypes as C
import io
import os
import random
import sys
import tempfile
import warnings

import numpy as np

from library import DTYPES, Failure, Library, abi

warnings.simplefilter("ignore")
NAMES = [name for name in DTYPES if name != "bfloat16"]
READ = C.CFUNCTYPE(C.c_ssize_t, C.c_void_p, C.c_void_p, C.c_size_t)


class Case:
    def __init__(self, seed, library, folder):
        self.r, self.library, self.path = random.Random(seed), library, os.path.join(folder, "x")
        self.slots = []

    # ---- values ----

    def array(self, name=None, most=3):
        """Random bits of a dtype (floats: of any size), a random shape, in C or Fortran order or with gaps."""
        r = self.r
        name = name or r.choice(NAMES)
        shape = [r.choice([0, 1, 1, 2, 3, 5, 7]) for _ in range(r.randint(0, most))]
        dtype, n = np.dtype(name), int(np.prod(shape))
        bits = np.frombuffer(r.randbytes(max(n, 1) * dtype.itemsize), np.uint8)
        x = (bits & 1).astype(bool) if name == "bool" else bits.view(dtype)
        if dtype.kind in "fc" and r.random() < 0.7:  # everyday numbers, too
            usual = [0.0, -0.0, 1.5, -2, 1e16, 0.1]
            x = np.array([r.choice([*usual, r.gauss(0, 1), 10.0 ** r.randint(-12, 20)]) for _ in range(max(n, 1))])
            x = (x + 1j * x[::-1] if dtype.kind == "c" else x).astype(dtype)
        x = x[:n].reshape(shape)
        way = r.random()
        if way < 0.3:
            x = np.asfortranarray(x)
        elif way < 0.4 and x.ndim:
            x = x[::-1]
        return x

    def send(self, x):
        """On the device, with its order and steps."""
        slot = C.c_void_p()
        self.slots.append(slot)
        order = sorted(range(x.ndim), key=lambda i: -abs(x.strides[i]))
        flips = [i for i in range(x.ndim) if x.strides[i] < 0]
        base = x
        for i in flips:
            base = np.flip(base, i)
        base = np.ascontiguousarray(base.transpose(order)).reshape([x.shape[i] for i in order])
        self.library.from_host(base, slot)
        if x.ndim > 1:
            self.call("permute_dims", slot, self.axes([order.index(i) for i in range(x.ndim)]), C.byref(slot))
        for i in flips:
            self.call("flip", slot, self.axes([i]), C.byref(slot))
        return slot

    @staticmethod
    def axes(v):
        return abi.axes(len(v), (C.c_int32 * max(len(v), 1))(*v)) if v is not None else abi.axes(0, None)

    def call(self, name, *args):
        self.library.check(name, *args)

    def get(self, name, *args):
        """The array that a call makes, on the library's device."""
        slot = C.c_void_p()
        self.slots.append(slot)
        self.call(name, *args, C.byref(slot))
        return self.library.to_numpy(slot)

    def file(self):
        with open(self.path, "rb") as file:
            return file.read()

    def options(self, family, **kw):
        o = getattr(abi, family + "_opts")()
        for name, value in kw.items():
            kind = dict(o._fields_)[name]
            if kind is abi.operand:
                value = self.library.operand(value, None)
            elif kind is abi.axes:
                value = self.axes(value)
            elif kind is abi.text:
                value = None if value is None else value.encode()
            setattr(o, name, value)
        return C.byref(o)

    # ---- comparing ----

    def same(self, got, want):
        want = np.asarray(want)
        if got.dtype != want.dtype or got.shape != want.shape:
            return f"got {got.dtype} {got.shape}, not {want.dtype} {want.shape}\n{got!r}\n{want!r}"
        a, b = (np.ascontiguousarray(x).reshape(-1).view(np.uint8) for x in (got, want))
        if not np.array_equal(a, b):
            if got.dtype.kind in "fc" and self.nan_apart(got, want):
                return None
            return f"got\n{got!r}\nnot\n{want!r}"
        return None

    @staticmethod
    def nan_apart(got, want):
        """Equal but for the signs and payloads of NaN."""
        real = np.dtype("f%d" % (got.dtype.itemsize // (2 if got.dtype.kind == "c" else 1)))
        a, b = (np.ascontiguousarray(x).reshape(-1).view(real) for x in (got, want))
        return np.array_equal(a, b, equal_nan=True) and np.array_equal(np.signbit(a[a == 0]), np.signbit(b[b == 0]))

    def attempt(self, ours, numpys, said):
        """Both results compared, or both refused."""
        try:
            want = numpys()
        except (ValueError, TypeError, OverflowError, AttributeError, IndexError) as error:
            want = error
        try:
            got = ours()
        except Failure as failure:
            return None if isinstance(want, Exception) else f"{said}: {failure}"
        if isinstance(want, Exception):
            return f"{said}: NumPy refuses it ({want}), got {got!r}"
        if isinstance(want, (bytes, str)):
            return None if got == want else f"{said}:\ngot {got!r}\nnot {want!r}"
        wrong = self.same(got, want)
        return wrong and f"{said}: {wrong}"

    # ---- the cases ----

    def npy_written(self):
        x = self.array()
        self.call("save", self.path.encode(), self.send(x))
        file = io.BytesIO()
        np.save(file, x)
        return None if self.file() == file.getvalue() else f"save of {x.dtype} {x.shape} {x.strides}: other bytes"

    def npy_read(self):
        x, version = self.array(), self.r.choice([(1, 0), (2, 0), (3, 0)])
        y = x.astype(x.dtype.newbyteorder()) if self.r.random() < 0.4 else x
        with open(self.path, "wb") as file:
            np.lib.format.write_array(file, y, version)
        return self.same(self.get("load", self.path.encode(), self.library.device), x)

    def npy_stream(self):
        """write_array and read_array by callbacks that take little pieces; what is behind stays unread."""
        x, version, out, r = self.array(), self.r.choice([0, 1, 2, 3]), bytearray(), self.r

        def write(ctx, data, n):
            n = min(n, r.choice([1, 7, 1000, 10**9]))
            out.extend(C.string_at(data, n))
            return n

        self.call("format_write_array", READ(write), None, self.send(x), self.options("npy", version=version))
        file = io.BytesIO()
        np.lib.format.write_array(file, x, (version or 1, 0))
        if bytes(out) != file.getvalue():
            return f"write_array version {version} of {x.dtype} {x.shape}: other bytes"
        rest = io.BytesIO(bytes(out) + b"behind")

        def read(ctx, data, n):
            part = rest.read(min(n, r.choice([1, 7, 1000, 10**9])))
            C.memmove(data, part, len(part))
            return len(part)

        if r.random() < 0.3:
            info = abi.npy_info()
            self.call("format_read_array_header", READ(read), None, C.byref(info))
            want = (x.ndim, x.shape, int(np.isfortran(x)), rest.tell())
            got = (info.ndim, tuple(info.shape[: info.ndim]), info.fortran_order, info.offset)
            return None if got == want else f"header: {got}, not {want}"
        wrong = self.same(self.get("format_read_array", READ(read), None, self.library.device), x)
        return wrong or (None if rest.read() == b"behind" else "bytes behind the array were read")

    def has_zlib(self):
        self.library.c.garray_build_info.restype = C.c_char_p
        return b"zlib=yes" in self.library.c.garray_build_info()

    def arrays(self):
        names = self.r.sample(["a", "b", "x/y", "..", "ä", "arr_7", "", "a.npy", "long" * 30], self.r.randint(0, 4))
        return {name: self.array() for name in names}

    def npz_written(self):
        x, r = self.arrays(), self.r
        named = r.random() < 0.7
        way = r.choice(["savez", "savez_compressed"] if self.has_zlib() else ["savez"])
        slots = [self.send(y) for y in x.values()]
        list_ = abi.array_list(len(slots), (C.c_void_p * max(len(slots), 1))(*[slot.value for slot in slots]))
        names = (C.c_char_p * max(len(x), 1))(*[name.encode() for name in x]) if named else None
        self.call(way, self.path.encode(), list_, names)
        file = io.BytesIO()
        getattr(np, way)(file, **x) if named else getattr(np, way)(file, *x.values())
        if way == "savez" and self.file() != file.getvalue():
            return f"savez of {list(x)}: other bytes"
        with np.load(self.path) as there:
            if not named:
                x = {"arr_%d" % i: y for i, y in enumerate(x.values())}
            if sorted(there.files) != sorted(x):
                return f"{way}: keys {there.files}, not {list(x)}"
            for key, y in x.items():
                wrong = self.same(np.load(io.BytesIO(there.zip.read(key + ".npy"))), y)
                if wrong or np.isfortran(np.load(io.BytesIO(there.zip.read(key + ".npy")))) != np.isfortran(y):
                    return f"{way} {key!r}: {wrong}"
        return None

    def npz_read(self):
        x = self.arrays()
        with open(self.path, "wb") as file:
            self.r.choice([np.savez, np.savez_compressed] if self.has_zlib() else [np.savez])(file, **x)
        npz, out = C.c_void_p(), None
        self.call("npz_open", self.path.encode(), None, C.byref(npz))
        try:
            self.library.c.garray_npz_count.restype = C.c_int64
            if self.library.c.garray_npz_count(npz) != len(x):
                return "npz: another count"
            for i, (key, y) in enumerate(x.items()):
                buffer, length = C.create_string_buffer(300), C.c_size_t()
                self.call("npz_name", npz, C.c_int64(i), buffer, C.c_size_t(300), C.byref(length))
                if buffer.value != key.encode() or length.value != len(key.encode()):
                    return f"npz: key {buffer.value!r}, not {key!r}"
                out = out or self.same(self.get("npz_get", npz, (key + ".npy").encode(), self.library.device), y)
        finally:
            self.library.c.garray_npz_close(npz)
        return out

    def mapped(self):
        x, r = self.array(), self.r
        with open(self.path, "wb") as file:
            np.save(file, x)
        mode = r.randint(0, 3)
        slot = C.c_void_p()
        self.slots.append(slot)
        if mode == 3:
            lengths = (C.c_int64 * max(x.ndim, 1))(*x.shape)
            o = self.options("memmap", mode=3, dtype=DTYPES[x.dtype.name], shape=abi.shape(x.ndim, lengths),
                             fortran_order=int(np.isfortran(x)))
            self.call("format_open_memmap", self.path.encode(), o, C.byref(slot))
            there = np.load(self.path)
            if there.dtype != x.dtype or there.shape != x.shape or there.any() or np.isfortran(there) != np.isfortran(x):
                return f"created {there.dtype} {there.shape}"
        else:
            self.call("format_open_memmap", self.path.encode(), self.options("memmap", mode=mode), C.byref(slot))
            wrong = self.same(self.library.to_numpy(slot), x)
            if wrong:
                return wrong
        if self.library.writeable(slot) != (mode != 1):
            return "writeable"
        if mode == 1 or not x.size:
            return None
        into, at = C.c_void_p(self.library.c.garray_into(slot)), abi.device()
        values = C.c_void_p()
        self.slots.append(values)
        self.library.from_host(np.zeros_like(x, order="C"), values, device=at)
        self.call("asarray", abi.operand(abi.OPERAND + 1, 0, values.value, (C.c_uint64 * 2)()), None, into)
        self.call("memmap_flush", slot)
        return self.same(np.load(self.path), x if mode == 2 else np.zeros_like(x))

    FORMATS = ["%.18e", "%g", "%.3f", "%10.4e", "%-12g", "%+g", "% .2f", "%08.3f", "%#g", "%d", "%5d", "%s", "%i", "%x", "%o",
               "%#X", "%-7d", "%05d", "%.4d", "%+d", "%s|", "%G", "%E", "%F", "%10s", "%.3s", "%lf", "%u",
               "%c", "%r", "%q", "%", "%*d",
               "x", "%.0f", "%.30f", "%e %e", "a%gb"]

    def savetxt(self):
        r = self.r
        x = self.array(most=2)
        kw = {}
        if r.random() < 0.8:
            kw["fmt"] = r.choice(self.FORMATS)
        if r.random() < 0.2 and x.ndim == 2:
            kw["fmt"] = r.choice([" ", ",", ""]).join(r.choice(self.FORMATS[:12]) for _ in range(x.shape[1]))
        for name, values in ("delimiter", [",", "\t", "; "]), ("newline", ["\r\n", "|"]), ("header", ["a", "b\nc"]), \
                ("footer", ["end", "x\n"]), ("comments", ["", "% "]):
            if r.random() < 0.15:
                kw[name] = r.choice(values)
        if kw.get("fmt") in ("%c", "%r") or (x.size == 0 and kw.get("fmt") in ("%q", "%*d", "%")):
            return None  # left out; and NumPy looks at no format where there is no number

        def ours():
            self.call("savetxt", self.path.encode(), self.send(x), self.options("savetxt", **kw))
            return self.file()

        def numpys():
            file = io.BytesIO()
            np.savetxt(file, x, **kw)
            return file.getvalue()

        return self.attempt(ours, numpys, f"savetxt {x.dtype} {x.shape} {kw} {x!r}")

    # ---- text that is read ----

    def number(self, name, odd):
        r = self.r
        kind = np.dtype(name).kind
        if r.random() < odd:
            return r.choice(["", "x", "1.5", "0x10", "1e", ".", "-", "nan", "inf", "-Infinity", "1_0", "True", "300", "-1",
                             "1e400", "99999999999999999999", "1 ", " 2", "+3", "1+2j", "(1-2j)", "j", "1+j", "2J",
                             "1e-400", "(3)"])
        if kind == "b":
            return r.choice("01")
        if kind in "iu":
            bits = np.dtype(name).itemsize * 8
            return str(r.choice([0, 1, 7, 2**(bits - 1) - 1, r.randrange(2**(bits - 1)), -1 if kind == "i" else 2]))
        value = r.choice([r.gauss(0, 1), r.uniform(0, 1000), 10.0 ** r.randint(-320, 308), float(r.randint(-100, 100))])
        text = r.choice([repr(value), "%.3g" % value, "%.18e" % value, "%.40f" % value, "%.25g" % value, "%d" % value])
        if kind == "c":
            text = r.choice([text, text + "j", "%s+%sj" % (text, "2.5"), "(%s-%sj)" % (text, "1e3")])
        return text

    def table(self, name, sep, odd):
        r = self.r
        columns = r.randint(1, 4)
        lines = []
        for _ in range(r.choice([0, 1, 1, 2, 3, 5])):
            n = columns + (r.choice([-1, 1]) if r.random() < odd / 4 else 0)
            blank = " " if r.random() < 0.2 else ""
            line = (sep or r.choice([" ", "  ", "\t"])).join(blank + self.number(name, odd / 8) for _ in range(n))
            if r.random() < 0.1:
                line += r.choice([" # comment", "#", "%x"])
            if r.random() < 0.1:
                lines.append(r.choice(["", "# only", "  ", "#"]))
            lines.append(line)
        end = r.choice(["\n", "\n", "\r\n", "\r"])
        return end.join(lines) + (end if r.random() < 0.8 else "")

    def read_text(self, function):
        r = self.r
        name = r.choice(NAMES)
        kw = {}
        if r.random() < 0.5:
            kw["delimiter"] = r.choice([",", ";", "\t", " "])
        text = self.table(name, kw.get("delimiter"), r.choice([0, 0, 1, 1]))
        if r.random() < 0.2:
            kw["usecols"] = [r.randint(-2, 2) for _ in range(r.randint(1, 3))]
        for key, values in ("unpack", [1]), ("ndmin", [1, 2]), ("comments", ["%", "//"]):
            if r.random() < 0.15:
                kw[key] = r.choice(values)
        with open(self.path, "w", newline="") as file:
            file.write(text)
        theirs = dict(kw, unpack=bool(kw.get("unpack")))
        if function == "loadtxt":
            if r.random() < 0.2:
                kw["skiprows"] = theirs["skiprows"] = r.randint(0, 3)
            if r.random() < 0.2:
                kw["max_rows"] = theirs["max_rows"] = r.randint(0, 3)
        else:
            if r.random() < 0.2:
                kw["skip_header"] = theirs["skip_header"] = r.randint(0, 2)
            if r.random() < 0.2:
                kw["skip_footer"] = theirs["skip_footer"] = r.randint(0, 2)
            elif r.random() < 0.2:
                kw["max_rows"] = theirs["max_rows"] = r.randint(1, 3)
            if r.random() < 0.2:
                kw["filling_value"] = theirs["filling_values"] = 7
            if r.random() < 0.2:
                kw["drop_invalid"], theirs["invalid_raise"] = 1, False

        def ours():
            return self.get(function, self.path.encode(), DTYPES[name], self.options(function, **kw), self.library.device)

        def numpys():
            return getattr(np, function)(self.path, dtype=name, **theirs)

        return self.attempt(ours, numpys, f"{function} {name} {kw} {text!r}")

    def loadtxt(self):
        return self.read_text("loadtxt")

    def genfromtxt(self):
        return self.read_text("genfromtxt")

    def fromstring(self):
        r = self.r
        name = r.choice([name for name in NAMES if not name.startswith("complex")])
        sep = r.choice([" ", ",", ", ", " ; ", "x", "--"])
        text = sep.join(self.number(name, 0).strip() for _ in range(r.randint(0, 5)))
        if "e400" in text or not text.strip() or (sep == "--" and "-" in text.replace("--", "")):
            return None
        text += r.choice(["", "", " ", sep])
        count = r.choice([-1, -1, -1, 1])

        def ours():
            o = self.options("fromfile", sep=sep, count=count)
            if r.random() < 0.5:
                with open(self.path, "w") as file:
                    file.write(text)
                return self.get("fromfile", self.path.encode(), DTYPES[name], o, self.library.device)
            return self.get("fromstring", text.encode(), DTYPES[name], o, self.library.device)

        said = f"fromstring {name} {sep!r} {count} {text!r}"
        return self.attempt(ours, lambda: np.fromstring(text, name, count, sep=sep), said)

    def raw(self):
        r, x = self.r, self.array()
        if r.random() < 0.5:
            self.call("tofile", self.path.encode(), self.send(x), None)
            if self.file() != x.tobytes():
                return "tofile: other bytes"
            name, offset, count = r.choice(NAMES), r.choice([0, 0, 1, 8]), r.choice([-1, -1, 0, 3])
            if name == "bool" or offset > x.nbytes:
                return None
            return self.attempt(
                lambda: self.get("fromfile", self.path.encode(), DTYPES[name],
                                 self.options("fromfile", count=count, offset=offset), self.library.device),
                lambda: np.fromfile(self.path, name, count, offset=offset), f"fromfile {name} {count} {offset}")
        if r.random() < 0.5:
            order, buffer = r.choice("CFA"), C.create_string_buffer(x.nbytes + 1)
            self.call("tobytes", self.send(x), ord(order), buffer, C.c_size_t(x.nbytes))
            return None if buffer.raw[:-1] == x.tobytes(order) else f"tobytes {order}: other bytes"
        kw = {"sep": r.choice([" ", ",", "; "])}
        if r.random() < 0.4 and x.dtype.kind != "c":
            kw["format"] = r.choice(["%s", "%g", "%.3f", "%d", "%10.2e|"])

        def ours():
            self.call("tofile", self.path.encode(), self.send(x), self.options("tofile", **kw))
            return self.file()

        def numpys():
            x.tofile(self.path + "y", **kw)
            with open(self.path + "y", "rb") as file:
                return file.read()

        return self.attempt(ours, numpys, f"tofile {x.dtype} {kw} {x!r}")

    def single(self):
        r = self.r
        name = r.choice(["float16", "float32", "float64"])
        bits = np.frombuffer(r.randbytes(8), name)[:1]
        x = r.choice([bits, np.array([r.gauss(0, 1) * 10.0 ** r.randint(-8, 8)], name), np.array([r.randint(-100, 100)], name)])
        way, kw = r.choice(["positional", "scientific"]), {}
        for key, values in ("precision", range(0, 30)), ("min_digits", range(0, 8)), ("pad_left", range(0, 20)):
            if r.random() < 0.4:
                kw[key] = r.choice(values)
        if way == "positional":
            if r.random() < 0.3:
                kw["pad_right"] = r.randint(0, 9)
            if r.random() < 0.3:
                kw["significant"] = 1
        elif r.random() < 0.3:
            kw["exp_digits"] = r.randint(1, 5)
        for key, values in ("exact", [1]), ("sign", [1]), ("trim", "k.0-"):
            if r.random() < 0.3:
                kw[key] = r.choice(values)
        theirs = dict(kw)
        theirs.update(unique=not theirs.pop("exact", 0), trim=kw.get("trim", "k"), sign=bool(kw.get("sign")))
        if "significant" in theirs:
            theirs["fractional"] = not theirs.pop("significant")
        if way == "scientific" and kw.get("trim") == "-" and "min_digits" in kw:
            return None  # there NumPy leaves the point
        if "trim" in kw:
            kw["trim"] = ord(kw["trim"])

        def ours():
            buffer = C.create_string_buffer(5000)
            o = abi.operand(abi.OPERAND + 1, 0, self.send(x).value, (C.c_uint64 * 2)())
            self.call("format_float_" + way, o, self.options("format_float", **kw), buffer, C.c_size_t(5000), None)
            return buffer.value.decode()

        return self.attempt(ours, lambda: getattr(np, "format_float_" + way)(x[0], **theirs), f"{way} {x[0]!r} {kw}")

    def refused(self):
        """Elements of no dtype here."""
        x = self.r.choice([np.zeros(3, "S4"), np.zeros(3, "U2"), np.zeros(2, "M8[s]"), np.zeros(2, [("a", "i4"), ("b", "f8")]),
                           np.array([None, 1]), np.zeros(2, "V3"), np.zeros(2, np.longdouble), np.zeros(2, "m8[D]")])
        np.save(self.path + ".npy", x)
        try:
            self.get("load", (self.path + ".npy").encode(), self.library.device)
        except Failure as failure:
            return None if failure.status == "GARRAY_ERR_DTYPE" else f"{x.dtype}: {failure.status}"
        return f"{x.dtype} was loaded"


CASES = ("npy_written npy_read npy_stream npz_written npz_read mapped savetxt savetxt savetxt loadtxt loadtxt loadtxt genfromtxt "
         "genfromtxt genfromtxt fromstring raw raw single single single refused").split()


def one(seed, library, folder):
    """None, or what went wrong."""
    case = Case(seed, library, folder)
    name = case.r.choice(CASES)
    try:
        wrong = getattr(case, name)()
    except Failure as failure:
        wrong = failure
    finally:
        for slot in case.slots:
            library.release(slot)
        for file in os.listdir(folder):
            os.unlink(os.path.join(folder, file))
    return wrong and f"{seed}, {name}: {wrong}"


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("library")
    parser.add_argument("--device", default="cpu")
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--count", type=int, default=3000)
    options = parser.parse_args()
    library = Library(options.library, options.device)
    with tempfile.TemporaryDirectory() as folder:
        wrong = [text for i in range(options.count) if (text := one(f"{options.seed} {i}", library, folder))]
    print("\n".join(wrong[:10]))
    print(f"{options.count - len(wrong)} passed, {len(wrong)} failed")
    return 1 if wrong else 0


if __name__ == "__main__":
    sys.exit(main())
