// SPDX-License-Identifier: GPL-3.0-or-later
// Privacy state of one station for one network entry: its end of PKM, the sealers of its flows, counters. Flows use the
// primary SA or a separate one.
#pragma once

#include "mac/clock.h"
#include "mac/privacy/payload_protection.h"
#include "mac/privacy/pkm_server.h"
#include "mac/privacy/privacy_counters.h"

#include <map>
#include <memory>
#include <set>

namespace wimax::mac {

/// SAIDs of the SAs of single flows. Each belongs to one station at a time; none is a basic CID, as primary SAs' are.
class SaidPool {
public:
    static constexpr uint16_t kLast = 0xFFFE;  ///< the next one means "none"

    explicit SaidPool(uint32_t basic_cids) : first_(static_cast<uint16_t>(basic_cids + 1)), next_(first_) {}
    /// Assigns SAIDs in turn, so that a released one is reused last. Nullopt: all are taken.
    std::optional<uint16_t> take();
    void give_back(uint16_t said) { taken_.erase(said); }

private:
    uint16_t first_, next_;
    std::set<uint16_t> taken_;
};

class StationPrivacy {
public:
    /// `clock` outlives the object.
    StationPrivacy(const privacy::PkmServerConfig& config, const MacAddress& mac, uint16_t basic_cid,
                   const FrameClock& clock, std::shared_ptr<SaidPool> saids);
    ~StationPrivacy();
    StationPrivacy(const StationPrivacy&) = delete;
    StationPrivacy& operator=(const StationPrivacy&) = delete;

    /// Announces a static SA, which Auth Replies name, for a flow that is about to be set up.
    void announce_association();
    /// SAID of a flow's own SA: an announced one, otherwise a dynamic one. Nullopt: there is none left.
    std::optional<uint16_t> new_association();
    /// The flow was deleted. The primary SA stays.
    void release(uint16_t said);
    /// Whether the station knows the SA, so that a flow of it can be set up.
    bool is_known(uint16_t said) const { return said == primary_said || pkm.asked_for(said); }
    /// Sealer of the primary SA or one of those above, once the suite is agreed on.
    PayloadSealer* sealer(uint16_t said);
    privacy::Suite suite() const { return pkm.suite().value_or(privacy::kAesCcm); }

    privacy::PkmServer pkm;
    const uint16_t primary_said;
    privacy::PrivacyCounters counters;

private:
    std::optional<uint16_t> add(privacy::SaType type);

    const FrameClock& clock_;
    std::shared_ptr<SaidPool> saids_;
    std::map<uint16_t, privacy::AssociationSealer> sealers_;
    std::set<uint16_t> own_, announced_;  ///< SAIDs of single flows; SAIDs among them without a flow yet
};

}  // namespace wimax::mac
