/* SPDX-License-Identifier: BSD-3-Clause
 * Sums of weighted windows.  A block makes a segment of some rows of outputs: one row of the window after the other, in
 * chunks, whose items and weights lie in shared memory in the computing type; or, where the window is a small plane, a part of
 * a plane of outputs from one tile.  A thread makes neighbouring outputs, so that each item that it reads serves all of them. */
#include "cuda/axis.h"
#include "cuda/kernel.cuh"
#include "cuda/scalar.cuh"
#include "cuda/window.h"

using namespace garray__cuda;

namespace {

constexpr int CHUNK = 128, THREADS = 256;

struct convolve_args {
    const char *in, *weights;
    char *out;
    int64_t rows, segments, blocks;
    int64_t out_length, in_length, in_step, out_step, taps, origin, window_rows;
    int32_t outer, chunk, tile, reserved;       /* outer: axes but the last; chunk: weights; tile: numbers of a row */
    int64_t out_shape[GARRAY_MAX_NDIM - 1], in_shape[GARRAY_MAX_NDIM - 1], window[GARRAY_MAX_NDIM - 1];
    int64_t before[GARRAY_MAX_NDIM - 1], in_strides[GARRAY_MAX_NDIM - 1], out_strides[GARRAY_MAX_NDIM - 1];
};
static_assert(sizeof(convolve_args) <= 4000, "kernel arguments have 4 KiB");

/* What an item is summed in. */
struct truth { uint32_t v; };
template <class S> struct sum_of { typedef uint32_t type; };
template <> struct sum_of<boolean> { typedef truth type; };
template <> struct sum_of<uint64_t> { typedef uint64_t type; };
template <> struct sum_of<half16> { typedef float type; };
template <> struct sum_of<bfloat> { typedef float type; };
template <> struct sum_of<float> { typedef double type; };
template <> struct sum_of<double> { typedef double type; };
template <> struct sum_of<garray__c64> { typedef garray__c128 type; };
template <> struct sum_of<garray__c128> { typedef garray__c128 type; };

template <class C, class S> __device__ __forceinline__ C widen(S x)
{
    if constexpr (same<C, truth>::value) {
        return truth{(uint32_t)(x.v != 0)};
    } else if constexpr (is_complex<C>::value) {
        garray__c128 z;
        z.re = x.re, z.im = x.im;
        return z;
    } else {
        return (C)value_of(x);
    }
}

template <class S, class C> __device__ __forceinline__ S narrow(C x)
{
    if constexpr (same<C, truth>::value)
        return boolean{(uint8_t)x.v};
    else if constexpr (same<C, uint32_t>::value || same<C, uint64_t>::value)
        return (S)x;
    else
        return store_as<S>(x);
}

template <class C> __device__ __forceinline__ C nothing()
{
    C x;
    memset(&x, 0, sizeof x);
    return x;
}

__device__ __forceinline__ truth plus(truth s, truth x, truth w) { return truth{s.v | (x.v & w.v)}; }
__device__ __forceinline__ garray__c128 plus(garray__c128 s, garray__c128 x, garray__c128 w)
{
    s.re = s.re + x.re * w.re;
    s.re = s.re - x.im * w.im;
    s.im = s.im + x.im * w.re;
    s.im = s.im + x.re * w.im;
    return s;
}
template <class C> __device__ __forceinline__ C plus(C s, C x, C w) { return s + x * w; }

/* s + x * w of items S.  Products of floats are exact in double, those of float16 in float: one instruction, and the same
 * bits. */
template <class S, class C> __device__ __forceinline__ C plus_item(C s, C x, C w)
{
    if constexpr (same<S, float>::value)
        return __fma_rn(x, w, s);
    else if constexpr (same<S, half16>::value)
        return __fmaf_rn(x, w, s);
    else
        return plus(s, x, w);
}

/* Item i of a row in shared memory: a gap behind every R items keeps threads, R items apart, on different banks. */
template <int R> __device__ __forceinline__ int padded(int i) { return i + i / R; }

/* Adds n weights to R outputs, all of whose items are there. */
template <class S, int R, class C> __device__ __forceinline__ void add_inside(C *sum, const C *tile, const C *weights, int n)
{
    C item[2 * R - 1];
#pragma unroll
    for (int j = 0; j < R - 1; j++)
        item[j] = tile[j];
    for (int k = 0; k < n; k += R, tile += R + 1) {
        item[R - 1] = tile[R - 1];
#pragma unroll
        for (int j = R; j < 2 * R - 1; j++)
            item[j] = tile[j + 1];
#pragma unroll
        for (int u = 0; u < R; u++)
            if (k + u < n) {
                const C w = weights[k + u];
#pragma unroll
                for (int r = 0; r < R; r++)
                    sum[r] = plus_item<S>(sum[r], item[r + u], w);
            }
#pragma unroll
        for (int j = 0; j < R - 1; j++)
            item[j] = item[j + R];
    }
}

/* The same near the ends of the input: first is the place of the item under output 0 and weight 0. */
template <class S, int R, class C>
__device__ __forceinline__ void add_at_end(C *sum, const C *tile, const C *weights, int n, int64_t first, int64_t length)
{
    for (int k = 0; k < n; k++) {
        const C w = weights[k];
#pragma unroll
        for (int r = 0; r < R; r++)
            if (first + r + k >= 0 && first + r + k < length)
                sum[r] = plus_item<S>(sum[r], tile[padded<R>(r + k)], w);
    }
}

template <class S, int R> __global__ void __launch_bounds__(THREADS) convolve(const __grid_constant__ convolve_args a)
{
    typedef typename sum_of<S>::type C;
    extern __shared__ __align__(16) unsigned char shared[];
    C *const weights = (C *)shared, *const tile = weights + a.chunk + threadIdx.y * a.tile;
    const int width = blockDim.x, x = threadIdx.x, number = threadIdx.y * width + x, threads = width * blockDim.y;
    for (int64_t b = blockIdx.x; b < a.blocks; b += gridDim.x) {
        const int64_t start = b % a.segments * width * R, row = b / a.segments * blockDim.y + threadIdx.y;
        const bool present = row < a.rows;
        int64_t coord[GARRAY_MAX_NDIM], tap[GARRAY_MAX_NDIM], rest = present ? row : 0, to = 0;
        for (int d = a.outer - 1; d >= 0; d--) {
            coord[d] = rest % a.out_shape[d] - a.before[d];
            to += rest % a.out_shape[d] * a.out_strides[d];
            rest /= a.out_shape[d];
            tap[d] = 0;
        }
        C sum[R];
#pragma unroll
        for (int r = 0; r < R; r++)
            sum[r] = nothing<C>();
        for (int64_t window_row = 0; window_row < a.window_rows; window_row++) {
            const char *in = present ? a.in : nullptr;
            for (int d = 0; d < a.outer && in; d++) {
                const int64_t at = coord[d] + tap[d];
                in = at >= 0 && at < a.in_shape[d] ? in + at * a.in_strides[d] : nullptr;
            }
            for (int64_t k = 0; k < a.taps; k += a.chunk) {
                const int n = (int)(a.taps - k < a.chunk ? a.taps - k : a.chunk);
                const int64_t first = start + k - a.origin;
                __syncthreads();
                if (in)
                    for (int i = x; i < width * R + n - 1; i += width)
                        if (first + i >= 0 && first + i < a.in_length)
                            tile[padded<R>(i)] = widen<C>(item_load<S>(in + (first + i) * a.in_step));
                for (int i = number; i < n; i += threads)
                    weights[i] = widen<C>(((const S *)a.weights)[window_row * a.taps + k + i]);
                __syncthreads();
                if (in) {
                    const int64_t mine = first + x * R;
                    if (mine >= 0 && mine + R - 1 + n - 1 < a.in_length)
                        add_inside<S, R>(sum, tile + x * (R + 1), weights, n);
                    else
                        add_at_end<S, R>(sum, tile + x * (R + 1), weights, n, mine, a.in_length);
                }
            }
            for (int d = a.outer - 1; d >= 0; d--) {
                if (++tap[d] < a.window[d])
                    break;
                tap[d] = 0;
            }
        }
        __syncthreads();
#pragma unroll
        for (int r = 0; r < R; r++)
            tile[x * (R + 1) + r] = sum[r];
        __syncthreads();
        if (present)
            for (int i = x; i < width * R && start + i < a.out_length; i += width)
                item_store<S>(a.out + to + (start + i) * a.out_step, narrow<S>(tile[padded<R>(i)]));
    }
}

/* ---- planes ---- */
/* Windows over the last two axes: a block makes SIDE x SIDE * R outputs from one tile of items and all weights, a thread R
 * neighbours in a row.  Items and weights are read in the order of convolve(), so that sums have the same bits. */
constexpr int SIDE = 16;
constexpr size_t MOST_SHARED = 48 << 10;

/* Adds n weights to R outputs, all of whose items are there; reads one item more. */
template <class S, int R, class C> __device__ __forceinline__ void add_line(C *sum, const C *tile, const C *weights, int n)
{
    C item[R];                          /* a ring */
#pragma unroll
    for (int j = 0; j < R; j++)
        item[j] = tile[j];
    const C *next = tile + R + 1;
    for (int k = 0; k < n; k += R, next += R + 1)
#pragma unroll
        for (int u = 0; u < R; u++)
            if (k + u < n) {
                const C w = weights[k + u];
#pragma unroll
                for (int r = 0; r < R; r++)
                    sum[r] = plus_item<S>(sum[r], item[(u + r) % R], w);
                item[u] = next[u];
            }
}

/* Lines of a tile whose items are all there, aligned and side by side; a warp has some items of LINES lines on their way at a
 * time. */
template <class S, int R, class C>
__device__ __forceinline__ void read_lines(C *tile, int pitch, const char *in, int64_t stride, int lines, int items)
{
    constexpr int LINES = 3, EACH = sizeof(C) == 16 ? 3 : 5, APART = SIDE * SIDE / 32;
    const int lane = threadIdx.x % 32;
    for (int line = threadIdx.x / 32; line < lines; line += LINES * APART)
        for (int first = lane; first < items; first += 32 * EACH) {
            S x[LINES][EACH];
#pragma unroll
            for (int l = 0; l < LINES; l++)
#pragma unroll
                for (int e = 0; e < EACH; e++)
                    if (line + l * APART < lines && first + 32 * e < items)
                        x[l][e] = ((const S *)(in + (line + l * APART) * stride))[first + 32 * e];
#pragma unroll
            for (int l = 0; l < LINES; l++)
#pragma unroll
                for (int e = 0; e < EACH; e++)
                    if (line + l * APART < lines && first + 32 * e < items)
                        tile[(line + l * APART) * pitch + padded<R>(first + 32 * e)] = widen<C>(x[l][e]);
        }
}

/* R sums as items at a vector boundary. */
template <class S, int R, class C> __device__ __forceinline__ void store_sums(char *out, const C (&sum)[R])
{
    constexpr int BYTES = R * (int)sizeof(S) < 16 ? R * (int)sizeof(S) : 16, EACH = BYTES / (int)sizeof(S);
#pragma unroll
    for (int v = 0; v < R / EACH; v++) {
        pack<BYTES> x = zero_pack<BYTES>();
#pragma unroll
        for (int e = 0; e < EACH; e++)
            set_item(x, e, narrow<S>(sum[v * EACH + e]));
        store_aligned<BYTES>(out + v * BYTES, x);
    }
}

template <class S, int R> __global__ void __launch_bounds__(SIDE * SIDE, sizeof(typename sum_of<S>::type) == 16 ? 2 : 4)
    convolve_plane(const __grid_constant__ convolve_args a)
{
    typedef typename sum_of<S>::type C;
    extern __shared__ __align__(16) unsigned char shared[];
    const int last = a.outer - 1, taps = (int)a.taps, height = (int)a.window[last], pitch = a.tile;
    const int x = threadIdx.x % SIDE, y = threadIdx.x / SIDE, lane = threadIdx.x % 32, warp = threadIdx.x / 32;
    const int lines = SIDE + height - 1, items = SIDE * R + taps - 1;
    C *const weights = (C *)shared, *const tile = weights + a.chunk;
    const int64_t strips = (a.out_shape[last] + SIDE - 1) / SIDE, start = blockIdx.x % a.segments * (SIDE * R);
    const int64_t top = blockIdx.x / a.segments % strips * SIDE, first = start - a.origin, first_row = top - a.before[last];
    int64_t plane = blockIdx.x / a.segments / strips;
    const char *in = a.in;
    char *out = a.out + top * a.out_strides[last] + start * a.out_step;
    for (int d = last - 1; d >= 0; d--) {
        in += plane % a.out_shape[d] * a.in_strides[d];
        out += plane % a.out_shape[d] * a.out_strides[d];
        plane /= a.out_shape[d];
    }
    for (int i = threadIdx.x; i < taps * height; i += SIDE * SIDE)
        weights[i] = widen<C>(((const S *)a.weights)[i]);
    const bool inside = first >= 0 && first + items <= a.in_length && first_row >= 0 && first_row + lines <= a.in_shape[last];
    const char *const corner = in + first_row * a.in_strides[last] + first * a.in_step;
    if (inside && a.in_step == (int)sizeof(S) && ((uintptr_t)corner | (uintptr_t)a.in_strides[last]) % alignof(S) == 0) {
        read_lines<S, R>(tile, pitch, corner, a.in_strides[last], lines, items);
    } else {
        for (int line = warp; line < lines; line += SIDE * SIDE / 32)
            if (first_row + line >= 0 && first_row + line < a.in_shape[last])
                for (int i = lane; i < items; i += 32)
                    if (first + i >= 0 && first + i < a.in_length)
                        tile[line * pitch + padded<R>(i)] =
                            widen<C>(item_load<S>(in + (first_row + line) * a.in_strides[last] + (first + i) * a.in_step));
    }
    __syncthreads();

    C sum[R];
#pragma unroll
    for (int r = 0; r < R; r++)
        sum[r] = nothing<C>();
    const C *mine = tile + y * pitch + x * (R + 1);
    if (inside) {
        for (int h = 0; h < height; h++)
            add_line<S, R>(sum, mine + h * pitch, weights + h * taps, taps);
    } else {
        for (int h = 0; h < height; h++)
            if (first_row + y + h >= 0 && first_row + y + h < a.in_shape[last])
                add_at_end<S, R>(sum, mine + h * pitch, weights + h * taps, taps, first + x * R, a.in_length);
    }
    if (start + SIDE * R <= a.out_length && top + SIDE <= a.out_shape[last] && a.out_step == (int)sizeof(S)
        && ((uintptr_t)out | (uintptr_t)a.out_strides[last]) % 16 == 0) {
        store_sums<S>(out + y * a.out_strides[last] + x * (R * (int)sizeof(S)), sum);
        return;
    }
    __syncthreads();
#pragma unroll
    for (int r = 0; r < R; r++)
        tile[y * pitch + x * (R + 1) + r] = sum[r];
    __syncthreads();
    for (int line = warp; line < SIDE && top + line < a.out_shape[last]; line += SIDE * SIDE / 32)
        for (int i = lane; i < SIDE * R && start + i < a.out_length; i += 32)
            item_store<S>(out + line * a.out_strides[last] + i * a.out_step, narrow<S>(tile[line * pitch + padded<R>(i)]));
}

/* Whether planes are large enough for tiles that fit; then also how they are cut. */
template <class C, int R> bool plan_plane(convolve_args &a, size_t *shared)
{
    const int last = a.outer - 1;
    if (last < 0 || a.window[last] < 2 || a.out_shape[last] < SIDE / 2 || a.out_length < SIDE * R / 2)
        return false;
    for (int d = 0; d < last; d++)
        if (a.window[d] != 1 || a.before[d] != 0 || a.in_shape[d] != a.out_shape[d])
            return false;
    if (a.taps * a.window[last] > 1 << 12)
        return false;
    const int64_t pitch = SIDE * R + a.taps + (SIDE * R + a.taps) / R + 1, weights = a.taps * a.window[last];
    const int64_t planes = a.rows / a.out_shape[last], strips = (a.out_shape[last] + SIDE - 1) / SIDE;
    a.chunk = (int32_t)(weights + weights % 2);
    a.tile = (int32_t)pitch;
    a.segments = (a.out_length + SIDE * R - 1) / (SIDE * R);
    a.blocks = a.segments * strips * planes;
    *shared = ((size_t)a.chunk + (size_t)(SIDE + a.window[last] - 1) * (size_t)pitch) * sizeof(C);
    return *shared <= MOST_SHARED && a.blocks <= INT32_MAX;
}

template <class S>
garray_status run(const garray__queue *q, convolve_args &a)
{
    typedef typename sum_of<S>::type C;
    constexpr int R = sizeof(C) == 16 ? 4 : 8;
    int width = THREADS, rows = 1;
    size_t room;
    void *list[] = {&a};
    if (plan_plane<C, R>(a, &room))
        return garray__cuda_launch(q, "convolve", (const void *)convolve_plane<S, R>, dim3((unsigned)a.blocks), dim3(SIDE * SIDE),
                                   room, list);
    /* Rows that are short share a block; rows that are few are dealt out among more, smaller blocks. */
    while (width > 32 && (width / 2) * R >= a.out_length)
        width /= 2;
    if (a.rows > 1)
        rows = THREADS / width;
    const int64_t enough = 4 * (int64_t)garray__cuda_device_of(q)->multiprocessors;
    while (rows == 1 && width > 32 && (a.out_length + width * R - 1) / (width * R) * a.rows < enough)
        width /= 2;
    a.segments = (a.out_length + width * R - 1) / (width * R);
    a.blocks = (a.rows + rows - 1) / rows * a.segments;
    a.chunk = (int32_t)(a.taps < CHUNK ? (a.taps + R - 1) / R * R : CHUNK);
    a.tile = (width + a.chunk / R + 2) * (R + 1);
    const size_t shared = ((size_t)a.chunk + (size_t)rows * a.tile) * sizeof(C);
    const int64_t grid = a.blocks < 1 << 20 ? a.blocks : 1 << 20;
    return garray__cuda_launch(q, "convolve", (const void *)convolve<S, R>, dim3((unsigned)grid), dim3(width, rows), shared,
                               list);
}

} /* namespace */

extern "C" garray_status garray__cuda_convolve(const garray__queue *q, const garray_window_plan *p)
{
    const int last = p->ndim - 1;
    convolve_args a = {};
    a.in = (const char *)p->in;
    a.weights = (const char *)p->weights;
    a.out = (char *)p->out;
    a.out_length = p->out_shape[last];
    a.in_length = p->in_shape[last];
    a.in_step = p->in_strides[last];
    a.out_step = p->out_strides[last];
    a.taps = p->window[last];
    a.origin = p->origin[last];
    a.rows = p->count / a.out_length;
    a.window_rows = p->taps / a.taps;
    a.outer = last;
    for (int d = 0; d < last; d++) {
        a.out_shape[d] = p->out_shape[d];
        a.in_shape[d] = p->in_shape[d];
        a.window[d] = p->window[d];
        a.before[d] = p->origin[d];
        a.in_strides[d] = p->in_strides[d];
        a.out_strides[d] = p->out_strides[d];
    }
    switch (p->dtype) {
    case GARRAY_BOOL: return run<boolean>(q, a);
    case GARRAY_INT8:
    case GARRAY_UINT8: return run<uint8_t>(q, a);
    case GARRAY_INT16:
    case GARRAY_UINT16: return run<uint16_t>(q, a);
    case GARRAY_INT32:
    case GARRAY_UINT32: return run<uint32_t>(q, a);
    case GARRAY_INT64:
    case GARRAY_UINT64: return run<uint64_t>(q, a);
    case GARRAY_FLOAT16: return run<half16>(q, a);
    case GARRAY_BFLOAT16: return run<bfloat>(q, a);
    case GARRAY_FLOAT32: return run<float>(q, a);
    case GARRAY_FLOAT64: return run<double>(q, a);
    case GARRAY_COMPLEX64: return run<garray__c64>(q, a);
    default: return run<garray__c128>(q, a);
    }
}
