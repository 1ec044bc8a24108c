/* SPDX-License-Identifier: BSD-3-Clause
 * Runs of 16-bit floats to float and back; those of float16 are compiled once per level, in half_block_tmpl.c. */
#ifndef GARRAY_CPU_HALF_BLOCK_H
#define GARRAY_CPU_HALF_BLOCK_H

#include "cpu/cpu.h"
#include "cpu/scalar.h"

void GARRAY_ISA_NAME(garray__widen_half)(garray__f32 *to, const garray__u16 *from, int64_t n);
void GARRAY_ISA_NAME(garray__narrow_half)(garray__u16 *to, const garray__f32 *from, int64_t n);
#define garray__widen_half GARRAY_ISA_NAME(garray__widen_half)
#define garray__narrow_half GARRAY_ISA_NAME(garray__narrow_half)

static inline void garray__widen_bfloat(garray__f32 *to, const garray__u16 *from, int64_t n)
{
    _Pragma("omp simd") for (int64_t i = 0; i < n; i++)
        to[i] = garray__from_bfloat(from[i]);
}

static inline void garray__narrow_bfloat(garray__u16 *to, const garray__f32 *from, int64_t n)
{
    _Pragma("omp simd") for (int64_t i = 0; i < n; i++)
        to[i] = garray__to_bfloat(from[i]);
}

#ifdef GARRAY_KIND
static inline void garray__widen(garray__f32 *to, const garray__u16 *from, int64_t n)
{
    if (GARRAY_IS_BFLOAT16)
        garray__widen_bfloat(to, from, n);
    else
        garray__widen_half(to, from, n);
}
#endif
#endif
