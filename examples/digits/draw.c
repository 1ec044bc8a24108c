/* SPDX-License-Identifier: BSD-3-Clause
 * The map of the test images as SVG: each one a digit at its first two principal components. */
#include <stdio.h>
#include "digits.h"

enum { SIZE = 720, MARGIN = 30, MOST = 2000 };

static const char *const colours[CLASSES] = {
    "#4e79a7", "#f28e2b", "#e15759", "#76b7b2", "#59a14f", "#b6992d", "#b07aa1", "#ff6f91", "#9c755f", "#5f6368",
};

int digits_draw(const char *path, const struct outcome *o)
{
    float low[2] = { o->map[0], o->map[1] }, high[2] = { o->map[0], o->map[1] };
    int64_t n = o->ntest < MOST ? o->ntest : MOST;
    for (int64_t i = 0; i < n; i++)
        for (int k = 0; k < 2; k++) {
            float v = o->map[2 * i + k];
            low[k] = v < low[k] ? v : low[k];
            high[k] = v > high[k] ? v : high[k];
        }
    FILE *f = fopen(path, "w");
    if (!f)
        return -1;
    fprintf(f, "<svg xmlns=\"http://www.w3.org/2000/svg\" viewBox=\"0 0 %d %d\" font-family=\"sans-serif\" font-size=\"11\">\n"
               "<rect width=\"100%%\" height=\"100%%\" fill=\"white\"/>\n"
               "<text x=\"%d\" y=\"18\" font-size=\"13\">Handwritten digits by their first two principal components; "
               "a ring marks a wrong prediction</text>\n", SIZE, SIZE + 20, MARGIN);
    for (int64_t i = 0; i < n; i++) {
        float x = MARGIN + (SIZE - 2 * MARGIN) * (o->map[2 * i] - low[0]) / (high[0] - low[0] + 1e-30f);
        float y = SIZE - MARGIN - (SIZE - 2 * MARGIN) * (o->map[2 * i + 1] - low[1]) / (high[1] - low[1] + 1e-30f) + 10;
        int label = o->label[i];
        if (o->predicted[i] != label)
            fprintf(f,
                    "<circle cx=\"%.1f\" cy=\"%.1f\" r=\"8\" fill=\"none\" stroke=\"black\"><title>%d taken for %d</title></circle>\n",
                    (double)x, (double)y, label, (int)o->predicted[i]);
        fprintf(f, "<text x=\"%.1f\" y=\"%.1f\" text-anchor=\"middle\" fill=\"%s\">%d</text>\n", (double)x, (double)y + 4,
                colours[label % CLASSES], label);
    }
    fprintf(f, "</svg>\n");
    int failed = ferror(f);
    return fclose(f) || failed ? -1 : 0;
}
