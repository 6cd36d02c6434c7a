// SPDX-License-Identifier: GPL-3.0-or-later
#include "mac/duplex/time_division.h"

#include <algorithm>
#include <cmath>

namespace wimax::mac {
namespace {

constexpr uint32_t kMinGapUs = 15;
constexpr uint32_t kMaxGapSlots = 255;  // TTG and RTG are one octet in the DCD
constexpr uint32_t kMinSubframeSymbols = 8;

uint32_t gap_slots(uint32_t us, const DuplexRequest& request) {
    const auto slots_of = [rate = request.sample_rate_hz](int64_t t) {
        return static_cast<uint32_t>(phy::slots_for_samples(t * rate / 1'000'000));
    };
    return us != 0 ? slots_of(us) : std::max(request.symbol_slots, slots_of(kMinGapUs));
}

}  // namespace

tl::expected<TimeDivision, Faults> TimeDivision::make(const DuplexRequest& request) {
    Faults faults;
    const uint32_t ttg = gap_slots(request.ttg_us, request), rtg = gap_slots(request.rtg_us, request);
    if (ttg > kMaxGapSlots) faults.add("ttg_us", std::to_string(request.ttg_us), "at most 255 physical slots");
    if (rtg > kMaxGapSlots) faults.add("rtg_us", std::to_string(request.rtg_us), "at most 255 physical slots");

    const uint32_t symbol = request.symbol_slots;
    const uint32_t half = request.dl_symbols != 0
                              ? request.dl_symbols
                              : static_cast<uint32_t>(std::lround(request.frame_symbols * request.dl_share));
    const int64_t before = int64_t{half} * symbol, behind = request.frame_slots - before;
    TimeDivision duplex;
    duplex.sample_rate_hz_ = request.sample_rate_hz;
    const auto subframe = [symbol](int64_t first, int64_t slots, int64_t gap) {
        return SubframeLayout{phy::Slot(static_cast<uint32_t>(first)), static_cast<uint32_t>(slots),
                              static_cast<uint32_t>(std::max<int64_t>(0, slots - gap) / symbol), symbol};
    };
    duplex.downlink_ = subframe(0, before, ttg);
    duplex.uplink_ = subframe(before, behind, rtg);
    if (std::min(duplex.downlink_.symbols, duplex.uplink_.symbols) < kMinSubframeSymbols)
        faults.add("dl_symbols", std::to_string(half) + " of " + std::to_string(request.frame_symbols),
                   "at least 8 symbols of each subframe in addition to the gaps");
    if (!faults.empty()) return tl::unexpected(faults);
    return duplex;
}

SubframeLayout TimeDivision::subframe(phy::Direction direction) const {
    return direction == phy::Direction::downlink ? downlink_ : uplink_;
}

std::optional<Duplex::TurnSlots> TimeDivision::turns() const {
    return TurnSlots{downlink_.gap_slots(), uplink_.gap_slots()};
}

SymbolSpan TimeDivision::window(phy::Direction direction, const StationTurn& station) const {
    const auto& [ssttg_us, ssrtg_us] = station.gaps;
    if (direction == phy::Direction::downlink || (ssttg_us == 0 && ssrtg_us == 0)) return {};
    const int64_t symbol = phy::samples_in_slots(uplink_.symbol_slots);
    const auto missing = [&](int64_t us, int64_t trip, uint32_t gap_slots) {
        const int64_t samples = (us * sample_rate_hz_ + 999'999) / 1'000'000 + trip - phy::samples_in_slots(gap_slots);
        return static_cast<uint32_t>(std::max<int64_t>(0, samples + symbol - 1) / symbol);
    };
    const int64_t trip = station.round_trip_samples;
    const uint32_t before = missing(ssrtg_us, trip, downlink_.gap_slots());
    const uint32_t behind = missing(ssttg_us, -trip, uplink_.gap_slots());
    return {before, uplink_.symbols - std::min(uplink_.symbols, behind)};
}

}  // namespace wimax::mac
