/* SPDX-License-Identifier: BSD-3-Clause
 * Casts from the dtype being compiled to every dtype, contiguous to contiguous: integers wrap, floats to
 * integers saturate and NaN becomes 0, real to 16-bit floats rounds once to nearest even.  Compiled per
 * dtype and level. */
#include <stdint.h>
#include "cpu/loops.h"
#include "cpu/scalar.h"
#include "cpu/half_block.h"

#define FROM_HALF (GARRAY_KIND == K_FLOAT && GARRAY_WIDTH == 16)

/* ---- one value ----------------------------------------------------------------------------------------- */
/* The real number to convert: integers as they are, floats as float or double, complex without its
 * imaginary part. */
#if GARRAY_KIND == K_COMPLEX
#define REAL(v) ((v).re)
#define IMAGINARY(v) ((v).im)
#define TRUTH(v) (((v).re != 0) | ((v).im != 0))
#else
#define REAL(v) (v)
#define IMAGINARY(v) 0
#define TRUTH(v) ((v) != 0)
#endif

#if GARRAY_KIND == K_FLOAT || GARRAY_KIND == K_COMPLEX
/* limit is one more than the type's greatest value, a power of two, so exact in any float. */
#define TO_SINT(bits, v)                                                                                    \
    ((v) >= (rt)((uint64_t)1 << (bits - 1)) ? INT##bits##_MAX                                               \
     : (v) < -(rt)((uint64_t)1 << (bits - 1)) ? INT##bits##_MIN : (v) == (v) ? (int##bits##_t)(v) : 0)
#define TO_UINT(bits, v)                                                                                    \
    ((v) >= (rt)((uint64_t)1 << (bits - 1)) * 2 ? UINT##bits##_MAX : (v) > -1 ? (uint##bits##_t)(v) : 0)
#else
#define TO_SINT(bits, v) ((int##bits##_t)(v))
#define TO_UINT(bits, v) ((uint##bits##_t)(v))
#endif

/* A value as a float that rounds to the same 16-bit float as the value itself. */
#if GARRAY_KIND == K_FLOAT || GARRAY_KIND == K_COMPLEX
#if GARRAY_WIDTH == 64
#define NEAR(v) garray__double_to_odd(v)
#else
#define NEAR(v) (v)
#endif
#elif GARRAY_KIND != K_BOOL && GARRAY_WIDTH == 64
static inline float near_int64(ct v)
{
    /* Beyond 48 bits, which a double holds, the upper 52 suffice when their last one tells whether anything
     * was below. */
    const ct top = v >> 48, high = (ct)((uint64_t)v & ~(uint64_t)0xfff) | (ct)((v & 0xfff) != 0 ? 0x1000 : 0);
    return garray__double_to_odd((double)(top == 0 || top == (ct)-1 ? v : high));
}
#define NEAR(v) near_int64(v)
#elif GARRAY_KIND != K_BOOL && GARRAY_WIDTH == 32
#define NEAR(v) garray__double_to_odd((double)(v))
#else
#define NEAR(v) ((float)(v))
#endif

/* ---- loops --------------------------------------------------------------------------------------------- */
/* 16-bit sources are widened a chunk at a time, 16-bit targets narrowed so. */
enum { CHUNK = 512 };

#define SET(y, expression) ((y) = (expression))
#if FROM_HALF
#define FOR_EACH(T, expression)                                                                             \
    T *y = to;                                                                                              \
    for (int64_t begin = 0; begin < n; begin += CHUNK) {                                                    \
        float wide[CHUNK];                                                                                  \
        int64_t m = n - begin < CHUNK ? n - begin : CHUNK;                                                  \
        garray__widen(wide, (const st_any *)from + begin, m);                                               \
        _Pragma("omp simd") for (int64_t i = 0; i < m; i++) {                                               \
            const float v = wide[i];                                                                        \
            SET(y[begin + i], expression);                                                                  \
        }                                                                                                   \
    }
#else
#define FOR_EACH(T, expression)                                                                             \
    T *y = to;                                                                                              \
    const st_any *x = from;                                                                                 \
    _Pragma("omp simd") for (int64_t i = 0; i < n; i++) {                                                   \
        const ct v = GET(x[i]);                                                                             \
        SET(y[i], expression);                                                                              \
    }
#endif

/* Through float to a 16-bit float. */
#define FOR_EACH_NARROW(narrow)                                                                             \
    garray__u16 *y16 = to;                                                                                  \
    const st_any *source = from;                                                                            \
    for (int64_t begin = 0; begin < n; begin += CHUNK) {                                                    \
        float near[CHUNK];                                                                                  \
        int64_t m = n - begin < CHUNK ? n - begin : CHUNK;                                                  \
        to_near(near, source + begin, m);                                                                   \
        narrow(y16 + begin, near, m);                                                                       \
    }

#if !(GARRAY_KIND == K_FLOAT && GARRAY_WIDTH == 32)
static void to_near(float *to, const st_any *from, int64_t n)
{
#if FROM_HALF
    garray__widen(to, from, n);
#else
    _Pragma("omp simd") for (int64_t i = 0; i < n; i++) {
        const ct v = GET(from[i]);
        to[i] = NEAR(REAL(v));
    }
#endif
}
#endif

#define CAST(name, T, expression)                                                                           \
    static void to_##name(void *to, const void *from, int64_t n) { FOR_EACH(T, expression) }
#define CAST_NARROW(name, narrow)                                                                           \
    static void to_##name(void *to, const void *from, int64_t n) { FOR_EACH_NARROW(narrow) }

typedef int16_t __attribute__((aligned(1), may_alias)) i16_any;
typedef int32_t __attribute__((aligned(1), may_alias)) i32_any;
typedef int64_t __attribute__((aligned(1), may_alias)) i64_any;
typedef uint32_t __attribute__((aligned(1), may_alias)) u32_any;
typedef uint64_t __attribute__((aligned(1), may_alias)) u64_any;
typedef int8_t __attribute__((may_alias)) i8_any;
typedef struct c64_any {
    float re, im;
} __attribute__((packed, may_alias)) c64_any;
typedef struct c128_any {
    double re, im;
} __attribute__((packed, may_alias)) c128_any;

CAST(bool, garray__u8, TRUTH(v))
CAST(int8, i8_any, TO_SINT(8, REAL(v)))
CAST(int16, i16_any, TO_SINT(16, REAL(v)))
CAST(int32, i32_any, TO_SINT(32, REAL(v)))
CAST(int64, i64_any, TO_SINT(64, REAL(v)))
CAST(uint8, garray__u8, TO_UINT(8, REAL(v)))
CAST(uint16, garray__u16, TO_UINT(16, REAL(v)))
CAST(uint32, u32_any, TO_UINT(32, REAL(v)))
CAST(uint64, u64_any, TO_UINT(64, REAL(v)))
/* Between float32 and 16-bit floats there is nothing in the middle. */
#if GARRAY_KIND == K_FLOAT && GARRAY_WIDTH == 32
static void to_float16(void *to, const void *from, int64_t n) { garray__narrow_half(to, from, n); }
static void to_bfloat16(void *to, const void *from, int64_t n) { garray__narrow_bfloat(to, from, n); }
#else
CAST_NARROW(float16, garray__narrow_half)
CAST_NARROW(bfloat16, garray__narrow_bfloat)
#endif
#if FROM_HALF
static void to_float32(void *to, const void *from, int64_t n) { garray__widen(to, from, n); }
#else
CAST(float32, garray__f32, (float)REAL(v))
#endif
CAST(float64, garray__f64, (double)REAL(v))
#undef SET
#define SET(y, expression) ((y).re = (expression), (y).im = IMAGINARY(v))
CAST(complex64, c64_any, (float)REAL(v))
CAST(complex128, c128_any, (double)REAL(v))

#define GARRAY_DTYPE(value, name, ...) [value] = to_##name,
extern garray__cpu_cast *const GARRAY_CAT(garray__cpu_casts, GARRAY_DT_ISA)[GARRAY_CPU_DTYPES];
garray__cpu_cast *const GARRAY_CAT(garray__cpu_casts, GARRAY_DT_ISA)[GARRAY_CPU_DTYPES] = {
#include "core/dtypes.def"
};
