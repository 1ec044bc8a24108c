/* SPDX-License-Identifier: BSD-3-Clause
 * The LAPACK routines that the library uses, by their Fortran symbols: OpenBLAS exports them, and not every distribution
 * has their C header.  Lengths of the character arguments follow, as gfortran passes them. */
#ifndef GARRAY_CPU_LAPACK_H
#define GARRAY_CPU_LAPACK_H

#include <stddef.h>
#include <stdint.h>

typedef int32_t lapack_int;

#define LAPACK_DECLARE(x)                                                                                    \
    void x##potrf_(const char *uplo, const lapack_int *n, void *a, const lapack_int *lda, lapack_int *info,  \
                   size_t uplo_length);                                                                      \
    void x##gesv_(const lapack_int *n, const lapack_int *nrhs, void *a, const lapack_int *lda,               \
                  lapack_int *ipiv, void *b, const lapack_int *ldb, lapack_int *info);                       \
    void x##geqrf_(const lapack_int *m, const lapack_int *n, void *a, const lapack_int *lda, void *tau,      \
                   void *work, const lapack_int *lwork, lapack_int *info);                                   \
    void x##getrf_(const lapack_int *m, const lapack_int *n, void *a, const lapack_int *lda,                 \
                   lapack_int *ipiv, lapack_int *info);                                                      \
    void x##getri_(const lapack_int *n, void *a, const lapack_int *lda, const lapack_int *ipiv, void *work,  \
                   const lapack_int *lwork, lapack_int *info);
LAPACK_DECLARE(s)
LAPACK_DECLARE(d)
LAPACK_DECLARE(c)
LAPACK_DECLARE(z)

#define LAPACK_DECLARE_REAL(x)                                                                               \
    void x##syevd_(const char *jobz, const char *uplo, const lapack_int *n, void *a, const lapack_int *lda,  \
                   void *w, void *work, const lapack_int *lwork, lapack_int *iwork,                          \
                   const lapack_int *liwork, lapack_int *info, size_t jobz_length, size_t uplo_length);      \
    void x##syev_(const char *jobz, const char *uplo, const lapack_int *n, void *a, const lapack_int *lda,   \
                  void *w, void *work, const lapack_int *lwork, lapack_int *info, size_t jobz_length,        \
                  size_t uplo_length);                                                                       \
    void x##gesdd_(const char *jobz, const lapack_int *m, const lapack_int *n, void *a, const lapack_int *lda, \
                   void *s, void *u, const lapack_int *ldu, void *vt, const lapack_int *ldvt, void *work,    \
                   const lapack_int *lwork, lapack_int *iwork, lapack_int *info, size_t jobz_length);        \
    void x##orgqr_(const lapack_int *m, const lapack_int *n, const lapack_int *k, void *a,                   \
                   const lapack_int *lda, const void *tau, void *work, const lapack_int *lwork,              \
                   lapack_int *info);                                                                        \
    void x##geev_(const char *jobvl, const char *jobvr, const lapack_int *n, void *a, const lapack_int *lda, \
                  void *wr, void *wi, void *vl, const lapack_int *ldvl, void *vr, const lapack_int *ldvr,    \
                  void *work, const lapack_int *lwork, lapack_int *info, size_t jobvl_length,                \
                  size_t jobvr_length);
LAPACK_DECLARE_REAL(s)
LAPACK_DECLARE_REAL(d)

#define LAPACK_DECLARE_COMPLEX(x)                                                                            \
    void x##heevd_(const char *jobz, const char *uplo, const lapack_int *n, void *a, const lapack_int *lda,  \
                   void *w, void *work, const lapack_int *lwork, void *rwork, const lapack_int *lrwork,      \
                   lapack_int *iwork, const lapack_int *liwork, lapack_int *info, size_t jobz_length,        \
                   size_t uplo_length);                                                                      \
    void x##heev_(const char *jobz, const char *uplo, const lapack_int *n, void *a, const lapack_int *lda,   \
                  void *w, void *work, const lapack_int *lwork, void *rwork, lapack_int *info,               \
                  size_t jobz_length, size_t uplo_length);                                                   \
    void x##gesdd_(const char *jobz, const lapack_int *m, const lapack_int *n, void *a, const lapack_int *lda, \
                   void *s, void *u, const lapack_int *ldu, void *vt, const lapack_int *ldvt, void *work,    \
                   const lapack_int *lwork, void *rwork, lapack_int *iwork, lapack_int *info,                \
                   size_t jobz_length);                                                                      \
    void x##ungqr_(const lapack_int *m, const lapack_int *n, const lapack_int *k, void *a,                   \
                   const lapack_int *lda, const void *tau, void *work, const lapack_int *lwork,              \
                   lapack_int *info);                                                                        \
    void x##geev_(const char *jobvl, const char *jobvr, const lapack_int *n, void *a, const lapack_int *lda, \
                  void *w, void *vl, const lapack_int *ldvl, void *vr, const lapack_int *ldvr, void *work,   \
                  const lapack_int *lwork, void *rwork, lapack_int *info, size_t jobvl_length,               \
                  size_t jobvr_length);
LAPACK_DECLARE_COMPLEX(c)
LAPACK_DECLARE_COMPLEX(z)

#endif
