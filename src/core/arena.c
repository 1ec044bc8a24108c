/* SPDX-License-Identifier: BSD-3-Clause
 * The free memory of one stream: bins, cutting blocks, joining them again.  Host data only; no backend is
 * called. */
#include <stdlib.h>
#include "core/pool.h"

size_t garray__block_size(size_t size)
{
    size_t step = size <= GARRAY__SMALL_MAX ? GARRAY__SMALL_STEP : GARRAY__LARGE_STEP;
    if (size == 0)
        return step;
    size_t rounded;
    return __builtin_add_overflow(size, step - 1, &rounded) ? size : rounded / step * step;
}

garray_status garray__arena_new(garray__pool *pool, garray__stream *stream, garray__arena **out)
{
    garray__arena *arena = calloc(1, sizeof *arena);
    if (!arena)
        return garray__fail(GARRAY_ERR_NOMEM, "no host memory for a stream");
    pthread_mutex_init(&arena->lock, NULL);
    arena->pool = pool;
    arena->stream = stream;
    *out = arena;
    return GARRAY_OK;
}

/* ---- bins ---- */
/* The list and the bit of a block's bin; map is NULL for huge blocks. */
typedef struct bin {
    garray__block **list;
    uint64_t *map;
    uint64_t bit;
} bin;

static bin bin_of(garray__arena *arena, const garray__block *block)
{
    size_t i;
    if (block->segment->small) {
        i = block->capacity / GARRAY__SMALL_STEP;
        return (bin){ &arena->small[i], &arena->small_map[i / 64], UINT64_C(1) << i % 64 };
    }
    if (block->capacity > GARRAY__LARGE_BINNED)
        return (bin){ &arena->huge, NULL, 0 };
    i = block->capacity / GARRAY__LARGE_STEP;
    return (bin){ &arena->large[i], &arena->large_map[i / 64], UINT64_C(1) << i % 64 };
}

static void bin_insert(garray__arena *arena, garray__block *block)
{
    bin b = bin_of(arena, block);
    block->free = true;
    block->back = NULL;
    block->link = *b.list;
    if (block->link)
        block->link->back = block;
    *b.list = block;
    if (b.map)
        *b.map |= b.bit;
}

static void bin_remove(garray__arena *arena, garray__block *block)
{
    bin b = bin_of(arena, block);
    block->free = false;
    if (block->link)
        block->link->back = block->back;
    if (block->back)
        block->back->link = block->link;
    else
        *b.list = block->link;
    if (b.map && !*b.list)
        *b.map &= ~b.bit;
    block->link = block->back = NULL;
}

/* The first bin at or above `at` that holds blocks, or -1. */
static int next_bin(const uint64_t *map, int bins, int at)
{
    for (int word = at / 64; word < (bins + 63) / 64; word++) {
        uint64_t bits = map[word];
        if (word == at / 64)
            bits &= ~UINT64_C(0) << at % 64;
        if (bits)
            return word * 64 + __builtin_ctzll(bits);
    }
    return -1;
}

/* ---- descriptions of blocks ---- */
static garray__block *describe(garray__arena *arena)
{
    garray__block *block = arena->spare;
    if (block)
        arena->spare = block->link;
    else if (!(block = calloc(1, sizeof *block)))
        return NULL;
    block->link = block->back = block->below = block->above = NULL;
    block->pool = arena->pool;
    block->arena = arena;
    block->buffer.device = arena->pool->device;
    return block;
}

static void forget(garray__arena *arena, garray__block *block)
{
    block->link = arena->spare;
    arena->spare = block;
}

static void clear_order(garray__order *order)
{
    order->writer.ticket = 0;
    order->nreaders = 0;
}

static bool is_ready(const garray__arena *arena, const garray__block *block, garray__readiness least)
{
    garray__use use[1 + GARRAY__READERS];
    if (least == GARRAY__READY_LATER)
        return true;
    int n = garray__order_list(&block->buffer.order, use);
    for (int i = 0; i < n; i++)
        if ((least == GARRAY__READY_NOW || use[i].number != arena->stream->queue.number) && !garray__use_done(use[i]))
            return false;
    return true;
}

/* ---- taking and giving ---- */
/* Cuts a block that is in no bin; the rest goes into one.  Without host memory for that nothing is cut. */
static void cut(garray__arena *arena, garray__block *block, size_t capacity)
{
    if (block->capacity == capacity)
        return;
    garray__block *rest = describe(arena);
    if (!rest)
        return;
    rest->segment = block->segment;
    rest->capacity = block->capacity - capacity;
    rest->buffer.data = (char *)block->buffer.data + capacity;
    rest->buffer.order.writer = block->buffer.order.writer;
    rest->buffer.order.nreaders = block->buffer.order.nreaders;
    for (int i = 0; i < block->buffer.order.nreaders; i++)
        rest->buffer.order.reader[i] = block->buffer.order.reader[i];
    rest->below = block;
    rest->above = block->above;
    if (rest->above)
        rest->above->below = rest;
    block->above = rest;
    block->capacity = capacity;
    bin_insert(arena, rest);
}

/* Of many blocks in use by other streams only the latest few of each size are asked for: they were freed last, but the
 * search must stay short. */
static garray__block *find_ready(const garray__arena *arena, garray__block *list, garray__readiness least)
{
    for (int i = 0; list && i < 4; i++, list = list->link)
        if (is_ready(arena, list, least))
            return list;
    return NULL;
}

static garray__block *find_binned(garray__arena *arena, bool small, size_t capacity, size_t most, garray__readiness least)
{
    garray__block **bins = small ? arena->small : arena->large;
    const uint64_t *map = small ? arena->small_map : arena->large_map;
    const int count = small ? GARRAY__SMALL_BINS : GARRAY__LARGE_BINS;
    const size_t step = small ? GARRAY__SMALL_STEP : GARRAY__LARGE_STEP;
    if (capacity > (size_t)(count - 1) * step)
        return NULL;
    for (int i = next_bin(map, count, (int)(capacity / step)); i >= 0 && (size_t)i * step <= most;
         i = next_bin(map, count, i + 1)) {
        garray__block *block = find_ready(arena, bins[i], least);
        if (block)
            return block;
    }
    return NULL;
}

garray__block *garray__arena_take(garray__arena *arena, size_t capacity, bool splinter, garray__readiness least)
{
    const bool small = capacity <= GARRAY__SMALL_MAX, shares = capacity <= GARRAY__LARGE_SEGMENT / 2;
    const size_t most = splinter || small ? SIZE_MAX : shares ? GARRAY__LARGE_SEGMENT : capacity + capacity / 4;
    garray__block *best = find_binned(arena, small, capacity, most, least);
    if (!best && !small && most > GARRAY__LARGE_BINNED)
        for (garray__block *block = arena->huge; block; block = block->link)
            if (block->capacity >= capacity && block->capacity <= most && (!best || block->capacity < best->capacity) &&
                is_ready(arena, block, least))
                best = block;
    if (best) {
        bin_remove(arena, best);
        if (shares || splinter)
            cut(arena, best, capacity);
    }
    return best;
}

void garray__arena_give(garray__arena *arena, garray__block *block)
{
    bin_insert(arena, block);
    arena->unmerged++;
}

/* Joins a free block with the free one above it if their uses fit into one list. */
static bool join(garray__arena *arena, garray__block *block)
{
    garray__block *above = block->above;
    garray__order both = { .nreaders = 0 };
    garray__use use[2 * (1 + GARRAY__READERS)];
    int n = garray__order_list(&block->buffer.order, use);
    n += garray__order_list(&above->buffer.order, use + n);
    for (int i = 0; i < n; i++)
        if (!garray__use_is_over(use[i]) && !garray__order_add(&both, use[i]))
            return false;
    bin_remove(arena, above);
    block->buffer.order.writer = both.writer;
    block->buffer.order.nreaders = both.nreaders;
    for (int i = 0; i < both.nreaders; i++)
        block->buffer.order.reader[i] = both.reader[i];
    block->capacity += above->capacity;
    block->above = above->above;
    if (block->above)
        block->above->below = block;
    forget(arena, above);
    return true;
}

void garray__arena_merge(garray__arena *arena)
{
    arena->unmerged = 0;
    for (garray__segment *s = arena->segments; s; s = s->next)
        for (garray__block *block = s->first; block; block = block->above) {
            if (!block->free || !block->above || !block->above->free)
                continue;
            bin_remove(arena, block);
            while (block->above && block->above->free && join(arena, block))
                continue;
            bin_insert(arena, block);
        }
}

/* ---- segments ---- */
static void link_segment(garray__arena *arena, garray__segment *segment)
{
    segment->previous = NULL;
    segment->next = arena->segments;
    if (segment->next)
        segment->next->previous = segment;
    arena->segments = segment;
}

bool garray__arena_add(garray__arena *arena, void *base, size_t size, bool small)
{
    garray__segment *segment = calloc(1, sizeof *segment);
    garray__block *block = segment ? describe(arena) : NULL;
    if (!block) {
        free(segment);
        return false;
    }
    segment->base = base;
    segment->size = size;
    segment->small = small;
    segment->first = block;
    block->segment = segment;
    block->capacity = size;
    block->buffer.data = base;
    clear_order(&block->buffer.order);
    link_segment(arena, segment);
    bin_insert(arena, block);
    return true;
}

static bool is_free(const garray__segment *segment)
{
    for (const garray__block *block = segment->first; block; block = block->above)
        if (!block->free)
            return false;
    return true;
}

garray__segment *garray__arena_detach(garray__arena *arena)
{
    for (garray__segment *s = arena->segments; s; s = s->next) {
        if (!is_free(s))
            continue;
        for (garray__block *block = s->first; block; block = block->above)
            bin_remove(arena, block);
        if (s->next)
            s->next->previous = s->previous;
        if (s->previous)
            s->previous->next = s->next;
        else
            arena->segments = s->next;
        return s;
    }
    return NULL;
}

void garray__arena_attach(garray__arena *arena, garray__segment *segment)
{
    link_segment(arena, segment);
    for (garray__block *block = segment->first; block; block = block->above)
        bin_insert(arena, block);
}

void garray__segment_free(garray__arena *arena, garray__segment *segment)
{
    for (garray__block *block = segment->first, *above; block; block = above) {
        above = block->above;
        forget(arena, block);
    }
    free(segment);
}

void garray__arena_drop_spares(garray__arena *arena)
{
    for (garray__block *block = arena->spare, *next; block; block = next) {
        next = block->link;
        free(block);
    }
    arena->spare = NULL;
}

void garray__arena_free_bytes(const garray__arena *arena, int64_t *largest, int64_t *all)
{
    for (const garray__segment *s = arena->segments; s; s = s->next)
        for (const garray__block *block = s->first; block; block = block->above)
            if (block->free) {
                *all += (int64_t)block->capacity;
                if ((int64_t)block->capacity > *largest)
                    *largest = (int64_t)block->capacity;
            }
}
