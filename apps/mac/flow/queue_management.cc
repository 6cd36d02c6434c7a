// SPDX-License-Identifier: GPL-3.0-or-later
#include "mac/flow/queue_management.h"

#include <cmath>
#include <utility>

namespace wimax::mac {
namespace {

/// Memory of QueueState::served_bps.
constexpr double kRateSeconds = 0.1;

bool is_probability(double p) { return p >= 0 && p <= 1; }  // false for NaN

/// Empty: the result is usable.
std::string fault_in(std::span<const QueueState> queues, std::span<const QueueDirective> directives) {
    for (size_t i = 0; i < queues.size(); ++i)
        for (const auto& [name, value] : {std::pair("drop_probability", directives[i].drop_probability),
                                          std::pair("mark_probability", directives[i].mark_probability)})
            if (!is_probability(value))
                return "flow of CID " + std::to_string(queues[i].cid) + " gets " + name + " " + std::to_string(value) +
                       ", allowed: 0..1";
    return {};
}

/// Takes over what happened since the last call.
void measure(const SduQueueCounters& counters, Samples now, int64_t sample_rate_hz, QueueMeter& meter,
             QueueState& state) {
    state.arrived_octets = counters.arrived_octets - meter.arrived_octets;
    state.sent_octets = counters.sent_octets - meter.sent_octets;
    state.dropped = counters.dropped() - meter.dropped;
    state.marked = counters.marked - meter.marked;
    if (meter.waited && now > meter.at) {
        const double seconds = static_cast<double>(now - meter.at) / static_cast<double>(sample_rate_hz);
        const double bps = 8 * static_cast<double>(state.sent_octets) / seconds;
        meter.served_bps +=
            (bps - meter.served_bps) * (meter.served_bps == 0 ? 1 : -std::expm1(-seconds / kRateSeconds));
    }
    state.served_bps = meter.served_bps;
    meter.arrived_octets = counters.arrived_octets;
    meter.sent_octets = counters.sent_octets;
    meter.dropped = counters.dropped();
    meter.marked = counters.marked;
    meter.at = now;
    meter.waited = state.packets > 0;
}

}  // namespace

QueueManagement QueueManagement::of(LoadedPolicies& policies) {
    auto loaded = policies.make(&Policies::queue_management);
    auto* account = loaded ? &policies.account(PolicyRole::queue_management) : nullptr;
    return {std::move(loaded), account, policies.cell().clock};
}

void QueueManagement::begin() {
    queues_.clear();
    states_.clear();
}

void QueueManagement::add(SduQueue& queue, uint16_t cid, uint32_t sfid, const ServiceFlowConfig& parameters) {
    auto& meter = queue.meter();
    if (queue.empty() && queue.counters().arrived_octets == meter.arrived_octets && !meter.directed &&
        !account_->replaced())
        return;
    QueueState state{cid, sfid, &parameters, queue.packets(), queue.bytes(), queue.config().limit_bytes};
    if (!queue.empty()) state.head_age = clock_.now - queue.oldest_of_all();
    measure(queue.counters(), clock_.now, clock_.sample_rate_hz, meter, state);
    queues_.push_back(&queue);
    states_.push_back(state);
}

void QueueManagement::call() {
    directives_.assign(states_.size(), {});
    if (account_->replaced()) {
        ended_ = true;
        builtin_.manage(states_, directives_);
    } else if (!states_.empty()) {
        PolicyOutcome outcome = loaded_->manage(states_, directives_);
        std::string reason;
        if (outcome.result == PolicyResult::done) {
            reason = fault_in(states_, directives_);
            if (!reason.empty()) outcome.result = PolicyResult::nonsense;
        } else {
            reason = loaded_->reason();
        }
        account_->count(outcome, reason);
        if (outcome.result != PolicyResult::done) builtin_.manage(states_, directives_);
    }
    for (size_t i = 0; i < queues_.size(); ++i) {
        const auto& directive = directives_[i];
        queues_[i]->direct(directive);
        queues_[i]->meter().directed = directive.drop_probability > 0 || directive.mark_probability > 0;
    }
}

}  // namespace wimax::mac
