/* SPDX-License-Identifier: BSD-3-Clause
 * The parts of the digits example: the job, its stages, and what one run of it measured. */
#ifndef DIGITS_H
#define DIGITS_H

#include <garray/garray.h>

enum { CLASSES = 10, COMPONENTS = 28 };
enum { STAGE_TRANSFER_IN, STAGE_ENLARGE, STAGE_STANDARDIZE, STAGE_PCA, STAGE_NEIGHBOURS, STAGE_CONFUSION,
       STAGE_TRANSFER_OUT, STAGES };
extern const char *const stage_names[STAGES];

struct options {
    const char *data, *svg;
    int64_t scale, k;
};

/* What one run leaves: times, results on the host, and the report's sentence. */
struct outcome {
    double stage_ms[STAGES], total_ms;
    int64_t peak_bytes, ntest, ntrain;
    int64_t confusion[CLASSES * CLASSES];
    double accuracy;
    int64_t *predicted;             /* ntest classes */
    float *map;                     /* ntest x 2: the first two components */
    uint8_t *label;                 /* ntest true classes */
    char limit[512];                /* what limits the program, from the report */
};

/* Reads, computes and fetches everything on a device. The arrays of the outcome are to be freed by the caller. */
garray_status digits_run(const struct options *options, garray_device device, struct outcome *outcome);
void digits_free(struct outcome *outcome);

/* Draws the map of the test images: their digits at their first two components. Returns 0, or -1 with errno. */
int digits_draw(const char *path, const struct outcome *outcome);

#endif
