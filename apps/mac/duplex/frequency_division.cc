// SPDX-License-Identifier: GPL-3.0-or-later
#include "mac/duplex/frequency_division.h"

namespace wimax::mac {

tl::expected<FrequencyDivision, Faults> FrequencyDivision::make(const DuplexRequest& request) {
    const uint32_t symbol = request.symbol_slots;
    const auto asked = phy::slots_for_samples(int64_t{request.uplink_start_us} * request.sample_rate_hz / 1'000'000);
    const int64_t start = request.uplink_start_us != 0 ? asked : request.usual_uplink_start_slots;
    if (start >= request.frame_slots)
        return tl::unexpected(
            Faults(Fault{"uplink_start_us", std::to_string(request.uplink_start_us), "less than a frame"}));
    FrequencyDivision duplex;
    duplex.downlink_ = {phy::Slot(), request.frame_slots, request.frame_symbols, symbol};
    duplex.uplink_ = {phy::Slot(static_cast<uint32_t>(start)), request.frame_slots, request.frame_symbols, symbol};
    return duplex;
}

SubframeLayout FrequencyDivision::subframe(phy::Direction direction) const {
    return direction == phy::Direction::downlink ? downlink_ : uplink_;
}

}  // namespace wimax::mac
