// SPDX-License-Identifier: GPL-3.0-or-later
#include "mac/bs/station_rest.h"

#include "mac/bs/grant_rules.h"
#include "mac/flow/arq_exchange.h"

#include <algorithm>

namespace wimax::mac {
namespace {

constexpr Samples kDueNow = INT64_MIN;

bool needs_care(const Subscriber& station) {
    return !station.entry.operational() || station.entry.leaving() || station.entry.postponed() ||
           station.entry.awaits_message() || station.invitations.running() || station.health.challenged() ||
           station.uplink.width.narrow() || station.provision_next;
}

bool answers_awaited(const Subscriber& station) {
    return station.health.misses() > 0 || station.health.undelivered() > 0 || station.requests.unproven_since() ||
           station.dl_rate.next() || !station.transactions.transactions().empty();
}

bool something_to_send(const Subscriber& station) {
    const auto& secondary = station.managed.connection;
    return !station.management.empty() || (secondary && !secondary->idle()) || station.requests.active_frames() > 0 ||
           station.requests.wants_poll() || station.requests.octets() > 0;
}

}  // namespace

Samples StationRest::due(const FlowContext& flow) const {
    if (flow.set_up.open() || has_arq(flow)) return kDueNow;
    if (flow.transmitter && !flow.transmitter->idle()) return kDueNow;
    if (!flow.active) return flow.member && !flow.refusal.empty() ? flow.ask_again : INT64_MAX;
    const auto timeout = flow.config.idle_timeout_ms;
    const Samples unused = timeout > 0 ? flow.use.last() + clock_.from_ms(timeout) : INT64_MAX;
    if (flow.downlink() || flow.config.scheduling == SchedulingType::best_effort) return unused;
    return is_granted_unasked(flow.config, config_.frame_seconds) ? kDueNow : std::min(unused, flow.dues.next_poll());
}

Samples StationRest::due(const Subscriber& station) const {
    if (needs_care(station) || answers_awaited(station) || something_to_send(station)) return kDueNow;
    const Samples poll =
        std::max(station.health.last_heard(), station.requests.last_grant()) + clock_.from_ms(demand_.t27_idle_ms());
    Samples first = std::min({poll, links_.next_report(station), station.restriction.tell_again});
    for (const auto& flow : station.flows) first = std::min(first, due(*flow));
    return first;
}

void StationRest::end_frame() {
    if (stations_.size() <= config_.least_awake) return;
    for (const Subscriber* station : stations_.awake()) stations_.rest(*station, due(*station));
}

}  // namespace wimax::mac
