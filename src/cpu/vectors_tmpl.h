/* SPDX-License-Identifier: BSD-3-Clause
 * The steps of vectors.h for numbers of PARTS parts of type REAL; included once for each dtype, with SUFFIX. */

#define NAME_(name, suffix) name##_##suffix
#define NAME__(name, suffix) NAME_(name, suffix)
#define NAME(name) NAME__(name, SUFFIX)

static bool NAME(finite)(const void *a, int64_t count)
{
    enum { LANES = 16 };
    const REAL *x = a;
    const int64_t n = count * PARTS;
    REAL sum[LANES] = { 0 };            /* of zeros, or of NaN */
    int64_t i = 0;
    for (; i + LANES <= n; i += LANES)
        for (int l = 0; l < LANES; l++)
            sum[l] += x[i + l] * 0;
    for (; i < n; i++)
        sum[0] += x[i] * 0;
    for (int l = 1; l < LANES; l++)
        sum[0] += sum[l];
    return sum[0] == 0;
}

static double NAME(weight)(const REAL *x)
{
    return GARRAY__PHASE_WEIGHT((double)x[0], PARTS == 2 ? (double)x[PARTS - 1] : 0.0);
}

static void NAME(factor)(const REAL *x, double *factor)
{
    garray__phase((double)x[0], PARTS == 2 ? (double)x[PARTS - 1] : 0.0, factor, factor + 1);
}

/* Row by row, as memory lies. */
static void NAME(column_phases)(const void *a, int64_t rows, int64_t columns, double *factors, double *most, int64_t *place)
{
    const REAL *x = a;
    for (int64_t j = 0; j < columns; j++) {
        most[j] = 0;
        place[j] = -1;
        factors[2 * j] = 1;
        factors[2 * j + 1] = 0;
    }
    for (int64_t i = 0; i < rows; i++)
        for (int64_t j = 0; j < columns; j++) {
            const double weight = NAME(weight)(x + (i * columns + j) * PARTS);
            most[j] = weight > most[j] ? weight : most[j];
        }
    int64_t open = columns;
    for (int64_t i = 0; i < rows && open > 0; i++)
        for (int64_t j = 0; j < columns; j++)
            if (place[j] < 0 && GARRAY__PHASE_NEAR(NAME(weight)(x + (i * columns + j) * PARTS), most[j])) {
                place[j] = i;
                open--;
                NAME(factor)(x + (i * columns + j) * PARTS, factors + 2 * j);
            }
}

static void NAME(turn)(REAL *x, double re, double im)
{
#if PARTS == 2
    double a = (double)x[0], b = (double)x[1];
    garray__phase_turn(&a, &b, re, im, sizeof(REAL) == 4 ? 0x1p-22 : 0x1p-50);
    x[0] = (REAL)a;
    x[1] = (REAL)b;
#else
    (void)im;
    x[0] *= (REAL)re;
#endif
}

static void NAME(settle_rows)(void *a, int64_t rows, int64_t columns)
{
    REAL *x = a;
    for (int64_t i = 0; i < rows; i++, x += columns * PARTS) {
        double most = 0, factor[2];
        int64_t place = 0;
        for (int64_t j = 0; j < columns; j++) {
            const double weight = NAME(weight)(x + j * PARTS);
            most = weight > most ? weight : most;
        }
        while (place < columns - 1 && !GARRAY__PHASE_NEAR(NAME(weight)(x + place * PARTS), most))
            place++;
        NAME(factor)(x + place * PARTS, factor);
        for (int64_t j = 0; j < columns && (factor[0] != 1 || factor[1] != 0); j++)
            NAME(turn)(x + j * PARTS, factor[0], factor[1]);
    }
}

static void NAME(turn_columns)(void *a, int64_t rows, int64_t columns, const double *factors)
{
    REAL *x = a;
    for (int64_t i = 0; i < rows; i++)
        for (int64_t j = 0; j < columns; j++, x += PARTS)
            NAME(turn)(x, factors[2 * j], factors[2 * j + 1]);
}

static void NAME(turn_rows)(void *a, int64_t rows, int64_t columns, const double *factors)
{
    REAL *x = a;
    for (int64_t i = 0; i < rows; i++)
        for (int64_t j = 0; j < columns; j++, x += PARTS)
            NAME(turn)(x, factors[2 * i], -factors[2 * i + 1]);
}

static void NAME(transpose_turned)(void *to, const void *from, int64_t rows, int64_t columns, const double *factors,
                                   int64_t first, int64_t last)
{
    enum { BLOCK = 32 };
    const REAL *x = from;
    REAL *y = to;
    for (int64_t r = 0; r < rows; r += BLOCK)
        for (int64_t c = first; c < last; c += BLOCK) {
            const int64_t r_end = rows - r < BLOCK ? rows : r + BLOCK, c_end = last - c < BLOCK ? last : c + BLOCK;
            for (int64_t j = c; j < c_end; j++)
                for (int64_t i = r; i < r_end; i++) {
                    REAL *at = y + (j * rows + i) * PARTS;
                    for (int k = 0; k < PARTS; k++)
                        at[k] = x[(i * columns + j) * PARTS + k];
                    NAME(turn)(at, factors[2 * i], factors[2 * i + 1]);
                }
        }
}

static void NAME(row_factors)(const void *h, double *factors, int64_t m, int64_t k, int64_t rows)
{
    const REAL *x = h;
    for (int64_t i = 0; i < rows; i++) {
        factors[2 * i] = 1;
        factors[2 * i + 1] = 0;
        if (i < k)
            NAME(factor)(x + (i * m + i) * PARTS, factors + 2 * i);
    }
}

static void NAME(take_r)(const void *h, void *r, const double *factors, int64_t m, int64_t n, int64_t first, int64_t last)
{
    enum { BLOCK = 32 };
    const REAL *x = h;
    REAL *y = r;
    for (int64_t i0 = first; i0 < last; i0 += BLOCK)
        for (int64_t j0 = 0; j0 < n; j0 += BLOCK)
            for (int64_t i = i0; i < i0 + BLOCK && i < last; i++)
                for (int64_t j = j0; j < j0 + BLOCK && j < n; j++) {
                    REAL *at = y + (i * n + j) * PARTS;
                    for (int part = 0; part < PARTS; part++)
                        at[part] = j < i ? 0 : x[(j * m + i) * PARTS + part];
                    if (j >= i)
                        NAME(turn)(at, factors[2 * i], factors[2 * i + 1]);
                }
}

#undef NAME_
#undef NAME__
#undef NAME
