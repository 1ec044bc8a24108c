#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-3-Clause
"""The interface as another language sees it: one function of each calling form through ctypes.

    call_forms.py INCLUDE_DIR [LIBRARY [DEVICE]]

Without a library only the struct layouts are compared with the C compiler's. Ends with 77 (skipped) where
there is no C compiler and no library."""
import ctypes as C
import os
import shutil
import subprocess
import sys
import tempfile

i32, i64, u64, ptr = C.c_int32, C.c_int64, C.c_uint64, C.c_void_p


def struct(name, *fields):
    return type(name, (C.Structure,), {"_fields_": [(n, t) for n, t in fields]})


device = struct("garray_device", ("type", i32), ("index", i32))
OPERAND = 0x6F700000  # the kinds of operands less 1, 2, ...
operand = struct("garray_operand", ("kind", i32), ("flags", i32), ("array", ptr), ("bits", u64 * 2))
shape = struct("garray_shape", ("n", i64), ("v", C.POINTER(i64)))
axes = struct("garray_axes", ("n", i64), ("v", C.POINTER(i32)))
array_list = struct("garray_list", ("n", i64), ("v", C.POINTER(ptr)))
index = struct("garray_index", ("kind", i32), ("has", i32), ("start", i64), ("stop", i64), ("step", i64),
               ("array", ptr))
indices = struct("garray_indices", ("n", i64), ("v", C.POINTER(index)))
rng = struct("garray_rng", ("seed", u64), ("stream", u64), ("position", u64), ("spawned", u64))
memory_info = struct("garray_memory_info", *[(n, i64) for n in (
    "live_bytes cached_bytes peak_bytes limit_bytes allocations frees driver_allocations driver_frees "
    "live_blocks largest_free_bytes").split()], ("fragmentation", C.c_double), ("reserved", i64 * 5))
reduce_opts = struct("garray_reduce_opts", ("keepdims", i32), ("dtype", i32), ("initial", operand),
                     ("where", operand), ("reserved", u64 * 8))
var_opts = struct("garray_var_opts", ("keepdims", i32), ("dtype", i32), ("correction", operand),
                  ("where", operand), ("reserved", u64 * 8))
arg_opts = struct("garray_arg_opts", ("keepdims", i32), ("reserved32", i32), ("reserved", u64 * 4))
cumulative_opts = struct("garray_cumulative_opts", ("dtype", i32), ("include_initial", i32), ("exclusive", i32),
                         ("reverse", i32), ("reserved", u64 * 3))
ufunc_opts = struct("garray_ufunc_opts", ("where", operand), ("dtype", i32), ("reserved32", i32),
                    ("reserved", u64 * 4))
accumulate_opts = struct("garray_accumulate_opts", ("dtype", i32), ("reserved32", i32), ("reserved", u64 * 4))
copyto_opts = struct("garray_copyto_opts", ("where", operand), ("casting", i32), ("reserved32", i32),
                     ("reserved", u64 * 4))
sort_opts = struct("garray_sort_opts", ("descending", i32), ("unstable", i32), ("flat", i32), ("reserved32", i32),
                   ("reserved", u64 * 3))
unique_opts = struct("garray_unique_opts", ("distinct_nan", i32), ("reserved32", i32), ("reserved", u64 * 4))
set_opts = struct("garray_set_opts", ("invert", i32), ("assume_unique", i32), ("reserved", u64 * 4))
search_opts = struct("garray_search_opts", ("sorter", ptr), ("right", i32), ("reserved32", i32), ("reserved", u64 * 3))
linspace_opts = struct("garray_linspace_opts", ("no_endpoint", i32), ("dtype", i32), ("axis", i32), ("reserved32", i32),
                       ("reserved", u64 * 3))
logspace_opts = struct("garray_logspace_opts", ("no_endpoint", i32), ("dtype", i32), ("base", operand), ("axis", i32),
                       ("reserved32", i32), ("reserved", u64 * 4))
fill_diagonal_opts = struct("garray_fill_diagonal_opts", ("wrap", i32), ("reserved32", i32), ("reserved", u64 * 4))
vander_opts = struct("garray_vander_opts", ("increasing", i32), ("reserved32", i32), ("reserved", u64 * 4))
meshgrid_opts = struct("garray_meshgrid_opts", ("ij", i32), ("sparse", i32), ("views", i32), ("reserved32", i32),
                       ("reserved", u64 * 4))
multi_index_opts = struct("garray_multi_index_opts", ("modes", C.POINTER(i32)), ("column_major", i32), ("reserved32", i32),
                          ("reserved", u64 * 4))
asarray_opts = struct("garray_asarray_opts", ("dtype", i32), ("copy", i32), ("order", i32), ("has_device", i32),
                      ("device", device), ("reserved", u64 * 4))
array_opts = struct("garray_array_opts", ("dtype", i32), ("order", i32), ("ndmin", i32), ("no_copy", i32),
                    ("reserved", u64 * 4))
topk_opts = struct("garray_topk_opts", ("smallest", i32), ("unsorted", i32), ("reserved", u64 * 4))
cholesky_opts = struct("garray_cholesky_opts", ("upper", i32), ("reserved32", i32), ("reserved", u64 * 4))
svd_opts = struct("garray_svd_opts", ("reduced", i32), ("reserved32", i32), ("reserved", u64 * 4))
qr_opts = struct("garray_qr_opts", ("mode", i32), ("reserved32", i32), ("reserved", u64 * 4))
gemm_opts = struct("garray_gemm_opts", ("alpha", operand), ("beta", operand), ("tf32", i32), ("fast_half", i32),
                   ("reserved", u64 * 4))
norm_opts = struct("garray_norm_opts", ("ord", operand), ("kind", i32), ("keepdims", i32), ("reserved", u64 * 4))
rank_opts = struct("garray_rank_opts", ("tol", operand), ("rtol", operand), ("hermitian", i32), ("reserved32", i32),
                   ("reserved", u64 * 4))
lstsq_opts = struct("garray_lstsq_opts", ("rcond", operand), ("reserved", u64 * 4))
lu_opts = struct("garray_lu_opts", ("p_indices", i32), ("permute_l", i32), ("reserved", u64 * 4))
lu_solve_opts = struct("garray_lu_solve_opts", ("trans", i32), ("reserved32", i32), ("reserved", u64 * 4))
triangular_opts = struct("garray_triangular_opts", ("upper", i32), ("trans", i32), ("unit_diagonal", i32), ("reserved32", i32),
                         ("reserved", u64 * 4))
svd_opts = struct("garray_svd_opts", ("reduced", i32), ("reserved32", i32), ("reserved", u64 * 4))
qr_opts = struct("garray_qr_opts", ("mode", i32), ("reserved32", i32), ("reserved", u64 * 4))
eigh_opts = struct("garray_eigh_opts", ("upper", i32), ("reserved32", i32), ("reserved", u64 * 4))
fft_opts = struct("garray_fft_opts", ("n", operand), ("norm", i32), ("reserved32", i32), ("reserved", u64 * 3))
integers_opts = struct("garray_integers_opts", ("dtype", i32), ("endpoint", i32), ("reserved", u64 * 4))
print_opts = struct("garray_print_opts", ("precision", operand), ("threshold", operand),
                    ("edgeitems", operand), ("linewidth", operand), ("suppress", i32), ("sign", i32),
                    ("repr", i32), ("reserved32", i32), ("reserved", u64 * 4))
diff_opts = struct("garray_diff_opts", ("prepend", operand), ("append", operand), ("reserved", u64 * 4))
ediff1d_opts = struct("garray_ediff1d_opts", ("to_begin", operand), ("to_end", operand), ("reserved", u64 * 4))
gradient_opts = struct("garray_gradient_opts", ("edge_order", i32), ("nspacing", i32),
                       ("spacing", C.POINTER(operand)), ("reserved", u64 * 4))
trapezoid_opts = struct("garray_trapezoid_opts", ("x", operand), ("dx", operand), ("reserved", u64 * 4))
average_opts = struct("garray_average_opts", ("weights", operand), ("keepdims", i32), ("reserved32", i32),
                      ("reserved", u64 * 4))
median_opts = struct("garray_median_opts", ("keepdims", i32), ("reserved32", i32), ("reserved", u64 * 4))
quantile_opts = struct("garray_quantile_opts", ("keepdims", i32), ("method", i32), ("weights", operand),
                       ("reserved", u64 * 4))
cov_opts = struct("garray_cov_opts", ("columns", i32), ("bias", i32), ("y", operand), ("ddof", operand),
                  ("fweights", operand), ("aweights", operand), ("dtype", i32), ("reserved32", i32),
                  ("reserved", u64 * 4))
histogram_opts = struct("garray_histogram_opts", ("low", operand), ("high", operand), ("weights", operand),
                        ("density", i32), ("rule", i32), ("reserved", u64 * 4))
histogramdd_opts = struct("garray_histogramdd_opts", ("low", ptr), ("high", ptr), ("weights", operand),
                          ("density", i32), ("reserved32", i32), ("reserved", u64 * 4))
bincount_opts = struct("garray_bincount_opts", ("weights", operand), ("minlength", i64), ("reserved", u64 * 4))
digitize_opts = struct("garray_digitize_opts", ("right", i32), ("reserved32", i32), ("reserved", u64 * 4))
dlpack_opts = struct("garray_dlpack_opts", ("copy", i32), ("has_stream", i32), ("stream", ptr),
                     ("reserved", u64 * 4))
array_interface = struct("garray_array_interface", ("typestr", C.c_char * 8), ("version", i32), ("ndim", i32),
                         ("shape", C.POINTER(i64)), ("strides", C.POINTER(i64)), ("data", ptr), ("readonly", i32),
                         ("has_stream", i32), ("stream", ptr), ("mask", ptr), ("device", device), ("reserved", u64 * 4))
strided_opts = struct("garray_strided_opts", ("readonly", i32), ("reserved32", i32), ("reserved", u64 * 4))
window_opts = struct("garray_window_opts", ("writeable", i32), ("reserved32", i32), ("reserved", u64 * 4))
pad_opts = struct("garray_pad_opts", ("mode", i32), ("odd", i32), ("values", operand), ("stat_length", shape),
                  ("reserved", u64 * 4))
close_opts = struct("garray_close_opts", ("rtol", operand), ("atol", operand), ("equal_nan", i32), ("reserved32", i32),
                    ("reserved", u64 * 4))
nan_to_num_opts = struct("garray_nan_to_num_opts", ("nan", operand), ("posinf", operand), ("neginf", operand),
                         ("reserved", u64 * 4))
real_if_close_opts = struct("garray_real_if_close_opts", ("tol", operand), ("reserved", u64 * 4))
unwrap_opts = struct("garray_unwrap_opts", ("discont", operand), ("period", operand), ("reserved", u64 * 4))
logsumexp_opts = struct("garray_logsumexp_opts", ("keepdims", i32), ("reserved32", i32), ("reserved", u64 * 4))
bits_opts = struct("garray_bits_opts", ("count", operand), ("little", i32), ("reserved32", i32), ("reserved", u64 * 4))
convolve_opts = struct("garray_convolve_opts", ("fill", operand), ("mode", i32), ("boundary", i32), ("method", i32),
                       ("reserved32", i32), ("reserved", u64 * 4))
interp_opts = struct("garray_interp_opts", ("left", operand), ("right", operand), ("period", operand), ("reserved", u64 * 4))
polyint_opts = struct("garray_polyint_opts", ("k", operand), ("reserved", u64 * 4))
text = C.c_char_p
npz_opts = struct("garray_npz_opts", ("max_bytes", i64), ("reserved", u64 * 4))
npy_opts = struct("garray_npy_opts", ("version", i32), ("reserved32", i32), ("reserved", u64 * 4))
npy_info = struct("garray_npy_info", ("dtype", i32), ("ndim", i32), ("fortran_order", i32), ("swapped", i32), ("offset", i64),
                  ("shape", i64 * 64))
memmap_opts = struct("garray_memmap_opts", ("mode", i32), ("dtype", i32), ("shape", shape), ("fortran_order", i32),
                     ("version", i32), ("reserved", u64 * 4))
savetxt_opts = struct("garray_savetxt_opts", *[(n, text) for n in "fmt delimiter newline header footer comments".split()],
                      ("fmts", C.POINTER(text)), ("nfmts", i64), ("reserved", u64 * 4))
loadtxt_opts = struct("garray_loadtxt_opts", ("comments", text), ("delimiter", text), ("skiprows", i64), ("max_rows", operand),
                      ("usecols", axes), ("unpack", i32), ("ndmin", i32), ("quotechar", i32), ("reserved32", i32),
                      ("reserved", u64 * 4))
genfromtxt_opts = struct("garray_genfromtxt_opts", ("comments", text), ("delimiter", text), ("widths", C.POINTER(i32)),
                         ("nwidths", i64), ("skip_header", i64), ("skip_footer", i64), ("max_rows", operand), ("usecols", axes),
                         ("filling_value", operand), ("unpack", i32), ("ndmin", i32), ("drop_invalid", i32), ("reserved32", i32),
                         ("reserved", u64 * 4))
fromfile_opts = struct("garray_fromfile_opts", ("count", operand), ("sep", text), ("offset", i64), ("reserved", u64 * 4))
tofile_opts = struct("garray_tofile_opts", ("sep", text), ("format", text), ("reserved", u64 * 4))
format_float_opts = struct("garray_format_float_opts", *[(n, operand) for n in (
    "precision min_digits pad_left pad_right exp_digits").split()], ("exact", i32), ("significant", i32), ("sign", i32),
    ("trim", i32), ("reserved", u64 * 4))
device_properties = struct("garray_device_properties", ("name", C.c_char * 256), ("architecture", C.c_char * 32),
                           ("total_memory", i64), ("free_memory", i64), ("multiprocessors", i32), ("reserved32", i32),
                           ("reserved", u64 * 8))
report_opts = struct("garray_report_opts", ("format", i32), ("rows", i32), ("reserved", u64 * 4))

STRUCTS = [v for v in list(globals().values()) if isinstance(v, type) and issubclass(v, C.Structure)
           and v is not C.Structure]
BOOL, INT64, FLOAT64 = 1, 5, 13
OK, ERR_SHAPE = 0, 2


def check_layouts(include):
    """Compares sizes and offsets with what C and C++ compilers say; True if any compiler was there."""
    asked = []
    for s in STRUCTS:
        asked.append((f"sizeof({s.__name__})", C.sizeof(s)))
        packed = 0
        for name, t in s._fields_:
            asked.append((f"offsetof({s.__name__}, {name})", getattr(s, name).offset))
            assert getattr(s, name).offset == packed, f"padding before {s.__name__}.{name}"
            packed += C.sizeof(t)
        assert packed == C.sizeof(s), f"padding at the end of {s.__name__}"
    asked += [("sizeof(garray_status)", 4), ("sizeof(garray_dtype)", 4), ("sizeof(garray_op)", 4),
              ("GARRAY_ERR_INTERNAL", 18), ("GARRAY_COMPLEX128", 15), ("GARRAY_OP_where", 68)]
    text = "#include <garray/garray.h>\n" + "".join(
        f'typedef char garray_check_{i}[({e}) == {v} ? 1 : -1];\n' for i, (e, v) in enumerate(asked))
    found = False
    with tempfile.TemporaryDirectory() as folder:
        source = os.path.join(folder, "layout.c")
        with open(source, "w") as f:
            f.write(text)
        for compiler, language in ("gcc", "c"), ("clang", "c"), ("g++", "c++"), ("clang++", "c++"):
            if shutil.which(compiler):
                found = True
                subprocess.run([compiler, "-x", language, "-I", include, "-fsyntax-only", source], check=True)
    return found


def text_of(function):
    function.restype = C.c_char_p
    return lambda *args: function(*args).decode()


def check_calls(path, device_name):
    lib = C.CDLL(path)
    message = text_of(lib.garray_error_message)

    def call(name, *args, expect=OK):
        status = getattr(lib, name)(*args)
        assert status == expect, f"{name}: status {status}, {message()}"

    def ints(*v):
        return shape(len(v), (i64 * len(v))(*v))

    def the_axes(*v):
        return axes(len(v), (i32 * len(v))(*v))

    def arr(a):
        return operand(OPERAND + 1, 0, a.value, (u64 * 2)())

    def num(v):
        word = u64.from_buffer_copy(C.c_double(v)) if isinstance(v, float) else u64(v & (2**64 - 1))
        return operand(OPERAND + (5 if isinstance(v, float) else 3), 0, None, (u64 * 2)(word.value, 0))

    def item(a, t=C.c_double, dtype=FLOAT64):
        v = t()
        call("garray_item", a, dtype, C.byref(v))
        return v.value

    x, y, z, w = ptr(), ptr(), ptr(), ptr()
    dev = device()
    call("garray_device_parse", device_name.encode(), C.byref(dev))
    # operands, a dtype and a device by value; a result
    call("garray_arange", operand(), num(6), operand(), FLOAT64, dev, C.byref(x))
    # a shape by value; the result replaces the operand
    call("garray_reshape", x, ints(2, 3), C.byref(x))
    # a struct returned by value
    lib.garray_shape_of.restype = shape
    got = lib.garray_shape_of(x)
    assert [got.v[i] for i in range(got.n)] == [2, 3]
    # an array and a number as operands
    call("garray_multiply", arr(x), num(0.5), C.byref(y))
    # axes by value, options by pointer
    call("garray_sum", y, axes(0, None), C.byref(reduce_opts(keepdims=1, initial=num(1))), C.byref(z))
    assert item(z) == 8.5
    # index items; a view; writing into it
    at = indices(2, (index * 2)(index(1, 0, 0, 0, 1, None), index(2, 4, 0, 0, -1, None)))
    call("garray_setitem", y, at, num(7.0))
    call("garray_getitem", y, at, C.byref(z))
    lib.garray_into.restype = ptr
    call("garray_add", arr(z), num(1), ptr(lib.garray_into(z)))
    call("garray_sum", y, the_axes(-1, 0), None, C.byref(z))
    assert item(z) == 24 + 6, item(z)
    # a list of arrays
    call("garray_concat", array_list(2, (ptr * 2)(x, y)), 0, C.byref(z))
    assert lib.garray_ndim(z) == 2
    # a transposed operand
    mt = arr(x)
    mt.flags = 1
    call("garray_matmul", arr(x), mt, C.byref(z))
    # several results, of which one is not wanted
    call("garray_linalg_eigh", z, None, C.byref(w), None)
    call("garray_top_k", w, i64(1), -1, None, C.byref(z), None)
    assert abs(item(z) - 54.0) < 1e-9
    # the general call
    operands, outs = (operand * 2)(arr(x), num(2)), (ptr * 1)(C.addressof(z))
    call("garray_ufunc", 63, 2, operands, None, 1, outs)
    # the state of random numbers is the caller's
    state = rng(seed=42)
    call("garray_random_uniform", C.byref(state), num(0.0), num(1.0), ints(5), FLOAT64, dev, C.byref(z))
    assert state.position == 3
    # host memory in and out
    data, back = (i64 * 3)(1, 2, 3), (i64 * 3)()
    call("garray_from_host", data, INT64, ints(3), None, dev, C.byref(z))
    call("garray_to_host", z, back, None, C.c_size_t(C.sizeof(back)))
    assert list(back) == [1, 2, 3]
    # a callback with a context
    seen = []
    fn = C.CFUNCTYPE(None, ptr, ptr, C.c_size_t)(lambda ctx, text, n: seen.append(C.string_at(text, n)))
    call("garray_report_begin")
    call("garray_report_end", None, fn, None)
    assert len(seen) == 1 and seen[0].endswith(b"\n")
    # text into a buffer
    buf, length = C.create_string_buffer(4), C.c_size_t()
    call("garray_format", z, None, buf, C.c_size_t(4), C.byref(length))
    assert buf.value == b"[1 " and length.value == 7
    # an error
    call("garray_add", arr(x), arr(y), ptr(lib.garray_into(z)), expect=ERR_SHAPE)
    assert message().startswith("garray_add: "), message()
    lib.garray_release.restype = None
    for a in x, y, z, w:
        lib.garray_release(a)


def main():
    include, library = sys.argv[1], sys.argv[2] if len(sys.argv) > 2 else None
    found = check_layouts(include)
    if library:
        check_calls(library, sys.argv[3] if len(sys.argv) > 3 else "cpu")
    sys.exit(0 if found or library else 77)


if __name__ == "__main__":
    main()
