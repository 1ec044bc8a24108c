// SPDX-License-Identifier: BSD-3-Clause
// What tests of garray.hpp are made of: main() that runs one function, twice, on the device of GARRAY_TEST_DEVICE, counts
// what fails, and looks for leaks. Ends with 77 where there is no such device.
#ifndef GARRAY_TESTS_CPP_HPP
#define GARRAY_TESTS_CPP_HPP

#include <cstdio>
#include <cstdlib>
#include <garray/garray.hpp>
#include <iostream>
#include <sstream>

inline int failures = 0;
inline std::string context;

inline bool expect(bool holds, const char *file, int line, const char *what)
{
    if (!holds && ++failures <= 20)
        std::cerr << file << ':' << line << ": " << context << (context.empty() ? "" : ": ") << what << '\n';
    return holds;
}
#define EXPECT(...) expect(static_cast<bool>(__VA_ARGS__), __FILE__, __LINE__, #__VA_ARGS__)

// The expression throws an error of a status whose message has the part.
#define THROWS(wanted, part, ...) \
    do { \
        try { \
            static_cast<void>(__VA_ARGS__); \
            expect(false, __FILE__, __LINE__, #__VA_ARGS__ " throws nothing"); \
        } catch (const garray::error &e) { \
            expect(e.status() == GARRAY_##wanted && std::strstr(e.what(), part), __FILE__, __LINE__, \
                   (std::string(#__VA_ARGS__ ": ") + e.what()).c_str()); \
        } \
    } while (0)

// The same elements of the same dtype and shape, bit by bit; NaN are equal.
inline bool same(const garray::array &a, const garray::array &b)
{
    if (a.dtype() != b.dtype() || a.shape() != b.shape())
        return false;
    return garray::tobytes(a) == garray::tobytes(b) || garray::array_equal(a, b, true);
}

// Row-major elements.
template <class T> bool holds(const garray::array &x, std::initializer_list<T> values)
{
    return x.dtype() == garray::dtype_of<T> && x.to_vector<T>() == std::vector<T>(values);
}

void run(garray::device where);

int main()
{
    const char *name = std::getenv("GARRAY_TEST_DEVICE");
    garray::device where;
    try {
        where = garray::device(name ? name : "cpu");
    } catch (const garray::error &e) {
        std::cerr << e.what() << ": skipped\n";
        return 77;
    }
    try {
        run(where);                                 // work space of libraries stays
        where.synchronize();
        const auto before = garray::memory_stats(where);
        run(where);
        where.synchronize();
        const auto after = garray::memory_stats(where);
        context.clear();
        EXPECT(after.live_blocks == before.live_blocks && after.live_bytes == before.live_bytes);
    } catch (const std::exception &e) {
        std::cerr << context << ": " << e.what() << '\n';
        failures++;
    }
    std::printf("%s\n", failures ? "failed" : "passed");
    return failures ? 1 : 0;
}

#endif
