/* SPDX-License-Identifier: BSD-3-Clause
 * Moves of items by their size alone, compiled per level: strided tiles into contiguous memory and back,
 * fills, and copies past the caches. */
#include <string.h>
#include "cpu/loops.h"
#if defined(__x86_64__)
#include <immintrin.h>
#endif

typedef uint8_t __attribute__((may_alias)) w1;
typedef uint16_t __attribute__((aligned(1), may_alias)) w2;
typedef uint32_t __attribute__((aligned(1), may_alias)) w4;
typedef uint64_t __attribute__((aligned(1), may_alias)) w8;
typedef struct w16 {
    uint64_t low, high;
} __attribute__((packed, may_alias)) w16;

/* ---- blocks turned in registers ------------------------------------------------------------------------ */
/* to[c * n + r] = from[r * step + c] for a square block of 16-byte rows: 8 x 8 items of 2 bytes, 4 x 4 of
 * 4, 2 x 2 of 8.  to_step and from_step in bytes. */
typedef uint16_t v2 __attribute__((vector_size(16)));
typedef uint32_t v4 __attribute__((vector_size(16)));
typedef uint64_t v8 __attribute__((vector_size(16)));
typedef uint8_t v1 __attribute__((vector_size(16)));

#define LOW1(a, b) __builtin_shufflevector(a, b, 0, 16, 1, 17, 2, 18, 3, 19, 4, 20, 5, 21, 6, 22, 7, 23)
#define HIGH1(a, b) \
    __builtin_shufflevector(a, b, 8, 24, 9, 25, 10, 26, 11, 27, 12, 28, 13, 29, 14, 30, 15, 31)
#define LOW2(a, b) __builtin_shufflevector(a, b, 0, 8, 1, 9, 2, 10, 3, 11)
#define HIGH2(a, b) __builtin_shufflevector(a, b, 4, 12, 5, 13, 6, 14, 7, 15)
#define LOW4(a, b) __builtin_shufflevector(a, b, 0, 4, 1, 5)
#define HIGH4(a, b) __builtin_shufflevector(a, b, 2, 6, 3, 7)
#define LOW8(a, b) __builtin_shufflevector(a, b, 0, 2)
#define HIGH8(a, b) __builtin_shufflevector(a, b, 1, 3)

/* log2(n) rounds of interleaving row i with row i + n / 2 transpose an n x n block. */
#define TURN(size, n)                                                                                       \
    static inline void turn##size(char *to, int64_t to_step, const char *from, int64_t from_step)           \
    {                                                                                                       \
        v##size a[n], b[n];                                                                                 \
        for (int i = 0; i < n; i++)                                                                         \
            memcpy(&a[i], from + i * from_step, 16);                                                        \
        for (int round = 1; round < n; round *= 2) {                                                        \
            for (int i = 0; i < n / 2; i++) {                                                               \
                b[2 * i] = LOW##size(a[i], a[i + n / 2]);                                                   \
                b[2 * i + 1] = HIGH##size(a[i], a[i + n / 2]);                                              \
            }                                                                                               \
            for (int i = 0; i < n; i++)                                                                     \
                a[i] = b[i];                                                                                \
        }                                                                                                   \
        for (int i = 0; i < n; i++)                                                                         \
            memcpy(to + i * to_step, &a[i], 16);                                                            \
    }
TURN(1, 16)
TURN(2, 8)
TURN(4, 4)
TURN(8, 2)

/* Dense tuples of 2 to 4 items (points, colours) into one run per place, and back: rows are `step` apart. */
#define TUPLES(size, k)                                                                                     \
    static void split##size##_##k(char *restrict to, int64_t step, const char *restrict from, int64_t n)    \
    {                                                                                                       \
        for (int64_t i = 0; i < n; i++)                                                                     \
            for (int j = 0; j < k; j++)                                                                     \
                *(w##size *)(to + j * step + i * size) = *(const w##size *)(from + (i * k + j) * size);     \
    }                                                                                                       \
    static void join##size##_##k(char *restrict to, const char *restrict from, int64_t step, int64_t n)     \
    {                                                                                                       \
        for (int64_t i = 0; i < n; i++)                                                                     \
            for (int j = 0; j < k; j++)                                                                     \
                *(w##size *)(to + (i * k + j) * size) = *(const w##size *)(from + j * step + i * size);     \
    }
#define ALL_TUPLES(size)                                                                                    \
    TUPLES(size, 2)                                                                                         \
    TUPLES(size, 3)                                                                                         \
    TUPLES(size, 4)                                                                                         \
    static bool tuples##size(char *to, int64_t to_step, const char *from, int64_t from_step, int64_t rows,  \
                             int64_t cols)                                                                  \
    {                                                                                                       \
        static void (*const split[5])(char *restrict, int64_t, const char *restrict, int64_t) = {           \
            NULL, NULL, split##size##_2, split##size##_3, split##size##_4 };                                \
        static void (*const join[5])(char *restrict, const char *restrict, int64_t, int64_t) = {            \
            NULL, NULL, join##size##_2, join##size##_3, join##size##_4 };                                   \
        if (rows >= 2 && rows <= 4 && from_step == rows * size)                                             \
            split[rows](to, to_step, from, cols);                                                           \
        else if (cols >= 2 && cols <= 4 && to_step == cols * size)                                          \
            join[cols](to, from, from_step, rows);                                                          \
        else                                                                                                \
            return false;                                                                                   \
        return true;                                                                                        \
    }
ALL_TUPLES(1)
ALL_TUPLES(2)
ALL_TUPLES(4)
ALL_TUPLES(8)

/* to (rows x cols, rows to_step apart, items together) from a tile whose columns lie together: from_step
 * apart. */
#define TURN_TILE(size, n)                                                                                  \
    static void turn_tile##size(char *to, int64_t to_step, const char *from, int64_t from_step,             \
                                int64_t rows, int64_t cols)                                                 \
    {                                                                                                       \
        /* Along the source's runs: its rows may be a power of two apart and then share few cache sets. */  \
        int64_t r = 0, c = 0;                                                                               \
        if (tuples##size(to, to_step, from, from_step, rows, cols))                                         \
            return;                                                                                         \
        for (; c + n <= cols; c += n) {                                                                     \
            for (r = 0; r + n <= rows; r += n)                                                              \
                turn##size(to + r * to_step + c * size, to_step, from + c * from_step + r * size,           \
                           from_step);                                                                      \
            for (; r < rows; r++)                                                                           \
                for (int64_t k = c; k < c + n; k++)                                                         \
                    *(w##size *)(to + r * to_step + k * size) =                                             \
                        *(const w##size *)(from + k * from_step + r * size);                                \
        }                                                                                                   \
        for (; c < cols; c++)                                                                               \
            for (r = 0; r < rows; r++)                                                                      \
                *(w##size *)(to + r * to_step + c * size) =                                                 \
                    *(const w##size *)(from + c * from_step + r * size);                                    \
    }
TURN_TILE(1, 16)
TURN_TILE(2, 8)
TURN_TILE(4, 4)
TURN_TILE(8, 2)

static void turn_tile16(char *to, int64_t to_step, const char *from, int64_t from_step, int64_t rows,
                        int64_t cols)
{
    for (int64_t c = 0; c < cols; c++)
        for (int64_t r = 0; r < rows; r++)
            *(w16 *)(to + r * to_step + c * 16) = *(const w16 *)(from + c * from_step + r * 16);
}

/* ---- gather, scatter, fill ----------------------------------------------------------------------------- */
#define MOVES(size)                                                                                         \
    static void fill##size(void *to, const void *value, int64_t n)                                          \
    {                                                                                                       \
        w##size *y = to;                                                                                    \
        const w##size x = *(const w##size *)value;                                                          \
        for (int64_t i = 0; i < n; i++)                                                                     \
            y[i] = x;                                                                                       \
    }                                                                                                       \
    static void gather##size(void *to, const void *from, int64_t row_step, int64_t col_step, int64_t rows,  \
                             int64_t cols)                                                                  \
    {                                                                                                       \
        w##size *y = to;                                                                                    \
        const char *x = from;                                                                               \
        if (rows > 1 && row_step == size && col_step != size) {                                             \
            turn_tile##size(to, cols * size, from, col_step, rows, cols);                                   \
            return;                                                                                         \
        }                                                                                                   \
        if (row_step == 0 && rows > 1) {                                                                    \
            gather##size(to, from, 0, col_step, 1, cols);                                                   \
            /* Doubling what is there already. */                                                           \
            for (int64_t done = cols, all = rows * cols; done < all; done *= 2)                             \
                memcpy(y + done, y, (size_t)(all - done < done ? all - done : done) * size);                \
            return;                                                                                         \
        }                                                                                                   \
        for (int64_t r = 0; r < rows; r++, x += row_step, y += cols) {                                      \
            if (col_step == 0)                                                                              \
                fill##size(y, x, cols);                                                                     \
            else if (col_step == size && cols * size >= 32)                                                 \
                memcpy(y, x, (size_t)cols * size);                                                          \
            else                                                                                            \
                for (int64_t c = 0; c < cols; c++)                                                          \
                    y[c] = *(const w##size *)(x + c * col_step);                                            \
        }                                                                                                   \
    }                                                                                                       \
    static void scatter##size(void *to, const void *from, int64_t row_step, int64_t col_step, int64_t rows, \
                              int64_t cols)                                                                 \
    {                                                                                                       \
        char *y = to;                                                                                       \
        const w##size *x = from;                                                                            \
        if (rows > 1 && row_step == size && col_step != size) {                                             \
            turn_tile##size(to, col_step, from, cols * size, cols, rows);                                   \
            return;                                                                                         \
        }                                                                                                   \
        for (int64_t r = 0; r < rows; r++, y += row_step, x += cols) {                                      \
            if (col_step == size && cols * size >= 32)                                                      \
                memcpy(y, x, (size_t)cols * size);                                                          \
            else                                                                                            \
                for (int64_t c = 0; c < cols; c++)                                                          \
                    *(w##size *)(y + c * col_step) = x[c];                                                  \
        }                                                                                                   \
    }
MOVES(1)
MOVES(2)
MOVES(4)
MOVES(8)
MOVES(16)

/* ---- past the caches ----------------------------------------------------------------------------------- */
#if defined(__AVX512F__)
#define VECTOR_BYTES 64
#define STREAM_VECTOR(to, from) _mm512_stream_si512((void *)(to), _mm512_loadu_si512((const void *)(from)))
#elif defined(__AVX2__)
#define VECTOR_BYTES 32
#define STREAM_VECTOR(to, from) _mm256_stream_si256((void *)(to), _mm256_loadu_si256((const void *)(from)))
#elif defined(__x86_64__)
#define VECTOR_BYTES 16
#define STREAM_VECTOR(to, from) _mm_stream_si128((void *)(to), _mm_loadu_si128((const void *)(from)))
#endif

static void stream(void *to, const void *from, int64_t bytes)
{
    char *y = to;
    const char *x = from;
#ifdef VECTOR_BYTES
    /* Whole cache lines, so that each goes out as one write. */
    int64_t head = (int64_t)(-(uintptr_t)y & 63);
    if (head > bytes)
        head = bytes;
    memcpy(y, x, (size_t)head);
    y += head;
    x += head;
    bytes -= head;
    for (; bytes >= 64; bytes -= 64, y += 64, x += 64)
        for (int i = 0; i < 64; i += VECTOR_BYTES)
            STREAM_VECTOR(y + i, x + i);
#endif
    memcpy(y, x, (size_t)bytes);
}

static void stream_done(void)
{
#ifdef VECTOR_BYTES
    _mm_sfence();
#endif
}

const garray__cpu_moves GARRAY_ISA_NAME(garray__cpu_moves) = {
    { gather1, gather2, gather4, gather8, gather16 },
    { scatter1, scatter2, scatter4, scatter8, scatter16 },
    { fill1, fill2, fill4, fill8, fill16 },
    stream, stream_done
};
