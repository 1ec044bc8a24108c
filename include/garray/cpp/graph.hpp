// SPDX-License-Identifier: BSD-3-Clause
// Calls that are recorded once and launched many times; see garray/graph.h.
#ifndef GARRAY_CPP_GRAPH_HPP
#define GARRAY_CPP_GRAPH_HPP

#include <garray/cpp/stream.hpp>
#include <garray/graph.h>

namespace garray {

// A recorded region of calls; one owner.
//
//     auto g = graph::capture(cpu, [&] { add(matmul(a, x), 1, into(x)); });
//     for (int i = 0; i < 1000; i++)
//         g.launch();
class graph {
public:
    // Records what the function calls on the device. An exception ends the capture, too.
    template <class F> static graph capture(device where, F &&calls)
    {
        check(garray_capture_begin(where));
        try {
            std::forward<F>(calls)();
        } catch (...) {
            static_cast<void>(!garray_capture_end(nullptr));
            throw;
        }
        graph g;
        check(garray_capture_end(&g.g_));
        return g;
    }
    graph(graph &&other) noexcept : g_(std::exchange(other.g_, nullptr)) {}
    graph &operator=(graph &&other) noexcept
    {
        std::swap(g_, other.g_);
        return *this;
    }
    ~graph() { garray_graph_free(g_); }

    garray_graph *get() const noexcept { return g_; }
    void launch() { check(garray_graph_launch(g_, nullptr)); }
    void launch(const stream &s) { check(garray_graph_launch(g_, s.get())); }
    // For launches to come; in the capture the number was garray_graph_parameter(parameter, value).
    void set(int parameter, const garray_operand &value) { check(garray_graph_set(g_, parameter, value)); }
    // Where the next launch draws.
    void seek(const garray_rng &rng) { check(garray_graph_seek(g_, &rng)); }
    void tell(garray_rng &rng) const { check(garray_graph_tell(g_, &rng)); }

private:
    graph() noexcept : g_(nullptr) {}
    garray_graph *g_;
};

} // namespace garray

#endif
