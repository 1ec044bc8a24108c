/* SPDX-License-Identifier: BSD-3-Clause
 * Sort keys of all real dtypes, for one instruction set.  Signed integers are shifted to unsigned ones; of floats the negative
 * ones are inverted and the others get the top bit. */
#include <string.h>
#include "cpu/loops.h"
#include "cpu/sort_key.h"

/* Items are read as integers whatever they are. */
typedef uint8_t __attribute__((may_alias)) any_uint8_t;
typedef uint16_t __attribute__((may_alias)) any_uint16_t;
typedef uint32_t __attribute__((may_alias)) any_uint32_t;
typedef uint64_t __attribute__((may_alias)) any_uint64_t;

#define TOP(U) ((U)((U)1 << (sizeof(U) * 8 - 1)))
#define ALL(U) ((U)~(U)0)

/* ---- ranks --------------------------------------------------------------------------------------------- */
#define IS_UP(order) ((order) == GARRAY_KEY_UP || (order) == GARRAY_KEY_TOTAL)
#define IS_TOTAL(order) ((order) == GARRAY_KEY_TOTAL || (order) == GARRAY_KEY_TOTAL_DOWN)
#define RANK_UINT(U, v, infinity, order) ((U)(IS_UP(order) ? (v) : ~(v)))
#define RANK_SINT(U, v, infinity, order) RANK_UINT(U, (U)((v) ^ TOP(U)), infinity, order)
#define RANK_BOOL(U, v, infinity, order) ((U)(IS_UP(order) ? (v) != 0 : (v) == 0))
#define RANK_FLOAT(U, v, infinity, order)                                                                    \
    ((U)((v) & ~TOP(U)) > (U)(infinity) ? ((order) == GARRAY_KEY_LARGEST ? (U)0 : ALL(U))                    \
     : RANK_UINT(U, (U)(IS_TOTAL(order) || (v) & (U)~TOP(U) ? (v) & TOP(U) ? ~(v) : (v) | TOP(U) : TOP(U)), infinity, order))

#define RANKS(K, U, kind, infinity)                                                                          \
    for (int64_t i = 0; i < n; i++) {                                                                        \
        U v = ((const any_##U *)from)[i];                                                                    \
        to[i] = (K)RANK_##kind(U, v, infinity, order);                                                       \
    }                                                                                                        \
    break;

/* The order is a constant in each loop. */
static inline void rank32(uint32_t *restrict to, const void *restrict from, int64_t n, int dtype,
                          garray__key_order order)
{
    switch (dtype) {
    case GARRAY_BOOL:
        RANKS(uint32_t, uint8_t, BOOL, 0)
    case GARRAY_INT8:
        RANKS(uint32_t, uint8_t, SINT, 0)
    case GARRAY_UINT8:
        RANKS(uint32_t, uint8_t, UINT, 0)
    case GARRAY_INT16:
        RANKS(uint32_t, uint16_t, SINT, 0)
    case GARRAY_UINT16:
        RANKS(uint32_t, uint16_t, UINT, 0)
    case GARRAY_INT32:
        RANKS(uint32_t, uint32_t, SINT, 0)
    case GARRAY_UINT32:
        RANKS(uint32_t, uint32_t, UINT, 0)
    case GARRAY_FLOAT16:
        RANKS(uint32_t, uint16_t, FLOAT, 0x7c00)
    case GARRAY_BFLOAT16:
        RANKS(uint32_t, uint16_t, FLOAT, 0x7f80)
    default:
        RANKS(uint32_t, uint32_t, FLOAT, 0x7f800000)
    }
}

static inline void rank64(uint64_t *restrict to, const void *restrict from, int64_t n, int dtype,
                          garray__key_order order)
{
    switch (dtype) {
    case GARRAY_INT64:
        RANKS(uint64_t, uint64_t, SINT, 0)
    case GARRAY_UINT64:
        RANKS(uint64_t, uint64_t, UINT, 0)
    default:
        RANKS(uint64_t, uint64_t, FLOAT, 0x7ff0000000000000)
    }
}

#define EACH_ORDER(rank)                                                                                     \
    switch (order) {                                                                                         \
    case GARRAY_KEY_UP: rank(to, from, n, dtype, GARRAY_KEY_UP); break;                                      \
    case GARRAY_KEY_DOWN: rank(to, from, n, dtype, GARRAY_KEY_DOWN); break;                                  \
    case GARRAY_KEY_LARGEST: rank(to, from, n, dtype, GARRAY_KEY_LARGEST); break;                            \
    case GARRAY_KEY_TOTAL: rank(to, from, n, dtype, GARRAY_KEY_TOTAL); break;                                \
    default: rank(to, from, n, dtype, GARRAY_KEY_TOTAL_DOWN); break;                                         \
    }

static void rank32_any(uint32_t *to, const void *from, int64_t n, int dtype, garray__key_order order)
{
    EACH_ORDER(rank32)
}

static void rank64_any(uint64_t *to, const void *from, int64_t n, int dtype, garray__key_order order)
{
    EACH_ORDER(rank64)
}

/* ---- values -------------------------------------------------------------------------------------------- */
/* Flip: all ones when numbers are reversed.  The keys of NaNs are above those of all numbers either way. */
#define ENCODE_FLOAT(U, infinity)                                                                            \
    for (int64_t i = 0; i < n; i++) {                                                                        \
        U v = ((const any_##U *)from)[i], key = (U)(v & TOP(U) ? ~v : v | TOP(U));                           \
        negative += v == TOP(U);                                                                             \
        positive += v == 0;                                                                                  \
        ((any_##U *)to)[i] = (U)(v & ~TOP(U)) > (U)(infinity) ? (U)(v | TOP(U)) : (U)(key ^ (U)flip);        \
    }                                                                                                        \
    break;
#define DECODE_FLOAT(U, infinity)                                                                            \
    for (int64_t i = 0; i < n; i++) {                                                                        \
        U key = ((const any_##U *)from)[i], number = (U)(key ^ (U)flip);                                     \
        U v = (U)(number & TOP(U) ? number & ~TOP(U) : ~number);                                             \
        ((any_##U *)to)[i] = key > (U)((infinity) | TOP(U)) ? (U)(key & ~TOP(U)) : v;                        \
    }                                                                                                        \
    break;
#define SHIFT(U, by)                                                                                         \
    for (int64_t i = 0; i < n; i++)                                                                          \
        ((any_##U *)to)[i] = (U)(((const any_##U *)from)[i] ^ (U)(by) ^ (U)flip);                            \
    break;
#define TRUTH                                                                                                \
    for (int64_t i = 0; i < n; i++)                                                                          \
        ((uint8_t *)to)[i] = (uint8_t)((((const uint8_t *)from)[i] != 0) ^ (flip & 1));                      \
    break;

/* Integers: the same shift codes and decodes. */
static bool shift_integers(void *to, const void *from, int64_t n, int dtype, uint64_t flip)
{
    switch (dtype) {
    case GARRAY_BOOL:
        TRUTH
    case GARRAY_INT8:
        SHIFT(uint8_t, TOP(uint8_t))
    case GARRAY_UINT8:
        SHIFT(uint8_t, 0)
    case GARRAY_INT16:
        SHIFT(uint16_t, TOP(uint16_t))
    case GARRAY_UINT16:
        SHIFT(uint16_t, 0)
    case GARRAY_INT32:
        SHIFT(uint32_t, TOP(uint32_t))
    case GARRAY_UINT32:
        SHIFT(uint32_t, 0)
    case GARRAY_INT64:
        SHIFT(uint64_t, TOP(uint64_t))
    case GARRAY_UINT64:
        SHIFT(uint64_t, 0)
    default:
        return false;
    }
    return true;
}

static void encode(void *to, const void *from, int64_t n, int dtype, bool descending, garray__zeros *zeros)
{
    uint64_t flip = descending ? UINT64_MAX : 0;
    int64_t positive = 0, negative = 0;
    if (!shift_integers(to, from, n, dtype, flip))
        switch (dtype) {
        case GARRAY_FLOAT16:
            ENCODE_FLOAT(uint16_t, 0x7c00)
        case GARRAY_BFLOAT16:
            ENCODE_FLOAT(uint16_t, 0x7f80)
        case GARRAY_FLOAT32:
            ENCODE_FLOAT(uint32_t, 0x7f800000)
        default:
            ENCODE_FLOAT(uint64_t, 0x7ff0000000000000)
        }
    zeros->positive += positive;
    zeros->negative += negative;
}

static void decode(void *to, const void *from, int64_t n, int dtype, bool descending)
{
    uint64_t flip = descending ? UINT64_MAX : 0;
    if (!shift_integers(to, from, n, dtype, flip))
        switch (dtype) {
        case GARRAY_FLOAT16:
            DECODE_FLOAT(uint16_t, 0x7c00)
        case GARRAY_BFLOAT16:
            DECODE_FLOAT(uint16_t, 0x7f80)
        case GARRAY_FLOAT32:
            DECODE_FLOAT(uint32_t, 0x7f800000)
        default:
            DECODE_FLOAT(uint64_t, 0x7ff0000000000000)
        }
}

const garray__key_kernels GARRAY_ISA_NAME(garray__cpu_key_kernels) = { rank32_any, rank64_any, encode, decode };
