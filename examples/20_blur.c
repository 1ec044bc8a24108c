/* SPDX-License-Identifier: BSD-3-Clause
 * An image blurred by a Gaussian, and its edges by Sobel's filter. The blur is checked against the plain convolution. */
#include <math.h>
#include "picture.h"

enum { N = 128, RADIUS = 8 };

/* A disc and a fan of stripes, from 0 to 1. */
static garray_status draw(garray_device device, garray_t **out)
{
    GARRAY_AUTO garray_t *t = NULL, *y = NULL, *x = NULL, *r = NULL, *disc = NULL, *fan = NULL;
    GARRAY_TRY(garray_linspace(-1, 1, N, NULL, device, &t));
    GARRAY_TRY(garray_expand_dims(t, GARRAY_AXES(0), &x));
    GARRAY_TRY(garray_expand_dims(t, GARRAY_AXES(1), &y));
    GARRAY_TRY(garray_hypot(x, y, &r));
    GARRAY_TRY(garray_less(r, 0.5, &disc));
    GARRAY_TRY(garray_atan2(y, x, &fan));
    GARRAY_TRY(garray_multiply(fan, 8, &fan));
    GARRAY_TRY(garray_sin(fan, &fan));
    GARRAY_TRY(garray_greater(fan, 0, &fan));
    return garray_where(disc, 1.0, fan, out);
}

/* The same blur as a convolution with the outer product of two bells, mirrored at the edge. */
static garray_status plain_blur(const garray_t *image, double sigma, garray_t **out)
{
    GARRAY_AUTO garray_t *bell = NULL, *sum = NULL, *window = NULL;
    GARRAY_TRY(garray_arange(-RADIUS, RADIUS + 1, 1, GARRAY_FLOAT64, garray_device_of(image), &bell));
    GARRAY_TRY(garray_square(bell, &bell));
    GARRAY_TRY(garray_multiply(bell, -0.5 / sigma / sigma, &bell));
    GARRAY_TRY(garray_exp(bell, &bell));
    GARRAY_TRY(garray_sum(bell, GARRAY_ALL_AXES, NULL, &sum));
    GARRAY_TRY(garray_divide(bell, sum, &bell));
    GARRAY_TRY(garray_outer(bell, bell, &window));
    return garray_signal_convolve2d(
        image, window, GARRAY_KW(convolve, .mode = GARRAY_CONVOLVE_SAME, .boundary = GARRAY_BOUNDARY_SYMM), out);
}

int main(int argc, char **argv)
{
    GARRAY_AUTO garray_t *image = NULL, *blurred = NULL, *plain = NULL, *worst = NULL;
    GARRAY_AUTO garray_t *gx = NULL, *gy = NULL, *edges = NULL, *all = NULL;
    const double sigma = 2; /* the window ends after 4 of them: RADIUS */
    garray_device device;
    double error;

    if (argc > 1 && !strcmp(argv[1], "--help"))
        return printf("usage: %s [cpu|cuda|cuda:1|auto] [PICTURE.pgm]\nAn image, blurred, and its edges.\n", argv[0]) < 0;
    GARRAY_CHECK(garray_device_parse(argc > 1 ? argv[1] : "cpu", &device));
    GARRAY_CHECK(draw(device, &image));
    GARRAY_CHECK(garray_gaussian_filter(image, 1, &sigma, NULL, &blurred));
    GARRAY_CHECK(garray_sobel(blurred, 0, NULL, &gy));
    GARRAY_CHECK(garray_sobel(blurred, 1, NULL, &gx));
    GARRAY_CHECK(garray_hypot(gx, gy, &edges));

    GARRAY_CHECK(plain_blur(image, sigma, &plain));
    GARRAY_CHECK(garray_subtract(plain, blurred, &plain));
    GARRAY_CHECK(garray_abs(plain, &plain));
    GARRAY_CHECK(garray_max(plain, GARRAY_ALL_AXES, NULL, &worst));
    GARRAY_CHECK(garray_item(worst, &error));
    printf("%d x %d points; against the plain convolution the largest difference is %.1e\n", N, N, error);
    if (argc > 2) {
        GARRAY_CHECK(garray_max(edges, GARRAY_ALL_AXES, NULL, &worst));
        GARRAY_CHECK(garray_divide(edges, worst, &edges)); /* as bright as the image */
        GARRAY_CHECK(garray_concat(GARRAY_LIST(image, blurred, edges), 1, &all));
        GARRAY_CHECK(save_picture(argv[2], all));
    }
    return !(error < 1e-13);
}
