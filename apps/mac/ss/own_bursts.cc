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
    const auto add = [&](gr::wimax::phy::Slot start, int symbols) {
        const Samples first = tick.frame_start_sample + start.samples();
        const Samples end = tick.frame_start_sample + start.after(symbols, symbol_slots).samples();
        deaf_.push_back({first - turn.deaf_before(tick.sample_rate_hz), end + turn.deaf_after(tick.sample_rate_hz)});
    };
    for (const auto& burst : tx.bursts) add(burst.start_slot, burst.format.total_symbols());
    for (const auto& code : tx.codes) add(code.start_slot, kCodeSymbols);
}

bool OwnBursts::cover(Samples from, Samples until) const {
    return std::ranges::any_of(deaf_, [&](const Time& time) { return time.from < until && from < time.until; });
}

}  // namespace wimax::mac
