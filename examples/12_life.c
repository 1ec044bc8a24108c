/* SPDX-License-Identifier: BSD-3-Clause
 * The game of life on a torus: a glider comes back after 4 steps for each of the 16 rows. */
#include <garray/garray.h>

/* roll(x, 1 or -1, axis): the last (first) line comes first (last). */
static garray_status roll(const garray_t *x, int by, int axis, garray_t **out)
{
    GARRAY_AUTO garray_t *head = NULL, *tail = NULL, *rolled = NULL;
    GARRAY_TRY(garray_moveaxis(x, GARRAY_AXES(axis), GARRAY_AXES(0), &rolled));
    GARRAY_TRY(garray_getitem(rolled, GARRAY_AT(GARRAY_TO(-by)), &head));
    GARRAY_TRY(garray_getitem(rolled, GARRAY_AT(GARRAY_FROM(-by)), &tail));
    GARRAY_TRY(garray_concat(GARRAY_LIST(tail, head), 0, &rolled));
    GARRAY_TRY(garray_moveaxis(rolled, GARRAY_AXES(0), GARRAY_AXES(axis), &rolled));
    return garray_move(&rolled, out);
}

/* alive = (neighbours == 3) | (alive & (neighbours == 2)) */
static garray_status step(garray_t **alive)
{
    GARRAY_AUTO garray_t *n = NULL, *up = NULL, *part = NULL, *two = NULL, *three = NULL;
    GARRAY_TRY(garray_zeros_like(*alive, GARRAY_INT8, &n));
    for (int di = -1; di <= 1; di++)
        for (int dj = -1; dj <= 1; dj++) {
            if (di == 0 && dj == 0)
                continue;
            GARRAY_TRY(di ? roll(*alive, di, 0, &up) : garray_copy(*alive, &up));
            GARRAY_TRY(dj ? roll(up, dj, 1, &part) : garray_copy(up, &part));
            GARRAY_TRY(garray_add(n, part, &n)); /* bool counts as 0 or 1 */
        }
    GARRAY_TRY(garray_equal(n, 2, &two));
    GARRAY_TRY(garray_equal(n, 3, &three));
    GARRAY_TRY(garray_logical_and(*alive, two, &two));
    return garray_logical_or(two, three, alive);
}

int main(int argc, char **argv)
{
    GARRAY_AUTO garray_t *alive = NULL, *start = NULL, *same = NULL, *all = NULL;
    garray_device device;
    bool back;

    if (argc > 1 && !strcmp(argv[1], "--help"))
        return printf("usage: %s [cpu|cuda|cuda:1|auto]\nThe game of life.\n", argv[0]) < 0;
    GARRAY_CHECK(garray_device_parse(argc > 1 ? argv[1] : "cpu", &device));
    GARRAY_CHECK(garray_zeros(GARRAY_SHAPE(16, 16), GARRAY_BOOL, device, &alive));
    GARRAY_CHECK(garray_setitem(alive, GARRAY_AT(0, 1), true));
    GARRAY_CHECK(garray_setitem(alive, GARRAY_AT(1, 2), true));
    GARRAY_CHECK(garray_setitem(alive, GARRAY_AT(2, GARRAY_TO(3)), true));
    GARRAY_CHECK(garray_copy(alive, &start));
    for (int i = 0; i < 4 * 16; i++)
        GARRAY_CHECK(step(&alive));
    GARRAY_CHECK(garray_print(alive, NULL));
    GARRAY_CHECK(garray_equal(alive, start, &same));
    GARRAY_CHECK(garray_all(same, GARRAY_ALL_AXES, NULL, &all));
    GARRAY_CHECK(garray_item(all, &back));
    return !back;
}
