// SPDX-License-Identifier: GPL-3.0-or-later
// A host of the management network: DHCP, time and TFTP server, which answers at once, or as a test sets.
#pragma once

#include "mac/managed/configuration_file.h"
#include "mac/managed/dhcp_message.h"
#include "mac/managed/udp_datagram.h"

#include <functional>
#include <map>
#include <string>
#include <vector>

namespace wimax::mac::test {

inline constexpr uint32_t kManagementServer = 0x0AFD0001, kManagementRelay = 0x0AFD0002;  ///< 10.253.0.1, .2
inline constexpr AddressMask kManagementSubnet{0x0AFD0000, 0xFFFF0000};
inline const std::vector<uint8_t> kFileKey(32, 0x4B);

struct ManagementServer {
    /// Packets to the base station.
    std::function<void(Octets packet)> send;
    /// Changes each DHCP response before it is sent.
    std::function<void(DhcpMessage&)> change_lease;
    bool address = true, time = true, file = true;  ///< which servers answer
    int64_t time_s = 1'796'000'000;                 ///< seconds since 1970
    Buffer time_payload;                            ///< sent instead of the time if not empty
    Buffer contents = *write_configuration_file({}, kFileKey);
    uint32_t lease_s = 3600;
    uint32_t requests = 0, blocks = 0, renewals = 0;
    std::map<MacAddress, uint32_t> leases;
    std::vector<uint32_t> sources;  ///< of all packets

    void receive(Octets packet) {
        const auto datagram = read_udp(packet);
        if (!datagram) return;
        sources.push_back(datagram->source);
        if (datagram->destination != kManagementServer) return;
        switch (datagram->destination_port) {
            case kDhcpServerPort: return on_dhcp(*datagram);
            case 37: return on_time(*datagram);
            case 69:
            case kTransferPort: return on_transfer(*datagram);
            default: return;
        }
    }

private:
    static constexpr uint16_t kTransferPort = 40'001;
    static constexpr size_t kBlock = 512;

    void answer(const UdpDatagram& to, uint16_t port, Octets payload) {
        Buffer packet;
        write_udp({kManagementServer, to.source, port, to.source_port, payload}, packet);
        send(packet);
    }
    void on_dhcp(const UdpDatagram& datagram) {
        ++requests;
        const auto asked = read_dhcp(datagram.payload);
        if (!address || !asked || !asked->from_client) return;
        DhcpMessage lease;
        lease.from_client = false;
        lease.transaction = asked->transaction;
        lease.broadcast = asked->broadcast;
        lease.relay = asked->relay;
        lease.mac = asked->mac;
        lease.kind = asked->kind == DhcpKind::discover ? DhcpKind::offer : DhcpKind::ack;
        lease.client_address = asked->client_address;
        lease.your_address =
            leases.try_emplace(asked->mac, 0x0AFD0100 + static_cast<uint32_t>(leases.size())).first->second;
        lease.next_server = lease.server = kManagementServer;
        lease.time_servers = {kManagementServer};
        lease.lease_s = lease_s;
        lease.subnet_mask = 0xFFFF0000;
        lease.file = "station.cfg";
        renewals += asked->client_address != 0;
        if (change_lease) change_lease(lease);
        Buffer payload, packet;
        write_dhcp(lease, payload);
        const bool relayed = asked->relay != 0;
        write_udp({kManagementServer, relayed ? asked->relay : datagram.source, kDhcpServerPort,
                   relayed ? kDhcpServerPort : kDhcpClientPort, payload},
                  packet);
        send(packet);
    }
    void on_time(const UdpDatagram& datagram) {
        if (!time) return;
        Buffer payload = time_payload;
        const auto since_1900 = static_cast<uint32_t>(time_s + 2'208'988'800);
        for (int shift = 24; time_payload.empty() && shift >= 0; shift -= 8)
            payload.push_back(static_cast<uint8_t>(since_1900 >> shift));
        answer(datagram, 37, payload);
    }
    void on_transfer(const UdpDatagram& datagram) {
        if (!file || datagram.payload.size() < 4) return;
        const bool request = datagram.payload[1] == 1;
        const size_t done = request ? 0 : size_t{datagram.payload[2]} << 8 | datagram.payload[3];
        if (done * kBlock > contents.size()) return;  // the last block is acknowledged
        ++blocks;
        const auto part = Octets(contents).subspan(done * kBlock, std::min(kBlock, contents.size() - done * kBlock));
        Buffer payload{0, 3, static_cast<uint8_t>((done + 1) >> 8), static_cast<uint8_t>(done + 1)};
        payload.insert(payload.end(), part.begin(), part.end());
        answer(datagram, kTransferPort, payload);
    }
};

}  // namespace wimax::mac::test
