/* SPDX-License-Identifier: BSD-3-Clause
 * The elementwise loops of one dtype at one instruction set level: one per row of ops.def that has this
 * dtype, over contiguous operands of any alignment, written so that compilers vectorize them. */
#include <stdint.h>
#include "core/formula.h"
#include "cpu/loops.h"
#include "cpu/scalar.h"
#include "cpu/loop_words.h"

#define IS_HALF (GARRAY_KIND == K_FLOAT && GARRAY_WIDTH == 16)
#define IS_FLOAT32 (GARRAY_KIND == K_FLOAT && GARRAY_WIDTH == 32)
#define IS_FLOAT64 (GARRAY_KIND == K_FLOAT && GARRAY_WIDTH == 64)

/* One line of arguments fills the window in which a processor looks ahead, so those of a later block are asked for here.
 * Past the end of the array that does nothing. */
enum { AHEAD = 2048 };
static inline void ask_ahead(const void *block, int64_t bytes)
{
    for (int64_t k = 0; k < bytes; k += 64)
        __builtin_prefetch((const char *)block + AHEAD + k);
}

#if IS_FLOAT64 && defined(GARRAY_SLEEF) && defined(__x86_64__)
#include "cpu/vecmath.h"
#endif

/* ---- outputs: what the result column of ops.def means -------------------------------------------------- */
#define OUT_SAME st_any
#define OUT_BOOL garray__u8
#define OUT_REAL rt_any
#define OUT_BYTE OUT_SAME
#define OUT_INT OUT_SAME
#define SET_SAME(y, v) PUT(y, v)
#define SET_BOOL(y, v) ((y) = (garray__u8)(v))
#define SET_REAL(y, v) ((y) = (v))
#define SET_BYTE SET_SAME
#define SET_INT SET_SAME

/* Elements do not depend on each other, in place neither: "omp simd" says so. */
#define EACH(...)                                                                                           \
    _Pragma("omp simd") for (int64_t i = 0; i < n; i++) { __VA_ARGS__ }

/* ---- bodies -------------------------------------------------------------------------------------------- */
#define UNARY_PLAIN(name, result, ...)                                                                      \
    {                                                                                                       \
        OUT_##result *y = (void *)p[0];                                                                     \
        const st_any *x = (const void *)p[1];                                                               \
        EACH(const ct a = GET(x[i]); SET_##result(y[i], __VA_ARGS__);)                                      \
    }

/* One operand may be a single value, unless the formula is so long that the loop does not profit. */
#define BINARY_PLAIN(name, result, ...)                                                                     \
    {                                                                                                       \
        OUT_##result *y = (void *)p[0];                                                                     \
        const st_any *u = (const void *)p[1], *v = (const void *)p[2];                                      \
        if (!SINGLE(name) && scalars == 2) {                                                                \
            const ct a = GET(u[0]);                                                                         \
            EACH(const ct b = GET(v[i]); SET_##result(y[i], __VA_ARGS__);)                                  \
        } else if (!SINGLE(name) && scalars == 4) {                                                         \
            const ct b = GET(v[0]);                                                                         \
            EACH(const ct a = GET(u[i]); SET_##result(y[i], __VA_ARGS__);)                                  \
        } else {                                                                                            \
            EACH(const ct a = GET(u[i]); const ct b = GET(v[i]); SET_##result(y[i], __VA_ARGS__);)          \
        }                                                                                                   \
    }

/* Bounds are single values as a rule. */
#define TERNARY_PLAIN(name, result, ...)                                                                    \
    {                                                                                                       \
        OUT_##result *y = (void *)p[0];                                                                     \
        const st_any *u = (const void *)p[1], *v = (const void *)p[2], *w = (const void *)p[3];             \
        if (scalars == 12) {                                                                                \
            const ct b = GET(v[0]), c = GET(w[0]);                                                          \
            EACH(const ct a = GET(u[i]); SET_##result(y[i], __VA_ARGS__);)                                  \
        } else {                                                                                            \
            EACH(const ct a = GET(u[i]); const ct b = GET(v[i]); const ct c = GET(w[i]);                    \
                 SET_##result(y[i], __VA_ARGS__);)                                                          \
        }                                                                                                   \
    }

#define SELECT_PLAIN(name, result, ...)                                                                     \
    {                                                                                                       \
        OUT_##result *y = (void *)p[0];                                                                     \
        const garray__u8 *u = (const void *)p[1];                                                           \
        const st_any *v = (const void *)p[2], *w = (const void *)p[3];                                      \
        if (scalars == 12) {                                                                                \
            const ct b = GET(v[0]), c = GET(w[0]);                                                          \
            EACH(const int a = u[i] != 0; SET_##result(y[i], __VA_ARGS__);)                                 \
        } else if (scalars == 4) {                                                                          \
            const ct b = GET(v[0]);                                                                         \
            EACH(const int a = u[i] != 0; const ct c = GET(w[i]); SET_##result(y[i], __VA_ARGS__);)         \
        } else if (scalars == 8) {                                                                          \
            const ct c = GET(w[0]);                                                                         \
            EACH(const int a = u[i] != 0; const ct b = GET(v[i]); SET_##result(y[i], __VA_ARGS__);)         \
        } else {                                                                                            \
            EACH(const int a = u[i] != 0; const ct b = GET(v[i]); const ct c = GET(w[i]);                   \
                 SET_##result(y[i], __VA_ARGS__);)                                                          \
        }                                                                                                   \
    }

/* ---- elementary functions ------------------------------------------------------------------------------ */
/* float32: the branch-free form over a block, unless the block has one of the rare arguments. */
enum { BLOCK = 128 };
#if IS_FLOAT32
#define UNARY_ELEMENTARY(name, result, ...)                                                                 \
    {                                                                                                       \
        for (int64_t end = n; end > 0; end -= n) {                                                          \
            garray__f32 *y = (void *)(p[0] + 4 * (whole - end));                                            \
            const garray__f32 *x = (const void *)(p[1] + 4 * (whole - end));                                \
            unsigned rare = 0;                                                                              \
            n = end < BLOCK ? end : BLOCK;                                                                  \
            ask_ahead(x, n * 4);                                                                            \
            for (int64_t i = 0; i < n; i++)                                                                 \
                rare |= E_RARE_##name(x[i]);                                                                \
            if (rare)                                                                                       \
                for (int64_t i = 0; i < n; i++)                                                             \
                    y[i] = e_##name(x[i]);                                                                  \
            else                                                                                            \
                EACH(y[i] = e_##name##_fast(x[i]);)                                                         \
        }                                                                                                   \
    }
#define BINARY_ELEMENTARY(name, result, ...)                                                                \
    {                                                                                                       \
        for (int64_t end = n; end > 0; end -= n) {                                                          \
            garray__f32 *y = (void *)(p[0] + 4 * (whole - end));                                            \
            const garray__f32 *u = (const void *)(p[1] + 4 * (whole - end));                                \
            const garray__f32 *v = (const void *)(p[2] + 4 * (whole - end));                                \
            unsigned rare = 0;                                                                              \
            n = end < BLOCK ? end : BLOCK;                                                                  \
            for (int64_t i = 0; i < n; i++)                                                                 \
                rare |= E_RARE_##name(u[i], v[i]);                                                          \
            if (rare)                                                                                       \
                for (int64_t i = 0; i < n; i++)                                                             \
                    y[i] = e_##name(u[i], v[i]);                                                            \
            else                                                                                            \
                EACH(y[i] = e_##name##_fast(u[i], v[i]);)                                                   \
        }                                                                                                   \
    }
#elif IS_FLOAT64 && defined(GARRAY_VECMATH)
#define UNARY_ELEMENTARY(name, result, ...) { vector_##name((void *)p[0], (const void *)p[1], n); }
#define BINARY_ELEMENTARY(name, result, ...)                                                                \
    { vector_##name((void *)p[0], (const void *)p[1], (const void *)p[2], n); }
#else
#define UNARY_ELEMENTARY UNARY_PLAIN
#define BINARY_ELEMENTARY BINARY_PLAIN
#endif

/* ---- one function and one place in the table per row --------------------------------------------------- */
#define FUNCTION(name, ...)                                                                                 \
    static void loop_##name(char *const *p, int64_t n, unsigned scalars)                                    \
    {                                                                                                       \
        const int64_t whole = n;                                                                            \
        (void)whole;                                                                                        \
        (void)scalars;                                                                                      \
        __VA_ARGS__                                                                                         \
    }
#define UNARY_0 UNARY_PLAIN
#define UNARY_1 UNARY_ELEMENTARY
#define BINARY_0 BINARY_PLAIN
#define BINARY_1 BINARY_ELEMENTARY

#if IS_HALF
/* 16-bit floats run in float32's loops; here are only the operations that step on their own grid. */
FUNCTION(nextafter, BINARY_PLAIN(nextafter, SAME, f_nextafter(a, b)))
FUNCTION(spacing, UNARY_PLAIN(spacing, SAME, f_spacing(a)))
static garray__cpu_loop *const loops[GARRAY_CPU_ROWS] = {
    [GARRAY_CPU_ROW(GARRAY_OP_nextafter)] = loop_nextafter,
    [GARRAY_CPU_ROW(GARRAY_OP_spacing)] = loop_spacing,
};
static const uint8_t singles[GARRAY_CPU_ROWS] = {
    [GARRAY_CPU_ROW(GARRAY_OP_nextafter)] = 1,
    [GARRAY_CPU_ROW(GARRAY_OP_spacing)] = 1,
};
#else
#define GARRAY_UNARY(number, name, classes, outside, result, ...)                                           \
    WHEN_##classes(FUNCTION(name, PASTE(UNARY_, ELEMENTARY(name))(name, result, __VA_ARGS__)))
#define GARRAY_BINARY(number, name, classes, outside, result, ...)                                          \
    WHEN_##classes(FUNCTION(name, PASTE(BINARY_, ELEMENTARY(name))(name, result, __VA_ARGS__)))
#define GARRAY_TERNARY(number, name, classes, outside, result, ...)                                         \
    WHEN_##classes(FUNCTION(name, TERNARY_PLAIN(name, result, __VA_ARGS__)))
#define GARRAY_SELECT(number, name, classes, outside, result, ...)                                          \
    WHEN_##classes(FUNCTION(name, SELECT_PLAIN(name, result, __VA_ARGS__)))
#include "core/ops.def"

#define GARRAY_UNARY(number, name, classes, ...) WHEN_##classes([GARRAY_CPU_ROW(number)] = loop_##name,)
static garray__cpu_loop *const loops[GARRAY_CPU_ROWS] = {
#include "core/ops.def"
};
#define GARRAY_UNARY(number, name, ...) [GARRAY_CPU_ROW(number)] = SINGLE(name),
static const uint8_t singles[GARRAY_CPU_ROWS] = {
#include "core/ops.def"
};
#endif

extern garray__cpu_cast *const GARRAY_CAT(garray__cpu_casts, GARRAY_DT_ISA)[GARRAY_CPU_DTYPES];
const garray__cpu_dtype GARRAY_CAT(garray__cpu_dtype, GARRAY_DT_ISA) = {
    loops, singles, GARRAY_CAT(garray__cpu_casts, GARRAY_DT_ISA)
};
