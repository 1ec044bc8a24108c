/* SPDX-License-Identifier: BSD-3-Clause
 * Places in the sequence of random blocks: made from seeds, moved, and divided among workers. */
#include <errno.h>
#include <string.h>
#include <sys/random.h>
#include "core/philox.h"
#include "core/status.h"
#include "garray/random.h"

/* Attempts of draws that have other uses for it end at 254, but for a chance below 2^-255. */
enum { CHILDREN = 255 };

static garray_status check(const garray_rng *rng)
{
    GARRAY_REQUIRE(rng, INVALID, "rng is NULL");
    GARRAY_REQUIRE(rng->stream >> 56 == 0, INVALID, "rng is malformed: stream must be below 2^56");
    return GARRAY_OK;
}

garray_status garray_rng_seed(garray_rng *rng, const uint64_t *entropy, int64_t n)
{
    GARRAY_ENTER("garray_rng_seed");
    uint64_t fresh[2];
    GARRAY_REQUIRE(rng, INVALID, "rng is NULL");
    GARRAY_REQUIRE(n >= 0 && (entropy || n == 0), INVALID, "entropy is NULL, or n < 0");
    if (n == 0) {
        ssize_t got;
        do
            got = getrandom(fresh, sizeof fresh, 0);
        while (got < 0 && errno == EINTR);
        GARRAY_REQUIRE(got == (ssize_t)sizeof fresh, IO, "the system gives no random bytes: %s", strerror(errno));
        entropy = fresh;
        n = 2;
    }
    /* Each word is the key under which what came before is encrypted, and added to (Davies and Meyer). */
    uint64_t low = (uint64_t)n, high = 0x6761727261790000u;
    for (int64_t i = 0; i < n; i++) {
        const garray__philox b = garray__philox_block(entropy[i], high, low, 0);
        low ^= garray__philox_half(b, 0);
        high ^= garray__philox_half(b, 1);
    }
    *rng = (garray_rng){ low, high >> 8, 0, 0 };
    return GARRAY_OK;
}

garray_status garray_rng_spawn(garray_rng *rng, int64_t n, garray_rng *children)
{
    GARRAY_ENTER("garray_rng_spawn");
    garray_status st = check(rng);
    if (st != GARRAY_OK)
        return st;
    GARRAY_REQUIRE(n >= 0 && (children || n == 0), INVALID, "children is NULL, or n < 0");
    for (int64_t i = 0; i < n; i++) {
        const garray__philox b = garray__philox_block(rng->seed, rng->stream, rng->spawned + (uint64_t)i, CHILDREN);
        children[i] = (garray_rng){ garray__philox_half(b, 0), garray__philox_half(b, 1) >> 8, 0, 0 };
    }
    rng->spawned += (uint64_t)n;
    return GARRAY_OK;
}

garray_status garray_rng_advance(garray_rng *rng, int64_t blocks)
{
    GARRAY_ENTER("garray_rng_advance");
    garray_status st = check(rng);
    if (st != GARRAY_OK)
        return st;
    const uint64_t size = blocks < 0 ? 0 - (uint64_t)blocks : (uint64_t)blocks;
    GARRAY_REQUIRE(blocks < 0 ? size <= rng->position : size <= UINT64_MAX - rng->position, INVALID,
                   "the position would leave the sequence");
    rng->position += (uint64_t)blocks;
    return GARRAY_OK;
}

garray_status garray_rng_jump(garray_rng *rng, uint64_t jumps)
{
    GARRAY_ENTER("garray_rng_jump");
    garray_status st = check(rng);
    if (st != GARRAY_OK)
        return st;
    GARRAY_REQUIRE(jumps >> 56 == 0 && (rng->stream + jumps) >> 56 == 0, INVALID, "there is no stream beyond 2^56 - 1");
    rng->stream += jumps;
    return GARRAY_OK;
}
