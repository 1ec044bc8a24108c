/* SPDX-License-Identifier: BSD-3-Clause
 * Arrays: what they are, their lifetime, how they are made, and how their data gets in and out. */
#ifndef GARRAY_ARRAY_H
#define GARRAY_ARRAY_H

#include <garray/device.h>
#include <garray/dtype.h>
#include <garray/operand.h>

GARRAY_BEGIN

/* ---- what an array is ----
 * These cannot fail. Lists that they return live as long as the handle. */

/* The number of axes. */
GARRAY_API int garray_ndim(const garray_t *x);

/* The shape, fit for every function that takes one: garray_zeros(garray_shape_of(x), ...). */
GARRAY_API garray_shape garray_shape_of(const garray_t *x);

/* The strides in bytes, one per axis; 0 along a broadcast axis, negative along a reversed one. */
GARRAY_API const int64_t *garray_strides_of(const garray_t *x);

GARRAY_API garray_dtype garray_dtype_of(const garray_t *x); /* the dtype */

/* The number of elements. */
GARRAY_API int64_t garray_size(const garray_t *x);

/* Elements times bytes per element, whatever the strides. */
GARRAY_API int64_t garray_nbytes(const garray_t *x);

/* The length of the first axis. 0 for an array without axes, where NumPy's len() is an error. */
GARRAY_API int64_t garray_len(const garray_t *x);

GARRAY_API garray_device garray_device_of(const garray_t *x); /* the device */

/* Whether the elements lie without gaps in row-major order. */
GARRAY_API bool garray_is_contiguous(const garray_t *x);

/* Whether the data may be changed: not through broadcast views, nor imported read-only memory. */
GARRAY_API bool garray_is_writeable(const garray_t *x);

/* Bits of garray_flags(), NumPy's names. */
enum {
    GARRAY_FLAG_C_CONTIGUOUS = 1, /* without gaps in row-major order */
    GARRAY_FLAG_F_CONTIGUOUS = 2, /* without gaps, the first axis fastest */
    GARRAY_FLAG_WRITEABLE = 4, /* may be changed */
    GARRAY_FLAG_ALIGNED = 8,  /* to the size of the elements (of their parts, if complex) */
    GARRAY_FLAG_OWNDATA = 16  /* not a view of part of other memory, nor memory of another library */
};
GARRAY_API int garray_flags(const garray_t *x); /* those that hold for x */

/* Whether the array is column-major and not row-major as well. */
GARRAY_API bool garray_isfortran(const garray_t *x);

/* The addresses of the first byte of the elements and of the one behind the last, on x's device: to be compared, not
 * to be used. low or high may be NULL. */
GARRAY_API void garray_byte_bounds(const garray_t *x, uintptr_t *low, uintptr_t *high);

/* Whether the ranges of addresses touch; true also where elements of the two only alternate. */
GARRAY_API bool garray_may_share_memory(const garray_t *a, const garray_t *b);

/* Whether the two have a byte in common. The search is exact and takes a few steps for usual strides, but in the worst
 * case exponentially many: NOCONVERGE after max_work of them. -1: no limit. 0: as garray_may_share_memory(). */
GARRAY_STATUS garray_shares_memory(const garray_t *a, const garray_t *b, int64_t max_work, bool *result);

/* Forbids writing through this handle, or allows it again: READONLY for memory of another library and for views that
 * repeat elements. Other handles of the same memory stay as they are. Not while another thread uses the handle. */
GARRAY_STATUS garray_setflags(garray_t *x, bool writeable);

/* ---- lifetime ----
 * A result comes last, as `garray_t **out`, and means what `=` means in Python. *out is NULL or an array
 * that the caller owns; on success it becomes the result, and the old array is released; on failure it
 * stays. Operands are read before, so that out may be the address of one of them. Where nobody else can
 * see the old array and shape, dtype and device agree, its memory is used again: a loop allocates in its
 * first round only. */

/* Another share of the same handle; returns x. Accepts NULL. */
GARRAY_API garray_t *garray_retain(garray_t *x);

/* Gives a share back; the last one frees the handle, the last view of a buffer the buffer. Accepts NULL. */
GARRAY_API void garray_release(garray_t *x);

/* Hands *from over to *out, as a function's last line `return garray_move(&y, out);`. *from becomes NULL,
 * the old *out is released. With garray_into() it copies. On failure *from keeps its array. */
GARRAY_STATUS garray_move(garray_t **from, garray_t **out);

/* The result is written into x, as NumPy's out= and x[...] = do: garray_add(x, 1, garray_into(x)) is x += 1,
 * seen by every view of x. The result's shape must be that of x (SHAPE) and its dtype cast to that of x by
 * same_kind (DTYPE); x must be writeable (READONLY). To be passed as an out argument at once: it is a mark,
 * not an address, and must never be dereferenced. x is not released. */
GARRAY_API GARRAY_MUST_USE garray_t **garray_into(garray_t *x);

GARRAY_END

/* A local array that is released at the end of its scope: GARRAY_AUTO garray_t *a = NULL, *b = NULL; */
#define GARRAY_AUTO __attribute__((cleanup(garray_auto_release)))
static inline void garray_auto_release(garray_t **x)
{
    garray_release(*x);
}

GARRAY_BEGIN

/* ---- creation ----
 * dtype GARRAY_DTYPE_DEFAULT means float64, or what a given value needs. SHAPE for negative lengths or
 * sizes past 2^63 bytes, NOMEM or DEVICE_NOMEM when there is no memory. */

/* An array of arbitrary content. */
GARRAY_STATUS garray_empty(garray_shape shape, garray_dtype dtype, garray_device device, garray_t **out);
GARRAY_STATUS garray_zeros(garray_shape shape, garray_dtype dtype, garray_device device, garray_t **out);
GARRAY_STATUS garray_ones(garray_shape shape, garray_dtype dtype, garray_device device, garray_t **out);

/* An array filled with a value: a number, or an array that broadcasts to the shape. */
GARRAY_STATUS garray_full(garray_shape shape, garray_operand value, garray_dtype dtype, garray_device device,
                          garray_t **out);

/* The same with shape and device of x, and its dtype for GARRAY_DTYPE_DEFAULT. */
GARRAY_STATUS garray_empty_like(const garray_t *x, garray_dtype dtype, garray_t **out);
GARRAY_STATUS garray_zeros_like(const garray_t *x, garray_dtype dtype, garray_t **out);
GARRAY_STATUS garray_ones_like(const garray_t *x, garray_dtype dtype, garray_t **out);
GARRAY_STATUS garray_full_like(const garray_t *x, garray_operand value, garray_dtype dtype, garray_t **out);

/* start, start + step, ... as long as they are before stop. GARRAY_NONE for start is 0, for step 1; stop
 * must be given. By default int64 if all are integers (uint64 where the values are too
 * large for it), float64 otherwise. INVALID for arrays, step 0, or no end. */
GARRAY_STATUS garray_arange(garray_operand start, garray_operand stop, garray_operand step,
                            garray_dtype dtype, garray_device device, garray_t **out);

typedef struct {
    int32_t no_endpoint; /* 1: stop is not among the values */
    garray_dtype dtype;
    int32_t axis;       /* where the values are along, if a bound is an array */
    int32_t reserved32;
    uint64_t reserved[3];
} garray_linspace_opts;

/* num evenly spaced values from start to stop inclusive, which are numbers, or arrays that broadcast: then each pair of
 * elements has its values along a new axis. By default the dtype of the bounds, float64 for integers; integers are
 * floored. */
GARRAY_STATUS garray_linspace(garray_operand start, garray_operand stop, int64_t num,
                              const garray_linspace_opts *opts, garray_device device, garray_t **out);

typedef struct {
    int32_t no_endpoint; /* as for garray_linspace() */
    garray_dtype dtype;
    garray_operand base; /* a number; 10 by default */
    int32_t axis; /* the same */
    int32_t reserved32;
    uint64_t reserved[4];
} garray_logspace_opts;

/* base to the powers that garray_linspace() gives. */
GARRAY_STATUS garray_logspace(garray_operand start, garray_operand stop, int64_t num,
                              const garray_logspace_opts *opts, garray_device device, garray_t **out);

/* num values from start to stop inclusive, each the same multiple of the one before; of complex numbers along a spiral.
 * INVALID for a bound of 0, for which it waits. */
GARRAY_STATUS garray_geomspace(garray_operand start, garray_operand stop, int64_t num,
                               const garray_linspace_opts *opts, garray_device device, garray_t **out);

typedef struct {
    int32_t increasing; /* 1: powers 0, 1, 2 ... instead of the other way round */
    int32_t reserved32;
    uint64_t reserved[4];
} garray_vander_opts;

/* The powers of a vector's elements, a row each: columns - 1 down to 0; -1 for as many columns as rows. Integers as
 * int64. */
GARRAY_STATUS garray_vander(const garray_t *x, int64_t columns, const garray_vander_opts *opts, garray_t **out);

/* A matrix with ones on the k-th diagonal (k > 0: above the main one), zeros elsewhere. */
GARRAY_STATUS garray_eye(int64_t rows, int64_t cols, int64_t k, garray_dtype dtype, garray_device device,
                         garray_t **out);

/* ---- data ---- */

/* A copy of host memory that holds elements of a dtype (which must be given) in a shape; byte_strides NULL
 * means row-major without gaps. When it returns the host memory may be reused. */
GARRAY_STATUS garray_from_host(const void *data, garray_dtype dtype, garray_shape shape,
                               const int64_t *byte_strides, garray_device device, garray_t **out);

/* Copies all elements to host memory of `capacity` bytes, without gaps, or with the given strides (not
 * negative). Waits. INVALID when the capacity does not suffice: then nothing is written. */
GARRAY_STATUS garray_to_host(const garray_t *x, void *data, const int64_t *byte_strides, size_t capacity);

/* The one element of an array of size 1, cast to a dtype: x.item(). Waits. SHAPE for other sizes, DTYPE for
 * complex to real. Everyday form: garray_item(x, &value), where the type of value says the dtype. */
GARRAY_STATUS garray_item(const garray_t *x, garray_dtype dtype, void *value);

/* A copy in another dtype (also in the same one). Casts as NumPy's; floats out of the range of an integer
 * dtype saturate and NaN becomes 0, where NumPy leaves it to the machine. */
GARRAY_STATUS garray_astype(const garray_t *x, garray_dtype dtype, garray_t **out);

/* A contiguous copy. */
GARRAY_STATUS garray_copy(const garray_t *x, garray_t **out);

/* What asarray and DLPack may do. */
typedef enum {
    GARRAY_COPY_IF_NEEDED = 0,
    GARRAY_COPY_ALWAYS = 1,
    GARRAY_COPY_NEVER = 2, /* an UNSUPPORTED error where a copy would be needed */
    GARRAY_COPY_MODE_MAX_ENUM = 0x7fffffff
} garray_copy_mode;

typedef struct {
    garray_dtype dtype;    /* by default that of x */
    garray_copy_mode copy;
    int32_t order;         /* 'C': row-major, 'F': column-major, 0: as it is */
    int32_t has_device;    /* 1: on the device that follows; else where x is */
    garray_device device;
    uint64_t reserved[4];
} garray_asarray_opts;

/* x as an array of a dtype, in an order, on a device: another handle of it if it is one already, else a copy. A number
 * needs a device. */
GARRAY_STATUS garray_asarray(garray_operand x, const garray_asarray_opts *opts, garray_t **out);

typedef struct {
    garray_dtype dtype;
    int32_t order;   /* as for garray_asarray() */
    int32_t ndmin;   /* axes of length 1 in front, until there are so many */
    int32_t no_copy; /* 1: a copy only where it is needed */
    uint64_t reserved[4];
} garray_array_opts;

/* A copy, np.array(x). */
GARRAY_STATUS garray_array(const garray_t *x, const garray_array_opts *opts, garray_t **out);

/* x with at least one axis, without gaps in row-major or column-major order, of a dtype (by default its own); another
 * handle of x if it is so already. */
GARRAY_STATUS garray_ascontiguousarray(const garray_t *x, garray_dtype dtype, garray_t **out);
GARRAY_STATUS garray_asfortranarray(const garray_t *x, garray_dtype dtype, garray_t **out);

/* x if it is of a dtype (by default its own) and has the given GARRAY_FLAG_ bits, else a copy that has. */
GARRAY_STATUS garray_require(const garray_t *x, garray_dtype dtype, int flags, garray_t **out);

/* As asarray with a dtype; INVALID if an element is infinite or NaN, for which it waits. */
GARRAY_STATUS garray_asarray_chkfinite(const garray_t *x, garray_dtype dtype, garray_t **out);

typedef struct {
    garray_operand count; /* the number of elements; by default all */
    int64_t offset;       /* bytes before the first one */
    int32_t readonly;     /* 1: the memory must not be written */
    int32_t reserved32;
    uint64_t reserved[4];
} garray_frombuffer_opts;

/* A vector over `size` bytes of host memory, which is not copied: it must stay until release(ctx) is called, on any thread,
 * when the last array over it has gone (NULL: as long as the program runs). On failure release is not called. float64 by
 * default. Bools must be 0 or 1. INVALID for a size that is no multiple of the elements', or too small. */
GARRAY_STATUS garray_frombuffer(void *data, size_t size, garray_dtype dtype, const garray_frombuffer_opts *opts,
                                void (*release)(void *ctx), void *ctx, garray_t **out);

/* The array on another device; where it is there already, another handle of the same buffer. */
GARRAY_STATUS garray_to_device(const garray_t *x, garray_device device, garray_t **out);

/* What a caller does with raw memory; combine with |. */
enum {
    GARRAY_READ = 1,
    GARRAY_WRITE = 2
};

/* Lends the address of x's first element, on x's device, until garray_end(); other elements follow by
 * garray_strides_of(). Work that the caller puts on the stream (NULL: the calling thread's current one, to
 * be had from garray_stream_native()) runs after the library's earlier and before its later work. On the
 * CPU the stream is NULL and the data is ready. READONLY when WRITE is asked of a read-only array. */
GARRAY_STATUS garray_begin(garray_t *x, int access, garray_stream *stream, void **ptr);

/* Ends what garray_begin() started, with the same stream; the address is invalid from then on. */
GARRAY_STATUS garray_end(garray_t *x, garray_stream *stream);

GARRAY_END

#ifndef __cplusplus

#define garray_full(shape, value, dtype, device, out) \
    (garray_full)(shape, GARRAY_OPERAND(value), dtype, device, out)
#define garray_full_like(x, value, dtype, out) (garray_full_like)(x, GARRAY_OPERAND(value), dtype, out)
#define garray_asarray(x, opts, out) (garray_asarray)(GARRAY_OPERAND(x), opts, out)
#define garray_arange(start, stop, step, dtype, device, out) \
    (garray_arange)(GARRAY_OPERAND(start), GARRAY_OPERAND(stop), GARRAY_OPERAND(step), dtype, device, out)
#define garray_linspace(start, stop, num, opts, device, out) \
    (garray_linspace)(GARRAY_OPERAND(start), GARRAY_OPERAND(stop), num, opts, device, out)
#define garray_logspace(start, stop, num, opts, device, out) \
    (garray_logspace)(GARRAY_OPERAND(start), GARRAY_OPERAND(stop), num, opts, device, out)
#define garray_geomspace(start, stop, num, opts, device, out) \
    (garray_geomspace)(GARRAY_OPERAND(start), GARRAY_OPERAND(stop), num, opts, device, out)

/* The dtype of what a pointer points to. */
#define GARRAY_DTYPE_OF(p) \
    _Generic((p), \
        _Bool *: GARRAY_BOOL, signed char *: GARRAY_INT8, short *: GARRAY_INT16, int *: GARRAY_INT32, \
        long *: sizeof(long) == 8 ? GARRAY_INT64 : GARRAY_INT32, long long *: GARRAY_INT64, \
        unsigned char *: GARRAY_UINT8, unsigned short *: GARRAY_UINT16, unsigned *: GARRAY_UINT32, \
        unsigned long *: sizeof(long) == 8 ? GARRAY_UINT64 : GARRAY_UINT32, \
        unsigned long long *: GARRAY_UINT64, float *: GARRAY_FLOAT32, double *: GARRAY_FLOAT64, \
        float _Complex *: GARRAY_COMPLEX64, double _Complex *: GARRAY_COMPLEX128)
#define garray_item(x, value) (garray_item)(x, GARRAY_DTYPE_OF(value), value)

#else

#define GARRAY__ITEM(type, dtype) \
    inline garray_status garray_item(const garray_t *x, type *value) { return garray_item(x, dtype, value); }
GARRAY__ITEM(bool, GARRAY_BOOL)
GARRAY__ITEM(signed char, GARRAY_INT8)
GARRAY__ITEM(short, GARRAY_INT16)
GARRAY__ITEM(int, GARRAY_INT32)
GARRAY__ITEM(long, sizeof(long) == 8 ? GARRAY_INT64 : GARRAY_INT32)
GARRAY__ITEM(long long, GARRAY_INT64)
GARRAY__ITEM(unsigned char, GARRAY_UINT8)
GARRAY__ITEM(unsigned short, GARRAY_UINT16)
GARRAY__ITEM(unsigned, GARRAY_UINT32)
GARRAY__ITEM(unsigned long, sizeof(long) == 8 ? GARRAY_UINT64 : GARRAY_UINT32)
GARRAY__ITEM(unsigned long long, GARRAY_UINT64)
GARRAY__ITEM(float, GARRAY_FLOAT32)
GARRAY__ITEM(double, GARRAY_FLOAT64)
#undef GARRAY__ITEM
/* std::complex of float or double */
template <class C, class V = typename C::value_type> garray_status garray_item(const garray_t *x, C *value)
{
    static_assert(sizeof(C) == 2 * sizeof(V) && V(1) / 2 > 0, "a complex type");
    return garray_item(x, sizeof(V) == sizeof(float) ? GARRAY_COMPLEX64 : GARRAY_COMPLEX128, value);
}

#endif

#endif
