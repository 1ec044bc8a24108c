/* SPDX-License-Identifier: BSD-3-Clause
 * Transforms on the CPU: what fft_plan.c prepares, fft.c drives and fft_tmpl.c computes.
 *
 * Kernels transform LANES lines at once, 64 bytes of real parts and 64 of imaginary ones (16 floats, or 8 doubles): a
 * point.  Lines are neighbouring columns, or rows, or the columns of a single row that is taken as a matrix (see
 * garray__fft_rows).  All transforms are forward ones: exchanging real and imaginary parts on both sides makes an
 * inverse of one. */
#ifndef GARRAY_CPU_FFT_H
#define GARRAY_CPU_FFT_H

#include "cpu/cpu.h"

enum {
    GARRAY_FFT_POINT = 128,         /* bytes of a point */
    GARRAY_FFT_STAGES = 8,
    GARRAY_FFT_LEAF = 128,          /* points of a leaf, at most: two buffers of them stay in the first-level cache */
    GARRAY_FFT_CHIRP_LANES = 2048   /* Bluestein's algorithm on lanes up to here, on rows above */
};

/* ---- transforms of n points on lanes -------------------------------------------------------------------- */
typedef enum {
    GARRAY_FFT_NODE_LEAF = 1,       /* Stockham's stages */
    GARRAY_FFT_NODE_SPLIT = 2,      /* n = a b: b leaves of a, turned, and a nodes of b */
    GARRAY_FFT_NODE_CHIRP = 3,      /* Bluestein: a convolution by node a, of at least 2 n - 1 points */
} garray__fft_node_kind;

typedef struct garray__fft_node garray__fft_node;
struct garray__fft_node {
    int64_t n;
    int32_t kind, nstages;
    uint8_t radix[GARRAY_FFT_STAGES];
    const void *twiddle[GARRAY_FFT_STAGES];     /* LEAF: m x (radix - 1) complex numbers each, m: what is left of n */
    const garray__fft_node *a, *b;
    const void *turn;                           /* SPLIT: b x a complex numbers exp(-2 pi i p u / n) */
    const double *chirp, *spectrum;             /* CHIRP: n and m complex numbers */
    int64_t work;                               /* bytes that run() needs */
};

/* Where points come from or go to: points on lanes, or items in memory, of which point j is a row. */
typedef struct garray__fft_side {
    void *base;
    int64_t row_step;               /* items between rows; 0: on lanes */
    int32_t lanes, swap;            /* lanes in use; whether the parts are exchanged */
    double scale;                   /* of what goes out */
} garray__fft_side;

/* ---- transforms of rows of n items ----------------------------------------------------------------------- */
/* n = n1 n2.  Item j1 n2 + j2: first n2 transforms of n1 along columns; then, turned by exp(-2 pi i k1 j2 / n) and
 * transposed, n1 transforms of n2, which give item k1 + n1 k2.  Both have lanes in contiguous memory on both sides. */
typedef struct garray__fft_rows garray__fft_rows;
struct garray__fft_rows {
    int64_t n, n1, n2;              /* n1 = 0: Bluestein */
    const garray__fft_node *first, *second;
    const void *turns;              /* of points: [blocks of j2][n1], or, where that is too large, the [n1] of block 0 and */
    const void *coarse;             /* [blocks of j2][n1] complex numbers that take them to the other blocks; or NULL */
    const garray__fft_rows *convolution;
    const double *chirp, *spectrum; /* n and m complex numbers */
    int64_t work;                   /* bytes that a call of run() for either step needs */
};

/* ---- plans, kept ----------------------------------------------------------------------------------------- */
typedef enum { GARRAY_FFT_ON_LANES = 1, GARRAY_FFT_ON_ROWS = 2, GARRAY_FFT_REAL = 3 } garray__fft_use;

typedef struct garray__fft_kept {
    int32_t use, is_double;         /* is_double: items */
    int64_t n;
    int32_t refs, on_double;        /* on_double: lanes */
    uint64_t used;
    size_t size;
    void *blocks;                   /* memory of the plan */
    const garray__fft_node *lanes;
    const garray__fft_rows *rows;
    const void *turn[2];            /* REAL: real and imaginary parts of exp(-2 pi i k / (2 n)), k <= n / 2 */
} garray__fft_kept;

/* A plan from the cache, or a new one; given back with drop().  n is at least 1. */
garray_status garray__fft_keep(garray__fft_use use, int64_t n, bool is_double, const garray__fft_kept **out);
void garray__fft_drop(const garray__fft_kept *kept);

/* Empties the cache. */
void garray__fft_forget(void);

/* Whether n is a product of primes up to 13. */
bool garray__fft_smooth(int64_t n);
/* The two factors for rows, and what the lanes that then stay empty cost: a factor; infinite for primes. */
double garray__fft_factor_rows(int64_t n, int width, int64_t *n1, int64_t *n2);

/* ---- kernels --------------------------------------------------------------------------------------------- */
/* For lanes of float or double, and items of float or double in memory. */
typedef struct garray__fft_kernels {
    int32_t width;                  /* lanes of a point */
    int32_t part;                   /* bytes of a real item in memory */
    /* The transform of a node; in and out do not share points, but may be the same memory. */
    void (*run)(const garray__fft_node *node, const garray__fft_side *in, const garray__fft_side *out, void *work);
    /* Points from and to items: rows are lanes, so many as the side says, count complex items of each. */
    void (*load_rows)(void *points, const garray__fft_side *side, int64_t count);
    void (*store_rows)(const void *points, const garray__fft_side *side, int64_t count);
    void (*load_columns)(void *points, const garray__fft_side *side, int64_t count);
    void (*store_columns)(const void *points, const garray__fft_side *side, int64_t count);
    /* Real items: count of them become parts of points in turn if paired, else real parts (where the side is swapped,
     * imaginary ones). */
    void (*load_real)(void *points, const garray__fft_side *side, int64_t count, bool rows, bool paired);
    void (*store_real)(const void *points, const garray__fft_side *side, int64_t count, bool rows, bool paired);
    /* The transform of 2 h real items from that of h pairs, in place, h + 1 points; and what undoes it.  sign: of the
     * imaginary parts that come in (tangle) or go out (untangle). */
    void (*untangle)(void *points, int64_t h, const void *const turn[2], double sign);
    void (*tangle)(void *points, int64_t h, const void *const turn[2], double sign);
    /* n points of a Hermitian sequence from the first n / 2 + 1, for odd n. */
    void (*extend)(void *points, int64_t n, double sign);
    /* Points turned, transposed and put where the second step looks for them (see fft.c). */
    void (*turn)(void *matrix, const void *points, const garray__fft_rows *rows, int64_t block, int lanes);
    /* The same for a row of items: pairs k and h - k for begin <= k < end, where end is at most h / 2 + 1.  untangle_row()
     * works in place. */
    void (*untangle_row)(void *row, int64_t h, const void *const turn[2], double scale, double sign, int64_t begin, int64_t end);
    void (*tangle_row)(void *to, const void *from, int64_t h, const void *const turn[2], double sign, int64_t begin, int64_t end);
    /* Bluestein on rows: complex items begin to end times the chirp, and the same on the way back. */
    void (*chirp_in)(double *out, const void *in, const double *chirp, bool swap, int64_t begin, int64_t end);
    void (*chirp_out)(void *out, const double *in, const double *chirp, bool swap, double scale, int64_t begin, int64_t end);
} garray__fft_kernels;

/* double lanes and items; float; double lanes for float items. */
GARRAY_ISA_DECLARE(const garray__fft_kernels, garray__fft_double);
GARRAY_ISA_DECLARE(const garray__fft_kernels, garray__fft_float);
GARRAY_ISA_DECLARE(const garray__fft_kernels, garray__fft_mixed);
const garray__fft_kernels *garray__fft_kernels_of(bool on_double, bool is_double);

#endif
