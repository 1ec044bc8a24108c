/* SPDX-License-Identifier: BSD-3-Clause
 * Fourier transforms against the sum that defines them, in long double, line by line in the 2-norm; long ones by impulses,
 * whose transforms are roots of unity. Random calls are compared with NumPy in differential/fft.py. */
#include "test.h"

typedef long double real;
static const real pi = 3.14159265358979323846264338327950288L;

/* exp(sign 2 pi i k / n) */
static void root(int64_t k, int64_t n, int sign, real *re, real *im)
{
    k %= n;
    *re = cosl(2 * pi * (real)k / (real)n);
    *im = (real)sign * sinl(2 * pi * (real)k / (real)n);
}

static double unit_of(int dtype)
{
    return dtype == GARRAY_COMPLEX128 || dtype == GARRAY_FLOAT64 ? 0x1p-53 : 0x1p-24;
}

/* The elements of x as complex numbers. */
static double *values_of(const garray_t *x)
{
    garray_t *wide = NULL;
    int64_t n = garray_size(x);
    double *v = malloc((size_t)(n + 1) * 16);
    if (!TEST_OK(garray_astype(x, GARRAY_COMPLEX128, &wide)) || !TEST_OK(garray_to_host(wide, v, NULL, (size_t)n * 16)))
        memset(v, 0, (size_t)n * 16);
    garray_release(wide);
    return v;
}

static garray_t *from_values(const double *v, int dtype, garray_shape shape)
{
    garray_t *x = NULL;
    bool is_complex = dtype >= GARRAY_COMPLEX64;
    TEST_OK(garray_from_host(v, is_complex ? GARRAY_COMPLEX128 : GARRAY_FLOAT64, shape, NULL, test_device(), &x));
    TEST_OK(garray_astype(x, (garray_dtype)dtype, &x));
    return x;
}

/* n random numbers (complex ones are pairs). */
static double *noise(int64_t n, uint64_t seed)
{
    double *v = malloc((size_t)(n + 1) * sizeof *v);
    for (int64_t i = 0; i < n; i++)
        v[i] = (double)(int64_t)(test_random_word(&seed) >> 40) / 0x1p23 - 1;
    return v;
}

/* What a line of m complex numbers becomes: n points of the transform with this sign, times scale. The line is cut, or
 * followed by zeros. */
static void slow(const double *x, int64_t step, int64_t m, int64_t n, int sign, double scale, double *y)
{
    real *re = malloc((size_t)n * sizeof *re), *im = malloc((size_t)n * sizeof *im);
    for (int64_t k = 0; k < n; k++)
        root(k, n, sign, &re[k], &im[k]);
    for (int64_t k = 0; k < n; k++) {
        real a = 0, b = 0;
        for (int64_t j = 0; j < m && j < n; j++) {
            const double *p = x + 2 * j * step;
            real c = re[j * k % n], d = im[j * k % n];
            a += (real)p[0] * c - (real)p[1] * d;
            b += (real)p[0] * d + (real)p[1] * c;
        }
        y[2 * k] = (double)(a * (real)scale);
        y[2 * k + 1] = (double)(b * (real)scale);
    }
    free(re);
    free(im);
}

/* n points of a Hermitian sequence from its first n / 2 + 1, of which x has m. */
static double *hermitian(const double *x, int64_t step, int64_t m, int64_t n)
{
    double *full = calloc((size_t)n, 16);
    for (int64_t k = 0; k <= n / 2 && k < m; k++) {
        bool own = k == 0 || 2 * k == n;
        full[2 * k] = x[2 * k * step];
        full[2 * k + 1] = own ? 0 : x[2 * k * step + 1];
        if (!own) {
            full[2 * (n - k)] = full[2 * k];
            full[2 * (n - k) + 1] = -full[2 * k + 1];
        }
    }
    return full;
}

enum { FFT, IFFT, RFFT, IRFFT, HFFT, IHFFT, KINDS };
static const char *const kind_names[] = { "fft", "ifft", "rfft", "irfft", "hfft", "ihfft" };
typedef garray_status call(const garray_t *, int, const garray_fft_opts *, garray_t **);
static call *const calls[] = { garray_fft_fft,   garray_fft_ifft, garray_fft_rfft,
                               garray_fft_irfft, garray_fft_hfft, garray_fft_ihfft };

static bool takes_real(int kind)
{
    return kind == RFFT || kind == IHFFT;
}

static bool gives_real(int kind)
{
    return kind == IRFFT || kind == HFFT;
}

static bool is_inverse(int kind)
{
    return kind == IFFT || kind == IRFFT || kind == IHFFT;
}

static double scale_of(int kind, int norm, int64_t n)
{
    if (norm == GARRAY_FFT_ORTHO)
        return 1 / sqrt((double)n);
    return is_inverse(kind) == (norm != GARRAY_FFT_FORWARD) ? 1 / (double)n : 1;
}

/* The expected points of one line: count of them, complex. */
static int64_t expected_line(int kind, int norm, const double *x, int64_t step, int64_t m, int64_t n, double *y)
{
    int sign = is_inverse(kind) ? 1 : -1;
    double scale = scale_of(kind, norm, n);
    if (!gives_real(kind)) {
        slow(x, step, m, n, sign, scale, y);
        return takes_real(kind) ? n / 2 + 1 : n;
    }
    double *full = hermitian(x, step, m, n);
    slow(full, 1, n, n, sign, scale, y);
    for (int64_t k = 0; k < n; k++)
        y[2 * k + 1] = 0;
    free(full);
    return n;
}

/* Of count complex numbers `step` apart; relative to the norm of the expected ones. */
static double distance(const double *got, int64_t step, const double *expected, int64_t count)
{
    double error = 0, size = 0;
    for (int64_t k = 0; k < count; k++)
        for (int part = 0; part < 2; part++) {
            double d = got[2 * k * step + part] - expected[2 * k + part];
            error += d * d;
            size += expected[2 * k + part] * expected[2 * k + part];
        }
    return error == 0 ? 0 : sqrt(error) / sqrt(size);
}

/* One transform along the middle of (outer, m, inner), all lines. n = 0: not given. */
static void check(int kind, int dtype, int64_t outer, int64_t m, int64_t inner, int64_t n, int norm, int layout)
{
    test_context("%s of %s (%d, %d, %d), n %d, norm %d, %s", kind_names[kind], garray_dtype_name((garray_dtype)dtype),
                 (int)outer, (int)m, (int)inner, (int)n, norm, test_layout_name(layout));
    garray_t *x = test_array(dtype, layout, GARRAY_SHAPE(outer, m, inner), NULL), *y = NULL;
    garray_fft_opts opts = { .norm = (garray_fft_norm)norm };
    if (n)
        opts.n = garray_operand_int(n);
    else
        n = gives_real(kind) ? 2 * (m - 1) : m;
    double *in = values_of(x), *line = malloc((size_t)(n + 1) * 16);
    if (TEST_OK(calls[kind](x, 1, &opts, &y))) {
        double *out = values_of(y), worst = 0;
        int64_t count = takes_real(kind) ? n / 2 + 1 : n;
        int wanted = gives_real(kind) ? GARRAY_FLOAT64 : GARRAY_COMPLEX128;
        if (dtype == GARRAY_FLOAT16 || dtype == GARRAY_BFLOAT16 || dtype == GARRAY_FLOAT32 || dtype == GARRAY_COMPLEX64)
            wanted = !gives_real(kind) ? GARRAY_COMPLEX64 : garray_dtype_size((garray_dtype)dtype) == 2 ? dtype : GARRAY_FLOAT32;
        TEST_EXPECT((int)garray_dtype_of(y) == wanted, "the result is %s", garray_dtype_name(garray_dtype_of(y)));
        if (TEST_EXPECT(garray_size(y) == outer * count * inner, "%d elements", (int)garray_size(y)))
            for (int64_t o = 0; o < outer; o++)
                for (int64_t i = 0; i < inner; i++) {
                    expected_line(kind, norm, in + 2 * (o * m * inner + i), inner, m, n, line);
                    worst = fmax(worst, distance(out + 2 * (o * count * inner + i), inner, line, count));
                }
        const double rounded = wanted == GARRAY_FLOAT16 ? 0x1p-11 : wanted == GARRAY_BFLOAT16 ? 0x1p-8 : 0;
        double bound = 3 * unit_of(wanted) * (2 + log2((double)n)) + rounded;
        TEST_EXPECT(worst <= bound, "relative error %.3g, more than %.3g", worst, bound);
        free(out);
    }
    free(in);
    free(line);
    garray_release(x);
    garray_release(y);
}

static const int four[] = { GARRAY_FLOAT32, GARRAY_FLOAT64, GARRAY_COMPLEX64, GARRAY_COMPLEX128 };

/* What a kind is given: real or complex, in single or double precision. */
static int input_of(int kind, bool is_double)
{
    return four[(takes_real(kind) ? 0 : 2) + is_double];
}

Test(fft, every_length)
{
    for (int kind = 0; kind < KINDS; kind++)
        for (int is_double = 0; is_double < 2; is_double++)
            for (int64_t n = 1; n <= 200; n += n < 40 ? 1 : test_on_gpu() ? 9 : 1) {
                int64_t m = gives_real(kind) ? n / 2 + 1 : n;
                check(kind, input_of(kind, is_double), n % 3 + 1, m, n % 5 == 0 ? 3 : 1, n, 0, TEST_CONTIGUOUS);
            }
}

/* Many lines, as rows and as columns; and lengths of each way that a line can go. */
Test(fft, many_lines)
{
    static const int64_t lengths[] = { 2, 3, 7, 8, 16, 30, 45, 64, 97, 128, 143, 210, 256, 338, 509, 512, 1000, 1024, 1287 };
    for (int kind = 0; kind < KINDS; kind++)
        for (int is_double = 0; is_double < 2; is_double++)
            for (int i = 0; i < (int)(sizeof lengths / sizeof *lengths); i++) {
                int64_t n = lengths[i], m = gives_real(kind) ? n / 2 + 1 : n, lines = n > 200 ? 3 : 37;
                check(kind, input_of(kind, is_double), lines, m, 1, n, 0, TEST_CONTIGUOUS);
                check(kind, input_of(kind, is_double), 1, m, lines, n, 0, TEST_CONTIGUOUS);
                check(kind, input_of(kind, is_double), 2, m, n > 200 ? 2 : 17, n, 0, TEST_CONTIGUOUS);
            }
}

Test(fft, dtypes_and_layouts)
{
    for (int kind = 0; kind < KINDS; kind++)
        for (TEST_DTYPES(d))
            if (d < GARRAY_COMPLEX64 || !takes_real(kind))
                for (int layout = 0; layout < TEST_LAYOUTS; layout++)
                    check(kind, d, 3, 11, 4, layout % 2 ? 12 : 0, 0, layout);
}

Test(fft, norms_and_lengths)
{
    for (int kind = 0; kind < KINDS; kind++)
        for (int norm = 0; norm <= GARRAY_FFT_FORWARD; norm++)
            for (int64_t n = 0; n < 40; n += n < 4 ? 1 : 5)
                check(kind, input_of(kind, norm % 2), 2, 17, n % 3 + 1, n, norm, TEST_CONTIGUOUS);
}

/* ---- long lines ---- */

/* The transform of a few impulses is a sum of as many roots of unity. */
static void check_impulses(int kind, int dtype, int64_t n)
{
    enum { IMPULSES = 3 };
    const int64_t at[IMPULSES] = { 1, n / 3, n - 1 };
    int64_t m = gives_real(kind) ? n / 2 + 1 : n;
    bool pair = dtype >= GARRAY_COMPLEX64;
    double *v = calloc((size_t)m, pair ? 16 : 8), error = 0, size = 0;
    garray_t *x, *y = NULL;
    test_context("%s of %d impulses, %s, length %d", kind_names[kind], IMPULSES, garray_dtype_name((garray_dtype)dtype), (int)n);
    for (int i = 0; i < IMPULSES; i++)
        if (at[i] < m)
            v[at[i] * (pair ? 2 : 1)] = i + 1;
    x = from_values(v, dtype, GARRAY_SHAPE(m));
    garray_fft_opts opts = { .n = garray_operand_int(n), .norm = is_inverse(kind) ? GARRAY_FFT_FORWARD : GARRAY_FFT_BACKWARD };
    if (TEST_OK(calls[kind](x, 0, &opts, &y))) {
        double *out = values_of(y);
        for (int64_t k = 0; k < garray_size(y); k += 1 + n / 5000) {
            real a = 0, b = 0;
            for (int i = 0; i < IMPULSES; i++)
                for (int mirror = 0; mirror <= gives_real(kind); mirror++) {
                    if (at[i] >= m || (mirror && 2 * at[i] == n))
                        continue;
                    real c, d;
                    root((mirror ? n - at[i] : at[i]) * k, n, is_inverse(kind) ? 1 : -1, &c, &d);
                    a += (i + 1) * c;
                    b += (i + 1) * d;
                }
            if (gives_real(kind))
                b = 0;
            real p = (real)out[2 * k] - a, q = (real)out[2 * k + 1] - b;
            error += (double)(p * p + q * q);
            size += (double)(a * a + b * b);
        }
        double bound = 3 * unit_of(dtype) * (2 + log2((double)n));
        TEST_EXPECT(sqrt(error / size) <= bound, "relative error %.3g, more than %.3g", sqrt(error / size), bound);
        free(out);
    }
    free(v);
    garray_release(x);
    garray_release(y);
}

Test(fft, long_lines)
{
    static const int64_t lengths[] = { 2048, 4096, 4099, 5000, 8191, 10007, 16384, 30030, 65536, 65537, 100000, 131074, 177147,
                                       262144, 390625, 510510, 524288, 1000003, 1048576, 1048574 };
    for (int i = 0; i < (int)(sizeof lengths / sizeof *lengths); i++)
        for (int kind = 0; kind < KINDS; kind++)
            for (int is_double = 0; is_double < 2; is_double++)
                check_impulses(kind, input_of(kind, is_double), lengths[i]);
}

/* There and back, where the lines are columns. */
Test(fft, long_columns)
{
    static const int64_t lengths[] = { 2310, 4096, 2053, 20000, 32768, 40009 };
    for (int i = 0; i < (int)(sizeof lengths / sizeof *lengths); i++)
        for (int is_double = 0; is_double < 2; is_double++)
            for (int half = 0; half < 2; half++) {
                int64_t n = lengths[i], shape[] = { 2, n, 5 };
                int dtype = four[(half ? 0 : 2) + is_double];
                garray_t *x = test_array(dtype, TEST_CONTIGUOUS, GARRAY_DIMS(3, shape), NULL);
                garray_t *y = NULL, *z = NULL, *column = NULL;
                test_context("%s columns of %d", garray_dtype_name((garray_dtype)dtype), (int)n);
                TEST_OK((half ? garray_fft_rfft : garray_fft_fft)(x, 1, NULL, &y));
                garray_fft_opts opts = { .n = garray_operand_int(n) };
                TEST_OK((half ? garray_fft_irfft : garray_fft_ifft)(y, 1, &opts, &z));
                double *a = values_of(x), *b = values_of(z);
                double error = distance(b, 1, a, garray_size(x)), bound = 6 * unit_of(dtype) * (2 + log2((double)n));
                TEST_EXPECT(error <= bound, "relative error %.3g, more than %.3g", error, bound);
                free(a);
                free(b);
                /* a column by itself gives the same, but for roundings */
                TEST_OK(garray_getitem(x, GARRAY_AT(1, GARRAY_ALL, 3), &column));
                TEST_OK((half ? garray_fft_rfft : garray_fft_fft)(column, 0, NULL, &z));
                TEST_OK(garray_getitem(y, GARRAY_AT(1, GARRAY_ALL, 3), &column));
                a = values_of(column);
                b = values_of(z);
                error = distance(b, 1, a, garray_size(z));
                TEST_EXPECT(error <= bound, "relative error %.3g of one column, more than %.3g", error, bound);
                free(a);
                free(b);
                garray_release(x);
                garray_release(y);
                garray_release(z);
                garray_release(column);
            }
}

/* ---- exact ones ---- */

Test(fft, exact)
{
    for (int is_double = 0; is_double < 2; is_double++)
        for (int64_t n = 1; n <= 4096; n *= 2) {
            garray_t *x = NULL, *y = NULL;
            test_context("%s, length %d", is_double ? "double" : "single", (int)n);
            double *v = calloc((size_t)n, 16), *out;
            v[0] = 3;           /* an impulse */
            x = from_values(v, is_double ? GARRAY_COMPLEX128 : GARRAY_COMPLEX64, GARRAY_SHAPE(n));
            TEST_OK(garray_fft_fft(x, -1, NULL, &y));
            out = values_of(y);
            for (int64_t k = 0; k < n; k++)
                TEST_EXPECT(out[2 * k] == 3 && out[2 * k + 1] == 0, "item %d is %g, %g", (int)k, out[2 * k], out[2 * k + 1]);
            free(out);
            TEST_OK(garray_fft_ifft(y, -1, NULL, &y));     /* a constant */
            out = values_of(y);
            for (int64_t k = 0; k < n; k++)
                TEST_EXPECT(out[2 * k] == v[2 * k] && out[2 * k + 1] == 0, "item %d is %g, %g", (int)k, out[2 * k],
                            out[2 * k + 1]);
            free(out);
            free(v);
            garray_release(x);
            garray_release(y);
        }
}

/* The imaginary parts of item 0 and of item n / 2 count as 0, and the input stays as it is. */
Test(fft, hermitian_input)
{
    for (int is_double = 0; is_double < 2; is_double++)
        for (int64_t n = 1; n < 1100; n += n < 30 ? 1 : 333)
            for (int64_t inner = 1; inner < 4; inner += 2) {
                int64_t m = n / 2 + 1, count = 3 * m * inner;
                int dtype = is_double ? GARRAY_COMPLEX128 : GARRAY_COMPLEX64;
                double *v = noise(2 * count, (uint64_t)n);
                garray_fft_opts opts = { .n = garray_operand_int(n) };
                test_context("length %d, %d columns", (int)n, (int)inner);
                garray_t *x = from_values(v, dtype, GARRAY_SHAPE(3, m, inner)), *y = NULL, *z = NULL;
                double *before = values_of(x);
                TEST_OK(garray_fft_irfft(x, 1, &opts, &y));
                double *after = values_of(x);
                TEST_EXPECT(memcmp(before, after, (size_t)count * 16) == 0, "the input has changed");
                for (int64_t i = 0; i < count; i++) {
                    int64_t k = i / inner % m;
                    if (k == 0 || 2 * k == n)
                        v[2 * i + 1] = 0;
                }
                garray_release(x);
                x = from_values(v, dtype, GARRAY_SHAPE(3, m, inner));
                TEST_OK(garray_fft_irfft(x, 1, &opts, &z));
                double *a = values_of(y), *b = values_of(z);
                TEST_EXPECT(memcmp(a, b, (size_t)garray_size(y) * 16) == 0, "imaginary parts count");
                free(v);
                free(before);
                free(after);
                free(a);
                free(b);
                garray_release(x);
                garray_release(y);
                garray_release(z);
            }
}

/* ---- several axes ---- */

static bool close_to(const garray_t *got, const garray_t *expected)
{
    double *a = values_of(got), *b = values_of(expected), error = INFINITY;
    if (garray_size(got) == garray_size(expected))
        error = distance(a, 1, b, garray_size(got));
    free(a);
    free(b);
    return error <= 1e-14 && garray_dtype_of(got) == garray_dtype_of(expected);
}

Test(fft, several_axes)
{
    garray_t *x = test_array(GARRAY_FLOAT64, TEST_TRANSPOSED, GARRAY_SHAPE(4, 6, 5), NULL), *y = NULL, *z = NULL;
    garray_shape own = { 0, NULL };
    TEST_OK(garray_fft_fftn(x, own, GARRAY_ALL_AXES, NULL, &y));
    TEST_OK(garray_fft_fft(x, 2, NULL, &z));
    TEST_OK(garray_fft_fft(z, 1, NULL, &z));
    TEST_OK(garray_fft_fft(z, 0, NULL, &z));
    TEST_EXPECT(close_to(y, z), "fftn is not fft three times");
    TEST_OK(garray_fft_ifftn(y, own, GARRAY_ALL_AXES, NULL, &y));
    TEST_OK(garray_astype(x, GARRAY_COMPLEX128, &z));
    TEST_EXPECT(close_to(y, z), "ifftn does not undo fftn");
    /* lengths, own ones among them, and an axis twice */
    TEST_OK(garray_fft_fftn(x, GARRAY_SHAPE(8, -1, 3), GARRAY_AXES(1, 0, 1), NULL, &y));
    TEST_OK(garray_fft_fft(x, 1, GARRAY_KW(fft, .n = GARRAY_VAL(3)), &z));
    TEST_OK(garray_fft_fft(z, 0, NULL, &z));
    TEST_OK(garray_fft_fft(z, 1, GARRAY_KW(fft, .n = GARRAY_VAL(8)), &z));
    TEST_EXPECT(close_to(y, z), "fftn with lengths");
    TEST_OK(garray_fft_fftn(x, GARRAY_SHAPE(3, 7), GARRAY_ALL_AXES, NULL, &y));
    TEST_OK(garray_fft_fft2(x, GARRAY_SHAPE(3, 7), GARRAY_ALL_AXES, NULL, &z));
    TEST_EXPECT(close_to(y, z), "the last axes are those of s");
    /* real ones */
    TEST_OK(garray_fft_rfftn(x, own, GARRAY_AXES(0, 2, 1), NULL, &y));
    TEST_OK(garray_fft_rfft(x, 1, NULL, &z));
    TEST_OK(garray_fft_fft(z, 2, NULL, &z));
    TEST_OK(garray_fft_fft(z, 0, NULL, &z));
    TEST_EXPECT(close_to(y, z), "rfftn");
    TEST_OK(garray_fft_irfftn(y, own, GARRAY_AXES(0, 2, 1), NULL, &y));
    TEST_EXPECT(close_to(y, x), "irfftn does not undo rfftn");
    TEST_OK(garray_fft_rfft2(x, own, GARRAY_ALL_AXES, GARRAY_KW(fft, .norm = GARRAY_FFT_ORTHO), &y));
    TEST_OK(garray_fft_irfft2(y, GARRAY_SHAPE(6, 5), GARRAY_ALL_AXES, GARRAY_KW(fft, .norm = GARRAY_FFT_ORTHO), &y));
    TEST_EXPECT(close_to(y, x), "irfft2 does not undo rfft2");
    TEST_OK(garray_fft_ifft2(x, own, GARRAY_AXES(0, 1), NULL, &y));
    TEST_OK(garray_fft_ifft(x, 1, NULL, &z));
    TEST_OK(garray_fft_ifft(z, 0, NULL, &z));
    TEST_EXPECT(close_to(y, z), "ifft2");
    /* no axes: the elements themselves */
    const int32_t none = 0;
    TEST_OK(garray_fft_fftn(x, own, (garray_axes){ 0, &none }, NULL, &y));
    TEST_OK(garray_astype(x, GARRAY_COMPLEX128, &z));
    TEST_EXPECT(close_to(y, z), "no axes");
    garray_release(x);
    garray_release(y);
    garray_release(z);
}

/* ---- arrays without elements ---- */

static const struct hollow {
    int ndim;
    int64_t shape[3];
} hollow[] = { { 1, { 0 } },       { 2, { 0, 23 } },   { 2, { 23, 0 } },   { 2, { 0, 0 } },    { 2, { 1, 0 } },
               { 3, { 1, 0, 3 } }, { 3, { 0, 1, 5 } }, { 3, { 4, 3, 0 } }, { 3, { 0, 6, 0 } } };

/* y has this shape and dtype and nothing but zeros. */
static void check_zeros(const garray_t *y, int ndim, const int64_t *shape, int dtype, const char *what, const struct hollow *h)
{
    double *v = values_of(y), sum = 0;
    bool same = garray_ndim(y) == ndim && (int)garray_dtype_of(y) == dtype;
    for (int i = 0; i < ndim && same; i++)
        same = garray_shape_of(y).v[i] == shape[i];
    for (int64_t i = 0; i < 2 * garray_size(y); i++)
        sum += fabs(v[i]);
    TEST_EXPECT(same && sum == 0, "%s of (%d, %d, %d): %s", what, (int)h->shape[0], h->ndim > 1 ? (int)h->shape[1] : -1,
                h->ndim > 2 ? (int)h->shape[2] : -1, same ? "not zeros" : "shape or dtype");
    free(v);
}

static int hollow_result(int kind, int dtype)
{
    const bool is_double = dtype == GARRAY_FLOAT64 || dtype == GARRAY_COMPLEX128;
    if (gives_real(kind))
        return dtype == GARRAY_BFLOAT16 ? dtype : is_double ? GARRAY_FLOAT64 : GARRAY_FLOAT32;
    return is_double ? GARRAY_COMPLEX128 : GARRAY_COMPLEX64;
}

static const int hollow_dtypes[] = { GARRAY_BFLOAT16, GARRAY_FLOAT32, GARRAY_FLOAT64, GARRAY_COMPLEX64, GARRAY_COMPLEX128 };

/* One axis, of its own length or another. */
static void hollow_axis(const garray_t *x, const struct hollow *h, int dtype, int kind, int axis, int64_t n)
{
    int64_t shape[3] = { h->shape[0], h->shape[1], h->shape[2] };
    const int64_t own = gives_real(kind) ? 2 * (shape[axis] - 1) : shape[axis], length = n < 0 ? own : n;
    const garray_fft_opts opts = { .n = n < 0 ? (garray_operand){ 0 } : garray_operand_int(n) };
    garray_t *y = NULL;
    if (length < 1) {
        TEST_STATUS(ERR_INVALID, calls[kind](x, axis, &opts, &y));
    } else if (TEST_OK(calls[kind](x, axis, &opts, &y))) {
        shape[axis] = takes_real(kind) ? length / 2 + 1 : length;
        check_zeros(y, h->ndim, shape, hollow_result(kind, dtype), kind_names[kind], h);
    }
    garray_release(y);
}

typedef garray_status axes_call(const garray_t *, garray_shape, garray_axes, const garray_fft_opts *, garray_t **);
static const struct {
    const char *name;
    axes_call *call;
    int kind;
    bool two;
} axes_calls[] = { { "fftn", garray_fft_fftn, FFT, false },   { "ifftn", garray_fft_ifftn, IFFT, false },
                   { "rfftn", garray_fft_rfftn, RFFT, false }, { "irfftn", garray_fft_irfftn, IRFFT, false },
                   { "fft2", garray_fft_fft2, FFT, true },     { "ifft2", garray_fft_ifft2, IFFT, true },
                   { "rfft2", garray_fft_rfft2, RFFT, true },  { "irfft2", garray_fft_irfft2, IRFFT, true } };

/* n of the last axes, in order or turned round, with lengths of which `mask` are given. */
static void hollow_axes(const garray_t *x, const struct hollow *h, int dtype, int which, int n, bool turned, int mask)
{
    static const int64_t lengths[3] = { 10, 14, 3 };
    const int kind = axes_calls[which].kind;
    int64_t shape[3] = { h->shape[0], h->shape[1], h->shape[2] }, s[3];
    int32_t axes[3];
    bool fits = true;
    garray_t *y = NULL;
    for (int i = 0; i < n; i++) {
        axes[i] = (int32_t)(h->ndim - n + (turned ? n - 1 - i : i));
        s[i] = mask >> i & 1 ? lengths[i] : -1;
        int64_t length = s[i] > 0 ? s[i] : shape[axes[i]];
        if (!mask && kind == IRFFT && i == n - 1)
            length = 2 * (shape[axes[i]] - 1);
        fits = fits && length >= 1;
        shape[axes[i]] = kind == RFFT && i == n - 1 ? length / 2 + 1 : length;
    }
    const garray_shape given = { mask ? n : 0, mask ? s : NULL };
    const garray_axes along = { n, axes };
    if (!fits) {
        TEST_STATUS(ERR_INVALID, axes_calls[which].call(x, given, along, NULL, &y));
    } else if (TEST_OK(axes_calls[which].call(x, given, along, NULL, &y))) {
        const int of = dtype == GARRAY_BFLOAT16 && kind == IRFFT ? GARRAY_FLOAT32 : dtype;
        check_zeros(y, h->ndim, shape, hollow_result(kind, of), axes_calls[which].name, h);
    }
    garray_release(y);
}

static void hollow_array(const struct hollow *h, int dtype)
{
    garray_t *x = NULL;
    TEST_OK(garray_zeros(GARRAY_DIMS(h->ndim, h->shape), (garray_dtype)dtype, test_device(), &x));
    const bool is_complex = dtype >= GARRAY_COMPLEX64;
    for (int kind = 0; kind < KINDS; kind++)
        for (int axis = 0; axis < h->ndim && !(is_complex && takes_real(kind)); axis++)
            for (int64_t n = -1; n <= 23; n += n < 5 ? 1 : 18)
                if (n != 0)
                    hollow_axis(x, h, dtype, kind, axis, n);
    for (int which = 0; which < (int)(sizeof axes_calls / sizeof *axes_calls); which++)
        for (int n = axes_calls[which].two ? 2 : 1; n <= (axes_calls[which].two ? 2 : 3) && n <= h->ndim; n++)
            for (int mask = 0; mask < 1 << n && !(is_complex && takes_real(axes_calls[which].kind)); mask++)
                for (int turned = 0; turned < 2; turned++)
                    hollow_axes(x, h, dtype, which, n, turned, mask);
    garray_release(x);
}

Test(fft, without_elements)
{
    for (size_t i = 0; i < sizeof hollow / sizeof *hollow; i++)
        for (size_t d = 0; d < sizeof hollow_dtypes / sizeof *hollow_dtypes; d++)
            hollow_array(&hollow[i], hollow_dtypes[d]);
}

/* ---- results and errors ---- */

Test(fft, results)
{
    test_mark mark = test_memory();
    double *v = noise(16, 3);
    garray_t *x = from_values(v, GARRAY_COMPLEX64, GARRAY_SHAPE(2, 4)), *y = NULL, *big = NULL, *part = NULL;
    TEST_OK(garray_fft_fft(x, -1, NULL, &y));
    TEST_OK(garray_zeros(GARRAY_SHAPE(4, 9), GARRAY_COMPLEX128, test_device(), &big));
    TEST_OK(garray_getitem(big, GARRAY_AT(GARRAY_EVERY(2), GARRAY_STEP(8, 0, -2)), &part));
    TEST_OK(garray_fft_fft(x, -1, NULL, garray_into(part)));
    double *a = values_of(y), *b = values_of(part), *c = values_of(big);
    TEST_EXPECT(memcmp(a, b, 128) == 0, "into a view");
    TEST_EXPECT(c[2] == 0 && c[2 * 9 * 1] == 0, "beside the view");
    TEST_OK(garray_fft_fft(x, -1, NULL, &x));
    free(b);
    b = values_of(x);
    TEST_EXPECT(memcmp(a, b, 128) == 0, "over the operand");
    TEST_STATUS(ERR_SHAPE, garray_fft_fft(x, -1, GARRAY_KW(fft, .n = GARRAY_VAL(5)), garray_into(part)));
    /* real sides that begin between two complex items */
    for (int is_double = 0; is_double < 2; is_double++) {
        int dtype = is_double ? GARRAY_FLOAT64 : GARRAY_FLOAT32;
        garray_t *line = test_array(dtype, TEST_CONTIGUOUS, GARRAY_SHAPE(13), NULL), *odd = NULL, *half = NULL, *back = NULL;
        test_context("%s", is_double ? "double" : "single");
        TEST_OK(garray_getitem(line, GARRAY_AT(GARRAY_RANGE(1, 11)), &odd));
        TEST_OK(garray_fft_rfft(odd, 0, NULL, &half));
        TEST_OK(garray_copy(odd, &back));
        TEST_OK(garray_multiply(odd, 0, garray_into(odd)));
        TEST_OK(garray_fft_irfft(half, 0, NULL, garray_into(odd)));
        double *p = values_of(odd), *q = values_of(back);
        TEST_EXPECT(distance(p, 1, q, 10) <= 20 * unit_of(dtype), "not the same again");
        free(p);
        free(q);
        garray_release(line);
        garray_release(odd);
        garray_release(half);
        garray_release(back);
    }
    free(v);
    free(a);
    free(b);
    free(c);
    garray_release(x);
    garray_release(y);
    garray_release(big);
    garray_release(part);
    /* empty ones */
    garray_t *none = NULL;
    TEST_OK(garray_zeros(GARRAY_SHAPE(0, 4), GARRAY_FLOAT32, test_device(), &none));
    y = NULL;
    TEST_OK(garray_fft_rfft(none, 1, NULL, &y));
    TEST_EXPECT(garray_size(y) == 0 && garray_shape_of(y).v[1] == 3, "the shape of nothing");
    TEST_OK(garray_fft_fft(none, 0, GARRAY_KW(fft, .n = GARRAY_VAL(2)), &y));
    TEST_EXPECT(garray_size(y) == 8, "zeros from nothing");
    TEST_STATUS(ERR_INVALID, garray_fft_fft(none, 0, NULL, &y));
    TEST_MESSAGE("garray_fft_fft", "Invalid number of FFT data points (0) specified.");
    garray_release(none);
    garray_release(y);
    TEST_NO_LEAK(mark);
}

Test(fft, refused)
{
    double *v = noise(16, 3);
    garray_t *x = from_values(v, GARRAY_COMPLEX64, GARRAY_SHAPE(2, 4)), *r = from_values(v, GARRAY_FLOAT32, GARRAY_SHAPE(4)),
             *zero = from_values(v, GARRAY_FLOAT32, GARRAY_0D), *y = NULL;
    garray_shape own = { 0, NULL };
    garray_fft_opts bad = { .reserved = { 0, 0, 1 } };
    TEST_STATUS(ERR_INVALID, garray_fft_fft(NULL, -1, NULL, &y));
    TEST_STATUS(ERR_INVALID, garray_fft_fft(x, -1, NULL, NULL));
    TEST_STATUS(ERR_INVALID, garray_fft_fft(x, -1, &bad, &y));
    TEST_STATUS(ERR_AXIS, garray_fft_fft(x, 2, NULL, &y));
    TEST_STATUS(ERR_AXIS, garray_fft_fft(zero, -1, NULL, &y));
    TEST_STATUS(ERR_DTYPE, garray_fft_rfft(x, -1, NULL, &y));
    TEST_MESSAGE("garray_fft_rfft", "complex64", "real");
    TEST_STATUS(ERR_DTYPE, garray_fft_ihfft(x, -1, NULL, &y));
    TEST_STATUS(ERR_DTYPE, garray_fft_rfftn(x, own, GARRAY_ALL_AXES, NULL, &y));
    TEST_STATUS(ERR_INVALID, garray_fft_fft(x, -1, GARRAY_KW(fft, .n = GARRAY_VAL(0)), &y));
    TEST_STATUS(ERR_INVALID, garray_fft_fft(x, -1, GARRAY_KW(fft, .n = GARRAY_VAL(-4)), &y));
    TEST_STATUS(ERR_INVALID, garray_fft_fft(x, -1, GARRAY_KW(fft, .n = GARRAY_VAL(2.5)), &y));
    TEST_STATUS(ERR_INVALID, garray_fft_fft(x, -1, GARRAY_KW(fft, .norm = (garray_fft_norm)4), &y));
    TEST_STATUS(ERR_INVALID, garray_fft_irfft(r, -1, GARRAY_KW(fft, .n = GARRAY_VAL(0)), &y));
    TEST_STATUS(ERR_SHAPE, garray_fft_fftn(x, GARRAY_SHAPE(2), GARRAY_AXES(0, 1), NULL, &y));
    TEST_MESSAGE("garray_fft_fftn", "different lengths");
    TEST_STATUS(ERR_INVALID, garray_fft_fftn(x, GARRAY_SHAPE(2, 0), GARRAY_AXES(0, 1), NULL, &y));
    TEST_STATUS(ERR_AXIS, garray_fft_fft2(r, own, GARRAY_ALL_AXES, NULL, &y));
    TEST_STATUS(ERR_AXIS, garray_fft_rfftn(zero, own, GARRAY_ALL_AXES, NULL, &y));
    TEST_STATUS(ERR_INVALID, garray_fft_fftn(x, own, GARRAY_ALL_AXES, GARRAY_KW(fft, .n = GARRAY_VAL(4)), &y));
    TEST_STATUS(ERR_INVALID, garray_fft_fftfreq(0, 1, GARRAY_DTYPE_DEFAULT, test_device(), &y));
    TEST_STATUS(ERR_INVALID, garray_fft_fftfreq(4, 0, GARRAY_DTYPE_DEFAULT, test_device(), &y));
    TEST_STATUS(ERR_DTYPE, garray_fft_rfftfreq(4, 1, GARRAY_INT32, test_device(), &y));
    TEST_STATUS(ERR_AXIS, garray_fft_fftshift(x, GARRAY_AXES(2), &y));
    TEST_EXPECT(y == NULL, "a failed call has a result");
    free(v);
    garray_release(x);
    garray_release(r);
    garray_release(zero);
}

/* ---- frequencies ---- */

Test(fft, frequencies)
{
    garray_t *f = NULL, *x = NULL, *y = NULL;
    TEST_OK(garray_fft_fftfreq(5, 0.5, GARRAY_DTYPE_DEFAULT, test_device(), &f));
    TEST_EQUAL(f, ((const double[]){ 0 / 2.5, 1 / 2.5, 2 / 2.5, -2 / 2.5, -1 / 2.5 }), 0);
    TEST_OK(garray_fft_fftfreq(4, 1, GARRAY_FLOAT32, test_device(), &f));
    TEST_EQUAL(f, ((const float[]){ 0, 0.25f, -0.5f, -0.25f }), 0);
    TEST_OK(garray_fft_rfftfreq(4, 1, GARRAY_COMPLEX64, test_device(), &f));
    TEST_EQUAL(f, ((const float[]){ 0, 0, 0.25f, 0, 0.5f, 0 }), 0);
    TEST_OK(garray_fft_rfftfreq(1, 2, GARRAY_DTYPE_DEFAULT, test_device(), &f));
    TEST_EQUAL(f, ((const double[]){ 0 }), 0);
    TEST_OK(garray_arange(0, 6, 1, GARRAY_INT16, test_device(), &x));
    TEST_OK(garray_reshape(x, GARRAY_SHAPE(2, 3), &x));
    TEST_OK(garray_fft_fftshift(x, GARRAY_ALL_AXES, &y));
    TEST_EQUAL(y, ((const int16_t[]){ 5, 3, 4, 2, 0, 1 }), 0);
    TEST_OK(garray_fft_ifftshift(y, GARRAY_ALL_AXES, &y));
    TEST_EQUAL(y, ((const int16_t[]){ 0, 1, 2, 3, 4, 5 }), 0);
    TEST_OK(garray_fft_fftshift(x, GARRAY_AXES(-1), &y));
    TEST_EQUAL(y, ((const int16_t[]){ 2, 0, 1, 5, 3, 4 }), 0);
    TEST_OK(garray_fft_ifftshift(x, GARRAY_AXES(1), &y));
    TEST_EQUAL(y, ((const int16_t[]){ 1, 2, 0, 4, 5, 3 }), 0);
    garray_release(f);
    garray_release(x);
    garray_release(y);
}
