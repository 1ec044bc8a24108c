/* SPDX-License-Identifier: BSD-3-Clause
 * Every row of ops.def as a function on arrays of the compute type, for the dtype given by GARRAY_KIND and
 * GARRAY_WIDTH.  check.py builds one shared object per dtype from this file and compares it with NumPy. */
#include <stddef.h>
#include <stdint.h>

#include "core/formula.h"

#define EXPORT __attribute__((visibility("default")))
#define OUT_SAME ct
#define OUT_REAL rt
#define OUT_BOOL uint8_t
#define OUT_BYTE ct
#define OUT_INT ct

#define ROW(name, A, B, C, result, ...)                                                                  \
    EXPORT void row_##name(size_t n, const A *restrict pa, const B *restrict pb, const C *restrict pc,   \
                           OUT_##result *restrict out);                                                  \
    void row_##name(size_t n, const A *restrict pa, const B *restrict pb, const C *restrict pc,          \
                    OUT_##result *restrict out)                                                          \
    {                                                                                                    \
        for (size_t i = 0; i < n; i++) {                                                                 \
            const A a = pa[i];                                                                           \
            const B b = pb[i];                                                                           \
            const C c = pc[i];                                                                           \
            (void)a, (void)b, (void)c;                                                                   \
            out[i] = __VA_ARGS__;                                                                        \
        }                                                                                                \
    }

#define GARRAY_UNARY(number, name, when, outside, result, ...) \
    WHEN_##when(ROW(name, ct, ct, ct, result, __VA_ARGS__))
#define GARRAY_SELECT(number, name, when, outside, result, ...) \
    WHEN_##when(ROW(name, uint8_t, ct, ct, result, __VA_ARGS__))
#include "core/ops.def"
