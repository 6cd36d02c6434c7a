// SPDX-License-Identifier: GPL-3.0-or-later
// The last samples of a stream, contiguous in memory, by absolute number (internal). Memory is allocated once. Samples
// are stored in large pieces, which is cheaper than in small ones, and shown on request. Lent samples that are used up
// before keep() are never copied.
//
// The position of a stored sample relative to cache lines depends on its number only, not on the pieces of the stream.
// SIMD code may round differently at other alignments, and results must not depend on the host's timing.
#pragma once

#include <gnuradio/wimax/phy/base/numerology.h>

#include <algorithm>
#include <cstdint>
#include <cstdlib>
#include <memory>
#include <new>
#include <span>
#include <utility>

namespace gr::wimax::phy {

class SampleBuffer {
public:
    /// Capacity in samples. The buffer has twice the memory, so that each sample is moved less than once on average.
    explicit SampleBuffer(size_t capacity)
        : capacity_(capacity),
          room_((2 * capacity / kGrain + 2) * kGrain),
          data_(static_cast<Complex*>(std::aligned_alloc(kGrain * sizeof(Complex), room_ * sizeof(Complex)))) {
        if (!data_) throw std::bad_alloc();
    }

    void reset(int64_t first_sample) {
        first_ = first_sample;
        size_ = ahead_ = 0;
        lent_ = false;
        at_ = data_.get() + place(first_);
    }

    int64_t begin() const { return first_; }
    int64_t end() const { return first_ + static_cast<int64_t>(size_); }
    size_t space() const { return capacity_ - size_; }
    /// All visible samples.
    std::span<const Complex> view() const { return {at_, size_}; }
    /// The visible part of [from, to).
    std::span<const Complex> view(int64_t from, int64_t to) const {
        from = std::clamp(from, first_, end());
        to = std::clamp(to, from, end());
        return {at_ + (from - first_), static_cast<size_t>(to - from)};
    }
    void drop_before(int64_t sample) {
        const auto gone = static_cast<size_t>(std::clamp<int64_t>(sample - first_, 0, static_cast<int64_t>(size_)));
        at_ += gone;
        first_ += static_cast<int64_t>(gone);
        size_ -= gone;
    }

    /// Appends up to space() samples.
    void append(std::span<const Complex> samples) {
        store(samples);
        show(samples.size());
    }
    /// Appends samples that show() makes visible later. Only if ahead() is 0.
    void store(std::span<const Complex> samples) {
        // Few samples after many dropped ones: moving them now is cheap and keeps them in the cache.
        const auto gone = static_cast<size_t>(at_ - data_.get());
        const bool cheap = gone > kGonePerMoved * std::max(size_, kFew);
        if (cheap || gone + size_ + samples.size() > room_) move_to_front();
        std::copy(samples.begin(), samples.end(), own(at_ + size_));
        ahead_ = samples.size();
        expect_more(samples.data() + samples.size());
        expect_more(at_ + size_ + ahead_);
    }
    size_t ahead() const { return ahead_; }
    void show(size_t samples) {
        size_ += samples;
        ahead_ -= samples;
    }
    /// Drops the samples of ahead().
    void forget_ahead() { ahead_ = 0; }

    /// Like append(); if the buffer is empty, the samples are used in place. They must stay valid until keep(); no
    /// samples may be added before it.
    void lend(std::span<const Complex> samples) {
        if (size_ > 0) return append(samples);
        lent_ = true;
        at_ = samples.data();
        size_ = samples.size();
    }
    /// Stores the rest of the lent samples.
    void keep() {
        if (!std::exchange(lent_, false)) return;
        const auto left = view();
        at_ = data_.get() + place(first_);
        size_ = 0;
        append(left);
    }

private:
    static constexpr size_t kGrain = 16;  // samples: 128 bytes, a power of two
    static constexpr size_t kGonePerMoved = 8, kFew = 4096;
    static constexpr size_t kLine = 8, kLinesAhead = 16;  // samples per cache line; number of lines
    struct Free {
        void operator()(Complex* p) const { std::free(p); }
    };
    /// Prefetches the memory after this piece, in the stream and in the buffer. Symbols are received between two
    /// pieces; without this each piece begins with waits for memory: 1 to 2 % of a receiver's time.
    static void expect_more(const Complex* behind) {
        for (size_t i = 0; i < kLinesAhead; ++i)
            __builtin_prefetch(
                reinterpret_cast<const void*>(reinterpret_cast<uintptr_t>(behind) + i * kLine * sizeof(Complex)));
    }
    static size_t place(int64_t sample) { return static_cast<size_t>(sample) & (kGrain - 1); }

    Complex* own(const Complex* p) { return data_.get() + (p - data_.get()); }
    void move_to_front() {
        Complex* front = data_.get() + place(first_);
        std::copy_n(at_, size_, front);
        at_ = front;
    }

    size_t capacity_, room_;
    std::unique_ptr<Complex[], Free> data_;
    const Complex* at_ = data_.get();  ///< the first sample: in data_, or lent
    bool lent_ = false;
    size_t size_ = 0, ahead_ = 0;
    int64_t first_ = 0;
};

}  // namespace gr::wimax::phy
