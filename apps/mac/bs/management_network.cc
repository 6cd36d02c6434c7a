// SPDX-License-Identifier: GPL-3.0-or-later
#include "mac/bs/management_network.h"

#include "mac/managed/dhcp_message.h"
#include "mac/managed/udp_datagram.h"
#include "mac/report/flow_status.h"

namespace wimax::mac {

void ManagementNetwork::from_station(Subscriber& station, Octets packet) {
    const auto ends = ip_ends(packet);
    const bool taken =
        ends && (ends->destination == kLimitedBroadcast ? relay_to_server(station, packet) : forward(station, packet));
    if (!taken) ++counters_.dropped;
}

/// A DHCP message of a station without an address, or that looks for another server.
bool ManagementNetwork::relay_to_server(const Subscriber& station, Octets packet) {
    const auto datagram = read_udp(packet);
    if (!datagram || datagram->destination_port != kDhcpServerPort) return false;
    const auto message = read_dhcp(datagram->payload);
    if (!message || message->mac != station.mac) return false;
    payload_.assign(datagram->payload.begin(), datagram->payload.end());
    if (!relay_request(payload_, config_.relay_address)) return false;
    write_udp({config_.relay_address, config_.server_address, kDhcpServerPort, kDhcpServerPort, payload_}, packet_);
    ++counters_.relayed;
    send(packet_);
    return true;
}

bool ManagementNetwork::forward(const Subscriber& station, Octets packet) {
    const auto ends = ip_ends(packet);
    if (station.managed.address == 0 || ends->source != station.managed.address || owner(ends->destination))
        return false;
    ++counters_.from_stations;
    send(packet);
    return true;
}

bool ManagementNetwork::from_network(Octets packet) {
    const auto ends = ip_ends(packet);
    bool taken = false;
    if (ends && ends->destination == config_.relay_address) {
        taken = relay_to_station(packet);
    } else if (ends) {
        Subscriber* station = owner(ends->destination);
        taken = station && send(*station, packet);
    }
    if (!taken) ++counters_.dropped;
    return taken;
}

/// A DHCP server's response, for the station whose MAC address it contains.
bool ManagementNetwork::relay_to_station(Octets packet) {
    const auto datagram = read_udp(packet);
    if (!datagram || datagram->source != config_.server_address || datagram->destination_port != kDhcpServerPort)
        return false;
    const auto message = read_dhcp(datagram->payload);
    if (!message || message->from_client || message->relay != config_.relay_address) return false;
    Subscriber* station = to_.stations.find(message->mac, true);
    if (!station || !station->managed.connection) return false;
    if (message->kind == DhcpKind::ack && message->your_address != 0 && !give_address(*station, message->your_address))
        return false;
    const uint32_t destination = message->broadcast ? kLimitedBroadcast : message->your_address;
    write_udp({config_.relay_address, destination, kDhcpServerPort, kDhcpClientPort, datagram->payload}, packet_);
    ++counters_.relayed;
    return send(*station, packet_);
}

/// False: a station cannot have that address.
bool ManagementNetwork::give_address(Subscriber& station, uint32_t address) {
    const bool possible =
        (IpAddress(address) & config_.subnet.mask) == (config_.subnet.address & config_.subnet.mask) &&
        address != config_.relay_address && address != config_.server_address &&
        IpAddress(address) != config_.subnet.address;
    const Subscriber* other = owner(address);
    if (!possible || (other && other != &station)) {
        to_.event(station.event_source(), "managed",
                  to_text(station.mac) + ": DHCP server gives " + address_text(address) +
                      (possible ? ", which another station has" : ", which is not for a station"));
        return false;
    }
    if (station.managed.address != address) basic_cids_.erase(station.managed.address);
    station.managed.address = address;
    basic_cids_[address] = station.basic_cid;
    return true;
}

bool ManagementNetwork::send(Subscriber& station, Octets packet) {
    if (!station.managed.connection->push(packet, to_.clock.now)) return false;
    ++counters_.to_stations;
    return true;
}

/// Null: no station has the address at present.
Subscriber* ManagementNetwork::owner(uint32_t address) {
    const auto found = basic_cids_.find(address);
    if (found == basic_cids_.end()) return nullptr;
    Subscriber* station = to_.stations.find_basic(found->second);
    if (station && station->managed.connection && station->managed.address == address) return station;
    basic_cids_.erase(found);
    return nullptr;
}

}  // namespace wimax::mac
