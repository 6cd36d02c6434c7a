// SPDX-License-Identifier: GPL-3.0-or-later
#include "policy/foreign_link.h"

#include <algorithm>

namespace wimax::policy {
namespace {

using mac::PolicyResult;

wimax_policy_link link_of(const mac::LinkReport& report, const mac::FrameClock& clock) {
    wimax_policy_link l{};
    std::ranges::copy(report.ends.station, l.mac);
    l.uplink = report.ends.uplink ? 1 : 0;
    l.number = report.number;
    l.time_s = static_cast<double>(report.at) / static_cast<double>(clock.sample_rate_hz);
    l.rate_id = static_cast<uint32_t>(mac::row_of(report.rate));
    l.lowest_rate_id = static_cast<uint32_t>(mac::row_of(report.lowest));
    l.highest_rate_id = static_cast<uint32_t>(mac::row_of(report.highest));
    l.measurements = report.measurements;
    l.cinr_db = report.cinr_db;
    l.lowest_cinr_db = report.lowest_cinr_db;
    l.highest_cinr_db = report.highest_cinr_db;
    l.mean_cinr_db = report.mean_cinr_db;
    l.arq = report.aim.goal == mac::LinkGoal::goodput ? 1 : 0;
    l.target_loss = report.aim.target_loss;
    l.give_up = report.give_up ? 1 : 0;
    for (size_t row = 0; row < WIMAX_POLICY_RATES; ++row) {
        l.needs_db[row] = report.needs_db[row];
        l.exit_db[row] = report.limits.exit_db[row];
        l.entry_db[row] = report.limits.entry_db[row];
        l.bursts[row] = report.bursts[row].bursts;
        l.lost_bursts[row] = report.bursts[row].lost_bursts;
        l.blocks[row] = report.bursts[row].blocks;
        l.lost_blocks[row] = report.bursts[row].lost_blocks;
    }
    return l;
}

}  // namespace

mac::PolicyOutcome ForeignLink::adapt(const mac::LinkReport& link, mac::ProfileId& rate) {
    if (const auto ready = calls_.ready(); ready != PolicyResult::done) return {ready};
    calls_->link = link_of(link, cell_.clock);
    const auto outcome = calls_.call();
    if (outcome.result != PolicyResult::done) return outcome;
    if (calls_->rate_id >= WIMAX_POLICY_RATES)
        return calls_.nonsense("Rate_ID " + std::to_string(calls_->rate_id) + ", allowed: 0..6");
    rate = mac::profile_in_row(calls_->rate_id);
    return outcome;
}

}  // namespace wimax::policy
