// SPDX-License-Identifier: BSD-3-Clause
// garray.hpp: the class array, its operators over every dtype, lists, lifetime, errors, text.
#include "cpp.hpp"

using namespace garray;

static void lists(device where)
{
    context = "lists";
    const array v{ 1.0, 2.0, 3.0 };
    EXPECT(v.dtype() == float64 && v.shape() == dims(3) && v.device() == cpu && holds<double>(v, { 1, 2, 3 }));
    const array m{ { 1, 2, 3 }, { 4, 5, 6 } };
    EXPECT(m.dtype() == int32 && m.shape() == dims{ 2, 3 } && holds<int>(m, { 1, 2, 3, 4, 5, 6 }));
    const array row{ { 1.5f, 2.5f } };
    EXPECT(row.dtype() == float32 && row.shape() == dims{ 1, 2 });
    const array cube{ { { 1L, 2L }, { 3L, 4L } }, { { 5L, 6L }, { 7L, 8L } }, { { 9L, 10L }, { 11L, 12L } } };
    EXPECT(cube.dtype() == int64 && cube.shape() == dims{ 3, 2, 2 } && cube(2, 1, 0).item<long>() == 11);
    const array four{ { { { true }, { false } } } };
    EXPECT(four.dtype() == bool_ && four.shape() == dims{ 1, 1, 2, 1 } && tobytes(four) == std::vector<unsigned char>{ 1, 0 });
    const array z{ std::complex<float>(1, 2), std::complex<float>(3, -4) };
    EXPECT(z.dtype() == complex64 && std::complex<float>(z[1]) == std::complex<float>(3, -4));
    const array half({ { 1, 2 }, { 3, 4 } }, float16, where);
    EXPECT(half.dtype() == float16 && half.device() == where && holds<float>(half.astype(float32), { 1, 2, 3, 4 }));
    const array flags({ { true, false } }, int8, where);
    EXPECT(holds<signed char>(flags, { 1, 0 }));
    const array bits({ true, true }, GARRAY_DTYPE_DEFAULT, where);
    EXPECT(bits.dtype() == bool_ && bits.device() == where);
    const array scalar(2.5f);
    EXPECT(scalar.ndim() == 0 && scalar.dtype() == float32 && double(scalar) == 2.5);
    const array from_vector(std::vector<short>{ 7, 8 }, where);
    EXPECT(holds<short>(from_vector, { 7, 8 }) && from_vector.device() == where);
    const array nothing(std::vector<double>{});
    EXPECT(nothing.shape() == dims(0));
    const array copied{ v };                        // a copy of the handle, not a list
    EXPECT(copied.get() == v.get());
    THROWS(ERR_SHAPE, "different lengths", array({ { 1, 2 }, { 3 } }));
}

static void lifetime(device where)
{
    context = "lifetime";
    array none_yet;
    EXPECT(!none_yet.defined() && none_yet.ndim() == 0 && none_yet.size() == 0);
    THROWS(ERR_INVALID, "", none_yet + 1);
    THROWS(ERR_INVALID, "", none_yet += 1);
    array x({ 1.0, 2.0 }, float64, where), y = x;
    y += 1;                                         // the same array
    EXPECT(holds<double>(x, { 2, 3 }) && x.get() == y.get());
    y = x.copy();
    y += 1;
    EXPECT(holds<double>(x, { 2, 3 }) && holds<double>(y, { 3, 4 }));
    array moved = std::move(y);
    EXPECT(!y.defined() && holds<double>(moved, { 3, 4 }));
    swap(x, moved);
    EXPECT(holds<double>(x, { 3, 4 }));
    array &same_x = x;
    x = same_x;
    EXPECT(holds<double>(x, { 3, 4 }));
    x = std::move(same_x);
    EXPECT(x.defined());
    array adopted = array::adopt(x.detach());
    EXPECT(!x.defined() && holds<double>(adopted, { 3, 4 }));
    check(garray_multiply(adopted.get(), 2, x.out()));
    EXPECT(holds<double>(x, { 6, 8 }));

    // A temporary lends its memory: an expression needs one buffer.
    const std::int64_t allocations = memory_stats(where).allocations;
    array sum = x + x * 0 + 1 - x / x;
    EXPECT(memory_stats(where).allocations - allocations <= 4 && holds<double>(sum, { 6, 8 }));
    const array *kept = &x;
    const garray_t *handle = x.get();
    array z = std::move(x) + 1;                     // x's memory, nobody else's
    EXPECT(!kept->defined() && holds<double>(z, { 7, 9 }));
    static_cast<void>(handle);
    array shared = z;
    array w = std::move(z) + 1;                     // here `shared` sees it
    EXPECT(holds<double>(shared, { 7, 9 }) && holds<double>(w, { 8, 10 }));

    std::vector<array> many(3, w);
    EXPECT(concat(many, 0).shape() == dims(6) && concat({ w, w, w, w }, 0).shape() == dims(8));
}

// One operator of arrays of a dtype against the function of C, with each side an array or a number.
template <class F, class C> static void binary(const char *name, F f, C *c, const array &a, const array &b, const array &one)
{
    context = std::string(name) + ", " + dtype_name(a.dtype());
    array expected;
    const garray_status status = c(garray_operand(a.get()), garray_operand(b.get()), expected.out());
    if (status != GARRAY_OK) {
        THROWS(ERR_DTYPE, "", f(operand(a), operand(b)));
        return;
    }
    EXPECT(same(f(operand(a), operand(b)), expected));
    EXPECT(same(f(operand(a.copy()), operand(b)), expected));
    EXPECT(same(f(operand(a), operand(b.copy())), expected));
    EXPECT(same(f(operand(a.copy()), operand(b.copy())), expected));
    EXPECT(same(f(operand(a(slice())), operand(b(ellipsis))), expected));
    array right = expected, left;
    check(c(garray_operand(a.get()), garray_operand(2), right.out()));
    check(c(garray_operand(2), garray_operand(one.get()), left.out()));
    EXPECT(same(f(operand(a), operand(2)), right));
    EXPECT(same(f(operand(2), operand(one)), left));
}

template <class F, class C> static void in_place(const char *name, F f, C *c, const array &a, const array &b)
{
    context = std::string(name) + ", " + dtype_name(a.dtype());
    array expected, x = a.copy();
    if (c(garray_operand(x.get()), garray_operand(b.get()), expected.out()) != GARRAY_OK) {
        THROWS(ERR_DTYPE, "", f(x, b));
        EXPECT(same(x, a));
        return;
    }
    if (!garray_can_cast(expected.dtype(), a.dtype(), GARRAY_CAST_SAME_KIND)) {
        THROWS(ERR_DTYPE, "", f(x, b));
        EXPECT(same(x, a));
        return;
    }
    const garray_t *handle = x.get();
    f(x, b);
    EXPECT(x.get() == handle && x.dtype() == a.dtype() && same(x, expected.astype(a.dtype())));
}

static void operators(device where)
{
    for (int number = GARRAY_BOOL; number <= GARRAY_COMPLEX128; number++) {
        const auto type = static_cast<dtype>(number);
        const array a = array({ { 1, 2, 3 }, { 4, 5, 6 } }, type, where), b = array({ 3, 2, 1 }, type, where);
#define BINARY(symbol, name) \
    binary(#symbol, [](operand &&x, operand &&y) { return x symbol y; }, ::garray_##name, a, b, b);
        BINARY(+, add)
        BINARY(-, subtract)
        BINARY(*, multiply)
        BINARY(/, divide)
        BINARY(==, equal)
        BINARY(!=, not_equal)
        if (!garray_isdtype(type, GARRAY_KIND_COMPLEX)) {
            BINARY(%, remainder)
            BINARY(<, less)
            BINARY(<=, less_equal)
            BINARY(>, greater)
            BINARY(>=, greater_equal)
        }
        if (garray_isdtype(type, GARRAY_KIND_BOOL | GARRAY_KIND_INTEGRAL)) {
            BINARY(&, bitwise_and)
            BINARY(|, bitwise_or)
            BINARY(^, bitwise_xor)
            BINARY(<<, bitwise_left_shift)
            BINARY(>>, bitwise_right_shift)
        }
#define IN_PLACE(symbol, name) \
    in_place(#symbol, [](array &x, const array &y) { x symbol y; }, ::garray_##name, a, b); \
    in_place(#symbol " of a part", [](array &x, const array &y) { x(slice()) symbol y; }, ::garray_##name, a, b);
        IN_PLACE(+=, add)
        IN_PLACE(-=, subtract)
        IN_PLACE(*=, multiply)
        IN_PLACE(/=, divide)
        IN_PLACE(%=, remainder)
        IN_PLACE(&=, bitwise_and)
        IN_PLACE(|=, bitwise_or)
        IN_PLACE(^=, bitwise_xor)
        IN_PLACE(<<=, bitwise_left_shift)
        IN_PLACE(>>=, bitwise_right_shift)

        context = std::string("unary, ") + dtype_name(type);
        if (type == bool_) {
            THROWS(ERR_DTYPE, "", -a);
            THROWS(ERR_DTYPE, "", +a);
        } else {
            EXPECT(same(-a, negative(a)) && same(+a, a) && same(-a.copy(), negative(a)) && same(-(-a), a));
        }
        EXPECT(!any(a != a));                       // ! is that of a bool
        if (garray_isdtype(type, GARRAY_KIND_BOOL | GARRAY_KIND_INTEGRAL))
            EXPECT(same(~a, bitwise_invert(a)));
        else
            THROWS(ERR_DTYPE, "", ~a);
    }
    context = "numbers";
    const array x({ 1, 2 }, int16, where);
    EXPECT(holds<short>(x + 1, { 2, 3 }) && holds<short>(1 - x, { 0, -1 }) && holds<short>(true + x, { 2, 3 }));
    EXPECT((x + 1.5).dtype() == float64 && (x * 2.5f).dtype() == float64 && (x.astype(float32) * 2.5).dtype() == float32);
    EXPECT((x + std::complex<double>(0, 1)).dtype() == complex128);
    EXPECT(holds<short>(x + static_cast<signed char>(1), { 2, 3 }) && holds<short>(x + 1ul, { 2, 3 }));
    EXPECT(all(1 + x == x + 1).item<bool>() && bool(any(x > 1)) && !bool(any(x > 2)));
    THROWS(ERR_INVALID, "", static_cast<bool>(any(operand(1) < operand(2))));
    THROWS(ERR_SHAPE, "broadcast", x + array({ 1, 2, 3 }, int16, where));
    THROWS(ERR_SHAPE, "", static_cast<bool>(x > 1));
    if (!where.is_cpu())
        THROWS(ERR_MIXED_DEVICES, "", x + array({ 1, 2 }));
}

static void data(device where)
{
    context = "data";
    const array x = reshape(arange(0, 12, 1, float32, where), { 3, 4 });
    EXPECT(x.ndim() == 2 && x.size() == 12 && x.nbytes() == 48 && x.shape(0) == 3 && x.shape(-1) == 4);
    EXPECT(x.strides()[0] == 16 && x.is_contiguous() && x.is_writeable() && x.T().shape() == dims{ 4, 3 });
    THROWS(ERR_SHAPE, "", x.item<float>());
    EXPECT(x.astype(int8).dtype() == int8 && x.to(cpu).device() == cpu && x.reshape(12).ndim() == 1);
    EXPECT(x.T().to_vector<float>() == (std::vector<float>{ 0, 4, 8, 1, 5, 9, 2, 6, 10, 3, 7, 11 }));
    THROWS(ERR_DTYPE, "float32, not float64", x.to_vector<double>());
    const double values[] = { 1, 2, 3, 4 };
    const array y = from_host(values, { 2, 2 }, where);
    EXPECT(holds<double>(y, { 1, 2, 3, 4 }));
    EXPECT(holds<double>(from_host(values, { 2 }, { 16 }, where), { 1, 3 }));
    THROWS(ERR_SHAPE, "strides", from_host(values, { 2, 2 }, { 16 }, where));
    double back[4];
    to_host(y.T(), back, 4);
    EXPECT(back[1] == 3);
    THROWS(ERR_INVALID, "", to_host(y, back, 3));
    float wrong[4];
    THROWS(ERR_DTYPE, "float64, not float32", to_host(y, wrong, 4));
    EXPECT(tobytes(y, 'F').size() == 32);

    std::ostringstream text;
    text << y << y(0) << x.shape() << dims(5) << dims() << where << array();
    EXPECT(text.str() == std::string("[[1. 2.]\n [3. 4.]][1. 2.](3, 4)(5,)()") + (where.is_cpu() ? "cpu" : "cuda") +
                             "(no array)");
    garray_print_opts opts{};
    opts.repr = 1;
    EXPECT(format(y.astype(float32), opts) == "array([[1., 2.],\n       [3., 4.]], dtype=float32)");
    EXPECT(format(arange(0, 500, 1, int32, where)).size() > 1000);
    EXPECT(format_float_positional(0.1) == "0.1" && format_float_scientific(1e300) == "1.e+300");
}

static void errors(device where)
{
    context = "errors";
    try {
        zeros({ -1 }, float64, where);
        EXPECT(false);
    } catch (const std::runtime_error &e) {
        EXPECT(std::strstr(e.what(), "garray_zeros"));
    }
    check(garray_memory_set_limit(where, memory_stats(where).live_bytes + (1 << 20)));
    bool caught = false;
    try {
        zeros({ 1 << 24 }, float64, where);
    } catch (const std::bad_alloc &e) {
        caught = std::strstr(e.what(), "garray_zeros");
    }
    EXPECT(caught);
    caught = false;
    try {
        zeros({ 1 << 24 }, float64, where);
    } catch (const memory_error &e) {
        caught = e.status() == (where.is_cpu() ? GARRAY_ERR_NOMEM : GARRAY_ERR_DEVICE_NOMEM);
    }
    EXPECT(caught);
    check(garray_memory_set_limit(where, 0));
    THROWS(ERR_INVALID, "tpu", device("tpu"));
    std::vector<int> long_shape(65, 1);
    THROWS(ERR_SHAPE, "64", zeros(long_shape, int8, where));
    // A call that throws changes nothing.
    array x({ 1, 2 }, int8, where);
    THROWS(ERR_DTYPE, "", x += 1.5);
    THROWS(ERR_INDEX, "", x(7) = 1);
    THROWS(ERR_SHAPE, "", x(slice()) = zeros(3, int8, where));
    EXPECT(holds<signed char>(x, { 1, 2 }));
    EXPECT(cpu == device() && cpu != cuda(1) && device("cpu").name().size() > 0);
}

void run(device where)
{
    lists(where);
    lifetime(where);
    operators(where);
    data(where);
    errors(where);
}
