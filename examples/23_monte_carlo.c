/* SPDX-License-Identifier: BSD-3-Clause
 * Monte Carlo: the price of a European call option as the mean over a million random ends of the stock's way, against the
 * formula of Black and Scholes. The draws are the same on every device. */
#include <garray/garray.h>
#include <math.h>

enum { N = 1000000 };
static const double stock = 100, strike = 105, interest = 0.03, volatility = 0.2, years = 1;

static double formula(void)
{
    double d1 = (log(stock / strike) + (interest + volatility * volatility / 2) * years) / (volatility * sqrt(years));
    double d2 = d1 - volatility * sqrt(years);
    return stock * erfc(-d1 / sqrt(2)) / 2 - strike * exp(-interest * years) * erfc(-d2 / sqrt(2)) / 2;
}

/* What the option pays for each end, discounted to today. */
static garray_status payments(garray_rng *rng, garray_device device, garray_t **out)
{
    GARRAY_AUTO garray_t *x = NULL;
    GARRAY_TRY(garray_random_normal(rng, (interest - volatility * volatility / 2) * years, volatility * sqrt(years),
                                    GARRAY_SHAPE(N), GARRAY_FLOAT64, device, &x));
    GARRAY_TRY(garray_exp(x, &x));
    GARRAY_TRY(garray_multiply(x, stock, &x));
    GARRAY_TRY(garray_subtract(x, strike, &x));
    GARRAY_TRY(garray_maximum(x, 0, &x)); /* it is not used where it would lose */
    return garray_multiply(x, exp(-interest * years), out);
}

int main(int argc, char **argv)
{
    GARRAY_AUTO garray_t *paid = NULL, *mean = NULL, *spread = NULL;
    garray_device device;
    garray_rng rng = GARRAY_RNG(2024);
    double price, error;

    if (argc > 1 && !strcmp(argv[1], "--help"))
        return printf("usage: %s [cpu|cuda|cuda:1|auto]\nAn option's price by %d draws.\n", argv[0], N) < 0;
    GARRAY_CHECK(garray_device_parse(argc > 1 ? argv[1] : "cpu", &device));
    GARRAY_CHECK(payments(&rng, device, &paid));
    GARRAY_CHECK(garray_mean(paid, GARRAY_ALL_AXES, NULL, &mean));
    GARRAY_CHECK(garray_std(paid, GARRAY_ALL_AXES, NULL, &spread));
    GARRAY_CHECK(garray_item(mean, &price));
    GARRAY_CHECK(garray_item(spread, &error));
    error /= sqrt((double)N);
    printf("price %.4f +- %.4f; the formula gives %.4f\n", price, error, formula());
    return !(fabs(price - formula()) < 4 * error);
}
