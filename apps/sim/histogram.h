// SPDX-License-Identifier: GPL-3.0-or-later
// Histogram of durations: mean and extremes exactly, percentiles to the width of a bin.
#pragma once

#include <algorithm>
#include <bit>
#include <cmath>
#include <cstdint>
#include <vector>

namespace wimax::sim {

/// Bins are one unit wide up to 256 units, then 128 of them share each doubling: within 0.8 % of any value.
class Histogram {
public:
    explicit Histogram(double unit) : unit_(unit) {}

    void add(double value) {
        const size_t bin = bin_of(static_cast<uint64_t>(std::clamp(value / unit_, 0.0, kMostUnits)));
        if (bin >= counts_.size()) counts_.resize(bin + 1 + bin / 2);
        ++counts_[bin];
        ++count_;
        sum_ += value;
        max_ = count_ == 1 ? value : std::max(max_, value);
    }
    uint64_t count() const { return count_; }
    double mean() const { return count_ == 0 ? 0 : sum_ / static_cast<double>(count_); }
    double max() const { return max_; }
    /// Upper end of the bin that this part (0..1) of the values reaches, at most the maximum; 0 without any.
    double quantile(double part) const {
        const auto wanted = static_cast<uint64_t>(std::ceil(part * static_cast<double>(count_)));
        uint64_t below = 0;
        for (size_t bin = 0; bin < counts_.size(); ++bin) {
            below += counts_[bin];
            if (below >= wanted && below > 0) return std::min(max_, upper_end(bin));
        }
        return max_;
    }
    /// Calls visit(upper end, count) for each bin that is not empty.
    template <class Visit> void bins(Visit&& visit) const {
        for (size_t bin = 0; bin < counts_.size(); ++bin)
            if (counts_[bin] > 0) visit(std::min(max_, upper_end(bin)), counts_[bin]);
    }
    /// Adds a histogram of the same unit.
    void add(const Histogram& other) {
        if (other.count_ == 0) return;
        if (counts_.size() < other.counts_.size()) counts_.resize(other.counts_.size());
        for (size_t bin = 0; bin < other.counts_.size(); ++bin) counts_[bin] += other.counts_[bin];
        max_ = count_ == 0 ? other.max_ : std::max(max_, other.max_);
        count_ += other.count_;
        sum_ += other.sum_;
    }

private:
    static constexpr uint64_t kHalf = 128;
    static constexpr double kMostUnits = 1e12;

    static size_t bin_of(uint64_t units) {
        if (units < 2 * kHalf) return units;
        const auto shift = static_cast<uint64_t>(std::bit_width(units)) - std::bit_width(2 * kHalf - 1);
        return shift * kHalf + (units >> shift);
    }
    double upper_end(size_t bin) const {
        if (bin < 2 * kHalf) return unit_ * static_cast<double>(bin + 1);
        const uint64_t shift = bin / kHalf - 1;
        return unit_ * static_cast<double>((bin - shift * kHalf + 1) << shift);
    }
    double unit_;
    std::vector<uint32_t> counts_;
    uint64_t count_ = 0;
    double sum_ = 0, max_ = 0;
};

}  // namespace wimax::sim
