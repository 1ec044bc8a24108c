/* SPDX-License-Identifier: BSD-3-Clause
 * Matrix products of this library's own: integers, bool, and floats too small for the BLAS. */
#ifndef GARRAY_CPU_MATMUL_H
#define GARRAY_CPU_MATMUL_H

#include "cpu/cpu.h"

/* One product: c = alpha * a @ b + beta * c; strides in items, c has column stride 1. */
typedef struct garray__product {
    int64_t m, n, k;
    int64_t a_row, a_col, b_row, b_col, c_row;
    const void *a, *b;
    void *c;
    double alpha, beta;
} garray__product;

typedef void garray__product_kernel(const garray__product *p);

/* By dtype number: bool, integers, float32, float64; NULL: none. */
typedef struct garray__products {
    garray__product_kernel *kernel[16];
    /* Inner products of contiguous vectors, in 32 lanes of doubles whatever the level. */
    double (*dot_float)(const float *a, const float *b, int64_t n);
    double (*dot_double)(const double *a, const double *b, int64_t n);
    void (*widen_half)(float *to, const uint16_t *from, int64_t n);
    void (*widen_bfloat)(float *to, const uint16_t *from, int64_t n);
    /* Products of float32 and float64 with b in a panel: how many items it has, its making, the product. */
    int64_t (*thin_items[2])(int64_t k, int64_t n);
    void (*thin_pack[2])(void *panel, const void *b, int64_t row, int64_t col, int64_t k, int64_t n);
    void (*thin[2])(const garray__product *p, const void *panel);
} garray__products;

GARRAY_ISA_DECLARE(const garray__products, garray__cpu_products);

#endif
