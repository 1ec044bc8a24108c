// SPDX-License-Identifier: BSD-3-Clause
// libgarray for C++17 and later: header-only, over the functions of C, at no cost beyond theirs.
//
//     #include <garray/garray.hpp>
//     #include <iostream>
//     using namespace garray;
//
//     array standardized(const array &x)                                  // columns of mean 0 and deviation 1
//     {
//         return (x - mean(x, 0)) / std(x, 0);
//     }
//
//     int main(int argc, char **argv)
//     {
//         const device where(argc > 1 ? argv[1] : "cpu");                 // "cpu", "cuda", "cuda:1", "auto"
//         array x = reshape(arange(0, 12, 1, float32, where), { 3, 4 });
//         array y = softmax(x);
//         y(0, slice(none, none, -1)) = 0.0;                              // y[0, ::-1] = 0
//         array rows = y(slice(1, 3));                                    // y[1:3], a view
//         rows += 1;                                                      // seen by y
//         y(x < 2) = -1;                                                  // a mask
//         std::cout << y << '\n';                                         // as NumPy prints it
//         return sum(y).item<float>() > 0 ? 0 : 1;
//     }
//
//  - `array` is a handle (cpp/array.hpp). Copies mean the same array, as in Python; x.copy() makes another.
//  - A failed call throws garray::error with the message and the status of C, or garray::memory_error, a
//    std::bad_alloc. What it would have changed is unchanged.
//  - Each function of C is there by its name in namespace garray, its result returned; linalg_, fft_, random_ and signal_
//    are namespaces: linalg::svd(x). The comments are those of C's headers. Functions of several results return a struct:
//    auto [u, s, vh] = linalg::svd(x).
//  - Keywords are a struct at the end: sum(x, -1, { .keepdims = true }) in C++20; in C++17 reduce_opts o{}; o.keepdims =
//    true; or *GARRAY_KW(reduce, .keepdims = true). Arrays in them are not kept: o.where = x > 0 names one that is gone.
//  - Arguments are arrays, parts of arrays and numbers: maximum(x, 0), where(x < 0, none, y).
//  - x(...) is a part of x while the expression lasts: read it into an array, or assign to it (cpp/part.hpp).
//  - x.view<float>() are the elements in host memory (cpp/view.hpp).
//  - add(x, y, into(z)) writes into z's memory; a temporary lends its own to the result, as std::move(x) does.
//  - Whatever else: x.get() is the garray_t *, x.out() the place for a result of a function of C.
#ifndef GARRAY_GARRAY_HPP
#define GARRAY_GARRAY_HPP

#include <garray/cpp/array.hpp>
#include <garray/cpp/dlpack.hpp>
#include <garray/cpp/error.hpp>
#include <garray/cpp/functional.hpp>
#include <garray/cpp/functions.inc>
#include <garray/cpp/graph.hpp>
#include <garray/cpp/lists.hpp>
#include <garray/cpp/operators.hpp>
#include <garray/cpp/part.hpp>
#include <garray/cpp/random.hpp>
#include <garray/cpp/stream.hpp>
#include <garray/cpp/text.hpp>
#include <garray/cpp/types.hpp>
#include <garray/cpp/view.hpp>

#endif
