/* SPDX-License-Identifier: BSD-3-Clause
 * What surrounds cuFFT's transforms: factors, spectra made Hermitian, transposition, transforms of length 1. */
#include "cuda/fft.h"
#include "cuda/kernel.cuh"

namespace garray__cuda {

template <class T> struct pair_of;
template <> struct pair_of<float> { typedef float2 type; };
template <> struct pair_of<double> { typedef double2 type; };
template <class T> using pair = typename pair_of<T>::type;

constexpr int THREADS = 256, ITEMS = 4, TILE = 32;

/* Items of a block: ITEMS a thread, THREADS apart. */
static dim3 blocks_for(int64_t count)
{
    return grid_for(count, THREADS * ITEMS);
}

template <class T> __global__ void __launch_bounds__(THREADS) scale_items(pair<T> *data, int64_t count, T scale, T imaginary)
{
    const int64_t first = (int64_t)blockIdx.x * (THREADS * ITEMS) + threadIdx.x;
    pair<T> x[ITEMS];
#pragma unroll
    for (int i = 0; i < ITEMS; i++)
        if (first + i * THREADS < count)
            x[i] = data[first + i * THREADS];
#pragma unroll
    for (int i = 0; i < ITEMS; i++)
        if (first + i * THREADS < count) {
            x[i].x *= scale;
            x[i].y *= imaginary;
            data[first + i * THREADS] = x[i];
        }
}

/* INDEX: uint32_t where all numbers fit. */
template <class T, class INDEX>
__global__ void __launch_bounds__(THREADS) hermitian(const pair<T> *in, pair<T> *out, int64_t count, INDEX half, INDEX inner,
                                                     bool even, T scale, T imaginary)
{
    const int64_t first = (int64_t)blockIdx.x * (THREADS * ITEMS) + threadIdx.x;
    pair<T> x[ITEMS];
#pragma unroll
    for (int i = 0; i < ITEMS; i++)
        if (first + i * THREADS < count)
            x[i] = in[first + i * THREADS];
#pragma unroll
    for (int i = 0; i < ITEMS; i++)
        if (first + i * THREADS < count) {
            const INDEX at = (INDEX)(first + i * THREADS);
            const INDEX k = (inner == 1 ? at : at / inner) % half;
            x[i].x *= scale;
            x[i].y = k == 0 || (even && k == half - 1) ? (T)0 : x[i].y * imaginary;
            out[first + i * THREADS] = x[i];
        }
}

template <class T>
__global__ void __launch_bounds__(THREADS) transpose(const T *in, T *out, int64_t rows, int64_t columns, int64_t tiles_down,
                                                     int64_t tiles_across, int64_t tiles)
{
    __shared__ T tile[TILE][TILE + 1];
    const int x = threadIdx.x % TILE, y = threadIdx.x / TILE;
    for (int64_t at = blockIdx.x; at < tiles; at += gridDim.x) {
        const int64_t matrix = at / (tiles_down * tiles_across), place = at - matrix * tiles_down * tiles_across;
        const int64_t row = place / tiles_across * TILE, column = place % tiles_across * TILE;
        const T *from = in + matrix * rows * columns;
        T *to = out + matrix * rows * columns;
        for (int i = y; i < TILE; i += THREADS / TILE)
            if (row + i < rows && column + x < columns)
                tile[i][x] = from[(row + i) * columns + column + x];
        __syncthreads();
        for (int i = y; i < TILE; i += THREADS / TILE)
            if (column + i < columns && row + x < rows)
                to[(column + i) * rows + row + x] = tile[x][i];
        __syncthreads();
    }
}

template <class T> __global__ void __launch_bounds__(THREADS) single(const T *in, T *out, int64_t count, int kind, T scale)
{
    const int64_t i = (int64_t)blockIdx.x * THREADS + threadIdx.x;
    if (i >= count)
        return;
    if (kind == GARRAY_FFT_C2R) {
        out[i] = in[2 * i] * scale;
        return;
    }
    const T re = kind == GARRAY_FFT_R2C ? in[i] : in[2 * i], im = kind == GARRAY_FFT_R2C ? (T)0 : in[2 * i + 1];
    out[2 * i] = re * scale;
    out[2 * i + 1] = im * scale;
}

template <class T> static garray_status run_scale(const garray__queue *q, void *data, int64_t count, double scale, double sign)
{
    T factor = (T)scale, imaginary = (T)(scale * sign);
    void *args[] = {&data, &count, &factor, &imaginary};
    return garray__cuda_launch(q, "factor of a transform", (const void *)scale_items<T>, blocks_for(count), dim3(THREADS), 0,
                               args);
}

template <class T, class INDEX>
static garray_status run_spectrum(const garray__queue *q, const void *in, void *out, int64_t count, int64_t half, int64_t inner,
                                  bool even, double scale, double sign)
{
    T factor = (T)scale, imaginary = (T)(scale * sign);
    INDEX h = (INDEX)half, step = (INDEX)inner;
    void *args[] = {&in, &out, &count, &h, &step, &even, &factor, &imaginary};
    return garray__cuda_launch(q, "spectrum of a transform", (const void *)hermitian<T, INDEX>, blocks_for(count), dim3(THREADS),
                               0, args);
}

template <class T>
static garray_status run_transpose(const garray__queue *q, const void *in, void *out, int64_t outer, int64_t rows,
                                   int64_t columns)
{
    int64_t down = (rows + TILE - 1) / TILE, across = (columns + TILE - 1) / TILE, tiles = outer * down * across;
    const dim3 grid((unsigned)(tiles < 0x40000000 ? tiles : 0x40000000));
    void *args[] = {&in, &out, &rows, &columns, &down, &across, &tiles};
    return garray__cuda_launch(q, "transposition for a transform", (const void *)transpose<T>, grid, dim3(THREADS), 0, args);
}

template <class T>
static garray_status run_single(const garray__queue *q, int kind, const void *in, void *out, int64_t count, double scale)
{
    T factor = (T)scale;
    void *args[] = {&in, &out, &count, &kind, &factor};
    return garray__cuda_launch(q, "transform of length 1", (const void *)single<T>, grid_for(count, THREADS), dim3(THREADS), 0,
                               args);
}

} /* namespace garray__cuda */

using namespace garray__cuda;

garray_status garray__cuda_fft_scale(const garray__queue *q, bool is_double, void *data, int64_t count, double scale,
                                     double sign)
{
    return is_double ? run_scale<double>(q, data, count, scale, sign) : run_scale<float>(q, data, count, scale, sign);
}

garray_status garray__cuda_fft_spectrum(const garray__queue *q, bool is_double, const void *in, void *out, int64_t outer,
                                        int64_t half, int64_t inner, bool even, double scale, double sign)
{
    const int64_t count = outer * half * inner;
    if (count <= UINT32_MAX)
        return is_double ? run_spectrum<double, uint32_t>(q, in, out, count, half, inner, even, scale, sign)
                         : run_spectrum<float, uint32_t>(q, in, out, count, half, inner, even, scale, sign);
    return is_double ? run_spectrum<double, uint64_t>(q, in, out, count, half, inner, even, scale, sign)
                     : run_spectrum<float, uint64_t>(q, in, out, count, half, inner, even, scale, sign);
}

garray_status garray__cuda_fft_transpose(const garray__queue *q, int size, const void *in, void *out, int64_t outer,
                                         int64_t rows, int64_t columns)
{
    return size == 4   ? run_transpose<float>(q, in, out, outer, rows, columns)
           : size == 8 ? run_transpose<double>(q, in, out, outer, rows, columns)
                       : run_transpose<double2>(q, in, out, outer, rows, columns);
}

garray_status garray__cuda_fft_single(const garray__queue *q, bool is_double, int kind, const void *in, void *out, int64_t count,
                                      double scale)
{
    return is_double ? run_single<double>(q, kind, in, out, count, scale) : run_single<float>(q, kind, in, out, count, scale);
}
