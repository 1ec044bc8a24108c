// SPDX-License-Identifier: BSD-3-Clause
// loop.c in C++.
#include <cstdlib>
#include <garray/garray.hpp>

int main(int argc, char **argv)
{
    using namespace garray;
    const int n = argc > 1 ? std::atoi(argv[1]) : 1;
    array x = ones({ 8, 8 }, float32), y = copy(x);
    for (int i = 0; i < n; i++) {
        array z = (x + y) * 0.5;
        x += 1;
        array row = z(slice(1, 3), 0);
        array total = sum(row, -1);
        x(0) = total;
    }
}
