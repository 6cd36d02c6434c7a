// SPDX-License-Identifier: GPL-3.0-or-later
// IP and Ethernet convergence sublayers (clause 5.2): the fields used for classification, and the matching of rules.
#pragma once

#include "mac/station_config.h"

namespace wimax::mac {

struct PacketFields {
    bool ipv4 = false, ipv6 = false, ethernet = false;
    uint8_t tos = 0, protocol = 0;  ///< IPv6: traffic class; the header after those of options, routing and fragments
    IpAddress source, destination;
    bool has_ports = false;  ///< TCP or UDP, and not a later fragment
    uint16_t source_port = 0, destination_port = 0;
    size_t transport_at = 0;  ///< offset of the transport header; 0: it is not in the packet
    uint16_t ethertype = 0;
    std::optional<uint16_t> tag;  ///< of 802.1Q: 3 bits priority, a bit, 12 bits VLAN ID

    /// Never fails: for octets that are no packet or frame of the link, ipv4 = ipv6 = ethernet = false.
    static PacketFields parse(Octets packet, UserLink link = UserLink::ip);
    /// Hash of the 5-tuple; equal for the packets of one transport connection.
    uint32_t hash() const;
};

bool in_any(const std::vector<AddressMask>& list, IpAddress address);
bool matches(const ClassifierConfig& rule, const PacketFields& packet);

/// Priority of the best rule that matches; -1 if none does; 0 for a flow without rules (the default flow).
int match_priority(const std::vector<ClassifierConfig>& rules, const PacketFields& packet);
/// PHSI of the best rule that matches; 0: it has none, or none matches.
uint8_t header_rule_of(const std::vector<ClassifierConfig>& rules, const PacketFields& packet);
/// True if the convergence sublayer carries packets of this kind; packets that are neither IP nor Ethernet count as
/// IPv4.
bool carries(ConvergenceSublayer cs, const PacketFields& packet);
/// The same for a flow, whose convergence sublayer takes one kind of packet; other packets count as IPv4.
int flow_match(const ServiceFlowConfig& flow, const PacketFields& packet);
/// Rank of a flow for a packet; the highest wins. It follows the rule's priority; a flow with a matching rule outranks
/// a default flow. -1: the flow does not take it.
int rank_of(const ServiceFlowConfig& flow, const PacketFields& packet);

}  // namespace wimax::mac
