// SPDX-License-Identifier: GPL-3.0-or-later
#include "mac/cs/flow_classifier.h"

namespace wimax::mac {
namespace {

/// Choices among which the one of a connection is looked for.
constexpr size_t kWays = 8;

}  // namespace

PolicyOutcome RankClassifier::classify(uint16_t, const PacketFields&, Octets, std::span<const FlowCandidate> flows,
                                       std::optional<size_t>& chosen) {
    int best = -1;
    chosen.reset();
    for (size_t i = 0; i < flows.size(); ++i) {
        if (flows[i].rank <= best) continue;
        best = flows[i].rank;
        chosen = i;
    }
    return {};
}

FlowClassifier::FlowClassifier(std::unique_ptr<ClassifierPolicy> loaded, PolicyAccount* account,
                               size_t most_connections)
    : loaded_(std::move(loaded)), account_(account) {
    if (loaded_ && !loaded_->every_packet()) choices_.resize((most_connections + kWays - 1) / kWays * kWays);
}

FlowClassifier FlowClassifier::of(LoadedPolicies& policies, size_t most_connections) {
    auto loaded = policies.make(&Policies::classifier);
    auto* account = loaded ? &policies.account(PolicyRole::classifier) : nullptr;
    return {std::move(loaded), account, most_connections};
}

FlowClassifier::Choice* FlowClassifier::set_of(uint16_t station, uint32_t hash) {
    const size_t sets = choices_.size() / kWays;
    return choices_.data() + (hash ^ station * 0x9E3779B1U) % sets * kWays;
}

std::optional<uint16_t> FlowClassifier::remembered(uint16_t station, uint32_t hash) {
    if (choices_.empty()) return std::nullopt;
    const std::span set(set_of(station, hash), kWays);
    for (const auto& choice : set)
        if (choice.generation == generation_ && choice.hash == hash && choice.station == station) return choice.cid;
    return std::nullopt;
}

void FlowClassifier::remember(uint16_t station, uint32_t hash, uint16_t cid) {
    if (choices_.empty()) return;
    Choice* const set = set_of(station, hash);
    Choice* place = set + turn_;
    for (size_t i = 0; i < kWays; ++i)
        if (set[i].generation != generation_) place = set + i;
    if (place == set + turn_) turn_ = (turn_ + 1) % kWays;
    *place = {hash, generation_, station, cid};
}

uint16_t FlowClassifier::ask(uint16_t station, uint32_t hash, const PacketFields& fields, Octets packet) {
    std::optional<size_t> chosen;
    PolicyOutcome outcome{PolicyResult::done};
    if (!candidates_.empty()) {
        outcome = loaded_->classify(station, fields, packet, candidates_, chosen);
        std::string reason;
        if (outcome.result != PolicyResult::done) {
            reason = loaded_->reason();
        } else if (chosen && *chosen >= candidates_.size()) {
            reason = "flow " + std::to_string(*chosen) + " of " + std::to_string(candidates_.size());
            outcome.result = PolicyResult::nonsense;
        }
        account_->count(outcome, reason);
    }
    const bool done = outcome.result == PolicyResult::done;
    if (!done) builtin_.classify(station, fields, packet, candidates_, chosen);
    const uint16_t cid = chosen ? candidates_[*chosen].cid : kNoFlow;
    if (done) remember(station, hash, cid);
    return cid;
}

}  // namespace wimax::mac
