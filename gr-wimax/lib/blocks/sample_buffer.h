/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * A window of a sample stream, contiguous in memory and addressed by absolute sample count.
 *
 * A sample's place relative to cache lines follows from its count alone, not from how the stream was cut into pieces:
 * SIMD code may round differently at other alignments, and results must not depend on the host's timing.
 */
#pragma once

#include <algorithm>
#include <complex>
#include <cstdint>
#include <cstdlib>
#include <memory>
#include <new>
#include <span>

namespace gr::wimax {

class SampleBuffer {
public:
    explicit SampleBuffer(size_t capacity_samples)
        : capacity_(capacity_samples),
          size_((2 * capacity_samples / kGrain + 2) * kGrain),
          data_(static_cast<Sample*>(std::aligned_alloc(kGrain * sizeof(Sample), size_ * sizeof(Sample)))) {
        if (!data_) throw std::bad_alloc();
    }

    int64_t begin_sample() const { return first_; }
    int64_t end_sample() const { return first_ + static_cast<int64_t>(end_ - begin_); }
    size_t space() const { return capacity_ - (end_ - begin_); }

    void reset(int64_t first_sample) {
        begin_ = end_ = place(first_sample);
        first_ = first_sample;
    }
    /// At most space() samples. Twice the capacity is kept, so that moving costs less than a copy of each sample.
    void append(std::span<const std::complex<float>> samples) {
        if (begin_ == end_) begin_ = end_ = place(first_);  // where nothing waits, the same memory stays in the cache
        if (end_ + samples.size() > size_) {
            const size_t begin = place(first_);
            std::copy(data_.get() + begin_, data_.get() + end_, data_.get() + begin);
            end_ = begin + (end_ - begin_);
            begin_ = begin;
        }
        std::copy(samples.begin(), samples.end(), data_.get() + end_);
        end_ += samples.size();
    }
    void drop_before(int64_t sample) {
        const int64_t n = std::clamp<int64_t>(sample - first_, 0, static_cast<int64_t>(end_ - begin_));
        begin_ += static_cast<size_t>(n);
        first_ += n;
    }
    /// The part of [from, to) that is there.
    std::span<const std::complex<float>> view(int64_t from, int64_t to) const {
        from = std::clamp(from, first_, end_sample());
        to = std::clamp(to, from, end_sample());
        return {data_.get() + begin_ + (from - first_), static_cast<size_t>(to - from)};
    }

private:
    using Sample = std::complex<float>;
    static constexpr size_t kGrain = 16;  // samples: 128 bytes, a power of two
    struct Free {
        void operator()(Sample* p) const { std::free(p); }
    };
    static size_t place(int64_t sample) { return static_cast<size_t>(sample) & (kGrain - 1); }

    size_t capacity_, size_;
    std::unique_ptr<Sample[], Free> data_;
    size_t begin_ = 0, end_ = 0;
    int64_t first_ = 0;
};

}  // namespace gr::wimax
