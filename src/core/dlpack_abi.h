/* SPDX-License-Identifier: BSD-3-Clause
 * The structs of DLPack 1.x as its ABI fixes them (github.com/dmlc/dlpack), for code that must not depend on the
 * user's copy of dlpack.h. */
#ifndef GARRAY_CORE_DLPACK_ABI_H
#define GARRAY_CORE_DLPACK_ABI_H

#include <stddef.h>
#include <stdint.h>

#define GARRAY__DL_MAJOR 1
#define GARRAY__DL_MINOR 1

enum { GARRAY__DL_CPU = 1, GARRAY__DL_CUDA = 2, GARRAY__DL_CUDA_HOST = 3, GARRAY__DL_CUDA_MANAGED = 13 };
enum {
    GARRAY__DL_INT = 0, GARRAY__DL_UINT = 1, GARRAY__DL_FLOAT = 2, GARRAY__DL_BFLOAT = 4, GARRAY__DL_COMPLEX = 5,
    GARRAY__DL_BOOL = 6,
};
enum { GARRAY__DL_READ_ONLY = 1, GARRAY__DL_IS_COPIED = 2 };

typedef struct garray__dl_tensor {
    void *data;
    int32_t device_type, device_id;
    int32_t ndim;
    uint8_t code, bits;
    uint16_t lanes;
    int64_t *shape;
    int64_t *strides;               /* in items; NULL: C order */
    uint64_t byte_offset;
} garray__dl_tensor;

struct DLManagedTensor {
    garray__dl_tensor dl_tensor;
    void *manager_ctx;
    void (*deleter)(struct DLManagedTensor *self);
};

struct DLManagedTensorVersioned {
    uint32_t major, minor;
    void *manager_ctx;
    void (*deleter)(struct DLManagedTensorVersioned *self);
    uint64_t flags;
    garray__dl_tensor dl_tensor;
};

#if UINTPTR_MAX == UINT64_MAX
_Static_assert(offsetof(garray__dl_tensor, data) == 0, "DLTensor.data");
_Static_assert(offsetof(garray__dl_tensor, device_type) == 8, "DLTensor.device");
_Static_assert(offsetof(garray__dl_tensor, device_id) == 12, "DLTensor.device.device_id");
_Static_assert(offsetof(garray__dl_tensor, ndim) == 16, "DLTensor.ndim");
_Static_assert(offsetof(garray__dl_tensor, code) == 20, "DLTensor.dtype.code");
_Static_assert(offsetof(garray__dl_tensor, bits) == 21, "DLTensor.dtype.bits");
_Static_assert(offsetof(garray__dl_tensor, lanes) == 22, "DLTensor.dtype.lanes");
_Static_assert(offsetof(garray__dl_tensor, shape) == 24, "DLTensor.shape");
_Static_assert(offsetof(garray__dl_tensor, strides) == 32, "DLTensor.strides");
_Static_assert(offsetof(garray__dl_tensor, byte_offset) == 40, "DLTensor.byte_offset");
_Static_assert(sizeof(garray__dl_tensor) == 48, "DLTensor");
_Static_assert(offsetof(struct DLManagedTensor, manager_ctx) == 48, "DLManagedTensor.manager_ctx");
_Static_assert(offsetof(struct DLManagedTensor, deleter) == 56, "DLManagedTensor.deleter");
_Static_assert(sizeof(struct DLManagedTensor) == 64, "DLManagedTensor");
_Static_assert(offsetof(struct DLManagedTensorVersioned, manager_ctx) == 8, "DLManagedTensorVersioned.manager_ctx");
_Static_assert(offsetof(struct DLManagedTensorVersioned, deleter) == 16, "DLManagedTensorVersioned.deleter");
_Static_assert(offsetof(struct DLManagedTensorVersioned, flags) == 24, "DLManagedTensorVersioned.flags");
_Static_assert(offsetof(struct DLManagedTensorVersioned, dl_tensor) == 32, "DLManagedTensorVersioned.dl_tensor");
_Static_assert(sizeof(struct DLManagedTensorVersioned) == 80, "DLManagedTensorVersioned");
#endif

#endif
