/* SPDX-License-Identifier: BSD-3-Clause
 * A permutation of [0, n) without a sort: a keyed bijection of [0, 2^bits), n <= 2^bits < 2n, whose images beyond n are
 * mapped again until they are below (Mitchell, Stokes, Frank, Holmes: Bandwidth-optimal random shuffling for GPUs, 2022).
 * The bijection is a generalized Feistel network of 24 rounds, multiplications as in Philox.  One text for C and CUDA; every
 * element stands for itself. */
#ifndef GARRAY_CORE_DRAW_ORDER_H
#define GARRAY_CORE_DRAW_ORDER_H

#include "core/backend.h"
#include "core/inline.h"

/* How many bits the left and the right half have. */
typedef struct garray__order {
    uint32_t left, right;
} garray__order;

/* For n - 1 = last < 2^62. */
GARRAY_FN garray__order garray__order_of(uint64_t last)
{
    garray__order o;
    uint32_t bits = 2;
    while (last >> bits)
        bits++;
    o.left = bits / 2;
    o.right = bits - o.left;
    return o;
}

GARRAY_FN void garray__order_round(garray__order o, uint32_t key, uint32_t *left, uint32_t *right)
{
    const uint64_t product = 0xd2b74407b1ce6e93u * (uint64_t)*left;
    const uint32_t low = (uint32_t)product << (o.right - o.left) | *right >> o.left;
    *left = ((uint32_t)(product >> 32) ^ key ^ *right) & ((1u << o.left) - 1);
    *right = low & ((1u << o.right) - 1);
}

/* The bijection. */
GARRAY_FN uint64_t garray__order_image(garray__order o, const uint32_t *key, uint64_t x)
{
    uint32_t left = (uint32_t)(x >> o.right), right = (uint32_t)x & ((1u << o.right) - 1);
#ifdef __CUDACC__
#pragma unroll
#endif
    for (int r = 0; r < GARRAY_ORDER_KEYS; r++)
        garray__order_round(o, key[r], &left, &right);
    return (uint64_t)left << o.right | right;
}

/* Place i of the permutation. */
GARRAY_FN uint64_t garray__order_at(garray__order o, const uint32_t *key, uint64_t last, uint64_t i)
{
    do
        i = garray__order_image(o, key, i);
    while (i > last);
    return i;
}

#endif
