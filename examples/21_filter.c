/* SPDX-License-Identifier: BSD-3-Clause
 * A signal cleaned by Fourier transforms: all frequencies above a limit are taken out, and with them a hum and most of the
 * noise. */
#include <garray/garray.h>
#include <math.h>

enum { N = 4096 };
static const double pi = 3.14159265358979323846, rate = 1024, limit = 20, sigma = 0.5;

/* amplitude * sin(2 pi frequency t) for N samples, rate a second */
static garray_status tone(double amplitude, double frequency, garray_device device, garray_t **out)
{
    GARRAY_AUTO garray_t *t = NULL;
    GARRAY_TRY(garray_arange(0, N, 1, GARRAY_FLOAT64, device, &t));
    GARRAY_TRY(garray_multiply(t, 2 * pi * frequency / rate, &t));
    GARRAY_TRY(garray_sin(t, &t));
    return garray_multiply(t, amplitude, out);
}

static garray_status low_pass(const garray_t *x, garray_t **out)
{
    GARRAY_AUTO garray_t *spectrum = NULL, *frequency = NULL, *keep = NULL;
    GARRAY_TRY(garray_fft_rfft(x, -1, NULL, &spectrum));
    GARRAY_TRY(garray_fft_rfftfreq(garray_len(x), 1 / rate, GARRAY_FLOAT64, garray_device_of(x), &frequency));
    GARRAY_TRY(garray_less_equal(frequency, limit, &keep));
    GARRAY_TRY(garray_multiply(spectrum, keep, &spectrum));
    return garray_fft_irfft(spectrum, -1, GARRAY_KW(fft, .n = GARRAY_VAL(garray_len(x))), out);
}

/* The root of the mean square of a - b. */
static garray_status distance(const garray_t *a, const garray_t *b, double *value)
{
    GARRAY_AUTO garray_t *d = NULL;
    GARRAY_TRY(garray_subtract(a, b, &d));
    GARRAY_TRY(garray_square(d, &d));
    GARRAY_TRY(garray_mean(d, GARRAY_ALL_AXES, NULL, &d));
    GARRAY_TRY(garray_sqrt(d, &d));
    return garray_item(d, value);
}

int main(int argc, char **argv)
{
    GARRAY_AUTO garray_t *signal = NULL, *other = NULL, *heard = NULL, *clean = NULL;
    garray_device device;
    garray_rng rng = GARRAY_RNG(3);
    double before, after;

    if (argc > 1 && !strcmp(argv[1], "--help"))
        return printf("usage: %s [cpu|cuda|cuda:1|auto]\nA low-pass filter by Fourier transforms.\n", argv[0]) < 0;
    GARRAY_CHECK(garray_device_parse(argc > 1 ? argv[1] : "cpu", &device));
    GARRAY_CHECK(tone(1, 5, device, &signal));
    GARRAY_CHECK(tone(0.5, 12, device, &other));
    GARRAY_CHECK(garray_add(signal, other, &signal));
    GARRAY_CHECK(tone(2, 50, device, &other)); /* the hum */
    GARRAY_CHECK(garray_add(signal, other, &heard));
    GARRAY_CHECK(garray_random_normal(&rng, 0, sigma, GARRAY_SHAPE(N), GARRAY_FLOAT64, device, &other));
    GARRAY_CHECK(garray_add(heard, other, &heard));

    GARRAY_CHECK(low_pass(heard, &clean));
    GARRAY_CHECK(distance(heard, signal, &before));
    GARRAY_CHECK(distance(clean, signal, &after));

    /* The hum goes wholly, of the noise there stays the part of its frequencies that is kept. */
    double expected = sigma * sqrt((2 * limit * N / rate + 1) / N);
    printf("away from the signal: %.3f before, %.3f after; expected %.3f\n", before, after, expected);
    return !(fabs(after / expected - 1) < 0.25 && before > 1.4);
}
