/* SPDX-License-Identifier: BSD-3-Clause
 * A program that uses an installed library: computes, multiplies matrices, solves, and checks the results; and sees
 * to it that a program of the CPU alone has opened no NVIDIA library. */
#include <garray/scope.h>
#include <stdio.h>
#include <string.h>

static int opened_cuda(void)
{
    char line[4096];
    int found = 0;
    FILE *maps = fopen("/proc/self/maps", "r");
    while (maps && fgets(line, sizeof line, maps))
        if (strstr(line, "libcuda") || strstr(line, "libnv") || strstr(line, "libcublas") || strstr(line, "garray-cuda")) {
            fprintf(stderr, "open: %s", line);
            found = 1;
        }
    if (maps)
        fclose(maps);
    return found;
}

int main(void)
{
    GARRAY_AUTO garray_t *a = NULL, *b = NULL, *x = NULL, *r = NULL;
    double worst;
    GARRAY_CHECK(garray_eye(4, 4, 0, GARRAY_FLOAT64, GARRAY_CPU, &a));
    GARRAY_CHECK(garray_add(a, 0.25, &a));
    GARRAY_CHECK(garray_arange(0, 4, 1, GARRAY_FLOAT64, GARRAY_CPU, &b));
    GARRAY_CHECK(garray_linalg_solve(a, b, &x));
    GARRAY_SCOPE(s);
    GARRAY_CHECK(garray_scope_end(&s, S_sub(&s, S_matmul(&s, a, x), b), &r));
    GARRAY_CHECK(garray_abs(r, &r));
    GARRAY_CHECK(garray_max(r, GARRAY_ALL_AXES, NULL, &r));
    GARRAY_CHECK(garray_item(r, &worst));
    if (!(worst < 1e-14)) {
        fprintf(stderr, "residual %g\n", worst);
        return 1;
    }
    return opened_cuda();
}
