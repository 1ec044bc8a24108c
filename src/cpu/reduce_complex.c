/* SPDX-License-Identifier: BSD-3-Clause
 * Products, extrema and positions of complex numbers, item by item.  The order is lexicographic; a number with a NaN
 * in either part wins, the first one; of equal numbers the first. */
#include "cpu/reduce.h"
#include "cpu/scalar.h"

/* gcc fuses the products of complex expressions when it vectorizes, even with -ffp-contract=off. */
#if defined(__GNUC__) && !defined(__clang__) && __GNUC__ >= 12
#define PRODUCT(x) __builtin_assoc_barrier(x)
#else
#define PRODUCT(x) (x)
#endif

static garray__c128 multiply(garray__c128 a, garray__c128 b)
{
    return (garray__c128){ PRODUCT(a.re * b.re) - PRODUCT(a.im * b.im), PRODUCT(a.re * b.im) + PRODUCT(a.im * b.re) };
}

static garray__c128 load(const void *x, int64_t i, bool wide)
{
    if (wide)
        return ((const garray__c128 *)x)[i];
    garray__c64 v = ((const garray__c64 *)x)[i];
    return (garray__c128){ (double)v.re, (double)v.im };
}

/* ---- products: re, im ---------------------------------------------------------------------------------- */
static void prod_init(void *state, int64_t cap, int64_t columns, int64_t index)
{
    double *s = state;
    (void)index;
    for (int64_t c = 0; c < columns; c++) {
        s[c] = 1;
        s[cap + c] = 0;
    }
}

static void prod_merge(void *dst, const void *src, int64_t cap, int64_t columns, int64_t first)
{
    double *s = dst;
    const double *x = (const double *)src + first;
    for (int64_t c = 0; c < columns; c++) {
        garray__c128 p = multiply((garray__c128){ s[c], s[cap + c] }, (garray__c128){ x[c], x[cap + c] });
        s[c] = p.re;
        s[cap + c] = p.im;
    }
}

/* Four lanes hide the latency of the multiplications. */
static inline void prod_row(double *s, const void *x, int64_t n, bool wide)
{
    garray__c128 lane[4] = { { s[0], s[1] }, { 1, 0 }, { 1, 0 }, { 1, 0 } };
    int64_t i = 0;
    for (; i + 4 <= n; i += 4)
        for (int j = 0; j < 4; j++)
            lane[j] = multiply(lane[j], load(x, i + j, wide));
    for (; i < n; i++)
        lane[0] = multiply(lane[0], load(x, i, wide));
    garray__c128 p = n < 4 ? lane[0] : multiply(multiply(lane[0], lane[1]), multiply(lane[2], lane[3]));
    s[0] = p.re;
    s[1] = p.im;
}

/* ---- extrema and positions: re, im, index (of extrema: whether anything was seen) ---------------------- */
static void order_init(void *state, int64_t cap, int64_t columns, int64_t index)
{
    (void)index;
    for (int64_t c = 0; c < columns; c++)
        ((int64_t *)state)[2 * cap + c] = GARRAY_REDUCE_NONE;
}

static bool has_nan(garray__c128 a)
{
    return a.re != a.re || a.im != a.im;
}

/* Does b replace the earlier a? */
static bool replaces(garray__c128 a, garray__c128 b, bool most)
{
    if (has_nan(a) || has_nan(b))
        return !has_nan(a);
    if (a.re != b.re)
        return most ? b.re > a.re : b.re < a.re;
    return most ? b.im > a.im : b.im < a.im;
}

static inline void order_row(void *state, const void *x, int64_t n, int64_t index, bool wide, bool most)
{
    double *s = state;
    int64_t *at = (int64_t *)state + 2;
    garray__c128 best = { s[0], s[1] };
    for (int64_t i = 0; i < n; i++) {
        garray__c128 v = load(x, i, wide);
        if (*at == GARRAY_REDUCE_NONE || replaces(best, v, most)) {
            best = v;
            *at = index + i;
        }
    }
    s[0] = best.re;
    s[1] = best.im;
}

static inline void order_merge(void *dst, const void *src, int64_t cap, int64_t columns, int64_t first, bool most)
{
    double *s = dst;
    const double *x = (const double *)src + first;
    int64_t *at = (int64_t *)dst + 2 * cap;
    const int64_t *from = (const int64_t *)src + 2 * cap + first;
    for (int64_t c = 0; c < columns; c++) {
        garray__c128 a = { s[c], s[cap + c] }, b = { x[c], x[cap + c] };
        if (from[c] == GARRAY_REDUCE_NONE || (at[c] != GARRAY_REDUCE_NONE && !replaces(a, b, most)))
            continue;
        s[c] = b.re;
        s[cap + c] = b.im;
        at[c] = from[c];
    }
}

static void max_merge(void *dst, const void *src, int64_t cap, int64_t columns, int64_t first)
{
    order_merge(dst, src, cap, columns, first, true);
}

static void min_merge(void *dst, const void *src, int64_t cap, int64_t columns, int64_t first)
{
    order_merge(dst, src, cap, columns, first, false);
}

/* ---- counts: both parts of complex128 (complex64 is counted as one word) ------------------------------- */
static void count_init(void *state, int64_t cap, int64_t columns, int64_t index)
{
    (void)cap, (void)index;
    for (int64_t c = 0; c < columns; c++)
        ((uint64_t *)state)[c] = 0;
}

static void count_merge(void *dst, const void *src, int64_t cap, int64_t columns, int64_t first)
{
    (void)cap;
    for (int64_t c = 0; c < columns; c++)
        ((uint64_t *)dst)[c] += ((const uint64_t *)src)[first + c];
}

static void count_row(void *state, const void *x, int64_t n, int64_t index)
{
    const garray__c128 *a = x;
    uint64_t count = 0;
    (void)index;
    for (int64_t i = 0; i < n; i++)
        count += (a[i].re != 0) | (a[i].im != 0);
    *(uint64_t *)state += count;
}

/* ---- the table ----------------------------------------------------------------------------------------- */
#define ROW(name, call) static void name(void *state, const void *x, int64_t n, int64_t index) { (void)index; call; }
ROW(prod_c64, prod_row(state, x, n, false))
ROW(prod_c128, prod_row(state, x, n, true))
ROW(min_c64, order_row(state, x, n, index, false, false))
ROW(min_c128, order_row(state, x, n, index, true, false))
ROW(max_c64, order_row(state, x, n, index, false, true))
ROW(max_c128, order_row(state, x, n, index, true, true))

#define KERNEL(arrays_, init_, row_, merge_)                                                                 \
    { .arrays = arrays_, .slot = 8, .width = 1, .init = init_, .row = row_, .merge = merge_ }

const garray__reduce_kernel *garray__reduce_complex(garray__reduce_kind kind, int dtype)
{
    static const garray__reduce_kernel prod[2] = { KERNEL(2, prod_init, prod_c64, prod_merge),
                                                   KERNEL(2, prod_init, prod_c128, prod_merge) };
    static const garray__reduce_kernel min[2] = { KERNEL(3, order_init, min_c64, min_merge),
                                                  KERNEL(3, order_init, min_c128, min_merge) };
    static const garray__reduce_kernel max[2] = { KERNEL(3, order_init, max_c64, max_merge),
                                                  KERNEL(3, order_init, max_c128, max_merge) };
    static const garray__reduce_kernel count = KERNEL(1, count_init, count_row, count_merge);
    int i = dtype == GARRAY_COMPLEX128;
    switch (kind) {
    case GARRAY_REDUCE_PROD:
        return &prod[i];
    case GARRAY_REDUCE_MIN:
    case GARRAY_REDUCE_ARGMIN:
        return &min[i];
    case GARRAY_REDUCE_MAX:
    case GARRAY_REDUCE_ARGMAX:
        return &max[i];
    case GARRAY_REDUCE_COUNT:
        return i ? &count : NULL;
    default:
        return NULL;
    }
}
