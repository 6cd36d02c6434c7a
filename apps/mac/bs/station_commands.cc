// SPDX-License-Identifier: GPL-3.0-or-later
#include "mac/bs/station_commands.h"

#include "mac/report/flow_status.h"

namespace wimax::mac {
namespace {

constexpr int64_t kTellAgainMs = 1000;
constexpr uint8_t kLeaveChannel = 0, kSilence = 1, kManagementOnly = 2, kNormal = 3;  // actions of DREG-CMD

uint8_t action_of(Restriction restriction) {
    switch (restriction) {
        case Restriction::silent: return kSilence;
        case Restriction::management_only: return kManagementOnly;
        case Restriction::none: break;
    }
    return kNormal;
}

DregCmd message_of(uint8_t action) {
    DregCmd message;
    message.action = action;
    message.hmac = HmacTuple{};
    return message;
}

}  // namespace

Outcome StationCommands::carry_out(const StationCommand& command) {
    using Kind = StationCommand::Kind;
    Subscriber* station = to_.stations.find(command.station, true);
    if (!station || !station->registered()) return failure("", "no such station is registered");
    switch (command.kind) {
        case Kind::deregister:
            to_.broadcast_replies.push(station->basic_cid, message_of(kLeaveChannel));
            station->entry.leave("de-registered by the operator");
            return {};
        case Kind::reset: to_.admission.remove(station->basic_cid, "reset by the operator"); return {};
        case Kind::silence: restrict(*station, Restriction::silent); return {};
        case Kind::suspend: restrict(*station, Restriction::management_only); return {};
        case Kind::resume: restrict(*station, Restriction::none); return {};
        case Kind::rates: limit(*station, command.rates); return {};
    }
    return {};
}

void StationCommands::restrict(Subscriber& station, Restriction restriction) {
    if (station.restriction.kind == restriction) return;
    station.restriction.kind = restriction;
    station.health.restart(to_.clock.now);
    constexpr const char* kWords[] = {"may send everything again", "may send management only", "is to be silent"};
    to_.event(EventSource::own(), "entry", to_text(station.mac) + " " + kWords[static_cast<size_t>(restriction)]);
    to_.flows.restriction_changed(station);
    tell(station);
}

void StationCommands::limit(Subscriber& station, const StationCommand::Rates& rates) {
    const auto take = [](std::optional<uint8_t>& own, std::optional<uint8_t> given) { own = given ? given : own; };
    take(station.config.dl_rate_id, rates.dl_rate_id);
    take(station.config.ul_rate_id, rates.ul_rate_id);
    take(station.config.dl_lowest_rate_id, rates.dl_lowest_rate_id);
    take(station.config.ul_lowest_rate_id, rates.ul_lowest_rate_id);
    const RateLimits limits = rate_limits(to_.config, station.config);
    to_.links.limit(station, limits);
    to_.event(EventSource::own(), "link",
              to_text(station.mac) + " rates by the operator: downlink " + std::to_string(row_of(limits.dl_lowest)) +
                  ".." + std::to_string(row_of(limits.dl_highest)) + ", uplink " +
                  std::to_string(row_of(limits.ul_lowest)) + ".." + std::to_string(row_of(limits.ul_highest)));
}

void StationCommands::tell(Subscriber& station) {
    station.restriction.tell_again = to_.clock.now + to_.clock.from_ms(kTellAgainMs);
    station.management.push(station.basic_cid, message_of(action_of(station.restriction.kind)));
}

/// Repeats commands. A burst of a station that is no longer restricted proves that it has received the command.
void StationCommands::run_timers() {
    for (Subscriber* station : to_.stations.awake()) {
        if (station->restriction.tell_again == INT64_MAX || to_.clock.now < station->restriction.tell_again) continue;
        const bool heard =
            station->health.last_heard() > station->restriction.tell_again - to_.clock.from_ms(kTellAgainMs);
        if (station->restriction.kind == Restriction::none && heard) station->restriction.tell_again = INT64_MAX;
        else tell(*station);
    }
}

}  // namespace wimax::mac
