// SPDX-License-Identifier: BSD-3-Clause
// What functions take beside arrays: dtypes, devices, shapes, axes, "not given", text.
#ifndef GARRAY_CPP_TYPES_HPP
#define GARRAY_CPP_TYPES_HPP

#include <algorithm>
#include <complex>
#include <cstdint>
#include <garray/cpp/error.hpp>
#include <iterator>
#include <ostream>
#include <string>
#include <type_traits>

namespace garray {

// ---- dtypes ----

using dtype = garray_dtype;
inline constexpr dtype bool_ = GARRAY_BOOL, int8 = GARRAY_INT8, int16 = GARRAY_INT16, int32 = GARRAY_INT32, int64 = GARRAY_INT64,
                       uint8 = GARRAY_UINT8, uint16 = GARRAY_UINT16, uint32 = GARRAY_UINT32, uint64 = GARRAY_UINT64,
                       float16 = GARRAY_FLOAT16, bfloat16 = GARRAY_BFLOAT16, float32 = GARRAY_FLOAT32,
                       float64 = GARRAY_FLOAT64, complex64 = GARRAY_COMPLEX64, complex128 = GARRAY_COMPLEX128;

namespace detail {

template <class T> constexpr dtype dtype_of() noexcept
{
    if constexpr (std::is_same_v<T, bool>)
        return bool_;
    else if constexpr (std::is_integral_v<T> && std::is_signed_v<T>)
        return sizeof(T) == 1 ? int8 : sizeof(T) == 2 ? int16 : sizeof(T) == 4 ? int32 : int64;
    else if constexpr (std::is_integral_v<T>)
        return sizeof(T) == 1 ? uint8 : sizeof(T) == 2 ? uint16 : sizeof(T) == 4 ? uint32 : uint64;
    else if constexpr (std::is_same_v<T, float>)
        return float32;
    else if constexpr (std::is_same_v<T, double>)
        return float64;
    else if constexpr (std::is_same_v<T, std::complex<float>>)
        return complex64;
    else if constexpr (std::is_same_v<T, std::complex<double>>)
        return complex128;
    else
        return GARRAY_DTYPE_DEFAULT; // none
}

} // namespace detail

// The dtype of a C++ type: dtype_of<float> is float32. float16 and bfloat16 have no type here.
template <class T> inline constexpr dtype dtype_of = detail::dtype_of<std::remove_cv_t<T>>();

// Whether a C++ type is that of an element.
template <class T> inline constexpr bool is_element = dtype_of<T> != GARRAY_DTYPE_DEFAULT;

// ---- devices ----

// A garray_device that compares and prints. device("cuda") reads a name, and throws where it cannot be used.
struct device : garray_device {
    constexpr device() noexcept : garray_device{ GARRAY_DEVICE_CPU, 0 } {}
    constexpr device(garray_device d) noexcept : garray_device(d) {}
    explicit device(const char *text) : device() { check(garray_device_parse(text, this)); }
    explicit device(const std::string &text) : device(text.c_str()) {}

    bool is_cpu() const noexcept { return type == GARRAY_DEVICE_CPU; }
    // Waits until all work on the device is done.
    void synchronize() const { check(garray_synchronize(*this)); }
    // What the device is called, "NVIDIA L4".
    std::string name() const
    {
        char buf[256];
        check(garray_device_name(*this, buf, sizeof buf));
        return buf;
    }
    friend bool operator==(device a, device b) noexcept { return a.type == b.type && a.index == b.index; }
    friend bool operator!=(device a, device b) noexcept { return !(a == b); }
    friend std::ostream &operator<<(std::ostream &stream, device d)
    {
        stream << (d.is_cpu() ? "cpu" : "cuda");
        return d.index ? stream << ':' << d.index : stream;
    }
};

inline constexpr device cpu{};
constexpr device cuda(int index = 0) noexcept
{
    return garray_device{ GARRAY_DEVICE_CUDA, index };
}

// ---- not given ----

// An operand that is not given: clip(x, none, 1); all axes: sum(x, none, opts); an open end: slice(1, none); and, as in
// NumPy, a new axis: x(none).
struct none_t {
    explicit constexpr none_t() = default;
};
inline constexpr none_t none{};

struct all_axes_t {
    explicit constexpr all_axes_t() = default;
};
inline constexpr all_axes_t all_axes{};

// ---- shapes and axes ----

namespace detail {

template <class... I> using if_integers = std::enable_if_t<(sizeof...(I) > 0) && (std::is_integral_v<I> && ...), int>;

// A container of integers other than List itself
template <class C, class List>
using if_integers_in =
    std::enable_if_t<!std::is_base_of_v<List, C> &&
                         std::is_integral_v<std::decay_t<decltype(*std::data(std::declval<const C &>()))>>,
                     int>;

// Up to GARRAY_MAX_NDIM integers, in place
template <class T> class integers {
public:
    integers() noexcept : n_(0) {}
    integers(const integers &other) noexcept : n_(other.n_) { std::copy_n(other.v_, n_, v_); }
    integers &operator=(const integers &other) noexcept
    {
        n_ = other.n_;
        std::copy_n(other.v_, n_, v_);
        return *this;
    }

    std::size_t size() const noexcept { return n_; }
    const T *data() const noexcept { return v_; }
    const T *begin() const noexcept { return v_; }
    const T *end() const noexcept { return v_ + n_; }
    T operator[](std::size_t i) const noexcept { return v_[i]; }

    friend bool operator==(const integers &a, const integers &b) noexcept
    {
        return std::equal(a.begin(), a.end(), b.begin(), b.end());
    }
    friend bool operator!=(const integers &a, const integers &b) noexcept { return !(a == b); }

protected:
    template <class I> void assign(const I *from, std::size_t n)
    {
        if (n > GARRAY_MAX_NDIM)
            throw error(GARRAY_ERR_SHAPE, "maximum supported dimension for a garray is 64, found " + std::to_string(n));
        n_ = n;
        for (std::size_t i = 0; i < n; i++)
            v_[i] = static_cast<T>(from[i]);
    }
    std::size_t n_;
    T v_[GARRAY_MAX_NDIM];
};

} // namespace detail

// Lengths, one per axis: dims{ 3, 4 }, of any integers, or of a container of them; {} is the shape of no axes. A function
// that takes dims takes one integer as well: zeros(5).
class dims : public detail::integers<std::int64_t> {
public:
    dims() noexcept {}
    template <class... I, detail::if_integers<I...> = 0> dims(I... lengths)
    {
        const std::int64_t v[] = { static_cast<std::int64_t>(lengths)... };
        assign(v, sizeof...(I));
    }
    template <class C, detail::if_integers_in<C, dims> = 0> dims(const C &lengths)
    {
        assign(std::data(lengths), std::size(lengths));
    }
    dims(garray_shape shape) { assign(shape.v, static_cast<std::size_t>(shape.n)); }
    // Valid as long as the dims are.
    operator garray_shape() const noexcept { return { static_cast<std::int64_t>(n_), n_ ? v_ : nullptr }; }

    // As Python prints a tuple
    friend std::ostream &operator<<(std::ostream &stream, const dims &d)
    {
        stream << '(';
        for (std::size_t i = 0; i < d.size(); i++)
            stream << (i ? ", " : "") << d[i];
        return stream << (d.size() == 1 ? ",)" : ")");
    }
};

// Axes, negative ones counted from the end: -1, { 0, -1 }, all_axes, none (all_axes, too); {} is no axis at all.
class axis_list : public detail::integers<std::int32_t> {
public:
    axis_list() noexcept : all_(false) {}
    axis_list(all_axes_t) noexcept : all_(true) {}
    axis_list(none_t) noexcept : all_(true) {}
    template <class... I, detail::if_integers<I...> = 0> axis_list(I... axes) : all_(false)
    {
        const std::int32_t v[] = { static_cast<std::int32_t>(axes)... };
        assign(v, sizeof...(I));
    }
    template <class C, detail::if_integers_in<C, axis_list> = 0> axis_list(const C &axes) : all_(false)
    {
        assign(std::data(axes), std::size(axes));
    }
    operator garray_axes() const noexcept { return { static_cast<std::int64_t>(n_), all_ ? nullptr : v_ }; }
    // How many axes of an array they are.
    std::int64_t count(int ndim) const noexcept { return all_ ? ndim : static_cast<std::int64_t>(n_); }

private:
    bool all_;
};

// ---- text ----

// A C string, or a std::string, which must live as long.
class text {
public:
    text(const char *s) noexcept : s_(s) {}
    text(const std::string &s) noexcept : s_(s.c_str()) {}
    operator const char *() const noexcept { return s_; }

private:
    const char *s_;
};

} // namespace garray

#endif
