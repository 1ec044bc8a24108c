/* SPDX-License-Identifier: BSD-3-Clause
 * Hermitian eigenproblems of many small matrices, up to 32 x 32, by one-sided Jacobi rotations (jacobi.cuh).
 *
 * A multiple of the identity makes the matrix h well conditioned, and Cholesky's factor x of that has h's eigenvectors as its
 * left singular vectors: rotations of the columns of x alone find them.  The eigenvalues are then v^H h v, so that the
 * shift costs no accuracy, and values of a diagonal matrix come out as they went in. */
#include "cuda/jacobi.cuh"
#include "cuda/vectors.h"

using namespace garray__cuda;

namespace {

/* v: NULL, or where the vectors go, perhaps a itself. */
template <class T, int N>
__global__ void __launch_bounds__(32 * WARPS<T>)
small_eigh(const T *a, T *v, typename number<T>::Real *w, int n, int64_t batch, int upper, int *info)
{
    typedef typename number<T>::Real Real;
    constexpr int G = 32 / N;
    __shared__ T tiles[WARPS<T>][G][N][N + 1];
    const int lane = threadIdx.x & 31, warp = threadIdx.x >> 5, sub = lane % N, mine = lane / N, size = n * n;
    const int64_t first = ((int64_t)blockIdx.x * WARPS<T> + warp) * G, item = first + mine;
    const bool valid = item < batch;

    /* the triangle that counts, and its mirror image */
    bool bad = false;
    int exponent = 0;
    for (int g = 0; g < G; g++) {
        extent<T> seen;
        if (first + g < batch)
            for (int e = lane; e < size; e += 32) {
                const int i = e / n, j = e - i * n;
                if (upper ? j < i : j > i)
                    continue;
                T x = a[(first + g) * size + e];
                seen.check(x);
                if (i == j)
                    x = number<T>::of(number<T>::real(x));
                seen.measure(x);
                tiles[warp][g][i][j] = x;
                tiles[warp][g][j][i] = conjugate(x);
            }
        seen.join();
        if (g == mine) {
            bad = seen.wrong;
            exponent = seen.exponent();
        }
    }
    __syncwarp();

    /* a lane a row: scaled, shifted, and factored in the lower triangle; the upper one stays h's */
    T(*tile)[N + 1] = tiles[warp][mine];
    const bool has_row = sub < n;
    Real square = 0, diagonal = 0;
    for (int j = 0; j < n; j++)
        if (has_row) {
            tile[sub][j] = valid && !bad ? shifted(tile[sub][j], -exponent) : number<T>::zero();
            square = add_square<T>(square, tile[sub][j]);
        }
    square = sum_of_lanes<Real, N>(square);
    const Real shift = square > 0 ? (Real)1.25 * sqrt(square) : (Real)1;
    if (has_row) {
        diagonal = number<T>::real(tile[sub][sub]);
        tile[sub][sub] = number<T>::of(diagonal + shift);
    }
    for (int k = 0; k < n; k++) {
        __syncwarp();
        const Real root = sqrt(number<T>::real(tile[k][k]));
        const bool below = has_row && sub > k;
        const T own = below ? scaled(tile[sub][k], 1 / root) : number<T>::zero();
        __syncwarp();
        if (below)
            tile[sub][k] = own;
        else if (sub == k)
            tile[k][k] = number<T>::of(root);
        __syncwarp();
        if (below)
            for (int j = k + 1; j <= sub; j++)
                tile[sub][j] = conjugate(add_product(conjugate(tile[sub][j]), scaled(own, (Real)-1), tile[j][k]));
    }
    __syncwarp();

    T x[N];
#pragma unroll
    for (int i = 0; i < N; i++)
        x[i] = has_row && i >= sub && i < n ? tile[i][sub] : number<T>::zero();
    const bool done = orthogonalize<T, N, false>(x, x, 0, sub, jacobi_tolerance<Real>(n), jacobi_tiny<Real>());
    const unsigned undone = own_votes<N>(__ballot_sync(ALL, !done));

    /* unit vectors, and v^H h v */
    Real length = 0, value = 0;
#pragma unroll
    for (int i = 0; i < N; i++)
        length = add_square<T>(length, x[i]);
    length = has_row ? sqrt(length) : (Real)1;
#pragma unroll
    for (int i = 0; i < N; i++) {
        if constexpr (IS_COMPLEX<T>)
            x[i] = T{x[i].re / length, x[i].im / length};
        else
            x[i] = x[i] / length;
    }
#pragma unroll
    for (int i = 0; i < N; i++) {
        const Real own = __shfl_sync(ALL, diagonal, i, N);
        T sum = number<T>::zero();              /* conj of what h makes of v beside the diagonal, above it */
#pragma unroll
        for (int j = i + 1; j < N; j++)
            if (j < n)
                sum = add_product(sum, x[j], conjugate(tile[i][j]));
        value = fma(own, weight(x[i]), value);
        if constexpr (IS_COMPLEX<T>)
            value = fma(2 * sum.re, x[i].re, fma(-2 * sum.im, x[i].im, value));
        else
            value = fma(2 * sum, x[i], value);
    }

    int place = 0;
#pragma unroll
    for (int j = 0; j < N; j++) {
        const Real other = __shfl_sync(ALL, value, j, N);
        place += j < n && (other < value || (other == value && j < sub));
    }
    if (valid && has_row)
        w[item * n + place] = bad ? (Real)NAN : scalbn(value, exponent);
    if (valid && sub == 0)
        info[item] = bad || undone != 0;
    if (!v)
        return;
    double re, im;
    phase_of_column<T, N>(x, &re, &im);
    __syncwarp();
#pragma unroll
    for (int i = 0; i < N; i++)
        if (i < n && has_row)
            tile[i][place] = turned(x[i], re, im);
    __syncwarp();
    for (int g = 0; g < G; g++) {
        if (first + g >= batch)
            continue;
        const bool spoilt = __shfl_sync(ALL, bad, g * N);
        for (int e = lane; e < size; e += 32) {
            const int i = e / n, j = e - i * n;
            v[(first + g) * size + e] = spoilt ? number<T>::of((Real)NAN) : tiles[warp][g][i][j];
        }
    }
}

} /* namespace */

extern "C" garray_status garray__cuda_small_eigh(const garray__queue *q, int dtype, const void *a, void *v, void *w, int64_t n,
                                                 int64_t batch, bool upper, int *info)
{
    const int lanes = lanes_for(n);
    int side = (int)n, up = upper;
    void *args[] = {&a, &v, &w, &side, &batch, &up, &info};
    return launch_lanes(q, "eigh", GARRAY_CUDA_OF_LANES(dtype, lanes, small_eigh), dtype, lanes, batch, args);
}
