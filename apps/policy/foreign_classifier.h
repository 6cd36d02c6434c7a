// SPDX-License-Identifier: GPL-3.0-or-later
// A classifier of a library as the MAC's policy. The guard is in mac/cs/flow_classifier.h.
#pragma once

#include "mac/cs/classifier_policy.h"
#include "mac/policy/policies.h"
#include "policy/foreign_policy.h"

#include <vector>

namespace wimax::policy {

class ClassifyCall final : public PolicyInstance {
public:
    ClassifyCall(const wimax_policy_api& api, void* self)
        : PolicyInstance(api, self), every_packet(api.every_packet != nullptr && api.every_packet(self) != 0) {}

    const bool every_packet;
    wimax_policy_packet input{};  ///< run() completes it with flows and octets
    std::vector<wimax_policy_candidate> flows;
    std::vector<uint8_t> octets;     ///< copied: a late call may still read them
    std::vector<std::string> names;  ///< of the flows, likewise
    int32_t chosen = -1;             ///< result

protected:
    int run(const wimax_policy_api& api, void* self) override;
};

class ForeignClassifier final : public mac::ClassifierPolicy {
public:
    using Policy = mac::ClassifierPolicy;
    using Instance = ClassifyCall;
    ForeignClassifier(std::shared_ptr<PolicyWorker> worker, std::shared_ptr<ClassifyCall> instance, std::string refusal,
                      const mac::PolicyCell& cell)
        : every_packet_(instance && instance->every_packet),
          calls_(std::move(worker), std::move(instance), std::move(refusal)),
          cell_(cell) {}

    mac::PolicyOutcome classify(uint16_t station, const mac::PacketFields& fields, mac::Octets packet,
                                std::span<const mac::FlowCandidate> flows, std::optional<size_t>& chosen) override;
    bool every_packet() const override { return every_packet_; }
    std::string reason() const override { return calls_.reason(); }

private:
    const bool every_packet_;
    Foreign<ClassifyCall> calls_;
    const mac::PolicyCell cell_;
};

}  // namespace wimax::policy
