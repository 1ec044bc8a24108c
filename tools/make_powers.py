#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-3-Clause
"""Makes src/core/powers_of_five.h: the 128 highest bits of 5^q for q from -342 to 308, by exact integers.

    python3 tools/make_powers.py"""
import pathlib

LEAST, MOST = -342, 308


def bits(q):
    """Truncated for q >= 0; for q < 0 the next higher number, as Lemire's proof wants it."""
    if q >= 0:
        power = 5**q
        return power << 128 - power.bit_length() if power.bit_length() <= 128 else power >> power.bit_length() - 128
    power = 5**-q
    b = power.bit_length() + 127 if q >= -27 else 2 * power.bit_length() + 128
    value = 2**b // power + 1
    return value >> max(value.bit_length() - 128, 0)


lines = []
for q in range(LEAST, MOST + 1, 2):
    lines.append("    " + " ".join("{ 0x%016x, 0x%016x }," % divmod(bits(i), 2**64) for i in range(q, min(q + 2, MOST + 1))))
head = """/* SPDX-License-Identifier: BSD-3-Clause
 * Made by tools/make_powers.py: the 128 highest bits of 5^q, two words each, from q = -342 on. */
static const uint64_t power_of_five[][2] = {
"""
path = pathlib.Path(__file__).resolve().parent.parent / "src/core/powers_of_five.h"
path.write_text(head + "\n".join(lines) + "\n};\n")
