/* SPDX-License-Identifier: BSD-3-Clause
 * Sums, products and variances: the kernels of one instruction set, for all dtypes.
 * 32-bit floats are summed as doubles, doubles with compensation (two-sum); 16-bit floats are widened in blocks.  A
 * variance of doubles takes two passes over a block that is in the first-level cache, so memory is read once. */
#include <string.h>
#include "cpu/lanes.h"
#include "cpu/reduce.h"

enum { TILE = GARRAY_REDUCE_TILE, BLOCK = 1024, SPAN = 64 };

/* ---- states -------------------------------------------------------------------------------------------- */
static void init_zero(void *state, int64_t cap, int64_t columns, int64_t index)
{
    (void)index;
    memset(state, 0, (size_t)columns * 8);
    (void)cap;
}

static void init_zero_2(void *state, int64_t cap, int64_t columns, int64_t index)
{
    (void)index;
    for (int i = 0; i < 2; i++)
        memset((double *)state + i * cap, 0, (size_t)columns * 8);
}

static void init_zero_5(void *state, int64_t cap, int64_t columns, int64_t index)
{
    (void)index;
    for (int i = 0; i < 5; i++)
        memset((double *)state + i * cap, 0, (size_t)columns * 8);
}

static void init_one(void *state, int64_t cap, int64_t columns, int64_t index)
{
    (void)cap, (void)index;
    for (int64_t c = 0; c < columns; c++)
        ((double *)state)[c] = 1;
}

static void init_one_int(void *state, int64_t cap, int64_t columns, int64_t index)
{
    (void)cap, (void)index;
    for (int64_t c = 0; c < columns; c++)
        ((uint64_t *)state)[c] = 1;
}

static void merge_sum(void *dst, const void *src, int64_t cap, int64_t columns, int64_t first)
{
    double *s = dst;
    const double *x = (const double *)src + first;
    (void)cap;
    for (int64_t c = 0; c < columns; c++)
        s[c] += x[c];
}

static void merge_prod(void *dst, const void *src, int64_t cap, int64_t columns, int64_t first)
{
    double *s = dst;
    const double *x = (const double *)src + first;
    (void)cap;
    for (int64_t c = 0; c < columns; c++)
        s[c] *= x[c];
}

static void merge_two_sum(void *dst, const void *src, int64_t cap, int64_t columns, int64_t first)
{
    double *s = dst, *e = s + cap;
    const double *x = (const double *)src + first, *y = x + cap;
    for (int64_t c = 0; c < columns; c++) {
        s[c] = two_sum(s[c], x[c], &e[c]);
        e[c] += y[c];
    }
}

static void merge_sum_int(void *dst, const void *src, int64_t cap, int64_t columns, int64_t first)
{
    uint64_t *s = dst;
    const uint64_t *x = (const uint64_t *)src + first;
    (void)cap;
    for (int64_t c = 0; c < columns; c++)
        s[c] += x[c];
}

static void merge_prod_int(void *dst, const void *src, int64_t cap, int64_t columns, int64_t first)
{
    uint64_t *s = dst;
    const uint64_t *x = (const uint64_t *)src + first;
    (void)cap;
    for (int64_t c = 0; c < columns; c++)
        s[c] *= x[c];
}

/* Two groups of items by count, mean and squared deviations (Chan, Golub and LeVeque).  The mean is in two doubles, for
 * the difference of two means must be right where the spread is small against them; so are the squares, of which
 * thousands of groups are joined one after another. */
static inline void join_var(double *n, double *mean, double *low, double *m2, double *lost, double bn, double bmean,
                            double blow, double bm2, double blost)
{
    double total = *n + bn, f = bn / total, d = (bmean - *mean) + (blow - *low), e = *low, rest = *lost + blost;
    double sum = two_sum(*mean, d * f, &e), square = two_sum(*m2, bm2, &rest);
    square = two_sum(square, d * d * (*n * f), &rest);
    bool first = *n == 0, none = bn == 0;
    *mean = none ? *mean : first ? bmean : sum;
    *low = none ? *low : first ? blow : e;
    *m2 = none ? *m2 : first ? bm2 : square;
    *lost = none ? *lost : first ? blost : rest;
    *n = total;
}

static void merge_var(void *dst, const void *src, int64_t cap, int64_t columns, int64_t first)
{
    double *restrict n = dst, *restrict mean = n + cap, *restrict low = n + 2 * cap, *restrict m2 = n + 3 * cap;
    double *restrict lost = n + 4 * cap;
    const double *restrict b = (const double *)src + first;
    for (int64_t c = 0; c < columns; c++)
        join_var(&n[c], &mean[c], &low[c], &m2[c], &lost[c], b[c], b[cap + c], b[2 * cap + c], b[3 * cap + c],
                 b[4 * cap + c]);
}

/* ---- rows and columns of 32-bit floats and doubles ----------------------------------------------------- */
#define FOR_VECTORS for (int k = 0; k < VECTORS; k++)

#define FLOATS(T)                                                                                            \
    static inline void lane_sum_##T(double *lane, const T *x, int64_t n)                                     \
    {                                                                                                        \
        vd s[VECTORS];                                                                                       \
        int64_t i = 0;                                                                                       \
        FOR_VECTORS s[k] = -(vd){ 0 };      /* -0 + x is x for every x */                                    \
        for (; i + LANES <= n; i += LANES) {                                                                 \
            CALL_AHEAD(x + i, LANES);                                                                        \
            FOR_VECTORS s[k] += LOAD_##T(x + i + k * VECTOR_DOUBLES);                                        \
        }                                                                                                    \
        memcpy(lane, s, sizeof s);                                                                           \
        for (int j = 0; i + j < n; j++)                                                                      \
            lane[j] += x[i + j];                                                                             \
    }                                                                                                        \
    static inline void lane_prod_##T(double *lane, const T *x, int64_t n)                                    \
    {                                                                                                        \
        vd s[VECTORS];                                                                                       \
        int64_t i = 0;                                                                                       \
        FOR_VECTORS s[k] = (vd){ 0 } + 1.0;                                                                  \
        for (; i + LANES <= n; i += LANES)                                                                   \
            FOR_VECTORS s[k] *= LOAD_##T(x + i + k * VECTOR_DOUBLES);                                        \
        memcpy(lane, s, sizeof s);                                                                           \
        for (int j = 0; i + j < n; j++)                                                                      \
            lane[j] *= x[i + j];                                                                             \
    }                                                                                                        \
    /* r: sum of deviations from m, q: of their squares, lost: what the latter lack; m alternates between two values for\
     * complex items.  Few squares of doubles are added at once: equal ones all err in the same direction. */\
    static inline void lane_var_##T(double *r, double *q, double *lost, const double *m, const T *x, int64_t n)\
    {                                                                                                        \
        vd vr[VECTORS], vq[VECTORS], vs[VECTORS], ve[VECTORS], vm;                                           \
        int64_t i = 0;                                                                                       \
        FOR_VECTORS vr[k] = vq[k] = vs[k] = ve[k] = (vd){ 0 };                                               \
        for (int j = 0; j < VECTOR_DOUBLES; j++)                                                             \
            vm[j] = m[j & 1];                                                                                \
        for (; i + LANES <= n; i += LANES) {                                                                 \
            CALL_AHEAD(x + i, LANES);                                                                        \
            FOR_VECTORS {                                                                                    \
                vd d = LOAD_##T(x + i + k * VECTOR_DOUBLES) - vm;                                            \
                vr[k] += d;                                                                                  \
                vq[k] += d * d;                                                                              \
            }                                                                                                \
            if (sizeof(T) == 8 && (i & 7 * LANES) == 7 * LANES)                                              \
                FOR_VECTORS {                                                                                \
                    vd t = vs[k] + vq[k], b = t - vs[k];                                                     \
                    ve[k] += (vs[k] - (t - b)) + (vq[k] - b);                                                \
                    vs[k] = t;                                                                               \
                    vq[k] = (vd){ 0 };                                                                       \
                }                                                                                            \
        }                                                                                                    \
        memcpy(r, vr, sizeof vr);                                                                            \
        memcpy(q, vq, sizeof vq);                                                                            \
        for (int j = 0; i + j < n; j++) {                                                                    \
            double d = x[i + j] - m[j & 1];                                                                  \
            r[j] += d;                                                                                       \
            q[j] += d * d;                                                                                   \
        }                                                                                                    \
        FOR_VECTORS for (int j = 0; j < VECTOR_DOUBLES; j++)                                                 \
            q[k * VECTOR_DOUBLES + j] = two_sum(vs[k][j], q[k * VECTOR_DOUBLES + j], (double *)&ve[k] + j);  \
        memcpy(lost, ve, sizeof ve);                                                                         \
    }                                                                                                        \
    static inline void col_prod_##T(double *restrict s, const char *x, int64_t row_step, int64_t rows,       \
                                    int64_t columns)                                                         \
    {                                                                                                        \
        for (int64_t r = 0; r < rows; r++, x += row_step) {                                                  \
            const T *restrict a = (const T *)(const void *)x;                                                \
            for (int64_t c = 0; c < columns; c++)                                                            \
                s[c] *= a[c];                                                                                \
        }                                                                                                    \
    }
FLOATS(float)
FLOATS(double)

/* ---- variances ----------------------------------------------------------------------------------------- */
/* Floats are shifted by the mean of the first items of the run, so one pass does: were the mean of the run further
 * from that than sqrt(n / 32) standard deviations, those items alone would make the deviation larger.  What cancels
 * is thus at most a few bits of a double.  Doubles take two passes: the exact mean first. */
static inline void row_var(double *state, const double *r, const double *q, const double *lost, const double *m,
                           int64_t n, int width)
{
    for (int w = 0; w < width; w++) {
        double f = r[w] / (double)n, m2 = q[w] - r[w] * f;
        join_var(&state[w], &state[width + w], &state[2 * width + w], &state[3 * width + w], &state[4 * width + w],
                 (double)n, m[w], f, m2 < 0 ? 0 : m2, lost[w]);
    }
}

#define ROW_VAR(T, sample)                                                                                   \
    static inline void row_var_##T(double *state, const T *x, int64_t n, int width)                          \
    {                                                                                                        \
        double r[LANES], q[LANES], lost[LANES], m[2];                                                        \
        int64_t first = n * width < (sample) ? n * width : (sample);                                         \
        lane_sum_##T(r, x, first);                                                                           \
        fold_sum(r, width);                                                                                  \
        for (int w = 0; w < 2; w++)                                                                          \
            m[w] = r[width == 2 ? w : 0] / (double)(first / width);                                          \
        lane_var_##T(r, q, lost, m, x, n * width);                                                           \
        fold_sum(r, width);                                                                                  \
        fold_two_sum(q, lost, width);                                                                        \
        row_var(state, r, q, lost, m, n, width);                                                             \
    }
ROW_VAR(float, LANES)
ROW_VAR(double, INT64_MAX)

/* The next rows, if so many are left, a piece of them each time: short runs end before the hardware follows them. */
static inline void call_rows(const char *x, int64_t row_step, int rows, int64_t left, int64_t bytes)
{
    for (int r = 0; r < rows && left >= 2 * rows; r++)
        for (int64_t k = 0; k < bytes; k += 64)
            __builtin_prefetch(x + (rows + r) * row_step + k);
}

/* Per column: r, the sum of deviations from m, and q, of their squares.  Four rows at a time: the sums are loaded and
 * stored once for them. */
#define DEVIATIONS(T)                                                                                        \
    static inline void deviations_##T(double *restrict r, double *restrict q, const T *restrict m,           \
                                      const char *x, int64_t row_step, int64_t rows, int64_t columns)        \
    {                                                                                                        \
        for (; rows >= 4; rows -= 4, x += 4 * row_step) {                                                    \
            const T *restrict a0 = (const T *)(const void *)x;                                               \
            const T *restrict a1 = (const T *)(const void *)(x + row_step);                                  \
            const T *restrict a2 = (const T *)(const void *)(x + 2 * row_step);                              \
            const T *restrict a3 = (const T *)(const void *)(x + 3 * row_step);                              \
            for (int64_t begin = 0; begin < columns; begin += SPAN) {                                        \
                const int64_t end = columns - begin < SPAN ? columns : begin + SPAN;                         \
                call_rows(x + begin * (int64_t)sizeof(T), row_step, 4, rows, (end - begin) * (int64_t)sizeof(T)); \
                for (int64_t c = begin; c < end; c++) {                                                      \
                    double d0 = (double)a0[c] - m[c], d1 = (double)a1[c] - m[c];                             \
                    double d2 = (double)a2[c] - m[c], d3 = (double)a3[c] - m[c];                             \
                    r[c] += (d0 + d1) + (d2 + d3);                                                           \
                    q[c] += (d0 * d0 + d1 * d1) + (d2 * d2 + d3 * d3);                                       \
                }                                                                                            \
            }                                                                                                \
        }                                                                                                    \
        for (; rows > 0; rows--, x += row_step) {                                                            \
            const T *restrict a = (const T *)(const void *)x;                                                \
            for (int64_t c = 0; c < columns; c++) {                                                          \
                double d = (double)a[c] - m[c];                                                              \
                r[c] += d;                                                                                   \
                q[c] += d * d;                                                                               \
            }                                                                                                \
        }                                                                                                    \
    }
DEVIATIONS(float)
DEVIATIONS(double)

/* Columns likewise, in blocks of rows: floats are shifted by the first row of a block. */
static void col_var_float(double *state, int64_t cap, const char *x, int64_t row_step, int64_t rows, int64_t columns)
{
    enum { DEEP = 64 };
    double r[TILE], q[TILE];
    double *restrict count = state, *restrict mean = state + cap;
    double *restrict low = state + 2 * cap, *restrict m2 = state + 3 * cap, *restrict lost = state + 4 * cap;
    for (int64_t begin = 0; begin < rows; begin += DEEP) {
        int64_t deep = rows - begin < DEEP ? rows - begin : DEEP;
        const float *restrict m = (const float *)(const void *)(x + begin * row_step);
        memset(r, 0, (size_t)columns * 8);
        memset(q, 0, (size_t)columns * 8);
        deviations_float(r, q, m, x + (begin + 1) * row_step, row_step, deep - 1, columns);
        for (int64_t c = 0; c < columns; c++) {
            /* An infinite first item: its deviation from itself is NaN, as it would be in a second pass. */
            double f = r[c] / (double)deep, square = q[c] - r[c] * f + (m[c] - m[c]);
            join_var(&count[c], &mean[c], &low[c], &m2[c], &lost[c], (double)deep, m[c], f,
                     square < 0 ? 0 : square, 0);
        }
    }
}

static inline void col_sum_plain(double *restrict s, const char *x, int64_t row_step, int64_t rows, int64_t columns)
{
    for (; rows >= 4; rows -= 4, x += 4 * row_step) {
        const double *restrict a0 = (const double *)(const void *)x;
        const double *restrict a1 = (const double *)(const void *)(x + row_step);
        const double *restrict a2 = (const double *)(const void *)(x + 2 * row_step);
        const double *restrict a3 = (const double *)(const void *)(x + 3 * row_step);
        for (int64_t begin = 0; begin < columns; begin += SPAN) {
            const int64_t end = columns - begin < SPAN ? columns : begin + SPAN;
            call_rows(x + begin * 8, row_step, 4, rows, (end - begin) * 8);
            for (int64_t c = begin; c < end; c++)
                s[c] += (a0[c] + a1[c]) + (a2[c] + a3[c]);
        }
    }
    for (; rows > 0; rows--, x += row_step) {
        const double *restrict a = (const double *)(const void *)x;
        for (int64_t c = 0; c < columns; c++)
            s[c] += a[c];
    }
}

static void col_var_double(double *state, int64_t cap, const char *x, int64_t row_step, int64_t rows, int64_t columns)
{
    enum { DEEP = 32 };
    double m[TILE], r[TILE], q[TILE];
    double *restrict count = state, *restrict mean = state + cap;
    double *restrict low = state + 2 * cap, *restrict m2 = state + 3 * cap, *restrict lost = state + 4 * cap;
    for (int64_t begin = 0; begin < rows; begin += DEEP) {
        int64_t deep = rows - begin < DEEP ? rows - begin : DEEP;
        memset(m, 0, (size_t)columns * 8);
        memset(r, 0, (size_t)columns * 8);
        memset(q, 0, (size_t)columns * 8);
        col_sum_plain(m, x + begin * row_step, row_step, deep, columns);
        for (int64_t c = 0; c < columns; c++)
            m[c] /= (double)deep;
        deviations_double(r, q, m, x + begin * row_step, row_step, deep, columns);
        for (int64_t c = 0; c < columns; c++) {
            double f = r[c] / (double)deep, square = q[c] - r[c] * f;
            join_var(&count[c], &mean[c], &low[c], &m2[c], &lost[c], (double)deep, m[c], f,
                     square < 0 ? 0 : square, 0);
        }
    }
}

/* ---- sums ---------------------------------------------------------------------------------------------- */

static inline void row_sum_float(double *s, const float *x, int64_t n, int width)
{
    double lane[LANES];
    lane_sum_float(lane, x, n * width);
    fold_sum(lane, width);
    for (int w = 0; w < width; w++)
        s[w] += lane[w];
}

static inline void row_sum_double(double *state, const double *x, int64_t n, int width)
{
    double lane[LANES], lost[LANES];
    vd s[VECTORS], e[VECTORS];
    int64_t i = 0;
    n *= width;
    FOR_VECTORS s[k] = -(vd){ 0 };
    FOR_VECTORS e[k] = (vd){ 0 };
    for (; i + LANES <= n; i += LANES) {
        CALL_AHEAD(x + i, LANES);
        FOR_VECTORS {
            vd a = LOAD_double(x + i + k * VECTOR_DOUBLES), t = s[k] + a, b = t - s[k];
            e[k] += (s[k] - (t - b)) + (a - b);
            s[k] = t;
        }
    }
    memcpy(lane, s, sizeof s);
    memcpy(lost, e, sizeof e);
    for (int j = 0; i + j < n; j++)
        lane[j] = two_sum(lane[j], x[i + j], &lost[j]);
    fold_two_sum(lane, lost, width);
    for (int w = 0; w < width; w++) {
        state[w] = two_sum(state[w], lane[w], &state[width + w]);
        state[width + w] += lost[w];
    }
}

/* Four rows at a time: the sums are loaded and stored once for them. */
static inline void col_sum_float(double *restrict s, const char *x, int64_t row_step, int64_t rows, int64_t columns)
{
    int64_t r = 0;
    for (; r + 4 <= rows; r += 4, x += 4 * row_step) {
        const float *restrict a0 = (const float *)(const void *)x;
        const float *restrict a1 = (const float *)(const void *)(x + row_step);
        const float *restrict a2 = (const float *)(const void *)(x + 2 * row_step);
        const float *restrict a3 = (const float *)(const void *)(x + 3 * row_step);
        for (int64_t begin = 0; begin < columns; begin += SPAN) {
            const int64_t end = columns - begin < SPAN ? columns : begin + SPAN;
            call_rows(x + begin * 4, row_step, 4, rows - r, (end - begin) * 4);
            for (int64_t c = begin; c < end; c++)
                s[c] = (((s[c] + a0[c]) + a1[c]) + a2[c]) + a3[c];
        }
    }
    const float *restrict a0 = (const float *)(const void *)x;
    const float *restrict a1 = (const float *)(const void *)(x + row_step);
    const float *restrict a2 = (const float *)(const void *)(x + 2 * row_step);
    if (rows - r == 3)
        for (int64_t c = 0; c < columns; c++)
            s[c] = ((s[c] + a0[c]) + a1[c]) + a2[c];
    else if (rows - r == 2)
        for (int64_t c = 0; c < columns; c++)
            s[c] = (s[c] + a0[c]) + a1[c];
    else if (rows - r == 1)
        for (int64_t c = 0; c < columns; c++)
            s[c] += a0[c];
}

static inline void col_sum_double(double *restrict s, double *restrict e, const char *x, int64_t row_step,
                                  int64_t rows, int64_t columns)
{
    int64_t r = 0;
    for (; r + 2 <= rows; r += 2, x += 2 * row_step) {
        const double *restrict a0 = (const double *)(const void *)x;
        const double *restrict a1 = (const double *)(const void *)(x + row_step);
        for (int64_t begin = 0; begin < columns; begin += SPAN) {
            const int64_t end = columns - begin < SPAN ? columns : begin + SPAN;
            call_rows(x + begin * 8, row_step, 2, rows - r, (end - begin) * 8);
            for (int64_t c = begin; c < end; c++) {
                double lost = e[c], t = two_sum(s[c], a0[c], &lost);
                s[c] = two_sum(t, a1[c], &lost);
                e[c] = lost;
            }
        }
    }
    if (r < rows) {
        const double *restrict a = (const double *)(const void *)x;
        for (int64_t c = 0; c < columns; c++) {
            double lost = e[c];
            s[c] = two_sum(s[c], a[c], &lost);
            e[c] = lost;
        }
    }
}

/* ---- the kernels of floats, doubles and complex numbers ------------------------------------------------ */
#define ROW(name, call) static void name(void *state, const void *x, int64_t n, int64_t index) { (void)index; call; }
#define COL(name, call)                                                                                      \
    static void name(void *state, int64_t cap, const void *x, int64_t step, int64_t rows, int64_t columns,   \
                     int64_t index)                                                                          \
    {                                                                                                        \
        (void)cap, (void)index;                                                                              \
        call;                                                                                                \
    }

static inline void row_prod_float(double *s, const float *x, int64_t n)
{
    double lane[LANES];
    lane_prod_float(lane, x, n);
    fold_prod(lane, 1);
    *s *= *lane;
}

static inline void row_prod_double(double *s, const double *x, int64_t n)
{
    double lane[LANES];
    lane_prod_double(lane, x, n);
    fold_prod(lane, 1);
    *s *= *lane;
}

ROW(sum_row_f32, row_sum_float(state, x, n, 1))
ROW(sum_row_c64, row_sum_float(state, x, n, 2))
ROW(sum_row_f64, row_sum_double(state, x, n, 1))
ROW(sum_row_c128, row_sum_double(state, x, n, 2))
ROW(prod_row_f32, row_prod_float(state, x, n))
ROW(prod_row_f64, row_prod_double(state, x, n))
ROW(var_row_f32, row_var_float(state, x, n, 1))
ROW(var_row_c64, row_var_float(state, x, n, 2))
ROW(var_row_f64, row_var_double(state, x, n, 1))
ROW(var_row_c128, row_var_double(state, x, n, 2))
COL(sum_col_f32, col_sum_float(state, x, step, rows, columns))
COL(sum_col_f64, col_sum_double(state, (double *)state + cap, x, step, rows, columns))
COL(prod_col_f32, col_prod_float(state, x, step, rows, columns))
COL(prod_col_f64, col_prod_double(state, x, step, rows, columns))
COL(var_col_f32, col_var_float(state, cap, x, step, rows, columns))
COL(var_col_f64, col_var_double(state, cap, x, step, rows, columns))

/* ---- dtypes that are widened in blocks first ----------------------------------------------------------- */
#define WIDEN(T) for (int64_t i = 0; i < n; i++) to[i] = (double)((const T *)from)[i];
static void widen_bool(double *to, const void *from, int64_t n)
{
    for (int64_t i = 0; i < n; i++)
        to[i] = ((const uint8_t *)from)[i] != 0;
}
static void widen_i8(double *to, const void *from, int64_t n) { WIDEN(int8_t) }
static void widen_i16(double *to, const void *from, int64_t n) { WIDEN(int16_t) }
static void widen_i32(double *to, const void *from, int64_t n) { WIDEN(int32_t) }
static void widen_i64(double *to, const void *from, int64_t n) { WIDEN(int64_t) }
static void widen_u8(double *to, const void *from, int64_t n) { WIDEN(uint8_t) }
static void widen_u16(double *to, const void *from, int64_t n) { WIDEN(uint16_t) }
static void widen_u32(double *to, const void *from, int64_t n) { WIDEN(uint32_t) }
static void widen_u64(double *to, const void *from, int64_t n) { WIDEN(uint64_t) }
static void widen_f16(float *to, const void *from, int64_t n) { garray__widen_half(to, from, n); }
static void widen_bf16(float *to, const void *from, int64_t n) { garray__widen_bfloat(to, from, n); }

/* to: the type that the kernels `base` take; columns are at most a tile, rows are taken four at a time. */
#define WIDENED(name, from_size, to_type, widen, base)                                                       \
    static void name##_row(void *state, const void *x, int64_t n, int64_t index)                             \
    {                                                                                                        \
        to_type block[BLOCK];                                                                                \
        for (int64_t i = 0; i < n; i += BLOCK) {                                                             \
            int64_t m = n - i < BLOCK ? n - i : BLOCK;                                                       \
            for (int k = 0; k < BLOCK * from_size; k += 64)                                                  \
                __builtin_prefetch((const char *)x + (i + BLOCK) * from_size + k);                           \
            widen(block, (const char *)x + i * from_size, m);                                                \
            base##_row_##to_type(state, block, m, index);                                                    \
        }                                                                                                    \
    }                                                                                                        \
    static void name##_col(void *state, int64_t cap, const void *x, int64_t step, int64_t rows,              \
                           int64_t columns, int64_t index)                                                   \
    {                                                                                                        \
        to_type block[4][TILE];                                                                              \
        for (int64_t r = 0; r < rows; r += 4) {                                                              \
            int64_t m = rows - r < 4 ? rows - r : 4;                                                         \
            for (int64_t i = 0; i < m; i++)                                                                  \
                widen(block[i], (const char *)x + (r + i) * step, columns);                                  \
            base##_col_##to_type(state, cap, block, sizeof block[0], m, columns, index);                     \
        }                                                                                                    \
    }
#define sum_row_float sum_row_f32
#define sum_row_double sum_row_f64
#define sum_col_float sum_col_f32
#define sum_col_double sum_col_f64
#define prod_row_float prod_row_f32
#define prod_row_double prod_row_f64
#define prod_col_float prod_col_f32
#define prod_col_double prod_col_f64
#define var_row_float var_row_f32
#define var_col_float var_col_f32

WIDENED(sum_f16, 2, float, widen_f16, sum)
WIDENED(sum_bf16, 2, float, widen_bf16, sum)
WIDENED(prod_f16, 2, float, widen_f16, prod)
WIDENED(prod_bf16, 2, float, widen_bf16, prod)
WIDENED(var_f16, 2, float, widen_f16, var)
WIDENED(var_bf16, 2, float, widen_bf16, var)
#define WIDENED_INT(name, size)                                                                              \
    WIDENED(sum_double_##name, size, double, widen_##name, sum)                                              \
    WIDENED(prod_double_##name, size, double, widen_##name, prod)
WIDENED_INT(bool, 1)
WIDENED_INT(i8, 1)
WIDENED_INT(i16, 2)
WIDENED_INT(i32, 4)
WIDENED_INT(i64, 8)
WIDENED_INT(u8, 1)
WIDENED_INT(u16, 2)
WIDENED_INT(u32, 4)
WIDENED_INT(u64, 8)

/* ---- integers, wrapping modulo 2^64; narrower results are its low bits --------------------------------- */
#define WRAP_signed(v) ((uint64_t)(int64_t)(v))
#define WRAP_bool(v) ((uint64_t)((v) != 0))
#define INTEGER(name, T, wrap)                                                                               \
    static void sum_##name##_row(void *state, const void *x, int64_t n, int64_t index)                       \
    {                                                                                                        \
        const T *a = x;                                                                                      \
        uint64_t s = 0;                                                                                      \
        (void)index;                                                                                         \
        for (int64_t i = 0; i < n; i++)                                                                      \
            s += wrap(a[i]);                                                                                 \
        *(uint64_t *)state += s;                                                                             \
    }                                                                                                        \
    static void sum_##name##_col(void *state, int64_t cap, const void *x, int64_t step, int64_t rows,        \
                                 int64_t columns, int64_t index)                                             \
    {                                                                                                        \
        uint64_t *restrict s = state;                                                                        \
        (void)cap, (void)index;                                                                              \
        for (int64_t r = 0; r < rows; r++) {                                                                 \
            const T *restrict a = (const T *)(const void *)((const char *)x + r * step);                     \
            for (int64_t c = 0; c < columns; c++)                                                            \
                s[c] += wrap(a[c]);                                                                          \
        }                                                                                                    \
    }                                                                                                        \
    static void prod_##name##_row(void *state, const void *x, int64_t n, int64_t index)                      \
    {                                                                                                        \
        const T *a = x;                                                                                      \
        uint64_t s = 1, t = 1;                                                                               \
        int64_t i = 0;                                                                                       \
        (void)index;                                                                                         \
        for (; i + 2 <= n; i += 2) {                                                                         \
            s *= wrap(a[i]);                                                                                 \
            t *= wrap(a[i + 1]);                                                                             \
        }                                                                                                    \
        *(uint64_t *)state *= s * t * (i < n ? wrap(a[i]) : 1);                                              \
    }                                                                                                        \
    static void prod_##name##_col(void *state, int64_t cap, const void *x, int64_t step, int64_t rows,       \
                                  int64_t columns, int64_t index)                                            \
    {                                                                                                        \
        uint64_t *restrict s = state;                                                                        \
        (void)cap, (void)index;                                                                              \
        for (int64_t r = 0; r < rows; r++) {                                                                 \
            const T *restrict a = (const T *)(const void *)((const char *)x + r * step);                     \
            for (int64_t c = 0; c < columns; c++)                                                            \
                s[c] *= wrap(a[c]);                                                                          \
        }                                                                                                    \
    }
INTEGER(bool, uint8_t, WRAP_bool)
INTEGER(i8, int8_t, WRAP_signed)
INTEGER(i16, int16_t, WRAP_signed)
INTEGER(i32, int32_t, WRAP_signed)
INTEGER(i64, int64_t, WRAP_signed)
INTEGER(u8, uint8_t, (uint64_t))
INTEGER(u16, uint16_t, (uint64_t))
INTEGER(u32, uint32_t, (uint64_t))

/* ---- the table ----------------------------------------------------------------------------------------- */
#define KERNEL(arrays_, width_, init_, row_, col_, merge_)                                                   \
    { .arrays = arrays_, .slot = 8, .width = width_, .init = init_, .row = row_, .col = col_, .merge = merge_ }
#define SUM(row, col, width) KERNEL(1, width, init_zero, row, col, merge_sum)
#define SUM_2(row, col, width) KERNEL(2, width, init_zero_2, row, col, merge_two_sum)
#define SUM_INT(name) KERNEL(1, 1, init_zero, sum_##name##_row, sum_##name##_col, merge_sum_int)
#define PROD(row, col) KERNEL(1, 1, init_one, row, col, merge_prod)
#define PROD_INT(name) KERNEL(1, 1, init_one_int, prod_##name##_row, prod_##name##_col, merge_prod_int)
#define VAR(row, col, width) KERNEL(5, width, init_zero_5, row, col, merge_var)
#define FOR_INTEGERS(X)                                                                                      \
    [GARRAY_BOOL] = X(bool), [GARRAY_INT8] = X(i8), [GARRAY_INT16] = X(i16), [GARRAY_INT32] = X(i32),        \
    [GARRAY_INT64] = X(i64), [GARRAY_UINT8] = X(u8), [GARRAY_UINT16] = X(u16), [GARRAY_UINT32] = X(u32)
#define SUM_DOUBLE(name) SUM_2(sum_double_##name##_row, sum_double_##name##_col, 1)
#define PROD_DOUBLE(name) PROD(prod_double_##name##_row, prod_double_##name##_col)

const garray__reduce_table GARRAY_ISA_NAME(garray__cpu_reduce_sums) = {
    .sum = {
        FOR_INTEGERS(SUM_INT), [GARRAY_UINT64] = SUM_INT(i64),
        [GARRAY_FLOAT16] = SUM(sum_f16_row, sum_f16_col, 1), [GARRAY_BFLOAT16] = SUM(sum_bf16_row, sum_bf16_col, 1),
        [GARRAY_FLOAT32] = SUM(sum_row_f32, sum_col_f32, 1), [GARRAY_FLOAT64] = SUM_2(sum_row_f64, sum_col_f64, 1),
        [GARRAY_COMPLEX64] = SUM(sum_row_c64, sum_col_f32, 2), [GARRAY_COMPLEX128] = SUM_2(sum_row_c128, sum_col_f64, 2),
    },
    .sum_double = { FOR_INTEGERS(SUM_DOUBLE), [GARRAY_UINT64] = SUM_DOUBLE(u64) },
    .prod = {
        FOR_INTEGERS(PROD_INT), [GARRAY_UINT64] = PROD_INT(i64),
        [GARRAY_FLOAT16] = PROD(prod_f16_row, prod_f16_col), [GARRAY_BFLOAT16] = PROD(prod_bf16_row, prod_bf16_col),
        [GARRAY_FLOAT32] = PROD(prod_row_f32, prod_col_f32), [GARRAY_FLOAT64] = PROD(prod_row_f64, prod_col_f64),
    },
    .prod_double = { FOR_INTEGERS(PROD_DOUBLE), [GARRAY_UINT64] = PROD_DOUBLE(u64) },
    .var = {
        [GARRAY_FLOAT16] = VAR(var_f16_row, var_f16_col, 1), [GARRAY_BFLOAT16] = VAR(var_bf16_row, var_bf16_col, 1),
        [GARRAY_FLOAT32] = VAR(var_row_f32, var_col_f32, 1), [GARRAY_FLOAT64] = VAR(var_row_f64, var_col_f64, 1),
        [GARRAY_COMPLEX64] = VAR(var_row_c64, var_col_f32, 2), [GARRAY_COMPLEX128] = VAR(var_row_c128, var_col_f64, 2),
    },
};
