// SPDX-License-Identifier: GPL-3.0-or-later
// Payload header suppression (clause 5.2.3): octets of a packet's head that both ends know from a rule are not
// transmitted. Each SDU of such a flow begins with the rule's octet (PHSI), 0 where nothing was suppressed.
#pragma once

#include "mac/station_config.h"

#include <span>

namespace wimax::mac {

inline constexpr size_t kMostHeaderRules = 16;  ///< of a flow

/// True if the rule has a length, a complete mask, and an index.
bool usable(const HeaderRule& rule);
/// True if octet i of the packet is suppressed.
inline bool suppresses(const HeaderRule& rule, size_t i) { return (rule.mask[i / 8] >> (7 - i % 8) & 1) != 0; }
/// Number of suppressed octets.
size_t suppressed_octets(const HeaderRule& rule);

/// The head of IPv4 and UDP as far as the classification rule determines it: version and header length, "don't
/// fragment", protocol, and each of ToS, addresses and ports that has one value.
HeaderRule ipv4_udp_rule(const ClassifierConfig& rule, uint8_t phsi);
/// Builds the flow's rules of a predefined form from the first classification rule that names them.
void make_header_rules(ServiceFlowConfig& flow);

struct HeaderSuppressionCounters {
    uint64_t suppressed = 0, octets_saved = 0;  ///< sent with a rule; octets saved, less the PHSI
    uint64_t whole = 0;                         ///< sent whole: no rule, or verification found other octets
    uint64_t expanded = 0;                      ///< received with a rule
    uint64_t unknown = 0;                       ///< dropped: their rule does not exist
    uint64_t malformed = 0;                     ///< dropped: shorter than its rule requires, or longer than a packet
};

/// Header suppression of one flow, at either end; buffers the last packet.
class HeaderSuppression {
public:
    HeaderSuppression() { packet_.reserve(kMostOctets); }

    /// The SDU of a packet; empty: it is too long for one. Valid until the next call.
    Octets send(Octets packet, std::span<const HeaderRule> rules, uint8_t phsi);
    /// The packet of an SDU; empty: dropped and counted. `retired`: deleted rules, for SDUs in transit.
    Octets receive(Octets sdu, std::span<const HeaderRule> rules, std::span<const HeaderRule> retired);
    const HeaderSuppressionCounters& counters() const { return counters_; }

    static constexpr size_t kMostOctets = 2040;  ///< of a packet and of an SDU

private:
    std::vector<uint8_t> packet_;
    HeaderSuppressionCounters counters_;
};

}  // namespace wimax::mac
