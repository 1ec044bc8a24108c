/* SPDX-License-Identifier: BSD-3-Clause
 * The elementwise kernels of one dtype (GARRAY_DT).
 *
 * contiguous: operands that lie item by item, or are scalars, or repeat along rows of whole vectors; one kernel for each
 * operation.
 * sweep: rows of items, row vectors and column vectors (broadcasts, pitched arrays); one kernel for each operation
 * that they are common for.
 * mixed: contiguous operands of other dtypes, and short rows.
 * rows: any strides up to 2^31 bytes, any dtypes.
 * Of the last two there is one kernel for each signature, which calls the operation: everything around it is compiled
 * once.  Another mixed one has the common operations in it.
 * All work on 16-byte vectors where they can.  Long formulas are functions that the kernels call. */
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
constexpr int FLAT_K = GARRAY_CUDA_FLAT_VECTORS(sizeof(st));
constexpr int FLAT_BLOCK = GARRAY_CUDA_FLAT_BLOCK;
constexpr int GRAIN = GARRAY_KIND == K_COMPLEX ? sizeof(st) / 2 : sizeof(st);

#include "cuda/elementwise_items.cuh"

/* ---- operations ---------------------------------------------------------------------------------------------- */

struct result_SAME { typedef st type; };
struct result_BOOL { typedef boolean type; };
#if GARRAY_KIND == K_COMPLEX
struct result_REAL { typedef rt type; };
#else
struct result_REAL { typedef st type; };
#endif

typedef result_SAME result_BYTE, result_INT;

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
    long_REAL = 1, long_INEXACT = 1, long_FLOAT = 1, long_DOUBLES = 1
};

/* Of the other classes these have long ones. */
constexpr bool has_loop(int number)
{
    return number == GARRAY_OP_pow || number == GARRAY_OP_gcd || number == GARRAY_OP_lcm || number == GARRAY_OP_bitwise_count;
}

/* What convert.c copies with. */
constexpr int IDENTITY = GARRAY_KIND == K_BOOL ? GARRAY_OP_real : GARRAY_OP_positive;

/* The operations that broadcasts and pitched arrays are common for; the others' rows go through the general kernel. */
constexpr bool is_swept(int number)
{
    switch (number) {
    case IDENTITY:
    case GARRAY_OP_add:
    case GARRAY_OP_subtract:
    case GARRAY_OP_multiply:
    case GARRAY_OP_where: return true;
    case GARRAY_OP_divide:
    case GARRAY_OP_maximum:
    case GARRAY_OP_minimum:
    case GARRAY_OP_equal:
    case GARRAY_OP_not_equal:
    case GARRAY_OP_less:
    case GARRAY_OP_less_equal:
    case GARRAY_OP_greater:
    case GARRAY_OP_greater_equal: return GARRAY_KIND != K_COMPLEX;
    default: return false;
    }
}

/* The long ones that stand in the contiguous kernel instead of being called by it: those that are used most. */
constexpr bool stands(int number)
{
    switch (number) {
    case GARRAY_OP_exp:
    case GARRAY_OP_log:
    case GARRAY_OP_pow:
    case GARRAY_OP_sqrt:
    case GARRAY_OP_sin:
    case GARRAY_OP_cos:
    case GARRAY_OP_tanh: return GARRAY_KIND != K_COMPLEX;
    default: return false;
    }
}

#define OPERATION(number, name, n, chooses, when, kind, formula)                                \
    struct op_##name {                                                                          \
        static constexpr int code = number, arity = n;                                          \
        static constexpr bool selects = chooses;                                                \
        static constexpr bool is_long = has_loop(number)                                        \
                                     || (long_##when && (number != GARRAY_OP_divide || GARRAY_KIND == K_COMPLEX)); \
        static constexpr bool sweeps = !is_long && is_swept(number);                            \
        static constexpr bool in_place = stands(number);                                       \
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
#include "core/ops.def"
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

template <class F> __device__ __forceinline__ pack<V * sizeof(typename F::out)> apply_flat(pack<16> a, pack<16> b, pack<16> c)
{
    if constexpr (F::in_place)
        return short_apply<F>(a, b, c);
    else
        return apply<F>(a, b, c);
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

/* One item, at the beginning of a pack. */
__device__ __forceinline__ pack<16> load_one(const char *p, bool condition)
{
    pack<16> v = zero_pack<16>();
    if (condition)
        v.w[0] = *(const uint8_t *)p;
    else
        set_item(v, 0, *(const st *)p);
    return v;
}

__device__ __forceinline__ pack<16> splat_one(const char *p, bool condition)
{
    return condition ? splat<boolean, 16>(*(const boolean *)p) : splat<st, 16>(*(const st *)p);
}

/* First in every thread of a kernel that was told to by garray__cuda_launch_next(): waits for the kernel before, and lets the
 * next one get ready. */
__device__ __forceinline__ void follow()
{
#if defined(__CUDA_ARCH__) && __CUDA_ARCH__ >= 900
    asm volatile("griddepcontrol.wait;\n\tgriddepcontrol.launch_dependents;" ::: "memory");
#endif
}

/* Where vector n of a row vector begins, or the item of a column vector that its items all meet. */
__device__ __forceinline__ const char *of_rows(const garray__ew_flat &p, const garray__ew_input &in, uint32_t n)
{
    const uint32_t row = garray__fastdiv(n, p.length);
    return in.mode == GARRAY__EW_ROW ? in.data + (n - row * p.length.divisor) * 16 : in.data + (int64_t)row * in.row;
}

/* Item i of an operand. */
template <bool CONDITION>
__device__ __forceinline__ pack<16> one_of(const garray__ew_flat &p, const garray__ew_input &in, int64_t i)
{
    const int size = CONDITION ? 1 : sizeof(st);
    switch (in.mode) {
    case GARRAY__EW_SCALAR: return scalar_bits(in);
    case GARRAY__EW_SPLAT: return load_one(in.data, CONDITION);
    case GARRAY__EW_ROW: return load_one(of_rows(p, in, (uint32_t)(i / V)) + i % V * size, CONDITION);
    case GARRAY__EW_COLUMN: return load_one(of_rows(p, in, (uint32_t)(i / V)), CONDITION);
    default: return load_one(in.data + i * size, CONDITION);
    }
}

template <class F> __global__ void __launch_bounds__(FLAT_BLOCK) contiguous(const __grid_constant__ garray__ew_flat p)
{
    typedef typename F::out out;
    constexpr int STEP = FLAT_BLOCK * V, TILE = FLAT_K * STEP;
    if (p.next)
        follow();
    const int64_t tile = (int64_t)blockIdx.x * TILE - p.shift, first = tile + (int)threadIdx.x * V;
    /* of a thread's only vector, else of the block's */
    const int64_t begin = FLAT_K == 1 ? first : tile, end = begin + (FLAT_K == 1 ? V : TILE);

    if (begin >= 0 && end <= p.count) {
        pack<16> x[3][FLAT_K];
#pragma unroll
        for (int a = 0; a < F::arity; a++) {
            const garray__ew_input &in = p.in[a];
            const bool condition = F::selects && a == 0;
            if (in.mode == GARRAY__EW_SCALAR) {
#pragma unroll
                for (int k = 0; k < FLAT_K; k++)
                    x[a][k] = scalar_bits(in);
            } else if (condition && in.mode != GARRAY__EW_SPLAT) {
#pragma unroll
                for (int k = 0; k < FLAT_K; k++)
                    x[a][k] = load_condition(in.data + first + k * STEP, in.mode == GARRAY__EW_ALIGNED);
            } else if (in.mode == GARRAY__EW_ALIGNED) {
#pragma unroll
                for (int k = 0; k < FLAT_K; k++)
                    x[a][k] = load_aligned<16>((const st *)in.data + first + k * STEP);
            } else if (in.mode == GARRAY__EW_SHIFTED) {
#pragma unroll
                for (int k = 0; k < FLAT_K; k++)
                    x[a][k] = load_shifted<GRAIN>((const st *)in.data + first + k * STEP);
            } else if (in.mode == GARRAY__EW_ROW) {
#pragma unroll
                for (int k = 0; k < FLAT_K; k++)
                    x[a][k] = load_aligned<16>(of_rows(p, in, (blockIdx.x * FLAT_K + k) * FLAT_BLOCK + threadIdx.x));
            } else if (in.mode == GARRAY__EW_COLUMN) {
#pragma unroll
                for (int k = 0; k < FLAT_K; k++)
                    x[a][k] = splat_one(of_rows(p, in, (blockIdx.x * FLAT_K + k) * FLAT_BLOCK + threadIdx.x), false);
            } else {
                const pack<16> v = splat_one(in.data, condition);
#pragma unroll
                for (int k = 0; k < FLAT_K; k++)
                    x[a][k] = v;
            }
        }
#pragma unroll
        for (int k = 0; k < FLAT_K; k++)
            store_aligned<V * sizeof(out)>((out *)p.out + first + k * STEP, apply_flat<F>(x[0][k], x[1][k], x[2][k]));
    } else {
        /* the array begins or ends here */
        constexpr int NEXT = FLAT_K == 1 ? 1 : FLAT_BLOCK;
#pragma unroll 1
        for (int64_t i = FLAT_K == 1 ? first : tile + (int)threadIdx.x; i < end && i < p.count; i += NEXT) {
            if (i < 0)
                continue;
            pack<16> x[3];
            x[0] = one_of<F::selects>(p, p.in[0], i);
#pragma unroll
            for (int a = 1; a < F::arity; a++)
                x[a] = one_of<false>(p, p.in[a], i);
            ((out *)p.out)[i] = apply_one<F>(x[0], x[1], x[2]);
        }
    }
}

/* ---- stripes of rows ---------------------------------------------------------------------------------------------- */

/* Where a thread works: its chunk of V columns in the rows `row`, `row` + period, ... below `end`. */
template <int ARITY> struct stripe {
    char *target;
    const char *source[ARITY];          /* of column `low` - `low`: item e of the chunk is e steps further */
    uint32_t row, end;
    int32_t low, high;                  /* the items of the chunk that exist */
};

/* Where all threads begin.  locate() moves on from here rather than filling a stripe itself: with a stripe that either
 * branch of a kernel fills, nvcc 13.0 has been seen to lose the step to the thread's chunk. */
template <int ARITY> __device__ __forceinline__ stripe<ARITY> origin(const garray__ew_rows &p)
{
    stripe<ARITY> s;
    s.target = p.out;
#pragma unroll
    for (int a = 0; a < ARITY; a++)
        s.source[a] = p.in[a].data;
    s.row = 0;
    s.end = K;
    s.low = 0;
    s.high = V;
    return s;
}

/* Moves on from there; false: there is nothing for this thread. */
template <class OUT, int ARITY> __device__ __forceinline__ bool locate(const garray__ew_rows &p, stripe<ARITY> &s)
{
    const uint32_t t = blockIdx.x * BLOCK + threadIdx.x;
    if (t >= p.threads)
        return false;
    uint32_t q = garray__fastdiv(t, p.chunks);
    const uint32_t chunk = t - q * p.chunks.divisor;
    const uint32_t next = garray__fastdiv(q, p.classes);
    s.row = q - next * p.classes.divisor;
    q = garray__fastdiv(next, p.slabs);
    s.row += (next - q * p.slabs.divisor) * p.slab * p.period;
    s.end = min(s.row + p.slab * p.period, p.rows);
    if (p.walk.ndim > 0) {
        s.target += walk_offset(p.walk, 0, q);
#pragma unroll
        for (int a = 0; a < ARITY; a++)
            s.source[a] += walk_offset(p.walk, a + 1, q);
    }
    int32_t first = chunk * V;
    if (p.out_mode == GARRAY__EW_ALIGNED)
        first -= (uint32_t)((uintptr_t)(s.target + (int32_t)s.row * p.out_row) / sizeof(OUT)) % V;
    s.low = first < 0 ? -first : 0;
    s.high = min((int32_t)p.length - first, V);
    s.target += first * p.out_step;
#pragma unroll
    for (int a = 0; a < ARITY; a++)
        s.source[a] += first * p.in[a].step;
    return s.row < s.end && s.high > 0;
}

/* ---- sweep ------------------------------------------------------------------------------------------------------- */

/* What a thread fetches of a row: an item, a vector, the two vectors around one, or the two that V items with gaps lie in.
 * An item of the row lies in each of them; the last may end behind the array, in the same 16 bytes (memory.c).  It is made a
 * vector of the row's items only when everything has been asked for, so that all fetches are under way together. */
struct fetched {
    pack<16> low, high;
};

__device__ __forceinline__ void fetch(fetched &f, const char *p, int mode, bool condition)
{
    const uint32_t s = (uint32_t)(uintptr_t)p & 15;
    if (condition) {
        f.low = mode == GARRAY__EW_SPLAT ? splat<boolean, 16>(*(const boolean *)p) : load_condition(p, (uintptr_t)p % V == 0);
    } else if (mode == GARRAY__EW_SPLAT) {
        f.low = load_one(p, false);
    } else {
        f.low = load_aligned<16>(p - s);
        if (s != 0 || mode == GARRAY__EW_SECOND)
            f.high = load_aligned<16>(p - s + 16);
    }
}

/* Every second item of the two vectors, from the first one or the one after it. */
__device__ __forceinline__ pack<16> every_second(const fetched &f, bool after)
{
    pack<16> v = zero_pack<16>();
#pragma unroll
    for (int e = 0; e < V; e++) {
        const int i = 2 * e % V, j = V > 1 ? i + 1 : 0;
        const pack<16> &from = 2 * e < V ? f.low : f.high;
        set_item(v, e, after ? item<st>(from, j) : item<st>(from, i));
    }
    return v;
}

__device__ __forceinline__ pack<16> vector_of(const fetched &f, const char *p, int mode, bool condition)
{
    const uint32_t s = (uint32_t)(uintptr_t)p & 15;
    if (condition)
        return f.low;
    if (mode == GARRAY__EW_SPLAT)
        return splat<st, 16>(item<st>(f.low, 0));
    if (mode == GARRAY__EW_SECOND)
        return every_second(f, s != 0);
    return s != 0 ? shifted<GRAIN>(f.low, f.high, s) : f.low;
}

template <class F> __global__ void __launch_bounds__(BLOCK) sweep(const __grid_constant__ garray__ew_rows p)
{
    typedef typename F::out out;
    stripe<F::arity> s = origin<F::arity>(p);
    if (!locate<out>(p, s))
        return;

    if (s.low > 0 || s.high < V) {
#pragma unroll 1
        for (uint32_t row = s.row; row < s.end; row += p.period) {
#pragma unroll 1
            for (int e = s.low; e < s.high; e++) {
                pack<16> x[3];
#pragma unroll
                for (int a = 0; a < F::arity; a++) {
                    const garray__ew_input &in = p.in[a];
                    x[a] = in.mode == GARRAY__EW_SCALAR ? scalar_bits(in)
                         : load_one(s.source[a] + (int32_t)row * in.row + e * in.step, F::selects && a == 0);
                }
                ((out *)(s.target + (int32_t)row * p.out_row))[e] = apply_one<F>(x[0], x[1], x[2]);
            }
        }
        return;
    }

    /* What does not change from row to row stays in its registers. */
    fetched x[3][K];
#pragma unroll
    for (int a = 0; a < F::arity; a++) {
        const garray__ew_input &in = p.in[a];
        const bool condition = F::selects && a == 0;
        if (in.row != 0)
            continue;
        if (in.mode == GARRAY__EW_SCALAR) {
            x[a][0].low = scalar_bits(in);
        } else {
            fetch(x[a][0], s.source[a], in.mode, condition);
            x[a][0].low = vector_of(x[a][0], s.source[a], in.mode, condition);
        }
#pragma unroll
        for (int k = 1; k < K; k++)
            x[a][k].low = x[a][0].low;
    }
#pragma unroll 1
    for (uint32_t row = s.row; row < s.end; row += K * p.period) {
        uint32_t at[K];
#pragma unroll
        for (int k = 0; k < K; k++)     /* beyond the end a row is read again and not written */
            at[k] = row + k * p.period < s.end ? row + k * p.period : row;
#pragma unroll
        for (int a = 0; a < F::arity; a++)
            if (p.in[a].row != 0)
#pragma unroll
                for (int k = 0; k < K; k++)
                    fetch(x[a][k], s.source[a] + (int32_t)at[k] * p.in[a].row, p.in[a].mode, F::selects && a == 0);
#pragma unroll
        for (int a = 0; a < F::arity; a++)
            if (p.in[a].row != 0)
#pragma unroll
                for (int k = 0; k < K; k++)
                    x[a][k].low = vector_of(x[a][k], s.source[a] + (int32_t)at[k] * p.in[a].row, p.in[a].mode,
                                            F::selects && a == 0);
#pragma unroll
        for (int k = 0; k < K; k++)
            if (k == 0 || at[k] != row)
                store_aligned<V * sizeof(out)>(s.target + (int32_t)at[k] * p.out_row,
                                               apply<F>(x[0][k].low, x[1][k].low, x[2][k].low));
    }
}

/* ---- an operation by its number ---------------------------------------------------------------------------------- */

/* PLAIN: one of the operations that the sweep knows. */
template <class OUT, int ARITY, bool SELECTS, bool PLAIN>
__device__ __forceinline__ pack<V * sizeof(OUT)> apply_number(int op, pack<16> a, pack<16> b, pack<16> c)
{
#define CASE(name)                                                                              \
    case op_##name::code:                                                                       \
        if constexpr (same<op_##name::out, OUT>::value && op_##name::arity == ARITY && op_##name::selects == SELECTS \
                      && (op_##name::sweeps || !PLAIN))                                         \
            return apply<op_##name>(a, b, c);                                                   \
        break;
    switch (op) {
#define GARRAY_UNARY(number, name, when, ...) WHEN_##when(CASE(name))
#include "core/ops.def"
    }
#undef CASE
    return zero_pack<V * sizeof(OUT)>();
}

/* All of them: a call, so that they stand once in a dtype's kernels. */
template <class OUT, int ARITY, bool SELECTS>
__device__ __noinline__ pack<V * sizeof(OUT)> dispatch(int op, pack<16> a, pack<16> b, pack<16> c)
{
    return apply_number<OUT, ARITY, SELECTS, false>(op, a, b, c);
}

/* ---- mixed ------------------------------------------------------------------------------------------------------- */

__device__ __forceinline__ place edge_of(int64_t first, int64_t count, int step)
{
    const int64_t left = count - first;
    return {first < 0 ? (int)-first : 0, left < V ? (int)(left < 0 ? 0 : left) : V, step, nullptr, 0, 0};
}

/* The vector of an input of the items from i on; whole: all of them exist. */
__device__ __forceinline__ pack<16> fetch_mixed(const garray__ew_flat &p, const garray__ew_input &in, int64_t i, bool whole,
                                                bool condition)
{
    if (in.mode == GARRAY__EW_SCALAR)
        return scalar_bits(in);
    if (in.mode == GARRAY__EW_SPLAT)
        return splat_one(in.data, condition);
    if (in.mode == GARRAY__EW_SHORT)
        return gather_short(in.data, edge_of(i, p.count, in.step), in.row, (int32_t)i, p.length, condition);
    if (!whole || in.mode == GARRAY__EW_GATHER)
        return gather(in.data + i * in.step, edge_of(i, p.count, in.step), in.dtype, condition);
    if (condition)
        return load_condition(in.data + i, in.mode == GARRAY__EW_ALIGNED);
    const st *source = (const st *)in.data + i;
    return in.mode == GARRAY__EW_ALIGNED ? load_aligned<16>(source) : load_shifted<GRAIN>(source);
}

/* PLAIN: of two operands, and one of the operations that the sweep knows. */
template <class OUT, int ARITY, bool SELECTS, bool PLAIN>
__global__ void __launch_bounds__(FLAT_BLOCK) mixed(const __grid_constant__ garray__ew_flat p)
{
    const int64_t tile = (int64_t)blockIdx.x * (FLAT_BLOCK * V) - p.shift, first = tile + (int)threadIdx.x * V;
    const bool whole = tile >= 0 && tile + FLAT_BLOCK * V <= p.count;
    pack<16> x[3];
    pack<WIDEST> raw[3];
    /* All vectors are asked for before one is cast: a call waits for what is under way. */
#pragma unroll
    for (int a = 0; a < ARITY; a++) {
        const garray__ew_input &in = p.in[a];
        if (whole && in.mode == GARRAY__EW_CAST)
            raw[a] = load_raw(in.data + first * in.step, in.step);
        else
            x[a] = fetch_mixed(p, in, first, whole, SELECTS && a == 0);
    }
#pragma unroll
    for (int a = 0; a < ARITY; a++)
        if (whole && p.in[a].mode == GARRAY__EW_CAST)
            x[a] = cast_usual(raw[a], p.in[a].dtype);

    char *q = p.out + first * p.out_size;
    pack<V * sizeof(OUT)> v;
    if constexpr (PLAIN)
        v = apply_number<OUT, ARITY, SELECTS, true>(p.op, x[0], x[1], x[1]);
    else
        v = dispatch<OUT, ARITY, SELECTS>(p.op, x[0], x[1], x[2]);
    if (!whole)
        scatter<OUT>(q, edge_of(first, p.count, p.out_size), p.out_dtype, v);
    else if (p.out_mode == GARRAY__EW_ALIGNED)
        store_aligned<V * sizeof(OUT)>(q, v);
    else
        store_cast<OUT>(q, p.out_dtype, v);
}

/* ---- rows -------------------------------------------------------------------------------------------------------- */

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
    stripe<ARITY> s = origin<ARITY>(p);
    place at = {0, V, 0, nullptr, 0, 0};
    if (p.period == 0) {
        at.walk = &p.walk;
        at.index = blockIdx.x * (BLOCK * K * V) + threadIdx.x;
    } else {
        if (!locate<OUT>(p, s))
            return;
        at.low = s.low;
        at.high = s.high;
    }

    const bool whole = p.period != 0 && at.low == 0 && at.high == V;
    const uint32_t period = p.period != 0 ? p.period : 1;
    pack<16> x[3][K];
    uint32_t row = s.row;
    for (bool begin = true; row < s.end; row += K * period, begin = false) {
#pragma unroll 1
        for (int a = 0; a < ARITY; a++) {
            const garray__ew_input &in = p.in[a];
            if (in.mode != GARRAY__EW_GATHER && (whole || in.mode != GARRAY__EW_ALIGNED))
                continue;
#pragma unroll 1
            for (int k = 0; k < K && row + k * period < s.end; k++) {
                const pack<16> v = gather(s.source[a] + (int32_t)(row + k * period) * in.row,
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
                if (row + k * period >= s.end && in.row != 0)
                    continue;
                const char *q = s.source[a] + (int32_t)(row + k * period) * in.row;
                if (in.mode == GARRAY__EW_SCALAR) {
                    x[a][k] = scalar_bits(in);
                } else if (in.mode == GARRAY__EW_SPLAT) {
                    x[a][k] = splat_one(q, choice);
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
            if (i >= s.end)
                continue;
            const pack<V * sizeof(OUT)> v = dispatch<OUT, ARITY, SELECTS>(p.op, x[0][k], x[1][k], x[2][k]);
            char *q = s.target + (int32_t)i * p.out_row;
            if (whole && p.out_mode == GARRAY__EW_ALIGNED)
                store_aligned<V * sizeof(OUT)>(q, v);
            else
                scatter<OUT>(q, place_of(at, p.out_step, 0, k, p.length), p.out_dtype, v);
        }
    }
}

} /* namespace OF_DTYPE */
} /* namespace garray__cuda */

/* ---- the column: the address of an operation's kernel, NULL where there is none ------------------------------ */

#define COLUMN GARRAY__PASTE(garray__cuda_kernel_, GARRAY_DT)

template <class F> static const void *kernel_of(int shape)
{
    using namespace garray__cuda::OF_DTYPE;
    switch (shape) {
    case GARRAY__EW_CONTIGUOUS_KERNEL: return (const void *)contiguous<F>;
    case GARRAY__EW_MIXED_KERNEL:
        return (const void *)mixed<typename F::out, F::arity, F::selects, F::sweeps && F::arity == 2>;
    case GARRAY__EW_SWEEP_KERNEL:
        if constexpr (F::sweeps)
            return (const void *)sweep<F>;
        else
            return nullptr;
    default: return (const void *)rows<typename F::out, F::arity, F::selects>;
    }
}

extern "C" const void *COLUMN(int op, int shape)
{
    switch (op) {
#define GARRAY_UNARY(number, name, when, ...) WHEN_##when(case number: return kernel_of<garray__cuda::OF_DTYPE::op_##name>(shape);)
#include "core/ops.def"
    default: return nullptr;
    }
}
