// SPDX-License-Identifier: BSD-3-Clause
// Elements in host memory: typed views of arrays, iterators over them, copies from and to the host.
#ifndef GARRAY_CPP_VIEW_HPP
#define GARRAY_CPP_VIEW_HPP

#include <cassert>
#include <cstddef>
#include <garray/cpp/functions.inc>
#include <garray/cpp/stream.hpp>
#if __cplusplus >= 202002L
#include <span>
#endif

namespace garray {

// The elements of an array on the CPU, as long as it is there: x.view<float>() to read and write them, x.view<const
// float>() to read. Between garray_begin() and garray_end() in C's terms: work of the library on the array comes before or
// after it.
//
//     for (float &value : x.view<float>())        // row-major, whatever the strides
//         value *= 2;
//     auto v = x.view<const float>();
//     float corner = v(0, 0) + v(1, 2);
//
// GARRAY_ERR_DTYPE for another type than the array's, GARRAY_ERR_UNSUPPORTED for arrays of a GPU (x.to(cpu).view<float>())
// and for elements that are not aligned.
template <class T> class host_view {
public:
    using element_type = T;
    using value_type = std::remove_const_t<T>;
    class iterator;

    explicit host_view(array x) : x_(std::move(x)), data_(nullptr)
    {
        static_assert(is_element<T>, "no type of an element");
        if (x_.dtype() != dtype_of<T>)
            throw error(GARRAY_ERR_DTYPE, std::string("view: the elements are ") + garray_dtype_name(x_.dtype()) + ", not " +
                                              garray_dtype_name(dtype_of<T>));
        if (!x_.device().is_cpu())
            throw error(GARRAY_ERR_UNSUPPORTED, "view: the array is on a GPU; x.to(cpu) is a copy in host memory");
        if (!(garray_flags(x_.get()) & GARRAY_FLAG_ALIGNED))
            throw error(GARRAY_ERR_UNSUPPORTED, "view: the elements are not aligned; x.copy() has them aligned");
        void *first = nullptr;
        check(garray_begin(x_.get(), std::is_const_v<T> ? GARRAY_READ : GARRAY_READ | GARRAY_WRITE, nullptr, &first));
        data_ = static_cast<T *>(first);
        shape_ = garray_shape_of(x_.get());
        strides_ = garray_strides_of(x_.get());
        contiguous_ = x_.is_contiguous();
        size_ = x_.size();
        // What an iterator goes along without looking up: all of it, or the last axis
        run_ = contiguous_ || shape_.n == 0 ? size_ : shape_.v[shape_.n - 1];
        step_ = contiguous_ || shape_.n == 0 ? static_cast<std::int64_t>(sizeof(T)) : strides_[shape_.n - 1];
    }
    host_view(host_view &&other) noexcept = default;
    host_view &operator=(host_view &&) = delete;
    ~host_view()
    {
        if (x_.defined())
            static_cast<void>(!garray_end(x_.get(), nullptr)); // a destructor has nobody to tell
    }

    std::int64_t size() const noexcept { return size_; }
    int ndim() const noexcept { return static_cast<int>(shape_.n); }
    std::int64_t shape(int axis) const noexcept { return shape_.v[axis < 0 ? shape_.n + axis : axis]; }
    std::int64_t stride(int axis) const noexcept { return strides_[axis < 0 ? shape_.n + axis : axis]; } // in bytes
    bool is_contiguous() const noexcept { return contiguous_; }
    // The first element; the others follow row-major where the view is contiguous.
    T *data() const noexcept { return data_; }

    // One index per axis; not checked, but for assertions. at() throws GARRAY_ERR_INDEX.
    template <class... I> T &operator()(I... index) const noexcept
    {
        const std::int64_t i[] = { static_cast<std::int64_t>(index)..., 0 };
        assert(sizeof...(I) == static_cast<std::size_t>(shape_.n));
        std::int64_t offset = 0;
        for (std::size_t axis = 0; axis < sizeof...(I); axis++) {
            assert(i[axis] >= 0 && i[axis] < shape_.v[axis]);
            offset += i[axis] * strides_[axis];
        }
        return *moved(data_, offset);
    }
    template <class... I> T &at(I... index) const
    {
        const std::int64_t i[] = { static_cast<std::int64_t>(index)..., 0 };
        if (sizeof...(I) != static_cast<std::size_t>(shape_.n))
            throw error(GARRAY_ERR_INDEX, "at: " + std::to_string(sizeof...(I)) + " indices for an array of " +
                                              std::to_string(shape_.n) + " axes");
        for (std::size_t axis = 0; axis < sizeof...(I); axis++)
            if (i[axis] < 0 || i[axis] >= shape_.v[axis])
                throw error(GARRAY_ERR_INDEX, "at: index " + std::to_string(i[axis]) + " is out of bounds for axis " +
                                                  std::to_string(axis) + " with size " + std::to_string(shape_.v[axis]));
        return (*this)(index...);
    }
    // Of a vector
    T &operator[](std::int64_t i) const noexcept { return (*this)(i); }

    iterator begin() const noexcept { return iterator(this, 0); }
    iterator end() const noexcept { return iterator(this, size_); }

#if __cplusplus >= 202002L
    // GARRAY_ERR_UNSUPPORTED unless contiguous.
    std::span<T> span() const
    {
        if (!contiguous_)
            throw error(GARRAY_ERR_UNSUPPORTED, "span: the elements are not contiguous; x.copy() has them so");
        return { data_, static_cast<std::size_t>(size_) };
    }
#endif

private:
    static T *moved(T *p, std::int64_t bytes) noexcept
    {
        using byte = std::conditional_t<std::is_const_v<T>, const unsigned char, unsigned char>;
        return reinterpret_cast<T *>(reinterpret_cast<byte *>(p) + bytes);
    }
    // The element of a number in row-major order
    T *place(std::int64_t number) const noexcept
    {
        if (contiguous_)
            return data_ + number;
        std::int64_t offset = 0;
        for (std::int64_t axis = shape_.n - 1; axis >= 0; axis--) {
            offset += number % shape_.v[axis] * strides_[axis];
            number /= shape_.v[axis];
        }
        return moved(data_, offset);
    }

    array x_;
    T *data_;
    garray_shape shape_;
    const std::int64_t *strides_;
    std::int64_t size_, run_, step_;
    bool contiguous_;
};

// Forward, in row-major order: a step along the last axis is an addition, the next row a look-up.
template <class T> class host_view<T>::iterator {
public:
    using iterator_category = std::forward_iterator_tag;
    using value_type = std::remove_const_t<T>;
    using difference_type = std::ptrdiff_t;
    using pointer = T *;
    using reference = T &;

    iterator() noexcept : view_(nullptr), p_(nullptr), number_(0), left_(0) {}
    T &operator*() const noexcept { return *p_; }
    T *operator->() const noexcept { return p_; }
    iterator &operator++() noexcept
    {
        number_++;
        if (--left_ > 0)
            p_ = moved(p_, view_->step_);
        else if (number_ < view_->size_)
            start();
        return *this;
    }
    iterator operator++(int) noexcept
    {
        const iterator old = *this;
        ++*this;
        return old;
    }
    friend bool operator==(const iterator &a, const iterator &b) noexcept { return a.number_ == b.number_; }
    friend bool operator!=(const iterator &a, const iterator &b) noexcept { return a.number_ != b.number_; }

private:
    friend class host_view;
    iterator(const host_view *view, std::int64_t number) noexcept : view_(view), p_(nullptr), number_(number), left_(0)
    {
        if (number < view->size_)
            start();
    }
    void start() noexcept
    {
        p_ = view_->place(number_);
        left_ = view_->run_;
    }

    const host_view *view_;
    T *p_;
    std::int64_t number_, left_;
};

template <class T> host_view<T> array::view()
{
    return host_view<T>(*this);
}
template <class T> host_view<const std::remove_const_t<T>> array::view() const
{
    return host_view<const std::remove_const_t<T>>(*this);
}

// ---- from and to the host ----

// A copy of elements in host memory: row-major, or with strides in bytes.
template <class T> array from_host(const T *data, const dims &shape, device where = cpu)
{
    static_assert(is_element<T>, "no type of an element");
    array x;
    check(garray_from_host(data, dtype_of<T>, shape, nullptr, where, x.out()));
    return x;
}
template <class T> array from_host(const T *data, const dims &shape, const dims &byte_strides, device where = cpu)
{
    static_assert(is_element<T>, "no type of an element");
    array x;
    if (shape.size() != byte_strides.size())
        throw error(GARRAY_ERR_SHAPE, "from_host: " + std::to_string(byte_strides.size()) + " strides for " +
                                          std::to_string(shape.size()) + " axes");
    check(garray_from_host(data, dtype_of<T>, shape, byte_strides.data(), where, x.out()));
    return x;
}

// Copies all elements, row-major, to room for n of them; GARRAY_ERR_DTYPE for another type than x's. Waits.
template <class T> void to_host(const array &x, T *data, std::size_t n)
{
    if (x.dtype() != dtype_of<T>)
        throw error(GARRAY_ERR_DTYPE, std::string("to_host: the elements are ") + garray_dtype_name(x.dtype()) + ", not " +
                                          garray_dtype_name(dtype_of<T>));
    check(garray_to_host(x.get(), data, nullptr, n * sizeof(T)));
}

// The same without a wait, on the current stream; the event, of the device, is recorded behind the copy. Pinned memory is the
// library's until then, from_host_async() has read other memory when it returns (transfer.h).
template <class T> array from_host_async(const T *data, const dims &shape, device where, event &done)
{
    static_assert(is_element<T>, "no type of an element");
    array x;
    check(garray_from_host_async(data, dtype_of<T>, shape, nullptr, where, done.get(), x.out()));
    return x;
}
template <class T> void to_host_async(const array &x, T *data, std::size_t n, event &done)
{
    if (x.dtype() != dtype_of<T>)
        throw error(GARRAY_ERR_DTYPE, std::string("to_host_async: the elements are ") + garray_dtype_name(x.dtype()) + ", not " +
                                          garray_dtype_name(dtype_of<T>));
    check(garray_to_host_async(x.get(), data, nullptr, n * sizeof(T), done.get()));
}

// A vector over n elements of the caller's, which are not copied and must live as long as it; on the CPU.
template <class T> array frombuffer(T *data, std::size_t n)
{
    static_assert(is_element<T>, "no type of an element");
    garray_frombuffer_opts opts{};
    opts.readonly = std::is_const_v<T>;
    array x;
    check(garray_frombuffer(const_cast<void *>(static_cast<const void *>(data)), n * sizeof(T), dtype_of<T>, &opts, nullptr,
                            nullptr, x.out()));
    return x;
}
// The same over the elements of a vector that the array keeps.
template <class T> array frombuffer(std::vector<T> &&values)
{
    static_assert(is_element<T> && !std::is_same_v<T, bool>, "no type of elements in a std::vector");
    auto *kept = new std::vector<T>(std::move(values));
    array x;
    const garray_status status =
        garray_frombuffer(kept->data(), kept->size() * sizeof(T), dtype_of<T>, nullptr,
                          [](void *ctx) { delete static_cast<std::vector<T> *>(ctx); }, kept, x.out());
    if (status != GARRAY_OK)
        delete kept;
    check(status);
    return x;
}

// The bytes of all elements, in the order 'C', 'F' or 'A'. Waits.
inline std::vector<unsigned char> tobytes(const array &x, char order = 'C')
{
    std::vector<unsigned char> bytes(static_cast<std::size_t>(x.nbytes()));
    check(garray_tobytes(x.get(), order, bytes.data(), bytes.size()));
    return bytes;
}

} // namespace garray

#endif
