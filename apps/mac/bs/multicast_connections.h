// SPDX-License-Identifier: GPL-3.0-or-later
// Multicast and broadcast connections (clause 6.3.13): downlink service flows whose packets are sent once for all
// member stations. Each station gets the flow by a separate DSA, with the same CID and a separate SFID, since
// transactions and commands name a station's flow by its SFID. A station need not know about other members. A
// connection has one queue, one rate limit, one claim to the frame, and the best burst profile that all its receivers
// support. There is no ARQ.
//
// A connection is identified by the name of its service flow. Provisioned connections exist from the start; without
// listeners their packets are counted and dropped. Others exist as long as they have a member.
#pragma once

#include "mac/bs/multicast_member.h"
#include "mac/bs/station_table.h"
#include "mac/clock.h"

#include <map>
#include <string_view>

namespace wimax::mac {

class MulticastConnection {
public:
    MulticastConnection(uint16_t cid, const ServiceFlowConfig& config, ProfileId map_profile)
        : flow(0, cid, agreed(config, FlowState::active)), map_profile_(map_profile) {}

    FlowContext flow;  ///< of all members together: queue, rate limit, promises. Its SFID is 0, it has no station
    ServiceHistory history;
    uint64_t units = 0;
    uint64_t dropped_unheard = 0;  ///< packets that arrived or waited without a listener

    /// Stations that have the flow, or are being sent its DSA.
    const std::vector<const MulticastMember*>& members() const { return members_; }
    /// Members that receive it: the flow is active there, and they are not suspended.
    size_t listeners() const;
    bool heard() const;
    /// The most robust downlink profile of its listeners. Pre: heard().
    ProfileId profile() const;
    /// The same of members where it is admitted, or is to be; nullopt: there are none.
    std::optional<ProfileId> admitted_profile() const;
    /// The least robust profile in which `station` can receive it. Its profile in an STC zone does not apply to bursts
    /// outside, where it is only known to receive the maps.
    ProfileId profile_for(const Subscriber& station) const;
    /// False once another connection has its name.
    bool takes_packets() const { return !retired_; }

private:
    friend class MulticastMember;
    friend class MulticastConnections;

    ProfileId most_robust(std::optional<ProfileId> of_others, const Subscriber& station) const;

    ProfileId map_profile_;
    bool provisioned_ = false;
    bool retired_ = false;
    std::vector<const MulticastMember*> members_;
};

class MulticastConnections {
public:
    using Map = std::map<uint16_t, std::unique_ptr<MulticastConnection>>;  ///< by CID
    struct Config {
        SduQueueConfig queue;  ///< except the limits, which are per flow
        double frame_s = 0.01;
        ProfileId map_profile{};
    };
    /// All outlive the object, which outlives the stations' flows.
    struct Dependencies {
        const FrameClock& clock;
        StationTable& stations;
        SduPool& pool;
    };
    MulticastConnections(const Config& config, const Dependencies& dependencies)
        : config_(config), clock_(dependencies.clock), stations_(dependencies.stations), pool_(dependencies.pool) {}

    /// Sets up the connections of a validated configuration. If only QoS parameters differ, a connection continues with
    /// the new ones. Otherwise it is replaced, and the old one is deleted with its last member.
    void provision(const BaseStationConfig& config);
    /// No station is served any more.
    void restart(const BaseStationConfig& config);
    /// Call once per frame, when stations and rates are known: drops packets of connections without a listener.
    void begin_frame();

    MulticastConnection* find(uint16_t cid) const;
    MulticastConnection* find(std::string_view name) const;
    /// Parameters of a multicast flow as sent to all stations, whatever their addresses and abilities. A flow without
    /// rules is the existing one of its name, if any.
    ServiceFlowConfig terms_of(const ServiceFlowConfig& flow) const;
    /// Fault: why the station cannot have the flow. Success: it can, or the flow is not multicast.
    Outcome check(const Subscriber& station, const ServiceFlowConfig& flow) const;
    /// Connection for a new member; made if none has that name. Pre: the flow is multicast, check() succeeds.
    MulticastConnection& connection_for(const ServiceFlowConfig& flow);

    const Map& all() const { return connections_; }
    /// Changes whenever a connection is added or removed.
    uint64_t version() const { return version_; }

private:
    MulticastConnection& make(const ServiceFlowConfig& flow);
    void put_in_force(FlowContext& flow, const ServiceFlowConfig& terms) const;
    void retire(MulticastConnection& connection);

    const Config config_;
    const FrameClock& clock_;
    StationTable& stations_;
    SduPool& pool_;
    Map connections_;
    uint64_t version_ = 0;
};

}  // namespace wimax::mac
