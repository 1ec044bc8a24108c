/* SPDX-License-Identifier: BSD-3-Clause
 * Singular values of many small matrices, up to 32 x 32, by one-sided Jacobi rotations (jacobi.cuh).
 *
 * x has at least as many rows as columns (else the transpose is taken).  A lane holds a column of x and one of w, in
 * registers; x w stays what it was times the rotations, until the columns are orthogonal: x = (l s) w^H.  The matrix is
 * scaled by a power of two, so that squares neither overflow nor vanish; a column whose square is below `tiny` then has no
 * direction of its own.  Such columns of l, and those that complete a square one, are found at the end: the unit vector
 * that is farthest from the columns there are, made orthogonal to them twice. */
#include "cuda/jacobi.cuh"
#include "cuda/vectors.h"

using namespace garray__cuda;

namespace {

/* Column `column` of the tile (rows x N, pitch N + 1) becomes a unit vector orthogonal to those before it, turned by the rule.
 * A lane a row; lanes of matrices that have no such column pass active = false and keep step. */
template <class T, int N>
__device__ __forceinline__ void complete_column(T (*tile)[N + 1], int rows, int column, bool active, int sub)
{
    typedef typename number<T>::Real Real;
    const bool has_row = active && sub < rows;
    Real rest = has_row ? (Real)1 : (Real)-1;
    for (int j = 0; j < column; j++)
        if (has_row)
            rest -= weight(tile[sub][j]);
    int at = sub;
#pragma unroll
    for (int d = N / 2; d > 0; d /= 2) {
        const Real other = __shfl_xor_sync(ALL, rest, d);
        const int other_at = __shfl_xor_sync(ALL, at, d);
        if (other > rest || (other == rest && other_at < at)) {
            rest = other;
            at = other_at;
        }
    }
    T v = number<T>::of(sub == at && has_row ? (Real)1 : (Real)0);
    for (int pass = 0; pass < 2; pass++) {
        __syncwarp();
        if (has_row)
            tile[sub][column] = v;
        __syncwarp();
        T share = number<T>::zero();            /* of column sub in v */
        if (active && sub < column)
            for (int i = 0; i < rows; i++)
                share = add_product(share, tile[i][sub], tile[i][column]);
        for (int j = 0; j < column; j++) {
            const T s = from_lane(share, j, N);
            if (has_row)
                v = add_product(v, conjugate(tile[sub][j]), scaled(s, (Real)-1));
        }
        const Real length = sqrt(sum_of_lanes<Real, N>(has_row ? weight(v) : (Real)0));
        if (length > 0)
            v = scaled(v, 1 / length);
    }
    Real most = has_row ? weight(v) : (Real)0;
#pragma unroll
    for (int d = N / 2; d > 0; d /= 2)
        most = fmax(most, __shfl_xor_sync(ALL, most, d));
    const unsigned near_most = __ballot_sync(ALL, has_row && GARRAY__PHASE_NEAR(weight(v), most));
    const unsigned own = own_votes<N>(near_most);
    double re, im;
    phase_of(from_lane(v, own ? __ffs((int)own) - 1 : 0, N), &re, &im);
    if (has_row)
        tile[sub][column] = turned(v, re, im);
    __syncwarp();
}

template <class T, int N>
__global__ void __launch_bounds__(32 * WARPS<T>)
small_svd(const T *a, T *u, typename number<T>::Real *s, T *vh, int m, int n, int64_t batch, int full, int *info)
{
    typedef typename number<T>::Real Real;
    constexpr int G = 32 / N;
    __shared__ T tiles[WARPS<T>][G][N][N + 1];
    const int lane = threadIdx.x & 31, warp = threadIdx.x >> 5, sub = lane % N, mine = lane / N, size = m * n;
    const int64_t first = ((int64_t)blockIdx.x * WARPS<T> + warp) * G, item = first + mine;
    const bool tall = m >= n, valid = item < batch;
    const int rows = tall ? m : n, columns = tall ? n : m;
    const Real tiny = jacobi_tiny<Real>();

    /* as x, scaled */
    bool bad = false;
    int exponent = 0;
    for (int g = 0; g < G; g++) {
        extent<T> seen;
        if (first + g < batch)
            for (int e = lane; e < size; e += 32) {
                const int i = e / n, j = e - i * n;
                const T x = a[(first + g) * size + e];
                seen.check(x);
                seen.measure(x);
                if (tall)
                    tiles[warp][g][i][j] = x;
                else
                    tiles[warp][g][j][i] = x;
            }
        seen.join();
        if (g == mine) {
            bad = seen.wrong;
            exponent = seen.exponent();
        }
    }
    __syncwarp();

    T(*tile)[N + 1] = tiles[warp][mine];
    const bool has_column = valid && !bad && sub < columns;
    T x[N], w[N];
#pragma unroll
    for (int i = 0; i < N; i++) {
        x[i] = has_column && i < rows ? shifted(tile[i][sub], -exponent) : number<T>::zero();
        w[i] = number<T>::of(i == sub ? (Real)1 : (Real)0);
    }
    const int vectors = u != nullptr;
    const bool done = orthogonalize<T, N, true>(x, w, vectors, sub, jacobi_tolerance<Real>(rows), tiny);
    const unsigned undone = own_votes<N>(__ballot_sync(ALL, !done));

    /* lengths, and their places in descending order */
    Real square = 0;
#pragma unroll
    for (int i = 0; i < N; i++)
        square = add_square<T>(square, x[i]);
    const Real sigma = sqrt(square);
    int place = 0;
#pragma unroll
    for (int j = 0; j < N; j++) {
        const Real other = __shfl_sync(ALL, sigma, j, N);
        place += j < columns && (other > sigma || (other == sigma && j < sub));
    }
    if (sub >= columns)
        place = sub;
    if (valid && sub < columns)
        s[item * columns + place] = bad ? (Real)NAN : scalbn(sigma, exponent);
    if (valid && sub == 0)
        info[item] = bad || undone != 0;
    if (!vectors)
        return;

    const bool short_one = !(square > tiny);
    const int good = __popc(own_votes<N>(__ballot_sync(ALL, !short_one && sub < columns)));
    const Real inverse = short_one ? (Real)0 : 1 / sigma;
#pragma unroll
    for (int i = 0; i < N; i++)
        x[i] = scaled(x[i], inverse);
    double re = 1, im = 0;
    if (!tall)
        phase_of_column<T, N>(w, &re, &im);
    else if (!short_one)
        phase_of_column<T, N>(x, &re, &im);
    /* right vectors of x: the rows of vh, or those of u */
#pragma unroll
    for (int i = 0; i < N; i++)
        if (i < columns && sub < columns)
            tile[i][place] = turned(w[i], re, im);
    __syncwarp();
    for (int g = 0; g < G; g++) {
        if (first + g >= batch)
            continue;
        const bool spoilt = __shfl_sync(ALL, bad, g * N);
        T *to = (tall ? vh : u) + (first + g) * columns * columns;
        for (int e = lane; e < columns * columns; e += 32) {
            const int i = e / columns, j = e - i * columns;
            const T v = tall ? tiles[warp][g][j][i] : tiles[warp][g][i][j];
            to[e] = spoilt ? number<T>::of((Real)NAN) : conjugate(v);
        }
    }
    __syncwarp();

    /* left vectors of x */
#pragma unroll
    for (int i = 0; i < N; i++)
        if (i < rows && sub < columns)
            tile[i][place] = turned(x[i], re, im);
    __syncwarp();
    const int wanted = full ? rows : columns;
    for (int column = 0; column < wanted; column++)
        if (__any_sync(ALL, column >= good))
            complete_column<T, N>(tile, rows, column, column >= good, sub);
    for (int g = 0; g < G; g++) {
        if (first + g >= batch)
            continue;
        const bool spoilt = __shfl_sync(ALL, bad, g * N);
        T *to = (tall ? u : vh) + (first + g) * rows * wanted;
        const int width = tall ? wanted : rows;
        for (int e = lane; e < rows * wanted; e += 32) {
            const int i = e / width, j = e - i * width;
            to[e] = spoilt ? number<T>::of((Real)NAN) : tall ? tiles[warp][g][i][j] : tiles[warp][g][j][i];
        }
    }
}

} /* namespace */

extern "C" garray_status garray__cuda_small_svd(const garray__queue *q, int dtype, const void *a, void *u, void *s, void *vh,
                                                int64_t m, int64_t n, int64_t batch, bool full, int *info)
{
    const int lanes = lanes_for(m > n ? m : n);
    int rows = (int)m, columns = (int)n, whole = full;
    void *args[] = {&a, &u, &s, &vh, &rows, &columns, &batch, &whole, &info};
    return launch_lanes(q, "svd", GARRAY_CUDA_OF_LANES(dtype, lanes, small_svd), dtype, lanes, batch, args);
}
