// SPDX-License-Identifier: GPL-3.0-or-later
// DHCP client of a managed station (RFC 2131): gets a lease and keeps it. A station that starts sends the same
// transaction numbers each time, as they are made of its MAC address and a counter.
#pragma once

#include "mac/managed/dhcp_message.h"
#include "mac/managed/response_wait.h"
#include "mac/managed/udp_datagram.h"

namespace wimax::mac {

enum class DhcpState : uint8_t {
    off,
    selecting,   ///< DHCPDISCOVER is sent, or will be after a wait
    requesting,  ///< a server's offer is requested
    bound,
    renewing,   ///< bound; its server is asked
    rebinding,  ///< bound; all servers are asked
    lost,       ///< it was bound, and may no longer use the address
    failed      ///< no lease after all tries
};

/// Of a server, as far as it is plausible. Addresses in host order, 0: none.
struct DhcpLease {
    uint32_t address = 0, server = 0, subnet_mask = 0, router = 0;
    std::vector<uint32_t> time_servers;
    uint32_t next_server = 0;         ///< that has the file
    std::string server_name, file;    ///< any octets
    std::optional<uint32_t> lease_s;  ///< at least kLeastLeaseS; nullopt: without an end
};

class DhcpClient {
public:
    /// Sent for one offer before the client searches again.
    static constexpr uint32_t kRequestsPerOffer = 3;

    /// Both outlive the object.
    struct Dependencies {
        const FrameClock& clock;
        SendDatagram send;
    };
    DhcpClient(const ManagedSubscriber& config, const MacAddress& mac, Dependencies dependencies);

    /// Searches for a server; a lease is forgotten.
    void start();
    void forget();
    /// False: not awaited, or not plausible.
    bool receive(const UdpDatagram& datagram);
    /// Once per frame.
    void run_timers();

    DhcpState state() const { return state_; }
    bool has_lease() const {
        return state_ == DhcpState::bound || state_ == DhcpState::renewing || state_ == DhcpState::rebinding;
    }
    /// Of the last server that gave one. Pre: has_lease().
    const DhcpLease& lease() const { return lease_; }
    /// Of states lost and failed.
    const char* why() const { return why_; }

private:
    void discover();
    void request(bool first);
    void renew();
    void try_again(const char* why);
    void lose(const char* why);
    void bind(const DhcpMessage& ack);
    bool fits(const DhcpMessage& message, const UdpDatagram& datagram) const;
    bool take_offer(const DhcpMessage& offer);
    bool take_acknowledgement(const DhcpMessage& ack);
    bool take_refusal(const DhcpMessage& nak);
    void begin_transaction();
    void send(const DhcpMessage& message, uint32_t source, uint32_t destination);
    void wait_for_renewal();

    const ManagedSubscriber& config_;
    MacAddress mac_;
    const FrameClock& clock_;
    SendDatagram send_;
    ResponseWait wait_;
    DhcpState state_ = DhcpState::off;
    const char* why_ = "";
    DhcpLease lease_;
    uint32_t transactions_ = 0;            ///< begun
    std::optional<uint32_t> transaction_;  ///< for which a response is awaited
    uint32_t tries_ = 0, requests_ = 0;    ///< in this search; for this offer
    Samples started_ = 0;                  ///< of the search or the renewal
    Samples rebind_ = 0, expiry_ = 0;      ///< of a lease with an end
    Samples requested_ = 0;                ///< when the request was sent, from which the lease counts
    Timer renewal_;                        ///< the next request or the next phase of a lease
    Buffer payload_;
};

}  // namespace wimax::mac
