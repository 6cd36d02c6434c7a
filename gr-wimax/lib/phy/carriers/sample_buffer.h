/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * The last samples of a stream, contiguous in memory, by absolute number (internal). Memory is taken once. Many are
 * stored at once, which is cheaper than bit by bit, and shown as they are asked for.
 *
 * A sample's place relative to cache lines follows from its number alone, not from how the stream was cut into pieces:
 * SIMD code may round differently at other alignments.
 */
#pragma once

#include "phy/carriers/symbol_reader.h"

#include <algorithm>
#include <cstdlib>
#include <memory>
#include <new>

namespace gr::wimax::phy {

class SampleBuffer {
public:
    /// Keeps up to `keep` samples; takes up to `chunk` at once.
    SampleBuffer(size_t keep, size_t chunk)
        : keep_(keep),
          chunk_(chunk),
          room_(((2 * keep + chunk) / kLine + 2) * kLine),
          data_(static_cast<Complex*>(std::aligned_alloc(kLine * sizeof(Complex), room_ * sizeof(Complex)))) {
        if (!data_) throw std::bad_alloc();
    }

    void reset(int64_t first_sample) {
        first_ = first_sample;
        begin_ = place(first_sample);
        size_ = ahead_ = 0;
    }
    /// Up to max_chunk() samples, while there are none ahead(). Those before `needed_from` may go.
    void store(std::span<const Complex> samples, int64_t needed_from) {
        drop_before(std::max(needed_from, end() - static_cast<int64_t>(keep_)));
        // Few samples behind many that are gone: moved now that it is cheap, they stay in the cache.
        const bool cheap = begin_ > kGonePerMoved * std::max(size_, chunk_);
        if (cheap || begin_ + size_ + samples.size() > room_) move_to_front();
        std::copy(samples.begin(), samples.end(), data_.get() + begin_ + size_);
        ahead_ = samples.size();
        expect_more(samples.data() + samples.size());
        expect_more(data_.get() + begin_ + size_ + ahead_);
    }
    /// Samples stored but not shown.
    size_t ahead() const { return ahead_; }
    void show(size_t samples) {
        size_ += samples;
        ahead_ -= samples;
    }
    /// As if what is ahead() had not come.
    void forget_ahead() { ahead_ = 0; }
    SampleView view() const { return {data_.get() + begin_, first_, static_cast<int64_t>(size_)}; }
    int64_t end() const { return first_ + static_cast<int64_t>(size_); }
    size_t max_chunk() const { return chunk_; }

private:
    static constexpr size_t kLine = 8;  // samples: 64 bytes, a power of two
    static constexpr size_t kGonePerMoved = 8, kLinesAhead = 16;
    struct Free {
        void operator()(Complex* p) const { std::free(p); }
    };
    /// A stream goes on where this piece of it ends, there and here. Symbols are received between two pieces, and
    /// without this each piece would begin with some waits for memory: 1 to 2 % of a receiver's time.
    static void expect_more(const Complex* behind) {
        for (size_t i = 0; i < kLinesAhead; ++i)
            __builtin_prefetch(
                reinterpret_cast<const void*>(reinterpret_cast<uintptr_t>(behind) + i * kLine * sizeof(Complex)));
    }
    static size_t place(int64_t sample) { return static_cast<size_t>(sample) & (kLine - 1); }

    void drop_before(int64_t sample) {
        const auto gone = static_cast<size_t>(std::clamp<int64_t>(sample - first_, 0, static_cast<int64_t>(size_)));
        begin_ += gone;
        first_ += static_cast<int64_t>(gone);
        size_ -= gone;
    }
    void move_to_front() {
        const size_t begin = place(first_);
        std::copy_n(data_.get() + begin_, size_, data_.get() + begin);
        begin_ = begin;
    }

    size_t keep_, chunk_, room_;
    std::unique_ptr<Complex[], Free> data_;
    size_t begin_ = 0, size_ = 0, ahead_ = 0;
    int64_t first_ = 0;
};

}  // namespace gr::wimax::phy
