/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * What is said of a channel's parameters that are out of range, key, value and what is allowed:
 * "bandwidth_hz: 40000000, allowed 1250000 .. 28000000". The ranges themselves are in numerology.h.
 */
#pragma once

#include <gnuradio/wimax/phy/base/numerology.h>

#include <string>

namespace gr::wimax::phy {

inline std::string out_of_range(std::string_view key, int64_t value, int64_t low, int64_t high) {
    return std::string(key) + ": " + std::to_string(value) + ", allowed " + std::to_string(low) + " .. " +
           std::to_string(high);
}

inline std::string bandwidth_fault(int64_t bandwidth_hz) {
    return out_of_range("bandwidth_hz", bandwidth_hz, kMinBandwidthHz, kMaxBandwidthHz);
}

inline std::string frame_duration_fault(int64_t code) {
    return out_of_range("frame_duration_code", code, 0, kFrameDurationUs.size() - 1);
}

inline std::string cyclic_prefix_fault(int64_t denominator) {
    std::string allowed;
    for (const auto cp : kCyclicPrefixes)
        allowed += (allowed.empty() ? "" : ", ") + std::to_string(static_cast<int>(cp));
    return "cp_denominator: " + std::to_string(denominator) + ", allowed " + allowed;
}

}  // namespace gr::wimax::phy
