/* SPDX-License-Identifier: BSD-3-Clause
 * CUB's radix sort over keys in an order that is known at run time: one instantiation for each key width serves every
 * dtype, ascending and descending.  CUB turns keys into ordered bits and back inside its passes; the traits below give
 * it our turn instead of that of a C++ type, so that sorting values costs no pass of its own around the sort. */
#include <cub/device/device_radix_sort.cuh>
#include "cuda/sort.h"

namespace garray__cuda {

template <class U> struct sort_key { U bits; };

/* Travels with the launch as CUB's decomposer. */
template <class U> struct key_order {
    garray__sort_order order;

    __host__ __device__ ::cuda::std::tuple<U &> operator()(sort_key<U> &key) const { return {key.bits}; }

    __host__ __device__ __forceinline__ U in(U bits) const
    {
        if constexpr (sizeof(U) == 8) {
            if (order.kind == GARRAY_SORT_ROW_KEY)
                return bits;
            if (order.kind == GARRAY_SORT_COMPLEX)
                return key_of_complex(order, bits);
        }
        return key_of_number<U>(order, bits);
    }

    __host__ __device__ __forceinline__ U out(U key) const
    {
        if constexpr (sizeof(U) == 8) {
            if (order.kind == GARRAY_SORT_ROW_KEY)
                return key;
            if (order.kind == GARRAY_SORT_COMPLEX)
                return complex_of_key(order, key);
        }
        return number_of_key<U>(order, key);
    }

    __host__ __device__ __forceinline__ U level(U key) const
    {
        if constexpr (sizeof(U) == 8) {
            if (order.kind == GARRAY_SORT_ROW_KEY)
                return (key & ~(U)0xffffffffu) | level_key<uint32_t>(order, (uint32_t)key);
            if (order.kind == GARRAY_SORT_COMPLEX)
                return level_complex(order, key);
        }
        return level_key<U>(order, key);
    }
};

template <class U> struct level_digit {
    key_order<U> order;
    uint32_t begin, mask;
    __host__ __device__ __forceinline__ uint32_t Digit(U key) const { return (uint32_t)(order.level(key) >> begin) & mask; }
};

struct key_conversion {
    template <class U> __host__ __device__ static __forceinline__ U to_bit_ordered(key_order<U> o, U b) { return o.in(b); }
    template <class U> __host__ __device__ static __forceinline__ U from_bit_ordered(key_order<U> o, U k) { return o.out(k); }
};

struct key_inversion {
    template <class U> __host__ __device__ static __forceinline__ U inverse(key_order<U>, U k) { return (U)~k; }
};

} /* namespace garray__cuda */

CUB_NAMESPACE_BEGIN
namespace detail {
namespace radix {

template <class U> struct traits_t<garray__cuda::sort_key<U>, false> {
    using bit_ordered_type = U;
    using bit_ordered_conversion_policy = garray__cuda::key_conversion;
    using bit_ordered_inversion_policy = garray__cuda::key_inversion;
    template <class, class> using digit_extractor_t = garray__cuda::level_digit<U>;

    static __host__ __device__ U min_raw_binary_key(garray__cuda::key_order<U> o) { return o.out(0); }
    static __host__ __device__ U max_raw_binary_key(garray__cuda::key_order<U> o) { return o.out((U)~(U)0); }
    static __host__ __device__ int default_end_bit(garray__cuda::key_order<U>) { return 8 * sizeof(U); }

    template <class>
    static __host__ __device__ garray__cuda::level_digit<U> digit_extractor(int begin, int bits, garray__cuda::key_order<U> o)
    {
        return {o, (uint32_t)begin, (1u << bits) - 1};
    }
};

} /* namespace radix */
} /* namespace detail */
CUB_NAMESPACE_END

using namespace garray__cuda;

template <class U>
static cudaError_t values(void *temp, size_t *size, const void *in, void *out, int64_t n,
                          const garray__sort_order *order, int bits, cudaStream_t stream)
{
    return cub::DeviceRadixSort::SortKeys(temp, *size, (const sort_key<U> *)in, (sort_key<U> *)out, (uint64_t)n,
                                          key_order<U>{*order}, 0, bits, stream);
}

extern "C" cudaError_t garray__cuda_radix_values(void *temp, size_t *size, int width, const void *in, void *out, int64_t n,
                                                 const garray__sort_order *order, int bits, cudaStream_t stream)
{
    switch (width) {
    case 1: return values<uint8_t>(temp, size, in, out, n, order, bits, stream);
    case 2: return values<uint16_t>(temp, size, in, out, n, order, bits, stream);
    case 4: return values<uint32_t>(temp, size, in, out, n, order, bits, stream);
    default: return values<uint64_t>(temp, size, in, out, n, order, bits, stream);
    }
}

template <class U>
static cudaError_t places_of(void *temp, size_t *size, void *keys[2], uint32_t *places[2], int64_t n, int bits,
                             int *result, cudaStream_t stream)
{
    cub::DoubleBuffer<U> k((U *)keys[0], (U *)keys[1]);
    cub::DoubleBuffer<uint32_t> p(places[0], places[1]);
    const cudaError_t e = cub::DeviceRadixSort::SortPairs(temp, *size, k, p, (uint64_t)n, 0, bits, stream);
    *result = p.selector;
    return e;
}

extern "C" cudaError_t garray__cuda_radix_places(void *temp, size_t *size, int width, void *keys[2], uint32_t *places[2],
                                                 int64_t n, int bits, int *result, cudaStream_t stream)
{
    return width == 4 ? places_of<uint32_t>(temp, size, keys, places, n, bits, result, stream)
                      : places_of<uint64_t>(temp, size, keys, places, n, bits, result, stream);
}
