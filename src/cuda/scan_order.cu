/* SPDX-License-Identifier: BSD-3-Clause
 * Running maxima and minima.  Items of real dtypes become keys of their own width (sort_key.h; for minima in reverse, NaNs
 * above all either way), whose maximum is taken; complex ones are compared as they are, and the first of equal ones stays.
 * Long sequences are cut into segments: their totals first, then each segment from those before it. */
#include "core/complex.h"
#include "cuda/axis.h"
#include "cuda/chain.cuh"
#include "cuda/kernel.cuh"
#include "cuda/scan.h"
#include "cuda/scratch.h"
#include "cuda/sort.h"

using namespace garray__cuda;

namespace {

constexpr int THREADS = GARRAY_CUDA_BLOCK, WARPS = THREADS / 32, PER = 8, CHUNK = 32 * PER, TILE = THREADS * PER;
constexpr int AHEAD = 4;                /* rows that a thread of the columns kernel loads together */

struct order_args {
    const char *in;
    char *out;
    int64_t outer, n, inner;
    int64_t in_stride[3], out_stride[3];
    int64_t segments, segment;
    void *totals;                       /* a state for each segment of each sequence, or NULL: not cut */
    int32_t totals_only, unaligned, minimum, reserved;
    garray__sort_order order;
};

/* ---- states: join(a, b) is what a, then b come to ---- */
template <class U> struct real_op {
    typedef U Item;
    typedef U State;
    static __device__ __forceinline__ State empty() { return 0; }
    static __device__ __forceinline__ State load(const order_args &a, Item x) { return key_of_number<U>(a.order, x); }
    static __device__ __forceinline__ Item store(const order_args &a, State s) { return number_of_key<U>(a.order, s); }
    static __device__ __forceinline__ State join(const order_args &, State x, State y) { return y > x ? y : x; }
};

template <class T, class C> struct complex_op {
    typedef C Item;
    struct State {
        T re, im;
        T some;                         /* 0: no item yet */
    };
    static __device__ __forceinline__ State empty() { return {0, 0, 0}; }
    static __device__ __forceinline__ State load(const order_args &, Item x) { return {x.re, x.im, 1}; }
    static __device__ __forceinline__ Item store(const order_args &, State s)
    {
        Item x;
        x.re = s.re;
        x.im = s.im;
        return x;
    }
    static __device__ __forceinline__ State join(const order_args &a, State x, State y)
    {
        if (y.some == 0 || (x.some != 0 && (x.re != x.re || x.im != x.im)))
            return x;
        if (x.some == 0 || y.re != y.re || y.im != y.im)
            return y;
        const bool later = a.minimum ? y.re < x.re || (y.re == x.re && y.im < x.im)
                                     : y.re > x.re || (y.re == x.re && y.im > x.im);
        return later ? y : x;
    }
};

__device__ __forceinline__ int64_t offset_of(const order_args &a, int64_t sequence, const int64_t (&stride)[3])
{
    const int64_t row = sequence / a.inner;
    return row * stride[0] + (sequence - row * a.inner) * stride[2];
}

/* PER times 32 neighbouring items from `begin` on, scanned from nothing; returns what all of them come to. */
template <class Op> __device__ __forceinline__ typename Op::State
scan_chunk(const order_args &a, const char *from, int64_t begin, int64_t end, int lane, typename Op::State (&v)[PER])
{
    typedef typename Op::State State;
#pragma unroll
    for (int m = 0; m < PER; m++) {
        const int64_t i = begin + m * 32 + lane;
        v[m] = i < end ? Op::load(a, item_load<typename Op::Item>(from + i * a.in_stride[1], a.unaligned)) : Op::empty();
    }
    State running = Op::empty();
#pragma unroll
    for (int m = 0; m < PER; m++) {
#pragma unroll
        for (int d = 1; d < 32; d <<= 1) {
            const State before = shuffle(v[m], lane >= d ? lane - d : lane);
            if (lane >= d)
                v[m] = Op::join(a, before, v[m]);
        }
        v[m] = Op::join(a, running, v[m]);
        running = shuffle(v[m], 31);
    }
    return running;
}

template <class Op> __device__ __forceinline__ void put_chunk(const order_args &a, char *to, int64_t begin, int64_t end, int lane,
                                                              typename Op::State before, const typename Op::State (&v)[PER])
{
#pragma unroll
    for (int m = 0; m < PER; m++) {
        const int64_t i = begin + m * 32 + lane;
        if (i < end)
            item_store<typename Op::Item>(to + i * a.out_stride[1], Op::store(a, Op::join(a, before, v[m])), a.unaligned);
    }
}

/* What the segments before this one come to. */
template <class Op>
__device__ __forceinline__ typename Op::State before_segment(const order_args &a, int64_t sequence, int64_t segment)
{
    typename Op::State s = Op::empty();
    const typename Op::State *totals = (const typename Op::State *)a.totals + sequence * a.segments;
    for (int64_t i = 0; i < segment; i++)
        s = Op::join(a, s, totals[i]);
    return s;
}

/* ---- sequences along memory, a block for each segment ---- */
template <class Op> __global__ void __launch_bounds__(THREADS) order_tiles(const __grid_constant__ order_args a)
{
    typedef typename Op::State State;
    __shared__ alignas(16) unsigned char room[sizeof(State) * WARPS];
    State *const warp_total = (State *)room;
    const int lane = threadIdx.x & 31, warp = threadIdx.x >> 5;
    const int64_t sequence = blockIdx.x / a.segments, segment = blockIdx.x - sequence * a.segments;
    const int64_t begin = segment * a.segment, end = min(begin + a.segment, a.n);
    const char *from = a.in + offset_of(a, sequence, a.in_stride);
    char *to = a.out + offset_of(a, sequence, a.out_stride);
    State carry = a.totals && !a.totals_only ? before_segment<Op>(a, sequence, segment) : Op::empty();
    for (int64_t tile = begin; tile < end; tile += TILE) {
        State v[PER];
        const int64_t at = tile + warp * CHUNK;
        const State total = scan_chunk<Op>(a, from, at, end, lane, v);
        if (lane == 0)
            warp_total[warp] = total;
        __syncthreads();
        State before = carry;
        for (int w = 0; w < WARPS; w++) {
            if (w == warp)
                before = carry;
            carry = Op::join(a, carry, warp_total[w]);
        }
        if (!a.totals_only)
            put_chunk<Op>(a, to, at, end, lane, before, v);
        __syncthreads();
    }
    if (a.totals_only && threadIdx.x == 0)
        ((State *)a.totals)[blockIdx.x] = carry;
}

/* ---- short sequences along memory, a warp for each ---- */
template <class Op> __global__ void __launch_bounds__(THREADS) order_warps(const __grid_constant__ order_args a)
{
    typedef typename Op::State State;
    const int lane = threadIdx.x & 31;
    const int64_t sequence = (int64_t)blockIdx.x * WARPS + (threadIdx.x >> 5);
    if (sequence >= a.outer * a.inner)
        return;
    const char *from = a.in + offset_of(a, sequence, a.in_stride);
    char *to = a.out + offset_of(a, sequence, a.out_stride);
    State carry = Op::empty();
    for (int64_t at = 0; at < a.n; at += CHUNK) {
        State v[PER];
        const State total = scan_chunk<Op>(a, from, at, a.n, lane, v);
        put_chunk<Op>(a, to, at, a.n, lane, carry, v);
        carry = Op::join(a, carry, total);
    }
}

/* ---- sequences across memory, a thread for each segment ---- */
template <class Op> __global__ void __launch_bounds__(THREADS) order_columns(const __grid_constant__ order_args a)
{
    typedef typename Op::State State;
    typedef typename Op::Item Item;
    const int64_t t = (int64_t)blockIdx.x * THREADS + threadIdx.x;
    if (t >= a.outer * a.segments * a.inner)
        return;
    const int64_t rest = t / a.inner, column = t - rest * a.inner, row = rest / a.segments, segment = rest - row * a.segments;
    const int64_t sequence = row * a.inner + column, begin = segment * a.segment, end = min(begin + a.segment, a.n);
    const char *from = a.in + row * a.in_stride[0] + column * a.in_stride[2];
    char *to = a.out + row * a.out_stride[0] + column * a.out_stride[2];
    State s = a.totals && !a.totals_only ? before_segment<Op>(a, sequence, segment) : Op::empty();
    int64_t i = begin;
    for (; i + AHEAD <= end; i += AHEAD) {
        Item x[AHEAD];
#pragma unroll
        for (int k = 0; k < AHEAD; k++)
            x[k] = item_load<Item>(from + (i + k) * a.in_stride[1], a.unaligned);
#pragma unroll
        for (int k = 0; k < AHEAD; k++) {
            s = Op::join(a, s, Op::load(a, x[k]));
            if (!a.totals_only)
                item_store<Item>(to + (i + k) * a.out_stride[1], Op::store(a, s), a.unaligned);
        }
    }
    for (; i < end; i++) {
        s = Op::join(a, s, Op::load(a, item_load<Item>(from + i * a.in_stride[1], a.unaligned)));
        if (!a.totals_only)
            item_store<Item>(to + i * a.out_stride[1], Op::store(a, s), a.unaligned);
    }
    if (a.totals_only)
        ((State *)a.totals)[sequence * a.segments + segment] = s;
}

/* ---- planning ---- */
struct kernels {
    const void *tiles, *warps, *columns;
    size_t state;
};

template <class Op> kernels kernels_of()
{
    return {(const void *)order_tiles<Op>, (const void *)order_warps<Op>, (const void *)order_columns<Op>,
            sizeof(typename Op::State)};
}

int64_t ceil_div(int64_t a, int64_t b) { return (a + b - 1) / b; }
int64_t magnitude(int64_t a) { return a < 0 ? -a : a; }

garray_status launch(const garray__queue *q, const void *kernel, int64_t blocks, order_args *a)
{
    void *list[] = {a};
    if (blocks > INT32_MAX)
        return garray__cuda_host->fail(GARRAY_ERR_UNSUPPORTED, "a scan of (%lld, %lld, %lld) items is too large for one launch",
                                       (long long)a->outer, (long long)a->n, (long long)a->inner);
    return garray__cuda_launch(q, "scan", kernel, dim3((unsigned)blocks), dim3(THREADS), 0, list);
}

/* In so many segments; the totals of all but one segment are a launch of their own. */
garray_status run(const garray__queue *q, const kernels &k, const void *kernel, order_args *a, int64_t wanted, int64_t grain,
                  bool columns)
{
    const int64_t sequences = a->outer * a->inner;
    garray__scratch scratch = {};
    scratch.q = q;
    garray_status status = GARRAY_OK;
    a->segments = 1;
    a->segment = a->n;
    if (wanted > 1) {
        a->segment = ceil_div(ceil_div(a->n, wanted), grain) * grain;
        a->segments = ceil_div(a->n, a->segment);
    }
    const int64_t blocks = columns ? ceil_div(sequences * a->segments, THREADS) : sequences * a->segments;
    if (a->segments > 1) {
        status = garray__scratch_take(&scratch, (size_t)(sequences * a->segments) * k.state, &a->totals);
        a->totals_only = 1;
        if (status == GARRAY_OK)
            status = launch(q, kernel, blocks, a);
        a->totals_only = 0;
    }
    if (status == GARRAY_OK)
        status = launch(q, kernel, blocks, a);
    garray__scratch_drop(&scratch);
    return status;
}

} /* namespace */

extern "C" garray_status garray__cuda_scan_order(const garray__queue *q, const garray_scan_plan *plan)
{
    static const uint8_t sizes[] = {0, 1, 1, 2, 4, 8, 1, 2, 4, 8, 2, 2, 4, 8, 8, 16};
    const size_t size = sizes[plan->dtype];
    const bool minimum = plan->op == GARRAY_RED_MIN;
    order_args a;
    memset(&a, 0, sizeof a);
    a.in = (const char *)plan->in;
    a.out = (char *)plan->out;
    a.outer = plan->outer;
    a.n = plan->n;
    a.inner = plan->inner;
    a.minimum = minimum;
    a.order = garray__cuda_sort_order(plan->dtype, minimum, false);
    uint64_t bits = (uint64_t)(uintptr_t)plan->in | (uint64_t)(uintptr_t)plan->out;
    for (int d = 0; d < 3; d++) {
        a.in_stride[d] = plan->in_strides[d];
        a.out_stride[d] = plan->out_strides[d];
        bits |= (uint64_t)a.in_stride[d] | (uint64_t)a.out_stride[d];
    }
    const bool is_complex = plan->dtype >= GARRAY_COMPLEX64;
    a.unaligned = (bits & (is_complex ? size / 2 - 1 : size - 1)) != 0;
    const kernels k = size == 1    ? kernels_of<real_op<uint8_t>>()
                      : size == 2  ? kernels_of<real_op<uint16_t>>()
                      : size == 4  ? kernels_of<real_op<uint32_t>>()
                      : size == 16 ? kernels_of<complex_op<double, garray__c128>>()
                      : is_complex ? kernels_of<complex_op<float, garray__c64>>()
                                   : kernels_of<real_op<uint64_t>>();
    const int64_t sequences = a.outer * a.inner;
    if (a.inner > 1 && magnitude(a.in_stride[2]) < magnitude(a.in_stride[1])) {
        const int64_t least = 1 << 16;          /* threads that keep a large processor busy */
        const int64_t wanted = sequences < least / 2 && a.n >= 256 ? ceil_div(least, sequences) : 1;
        const int64_t most = a.n / 64 < 2048 ? a.n / 64 : 2048;
        return run(q, k, k.columns, &a, wanted < most ? wanted : most, 1, true);
    }
    if (a.n <= 4 * CHUNK && sequences > 1)
        return launch(q, k.warps, ceil_div(sequences, WARPS), &a);
    const int64_t blocks = 1056;
    return run(q, k, k.tiles, &a, sequences < blocks / 2 && a.n > 4 * TILE ? ceil_div(blocks, sequences) : 1, TILE, false);
}
