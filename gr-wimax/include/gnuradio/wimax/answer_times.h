// SPDX-License-Identifier: GPL-3.0-or-later
// Response times of the host, as a histogram. A response time is wall time from the packet with the last sample that
// the response needs until the device has accepted the whole response.
#pragma once

#include <algorithm>
#include <array>
#include <cmath>
#include <cstdint>

namespace gr::wimax {

struct AnswerTimes {
    static constexpr int64_t kBinUs = 25, kBins = 400;  ///< 10 ms; longer times are in the last bin

    std::array<uint64_t, kBins + 1> bins{};
    uint64_t sum_us = 0, longest_us = 0;

    uint64_t count() const { return within_us(INT64_MAX); }
    /// Number of responses that took less, to the width of a bin.
    uint64_t within_us(int64_t us) const {
        const int64_t end = us >= kBins * kBinUs ? (us == INT64_MAX ? kBins + 1 : kBins) : us / kBinUs;
        uint64_t n = 0;
        for (int64_t i = 0; i < end; ++i) n += bins[static_cast<size_t>(i)];
        return n;
    }
    /// Upper end of the bin of this quantile (0..1), at most the longest time; 0 without responses.
    uint64_t quantile_us(double part) const {
        const auto wanted = static_cast<uint64_t>(std::ceil(part * static_cast<double>(count())));
        uint64_t below = 0;
        for (size_t i = 0; i < bins.size() - 1; ++i) {
            below += bins[i];
            if (below >= wanted && below > 0) return std::min(longest_us, static_cast<uint64_t>(kBinUs) * (i + 1));
        }
        return longest_us;
    }
};

}  // namespace gr::wimax
