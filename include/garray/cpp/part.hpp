// SPDX-License-Identifier: BSD-3-Clause
// Parts of arrays: x(slice(1, none), 0), to be read and to be assigned.
#ifndef GARRAY_CPP_PART_HPP
#define GARRAY_CPP_PART_HPP

#include <garray/cpp/array.hpp>

namespace garray {

// ---- items ----

struct newaxis_t {
    explicit constexpr newaxis_t() = default;
};
struct ellipsis_t {
    explicit constexpr ellipsis_t() = default;
};
inline constexpr newaxis_t newaxis{};
inline constexpr ellipsis_t ellipsis{};

// Python's start:stop:step, with none for what is left out: slice() is :, slice(3) is :3, slice(1, none) is 1:, slice(none,
// none, -1) is ::-1.
class slice {
public:
    class bound {
    public:
        constexpr bound(none_t) noexcept : given(false), value(0) {}
        template <class I, std::enable_if_t<std::is_integral_v<I>, int> = 0>
        constexpr bound(I i) noexcept : given(true), value(static_cast<std::int64_t>(i))
        {
        }
        bool given;
        std::int64_t value;
    };

    constexpr slice() noexcept : slice(none, none) {}
    explicit constexpr slice(bound stop) noexcept : slice(none, stop) {}
    constexpr slice(bound start, bound stop, bound step = none) noexcept : start_(start), stop_(stop), step_(step) {}

    garray_index index() const noexcept
    {
        return garray_at_make(GARRAY_INDEX_SLICE, (start_.given ? 1 : 0) | (stop_.given ? 2 : 0) | (step_.given ? 4 : 0),
                              start_.value, stop_.value, step_.given ? step_.value : 1);
    }

private:
    bound start_, stop_, step_;
};

namespace detail {

inline garray_index to_index(const slice &s) noexcept { return s.index(); }
inline garray_index to_index(newaxis_t) noexcept { return GARRAY_NEWAXIS; }
inline garray_index to_index(none_t) noexcept { return GARRAY_NEWAXIS; }
inline garray_index to_index(ellipsis_t) noexcept { return GARRAY_ELLIPSIS; }
inline garray_index to_index(const array &x) noexcept { return garray_index(x.get()); }
template <class H, class I> garray_index to_index(part<H, I> &&x) { return garray_index(std::move(x).view().get()); }
template <class I, std::enable_if_t<std::is_integral_v<I> && !std::is_same_v<I, bool>, int> = 0>
garray_index to_index(I i) noexcept
{
    return garray_index(static_cast<long long>(i));
}

// How a part is named: by items, or by text
template <std::size_t N> struct listed {
    garray_index v[N ? N : 1];

    garray_indices list() const noexcept { return { static_cast<std::int64_t>(N), v }; }
    garray_status get(const garray_t *x, garray_t **out) const { return garray_getitem(x, list(), out); }
    garray_status set(garray_t *x, const garray_operand &value) const { return garray_setitem(x, list(), value); }
    // Whether reading gives a copy
    bool copies() const noexcept
    {
        for (std::size_t i = 0; i < N; i++)
            if (v[i].kind == GARRAY_INDEX_ARRAY)
                return true;
        return false;
    }
};

struct written {
    const char *items;

    garray_status get(const garray_t *x, garray_t **out) const { return garray_getitem_text(x, items, out); }
    garray_status set(garray_t *x, const garray_operand &value) const { return garray_setitem_text(x, items, value); }
    bool copies() const noexcept { return false; }
};

} // namespace detail

// Items for a function that takes them: scatter_add(x, { rows, 0 }, values).
class index_list {
public:
    template <class... I, std::enable_if_t<(sizeof...(I) > 0), decltype((detail::to_index(std::declval<I>()), ..., 0))> = 0>
    index_list(I &&...items) : n_(sizeof...(I)), v_{ detail::to_index(std::forward<I>(items))... }
    {
        static_assert(sizeof...(I) <= 16, "at most 16 items");
    }
    operator garray_indices() const noexcept { return { n_, v_ }; }

private:
    std::int64_t n_;
    garray_index v_[16];
};

// ---- the part ----

// What x(items) is until the end of the expression it stands in: it refers to x. Where it is read it becomes the array that
// NumPy's x[items] is, a view or a copy. So `array row = x(0)`, not `auto row`.
template <class Handle, class Items> class part {
public:
    part(Handle *x, const Items &items) noexcept : x_(x), items_(items) {}
    part(const part &) = delete;

    // ---- reading ----

    operator array() && { return std::move(std::move(*this).view()); }
    operator garray_operand() && { return std::move(*this).view(); }
    template <class T> T item() && { return std::move(*this).view().template item<T>(); }
    template <class T, detail::if_element<T> = 0> explicit operator T() && { return std::move(*this).template item<T>(); }
    array copy() && { return std::move(*this).view().copy(); }
    array astype(garray_dtype type) && { return std::move(*this).view().astype(type); }
    array to(::garray::device where) && { return std::move(*this).view().to(where); }
    array reshape(const dims &shape) && { return std::move(*this).view().reshape(shape); }
    array T() && { return std::move(*this).view().T(); }
    dims shape() && { return std::move(*this).view().shape(); }
    std::int64_t size() && { return std::move(*this).view().size(); }
    template <class T> std::vector<T> to_vector() && { return std::move(*this).view().template to_vector<T>(); }
    template <class... I> auto operator()(I &&...items) &&;
    template <class I> auto operator[](I &&item) &&;
    // x[items], which lives as long as the part.
    array &&view() &&
    {
        if (!view_.defined())
            check(items_.get(x_, view_.out()));
        return std::move(view_);
    }

    // ---- assignment ----
    // As NumPy's x[items] = value: value broadcasts to the place, and casts to x's dtype whatever is lost. x[items] += value
    // casts by same_kind.

    void operator=(const operand &value) && { check(items_.set(writeable(), value)); }
    void operator=(part &&value) && { std::move(*this) = operand(std::move(value)); }
    void operator+=(const operand &b) && { update(::garray_add, b); }
    void operator-=(const operand &b) && { update(::garray_subtract, b); }
    void operator*=(const operand &b) && { update(::garray_multiply, b); }
    void operator/=(const operand &b) && { update(::garray_divide, b); }
    void operator%=(const operand &b) && { update(::garray_remainder, b); }
    void operator&=(const operand &b) && { update(::garray_bitwise_and, b); }
    void operator|=(const operand &b) && { update(::garray_bitwise_or, b); }
    void operator^=(const operand &b) && { update(::garray_bitwise_xor, b); }
    void operator<<=(const operand &b) && { update(::garray_bitwise_left_shift, b); }
    void operator>>=(const operand &b) && { update(::garray_bitwise_right_shift, b); }

private:
    garray_t *writeable() noexcept
    {
        static_assert(!std::is_const_v<Handle>, "a part of a const array cannot be assigned");
        return x_;
    }
    template <class F> void update(F *f, const operand &b)
    {
        garray_t *x = writeable(), *v = std::move(*this).view().get();
        check(f(v, b, garray_into(v)));
        if (items_.copies())
            check(items_.set(x, garray_operand(v)));
    }

    Handle *x_;
    Items items_;
    array view_;
};

template <class Handle, class Items> template <class... I> auto part<Handle, Items>::operator()(I &&...items) &&
{
    using result = part<Handle, detail::items_of<I...>>;
    return result(std::move(*this).view().get(), { { detail::to_index(std::forward<I>(items))... } });
}

template <class Handle, class Items> template <class I> auto part<Handle, Items>::operator[](I &&item) &&
{
    return std::move(*this)(std::forward<I>(item));
}

// ---- array's ----

template <class... I> part<garray_t, detail::items_of<I...>> array::operator()(I &&...items) &
{
    return { p_, { { detail::to_index(std::forward<I>(items))... } } };
}
template <class... I> part<const garray_t, detail::items_of<I...>> array::operator()(I &&...items) const &
{
    return { p_, { { detail::to_index(std::forward<I>(items))... } } };
}
template <class... I> part<garray_t, detail::items_of<I...>> array::operator()(I &&...items) &&
{
    return { p_, { { detail::to_index(std::forward<I>(items))... } } };
}
template <class I> part<garray_t, detail::items_of<I>> array::operator[](I &&item) &
{
    return { p_, { { detail::to_index(std::forward<I>(item)) } } };
}
template <class I> part<const garray_t, detail::items_of<I>> array::operator[](I &&item) const &
{
    return { p_, { { detail::to_index(std::forward<I>(item)) } } };
}
template <class I> part<garray_t, detail::items_of<I>> array::operator[](I &&item) &&
{
    return { p_, { { detail::to_index(std::forward<I>(item)) } } };
}
part<garray_t, detail::written> array::operator[](const char *items) &
{
    return { p_, { items } };
}
part<const garray_t, detail::written> array::operator[](const char *items) const &
{
    return { p_, { items } };
}
part<garray_t, detail::written> array::operator[](const char *items) &&
{
    return { p_, { items } };
}

} // namespace garray

#endif
