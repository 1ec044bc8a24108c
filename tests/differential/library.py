# SPDX-License-Identifier: BSD-3-Clause
"""The C interface by ctypes, marshalling only: Python values in, NumPy copies out.  Every rule lives in C.

Variables are slots (c_void_p): a call assigns to a slot as a C program assigns to its `garray_t *`.  An array argument
is any object whose method `slot(slots)` finds its slot, with `flags` as in garray_operand: Ref here, Array in
tests/conformance."""

import ctypes as C
import os
import re
import sys

import numpy as np

HERE = os.path.dirname(os.path.abspath(__file__))
sys.path.insert(0, os.path.join(HERE, "..", "interface"))
import call_forms as abi  # noqa: E402  the structs; their layouts are checked there against C compilers

try:
    import ml_dtypes

    BFLOAT16 = np.dtype(ml_dtypes.bfloat16)
except ImportError:
    BFLOAT16 = None

DTYPES = {}  # name: number


def read_table(name, row):
    with open(os.path.join(HERE, "..", "..", "src", "core", name)) as file:
        return re.findall(row, file.read(), re.M)


for number, dtype_name in read_table("dtypes.def", r"^GARRAY_DTYPE\((\d+), *(\w+),"):
    DTYPES[dtype_name] = int(number)
DTYPE_NAMES = {number: name for name, number in DTYPES.items()}

# Number and number of operands of every elementwise operation.
ARITY = {"UNARY": 1, "BINARY": 2, "TERNARY": 3, "SELECT": 3}
OPS = {
    name: (int(number), ARITY[kind])
    for kind, number, name in read_table("ops.def", r"^GARRAY_(\w+) *\((\d+), *(\w+),")
    if kind in ARITY
}


def numpy_dtype(name):
    return BFLOAT16 if name == "bfloat16" else np.dtype(name)


class Failure(Exception):
    """A status other than GARRAY_OK."""

    def __init__(self, status, message):
        super().__init__(message)
        self.status = status


class Ref:
    """A variable as an argument; flags: 1 transposed, 2 conjugated (GARRAY_MT, GARRAY_MH)."""

    def __init__(self, name, flags=0):
        self.name, self.flags = name, flags

    def slot(self, slots):
        return slots[self.name]

    def __repr__(self):
        return self.name + ["", ".mT", ".conj()", ".mT.conj()"][self.flags]


# One letter per argument before out: a array, o operand, s shape, x axes, i int, l int64_t, r double, d dtype, D
# device, L list, I index items, t text, P operands, N their number and they, f an
# operation; and the family of the options.
SIGNATURES = {name: ("o" * arity, None) for name, (_, arity) in OPS.items()}
SIGNATURES.update(
    {name: ("ax", "reduce") for name in ("sum", "prod", "min", "max", "mean", "any", "all", "count_nonzero")}
)
SIGNATURES.update({name: ("ax", "reduce") for name in ("nansum", "nanprod", "nanmin", "nanmax", "nanmean")})
SIGNATURES.update(
    {
        "var": ("ax", "var"),
        "std": ("ax", "var"),
        "argmin": ("ax", "arg"),
        "argmax": ("ax", "arg"),
        "cumulative_sum": ("ax", "cumulative"),
        "cumulative_prod": ("ax", "cumulative"),
        "cummax": ("ax", "cumulative"),
        "cummin": ("ax", "cumulative"),
        "ptp": ("ax", "reduce"),
        "cumsum": ("ax", "cumulative"),
        "cumprod": ("ax", "cumulative"),
        "nanvar": ("ax", "var"),
        "nanstd": ("ax", "var"),
        "nanargmin": ("ax", "arg"),
        "nanargmax": ("ax", "arg"),
        "nancumsum": ("ax", "cumulative"),
        "nancumprod": ("ax", "cumulative"),
        "average": ("ax", "average"),
        "median": ("ax", "median"),
        "nanmedian": ("ax", "median"),
        "quantile": ("aox", "quantile"),
        "percentile": ("aox", "quantile"),
        "nanquantile": ("aox", "quantile"),
        "nanpercentile": ("aox", "quantile"),
        "cov": ("a", "cov"),
        "corrcoef": ("a", "cov"),
        "histogram": ("ao", "histogram"),
        "histogram2d": ("aaoo", "histogramdd"),
        "bincount": ("a", "bincount"),
        "digitize": ("oa", "digitize"),
        "diff": ("ali", "diff"),
        "ediff1d": ("a", "ediff1d"),
        "trapezoid": ("ai", "trapezoid"),
        "sort": ("ai", "sort"),
        "argsort": ("ai", "sort"),
        "top_k": ("ali", "topk"),
        "isclose": ("oo", "close"),
        "nan_to_num": ("a", "nan_to_num"),
        "real_if_close": ("a", "real_if_close"),
        "packbits": ("ax", "bits"),
        "unpackbits": ("ax", "bits"),
        "unwrap": ("ai", "unwrap"),
        "divmod": ("oo", None),
        "frexp": ("o", None),
        "modf": ("o", None),
        "partition": ("asi", "sort"),
        "argpartition": ("asi", "sort"),
        "lexsort": ("Li", None),
        "sort_complex": ("a", None),
        "searchsorted": ("ao", "search"),
        "unique": ("ax", "unique"),
        "unique_all": ("a", None),
        "unique_counts": ("a", None),
        "unique_inverse": ("a", None),
        "unique_values": ("a", None),
        "isin": ("oo", "set"),
        "intersect1d": ("aa", "set"),
        "setdiff1d": ("aa", "set"),
        "setxor1d": ("aa", "set"),
        "union1d": ("aa", None),
        "getitem": ("aI", None),
        "getitem_text": ("at", None),
        "take": ("aox", None),
        "take_along_axis": ("aai", None),
        "take_mode": ("aoxi", None),
        "flatnonzero": ("a", None),
        "argwhere": ("a", None),
        "extract": ("aa", None),
        "compress": ("aax", None),
        "choose": ("aNi", None),
        "select": ("LPo", None),
        "piecewise": ("aLN", None),
        "put": ("aooi", None),
        "put_along_axis": ("aaoi", None),
        "putmask": ("aao", None),
        "place": ("aao", None),
        "copyto": ("ao", "copyto"),
        "fill_diagonal": ("ao", "fill_diagonal"),
        "ufunc_reduce": ("fax", "reduce"),
        "ufunc_accumulate": ("fai", "accumulate"),
        "ufunc_reduceat": ("faai", "accumulate"),
        "ufunc_outer": ("foo", "ufunc"),
        "scatter_add": ("aIo", None),
        "scatter_min": ("aIo", None),
        "scatter_max": ("aIo", None),
        "append": ("aox", None),
        "column_stack": ("L", None),
        "delete": ("aIx", None),
        "dstack": ("L", None),
        "flatten": ("a", None),
        "fliplr": ("a", None),
        "flipud": ("a", None),
        "hstack": ("L", None),
        "insert": ("aIox", None),
        "pad": ("as", "pad"),
        "repeat": ("aox", None),
        "resize": ("as", None),
        "roll": ("asx", None),
        "rollaxis": ("aii", None),
        "rot90": ("alx", None),
        "sliding_window_view": ("asx", "window"),
        "tile": ("as", None),
        "trim_zeros": ("atx", None),
        "view": ("ad", None),
        "vstack": ("L", None),
        "reshape": ("as", None),
        "ravel": ("a", None),
        "permute_dims": ("ax", None),
        "matrix_transpose": ("a", None),
        "moveaxis": ("axx", None),
        "swapaxes": ("aii", None),
        "squeeze": ("ax", None),
        "expand_dims": ("ax", None),
        "flip": ("ax", None),
        "broadcast_to": ("as", None),
        "concat": ("Li", None),
        "stack": ("Li", None),
        "matmul": ("oo", None),
        "vecdot": ("ooi", None),
        "dot": ("oo", None),
        "inner": ("oo", None),
        "vdot": ("oo", None),
        "outer": ("oo", None),
        "matvec": ("oo", None),
        "vecmat": ("oo", None),
        "tensordot": ("ooxx", None),
        "tensordot_n": ("ooi", None),
        "kron": ("oo", None),
        "cross": ("ooi", None),
        "einsum": ("tL", None),
        "linalg_multi_dot": ("L", None),
        "linalg_matrix_power": ("al", None),
        "linalg_solve": ("oo", None),
        "linalg_cholesky": ("a", "cholesky"),
        "gemm": ("ooo", "gemm"),
        "linalg_vector_norm": ("ax", "norm"),
        "linalg_matrix_norm": ("a", "norm"),
        "linalg_norm": ("ax", "norm"),
        "linalg_cond": ("a", "norm"),
        "linalg_matrix_rank": ("a", "rank"),
        "linalg_pinv": ("a", "rank"),
        "linalg_lstsq": ("oo", "lstsq"),
        "linalg_tensorinv": ("ai", None),
        "linalg_tensorsolve": ("aax", None),
        "linalg_svd": ("a", "svd"),
        "linalg_svdvals": ("a", None),
        "linalg_qr": ("a", "qr"),
        "linalg_eig": ("a", None),
        "linalg_eigvals": ("a", None),
        "linalg_inv": ("a", None),
        "linalg_det": ("a", None),
        "linalg_slogdet": ("a", None),
        "linalg_lu": ("a", "lu"),
        "linalg_lu_factor": ("a", None),
        "linalg_lu_solve": ("aao", "lu_solve"),
        "linalg_solve_triangular": ("oo", "triangular"),
        "linalg_cho_solve": ("ao", "cholesky"),
        "linalg_eigh": ("a", "eigh"),
        "linalg_eigvalsh": ("a", "eigh"),
        "linalg_svd": ("a", "svd"),
        "linalg_svdvals": ("a", None),
        "linalg_qr": ("a", "qr"),
        "linalg_eig": ("a", None),
        "linalg_eigvals": ("a", None),
        "astype": ("ad", None),
        "copy": ("a", None),
        "arange": ("ooodD", None),
        "linspace": ("ool", "linspace"),
        "eye": ("llldD", None),
        "empty": ("sdD", None),
        "empty_like": ("ad", None),
        "zeros": ("sdD", None),
        "ones": ("sdD", None),
        "full": ("sodD", None),
        "zeros_like": ("ad", None),
        "ones_like": ("ad", None),
        "full_like": ("aod", None),
        "load": ("tD", None),
    }
)
SIGNATURES.update(
    {
        "diag": ("al", None),
        "diagflat": ("al", None),
        "diagonal": ("alii", None),
        "geomspace": ("ool", "linspace"),
        "indices_dense": ("sdD", None),
        "logspace": ("ool", "logspace"),
        "ravel_multi_index": ("Ls", "multi_index"),
        "trace": ("aliid", None),
        "tri": ("llldD", None),
        "tril": ("al", None),
        "tril_indices": ("lllD", None),
        "tril_indices_from": ("al", None),
        "triu": ("al", None),
        "triu_indices": ("lllD", None),
        "triu_indices_from": ("al", None),
        "vander": ("al", "vander"),
    }
)
SIGNATURES.update({"fft_" + name: ("ai", "fft") for name in ("fft", "ifft", "rfft", "irfft", "hfft", "ihfft")})
SIGNATURES.update(
    {"fft_" + part + "fft" + end: ("asx", "fft") for part in ("", "i", "r", "ir") for end in ("n", "2")}
)
SIGNATURES.update({"fft_fftfreq": ("lrdD", None), "fft_rfftfreq": ("lrdD", None)})
SIGNATURES.update({"fft_fftshift": ("ax", None), "fft_ifftshift": ("ax", None)})
SIGNATURES.update(
    {
        "convolve": ("oo", "convolve"),
        "correlate": ("oo", "convolve"),
        "interp": ("oaa", "interp"),
        "polyadd": ("oo", None),
        "polyder": ("al", None),
        "polyint": ("al", "polyint"),
        "polymul": ("oo", None),
        "polysub": ("oo", None),
        "polyval": ("ao", None),
        "signal_convolve": ("aa", "convolve"),
        "signal_correlate": ("aa", "convolve"),
        "signal_medfilt": ("as", None),
    }
)
SIGNATURES.update({"atleast_%dd" % n: ("a", None) for n in (1, 2, 3)})
# Functions whose results are a list, and their arguments before it.
LISTS = {
    "nonzero": "a",
    "split": "ai",
    "array_split": "ai",
    "split_at": "asi",
    "hsplit": "a",
    "vsplit": "a",
    "dsplit": "a",
    "unstack": "ai",
    "broadcast_arrays": "L",
    "diag_indices": "lD",
    "diag_indices_from": "a",
    "indices_sparse": "sdD",
    "ix_": "L",
    "meshgrid": "L",
    "unravel_index": "as",
}
LIST_OPTIONS = {"meshgrid": "meshgrid", "unravel_index": "multi_index"}
OPTIONS = {
    family: getattr(abi, family + "_opts")
    for family in (
        "reduce",
        "var",
        "arg",
        "cumulative",
        "sort",
        "topk",
        "close",
        "nan_to_num",
        "bits",
        "unwrap",
        "search",
        "unique",
        "set",
        "cholesky",
        "gemm",
        "norm",
        "rank",
        "lstsq",
        "svd",
        "qr",
        "lu",
        "lu_solve",
        "triangular",
        "eigh",
        "svd",
        "qr",
        "fft",
        "linspace",
        "ufunc",
        "copyto",
        "fill_diagonal",
        "real_if_close",
        "accumulate",
        "print",
        "histogram",
        "histogramdd",
        "bincount",
        "digitize",
        "diff",
        "ediff1d",
        "trapezoid",
        "average",
        "median",
        "quantile",
        "cov",
        "pad",
        "window",
        "logspace",
        "vander",
        "meshgrid",
        "multi_index",
        "convolve",
        "interp",
        "polyint",
    )
}


class Library:
    def __init__(self, path, device="cpu"):
        self.c = C.CDLL(path)
        self.c.garray_error_message.restype = C.c_char_p
        self.c.garray_status_name.restype = C.c_char_p
        self.c.garray_shape_of.restype = abi.shape
        self.c.garray_strides_of.restype = C.POINTER(C.c_int64)
        self.c.garray_into.restype = C.c_void_p
        self.c.garray_is_writeable.restype = C.c_bool
        self.device = abi.device()
        self.tensors = {}  # what imported tensors refer to, until their deleters are called
        self.deleter = DELETER(lambda tensor: self.tensors.pop(C.addressof(tensor.contents), None) and None)
        self.check("device_parse", device.encode(), C.byref(self.device))
        self.c.garray_set_strict(C.c_bool(True))  # what a GPU finds late is found at once
        self.on_cpu = self.device.type == 0

    def has(self, name):
        return hasattr(self.c, "garray_" + name)

    def check(self, name, *args):
        status = getattr(self.c, "garray_" + name)(*args)
        if status:
            raise Failure(self.c.garray_status_name(status).decode(), self.c.garray_error_message().decode(errors="replace"))

    # ---- arguments ----

    def operand(self, value, slots):
        o = abi.operand()
        if value is None:
            return o
        if hasattr(value, "slot"):
            o.kind, o.flags, o.array = abi.OPERAND + 1, value.flags, value.slot(slots).value
        elif isinstance(value, (bool, np.bool_)):
            o.kind, o.bits[0] = abi.OPERAND + 2, int(value)
        elif isinstance(value, int):
            o.kind, o.bits[0] = abi.OPERAND + (4 if value >= 2**63 else 3), value & (2**64 - 1)
        else:
            parts = np.array([value.real, value.imag] if isinstance(value, complex) else [value, 0], float)
            o.kind = abi.OPERAND + (6 if isinstance(value, complex) else 5)
            o.bits[0], o.bits[1] = (int(word) for word in parts.view(np.uint64))
        return o

    def items(self, items, slots):
        list_ = (abi.index * max(len(items), 1))()
        for i, item in zip(list_, items):
            i.step = 1
            if hasattr(item, "slot"):
                i.kind, i.array = 5, item.slot(slots).value
            elif item is None:
                i.kind = 3
            elif item is Ellipsis:
                i.kind = 4
            elif isinstance(item, slice):
                i.kind = 2
                for bit, part in (1, "start"), (2, "stop"), (4, "step"):
                    if getattr(item, part) is not None:
                        i.has |= bit
                        setattr(i, part, getattr(item, part))
            else:
                i.kind, i.start = 1, item
        return abi.indices(len(items), list_)

    def options(self, family, kw, slots):
        if not kw:
            return None
        o = OPTIONS[family]()
        fields = dict(o._fields_)
        for name, value in kw.items():
            if fields[name] is abi.operand:
                value = self.operand(value, slots)
            elif hasattr(value, "slot"):
                value = value.slot(slots).value
            elif name == "dtype":
                value = DTYPES[value]
            elif name == "modes":
                value = (C.c_int32 * len(value))(*value)
            elif fields[name] is abi.shape:
                value = self.argument("s", value, slots)
            setattr(o, name, value)
        return C.byref(o)

    def argument(self, letter, value, slots):
        if letter == "a":
            return value.slot(slots)
        if letter == "o":
            return self.operand(value, slots)
        if letter == "f":
            return C.c_int32(OPS[value][0])
        if letter == "s" and value is None:
            return abi.shape(0, None)
        if letter == "s":
            return abi.shape(len(value), (C.c_int64 * max(len(value), 1))(*value))
        if letter == "x":
            if value is None:
                return abi.axes(0, None)
            value = value if isinstance(value, tuple) else (value,)
            return abi.axes(len(value), (C.c_int32 * max(len(value), 1))(*value))
        if letter == "L":
            return abi.array_list(
                len(value), (C.c_void_p * len(value))(*[ref.slot(slots).value for ref in value])
            )
        if letter == "I":
            return self.items(value, slots)
        if letter == "d":
            return C.c_int32(DTYPES.get(value, 0))
        if letter == "t":
            return value.encode()
        if letter == "r":
            return C.c_double(value)
        return C.c_int64(value) if letter == "l" else C.c_int(value)

    def arguments(self, letters, args, slots, device):
        args = iter(args)
        found = []
        for letter in letters:
            value = None if letter == "D" else next(args)
            if letter in "NP":
                found += [len(value)] if letter == "N" else []
                found.append((abi.operand * max(len(value), 1))(*[self.operand(v, slots) for v in value]))
            else:
                found.append(device if letter == "D" else self.argument(letter, value, slots))
        return found

    # ---- calls ----

    def call(self, name, args, kw, slots, outs, device=None):
        """outs: what the C function takes as out, one each: byref(slot), into(slot), None, or slots for
        a list of results. Arrays are made on the library's device, or the one given."""
        device = device or self.device
        if name == "ufunc_at":
            x, op, items, b = args
            return self.check(
                name, OPS[op][0], slots[x.name], self.items(items, slots), self.operand(b, slots)
            )
        if name == "setitem":
            x, items, value = args
            return self.check(name, x.slot(slots), self.items(items, slots), self.operand(value, slots))
        if name == "setitem_text":
            x, items, value = args
            return self.check(name, x.slot(slots), items.encode(), self.operand(value, slots))
        if name in LISTS:
            array = (C.c_void_p * max(len(outs), 1))(*[out.value for out in outs])
            try:
                given = self.arguments(LISTS[name], args, slots, device)
                if name in LIST_OPTIONS:
                    given.append(self.options(LIST_OPTIONS[name], kw, slots))
                return self.check(name, *given, len(outs), array)
            finally:
                for slot, value in zip(outs, array):
                    slot.value = value
        if name in OPS and kw:
            number, nin = OPS[name]
            operands = (abi.operand * nin)(*[self.operand(value, slots) for value in args])
            return self.check(
                "ufunc",
                number,
                nin,
                operands,
                self.options("ufunc", kw, slots),
                1,
                (C.c_void_p * 1)(*[C.cast(outs[0], C.c_void_p)]),
            )
        letters, family = SIGNATURES[name]
        more = [self.options(family, kw, slots)] if family else []
        if name in ("linspace", "logspace", "geomspace"):
            more.append(device)
        return self.check(name, *self.arguments(letters, args, slots, device), *more, *outs)

    def into(self, slot):
        return C.c_void_p(self.c.garray_into(slot))

    # ---- data ----

    def from_host(self, data, slot, strides=None, device=None):
        """`data` is C contiguous, or a view whose memory is copied with its strides."""
        steps = None if strides is None else (C.c_int64 * max(data.ndim, 1))(*strides)
        self.check(
            "from_host",
            C.c_void_p(data.ctypes.data),
            DTYPES[data.dtype.name],
            self.argument("s", data.shape, None),
            steps,
            device or self.device,
            C.byref(slot),
        )

    def from_dlpack(self, base, offset, view, slot):
        """Imports memory of `base` from byte `offset` on, with shape and strides of `view`."""
        tensor = DLManagedTensor()
        shape = (C.c_int64 * max(view.ndim, 1))(*view.shape)
        strides = (C.c_int64 * max(view.ndim, 1))(*[step // view.itemsize for step in view.strides])
        code = {"i": 0, "u": 1, "f": 2, "c": 5, "b": 6}[view.dtype.kind] if view.dtype != BFLOAT16 else 4
        tensor.t = DLTensor(
            base.ctypes.data, 1, 0, view.ndim, code, 8 * view.itemsize, 1, shape, strides, offset
        )
        tensor.deleter = self.deleter
        self.tensors[C.addressof(tensor)] = (tensor, base, shape, strides)
        try:
            self.check("from_dlpack_unversioned", C.byref(tensor), None, C.byref(slot))
        except Failure:
            self.tensors.pop(C.addressof(tensor))
            raise

    def shape(self, slot):
        shape = self.c.garray_shape_of(slot)
        return tuple(shape.v[i] for i in range(shape.n))

    def dtype(self, slot):
        return DTYPE_NAMES[self.c.garray_dtype_of(slot)]

    def writeable(self, slot):
        return self.c.garray_is_writeable(slot)

    def to_numpy(self, slot):
        data = np.empty(self.shape(slot), numpy_dtype(self.dtype(slot)))
        self.check("to_host", slot, C.c_void_p(data.ctypes.data), None, C.c_size_t(data.nbytes))
        return data

    def release(self, slot):
        self.c.garray_release(slot)
        slot.value = None

    def format(self, slot, kw):
        options = self.options("print", kw, {})
        length = C.c_size_t()
        self.check("format", slot, options, None, C.c_size_t(0), C.byref(length))
        buffer = C.create_string_buffer(length.value + 1)
        self.check("format", slot, options, buffer, C.c_size_t(length.value + 1), None)
        return buffer.value.decode()


class DLTensor(C.Structure):
    _fields_ = [
        ("data", C.c_void_p),
        ("device_type", C.c_int32),
        ("device_id", C.c_int32),
        ("ndim", C.c_int32),
        ("code", C.c_uint8),
        ("bits", C.c_uint8),
        ("lanes", C.c_uint16),
        ("shape", C.POINTER(C.c_int64)),
        ("strides", C.POINTER(C.c_int64)),
        ("byte_offset", C.c_uint64),
    ]


class DLManagedTensor(C.Structure):
    pass


DELETER = C.CFUNCTYPE(None, C.POINTER(DLManagedTensor))
DLManagedTensor._fields_ = [("t", DLTensor), ("ctx", C.c_void_p), ("deleter", DELETER)]
