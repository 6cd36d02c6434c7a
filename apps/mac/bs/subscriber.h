// SPDX-License-Identifier: GPL-3.0-or-later
// The base station's state of one subscriber station: its connections, service flows, requests, grants and counters.
#pragma once

#include "mac/air/uplink_reception.h"
#include "mac/bs/downlink_rate.h"
#include "mac/bs/flow_cost.h"
#include "mac/bs/flow_progress.h"
#include "mac/bs/flow_rates.h"
#include "mac/bs/link_state.h"
#include "mac/bs/multicast_member.h"
#include "mac/bs/polling_groups.h"
#include "mac/bs/ranging_invitations.h"
#include "mac/bs/ranging_loop.h"
#include "mac/bs/station_entry.h"
#include "mac/bs/station_health.h"
#include "mac/bs/station_privacy.h"
#include "mac/bs/station_requests.h"
#include "mac/bs/uplink_dues.h"
#include "mac/bs/uplink_rate.h"
#include "mac/bs/uplink_width.h"
#include "mac/cs/classifier.h"
#include "mac/cs/header_suppression.h"
#include "mac/dsx/service_transactions.h"
#include "mac/duplex/duplex.h"
#include "mac/flow/agreed_flow.h"
#include "mac/flow/flow_parameters.h"
#include "mac/flow/management_queue.h"
#include "mac/flow/reassembler.h"
#include "mac/flow/secondary_connection.h"
#include "mac/flow/transmitter.h"
#include "mac/report/events.h"
#include "mac/scheduler/fair_share.h"

#include <memory>
#include <string>
#include <vector>

namespace wimax::mac {

/// Set by the operator's DREG-CMD.
enum class Restriction : uint8_t { none, management_only, silent };
inline const char* to_string(Restriction restriction) {
    constexpr const char* names[] = {"none", "suspended", "silent"};
    return names[static_cast<size_t>(restriction)];
}

/// Unanswered grants in a row after which a station counts as absent.
inline constexpr uint32_t kSilentGrants = 3;

/// One service flow at the base station: sending side of downlink flows, receiving side of uplink flows.
struct FlowContext : AgreedFlow {
    enum class Origin : uint8_t { provisioned, user, station };

    FlowContext(uint32_t id, uint16_t connection, const AgreedFlow& flow)
        : AgreedFlow(flow), sfid(id), cid(connection) {}

    uint32_t sfid;
    uint16_t cid;
    bool active = false;  ///< set up, with an active set: data may flow
    std::unique_ptr<FlowTransmitter> transmitter;
    std::unique_ptr<Reassembler> reassembler;
    std::unique_ptr<HeaderSuppression> suppression;  ///< if it has header suppression
    std::unique_ptr<MulticastMember> member;         ///< of a multicast connection, which sends instead
    // Transactions
    FlowSetUp set_up;
    Origin origin = Origin::provisioned;
    Samples ask_again = INT64_MIN;  ///< not before, after the station refused a change
    FlowUse use;
    RequestBook requests;              ///< uplink flows only
    UplinkDues dues;                   ///< uplink flows only
    FlowRates rates;                   ///< guaranteed and enforced
    FlowCost cost;                     ///< cost of its reservation, admitted or requested
    bool held = true;                  ///< false: no room for its promises at present (Reservations)
    std::string refusal;               ///< why it is not admitted; empty: nothing prevents it
    std::optional<AgreedFlow> before;  ///< a change by the station that is not settled yet

    bool downlink() const { return config.direction == FlowDirection::downlink; }
    /// Opens queue and header suppression of a downlink flow; `queue`: except the limits, which are the flow's.
    void open_sender(SduPool& pool, SduQueueConfig queue, int64_t sample_rate_hz);
    /// Octets of PDUs owed to a downlink flow in this frame: with a latency bound, all that waits within its rate,
    /// otherwise what the minimum reserved rate requires.
    size_t owed_octets() const;
    /// Downlink, and its packets are queued, even if it must be brought up for them.
    bool queues() const { return transmitter && set_up.done(); }
};

struct SubscriberCounters {
    uint64_t dl_bytes = 0, ul_bytes = 0, dl_sdus = 0, ul_sdus = 0;  ///< downlink: of deleted flows only
    uint64_t ul_bursts = 0, ul_missed = 0, ul_fec_errors = 0, ul_stopped = 0;
    uint64_t ul_dropped = 0, dl_dropped = 0;  ///< of deleted flows
    uint64_t dl_units = 0, ul_units = 0, grants = 0, requests = 0;
    uint64_t malformed = 0, corrections = 0;
    uint64_t ul_wrong_source = 0;  ///< uplink packets dropped for a source address that is not the station's
};

/// What the station has reported, as far as both ends use it.
struct StationCapabilities {
    bool arq = false, phs = false;
    bool knows_codes = false;  ///< requests by code
    uint16_t uplink_cids = 0;  ///< its maximum, management included
    HalfDuplexGaps gaps;
    bool half_duplex = false;  ///< in FDD
};

/// Of a half-duplex station in FDD.
struct StationHalf {
    bool late = false;          ///< its uplink is in the later part of the frame
    double load = 0;            ///< units of both directions in the last interval
    uint64_t units_before = 0;  ///< counted until then
    uint32_t listens = 0;       ///< units at the end of its part that are clear for multicast bursts
};

/// Of a managed station.
struct StationManagement {
    std::unique_ptr<SecondaryConnection> connection;  ///< null: the station is unmanaged
    ArqConfig arq;                                    ///< as agreed on
    uint32_t address = 0;                             ///< in the management network, host order; 0: not known
    Samples address_ends = 0;                         ///< end of its lease
    Samples active_at = 0;                            ///< when a packet passed last, in either direction
    bool complete = false;                            ///< TFTP-CPLT was received

    bool awaits_file() const { return connection && !complete; }
};

/// A command of the operator that limits what the station may send.
struct StationRestriction {
    Restriction kind = Restriction::none;
    Samples tell_again = INT64_MAX;  ///< when it is sent again
};

/// What the base station chooses for a station's grants, and the measurement of its last burst.
struct StationUplink {
    explicit StationUplink(UplinkRate of) : rate(std::move(of)) {}

    UplinkRate rate;
    UplinkWidth width;
    std::unique_ptr<GrantTraining> training;  ///< null: none
    UplinkMeasurement last;

    /// BurstShape::training of its grants.
    uint8_t training_field() const { return training && !width.narrow() ? training->field() : uint8_t{0}; }
};

struct Subscriber {
    Subscriber(const MacAddress& address, const StationConfig& provision, const RangingLoop& loop,
               const DownlinkRate& down, UplinkRate up)
        : mac(address),
          config(provision),
          dl_rate(down),
          uplink(std::move(up)),
          ranging(loop),
          primary(Reassembler::kManagementOctets) {}

    MacAddress mac;
    StationConfig config;
    uint16_t basic_cid = 0, primary_cid = 0;
    StationEntry entry;
    DownlinkRate dl_rate;
    StationUplink uplink;
    PollingSeat polling;
    LinkState link;
    RangingLoop ranging;
    RangingInvitations invitations;
    StationCapabilities capabilities;
    StationRestriction restriction;
    StationHalf half_duplex;

    std::unique_ptr<StationPrivacy> privacy;  ///< null: this entry has no privacy; outlives the flows
    ManagementQueue management;
    Reassembler primary;
    StationManagement managed;
    std::vector<std::unique_ptr<FlowContext>> flows;  ///< in serving order
    ServiceTransactions transactions{DsxEnd::base_station, {}};
    std::optional<StationConfig> provision_next;  ///< waits until its flows have settled
    StationRequests requests{flows};

    ServiceHistory dl_history;
    StationHealth health;
    SubscriberCounters counters;

    /// Each flow is set up or refused, and none is being changed.
    bool flows_settled() const;
    /// Profile of its grants. If its power does not suffice for the whole band, the most robust one.
    ProfileId grant_profile() const {
        return uplink.width.adapts() && uplink.width.narrow() ? uplink.rate.lowest() : uplink.rate.id();
    }
    /// What limits the times of its bursts.
    StationTurn turn() const {
        return {capabilities.gaps, ranging.timing_told_samples(), capabilities.half_duplex, half_duplex.late,
                half_duplex.listens};
    }
    bool registered() const { return entry.registered(); }
    /// A managed station has its configuration file first.
    bool may_have_flows() const { return registered() && !managed.awaits_file(); }
    /// Has sent more than a RNG-REQ, which any station can send in its name.
    bool established() const { return entry.established(); }
    /// Before that, any station may have sent what is received in its name.
    EventSource event_source() const { return established() ? EventSource::peer(mac) : EventSource(); }
    FlowContext* flow_by_cid(uint16_t cid);
    FlowContext* flow_by_sfid(uint32_t sfid);
    size_t flows_of(FlowDirection direction) const;

    /// Packets of an active flow, management messages or feedback wait for it in the downlink.
    bool wants_downlink() const;
    /// Management messages, packets of the secondary management connection, and feedback of what is received.
    size_t management_demand() const;
    /// Octets of feedback that its downlink connections are waiting for; 0: none.
    size_t expected_feedback_octets() const;
    /// Best downlink flow for the packet and its priority; null and -1 if none takes it.
    FlowContext* classify(const PacketFields& packet, int& priority) const;
    void count_malformed() { ++counters.malformed; }
    /// Adds the counters of a flow being deleted to `counters`.
    void keep_counters_of(const FlowContext& flow);
    /// `counters` plus those of its present flows; `counters` gets them when the flows are deleted.
    SubscriberCounters counters_with_flows() const;
};

}  // namespace wimax::mac
