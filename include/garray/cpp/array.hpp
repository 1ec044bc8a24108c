// SPDX-License-Identifier: BSD-3-Clause
// The class array.
#ifndef GARRAY_CPP_ARRAY_HPP
#define GARRAY_CPP_ARRAY_HPP

#include <garray/cpp/types.hpp>
#include <initializer_list>
#include <utility>
#include <vector>

namespace garray {

class operand;
template <class T> class host_view;
template <class Handle, class Items> class part;
namespace detail {
template <std::size_t N> struct listed;
struct written;
template <class... I> using items_of = listed<sizeof...(I)>;
template <class T> using if_element = std::enable_if_t<is_element<T>, int>;
} // namespace detail

// An array, or none: one share of a garray_t, and nothing else. As names in Python, copies are cheap and mean the same
// array: after y = x, y += 1 changes x as well; x.copy() makes another one. Free functions do most things: sum(x, 0).
class array {
public:
    // ---- lifetime ----

    array() noexcept : p_(nullptr) {}
    array(const array &x) noexcept : p_(x.p_ ? garray_retain(x.p_) : nullptr) {}
    array(array &&x) noexcept : p_(std::exchange(x.p_, nullptr)) {}
    array &operator=(const array &x) noexcept
    {
        array(x).swap(*this);
        return *this;
    }
    array &operator=(array &&x) noexcept
    {
        array(std::move(x)).swap(*this);
        return *this;
    }
    ~array()
    {
        if (p_)
            garray_release(p_);
    }
    void swap(array &x) noexcept { std::swap(p_, x.p_); }

    // Takes over a share that a function of C has returned, and gives it back.
    static array adopt(garray_t *x) noexcept
    {
        array y;
        y.p_ = x;
        return y;
    }
    garray_t *detach() noexcept { return std::exchange(p_, nullptr); }
    // The handle, for functions of C; out() for their results: check(garray_add(x.get(), 1, y.out())).
    garray_t *get() noexcept { return p_; }
    const garray_t *get() const noexcept { return p_; }
    garray_t **out() noexcept { return &p_; }
    bool defined() const noexcept { return p_ != nullptr; }

    // ---- from values ----
    // array{ 1.0, 2.0 }, array{ { 1, 2 }, { 3, 4 } }, up to four levels; with a dtype, and a device, behind the list in
    // round brackets: array({ 1, 2 }, float32, cuda()). All values have one type, which gives the dtype (int: int32).

    template <class T, detail::if_element<T> = 0>
    array(std::initializer_list<T> values, garray_dtype type = GARRAY_DTYPE_DEFAULT, ::garray::device where = cpu) : p_(nullptr)
    {
        from_values(values.begin(), dims(values.size()), type, where);
    }
    template <class T, detail::if_element<T> = 0>
    array(std::initializer_list<std::initializer_list<T>> values, garray_dtype type = GARRAY_DTYPE_DEFAULT,
          ::garray::device where = cpu)
        : p_(nullptr)
    {
        from_lists<T, 2>(values, type, where);
    }
    template <class T, detail::if_element<T> = 0>
    array(std::initializer_list<std::initializer_list<std::initializer_list<T>>> values,
          garray_dtype type = GARRAY_DTYPE_DEFAULT, ::garray::device where = cpu)
        : p_(nullptr)
    {
        from_lists<T, 3>(values, type, where);
    }
    template <class T, detail::if_element<T> = 0>
    array(std::initializer_list<std::initializer_list<std::initializer_list<std::initializer_list<T>>>> values,
          garray_dtype type = GARRAY_DTYPE_DEFAULT, ::garray::device where = cpu)
        : p_(nullptr)
    {
        from_lists<T, 4>(values, type, where);
    }
    // An array of no axes.
    template <class T, detail::if_element<T> = 0>
    explicit array(T value, garray_dtype type = GARRAY_DTYPE_DEFAULT, ::garray::device where = cpu) : p_(nullptr)
    {
        from_values(&value, dims(), type, where);
    }
    // A vector of the elements of a std::vector.
    template <class T, detail::if_element<T> = 0>
    explicit array(const std::vector<T> &values, ::garray::device where = cpu) : p_(nullptr)
    {
        static_assert(!std::is_same_v<T, bool>, "std::vector<bool> holds no elements to copy");
        from_values(values.data(), dims(values.size()), GARRAY_DTYPE_DEFAULT, where);
    }

    // ---- what it is ----
    // Of an array that is none: zeros.

    int ndim() const noexcept { return garray_ndim(p_); }
    dims shape() const { return garray_shape_of(p_); }
    // The length of one axis, negative ones counted from the end; not checked.
    std::int64_t shape(int axis) const noexcept
    {
        const garray_shape s = garray_shape_of(p_);
        return s.v[axis < 0 ? s.n + axis : axis];
    }
    // One per axis, in bytes, as long as the array lives.
    const std::int64_t *strides() const noexcept { return garray_strides_of(p_); }
    garray_dtype dtype() const noexcept { return garray_dtype_of(p_); }
    ::garray::device device() const noexcept { return garray_device_of(p_); }
    std::int64_t size() const noexcept { return garray_size(p_); }
    std::int64_t nbytes() const noexcept { return garray_nbytes(p_); }
    bool is_contiguous() const noexcept { return garray_is_contiguous(p_); }
    bool is_writeable() const noexcept { return garray_is_writeable(p_); }

    // ---- data ----

    // The one element of an array of size 1, cast to T; waits.
    template <class T> T item() const
    {
        static_assert(is_element<T>, "no type of an element");
        T value{};
        check(::garray_item(p_, dtype_of<T>, &value));
        return value;
    }
    template <class T, detail::if_element<T> = 0> explicit operator T() const { return item<T>(); }
    // The elements in host memory, for reading and writing, or with view<const T>() for reading alone: view.hpp.
    template <class T> host_view<T> view();
    template <class T> host_view<const std::remove_const_t<T>> view() const;
    // A copy of the elements in row-major order, cast to nothing else than their type; waits.
    template <class T> std::vector<T> to_vector() const
    {
        static_assert(is_element<T> && !std::is_same_v<T, bool>, "no type of elements in a std::vector");
        if (dtype() != dtype_of<T>)
            throw error(GARRAY_ERR_DTYPE, std::string("to_vector: the elements are ") + garray_dtype_name(dtype()) + ", not " +
                                              garray_dtype_name(dtype_of<T>));
        std::vector<T> values(static_cast<std::size_t>(size()));
        check(garray_to_host(p_, values.data(), nullptr, values.size() * sizeof(T)));
        return values;
    }
    array astype(garray_dtype type) const { return call(garray_astype, type); }
    array copy() const { return call(garray_copy); }
    array to(::garray::device where) const { return call(garray_to_device, where); }
    array reshape(const dims &shape) const { return call(garray_reshape, static_cast<garray_shape>(shape)); }
    // The axes in reverse order, a view.
    array T() const { return call(garray_permute_dims, garray_axes{ 0, nullptr }); }

    // ---- parts: part.hpp ----
    // x(slice(1, none, 2), newaxis, ellipsis, 3), x(mask), x(indices, 0), and x[i] for a single item, or NumPy's text: x["1:5,
    // ::-1"]. To be read: array row = x(0); x(0) + 1; and assigned: x(0) = 1; x(0) += y.

    template <class... I> part<garray_t, detail::items_of<I...>> operator()(I &&...items) &;
    template <class... I> part<const garray_t, detail::items_of<I...>> operator()(I &&...items) const &;
    template <class... I> part<garray_t, detail::items_of<I...>> operator()(I &&...items) &&;
    template <class I> part<garray_t, detail::items_of<I>> operator[](I &&item) &;
    template <class I> part<const garray_t, detail::items_of<I>> operator[](I &&item) const &;
    template <class I> part<garray_t, detail::items_of<I>> operator[](I &&item) &&;
    inline part<garray_t, detail::written> operator[](const char *items) &;
    inline part<const garray_t, detail::written> operator[](const char *items) const &;
    inline part<garray_t, detail::written> operator[](const char *items) &&;

    // ---- in place ----
    // Into the memory that is there, seen by every view of it; the result casts to the dtype by same_kind.

    inline array &operator+=(const operand &b);
    inline array &operator-=(const operand &b);
    inline array &operator*=(const operand &b);
    inline array &operator/=(const operand &b);
    inline array &operator%=(const operand &b);
    inline array &operator&=(const operand &b);
    inline array &operator|=(const operand &b);
    inline array &operator^=(const operand &b);
    inline array &operator<<=(const operand &b);
    inline array &operator>>=(const operand &b);

    // For functions of C that take an operand, and for fields of options: { .where = mask }.
    operator garray_operand() const noexcept { return garray_operand(static_cast<const garray_t *>(p_)); }

private:
    template <class F, class... A> array call(F *f, A... a) const
    {
        array y;
        check(f(p_, a..., &y.p_));
        return y;
    }

    template <class T> void from_values(const T *values, const dims &shape, garray_dtype type, ::garray::device where)
    {
        check(garray_from_host(values, dtype_of<T>, shape, nullptr, where, &p_));
        if (type != GARRAY_DTYPE_DEFAULT && type != dtype_of<T>) {
            const garray_status status = garray_astype(p_, type, &p_);
            if (status != GARRAY_OK) {
                garray_release(detach());
                check(status);
            }
        }
    }

    // Appends the elements, and says in `shape` how long the lists of each level are, which must agree.
    template <class T> static void flatten(const T &value, std::vector<T> &values, std::int64_t *) { values.push_back(value); }
    template <class T, class L>
    static void flatten(const std::initializer_list<L> &list, std::vector<T> &values, std::int64_t *shape)
    {
        const auto n = static_cast<std::int64_t>(list.size());
        if (*shape >= 0 && *shape != n)
            throw error(GARRAY_ERR_SHAPE, "array: the lists of one level have different lengths, " + std::to_string(*shape) +
                                              " and " + std::to_string(n));
        *shape = n;
        for (const L &inner : list)
            flatten<T>(inner, values, shape + 1);
    }
    template <class T, std::size_t N, class L> void from_lists(const L &lists, garray_dtype type, ::garray::device where)
    {
        // a vector<bool> has no elements in memory
        using stored = std::conditional_t<std::is_same_v<T, bool>, unsigned char, T>;
        std::vector<T> values;
        std::int64_t shape[N + 1];
        std::fill_n(shape, N + 1, std::int64_t{ -1 });
        flatten<T>(lists, values, shape);
        std::replace(shape, shape + N, std::int64_t{ -1 }, std::int64_t{ 0 });
        if constexpr (std::is_same_v<T, bool>) {
            const std::vector<stored> bytes(values.begin(), values.end());
            check(garray_from_host(bytes.data(), bool_, garray_shape{ N, shape }, nullptr, where, &p_));
            if (type != GARRAY_DTYPE_DEFAULT)
                *this = adopt(detach()).astype(type);
        } else {
            from_values(values.data(), dims(garray_shape{ N, shape }), type, where);
        }
    }

    garray_t *p_;
};

static_assert(sizeof(array) == sizeof(garray_t *) && std::is_standard_layout_v<array>, "array is a handle");

inline void swap(array &a, array &b) noexcept
{
    a.swap(b);
}

// ---- operands ----

// What functions take that NumPy calls array_like: an array, a part of one, a number, or none (not given). For arguments
// only: it does not keep its array alive.
//
// An array that is about to vanish (a temporary, or std::move(x)) lends its memory to the result: in a + b + c the sum of
// the first two is where the result goes.
class operand : public garray_operand {
public:
    operand(none_t) noexcept : spare_(nullptr) {}
    operand(const ::garray::array &x) noexcept : garray_operand(x.get()), spare_(nullptr) {}
    operand(::garray::array &&x) noexcept : garray_operand(static_cast<const garray_t *>(x.get())), spare_(x.out()) {}
    template <class H, class I> operand(part<H, I> &&p) : operand(std::move(p).view()) {}
    operand(const garray_operand &o) noexcept : garray_operand(o), spare_(nullptr) {}
    template <class N, std::enable_if_t<std::is_arithmetic_v<N> && std::is_constructible_v<garray_operand, N>, int> = 0>
    operand(N number) noexcept : garray_operand(number), spare_(nullptr)
    {
    }
    template <class F> operand(const std::complex<F> &number) noexcept : garray_operand(number), spare_(nullptr) {}

    // The slot for a result: with what the first operand that vanishes holds, else empty.
    template <class... O> static ::garray::array slot(const O &...operands) noexcept
    {
        garray_t *spare = nullptr;
        ((spare = spare ? spare : operands.take()), ...);
        return ::garray::array::adopt(spare);
    }

private:
    garray_t *take() const noexcept { return spare_ ? std::exchange(*spare_, nullptr) : nullptr; }

    garray_t **spare_;
};

// x.mT and its conjugate as operands: matmul(mT(x), y) copies nothing and makes no view.
inline operand mT(const operand &x) noexcept
{
    return operand(garray_operand_flip(x, GARRAY_OPERAND_TRANSPOSE));
}
inline operand mH(const operand &x) noexcept
{
    return operand(garray_operand_flip(x, GARRAY_OPERAND_TRANSPOSE | GARRAY_OPERAND_CONJUGATE));
}

// ---- lists ----
// For arguments only: concat({ a, b }, 1), or a std::vector of arrays.

namespace detail {

struct array_pointer {
    array_pointer(const array &x) noexcept : p(x.get()) {}
    template <class H, class I> array_pointer(part<H, I> &&x) : p(std::move(x).view().get()) {}
    const garray_t *p;
};

} // namespace detail

class array_list {
public:
    array_list(std::initializer_list<detail::array_pointer> arrays) noexcept
    {
        const detail::array_pointer *first = arrays.begin();
        set(first, arrays.size());
    }
    array_list(const std::vector<array> &arrays) noexcept { set(arrays.data(), arrays.size()); }
    operator garray_list() const noexcept { return list_; }
    std::size_t size() const noexcept { return static_cast<std::size_t>(list_.n); }

private:
    // Both hold a pointer and nothing else.
    template <class H> void set(const H *first, std::size_t n) noexcept
    {
        static_assert(sizeof(H) == sizeof(garray_t *) && std::is_standard_layout_v<H>, "a handle");
        list_ = { static_cast<std::int64_t>(n), reinterpret_cast<const garray_t *const *>(first) };
    }
    garray_list list_;
};

class operand_list {
public:
    operand_list(std::initializer_list<garray_operand> operands) noexcept : n_(operands.size())
    {
        const garray_operand *first = operands.begin();
        v_ = first;
    }
    const garray_operand *data() const noexcept { return v_; }
    std::size_t size() const noexcept { return n_; }

private:
    std::size_t n_;
    const garray_operand *v_;
};

namespace detail {

// The results of one call of which there are as many as an argument says
class slots {
public:
    explicit slots(std::int64_t n) : arrays_(static_cast<std::size_t>(n < 0 ? 0 : n)) {}
    int size() const noexcept { return static_cast<int>(arrays_.size()); }
    garray_t **out() noexcept { return reinterpret_cast<garray_t **>(arrays_.data()); }
    std::vector<array> take() noexcept { return std::move(arrays_); }

private:
    std::vector<array> arrays_;
};

// The length of an axis, 0 for one that is none
inline std::int64_t length(const array &x, int axis) noexcept
{
    return axis < x.ndim() && axis >= -x.ndim() ? x.shape(axis) : 0;
}

// Where a result goes whose caller may not want it
inline garray_t **wanted(array *x) noexcept
{
    return x ? x->out() : nullptr;
}

} // namespace detail

// Where add(a, b, into(x)) writes: into x's memory, which keeps shape and dtype, as NumPy's out=x.
class into {
public:
    explicit into(array &x) noexcept : x_(x.get()) {}
    explicit into(array &&x) noexcept : x_(x.get()) {}
    garray_t **out() const noexcept { return garray_into(x_); }

private:
    garray_t *x_;
};

} // namespace garray

#endif
