/* SPDX-License-Identifier: BSD-3-Clause
 * The elementwise kernels of one dtype (GARRAY_DT).
 *
 * contiguous: operands that lie item by item, or are scalars; one kernel for each operation.
 * rows: any strides up to 2^31 bytes, any dtypes; one kernel for each signature, which calls the operation, since a
 * call for each vector is hidden behind the memory and everything around it is compiled once.
 * Both work on 16-byte vectors where they can.  Long formulas are functions that both kernels call. */
#include "core/formula.h"
#include "cuda/elementwise.h"
#include "cuda/kernel.cuh"
#include "cuda/scalar.cuh"

/* Each dtype has its own operations and kernels of the same names. */
#define OF_DTYPE GARRAY__PASTE(of_, GARRAY_DT)

namespace garray__cuda {
namespace OF_DTYPE {

constexpr int V = 16 / sizeof(st);              /* items of a vector */
constexpr int K = GARRAY_CUDA_VECTORS;
constexpr int BLOCK = GARRAY_CUDA_BLOCK;
constexpr int GRAIN = GARRAY_KIND == K_COMPLEX ? sizeof(st) / 2 : sizeof(st);

/* ---- item by item -------------------------------------------------------------------------------------------- */

/* Which of the V items exist, and where: item e is at step * e, or where the walk leads from index + e * BLOCK. */
struct place {
    int32_t low, high, step;
    const garray__walk *walk;
    int32_t operand;
    uint32_t index;
};

/* Groups of items are done in a loop: unrolled over all of them this would be the longest code of the file. */
constexpr int GROUP = V < 4 ? V : 4;

struct group {
    int32_t offset[GROUP];
    bool valid[GROUP];
};

__device__ __forceinline__ group group_of(const place &at, int first)
{
    group g;
#pragma unroll
    for (int e = 0; e < GROUP; e++) {
        g.valid[e] = first + e >= at.low && first + e < at.high;
        g.offset[e] = 0;
        if (g.valid[e])
            g.offset[e] = at.walk ? walk_offset(*at.walk, at.operand, at.index + (first + e) * BLOCK) : (first + e) * at.step;
    }
    return g;
}

template <class To, class From>
__device__ __forceinline__ pack<GROUP * sizeof(To)> gather_as(const char *p, const group &g)
{
    pack<GROUP * sizeof(To)> v = zero_pack<GROUP * sizeof(To)>();
#pragma unroll
    for (int e = 0; e < GROUP; e++)
        if (g.valid[e])
            set_item(v, e, cast<To>(*(const From *)(p + g.offset[e])));
    return v;
}

__device__ __forceinline__ pack<GROUP * sizeof(st)> gather_group(const char *p, const group &g, int dtype)
{
    switch (dtype) {
#define GARRAY_DTYPE(value, name, ...) \
    case value: return gather_as<st, type_##name>(p, g);
#include "core/dtypes.def"
#undef GARRAY_DTYPE
    default: return zero_pack<GROUP * sizeof(st)>();
    }
}

/* Part n of a pack, and back; n is not known at compile time. */
template <int PART, int BYTES> __device__ __forceinline__ void set_part(pack<BYTES> &v, int n, const pack<PART> &part)
{
    if constexpr (PART < 4) {
        v.w[0] |= part.w[0] << (8 * PART * n);
    } else {
#pragma unroll
        for (int i = 0; i < pack<BYTES>::words; i++)
            v.w[i] = i / pack<PART>::words == n ? part.w[i % pack<PART>::words] : v.w[i];
    }
}

template <int PART, int BYTES> __device__ __forceinline__ pack<PART> get_part(const pack<BYTES> &v, int n)
{
    pack<PART> part = {{v.w[0]}};
    if constexpr (PART < 4) {
        part.w[0] = v.w[0] >> (8 * PART * n);
    } else {
#pragma unroll
        for (int i = 0; i < pack<BYTES>::words; i++)
            part.w[i % pack<PART>::words] = i / pack<PART>::words == n ? v.w[i] : part.w[i % pack<PART>::words];
    }
    return part;
}

/* V items cast to the compute dtype; a condition keeps its bools, in the first bytes. */
__device__ __noinline__ pack<16> gather(const char *p, place at, int dtype, bool condition)
{
    pack<16> v = zero_pack<16>();
#pragma unroll 1
    for (int n = 0; n < V / GROUP; n++) {
        const group g = group_of(at, n * GROUP);
        if (condition)
            set_part<GROUP>(v, n, gather_as<boolean, boolean>(p, g));
        else
            set_part<GROUP * sizeof(st)>(v, n, gather_group(p, g, dtype));
    }
    return v;
}

template <class To, class From>
__device__ __forceinline__ void scatter_as(char *p, const group &g, const pack<GROUP * sizeof(From)> &v)
{
#pragma unroll
    for (int e = 0; e < GROUP; e++)
        if (g.valid[e])
            *(To *)(p + g.offset[e]) = cast<To>(item<From>(v, e));
}

template <class From> __device__ __noinline__ void scatter(char *p, place at, int dtype, pack<V * sizeof(From)> v)
{
#pragma unroll 1
    for (int n = 0; n < V / GROUP; n++) {
        const group g = group_of(at, n * GROUP);
        const pack<GROUP * sizeof(From)> part = get_part<GROUP * sizeof(From)>(v, n);
        switch (dtype) {
#define GARRAY_DTYPE(value, name, ...) \
        case value: scatter_as<type_##name, From>(p, g, part); break;
#include "core/dtypes.def"
#undef GARRAY_DTYPE
        }
    }
}

/* ---- operations ---------------------------------------------------------------------------------------------- */

struct result_SAME { typedef st type; };
struct result_BOOL { typedef boolean type; };
#if GARRAY_KIND == K_COMPLEX
struct result_REAL { typedef rt type; };
#else
struct result_REAL { typedef st type; };
#endif

template <class R, class X> __device__ __forceinline__ R result(X x)
{
    if constexpr (same<R, boolean>::value)
        return boolean{(uint8_t)x};
    else
        return store_as<R>(x);
}

/* Which classes of operations have long formulas: those for floats alone. */
enum {
    long_ANY = 0, long_NUMBER = 0, long_REALS = 0, long_BITS = 0, long_INTEGER = 0, long_UINT64 = 0,
    long_REAL = 1, long_INEXACT = 1, long_FLOAT = 1
};

#define OPERATION(number, name, n, chooses, when, kind, formula)                                \
    struct op_##name {                                                                          \
        static constexpr int code = number, arity = n;                                          \
        static constexpr bool selects = chooses;                                                \
        static constexpr bool is_long = long_##when || (number == GARRAY_OP_pow);               \
        typedef result_##kind::type out;                                                        \
        template <class A> static __device__ __forceinline__ out f(A a, ct b, ct c)             \
        {                                                                                       \
            (void)a, (void)b, (void)c;                                                          \
            return result<out>(formula);                                                        \
        }                                                                                       \
    };
#define GARRAY_UNARY(number, name, when, outside, kind, ...) \
    WHEN_##when(OPERATION(number, name, 1, false, when, kind, (__VA_ARGS__)))
#define GARRAY_BINARY(number, name, when, outside, kind, ...) \
    WHEN_##when(OPERATION(number, name, 2, false, when, kind, (__VA_ARGS__)))
#define GARRAY_TERNARY(number, name, when, outside, kind, ...) \
    WHEN_##when(OPERATION(number, name, 3, false, when, kind, (__VA_ARGS__)))
#define GARRAY_SELECT(number, name, when, outside, kind, ...) \
    WHEN_##when(OPERATION(number, name, 3, true, when, kind, (__VA_ARGS__)))
#define GARRAY_HIDDEN GARRAY_BINARY
#include "core/ops.def"
#undef GARRAY_UNARY
#undef GARRAY_BINARY
#undef GARRAY_TERNARY
#undef GARRAY_SELECT
#undef GARRAY_HIDDEN
#undef OPERATION

/* The vectors that an operation takes; where() has its condition as bools in the first bytes of a. */
template <class F> __device__ __forceinline__ pack<V * sizeof(typename F::out)> short_apply(pack<16> a, pack<16> b, pack<16> c)
{
    typedef typename F::out out;
    pack<V * sizeof(out)> v = zero_pack<V * sizeof(out)>();
#pragma unroll
    for (int e = 0; e < V; e++) {
        const ct y = F::arity > 1 ? (ct)value_of(item<st>(b, e)) : ct{};
        const ct z = F::arity > 2 ? value_of(item<st>(c, e)) : ct{};
        if constexpr (F::selects)
            set_item(v, e, F::f((int)value_of(item<boolean>(a, e)), y, z));
        else
            set_item(v, e, F::f((ct)value_of(item<st>(a, e)), y, z));
    }
    return v;
}

/* A long formula stands here once for each item of a group, and the groups of a vector are a loop. */
template <class F> __device__ __noinline__ pack<V * sizeof(typename F::out)> long_apply(pack<16> a, pack<16> b, pack<16> c)
{
    typedef typename F::out out;
    constexpr int PART = GROUP * sizeof(st);
    pack<V * sizeof(out)> v = zero_pack<V * sizeof(out)>();
#pragma unroll 1
    for (int n = 0; n < V / GROUP; n++) {
        const pack<PART> x = get_part<PART>(a, n), y = get_part<PART>(b, n), z = get_part<PART>(c, n);
        pack<GROUP * sizeof(out)> part = zero_pack<GROUP * sizeof(out)>();
#pragma unroll
        for (int e = 0; e < GROUP; e++)
            set_item(part, e, F::f((ct)value_of(item<st>(x, e)), (ct)value_of(item<st>(y, e)), (ct)value_of(item<st>(z, e))));
        set_part<GROUP * sizeof(out)>(v, n, part);
    }
    return v;
}

template <class F> __device__ __forceinline__ pack<V * sizeof(typename F::out)> apply(pack<16> a, pack<16> b, pack<16> c)
{
    if constexpr (F::is_long)
        return long_apply<F>(a, b, c);
    else
        return short_apply<F>(a, b, c);
}

/* Their first items. */
template <class F> __device__ __forceinline__ typename F::out apply_one(pack<16> a, pack<16> b, pack<16> c)
{
    typedef typename F::out out;
    if constexpr (F::is_long) {
        return item<out>(long_apply<F>(a, b, c), 0);
    } else {
        const ct y = F::arity > 1 ? value_of(item<st>(b, 0)) : ct{};
        const ct z = F::arity > 2 ? value_of(item<st>(c, 0)) : ct{};
        if constexpr (F::selects)
            return F::f((int)value_of(item<boolean>(a, 0)), y, z);
        else
            return F::f((ct)value_of(item<st>(a, 0)), y, z);
    }
}

/* ---- contiguous ---------------------------------------------------------------------------------------------- */

__device__ __forceinline__ pack<16> scalar_bits(const garray__ew_input &in)
{
    return {{in.bits[0], in.bits[1], in.bits[2], in.bits[3]}};
}

/* V bools, at any address if not aligned. */
__device__ __forceinline__ pack<16> load_condition(const char *p, bool aligned)
{
    pack<16> v = zero_pack<16>();
    if (aligned) {
        const pack<V> c = load_aligned<V>(p);
#pragma unroll
        for (int i = 0; i < pack<V>::words; i++)
            v.w[i] = c.w[i];
    } else {
#pragma unroll
        for (int e = 0; e < V; e++)
            set_item(v, e, *(const boolean *)(p + e));
    }
    return v;
}

template <class F> __global__ void __launch_bounds__(BLOCK) contiguous(const __grid_constant__ garray__ew_flat p)
{
    typedef typename F::out out;
    const int64_t tile = (int64_t)blockIdx.x * (BLOCK * K * V) - p.shift;

    if (tile >= 0 && tile + BLOCK * K * V <= p.count) {
        const int64_t first = tile + threadIdx.x * V;
        pack<16> x[3][K];
#pragma unroll
        for (int a = 0; a < F::arity; a++) {
            const garray__ew_input &in = p.in[a];
            if (in.mode == GARRAY__EW_SCALAR) {
#pragma unroll
                for (int k = 0; k < K; k++)
                    x[a][k] = scalar_bits(in);
            } else if (in.mode == GARRAY__EW_SPLAT) {
                const pack<16> v = F::selects && a == 0 ? splat<boolean, 16>(*(const boolean *)in.data)
                                                        : splat<st, 16>(*(const st *)in.data);
#pragma unroll
                for (int k = 0; k < K; k++)
                    x[a][k] = v;
            } else if (F::selects && a == 0) {
#pragma unroll
                for (int k = 0; k < K; k++)
                    x[a][k] = load_condition(in.data + first + k * (BLOCK * V), in.mode == GARRAY__EW_ALIGNED);
            } else if (in.mode == GARRAY__EW_ALIGNED) {
#pragma unroll
                for (int k = 0; k < K; k++)
                    x[a][k] = load_aligned<16>((const st *)in.data + first + k * (BLOCK * V));
            } else {
#pragma unroll
                for (int k = 0; k < K; k++)
                    x[a][k] = load_shifted<GRAIN>((const st *)in.data + first + k * (BLOCK * V));
            }
        }
#pragma unroll
        for (int k = 0; k < K; k++)
            store_aligned<V * sizeof(out)>((out *)p.out + first + k * (BLOCK * V), apply<F>(x[0][k], x[1][k], x[2][k]));
    } else {
#pragma unroll 1
        for (int64_t i = tile + threadIdx.x; i < p.count && i < tile + BLOCK * K * V; i += BLOCK) {
            if (i < 0)
                continue;
            pack<16> x[3];
#pragma unroll
            for (int a = 0; a < F::arity; a++) {
                const garray__ew_input &in = p.in[a];
                if (in.mode == GARRAY__EW_SCALAR)
                    x[a] = scalar_bits(in);
                else if (F::selects && a == 0)
                    x[a].w[0] = *(const uint8_t *)(in.data + (in.mode == GARRAY__EW_SPLAT ? 0 : i));
                else
                    set_item(x[a] = zero_pack<16>(), 0, ((const st *)in.data)[in.mode == GARRAY__EW_SPLAT ? 0 : i]);
            }
            ((out *)p.out)[i] = apply_one<F>(x[0], x[1], x[2]);
        }
    }
}

/* ---- rows ---------------------------------------------------------------------------------------------------- */

template <class OUT, int ARITY, bool SELECTS>
__device__ __noinline__ pack<V * sizeof(OUT)> dispatch(int op, pack<16> a, pack<16> b, pack<16> c)
{
#define CASE(name)                                                                              \
    case op_##name::code:                                                                       \
        if constexpr (same<op_##name::out, OUT>::value && op_##name::arity == ARITY && op_##name::selects == SELECTS) \
            return apply<op_##name>(a, b, c);                                                   \
        break;
    switch (op) {
#define GARRAY_UNARY(number, name, when, ...) WHEN_##when(CASE(name))
#define GARRAY_BINARY GARRAY_UNARY
#define GARRAY_TERNARY GARRAY_UNARY
#define GARRAY_SELECT GARRAY_UNARY
#define GARRAY_HIDDEN GARRAY_UNARY
#include "core/ops.def"
#undef GARRAY_UNARY
#undef GARRAY_BINARY
#undef GARRAY_TERNARY
#undef GARRAY_SELECT
#undef GARRAY_HIDDEN
    }
#undef CASE
    return zero_pack<V * sizeof(OUT)>();
}

/* The place of this thread's vector in its k-th row; walked: of its k-th V items. */
__device__ __forceinline__ place place_of(place at, int step, int operand, int k, uint32_t length)
{
    at.step = step;
    at.operand = operand;
    if (at.walk) {
        at.index += k * (V * BLOCK);
        const int32_t left = (int32_t)(length - at.index);
        at.high = left <= 0 ? 0 : (left - 1) / BLOCK + 1;
    }
    return at;
}

template <class OUT, int ARITY, bool SELECTS>
__global__ void __launch_bounds__(BLOCK, 4) rows(const __grid_constant__ garray__ew_rows p)
{
    /* What is fetched or put item by item goes through here; a thread sees its own slots alone. */
    __shared__ uint4 slot[ARITY][K][BLOCK];
    const char *source[ARITY];
    char *target = p.out;
    uint32_t row = 0, end = 1;
    place at = {0, V, 0, nullptr, 0, 0};

#pragma unroll
    for (int a = 0; a < ARITY; a++)
        source[a] = p.in[a].data;
    if (p.period == 0) {
        at.walk = &p.walk;
        at.index = blockIdx.x * (BLOCK * K * V) + threadIdx.x;
        end = K;
    } else {
        const uint32_t t = blockIdx.x * BLOCK + threadIdx.x;
        if (t >= p.threads)
            return;
        uint32_t q = garray__fastdiv(t, p.chunks);
        const uint32_t chunk = t - q * p.chunks.divisor;
        const uint32_t next = garray__fastdiv(q, p.classes);
        row = q - next * p.classes.divisor;
        q = garray__fastdiv(next, p.slabs);
        row += (next - q * p.slabs.divisor) * p.slab * p.period;
        end = min(row + p.slab * p.period, p.rows);
        if (row >= end)
            return;
        if (p.walk.ndim > 0) {
            target += walk_offset(p.walk, 0, q);
#pragma unroll
            for (int a = 0; a < ARITY; a++)
                source[a] += walk_offset(p.walk, a + 1, q);
        }
        int32_t first = chunk * V;
        if (p.out_mode == GARRAY__EW_ALIGNED)
            first -= (uint32_t)((uintptr_t)(target + (int32_t)row * p.out_row) / sizeof(OUT)) % V;
        at.low = first < 0 ? -first : 0;
        at.high = min((int32_t)p.length - first, V);
        if (at.high <= 0)
            return;
        target += first * p.out_step;
#pragma unroll
        for (int a = 0; a < ARITY; a++)
            source[a] += first * p.in[a].step;
    }

    const bool whole = p.period != 0 && at.low == 0 && at.high == V;
    const uint32_t period = p.period != 0 ? p.period : 1;
    pack<16> x[3][K];
    for (bool begin = true; row < end; row += K * period, begin = false) {
#pragma unroll 1
        for (int a = 0; a < ARITY; a++) {
            const garray__ew_input &in = p.in[a];
            if (in.mode != GARRAY__EW_GATHER && (whole || in.mode != GARRAY__EW_ALIGNED))
                continue;
#pragma unroll 1
            for (int k = 0; k < K && row + k * period < end; k++) {
                const pack<16> v = gather(source[a] + (int32_t)(row + k * period) * in.row,
                                          place_of(at, in.step, a + 1, k, p.length), in.dtype, SELECTS && a == 0);
                slot[a][k][threadIdx.x] = make_uint4(v.w[0], v.w[1], v.w[2], v.w[3]);
            }
        }
#pragma unroll
        for (int a = 0; a < ARITY; a++) {
            const garray__ew_input &in = p.in[a];
            const bool choice = SELECTS && a == 0;
            if (!begin && in.row == 0 && in.mode != GARRAY__EW_GATHER && (whole || in.mode != GARRAY__EW_ALIGNED))
                continue;               /* a row vector stays in its registers */
#pragma unroll
            for (int k = 0; k < K; k++) {
                if (row + k * period >= end && in.row != 0)
                    continue;
                const char *q = source[a] + (int32_t)(row + k * period) * in.row;
                if (in.mode == GARRAY__EW_SCALAR) {
                    x[a][k] = scalar_bits(in);
                } else if (in.mode == GARRAY__EW_SPLAT) {
                    x[a][k] = choice ? splat<boolean, 16>(*(const boolean *)q) : splat<st, 16>(*(const st *)q);
                } else if (whole && in.mode == GARRAY__EW_ALIGNED) {
                    if (choice)
                        x[a][k] = load_condition(q, (uintptr_t)q % V == 0);
                    else if ((uintptr_t)q % 16 == 0)
                        x[a][k] = load_aligned<16>(q);
                    else
                        x[a][k] = load_shifted<GRAIN>(q);
                } else {
                    x[a][k] = load_aligned<16>(&slot[a][k][threadIdx.x]);
                }
            }
        }
#pragma unroll
        for (int k = 0; k < K; k++) {
            const uint32_t i = row + k * period;
            if (i >= end)
                continue;
            const pack<V * sizeof(OUT)> v = dispatch<OUT, ARITY, SELECTS>(p.op, x[0][k], x[1][k], x[2][k]);
            char *q = target + (int32_t)i * p.out_row;
            if (whole && p.out_mode == GARRAY__EW_ALIGNED)
                store_aligned<V * sizeof(OUT)>(q, v);
            else
                scatter<OUT>(q, place_of(at, p.out_step, 0, k, p.length), p.out_dtype, v);
        }
    }
}

} /* namespace OF_DTYPE */
} /* namespace garray__cuda */

/* ---- the column: the address of an operation's kernel, NULL where there is no loop ------------------------------ */

#define COLUMN GARRAY__PASTE(garray__cuda_kernel_, GARRAY_DT)

template <class F> static const void *kernel_of(bool rows)
{
    return rows ? (const void *)garray__cuda::OF_DTYPE::rows<typename F::out, F::arity, F::selects>
                : (const void *)garray__cuda::OF_DTYPE::contiguous<F>;
}

extern "C" const void *COLUMN(int op, bool rows);

extern "C" const void *COLUMN(int op, bool rows)
{
    switch (op) {
#define GARRAY_UNARY(number, name, when, ...) WHEN_##when(case number: return kernel_of<garray__cuda::OF_DTYPE::op_##name>(rows);)
#define GARRAY_BINARY GARRAY_UNARY
#define GARRAY_TERNARY GARRAY_UNARY
#define GARRAY_SELECT GARRAY_UNARY
#define GARRAY_HIDDEN GARRAY_UNARY
#include "core/ops.def"
    default: return nullptr;
    }
}
