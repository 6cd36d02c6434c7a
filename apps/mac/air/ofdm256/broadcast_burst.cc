// SPDX-License-Identifier: GPL-3.0-or-later
#include "mac/air/ofdm256/broadcast_burst.h"

#include "mac/pdu/cid.h"

#include <algorithm>

namespace wimax::mac {

BroadcastBurst::BroadcastBurst(const BaseStationConfig& config, const FrameLayout& layout,
                               const Dependencies& dependencies)
    : config_(config),
      layout_(layout),
      clock_(dependencies.clock),
      broadcasts_(dependencies.broadcasts),
      plan_(dependencies.plan),
      users_(dependencies.users),
      symbols_(dependencies.symbols) {}

/// Whole symbols are charged to the message that begins them.
template <class Send> void BroadcastBurst::account(uint64_t& symbols, size_t reserved_octets, Send&& send) {
    const auto used = [&] {
        const size_t octets = octets_.size() + reserved_octets;
        return octets == 0 ? 0 : kSymbolGrid.units_for({config_.profile.broadcast_profile()}, octets);
    };
    const uint32_t before = used();
    send();
    symbols += used() - before;
}

void BroadcastBurst::add_descriptors(PduWriter& writer) {
    const auto send = [&](const auto& message, uint64_t& sent) {
        const bool fits = writer.message(cid::kBroadcast, message);
        auto& count = fits ? sent : counters_.deferred;
        ++count;
        return fits;
    };
    if (plan_.broadcast_symbols(clock_.frame) < layout_.max_broadcast_symbols) return;  // the next frame has room
    const auto due = broadcasts_.due(clock_.now);
    if (due.dcd && send(broadcasts_.dcd(clock_.frame), counters_.dcds)) broadcasts_.dcd_sent(clock_.now);
    if (due.ucd && send(broadcasts_.ucd(), counters_.ucds)) broadcasts_.ucd_sent(clock_.now);
}

Octets BroadcastBurst::build(size_t dl_map_octets) {
    octets_.clear();
    PduWriter writer(octets_, capacity_octets() - std::min(capacity_octets(), dl_map_octets));
    if (dl_map_octets > 0) symbols_.maps += kSymbolGrid.units_for({config_.profile.broadcast_profile()}, dl_map_octets);
    account(symbols_.maps, dl_map_octets, [&] {
        if (writer.message(cid::kBroadcast, plan_.map())) ++counters_.ul_maps;
        else plan_.withdraw();
    });
    account(symbols_.descriptors, dl_map_octets, [&] { add_descriptors(writer); });
    account(symbols_.management, dl_map_octets, [&] { users_.add_messages(writer); });
    return octets_;
}

}  // namespace wimax::mac
