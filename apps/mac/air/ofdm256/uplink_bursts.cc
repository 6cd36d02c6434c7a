/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "mac/air/ofdm256/uplink_bursts.h"

#include "mac/air/ofdm256/opportunities.h"

#include <algorithm>

namespace wimax::mac {
namespace {

struct ContentionFormat {
    uint8_t iuc;
    phy::Preamble preamble;
    uint8_t data_symbols;
};

void place(const UplinkMap& uplink, phy::Slot start, const ContentionFormat& format, sap::TxBurst& burst) {
    burst.start_slot = start;
    set_profile(burst.format, kContentionProfile);
    burst.format.iuc = format.iuc;
    burst.format.preamble = format.preamble;
    burst.format.data_symbols = format.data_symbols;
    burst.format.frame_lsb = uplink.seed_frame_lsb();
}

}  // namespace

size_t capacity_octets(const sap::TxBurst& burst) {
    const auto& format = burst.format;
    return octets_on(format.subchannel_index, profile_of(format), static_cast<uint32_t>(format.data_symbols));
}

uint32_t opportunities_in(const UplinkOpportunity& region) {
    if (region.kind == OpportunityKind::focused_region)
        return std::min(region.duration_symbols / kFocusedOpportunitySymbols, kMaxFocusedOpportunities);
    return region.duration_symbols / kRequestOpportunitySymbols;
}

void place_grant(const UplinkMap& uplink, const UplinkOpportunity& grant, sap::TxBurst& burst) {
    burst.start_slot = grant.start_slot;
    set_profile(burst.format, *grant.profile);
    burst.format.iuc = grant.uiuc;
    burst.format.preamble = phy::Preamble::short_;
    burst.format.data_symbols = grant.data_symbols;
    burst.format.midamble_interval = grant.midamble;
    burst.format.subchannel_index = grant.subchannel;
    burst.format.frame_lsb = uplink.seed_frame_lsb();
}

void place_request(const UplinkMap& uplink, const UplinkOpportunity& region, uint32_t opportunity,
                   sap::TxBurst& burst) {
    place(uplink, uplink.slot(region, opportunity * kRequestOpportunitySymbols),
          {region.uiuc, kRequestPreamble, kRequestDataSymbols}, burst);
}

void place_ranging(const UplinkMap& uplink, const UplinkOpportunity& region, uint32_t symbol, sap::TxBurst& burst) {
    place(uplink, uplink.slot(region, symbol), {uiuc::kInitialRanging, kRangingPreamble, kRangingDataSymbols}, burst);
}

sap::TxCode code_in(const UplinkMap& uplink, const UplinkOpportunity& region, const FocusedContention& code,
                    float boost_db) {
    return {uplink.slot(region, code.opportunity * kFocusedOpportunitySymbols), {code.channel, code.code}, boost_db};
}

}  // namespace wimax::mac
