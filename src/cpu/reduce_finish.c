/* SPDX-License-Identifier: BSD-3-Clause
 * From the state of a reduction to its results: each is rounded once, from the wide value. */
#include <math.h>
#include <string.h>
#include "core/half.h"
#include "cpu/reduce.h"

/* s + e, where e is what the sums lost: nothing to add to an infinity or NaN, and -0 stays -0. */
static double whole(double s, double e)
{
    return isfinite(s) && isfinite(e) && e != 0 ? s + e : s;
}

/* (s + e) / n, correctly rounded but for a last bit in rare cases. */
static double quotient(double s, double e, double n)
{
    double q = s / n;
    if (!isfinite(q) || !isfinite(e) || n == 0)
        return n == 0 && s == 0 ? NAN : q;
    double r = fma(-q, n, s) + e;
    return r != 0 ? q + r / n : q;
}

static void store_real(char *out, int dtype, double v)
{
    if (dtype == GARRAY_FLOAT32 || dtype == GARRAY_COMPLEX64) {
        float f = (float)v;
        memcpy(out, &f, 4);
    } else if (dtype == GARRAY_FLOAT64 || dtype == GARRAY_COMPLEX128) {
        memcpy(out, &v, 8);
    } else {
        uint16_t h = dtype == GARRAY_FLOAT16 ? garray__double_to_half(v) : garray__double_to_bfloat(v);
        memcpy(out, &h, 2);
    }
}

static bool is_float(int dtype)
{
    return dtype >= GARRAY_FLOAT16 && dtype <= GARRAY_FLOAT64;
}

static bool is_complex(int dtype)
{
    return dtype == GARRAY_COMPLEX64 || dtype == GARRAY_COMPLEX128;
}

static int item_size(int dtype)
{
    static const uint8_t size[16] = {
#define GARRAY_DTYPE(value, name, kind, bytes, ...) [value] = bytes,
#include "core/dtypes.def"
#undef GARRAY_DTYPE
    };
    return size[dtype];
}

/* ---- floats and complex numbers: values in blocks of doubles, then stored ------------------------------ */
enum { BLOCK = 256 };

/* `items` values of `width` parts each, in v one after the other.  A NaN is the positive one without payload: which
 * of two NaNs an addition keeps is the compiler's choice. */
static void store_reals(char *out, int64_t step, int dtype, double *v, int64_t items, int width)
{
    int part = item_size(dtype) / (is_complex(dtype) ? 2 : 1);
    bool contiguous = step == part * width && (uintptr_t)out % (uintptr_t)part == 0;
    for (int64_t i = 0; i < items * width; i++)
        v[i] = v[i] != v[i] ? NAN : v[i];
    if (contiguous && part == 4) {
        float *f = (float *)(void *)out;
        for (int64_t i = 0; i < items * width; i++)
            f[i] = (float)v[i];
    } else if (contiguous && part == 8) {
        memcpy(out, v, (size_t)(items * width) * 8);
    } else {
        for (int64_t c = 0; c < items; c++, out += step)
            for (int w = 0; w < width; w++)
                store_real(out + w * part, dtype, v[c * width + w]);
    }
}

/* The common case in one pass: results of 32-bit floats side by side.  divisor: of a mean, else 1. */
static void finish_float32(const double *x, int64_t n, float *out, double divisor)
{
    if (divisor == 1)
        for (int64_t c = 0; c < n; c++) {
            float v = (float)x[c];
            out[c] = v != v ? NAN : v;
        }
    else
        for (int64_t c = 0; c < n; c++) {
            float v = (float)(x[c] / divisor);
            out[c] = v != v ? NAN : v;
        }
}

static void finish_floats(const garray_reduce_plan *p, const double *s, int64_t cap, int64_t items, char *out,
                          int64_t out_step, int64_t n, const int64_t *count)
{
    int dtype = p->acc_dtype, width = is_complex(dtype) ? 2 : 1;
    bool mean = p->op == GARRAY_RED_MEAN, prod = p->op == GARRAY_RED_PROD;
    bool pair = !prod && (dtype == GARRAY_FLOAT64 || dtype == GARRAY_COMPLEX128);
    double v[BLOCK];
    if ((dtype == GARRAY_FLOAT32 || (dtype == GARRAY_COMPLEX64 && !prod)) && !count && out_step == 4 * width
        && (uintptr_t)out % 4 == 0) {
        finish_float32(s, items * width, (float *)(void *)out, mean ? (double)n : 1);
        return;
    }
    for (int64_t begin = 0, m; begin < items; begin += m, out += m * out_step) {
        m = items - begin < BLOCK / 2 ? items - begin : BLOCK / 2;
        const double *x = s + begin * (prod ? 1 : width);
        if (prod && width == 2) {       /* its parts are in two arrays */
            for (int64_t c = 0; c < m; c++) {
                v[2 * c] = x[c];
                v[2 * c + 1] = x[cap + c];
            }
        } else if (!mean) {
            for (int64_t c = 0; c < m * width; c++)
                v[c] = pair ? whole(x[c], x[cap + c]) : x[c];
        } else if (pair || count) {
            for (int64_t c = 0; c < m * width; c++)
                v[c] = quotient(x[c], pair ? x[cap + c] : 0, (double)(count ? count[begin + c / width] : n));
        } else {
            for (int64_t c = 0; c < m * width; c++)
                v[c] = x[c] / (double)n;
        }
        store_reals(out, out_step, dtype, v, m, width);
    }
}

static void finish_var(const garray_reduce_plan *p, const double *s, int64_t cap, int64_t items, char *out,
                       int64_t out_step)
{
    int dtype = p->acc_dtype, width = is_complex(dtype) ? 2 : 1;
    double v[BLOCK];
    for (int64_t begin = 0, m; begin < items; begin += m, out += m * out_step) {
        m = items - begin < BLOCK ? items - begin : BLOCK;
        const double *n = s + begin * width, *m2 = n + 3 * cap, *lost = n + 4 * cap;
        for (int64_t c = 0; c < m; c++) {
            double sum = whole(m2[c * width], lost[c * width]), divisor = n[c * width] - p->correction;
            if (width == 2)
                sum += whole(m2[2 * c + 1], lost[2 * c + 1]);
            v[c] = n[c * width] == 0 ? NAN : sum / (divisor > 0 ? divisor : 0);
        }
        if (p->op == GARRAY_RED_STD)
            for (int64_t c = 0; c < m; c++)
                v[c] = sqrt(v[c]);
        store_reals(out, out_step, dtype, v, m, 1);
    }
}

/* ---- integers ------------------------------------------------------------------------------------------ */
static void finish_integers(const garray_reduce_plan *p, const uint64_t *s, int64_t items, char *out, int64_t out_step)
{
    size_t size = (size_t)item_size(p->acc_dtype);
    if (size == 8 && out_step == 8) {
        memcpy(out, s, (size_t)items * 8);
        return;
    }
    for (int64_t c = 0; c < items; c++, out += out_step) {
        uint64_t v = p->acc_dtype == GARRAY_BOOL ? s[c] != 0 : s[c];
        uint8_t v8 = (uint8_t)v;
        uint16_t v16 = (uint16_t)v;
        uint32_t v32 = (uint32_t)v;
        memcpy(out, size == 1 ? (void *)&v8 : size == 2 ? (void *)&v16 : size == 4 ? (void *)&v32 : (void *)&v, size);
    }
}

/* ---- extrema: keys back to numbers --------------------------------------------------------------------- */
static uint64_t float_of_key(int dtype, bool most, int64_t key)
{
    static const uint64_t nan[4] = { 0x7e00, 0x7fc0, 0x7fc00000, 0x7ff8000000000000 };
    int bits = item_size(dtype) * 8;
    int64_t largest = (int64_t)(UINT64_MAX >> (65 - bits)), least = -largest - 1;
    if (key == (most ? largest : least))
        return nan[dtype - GARRAY_FLOAT16];
    return (uint64_t)(key < 0 ? key ^ largest : key);
}

static void finish_extrema(const garray_reduce_plan *p, const void *state, int64_t cap, int64_t items, char *out,
                           int64_t out_step)
{
    int dtype = p->acc_dtype;
    size_t size = (size_t)item_size(dtype);
    bool most = p->op == GARRAY_RED_MAX;
    if (dtype == GARRAY_FLOAT32 && out_step == 4 && (uintptr_t)out % 4 == 0) {
        const int32_t *key = state;
        uint32_t *f = (uint32_t *)(void *)out;
        for (int64_t c = 0; c < items; c++) {
            uint32_t bits = (uint32_t)(key[c] ^ (key[c] >> 31 & INT32_MAX));
            f[c] = key[c] == (most ? INT32_MAX : INT32_MIN) ? 0x7fc00000 : bits;
        }
        return;
    }
    if (dtype < GARRAY_FLOAT16 && dtype != GARRAY_BOOL && out_step == (int64_t)size) {
        memcpy(out, state, (size_t)items * size);
        return;
    }
    for (int64_t c = 0; c < items; c++, out += out_step) {
        if (is_complex(dtype)) {
            const double *s = (const double *)state + c;
            int part = item_size(dtype) / 2;
            store_real(out, dtype, s[0]);
            store_real(out + part, dtype, s[cap]);
        } else if (is_float(dtype)) {
            int64_t key = size == 2 ? ((const int16_t *)state)[c] : size == 4 ? ((const int32_t *)state)[c]
                                                                                : ((const int64_t *)state)[c];
            uint64_t v = float_of_key(dtype, most, key);
            uint16_t v16 = (uint16_t)v;
            uint32_t v32 = (uint32_t)v;
            memcpy(out, size == 2 ? (void *)&v16 : size == 4 ? (void *)&v32 : (void *)&v, size);
        } else if (dtype == GARRAY_BOOL) {
            uint8_t v = ((const uint8_t *)state)[c] != 0;
            memcpy(out, &v, 1);
        } else {
            memcpy(out, (const char *)state + (size_t)c * size, size);
        }
    }
}

/* ---- positions, counts and truth ----------------------------------------------------------------------- */
static void finish_index(const int64_t *s, int64_t items, char *out, int64_t out_step)
{
    if (out_step == 8) {
        memcpy(out, s, (size_t)items * 8);
        return;
    }
    for (int64_t c = 0; c < items; c++, out += out_step)
        memcpy(out, &s[c], 8);
}

static void finish_truth(const garray_reduce_plan *p, const int64_t *s, int64_t items, char *out, int64_t out_step,
                         int64_t n, const int64_t *count)
{
    for (int64_t c = 0; c < items; c++, out += out_step) {
        uint8_t v = p->op == GARRAY_RED_ANY ? s[c] != 0 : s[c] == (count ? count[c] : n);
        memcpy(out, &v, 1);
    }
}

void garray__reduce_finish(const garray_reduce_plan *plan, const void *state, int64_t cap, int64_t items,
                           char *out, int64_t out_step, int64_t n, const int64_t *count)
{
    int dtype = plan->acc_dtype;
    switch ((garray_red_op)plan->op) {
    case GARRAY_RED_SUM:
    case GARRAY_RED_PROD:
    case GARRAY_RED_MEAN:
        if (is_float(dtype) || is_complex(dtype))
            finish_floats(plan, state, cap, items, out, out_step, n, count);
        else
            finish_integers(plan, state, items, out, out_step);
        break;
    case GARRAY_RED_MIN:
    case GARRAY_RED_MAX:
        finish_extrema(plan, state, cap, items, out, out_step);
        break;
    case GARRAY_RED_VAR:
    case GARRAY_RED_STD:
        finish_var(plan, state, cap, items, out, out_step);
        break;
    case GARRAY_RED_ARGMIN:
    case GARRAY_RED_ARGMAX:
        finish_index((const int64_t *)state + (is_complex(plan->in_dtype) ? 2 : 1) * cap, items, out, out_step);
        break;
    case GARRAY_RED_ANY:
    case GARRAY_RED_ALL:
        finish_truth(plan, state, items, out, out_step, n, count);
        break;
    default:
        finish_index(state, items, out, out_step);
        break;
    }
}
