/* SPDX-License-Identifier: BSD-3-Clause
 * The dtype table as host code of this backend needs it. */
#ifndef GARRAY_CUDA_DTYPE_H
#define GARRAY_CUDA_DTYPE_H

#include <stdint.h>

enum {
    GARRAY__CUDA_KIND_BOOL = 1, GARRAY__CUDA_KIND_SINT = 2, GARRAY__CUDA_KIND_UINT = 3, GARRAY__CUDA_KIND_FLOAT = 4,
    GARRAY__CUDA_KIND_COMPLEX = 5
};

enum {
#define GARRAY_DTYPE(value, name, ...) GARRAY__CUDA_##name = value,
#include "core/dtypes.def"
#undef GARRAY_DTYPE
    GARRAY__CUDA_DTYPES
};

static inline int garray__cuda_size(int dtype)
{
    static const uint8_t size[] = {
        0,
#define GARRAY_DTYPE(value, name, kind, bytes, ...) bytes,
#include "core/dtypes.def"
#undef GARRAY_DTYPE
    };
    return dtype > 0 && dtype < GARRAY__CUDA_DTYPES ? size[dtype] : 0;
}

static inline int garray__cuda_kind(int dtype)
{
    static const uint8_t kind[] = {
        0,
#define GARRAY_DTYPE(value, name, kind, ...) GARRAY__CUDA_KIND_##kind,
#include "core/dtypes.def"
#undef GARRAY_DTYPE
    };
    return dtype > 0 && dtype < GARRAY__CUDA_DTYPES ? kind[dtype] : 0;
}

/* What an item's address must be a multiple of: a complex value is two reals. */
static inline int garray__cuda_alignment(int dtype)
{
    return garray__cuda_kind(dtype) == GARRAY__CUDA_KIND_COMPLEX ? garray__cuda_size(dtype) / 2 : garray__cuda_size(dtype);
}

#endif
