/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * The last samples of a stream, contiguous in memory, by absolute number (internal). Memory is taken once.
 */
#pragma once

#include "symbol_reader.h"

#include <algorithm>
#include <vector>

namespace gr::wimax::phy {

class SampleBuffer {
public:
    /// Keeps at least the last `keep` samples; takes up to `chunk` at once.
    SampleBuffer(size_t keep, size_t chunk) : storage_(2 * keep + chunk), keep_(keep), chunk_(chunk) {}

    void reset(int64_t first_sample) {
        first_ = first_sample;
        begin_ = size_ = 0;
    }
    void append(std::span<const Complex> samples) {
        if (begin_ + size_ + samples.size() > storage_.size()) {
            const size_t drop = size_ > keep_ ? size_ - keep_ : 0;
            std::copy_n(storage_.begin() + static_cast<ptrdiff_t>(begin_ + drop), size_ - drop, storage_.begin());
            first_ += static_cast<int64_t>(drop);
            size_ -= drop;
            begin_ = 0;
        }
        std::copy(samples.begin(), samples.end(), storage_.begin() + static_cast<ptrdiff_t>(begin_ + size_));
        size_ += samples.size();
    }
    SampleView view() const { return {storage_.data() + begin_, first_, static_cast<int64_t>(size_)}; }
    int64_t end() const { return first_ + static_cast<int64_t>(size_); }
    size_t max_chunk() const { return chunk_; }

private:
    std::vector<Complex> storage_;
    size_t keep_, chunk_;
    size_t begin_ = 0, size_ = 0;
    int64_t first_ = 0;
};

}  // namespace gr::wimax::phy
