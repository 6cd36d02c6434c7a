/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * IPv4 packet convergence sublayer (clause 5.2): the fields that classification looks at, and the rules' match.
 */
#pragma once

#include "mac/station_config.h"

namespace wimax::mac {

struct PacketFields {
    bool ipv4 = false;
    uint8_t tos = 0, protocol = 0;
    uint32_t source = 0, destination = 0;  ///< host order
    bool has_ports = false;                ///< TCP or UDP, and not a later fragment
    uint16_t source_port = 0, destination_port = 0;

    /// Never fails: what is not an IPv4 packet has ipv4 = false.
    static PacketFields parse(Octets packet);
    /// Of the 5-tuple; equal for the packets of one transport connection.
    uint32_t hash() const;
};

bool in_any(const std::vector<AddressMask>& list, uint32_t address);
bool matches(const ClassifierConfig& rule, const PacketFields& packet);

/// Priority of the best rule that matches; -1 if none does; 0 for a flow without rules (the default flow).
int match_priority(const std::vector<ClassifierConfig>& rules, const PacketFields& packet);

}  // namespace wimax::mac
