/* SPDX-License-Identifier: BSD-3-Clause
 * Which instruction set level this processor and its operating system have, and from what size on an
 * output is written past the caches. */
#include <stdlib.h>
#include <string.h>
#include <unistd.h>
#include "cpu/cpu.h"

int garray__cpu_level;
int64_t garray__cpu_stream_size;

#if defined(__x86_64__)
/* __builtin_cpu_supports also asks whether the operating system saves the registers.  A level is there when
 * all of the instructions that the compiler may use for -march=x86-64-vN are (those that every AVX2
 * processor has apart). */
static int detect(void)
{
    __builtin_cpu_init();
    int level = GARRAY_ISA_V2;
    if (__builtin_cpu_supports("avx2") && __builtin_cpu_supports("fma") && __builtin_cpu_supports("bmi")
        && __builtin_cpu_supports("bmi2"))
        level = GARRAY_ISA_V3;
    if (level == GARRAY_ISA_V3 && __builtin_cpu_supports("avx512f") && __builtin_cpu_supports("avx512bw")
        && __builtin_cpu_supports("avx512cd") && __builtin_cpu_supports("avx512dq")
        && __builtin_cpu_supports("avx512vl"))
        level = GARRAY_ISA_V4;
    return level;
}
#endif

/* Bytes of the largest cache, or 0. */
static int64_t largest_cache(void)
{
    int64_t largest = 0;
#if defined(_SC_LEVEL3_CACHE_SIZE)
    int64_t l2 = sysconf(_SC_LEVEL2_CACHE_SIZE), l3 = sysconf(_SC_LEVEL3_CACHE_SIZE);
    largest = l3 > l2 ? l3 : l2;
#endif
    return largest > 0 ? largest : 0;
}

bool garray__cpu_isa_init(void)
{
#if defined(__x86_64__)
    static const char *const names[] = { "v2", "v3", "v4" };
    const int lowest = GARRAY_ISA_LOWEST - 2, highest = GARRAY_ISA_HIGHEST - 2;
    const char *cap = getenv("GARRAY_CPU_ISA");
    int level = detect();
    if (level < lowest)
        return false;
    level = level < highest ? level : highest;
    for (int i = 0; cap && i < level; i++)
        if (!strcmp(cap, names[i]))
            level = i < lowest ? lowest : i;
    garray__cpu_level = level;
#endif
    /* Half of the cache, within bounds: a cache shared by many cores is not ours alone, and a tiny answer
     * from a virtual machine must not send small results to memory. */
    int64_t half = largest_cache() / 2;
    garray__cpu_stream_size = half < 4 << 20 ? 4 << 20 : half > 32 << 20 ? 32 << 20 : half;
    return true;
}

const char *garray__cpu_isa_name(void)
{
#if defined(__x86_64__)
    static const char *const names[] = { "x86-64-v2", "x86-64-v3", "x86-64-v4" };
    return names[garray__cpu_level];
#else
    return "baseline";
#endif
}
