/* SPDX-License-Identifier: BSD-3-Clause
 * Classifies handwritten digits on a device of choice, or on both, and says whether the GPU pays. */
#include <errno.h>
#include <getopt.h>
#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include "digits.h"

static const char usage[] =
    "digits: classifies the UCI handwritten digits by their nearest neighbours\n"
    "\n"
    "  --device cpu|cuda|cuda:N|auto   where to compute (default: cpu; auto: the GPU if there is one)\n"
    "  --scale N                       enlarge the data N times with noisy copies (default: 1)\n"
    "  --k K                           neighbours that vote (default: 3)\n"
    "  --compare                       run on the CPU and on the GPU, compare results and times\n"
    "  --svg FILE                      draw the test images on their first two principal components\n"
    "  --data DIR                      where digits_images.npy and digits_labels.npy are\n"
    "  --help\n"
    "\n"
    "Times are of synchronized, warmed-up stages; the end-to-end time holds reading and transfers.\n";

#ifndef DIGITS_DATA
#define DIGITS_DATA "examples/data"
#endif

static void print_confusion(const struct outcome *o)
{
    printf("\nconfusion (row: true digit, column: prediction)\n     ");
    for (int p = 0; p < CLASSES; p++)
        printf("%6d", p);
    for (int t = 0; t < CLASSES; t++) {
        printf("\n%4d ", t);
        for (int p = 0; p < CLASSES; p++)
            printf("%6" PRId64, o->confusion[t * CLASSES + p]);
    }
    printf("\n");
}

static void print_outcome(const char *device, const struct outcome *o)
{
    printf("%s: %" PRId64 " training and %" PRId64 " test images, accuracy %.4f\n", device, o->ntrain, o->ntest, o->accuracy);
    for (int s = 0; s < STAGES; s++)
        printf("  %-22s %10.3f ms\n", stage_names[s], o->stage_ms[s]);
    printf("  %-22s %10.3f ms\n  %-22s %10.1f MB\n", "end to end", o->total_ms, "peak memory", 1e-6 * (double)o->peak_bytes);
    printf("  %s\n", o->limit);
}

/* Runs on one device by name; the message and 1 if it cannot. */
static int run_on(const char *name, const struct options *options, struct outcome *o)
{
    garray_device device;
    memset(o, 0, sizeof *o);
    GARRAY_CHECK(garray_device_parse(name, &device));
    GARRAY_CHECK(digits_run(options, device, o));
    return 0;
}

static void compare(const struct outcome *cpu, const struct outcome *gpu)
{
    double difference = 0;
    int64_t differ = 0;
    for (int64_t i = 0; i < 2 * cpu->ntest; i++)
        difference = fmax(difference, fabs((double)cpu->map[i] - (double)gpu->map[i]));
    for (int64_t i = 0; i < cpu->ntest; i++)
        differ += cpu->predicted[i] != gpu->predicted[i];
    printf("\n%-24s %12s %12s %8s\n", "", "CPU ms", "GPU ms", "CPU/GPU");
    for (int s = 0; s < STAGES; s++)
        printf("%-24s %12.3f %12.3f %8.2f\n", stage_names[s], cpu->stage_ms[s], gpu->stage_ms[s],
               cpu->stage_ms[s] / gpu->stage_ms[s]);
    printf("%-24s %12.3f %12.3f %8.2f\n", "end to end", cpu->total_ms, gpu->total_ms, cpu->total_ms / gpu->total_ms);
    printf("%-24s %12.1f %12.1f\n", "peak memory, MB", 1e-6 * (double)cpu->peak_bytes, 1e-6 * (double)gpu->peak_bytes);
    printf("\nlargest difference of a component: %.3g; predictions that differ: %" PRId64 " of %" PRId64 "\n", difference, differ,
           cpu->ntest);
    double ratio = cpu->total_ms / gpu->total_ms;
    if (ratio > 1.1)
        printf("verdict: the GPU pays at this size, %.1f times as fast end to end. What limits it: %s\n", ratio, gpu->limit);
    else
        printf("verdict: the GPU does not pay at this size (%.2f times the CPU's speed). What limits it: %s\n", ratio,
               gpu->limit);
}

static bool parse_count(const char *text, int64_t *value)
{
    char *end;
    errno = 0;
    *value = strtoll(text, &end, 10);
    return errno == 0 && end != text && !*end && *value >= 1 && *value <= 100000;
}

int main(int argc, char **argv)
{
    enum { DEVICE = 1, SCALE, NEIGHBOURS, COMPARE, SVG, DATA, HELP };
    static const struct option table[] = {
        { "device", required_argument, NULL, DEVICE }, { "scale", required_argument, NULL, SCALE },
        { "k", required_argument, NULL, NEIGHBOURS }, { "compare", no_argument, NULL, COMPARE },
        { "svg", required_argument, NULL, SVG }, { "data", required_argument, NULL, DATA },
        { "help", no_argument, NULL, HELP }, { NULL, 0, NULL, 0 },
    };
    struct options options = { .data = DIGITS_DATA, .scale = 1, .k = 3 };
    const char *device = "cpu";
    bool both = false;
    for (int c; (c = getopt_long(argc, argv, "", table, NULL)) != -1;) {
        bool fine = true;
        switch (c) {
        case DEVICE: device = optarg; break;
        case SCALE: fine = parse_count(optarg, &options.scale); break;
        case NEIGHBOURS: fine = parse_count(optarg, &options.k); break;
        case COMPARE: both = true; break;
        case SVG: options.svg = optarg; break;
        case DATA: options.data = optarg; break;
        case HELP: fputs(usage, stdout); return 0;
        default: fine = false;
        }
        if (!fine) {
            fprintf(stderr, "digits: bad option or value; --help tells\n");
            return 2;
        }
    }
    if (optind < argc) {
        fprintf(stderr, "digits: unexpected argument '%s'; --help tells\n", argv[optind]);
        return 2;
    }
    struct outcome first, second;
    int status = run_on(both ? "cpu" : device, &options, &first);
    if (status == 0) {
        print_outcome(both ? "cpu" : device, &first);
        print_confusion(&first);
    }
    if (status == 0 && both) {
        status = run_on("cuda", &options, &second);
        if (status == 0) {
            printf("\n");
            print_outcome("cuda", &second);
            compare(&first, &second);
        }
        digits_free(&second);
    }
    if (status == 0 && options.svg) {
        if (digits_draw(options.svg, &first) != 0) {
            fprintf(stderr, "digits: cannot write %s: %s\n", options.svg, strerror(errno));
            status = 1;
        } else {
            printf("\nmap of the test images: %s\n", options.svg);
        }
    }
    digits_free(&first);
    return status;
}
