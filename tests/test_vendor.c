/* SPDX-License-Identifier: BSD-3-Clause
 * Vendor libraries that are missing, of another version, or there: what the CUDA backend says, without a GPU. */
#include <criterion/criterion.h>
#include "core/status.h"
#include "cuda/cuda.h"
#undef GARRAY_CUDA
#include "core/device.h"

const garray_host *garray__cuda_host = &garray__host;

Test(vendor, missing)
{
    void *functions[1] = { NULL };
    static const char *const names[] = { "libcunothing.so.12", "libcunothing.so.11", NULL }, *const symbols[] = { "run", NULL };
    garray__cuda_library library = { "cuNothing", names, symbols, functions, 0 };
    for (int i = 0; i < 2; i++) {
        cr_assert_eq(garray__cuda_library_open(&library), GARRAY_ERR_NO_DEVICE);
        const char *text = garray_error_message();
        cr_assert(strstr(text, "cuNothing cannot be opened") && strstr(text, "libcunothing.so.12") &&
                      strstr(text, "libcunothing.so.11") && strstr(text, "/usr/local/cuda"), "%s", text);
        cr_assert_eq(functions[0], NULL);
    }
}

Test(vendor, too_old)
{
    void *functions[2] = { NULL };
    static const char *const names[] = { "libm.so.6", NULL }, *const symbols[] = { "cos", "not_in_this_release", NULL };
    garray__cuda_library library = { "cuMath", names, symbols, functions, 0 };
    cr_assert_eq(garray__cuda_library_open(&library), GARRAY_ERR_NO_DEVICE);
    cr_assert(strstr(garray_error_message(), "cuMath is too old: it has no not_in_this_release"), "%s", garray_error_message());
}

Test(vendor, there)
{
    void *functions[1] = { NULL };
    static const char *const names[] = { "libm.so.9999", "libm.so.6", NULL }, *const symbols[] = { "cos", NULL };
    garray__cuda_library library = { "cuMath", names, symbols, functions, 0 };
    for (int i = 0; i < 2; i++)
        cr_assert_eq(garray__cuda_library_open(&library), GARRAY_OK);
    cr_assert(functions[0] != NULL);
}
