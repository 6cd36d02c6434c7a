// SPDX-License-Identifier: GPL-3.0-or-later
// Error texts for channel parameters out of range: "bandwidth_hz: value 40000000: allowed
// 1250000..28000000". The ranges themselves are in numerology.h.
#pragma once

#include <gnuradio/wimax/phy/base/fault.h>
#include <gnuradio/wimax/phy/base/numerology.h>

namespace gr::wimax::phy {

inline Fault bandwidth_fault(int64_t bandwidth_hz) {
    return out_of_range("bandwidth_hz", bandwidth_hz, kMinBandwidthHz, kMaxBandwidthHz);
}

inline Fault frame_duration_fault(int64_t code) {
    return out_of_range("frame_duration_code", code, 0, kFrameDurationUs.size() - 1);
}

/// Fault of an allowed duration that does not fit this bandwidth and cyclic prefix.
inline Fault frame_symbols_fault(int frame_symbols) {
    return {"frame_duration_code", std::to_string(frame_symbols) + " symbols a frame",
            "at most " + std::to_string(kMaxFrameSymbols)};
}

/// `search`: 0 is also allowed.
inline Fault cyclic_prefix_fault(int64_t denominator, bool search = false) {
    std::string allowed = search ? "0 (search)" : "";
    for (const auto cp : kCyclicPrefixes)
        allowed += (allowed.empty() ? "" : ", ") + std::to_string(static_cast<int>(cp));
    return {"cp_denominator", std::to_string(denominator), allowed};
}

}  // namespace gr::wimax::phy
