// SPDX-License-Identifier: GPL-3.0-or-later
#include "mac/duplex/frequency_division.h"

#include <algorithm>

namespace wimax::mac {
namespace {

/// Contention regions of many frames, between the parts of both groups.
constexpr int64_t kRegionSymbols = 8;
/// Of the later part, this fraction is the most that is clear for bursts to both groups: its stations have the rest.
constexpr uint32_t kListeningPart = 3;

}  // namespace

tl::expected<FrequencyDivision, Faults> FrequencyDivision::make(const DuplexRequest& request) {
    const uint32_t symbol = request.symbol_slots;
    const auto asked = phy::slots_for_samples(int64_t{request.uplink_start_us} * request.sample_rate_hz / 1'000'000);
    const int64_t start = request.uplink_start_us != 0 ? asked : request.usual_uplink_start_slots;
    if (start >= request.frame_slots)
        return tl::unexpected(
            Faults(Fault{"uplink_start_us", std::to_string(request.uplink_start_us), "less than a frame"}));
    FrequencyDivision duplex;
    duplex.sample_rate_hz_ = request.sample_rate_hz;
    duplex.gap_after_maps_slots_ = request.gap_after_maps_slots;
    duplex.downlink_ = {phy::Slot(), request.frame_slots, request.frame_symbols, symbol};
    duplex.uplink_ = {phy::Slot(static_cast<uint32_t>(start)), request.frame_slots, request.frame_symbols, symbol};
    return duplex;
}

SymbolSpan FrequencyDivision::window(phy::Direction direction, const StationTurn& station) const {
    if (direction == phy::Direction::downlink || !station.half_duplex || !gap_after_maps_slots_) return {};
    const int64_t symbol = phy::samples_in_slots(uplink_.symbol_slots);
    const int64_t clear = phy::samples_in_slots(*gap_after_maps_slots_);
    const int64_t missing = std::max<int64_t>(0, station.deaf_before(sample_rate_hz_) - clear);
    const int64_t before_maps = phy::samples_in_slots(uplink_.slots) - uplink_.first.samples();
    const int64_t end = std::max<int64_t>(0, before_maps - std::max<int64_t>(0, station.deaf_after(sample_rate_hz_)));
    const auto first = static_cast<uint32_t>((missing + symbol - 1) / symbol),
               last = static_cast<uint32_t>(end / symbol);
    const auto middle = static_cast<uint32_t>(std::max<int64_t>(0, before_maps / symbol - kRegionSymbols) / 2);
    if (!station.late) return {first, middle};
    return {middle, last - std::min(station.listens, (last - std::min(last, middle)) / kListeningPart)};
}

SubframeLayout FrequencyDivision::subframe(phy::Direction direction) const {
    return direction == phy::Direction::downlink ? downlink_ : uplink_;
}

}  // namespace wimax::mac
