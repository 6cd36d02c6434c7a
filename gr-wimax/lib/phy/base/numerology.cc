// SPDX-License-Identifier: GPL-3.0-or-later
#include <gnuradio/wimax/phy/base/numerology.h>

#include <cmath>

namespace gr::wimax::phy {
namespace {

struct SamplingFactor {
    int64_t multiple_hz;
    int64_t numerator, denominator;
};

/// First match wins (clause 8.3.2.2); bandwidths outside every family use 8/7.
constexpr std::array<SamplingFactor, 5> kSamplingFactors{{
    {1'750'000, 8, 7},
    {1'500'000, 86, 75},
    {1'250'000, 144, 125},
    {2'750'000, 316, 275},
    {2'000'000, 57, 50},
}};
constexpr SamplingFactor kOtherBandwidths{1, 8, 7};

}  // namespace

std::optional<CyclicPrefix> parse_cyclic_prefix(std::string_view text) {
    for (auto cp : kCyclicPrefixes)
        if (text == to_string(cp)) return cp;
    return std::nullopt;
}

std::string_view to_string(CyclicPrefix cp) {
    switch (cp) {
        case CyclicPrefix::g1_4: return "1/4";
        case CyclicPrefix::g1_8: return "1/8";
        case CyclicPrefix::g1_16: return "1/16";
        case CyclicPrefix::g1_32: return "1/32";
    }
    return "?";
}

std::optional<uint8_t> frame_duration_code(double seconds) {
    for (size_t code = 0; code < kFrameDurationUs.size(); ++code)
        if (std::abs(seconds * 1e6 - kFrameDurationUs[code]) < 0.5) return static_cast<uint8_t>(code);
    return std::nullopt;
}

std::optional<Numerology> Numerology::make(int64_t bandwidth_hz, CyclicPrefix cp) {
    if (bandwidth_hz < kMinBandwidthHz || bandwidth_hz > kMaxBandwidthHz) return std::nullopt;
    SamplingFactor n = kOtherBandwidths;
    for (const auto& candidate : kSamplingFactors) {
        if (bandwidth_hz % candidate.multiple_hz == 0) {
            n = candidate;
            break;
        }
    }
    const int64_t sample_rate_hz = bandwidth_hz * n.numerator / n.denominator / 8000 * 8000;
    return Numerology{bandwidth_hz, sample_rate_hz, cp};
}

}  // namespace gr::wimax::phy
