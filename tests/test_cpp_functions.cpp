// SPDX-License-Identifier: BSD-3-Clause
// garray.hpp: each kind of function against the function of C, every elementwise one by the table, and what a call costs: one
// call of C and no memory of its own.
#include "cpp.hpp"

using namespace garray;

static long news;

[[gnu::noinline]] void *operator new(std::size_t size)
{
    news++;
    if (void *p = std::malloc(size ? size : 1))
        return p;
    throw std::bad_alloc();
}
[[gnu::noinline]] void operator delete(void *p) noexcept
{
    std::free(p);
}
[[gnu::noinline]] void operator delete(void *p, std::size_t) noexcept
{
    std::free(p);
}

// Each row of the table in both languages
struct unary_row {
    const char *name;
    garray_status (*c)(garray_operand, garray_t **);
    array (*cpp)(const operand &);
    void (*cpp_into)(const operand &, const into &);
};
struct binary_row {
    const char *name;
    garray_status (*c)(garray_operand, garray_operand, garray_t **);
    array (*cpp)(const operand &, const operand &);
};
struct ternary_row {
    const char *name;
    garray_status (*c)(garray_operand, garray_operand, garray_operand, garray_t **);
    array (*cpp)(const operand &, const operand &, const operand &);
};
static const unary_row unary_rows[] = {
#define GARRAY_UNARY(number, name, ...) { #name, ::garray_##name, garray::name, garray::name },
#define GARRAY_BINARY(...)
#define GARRAY_TERNARY(...)
#define GARRAY_HIDDEN(...)
#include "core/ops.def"
};
static const binary_row binary_rows[] = {
#define GARRAY_UNARY(...)
#define GARRAY_BINARY(number, name, ...) { #name, ::garray_##name, garray::name },
#define GARRAY_HIDDEN(...)
#include "core/ops.def"
};
static const ternary_row ternary_rows[] = {
#define GARRAY_UNARY(...)
#define GARRAY_TERNARY(number, name, ...) { #name, ::garray_##name, garray::name },
#define GARRAY_HIDDEN(...)
#include "core/ops.def"
};

// In float32 and int32: results, memory lent, memory written into; a dtype that an operation does not have throws.
static void elementwise(device where)
{
    for (dtype type : { float32, int32 }) {
        const array a = array({ 1, 2, 3 }, type, where), b = array({ { 2 }, { 4 } }, type, where);
        for (const unary_row &row : unary_rows) {
            context = std::string(row.name) + ", " + dtype_name(type);
            array expected;
            if (row.c(a, expected.out()) != GARRAY_OK) {
                THROWS(ERR_DTYPE, row.name, row.cpp(a));
                continue;
            }
            EXPECT(same(row.cpp(a), expected) && same(row.cpp(a.copy()), expected));
            array out = empty_like(expected);
            row.cpp_into(a, into(out));
            EXPECT(same(out, expected));
        }
        for (const binary_row &row : binary_rows) {
            context = std::string(row.name) + ", " + dtype_name(type);
            array expected;
            if (row.c(a, b, expected.out()) != GARRAY_OK)
                THROWS(ERR_DTYPE, row.name, row.cpp(a, b));
            else
                EXPECT(same(row.cpp(a, b), expected) && same(row.cpp(a, b.copy()), expected));
        }
        for (const ternary_row &row : ternary_rows) {
            context = std::string(row.name) + ", " + dtype_name(type);
            array expected;
            if (row.c(a, 2, b, expected.out()) != GARRAY_OK)
                THROWS(ERR_DTYPE, row.name, row.cpp(a, 2, b));
            else
                EXPECT(same(row.cpp(a, 2, b), expected));
        }
    }
}

static array table(device where)
{
    return reshape(arange(0, 12, 1, float64, where), { 3, 4 }) + 1;
}

static void reductions(device where)
{
    context = "reductions";
    const array x = table(where);
    garray_reduce_opts keep{};
    keep.keepdims = 1;
    EXPECT(sum(x).item<double>() == 78 && holds<double>(sum(x, 0), { 15, 18, 21, 24 }) && sum(x, { 0, -1 }).ndim() == 0);
    EXPECT(sum(x, none, keep).shape() == dims{ 1, 1 } && same(sum(x, {}), x));
    EXPECT(holds<double>(mean(x, 1, *GARRAY_KW(reduce, .keepdims = true)), { 2.5, 6.5, 10.5 }));
    garray_reduce_opts chosen{};
    const array large = x > 6;                      // a field does not keep its array
    chosen.where = large;
    chosen.initial = 100;
    EXPECT(sum(x, all_axes, chosen).item<double>() == 157);
#if __cplusplus >= 202002L
    EXPECT(sum(x, 0, { .keepdims = true }).shape() == dims{ 1, 4 });
    EXPECT(sum(x, all_axes, { .initial = 100, .where = x > 6 }).item<double>() == 157);
    EXPECT(linspace(0, 1, 4, { .no_endpoint = true }, where).size() == 4);
#endif
    EXPECT(garray::std(x).item<double>() > 3.4 && var(x, 0).shape() == dims(4) && argmax(x).item<int>() == 11);
    EXPECT(holds<double>(clip(x(0), none, 2), { 1, 2, 2, 2 }));
    EXPECT(same(arange(3), arange(0, 3)) && same(arange(2.5, float32), arange(0, 3, 1, float32)) && same(eye(2), eye(2, 2)) &&
        eye(3, int8).dtype() == int8 && same(eye(2, 3), eye(2, 3, 0)));
    EXPECT(arange(0, 3).dtype() == int64 && same(clip(x, 2), maximum(x, 2)) && histogram(x).hist.size() == 10);
    EXPECT(holds<double>(garray::where(x(0) > 2, x(0), 0), { 0, 0, 3, 4 }));
}

static void shapes(device where)
{
    context = "shapes";
    const array x = table(where);
    EXPECT(zeros(3, int8, where).dtype() == int8 && ones({ 2, 0 }, {}, where).size() == 0 &&
        full({}, 7, int32, where).item<int>() == 7);
    EXPECT(holds<double>(linspace(0, 1, 3, where), { 0, .5, 1 }) && eye(2, 3, 1, int8, where).shape() == dims{ 2, 3 });
    EXPECT(zeros_like(x).shape() == x.shape() && full_like(x, 2, int8).dtype() == int8);
    EXPECT(reshape(x, { -1, 2 }).shape() == dims{ 6, 2 } && permute_dims(x).shape() == dims{ 4, 3 });
    EXPECT(expand_dims(x, { 0, 3 }).shape() == dims{ 1, 3, 4, 1 } && flip(x, 0)(0, 0).item<double>() == 9);
    EXPECT(sort(flip(x, 1)).dtype() == float64 && same(sort(flip(x, 1)), x) && argsort(x, 0).dtype() == int64);
    EXPECT(concat({ x, x }).shape() == dims{ 6, 4 } && stack({ x, x }, -1).shape() == dims{ 3, 4, 2 });
    EXPECT(block({ { x, x }, { x, x } }).shape() == dims{ 6, 8 });
    EXPECT(split(x, 2, 1).size() == 2 && split(x, 3).size() == 3 && split_at(x, { 1, 3 }, 1).size() == 3 &&
        unstack(x).size() == 3);
    THROWS(ERR_AXIS, "", unstack(x, 5));
    THROWS(ERR_SHAPE, "", split(x, 5));
    EXPECT(nonzero(x > 11).size() == 2 && nonzero(x > 11)[1].item<int>() == 3 && argwhere(x > 11).shape() == dims{ 1, 2 });
    EXPECT(meshgrid({ x(0), x(1) }).size() == 2 && gradient(x).size() == 2 && gradient(x, 0).size() == 1);
    EXPECT(broadcast_shapes({ { 3, 1 }, { 4 } }) == dims{ 3, 4 } && broadcast_arrays({ x, x(0) })[1].shape() == x.shape());
    EXPECT(indices_sparse({ 2, 3 }, {}, where).size() == 2 && diag_indices(3, 2, where).size() == 2);
    EXPECT(holds<double>(take(x, array({ 0, 2 }, int64, where), 1)(0), { 1, 3 }) && tile(x, { 2, 1 }).shape() == dims{ 6, 4 });
    EXPECT(roll(x(0), 1)(0).item<double>() == 4 && repeat(x, 2, 0).shape() == dims{ 6, 4 } && pad(x, 1).shape() == dims{ 5, 6 });
    EXPECT(delete_(x, { 0 }, 0).shape() == dims{ 2, 4 } && insert(x, { slice(1) }, 5, 0).shape() == dims{ 4, 4 });
    EXPECT(select({ x < 3, x > 10 }, { x, -1 }, 0)(2, 3).item<double>() == -1);
    THROWS(ERR_INVALID, "list of cases", select({ x < 3 }, { x, -1 }));
    EXPECT(choose(array({ 1, 0 }, int8, where), { 5, x(0, slice(2)) }).dtype() == float64);
    EXPECT(same(garray::ufunc(GARRAY_OP_add, { x, 1 }), x + 1) &&
        same(ufunc_outer(GARRAY_OP_multiply, x(0), x(1)), outer(x(0), x(1))));
}

static void values(device where)
{
    context = "values";
    const array x = table(where);
    array sums = zeros(3, float64, where);
    scatter_add(sums, { array({ 0, 2, 0 }, int64, where) }, 1);
    EXPECT(holds<double>(sums, { 2, 0, 1 }));
    put(sums, 1, 7);
    fill_diagonal(sums = zeros({ 2, 2 }, float64, where), 3);
    EXPECT(trace(sums).item<double>() == 6);
    EXPECT(array_equal(x, x) && !array_equal(x, x + 1) && allclose(x, x + 1e-12) && promote(int8, float32) == float32);
    EXPECT(result_type({ x, 1 }) == float64 && dtype_size(float16) == 2 && iinfo(int8).max == 127 &&
        isdtype(int8, GARRAY_KIND_SIGNED));
    EXPECT(histogram(x, 3).hist.size() == 3 && histogramdd(x(slice(), slice(2)), { 2, 3 }).edges[1].size() == 4);
    array weight;
    garray_average_opts weighted{};
    const array first = x(0);
    weighted.weights = first;
    EXPECT(average(x).item<double>() == 6.5 && average(x, 1, weighted, &weight).shape() == dims(3) &&
        holds<double>(weight, { 10, 10, 10 }));
}

static void algebra(device where)
{
    context = "algebra";
    const array x = table(where);
    EXPECT(einsum("ij,kj->ik", { x, x }).shape() == dims{ 3, 3 } && tensordot_n(x, x.T(), 1).shape() == dims{ 3, 3 });
    EXPECT(same(matmul(mT(x), x), matmul(x.T(), x)) && same(mT(x) + 0, x.T()) && same(mH(x) + 0, x.T()));
    array into_this = zeros({ 4, 4 }, float64, where);
    const garray_t *handle = into_this.get();
    matmul(mT(x), x, into(into_this));
    EXPECT(into_this.get() == handle && same(into_this, matmul(mT(x), x)));
    matmul(mT(x), x(slice(), slice(0, 1)), into(into_this(slice(), slice(1, 2))));
    EXPECT(same(into_this(slice(), 1), matmul(mT(x), x(slice(), 0))));
    THROWS(ERR_SHAPE, "", (add(x, 1, into(into_this)), 0));
    const auto [u, s, vh] = linalg::svd(x);
    EXPECT(u.shape() == dims{ 3, 3 } && s.size() == 3 && vh.ndim() == 2 && linalg::norm(x).item<double>() > 25);
    EXPECT(linalg::qr(x).r.ndim() == 2 && linalg::inv(eye(3, 3, 0, float64, where)).size() == 9);
    THROWS(ERR_SINGULAR, "", linalg::inv(zeros({ 2, 2 }, float64, where)).to_vector<double>());
    EXPECT(fft::fft(x).dtype() == complex128 && fft::rfftn(x).shape() == dims{ 3, 3 } &&
        fft::fftn(x, { 2, 2 }).shape() == dims{ 2, 2 });
    EXPECT(fft::fftfreq(4).size() == 4 && signal::convolve(x, x).shape() == dims{ 5, 7 });
    EXPECT(polyval(array({ 1.0, 0.0, 1.0 }, float64, where), 3).item<double>() == 10);
    auto [q, r] = divmod(x, 4);
    EXPECT(same(q * 4 + r, x));
}

static void draws(device where)
{
    context = "draws";
    rng a(42), b(GARRAY_RNG(42));
    EXPECT(same(random::normal(a, 0, 1, { 3, 4 }, float32, where), random::normal(b, 0, 1, { 3, 4 }, float32, where)));
    EXPECT(random::uniform(a, 0, 1).ndim() == 0 && a.spawn(3).size() == 3 &&
        random::integers(a, 0, 9, 5, where).dtype() == int64);
    array deck = arange(0, 10, 1, int64, where);
    random::shuffle(a, deck);
    EXPECT(sum(deck).item<int>() == 45 && rng().seed != rng().seed && rng(std::vector<std::uint64_t>{ 1, 2 }).position == 0);
}

// What C++ adds to C: nothing that can be counted.
static void cost(device where)
{
    context = "cost";
    array x = ones({ 8, 8 }, float32, where), y = x.copy(), z;
    const auto allocations = [&] { return memory_stats(where).allocations; };
    const std::int64_t buffers = allocations();
    const long before = news;
    z = x + y;
    x += 1;
    z = x * 2 + y;                                  // one buffer: the product lends its own
    z = exp(sum(x, -1));                            // and one: the sum does
    x(0) = 1;
    x(slice(1, none), 0) += y(slice(1, none), 1);
    z = sum(x, { 0, -1 });
    z = zeros({ 8, 8 }, float32, where);
    z = reshape(x, { 4, 16 });
    add(x, y, into(x));
    EXPECT(news == before);
    if (where.is_cpu())                             // on a GPU, work space of sums comes on top
        EXPECT(allocations() - buffers == 5);
}

void run(device where)
{
    elementwise(where);
    reductions(where);
    shapes(where);
    values(where);
    algebra(where);
    draws(where);
    cost(where);
}
