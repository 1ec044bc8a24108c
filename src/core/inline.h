/* SPDX-License-Identifier: BSD-3-Clause
 * How functions of text that C and CUDA share are declared; a program may declare them in its own way. */
#ifndef GARRAY_CORE_INLINE_H
#define GARRAY_CORE_INLINE_H

/* In C an inline function per translation unit; on the GPU always part of its kernel. */
#ifndef GARRAY_FN
#ifdef __CUDACC__
#define GARRAY_FN static __device__ __forceinline__
#else
#define GARRAY_FN static inline
#endif
#endif

/* Constants of a polynomial, before their name: on a GPU an operand in constant memory costs nothing, a literal one or two
 * moves at each use. */
#ifndef GARRAY_TABLE
#ifdef __CUDACC__
#define GARRAY_TABLE static __constant__ double
#else
#define GARRAY_TABLE static const double
#endif
#endif

/* For long functions: on the GPU a call costs less than a copy of the body in every kernel. */
#ifndef GARRAY_LONG_FN
#ifdef __CUDACC__
#define GARRAY_LONG_FN static __device__ __noinline__
#else
#define GARRAY_LONG_FN static inline
#endif
#endif

#endif
