// SPDX-License-Identifier: GPL-3.0-or-later
// Network of the managed stations (6.3.9.10): relays DHCP between stations and a server (RFC 1542, RFC 2131), records
// the address that the server gives to a station, and forwards packets by it. A station sends from its own address
// only, and does not reach other stations.
#pragma once

#include "mac/bs/station_table.h"
#include "mac/clock.h"
#include "mac/managed/dhcp_message.h"
#include "mac/managed_config.h"
#include "mac/report/events.h"

#include <functional>
#include <map>

namespace wimax::mac {

struct ManagementNetworkCounters {
    uint64_t from_stations = 0, to_stations = 0;  ///< packets forwarded
    uint64_t relayed = 0;                         ///< DHCP messages, both ways
    uint64_t dropped = 0;                         ///< unreadable, in another's name, to no station, or for a full queue
};

class ManagementNetwork {
public:
    using Sink = std::function<void(Octets packet)>;
    /// All outlive the object.
    struct Dependencies {
        const FrameClock& clock;
        EventSink& event;
        StationTable& stations;
        const Sink& on_packet;  ///< takes IP packets for the network; may be empty
    };
    ManagementNetwork(const ManagedNetwork& config, const Dependencies& dependencies)
        : config_(config), to_(dependencies) {}

    /// An IP packet of a station's secondary management connection.
    void from_station(Subscriber& station, Octets packet);
    /// An IP packet of the network. False: it is for no station, or not allowed.
    bool from_network(Octets packet);
    const ManagementNetworkCounters& counters() const { return counters_; }

private:
    bool relay_to_server(const Subscriber& station, Octets packet);
    bool forward(Subscriber& station, Octets packet);
    bool may_pass(Subscriber& station, Octets packet);
    bool may_reach(Subscriber& station, Octets packet);
    bool relay_to_station(Octets packet);
    bool take_response(Subscriber& station, const DhcpMessage& message);
    bool give_address(Subscriber& station, const DhcpMessage& message);
    void take_address(Subscriber& station);
    bool send(Subscriber& station, Octets packet);
    Subscriber* owner(uint32_t address);
    void send(Octets packet) const {
        if (to_.on_packet) to_.on_packet(packet);
    }

    const ManagedNetwork& config_;
    const Dependencies to_;
    std::map<uint32_t, uint16_t> basic_cids_;  ///< by address; an entry may be out of date
    Buffer payload_, packet_;
    ManagementNetworkCounters counters_;
};

}  // namespace wimax::mac
