/* SPDX-License-Identifier: BSD-3-Clause
 * Hermitian eigenproblems in lanes, part of jacobi_kind.h: Householder's reduction to a real tridiagonal matrix, then
 * implicit QR sweeps with Wilkinson's shift.  All lanes work on the same eigenvalue, the lowest row that is not done
 * everywhere; each has its own shift, and its own first row, below the last off-diagonal item that is negligible.  A lane
 * that is done takes part with the angle 0. */

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

/* column -= v conj(w) + w conj(v), rows from k on, for the column whose items of v and w are v0 and w0. */
static inline void NAME(update_column)(VECTOR *restrict column, const VECTOR *v, const VECTOR *w, const VECTOR *v0,
                                       const VECTOR *w0, int k, int n)
{
    for (int i = k * PARTS; i < n * PARTS; i += PARTS)
        EACH_LANE
        {
#if PARTS == 2
            const REAL a = v[i].lane[l], b = v[i + 1].lane[l], c = w[i].lane[l], d = w[i + 1].lane[l];
            const REAL p = v0[0].lane[l], q = v0[1].lane[l], r = w0[0].lane[l], s = w0[1].lane[l];
            REAL re = column[i].lane[l], im = column[i + 1].lane[l];
            re = FMA(-a, r, FMA(-b, s, re));            /* v conj(w0) */
            im = FMA(-b, r, FMA(a, s, im));
            column[i].lane[l] = FMA(-c, p, FMA(-d, q, re));
            column[i + 1].lane[l] = FMA(-d, p, FMA(c, q, im));
#else
            column[i].lane[l] = FMA(-v[i].lane[l], w0[0].lane[l], FMA(-w[i].lane[l], v0[0].lane[l], column[i].lane[l]));
#endif
        }
}

/* h = Q T Q^H: d and e become T, whose off-diagonal items are made real and not negative; column k of h keeps the
 * reflection of step k, t its factor and phase what makes its item of T real. */
static void NAME(tridiagonal)(VECTOR *h, int n, VECTOR *d, VECTOR *e, VECTOR *t, VECTOR *phase)
{
    VECTOR w[GARRAY_CPU_JACOBI_SIDE * PARTS];
    for (int k = 0; k < n - 1; k++) {
        VECTOR *v = AT(h, n, k, 0, 0), alpha, beta, re, im, share;
        d[k] = v[k * PARTS];
        NAME(make_reflection)(v, k + 1, n, &t[k], &e[k], &phase[k * PARTS]);
        /* w = t h v - (t v^H (t h v) / 2) v */
        for (int i = k + 1; i < n; i++) {
            NAME(products)(AT(h, n, i, k + 1, 0), v + (k + 1) * PARTS, n - k - 1, &alpha, &beta, &re, &im);
            EACH_LANE
            {
                w[i * PARTS].lane[l] = t[k].lane[l] * re.lane[l];
#if PARTS == 2
                w[i * PARTS + 1].lane[l] = t[k].lane[l] * im.lane[l];
#endif
            }
        }
        NAME(products)(v + (k + 1) * PARTS, w + (k + 1) * PARTS, n - k - 1, &alpha, &beta, &re, &im);
        EACH_LANE
            share.lane[l] = (REAL)0.5 * t[k].lane[l] * re.lane[l];
        for (int i = (k + 1) * PARTS; i < n * PARTS; i++)
            EACH_LANE
                w[i].lane[l] = FMA(-share.lane[l], v[i].lane[l], w[i].lane[l]);
        for (int j = k + 1; j < n; j++)
            NAME(update_column)(AT(h, n, j, 0, 0), v, w, v + j * PARTS, w + j * PARTS, k + 1, n);
    }
    d[n - 1] = *AT(h, n, n - 1, n - 1, 0);
}

/* q = Q D, with the diagonal D of phases that makes T real. */
static void NAME(form_vectors)(const VECTOR *h, VECTOR *q, int n, const VECTOR *t, const VECTOR *phase)
{
    memset(q, 0, sizeof *q * (size_t)(n * n * PARTS));
    VECTOR d[PARTS] = { 0 };
    EACH_LANE
        d[0].lane[l] = 1;
    for (int j = 0; j < n; j++) {
        for (int p = 0; p < PARTS; p++)
            *AT(q, n, j, j, p) = d[p];
        if (j == n - 1)
            break;
        const VECTOR *f = &phase[j * PARTS];            /* d *= conj(f) */
        EACH_LANE
        {
#if PARTS == 2
            const REAL x = d[0].lane[l], y = d[1].lane[l];
            d[0].lane[l] = x * f[0].lane[l] + y * f[1].lane[l];
            d[1].lane[l] = y * f[0].lane[l] - x * f[1].lane[l];
#else
            d[0].lane[l] *= f[0].lane[l];
#endif
        }
    }
    for (int k = n - 2; k >= 0; k--)
        for (int j = k + 1; j < n; j++)
            NAME(reflect)(AT(h, n, k, 0, 0), AT(q, n, j, 0, 0), k + 1, n, &t[k]);
}

/* One step of a sweep, at row i: the rotation, with s negative as rotate_real() takes it; and its effect on T. */
static inline void NAME(sweep_step)(VECTOR *d, VECTOR *e, int i, int end, const VECTOR *first, const VECTOR *shift, VECTOR *bulge,
                                    VECTOR *c, VECTOR *s)
{
    VECTOR above = { { 0 } }, below = { { 0 } };
    if (i > 0)
        above = e[i - 1];
    if (i + 1 < end)
        below = e[i + 1];
    EACH_LANE
    {
        /* all that is loaded is loaded always: no branches */
        const REAL row = (REAL)i, start = first->lane[l], a = d[i].lane[l], b = e[i].lane[l], g = d[i + 1].lane[l];
        const REAL top = a - shift->lane[l], up = above.lane[l], swell = bulge->lane[l], down = below.lane[l];
        const bool in = row >= start, begins = row == start;
        const REAL x = begins ? top : up, z = begins ? b : swell, r = SQRT(FMA(x, x, z * z)), inverse = 1 / r;
        const bool turn = in & (r > 0);
        const REAL cosine = turn ? x * inverse : 1, sine = turn ? z * inverse : 0, linked = begins ? up : r;
        const REAL cs = cosine * sine, cc = cosine * cosine, ss = sine * sine;
        above.lane[l] = turn ? linked : up;
        d[i].lane[l] = FMA(cc, a, FMA(2 * cs, b, ss * g));
        d[i + 1].lane[l] = FMA(ss, a, FMA(-2 * cs, b, cc * g));
        e[i].lane[l] = FMA(cs, g - a, (cc - ss) * b);
        bulge->lane[l] = sine * down;
        below.lane[l] = cosine * down;
        c->lane[l] = cosine;
        s->lane[l] = -sine;
    }
    if (i > 0)
        e[i - 1] = above;
    if (i + 1 < end)
        e[i + 1] = below;
}

static inline void NAME(rotate_real)(VECTOR *restrict p, VECTOR *restrict q, int count, const VECTOR *restrict c,
                                     const VECTOR *restrict s)
{
    for (int i = 0; i < count; i++)
        EACH_LANE
        {
            const REAL x = p[i].lane[l], y = q[i].lane[l];
            p[i].lane[l] = FMA(c->lane[l], x, -s->lane[l] * y);
            q[i].lane[l] = FMA(s->lane[l], x, c->lane[l] * y);
        }
}

/* T's off-diagonal items vanish, d becomes its values and the columns of q (or NULL) the vectors.  Whether all did. */
static bool NAME(diagonalize)(VECTOR *d, VECTOR *e, VECTOR *q, int n)
{
    for (int end = n - 1; end > 0; end--)
        for (int sweep = 0;; sweep++) {
            VECTOR first, shift, bulge = { { 0 } }, c, s;
            REAL open = 0, lowest = (REAL)n;
            EACH_LANE
                first.lane[l] = 0;
            for (int i = 0; i < end; i++)
                EACH_LANE
                {
                    const REAL item = ABS(e[i].lane[l]), room = EPSILON / 2 * (ABS(d[i].lane[l]) + ABS(d[i + 1].lane[l]));
                    const bool small = (item <= room) | (item * item <= TINY * TINY_SHARE);
                    e[i].lane[l] = small ? 0 : e[i].lane[l];
                    first.lane[l] = small ? (REAL)(i + 1) : first.lane[l];
                }
            for (int l = 0; l < LANES; l++) {
                open += first.lane[l] < (REAL)end ? 1 : 0;
                lowest = first.lane[l] < lowest ? first.lane[l] : lowest;
            }
            if (open == 0)
                break;
            if (sweep == 60)
                return false;
            EACH_LANE
            {
                const REAL b = e[end - 1].lane[l], half = (d[end - 1].lane[l] - d[end].lane[l]) / 2;
                const REAL root = SQRT(FMA(half, half, b * b)), far = half < 0 ? half - root : half + root;
                shift.lane[l] = d[end].lane[l] - (far != 0 ? b * b / far : 0);
            }
            for (int i = (int)lowest; i < end; i++) {
                NAME(sweep_step)(d, e, i, end, &first, &shift, &bulge, &c, &s);
                if (q)
                    NAME(rotate_real)(AT(q, n, i, 0, 0), AT(q, n, i + 1, 0, 0), n * PARTS, &c, &s);
            }
        }
    return true;
}

static void NAME(eigh)(const garray__cpu_jacobi_job *job)
{
    const int n = (int)job->n;
    VECTOR *h = job->work, *q = h + n * n * PARTS, d[GARRAY_CPU_JACOBI_SIDE], e[GARRAY_CPU_JACOBI_SIDE];
    VECTOR t[GARRAY_CPU_JACOBI_SIDE], phase[GARRAY_CPU_JACOBI_SIDE * PARTS];
    int exponent[LANES] = { 0 };
    uint8_t failed[LANES] = { 0 };
    memset(h, 0, sizeof *h * (size_t)(n * n * PARTS));
    for (int l = 0; l < job->count; l++)
        NAME(load_hermitian)((const REAL *)(const void *)job->a + (int64_t)l * n * n * PARTS, h, n, job->upper, l, &exponent[l],
                             &failed[l]);
    NAME(tridiagonal)(h, n, d, e, t, phase);
    if (job->first)
        NAME(form_vectors)(h, q, n, t, phase);
    const bool done = NAME(diagonalize)(d, e, job->first ? q : NULL, n);
    for (int l = 0; l < job->count; l++) {
        REAL *w = (REAL *)(void *)job->values + (int64_t)l * n;
        int order[GARRAY_CPU_JACOBI_SIDE];
        job->failed[l] = failed[l] || !done;
        if (job->failed[l])
            continue;
        for (int j = 0; j < n; j++) {
            int k = j;
            for (; k > 0 && d[order[k - 1]].lane[l] > d[j].lane[l]; k--)
                order[k] = order[k - 1];
            order[k] = j;
        }
        for (int j = 0; j < n; j++) {
            REAL column[GARRAY_CPU_JACOBI_SIDE * PARTS];
            double factor[2];
            w[j] = (REAL)ldexp((double)d[order[j]].lane[l], exponent[l]);
            if (!job->first)
                continue;
            REAL *to = (REAL *)(void *)job->first + ((int64_t)l * n * n + j) * PARTS;
            for (int i = 0; i < n * PARTS; i++)
                column[i] = AT(q, n, order[j], 0, i)->lane[l];
            NAME(phase_of)(column, n, factor);
            for (int i = 0; i < n; i++) {
                NAME(turn)(column + i * PARTS, factor);
                for (int p = 0; p < PARTS; p++)
                    to[i * n * PARTS + p] = column[i * PARTS + p];
            }
        }
    }
}
