/* SPDX-License-Identifier: BSD-3-Clause
 * The checksum of zip archives. */
#ifndef GARRAY_CORE_CRC32_H
#define GARRAY_CORE_CRC32_H

#include <stddef.h>
#include <stdint.h>

/* The checksum of what `crc` stands for (0: nothing), and of the bytes behind it. */
uint32_t garray__crc32(uint32_t crc, const void *data, size_t size);

#endif
