/* SPDX-License-Identifier: BSD-3-Clause
 * The arithmetic of reductions.  An operation has a State, and functions to take an item in, to merge two states (the
 * second one from later items) and to write the result.  All sums are wide: integers wrap at 64 bits, 16- and 32-bit
 * floats are summed in double, doubles as pairs (two-sum); what is written has been rounded once. */
#ifndef GARRAY_CUDA_REDUCE_OPS_CUH
#define GARRAY_CUDA_REDUCE_OPS_CUH

#include "cuda/kernel.cuh"
#include "cuda/reduce.h"
#include "cuda/scalar.cuh"
#include "cuda/wide.cuh"

namespace garray__cuda {

/* How a batch of items is taken in: one by one; by the vector whose largest item beats those before, which is kept; or
 * by a count of 32 bits that is added once.  in_order: items must ascend.  An operation that has result() gives its
 * output as a value. */
enum manner_of_items { PLAIN, KEPT, COUNTED };

/* Stores an integer sum modulo the width of acc_dtype. */
__device__ __forceinline__ void store_integer(char *out, int dtype, uint64_t v)
{
    switch (dtype) {
    case GARRAY_BOOL: *(uint8_t *)out = v != 0; break;
    case GARRAY_INT8: case GARRAY_UINT8: *(uint8_t *)out = (uint8_t)v; break;
    case GARRAY_INT16: case GARRAY_UINT16: *(uint16_t *)out = (uint16_t)v; break;
    case GARRAY_INT32: case GARRAY_UINT32: *(uint32_t *)out = (uint32_t)v; break;
    default: *(uint64_t *)out = v;
    }
}

__device__ __forceinline__ uint64_t integer_initial(const garray__reduce_args &a)
{
    switch (a.acc_dtype) {
    case GARRAY_BOOL: case GARRAY_UINT8: return (uint8_t)a.initial[0];
    case GARRAY_INT8: return (uint64_t)(int64_t)(int8_t)a.initial[0];
    case GARRAY_UINT16: return (uint16_t)a.initial[0];
    case GARRAY_INT16: return (uint64_t)(int64_t)(int16_t)a.initial[0];
    case GARRAY_UINT32: return (uint32_t)a.initial[0];
    case GARRAY_INT32: return (uint64_t)(int64_t)(int32_t)a.initial[0];
    default: return a.initial[0];
    }
}

template <class T> __device__ __forceinline__ T initial_as(const garray__reduce_args &a)
{
    T v;
    memcpy(&v, a.initial, sizeof v);
    return v;
}

/* Integers of up to 64 bits; a float64 result comes from the exact sum. */
template <class T> struct integer_sum {
    typedef T In;
    typedef uint64_t State;
    static constexpr manner_of_items manner = sizeof(T) <= 2 ? COUNTED : PLAIN;
    static constexpr bool in_order = false;
    static constexpr bool has_result = false;
    static constexpr bool is_fast = true;
    __device__ __forceinline__ integer_sum(const garray__reduce_args &) {}
    __device__ __forceinline__ void begin(In) {}
    __device__ static __forceinline__ State empty() { return 0; }
    __device__ __forceinline__ void take(State &s, In v, int64_t) const { s += (uint64_t)v; }
    __device__ static __forceinline__ int counts(In v) { return (int)v; }
    __device__ static __forceinline__ void merge(State &s, const State &t) { s += t; }
    __device__ static void finish(const garray__reduce_args &a, State s, int64_t n, char *out)
    {
        if (a.acc_dtype != GARRAY_FLOAT64) {
            store_integer(out, a.acc_dtype, s + (a.has_initial ? integer_initial(a) : 0));
            return;
        }
        double d = is_integer<T>::is_signed ? (double)(int64_t)s : (double)s;
        if (a.has_initial)
            d += initial_as<double>(a);
        *(double *)out = a.op == GARRAY_RED_MEAN ? d / (double)n : d;
    }
};

template <class T> struct integer_product {
    typedef T In;
    typedef uint64_t State;
    static constexpr manner_of_items manner = PLAIN;
    static constexpr bool in_order = false;
    static constexpr bool has_result = false;
    static constexpr bool is_fast = false;
    __device__ __forceinline__ integer_product(const garray__reduce_args &) {}
    __device__ __forceinline__ void begin(In) {}
    __device__ static __forceinline__ State empty() { return 1; }
    __device__ __forceinline__ void take(State &s, In v, int64_t) const { s *= (uint64_t)v; }
    __device__ static __forceinline__ void merge(State &s, const State &t) { s *= t; }
    __device__ static void finish(const garray__reduce_args &a, State s, int64_t, char *out)
    {
        store_integer(out, a.acc_dtype, s * (a.has_initial ? integer_initial(a) : 1));
    }
};

/* Sums of reals as double or as pairs, and of integers of 64 bits as pairs. */
template <class T, class Out> struct real_sum {
    typedef T In;
    typedef typename wide_of<T>::type State;
    static constexpr manner_of_items manner = PLAIN;
    static constexpr bool in_order = false;
    static constexpr bool has_result = true;
    static constexpr bool is_fast = true;
    __device__ __forceinline__ real_sum(const garray__reduce_args &) {}
    __device__ __forceinline__ void begin(In) {}
    __device__ static __forceinline__ State empty() { return wide_zero<State>(); }
    __device__ __forceinline__ void take(State &s, In v, int64_t) const { wide_add(s, (double)value_of(v)); }
    __device__ static __forceinline__ void merge(State &s, const State &t) { wide_add(s, t); }
    __device__ static __forceinline__ Out result(const garray__reduce_args &a, State s, int64_t n)
    {
        if (a.has_initial)
            wide_add(s, (double)value_of(initial_as<Out>(a)));
        return store_as<Out>(a.op == GARRAY_RED_MEAN ? wide_quotient(s, (double)n) : wide_value(s));
    }
    __device__ static void finish(const garray__reduce_args &a, State s, int64_t n, char *out)
    {
        *(Out *)out = result(a, s, n);
    }
};

template <class T, class Out> struct real_product {
    typedef T In;
    typedef double State;
    static constexpr manner_of_items manner = PLAIN;
    static constexpr bool in_order = false;
    static constexpr bool has_result = false;
    static constexpr bool is_fast = !is_integer<T>::value;
    __device__ __forceinline__ real_product(const garray__reduce_args &) {}
    __device__ __forceinline__ void begin(In) {}
    __device__ static __forceinline__ State empty() { return 1; }
    __device__ __forceinline__ void take(State &s, In v, int64_t) const { s *= (double)value_of(v); }
    __device__ static __forceinline__ void merge(State &s, const State &t) { s *= t; }
    __device__ static void finish(const garray__reduce_args &a, State s, int64_t, char *out)
    {
        if (a.has_initial)
            s *= (double)value_of(initial_as<Out>(a));
        *(Out *)out = store_as<Out>(s);
    }
};

template <class T> struct complex_sum {
    typedef T In;
    typedef typename wide_of<decltype(T::re)>::type Part;
    struct State { Part re, im; };
    static constexpr manner_of_items manner = PLAIN;
    static constexpr bool in_order = false;
    static constexpr bool has_result = false;
    static constexpr bool is_fast = true;
    __device__ __forceinline__ complex_sum(const garray__reduce_args &) {}
    __device__ __forceinline__ void begin(In) {}
    __device__ static __forceinline__ State empty() { return State{wide_zero<Part>(), wide_zero<Part>()}; }
    __device__ __forceinline__ void take(State &s, In v, int64_t) const
    {
        wide_add(s.re, (double)v.re);
        wide_add(s.im, (double)v.im);
    }
    __device__ static __forceinline__ void merge(State &s, const State &t)
    {
        wide_add(s.re, t.re);
        wide_add(s.im, t.im);
    }
    __device__ static void finish(const garray__reduce_args &a, State s, int64_t n, char *out)
    {
        typedef decltype(T::re) part;
        if (a.has_initial) {
            const T v = initial_as<T>(a);
            wide_add(s.re, (double)v.re);
            wide_add(s.im, (double)v.im);
        }
        const bool mean = a.op == GARRAY_RED_MEAN;
        T result;
        result.re = (part)(mean ? wide_quotient(s.re, (double)n) : wide_value(s.re));
        result.im = (part)(mean ? wide_quotient(s.im, (double)n) : wide_value(s.im));
        *(T *)out = result;
    }
};

template <class T> struct complex_product {
    typedef T In;
    typedef garray__c128 State;
    static constexpr manner_of_items manner = PLAIN;
    static constexpr bool in_order = false;
    static constexpr bool has_result = false;
    static constexpr bool is_fast = true;
    __device__ __forceinline__ complex_product(const garray__reduce_args &) {}
    __device__ __forceinline__ void begin(In) {}
    __device__ static __forceinline__ State empty() { return State{1, 0}; }
    __device__ static __forceinline__ void merge(State &s, const State &t)
    {
        const double re = s.re * t.re - s.im * t.im, im = s.re * t.im + s.im * t.re;
        s.re = re, s.im = im;
    }
    __device__ __forceinline__ void take(State &s, In v, int64_t) const { merge(s, State{(double)v.re, (double)v.im}); }
    __device__ static void finish(const garray__reduce_args &a, State s, int64_t, char *out)
    {
        typedef decltype(T::re) part;
        if (a.has_initial) {
            const T v = initial_as<T>(a);
            merge(s, State{(double)v.re, (double)v.im});
        }
        T result;
        result.re = (part)s.re, result.im = (part)s.im;
        *(T *)out = result;
    }
};

/* ---- extrema ------------------------------------------------------------------------------------------------- */
/* Everything looks for a maximum: for a minimum the order is turned round by flipping bits, all of an integer and
 * the sign of a float.  order<V> compares computing values; NaN is above everything and the first one stays. */
template <class V> struct order {
    typedef V Value;
    __device__ static __forceinline__ V lowest() { return is_integer<V>::is_signed ? (V)((V)1 << (8 * sizeof(V) - 1)) : (V)0; }
    __device__ static __forceinline__ V flip(V v, const uint64_t *bits) { return (V)(v ^ (V)bits[0]); }
    __device__ static __forceinline__ V greater(V a, V b) { return a > b ? a : b; }
    __device__ static __forceinline__ bool above(V a, V b) { return a > b; }
    __device__ static __forceinline__ bool level(V a, V b) { return a == b; }
};

template <> struct order<float> {
    typedef float Value;
    __device__ static __forceinline__ float lowest() { return -__int_as_float(0x7f800000); }
    __device__ static __forceinline__ float flip(float v, const uint64_t *bits)
    {
        return __uint_as_float(__float_as_uint(v) ^ (uint32_t)bits[0]);
    }
    __device__ static __forceinline__ float greater(float a, float b)
    {
#if __CUDA_ARCH__ >= 800
        float c;                        /* NaN stays, and -0 is below +0 */
        asm("max.NaN.f32 %0, %1, %2;" : "=f"(c) : "f"(a), "f"(b));
        return c;
#else
        return a != a ? a : b != b ? b : fmaxf(a, b);
#endif
    }
    __device__ static __forceinline__ bool above(float a, float b) { return !(a <= b) && b == b; }
    __device__ static __forceinline__ bool level(float a, float b) { return a == b || (a != a && b != b); }
};

template <> struct order<double> {
    typedef double Value;
    __device__ static __forceinline__ double lowest() { return -__longlong_as_double(0x7ff0000000000000ll); }
    __device__ static __forceinline__ double flip(double v, const uint64_t *bits)
    {
        return __longlong_as_double(__double_as_longlong(v) ^ (long long)bits[0]);
    }
    __device__ static __forceinline__ double greater(double a, double b)
    {
        if (a == b)                     /* of two zeros the positive one */
            return __longlong_as_double(__double_as_longlong(a) & __double_as_longlong(b));
        return a != a || a > b ? a : b;
    }
    __device__ static __forceinline__ bool above(double a, double b) { return !(a <= b) && b == b; }
    __device__ static __forceinline__ bool level(double a, double b) { return a == b || (a != a && b != b); }
};

/* Lexicographic; a value with a NaN in either part counts as NaN. */
template <class T> struct complex_order {
    typedef T Value;
    typedef decltype(T::re) part;
    __device__ static __forceinline__ bool nan(T v) { return v.re != v.re || v.im != v.im; }
    __device__ static __forceinline__ T lowest() { return T{order<part>::lowest(), order<part>::lowest()}; }
    __device__ static __forceinline__ T flip(T v, const uint64_t *bits)
    {
        return T{order<part>::flip(v.re, bits), order<part>::flip(v.im, bits)};
    }
    __device__ static __forceinline__ bool above(T a, T b)
    {
        if (nan(a) || nan(b))
            return nan(a) && !nan(b);
        return a.re > b.re || (a.re == b.re && a.im > b.im);
    }
    __device__ static __forceinline__ T greater(T a, T b) { return above(b, a) ? b : a; }
    __device__ static __forceinline__ bool level(T a, T b)
    {
        return (nan(a) && nan(b)) || (a.re == b.re && a.im == b.im);
    }
};

template <> struct order<garray__c64> : complex_order<garray__c64> {};
template <> struct order<garray__c128> : complex_order<garray__c128> {};

template <class T> struct extremum {
    typedef T In;
    typedef typename compute_of<T>::type State;
    typedef order<State> Order;
    static constexpr manner_of_items manner = PLAIN;
    static constexpr bool in_order = false;
    static constexpr bool has_result = true;
    static constexpr bool is_fast = true;
    const uint64_t *flip;
    __device__ __forceinline__ extremum(const garray__reduce_args &a) : flip(a.flip) {}
    __device__ __forceinline__ void begin(In) {}
    __device__ static __forceinline__ State empty() { return Order::lowest(); }
    __device__ __forceinline__ void take(State &s, In v, int64_t) const
    {
        s = Order::greater(s, Order::flip(value_of(v), flip));
    }
    __device__ static __forceinline__ void merge(State &s, const State &t) { s = Order::greater(s, t); }
    __device__ static __forceinline__ T result(const garray__reduce_args &a, State s, int64_t n)
    {
        if (a.has_initial) {
            const State first = Order::flip(value_of(initial_as<T>(a)), a.flip);
            s = n > 0 ? Order::greater(first, s) : first;
        }
        return store_as<T>(Order::flip(s, a.flip));
    }
    __device__ static void finish(const garray__reduce_args &a, State s, int64_t n, char *out)
    {
        *(T *)out = result(a, s, n);
    }
};

/* A state that no item has beaten keeps index INT64_MAX: then all items are the lowest value and the first one is
 * the answer.  Within a thread items come in ascending order, so a tie never replaces. */
template <class T> struct arg_extremum {
    typedef T In;
    typedef typename compute_of<T>::type Value;
    typedef order<Value> Order;
    struct State { int64_t index; Value value; };
    /* Vectors of several items: the first whose largest item is above all before it. */
    struct Kept {
        Value best;
        int vector;                     /* -1: none */
        pack<16> items;
    };
    static constexpr manner_of_items manner = sizeof(T) <= 4 ? KEPT : PLAIN;
    static constexpr bool in_one_step = sizeof(Value) == 4;     /* there is merge_warp() */
    static constexpr bool in_order = manner == PLAIN;
    static constexpr bool has_result = false;
    static constexpr bool is_fast = true;
    const uint64_t *flip;
    __device__ __forceinline__ arg_extremum(const garray__reduce_args &a) : flip(a.flip) {}
    __device__ __forceinline__ void begin(In) {}
    __device__ static __forceinline__ State empty() { return State{INT64_MAX, Order::lowest()}; }
    __device__ __forceinline__ void take(State &s, In item, int64_t i) const
    {
        const Value v = Order::flip(value_of(item), flip);
        const bool up = Order::above(v, s.value);       /* selects, not a branch: early items often go up */
        s.value = up ? v : s.value;
        s.index = up ? i : s.index;
    }
    __device__ static __forceinline__ Kept nothing() { return Kept{Order::lowest(), -1, zero_pack<16>()}; }
    __device__ __forceinline__ void keep(Kept &k, const pack<16> &p, int vector) const
    {
        Value best = Order::flip(value_of(item<In>(p, 0)), flip);
#pragma unroll
        for (int i = 1; i < 16 / (int)sizeof(In); i++)
            best = Order::greater(best, Order::flip(value_of(item<In>(p, i)), flip));
        const bool up = Order::above(best, k.best);
        k.best = up ? best : k.best;
        k.vector = up ? vector : k.vector;
#pragma unroll
        for (int w = 0; w < 4; w++)
            k.items.w[w] = up ? p.w[w] : k.items.w[w];
    }
    /* first: index of the first item of vector 0. */
    __device__ __forceinline__ State settle(const Kept &k, int64_t first) const
    {
        State s = empty();
        if (k.vector < 0)
            return s;
#pragma unroll
        for (int i = 0; i < 16 / (int)sizeof(In); i++)
            take(s, item<In>(k.items, i), first + (int64_t)k.vector * (16 / (int)sizeof(In)) + i);
        return s;
    }
    __device__ static __forceinline__ void merge(State &s, const State &t)
    {
        const bool change = Order::above(t.value, s.value) || (Order::level(t.value, s.value) && t.index < s.index);
        s.value = change ? t.value : s.value;
        s.index = change ? t.index : s.index;
    }
#if defined(__CUDA_ARCH__) && __CUDA_ARCH__ >= 800
    /* Ascends as values do; level ones agree. */
    __device__ static __forceinline__ uint32_t rank_of(Value v)
    {
        if constexpr (is_integer<Value>::value) {
            return is_integer<Value>::is_signed ? (uint32_t)v ^ 0x80000000u : (uint32_t)v;
        } else {
            const uint32_t bits = v == 0 ? 0 : __float_as_uint(v);
            return v != v ? UINT32_MAX : bits ^ ((uint32_t)((int32_t)bits >> 31) | 0x80000000u);
        }
    }
    /* merge() of all lanes, for each of them: the best value, and of the lanes that have it the least index. */
    __device__ static __forceinline__ void merge_warp(State &s)
    {
        const uint32_t rank = rank_of(s.value), best = __reduce_max_sync(0xffffffffu, rank);
        const uint32_t upper = rank == best ? (uint32_t)(s.index >> 32) : UINT32_MAX;
        const uint32_t least = __reduce_min_sync(0xffffffffu, upper);
        const uint32_t lower = upper == least ? (uint32_t)s.index : UINT32_MAX;
        s.index = (int64_t)((uint64_t)least << 32 | __reduce_min_sync(0xffffffffu, lower));
        s.value = __shfl_sync(0xffffffffu, s.value, __ffs(__ballot_sync(0xffffffffu, rank == best)) - 1);
    }
#endif
    __device__ static void finish(const garray__reduce_args &, State s, int64_t, char *out)
    {
        *(int64_t *)out = s.index == INT64_MAX ? 0 : s.index;
    }
};

/* ---- variance ------------------------------------------------------------------------------------------------ */
/* One read: sums of d and d * d, where d is the distance from an item of the same reduction.  That item is one of the
 * n, so the cancellation at the end is by a factor of at most about n, and typically 2; double holds that for
 * float32 data, pairs for float64. */
template <class T, class Out> struct variance {
    typedef T In;
    typedef typename wide_of<T>::type Part;
    struct State { Part sum, square; };
    static constexpr manner_of_items manner = PLAIN;
    static constexpr bool in_order = false;
    static constexpr bool has_result = true;
    static constexpr bool is_fast = true;
    double origin;
    __device__ __forceinline__ variance(const garray__reduce_args &) : origin(0) {}
    __device__ __forceinline__ void begin(In v)
    {
        origin = (double)value_of(v);
        if (!isfinite(origin))
            origin = 0;
    }
    __device__ static __forceinline__ State empty() { return State{wide_zero<Part>(), wide_zero<Part>()}; }
    __device__ __forceinline__ void take(State &s, In v, int64_t) const
    {
        const double d = (double)value_of(v) - origin;
        wide_add(s.sum, d);
        wide_add_square(s.square, d);
    }
    __device__ static __forceinline__ void merge(State &s, const State &t)
    {
        wide_add(s.sum, t.sum);
        wide_add(s.square, t.square);
    }
    __device__ static __forceinline__ Out result(const garray__reduce_args &a, State s, int64_t n)
    {
        const double v = variance_of(wide_moment(s.square, s.sum, (double)n), (double)n, a.correction);
        return store_as<Out>(a.op == GARRAY_RED_STD ? sqrt(v) : v);
    }
    __device__ static void finish(const garray__reduce_args &a, State s, int64_t n, char *out)
    {
        *(Out *)out = result(a, s, n);
    }
};

template <class T> struct complex_variance {
    typedef T In;
    typedef decltype(T::re) Real;
    typedef typename wide_of<Real>::type Part;
    struct State { Part re, im, re_square, im_square; };
    static constexpr manner_of_items manner = PLAIN;
    static constexpr bool in_order = false;
    static constexpr bool has_result = false;
    static constexpr bool is_fast = true;
    double re, im;
    __device__ __forceinline__ complex_variance(const garray__reduce_args &) : re(0), im(0) {}
    __device__ __forceinline__ void begin(In v)
    {
        re = isfinite(v.re) ? (double)v.re : 0;
        im = isfinite(v.im) ? (double)v.im : 0;
    }
    __device__ static __forceinline__ State empty()
    {
        return State{wide_zero<Part>(), wide_zero<Part>(), wide_zero<Part>(), wide_zero<Part>()};
    }
    __device__ __forceinline__ void take(State &s, In v, int64_t) const
    {
        const double x = (double)v.re - re, y = (double)v.im - im;
        wide_add(s.re, x);
        wide_add(s.im, y);
        wide_add_square(s.re_square, x);
        wide_add_square(s.im_square, y);
    }
    __device__ static __forceinline__ void merge(State &s, const State &t)
    {
        wide_add(s.re, t.re);
        wide_add(s.im, t.im);
        wide_add(s.re_square, t.re_square);
        wide_add(s.im_square, t.im_square);
    }
    __device__ static void finish(const garray__reduce_args &a, State s, int64_t n, char *out)
    {
        const double count = (double)n;
        const double moment = wide_moment(s.re_square, s.re, count) + wide_moment(s.im_square, s.im, count);
        const double v = variance_of(moment, count, a.correction);
        *(Real *)out = (Real)(a.op == GARRAY_RED_STD ? sqrt(v) : v);
    }
};

/* ---- counting ------------------------------------------------------------------------------------------------ */
/* By item size: an item counts when any bit of flip[] is set in it, which leaves the signs of floats out.  ALL counts
 * the items that are zero. */
template <class T> struct nonzero_count {
    typedef T In;
    typedef int64_t State;
    static constexpr manner_of_items manner = COUNTED;
    static constexpr bool in_order = false;
    static constexpr bool has_result = false;
    static constexpr bool is_fast = true;
    uint64_t bits, more;
    bool zeros;
    __device__ __forceinline__ nonzero_count(const garray__reduce_args &a)
        : bits(a.flip[0]), more(a.flip[1]), zeros(a.op == GARRAY_RED_ALL) {}
    __device__ __forceinline__ void begin(In) {}
    __device__ static __forceinline__ State empty() { return 0; }
    __device__ __forceinline__ void take(State &s, In v, int64_t) const
    {
        s += counts(v);
    }
    __device__ __forceinline__ int counts(In v) const
    {
        if constexpr (sizeof(T) == 16)
            return (((uint64_t)__double_as_longlong(v.re) & bits) || ((uint64_t)__double_as_longlong(v.im) & more)) != zeros;
        else
            return ((v & (T)bits) != 0) != zeros;
    }
    __device__ static __forceinline__ void merge(State &s, const State &t) { s += t; }
    __device__ static void finish(const garray__reduce_args &a, State s, int64_t, char *out)
    {
        if (a.op == GARRAY_RED_COUNT_NONZERO)
            *(int64_t *)out = s;
        else
            *(uint8_t *)out = a.op == GARRAY_RED_ANY ? s != 0 : s == 0;
    }
};

} /* namespace garray__cuda */
#endif
