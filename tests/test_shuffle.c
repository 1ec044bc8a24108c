/* SPDX-License-Identifier: BSD-3-Clause
 * Random order, samples, vectors of counts, bytes, and places in the sequence: what must hold of each result exactly, and
 * chi-square with fixed seeds. */
#include "core/draw_order.h"
#include "core/philox.h"
#include "test.h"

static int64_t *integers(const garray_t *x)
{
    TEST_EXPECT(garray_dtype_of(x) == GARRAY_INT64, "the dtype is %s", garray_dtype_name(garray_dtype_of(x)));
    return test_read(x);
}

static bool is_permutation(const int64_t *v, int64_t n)
{
    char *seen = calloc((size_t)n + 1, 1);
    bool right = true;
    for (int64_t i = 0; i < n; i++) {
        if (v[i] < 0 || v[i] >= n || seen[v[i]])
            right = false;
        else
            seen[v[i]] = 1;
    }
    free(seen);
    return right;
}

static double chi_square(const int64_t *counts, int places, double draws)
{
    double sum = 0, expected = draws / places;
    for (int i = 0; i < places; i++)
        sum += ((double)counts[i] - expected) * ((double)counts[i] - expected) / expected;
    return (sum - (places - 1)) / sqrt(2.0 * (places - 1));
}

Test(shuffle, permutations)
{
    test_mark mark = test_memory();
    static const int64_t lengths[] = { 0, 1, 2, 3, 100, 1024, 1025, 2048, 4097, 100000, 262144, 1000003 };
    for (size_t t = 0; t < sizeof lengths / sizeof lengths[0]; t++) {
        const int64_t n = lengths[t];
        garray_rng rng = GARRAY_RNG(t);
        garray_t *x = NULL;
        test_context("%d numbers", (int)n);
        if (!TEST_OK(garray_random_permutation(&rng, n, 0, test_device(), &x)))
            continue;
        TEST_EXPECT(rng.position == (uint64_t)(n <= 1024 ? (n + 1) / 2 : 6), "the position is %d", (int)rng.position);
        int64_t *v = integers(x);
        TEST_EXPECT(is_permutation(v, n), "a number is missing");
        if (n > 1024) {             /* each place by itself */
            uint32_t key[GARRAY_ORDER_KEYS];
            for (int i = 0; i < GARRAY_ORDER_KEYS; i++)
                key[i] = garray__philox_word(garray__philox_block(t, 0, (uint64_t)i / 4, 0), (uint64_t)i);
            const garray__order o = garray__order_of((uint64_t)n - 1);
            for (int64_t i = 0; i < n; i += 1 + n / 1000)
                TEST_EXPECT(v[i] == (int64_t)garray__order_at(o, key, (uint64_t)n - 1, (uint64_t)i), "place %d", (int)i);
            double covariance = 0, next = 0;
            for (int64_t i = 0; i < n; i++) {
                const double a = ((double)i + 0.5) / (double)n - 0.5, b = ((double)v[i] + 0.5) / (double)n - 0.5;
                covariance += a * b;
                next += b * (((double)v[(i + 1) % n] + 0.5) / (double)n - 0.5);
            }
            const double deviation = sqrt((double)n) / 12;
            TEST_EXPECT(fabs(covariance) < 5 * deviation && fabs(next) < 5 * deviation,
                        "covariances are %.1f and %.1f deviations", covariance / deviation, next / deviation);
        }
        free(v);
        garray_release(x);
    }
    TEST_NO_LEAK(mark);
}

/* All permutations of four come alike; of more, each place takes each number, and pairs of places pairs of numbers. */
Test(shuffle, uniform)
{
    test_mark mark = test_memory();
    enum { TRIES = 4800, LONG = 1500 };
    int64_t four[24] = { 0 }, first[64] = { 0 }, last[64] = { 0 }, pairs[64] = { 0 }, fixed[4] = { 0 };
    garray_rng rng = GARRAY_RNG(2024);
    garray_t *x = NULL;
    for (int t = 0; t < TRIES; t++) {
        TEST_OK(garray_random_permutation(&rng, 4, 0, test_device(), &x));
        int64_t *v = integers(x), rank = v[0] * 6;
        rank += (v[1] - (v[1] > v[0])) * 2 + (v[2] > v[3]);
        four[rank]++;
        free(v);
    }
    TEST_EXPECT(fabs(chi_square(four, 24, TRIES)) < 5, "of four: %.1f", chi_square(four, 24, TRIES));
    for (int t = 0; t < TRIES; t++) {
        TEST_OK(garray_random_permutation(&rng, LONG, 0, test_device(), &x));
        int64_t *v = integers(x);
        int same = 0;
        first[v[0] * 64 / LONG]++;
        last[v[LONG - 1] * 64 / LONG]++;
        pairs[v[7] * 8 / LONG * 8 + v[8] * 8 / LONG]++;
        for (int i = 0; i < LONG; i++)
            same += v[i] == i;
        fixed[same < 3 ? same : 3]++;
        free(v);
    }
    TEST_EXPECT(fabs(chi_square(first, 64, TRIES)) < 5, "the first: %.1f", chi_square(first, 64, TRIES));
    TEST_EXPECT(fabs(chi_square(last, 64, TRIES)) < 5, "the last: %.1f", chi_square(last, 64, TRIES));
    TEST_EXPECT(fabs(chi_square(pairs, 64, TRIES)) < 5, "pairs: %.1f", chi_square(pairs, 64, TRIES));
    const double p[4] = { 0.36787944, 0.36787944, 0.18393972, 0.0803014 };     /* numbers in their place: Poisson's of mean 1 */
    for (int k = 0; k < 4; k++)
        TEST_EXPECT(fabs((double)fixed[k] - p[k] * TRIES) < 5 * sqrt(p[k] * TRIES), "%d times %d are fixed", (int)fixed[k], k);
    garray_release(x);
    TEST_NO_LEAK(mark);
}

/* Arrays: rows keep together, in each layout; shuffle is the same in place; permuted goes line by line. */
Test(shuffle, arrays)
{
    test_mark mark = test_memory();
    for (int layout = 0; layout < TEST_LAYOUTS; layout++)
        for (int axis = -2; axis < 2; axis++) {
            enum { A = 9, B = 7 };
            double values[A * B];
            for (int i = 0; i < A * B; i++)
                values[i] = i;
            garray_t *x = test_array(GARRAY_FLOAT64, layout, GARRAY_SHAPE(A, B), values);
            garray_t *y = NULL, *order = NULL, *lines = NULL;
            const int n = axis == 0 || axis == -2 ? A : B, other = axis == 0 || axis == -2 ? 1 : 0;
            garray_rng rng = GARRAY_RNG(8), again = rng;
            test_context("%s, axis %d", test_layout_name(layout), axis);
            TEST_OK(garray_random_permutation(&rng, x, axis, test_device(), &y));
            TEST_OK(garray_random_permutation(&again, n, 0, test_device(), &order));
            TEST_EXPECT(rng.position == again.position, "the positions differ");
            int64_t *o = integers(order);
            double *v = test_read(y);
            bool right = true;
            for (int i = 0; i < A; i++)
                for (int j = 0; j < B; j++)
                    right &= v[i * B + j] == (other ? values[o[i] * B + j] : values[i * B + o[j]]);
            TEST_EXPECT(right, "not the rows in that order");
            TEST_OK(garray_random_permuted(&rng, x, GARRAY_AXES(axis), &lines));
            double *w = test_read(lines);
            for (int line = 0; line < (other ? B : A); line++) {
                double sum = 0, whole = 0, squares = 0, all = 0;
                for (int k = 0; k < n; k++) {
                    const int at = other ? k * B + line : line * B + k;
                    sum += w[at];
                    whole += values[at];
                    squares += w[at] * w[at];
                    all += values[at] * values[at];
                }
                TEST_EXPECT(sum == whole && squares == all, "line %d has other elements", line);
            }
            if (!test_layout_repeats(layout)) {
                again = GARRAY_RNG(8);
                TEST_OK(garray_random_shuffle(&again, x, axis));
                TEST_EQUAL(x, v, 0);
                TEST_OK(garray_random_permuted(&again, x, GARRAY_ALL_AXES, garray_into(x)));
                double *u = test_read(x), total = 0;
                for (int i = 0; i < A * B; i++)
                    total += u[i];
                TEST_EXPECT(total == A * B * (A * B - 1) / 2.0, "elements are missing");
                free(u);
            }
            free(o);
            free(v);
            free(w);
            garray_release(x);
            garray_release(y);
            garray_release(order);
            garray_release(lines);
        }
    TEST_NO_LEAK(mark);
}

Test(shuffle, choice)
{
    test_mark mark = test_memory();
    enum { N = 60000, K = 6 };
    static const double weights[K] = { 1, 2, 0, 3, 0.5, 5.5 };
    garray_rng rng = GARRAY_RNG(77);
    garray_t *p = NULL, *x = NULL, *a = NULL;
    TEST_OK(garray_from_host(weights, GARRAY_FLOAT64, GARRAY_SHAPE(K), NULL, test_device(), &p));
    /* with replacement: even, and by weight */
    for (int weighted = 0; weighted < 2; weighted++) {
        int64_t counts[K] = { 0 };
        const garray_choice_opts by = { .p = p };
        TEST_OK(garray_random_choice(&rng, K, GARRAY_SHAPE(N / 10, 10), weighted ? &by : NULL, test_device(), &x));
        TEST_EXPECT(garray_ndim(x) == 2, "the shape is wrong");
        int64_t *v = integers(x);
        for (int i = 0; i < N; i++)
            counts[v[i] >= 0 && v[i] < K ? v[i] : 0]++;
        for (int k = 0; k < K; k++) {
            const double expected = weighted ? N * weights[k] / 12 : N / (double)K;
            TEST_EXPECT(fabs((double)counts[k] - expected) <= 5 * sqrt(expected), "%d came %d times", k, (int)counts[k]);
        }
        free(v);
    }
    /* without: each item once; by weight the first is drawn by weight, and the second by what is left */
    int64_t first[K] = { 0 }, second[K] = { 0 };
    enum { TRIES = 3000 };
    for (int t = 0; t < TRIES; t++) {
        const garray_choice_opts without = { .p = p, .no_replacement = 1 };
        TEST_OK(garray_random_choice(&rng, K, GARRAY_SHAPE(5), &without, test_device(), &x));
        int64_t *v = integers(x), seen = 0;
        for (int i = 0; i < 5; i++)
            seen |= INT64_C(1) << v[i];
        TEST_EXPECT(seen == 0x3b, "items %x were drawn", (unsigned)seen);
        first[v[0]]++;
        second[v[1]]++;
        free(v);
    }
    for (int k = 0; k < K; k++) {
        double next = 0;
        for (int j = 0; j < K; j++)
            next += j == k ? 0 : weights[j] / 12 * (weights[k] / (12 - weights[j]));
        TEST_EXPECT(fabs((double)first[k] - TRIES * weights[k] / 12) <= 5 * sqrt(TRIES * weights[k] / 12), "first: %d", k);
        TEST_EXPECT(fabs((double)second[k] - TRIES * next) <= 5 * sqrt(TRIES * next), "second: %d", k);
    }
    for (int64_t n = 1000; n <= 5000; n += 4000) {
        TEST_OK(garray_random_choice(&rng, n, GARRAY_SHAPE(900), GARRAY_KW(choice, .no_replacement = 1), test_device(), &x));
        int64_t *v = integers(x);
        char *seen = calloc((size_t)n, 1);
        for (int i = 0; i < 900; i++)
            TEST_EXPECT(v[i] >= 0 && v[i] < n && !seen[v[i]]++, "item %d of %d", (int)v[i], (int)n);
        free(seen);
        free(v);
    }
    /* of an array along an axis */
    TEST_OK(garray_arange(0, 12, 1, GARRAY_INT64, test_device(), &a));
    TEST_OK(garray_reshape(a, GARRAY_SHAPE(2, 6), &a));
    TEST_OK(garray_random_choice(&rng, a, GARRAY_SHAPE(3, 4), GARRAY_KW(choice, .p = p, .axis = 1), test_device(), &x));
    int64_t *v = integers(x);
    TEST_EXPECT(garray_ndim(x) == 3 && garray_size(x) == 24, "the shape is wrong");
    for (int i = 0; i < 12; i++)
        TEST_EXPECT(v[i + 12] == v[i] + 6 && v[i] != 2 && v[i] >= 0 && v[i] < 6, "column %d", i);
    free(v);
    garray_release(p);
    garray_release(x);
    garray_release(a);
    TEST_NO_LEAK(mark);
}

Test(shuffle, vectors)
{
    test_mark mark = test_memory();
    enum { N = 20000, K = 4 };
    static const double p[K] = { 0.1, 0.5, 0.15, 0.25 }, alpha[K] = { 0.5, 2, 1, 4 };
    static const int64_t colors[K] = { 30, 5, 60, 25 };
    static const int64_t totals[] = { 3, 40, 2000 };
    garray_rng rng = GARRAY_RNG(5);
    garray_t *pvals = NULL, *x = NULL, *hues = NULL, *shapes = NULL, *n = NULL, *mean = NULL, *cov = NULL;
    TEST_OK(garray_from_host(p, GARRAY_FLOAT64, GARRAY_SHAPE(K), NULL, test_device(), &pvals));
    TEST_OK(garray_from_host(colors, GARRAY_INT64, GARRAY_SHAPE(K), NULL, test_device(), &hues));
    TEST_OK(garray_from_host(alpha, GARRAY_FLOAT64, GARRAY_SHAPE(K), NULL, test_device(), &shapes));
    for (size_t t = 0; t < 3; t++) {
        const double total = (double)totals[t];
        double sum[K] = { 0 }, square[K] = { 0 };
        test_context("of %d", (int)totals[t]);
        TEST_OK(garray_random_multinomial(&rng, totals[t], pvals, GARRAY_SHAPE(N), &x));
        int64_t *v = integers(x);
        for (int i = 0; i < N; i++) {
            int64_t whole = 0;
            for (int k = 0; k < K; k++) {
                const double y = (double)v[i * K + k];
                whole += v[i * K + k];
                TEST_EXPECT(y >= 0, "a negative count");
                sum[k] += y / N;
                square[k] += (y - total * p[k]) * (y - total * p[k]) / N;
            }
            TEST_EXPECT(whole == totals[t], "row %d sums to %d", i, (int)whole);
        }
        for (int k = 0; k < K; k++) {
            const double variance = total * p[k] * (1 - p[k]);
            TEST_EXPECT(fabs(sum[k] - total * p[k]) < 5 * sqrt(variance / N), "mean %d is %g", k, sum[k]);
            TEST_EXPECT(fabs(square[k] - variance) < 5 * variance * sqrt(4.0 / N), "variance %d is %g", k, square[k]);
        }
        free(v);
    }
    /* a total and probabilities for each row */
    TEST_OK(garray_from_host(totals, GARRAY_INT64, GARRAY_SHAPE(3, 1), NULL, test_device(), &n));
    TEST_OK(garray_broadcast_to(pvals, GARRAY_SHAPE(2, K), &x));
    TEST_OK(garray_random_multinomial(&rng, n, x, GARRAY_SHAPE(3, 2), &x));
    int64_t *v = integers(x);
    for (int i = 0; i < 6; i++)
        TEST_EXPECT(v[i * 4] + v[i * 4 + 1] + v[i * 4 + 2] + v[i * 4 + 3] == totals[i / 2], "row %d", i);
    free(v);
    test_context("colors");
    for (int64_t sample = 5; sample <= 85; sample += 40) {
        double sum[K] = { 0 };
        TEST_OK(garray_random_multivariate_hypergeometric(&rng, hues, sample, GARRAY_SHAPE(N), &x));
        v = integers(x);
        for (int i = 0; i < N; i++) {
            int64_t whole = 0;
            for (int k = 0; k < K; k++) {
                whole += v[i * K + k];
                sum[k] += (double)v[i * K + k] / N;
                TEST_EXPECT(v[i * K + k] >= 0 && v[i * K + k] <= colors[k], "color %d: %d", k, (int)v[i * K + k]);
            }
            TEST_EXPECT(whole == sample, "row %d sums to %d", i, (int)whole);
        }
        for (int k = 0; k < K; k++) {
            const double share = (double)colors[k] / 120, s = (double)sample;
            const double variance = s * share * (1 - share) * (120 - s) / 119;
            TEST_EXPECT(fabs(sum[k] - s * share) < 5 * sqrt(variance / N), "mean %d is %g", k, sum[k]);
        }
        free(v);
    }
    test_context("dirichlet");
    TEST_OK(garray_random_dirichlet(&rng, shapes, GARRAY_SHAPE(N), GARRAY_FLOAT64, &x));
    double *y = test_read(x), sum[K] = { 0 };
    for (int i = 0; i < N; i++) {
        TEST_EXPECT(fabs(y[4 * i] + y[4 * i + 1] + y[4 * i + 2] + y[4 * i + 3] - 1) < 1e-14, "row %d", i);
        for (int k = 0; k < K; k++)
            sum[k] += y[4 * i + k] / N;
    }
    for (int k = 0; k < K; k++) {
        const double share = alpha[k] / 7.5, variance = share * (1 - share) / 8.5;
        TEST_EXPECT(fabs(sum[k] - share) < 5 * sqrt(variance / N), "mean %d is %g", k, sum[k]);
    }
    free(y);
    test_context("normal vectors");
    static const double center[3] = { 1, -2, 0.5 }, matrix[9] = { 2, 0.5, -1, 0.5, 1, 0.25, -1, 0.25, 3 };
    TEST_OK(garray_from_host(center, GARRAY_FLOAT64, GARRAY_SHAPE(3), NULL, test_device(), &mean));
    TEST_OK(garray_from_host(matrix, GARRAY_FLOAT64, GARRAY_SHAPE(3, 3), NULL, test_device(), &cov));
    for (int method = 0; method < 2; method++) {
        double product[9] = { 0 };
        const garray_multivariate_opts how = { .method = method, .check_valid = 1 };
        TEST_OK(garray_random_multivariate_normal(&rng, mean, cov, GARRAY_SHAPE(N), &how, &x));
        y = test_read(x);
        for (int i = 0; i < N; i++)
            for (int k = 0; k < 9; k++)
                product[k] += (y[3 * i + k / 3] - center[k / 3]) * (y[3 * i + k % 3] - center[k % 3]) / N;
        for (int k = 0; k < 9; k++) {
            const double deviation = sqrt((matrix[k] * matrix[k] + matrix[k / 3 * 4] * matrix[k % 3 * 4]) / N);
            TEST_EXPECT(fabs(product[k] - matrix[k]) < 5 * deviation, "covariance %d is %g", k, product[k]);
        }
        free(y);
    }
    garray_release(pvals);
    garray_release(x);
    garray_release(hues);
    garray_release(shapes);
    garray_release(n);
    garray_release(mean);
    garray_release(cov);
    TEST_NO_LEAK(mark);
}

Test(shuffle, bytes)
{
    test_mark mark = test_memory();
    garray_rng rng = GARRAY_RNG(0);
    garray_t *x = NULL;
    static const uint8_t expected[7] = { 0xd5, 0xe8, 0x27, 0x66, 0x8d, 0xc5, 0x69 };   /* Random123's words */
    TEST_OK(garray_random_bytes(&rng, 7, test_device(), &x));
    TEST_EXPECT(rng.position == 1, "the position is %d", (int)rng.position);
    TEST_EQUAL(x, expected, 0);
    TEST_OK(garray_random_bytes(&rng, 0, test_device(), &x));
    garray_release(x);
    TEST_NO_LEAK(mark);
}

Test(shuffle, places)
{
    test_mark mark = test_memory();
    garray_rng rng = GARRAY_RNG(1), copy, children[64], more[2], hashed[3];
    const uint64_t words[3] = { 1, 2, 3 };
    /* children differ from each other and from later ones, and the parent draws on as before */
    TEST_OK(garray_rng_spawn(&rng, 64, children));
    TEST_OK(garray_rng_spawn(&rng, 2, more));
    TEST_EXPECT(rng.spawned == 66 && rng.position == 0, "the parent is elsewhere");
    for (int i = 0; i < 64; i++) {
        TEST_EXPECT(children[i].seed != more[0].seed && children[i].seed != more[1].seed, "%d", i);
        TEST_EXPECT(children[i].stream >> 56 == 0, "%d", i);
        for (int j = 0; j < i; j++)
            TEST_EXPECT(children[i].seed != children[j].seed, "children %d and %d", i, j);
    }
    copy = GARRAY_RNG(1);
    TEST_OK(garray_rng_spawn(&copy, 1, more));
    TEST_EXPECT(more[0].seed == children[0].seed && more[0].stream == children[0].stream, "another child");
    /* moves */
    TEST_OK(garray_rng_advance(&rng, 100));
    TEST_OK(garray_rng_advance(&rng, -40));
    TEST_EXPECT(rng.position == 60, "the position is %d", (int)rng.position);
    TEST_STATUS(ERR_INVALID, garray_rng_advance(&rng, -61));
    TEST_OK(garray_rng_jump(&rng, 5));
    TEST_EXPECT(rng.stream == 5 && rng.position == 60, "the stream is %d", (int)rng.stream);
    TEST_STATUS(ERR_INVALID, garray_rng_jump(&rng, (UINT64_C(1) << 56) - 5));
    /* saved and loaded */
    uint64_t state[4];
    garray_t *x = NULL, *y = NULL;
    memcpy(state, &rng, sizeof state);
    TEST_OK(garray_random_normal(&rng, 0, 1, GARRAY_SHAPE(10), GARRAY_FLOAT64, test_device(), &x));
    memcpy(&copy, state, sizeof state);
    TEST_OK(garray_random_normal(&copy, 0, 1, GARRAY_SHAPE(10), GARRAY_FLOAT64, test_device(), &y));
    void *expected = test_read(x);
    TEST_EQUAL(y, expected, 0);
    free(expected);
    /* seeds */
    TEST_OK(garray_rng_seed(&hashed[0], words, 3));
    TEST_OK(garray_rng_seed(&hashed[1], words, 2));
    TEST_OK(garray_rng_seed(&hashed[2], words, 3));
    TEST_EXPECT(hashed[0].seed != hashed[1].seed && hashed[0].seed == hashed[2].seed && hashed[0].stream == hashed[2].stream,
                "hashes");
    TEST_OK(garray_rng_seed(&hashed[0], NULL, 0));
    TEST_OK(garray_rng_seed(&hashed[1], NULL, 0));
    TEST_EXPECT(hashed[0].seed != hashed[1].seed, "the same random seed twice");
    TEST_STATUS(ERR_INVALID, garray_rng_seed(NULL, words, 3));
    TEST_STATUS(ERR_INVALID, garray_rng_spawn(NULL, 1, more));
    garray_release(x);
    garray_release(y);
    TEST_NO_LEAK(mark);
}

Test(shuffle, errors)
{
    test_mark mark = test_memory();
    garray_rng rng = GARRAY_RNG(0);
    garray_device on = test_device();
    garray_t *x = NULL, *p = NULL, *zero = NULL, *bad = NULL, *square = NULL;
    static const double negative[3] = { 0.5, -0.25, 1 }, large[3] = { 0.5, 0.75, 0.1 };
    TEST_OK(garray_full(GARRAY_SHAPE(4), 0.25, GARRAY_FLOAT64, on, &p));
    TEST_OK(garray_zeros(GARRAY_0D, GARRAY_FLOAT64, on, &zero));
    TEST_OK(garray_zeros(GARRAY_SHAPE(4, 3), GARRAY_FLOAT64, on, &square));
    TEST_STATUS(ERR_INVALID, garray_random_permutation(&rng, -1, 0, on, &x));
    TEST_STATUS(ERR_INVALID, garray_random_permutation(&rng, 2.5, 0, on, &x));
    TEST_STATUS(ERR_INVALID, garray_random_permutation(&rng, zero, 0, on, &x));
    TEST_STATUS(ERR_AXIS, garray_random_permutation(&rng, p, 1, on, &x));
    TEST_STATUS(ERR_INVALID, garray_random_permutation(NULL, 4, 0, on, &x));
    TEST_STATUS(ERR_INVALID, garray_random_shuffle(&rng, zero, 0));
    TEST_STATUS(ERR_INVALID, garray_random_shuffle(&rng, NULL, 0));
    TEST_STATUS(ERR_AXIS, garray_random_permuted(&rng, p, GARRAY_AXES(0, 1), &x));
    TEST_STATUS(ERR_INVALID, garray_random_choice(&rng, 0, GARRAY_SHAPE(2), NULL, on, &x));
    TEST_MESSAGE("a must be a positive integer unless no samples are taken");
    TEST_STATUS(ERR_INVALID, garray_random_choice(&rng, 3, GARRAY_SHAPE(5), GARRAY_KW(choice, .no_replacement = 1), on, &x));
    TEST_MESSAGE("Cannot take a larger sample than population when replace is False");
    TEST_STATUS(ERR_SHAPE, garray_random_choice(&rng, 3, GARRAY_SHAPE(5), GARRAY_KW(choice, .p = p), on, &x));
    TEST_MESSAGE("a and p must have same size");
    TEST_STATUS(ERR_SHAPE, garray_random_choice(&rng, 3, GARRAY_SHAPE(5), GARRAY_KW(choice, .p = zero), on, &x));
    TEST_STATUS(ERR_SHAPE, garray_random_multinomial(&rng, 3, zero, GARRAY_SHAPE(5), &x));
    TEST_STATUS(ERR_INVALID, garray_random_multinomial(&rng, -3, p, GARRAY_SHAPE(5), &x));
    TEST_MESSAGE("n < 0");
    TEST_STATUS(ERR_INVALID, garray_random_multinomial(&rng, 3, NULL, GARRAY_SHAPE(5), &x));
    TEST_STATUS(ERR_DTYPE, garray_random_multivariate_hypergeometric(&rng, p, 3, GARRAY_SHAPE(5), &x));
    TEST_STATUS(ERR_SHAPE, garray_random_multivariate_normal(&rng, p, square, GARRAY_SHAPE(5), NULL, &x));
    TEST_MESSAGE("cov must be 2 dimensional and square");
    TEST_STATUS(ERR_INVALID, garray_random_bytes(&rng, -1, on, &x));
    TEST_EXPECT(x == NULL && rng.position == 0, "something was changed");
    /* found by the backend: late on a GPU */
    for (int t = 0; t < 5; t++) {
        static const char *const texts[] = { "Probabilities are not non-negative", "pvals < 0, pvals > 1",
                                             "sum(pvals[:-1]) > 1.0", "their sum is 0 or not finite", "their sum is 0 or not finite" };
        static const double nothing[3] = { 0, 0, 0 }, endless[3] = { 1e308, 1e308, 1e308 };
        const double *const given = t == 2 ? large : t == 3 ? nothing : t == 4 ? endless : negative;
        TEST_OK(garray_from_host(given, GARRAY_FLOAT64, GARRAY_SHAPE(3), NULL, on, &bad));
        garray_status st = t == 0 || t > 2 ? garray_random_choice(&rng, 3, GARRAY_SHAPE(5), GARRAY_KW(choice, .p = bad), on, &x)
                                  : garray_random_multinomial(&rng, 3, bad, GARRAY_SHAPE(5), &x);
        if (test_on_gpu()) {
            TEST_OK(st);
            st = garray_synchronize(on);
        }
        TEST_EXPECT(st == GARRAY_ERR_INVALID, "row %d: status %d", t, (int)st);
        TEST_MESSAGE(texts[t]);
    }
    garray_release(x);
    garray_release(p);
    garray_release(zero);
    garray_release(bad);
    garray_release(square);
    TEST_NO_LEAK(mark);
}

/* cuRAND's own numbers, as its host generators give them; its Philox is ours in another order. */
Test(shuffle, curand)
{
    static const struct { int32_t engine; uint32_t words[4]; } known[] = {
        { GARRAY_CURAND_XORWOW, { 0x4d219e03, 0x4d732c8c, 0x045aa92b, 0x497927d8 } },
        { GARRAY_CURAND_MRG32K3A, { 0x17f83271, 0xfe386b54, 0xead22169, 0xe91c9910 } },
        { GARRAY_CURAND_MT19937, { 0xabf8022e, 0x3317aaf1, 0x90347f6f, 0x336b5e3a } },
        { GARRAY_CURAND_PHILOX4X32_10, { 0xf4607a2d, 0xc009f9dc, 0x1d3aba42, 0x15edac82 } },
    };
    static const uint32_t sobol32[6] = { 3792201470, 201647173, 1428682187, 3862794271, 623165433, 2728198224 };
    static const uint64_t sobol64[6] = { 16287381294159939882u, 866068015906357014u, 6136143272406371626u,
                                         16590575067346141659u, 2676475156213682978u, 11717522152698076853u };
    garray_curand state = { .engine = GARRAY_CURAND_XORWOW, .seed = 7 }, wrong = { .engine = 9 };
    garray_t *x = NULL, *y = NULL;
    const garray_device on = test_device();
    TEST_STATUS(ERR_INVALID, garray_random_curand(&wrong, GARRAY_SHAPE(4), GARRAY_DTYPE_DEFAULT, on, &x));
    TEST_STATUS(ERR_INVALID, garray_random_curand(NULL, GARRAY_SHAPE(4), GARRAY_DTYPE_DEFAULT, on, &x));
    TEST_STATUS(ERR_DTYPE, garray_random_curand(&state, GARRAY_SHAPE(4), GARRAY_INT64, on, &x));
    state.dimensions = 3;
    TEST_STATUS(ERR_INVALID, garray_random_curand(&state, GARRAY_SHAPE(4), GARRAY_UINT32, on, &x));
    state.dimensions = 0;
    if (!test_on_gpu()) {
        TEST_STATUS(ERR_UNSUPPORTED, garray_random_curand(&state, GARRAY_SHAPE(4), GARRAY_UINT32, on, &x));
        TEST_MESSAGE("garray_random_curand: ", "cuRAND", "CUDA");
        TEST_EXPECT(x == NULL && state.offset == 0, "something was changed");
        return;
    }
    for (size_t t = 0; t < sizeof known / sizeof known[0]; t++) {
        garray_curand from = { .engine = known[t].engine, .seed = 7 };
        test_context("engine %d", (int)known[t].engine);
        TEST_OK(garray_random_curand(&from, GARRAY_SHAPE(4), GARRAY_DTYPE_DEFAULT, on, &x));
        TEST_EQUAL(x, known[t].words, 0);
        TEST_EXPECT(from.offset == 4, "the offset is %d", (int)from.offset);
        /* on, and from a copy of the place */
        garray_curand again = from;
        TEST_OK(garray_random_curand(&from, GARRAY_SHAPE(1000), GARRAY_DTYPE_DEFAULT, on, &x));
        TEST_OK(garray_random_curand(&again, GARRAY_SHAPE(1000), GARRAY_DTYPE_DEFAULT, on, &y));
        void *expected = test_read(x);
        TEST_EQUAL(y, expected, 0);
        free(expected);
        for (int wide = 0; wide < 2; wide++) {
            TEST_OK(garray_random_curand(&from, GARRAY_SHAPE(64), wide ? GARRAY_FLOAT64 : GARRAY_FLOAT32, on, &x));
            TEST_OK(garray_astype(x, GARRAY_FLOAT64, &x));
            double *v = test_read(x);
            for (int i = 0; i < 64; i++)
                TEST_EXPECT(v[i] > 0 && v[i] <= 1, "%d is %g", i, v[i]);
            free(v);
        }
    }
    /* four words of each of 65536 streams in turn */
    enum { N = 4 * 70000 };
    garray_curand philox = { .engine = GARRAY_CURAND_PHILOX4X32_10, .seed = 0x123456789abcdef0 };
    TEST_OK(garray_random_curand(&philox, GARRAY_SHAPE(N), GARRAY_UINT32, on, &x));
    uint32_t *w = test_read(x);
    for (uint64_t q = 0; q < N / 4; q += 1 + q / 64) {
        const garray__philox b = garray__philox_block(0x123456789abcdef0, q % 65536, q / 65536, 0);
        TEST_EXPECT(memcmp(w + 4 * q, b.word, 16) == 0, "block %d", (int)q);
        garray_rng rng = { 0x123456789abcdef0, q % 65536, q / 65536, 0 };
        if (q % 997 < 2) {
            TEST_OK(garray_random_bits(&rng, GARRAY_SHAPE(4), GARRAY_UINT32, on, &y));
            TEST_EQUAL(y, w + 4 * q, 0);
        }
    }
    free(w);
    garray_curand sobol = { .engine = GARRAY_CURAND_SOBOL32, .dimensions = 2 };
    TEST_OK(garray_random_curand(&sobol, GARRAY_SHAPE(2, 3), GARRAY_DTYPE_DEFAULT, on, &x));
    TEST_EQUAL(x, sobol32, 0);
    TEST_EXPECT(sobol.offset == 3, "the offset is %d", (int)sobol.offset);
    TEST_STATUS(ERR_SHAPE, garray_random_curand(&sobol, GARRAY_SHAPE(3), GARRAY_DTYPE_DEFAULT, on, &x));
    sobol = (garray_curand){ .engine = GARRAY_CURAND_SOBOL64, .dimensions = 2 };
    TEST_OK(garray_random_curand(&sobol, GARRAY_SHAPE(2, 3), GARRAY_DTYPE_DEFAULT, on, &x));
    TEST_EQUAL(x, sobol64, 0);
    garray_release(x);
    garray_release(y);
}
