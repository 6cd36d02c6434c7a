/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * Multicast and broadcast connections (clause 6.3.13): downlink service flows whose packets are sent once for all
 * stations that have them. Each of these stations is told of the flow by a DSA of its own, with the same CID and an
 * SFID of its own, since transactions and commands name a station's flow by its SFID; it need not know that others have
 * the connection, too. What is sent has one queue, one rate limit, one claim to the frame, and the burst profile that
 * all stations can hold which are to receive it. There is no ARQ.
 *
 * A connection goes by the name of its service flow. Those that are provisioned are there from the start on: packets
 * for them are dropped and counted while nobody listens, and go to nobody else. Others live as long as they have a
 * member.
 */
#pragma once

#include "mac/bs/multicast_member.h"
#include "mac/bs/station_table.h"
#include "mac/clock.h"

#include <map>
#include <string_view>

namespace wimax::mac {

class MulticastConnection {
public:
    MulticastConnection(uint16_t cid, const ServiceFlowConfig& config, uint8_t map_rate_id)
        : flow(0, cid, agreed(config, FlowState::active)), map_rate_id_(map_rate_id) {}

    FlowContext flow;  ///< of all members together: queue, rate limit, promises. Its SFID is 0, it has no station
    ServiceHistory history;
    uint64_t symbols = 0;
    uint64_t dropped_unheard = 0;  ///< packets that came, or waited, while nobody listened

    /// Stations that have the flow, or are being told of it.
    const std::vector<const MulticastMember*>& members() const { return members_; }
    /// Those that receive it: the flow is active there, and they are not suspended.
    size_t listeners() const;
    bool heard() const;
    /// The most robust downlink rate of those that receive it. Pre: heard().
    uint8_t rate_id() const;
    /// The same of those for whom it is admitted, or is to be; nullopt: there are none.
    std::optional<uint8_t> admitted_rate_id() const;
    /// The highest rate at which `station` can receive it: what it has in an STC zone says nothing of bursts outside,
    /// where it is only known to hear the maps.
    uint8_t rate_for(const Subscriber& station) const;
    /// Not while another one has its name.
    bool takes_packets() const { return !retired_; }

private:
    friend class MulticastMember;
    friend class MulticastConnections;

    uint8_t map_rate_id_;
    bool provisioned_ = false;
    bool retired_ = false;
    std::vector<const MulticastMember*> members_;
};

class MulticastConnections {
public:
    using Map = std::map<uint16_t, std::unique_ptr<MulticastConnection>>;  ///< by CID
    struct Config {
        SduQueueConfig queue;  ///< its limits are each flow's own
        double frame_s = 0.01;
        uint8_t map_rate_id = 0;
    };
    /// All outlive the object, which outlives the stations' flows.
    struct Dependencies {
        const FrameClock& clock;
        StationTable& stations;
        SduPool& pool;
    };
    MulticastConnections(const Config& config, const Dependencies& dependencies)
        : config_(config), clock_(dependencies.clock), stations_(dependencies.stations), pool_(dependencies.pool) {}

    /// Those of the configuration, which has been validated. One whose QoS parameters differ from before goes on with
    /// the new ones; one that differs in anything else is made anew, and the old one goes with its last member.
    void provision(const BaseStationConfig& config);
    /// Nobody is served any more.
    void restart(const BaseStationConfig& config);
    /// Once a frame, when it is known who is there and at which rate: what nobody hears does not wait.
    void begin_frame();

    MulticastConnection* find(uint16_t cid) const;
    MulticastConnection* find(std::string_view name) const;
    /// A multicast flow as its stations are told it, whatever their addresses and abilities. One that has no rules is
    /// the one of its name, if there is such a one.
    ServiceFlowConfig terms_of(const ServiceFlowConfig& flow) const;
    /// Why the station cannot have the flow; empty: it can, or it is not of multicast.
    std::string refusal(const Subscriber& station, const ServiceFlowConfig& flow) const;
    /// For a new member; made if there is none of that name. Pre: it is of multicast, refusal() is empty.
    MulticastConnection& connection_for(const ServiceFlowConfig& flow);

    const Map& all() const { return connections_; }
    /// Another one whenever a connection has come or gone.
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
