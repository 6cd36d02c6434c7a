// SPDX-License-Identifier: GPL-3.0-or-later
#include "mac/ss/own_bursts.h"

#include <algorithm>

namespace wimax::mac {

/// Bursts are sent ahead of the slots that the station hears by its timing advance.
void OwnBursts::sent(const sap::FrameTick& tick, const sap::TxFrame& tx) {
    if (!gaps_) return;
    std::erase_if(deaf_, [&](const Time& time) { return time.until <= tick.frame_start_sample; });
    const StationTurn turn{*gaps_, tx.timing_advance_samples};
    const uint32_t symbol_slots = gr::wimax::phy::slots_in_symbol(tick.cp_denominator);
    for (const auto& burst : tx.bursts) {
        const Samples first = tick.frame_start_sample + burst.start_slot.samples();
        const Samples end =
            tick.frame_start_sample + burst.start_slot.after(burst.format.total_symbols(), symbol_slots).samples();
        deaf_.push_back({first - turn.deaf_before(tick.sample_rate_hz), end + turn.deaf_after(tick.sample_rate_hz)});
    }
}

bool OwnBursts::cover(Samples from, Samples until) const {
    return std::ranges::any_of(deaf_, [&](const Time& time) { return time.from < until && from < time.until; });
}

}  // namespace wimax::mac
