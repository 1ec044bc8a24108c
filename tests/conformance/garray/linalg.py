# SPDX-License-Identifier: BSD-3-Clause
"""The linalg extension."""

import collections

from ._array import many, one
from ._dtypes import name_of
from ._manipulation import matmul, matrix_transpose, tensordot, vecdot

EigResult = collections.namedtuple("EigResult", "eigenvalues eigenvectors")
EighResult = collections.namedtuple("EighResult", "eigenvalues eigenvectors")
QRResult = collections.namedtuple("QRResult", "Q R")
SlogdetResult = collections.namedtuple("SlogdetResult", "sign logabsdet")
SVDResult = collections.namedtuple("SVDResult", "U S Vh")


def plain(name):
    def function(x, /):
        return one("linalg_" + name, x)

    return function


PLAIN = "det eigvals eigvalsh inv svdvals".split()
globals().update({name: plain(name) for name in PLAIN})


def cholesky(x, /, *, upper=False):
    return one("linalg_cholesky", x, upper=int(upper))


def cross(x1, x2, /, *, axis=-1):
    return one("cross", x1, x2, axis)


def diagonal(x, /, *, offset=0):
    return one("diagonal", x, offset, -2, -1)


def eig(x, /):
    return EigResult(*many("linalg_eig", x, outputs=2))


def eigh(x, /):
    return EighResult(*many("linalg_eigh", x, outputs=2))


def matrix_norm(x, /, *, keepdims=False, ord="fro"):
    kw = {"kind": {"fro": 1, "nuc": 2}[ord]} if isinstance(ord, str) else {"ord": ord}
    return one("linalg_matrix_norm", x, keepdims=int(keepdims), **kw)


def matrix_power(x, n, /):
    return one("linalg_matrix_power", x, n)


def matrix_rank(x, /, *, rtol=None):
    return one("linalg_matrix_rank", x, rtol=rtol)


def outer(x1, x2, /):
    return one("outer", x1, x2)


def pinv(x, /, *, rtol=None):
    return one("linalg_pinv", x, rtol=rtol)


def qr(x, /, *, mode="reduced"):
    return QRResult(*many("linalg_qr", x, outputs=2, mode={"reduced": 1, "complete": 2}[mode]))


def slogdet(x, /):
    return SlogdetResult(*many("linalg_slogdet", x, outputs=2))


def solve(x1, x2, /):
    return one("linalg_solve", x1, x2)


def svd(x, /, *, full_matrices=True):
    return SVDResult(*many("linalg_svd", x, outputs=3, reduced=int(not full_matrices)))


def trace(x, /, *, offset=0, dtype=None):
    return one("trace", x, offset, -2, -1, name_of(dtype))


def vector_norm(x, /, *, axis=None, keepdims=False, ord=2):
    return one("linalg_vector_norm", x, axis, keepdims=int(keepdims), ord=ord)


__all__ = [*PLAIN, "cholesky", "cross", "diagonal", "eig", "eigh", "matmul", "matrix_norm", "matrix_power", "matrix_rank"]
__all__ += ["matrix_transpose", "outer", "pinv", "qr", "slogdet", "solve", "svd", "tensordot", "trace", "vecdot", "vector_norm"]
