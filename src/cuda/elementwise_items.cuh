/* SPDX-License-Identifier: BSD-3-Clause
 * Operands that are no vectors of the compute dtype: fetched and put item by item (any step, any cast), or as
 * vectors of another dtype.  Part of elementwise_tmpl.cu, in the namespace of its dtype; everything here is a
 * function, so that it is compiled once for each dtype and not for each kernel. */

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

/* Items i, i + 1, ... of rows of `length` items: item n is at n / length * row + n % length * step. */
__device__ __noinline__ pack<16> gather_short(const char *p, place at, int32_t row, int32_t i, garray__divisor length,
                                              bool condition)
{
    pack<16> v = zero_pack<16>();
    const uint32_t first = (uint32_t)(i + at.low);      /* at.low is 0 but where items before the first do not exist */
    uint32_t q = garray__fastdiv(first, length), column = first - q * length.divisor;
    const char *line = p + (int64_t)q * row;
#pragma unroll
    for (int e = 0; e < V; e++) {
        if (e < at.low || e >= at.high)
            continue;
        const char *source = line + (int32_t)column * at.step;
        if (condition)
            set_item(v, e, *(const boolean *)source);
        else
            set_item(v, e, *(const st *)source);
        if (++column == length.divisor) {
            column = 0;
            line += row;
        }
    }
    return v;
}

/* ---- vectors of another dtype ------------------------------------------------------------------------------------ */

constexpr int WIDEST = 32;              /* bytes that V items of another dtype have at most */

template <int BYTES> __device__ __forceinline__ void load_parts(pack<WIDEST> &v, const char *p)
{
    if constexpr (BYTES <= WIDEST) {
        constexpr int PART = BYTES < 16 ? BYTES : 16;
#pragma unroll
        for (int n = 0; n < BYTES / PART; n++) {
            const pack<PART> part = load_aligned<PART>(p + n * PART);
#pragma unroll
            for (int i = 0; i < pack<PART>::words; i++)
                v.w[n * pack<PART>::words + i] = part.w[i];
        }
    }
}

/* V items of `size` bytes each, aligned to V items or to 16 bytes. */
__device__ __forceinline__ pack<WIDEST> load_raw(const char *p, int size)
{
    pack<WIDEST> v = zero_pack<WIDEST>();
    switch (size) {
    case 1: load_parts<V>(v, p); break;
    case 2: load_parts<2 * V>(v, p); break;
    case 4: load_parts<4 * V>(v, p); break;
    case 8: load_parts<8 * V>(v, p); break;
    default: load_parts<16 * V>(v, p); break;
    }
    return v;
}

template <class From> __device__ __forceinline__ pack<16> cast_from(const pack<WIDEST> &x)
{
    pack<16> v = zero_pack<16>();
#pragma unroll
    for (int e = 0; e < V; e++)
        set_item(v, e, cast<st>(item<From>(x, e)));
    return v;
}

/* They, cast to the compute dtype. */
__device__ __noinline__ pack<16> cast_raw(pack<WIDEST> x, int dtype)
{
    switch (dtype) {
#define GARRAY_DTYPE(value, name, ...)                                  \
    case value:                                                         \
        if constexpr (V * sizeof(type_##name) <= WIDEST)                \
            return cast_from<type_##name>(x);                           \
        break;
#include "core/dtypes.def"
#undef GARRAY_DTYPE
    }
    return zero_pack<16>();
}

/* The same; float32 among float64 needs no call. */
__device__ __forceinline__ pack<16> cast_usual(const pack<WIDEST> &x, int dtype)
{
    if constexpr (same<st, double>::value)
        if (dtype == GARRAY_FLOAT32)
            return cast_from<float>(x);
    return cast_raw(x, dtype);
}

template <class To, class From>
__device__ __forceinline__ void store_cast_to(char *p, const pack<V * sizeof(From)> &v)
{
    constexpr int BYTES = V * sizeof(To), PART = BYTES < 16 ? BYTES : 16;
    pack<BYTES> x = zero_pack<BYTES>();
#pragma unroll
    for (int e = 0; e < V; e++)
        set_item(x, e, cast<To>(item<From>(v, e)));
#pragma unroll
    for (int n = 0; n < BYTES / PART; n++) {
        pack<PART> part;
#pragma unroll
        for (int i = 0; i < pack<PART>::words; i++)
            part.w[i] = x.w[n * pack<PART>::words + i];
        store_aligned<PART>(p + n * PART, part);
    }
}

template <class From> __device__ __noinline__ void store_cast(char *p, int dtype, pack<V * sizeof(From)> v)
{
    switch (dtype) {
#define GARRAY_DTYPE(value, name, ...)                                  \
    case value:                                                         \
        if constexpr (V * sizeof(type_##name) <= WIDEST)                \
            store_cast_to<type_##name, From>(p, v);                     \
        break;
#include "core/dtypes.def"
#undef GARRAY_DTYPE
    }
}
