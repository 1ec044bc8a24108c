/* SPDX-License-Identifier: BSD-3-Clause
 * Kernels of transforms for one instruction set.  All arithmetic is per lane, so the bits are the same at every level. */
#include <string.h>
#include "cpu/fft.h"
#include "cpu/vector_bytes.h"

/* Keeps gcc from fusing complex products, as it does in spite of -ffp-contract=off. */
#if defined(__clang__)
#define PRODUCT(x) (x)
#else
#define PRODUCT(x) __builtin_assoc_barrier(x)
#endif

/* How complex items lie in vectors, for vectors of 2 to 16 parts: of two vectors the even and the odd parts; parts of
 * two vectors in turn, from the lower and the upper halves; and the same for items in reverse. */
#define EVEN_2 0, 2
#define ODD_2 1, 3
#define LOW_2 0, 2
#define HIGH_2 1, 3
#define EVEN_BACK_2 2, 0
#define ODD_BACK_2 3, 1
#define LOW_BACK_2 1, 3
#define HIGH_BACK_2 0, 2
#define EVEN_4 0, 2, 4, 6
#define ODD_4 1, 3, 5, 7
#define LOW_4 0, 4, 1, 5
#define HIGH_4 2, 6, 3, 7
#define EVEN_BACK_4 6, 4, 2, 0
#define ODD_BACK_4 7, 5, 3, 1
#define LOW_BACK_4 3, 7, 2, 6
#define HIGH_BACK_4 1, 5, 0, 4
#define EVEN_8 0, 2, 4, 6, 8, 10, 12, 14
#define ODD_8 1, 3, 5, 7, 9, 11, 13, 15
#define LOW_8 0, 8, 1, 9, 2, 10, 3, 11
#define HIGH_8 4, 12, 5, 13, 6, 14, 7, 15
#define EVEN_BACK_8 14, 12, 10, 8, 6, 4, 2, 0
#define ODD_BACK_8 15, 13, 11, 9, 7, 5, 3, 1
#define LOW_BACK_8 7, 15, 6, 14, 5, 13, 4, 12
#define HIGH_BACK_8 3, 11, 2, 10, 1, 9, 0, 8
#define EVEN_16 0, 2, 4, 6, 8, 10, 12, 14, 16, 18, 20, 22, 24, 26, 28, 30
#define ODD_16 1, 3, 5, 7, 9, 11, 13, 15, 17, 19, 21, 23, 25, 27, 29, 31
#define LOW_16 0, 16, 1, 17, 2, 18, 3, 19, 4, 20, 5, 21, 6, 22, 7, 23
#define HIGH_16 8, 24, 9, 25, 10, 26, 11, 27, 12, 28, 13, 29, 14, 30, 15, 31
#define EVEN_BACK_16 30, 28, 26, 24, 22, 20, 18, 16, 14, 12, 10, 8, 6, 4, 2, 0
#define ODD_BACK_16 31, 29, 27, 25, 23, 21, 19, 17, 15, 13, 11, 9, 7, 5, 3, 1
#define LOW_BACK_16 15, 31, 14, 30, 13, 29, 12, 28, 11, 27, 10, 26, 9, 25, 8, 24
#define HIGH_BACK_16 7, 23, 6, 22, 5, 21, 4, 20, 3, 19, 2, 18, 1, 17, 0, 16
#define PICK_(order, n) order##_##n
#define PICK(order, n) PICK_(order, n)
#define SHUFFLE(order, a, b) __builtin_shufflevector(a, b, PICK(order, N))

/* cos and sin of 2 pi k / radix, k from 1 on. */
#define COSINES_3 -0.5, -0.5
#define SINES_3 0.86602540378443864676, -0.86602540378443864676
#define COSINES_5 0.3090169943749474241, -0.8090169943749474241, -0.8090169943749474241, 0.3090169943749474241
#define SINES_5 0.95105651629515357212, 0.58778525229247312917, -0.58778525229247312917, -0.95105651629515357212
#define COSINES_7 0.62348980185873353053, -0.22252093395631440429, -0.90096886790241912624, -0.90096886790241912624, \
    -0.22252093395631440429, 0.62348980185873353053
#define SINES_7 0.78183148246802980871, 0.97492791218182360702, 0.43388373911755812048, -0.43388373911755812048, \
    -0.97492791218182360702, -0.78183148246802980871
#define COSINES_11 0.84125353283118116886, 0.41541501300188642553, -0.14231483827328514044, -0.65486073394528506406, \
    -0.95949297361449738989, -0.95949297361449738989, -0.65486073394528506406, -0.14231483827328514044, \
    0.41541501300188642553, 0.84125353283118116886
#define SINES_11 0.54064081745559758211, 0.90963199535451837141, 0.98982144188093273238, 0.75574957435425828377, \
    0.28173255684142969771, -0.28173255684142969771, -0.75574957435425828377, -0.98982144188093273238, \
    -0.90963199535451837141, -0.54064081745559758211
#define COSINES_13 0.8854560256532098959, 0.56806474673115580251, 0.12053668025532305335, -0.35460488704253562597, \
    -0.74851074817110109863, -0.97094181742605202716, -0.97094181742605202716, -0.74851074817110109863, \
    -0.35460488704253562597, 0.12053668025532305335, 0.56806474673115580251, 0.8854560256532098959
#define SINES_13 0.46472317204376854566, 0.82298386589365639458, 0.9927088740980539928, 0.93501624268541482344, \
    0.66312265824079520238, 0.23931566428755776715, -0.23931566428755776715, -0.66312265824079520238, \
    -0.93501624268541482344, -0.9927088740980539928, -0.82298386589365639458, -0.46472317204376854566

/* N: parts of a hardware vector; WIDTH: of a point. */
#define REAL double
#define WIDTH 8
#if VECTOR_BYTES == 64
#define N 8
#elif VECTOR_BYTES == 32
#define N 4
#else
#define N 2
#endif
#define NAME(x) x##_double
#include "cpu/fft_lanes.h"
#undef NAME
#define LANES(x) x##_double
#define ITEM double
#define SAME 1
#define NAME(x) x##_double_items
#define KERNELS GARRAY_ISA_NAME(garray__fft_double)
#include "cpu/fft_items.h"
#undef ITEM
#undef SAME
#undef NAME
#undef KERNELS
#define ITEM float
#define SAME 0
#define NAME(x) x##_mixed_items
#define KERNELS GARRAY_ISA_NAME(garray__fft_mixed)
#include "cpu/fft_items.h"
#undef ITEM
#undef SAME
#undef NAME
#undef KERNELS
#undef LANES
#undef REAL
#undef WIDTH
#undef N

#define REAL float
#define WIDTH 16
#if VECTOR_BYTES == 64
#define N 16
#elif VECTOR_BYTES == 32
#define N 8
#else
#define N 4
#endif
#define NAME(x) x##_float
#include "cpu/fft_lanes.h"
#undef NAME
#define LANES(x) x##_float
#define ITEM float
#define SAME 1
#define NAME(x) x##_float_items
#define KERNELS GARRAY_ISA_NAME(garray__fft_float)
#include "cpu/fft_items.h"
