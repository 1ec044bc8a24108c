/* SPDX-License-Identifier: BSD-3-Clause
 * The kernels that combine values of one dtype (GARRAY_DT) at index arrays: see combine.h. */
#include "core/combine.h"
#include "cuda/combine.h"
#include "cuda/index_place.cuh"
#include "cuda/scalar.cuh"

#define OF_DTYPE GARRAY__PASTE(of_, GARRAY_DT)

namespace garray__cuda {
namespace OF_DTYPE {

constexpr int CHUNK = GARRAY_CUDA_COMBINE_CHUNK;

__device__ __forceinline__ ct load_value(const char *p, bool unaligned)
{
    return value_of(item_load<st>(p, unaligned));
}

__device__ __forceinline__ st rounded(const garray__state &s)
{
#if GARRAY_KIND == K_FLOAT
    return store_as<st>(m_rounded(s.hi, s.lo));
#elif GARRAY_KIND == K_COMPLEX
    st v;
    v.re = (rt)m_rounded(s.hi, s.lo), v.im = (rt)m_rounded(s.im_hi, s.im_lo);
    return v;
#else
    return store_as<st>(s.v);
#endif
}

/* The offsets of a free item in base and values. */
__device__ __forceinline__ void walk_free(const garray__combine_args &a, int64_t f, int64_t *base, int64_t *value)
{
    const garray__index_axis *axes = a.far_free ? a.far_free : a.free_axes;
    *base = *value = 0;
#pragma unroll 1
    for (int d = a.nfree - 1; d >= 0; d--) {
        const int64_t q = d > 0 ? f / axes[d].length : 0, c = f - q * axes[d].length;
        f = q;
        *base += c * axes[d].base;
        *value += c * axes[d].value;
    }
}

/* The offset of an ordinal in values. */
__device__ __forceinline__ int64_t value_offset(const garray__index_args &a, int64_t i)
{
    const garray__index_axis *axes = a.far_axes ? a.far_axes : a.axes;
    int64_t value = 0;
#pragma unroll 1
    for (int d = a.ndim - 1; d >= 0; d--) {
        int64_t q = 0;
        if (d > 0)
            q = a.wide ? i / axes[d].length : (int64_t)garray__fastdiv((uint32_t)i, axes[d].div);
        value += (i - q * axes[d].length) * axes[d].value;
        i = q;
    }
    return value;
}

__device__ __forceinline__ uint64_t key_at(const garray__combine_args &a, const void *keys, int64_t i)
{
    return a.wide_keys ? ((const uint64_t *)keys)[i] : ((const uint32_t *)keys)[i];
}

__device__ __forceinline__ void set_key(const garray__combine_args &a, void *keys, int64_t i, uint64_t key)
{
    if (a.wide_keys)
        ((uint64_t *)keys)[i] = key;
    else
        ((uint32_t *)keys)[i] = (uint32_t)key;
}

__global__ void __launch_bounds__(GARRAY_CUDA_BLOCK) find_slots(const __grid_constant__ garray__combine_args a)
{
    const int64_t i = (int64_t)blockIdx.x * GARRAY_CUDA_BLOCK + threadIdx.x;
    if (i >= a.entries)
        return;
    const place p = find<true>(a.at, a.first + i);
    set_key(a, a.keys, i, (uint64_t)(p.valid ? p.slot : a.slots));
    a.places[i] = (uint32_t)i;
}

/* A partial result of a free item; the first one also says whose it is. */
__device__ __forceinline__ void put_partial(const garray__combine_args &a, int64_t entry, int64_t f, uint64_t key, uint32_t where,
                                            const garray__state &s)
{
    ((garray__state *)a.next_states)[entry * a.free + f] = s;
    if (f == 0) {
        set_key(a, a.next_keys, entry, key);
        a.next_places[entry] = where;
    }
}

__global__ void __launch_bounds__(GARRAY_CUDA_BLOCK) reduce_chunks(const __grid_constant__ garray__combine_args a)
{
    const int64_t t = (int64_t)blockIdx.x * GARRAY_CUDA_BLOCK + threadIdx.x;
    const int64_t chunk = t / a.free, f = t - chunk * a.free, begin = chunk * CHUNK;
    if (begin >= a.entries)
        return;
    const int64_t end = begin + CHUNK < a.entries ? begin + CHUNK : a.entries;
    const uint64_t none = (uint64_t)a.slots;
    const bool has_next = a.entries > CHUNK;
    int64_t base_free, value_free;
    walk_free(a, f, &base_free, &value_free);
    /* the keys beside the chunk; none differs from every slot */
    const uint64_t before = begin > 0 ? key_at(a, a.keys, begin - 1) : none, after = end < a.entries ? key_at(a, a.keys, end) : none;
    uint64_t key = key_at(a, a.keys, begin), left_key = none, right_key = none;
    uint32_t where = a.places[begin], left_where = 0, right_where = 0;
    bool from_left = key == before;
    garray__state s = m_empty(a.op), left = s, right = s;
    for (int64_t i = begin; i < end;) {
        if (key != none) {
            if (a.states)
                m_merge(a.op, &s, (const garray__state *)a.states + i * a.free + f);
            else
                m_take(a.op, &s, load_value(a.at.values + value_free + value_offset(a.at, a.first + a.places[i]), a.unaligned));
        }
        i++;
        const uint64_t following = i < end ? key_at(a, a.keys, i) : after;
        if (i < end && following == key)
            continue;
        if (key != none) {                      /* the end of a slot, or of the chunk */
            const bool to_right = i == end && following == key;
            if (from_left) {
                left = s, left_key = key, left_where = where;
            } else if (to_right) {
                right = s, right_key = key, right_where = where;
            } else {
                char *to = a.at.base + base_free + find<true>(a.at, a.first + where).base;
                garray__state whole = m_of(load_value(to, a.unaligned));
                m_merge(a.op, &whole, &s);
                item_store<st>(to, rounded(whole), a.unaligned);
            }
        }
        from_left = false;
        s = m_empty(a.op);
        key = following;
        if (i < end)
            where = a.places[i];
    }
    if (!has_next)
        return;
    /* One that is missing is empty and belongs to its neighbour, so that equal keys stay together. */
    if (left_key == none)
        left_key = right_key, left_where = right_where;
    if (right_key == none)
        right_key = left_key, right_where = left_where;
    put_partial(a, 2 * chunk, f, left_key, left_where, left);
    put_partial(a, 2 * chunk + 1, f, right_key, right_where, right);
}

/* ---- without a sort: what is exact in any order, in items that the device exchanges as a whole ---------------- */
#if (GARRAY_KIND != K_COMPLEX && GARRAY_KIND != K_BOOL) && GARRAY_WIDTH >= 32
#define HAS_ATOMIC 1

#if GARRAY_WIDTH == 64
typedef unsigned long long word;
#else
typedef unsigned word;
#endif

__device__ __forceinline__ void combine_at(int op, char *to, st v)
{
    word *w = (word *)to, old = *(volatile word *)w;
    for (;;) {
        st now;
        memcpy(&now, &old, sizeof now);
        garray__state s = m_of(value_of(now));
        m_take(op, &s, value_of(v));
        const st result = rounded(s);
        word next;
        memcpy(&next, &result, sizeof next);
        if (next == old)                        /* an extremum that is there already */
            return;
        const word there = atomicCAS(w, old, next);
        if (there == old)
            return;
        old = there;
    }
}

__global__ void __launch_bounds__(GARRAY_CUDA_BLOCK) combine_atomically(const __grid_constant__ garray__combine_args a)
{
    const int64_t i = (int64_t)blockIdx.x * GARRAY_CUDA_BLOCK + threadIdx.x;
    if (i >= a.entries)
        return;
    const place p = find<false>(a.at, i);
    if (!p.valid)
        return;
    char *to = a.at.base + p.base;
    const st v = item_load<st>(a.at.values + p.value, false);
#if GARRAY_KIND != K_FLOAT
    word bits;
    memcpy(&bits, &v, sizeof bits);
    switch (a.op) {
    case GARRAY_OP_add: atomicAdd((word *)to, bits); return;
    case GARRAY_OP_bitwise_and: atomicAnd((word *)to, bits); return;
    case GARRAY_OP_bitwise_or: atomicOr((word *)to, bits); return;
    case GARRAY_OP_bitwise_xor: atomicXor((word *)to, bits); return;
    default: break;
    }
#endif
    combine_at(a.op, to, v);
}
#endif

} /* namespace OF_DTYPE */
} /* namespace garray__cuda */

extern "C" void GARRAY__PASTE(garray__cuda_combine_, GARRAY_DT)(garray__combine_kernels *kernels)
{
    kernels->find = (const void *)garray__cuda::OF_DTYPE::find_slots;
    kernels->reduce = (const void *)garray__cuda::OF_DTYPE::reduce_chunks;
#ifdef HAS_ATOMIC
    kernels->atomic = (const void *)garray__cuda::OF_DTYPE::combine_atomically;
#else
    kernels->atomic = nullptr;
#endif
    kernels->state_size = sizeof(garray__state);
}
