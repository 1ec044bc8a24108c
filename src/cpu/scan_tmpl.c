/* SPDX-License-Identifier: BSD-3-Clause
 * The kernels of scans at one instruction set level: floats of up to 32 bits run as doubles, doubles as pairs of doubles
 * (two-sum, Knuth), integers as 64-bit ones that wrap, complex parts likewise.  Each prefix is rounded on its own. */
#include <string.h>
#include "core/complex.h"
#include "core/half.h"
#include "cpu/scan.h"

enum { CHAINS = 8 };

/* ---- states ---- */
typedef struct pair { double high, low; } pair;
typedef struct parts { double re, im; } parts;
typedef struct pairs { pair re, im; } pairs;

static inline pair pair_join(pair a, pair b)
{
    double s = a.high + b.high, t = s - a.high, e = (a.high - (s - t)) + (b.high - t);
    /* an infinity or NaN has no error term */
    double low = a.low + b.low + e;
    pair r = { s, low - low == 0 ? low : 0 };
    return r;
}
static inline double real_add(double a, double b) { return a + b; }
static inline double real_multiply(double a, double b) { return a * b; }
static inline uint64_t word_add(uint64_t a, uint64_t b) { return a + b; }
static inline uint64_t word_multiply(uint64_t a, uint64_t b) { return a * b; }
static inline parts parts_add(parts a, parts b) { parts r = { a.re + b.re, a.im + b.im }; return r; }
/* gcc 12 fuses the products of complex expressions when it vectorizes, even with -ffp-contract=off. */
#if defined(__GNUC__) && !defined(__clang__) && __GNUC__ >= 12
#define PRODUCT(x) __builtin_assoc_barrier(x)
#else
#define PRODUCT(x) (x)
#endif
static inline parts parts_multiply(parts a, parts b)
{
    parts r = { PRODUCT(a.re * b.re) - PRODUCT(a.im * b.im), PRODUCT(a.re * b.im) + PRODUCT(a.im * b.re) };
    return r;
}
static inline pairs pairs_join(pairs a, pairs b) { pairs r = { pair_join(a.re, b.re), pair_join(a.im, b.im) }; return r; }

/* ---- items ---- */
#define FETCH(type, p) type x; memcpy(&x, p, sizeof x)
static inline double load_float16(const char *p) { FETCH(uint16_t, p); return (double)garray__half_to_float(x); }
static inline double load_bfloat16(const char *p) { FETCH(uint16_t, p); return (double)garray__bfloat_to_float(x); }
static inline double load_float32(const char *p) { FETCH(float, p); return (double)x; }
static inline double load_float64(const char *p) { FETCH(double, p); return x; }
static inline parts load_complex64(const char *p) { FETCH(garray__c64, p); parts r = { (double)x.re, (double)x.im }; return r; }
static inline parts load_complex128(const char *p) { FETCH(garray__c128, p); parts r = { x.re, x.im }; return r; }
static inline pair load_pair(const char *p) { pair r = { load_float64(p), 0 }; return r; }
static inline pairs load_pairs(const char *p) { FETCH(garray__c128, p); pairs r = { { x.re, 0 }, { x.im, 0 } }; return r; }
static inline void store_float16(char *p, double v) { uint16_t x = garray__double_to_half(v); memcpy(p, &x, 2); }
static inline void store_bfloat16(char *p, double v) { uint16_t x = garray__double_to_bfloat(v); memcpy(p, &x, 2); }
static inline void store_float32(char *p, double v) { float x = (float)v; memcpy(p, &x, 4); }
static inline void store_float64(char *p, double v) { memcpy(p, &v, 8); }
static inline void store_pair(char *p, pair v) { store_float64(p, v.low != 0 ? v.high + v.low : v.high); }
static inline void store_complex64(char *p, parts v) { garray__c64 x = { (float)v.re, (float)v.im }; memcpy(p, &x, 8); }
static inline void store_complex128(char *p, parts v) { memcpy(p, &v, 16); }
static inline void store_pairs(char *p, pairs v) { store_pair(p, v.re); store_pair(p + 8, v.im); }
#define INTEGER(name, type)                                                                              \
    static inline uint64_t load_##name(const char *p) { FETCH(type, p); return (uint64_t)(int64_t)x; }   \
    static inline void store_##name(char *p, uint64_t v) { type x = (type)v; memcpy(p, &x, sizeof x); }
INTEGER(int8, int8_t)
INTEGER(int16, int16_t)
INTEGER(int32, int32_t)
INTEGER(int64, int64_t)
INTEGER(uint8, uint8_t)
INTEGER(uint16, uint16_t)
INTEGER(uint32, uint32_t)
INTEGER(uint64, uint64_t)

/* ---- kernels ---- */

/* -0 + x is x for every x: a sum of -0 alone stays -0. */
#define NO_PAIR ((pair){ -0.0, 0 })
#define NO_PAIRS ((pairs){ { -0.0, 0 }, { -0.0, 0 } })
#define NO_PARTS ((parts){ -0.0, -0.0 })
#define UNIT ((parts){ 1, 0 })

/* A block is taken as CHAINS neighbouring parts in step: each part alone would wait for its own last addition.
 * W: the running state; NOTHING: its start; JOIN(a, b): a and then b; LOAD(p), STORE(p, w): an item at an address. */
#define DEFINE_SCAN(name, W, BYTES, NOTHING, LOAD, JOIN, STORE)                                                             \
    static void name##_start(void *state)                                                                                   \
    {                                                                                                                       \
        W w = NOTHING;                                                                                                      \
        memcpy(state, &w, sizeof w);                                                                                        \
    }                                                                                                                       \
                                                                                                                            \
    static void name##_merge(void *state, const void *next)                                                                 \
    {                                                                                                                       \
        W a, b;                                                                                                             \
        memcpy(&a, state, sizeof a);                                                                                        \
        memcpy(&b, next, sizeof b);                                                                                         \
        a = JOIN(a, b);                                                                                                     \
        memcpy(state, &a, sizeof a);                                                                                        \
    }                                                                                                                       \
                                                                                                                            \
    static inline void name##_parts(const char *in, int64_t step, int64_t n, W part[CHAINS], W *prefix)                     \
    {                                                                                                                       \
        int64_t length = (n + CHAINS - 1) / CHAINS;                                                                         \
        for (int c = 0; c < CHAINS; c++)                                                                                    \
            part[c] = NOTHING;                                                                                              \
        int64_t full = n - (CHAINS - 1) * length;                                                                           \
        int64_t i = 0;                                                                                                      \
        for (; i < full; i++)                                                                                               \
            for (int c = 0; c < CHAINS; c++) {                                                                              \
                part[c] = JOIN(part[c], LOAD(in + (c * length + i) * step));                                                \
                if (prefix)                                                                                                 \
                    prefix[c * length + i] = part[c];                                                                       \
            }                                                                                                               \
        for (; i < length; i++)                                                                                             \
            for (int c = 0; c < CHAINS; c++)                                                                                \
                if (c * length + i < n) {                                                                                   \
                    part[c] = JOIN(part[c], LOAD(in + (c * length + i) * step));                                            \
                    if (prefix)                                                                                             \
                        prefix[c * length + i] = part[c];                                                                   \
                }                                                                                                           \
    }                                                                                                                       \
                                                                                                                            \
    static void name##_total(const char *in, int64_t step, int64_t n, void *state)                                          \
    {                                                                                                                       \
        W part[CHAINS], w;                                                                                                  \
        name##_parts(in, step, n, part, NULL);                                                                              \
        w = part[0];                                                                                                        \
        for (int c = 1; c < CHAINS; c++)                                                                                    \
            w = JOIN(w, part[c]);                                                                                           \
        memcpy(state, &w, sizeof w);                                                                                        \
    }                                                                                                                       \
                                                                                                                            \
    static void name##_block(const char *in, int64_t in_step, char *out, int64_t out_step, int64_t n, void *before)         \
    {                                                                                                                       \
        W prefix[GARRAY_CPU_SCAN_BLOCK], part[CHAINS], w, base, inside = NOTHING;                                           \
        int64_t length = (n + CHAINS - 1) / CHAINS;                                                                         \
        memcpy(&base, before, sizeof base);                                                                                 \
        name##_parts(in, in_step, n, part, prefix);                                                                         \
        for (int c = 0; c < CHAINS; c++) {                                                                                  \
            int64_t begin = c * length < n ? c * length : n, end = begin + length < n ? begin + length : n;                 \
            w = JOIN(base, inside);                                                                                         \
            if (out_step == (int64_t)(BYTES))                                                                               \
                for (int64_t i = begin; i < end; i++)                                                                       \
                    STORE(out + i * (int64_t)(BYTES), JOIN(w, prefix[i]));                                                  \
            else                                                                                                            \
                for (int64_t i = begin; i < end; i++)                                                                       \
                    STORE(out + i * out_step, JOIN(w, prefix[i]));                                                          \
            inside = c ? JOIN(inside, part[c]) : part[0];                                                                   \
        }                                                                                                                   \
        base = JOIN(base, inside);                                                                                          \
        memcpy(before, &base, sizeof base);                                                                                 \
    }                                                                                                                       \
                                                                                                                            \
    static void name##_columns(const char *in, int64_t in_row, int64_t in_column, char *out, int64_t out_row, int64_t out_column,\
                              int64_t rows, int64_t columns)                                                                \
    {                                                                                                                       \
        W state[GARRAY_CPU_SCAN_COLUMNS];                                                                                   \
        for (int64_t j = 0; j < columns; j++)                                                                               \
            state[j] = NOTHING;                                                                                             \
        for (int64_t i = 0; i < rows; i++, in += in_row, out += out_row) {                                                  \
            if (in_column == (int64_t)(BYTES) && out_column == (int64_t)(BYTES)) {                                          \
                for (int64_t j = 0; j < columns; j++) {                                                                     \
                    state[j] = JOIN(state[j], LOAD(in + j * (int64_t)(BYTES)));                                             \
                    STORE(out + j * (int64_t)(BYTES), state[j]);                                                            \
                }                                                                                                           \
            } else {                                                                                                        \
                for (int64_t j = 0; j < columns; j++) {                                                                     \
                    state[j] = JOIN(state[j], LOAD(in + j * in_column));                                                    \
                    STORE(out + j * out_column, state[j]);                                                                  \
                }                                                                                                           \
            }                                                                                                               \
        }                                                                                                                   \
    }

DEFINE_SCAN(int8_sum, uint64_t, 1, 0, load_int8, word_add, store_int8)
DEFINE_SCAN(int8_prod, uint64_t, 1, 1, load_int8, word_multiply, store_int8)
DEFINE_SCAN(int16_sum, uint64_t, 2, 0, load_int16, word_add, store_int16)
DEFINE_SCAN(int16_prod, uint64_t, 2, 1, load_int16, word_multiply, store_int16)
DEFINE_SCAN(int32_sum, uint64_t, 4, 0, load_int32, word_add, store_int32)
DEFINE_SCAN(int32_prod, uint64_t, 4, 1, load_int32, word_multiply, store_int32)
DEFINE_SCAN(int64_sum, uint64_t, 8, 0, load_int64, word_add, store_int64)
DEFINE_SCAN(int64_prod, uint64_t, 8, 1, load_int64, word_multiply, store_int64)
DEFINE_SCAN(uint8_sum, uint64_t, 1, 0, load_uint8, word_add, store_uint8)
DEFINE_SCAN(uint8_prod, uint64_t, 1, 1, load_uint8, word_multiply, store_uint8)
DEFINE_SCAN(uint16_sum, uint64_t, 2, 0, load_uint16, word_add, store_uint16)
DEFINE_SCAN(uint16_prod, uint64_t, 2, 1, load_uint16, word_multiply, store_uint16)
DEFINE_SCAN(uint32_sum, uint64_t, 4, 0, load_uint32, word_add, store_uint32)
DEFINE_SCAN(uint32_prod, uint64_t, 4, 1, load_uint32, word_multiply, store_uint32)
DEFINE_SCAN(uint64_sum, uint64_t, 8, 0, load_uint64, word_add, store_uint64)
DEFINE_SCAN(uint64_prod, uint64_t, 8, 1, load_uint64, word_multiply, store_uint64)
DEFINE_SCAN(float16_sum, double, 2, -0.0, load_float16, real_add, store_float16)
DEFINE_SCAN(float16_prod, double, 2, 1, load_float16, real_multiply, store_float16)
DEFINE_SCAN(bfloat16_sum, double, 2, -0.0, load_bfloat16, real_add, store_bfloat16)
DEFINE_SCAN(bfloat16_prod, double, 2, 1, load_bfloat16, real_multiply, store_bfloat16)
DEFINE_SCAN(float32_sum, double, 4, -0.0, load_float32, real_add, store_float32)
DEFINE_SCAN(float32_prod, double, 4, 1, load_float32, real_multiply, store_float32)
DEFINE_SCAN(float64_sum, pair, 8, NO_PAIR, load_pair, pair_join, store_pair)
DEFINE_SCAN(float64_prod, double, 8, 1, load_float64, real_multiply, store_float64)
DEFINE_SCAN(complex64_sum, parts, 8, NO_PARTS, load_complex64, parts_add, store_complex64)
DEFINE_SCAN(complex64_prod, parts, 8, UNIT, load_complex64, parts_multiply, store_complex64)
DEFINE_SCAN(complex128_sum, pairs, 16, NO_PAIRS, load_pairs, pairs_join, store_pairs)
DEFINE_SCAN(complex128_prod, parts, 16, UNIT, load_complex128, parts_multiply, store_complex128)

#define BOTH(name) ROW(name, sum, 0) ROW(name, prod, 1)
#define ROW(name, op, second)                                                                             \
    [2 * DTYPE_##name + second] = { name##_##op##_start, name##_##op##_merge, name##_##op##_total, name##_##op##_block, \
                                    name##_##op##_columns },
#define GARRAY_DTYPE(value, name, ...) enum { DTYPE_##name = value };
#include "core/dtypes.def"
#undef GARRAY_DTYPE

const garray__cpu_scans GARRAY_ISA_NAME(garray__cpu_scan_table) = { {
    BOTH(int8) BOTH(int16) BOTH(int32) BOTH(int64) BOTH(uint8) BOTH(uint16) BOTH(uint32) BOTH(uint64)
    BOTH(float16) BOTH(bfloat16) BOTH(float32) BOTH(float64) BOTH(complex64) BOTH(complex128)
} };
