// SPDX-License-Identifier: GPL-3.0-or-later
// The owner of each address in the cell, and the check of what stations send from. An address in a station's
// ip_addresses belongs to that station alone. Any other address belongs to the first station that sends from it, until
// that station has left or has not used it for source_address_silence_s (AddressOwners). The base station's own
// addresses, group addresses and loopback are never a station's.
//
// In Ethernet frames the check covers the source MAC address, the sender addresses of ARP and the target address of an
// IPv6 neighbour advertisement. The source address of an IP packet inside may be any that is no other station's: a
// router may be behind the station.
#pragma once

#include "mac/bs/subscriber.h"
#include "mac/cs/address_owners.h"
#include "mac/cs/destination_map.h"
#include "mac/report/events.h"

#include <array>

namespace wimax::mac {

struct SourceAddressCounters {
    uint64_t wrong = 0;  ///< packets dropped
};

class SourceAddresses {
public:
    /// All outlive the object.
    struct Dependencies {
        const FrameClock& clock;
        EventSink& event;
    };
    /// `config` outlives the object; call provision() after its stations have changed.
    SourceAddresses(const BaseStationConfig& config, const Dependencies& dependencies);

    void provision();
    /// Forgets learned addresses: of all stations, of one.
    void restart() { learned_.clear(); }
    void forget(uint16_t basic_cid) { learned_.forget(basic_cid); }

    /// Whether an uplink SDU may be forwarded. False: counted, and logged at most once per second and station.
    /// Allocates only for that line.
    bool admits(Subscriber& station, Octets sdu);
    /// Ethernet: a downlink frame has this source, which no station may take over while it is in use.
    void heard_from_network(IpAddress source);

    /// The configuration gives the address to a station or to the base station.
    bool is_configured(IpAddress address) const { return configured_owner(address).has_value(); }
    /// Basic CID of the station that an address was learned from.
    std::optional<uint16_t> owner_of(IpAddress address) const;
    const SourceAddressCounters& counters() const { return counters_; }

private:
    enum class Use : uint8_t { claim, mention };
    std::optional<uint16_t> configured_owner(IpAddress address) const;
    bool owns(const Subscriber& station, IpAddress address, Use use);
    bool packet_fits(const Subscriber& station, const PacketFields& packet, Use use);
    bool frame_fits(const Subscriber& station, Octets frame);
    bool payload_fits(const Subscriber& station, uint16_t ethertype, Octets payload);
    bool arp_fits(const Subscriber& station, Octets arp);
    bool advertisement_fits(const Subscriber& station, const PacketFields& packet, Octets octets);
    Samples silence() const;

    const BaseStationConfig& config_;
    const FrameClock& clock_;
    EventSink& event_;
    /// Values: 1 + index in the configuration's stations; 0: the base station. By kind of address.
    std::array<DestinationMap, 3> configured_;
    AddressOwners learned_;
    IpAddress refused_;  ///< the last one, for the log
    SourceAddressCounters counters_;
};

}  // namespace wimax::mac
