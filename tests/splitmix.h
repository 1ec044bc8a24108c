/* SPDX-License-Identifier: BSD-3-Clause
 * Random words for tests: splitmix64, the same from the same state on every machine. */
#ifndef GARRAY_TESTS_SPLITMIX_H
#define GARRAY_TESTS_SPLITMIX_H

#include <stdint.h>

static inline uint64_t splitmix_of(uint64_t z)
{
    z = (z ^ z >> 30) * UINT64_C(0xbf58476d1ce4e5b9);
    z = (z ^ z >> 27) * UINT64_C(0x94d049bb133111eb);
    return z ^ z >> 31;
}

static inline uint64_t splitmix(uint64_t *state)
{
    return splitmix_of(*state += UINT64_C(0x9e3779b97f4a7c15));
}

#endif
