/* SPDX-License-Identifier: BSD-3-Clause
 * CUB's radix sort.  Ascending floats and integers of 4 and 8 bytes are sorted in CUB's own order, which is ours but for
 * NaNs with a sign: they come first, and sort.c moves them.  For all others CUB turns keys into ordered bits and back
 * inside its passes, and the traits below give it our turn instead of that of a C++ type, so that no pass of its own stands
 * around the sort: one instantiation for each key width takes the order as numbers at run time and serves every dtype. */
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

template <class U, class Order> struct level_digit {
    Order order;
    uint32_t begin, mask;
    __host__ __device__ __forceinline__ uint32_t Digit(U key) const { return (uint32_t)(order.level(key) >> begin) & mask; }
};

struct key_conversion {
    template <class Order, class U> __host__ __device__ static __forceinline__ U to_bit_ordered(Order o, U b)
    {
        return o.in(b);
    }
    template <class Order, class U> __host__ __device__ static __forceinline__ U from_bit_ordered(Order o, U k)
    {
        return o.out(k);
    }
};

struct key_inversion {
    template <class Order, class U> __host__ __device__ static __forceinline__ U inverse(Order, U k) { return (U)~k; }
};

/* What CUB asks of a key type. */
template <class U, class Order> struct key_traits {
    using bit_ordered_type = U;
    using bit_ordered_conversion_policy = key_conversion;
    using bit_ordered_inversion_policy = key_inversion;
    template <class, class> using digit_extractor_t = level_digit<U, Order>;

    static __host__ __device__ U min_raw_binary_key(Order o) { return o.out(0); }
    static __host__ __device__ U max_raw_binary_key(Order o) { return o.out((U)~(U)0); }
    static __host__ __device__ int default_end_bit(Order) { return 8 * sizeof(U); }

    template <class> static __host__ __device__ level_digit<U, Order> digit_extractor(int begin, int bits, Order o)
    {
        return {o, (uint32_t)begin, (1u << bits) - 1};
    }
};

} /* namespace garray__cuda */

CUB_NAMESPACE_BEGIN
namespace detail {
namespace radix {

template <class U>
struct traits_t<garray__cuda::sort_key<U>, false> : garray__cuda::key_traits<U, garray__cuda::key_order<U>> {};

} /* namespace radix */
} /* namespace detail */
CUB_NAMESPACE_END

using namespace garray__cuda;

/* One call of CUB: its arguments but for the types. */
struct request {
    void *temp;
    size_t *size;
    const void *in;
    void *out;
    int64_t n;
    int bits;
    cudaStream_t stream;
};

template <class Key, class Order> static cudaError_t sort_as(const request &r, Order order)
{
    return cub::DeviceRadixSort::SortKeys(r.temp, *r.size, (const Key *)r.in, (Key *)r.out, (uint64_t)r.n, order, 0, r.bits,
                                          r.stream);
}

/* CUB's passes over 4-byte keys with a tile that is faster on compute capability 9 than CUB's. */
template <class Key, int THREADS, int ITEMS> struct tuned {
    typedef cub::detail::radix::policy_hub<Key, cub::NullType, uint32_t> usual;
    struct own : cub::ChainedPolicy<900, own, typename usual::Policy800>,
                 usual::template OnesweepSmallKeyTunedPolicy<cub::detail::radix::sm90_small_key_tuning<sizeof(Key), 0, 4>> {
        typedef cub::AgentRadixSortOnesweepPolicy<THREADS, ITEMS, Key, 1, cub::RADIX_RANK_MATCH_EARLY_COUNTS_ANY,
                                                  cub::BLOCK_SCAN_RAKING_MEMOIZE, cub::RADIX_SORT_STORE_DIRECT, 8>
            OnesweepPolicy;
    };
    typedef own MaxPolicy;
};

template <class Key> static cudaError_t sort_native(const request &r)
{
    if constexpr (sizeof(Key) == 8) {
        return cub::DeviceRadixSort::SortKeys(r.temp, *r.size, (const Key *)r.in, (Key *)r.out, (uint32_t)r.n, 0, r.bits,
                                              r.stream);
    } else {
        cub::DoubleBuffer<Key> keys((Key *)r.in, (Key *)r.out);
        cub::DoubleBuffer<cub::NullType> none;
        return cub::DispatchRadixSort<cub::SortOrder::Ascending, Key, cub::NullType, uint32_t,
                                      cub::detail::identity_decomposer_t,
                                      tuned<Key, 256, 32>>::Dispatch(r.temp, *r.size, keys, none, (uint32_t)r.n, 0, r.bits,
                                                                     false, r.stream);
    }
}

extern "C" cudaError_t garray__cuda_radix_values(void *temp, size_t *size, int dtype, int width, const void *in, void *out,
                                                 int64_t n, const garray__sort_order *order, int bits, cudaStream_t stream)
{
    const request r = {temp, size, in, out, n, bits, stream};
    switch (dtype) {
    case GARRAY_FLOAT32: return sort_native<float>(r);
    case GARRAY_FLOAT64: return sort_native<double>(r);
    case GARRAY_INT32: return sort_native<int32_t>(r);
    case GARRAY_INT64: return sort_native<int64_t>(r);
    default: break;
    }
    switch (width) {
    case 1: return sort_as<sort_key<uint8_t>>(r, key_order<uint8_t>{*order});
    case 2: return sort_as<sort_key<uint16_t>>(r, key_order<uint16_t>{*order});
    case 4: return sort_as<sort_key<uint32_t>>(r, key_order<uint32_t>{*order});
    default: return sort_as<sort_key<uint64_t>>(r, key_order<uint64_t>{*order});
    }
}

template <class U>
static cudaError_t places_of(void *temp, size_t *size, void *keys[2], uint32_t *places[2], int64_t n, int bits,
                             int *result, cudaStream_t stream)
{
    cub::DoubleBuffer<U> k((U *)keys[0], (U *)keys[1]);
    cub::DoubleBuffer<uint32_t> p(places[0], places[1]);
    const cudaError_t e = cub::DeviceRadixSort::SortPairs(temp, *size, k, p, (uint32_t)n, 0, bits, stream);
    *result = p.selector;
    return e;
}

extern "C" cudaError_t garray__cuda_radix_places(void *temp, size_t *size, int width, void *keys[2], uint32_t *places[2],
                                                 int64_t n, int bits, int *result, cudaStream_t stream)
{
    return width == 4 ? places_of<uint32_t>(temp, size, keys, places, n, bits, result, stream)
                      : places_of<uint64_t>(temp, size, keys, places, n, bits, result, stream);
}
