/* SPDX-License-Identifier: BSD-3-Clause
 * Arguments: dtypes, operands (an array or a C scalar), lists (shapes, axes, arrays, index items), and
 * keywords. The macros mean the same in C11 and in C++17; each value they make lives to the end of the full
 * expression. */
#ifndef GARRAY_OPERAND_H
#define GARRAY_OPERAND_H

#include <garray/status.h>
#include <string.h>

/* ---- dtypes ---- */

/* Element types. DEFAULT stands for what the function chooses, mostly NumPy's choice. */
typedef enum {
    GARRAY_DTYPE_DEFAULT = 0,
    GARRAY_BOOL = 1, /* one byte, 0 or 1 */
    GARRAY_INT8 = 2,
    GARRAY_INT16 = 3,
    GARRAY_INT32 = 4,
    GARRAY_INT64 = 5,
    GARRAY_UINT8 = 6,
    GARRAY_UINT16 = 7,
    GARRAY_UINT32 = 8,
    GARRAY_UINT64 = 9,
    GARRAY_FLOAT16 = 10,
    GARRAY_BFLOAT16 = 11,
    GARRAY_FLOAT32 = 12,
    GARRAY_FLOAT64 = 13,
    GARRAY_COMPLEX64 = 14,
    GARRAY_COMPLEX128 = 15,
    GARRAY_DTYPE_MAX_ENUM = 0x7fffffff
} garray_dtype;

/* ---- operands ----
 * What NumPy calls array_like. Where a function takes a garray_operand, write an array or a C number: in C
 * a macro of the function's name converts it, in C++ a constructor; any other language fills the struct.
 * `true` is an int in C before C23: write GARRAY_TRUE where it must be a bool. */

/* The numbers are none that one writes: an option `.initial = 3`, without GARRAY_VAL(), would set the kind. */
enum {
    GARRAY_OPERAND_NONE = 0, /* not given */
    GARRAY_OPERAND_ARRAY = 0x6f700001,
    GARRAY_OPERAND_BOOL,
    GARRAY_OPERAND_INT,     /* bits[0]: an int64_t */
    GARRAY_OPERAND_UINT,    /* bits[0]: a uint64_t; promotes as INT does */
    GARRAY_OPERAND_DOUBLE,  /* bits[0]: a double */
    GARRAY_OPERAND_COMPLEX  /* bits: two doubles */
};

/* Flags of an array operand, and of a number. */
enum {
    GARRAY_OPERAND_TRANSPOSE = 1, /* its last two axes exchanged */
    GARRAY_OPERAND_CONJUGATE = 2, /* of its elements the conjugates */
    GARRAY_OPERAND_PARAMETER = 4 /* of a graph: garray_graph_parameter() */
};

typedef struct garray_operand garray_operand;
struct garray_operand { /* an array or a number; all zero: not given */
    int32_t kind;          /* GARRAY_OPERAND_... */
    int32_t flags;         /* of an array: GARRAY_OPERAND_TRANSPOSE, GARRAY_OPERAND_CONJUGATE */
    const garray_t *array; /* or NULL; not owned */
    uint64_t bits[2];      /* the number */
#ifdef __cplusplus
    garray_operand() : kind(0), flags(0), array(nullptr), bits{ 0, 0 } {}
    garray_operand(garray_t *a) : kind(GARRAY_OPERAND_ARRAY), flags(0), array(a), bits{ 0, 0 } {}
    garray_operand(const garray_t *a) : kind(GARRAY_OPERAND_ARRAY), flags(0), array(a), bits{ 0, 0 } {}
    garray_operand(bool v) : garray_operand(GARRAY_OPERAND_BOOL, v) {}
    garray_operand(int v) : garray_operand(GARRAY_OPERAND_INT, static_cast<uint64_t>(v)) {}
    garray_operand(long v) : garray_operand(GARRAY_OPERAND_INT, static_cast<uint64_t>(v)) {}
    garray_operand(long long v) : garray_operand(GARRAY_OPERAND_INT, static_cast<uint64_t>(v)) {}
    garray_operand(unsigned v) : garray_operand(GARRAY_OPERAND_UINT, v) {}
    garray_operand(unsigned long v) : garray_operand(GARRAY_OPERAND_UINT, v) {}
    garray_operand(unsigned long long v) : garray_operand(GARRAY_OPERAND_UINT, v) {}
    garray_operand(double v) : garray_operand(GARRAY_OPERAND_DOUBLE, 0) { memcpy(bits, &v, sizeof v); }
    garray_operand(float v) : garray_operand(static_cast<double>(v)) {}
    /* std::complex, or a type like it */
    template <class C, class = decltype(static_cast<const C *>(nullptr)->imag())>
    garray_operand(const C &z) : garray_operand(GARRAY_OPERAND_COMPLEX, 0)
    {
        const double parts[2] = { static_cast<double>(z.real()), static_cast<double>(z.imag()) };
        memcpy(bits, parts, sizeof parts);
    }
    /* Without these, any pointer would become the bool true. */
    template <class T> garray_operand(T *) = delete;
    garray_operand(decltype(nullptr)) = delete;

private:
    garray_operand(int32_t k, uint64_t word) : kind(k), flags(0), array(nullptr), bits{ word, 0 } {}
#endif
};

/* These make operands in both languages; macros and constructors call for them only in passing. */
static inline garray_operand garray_operand_scalar(int32_t kind, const void *value, size_t size)
{
    garray_operand o;
    memset((void *)&o, 0, sizeof o);
    o.kind = kind;
    memcpy(o.bits, value, size);
    return o;
}
static inline garray_operand garray_operand_array(const garray_t *array)
{
    const uint64_t zero = 0;
    garray_operand o = garray_operand_scalar(GARRAY_OPERAND_ARRAY, &zero, sizeof zero);
    o.array = array;
    return o;
}
static inline garray_operand garray_operand_bool(bool v)
{
    const uint64_t bits = v;
    return garray_operand_scalar(GARRAY_OPERAND_BOOL, &bits, sizeof bits);
}
static inline garray_operand garray_operand_int(int64_t v)
{
    return garray_operand_scalar(GARRAY_OPERAND_INT, &v, sizeof v);
}
static inline garray_operand garray_operand_uint(uint64_t v)
{
    return garray_operand_scalar(GARRAY_OPERAND_UINT, &v, sizeof v);
}
static inline garray_operand garray_operand_double(double v)
{
    return garray_operand_scalar(GARRAY_OPERAND_DOUBLE, &v, sizeof v);
}
static inline garray_operand garray_operand_complex(double re, double im)
{
    const double parts[2] = { re, im };
    return garray_operand_scalar(GARRAY_OPERAND_COMPLEX, parts, sizeof parts);
}
static inline garray_operand garray_operand_flip(garray_operand o, int32_t flags)
{
    o.flags ^= flags;
    return o;
}

#ifndef __cplusplus
static inline garray_operand garray_operand_self(garray_operand o) { return o; }
static inline garray_operand garray_operand_c99complex(double _Complex v)
{
    return garray_operand_scalar(GARRAY_OPERAND_COMPLEX, &v, sizeof v);
}
#define GARRAY_OPERAND(x) /* an array or a C number as an operand */ \
    _Generic((x), \
        garray_t *: garray_operand_array, const garray_t *: garray_operand_array, \
        garray_operand: garray_operand_self, _Bool: garray_operand_bool, \
        char: garray_operand_int, signed char: garray_operand_int, short: garray_operand_int, \
        int: garray_operand_int, long: garray_operand_int, long long: garray_operand_int, \
        unsigned char: garray_operand_int, unsigned short: garray_operand_int, \
        unsigned: garray_operand_uint, unsigned long: garray_operand_uint, \
        unsigned long long: garray_operand_uint, \
        float: garray_operand_double, double: garray_operand_double, \
        float _Complex: garray_operand_c99complex, double _Complex: garray_operand_c99complex)(x)
#else
#define GARRAY_OPERAND(x) garray_operand(x)
#endif

/* An operand in the field of an options struct: .where = GARRAY_VAL(mask), .initial = GARRAY_VAL(0). */
#define GARRAY_VAL(x) GARRAY_OPERAND(x)
/* "Not given", for example a missing bound of garray_clip(). */
#ifdef __cplusplus
#define GARRAY_NONE (garray_operand())
#else
#define GARRAY_NONE ((garray_operand){ 0 })
#endif
#define GARRAY_TRUE garray_operand_bool(1) /* a bool */
#define GARRAY_FALSE garray_operand_bool(0) /* a bool */
#define GARRAY_COMPLEX(re, im) garray_operand_complex((re), (im)) /* re + im * i */
/* x.mT, the matrix transpose, and its conjugate x.mT.conj(), as operands: nothing is copied, nothing to
 * release. */
#define GARRAY_MT(x) garray_operand_flip(GARRAY_OPERAND(x), GARRAY_OPERAND_TRANSPOSE)
#define GARRAY_MH(x) \
    garray_operand_flip(GARRAY_OPERAND(x), GARRAY_OPERAND_TRANSPOSE | GARRAY_OPERAND_CONJUGATE)

/* ---- lists ----
 * Passed by value; v is only read during the call. */

/* A shape: n lengths. */
typedef struct {
    int64_t n; /* how many */
    const int64_t *v; /* they */
} garray_shape;

/* Axes, negative ones counted from the end. {0, NULL} means all axes; {0, not NULL} means none. */
typedef struct {
    int64_t n; /* how many */
    const int32_t *v; /* they */
} garray_axes;

/* Arrays. */
typedef struct {
    int64_t n; /* how many */
    const garray_t *const *v; /* they */
} garray_list;

#ifndef __cplusplus

#define GARRAY__ARRAY(type, ...) \
    (int64_t)(sizeof((type[]){ __VA_ARGS__ }) / sizeof(type)), (type[]){ __VA_ARGS__ }
#define GARRAY_SHAPE(...) ((garray_shape){ GARRAY__ARRAY(const int64_t, __VA_ARGS__) }) /* (3, 4): GARRAY_SHAPE(3, 4) */
#define GARRAY_AXES(...) ((garray_axes){ GARRAY__ARRAY(const int32_t, __VA_ARGS__) }) /* first and last: GARRAY_AXES(0, -1) */
#define GARRAY_LIST(...) ((garray_list){ GARRAY__ARRAY(const garray_t *const, __VA_ARGS__) }) /* [a, b]: GARRAY_LIST(a, b) */
#define GARRAY_DIMS(n, lengths) ((garray_shape){ (n), (lengths) }) /* a shape of n lengths at a pointer */
#define GARRAY_ARRAYS(n, arrays) ((garray_list){ (n), (const garray_t *const *)(arrays) }) /* n arrays at a pointer */
#define GARRAY_0D ((garray_shape){ 0, NULL }) /* the shape () */
#define GARRAY_ALL_AXES ((garray_axes){ 0, NULL }) /* axis=None */

#else

template <class List, class T, size_t N> struct garray_pack {
    T v[N];
    operator List() const { return List{ static_cast<int64_t>(N), v }; }
};
template <class List, class T, class... A> garray_pack<List, T, sizeof...(A)> garray_make_pack(A... a)
{
    return { { static_cast<T>(a)... } };
}
#define GARRAY_SHAPE(...) (static_cast<garray_shape>(garray_make_pack<garray_shape, int64_t>(__VA_ARGS__)))
#define GARRAY_AXES(...) (static_cast<garray_axes>(garray_make_pack<garray_axes, int32_t>(__VA_ARGS__)))
#define GARRAY_LIST(...) \
    (static_cast<garray_list>(garray_make_pack<garray_list, const garray_t *>(__VA_ARGS__)))
#define GARRAY_DIMS(n, lengths) (garray_shape{ static_cast<int64_t>(n), (lengths) })
#define GARRAY_ARRAYS(n, arrays) (garray_list{ static_cast<int64_t>(n), (arrays) })
#define GARRAY_0D (garray_shape{ 0, nullptr })
#define GARRAY_ALL_AXES (garray_axes{ 0, nullptr })

#endif

/* ---- index items ----
 * NumPy's x[...] without text: GARRAY_AT(0, GARRAY_RANGE(1, 5), GARRAY_ELLIPSIS, mask) with up to 16 items,
 * each an integer, a range, GARRAY_NEWAXIS, GARRAY_ELLIPSIS or an array of integers or bools. As in NumPy,
 * axes not mentioned are taken whole, negative integers count from the end, and ranges are cut to it. */

enum {
    GARRAY_INDEX_INT = 1,   /* start */
    GARRAY_INDEX_SLICE = 2, /* start:stop:step, as far as `has` says */
    GARRAY_INDEX_NEWAXIS = 3,
    GARRAY_INDEX_ELLIPSIS = 4,
    GARRAY_INDEX_ARRAY = 5
};

typedef struct garray_index garray_index;
struct garray_index { /* one item of x[...] */
    int32_t kind; /* GARRAY_INDEX_... */
    int32_t has; /* of a slice: 1 start, 2 stop, 4 step */
    int64_t start, stop, step; /* of an integer start, of a range all three */
    const garray_t *array; /* or NULL; not owned */
#ifdef __cplusplus
    garray_index() : garray_index(0, 0, nullptr) {}
    garray_index(int i) : garray_index(1, i, nullptr) {}
    garray_index(long i) : garray_index(1, i, nullptr) {}
    garray_index(long long i) : garray_index(1, i, nullptr) {}
    garray_index(unsigned i) : garray_index(1, i, nullptr) {}
    garray_index(unsigned long i) : garray_index(1, static_cast<int64_t>(i), nullptr) {}
    garray_index(unsigned long long i) : garray_index(1, static_cast<int64_t>(i), nullptr) {}
    garray_index(garray_t *a) : garray_index(5, 0, a) {}
    garray_index(const garray_t *a) : garray_index(5, 0, a) {}
    garray_index(bool) = delete;
    template <class T> garray_index(T *) = delete;

private:
    garray_index(int32_t k, int64_t i, const garray_t *a)
        : kind(k), has(0), start(i), stop(0), step(1), array(a)
    {
    }
#endif
};

typedef struct { /* the items of x[...] */
    int64_t n; /* how many */
    const garray_index *v; /* they */
} garray_indices;

static inline garray_index garray_at_make(int32_t kind, int32_t has, int64_t start, int64_t stop,
                                          int64_t step)
{
    garray_index i;
    i.kind = kind;
    i.has = has;
    i.start = start;
    i.stop = stop;
    i.step = step;
    i.array = NULL;
    return i;
}

/* a:b, a:b:s, a:, :b, ::s, ::-1, :, None, ... */
#define GARRAY_RANGE(start, stop) garray_at_make(GARRAY_INDEX_SLICE, 3, (start), (stop), 1) /* start:stop */
#define GARRAY_STEP(start, stop, step) garray_at_make(GARRAY_INDEX_SLICE, 7, (start), (stop), (step)) /* start:stop:step */
#define GARRAY_FROM(start) garray_at_make(GARRAY_INDEX_SLICE, 1, (start), 0, 1) /* start: */
#define GARRAY_TO(stop) garray_at_make(GARRAY_INDEX_SLICE, 2, 0, (stop), 1) /* :stop */
#define GARRAY_EVERY(step) garray_at_make(GARRAY_INDEX_SLICE, 4, 0, 0, (step)) /* ::step */
#define GARRAY_REVERSED garray_at_make(GARRAY_INDEX_SLICE, 4, 0, 0, -1) /* ::-1 */
#define GARRAY_ALL garray_at_make(GARRAY_INDEX_SLICE, 0, 0, 0, 1) /* : */
#define GARRAY_NEWAXIS garray_at_make(GARRAY_INDEX_NEWAXIS, 0, 0, 0, 1) /* None */
#define GARRAY_ELLIPSIS garray_at_make(GARRAY_INDEX_ELLIPSIS, 0, 0, 0, 1) /* ... */

/* GARRAY__EACH(m, a, b) is m(a), m(b): up to 16 arguments. */
#define GARRAY__CAT_(a, b) a##b
#define GARRAY__CAT(a, b) GARRAY__CAT_(a, b)
#define GARRAY__N(...) GARRAY__N_(__VA_ARGS__, 16, 15, 14, 13, 12, 11, 10, 9, 8, 7, 6, 5, 4, 3, 2, 1, 0)
#define GARRAY__N_(a, b, c, d, e, f, g, h, i, j, k, l, m, n, o, p, N, ...) N

#ifndef __cplusplus

static inline garray_index garray_at_self(garray_index i) { return i; }
static inline garray_index garray_at_int(int64_t i)
{
    return garray_at_make(GARRAY_INDEX_INT, 0, i, 0, 1);
}
static inline garray_index garray_at_array(const garray_t *array)
{
    garray_index i = garray_at_make(GARRAY_INDEX_ARRAY, 0, 0, 0, 1);
    i.array = array;
    return i;
}
#define GARRAY__INDEX(x) \
    _Generic((x), \
        garray_index: garray_at_self, \
        garray_t *: garray_at_array, const garray_t *: garray_at_array, \
        char: garray_at_int, signed char: garray_at_int, short: garray_at_int, \
        int: garray_at_int, long: garray_at_int, long long: garray_at_int, \
        unsigned char: garray_at_int, unsigned short: garray_at_int, unsigned: garray_at_int, \
        unsigned long: garray_at_int, unsigned long long: garray_at_int)(x)

#define GARRAY__EACH1(m, a) m(a)
#define GARRAY__EACH2(m, a, ...) m(a), GARRAY__EACH1(m, __VA_ARGS__)
#define GARRAY__EACH3(m, a, ...) m(a), GARRAY__EACH2(m, __VA_ARGS__)
#define GARRAY__EACH4(m, a, ...) m(a), GARRAY__EACH3(m, __VA_ARGS__)
#define GARRAY__EACH5(m, a, ...) m(a), GARRAY__EACH4(m, __VA_ARGS__)
#define GARRAY__EACH6(m, a, ...) m(a), GARRAY__EACH5(m, __VA_ARGS__)
#define GARRAY__EACH7(m, a, ...) m(a), GARRAY__EACH6(m, __VA_ARGS__)
#define GARRAY__EACH8(m, a, ...) m(a), GARRAY__EACH7(m, __VA_ARGS__)
#define GARRAY__EACH9(m, a, ...) m(a), GARRAY__EACH8(m, __VA_ARGS__)
#define GARRAY__EACH10(m, a, ...) m(a), GARRAY__EACH9(m, __VA_ARGS__)
#define GARRAY__EACH11(m, a, ...) m(a), GARRAY__EACH10(m, __VA_ARGS__)
#define GARRAY__EACH12(m, a, ...) m(a), GARRAY__EACH11(m, __VA_ARGS__)
#define GARRAY__EACH13(m, a, ...) m(a), GARRAY__EACH12(m, __VA_ARGS__)
#define GARRAY__EACH14(m, a, ...) m(a), GARRAY__EACH13(m, __VA_ARGS__)
#define GARRAY__EACH15(m, a, ...) m(a), GARRAY__EACH14(m, __VA_ARGS__)
#define GARRAY__EACH16(m, a, ...) m(a), GARRAY__EACH15(m, __VA_ARGS__)
#define GARRAY__EACH(m, ...) GARRAY__CAT(GARRAY__EACH, GARRAY__N(__VA_ARGS__))(m, __VA_ARGS__)
#define GARRAY_AT(...) /* [0, 1:5]: GARRAY_AT(0, GARRAY_RANGE(1, 5)) */ \
    ((garray_indices){ GARRAY__N(__VA_ARGS__), \
                       (const garray_index[]){ GARRAY__EACH(GARRAY__INDEX, __VA_ARGS__) } })

#else

#define GARRAY_AT(...) \
    (static_cast<garray_indices>(garray_make_pack<garray_indices, garray_index>(__VA_ARGS__)))

#endif

/* ---- operands in a row ----
 * What a function takes as `const garray_operand *`: GARRAY_OPERANDS(x, 1.5, y), up to 16. */

#ifndef __cplusplus
#define GARRAY_OPERANDS(...) ((const garray_operand[]){ GARRAY__EACH(GARRAY_OPERAND, __VA_ARGS__) }) /* arrays and numbers */
#else
template <size_t N> struct garray_operand_row {
    garray_operand v[N];
    const garray_operand *get() const { return v; }
};
template <class... A> garray_operand_row<sizeof...(A)> garray_make_operands(const A &...a)
{
    return { { garray_operand(a)... } };
}
#define GARRAY_OPERANDS(...) (garray_make_operands(__VA_ARGS__).get())
#endif

/* ---- keywords ----
 * What NumPy takes by keyword lives in a struct garray_<family>_opts, passed by pointer, NULL for the
 * defaults, made in place by GARRAY_KW(reduce, .keepdims = true, .dtype = GARRAY_FLOAT64). Zero is the
 * default of every field; reserved words must be zero. Up to 8 settings at once. */

#ifndef __cplusplus

#define GARRAY_KW(family, ...) (&(garray_##family##_opts){ __VA_ARGS__ }) /* a pointer to options */

#else

template <class T> struct garray_kw_box {
    T v;
    garray_kw_box() : v() {}
    template <class F> garray_kw_box &set(F f)
    {
        f(v);
        return *this;
    }
};
/* ".a = 1, .b = 2" becomes "o.a = 1; o.b = 2;", with a name for o that no argument uses */
#define GARRAY__SET1(a) garray_o_ a;
#define GARRAY__SET2(a, ...) garray_o_ a; GARRAY__SET1(__VA_ARGS__)
#define GARRAY__SET3(a, ...) garray_o_ a; GARRAY__SET2(__VA_ARGS__)
#define GARRAY__SET4(a, ...) garray_o_ a; GARRAY__SET3(__VA_ARGS__)
#define GARRAY__SET5(a, ...) garray_o_ a; GARRAY__SET4(__VA_ARGS__)
#define GARRAY__SET6(a, ...) garray_o_ a; GARRAY__SET5(__VA_ARGS__)
#define GARRAY__SET7(a, ...) garray_o_ a; GARRAY__SET6(__VA_ARGS__)
#define GARRAY__SET8(a, ...) garray_o_ a; GARRAY__SET7(__VA_ARGS__)
#define GARRAY_KW(family, ...) \
    (&garray_kw_box<garray_##family##_opts>() \
          .set([&](garray_##family##_opts &garray_o_) { \
              GARRAY__CAT(GARRAY__SET, GARRAY__N(__VA_ARGS__))(__VA_ARGS__) \
          }) \
          .v)

#endif

#endif
