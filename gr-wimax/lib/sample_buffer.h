/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * A window of a sample stream, contiguous in memory and addressed by absolute sample count.
 */
#pragma once

#include <algorithm>
#include <complex>
#include <cstdint>
#include <span>
#include <vector>

namespace gr::wimax {

class SampleBuffer {
public:
    explicit SampleBuffer(size_t capacity_samples) : data_(2 * capacity_samples), capacity_(capacity_samples) {}

    int64_t begin_sample() const { return first_; }
    int64_t end_sample() const { return first_ + static_cast<int64_t>(end_ - begin_); }
    size_t space() const { return capacity_ - (end_ - begin_); }

    void reset(int64_t first_sample) {
        begin_ = end_ = 0;
        first_ = first_sample;
    }
    /// At most space() samples. Twice the capacity is kept, so that moving costs less than a copy of each sample.
    void append(std::span<const std::complex<float>> samples) {
        if (end_ + samples.size() > data_.size()) {
            std::copy(data_.begin() + static_cast<std::ptrdiff_t>(begin_), data_.begin() + static_cast<std::ptrdiff_t>(end_),
                      data_.begin());
            end_ -= begin_;
            begin_ = 0;
        }
        std::copy(samples.begin(), samples.end(), data_.begin() + static_cast<std::ptrdiff_t>(end_));
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
        return {data_.data() + begin_ + (from - first_), static_cast<size_t>(to - from)};
    }

private:
    std::vector<std::complex<float>> data_;
    size_t capacity_, begin_ = 0, end_ = 0;
    int64_t first_ = 0;
};

}  // namespace gr::wimax
