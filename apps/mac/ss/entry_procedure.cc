// SPDX-License-Identifier: GPL-3.0-or-later
#include "mac/ss/entry_procedure.h"

#include "mac/ss/entry_requests.h"

namespace wimax::mac {
namespace {

constexpr int kSbcRetries = 8, kRegistrationRetries = 3;
constexpr int64_t kLeftAloneMs = 5000;  // for a channel that refused the station or sent it away

}  // namespace

const char* to_string(SsState state) {
    constexpr const char* names[] = {"scanning", "DL-MAP wait", "DCD/UCD wait", "ranging",    "SBC",
                                     "PKM",      "REG",         "managed",      "registered", "operational"};
    return names[static_cast<size_t>(state)];
}

EntryProcedure::EntryProcedure(const SubscriberConfig& config, const Dependencies& dependencies)
    : config_(config), to_(dependencies) {}

void EntryProcedure::set_state(SsState state, const std::string& why) {
    state_ = state;
    attempts_ = 0;
    const auto text = std::string(to_string(state)) + (why.empty() ? "" : ": " + why);
    // Each reason is a separate kind; numbers in it are ignored.
    const auto words = std::string_view(text).substr(0, text.find_first_of("0123456789"));
    to_.event("entry", text, static_cast<uint32_t>(std::hash<std::string_view>()(words)));
}

void EntryProcedure::forget_network() {
    if (figures_.operational_at >= 0) figures_.heard_at = -1;  // the next entry is counted from its own begin
    to_.ranging.stop();
    to_.managed.forget();
    to_.management.forget();
    to_.flows.clear();
    to_.privacy.forget();
    to_.agent.forget();
    to_.contention.forget();
    muted_ = false;
    to_.flows.suspend(false);
    figures_.operational_at = -1;
    timers_.stop({TimerId::t4, TimerId::t6, TimerId::t18, TimerId::flows});
}

void EntryProcedure::restart(const std::string& why) {
    ++figures_.restarts;
    forget_network();
    to_.air.forget();
    to_.ranging.forget();
    timers_.stop({TimerId::lost_dl_map, TimerId::lost_ul_map, TimerId::t1, TimerId::t12, TimerId::t20, TimerId::t21});
    if (!to_.channels.only_one()) start(TimerId::t20, config_.t20_ms);
    set_state(SsState::scanning, why);
}

/// Ignores this channel's messages until the PHY has started on the next one.
void EntryProcedure::elsewhere(const std::string& why) {
    const bool moved = to_.channels.leave();
    restart(moved ? why + ", next channel" : why);
    if (!moved) return;
    timers_.stop({TimerId::t20});
    blocked_until_ = INT64_MAX;
}

/// Leaves a channel that refuses the station: for the named one, the next of its list, or this one again after a while.
void EntryProcedure::sent_away(const std::string& why, const Opt<uint32_t>& frequency_khz) {
    const bool told = frequency_khz && to_.channels.go_to(uint64_t{*frequency_khz} * 1000);
    const bool impossible = frequency_khz && !to_.channels.possible(uint64_t{*frequency_khz} * 1000);
    const std::string to = told || impossible ? " to " + std::to_string(*frequency_khz) + " kHz" : "";
    const std::string all = why + to + (impossible ? ", which is no channel" : "");
    if (!told && !to_.channels.only_one()) return elsewhere(all);
    // On an impossible channel it would have heard nothing for T20.
    const int64_t alone_ms = impossible ? config_.t20_ms : kLeftAloneMs;
    blocked_until_ = told ? INT64_MAX : to_.clock.now + to_.clock.from_ms(alone_ms);
    restart(all);
    if (told) timers_.stop({TimerId::t20});
}

void EntryProcedure::on_phy_refusal() {
    const bool moved = to_.channels.refused();
    restart(moved ? "the PHY refuses this channel, next channel" : "the PHY refuses this channel");
    timers_.stop({TimerId::t20});
    blocked_until_ = INT64_MAX;  // until the PHY has started
}

void EntryProcedure::new_phy() {
    figures_.heard_at = -1;
    blocked_until_ = INT64_MIN;
    restart("PHY started");
}

void EntryProcedure::start_ranging(const std::string& why) {
    forget_network();
    if (!to_.air.contention_terms()) return restart(why);
    if (figures_.heard_at < 0) figures_.heard_at = to_.clock.now;
    to_.ranging.start();
    set_state(SsState::ranging, why);
}

void EntryProcedure::on_downlink(Samples frame_start) {
    if (state_ != SsState::scanning || to_.clock.now < blocked_until_) return;
    if (figures_.heard_at < 0) figures_.heard_at = frame_start;
    timers_.stop({TimerId::t20});
    start(TimerId::t21, config_.t21_ms);
    set_state(SsState::downlink_map, "downlink found");
}

void EntryProcedure::on_broadcast(Broadcast message) {
    const auto again = [this](TimerId timer, uint32_t ms) {
        if (timers_.running(timer)) start(timer, ms);
    };
    switch (message) {
        case Broadcast::dl_map: start(TimerId::lost_dl_map, config_.lost_dl_map_ms); break;
        case Broadcast::ul_map: start(TimerId::lost_ul_map, config_.lost_ul_map_ms); return;
        case Broadcast::dcd: again(TimerId::t1, config_.t1_ms); break;
        case Broadcast::ucd: again(TimerId::t12, config_.t12_ms); break;
        case Broadcast::missed:
            return timers_.postpone(
                {TimerId::lost_dl_map, TimerId::lost_ul_map, TimerId::t1, TimerId::t12, TimerId::t21},
                to_.air.frame_samples());
        default: return;
    }
    if (state_ == SsState::downlink_map && to_.air.state().bsid) {
        timers_.stop({TimerId::t21});
        start(TimerId::t1, config_.t1_ms);
        start(TimerId::t12, config_.t12_ms);
        set_state(SsState::descriptors, "DL-MAP received");
    }
    if (state_ == SsState::descriptors && to_.air.dcd_count() && to_.air.contention_terms())
        start_ranging("DCD and UCD received");
}

/// True: a descriptor or map is missing, and the station has started again.
bool EntryProcedure::lost_or_late() {
    const auto gone = [this](TimerId timer, const char* why, void (EntryProcedure::*then)(const std::string&)) {
        if (!timers_.expired(timer, to_.clock.now)) return false;
        (this->*then)(why);
        return true;
    };
    constexpr auto kHere = &EntryProcedure::restart, kElsewhere = &EntryProcedure::elsewhere;
    return gone(TimerId::lost_dl_map, "lost DL-MAP", kHere) || gone(TimerId::lost_ul_map, "lost UL-MAP", kHere) ||
           gone(TimerId::t20, "no preamble (T20)", kElsewhere) || gone(TimerId::t21, "no DL-MAP (T21)", kElsewhere) ||
           gone(TimerId::t1, "no DCD (T1)", kElsewhere) || gone(TimerId::t12, "no UCD (T12)", kElsewhere);
}

void EntryProcedure::run_timers() {
    if (timers_.due(to_.clock.now) && lost_or_late()) return;
    if (to_.ranging.starved()) return elsewhere("no ranging opportunity (T2)");
    // Silenced by DREG-CMD 1: it listens, and waits for RES-CMD or permission to continue, which must be authentic.
    if (muted_ && to_.privacy.ended()) return start_ranging("authorization has ended");
    if (muted_) return;
    if (timers_.expired(TimerId::t4, to_.clock.now)) return start_ranging("no unicast grant (T4)");
    if (timers_.expired(TimerId::flows, to_.clock.now)) return start_ranging("no service flows");
    if (to_.ranging.exhausted()) return elsewhere("ranging retries exhausted");
    repeat_messages();
}

void EntryProcedure::repeat_messages() {
    if (timers_.expired(TimerId::t18, to_.clock.now)) {
        if (++attempts_ > kSbcRetries) return start_ranging("no SBC-RSP (T18)");
        if (to_.management.queue.empty()) send_request();
        start(TimerId::t18, config_.t18_ms);
    }
    if (timers_.expired(TimerId::t6, to_.clock.now)) {
        if (++attempts_ > kRegistrationRetries) return start_ranging("no REG-RSP (T6)");
        if (to_.management.queue.empty()) send_request();
        start(TimerId::t6, config_.t6_ms);
    }
    authorize();
    run_set_up();
    to_.agent.run_timers();
    if (to_.agent.base_station_lost()) return start_ranging("no DSD-RSP (T7)");
    check_operational();
}

void EntryProcedure::on_ranging_response(const RngRsp& rsp, uint16_t cid) {
    switch (to_.ranging.on_response(rsp, cid)) {
        case RangingAnswer::aborted:
            sent_away("ranging aborted by the base station", rsp.downlink_frequency_khz);
            break;
        case RangingAnswer::rerange: start_ranging("base station asks for it"); break;
        case RangingAnswer::succeeded:
            start(TimerId::t4, config_.t4_ms);
            set_state(SsState::capabilities, "ranging succeeded, basic CID " + std::to_string(to_.ranging.basic_cid()));
            send_request();
            start(TimerId::t18, config_.t18_ms);
            break;
        case RangingAnswer::ignored:
        case RangingAnswer::corrected: break;
    }
}

void EntryProcedure::on_capabilities(const SbcRsp& rsp) {
    if (state_ != SsState::capabilities) return;
    timers_.stop({TimerId::t18});
    switch (to_.privacy.on_capabilities(rsp, to_.ranging.basic_cid(), to_.ranging.primary_cid())) {
        case PrivacyAgent::Next::registration: return begin_registration("SBC-RSP received");
        case PrivacyAgent::Next::authorization: return set_state(SsState::authorization, "SBC-RSP received");
        case PrivacyAgent::Next::leave: return sent_away("the base station has no privacy, which is required", {});
    }
}

/// Registration waits for the keys; later the PKM state machines run in parallel.
void EntryProcedure::authorize() {
    to_.privacy.run_timers();
    if (to_.privacy.refused()) return sent_away("refused by the base station's privacy", {});
    if (state_ == SsState::authorization && to_.privacy.keyed()) begin_registration("keys received");
}

void EntryProcedure::begin_registration(const std::string& why) {
    set_state(SsState::registration, why);
    send_request();
    start(TimerId::t6, config_.t6_ms);
}

void EntryProcedure::on_registration(const RegRsp& rsp) {
    if (state_ != SsState::registration) return;
    if (rsp.response != 0) return start_ranging("registration refused");
    timers_.stop({TimerId::t6});
    to_.agent.start(to_.ranging.primary_cid(), to_.air.frame_samples());
    if (to_.managed.open(rsp, to_.ranging.basic_cid(), to_.ranging.primary_cid()))
        return set_state(SsState::managed, "");
    await_flows();
}

/// Of a managed station. Later it keeps the lease of its address.
void EntryProcedure::run_set_up() {
    const auto progress = to_.managed.run();
    if (state_ != SsState::managed || progress == ManagedEntry::Progress::waiting) return;
    if (progress == ManagedEntry::Progress::failed) return sent_away("set-up failed: " + to_.managed.why(), {});
    await_flows();
    to_.managed.request_flows();
}

void EntryProcedure::await_flows() {
    start(TimerId::flows, config_.operational_ms);
    set_state(SsState::registered, "");
    check_operational();
}

/// Actions of clause 6.3.2.3.26: 0 leave the channel, 1 listen only, 2 management only, 3 continue, 4 leave on request.
void EntryProcedure::on_deregistration(const DregCmd& command) {
    if (command.action == 0 || command.action == 4) return sent_away("sent away by the base station", {});
    const bool silent = command.action == 1, suspended = command.action == 2;
    if (command.action > 4 || (muted_ == silent && to_.flows.suspended() == suspended)) return;
    muted_ = silent;
    to_.flows.suspend(suspended);
    to_.event("entry", silent      ? "silenced by the base station"
                       : suspended ? "suspended by the base station: management messages only"
                                   : "may transmit again");
    if (!muted_ && timers_.running(TimerId::t4)) on_grant();
}

void EntryProcedure::check_operational() {
    const bool both_ways = to_.flows.both_ways();
    if (state_ == SsState::registered && both_ways) {
        timers_.stop({TimerId::flows});
        figures_.operational_at = to_.clock.now;
        set_state(SsState::operational, "");
    } else if (state_ == SsState::operational && !both_ways) {
        start(TimerId::flows, config_.operational_ms);
        set_state(SsState::registered, "service flows deleted");
    }
}

/// SBC-REQ or REG-REQ, for which the state waits.
void EntryProcedure::send_request() {
    auto& queue = to_.management.queue;
    if (state_ == SsState::capabilities)
        return queue.push(to_.ranging.basic_cid(), capabilities_request(config_, to_.ranging, to_.air, to_.privacy));
    queue.may_fragment_on(to_.ranging.primary_cid());
    queue.push(to_.ranging.primary_cid(), registration_request(config_, to_.managed));
}

}  // namespace wimax::mac
