/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * An uplink frame as its UL-MAP describes it (clauses 6.3.2.3.4 and 8.3.6.3), read once: a list of opportunities, each
 * with its kind and the parameters to use it.
 */
#pragma once

#include "mac/air/ofdm256/descriptor_store.h"
#include "mac/air/ofdm256/polling_membership.h"
#include "mac/air/ofdm256/symbol_grid.h"
#include "mac/pdu/cid.h"
#include "mac/pdu/management_messages.h"

#include <vector>

namespace wimax::mac {

enum class OpportunityKind : uint8_t {
    initial_ranging,  ///< UIUC 1: open to all, or an invitation of one station
    request_region,   ///< UIUC 2: contention, one request header in each opportunity
    focused_region,   ///< UIUC 3: contention, a code in each opportunity
    focused_answer,   ///< UIUC 4: a request of the station whose code it names
    grant,            ///< UIUC 5..12: data of one station
    other,            ///< nothing is sent there
};

struct UplinkOpportunity {
    OpportunityKind kind = OpportunityKind::other;
    uint16_t cid = 0;
    phy::Slot start_slot;
    uint16_t duration_symbols = 0;
    // Of grants
    uint8_t uiuc = 0, midamble = 0, subchannel = kAllSubchannels;
    std::optional<ProfileId> profile;  ///< nullopt: the UCD has no such profile
    uint16_t data_symbols = 0;         ///< without preamble and midambles
    FocusedContention code{};          ///< of answers

    bool open() const { return cid == cid::kBroadcast || cid == cid::kInitialRanging; }
    bool belongs_to(uint16_t basic_cid) const { return basic_cid != 0 && cid == basic_cid; }
    /// Whether this station can fill the grant.
    bool usable() const {
        return kind == OpportunityKind::grant && profile && octets_on(subchannel, *profile, data_symbols) > 0;
    }
};

/// Permissions of a station in an uplink frame, in addition to its grants.
struct UplinkRights {
    uint16_t basic_cid = 0;        ///< 0: none yet
    bool initial_ranging = false;  ///< it contends for initial ranging
    bool bandwidth_requests = false;
    PollingMembership polling{};  ///< groups whose request regions it may use
};

class UplinkMap {
public:
    /// `frame`: the PHY's number of the frame whose uplink this is. `seed_frame_lsb`: of the frame that carried the
    /// map. `start_slot`: the allocation start time in that frame. Does not allocate for a map no longer than earlier
    /// ones.
    void read(const UlMap& map, const RateTable& rates, phy::FrameNumber frame, uint8_t seed_frame_lsb,
              phy::Slot start_slot, uint32_t symbol_slots);
    void forget() { valid_ = false; }

    bool describes(phy::FrameNumber frame) const { return valid_ && frame_ == frame; }
    uint8_t seed_frame_lsb() const { return seed_frame_lsb_; }
    const std::vector<UplinkOpportunity>& opportunities() const { return opportunities_; }
    /// First slot of a symbol of the opportunity.
    phy::Slot slot(const UplinkOpportunity& of, uint32_t symbol) const {
        return of.start_slot.after(symbol, symbol_slots_);
    }

    /// First slot in which a station with these rights may send; 0: none.
    phy::Slot first_slot(const UplinkRights& rights) const;
    /// First slot in which any station may send; 0: none. This station's permissions may still change.
    phy::Slot first_slot_of_anybody() const;

private:
    bool valid_ = false;
    phy::FrameNumber frame_;
    uint32_t symbol_slots_ = 0;
    uint8_t seed_frame_lsb_ = 0;
    std::vector<UplinkOpportunity> opportunities_;
};

}  // namespace wimax::mac
