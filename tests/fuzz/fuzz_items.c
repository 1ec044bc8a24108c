/* SPDX-License-Identifier: BSD-3-Clause
 * Any text as the items of x["1:5, ::-1"]: an error, or a view inside x, to whose elements the same text assigns: each once,
 * and no others.  What was read is read the same when it is written out.
 *
 * With libFuzzer: as fuzz_npy.c, with -dict=tests/fuzz/items.dict tests/fuzz/corpus/items.  The first byte says the shape. */
#include <inttypes.h>
#include <stdio.h>
#include <string.h>
#include "core/selection.h"
#include "fuzz.h"

static const int64_t shapes[][5] = { { 0 }, { 6 }, { 3, 4 }, { 2, 3, 4 }, { 0, 3 }, { 2, 1, 3, 1, 2 }, { 1 }, { 50, 3 } };
static const int ranks[] = { 0, 1, 2, 3, 2, 5, 1, 2 };

/* The items as text, all parts of a range that were given. */
static void write_items(const garray_index *items, int n, char *text, size_t size)
{
    size_t used = 0;
    text[0] = 0;
    for (int i = 0; i < n; i++) {
        const garray_index *it = &items[i];
        char part[3][32] = { "", "", "" };
        const int64_t number[3] = { it->start, it->stop, it->step };
        for (int k = 0; k < 3; k++)
            if (it->kind == GARRAY_INDEX_INT ? k == 0 : it->kind == GARRAY_INDEX_SLICE && it->has >> k & 1)
                snprintf(part[k], sizeof part[k], "%" PRId64, number[k]);
        if (it->kind == GARRAY_INDEX_SLICE)
            used += (size_t)snprintf(text + used, size - used, "%s:%s:%s,", part[0], part[1], part[2]);
        else
            used += (size_t)snprintf(text + used, size - used, "%s,",
                                     it->kind == GARRAY_INDEX_INT ? part[0] : it->kind == GARRAY_INDEX_NEWAXIS ? "None" : "...");
    }
}

static void check_round_trip(const char *text)
{
    garray_index items[GARRAY_MAX_NDIM + 1], again[GARRAY_MAX_NDIM + 1];
    char written[(GARRAY_MAX_NDIM + 1) * 80];
    int n = 0, m = 0;
    if (garray__parse_items(text, items, &n) != GARRAY_OK)
        return;
    FUZZ_CHECK(n >= 0 && n <= GARRAY_MAX_NDIM + 1);
    write_items(items, n, written, sizeof written);
    FUZZ_CHECK(garray__parse_items(written, again, &m) == GARRAY_OK && m == n);
    for (int i = 0; i < n; i++) {
        const garray_index *a = &items[i], *b = &again[i];
        FUZZ_CHECK(a->kind == b->kind && (a->kind != GARRAY_INDEX_INT || a->start == b->start));
        if (a->kind == GARRAY_INDEX_SLICE)
            FUZZ_CHECK(a->has == b->has && (!(a->has & 1) || a->start == b->start) && (!(a->has & 2) || a->stop == b->stop) &&
                       (!(a->has & 4) || a->step == b->step));
    }
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    garray_t *x = NULL, *view = NULL, *count = NULL;
    int64_t ones = -1;
    bool all = false;
    if (size < 1 || size > 4096)
        return 0;
    char *text = malloc(size);          /* of exactly that size, so that reading past it shows */
    memcpy(text, data + 1, size - 1);
    text[size - 1] = 0;
    check_round_trip(text);
    int s = data[0] % 8;
    FUZZ_CHECK(garray_zeros(GARRAY_DIMS(ranks[s], shapes[s]), GARRAY_INT8, GARRAY_CPU, &x) == GARRAY_OK);
    garray_status st = garray_getitem_text(x, text, &view);
    FUZZ_CHECK((st == GARRAY_OK) == (view != NULL));
    FUZZ_CHECK(st == GARRAY_OK || st == GARRAY_ERR_INDEX || st == GARRAY_ERR_INVALID || st == GARRAY_ERR_SHAPE);
    FUZZ_CHECK(garray_setitem_text(x, text, 1) == st);
    FUZZ_CHECK(garray_count_nonzero(x, GARRAY_ALL_AXES, NULL, &count) == GARRAY_OK && garray_item(count, &ones) == GARRAY_OK);
    FUZZ_CHECK(ones == (view ? garray_size(view) : 0));
    if (view) {
        char *low, *high, *from, *to;
        garray__extent(x, &low, &high);
        garray__extent(view, &from, &to);
        FUZZ_CHECK(garray_size(view) == 0 || (from >= low && to <= high));
        FUZZ_CHECK(garray_all(view, GARRAY_ALL_AXES, NULL, &count) == GARRAY_OK && garray_item(count, &all) == GARRAY_OK && all);
    }
    garray_release(x);
    garray_release(view);
    garray_release(count);
    free(text);
    return 0;
}
