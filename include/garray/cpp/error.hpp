// SPDX-License-Identifier: BSD-3-Clause
// Statuses as exceptions.
#ifndef GARRAY_CPP_ERROR_HPP
#define GARRAY_CPP_ERROR_HPP

#include <cstring>
#include <garray/garray.h>
#include <new>
#include <stdexcept>
#include <string>

namespace garray {

// What a failed call throws: what() is the message of the C interface, "garray_add: shapes (3,4) and (5,) do not
// broadcast", status() its code.
class error : public std::runtime_error {
public:
    error(garray_status status, const std::string &message) : std::runtime_error(message), status_(status) {}
    garray_status status() const noexcept { return status_; }

private:
    garray_status status_;
};

// The same for GARRAY_ERR_NOMEM and GARRAY_ERR_DEVICE_NOMEM. It is a std::bad_alloc, not an error, and making it takes
// no memory.
class memory_error : public std::bad_alloc {
public:
    memory_error(garray_status status, const char *message) noexcept : status_(status), text_()
    {
        std::strncpy(text_, message, sizeof text_ - 1);
    }
    garray_status status() const noexcept { return status_; }
    const char *what() const noexcept override { return text_; }

private:
    garray_status status_;
    char text_[256];
};

namespace detail {

[[noreturn, gnu::noinline, gnu::cold]] inline void raise(garray_status status)
{
    if (status == GARRAY_ERR_NOMEM || status == GARRAY_ERR_DEVICE_NOMEM)
        throw memory_error(status, garray_error_message());
    throw error(status, garray_error_message());
}

} // namespace detail

// Throws unless the call succeeded: garray::check(garray_linalg_svd(x.get(), nullptr, nullptr, s.out(), nullptr)).
inline void check(garray_status status)
{
    if (status != GARRAY_OK)
        detail::raise(status);
}

} // namespace garray

#endif
