/* SPDX-License-Identifier: BSD-3-Clause
 * The boundary between core and the backends: plans, and one table of entry points.
 *
 * Core promises: shapes, dtypes and devices are legal; sizes cannot overflow; axes are merged, innermost last;
 * outputs are allocated and do not overlap inputs, except exactly (same address, same strides) where a plan says
 * so; no plan has an axis of length 0; where an entry names contiguous operands they are C-contiguous and aligned
 * to their item.  Other operands may have any byte strides and any alignment.
 *
 * A backend promises: the work is enqueued on the queue and the call returns without waiting, unless the entry
 * says that it waits; a failure sets the error text (host->fail) and frees scratch memory; it knows nothing of
 * handles, promotion or NumPy, and never calls core's public functions.  No pointer in a plan is kept after the
 * call returns, except the device memory that the enqueued work itself uses. */
#ifndef GARRAY_CORE_BACKEND_H
#define GARRAY_CORE_BACKEND_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include "garray/dtype.h"
#include "garray/op.h"
#include "garray/status.h"

#ifdef __cplusplus
extern "C" {
#endif

#define GARRAY_MAX_NDIM 64
#define GARRAY_BACKEND_VERSION 1
#define GARRAY_OP_LIMIT 256         /* operation numbers are below; hidden ones start at 224 */

/* A stream as a backend sees it. */
typedef struct garray__queue {
    void *stream;                   /* the backend's stream (CUDA: cudaStream_t; CPU: NULL) */
    void *device;                   /* the backend's device, from open() */
    void *owner;                    /* core's stream: host->scratch() hands it back */
    int32_t number;                 /* unique among the living streams of the device, small */
    int32_t device_index;
} garray__queue;

/* ---- elementwise and convert ------------------------------------------------------------------------------ */
#define GARRAY_EW_OPERANDS 4        /* one output, up to three inputs */

enum {
    GARRAY_EW_CONTIGUOUS = 1,       /* ndim is 1 and each operand's step is its item size, or 0 for an input */
    GARRAY_EW_STRIDED = 2,
};

typedef struct garray_ew_operand {
    void *data;                     /* NULL for a scalar: its value is in bits, in the storage of dtype */
    int32_t dtype;                  /* storage; differs from the plan's dtype where a cast is wanted */
    int32_t reserved;
    uint64_t bits[2];
    int64_t strides[GARRAY_MAX_NDIM];       /* bytes; 0 for scalars */
} garray_ew_operand;

/* op over inputs cast to dtype; the result (dtype, bool or the real dtype, by the op's row) is cast to operand 0's
 * dtype.  Casts are those of convert.  Operand 0 is the output; an input may be exactly the output.
 * where(condition, x, y): operand 1 is bool whatever dtype is.  For convert op is 0, dtype is operand 1's and
 * there are two operands: a strided copy, a cast, or a fill (operand 1 a scalar of dtype operand 0).
 * Casts: integers wrap, floats to integers saturate with NaN to 0, everything to bool is != 0, complex to real
 * drops the imaginary part, real to 16-bit floats rounds once to nearest even. */
typedef struct garray_ew_plan {
    int32_t op, dtype, nop, ndim, layout, reserved;
    int64_t count;                          /* product of shape */
    int64_t shape[GARRAY_MAX_NDIM];
    garray_ew_operand operand[GARRAY_EW_OPERANDS];
} garray_ew_plan;

/* ---- generate ---------------------------------------------------------------------------------------------- */
typedef enum {
    GARRAY_GEN_ARANGE = 1,          /* integers: first + i * step (wrapping); floats: first + i * step in double, rounded once */
    GARRAY_GEN_LINSPACE = 2,        /* first + i * step in double; element count - 1 is last if has_last */
    GARRAY_GEN_EYE = 3,             /* count = rows * columns; ones where column - row == k */
    GARRAY_GEN_RUNS = 4,            /* int64: the first r with ends[r] > i; ends ascend, the last one is count */
    GARRAY_GEN_MAX_ENUM = 0x7fffffff
} garray_gen_kind;

typedef struct garray_gen_plan {
    int32_t kind, dtype;            /* contiguous output of dtype */
    void *out;
    int64_t count;
    double first, step, last;       /* floats and complex (imaginary part: first_im, step_im, last_im) */
    double first_im, step_im, last_im;
    int64_t ifirst, istep;          /* arange of integers */
    int64_t columns, k;             /* eye */
    const int64_t *ends;            /* runs */
    int64_t nends;
    int32_t has_last, reserved;
} garray_gen_plan;

/* ---- reduce ------------------------------------------------------------------------------------------------ */
typedef enum {
    GARRAY_RED_SUM = 1, GARRAY_RED_PROD = 2, GARRAY_RED_MIN = 3, GARRAY_RED_MAX = 4, GARRAY_RED_MEAN = 5,
    GARRAY_RED_VAR = 6, GARRAY_RED_STD = 7, GARRAY_RED_ANY = 8, GARRAY_RED_ALL = 9, GARRAY_RED_COUNT_NONZERO = 10,
    GARRAY_RED_ARGMIN = 11, GARRAY_RED_ARGMAX = 12,
    GARRAY_RED_MAX_ENUM = 0x7fffffff
} garray_red_op;

/* Pairs that a backend supports: acc_dtype == in_dtype; SUM, PROD and MEAN of bool or integers into int64, uint64
 * or float64; ANY, ALL, COUNT_NONZERO, ARGMIN, ARGMAX have acc_dtype == in_dtype.  Core casts first otherwise.
 * Output dtype: SUM, PROD, MIN, MAX, MEAN: acc_dtype; VAR, STD: real dtype of acc_dtype; ANY, ALL: bool;
 * COUNT_NONZERO, ARGMIN, ARGMAX: int64.  Inner arithmetic is wide: 16- and 32-bit floats sum in double, doubles
 * by two-sum; complex parts likewise; VAR and STD read once.  The result does not depend on thread count or grid.
 * The kept axes index the output; the reduced axes are in logical order for ARGMIN and ARGMAX (whose result is the
 * C-order index over the reduced axes; first NaN wins, then first extremum), in any order otherwise. */
typedef struct garray_reduce_plan {
    int32_t op, in_dtype, acc_dtype, has_initial;
    int32_t nkeep, nred;            /* either may be 0: then the count is 1 */
    int64_t keep_count, red_count;  /* red_count may be 0 (empty reduction): initial, or the identity, or NaN for mean */
    const void *in;
    void *out;
    const uint8_t *mask;            /* where=: bool, or NULL; elements where it is 0 take no part */
    uint64_t initial[2];            /* SUM, PROD, MIN, MAX: a value in the storage of acc_dtype */
    double correction;              /* VAR, STD: divide by n - correction (n: elements that take part) */
    int64_t keep_shape[GARRAY_MAX_NDIM], in_keep[GARRAY_MAX_NDIM], out_keep[GARRAY_MAX_NDIM], mask_keep[GARRAY_MAX_NDIM];
    int64_t red_shape[GARRAY_MAX_NDIM], in_red[GARRAY_MAX_NDIM], mask_red[GARRAY_MAX_NDIM];
} garray_reduce_plan;

/* ---- scan -------------------------------------------------------------------------------------------------- */
/* Inclusive scan along the middle of three axes (outer, n, inner); input and output of dtype, any strides.
 * Wide and deterministic as reduce; each prefix is rounded on its own.  op: SUM, PROD, MIN, MAX (0 is above -0). */
typedef struct garray_scan_plan {
    int32_t op, dtype;
    const void *in;
    void *out;
    int64_t outer, n, inner;
    int64_t in_strides[3], out_strides[3];
} garray_scan_plan;

/* ---- sort -------------------------------------------------------------------------------------------------- */
typedef enum {
    GARRAY_SORT_VALUES = 1,         /* values */
    GARRAY_SORT_INDICES = 2,        /* indices (int64), stable unless unstable */
    GARRAY_SORT_TOPK = 3,           /* the first k of each row in sorted order; values and indices, either NULL */
    GARRAY_SORT_PARTITION = 4,      /* values or indices: each row dealt out around its kth items */
    GARRAY_SORT_PICK = 5,           /* values: the kth items of each row alone */
    GARRAY_SORT_MAX_ENUM = 0x7fffffff
} garray_sort_kind;

#define GARRAY_SORT_RANKS 16        /* kth items of one plan; for more core sorts */

/* Rows of n contiguous items.  NumPy's order: NaN last also when descending is 0 and first never; descending
 * reverses the order of the numbers, keeps NaN last (array API leaves it open) and keeps equal items in order.
 * -0 equals 0.  Complex: lexicographic, NumPy's order with NaNs.  TOPK: largest first (descending = 1) or smallest
 * first; NaN counts as the largest; ties go to the lower index.
 * PARTITION and PICK (real dtypes, 1 to GARRAY_SORT_RANKS ranks): here -0 is below 0.  PARTITION deals a row out in groups:
 * what is below the first kth item, what equals it, what lies between it and the second, and so on; within a group
 * items keep their order.  values or indices are given.  PICK: a picked NaN may be any. */
typedef struct garray_sort_plan {
    int32_t kind, dtype, descending, unstable;
    const void *in;                 /* rows * n, contiguous */
    void *values;                   /* rows * n (TOPK: rows * k), contiguous; may equal in for VALUES */
    int64_t *indices;
    int64_t rows, n, k;             /* PICK: k is nkth */
    const int64_t *kth;             /* PARTITION, PICK: ascending, distinct, in [0, n); read before the call returns */
    int32_t nkth, reserved;
} garray_sort_plan;

/* ---- search ------------------------------------------------------------------------------------------------ */
typedef enum {
    GARRAY_SEARCH_LEFT = 1,         /* int64: how many items of sorted go before the value */
    GARRAY_SEARCH_RIGHT = 2,        /* int64: how many do not go after it */
    GARRAY_SEARCH_FOUND = 3,        /* bool: whether one of them is equal to it (nothing is to NaN) */
    GARRAY_SEARCH_MAX_ENUM = 0x7fffffff
} garray_search_kind;

/* Values looked up in a sorted array, all of dtype and contiguous; the order is that of sort.  Where sorted is not in
 * order, each result is some number in [0, n]. */
typedef struct garray_search_plan {
    int32_t kind, dtype;
    const void *sorted, *values;
    void *out;
    int64_t n, count;
} garray_search_plan;

/* ---- index: gather and scatter by integer arrays ------------------------------------------------------------ */
typedef enum {
    GARRAY_INDEX_GATHER = 1,        /* values[o] = base[position(o)] */
    GARRAY_INDEX_SCATTER = 2,       /* base[position(o)] = values[o]; of repeated positions the last o wins */
    GARRAY_INDEX_COMBINE = 3,       /* base[position(o)] = op(base[position(o)], values[o]); repeated positions take all */
    GARRAY_INDEX_MAX_ENUM = 0x7fffffff
} garray_index_kind;

#define GARRAY_INDEX_ARRAYS 4       /* core folds more index arrays into one */

typedef struct garray_index_operand {
    const void *data;
    int32_t dtype;                  /* int64, or any other integer dtype */
    int32_t axis;                   /* the axis of x, for messages */
    int64_t length;                 /* indices are in [-length, length) */
    int64_t step;                   /* byte stride of that axis in base */
    int64_t strides[GARRAY_MAX_NDIM];       /* over the plan's shape, bytes */
} garray_index_operand;

/* COMBINE: values and base are of dtype; op is add, minimum or maximum, and for bool and integers also multiply,
 * bitwise_and, bitwise_or or bitwise_xor.  Floats and complex parts are added as pairs of doubles (two-sum) and rounded once;
 * NaN wins, as in the elementwise operations.  The result is the same each time.
 *
 * position(o) = base + sum o_d * base_strides_d + sum over index arrays of wrap(index(o)) * step.
 * An index out of range is an INDEX error: a host backend finds it before it writes anything; a device backend
 * writes 0 (gather) or nothing (scatter) and reports it through poll(). */
typedef struct garray_index_plan {
    int32_t kind, itemsize;         /* 1, 2, 4, 8 or 16 bytes */
    int32_t op, dtype;              /* COMBINE */
    int32_t ndim, narrays;
    int64_t count;
    void *base, *values;
    int64_t shape[GARRAY_MAX_NDIM], base_strides[GARRAY_MAX_NDIM], value_strides[GARRAY_MAX_NDIM];
    garray_index_operand array[GARRAY_INDEX_ARRAYS];
} garray_index_plan;

/* ---- select: boolean masks ---------------------------------------------------------------------------------- */
typedef enum {
    GARRAY_SELECT_ROWS = 1,         /* out = the rows of in where mask, in order */
    GARRAY_SELECT_INDEX = 2,        /* out[d] = coordinate d (int64) of each true item of mask, ndim outputs */
    GARRAY_SELECT_MAX_ENUM = 0x7fffffff
} garray_select_kind;

/* Two calls: select_count() counts the true items (waits) and keeps what it learnt in state (scratch memory);
 * select_write() with count and outputs filled in writes them and frees state, also when it fails;
 * select_drop() frees state instead. */
typedef struct garray_select_plan {
    int32_t kind, ndim;
    const uint8_t *mask;            /* contiguous bool */
    int64_t n;                      /* items of mask */
    int64_t shape[GARRAY_MAX_NDIM]; /* of mask (INDEX) */
    const void *in;                 /* ROWS: n rows of row_bytes, contiguous */
    int64_t row_bytes;
    void *out[GARRAY_MAX_NDIM];     /* ROWS: out[0] */
    int64_t count;
    void *state;
} garray_select_plan;

/* ---- histogram ---------------------------------------------------------------------------------------------- */
typedef enum {
    GARRAY_HISTOGRAM_COUNT = 1,     /* bool or integers (but uint64): the bin of an item is its value */
    GARRAY_HISTOGRAM_UNIFORM = 2,   /* real items among edges that lie evenly, first < last */
    GARRAY_HISTOGRAM_EDGES = 3,     /* real items among ascending edges */
    GARRAY_HISTOGRAM_MAX_ENUM = 0x7fffffff
} garray_histogram_kind;

/* Bin b of UNIFORM and EDGES holds the items edges[b] <= x < edges[b + 1], all compared as doubles; the last one also
 * those that equal the last edge.  Other items, NaN among them, have no bin.  One result, or none with an extent:
 * counts; sums of weights, added in an order that threads and grid do not change; or places, where
 * places[i] = places[i] * bins + bin, or -1 where either is out.  Counts and sums are overwritten. */
typedef struct garray_histogram_plan {
    int32_t kind, dtype;
    int64_t n, bins;                /* n >= 1, bins < 2^31; 0 only for the extent */
    const void *in;                 /* n items, contiguous; so are all others */
    const double *edges;            /* bins + 1; UNIFORM, EDGES */
    double first, last;             /* UNIFORM: edges[0], edges[bins] */
    double deviation;               /* UNIFORM: at most so far lies edges[i] from first + i * (last - first) / bins */
    const double *weights;          /* n, with sums */
    int64_t *counts;
    double *sums;
    int64_t *places;
    int64_t *extent;                /* COUNT: the smallest and the largest item, or NULL */
} garray_histogram_plan;

/* ---- matmul ------------------------------------------------------------------------------------------------- */
/* c = alpha * op(a) @ op(b) + beta * c over a batch.  Strides in items of dtype.  Of each matrix's two strides one is
 * 1 (or its axis has length 1) and the other is at least max(1, the other axis's length): BLAS can take it as it
 * is or transposed; core has copied what is otherwise.  c has column stride 1.  Batch strides may be 0 for a and b.
 * k may be 0: c = beta * c.  beta 0 never reads c.  dtype: any; bool is or-and, integers wrap, 16-bit floats
 * accumulate in float; float32 uses no TF32. */
typedef struct garray_matmul_plan {
    int32_t dtype, nbatch;          /* axes of the batch, merged */
    int32_t conj_a, conj_b;
    int64_t m, n, k, batch;
    const void *a, *b;
    void *c;
    int64_t a_row, a_col, b_row, b_col, c_row;
    int64_t batch_shape[GARRAY_MAX_NDIM], a_batch[GARRAY_MAX_NDIM], b_batch[GARRAY_MAX_NDIM], c_batch[GARRAY_MAX_NDIM];
    double alpha[2], beta[2];
    int32_t tf32, fast_half;        /* the caller allows TF32, and 16-bit accumulators of 16-bit floats */
} garray_matmul_plan;

/* ---- solve: LAPACK ------------------------------------------------------------------------------------------ */
typedef enum {
    GARRAY_SOLVE_CHOLESKY = 1,      /* a (kept), b: n x n, the factor; its other triangle is 0 */
    GARRAY_SOLVE_LINEAR = 2,        /* a (kept), b: n x nrhs, overwritten by the solution */
    GARRAY_SOLVE_EIGH = 3,          /* a (overwritten by the eigenvectors as columns if vectors), w: n real values ascending */
    GARRAY_SOLVE_INVERSE = 10,      /* a (kept), b: n x n, the inverse; of a singular matrix: checked: SINGULAR, else NaN */
    GARRAY_SOLVE_LU = 11,           /* a: m x n, overwritten by L (its diagonal of ones left out) and U; c: min(m, n) pivots:
                                     * row i was exchanged with row c[i].  A zero in U is no error. */
    GARRAY_SOLVE_DETERMINANT = 12,  /* a (kept), b: the determinant; with w: b its sign, or phase, and w the logarithm of its
                                     * absolute value */
    GARRAY_SOLVE_TRIANGULAR = 13,   /* a (kept), b: n x nrhs, overwritten by the solution of op(a) x = b for the triangle of a;
                                     * trans: 1 the transpose, 2 the conjugate one; unit: ones on the diagonal; checked: a 0
                                     * on the diagonal is SINGULAR */
    GARRAY_SOLVE_PERMUTATION = 14,  /* c: nrhs pivots, d: the order of n rows that their exchanges make, or with trans its
                                     * inverse */
    GARRAY_SOLVE_SVD = 20,          /* a: m x n (destroyed), w: k = min(m, n) real values descending; if vectors, c: u, m x k,
                                     * and d: vh, k x n; full: m x m and n x n */
    GARRAY_SOLVE_QR = 21,           /* a: m x n (destroyed), c: q, m x k, or NULL, d: r, k x n; full: m x m and m x n */
    GARRAY_SOLVE_QR_RAW = 22,       /* a: m x n (destroyed), c: n x m, what geqrf leaves, column by column, d: k factors */
    GARRAY_SOLVE_EIG = 23,          /* a: n x n (destroyed), w: n complex values, ascending as complex numbers are sorted; if
                                     * vectors, c: n x n complex, the vectors as columns */
    GARRAY_SOLVE_MAX_ENUM = 0x7fffffff
} garray_solve_kind;

/* Contiguous row-major batches of float32, float64, complex64 or complex128.  Which batch item failed: a host
 * backend returns SINGULAR or NOCONVERGE and sets the text; a device backend reports through poll(). */
typedef struct garray_solve_plan {
    int32_t kind, dtype, upper, vectors;
    int64_t batch, n, nrhs;
    void *a, *b, *w;
    int32_t trans, unit, checked, full;
    int64_t m;                      /* rows of a where it need not be square */
    void *c, *d;                    /* int64 for the kinds 10 to 19 */
} garray_solve_plan;

/* ---- random ------------------------------------------------------------------------------------------------- */
typedef enum {
    GARRAY_RANDOM_BITS = 1,         /* uint32 or uint64 words */
    GARRAY_RANDOM_UNIFORM = 2,      /* low + (high - low) * u, always below high; float16, bfloat16, float32, float64 */
    GARRAY_RANDOM_NORMAL = 3,       /* loc + scale * z */
    GARRAY_RANDOM_INTEGERS = 4,     /* low + bounded draw of [0, range]; any integer dtype or bool */
    GARRAY_RANDOM_ORDER = 5,        /* int64: the first count numbers of a permutation of [0, irange] (core/draw_order.h) */
    GARRAY_RANDOM_CHECK = 6,        /* nothing but whether the count parameters of kind `checked` are in range */
    GARRAY_RANDOM_VENDOR = 7,       /* bits or uniform numbers of (0, 1] by an engine of the device's vendor; optional */
#define GARRAY_DRAW(number, name, ...) GARRAY_RANDOM_##name = number,
#include "core/draws.def"           /* GARRAY_RANDOM_exponential ...: distributions with parameters */
#undef GARRAY_DRAW
    GARRAY_RANDOM_MAX_ENUM = 0x7fffffff
} garray_random_kind;

/* Numbers of garray_curand_engine. */
enum {
    GARRAY_ENGINE_XORWOW = 1, GARRAY_ENGINE_MRG32K3A, GARRAY_ENGINE_MT19937, GARRAY_ENGINE_PHILOX4X32_10,
    GARRAY_ENGINE_SOBOL32, GARRAY_ENGINE_SOBOL64
};

#define GARRAY_RANDOM_PARAMETERS 3
#define GARRAY_ORDER_KEYS 24

/* Draw i depends on seed, stream, position and i alone: src/core/philox.h has the layout, shared by backends.
 *
 * A parameter of a distribution is a number, or an array of float64: element i takes param[p][i * param_step[p]], the step
 * being 0 or 1.  Of the kinds with rows the result is count items in rows of `row`; parameter 0 belongs to the row (r *
 * param_step[0]), parameter 1 has `row` items for all rows (param_step 0) or for each (1), and is an array.
 * VENDOR: uint32, uint64, float32 or float64; position counts numbers of this dtype, of quasirandom engines points of
 * `row` dimensions, which divide count; a pseudorandom engine's row is 1.
 * Parameters out of range (core/draw_fault.h) are an INVALID error: a host backend finds it before it writes anything,
 * a device backend reports it through poll(). */
typedef struct garray_random_plan {
    int32_t kind, dtype;
    uint64_t seed, stream, position;
    void *out;                      /* contiguous */
    int64_t count;
    double low, high;               /* UNIFORM: bounds; NORMAL: loc, scale */
    uint64_t ilow, irange;          /* INTEGERS: first value (two's complement), highest offset; ORDER: irange */
    int32_t checked, engine;        /* engine: GARRAY_ENGINE_... */
    int64_t row;
    double number[GARRAY_RANDOM_PARAMETERS];
    const double *param[GARRAY_RANDOM_PARAMETERS];      /* NULL: a number */
    int64_t param_step[GARRAY_RANDOM_PARAMETERS];
    uint32_t key[GARRAY_ORDER_KEYS];                    /* ORDER; unless moved */
    const uint64_t *moved;          /* in a graph: a number in device memory to be added to position; else NULL */
} garray_random_plan;

/* ---- fft ---------------------------------------------------------------------------------------------------- */
typedef enum {
    GARRAY_FFT_C2C = 1,             /* n complex items to n */
    GARRAY_FFT_R2C = 2,             /* n real items to the first n / 2 + 1 of the transform */
    GARRAY_FFT_C2R = 3,             /* n / 2 + 1 complex items, the first of a Hermitian sequence, to n real ones */
    GARRAY_FFT_MAX_ENUM = 0x7fffffff
} garray_fft_kind;

/* Transforms along the middle of three axes (outer, n, inner), contiguous on both sides; only C2C may work in place (out
 * exactly in).  Exponents are negative, or positive where inverse is set: of R2C that is the conjugate of the result,
 * of C2R it is what undoes R2C.  C2R takes the imaginary parts of item 0 and, for even n, of item n / 2 as 0.
 * The result is multiplied by scale.  The input is left as it is. */
typedef struct garray_fft_plan {
    int32_t kind, dtype;            /* complex64 or complex128; the real side has its real dtype */
    int32_t inverse, reserved;
    double scale;
    int64_t outer, n, inner;
    const void *in;
    void *out;
} garray_fft_plan;

/* ---- window: a number from the items around each place ------------------------------------------------------- */
typedef enum {
    GARRAY_WINDOW_SUM = 1,          /* the sum of all items times their weights; what is outside of in takes no part */
    GARRAY_WINDOW_RANK = 2,         /* the item of a rank, 0 for the smallest; what is outside counts as 0, NaN is largest */
    GARRAY_WINDOW_MAX_ENUM = 0x7fffffff
} garray_window_kind;

/* out[p] is made of in[p - origin + k] for all places k of the window.  SUM: any dtype; products are added one after the
 * other in row-major order of k, and never fused, so that every device gives the same bits.  bool: whether one is true;
 * integers wrap; 16-bit floats are summed in float, all others in double, and rounded once.  RANK: integers and floats;
 * -0 is below 0. */
typedef struct garray_window_plan {
    int32_t kind, dtype, ndim, reserved;    /* ndim >= 1 */
    int64_t rank;                   /* RANK */
    const void *in, *weights;       /* SUM: weights of dtype, contiguous */
    void *out;
    int64_t count, taps;            /* of outputs; of the window */
    int64_t in_shape[GARRAY_MAX_NDIM], out_shape[GARRAY_MAX_NDIM], window[GARRAY_MAX_NDIM], origin[GARRAY_MAX_NDIM];
    int64_t in_strides[GARRAY_MAX_NDIM], out_strides[GARRAY_MAX_NDIM];
} garray_window_plan;

/* ---- evaluate: a function that a table describes, at many places ------------------------------------------------ */
typedef enum {
    GARRAY_EVALUATE_POLYNOMIAL = 1, /* table: n coefficients, highest power first; any dtype, in its own arithmetic
                                     * (16-bit floats in float) by y = y * x + c from 0 on */
    GARRAY_EVALUATE_LINES = 2,      /* table: values at n ascending points, between which lines are drawn */
    GARRAY_EVALUATE_MAX_ENUM = 0x7fffffff
} garray_evaluate_kind;

/* All contiguous; table and out are of dtype.  POLYNOMIAL: x of dtype too, n may be 0.  LINES: float64 or complex128, x
 * and points float64, n >= 1; before the first and behind the last point the result is left or right, or the first or
 * last value; NaN stays. */
typedef struct garray_evaluate_plan {
    int32_t kind, dtype, has_left, has_right;
    const void *x, *table;
    const double *points;
    void *out;
    int64_t n, count;
    double left[2], right[2];
} garray_evaluate_plan;

/* ---- recur: linear recurrences ----------------------------------------------------------------------------------- */
/* Filters the middle of three axes (outer, n, inner): with the state z[0 ... order - 1] of a row
 *     y = b[0] x + z[0];  z[i] = z[i + 1] + b[i + 1] x - a[i + 1] y;  z[order] = 0
 * for one item after the other.  in and out are of dtype (float32, float64, complex64, complex128), any strides; b, a
 * (order + 1 each, a[0] is 1) and the states are of the float64 or complex128 that belongs to it, contiguous. */
typedef struct garray_recur_plan {
    int32_t dtype, order;
    const void *in, *b, *a;
    const void *first;              /* outer * inner rows of order states; NULL: zeros */
    void *last;                     /* the states behind the last item; may be NULL */
    void *out;
    int64_t outer, n, inner;
    int64_t in_strides[3], out_strides[3];
} garray_recur_plan;

/* ---- copies between devices; on the host: TO_HOST means that dst is not read soon ------------------------------- */
typedef enum {
    GARRAY_COPY_TO_DEVICE = 1, GARRAY_COPY_TO_HOST = 2, GARRAY_COPY_ON_DEVICE = 3, GARRAY_COPY_TO_PEER = 4,
    GARRAY_COPY_MAX_ENUM = 0x7fffffff
} garray_copy_kind;

typedef struct garray_copy_plan {
    int32_t kind, peer_index;       /* TO_PEER: index of the device that dst is on */
    const void *src;
    void *dst;
    size_t size;
    int32_t wait, reserved;         /* TO_DEVICE, TO_HOST: wait 1: until dst is complete; 2: until src may be reused */
} garray_copy_plan;

/* ---- what core offers to a backend ----------------------------------------------------------------------------- */
typedef struct garray_host {
    uint32_t version, size;
    /* Memory of the queue's device from the pool, in stream order, 256-byte aligned; freed in stream order. */
    garray_status (*scratch)(const garray__queue *q, size_t size, void **ptr);
    void (*scratch_free)(const garray__queue *q, void *ptr);
    /* Sets this thread's error text (printf format) and returns status: return host->fail(GARRAY_ERR_..., "..."). */
    garray_status (*fail)(garray_status status, const char *format, ...);
    void (*log)(int level, const char *format, ...);
} garray_host;

typedef struct garray_device_info {
    char name[256];
    int64_t total_memory, free_memory;
    int32_t multiprocessors, capability;    /* capability: 100 * major + minor; 0 on the CPU */
} garray_device_info;

/* ---- the table ------------------------------------------------------------------------------------------------- */
enum {
    GARRAY_BACKEND_SPLIT32 = 1,     /* strided elementwise and convert plans must span less than 2^31 bytes per operand */
    GARRAY_BACKEND_ASYNC = 2,       /* work is enqueued: order, events and late errors matter */
};

typedef struct garray_backend {
    uint32_t version, size;         /* GARRAY_BACKEND_VERSION, sizeof */
    const char *name;               /* "cpu", "cuda" */
    uint32_t flags, device_type;    /* device_type: GARRAY_DEVICE_... */
    /* devices */
    garray_status (*count)(int *count);                             /* a missing driver: 0 and a text that says why */
    garray_status (*open)(int index, void **device);
    void (*close)(void *device);
    garray_status (*info)(void *device, garray_device_info *info);
    /* memory; sizes in bytes, never 0 */
    garray_status (*alloc)(void *device, size_t size, void **ptr);  /* DEVICE_NOMEM (CPU: NOMEM) when there is none */
    void (*free)(void *device, void *ptr, size_t size);
    garray_status (*host_alloc)(void *device, size_t size, void **ptr);      /* pinned host memory; optional */
    void (*host_free)(void *device, void *ptr, size_t size);
    garray_status (*pointer_info)(void *device, const void *ptr, int32_t *device_index);   /* whose memory; -1: host, -2: pinned; optional */
    /* order; all optional for a backend that is not ASYNC */
    garray_status (*stream_new)(void *device, int priority, void **stream);
    void (*stream_free)(void *device, void *stream);
    garray_status (*stream_wait_host)(const garray__queue *q);      /* the host waits; then poll() */
    garray_status (*stream_query)(const garray__queue *q, bool *done);
    garray_status (*event_new)(void *device, bool timing, void **event);
    void (*event_free)(void *device, void *event);
    garray_status (*event_record)(const garray__queue *q, void *event);
    garray_status (*event_wait)(const garray__queue *q, void *event);        /* the queue waits */
    garray_status (*event_wait_host)(void *device, void *event);
    garray_status (*event_query)(void *device, void *event, bool *done);
    garray_status (*event_elapsed)(void *device, void *begin, void *end, double *milliseconds);
    garray_status (*poll)(const garray__queue *q);                  /* late errors of work that has completed, once each */
    /* work */
#define GARRAY_ENTRY(number, name, plan_type) garray_status (*name)(const garray__queue *q, plan_type *plan);
#include "core/entries.def"
    void (*select_drop)(const garray__queue *q, garray_select_plan *plan);
    /* the CPU backend's thread count; NULL elsewhere */
    garray_status (*set_threads)(int count);
    int (*threads)(void);
    /* Memory in the order of a queue, from a pool of the driver's; optional. */
    garray_status (*alloc_async)(const garray__queue *q, size_t size, void **ptr);
    void (*free_async)(const garray__queue *q, void *ptr, size_t size);
    /* Graphs; all NULL where launches submit their plans one by one.  Between begin and end what is enqueued on q, which no
     * other work is on, is recorded and not run, memory included that it uses; UNSUPPORTED, from the entry or from end, where
     * something cannot be.  end: graph NULL drops what was recorded, also after a failure.  A graph is freed once its
     * launches are done. */
    garray_status (*graph_begin)(const garray__queue *q);
    garray_status (*graph_end)(const garray__queue *q, void **graph);
    garray_status (*graph_launch)(const garray__queue *q, void *graph);
    void (*graph_free)(void *device, void *graph);
    /* Makes what the plan (one of them, the others are NULL) needs and cannot be made while it is recorded; optional. */
    garray_status (*graph_prepare)(const garray__queue *q, const garray_matmul_plan *matmul, const garray_solve_plan *solve,
                                   const garray_fft_plan *fft);
} garray_backend;

/* The one symbol of a backend module; host lives as long as the process. NULL: version not understood. */
typedef const garray_backend *garray_backend_entry(const garray_host *host);
#define GARRAY_BACKEND_ENTRY "garray_backend_module"

#ifdef __cplusplus
}
#endif
#endif
