// SPDX-License-Identifier: BSD-3-Clause
// C++: operators, slices, masks, keywords, typed views and exceptions, over the same functions as in C.
#include <garray/garray.hpp>
#include <cmath>
#include <cstring>
#include <iostream>
using namespace garray;

// Columns of mean 0 and deviation 1. Temporaries lend their memory to the results.
static array standardized(const array &x)
{
    return (x - mean(x, 0)) / garray::std(x, 0);
}

int main(int argc, char **argv)
{
    if (argc > 1 && !std::strcmp(argv[1], "--help")) {
        std::cout << "usage: " << argv[0] << " [cpu|cuda|cuda:1|auto]\nArrays in C++.\n";
        return 0;
    }
    const device where(argc > 1 ? argv[1] : "cpu");
    array x = reshape(arange(0, 12, 1, float64, where), { 4, 3 });

    array z = standardized(x);
    std::cout << z << '\n'; // as NumPy prints it
    if (!(std::fabs(sum(z * z).item<double>() - 12) < 1e-12))
        return 1;

    array rows = x(slice(1, 3));             // x[1:3], a view
    rows += 100;                             // seen by x
    x(0, slice(none, none, -1)) = 0;         // x[0, ::-1] = 0
    x(x > 105) = -1;                         // a mask
    if (x(1, 0).item<double>() != 103 || x(2, 2).item<double>() != -1 || x(0, 1).item<double>() != 0)
        return 1;

    auto [u, s, vh] = linalg::svd(z); // functions of several results
    array back = matmul(u(ellipsis, slice(none, s.shape()[0])) * s, vh);
    if (!allclose(back, z))
        return 1;

    const array here = x.to(cpu);            // elements are read on the host
    double largest = -1e300;
    for (double v : here.view<double>())
        largest = std::fmax(largest, v);
    if (largest != 105)
        return 1;

    try {
        array wrong = x + ones({ 7 }, float64, where);
    } catch (const error &e) {               // what was to be changed is unchanged
        std::cout << e.what() << '\n';
        return e.status() == GARRAY_ERR_SHAPE ? 0 : 1;
    }
    return 1;
}
