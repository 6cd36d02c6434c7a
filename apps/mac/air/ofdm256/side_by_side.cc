// SPDX-License-Identifier: GPL-3.0-or-later
#include "mac/air/ofdm256/side_by_side.h"

#include "mac/air/ofdm256/subchannel_groups.h"
#include "mac/air/ofdm256/symbol_grid.h"
#include "mac/scheduler/uplink_scheduler.h"

#include <algorithm>

namespace wimax::mac {
namespace {

uint32_t symbols_of(const UplinkClaim& claim, size_t octets) {
    return octets == 0 ? 0 : kSymbolGrid.units_for(claim.shape, octets);
}

bool narrow(const UplinkClaim& claim) { return claim.shape.width != kWholeBand; }

}  // namespace

void SideBySide::gather(std::vector<UplinkClaim>& claims, std::span<const FlowClaim> flows, const WindowOf& window_of) {
    waiting_.clear();
    chosen_.clear();
    members_.clear();
    within_ = {};
    for (const auto& claim : claims) {
        if (!narrow(claim)) continue;
        UplinkClaim all = claim;
        all.deadline = kNoDeadline;
        const size_t unasked = add_flows(all, flows);
        const size_t owed = all.guaranteed_octets + (all.poll ? kHeaderOctets : 0);
        const size_t needed = std::max(owed, all.guaranteed_octets + all.requested_octets);
        waiting_.push_back(
            {claim, all.deadline, owed, needed, unasked, symbols_of(all, owed), symbols_of(all, needed)});
    }
    if (waiting_.empty()) return;
    std::sort(waiting_.begin(), waiting_.end(), [](const Wanted& a, const Wanted& b) {
        if (a.deadline != b.deadline) return a.deadline < b.deadline;
        const bool idle = a.needed_symbols == 0, other = b.needed_symbols == 0;
        if (idle != other) return other;
        if (a.claim.frames_waiting != b.claim.frames_waiting) return a.claim.frames_waiting > b.claim.frames_waiting;
        return a.claim.cid < b.claim.cid;
    });
    SubchannelBand band;
    for (const auto& wanted : waiting_) {
        const SymbolSpan together = within_.and_also(window_of(wanted.claim.cid));
        if (together.from >= together.to) continue;
        if (const auto index = band.take(wanted.claim.shape.width)) {
            within_ = together;
            chosen_.push_back(wanted);
            const UplinkClaim& of = wanted.claim;
            members_.push_back(
                {of.cid, of.shape.profile, *index, of.active, of.weight, of.history, wanted.needed_symbols, 0});
        }
    }
    std::erase_if(claims, [this](const UplinkClaim& claim) { return narrow(claim) && !leads(claim.cid); });
    for (auto& claim : claims)
        if (narrow(claim)) lead(claim);
}

/// The leader's flows remain unchanged. What the other members need beyond them is added to the leader's station claim.
void SideBySide::lead(UplinkClaim& claim) const {
    uint32_t owed = 0, needed = 0;
    for (const auto& of : chosen_) {
        owed = std::max(owed, of.owed_symbols);
        needed = std::max(needed, of.needed_symbols);
        claim.active = claim.active || of.claim.active;
    }
    const Wanted& own = chosen_.front();
    size_t total = own.needed_octets;
    const auto beyond = [&](uint32_t symbols, size_t octets) {
        const size_t all = kSymbolGrid.octets_in({claim.shape.profile, claim.shape.width}, symbols);
        return all - std::min(all, octets);
    };
    if (owed > own.owed_symbols) {
        const size_t more = beyond(owed, own.owed_octets);
        claim.guaranteed_octets += more;
        total += more;
    }
    if (needed <= own.needed_symbols) return;
    claim.requested_octets += own.unasked_octets + beyond(needed, total);
    claim.most_requested_octets = SIZE_MAX;
}

std::vector<SideBySide::Member>& SideBySide::share(uint32_t data_symbols, uint32_t unasked_symbols) {
    for (auto& member : members_) {
        const uint32_t least = std::max(member.needed_symbols, unasked_symbols);
        member.data_symbols = member.active ? data_symbols : std::min(data_symbols, least);
        if (octets_on(member.subchannel, member.profile, member.data_symbols) < kHeaderOctets) member.data_symbols = 0;
        if (member.data_symbols > 0 && member.cid != members_.front().cid)
            member.history->add(member.data_symbols, member.weight);
    }
    return members_;
}

}  // namespace wimax::mac
