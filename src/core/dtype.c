/* SPDX-License-Identifier: BSD-3-Clause
 * The dtype table and NumPy 2's promotion, which is used everywhere. */
#include <string.h>
#include "core/dtype.h"
#include "core/status.h"
#include "garray/array.h"

const garray__dtype_info garray__dtypes[GARRAY__DTYPES] = {
#define GARRAY_DTYPE(value, name, kind, bytes, storage, compute, code) [value] = { #name, GARRAY__K_##kind, bytes, code },
#include "core/dtypes.def"
#undef GARRAY_DTYPE
};

#define GARRAY_DTYPE(value, name, kind, bytes, storage, compute, code) _Static_assert(value < GARRAY__DTYPES, #name);
#include "core/dtypes.def"
#undef GARRAY_DTYPE

/* A float dtype that holds the integers of a size, as NumPy chooses it. */
static int float_for(int bytes)
{
    return bytes == 1 ? GARRAY_FLOAT16 : bytes == 2 ? GARRAY_FLOAT32 : GARRAY_FLOAT64;
}

static int larger(int a, int b)
{
    return garray__size_of(a) >= garray__size_of(b) ? a : b;
}

/* a and b are real floats. */
static int promote_floats(int a, int b)
{
    if (a != b && garray__size_of(a) == 2 && garray__size_of(b) == 2)
        return GARRAY_FLOAT32;
    return larger(a, b);
}

int garray__real_of(int dtype)
{
    return dtype == GARRAY_COMPLEX64 ? GARRAY_FLOAT32 : dtype == GARRAY_COMPLEX128 ? GARRAY_FLOAT64 : dtype;
}

int garray__complex_of(int dtype)
{
    if (garray__kind_of(dtype) != GARRAY__K_FLOAT)
        return dtype;
    return dtype == GARRAY_FLOAT64 ? GARRAY_COMPLEX128 : GARRAY_COMPLEX64;
}

int garray__promote(int a, int b)
{
    if (a == b)
        return a;
    if (garray__kind_of(a) > garray__kind_of(b)) {
        int swap = a;
        a = b;
        b = swap;
    }
    int ka = garray__kind_of(a), kb = garray__kind_of(b);       /* ka <= kb */
    if (ka == GARRAY__K_BOOL)
        return b;
    if (kb == GARRAY__K_SINT || (ka == GARRAY__K_UINT && kb == GARRAY__K_UINT))
        return larger(a, b);
    if (kb == GARRAY__K_UINT) {     /* signed with unsigned: the signed dtype that holds both */
        int bytes = garray__size_of(b);
        if (garray__size_of(a) > bytes)
            return a;
        return bytes == 1 ? GARRAY_INT16 : bytes == 2 ? GARRAY_INT32 : bytes == 4 ? GARRAY_INT64 : GARRAY_FLOAT64;
    }
    if (kb == GARRAY__K_FLOAT) {
        if (ka == GARRAY__K_FLOAT)
            return promote_floats(a, b);
        int least = float_for(garray__size_of(a));
        return garray__size_of(least) <= garray__size_of(b) ? b : least;
    }
    int real = garray__real_of(b);
    return garray__complex_of(garray__promote(garray__real_of(a), real));
}

int garray__promote_set(uint32_t set)
{
    int result = 0;
    if ((set & (set - 1)) == 0)
        return set ? __builtin_ctz(set) : 0;
    for (int d = GARRAY__DTYPES - 1; d > 0; d--)
        if (set >> d & 1)
            result = result ? garray__promote(result, d) : d;
    return result;
}

int garray__common_dtype(int n, const garray_operand *operands)
{
    uint32_t set = 0;
    int weak = 0;                   /* the highest kind among the scalars */
    for (int i = 0; i < n; i++) {
        int kind = operands[i].kind;
        if (kind == GARRAY_OPERAND_NONE)
            continue;
        if (kind == GARRAY_OPERAND_ARRAY) {
            set |= 1u << garray_dtype_of(operands[i].array);
        } else {
            int k = kind == GARRAY_OPERAND_BOOL ? GARRAY__K_BOOL : kind <= GARRAY_OPERAND_UINT ? GARRAY__K_SINT
                    : kind == GARRAY_OPERAND_DOUBLE ? GARRAY__K_FLOAT : GARRAY__K_COMPLEX;
            weak = k > weak ? k : weak;
        }
    }
    static const int defaults[] = { 0, GARRAY_BOOL, GARRAY_INT64, GARRAY_INT64, GARRAY_FLOAT64, GARRAY_COMPLEX128 };
    int strong = garray__promote_set(set);
    if (!strong)
        return defaults[weak];
    int kind = garray__kind_of(strong);
    if (weak == GARRAY__K_SINT && kind == GARRAY__K_BOOL)
        return GARRAY_INT64;
    if (weak == GARRAY__K_FLOAT && kind < GARRAY__K_FLOAT)
        return GARRAY_FLOAT64;
    if (weak == GARRAY__K_COMPLEX)
        return kind < GARRAY__K_FLOAT ? GARRAY_COMPLEX128 : garray__complex_of(strong);
    return strong;
}

/* ---- public ---- */

size_t garray_dtype_size(garray_dtype dtype)
{
    return garray__is_dtype(dtype) ? (size_t)garray__size_of(dtype) : 0;
}

const char *garray_dtype_name(garray_dtype dtype)
{
    return garray__name_of(dtype);
}

garray_status garray_dtype_from_name(const char *name, garray_dtype *dtype)
{
    GARRAY_ENTER("garray_dtype_from_name");
    GARRAY_REQUIRE(name && dtype, INVALID, "an argument is NULL");
    for (int d = 1; d < GARRAY__DTYPES; d++)
        if (strcmp(name, garray__dtypes[d].name) == 0) {
            *dtype = (garray_dtype)d;
            return GARRAY_OK;
        }
    return garray__fail(GARRAY_ERR_DTYPE, "data type '%.40s' not understood", name);
}

bool garray_isdtype(garray_dtype dtype, int kinds)
{
    return garray__is_dtype(dtype) && (1 << (garray__kind_of(dtype) - 1) & kinds);
}

bool garray_can_cast(garray_dtype from, garray_dtype to, garray_casting casting)
{
    if (!garray__is_dtype(from) || !garray__is_dtype(to))
        return false;
    switch (casting) {
    case GARRAY_CAST_NO:
    case GARRAY_CAST_EQUIV:
        return from == to;
    case GARRAY_CAST_SAFE:
        /* float16 to bfloat16 and back promote to float32, so this is right for them too; but NumPy calls
         * int8 to bfloat16 safe as it promotes. */
        return garray__promote(from, to) == (int)to;
    case GARRAY_CAST_SAME_KIND: {
        int a = garray__kind_of(from), b = garray__kind_of(to);
        if (a == GARRAY__K_UINT && b == GARRAY__K_SINT)
            return true;
        return garray__promote(from, to) == (int)to || a == b || (a < b && !(a == GARRAY__K_SINT && b == GARRAY__K_UINT));
    }
    case GARRAY_CAST_UNSAFE:
        return true;
    default:
        return false;
    }
}

garray_status garray_promote(garray_dtype a, garray_dtype b, garray_dtype *result)
{
    GARRAY_ENTER("garray_promote");
    GARRAY_REQUIRE(result, INVALID, "result is NULL");
    GARRAY_REQUIRE(garray__is_dtype(a) && garray__is_dtype(b), DTYPE, "%d is not a dtype", garray__is_dtype(a) ? b : a);
    *result = (garray_dtype)garray__promote(a, b);
    return GARRAY_OK;
}

garray_status garray_result_type(int n, const garray_operand *operands, garray_dtype *result)
{
    GARRAY_ENTER("garray_result_type");
    GARRAY_REQUIRE(result && (operands || n == 0), INVALID, "an argument is NULL");
    int dtype = 0;
    for (int i = 0; i < n; i++)
        GARRAY_REQUIRE(operands[i].kind >= GARRAY_OPERAND_NONE && operands[i].kind <= GARRAY_OPERAND_COMPLEX
                       && (operands[i].kind != GARRAY_OPERAND_ARRAY || operands[i].array),
                       INVALID, "operand %d is NULL or malformed", i);
    if (n > 0)
        dtype = garray__common_dtype(n, operands);
    GARRAY_REQUIRE(dtype, INVALID, "at least one operand is needed");
    *result = (garray_dtype)dtype;
    return GARRAY_OK;
}
