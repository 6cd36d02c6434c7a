// SPDX-License-Identifier: GPL-3.0-or-later
// Classification as an interface: selects one of a station's service flows for a packet. The built-in one follows the
// rules of the flows. A loaded one is called through FlowClassifier.
#pragma once

#include "mac/cs/classifier.h"
#include "mac/policy/policy_outcome.h"

#include <optional>
#include <span>
#include <string>

namespace wimax::mac {

/// A flow whose convergence sublayer carries the packet.
struct FlowCandidate {
    uint16_t cid = 0;
    uint32_t sfid = 0;
    const ServiceFlowConfig* parameters = nullptr;  ///< valid during the call
    int rank = -1;                                  ///< by rank_of(); -1: the rules exclude the packet
};

class ClassifierPolicy {
public:
    virtual ~ClassifierPolicy() = default;
    /// Sets `chosen` to an index of `flows`, or to nullopt: the packet is dropped. `station`: basic CID at the base
    /// station, whose downlink it is; 0 at a station.
    virtual PolicyOutcome classify(uint16_t station, const PacketFields& fields, Octets packet,
                                   std::span<const FlowCandidate> flows, std::optional<size_t>& chosen) = 0;
    /// False: the choice holds for all packets of a transport connection (PacketFields::hash).
    virtual bool every_packet() const { return false; }
    /// Of the last outcome that was not `done`.
    virtual std::string reason() const { return {}; }
};

/// The built-in one: the flow of the highest rank, of equal ones the first.
class RankClassifier final : public ClassifierPolicy {
public:
    PolicyOutcome classify(uint16_t, const PacketFields&, Octets, std::span<const FlowCandidate> flows,
                           std::optional<size_t>& chosen) override;
};

}  // namespace wimax::mac
