/* SPDX-License-Identifier: BSD-3-Clause
 * Hermitian eigenproblems in lanes, part of jacobi_kind.h.
 *
 * A multiple of the identity makes the matrix h well conditioned, and Cholesky's factor x of that has h's eigenvectors as its
 * left singular vectors: rotations of the columns of x alone find them.  The eigenvalues are then v^H h v, so that the
 * shift costs no accuracy, and values of a diagonal matrix come out as they went in. */

/* The Hermitian matrix that one triangle of a says into lane l of h, scaled. */
static void NAME(load_hermitian)(const REAL *a, VECTOR *h, int n, bool upper, int l, int *exponent, uint8_t *failed)
{
    *exponent = INT32_MIN;
    for (int i = 0; i < n && !*failed; i++) {
        uint8_t bad = 0;
        const REAL *row = a + (i * n + (upper ? i : 0)) * PARTS;
        const int count = upper ? n - i : i + 1;
        bool any = false;
        for (int k = 0; k < count * PARTS; k++)
            any = any || row[k] != 0;
        const int own = NAME(exponent_of)(row, count, &bad);
        *exponent = any && own > *exponent ? own : *exponent;
        *failed = bad;
    }
    if (*exponent == INT32_MIN)
        *exponent = 0;
    for (int i = 0; i < n && !*failed; i++)
        for (int j = upper ? i : 0; j < (upper ? n : i + 1); j++) {
            VECTOR *own = AT(h, n, j, i, 0), *other = AT(h, n, i, j, 0);
            NAME(put)(own, a + (i * n + j) * PARTS, l, *exponent);
            other[0].lane[l] = own[0].lane[l];
            other[PARTS - 1].lane[l] = PARTS == 1 ? own[0].lane[l] : i == j ? 0 : -own[PARTS - 1].lane[l];
        }
}

/* x = Cholesky's factor of h plus 1.25 times its norm, column by column. */
static void NAME(shifted_factor)(const VECTOR *h, VECTOR *x, int n)
{
    VECTOR shift = { { 0 } };
    for (int i = 0; i < n * n * PARTS; i++)
        EACH_LANE
            shift.lane[l] += h[i].lane[l] * h[i].lane[l];
    EACH_LANE
        shift.lane[l] = shift.lane[l] > 0 ? (REAL)1.25 * SQRT(shift.lane[l]) : 1;
    memcpy(x, h, sizeof *x * (size_t)(n * n * PARTS));
    for (int k = 0; k < n; k++)
        EACH_LANE
            AT(x, n, k, k, 0)->lane[l] += shift.lane[l];
    for (int k = 0; k < n; k++) {
        VECTOR *pivot = AT(x, n, k, 0, 0), inverse;
        EACH_LANE
            inverse.lane[l] = 1 / SQRT(pivot[k * PARTS].lane[l]);
        for (int i = 0; i < n * PARTS; i++)
            EACH_LANE
                pivot[i].lane[l] = i < k * PARTS ? 0 : pivot[i].lane[l] * inverse.lane[l];
        for (int j = k + 1; j < n; j++) {
            VECTOR *column = AT(x, n, j, 0, 0);
            const VECTOR *with = pivot + j * PARTS;             /* its conjugate */
            for (int i = j * PARTS; i < n * PARTS; i += PARTS)
                EACH_LANE
                {
#if PARTS == 2
                    const REAL re = pivot[i].lane[l], im = pivot[i + 1].lane[l], s = with[0].lane[l], t = with[1].lane[l];
                    column[i].lane[l] = FMA(-re, s, FMA(-im, t, column[i].lane[l]));
                    column[i + 1].lane[l] = FMA(-im, s, FMA(re, t, column[i + 1].lane[l]));
#else
                    column[i].lane[l] = FMA(-pivot[i].lane[l], with[0].lane[l], column[i].lane[l]);
#endif
                }
        }
    }
}

/* The columns of x get length 1, and values[j] becomes v^H h v. */
static void NAME(values_of)(const VECTOR *h, VECTOR *x, VECTOR *values, int n)
{
    for (int j = 0; j < n; j++) {
        VECTOR *v = AT(x, n, j, 0, 0), square = { { 0 } }, sum = { { 0 } }, alpha, beta, re, im;
        for (int i = 0; i < n * PARTS; i++)
            EACH_LANE
                square.lane[l] = FMA(v[i].lane[l], v[i].lane[l], square.lane[l]);
        EACH_LANE
            square.lane[l] = SQRT(square.lane[l]);
        for (int i = 0; i < n * PARTS; i++)
            EACH_LANE
                v[i].lane[l] /= square.lane[l];
        for (int i = 0; i < n; i++) {
            NAME(products)(AT(h, n, i, 0, 0), v, n, &alpha, &beta, &re, &im);
            EACH_LANE
            {
                sum.lane[l] = FMA(v[i * PARTS].lane[l], re.lane[l], sum.lane[l]);
#if PARTS == 2
                sum.lane[l] = FMA(v[i * PARTS + 1].lane[l], im.lane[l], sum.lane[l]);
#endif
            }
        }
        values[j] = sum;
    }
}

static void NAME(eigh)(const garray__cpu_jacobi_job *job)
{
    const int n = (int)job->n;
    VECTOR *x = job->work, *h = x + n * n * PARTS, values[GARRAY_CPU_JACOBI_SIDE];
    int exponent[LANES] = { 0 };
    uint8_t failed[LANES] = { 0 };
    memset(h, 0, sizeof *h * (size_t)(n * n * PARTS));
    for (int l = 0; l < job->count; l++)
        NAME(load_hermitian)((const REAL *)(const void *)job->a + (int64_t)l * n * n * PARTS, h, n, job->upper, l, &exponent[l],
                             &failed[l]);
    NAME(shifted_factor)(h, x, n);
    const bool done = NAME(orthogonalize)(x, NULL, n, n, EPSILON * (n > 8 ? (REAL)n / 2 : (REAL)4));
    NAME(values_of)(h, x, values, n);
    for (int l = 0; l < job->count; l++) {
        REAL *w = (REAL *)(void *)job->values + (int64_t)l * n;
        int order[GARRAY_CPU_JACOBI_SIDE];
        job->failed[l] = failed[l] || !done;
        if (job->failed[l])
            continue;
        for (int j = 0; j < n; j++) {
            int k = j;
            for (; k > 0 && values[order[k - 1]].lane[l] > values[j].lane[l]; k--)
                order[k] = order[k - 1];
            order[k] = j;
        }
        for (int j = 0; j < n; j++) {
            REAL column[GARRAY_CPU_JACOBI_SIDE * PARTS];
            double factor[2];
            w[j] = (REAL)ldexp((double)values[order[j]].lane[l], exponent[l]);
            if (!job->first)
                continue;
            REAL *to = (REAL *)(void *)job->first + ((int64_t)l * n * n + j) * PARTS;
            for (int i = 0; i < n * PARTS; i++)
                column[i] = AT(x, n, order[j], 0, i)->lane[l];
            NAME(phase_of)(column, n, factor);
            for (int i = 0; i < n; i++) {
                NAME(turn)(column + i * PARTS, factor);
                for (int p = 0; p < PARTS; p++)
                    to[i * n * PARTS + p] = column[i * PARTS + p];
            }
        }
    }
}
