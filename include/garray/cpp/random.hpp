// SPDX-License-Identifier: BSD-3-Clause
// The generator of namespace random.
#ifndef GARRAY_CPP_RANDOM_HPP
#define GARRAY_CPP_RANDOM_HPP

#include <garray/cpp/functions.inc>

namespace garray {

// A place in a sequence of random numbers, which draws move on: rng r(42); array x = random::normal(r, 0, 1, { 3, 4 }). It
// is a garray_rng: four words to be copied and stored.
class rng : public garray_rng {
public:
    explicit rng(std::uint64_t key) noexcept : garray_rng{ key, 0, 0, 0 } {}
    rng(const garray_rng &place) noexcept : garray_rng(place) {}
    // From random bytes of the system, and from any number of words.
    rng() : garray_rng{} { check(garray_rng_seed(this, nullptr, 0)); }
    explicit rng(const std::vector<std::uint64_t> &entropy) : garray_rng{}
    {
        check(garray_rng_seed(this, entropy.data(), static_cast<std::int64_t>(entropy.size())));
    }
    // Places of their own for n workers.
    std::vector<rng> spawn(int n)
    {
        std::vector<rng> children(static_cast<std::size_t>(n < 0 ? 0 : n), rng(0));
        check(garray_rng_spawn(this, n, children.data()));
        return children;
    }
};
static_assert(sizeof(rng) == sizeof(garray_rng), "a place and nothing else");

} // namespace garray

#endif
