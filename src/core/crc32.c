/* SPDX-License-Identifier: BSD-3-Clause
 * CRC-32 (polynomial 0x04c11db7, reflected), sixteen bytes a step: a table for each place that a byte may have, whose
 * entries are what it becomes when it has been shifted out ("slicing", Kounavis and Berry 2005). */
#include <pthread.h>
#include <string.h>
#include "core/crc32.h"

#define PLACES 16

static uint32_t table[PLACES][256];
static pthread_once_t made = PTHREAD_ONCE_INIT;

static void make_table(void)
{
    for (uint32_t i = 0; i < 256; i++) {
        uint32_t word = i;
        for (int bit = 0; bit < 8; bit++)
            word = word >> 1 ^ (0xedb88320u & (0u - (word & 1)));
        table[0][i] = word;
    }
    for (int place = 1; place < PLACES; place++)
        for (int i = 0; i < 256; i++)
            table[place][i] = table[place - 1][i] >> 8 ^ table[0][table[place - 1][i] & 0xff];
}

uint32_t garray__crc32(uint32_t crc, const void *data, size_t size)
{
    const unsigned char *p = data;
    pthread_once(&made, make_table);
    crc = ~crc;
    for (; size >= PLACES; size -= PLACES, p += PLACES) {
        uint32_t next = 0;
        for (int i = 0; i < 4; i++)
            next ^= table[PLACES - 1 - i][p[i] ^ (crc >> 8 * i & 0xff)];
        for (int i = 4; i < PLACES; i++)
            next ^= table[PLACES - 1 - i][p[i]];
        crc = next;
    }
    for (; size > 0; size--, p++)
        crc = crc >> 8 ^ table[0][(crc ^ *p) & 0xff];
    return ~crc;
}
