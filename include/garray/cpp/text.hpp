// SPDX-License-Identifier: BSD-3-Clause
// Arrays as text, archives of arrays, the report.
#ifndef GARRAY_CPP_TEXT_HPP
#define GARRAY_CPP_TEXT_HPP

#include <garray/cpp/functions.inc>
#include <memory>

namespace garray {

namespace detail {

// The text of a function of C that writes as snprintf does
template <class F> std::string text_of(F write)
{
    std::string s(256, '\0');
    std::size_t length = 0;
    check(write(&s[0], s.size() + 1, &length));
    if (length > s.size()) {
        s.resize(length);
        check(write(&s[0], length + 1, &length));
    }
    s.resize(length);
    return s;
}

} // namespace detail

// As NumPy's str(x), with options as its repr(x). Waits.
inline std::string format(const array &x, const garray_print_opts &opts = {})
{
    return detail::text_of([&](char *buf, std::size_t size, std::size_t *length) {
        return garray_format(x.get(), &opts, buf, size, length);
    });
}

// The same and a newline, to standard output.
inline void print(const array &x)
{
    check(garray_print(x.get(), nullptr));
}
inline void print(const array &x, const garray_print_opts &opts)
{
    check(garray_print(x.get(), &opts));
}

inline std::ostream &operator<<(std::ostream &stream, const array &x)
{
    return stream << (x.defined() ? format(x) : std::string("(no array)"));
}
template <class H, class I> std::ostream &operator<<(std::ostream &stream, part<H, I> &&p)
{
    return stream << static_cast<const array &>(std::move(p).view());
}

// A number as NumPy writes it, with the fewest digits that tell it from others.
inline std::string format_float_positional(const operand &x, const garray_format_float_opts &opts = {})
{
    return detail::text_of([&](char *buf, std::size_t size, std::size_t *length) {
        return garray_format_float_positional(x, &opts, buf, size, length);
    });
}
inline std::string format_float_scientific(const operand &x, const garray_format_float_opts &opts = {})
{
    return detail::text_of([&](char *buf, std::size_t size, std::size_t *length) {
        return garray_format_float_scientific(x, &opts, buf, size, length);
    });
}

// ---- archives ----

// An archive of arrays, a .npz file, open for reading.
class npz {
public:
    explicit npz(text path, const garray_npz_opts &opts = {})
    {
        garray_npz *opened = nullptr;
        check(garray_npz_open(path, &opts, &opened));
        npz_.reset(opened);
    }
    std::int64_t size() const noexcept { return garray_npz_count(npz_.get()); }
    std::string name(std::int64_t i) const
    {
        return detail::text_of([&](char *buf, std::size_t size, std::size_t *length) {
            return garray_npz_name(npz_.get(), i, buf, size, length);
        });
    }
    array get(text key, device where = cpu) const
    {
        array x;
        check(garray_npz_get(npz_.get(), key, where, x.out()));
        return x;
    }
    array operator[](text key) const { return get(key); }

private:
    struct closer {
        void operator()(garray_npz *npz) const noexcept { garray_npz_close(npz); }
    };
    std::unique_ptr<garray_npz, closer> npz_;
};

// ---- the report ----

// Stops counting and returns the report; report_begin() starts it. Waits.
inline std::string report_end(const garray_report_opts &opts = {})
{
    std::string report;
    check(garray_report_end(
        &opts,
        [](void *ctx, const char *text, std::size_t length) {
            try {
                static_cast<std::string *>(ctx)->assign(text, length);
            } catch (const std::bad_alloc &) { // then it stays empty
            }
        },
        &report));
    return report;
}

} // namespace garray

#endif
