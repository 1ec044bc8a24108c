/* SPDX-License-Identifier: BSD-3-Clause
 * Matrix products in registers: tiles of 4 rows by one or two vectors, over packed panels of a and b.  Integers wrap,
 * so signed ones are multiplied as unsigned; bool is or of ands. */
#include <string.h>
#include "cpu/lanes.h"
#include "cpu/matmul.h"
#if defined(__FMA__)
#include <immintrin.h>
#endif

enum { ROWS = 4, DEEP = 256, HIGH = 32 };       /* rows of a tile; depth and height of a panel of a */

/* The library may be called with little stack: the panels of the widest item are 64 KB and 32 KB. */
#define ADD_PRODUCT(T, s, a, b) ((s) + (a) * (b))
#define OR_AND(T, s, a, b) ((s) | ((a) & (b)))
#if defined(__AVX512F__)
#define FUSED_float(T, s, a, b) ((vector_float)_mm512_fmadd_ps((__m512)(a), (__m512)(b), (__m512)(s)))
#define FUSED_double(T, s, a, b) ((vector_double)_mm512_fmadd_pd((__m512d)(a), (__m512d)(b), (__m512d)(s)))
#elif defined(__FMA__)
#define FUSED_float(T, s, a, b) ((vector_float)_mm256_fmadd_ps((__m256)(a), (__m256)(b), (__m256)(s)))
#define FUSED_double(T, s, a, b) ((vector_double)_mm256_fmadd_pd((__m256d)(a), (__m256d)(b), (__m256d)(s)))
#else
#define FUSED_float ADD_PRODUCT
#define FUSED_double ADD_PRODUCT
#endif
#define PLAIN(v) (v)
#define TRUTH(v) ((v) != 0)
#define OF_DOUBLE_float(v) ((float)(v))
#define OF_DOUBLE_double(v) (v)
#define OF_DOUBLE_uint8_t(v) ((uint8_t)(int64_t)(v))
#define OF_DOUBLE_uint16_t(v) ((uint16_t)(int64_t)(v))
#define OF_DOUBLE_uint32_t(v) ((uint32_t)(int64_t)(v))
#define OF_DOUBLE_uint64_t(v) ((uint64_t)(int64_t)(v))
#define STORE_FLOAT(T, c, s, alpha, beta) ((c) = (beta) == 0 ? (alpha) * (s) : (alpha) * (s) + (beta) * (c))
#define STORE_INT(T, c, s, alpha, beta) ((c) = (T)((uint64_t)(alpha) * (s) + (uint64_t)(beta) * ((beta) ? (c) : 0)))
#define STORE_TRUTH(T, c, s, alpha, beta) ((c) = ((alpha) != 0 && (s) != 0) || ((beta) != 0 && (c) != 0))

#define VECTOR_OF(T)                                                                                         \
    typedef T vector_##T __attribute__((vector_size(VECTOR_BYTES)));
VECTOR_OF(float)
VECTOR_OF(double)
VECTOR_OF(uint8_t)
VECTOR_OF(uint16_t)
VECTOR_OF(uint32_t)
VECTOR_OF(uint64_t)

/* A tile: an item of each of 4 rows of a per step of k, `wide` vectors of b. */
#define TILE(name, T, step, wide)                                                                            \
    static inline void tile_##wide##_##name(T *out, const T *const *row, int64_t next, const T *b, int64_t k) \
    {                                                                                                        \
        const T *a0 = row[0], *a1 = row[1], *a2 = row[2], *a3 = row[3];                                      \
        vector_##T s[ROWS][wide];                                                                            \
        for (int r = 0; r < ROWS; r++)                                                                       \
            for (int w = 0; w < wide; w++)                                                                   \
                s[r][w] = (vector_##T){ 0 };                                                                 \
        for (int64_t i = 0; i < k; i++, b += wide * (VECTOR_BYTES / sizeof(T))) {                            \
            vector_##T v[wide];                                                                              \
            memcpy(v, b, sizeof v);                                                                          \
            for (int w = 0; w < wide; w++) {                                                                 \
                s[0][w] = step(T, s[0][w], (vector_##T){ 0 } + a0[i * next], v[w]);                          \
                s[1][w] = step(T, s[1][w], (vector_##T){ 0 } + a1[i * next], v[w]);                          \
                s[2][w] = step(T, s[2][w], (vector_##T){ 0 } + a2[i * next], v[w]);                          \
                s[3][w] = step(T, s[3][w], (vector_##T){ 0 } + a3[i * next], v[w]);                          \
            }                                                                                                \
        }                                                                                                    \
        memcpy(out, s, sizeof s);                                                                            \
    }

/* Small matrices are read where they are (raw), larger ones from a panel of a.  Rows of a tile beyond the last are
 * the last row again. */
#define PRODUCT(name, T, step, value, raw, store)                                                            \
    TILE(name, T, step, 1)                                                                                   \
    TILE(name, T, step, 2)                                                                                   \
    static inline void pack_a_##name(T *to, const T *a, int64_t row, int64_t col, int64_t m, int64_t k)      \
    {                                                                                                        \
        for (int64_t i = 0; i < m; i += ROWS)                                                                \
            for (int r = 0; r < ROWS; r++) {                                                                 \
                const T *from = a + (i + r < m ? i + r : m - 1) * row;                                       \
                for (int64_t j = 0; j < k; j++)                                                              \
                    to[i * DEEP + j * ROWS + r] = (T)value(from[j * col]);                                   \
            }                                                                                                \
    }                                                                                                        \
    static inline void pack_b_##name(T *to, const T *b, int64_t row, int64_t col, int64_t n, int64_t k,      \
                                     int64_t width)                                                          \
    {                                                                                                        \
        if (n < width)                                                                                       \
            memset(to, 0, (size_t)(k * width) * sizeof(T));                                                  \
        for (int64_t i = 0; i < k; i++, b += row, to += width)                                               \
            if (col == 1 && n == width)                                                                      \
                for (int64_t j = 0; j < width; j++)                                                          \
                    to[j] = (T)value(b[j]);                                                                  \
            else                                                                                             \
                for (int64_t j = 0; j < n; j++)                                                              \
                    to[j] = (T)value(b[j * col]);                                                            \
    }                                                                                                        \
    static void product_##name(const garray__product *p)                                                     \
    {                                                                                                        \
        enum { VECTOR = VECTOR_BYTES / sizeof(T) };                                                          \
        _Alignas(64) T a_panel[HIGH * DEEP], b_panel[DEEP * 2 * VECTOR], tile[ROWS * 2 * VECTOR];            \
        int64_t width = p->n <= VECTOR ? VECTOR : 2 * VECTOR;                                                \
        bool direct = raw && p->m <= HIGH && p->k <= HIGH;                                                   \
        for (int64_t k0 = 0; k0 < p->k; k0 += DEEP) {                                                        \
            int64_t k = p->k - k0 < DEEP ? p->k - k0 : DEEP;                                                 \
            T alpha = OF_DOUBLE_##T(p->alpha), beta = k0 ? (T)1 : OF_DOUBLE_##T(p->beta);                    \
            for (int64_t i0 = 0; i0 < p->m; i0 += HIGH) {                                                    \
                int64_t m = p->m - i0 < HIGH ? p->m - i0 : HIGH;                                             \
                const T *a = (const T *)p->a + i0 * p->a_row + k0 * p->a_col;                                \
                if (!direct)                                                                                 \
                    pack_a_##name(a_panel, a, p->a_row, p->a_col, m, k);                                     \
                for (int64_t j0 = 0; j0 < p->n; j0 += width) {                                               \
                    int64_t n = p->n - j0 < width ? p->n - j0 : width;                                       \
                    pack_b_##name(b_panel, (const T *)p->b + k0 * p->b_row + j0 * p->b_col, p->b_row,        \
                                  p->b_col, n, k, width);                                                    \
                    for (int64_t i = 0; i < m; i += ROWS) {                                                  \
                        const T *row[ROWS];                                                                  \
                        for (int r = 0; r < ROWS; r++)                                                       \
                            row[r] = direct ? a + (i + r < m ? i + r : m - 1) * p->a_row                     \
                                            : a_panel + i * DEEP + r;                                        \
                        if (width == VECTOR)                                                                 \
                            tile_1_##name(tile, row, direct ? p->a_col : ROWS, b_panel, k);                  \
                        else                                                                                 \
                            tile_2_##name(tile, row, direct ? p->a_col : ROWS, b_panel, k);                  \
                        for (int64_t r = 0; r < ROWS && i + r < m; r++) {                                    \
                            T *c = (T *)p->c + (i0 + i + r) * p->c_row + j0;                                 \
                            if (alpha == 1 && beta == 0)                                                     \
                                memcpy(c, tile + r * width, (size_t)n * sizeof(T));                          \
                            else                                                                             \
                                for (int64_t j = 0; j < n; j++)                                              \
                                    store(T, c[j], tile[r * width + j], alpha, beta);                        \
                        }                                                                                    \
                    }                                                                                        \
                }                                                                                            \
            }                                                                                                \
        }                                                                                                    \
    }

/* Up to NARROW columns of integers: sums along k, which is contiguous in a; each column of b is copied first. */
enum { NARROW = 4, LONG = 4096 };
#define NARROW_PRODUCT(name, T, step, value, store)                                                          \
    static void narrow_##name(const garray__product *p)                                                      \
    {                                                                                                        \
        T b[LONG];                                                                                           \
        if (p->n > NARROW || p->a_col != 1 || p->m < 2) {                                                    \
            product_##name(p);                                                                               \
            return;                                                                                          \
        }                                                                                                    \
        for (int64_t j = 0; j < p->n; j++)                                                                   \
            for (int64_t k0 = 0; k0 < p->k; k0 += LONG) {                                                    \
                int64_t k = p->k - k0 < LONG ? p->k - k0 : LONG;                                             \
                T alpha = OF_DOUBLE_##T(p->alpha), beta = k0 ? (T)1 : OF_DOUBLE_##T(p->beta);                \
                for (int64_t i = 0; i < k; i++)                                                              \
                    b[i] = (T)value(((const T *)p->b)[(k0 + i) * p->b_row + j * p->b_col]);                  \
                for (int64_t i = 0; i < p->m; i++) {                                                         \
                    const T *a = (const T *)p->a + i * p->a_row + k0;                                        \
                    T s = 0;                                                                                 \
                    for (int64_t l = 0; l < k; l++)                                                          \
                        s = (T)step(T, s, (uint64_t)value(a[l]), b[l]);                                      \
                    store(T, ((T *)p->c)[i * p->c_row + j], s, alpha, beta);                                 \
                }                                                                                            \
            }                                                                                                \
    }

PRODUCT(float, float, FUSED_float, PLAIN, true, STORE_FLOAT)
PRODUCT(double, double, FUSED_double, PLAIN, true, STORE_FLOAT)
PRODUCT(truth, uint8_t, OR_AND, TRUTH, false, STORE_TRUTH)
PRODUCT(8, uint8_t, ADD_PRODUCT, PLAIN, true, STORE_INT)
PRODUCT(16, uint16_t, ADD_PRODUCT, PLAIN, true, STORE_INT)
PRODUCT(32, uint32_t, ADD_PRODUCT, PLAIN, true, STORE_INT)
PRODUCT(64, uint64_t, ADD_PRODUCT, PLAIN, true, STORE_INT)

/* ---- small products of floats: no panels, partial vectors of b and c ----------------------------------- */
/* Some leading items of a vector; the others are 0, and are not touched in memory. */
#if defined(__AVX512F__)
#define PART(n, T) ((1u << (n)) - 1)
#define LOAD_PART_float(p, m) ((vector_float)_mm512_maskz_loadu_ps((__mmask16)(m), p))
#define LOAD_PART_double(p, m) ((vector_double)_mm512_maskz_loadu_pd((__mmask8)(m), p))
#define STORE_PART_float(p, m, v) _mm512_mask_storeu_ps(p, (__mmask16)(m), (__m512)(v))
#define STORE_PART_double(p, m, v) _mm512_mask_storeu_pd(p, (__mmask8)(m), (__m512d)(v))
typedef unsigned part;
#elif defined(__AVX2__)
typedef __m256i part;
static inline part part_of(int64_t bytes)
{
    static const int32_t ones[16] = { -1, -1, -1, -1, -1, -1, -1, -1 };
    return _mm256_loadu_si256((const void *)(ones + 8 - bytes / 4));
}
#define PART(n, T) part_of((n) * (int64_t)sizeof(T))
#define LOAD_PART_float(p, m) ((vector_float)_mm256_maskload_ps(p, m))
#define LOAD_PART_double(p, m) ((vector_double)_mm256_maskload_pd(p, m))
#define STORE_PART_float(p, m, v) _mm256_maskstore_ps(p, m, (__m256)(v))
#define STORE_PART_double(p, m, v) _mm256_maskstore_pd(p, m, (__m256d)(v))
#else
typedef int64_t part;
#define PART(n, T) (n)
#define PARTS(T)                                                                                             \
    static inline vector_##T LOAD_PART_##T(const T *p, part n)                                               \
    {                                                                                                        \
        vector_##T v = { 0 };                                                                                \
        for (int64_t i = 0; i < VECTOR_BYTES / (int64_t)sizeof(T) && i < n; i++)                             \
            v[i] = p[i];                                                                                     \
        return v;                                                                                            \
    }                                                                                                        \
    static inline void STORE_PART_##T(T *p, part n, vector_##T v)                                            \
    {                                                                                                        \
        for (int64_t i = 0; i < VECTOR_BYTES / (int64_t)sizeof(T) && i < n; i++)                             \
            p[i] = v[i];                                                                                     \
    }
PARTS(float)
PARTS(double)
#endif

/* `high` rows of c at a time, as many as hide the latency of the additions. */
#define SMALL_ROWS(T, high)                                                                                  \
    static inline void small_##high##_##T(const garray__product *p, int64_t i, int64_t j, part some)         \
    {                                                                                                        \
        const T *row[high], *b = (const T *)p->b + j;                                                        \
        T alpha = (T)p->alpha, beta = (T)p->beta;                                                            \
        vector_##T s[high];                                                                                  \
        for (int r = 0; r < high; r++) {                                                                     \
            row[r] = (const T *)p->a + (i + r < p->m ? i + r : p->m - 1) * p->a_row;                         \
            s[r] = (vector_##T){ 0 };                                                                        \
        }                                                                                                    \
        for (int64_t l = 0; l < p->k; l++) {                                                                 \
            vector_##T v = LOAD_PART_##T(b + l * p->b_row, some);                                            \
            for (int r = 0; r < high; r++)                                                                   \
                s[r] = FUSED_##T(T, s[r], (vector_##T){ 0 } + row[r][l * p->a_col], v);                      \
        }                                                                                                    \
        for (int r = 0; r < high; r++) {                                                                     \
            T *c = (T *)p->c + (i + r) * p->c_row + j;                                                       \
            if (i + r < p->m) {                                                                              \
                s[r] = beta == 0 ? s[r] * alpha : s[r] * alpha + LOAD_PART_##T(c, some) * beta;              \
                STORE_PART_##T(c, some, s[r]);                                                               \
            }                                                                                                \
        }                                                                                                    \
    }
#define SMALL_PRODUCT(T)                                                                                     \
    SMALL_ROWS(T, 4)                                                                                         \
    SMALL_ROWS(T, 8)                                                                                         \
    static void small_##T(const garray__product *p)                                                          \
    {                                                                                                        \
        enum { VECTOR = VECTOR_BYTES / sizeof(T), MOST = 16 };                                               \
        if (p->m > MOST || p->n > MOST || p->k > MOST || (p->b_col != 1 && p->n > 1)) {                      \
            product_##T(p);                                                                                  \
            return;                                                                                          \
        }                                                                                                    \
        for (int64_t j = 0; j < p->n; j += VECTOR) {                                                         \
            part some = PART(p->n - j < VECTOR ? p->n - j : VECTOR, T);                                      \
            int64_t i = 0;                                                                                   \
            for (; i + 4 < p->m; i += 8)                                                                     \
                small_8_##T(p, i, j, some);                                                                  \
            for (; i < p->m; i += 4)                                                                         \
                small_4_##T(p, i, j, some);                                                                  \
        }                                                                                                    \
    }
SMALL_PRODUCT(float)
SMALL_PRODUCT(double)

/* ---- thin products: few columns and steps, or few rows and columns -------------------------------------- */
/* Vectors of a tile's row: with 6 rows its sums fill the registers. */
#if defined(__AVX512F__)
#define THIN_CASES(T, call) case 1: call(T, 1); break; case 2: call(T, 2); break; case 3: call(T, 3); break; default: call(T, 4)
enum { THIN_WIDE = 4 };
#else
#define THIN_CASES(T, call) case 1: call(T, 1); break; default: call(T, 2)
enum { THIN_WIDE = 2 };
#endif
enum { THIN_ROWS = 6 };

/* Rows [i, i + 6) and n columns from j on; panel: k rows of `wide` vectors of b.  A number less 0 is that number in all
 * items, also if it is -0. */
#define THIN_TILE(T, wide)                                                                                   \
    static inline void thin_##wide##_##T(const garray__product *p, const T *panel, int64_t i, int64_t j, int64_t n) \
    {                                                                                                        \
        const T *row[THIN_ROWS], alpha = (T)p->alpha, beta = (T)p->beta;                                     \
        vector_##T s[THIN_ROWS][wide], tile[THIN_ROWS][wide];                                                \
        for (int r = 0; r < THIN_ROWS; r++)                                                                  \
            row[r] = (const T *)p->a + (i + r < p->m ? i + r : p->m - 1) * p->a_row;                         \
        _Pragma("GCC unroll 8") for (int r = 0; r < THIN_ROWS; r++)                                          \
            _Pragma("GCC unroll 4") for (int w = 0; w < wide; w++)                                           \
                s[r][w] = (vector_##T){ 0 };                                                                 \
        for (int64_t l = 0; l < p->k; l++, panel += wide * (VECTOR_BYTES / sizeof(T))) {                     \
            vector_##T v[wide];                                                                              \
            _Pragma("GCC unroll 4") for (int w = 0; w < wide; w++)                                           \
                memcpy(&v[w], panel + w * (VECTOR_BYTES / sizeof(T)), sizeof v[w]);                          \
            _Pragma("GCC unroll 8") for (int r = 0; r < THIN_ROWS; r++) {                                    \
                const vector_##T x = row[r][l * p->a_col] - (vector_##T){ 0 };                               \
                _Pragma("GCC unroll 4") for (int w = 0; w < wide; w++)                                       \
                    s[r][w] = FUSED_##T(T, s[r][w], x, v[w]);                                                \
            }                                                                                                \
        }                                                                                                    \
        _Pragma("GCC unroll 8") for (int r = 0; r < THIN_ROWS; r++)                                          \
            _Pragma("GCC unroll 4") for (int w = 0; w < wide; w++)                                           \
                tile[r][w] = s[r][w];                                                                        \
        for (int64_t r = 0; r < THIN_ROWS && i + r < p->m; r++) {                                            \
            T *c = (T *)p->c + (i + r) * p->c_row + j;                                                       \
            const T *from = (const T *)(const void *)tile[r];                                                \
            if (alpha == 1 && beta == 0)                                                                     \
                memcpy(c, from, (size_t)n * sizeof(T));                                                      \
            else                                                                                             \
                for (int64_t l = 0; l < n; l++)                                                              \
                    STORE_FLOAT(T, c[l], from[l], alpha, beta);                                              \
        }                                                                                                    \
    }
#define THIN_CALL(T, wide) thin_##wide##_##T(p, from, i, j, n)
#define THIN_PRODUCT(T)                                                                                      \
    static int64_t thin_items_##T(int64_t k, int64_t n)                                                      \
    {                                                                                                        \
        const int64_t vector = VECTOR_BYTES / sizeof(T);                                                     \
        return k * ((n + vector - 1) / vector * vector);                                                     \
    }                                                                                                        \
    static void thin_pack_##T(void *panel, const void *from, int64_t row, int64_t col, int64_t k, int64_t n) \
    {                                                                                                        \
        enum { VECTOR = VECTOR_BYTES / sizeof(T) };                                                          \
        T *to = panel;                                                                                       \
        for (int64_t j = 0; j < n; j += THIN_WIDE * VECTOR) {                                                \
            const int64_t some = n - j < THIN_WIDE * VECTOR ? n - j : THIN_WIDE * VECTOR;                    \
            const int64_t width = (some + VECTOR - 1) / VECTOR * VECTOR;                                     \
            pack_b_##T(to, (const T *)from + j * col, row, col, some, k, width);                             \
            to += k * width;                                                                                 \
        }                                                                                                    \
    }                                                                                                        \
    static void thin_##T(const garray__product *p, const void *panel)                                        \
    {                                                                                                        \
        enum { VECTOR = VECTOR_BYTES / sizeof(T) };                                                          \
        for (int64_t i = 0; i < p->m; i += THIN_ROWS) {                                                      \
            const T *from = panel;                                                                           \
            for (int64_t j = 0; j < p->n; j += THIN_WIDE * VECTOR) {                                         \
                const int64_t n = p->n - j < THIN_WIDE * VECTOR ? p->n - j : THIN_WIDE * VECTOR;             \
                const int64_t vectors = (n + VECTOR - 1) / VECTOR;                                           \
                switch (vectors) {                                                                           \
                    THIN_CASES(T, THIN_CALL);                                                                \
                }                                                                                            \
                from += p->k * vectors * VECTOR;                                                             \
            }                                                                                                \
        }                                                                                                    \
    }
#define THIN_TILES(T)                                                                                        \
    THIN_TILE(T, 1)                                                                                          \
    THIN_TILE(T, 2)                                                                                          \
    THIN_TILE(T, 3)                                                                                          \
    THIN_TILE(T, 4)
THIN_TILES(float)
THIN_TILES(double)
THIN_PRODUCT(float)
THIN_PRODUCT(double)

/* ---- the table ----------------------------------------------------------------------------------------- */
NARROW_PRODUCT(truth, uint8_t, OR_AND, TRUTH, STORE_TRUTH)
NARROW_PRODUCT(8, uint8_t, ADD_PRODUCT, PLAIN, STORE_INT)
NARROW_PRODUCT(16, uint16_t, ADD_PRODUCT, PLAIN, STORE_INT)
NARROW_PRODUCT(32, uint32_t, ADD_PRODUCT, PLAIN, STORE_INT)
NARROW_PRODUCT(64, uint64_t, ADD_PRODUCT, PLAIN, STORE_INT)

#define DOT(T)                                                                                               \
    static double dot_##T(const T *a, const T *b, int64_t n)                                                 \
    {                                                                                                        \
        vd s[VECTORS] = { { 0 } };                                                                           \
        double lane[LANES];                                                                                  \
        int64_t i = 0;                                                                                       \
        for (; i + LANES <= n; i += LANES) {                                                                 \
            CALL_AHEAD(a + i, LANES);                                                                        \
            CALL_AHEAD(b + i, LANES);                                                                        \
            for (int k = 0; k < VECTORS; k++)                                                                \
                s[k] += LOAD_##T(a + i + k * VECTOR_DOUBLES) * LOAD_##T(b + i + k * VECTOR_DOUBLES);         \
        }                                                                                                    \
        memcpy(lane, s, sizeof s);                                                                           \
        for (; i < n; i++)                                                                                   \
            lane[i % LANES] += (double)a[i] * (double)b[i];                                                  \
        fold_sum(lane, 1);                                                                                   \
        return lane[0];                                                                                      \
    }
DOT(float)
DOT(double)

static void widen_half(float *to, const uint16_t *from, int64_t n)
{
    garray__widen_half(to, from, n);
}

static void widen_bfloat(float *to, const uint16_t *from, int64_t n)
{
    garray__widen_bfloat(to, from, n);
}

const garray__products GARRAY_ISA_NAME(garray__cpu_products) = {
    .kernel = {
        [GARRAY_BOOL] = narrow_truth, [GARRAY_INT8] = narrow_8, [GARRAY_UINT8] = narrow_8,
        [GARRAY_INT16] = narrow_16, [GARRAY_UINT16] = narrow_16, [GARRAY_INT32] = narrow_32,
        [GARRAY_UINT32] = narrow_32, [GARRAY_INT64] = narrow_64, [GARRAY_UINT64] = narrow_64,
        [GARRAY_FLOAT32] = small_float, [GARRAY_FLOAT64] = small_double,
    },
    .dot_float = dot_float,
    .dot_double = dot_double,
    .widen_half = widen_half,
    .widen_bfloat = widen_bfloat,
    .thin_items = { thin_items_float, thin_items_double },
    .thin_pack = { thin_pack_float, thin_pack_double },
    .thin = { thin_float, thin_double },
};
