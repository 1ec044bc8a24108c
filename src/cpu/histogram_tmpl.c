/* SPDX-License-Identifier: BSD-3-Clause
 * Bins by arithmetic, a vector at a time: a guess is kept where it is further from a whole number than rounding and the
 * place of the edges can reach. */
#include "cpu/histogram.h"

static int32_t guess_float(const garray__bins *b, const float *v, int32_t n, int32_t *bin)
{
    const float first = b->first_f, low = b->low_f, high = b->high_f, scale = b->scale_f, slack = b->slack_f;
    const float top = (float)b->bins, far = 1 - slack;
    const int32_t none = (int32_t)b->bins;
    int32_t unsure = 0;
#pragma omp simd reduction(+ : unsure)
    for (int32_t i = 0; i < n; i++) {
        float t = (v[i] - first) * scale;
        t = t > 0 ? t : 0;                              /* NaN too: in range of an int in any case */
        t = t < top ? t : top;
        const int32_t k = (int32_t)t;
        const float part = t - (float)k;
        const int inside = (v[i] >= low) & (v[i] <= high), sure = (part > slack) & (part < far);
        bin[i] = inside ? (sure ? k : GARRAY_CPU_UNSURE) : none;
        unsure += inside & !sure;
    }
    return unsure;
}

static int32_t guess_double(const garray__bins *b, const double *v, int32_t n, int32_t *bin)
{
    const double first = b->first, last = b->last, scale = b->scale, slack = b->slack;
    const double top = (double)b->bins, far = 1 - slack;
    const int32_t none = (int32_t)b->bins;
    int32_t unsure = 0;
#pragma omp simd reduction(+ : unsure)
    for (int32_t i = 0; i < n; i++) {
        double t = (v[i] - first) * scale;
        t = t > 0 ? t : 0;
        t = t < top ? t : top;
        const int32_t k = (int32_t)t;
        const double part = t - (double)k;
        const int inside = (v[i] >= first) & (v[i] <= last), sure = (part > slack) & (part < far);
        bin[i] = inside ? (sure ? k : GARRAY_CPU_UNSURE) : none;
        unsure += inside & !sure;
    }
    return unsure;
}

static void values(int64_t bins, const int64_t *v, int32_t n, int32_t *bin)
{
    for (int32_t i = 0; i < n; i++)
        bin[i] = (int32_t)((uint64_t)v[i] < (uint64_t)bins ? v[i] : bins);
}

static void extent(const int64_t *v, int32_t n, int64_t range[2])
{
    int64_t low = range[0], high = range[1];
    for (int32_t i = 0; i < n; i++) {
        low = v[i] < low ? v[i] : low;
        high = v[i] > high ? v[i] : high;
    }
    range[0] = low;
    range[1] = high;
}

const garray__histogram_kernels GARRAY_ISA_NAME(garray__cpu_histogram_kernels) = {
    .guess_float = guess_float,
    .guess_double = guess_double,
    .values = values,
    .extent = extent,
};
