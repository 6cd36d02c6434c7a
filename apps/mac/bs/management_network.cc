// SPDX-License-Identifier: GPL-3.0-or-later
#include "mac/bs/management_network.h"

#include "mac/managed/dhcp_message.h"
#include "mac/managed/udp_datagram.h"
#include "mac/report/flow_status.h"

#include <algorithm>
#include <array>

namespace wimax::mac {
namespace {

/// Ethernet in front of the MAC address, as clients name themselves (RFC 2132, 9.14).
constexpr uint8_t kHardwareType = 1;

/// A server would take another MAC address or identifier for another client.
bool is_of_itself(const DhcpMessage& message, const MacAddress& mac) {
    std::array<uint8_t, 7> name{kHardwareType};
    std::ranges::copy(mac, name.begin() + 1);
    return message.from_client && message.mac == mac &&
           (message.client_identifier.empty() || std::ranges::equal(message.client_identifier, name));
}

}  // namespace

void ManagementNetwork::from_station(Subscriber& station, Octets packet) {
    station.managed.active_at = to_.clock.now;
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
    if (!message || !is_of_itself(*message, station.mac)) return false;
    payload_.assign(datagram->payload.begin(), datagram->payload.end());
    if (!relay_request(payload_, config_.relay_address)) return false;
    write_udp({config_.relay_address, config_.server_address, kDhcpServerPort, kDhcpServerPort, payload_}, packet_);
    ++counters_.relayed;
    send(packet_);
    return true;
}

bool ManagementNetwork::forward(Subscriber& station, Octets packet) {
    const auto ends = ip_ends(packet);
    if (owner(ends->source) != &station || owner(ends->destination) || !may_pass(station, packet)) return false;
    ++counters_.from_stations;
    send(packet);
    return true;
}

/// False: a DHCP server could take the packet for another station's. A station that gives up its address has none.
bool ManagementNetwork::may_pass(Subscriber& station, Octets packet) {
    if (!is_plain(packet)) return false;
    if (!is_udp(packet)) return true;
    const auto datagram = read_udp(packet);
    if (!datagram || datagram->destination_port != kDhcpServerPort) return datagram.has_value();
    const auto message = read_dhcp(datagram->payload);
    if (!message || !is_of_itself(*message, station.mac) || message->relay != 0) return false;
    if (message->client_address != 0 && message->client_address != station.managed.address) return false;
    if (message->kind == DhcpKind::release || message->kind == DhcpKind::decline) take_address(station);
    return true;
}

bool ManagementNetwork::from_network(Octets packet) {
    const auto ends = ip_ends(packet);
    bool taken = false;
    if (ends && ends->destination == config_.relay_address) {
        taken = relay_to_station(packet);
    } else if (ends) {
        Subscriber* station = owner(ends->destination);
        taken = station && may_reach(*station, packet) && send(*station, packet);
    }
    if (!taken) ++counters_.dropped;
    return taken;
}

/// Responses to a client are the DHCP server's alone. A renewed lease is seen here.
bool ManagementNetwork::may_reach(Subscriber& station, Octets packet) {
    if (!is_plain(packet)) return false;
    if (!is_udp(packet)) return true;
    const auto datagram = read_udp(packet);
    if (!datagram || datagram->destination_port != kDhcpClientPort) return datagram.has_value();
    if (datagram->source != config_.server_address) return false;
    const auto message = read_dhcp(datagram->payload);
    return message && message->mac == station.mac && take_response(station, *message);
}

/// False: it gives the station an address that it cannot have.
bool ManagementNetwork::take_response(Subscriber& station, const DhcpMessage& message) {
    if (message.kind == DhcpKind::nak) take_address(station);
    return message.kind != DhcpKind::ack || message.your_address == 0 || give_address(station, message);
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
    if (!take_response(*station, *message)) return false;
    const uint32_t destination = message->broadcast ? kLimitedBroadcast : message->your_address;
    write_udp({config_.relay_address, destination, kDhcpServerPort, kDhcpClientPort, datagram->payload}, packet_);
    ++counters_.relayed;
    return send(*station, packet_);
}

/// False: a station cannot have that address.
bool ManagementNetwork::give_address(Subscriber& station, const DhcpMessage& message) {
    const uint32_t address = message.your_address;
    const bool possible = config_.subnet.contains(address) && address != config_.relay_address &&
                          address != config_.server_address && IpAddress(address) != config_.subnet.address;
    const Subscriber* other = owner(address);
    if (!possible || (other && other != &station)) {
        to_.event(station.event_source(), "managed",
                  to_text(station.mac) + ": DHCP server gives " + address_text(address) +
                      (possible ? ", which another station has" : ", which is not for a station"));
        return false;
    }
    if (station.managed.address != address) take_address(station);
    station.managed.address = address;
    const bool ends = message.lease_s != 0 && message.lease_s != kInfiniteLeaseS;
    station.managed.address_ends =
        ends ? to_.clock.now + int64_t{std::max(message.lease_s, kLeastLeaseS)} * to_.clock.sample_rate_hz : INT64_MAX;
    basic_cids_[address] = station.basic_cid;
    return true;
}

void ManagementNetwork::take_address(Subscriber& station) {
    basic_cids_.erase(station.managed.address);
    station.managed.address = 0;
}

/// A full queue drops its oldest packet.
bool ManagementNetwork::send(Subscriber& station, Octets packet) {
    const auto& queue = station.managed.connection->transmitter->queue_counters();
    const uint64_t before = queue.dropped();
    const bool taken = station.managed.connection->push(packet, to_.clock.now);
    counters_.dropped += queue.dropped() - before - (taken ? 0 : 1);
    if (!taken) return false;
    station.managed.active_at = to_.clock.now;
    ++counters_.to_stations;
    return true;
}

/// Null: no station has the address at present.
Subscriber* ManagementNetwork::owner(uint32_t address) {
    const auto found = basic_cids_.find(address);
    if (found == basic_cids_.end()) return nullptr;
    Subscriber* station = to_.stations.find_basic(found->second);
    if (station && station->managed.connection && station->managed.address == address &&
        to_.clock.now < station->managed.address_ends)
        return station;
    basic_cids_.erase(found);
    return nullptr;
}

}  // namespace wimax::mac
