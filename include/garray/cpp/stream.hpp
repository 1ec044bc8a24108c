// SPDX-License-Identifier: BSD-3-Clause
// Streams and events that free themselves, and a stream that is current for a scope.
#ifndef GARRAY_CPP_STREAM_HPP
#define GARRAY_CPP_STREAM_HPP

#include <garray/cpp/types.hpp>
#include <utility>

namespace garray {

// A stream of a device; one owner.
class stream {
public:
    explicit stream(::garray::device where) : s_(nullptr), where_(where) { check(garray_stream_new(where, &s_)); }
    stream(::garray::device where, int priority) : s_(nullptr), where_(where)
    {
        check(garray_stream_new_priority(where, priority, &s_));
    }
    // The caller's own stream, a cudaStream_t, which must live longer.
    static stream wrap(::garray::device where, void *native)
    {
        stream s(where, nullptr, 0);
        check(garray_stream_wrap(where, native, &s.s_));
        return s;
    }
    stream(stream &&other) noexcept : s_(std::exchange(other.s_, nullptr)), where_(other.where_) {}
    stream &operator=(stream &&other) noexcept
    {
        std::swap(s_, other.s_);
        std::swap(where_, other.where_);
        return *this;
    }
    ~stream() { garray_stream_free(s_); }

    garray_stream *get() const noexcept { return s_; }
    ::garray::device device() const noexcept { return where_; }
    // The cudaStream_t; null on the CPU.
    void *native() const
    {
        void *handle = nullptr;
        check(garray_stream_native(s_, where_, &handle));
        return handle;
    }
    void synchronize() const { check(garray_stream_synchronize(s_)); }
    bool done() const
    {
        bool value = false;
        check(garray_stream_query(s_, &value));
        return value;
    }
    // Later work here comes after what is on the other stream now.
    void wait(const stream &other) { check(garray_stream_wait(s_, other.s_)); }

private:
    stream(::garray::device where, garray_stream *s, int) noexcept : s_(s), where_(where) {}
    garray_stream *s_;
    ::garray::device where_;
};

// Makes a stream the calling thread's current one of its device until the end of the scope. On that thread alone.
class stream_guard {
public:
    explicit stream_guard(const stream &s) : where_(s.device()), old_(nullptr)
    {
        check(garray_stream_swap(s.get(), where_, &old_));
    }
    stream_guard(const stream_guard &) = delete;
    stream_guard &operator=(const stream_guard &) = delete;
    ~stream_guard() { static_cast<void>(!garray_stream_swap(old_, where_, nullptr)); } // nobody to tell

private:
    device where_;
    garray_stream *old_;
};

// A mark in a stream. Without a stream the calling thread's current one is meant.
class event {
public:
    explicit event(device where) : e_(nullptr) { check(garray_event_new(where, &e_)); }
    event(event &&other) noexcept : e_(std::exchange(other.e_, nullptr)) {}
    event &operator=(event &&other) noexcept
    {
        std::swap(e_, other.e_);
        return *this;
    }
    ~event() { garray_event_free(e_); }

    garray_event *get() const noexcept { return e_; }
    void record() { check(garray_event_record(e_, nullptr)); }
    void record(const stream &s) { check(garray_event_record(e_, s.get())); }
    void synchronize() const { check(garray_event_synchronize(e_)); }
    bool done() const
    {
        bool value = false;
        check(garray_event_query(e_, &value));
        return value;
    }
    // Later work on the stream comes after the mark.
    void hold() const { check(garray_event_wait(nullptr, e_)); }
    void hold(const stream &s) const { check(garray_event_wait(s.get(), e_)); }
    // Milliseconds of the device from an earlier mark to this one. Waits for both.
    double since(const event &start) const
    {
        double milliseconds = 0;
        check(garray_event_elapsed(start.e_, e_, &milliseconds));
        return milliseconds;
    }

private:
    garray_event *e_;
};

} // namespace garray

#endif
