// SPDX-License-Identifier: GPL-3.0-or-later
#include "radio/receive_peak.h"

#include "phy/base/simd.h"

#include <algorithm>
#include <array>
#include <cmath>

namespace gr::wimax {

namespace {

/// Lanes are independent, so that the compiler makes vectors of them.
WIMAX_SIMD_BODY float highest_body(std::span<const float> values) {
    constexpr size_t kLanes = 32;
    std::array<float, kLanes> highest{};
    const auto take = [&](size_t lane, float value) {
        const float size = std::abs(value);
        highest[lane] = size > highest[lane] ? size : highest[lane];
    };
    size_t i = 0;
    for (; i + kLanes <= values.size(); i += kLanes)
        for (size_t lane = 0; lane < kLanes; ++lane) take(lane, values[i + lane]);
    for (size_t lane = 0; i < values.size(); ++i, ++lane) take(lane, values[i]);
    return *std::max_element(highest.begin(), highest.end());
}

constexpr phy::simd::Dispatched<highest_body> highest_of;

/// The larger of |I| and |Q| of all samples.
float highest_component(std::span<const std::complex<float>> samples) {
    return highest_of({reinterpret_cast<const float*>(samples.data()), 2 * samples.size()});
}

}  // namespace

void ReceivePeak::sends(int64_t from, int64_t to) {
    Own& own = own_[sent_++ % own_.size()];
    own.to = 0;
    own.from = from;
    own.to = to + kOwnDelay;
    own_until_ = std::max(own_until_.load(), to + kOwnDelay);
}

void ReceivePeak::advance(int64_t part) {
    if (part == part_) return;
    if (part < part_ || part > part_ + kParts) highest_.fill(0);
    for (int64_t p = std::max(part_ + 1, part - kParts); p <= part; ++p)
        highest_[static_cast<size_t>(p) % highest_.size()] = 0;
    part_ = part;
}

/// Samples between own transmissions.
float ReceivePeak::highest_of_others(int64_t first, std::span<const std::complex<float>> samples) const {
    const int64_t end = first + static_cast<int64_t>(samples.size());
    float highest = 0;
    for (int64_t at = first; at < end;) {
        int64_t until = end, next = end;
        for (const auto& own : own_) {
            const int64_t to = own.to, from = own.from;
            if (to <= at || from >= until) continue;
            until = std::max(at, from);
            next = to;
        }
        highest = std::max(highest, highest_component(samples.subspan(static_cast<size_t>(at - first),
                                                                      static_cast<size_t>(until - at))));
        at = std::max(until, std::min(next, end));
    }
    return highest;
}

float ReceivePeak::take(int64_t first, std::span<const std::complex<float>> samples) {
    const float all = highest_component(samples);
    if (first < 0 || samples.empty()) return all;
    advance(first / part_samples_);
    raise(first >= own_until_ ? all : highest_of_others(first, samples));
    return all;
}

void ReceivePeak::raise(float highest) {
    float& of_part = highest_[static_cast<size_t>(part_) % highest_.size()];
    of_part = std::max(of_part, highest);
    const float all = *std::max_element(highest_.begin(), highest_.end());
    if (all == shown_) return;
    shown_ = all;
    dbfs_ = all > 0 ? 20 * std::log10(static_cast<double>(all)) : kNoPeakDbfs;
}

}  // namespace gr::wimax
