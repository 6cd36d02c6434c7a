// SPDX-License-Identifier: GPL-3.0-or-later
#include "policy/foreign_queues.h"

namespace wimax::policy {
namespace {

wimax_policy_queue queue_of(const mac::QueueState& state, const mac::FrameClock& clock) {
    wimax_policy_queue queue{};
    queue.cid = state.cid;
    queue.sfid = state.sfid;
    queue.scheduling = static_cast<uint32_t>(state.parameters->scheduling);
    queue.priority = state.parameters->traffic_priority;
    queue.min_rate_bps = state.parameters->min_reserved_rate_bps;
    queue.max_rate_bps = state.parameters->max_sustained_rate_bps;
    queue.max_latency_ms = state.parameters->max_latency_ms;
    queue.packets = state.packets;
    queue.octets = state.octets;
    queue.limit_octets = state.limit_octets;
    queue.head_age_s = static_cast<double>(state.head_age) / static_cast<double>(clock.sample_rate_hz);
    queue.arrived_octets = state.arrived_octets;
    queue.sent_octets = state.sent_octets;
    queue.dropped = state.dropped;
    queue.marked = state.marked;
    queue.served_bps = state.served_bps;
    return queue;
}

}  // namespace

int ManageCall::run(const wimax_policy_api& api, void* self) {
    input.queue_count = static_cast<uint32_t>(queues.size());
    input.queues = queues.data();
    wimax_policy_directive builtin{};
    builtin.codel = 1;
    directives.assign(queues.size(), builtin);
    return api.manage(self, &input, directives.data(), &error);
}

mac::PolicyOutcome ForeignQueues::manage(std::span<const mac::QueueState> queues,
                                         std::span<mac::QueueDirective> directives) {
    if (const auto ready = calls_.ready(); ready != mac::PolicyResult::done) return {ready};
    auto& input = calls_->input;
    input = {};
    input.number = cell_.clock.frame.value();
    input.time_s = static_cast<double>(cell_.clock.now) / static_cast<double>(cell_.clock.sample_rate_hz);
    calls_->queues.clear();
    for (const auto& state : queues) calls_->queues.push_back(queue_of(state, cell_.clock));
    const auto outcome = calls_.call();
    if (outcome.result != mac::PolicyResult::done) return outcome;
    for (size_t i = 0; i < directives.size(); ++i) {
        const auto& of = calls_->directives[i];
        directives[i] = {of.drop_probability, of.mark_probability, of.drop_head, of.codel != 0};
    }
    return outcome;
}

}  // namespace wimax::policy
