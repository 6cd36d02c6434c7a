// SPDX-License-Identifier: GPL-3.0-or-later
#include "mac/air/ofdm256/frame_layout.h"

#include <fmt/format.h>

namespace wimax::mac {
namespace {

void add_frame(const BaseStationConfig& config, DerivedValues& out) {
    const auto layout = FrameLayout::make(config);
    if (!layout) return;
    const auto rate_hz = static_cast<double>(layout->sample_rate_hz());
    out.emplace_back("frame_duration_s", fmt::format("{:g}", layout->frame_seconds()));
    out.emplace_back("symbol_time_us", fmt::format("{:.3f}", 1e6 * layout->numerology.symbol_samples() / rate_hz));
    out.emplace_back("symbols_per_frame", std::to_string(layout->frame_symbols));
    out.emplace_back("downlink_symbols", std::to_string(layout->downlink.symbols) + " (preamble and FCH included)");
    out.emplace_back("uplink_symbols", std::to_string(layout->uplink.symbols));
    const auto us = [&](uint32_t slots) { return 4e6 * slots / rate_hz; };
    if (const auto turns = layout->duplex->turns())
        out.emplace_back("ttg_us, rtg_us", fmt::format("{:.1f}, {:.1f}", us(turns->ttg), us(turns->rtg)));
    out.emplace_back("uplink_map_describes", layout->maps_next_frame ? "the next frame" : "the same frame");
    const auto capacity = [&](const char* name, const Capacity& what, ProfileId profile) {
        out.emplace_back(name, fmt::format("{:.0f} of IP at {}", what.kbps, kRateNames[row_of(profile)]));
    };
    const ProfileId dl = config.dl_profile(), ul = config.ul_profile();
    capacity("downlink_capacity_kbps", downlink_capacity(config, *layout, dl, 1), dl);
    capacity("uplink_capacity_kbps", uplink_capacity(config, *layout, ul, 1), ul);
}

}  // namespace

DerivedValues cell_values(const BaseStationConfig& config, bool cell) {
    DerivedValues out;
    const auto prefix = static_cast<phy::CyclicPrefix>(config.cp_denominator);
    if (const auto numerology = phy::Numerology::make(config.bandwidth_hz, prefix)) {
        out.emplace_back("sample_rate_hz", std::to_string(numerology->sample_rate_hz));
        out.emplace_back("carrier_spacing_hz", fmt::format("{:.1f}", numerology->carrier_spacing_hz()));
    }
    if (cell) add_frame(config, out);
    return out;
}

}  // namespace wimax::mac
