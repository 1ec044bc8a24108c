/* SPDX-License-Identifier: BSD-3-Clause
 * A matrix as a grey picture that any viewer shows: .pgm, the smallest element black, the largest white. */
#ifndef EXAMPLES_PICTURE_H
#define EXAMPLES_PICTURE_H

#include <garray/garray.h>
#include <stdlib.h>

static inline garray_status save_picture(const char *path, const garray_t *x)
{
    GARRAY_AUTO garray_t *low = NULL, *high = NULL, *grey = NULL;
    const garray_shape shape = garray_shape_of(x);
    const size_t size = (size_t)garray_size(x);
    GARRAY_TRY(garray_min(x, GARRAY_ALL_AXES, NULL, &low));
    GARRAY_TRY(garray_max(x, GARRAY_ALL_AXES, NULL, &high));
    GARRAY_TRY(garray_subtract(high, low, &high));
    GARRAY_TRY(garray_maximum(high, 1e-30, &high)); /* a picture of one grey */
    GARRAY_TRY(garray_subtract(x, low, &grey));
    GARRAY_TRY(garray_divide(grey, high, &grey));
    GARRAY_TRY(garray_multiply(grey, 255.9, &grey));
    GARRAY_TRY(garray_astype(grey, GARRAY_UINT8, &grey));

    unsigned char *pixels = (unsigned char *)malloc(size);
    FILE *file = pixels ? fopen(path, "wb") : NULL;
    if (!file) {
        free(pixels);
        return GARRAY_ERR_IO;
    }
    garray_status status = garray_to_host(grey, pixels, NULL, size);
    fprintf(file, "P5\n%lld %lld\n255\n", (long long)shape.v[1], (long long)shape.v[0]);
    bool written = fwrite(pixels, 1, size, file) == size;
    free(pixels);
    if (fclose(file) != 0 || !written)
        return GARRAY_ERR_IO;
    return status;
}

#endif
