// SPDX-License-Identifier: GPL-3.0-or-later
#include "mac/bs/source_addresses.h"

#include "mac/report/flow_status.h"

#include <algorithm>
#include <charconv>
#include <string>

namespace wimax::mac {
namespace {

constexpr uint16_t kBaseStation = 0;  ///< of configured addresses
constexpr uint16_t kNetwork = 0;      ///< of learned addresses
constexpr uint32_t kLocalGroups = 0xE0000000;
constexpr uint16_t kIpv4 = 0x0800, kArp = 0x0806, kIpv6 = 0x86DD;
constexpr uint8_t kIcmpv6 = 58, kNeighbourAdvertisement = 136;
constexpr size_t kAddressesOfEthernet = 12, kEthertype = 2, kTag = 4, kArpOctets = 28, kAdvertisementOctets = 24;

enum class Kind : uint8_t { ipv4, ipv6, mac };
/// Kind of an address, or of a subnet: ::/0 has neither IPv4 nor MAC addresses.
template <class Address> Kind kind_of(const Address& address) {
    return address.is_ipv4() ? Kind::ipv4 : address.is_mac() ? Kind::mac : Kind::ipv6;
}
template <class Maps> auto& of_kind(Maps& maps, Kind kind) { return maps[static_cast<size_t>(kind)]; }

uint16_t word(Octets octets, size_t at) { return static_cast<uint16_t>(octets[at] << 8 | octets[at + 1]); }
uint64_t number(Octets octets, size_t at, size_t count) {
    uint64_t value = 0;
    for (size_t i = 0; i < count; ++i) value = value << 8 | octets[at + i];
    return value;
}

/// fe80::/10: link-local, whatever other addresses a station has.
bool is_link_local(IpAddress address) { return address.high >> 54 == 0x3FA; }

/// Whether a host may send from it. ::/64 has loopback and the forms that stand for IPv4 and MAC addresses.
bool is_of_a_host(const PacketFields& packet) {
    const IpAddress source = packet.source;
    if (packet.ipv6) return source.high != 0 && source.high >> 56 != 0xFF;
    const uint32_t network = source.ipv4() >> 24;
    return network != 0 && network != 127 && source.ipv4() < kLocalGroups;
}

/// A host without an address yet asks the link: DHCP, IGMP, neighbour discovery.
bool asks_for_an_address(const PacketFields& packet) {
    if (packet.ipv6) return packet.source == IpAddress(0, 0) && packet.destination.high >> 48 == 0xFF02;
    const uint32_t to = packet.destination.ipv4();
    return packet.source.ipv4() == 0 && (to == kLimitedBroadcast || to >> 8 == kLocalGroups >> 8);
}

std::string digits(uint32_t value, int base) {
    char text[12];
    return {text, std::to_chars(text, text + sizeof text, value, base).ptr};
}

/// In the usual notation; IPv6 without leaving out zeros.
std::string text_of(IpAddress address) {
    const auto octets = address.octets();
    const Kind kind = kind_of(address);
    std::string text;
    for (size_t i = kind == Kind::ipv4 ? 12 : kind == Kind::mac ? 10 : 0; i < octets.size(); ++i) {
        const bool pair = kind == Kind::ipv6;
        const uint32_t value = pair ? uint32_t{octets[i]} << 8 | octets[i + 1] : octets[i];
        if (!text.empty()) text += kind == Kind::ipv4 ? '.' : ':';
        if (kind == Kind::mac && value < 16) text += '0';
        text += digits(value, kind == Kind::ipv4 ? 10 : 16);
        i += pair ? 1 : 0;
    }
    return text;
}

}  // namespace

SourceAddresses::SourceAddresses(const BaseStationConfig& config, const Dependencies& dependencies)
    : config_(config),
      clock_(dependencies.clock),
      event_(dependencies.event),
      learned_(static_cast<uint16_t>(config.basic_cids)) {
    provision();
}

void SourceAddresses::provision() {
    for (auto& map : configured_) map.clear();
    for (const auto& address : config_.own_addresses)
        of_kind(configured_, kind_of(address)).claim(kBaseStation, {address, IpAddress(UINT64_MAX, UINT64_MAX)});
    for (size_t i = 0; i < config_.stations.size(); ++i)
        for (const auto& where : config_.stations[i].ip_addresses)
            of_kind(configured_, kind_of(where)).claim(static_cast<uint16_t>(i + 1), where);
    learned_.forget_if([this](IpAddress address, uint16_t) { return is_configured(address); });
}

/// The base station, even if a station has the address as well.
std::optional<uint16_t> SourceAddresses::configured_owner(IpAddress address) const {
    std::optional<uint16_t> owner;
    of_kind(configured_, kind_of(address)).claimants(address, [&](uint16_t one) {
        owner = owner ? std::min(*owner, one) : one;
    });
    return owner;
}

std::optional<uint16_t> SourceAddresses::owner_of(IpAddress address) const {
    const auto owner = learned_.find(address);
    return owner == kNetwork ? std::nullopt : owner;
}

/// Without the check, the last sender has the address.
Samples SourceAddresses::silence() const {
    return config_.check_source_addresses ? clock_.from_ms(int64_t{1000} * config_.source_address_silence_s) : 0;
}

void SourceAddresses::heard_from_network(IpAddress source) {
    if (source.is_unicast() && !is_configured(source)) learned_.claim(source, kNetwork, clock_.now, silence());
}

bool SourceAddresses::owns(const Subscriber& station, IpAddress address, Use use) {
    refused_ = address;
    if (const auto owner = configured_owner(address))
        return *owner != kBaseStation && config_.stations[*owner - size_t{1}].mac == station.mac;
    bool of_its_own = false, among_them = false;
    for (const auto& where : station.config.ip_addresses) {
        if (kind_of(where) != kind_of(address)) continue;
        of_its_own = true;
        among_them = among_them || where.contains(address);
    }
    if (of_its_own && !among_them && !is_link_local(address)) return false;
    if (use == Use::claim) return learned_.claim(address, station.basic_cid, clock_.now, silence());
    const auto owner = learned_.find(address);
    return !owner || *owner == station.basic_cid;
}

bool SourceAddresses::packet_fits(const Subscriber& station, const PacketFields& packet, Use use) {
    refused_ = packet.source;
    if (!packet.ipv4 && !packet.ipv6) return false;
    if (asks_for_an_address(packet)) return true;
    return is_of_a_host(packet) && owns(station, packet.source, use);
}

bool SourceAddresses::frame_fits(const Subscriber& station, Octets frame) {
    const PacketFields fields = PacketFields::parse(frame, UserLink::ethernet);
    refused_ = fields.source;
    if (!fields.ethernet || !fields.source.is_unicast() || !owns(station, fields.source, Use::claim)) return false;
    size_t at = kAddressesOfEthernet;
    const auto is_tag = [](uint16_t type) { return type == 0x8100 || type == 0x88A8 || type == 0x9100; };
    while (at + kTag + kEthertype <= frame.size() && is_tag(word(frame, at))) at += kTag;
    return payload_fits(station, word(frame, at), frame.subspan(at + kEthertype));
}

bool SourceAddresses::payload_fits(const Subscriber& station, uint16_t ethertype, Octets payload) {
    if (ethertype == kArp) return arp_fits(station, payload);
    if (ethertype != kIpv4 && ethertype != kIpv6) return true;
    const PacketFields packet = PacketFields::parse(payload);
    if (ethertype == kIpv4 ? !packet.ipv4 : !packet.ipv6) return false;
    return packet_fits(station, packet, Use::mention) && advertisement_fits(station, packet, payload);
}

/// RFC 826: hardware address at 8, IPv4 address at 14; the latter is 0.0.0.0 in probes (RFC 5227).
bool SourceAddresses::arp_fits(const Subscriber& station, Octets arp) {
    constexpr uint64_t kEthernetAndIpv4 = 0x0001'0800'0604;
    if (arp.size() < kArpOctets || number(arp, 0, 6) != kEthernetAndIpv4) return false;
    const IpAddress hardware = refused_ = IpAddress::of_mac(number(arp, 8, 6));
    if (!hardware.is_unicast() || !owns(station, hardware, Use::claim)) return false;
    PacketFields sender;
    sender.ipv4 = true;
    sender.source = static_cast<uint32_t>(number(arp, 14, 4));
    refused_ = sender.source;
    return sender.source.ipv4() == 0 || (is_of_a_host(sender) && owns(station, sender.source, Use::claim));
}

/// RFC 4861, 4.4: the target is the address whose owner answers.
bool SourceAddresses::advertisement_fits(const Subscriber& station, const PacketFields& packet, Octets octets) {
    const size_t at = packet.transport_at;
    if (packet.protocol != kIcmpv6 || !packet.ipv6 || at == 0 || at >= octets.size()) return true;
    if (octets[at] != kNeighbourAdvertisement) return true;
    if (at + kAdvertisementOctets > octets.size()) return false;
    PacketFields target;
    target.ipv6 = true;
    target.source = {number(octets, at + 8, 8), number(octets, at + 16, 8)};
    refused_ = target.source;
    return is_of_a_host(target) && owns(station, target.source, Use::claim);
}

bool SourceAddresses::admits(Subscriber& station, Octets sdu) {
    const bool fits = config_.link == UserLink::ethernet ? frame_fits(station, sdu)
                                                         : packet_fits(station, PacketFields::parse(sdu), Use::claim);
    if (fits || !config_.check_source_addresses) return true;
    ++counters_.wrong;
    ++station.counters.ul_wrong_source;
    event_(station.event_source(), "cs",
           to_text(station.mac) + " sent from " + text_of(refused_) + ", which is not its address: dropped");
    return false;
}

}  // namespace wimax::mac
