/* SPDX-License-Identifier: BSD-3-Clause
 * The kernels of scans at one instruction set level: floats of up to 32 bits run as doubles, doubles as pairs of doubles
 * (two-sum, Knuth), integers as 64-bit ones that wrap, complex parts likewise.  Each prefix is rounded on its own. */
#include <string.h>
#include "core/complex.h"
#include "core/half.h"
#include "cpu/scan.h"
#include "cpu/scan_prefix.h"

/* gcc 12 fuses the products of complex expressions when it vectorizes, even with -ffp-contract=off. */
#if defined(__GNUC__) && !defined(__clang__) && __GNUC__ >= 12
#define PRODUCT(x) __builtin_assoc_barrier(x)
#else
#define PRODUCT(x) (x)
#endif

enum { CHAINS = 8, PIECE = 512 };

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
#define INTEGER(name, type)                                                                                 \
    static inline uint64_t load_##name(const char *p) { FETCH(type, p); return (uint64_t)(int64_t)x; }      \
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

/* States, and neighbouring sequences in step.
 * W: the running state; NOTHING: its start; JOIN(a, b): a and then b; LOAD(p), STORE(p, w): an item at an address. */
#define DEFINE_SCAN(name, W, BYTES, NOTHING, LOAD, JOIN, STORE)                                             \
    static void name##_start(void *state)                                                                   \
    {                                                                                                       \
        W w = NOTHING;                                                                                      \
        memcpy(state, &w, sizeof w);                                                                        \
    }                                                                                                       \
                                                                                                            \
    static void name##_merge(void *state, const void *next)                                                 \
    {                                                                                                       \
        W a, b;                                                                                             \
        memcpy(&a, state, sizeof a);                                                                        \
        memcpy(&b, next, sizeof b);                                                                         \
        a = JOIN(a, b);                                                                                     \
        memcpy(state, &a, sizeof a);                                                                        \
    }                                                                                                       \
                                                                                                            \
    static void name##_columns(const char *in, int64_t in_row, int64_t in_column, char *out, int64_t out_row,\
                               int64_t out_column, int64_t rows, int64_t columns, garray__cpu_deliver *deliver)\
    {                                                                                                       \
        W state[GARRAY_CPU_SCAN_COLUMNS];                                                                   \
        char row[GARRAY_CPU_SCAN_COLUMNS * (BYTES)];                                                        \
        for (int64_t j = 0; j < columns; j++)                                                               \
            state[j] = NOTHING;                                                                             \
        for (int64_t i = 0; i < rows; i++, in += in_row, out += out_row) {                                  \
            if (in_column == (int64_t)(BYTES) && out_column == (int64_t)(BYTES)) {                          \
                char *to = deliver ? row : out;                                                             \
                for (int64_t k = 0; i + 1 < rows && k < columns * (int64_t)(BYTES); k += 64)                \
                    __builtin_prefetch(in + in_row + k);                                                    \
                for (int64_t j = 0; j < columns; j++) {                                                     \
                    state[j] = JOIN(state[j], LOAD(in + j * (int64_t)(BYTES)));                             \
                    STORE(to + j * (int64_t)(BYTES), state[j]);                                             \
                }                                                                                           \
                if (deliver)                                                                                \
                    deliver(out, row, columns * (int64_t)(BYTES));                                          \
            } else {                                                                                        \
                for (int64_t j = 0; j < columns; j++) {                                                     \
                    state[j] = JOIN(state[j], LOAD(in + j * in_column));                                    \
                    STORE(out + j * out_column, state[j]);                                                  \
                }                                                                                           \
            }                                                                                               \
        }                                                                                                   \
    }

/* Blocks, a piece at a time: read as numbers of type T, WIDTH of BYTES bytes an item; their prefixes; written. */
#define DEFINE_PIECES(name, T, BYTES, WIDTH, NOTHING, LOAD, STORE, PREFIX)                                  \
    static inline void name##_run(const char *in, int64_t in_step, char *out, int64_t out_step, int64_t n,  \
                                  T *inside, const T *base)                                                 \
    {                                                                                                       \
        T x[PIECE];                                                                                         \
        int64_t most = PIECE / WIDTH;                                                                       \
        for (int64_t i = 0; i < n; i += most, in += most * in_step, out = out ? out + most * out_step : out) { \
            int64_t m = n - i < most ? n - i : most, k = m * WIDTH, whole = (k + STEP - 1) / STEP * STEP;   \
            if (in_step == WIDTH * BYTES) {         /* the next piece is on its way meanwhile */            \
                for (int64_t j = 0; j < k; j++)                                                             \
                    x[j] = LOAD(in + j * BYTES);                                                            \
                for (int64_t j = 0; j < k * BYTES; j += 64)                                                 \
                    __builtin_prefetch(in + k * BYTES + j);                                                 \
            } else                                                                                          \
                for (int64_t j = 0; j < k; j++)                                                             \
                    x[j] = LOAD(in + j / WIDTH * in_step + j % WIDTH * BYTES);                              \
            for (int64_t j = k; j < whole; j++)                                                             \
                x[j] = NOTHING;                                                                             \
            PREFIX(x, whole, inside, base)                                                                  \
            if (!base)                                                                                      \
                continue;                                                                                   \
            if (out_step == WIDTH * BYTES)                                                                  \
                for (int64_t j = 0; j < k; j++)                                                             \
                    STORE(out + j * BYTES, x[j]);                                                           \
            else                                                                                            \
                for (int64_t j = 0; j < k; j++)                                                             \
                    STORE(out + j / WIDTH * out_step + j % WIDTH * BYTES, x[j]);                            \
        }                                                                                                   \
    }                                                                                                       \
                                                                                                            \
    static void name##_total(const char *in, int64_t step, int64_t n, void *state)                          \
    {                                                                                                       \
        T inside[WIDTH];                                                                                    \
        name##_start(inside);                                                                               \
        name##_run(in, step, NULL, 0, n, inside, NULL);                                                     \
        memcpy(state, inside, sizeof inside);                                                               \
    }                                                                                                       \
                                                                                                            \
    static void name##_block(const char *in, int64_t in_step, char *out, int64_t out_step, int64_t n, void *before)\
    {                                                                                                       \
        T inside[WIDTH], base[WIDTH];                                                                       \
        memcpy(base, before, sizeof base);                                                                  \
        name##_start(inside);                                                                               \
        name##_run(in, in_step, out, out_step, n, inside, base);                                            \
        name##_merge(before, inside);                                                                       \
    }
#define SUM(x, n, inside, base) prefix_sum(x, n, inside, base);
#define SUM_2(x, n, inside, base) prefix_sum_2(x, n, inside, base);
#define PROD(x, n, inside, base) prefix_prod(x, n, inside, base);
#define WORD_SUM(x, n, inside, base) prefix_word_sum(x, n, inside, base);
#define WORD_PROD(x, n, inside, base) prefix_word_prod(x, n, inside, base);

/* Pairs and complex products: a block is taken as CHAINS neighbouring parts in step, for each part alone would wait for
 * its own last result.  Prefixes of pairs in vectors took as long with AVX-512 (2.4 ns) and twice as long with SSE. */
#define DEFINE_CHAINS(name, W, BYTES, NOTHING, LOAD, JOIN, STORE)                                           \
    static inline void name##_parts(const char *in, int64_t step, int64_t n, W part[CHAINS], W *prefix)     \
    {                                                                                                       \
        int64_t length = (n + CHAINS - 1) / CHAINS, full = n - (CHAINS - 1) * length, i = 0;                \
        for (int c = 0; c < CHAINS; c++)                                                                    \
            part[c] = NOTHING;                                                                              \
        for (; i < full; i++)                                                                               \
            for (int c = 0; c < CHAINS; c++) {                                                              \
                part[c] = JOIN(part[c], LOAD(in + (c * length + i) * step));                                \
                if (prefix)                                                                                 \
                    prefix[c * length + i] = part[c];                                                       \
            }                                                                                               \
        for (; i < length; i++)                                                                             \
            for (int c = 0; c < CHAINS; c++)                                                                \
                if (c * length + i < n) {                                                                   \
                    part[c] = JOIN(part[c], LOAD(in + (c * length + i) * step));                            \
                    if (prefix)                                                                             \
                        prefix[c * length + i] = part[c];                                                   \
                }                                                                                           \
    }                                                                                                       \
                                                                                                            \
    static void name##_total(const char *in, int64_t step, int64_t n, void *state)                          \
    {                                                                                                       \
        W part[CHAINS], w;                                                                                  \
        name##_parts(in, step, n, part, NULL);                                                              \
        w = part[0];                                                                                        \
        for (int c = 1; c < CHAINS; c++)                                                                    \
            w = JOIN(w, part[c]);                                                                           \
        memcpy(state, &w, sizeof w);                                                                        \
    }                                                                                                       \
                                                                                                            \
    static void name##_block(const char *in, int64_t in_step, char *out, int64_t out_step, int64_t n, void *before)\
    {                                                                                                       \
        W prefix[GARRAY_CPU_SCAN_BLOCK], part[CHAINS], w, base, inside = NOTHING;                           \
        int64_t length = (n + CHAINS - 1) / CHAINS;                                                         \
        memcpy(&base, before, sizeof base);                                                                 \
        name##_parts(in, in_step, n, part, prefix);                                                         \
        for (int c = 0; c < CHAINS; c++) {                                                                  \
            int64_t begin = c * length < n ? c * length : n, end = begin + length < n ? begin + length : n; \
            w = JOIN(base, inside);                                                                         \
            if (out_step == (int64_t)(BYTES))                                                               \
                for (int64_t i = begin; i < end; i++)                                                       \
                    STORE(out + i * (int64_t)(BYTES), JOIN(w, prefix[i]));                                  \
            else                                                                                            \
                for (int64_t i = begin; i < end; i++)                                                       \
                    STORE(out + i * out_step, JOIN(w, prefix[i]));                                          \
            inside = c ? JOIN(inside, part[c]) : part[0];                                                   \
        }                                                                                                   \
        base = JOIN(base, inside);                                                                          \
        memcpy(before, &base, sizeof base);                                                                 \
    }

#define DEFINE_WORDS(name, bytes)                                                                           \
    DEFINE_SCAN(name##_sum, uint64_t, bytes, 0, load_##name, word_add, store_##name)                        \
    DEFINE_PIECES(name##_sum, uint64_t, bytes, 1, 0, load_##name, store_##name, WORD_SUM)                   \
    DEFINE_SCAN(name##_prod, uint64_t, bytes, 1, load_##name, word_multiply, store_##name)                  \
    DEFINE_PIECES(name##_prod, uint64_t, bytes, 1, 1, load_##name, store_##name, WORD_PROD)
#define DEFINE_SUM(name, bytes)                                                                             \
    DEFINE_SCAN(name##_sum, double, bytes, -0.0, load_##name, real_add, store_##name)                       \
    DEFINE_PIECES(name##_sum, double, bytes, 1, -0.0, load_##name, store_##name, SUM)
#define DEFINE_PROD(name, bytes)                                                                            \
    DEFINE_SCAN(name##_prod, double, bytes, 1, load_##name, real_multiply, store_##name)                    \
    DEFINE_PIECES(name##_prod, double, bytes, 1, 1, load_##name, store_##name, PROD)
#define DEFINE_COMPLEX_PROD(name, bytes)                                                                    \
    DEFINE_SCAN(name##_prod, parts, bytes, UNIT, load_##name, parts_multiply, store_##name)                 \
    DEFINE_CHAINS(name##_prod, parts, bytes, UNIT, load_##name, parts_multiply, store_##name)

DEFINE_WORDS(int8, 1)
DEFINE_WORDS(int16, 2)
DEFINE_WORDS(int32, 4)
DEFINE_WORDS(int64, 8)
DEFINE_WORDS(uint8, 1)
DEFINE_WORDS(uint16, 2)
DEFINE_WORDS(uint32, 4)
DEFINE_WORDS(uint64, 8)
DEFINE_SUM(float16, 2)
DEFINE_SUM(bfloat16, 2)
DEFINE_SUM(float32, 4)
DEFINE_PROD(float16, 2)
DEFINE_PROD(bfloat16, 2)
DEFINE_PROD(float32, 4)
DEFINE_PROD(float64, 8)
DEFINE_SCAN(float64_sum, pair, 8, NO_PAIR, load_pair, pair_join, store_pair)
DEFINE_CHAINS(float64_sum, pair, 8, NO_PAIR, load_pair, pair_join, store_pair)
DEFINE_SCAN(complex64_sum, parts, 8, NO_PARTS, load_complex64, parts_add, store_complex64)
DEFINE_PIECES(complex64_sum, double, 4, 2, -0.0, load_float32, store_float32, SUM_2)
DEFINE_SCAN(complex128_sum, pairs, 16, NO_PAIRS, load_pairs, pairs_join, store_pairs)
DEFINE_CHAINS(complex128_sum, pairs, 16, NO_PAIRS, load_pairs, pairs_join, store_pairs)
DEFINE_COMPLEX_PROD(complex64, 8)
DEFINE_COMPLEX_PROD(complex128, 16)

#define BOTH(name) ROW(name, sum, 0) ROW(name, prod, 1)
#define ROW(name, op, second)                                                                               \
    [2 * DTYPE_##name + second] = { name##_##op##_start, name##_##op##_merge, name##_##op##_total, name##_##op##_block,\
                                    name##_##op##_columns },
#define GARRAY_DTYPE(value, name, ...) enum { DTYPE_##name = value };
#include "core/dtypes.def"
#undef GARRAY_DTYPE

const garray__cpu_scans GARRAY_ISA_NAME(garray__cpu_scan_table) = { {
    BOTH(int8) BOTH(int16) BOTH(int32) BOTH(int64) BOTH(uint8) BOTH(uint16) BOTH(uint32) BOTH(uint64)
    BOTH(float16) BOTH(bfloat16) BOTH(float32) BOTH(float64) BOTH(complex64) BOTH(complex128)
} };
