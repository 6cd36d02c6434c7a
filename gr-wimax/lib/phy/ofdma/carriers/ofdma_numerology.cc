// SPDX-License-Identifier: GPL-3.0-or-later
#include <gnuradio/wimax/phy/ofdma/carriers/ofdma_numerology.h>

#include <algorithm>

namespace gr::wimax::phy::ofdma {
namespace {

/// 8/7 for multiples of 1.75 MHz, which is tested first: 8.75 MHz is a multiple of 1.25 MHz too.
constexpr int64_t kEightSeventhsKhz = 1750;
/// 28/25 for multiples of these; 8/7 otherwise.
constexpr std::array<int64_t, 4> kTwentyEightTwentyFifthsKhz{1250, 1500, 2000, 2750};

bool is_multiple(int64_t bandwidth_hz, int64_t step_khz) { return bandwidth_hz % (step_khz * 1000) == 0; }

}  // namespace

std::optional<OfdmaNumerology> OfdmaNumerology::make(int64_t bandwidth_hz, CyclicPrefix cp) {
    if (bandwidth_hz < kMinBandwidthHz || bandwidth_hz > kMaxBandwidthHz) return std::nullopt;
    const bool wide = !is_multiple(bandwidth_hz, kEightSeventhsKhz) &&
                      std::ranges::any_of(kTwentyEightTwentyFifthsKhz,
                                          [&](int64_t step_khz) { return is_multiple(bandwidth_hz, step_khz); });
    const int64_t rate_hz = wide ? bandwidth_hz * 28 / 25 : bandwidth_hz * 8 / 7;
    return OfdmaNumerology{bandwidth_hz, rate_hz / 8000 * 8000, cp};
}

}  // namespace gr::wimax::phy::ofdma
