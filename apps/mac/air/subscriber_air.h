// SPDX-License-Identifier: GPL-3.0-or-later
// What a subscriber station needs of its air interface. SubscriberAir reads descriptors and maps and measures; it
// decides nothing. SubscriberUplink is one uplink frame as its map describes it: opportunities, and the bursts in them.
#pragma once

#include "mac/air/polling_membership.h"
#include "mac/clock.h"
#include "mac/pdu/read_burst.h"
#include "mac/rate_thresholds.h"
#include "mac/report/pdu_tap.h"

#include <gnuradio/wimax/phy/base/channel_quality.h>
#include <gnuradio/wimax/phy/base/slot.h>

#include <memory>
#include <optional>
#include <random>

namespace wimax::mac {

enum class OpportunityKind : uint8_t {
    initial_ranging,  ///< open to all, or an invitation of one station
    request_region,   ///< contention, one request header in each opportunity
    code_region,      ///< contention, a code in each opportunity
    code_answer,      ///< a request of the station whose code it names
    grant,            ///< data of one station
    other,            ///< nothing is sent there
};

struct Opportunity {
    OpportunityKind kind = OpportunityKind::other;
    uint16_t cid = 0;
    phy::Slot start_slot{};

    bool open() const { return cid == cid::kBroadcast || cid == cid::kInitialRanging; }
    bool belongs_to(uint16_t basic_cid) const { return basic_cid != 0 && cid == basic_cid; }
};

/// Permissions of a station in an uplink frame, in addition to its grants.
struct UplinkRights {
    uint16_t basic_cid = 0;        ///< 0: none yet
    bool initial_ranging = false;  ///< it contends for initial ranging
    bool bandwidth_requests = false;
    PollingMembership polling{};  ///< groups whose request regions it may use
};

/// Rules of contention that the UCD announces, for a station.
struct ContentionTerms {
    struct Window {
        uint8_t first = 0, last = 0;  ///< exponents of 2
    };
    Window ranging, requests;
    uint32_t answer_maps = 1;                ///< UL-MAPs to wait for a grant, at least 1
    uint32_t ranging_opportunity_slots = 0;  ///< length; 0: unknown
    float code_boost_db = 0;
    uint8_t narrow_codes = 0;  ///< announced value that separates codes for a part of the band from the others
    bool narrow = false;       ///< of the station: it needs a part of the band
};

/// A sent code with its place, as the air interface numbers them: the map answers it by the same number.
using ContentionCode = uint32_t;

/// Opportunities and regions that are passed to these functions are of the same uplink.
class SubscriberUplink {
public:
    /// Some opportunity is a grant of one station.
    bool has_grants() const { return has_grants_; }
    /// Some opportunity for initial ranging is an invitation of one station.
    bool has_invitations() const { return has_invitations_; }
    /// In the order of the map; null: no more.
    virtual const Opportunity* opportunity(size_t index) const = 0;
    /// Opportunities for ranging, requests or codes in a region.
    virtual uint32_t opportunities_in(const Opportunity& region, const ContentionTerms& terms) const = 0;
    /// Whether a station can fill the grant.
    virtual bool usable(const Opportunity& grant) const = 0;
    virtual bool answers(const Opportunity& answer, ContentionCode code) const = 0;
    /// Gain in power density of the widest grant of that station, relative to the whole band; nullopt: no grant.
    virtual std::optional<float> density_gain_db(uint16_t basic_cid) const = 0;

    // These set place and format of a burst.
    /// Pre: usable(grant).
    virtual void place_grant(const Opportunity& grant, sap::TxBurst& burst) const = 0;
    /// RNG-REQ or bandwidth request in an opportunity of a region; 0 in an invitation and in the answer to a code.
    virtual void place_contention(const Opportunity& region, uint32_t opportunity, const ContentionTerms& terms,
                                  sap::TxBurst& burst) const = 0;
    /// Adds a random code to the frame.
    virtual ContentionCode place_code(const Opportunity& region, uint32_t opportunity, const ContentionTerms& terms,
                                      std::mt19937_64& random, sap::TxFrame& tx) const = 0;
    /// Octets of PDUs that a placed burst holds.
    virtual size_t capacity_octets(const sap::TxBurst& burst) const = 0;

protected:
    ~SubscriberUplink() = default;
    void begin() { has_grants_ = has_invitations_ = false; }
    /// Call with each opportunity after begin().
    void count(const Opportunity& of) {
        if (of.kind == OpportunityKind::grant) has_grants_ = true;
        if (of.kind == OpportunityKind::initial_ranging && !of.open()) has_invitations_ = true;
    }

private:
    bool has_grants_ = false, has_invitations_ = false;
};

/// Classification of a broadcast message.
enum class Broadcast : uint8_t {
    malformed,
    foreign,  ///< a DL-MAP of another base station
    dl_map,
    ul_map,           ///< its uplink is known now
    unusable_ul_map,  ///< its UCD is unknown, or the frame length is
    dcd,
    ucd,
    missed,  ///< no message: the station had grants during the broadcast burst
};

struct DownlinkCounters {
    uint64_t unsynchronised_ticks = 0, maps = 0, dl_maps = 0, dcds = 0, ucds = 0;
    uint64_t zero_subchannels = 0;  ///< its grants whose map writes the whole band as 0, not 16
};

/// What is known of the downlink. Levels are those of the last burst.
struct DownlinkState {
    bool synchronised = false;
    std::optional<uint64_t> bsid{};  ///< base station that sent the DL-MAP
    uint32_t frame_offset = 0;       ///< added to the PHY's number, it gives the base station's 24-bit number
    Samples frame_samples = 0;       ///< 0: unknown
    Samples maps_samples = 0;        ///< from the frame's start to the end of the last broadcast burst
    uint32_t dcd_version = 0;        ///< another one after each change of the DCD in force
    float rssi_dbm = -200, cinr_db = -100, frequency_offset_hz = 0, clock_offset_ppm = 0;
    phy::ChannelQuality quality{};  ///< measured on the broadcast bursts
};

class SubscriberAir {
public:
    using Rows = std::array<bool, kRateCount>;  ///< one for each row of the table of burst profiles

    /// `clock` outlives the object.
    explicit SubscriberAir(const FrameClock& clock) : clock_(clock) {}
    SubscriberAir(const SubscriberAir&) = delete;
    SubscriberAir& operator=(const SubscriberAir&) = delete;
    virtual ~SubscriberAir() = default;

    /// Back to scanning: discards everything received from this base station.
    virtual void forget() = 0;
    virtual void on_tick(const sap::FrameTick& tick) = 0;
    /// Call with each burst before its messages.
    virtual void on_burst(const sap::RxBurst& burst, bool broadcast) = 0;
    /// Takes a message on the broadcast CID from `reading`. `basic_cid`: grants of other stations are left out; 0:
    /// nothing is, the station may get another CID.
    virtual Broadcast on_message(Octets message, ReadBurst& reading, const sap::RxBurst& burst, uint16_t basic_cid) = 0;
    /// The response to a broadcast burst: further bursts of the frame, and when the uplink begins.
    virtual void expect(const sap::RxBurst& broadcast, const UplinkRights& rights, sap::RxExpect& expect) = 0;
    /// True once after each change of the profiles that the PHY must know.
    virtual bool profiles_changed(sap::ProfilesRequest& profiles) = 0;
    /// Adds the capabilities of the PHY.
    virtual void describe(SbcReq& request) const = 0;
    /// The measurements that REP-REQ asks for. Pre: `asked.request` is set.
    virtual RepRsp report(const RepReq& asked) = 0;

    /// The uplink of that frame, by the PHY's number; null: not known.
    virtual const SubscriberUplink* uplink_of(phy::FrameNumber frame) const = 0;
    /// Nullopt: no UCD is known.
    virtual std::optional<ContentionTerms> contention_terms() const = 0;
    /// Change count of the DCD in force; nullopt: no DCD is known.
    virtual std::optional<uint8_t> dcd_count() const = 0;
    /// The largest power that the DCD allows for initial ranging; nullopt: it has no limit.
    virtual std::optional<float> ranging_ceiling_dbm() const = 0;
    /// As SubscriberUplink's, of the widest burst of a frame.
    virtual float density_gain_db(const sap::TxFrame& tx) const = 0;

    /// Numbers of downlink profiles in messages; 0: none.
    virtual std::optional<ProfileId> profile_of(uint8_t code) const = 0;
    virtual uint8_t code_of(ProfileId profile) const = 0;
    /// The most demanding profile whose threshold the CINR meets.
    virtual uint8_t preferred_code() const = 0;
    /// Overwrites the thresholds of the profiles in the DCD and returns their rows. Nullopt: no DCD is known.
    virtual std::optional<Rows> read_thresholds(RateThresholds& thresholds) const = 0;
    virtual ProfileId profile_of(const sap::RxBurst& burst) const = 0;
    /// The burst was sent by several antennas.
    virtual bool in_zone(const sap::RxBurst& burst) const = 0;

    // By the base station's frame number, which DCDs announce.
    virtual void tap_sent(PduTap& tap, uint16_t basic_cid, const sap::TxFrame& tx) const = 0;
    virtual void tap_received(PduTap& tap, const sap::RxBurst& burst, bool broadcast) const = 0;

    const DownlinkState& state() const { return state_; }
    const DownlinkCounters& counters() const { return counters_; }
    Samples frame_samples() const { return state_.frame_samples; }
    /// The base station's number of a frame numbered by the PHY.
    phy::FrameNumber in_network(phy::FrameNumber frame) const { return frame + state_.frame_offset; }
    phy::FrameNumber network_frame() const { return in_network(clock_.frame); }

protected:
    const FrameClock& clock_;
    DownlinkState state_;
    DownlinkCounters counters_;
};

}  // namespace wimax::mac
