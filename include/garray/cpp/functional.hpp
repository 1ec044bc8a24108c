// SPDX-License-Identifier: BSD-3-Clause
// Functions that call functions of the caller, which may be lambdas and may throw.
#ifndef GARRAY_CPP_FUNCTIONAL_HPP
#define GARRAY_CPP_FUNCTIONAL_HPP

#include <exception>
#include <garray/cpp/functions.inc>
#include <istream>

namespace garray {

namespace detail {

// A function on its way through C, and what it threw there: C passes a status on, and then it is thrown here.
template <class F> struct callback {
    F &f;
    std::exception_ptr thrown;

    explicit callback(F &function) : f(function), thrown() {}
    template <class Body> garray_status run(Body body) noexcept
    {
        try {
            body();
            return GARRAY_OK;
        } catch (...) {
            thrown = std::current_exception();
            return GARRAY_ERR_INVALID;
        }
    }
    void finish(garray_status status) const
    {
        if (thrown)
            std::rethrow_exception(thrown);
        check(status);
    }
};

// An array that is the callee's during the call
inline array borrowed(const garray_t *x) noexcept
{
    return array::adopt(garray_retain(const_cast<garray_t *>(x)));
}

} // namespace detail

// f(line) of each line along an axis: array f(const array &line).
template <class F> array apply_along_axis(const array &x, int axis, F &&f)
{
    using state = detail::callback<std::remove_reference_t<F>>;
    state ctx(f);
    array y;
    ctx.finish(garray_apply_along_axis(
        x.get(), axis,
        [](void *p, const garray_t *line, garray_t **out) {
            auto &s = *static_cast<state *>(p);
            return s.run([&] { *out = array(s.f(detail::borrowed(line))).detach(); });
        },
        &ctx, y.out()));
    return y;
}

// array f(const array &x, int axis), one axis after the other.
template <class F> array apply_over_axes(const array &x, const axis_list &axes, F &&f)
{
    using state = detail::callback<std::remove_reference_t<F>>;
    state ctx(f);
    array y;
    ctx.finish(garray_apply_over_axes(
        x.get(), axes,
        [](void *p, const garray_t *whole, int axis, garray_t **out) {
            auto &s = *static_cast<state *>(p);
            return s.run([&] { *out = array(s.f(detail::borrowed(whole), axis)).detach(); });
        },
        &ctx, y.out()));
    return y;
}

// array f(const std::vector<array> &coordinates), one array per axis.
template <class F> array fromfunction(const dims &shape, F &&f, garray_dtype type = {}, device where = cpu)
{
    using state = detail::callback<std::remove_reference_t<F>>;
    state ctx(f);
    array y;
    ctx.finish(garray_fromfunction(
        shape,
        [](void *p, garray_list coordinates, garray_t **out) {
            auto &s = *static_cast<state *>(p);
            return s.run([&] {
                std::vector<array> list;
                for (std::int64_t i = 0; i < coordinates.n; i++)
                    list.push_back(detail::borrowed(coordinates.v[i]));
                *out = array(s.f(static_cast<const std::vector<array> &>(list))).detach();
            });
        },
        &ctx, type, where, y.out()));
    return y;
}

// A vector of what is between two iterators: the elements of any container.
template <class Iterator, class Sentinel> array fromiter(Iterator first, Sentinel last, device where = cpu)
{
    using value = std::decay_t<decltype(*first)>;
    static_assert(is_element<value>, "no type of an element");
    auto next = [&](void *element, bool *end) {
        if (first == last) {
            *end = true;
            return;
        }
        const value v = *first;
        std::memcpy(element, &v, sizeof v);
        ++first;
    };
    using state = detail::callback<decltype(next)>;
    state ctx(next);
    array y;
    ctx.finish(garray_fromiter(
        [](void *p, void *element, bool *end) {
            auto &s = *static_cast<state *>(p);
            return s.run([&] { s.f(element, end); });
        },
        &ctx, dtype_of<value>, -1, where, y.out()));
    return y;
}

struct mask_indices_result {
    array row, column;
};
// array mask(const array &ones, std::int64_t k), as triu(): the indices of what it leaves.
template <class F> mask_indices_result mask_indices(std::int64_t n, F &&mask, std::int64_t k = 0, device where = cpu)
{
    using state = detail::callback<std::remove_reference_t<F>>;
    state ctx(mask);
    mask_indices_result y;
    ctx.finish(garray_mask_indices(
        n,
        [](void *p, const garray_t *ones, std::int64_t diagonal, garray_t **out) {
            auto &s = *static_cast<state *>(p);
            return s.run([&] { *out = array(s.f(detail::borrowed(ones), diagonal)).detach(); });
        },
        &ctx, k, where, y.row.out(), y.column.out()));
    return y;
}

// ---- .npy through streams ----

namespace detail {

inline std::ptrdiff_t read_stream(void *ctx, void *data, std::size_t size) noexcept
{
    try {
        auto &stream = *static_cast<std::istream *>(ctx);
        stream.read(static_cast<char *>(data), static_cast<std::streamsize>(size));
        return stream.bad() ? -1 : static_cast<std::ptrdiff_t>(stream.gcount());
    } catch (...) {
        return -1;
    }
}

} // namespace detail

inline void format_write_array(std::ostream &stream, const array &x, const garray_npy_opts &opts = {})
{
    check(garray_format_write_array(
        [](void *ctx, const void *data, std::size_t size) noexcept -> std::ptrdiff_t {
            try {
                auto &to = *static_cast<std::ostream *>(ctx);
                to.write(static_cast<const char *>(data), static_cast<std::streamsize>(size));
                return to ? static_cast<std::ptrdiff_t>(size) : -1;
            } catch (...) {
                return -1;
            }
        },
        &stream, x.get(), &opts));
}

inline array format_read_array(std::istream &stream, device where = cpu)
{
    array x;
    check(garray_format_read_array(detail::read_stream, &stream, where, x.out()));
    return x;
}

inline garray_npy_info format_read_array_header(std::istream &stream)
{
    garray_npy_info info{};
    check(garray_format_read_array_header(detail::read_stream, &stream, &info));
    return info;
}

} // namespace garray

#endif
