/* SPDX-License-Identifier: BSD-3-Clause
 * Runs of float16 to float and back, with the processor's conversions where it has them: compilers do not vectorize
 * the scalar ones. */
#define GARRAY_HALF_BLOCK
#include "cpu/half_block.h"

void garray__widen_half(garray__f32 *to, const garray__u16 *from, int64_t n)
{
    int64_t i = 0;
#if defined(__AVX512F__)
    for (; i + 16 <= n; i += 16)
        _mm512_storeu_ps((void *)(to + i), _mm512_cvtph_ps(_mm256_loadu_si256((const void *)(from + i))));
#elif defined(__F16C__)
    for (; i + 8 <= n; i += 8)
        _mm256_storeu_ps((void *)(to + i), _mm256_cvtph_ps(_mm_loadu_si128((const void *)(from + i))));
#endif
    for (; i < n; i++)
        to[i] = garray__from_half(from[i]);
}

void garray__narrow_half(garray__u16 *to, const garray__f32 *from, int64_t n)
{
    int64_t i = 0;
#if defined(__AVX512F__)
    for (; i + 16 <= n; i += 16)
        _mm256_storeu_si256((void *)(to + i), _mm512_cvtps_ph(_mm512_loadu_ps((const void *)(from + i)), 0));
#elif defined(__F16C__)
    for (; i + 8 <= n; i += 8)
        _mm_storeu_si128((void *)(to + i), _mm256_cvtps_ph(_mm256_loadu_ps((const void *)(from + i)), 0));
#endif
    for (; i < n; i++)
        to[i] = garray__to_half(from[i]);
}
