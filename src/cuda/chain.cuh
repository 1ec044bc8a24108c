/* SPDX-License-Identifier: BSD-3-Clause
 * What comes before a tile of a sequence whose tiles are worked on at the same time by different blocks, in one read of
 * the sequence.  Tiles publish their totals; groups of 32 tiles, and of 32 groups, publish theirs; so a tile finds all
 * that precedes it in at most 31 + 31 + 1 places.  Which totals are added to which follows from the tile's number
 * alone, never from who was first: the same call gives the same bits, as no look-back of varying length does.
 *
 * Each 32 bits of a value travel in one 64-bit word with a mark, so that a word that can be read is right whatever the
 * order of stores.  The words must be zero before the launch, and blocks must take their tiles in ascending order. */
#ifndef GARRAY_CUDA_CHAIN_CUH
#define GARRAY_CUDA_CHAIN_CUH

#include <stdint.h>
#include <string.h>

namespace garray__cuda {

template <class S> struct alignas(16) chain_slot { uint64_t word[sizeof(S) / 4]; };

template <class S> __device__ __forceinline__ void chain_publish(chain_slot<S> *slot, const S &s)
{
    constexpr int n = sizeof(S) / 4;
    uint32_t half[n];
    memcpy(half, &s, sizeof s);
#pragma unroll
    for (int i = 0; i < n; i++)
        asm volatile("st.relaxed.gpu.global.u64 [%0], %1;" : : "l"(slot->word + i), "l"((uint64_t)1 << 32 | half[i]));
}

/* Whether the value has been published; only then is s right. */
template <class S> __device__ __forceinline__ bool chain_peek(const chain_slot<S> *slot, S &s)
{
    constexpr int n = sizeof(S) / 4;
    uint32_t half[n], marks = 1;
#pragma unroll
    for (int i = 0; i < n; i += 2) {
        uint64_t a, b;
        asm volatile("ld.relaxed.gpu.global.v2.u64 {%0, %1}, [%2];" : "=l"(a), "=l"(b) : "l"(slot->word + i));
        half[i] = (uint32_t)a, half[i + 1] = (uint32_t)b;
        marks &= (uint32_t)(a >> 32) & (uint32_t)(b >> 32);
    }
    memcpy(&s, half, sizeof s);
    return marks != 0;
}

template <class S> __device__ __forceinline__ S shuffle(const S &s, int lane)
{
    if constexpr (sizeof(S) < 4) {
        return (S)__shfl_sync(0xffffffffu, (uint32_t)s, lane);
    } else {
        uint32_t w[sizeof(S) / 4];
        S t;
        memcpy(w, &s, sizeof s);
#pragma unroll
        for (int i = 0; i < (int)(sizeof(S) / 4); i++)
            w[i] = __shfl_sync(0xffffffffu, w[i], lane);
        memcpy(&t, w, sizeof t);
        return t;
    }
}

/* Inclusive over the lanes of a warp. */
template <class Op> __device__ __forceinline__ void warp_scan(typename Op::State &s, int lane)
{
#pragma unroll
    for (int d = 1; d < 32; d <<= 1) {
        typename Op::State before = shuffle(s, lane >= d ? lane - d : lane);
        if (lane >= d) {
            Op::merge(before, s);
            s = before;
        }
    }
}

/* The total of all lanes, in every lane, by a fixed tree. */
template <class Op> __device__ __forceinline__ typename Op::State warp_total(typename Op::State s, int lane)
{
#pragma unroll
    for (int d = 16; d > 0; d >>= 1) {
        const typename Op::State other = shuffle(s, (lane + d) & 31);
        Op::merge(s, other);
    }
    return shuffle(s, 0);
}

/* What is before a tile, in every lane; publishes the tile's total.  Called by one whole warp of the tile's block.
 * slots: garray__scan_slots(tiles) of the sequence: of each tile, of each group, and what is before each group of groups. */
template <class Op>
__device__ __forceinline__ typename Op::State chain_before(chain_slot<typename Op::State> *slots, int64_t tiles, int64_t tile,
                                                           const typename Op::State &total, int lane)
{
    typedef typename Op::State State;
    const int64_t group = tile >> 5, above = tile >> 10;
    const int place = (int)(tile & 31), group_place = (int)(group & 31);
    chain_slot<State> *groups = slots + tiles, *starts = groups + ((tiles + 31) >> 5);
    const bool closes = place == 31;
    if (lane == 0)
        chain_publish(slots + tile, total);

    State near = Op::empty(), far = Op::empty(), start = Op::empty();
    bool has_near = lane >= place, has_far = lane >= group_place, has_start = above == 0;
    if (!has_near)
        has_near = chain_peek(slots + (group << 5) + lane, near);
    if (!has_far)
        has_far = chain_peek(groups + (above << 5) + lane, far);
    if (!has_start)
        has_start = chain_peek(starts + above, start);
    while (!__all_sync(0xffffffffu, has_near))
        if (!has_near)
            has_near = chain_peek(slots + (group << 5) + lane, near);
    near = warp_total<Op>(near, lane);
    State whole = near;
    Op::merge(whole, total);
    if (closes && lane == 0)
        chain_publish(groups + group, whole);
    while (!__all_sync(0xffffffffu, has_far))
        if (!has_far)
            has_far = chain_peek(groups + (above << 5) + lane, far);
    far = warp_total<Op>(far, lane);
    while (!__all_sync(0xffffffffu, has_start))
        if (!has_start)
            has_start = chain_peek(starts + above, start);
    Op::merge(start, far);
    if (closes && group_place == 31 && lane == 0 && tile + 1 < tiles) {
        State next = start;
        Op::merge(next, whole);
        chain_publish(starts + above + 1, next);
    }
    Op::merge(start, near);
    return start;
}

} /* namespace garray__cuda */
#endif
