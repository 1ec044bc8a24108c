// SPDX-License-Identifier: BSD-3-Clause
// Arrays of other libraries, without a copy. To look inside a tensor, or to drop one, include dlpack.h before.
#ifndef GARRAY_CPP_DLPACK_HPP
#define GARRAY_CPP_DLPACK_HPP

#include <garray/cpp/functions.inc>
#include <memory>

namespace garray {

namespace detail {

struct dlpack_deleter {
    template <class Tensor> void operator()(Tensor *tensor) const
    {
        if (tensor->deleter)
            tensor->deleter(tensor);
    }
};

} // namespace detail

// A tensor that gives its memory back when nobody has taken it with release(), as a consumer does.
using dlpack_tensor = std::unique_ptr<DLManagedTensorVersioned, detail::dlpack_deleter>;
using dlpack_tensor_unversioned = std::unique_ptr<DLManagedTensor, detail::dlpack_deleter>;

// Shares x's memory: auto tensor = to_dlpack(x). These are templates since a tensor can be dropped only where its type is
// complete.
template <class Tensor = dlpack_tensor> Tensor to_dlpack(const array &x, const garray_dlpack_opts &opts = {})
{
    DLManagedTensorVersioned *tensor = nullptr;
    check(garray_to_dlpack(x.get(), &opts, &tensor));
    return Tensor(tensor);
}
template <class Tensor = dlpack_tensor_unversioned>
Tensor to_dlpack_unversioned(const array &x, const garray_dlpack_opts &opts = {})
{
    DLManagedTensor *tensor = nullptr;
    check(garray_to_dlpack_unversioned(x.get(), &opts, &tensor));
    return Tensor(tensor);
}

// An array over a tensor, which then belongs to it; where this throws the tensor still is the caller's (but one of another
// major version, as garray_from_dlpack() says).
inline array from_dlpack(DLManagedTensorVersioned *tensor, const garray_dlpack_opts &opts = {})
{
    array x;
    check(garray_from_dlpack(tensor, &opts, x.out()));
    return x;
}
inline array from_dlpack(DLManagedTensor *tensor, const garray_dlpack_opts &opts = {})
{
    array x;
    check(garray_from_dlpack_unversioned(tensor, &opts, x.out()));
    return x;
}

// The fields of NumPy's and CUDA's array interfaces, valid while x is.
inline garray_array_interface to_array_interface(const array &x)
{
    garray_array_interface fields{};
    check(garray_to_array_interface(x.get(), &fields));
    return fields;
}

// An array over what fields show; release() is called, on any thread, when it is needed no more, and not if this throws.
inline array from_array_interface(const garray_array_interface &fields)
{
    array x;
    check(garray_from_array_interface(&fields, nullptr, nullptr, x.out()));
    return x;
}
template <class F> array from_array_interface(const garray_array_interface &fields, F release)
{
    auto kept = std::make_unique<F>(std::move(release));
    array x;
    check(garray_from_array_interface(
        &fields,
        [](void *ctx) {
            const std::unique_ptr<F> f(static_cast<F *>(ctx));
            (*f)();
        },
        kept.get(), x.out()));
    static_cast<void>(kept.release()); // the array has it
    return x;
}

} // namespace garray

#endif
