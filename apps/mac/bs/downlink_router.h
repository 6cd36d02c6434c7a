// SPDX-License-Identifier: GPL-3.0-or-later
// Selects station and flow of a downlink packet: by rules and configured addresses, else by the station that owns the
// address (SourceAddresses). Otherwise it is tried at all stations that accept unclaimed packets. An address that the
// configuration assigns to a station is never sent to another one. Packets that a multicast connection's rules name are
// sent there once, unless a station's rule of higher priority names them, too. Within the station a loaded classifier
// may select another flow.
#pragma once

#include "mac/bs/multicast_connections.h"
#include "mac/bs/source_addresses.h"
#include "mac/bs/station_table.h"
#include "mac/clock.h"
#include "mac/cs/destination_map.h"
#include "mac/cs/flow_classifier.h"

namespace wimax::mac {

struct RouterCounters {
    uint64_t unclassified = 0, unlearnt = 0, refused_sdus = 0;
};

class DownlinkRouter {
public:
    /// All outlive the object.
    struct Dependencies {
        const FrameClock& clock;
        StationTable& stations;
        const MulticastConnections& multicast;
        SourceAddresses& sources;
        UserLink link = UserLink::ip;
        FlowClassifier* classifier = nullptr;  ///< null: the rules of the flows alone
    };
    explicit DownlinkRouter(const Dependencies& dependencies)
        : clock_(dependencies.clock),
          stations_(dependencies.stations),
          multicast_(dependencies.multicast),
          sources_(dependencies.sources),
          link_(dependencies.link),
          classifier_(dependencies.classifier) {}

    void restart() {
        flows_changed();
        trial_copies_ = 0;
    }
    /// Once per frame: limits copies to unknown addresses.
    void begin_frame();
    /// Into the queue of a flow. False: no flow takes it, or its queue is full.
    bool push(Octets packet);
    /// Octets in the queue of the flow that would take it, among flows with configured addresses; 0: none would.
    size_t waiting_octets(Octets packet);
    UserLink link() const { return link_; }
    /// Call when a downlink flow has become active, or was deleted.
    void flows_changed() {
        destinations_known_ = false;
        if (classifier_) classifier_->flows_changed();
    }

    const RouterCounters& counters() const { return counters_; }

private:
    const DestinationMap& destinations();
    /// A station's flow or a multicast connection. With neither, the packet is unclaimed.
    struct Claimant {
        FlowContext* flow = nullptr;
        MulticastConnection* connection = nullptr;
        uint16_t station = 0;  ///< basic CID of the flow's station
    };
    Claimant claimant(const PacketFields& packet);
    FlowContext* flow_of(uint16_t basic_cid, const PacketFields& packet) const;
    FlowContext* chosen_flow(uint16_t basic_cid, FlowContext* by_rules, const PacketFields& fields, Octets packet);
    bool push(MulticastConnection& connection, const PacketFields& fields, Octets packet);
    bool try_all(const PacketFields& fields, Octets packet);
    bool push(FlowContext* flow, const PacketFields& fields, Octets packet);

    const FrameClock& clock_;
    StationTable& stations_;
    const MulticastConnections& multicast_;
    SourceAddresses& sources_;
    const UserLink link_;
    FlowClassifier* const classifier_;
    DestinationMap destinations_;  ///< active downlink flows; rebuilt when one is added or removed
    bool destinations_known_ = false;
    uint64_t multicast_version_ = 0;  ///< of the connections in it
    size_t trial_copies_ = 0;         ///< copies of packets to unknown addresses still allowed
    RouterCounters counters_;
};

}  // namespace wimax::mac
