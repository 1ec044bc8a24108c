/* SPDX-License-Identifier: BSD-3-Clause
 * QR, singular values and eigenvalues of general matrices, part of the linalg namespace.
 *
 * Leading axes are stacks of matrices. Results are float32, float64, complex64 or complex128 as x is; integers become
 * float64, 16-bit floats are a DTYPE error, an array of fewer than two axes is a SHAPE error. Of several results NULL
 * says that one is not wanted. Singular values and eigenvalues of a matrix with an infinity or a NaN do not converge:
 * NOCONVERGE, which names the item of a stack, on a GPU late; its QR factors have NaN.
 *
 * Vectors are determined up to a sign, or a phase if they are complex. One rule makes them the same on all devices: the
 * first component whose absolute value is at least 0.98 of the largest one is real and positive. The margin keeps
 * components that are equal but for rounding from taking turns. It holds for the eigenvectors of eig and eigh and for the
 * left singular vectors, whose partner on the right follows; rows that complete vh follow it by themselves. In qr the
 * diagonal of R is real and not negative, and Q follows. Vectors of equal values span the right space, but are not
 * unique within it. */
#ifndef GARRAY_DECOMPOSE_H
#define GARRAY_DECOMPOSE_H

#include <garray/operand.h>

GARRAY_BEGIN

typedef struct {
    int32_t reduced;    /* 1: u has min(m, n) columns and vh as many rows, which is full_matrices=False */
    int32_t reserved32; /* zero */
    uint64_t reserved[4];
} garray_svd_opts;

/* x = u * diag(s) @ vh for m x n matrices: u (m x m) and vh (n x n) unitary, s the min(m, n) singular values, real, in
 * descending order. With s alone the vectors are not computed. LAPACK's gesdd; stacks of matrices up to 32 x 32 by one-sided
 * Jacobi rotations, as are all such matrices on a GPU. Larger ones there by polar decomposition where its residual is as
 * small as LAPACK's, which the call waits for, and by gesvd elsewhere. */
GARRAY_STATUS garray_linalg_svd(const garray_t *x, const garray_svd_opts *opts, garray_t **u, garray_t **s, garray_t **vh);

/* Singular values alone, in descending order. */
GARRAY_STATUS garray_linalg_svdvals(const garray_t *x, garray_t **out);

typedef enum { /* which factors are wanted, by NumPy's names */
    GARRAY_QR_REDUCED = 1,      /* q: m x k, r: k x n, with k = min(m, n); 0 is this too */
    GARRAY_QR_COMPLETE = 2,     /* q: m x m, r: m x n */
    GARRAY_QR_RAW = 3,          /* q: n x m, what LAPACK's geqrf leaves, transposed; r: its k scalar factors */
    GARRAY_QR_MAX_ENUM = 0x7fffffff
} garray_qr_mode;

typedef struct {
    garray_qr_mode mode;
    int32_t reserved32; /* zero */
    uint64_t reserved[4];
} garray_qr_opts;

/* x = q @ r for m x n matrices: the columns of q orthonormal, r upper triangular. q NULL is NumPy's mode 'r'. Raw factors
 * are Householder's as LAPACK chooses them, without the rule of signs. */
GARRAY_STATUS garray_linalg_qr(const garray_t *x, const garray_qr_opts *opts, garray_t **q, garray_t **r);

/* Eigenvalues w, and eigenvectors as columns of v, each of length 1: x @ v = v * w. Both are always complex, as the
 * standard says; NumPy returns real ones where all are real. The values are in ascending order as complex numbers are
 * sorted, by the real part and then by the imaginary one. LAPACK's geev; on a GPU cuSOLVER's, of CUDA 12.8 or later. */
GARRAY_STATUS garray_linalg_eig(const garray_t *x, garray_t **w, garray_t **v);

/* Eigenvalues alone. */
GARRAY_STATUS garray_linalg_eigvals(const garray_t *x, garray_t **out);

GARRAY_END

#endif
