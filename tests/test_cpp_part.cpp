// SPDX-License-Identifier: BSD-3-Clause
// garray.hpp: parts of arrays, typed views of the host, random places, streams, DLPack, callbacks, files.
#define _Static_assert static_assert
#include "core/dlpack_abi.h"
#include "cpp.hpp"
#include <algorithm>
#include <numeric>
#include <set>

using namespace garray;

static array counted(const dims &shape, dtype type, device where)
{
    std::int64_t n = 1;
    for (std::int64_t length : shape)
        n *= length;
    return reshape(arange(0, n, 1, type, where), shape);
}

static void reading(device where)
{
    context = "reading";
    const array x = counted({ 3, 4 }, int32, where);
    EXPECT(holds<int>(x(1), { 4, 5, 6, 7 }) && holds<int>(x[-1], { 8, 9, 10, 11 }));
    EXPECT(x(1, 2).item<int>() == 6 && int(x(-1, -1)) == 11 && x(1)(2).item<int>() == 6 && x[1][2].item<int>() == 6);
    EXPECT(holds<int>(x(slice(1, none), 0), { 4, 8 }) && holds<int>(x(slice(1), 0), { 0 }));
    EXPECT(holds<int>(x(0, slice(none, none, -1)), { 3, 2, 1, 0 }) && holds<int>(x(0, slice(1, none, 2)), { 1, 3 }));
    EXPECT(holds<int>(x(0, slice(-3, -1)), { 1, 2 }) && holds<int>(x(ellipsis, 3), { 3, 7, 11 }));
    EXPECT(array(x(newaxis, 0)).shape() == dims{ 1, 4 } && array(x(none, ellipsis, none)).shape() == dims{ 1, 3, 4, 1 });
    EXPECT(holds<int>(x["1:, ::2"], { 4, 6, 8, 10 }) && array(x()).shape() == x.shape());
    EXPECT(holds<int>(x(x % 5 == 0), { 0, 5, 10 }));
    const array rows({ 2, 0 }, int64, where), columns({ 1, 3 }, int8, where);
    EXPECT(holds<int>(x(rows, columns), { 9, 3 }) && holds<int>(x(rows)(slice(), 0), { 8, 0 }));
    EXPECT(holds<int>(x(rows(slice(1)), 1), { 9 }));
    for (std::size_t i = 0; i < 3; i++)             // any type of integer
        EXPECT(x(i, static_cast<short>(1)).item<int>() == static_cast<int>(4 * i) + 1);
    // a view of x, which outlives it
    array row;
    {
        array y = x.copy();
        row = y(1);
        y(1, 0) = 100;
    }
    EXPECT(holds<int>(row, { 100, 5, 6, 7 }));
    EXPECT(holds<int>(x(0) + x(1), { 4, 6, 8, 10 }) && holds<int>(maximum(x(0), 2), { 2, 2, 2, 3 }));
    EXPECT(sum(x(0), all_axes).item<int>() == 6 && holds<int>(concat({ x(0), x(2) }, 0), { 0, 1, 2, 3, 8, 9, 10, 11 }));
    EXPECT(holds<int>(x(0).copy(), { 0, 1, 2, 3 }) && x(slice(1, 3)).shape() == dims({ 2, 4 }) && x(0).size() == 4);
    EXPECT(x(0).astype(float32).dtype() == float32 && holds<int>(x(0).reshape({ 2, 2 }).T(), { 0, 2, 1, 3 }) &&
        x(1).to_vector<int>() == std::vector<int>({ 4, 5, 6, 7 }));
    std::ostringstream text;
    text << x(0);
    EXPECT(text.str() == "[0 1 2 3]");
    THROWS(ERR_INDEX, "out of bounds", array(x(3)));
    THROWS(ERR_INDEX, "", array(x(0, 0, 0)));
    THROWS(ERR_INDEX, "", array(x["what"]));
    static_assert(!std::is_copy_constructible_v<decltype(x(0))> && !std::is_convertible_v<decltype((row(0))) &, array>,
                  "a part ends with its expression");
}

static void assignment(device where)
{
    context = "assignment";
    array x = counted({ 2, 3 }, float64, where);
    x(0) = 7;
    EXPECT(holds<double>(x, { 7, 7, 7, 3, 4, 5 }));
    x(1, slice(none, none, -1)) = array({ 1, 2, 3 }, int32, where);
    EXPECT(holds<double>(x, { 7, 7, 7, 3, 2, 1 }));
    x(0) = x(1);
    EXPECT(holds<double>(x, { 3, 2, 1, 3, 2, 1 }));
    x(x > 2) = 0.5;
    EXPECT(holds<double>(x, { .5, 2, 1, .5, 2, 1 }));
    x(ellipsis, 1) *= 10;
    x["0, 0"] -= 1;
    x(1)(2) += 5;
    x[1][0] = -1;
    EXPECT(holds<double>(x, { -.5, 20, 1, -1, 20, 6 }));
    const array twice({ 1, 1 }, int64, where);
    x(0, twice) += 1;                               // once, as in NumPy
    x(x < 0) += 100;
    EXPECT(holds<double>(x, { 99.5, 21, 1, 99, 20, 6 }));
    x() = 0;
    x(slice(), 0) += x(slice(), 1) + 1;
    EXPECT(holds<double>(x, { 1, 0, 0, 1, 0, 0 }));
    x(0) = true;
    x(1) = 2.5f;
    EXPECT(holds<double>(x, { 1, 1, 1, 2.5, 2.5, 2.5 }));
    array n({ 1, 2, 3 }, int16, where);
    n(0) = 7.9;                                     // casts, as NumPy's assignment
    THROWS(ERR_DTYPE, "", (n(array({ 1 }, int64, where)) += .5, 0));
    EXPECT(holds<short>(n, { 7, 2, 3 }));
    array b({ 6, 5, 4, 3 }, uint8, where);
    b(0) &= 3;
    b(1) |= 8;
    b(2) ^= 1;
    b(3) <<= 2;
    b(slice(2)) >>= 1;
    b(3) %= 5;
    EXPECT(holds<unsigned char>(b, { 1, 6, 5, 2 }));
    x(1) /= 2;
    EXPECT(holds<double>(x(1), { 1.25, 1.25, 1.25 }));
    array seen = broadcast_to(n, { 2, 3 });
    THROWS(ERR_READONLY, "", (seen(0) = 1, 0));
}

template <class T> static void view_of(dtype type)
{
    context = std::string("view, ") + dtype_name(type);
    array x = counted({ 3, 4 }, type, cpu);
    T sum{};
    for (const T &value : x.view<const T>())
        sum += value;
    EXPECT(sum == (std::is_same_v<T, bool> ? T(true) : T(66)));
    int wrong = 0;
    array turned = x(slice(none, none, -1), slice(1, none, 2));
    turned = turned.T();
    {
        auto v = turned.view<T>();
        EXPECT(v.size() == 6 && v.ndim() == 2 && v.shape(0) == 2 && v.shape(-1) == 3 && !v.is_contiguous());
        EXPECT(std::distance(v.begin(), v.end()) == 6);
        for (int i = 0; i < 2; i++)
            for (int j = 0; j < 3; j++)
                wrong += v(i, j) != static_cast<T>(static_cast<short>(8 - 4 * j + 1 + 2 * i)) || &v(i, j) != &v.at(i, j);
        THROWS(ERR_INDEX, "axis 1 with size 3", v.at(0, 3));
        THROWS(ERR_INDEX, "1 indices", v.at(0));
        std::vector<T> listed(v.begin(), v.end());
        EXPECT(listed == (std::vector<T>{ T(9), T(5), T(1), T(11), T(7), T(3) }));
        std::fill(v.begin(), v.end(), T(0));
    }
    EXPECT(wrong == 0 && count_nonzero(x).item<int>() == 5);
    THROWS(ERR_DTYPE, dtype_name(type), x.view<std::conditional_t<std::is_same_v<T, int>, long, int>>());
}

static void views(device where)
{
    view_of<signed char>(int8);
    view_of<short>(int16);
    view_of<int>(int32);
    view_of<long>(int64);
    view_of<unsigned char>(uint8);
    view_of<unsigned short>(uint16);
    view_of<unsigned>(uint32);
    view_of<unsigned long long>(uint64);
    view_of<float>(float32);
    view_of<double>(float64);
    view_of<std::complex<float>>(complex64);
    view_of<std::complex<double>>(complex128);
    context = "views";
    array flags({ true, false, true });
    EXPECT(std::count(flags.view<bool>().begin(), flags.view<bool>().end(), true) == 2);
    array vector = arange(0, 10, 1, float64, cpu);
    {
        auto v = vector.view<double>();
        std::reverse_copy(v.data(), v.data() + 10, v.data());
        std::iota(v.begin(), v.end(), 1.0);
        EXPECT(v[9] == 10 && v.stride(0) == 8);
    }
    array backwards = vector(slice(none, none, -3));
    EXPECT(backwards.view<double>()[1] == 7);
    array scalar(3.5);
    EXPECT(scalar.view<double>()() == 3.5 && *scalar.view<double>().begin() == 3.5 && scalar.view<double>().size() == 1);
    array nothing = zeros({ 2, 0 });
    for (double value : nothing.view<double>())
        EXPECT(value != value);
    array repeated = broadcast_to(scalar, { 2, 3 });
    const array &unchanged = repeated;
    EXPECT(unchanged.view<double>().size() == 6 && std::accumulate(unchanged.view<double>().begin(),
                                                                   unchanged.view<double>().end(), 0.0) == 21);
    THROWS(ERR_READONLY, "", repeated.view<double>());
    const array bytes = zeros({ 17 }, uint8);
    THROWS(ERR_UNSUPPORTED, "aligned", view(array(bytes(slice(1, none))), float32).view<float>());
    static_assert(std::is_same_v<decltype(unchanged.view<double>())::element_type, const double>, "read only");
    if (!where.is_cpu())
        THROWS(ERR_UNSUPPORTED, "GPU", zeros(3, float64, where).view<double>());
    array kept = frombuffer(std::vector<int>{ 1, 2, 3 });
    EXPECT(holds<int>(kept(slice(1, none)), { 2, 3 }));
    const double constants[] = { 1, 2 };
    array outside = frombuffer(constants, 2);
    EXPECT(!outside.is_writeable() && holds<double>(outside * 2, { 2, 4 }));
}

static void other_libraries(device where)
{
    context = "DLPack";
    const array x = counted({ 2, 3 }, float32, where);
    auto tensor = to_dlpack(x);
    EXPECT(tensor->dl_tensor.ndim == 2);
    const array y = from_dlpack(tensor.release());
    EXPECT(same(x, y) && may_share_memory(x, y));
    const array z = from_dlpack(to_dlpack_unversioned(x).release());
    EXPECT(same(x, z));
    to_dlpack(x);                                   // dropped
    EXPECT(same(from_dlpack(to_dlpack(x).release()) + 1, x + 1));

    int released = 0;
    {
        const auto fields = to_array_interface(x);
        const array seen = from_array_interface(fields, [&] { released++; });
        EXPECT(same(seen, x) && may_share_memory(seen, x) && same(from_array_interface(fields), x) && released == 0);
        garray_array_interface wrong = fields;
        wrong.version = 9;
        THROWS(ERR_UNSUPPORTED, "", from_array_interface(wrong, [&] { released += 10; }));
        where.synchronize();
    }
    EXPECT(released == 1);
}

static void streams(device where)
{
    context = "streams";
    stream s(where), other(where, 0);
    event start(where), end(where);
    array x = zeros(1000, float32, where);
    {
        stream_guard guard(s);
        start.record();
        for (int i = 0; i < 10; i++)
            x += 1;
        end.record(s);
    }
    x += 1;                                         // another stream: in order by itself
    end.hold(other);
    s.wait(other);
    EXPECT(sum(x).item<float>() == 11000 && end.since(start) >= 0);
    s.synchronize();
    end.synchronize();
    EXPECT(s.done() && end.done() && s.device() == where && (s.native() != nullptr) == !where.is_cpu());
    stream moved = std::move(s);
    moved.synchronize();
    s = std::move(moved);
    event third = std::move(end);
    third.hold();
    std::vector<float> host(1000, 3.0f), back(1000);
    const array y = from_host_async(host.data(), { 10, 100 }, where, third);
    third.synchronize();
    to_host_async(y + 1, back.data(), back.size(), third);
    third.synchronize();
    EXPECT(back.front() == 4 && back.back() == 4 && y.shape() == dims({ 10, 100 }));
    THROWS(ERR_DTYPE, "to_host_async", to_host_async(x.astype(float64), back.data(), back.size(), third));
}

static void graphs(device where)
{
    context = "graphs";
    array x = zeros(100, float32, where), y;
    graph g = graph::capture(where, [&] {
        add(x, garray_graph_parameter(0, 2.0), into(x));
        y = x * 3;
    });
    stream s(where);
    g.launch();
    g.launch(s);
    EXPECT(sum(x).item<float>() == 400 && sum(y).item<float>() == 1200);
    g.set(0, 0.5);
    graph moved = std::move(g);
    moved.launch();
    EXPECT(sum(x).item<float>() == 450);
    bool thrown = false;
    try {
        graph bad = graph::capture(where, [&] { (void)sum(x).item<float>(); });
    } catch (const error &e) {
        thrown = e.status() == GARRAY_ERR_UNSUPPORTED;
    }
    EXPECT(thrown);
    garray_rng rng = GARRAY_RNG(1), place = rng;
    graph draws = graph::capture(where, [&] { y = random::uniform(rng, 0, 1, { 100 }, float32, where); });
    draws.launch();
    draws.launch();
    draws.tell(place);
    EXPECT(place.position == 2 * rng.position);
    draws.seek(rng);
}

static void callbacks(device where)
{
    context = "callbacks";
    const array x = counted({ 2, 3 }, float64, where);
    EXPECT(holds<double>(apply_along_axis(x, 1, [](const array &line) { return sum(line); }), { 3, 12 }));
    EXPECT(holds<double>(apply_over_axes(x, { 0, 1 }, [](const array &y, int axis) { return sum(y, axis); }), { 15 }));
    EXPECT(holds<double>(fromfunction({ 2, 2 }, [](const std::vector<array> &i) { return i[0] * 10 + i[1]; }, float64, where),
                         { 0, 1, 10, 11 }));
    const std::set<int> ordered{ 3, 1, 2 };
    EXPECT(holds<int>(fromiter(ordered.begin(), ordered.end(), where), { 1, 2, 3 }));
    auto [row, column] = mask_indices(2, [](const array &ones, std::int64_t k) { return triu(ones, k); }, 0, where);
    EXPECT(holds<long>(row, { 0, 0, 1 }) && holds<long>(column, { 0, 1, 1 }));
    struct mine {};
    bool caught = false;
    try {
        apply_along_axis(x, 1, [](const array &) -> array { throw mine(); });
    } catch (const mine &) {
        caught = true;
    }
    EXPECT(caught);
    THROWS(ERR_AXIS, "", apply_along_axis(x, 5, [](const array &line) { return line; }));
    const auto wrong = [](const array &line) { return line + zeros(2, float64, line.device()); };
    THROWS(ERR_SHAPE, "broadcast", apply_along_axis(x, 1, wrong));

    std::stringstream file;
    format_write_array(file, x);
    file << "behind";
    file.seekg(0);
    EXPECT(format_read_array_header(file).ndim == 2);
    file.seekg(0);
    EXPECT(same(format_read_array(file, where), x));
    std::string rest;
    file >> rest;
    EXPECT(rest == "behind");
    THROWS(ERR_FORMAT, "", format_read_array(file, where));

    const char *folder = std::getenv("TMPDIR");
    const std::string path = std::string(folder ? folder : "/tmp") + "/garray-cpp-" + std::to_string(std::rand()) + ".npz";
    savez(path, { { "x", x }, { "y", x + 1 } });
    {
        const npz archive(path);
        EXPECT(archive.size() == 2 && archive.name(1) == "y" && same(archive.get("x", where), x) &&
            same(archive["y"].to(where), x + 1));
        THROWS(ERR_INDEX, "", archive["z"]);
    }
    save(path, x);
    EXPECT(same(load(path, where), x));
    std::remove(path.c_str());
    THROWS(ERR_IO, "", load(path));
}

void run(device where)
{
    reading(where);
    assignment(where);
    views(where);
    other_libraries(where);
    streams(where);
    graphs(where);
    callbacks(where);
}
