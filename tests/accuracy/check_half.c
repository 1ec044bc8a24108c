/* SPDX-License-Identifier: BSD-3-Clause
 * The functions of src/core/elementary_half.h give the same 16 bits as those of elementary.h, for every argument. */
#include "core/elementary_half.h"
#include "core/half.h"

#include <stdio.h>

typedef float function(float a);

static float exp_float(float a) { return e_exp(a); }
static float exp_half(float a) { return e_exp_half(a); }
static float exp_bfloat(float a) { return e_exp_bfloat(a); }

static int differ(const char *name, function *own, function *reference, int bfloat)
{
    int wrong = 0;
    for (int i = 0; i < 65536; i++) {
        uint16_t bits = (uint16_t)i;
        float a = bfloat ? garray__bfloat_to_float(bits) : garray__half_to_float(bits), r = own(a), expected = reference(a);
        uint16_t p = bfloat ? garray__double_to_bfloat(r) : garray__double_to_half(r);
        uint16_t q = bfloat ? garray__double_to_bfloat(expected) : garray__double_to_half(expected);
        if (p != q && wrong++ < 5)
            printf("%s of %04x is %04x, not %04x\n", name, i, p, q);
    }
    return wrong;
}

int main(void)
{
    int wrong = differ("float16 exp", exp_half, exp_float, 0) + differ("bfloat16 exp", exp_bfloat, exp_float, 1);
    printf("%d of 131072 arguments differ\n", wrong);
    return wrong != 0;
}
