// SPDX-License-Identifier: GPL-3.0-or-later
// Places and formats of a subscriber station's bursts in the opportunities of an uplink.
#include "mac/air/ofdm256/opportunities.h"
#include "mac/air/ofdm256/subchannel_groups.h"
#include "mac/air/ofdm256/uplink_map.h"

#include <algorithm>
#include <bit>

namespace wimax::mac {
namespace {

/// Codes that the station may send. If a set is empty, all stations use the other.
CodeSet codes_of(const ContentionTerms& terms) {
    const CodeSet own = code_set(terms.narrow_codes, terms.narrow);
    return own.count > 0 ? own : code_set(terms.narrow_codes, !terms.narrow);
}

}  // namespace

size_t UplinkMap::capacity_octets(const sap::TxBurst& burst) const {
    const auto& format = burst.format;
    return octets_on(format.subchannel_index, profile_of(format), static_cast<uint32_t>(format.data_symbols));
}

uint32_t UplinkMap::opportunities_in(const Opportunity& region, const ContentionTerms& terms) const {
    const uint32_t all = full(region).duration_symbols, ranging = ranging_symbols(terms);
    if (region.kind == OpportunityKind::initial_ranging) return ranging == 0 ? 0 : all / ranging;
    if (region.kind == OpportunityKind::code_region)
        return std::min(all / kFocusedOpportunitySymbols, kMaxFocusedOpportunities);
    return all / kRequestOpportunitySymbols;
}

/// An answer without room for a request header is no answer.
bool UplinkMap::answers(const Opportunity& answer, ContentionCode code) const {
    const UplinkOpportunity& of = full(answer);
    return of.kind == OpportunityKind::code_answer && std::bit_cast<ContentionCode>(of.code) == code &&
           octets_on(of.subchannel, kContentionProfile, of.data_symbols) >= kHeaderOctets;
}

std::optional<float> UplinkMap::density_gain_db(uint16_t basic_cid) const {
    if (!has_grants()) return std::nullopt;
    uint32_t most = 0;
    for (const auto& o : opportunities_)
        if (o.kind == OpportunityKind::grant && o.belongs_to(basic_cid))
            most = std::max(most, subchannels_in(o.subchannel));
    if (most == 0) return std::nullopt;
    return mac::density_gain_db(most);
}

void UplinkMap::place_grant(const Opportunity& of, sap::TxBurst& burst) const {
    const UplinkOpportunity& grant = full(of);
    burst.start_slot = grant.start_slot;
    phy::BurstFormat format;
    set_profile(format, *grant.profile);
    format.iuc = grant.uiuc;
    format.preamble = phy::Preamble::short_;
    format.data_symbols = grant.data_symbols;
    format.midamble_interval = grant.midamble;
    format.subchannel_index = grant.subchannel;
    format.frame_lsb = seed_frame_lsb_;
    burst.format = format;
}

void UplinkMap::place_contention(const Opportunity& region, uint32_t opportunity, const ContentionTerms& terms,
                                 sap::TxBurst& burst) const {
    const bool ranging = region.kind == OpportunityKind::initial_ranging;
    burst.start_slot =
        slot(full(region), opportunity * (ranging ? ranging_symbols(terms) : kRequestOpportunitySymbols));
    phy::BurstFormat format;
    set_profile(format, kContentionProfile);
    format.iuc = full(region).uiuc;
    format.preamble = ranging ? kRangingPreamble : kRequestPreamble;
    format.data_symbols = ranging ? kRangingDataSymbols : kRequestDataSymbols;
    if (full(region).subchannel != kAllSubchannels) {  // an answer
        format.subchannel_index = full(region).subchannel;
        format.data_symbols = full(region).data_symbols;
    }
    format.frame_lsb = seed_frame_lsb_;
    burst.format = format;
}

/// Random channel and code: more choices reduce collisions.
ContentionCode UplinkMap::place_code(const Opportunity& region, uint32_t opportunity, const ContentionTerms& terms,
                                     std::mt19937_64& random, sap::TxFrame& tx) const {
    FocusedContention code;
    code.frame_lsb4 = tx.frame_number.lsb();
    code.opportunity = static_cast<uint8_t>(opportunity);
    code.channel = static_cast<uint8_t>(random() % kFocusedChannels);
    const CodeSet codes = codes_of(terms);
    code.code = static_cast<uint8_t>(codes.first + random() % codes.count);
    tx.codes.push_back(
        {slot(full(region), opportunity * kFocusedOpportunitySymbols), {code.channel, code.code}, terms.code_boost_db});
    return std::bit_cast<ContentionCode>(code);
}

}  // namespace wimax::mac
