/* SPDX-License-Identifier: BSD-3-Clause
 * The width of vectors at the instruction set level being compiled. */
#ifndef GARRAY_CPU_VECTOR_BYTES_H
#define GARRAY_CPU_VECTOR_BYTES_H

#if defined(__AVX512F__)
#define VECTOR_BYTES 64
#elif defined(__AVX2__)
#define VECTOR_BYTES 32
#else
#define VECTOR_BYTES 16
#endif

#endif
