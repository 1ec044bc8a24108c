/* SPDX-License-Identifier: BSD-3-Clause
 * QR in lanes by Householder's reflections, part of jacobi_kind.h.
 *
 * Reflection k is 1 - t v v^H with v = x - beta e_k, where beta has the length of what is left of column k and the opposite
 * phase of its first item; then Q is formed from the last one to the first.  At the end the diagonal of R becomes real and
 * not negative, and the columns of Q follow. */

/* column -= t v (v^H column), from row k on. */
static inline void NAME(reflect)(const VECTOR *v, VECTOR *column, int k, int m, const VECTOR *t)
{
    VECTOR alpha, beta, re, im;
    NAME(products)(v + k * PARTS, column + k * PARTS, m - k, &alpha, &beta, &re, &im);
    EACH_LANE
    {
        re.lane[l] *= -t->lane[l];
        im.lane[l] *= -t->lane[l];
    }
    for (int i = k * PARTS; i < m * PARTS; i += PARTS)
        EACH_LANE
        {
            const REAL x = v[i].lane[l];
#if PARTS == 2
            const REAL y = v[i + 1].lane[l];
            column[i].lane[l] = FMA(x, re.lane[l], FMA(-y, im.lane[l], column[i].lane[l]));
            column[i + 1].lane[l] = FMA(x, im.lane[l], FMA(y, re.lane[l], column[i + 1].lane[l]));
#else
            column[i].lane[l] = FMA(x, re.lane[l], column[i].lane[l]);
#endif
        }
}

/* Column k of x becomes v, and t its factor; diagonal gets the absolute value of beta, phase what it is multiplied by to be
 * real. */
static inline void NAME(make_reflection)(VECTOR *column, int k, int m, VECTOR *t, VECTOR *diagonal, VECTOR *phase)
{
    VECTOR square, beta, re, im;
    NAME(products)(column + k * PARTS, column + k * PARTS, m - k, &square, &beta, &re, &im);
    EACH_LANE
    {
        const REAL length = SQRT(square.lane[l]), x = column[k * PARTS].lane[l];
#if PARTS == 2
        const REAL y = column[k * PARTS + 1].lane[l], size = SQRT(x * x + y * y);
        const REAL s = size > 0 ? x / size : 1, u = size > 0 ? y / size : 0;
#else
        const REAL size = ABS(x), s = x < 0 ? -1 : 1, u = 0;
#endif
        const bool any = square.lane[l] > TINY * TINY_SHARE;
        column[k * PARTS].lane[l] = x + s * length;             /* - beta */
#if PARTS == 2
        column[k * PARTS + 1].lane[l] = y + u * length;
        phase[1].lane[l] = any ? u : 0;
#endif
        phase[0].lane[l] = any ? -s : 1;
        t->lane[l] = any ? 1 / (length * (length + size)) : 0;
        diagonal->lane[l] = any ? length : 0;
        (void)u;
    }
}

static void NAME(qr)(const garray__cpu_jacobi_job *job)
{
    const int m = (int)job->m, n = (int)job->n, k = m < n ? m : n, rows = job->full ? m : k;
    VECTOR *x = job->work, *q = x + m * n * PARTS, t[GARRAY_CPU_JACOBI_SIDE], diagonal[GARRAY_CPU_JACOBI_SIDE];
    VECTOR phase[GARRAY_CPU_JACOBI_SIDE * PARTS];
    int exponent[LANES] = { 0 };
    uint8_t failed[LANES] = { 0 };
    memset(x, 0, sizeof *x * (size_t)(m * n * PARTS));
    for (int l = 0; l < job->count; l++)
        NAME(load)((const REAL *)(const void *)job->a + (int64_t)l * m * n * PARTS, x, m, n, false, l, &exponent[l], &failed[l]);
    for (int i = 0; i < k; i++) {
        NAME(make_reflection)(AT(x, m, i, 0, 0), i, m, &t[i], &diagonal[i], &phase[i * PARTS]);
        for (int j = i + 1; j < n; j++)
            NAME(reflect)(AT(x, m, i, 0, 0), AT(x, m, j, 0, 0), i, m, &t[i]);
    }
    if (job->first) {
        memset(q, 0, sizeof *q * (size_t)(m * rows * PARTS));
        for (int i = 0; i < rows; i++)
            EACH_LANE
                AT(q, m, i, i, 0)->lane[l] = 1;
        for (int i = k - 1; i >= 0; i--)
            for (int j = i; j < rows; j++)
                NAME(reflect)(AT(x, m, i, 0, 0), AT(q, m, j, 0, 0), i, m, &t[i]);
    }
    for (int l = 0; l < job->count; l++) {
        REAL *r = (REAL *)(void *)job->second + (int64_t)l * rows * n * PARTS;
        REAL *to = job->first ? (REAL *)(void *)job->first + (int64_t)l * m * rows * PARTS : NULL;
        const REAL spoilt = failed[l] ? (REAL)NAN : 0;
        for (int i = 0; i < rows; i++) {
            /* conj(beta) / |beta| for the row of R, its conjugate for the column of Q */
            const double back[2] = { i < k ? (double)phase[i * PARTS].lane[l] : 1,
                                     PARTS == 2 && i < k ? (double)phase[i * PARTS + PARTS - 1].lane[l] : 0 };
            const double ahead[2] = { back[0], -back[1] };
            for (int j = 0; j < n; j++) {
                REAL *at = r + (i * n + j) * PARTS, v[PARTS] = { 0 };
                for (int p = 0; p < PARTS && j > i; p++)
                    v[p] = AT(x, m, j, i, p)->lane[l];
                if (j > i)
                    NAME(turn)(v, back);
                v[0] = j == i && i < k ? diagonal[i].lane[l] : v[0];
                for (int p = 0; p < PARTS; p++)
                    at[p] = (REAL)ldexp((double)v[p], exponent[l]) + (j >= i ? spoilt : 0);
            }
            for (int j = 0; j < m && to; j++) {
                REAL v[PARTS];
                for (int p = 0; p < PARTS; p++)
                    v[p] = AT(q, m, i, j, p)->lane[l];
                NAME(turn)(v, ahead);
                for (int p = 0; p < PARTS; p++)
                    to[(j * rows + i) * PARTS + p] = v[p] + spoilt;
            }
        }
    }
}
