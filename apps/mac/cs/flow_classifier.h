// SPDX-License-Identifier: GPL-3.0-or-later
// Calls a loaded classifier, checks its choice, and remembers it per transport connection. After a fault the rules of
// the flows select the packet's flow; after the third fault they select all.
#pragma once

#include "mac/cs/classifier_policy.h"
#include "mac/policy/loaded_policies.h"

#include <memory>
#include <vector>

namespace wimax::mac {

class FlowClassifier {
public:
    /// `loaded` and `account` null: loaded() is false, and choose() is not called. `account` outlives the object.
    /// `most_connections`: remembered choices, at least 1; an earlier one is forgotten for a new one.
    FlowClassifier(std::unique_ptr<ClassifierPolicy> loaded, PolicyAccount* account, size_t most_connections);
    /// The classifier that a station has loaded, if any.
    static FlowClassifier of(LoadedPolicies& policies, size_t most_connections);

    /// One is configured, and still in use.
    bool loaded() const { return loaded_ && !account_->replaced(); }
    /// Forgets all choices. Call when flows or their rules have changed.
    void flows_changed() { ++generation_; }

    /// The flow for the packet; null: none. `takes(flow)`: packets of this direction are queued in it. Pre: loaded().
    template <class Flow, class Takes>
    Flow* choose(const std::vector<std::unique_ptr<Flow>>& flows, Takes&& takes, uint16_t station,
                 const PacketFields& fields, Octets packet) {
        const uint32_t hash = fields.hash();
        auto cid = remembered(station, hash);
        if (!cid) {
            candidates_.clear();
            for (const auto& flow : flows)
                if (takes(*flow) && carries(flow->config.cs, fields))
                    candidates_.push_back({flow->cid, flow->sfid, &flow->config, rank_of(flow->config, fields)});
            cid = ask(station, hash, fields, packet);
        }
        for (const auto& flow : flows)
            if (flow->cid == *cid && takes(*flow)) return flow.get();
        return nullptr;
    }

private:
    static constexpr uint16_t kNoFlow = 0;  ///< no transport CID
    struct Choice {
        uint32_t hash = 0, generation = 0;
        uint16_t station = 0, cid = kNoFlow;
    };

    Choice* set_of(uint16_t station, uint32_t hash);
    std::optional<uint16_t> remembered(uint16_t station, uint32_t hash);
    uint16_t ask(uint16_t station, uint32_t hash, const PacketFields& fields, Octets packet);
    void remember(uint16_t station, uint32_t hash, uint16_t cid);

    const std::unique_ptr<ClassifierPolicy> loaded_;
    RankClassifier builtin_;
    PolicyAccount* const account_;
    std::vector<FlowCandidate> candidates_;
    std::vector<Choice> choices_;  ///< sets of kWays
    uint32_t generation_ = 1;
    size_t turn_ = 0;  ///< the place in a full set that is overwritten next
};

}  // namespace wimax::mac
