# SPDX-License-Identifier: BSD-3-Clause
"""Where the library is meant to differ from NumPy 2, and why.  The reference follows the table: what is
listed here is expected as the third column says, everything else as NumPy does it."""

TABLE = [
    # functions, NumPy, here, why
    (
        "pow",
        "an integer array with a negative exponent in an array is a ValueError",
        "the truncated power: 0, 1 or -1",
        "a GPU cannot look at the values before it answers (math.h)",
    ),
    ("reciprocal", "1 / 0 of integers is undefined", "0", "one result on every device (math.h)"),
    (
        "astype, setitem, ufunc_at, into",
        "floats out of an integer dtype's range give what the machine gives",
        "they saturate, NaN becomes 0",
        "one result on every device (array.h)",
    ),
    (
        "setitem, full",
        "NaN or an infinity as a Python number into integers is a ValueError or OverflowError",
        "it is cast as an array's element is",
        "a C double is no Python float (array.h)",
    ),
    ("round", "of bool is float16", "int8", "whole numbers stay whole (math.h)"),
    (
        "maximum, minimum, clip",
        "the sign of a zero that compares equal is either one's",
        "compared as equal",
        "NumPy itself differs between processors",
    ),
    (
        "min, max",
        "of several complex NaNs the first",
        "any of them",
        "the order of a reduction is free (reduce.h)",
    ),
    (
        "cumulative_sum, cumulative_prod",
        "dtype=bool is allowed",
        "a DTYPE error",
        "the standard asks for numbers",
    ),
    ("arange", "start + i * ((start + step) - start)", "start + i * step", "accuracy (array.h)"),
    (
        "take",
        "an index out of range passes where axes before it are empty",
        "always an INDEX error",
        "one rule",
    ),
    ("clip", "a complex NaN as a bound wins only sometimes", "always", "as in maximum and minimum (math.h)"),
    ("arange", "integers beyond int64 give float64", "uint64", "exact (array.h)"),
    ("random_binomial and other counts", "a float is truncated", "INVALID unless it is whole", "no draw of another n (random.h)"),
    (
        "sum and the other reductions, cumulative_*",
        "axis 0 of an array without axes is allowed",
        "an AXIS error",
        "the array API standard",
    ),
    (
        "setitem",
        "of places named twice by index arrays the last in memory order wins",
        "the last in row-major order",
        "the layout of an index does not change the result (index.h)",
    ),
    (
        "nextafter",
        "float16: equal numbers give the first",
        "the second, as in C and NumPy's wider types",
        "tests/formulas",
    ),
    ("expm1", "complex infinities give NaN", "the array API's values", "tests/formulas"),
    (
        "ufunc with where=",
        "elements not selected are undefined without out=",
        "0, or what out held",
        "nothing undefined is shown (math.h)",
    ),
    (
        "all elementwise functions",
        "numbers alone give a number",
        "INVALID",
        "there is no device to run on (math.h)",
    ),
    (
        "sum, prod, mean, var, cumulative_*",
        "float16 and float32 are added in their own precision",
        "wider, rounded once",
        "accuracy on every axis (reduce.h)",
    ),
    ("min, max with where=", "an empty axis counts as reduced", "the same", "-"),
    ("float16(int64)", "rounds twice, through float32", "once", "accuracy"),
    (
        "bfloat16",
        "ml_dtypes has rules of its own",
        "promotes as float16, with it to float32; computed in float32",
        "dtype.h",
    ),
    ("argsort", "not stable by default", "stable", "sort.h"),
    ("sort with descending", "none", "largest first, NaN last", "sort.h"),
    ("top_k", "none", "of equal elements those with lower index", "sort.h"),
    (
        "cumulative_sum, vecdot",
        "no axis, or a positive one",
        "see reduce.h and linalg.h",
        "array API standard",
    ),
    (
        "expand_dims",
        "no axes are allowed",
        "at least one is needed",
        "an empty list means all axes elsewhere (shape.h)",
    ),
    ("flip, squeeze, permute_dims", "axes as any sequence", "{0, NULL} is all axes", "shape.h"),
    (
        "setitem",
        "x[0, 0] = an array of shape (1,), and x[mask] = one of shape (1, 1), are TypeErrors",
        "leading axes of length 1 are dropped, as in every other assignment",
        "one rule",
    ),
    ("choose", "uint64 indices are a TypeError", "they are as good as others", "one rule"),
    ("take_mode, choose", "indices that wrap are converted to int64 first", "as they are", "uint64 too (index.h)"),
    ("put, putmask, place, copyto", "a number of a higher kind is a TypeError or cut", "as in setitem", "index.h"),
    ("ufunc_at", "numbers have a dtype of their own", "they are weak", "as everywhere (ufunc.h)"),
    ("piecewise", "functions and values under each condition", "values that broadcast to x", "index.h"),
    (
        "insert",
        "several indices in an array of another integer dtype than int64 are a TypeError",
        "any integer dtype",
        "as in every other index",
    ),
    ("pad", "an array without axes is a ValueError", "copied", "there is no side to fill"),
    ("append", "a number is an array of its own dtype", "a weak scalar", "as everywhere (join.h)"),
    ("view", "as bool, of any bytes", "a DTYPE error", "a bool is 0 or 1 everywhere (shape.h)"),
    ("linalg", "float16 is a TypeError, LinAlgError", "DTYPE, SINGULAR", "status codes"),
    (
        "quantile, percentile",
        "a number q is rounded to x's dtype, places are computed in it",
        "in float64, rounded once",
        "places beyond 2^24 (statistics.h)",
    ),
    (
        "histogram",
        "off by one where the guess of a bin is off by more than one, as with float16",
        "the bin is that of the edges",
        "the edges are what is returned (histogram.h)",
    ),
    (
        "bincount with weights",
        "int64 for an empty array",
        "float64",
        "the dtype does not depend on the size (histogram.h)",
    ),
    (
        "nanquantile",
        "the dtype depends on the first slice; of a q with two axes only the first comes first",
        "as quantile",
        "one rule (statistics.h)",
    ),
    (
        "average",
        "weights that sum to zero are a ZeroDivisionError",
        "NaN or infinity",
        "finding out would wait (statistics.h)",
    ),
    (
        "diff",
        "a number prepended has the dtype of its own",
        "x's, where that holds its kind",
        "numbers are weak (difference.h)",
    ),
    ("logspace", "an array as base", "a number", "array.h"),
    ("unravel_index, ravel_multi_index", "a ValueError for indices out of range", "INDEX", "grid.h"),
    ("tril, triu", "an array without axes is an error of indexing", "SHAPE", "diagonal.h"),
]

# The statuses that an exception of NumPy's may become.
CALLER = {"SHAPE", "INVALID", "DTYPE", "AXIS", "INDEX", "READONLY", "UNSUPPORTED"}
STATUS_OF = [
    ("AxisError", {"AXIS", "SHAPE"}),
    ("LinAlgError", {"SHAPE", "SINGULAR", "NOCONVERGE"}),
    ("IndexError", {"INDEX", "SHAPE", "READONLY"}),
    ("ArithmeticError", {"INVALID", "SHAPE", "DTYPE"}),
    ("TypeError", {"DTYPE", "INVALID", "INDEX", "SHAPE"}),
    ("ValueError", {"SHAPE", "INVALID", "AXIS", "READONLY", "INDEX", "DTYPE"}),
]


def status_fits(function, error, status):
    """Whether GARRAY_ERR_<status> is what an exception should become.  An assignment can be wrong in several
    ways at once, and which one is found first is nobody's rule."""
    status = status.replace("GARRAY_ERR_", "")
    names = [kind.__name__ for kind in type(error).__mro__]
    if function.startswith(("setitem", "put", "place", "copyto", "scatter", "ufunc_at")):
        return status in CALLER
    for name, statuses in STATUS_OF:
        if name in names:
            return status in statuses
    return False
