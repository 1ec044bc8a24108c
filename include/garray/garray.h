/* SPDX-License-Identifier: BSD-3-Clause
 * libgarray: NumPy's array functions for C and C++, on a CPU or an NVIDIA GPU. Includes all other headers.
 *
 *     #include <garray/garray.h>
 *
 *     int main(int argc, char **argv)
 *     {
 *         garray_device device;
 *         GARRAY_AUTO garray_t *x = NULL, *y = NULL, *total = NULL;
 *         double value;
 *         GARRAY_CHECK(garray_device_parse(argc > 1 ? argv[1] : "cpu", &device));   // "cpu", "cuda", "auto"
 *         GARRAY_CHECK(garray_arange(0, 12, 1, GARRAY_FLOAT64, device, &x));        // x = arange(12.0)
 *         GARRAY_CHECK(garray_reshape(x, GARRAY_SHAPE(3, 4), &x));                  // x = x.reshape(3, 4)
 *         GARRAY_CHECK(garray_multiply(x, 0.5, &y));                                // y = x * 0.5
 *         GARRAY_CHECK(garray_setitem(y, GARRAY_AT(0, GARRAY_REVERSED), 1));        // y[0, ::-1] = 1
 *         GARRAY_CHECK(garray_sum(y, GARRAY_ALL_AXES, NULL, &total));               // total = y.sum()
 *         GARRAY_CHECK(garray_item(total, &value));                                 // value = total.item()
 *         GARRAY_CHECK(garray_print(y, NULL));                                      // print(y)
 *         return 0;
 *     }
 *
 * Ten rules hold everywhere:
 *
 *  1. Functions return a garray_status, which must be used: GARRAY_TRY passes it on, GARRAY_CHECK is for
 *     main. garray_error_message() says what was wrong. A failed call leaves everything as it was.
 *  2. Results come last and are assigned: `&y` means `y = ...`. Start with y = NULL, release in the end
 *     (GARRAY_AUTO does). y may be an operand too.
 *  3. garray_into(v) instead of &v writes into the array that is there, through views: out=v, v[...] = ...
 *  4. Operands are arrays or numbers: garray_add(x, 1, &y). Functions of a single array take arrays alone.
 *  5. Lists are written in place: GARRAY_SHAPE(3, 4), GARRAY_AXES(0, -1), GARRAY_ALL_AXES, GARRAY_LIST(a, b),
 *     GARRAY_AT(0, GARRAY_RANGE(1, 5)) for [0, 1:5]. GARRAY_DIMS(n, pointer) where the count is not known
 *     before.
 *  6. Keywords: GARRAY_KW(reduce, .keepdims = true); NULL for the defaults. The family is the middle of its
 *     struct's name: garray_reduce_opts.
 *  7. Dtypes promote as in NumPy 2, and numbers give way to arrays: float32 array + 1.5 is float32.
 *  8. Creation takes a device; everything else runs where its arrays are, and never copies between devices.
 *  9. GPU work is asynchronous. Only calls whose result the host needs wait (item, to_host, print, save,
 *     nonzero, a bool index ...), and their comments say so; they also report faults that the device found late.
 * 10. Any thread may call anything; two must not change one array at once.
 *
 * Where to find what:
 *   array.h       creation, data in and out, lifetime
 *   array_interface.h  arrays of other libraries, as plain fields
 *   decompose.h   QR, singular values, eigenvalues
 *   device.h      devices, streams, memory
 *   diagonal.h    diagonals and triangles, their indices
 *   difference.h  differences, gradients
 *   dlpack.h      arrays of other libraries
 *   dtype.h       promotion
 *   dtype_info.h  limits of dtypes
 *   fft.h         Fourier transforms
 *   functional.h  functions of the caller over arrays
 *   graph.h       calls recorded once and run many times
 *   grid.h        coordinates
 *   histogram.h   histograms, counts
 *   image.h       filters of images
 *   index.h       items and parts of arrays
 *   info.h        what the library was built with and runs on
 *   io.h          files of arrays, printing
 *   join.h        arrays joined and taken apart
 *   linalg.h      matmul, and the linalg namespace
 *   norm.h        norms, ranks, pseudoinverses, least squares
 *   math.h        elementwise functions
 *   nan.h         reductions without NaN
 *   numeric.h     elementwise functions with options, softmax, packed bits
 *   op.h          numbers of operations
 *   operand.h     the macros above
 *   pinned.h      host memory that GPUs reach directly
 *   polynomial.h  polynomials as coefficients
 *   product.h     dot, tensordot, einsum
 *   random.h      random draws
 *   rearrange.h   repeated, rolled, edited, padded
 *   reduce.h      reductions, cumulative sums
 *   report.h      what limits a program
 *   scope.h       expressions with one check (not included here)
 *   set.h         different elements, membership, operations of sets
 *   shape.h       other shapes of the same elements
 *   signal.h      convolution, filters, interpolation, windows
 *   sort.h        sorting
 *   statistics.h  medians, quantiles, averages
 *   status.h      errors
 *   text.h        text files, bare bytes, single numbers as text
 *   transfer.h    copies to and from the host that nobody waits for
 *   ufunc.h       reduce, accumulate, outer, at of any operation */
#ifndef GARRAY_GARRAY_H
#define GARRAY_GARRAY_H

#include <garray/array.h>
#include <garray/array_interface.h>
#include <garray/decompose.h>
#include <garray/device.h>
#include <garray/diagonal.h>
#include <garray/difference.h>
#include <garray/dlpack.h>
#include <garray/dtype.h>
#include <garray/dtype_info.h>
#include <garray/export.h>
#include <garray/fft.h>
#include <garray/functional.h>
#include <garray/graph.h>
#include <garray/grid.h>
#include <garray/histogram.h>
#include <garray/image.h>
#include <garray/index.h>
#include <garray/info.h>
#include <garray/io.h>
#include <garray/join.h>
#include <garray/linalg.h>
#include <garray/math.h>
#include <garray/nan.h>
#include <garray/norm.h>
#include <garray/numeric.h>
#include <garray/op.h>
#include <garray/operand.h>
#include <garray/pinned.h>
#include <garray/polynomial.h>
#include <garray/product.h>
#include <garray/random.h>
#include <garray/rearrange.h>
#include <garray/reduce.h>
#include <garray/report.h>
#include <garray/set.h>
#include <garray/shape.h>
#include <garray/signal.h>
#include <garray/sort.h>
#include <garray/statistics.h>
#include <garray/status.h>
#include <garray/text.h>
#include <garray/transfer.h>
#include <garray/ufunc.h>
#include <garray/version.h>

#endif
