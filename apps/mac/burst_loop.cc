// SPDX-License-Identifier: GPL-3.0-or-later
#include "mac/burst_loop.h"

#include <algorithm>

namespace wimax::mac {
namespace {

constexpr int kSymbolsOfCode = 2;  // of focused contention
/// Frames in a row that a receiver needs to synchronise, and misses before it loses synchronisation.
constexpr int kFramesToSync = 2, kFramesToLose = 5;

/// A burst of which nothing was received. The copy keeps the payload's memory.
void clear(sap::RxBurst& r, const sap::RxAllocation& a) {
    static const sap::RxBurst kEmpty;
    r = kEmpty;
    r.kind = a.kind;
    r.start_slot = a.start_slot;
    r.rate_id = a.format.rate_id;
    r.iuc = a.format.iuc;
    r.cid = a.cid;
}

}  // namespace

bool aims(const sap::TxBurst& burst, const sap::RxAllocation& a) {
    const int64_t later = burst.start_slot - a.start_slot;
    return later == 0 || (a.kind == sap::BurstKind::ranging && burst.format.iuc == a.format.iuc && later > 0 &&
                          later < a.search_slots);
}

void BurstLoop::Listener::forget() {
    synchronised = false;
    heard = silent = 0;
    next_uplink_slot = {};
    profiles.diuc_rates.fill(-1);
}

void BurstLoop::step(const sap::FrameTick& frame, const Timing& timing) {
    frame_ = frame;
    timing_ = timing;
    ask_base_station(frame_, tx_, expect_);
    for (const auto& [at, burst] : std::span(late_).first(std::exchange(late_count_, 0))) report(burst, at);
    ends_.clear();
    for (const auto& burst : tx_.bursts) ends_.push_back(reported_at(burst.start_slot, burst.format));
    for (auto* listener : listeners_) step(*listener);
    receive_uplink();
}

Samples BurstLoop::reported_at(phy::Slot start, const phy::BurstFormat& format) const {
    return frame_.frame_start_sample + burst_end(start, format).samples() + timing_.report;
}

void BurstLoop::step(Listener& l) {
    sap::FrameTick tick = frame_;
    const bool on_air = hears(l, tick) && !is_deaf(l, 0);
    l.heard = on_air ? l.heard + 1 : 0;
    l.silent = on_air ? 0 : l.silent + 1;
    if (l.heard >= kFramesToSync) l.synchronised = true;
    if (l.silent >= kFramesToLose) l.synchronised = false;
    tick.synchronised = l.synchronised;
    l.foretold = std::exchange(l.next_uplink_slot, {});
    l.expect.allocations.clear();
    l.expect.first_uplink_slot = l.expect.next_uplink_slot = {};
    if (l.synchronised && on_air) listen(l, tick);
    else ask_station(l, tick, frame_.frame_start_sample);
}

/// Keeps the times of its bursts: it sends them ahead by the round trip.
void BurstLoop::ask_station(Listener& l, const sap::FrameTick& tick, Samples at) {
    ask(l, tick, at);
    if (!l.half_duplex) return;
    std::erase_if(l.deaf, [this](const auto& time) { return time.second <= frame_.frame_start_sample; });
    const StationTurn turn{*l.half_duplex, l.tx.timing_advance_samples};
    const auto add = [&](phy::Slot start, const phy::BurstFormat& format) {
        l.deaf.emplace_back(
            frame_.frame_start_sample + start.samples() - turn.deaf_before(frame_.sample_rate_hz),
            frame_.frame_start_sample + burst_end(start, format).samples() + turn.deaf_after(frame_.sample_rate_hz));
    };
    for (const auto& burst : l.tx.bursts) add(burst.start_slot, burst.format);
    phy::BurstFormat of_code;
    of_code.preamble = phy::Preamble::none;
    of_code.data_symbols = kSymbolsOfCode;
    for (const auto& code : l.tx.codes) add(code.start_slot, of_code);
}

/// Burst 0 is heard from the frame's preamble on.
bool BurstLoop::is_deaf(const Listener& l, size_t i) const {
    if (!l.half_duplex || tx_.bursts.empty()) return false;
    const Samples begin = frame_.frame_start_sample + (i == 0 ? 0 : tx_.bursts[i].start_slot.samples());
    return std::ranges::any_of(
        l.deaf, [&](const auto& time) { return begin < time.second && time.first < ends_[i] - timing_.report; });
}

/// Bursts and the tick in the order of their arrival.
void BurstLoop::listen(Listener& l, const sap::FrameTick& tick) {
    // An uplink of FDD may begin after the next frame, whose tick is a different one.
    const Samples latest = frame_.frame_start_sample + timing_.frame - 1;
    const auto before = [&](phy::Slot slot) {
        return timing_.turnaround && slot != 0
                   ? std::min(frame_.frame_start_sample + slot.samples() - *timing_.turnaround, latest)
                   : ends_[0];
    };
    bool asked = before(l.foretold) < ends_[0];
    if (asked) ask_station(l, tick, before(l.foretold));
    deliver(l, 0, ends_[0], l.expect);
    l.mac->profiles_changed(l.profiles);
    l.next_uplink_slot = l.expect.next_uplink_slot;
    const Samples ask_at = std::max(ends_[0], before(l.foretold != 0 ? l.foretold : l.expect.first_uplink_slot));
    const auto ask_once = [&] {
        if (!std::exchange(asked, true)) ask_station(l, tick, ask_at);
    };
    for (size_t i = 1; i < tx_.bursts.size(); ++i) {
        if (ends_[i] > ask_at) ask_once();
        if (!finds(l, i)) continue;
        if (is_deaf(l, i)) miss(l, i);
        else deliver(l, i, ends_[i], unused_);
    }
    ask_once();
    l.mac->profiles_changed(l.profiles);
}

void BurstLoop::receive_uplink() {
    const auto& allocations = expect_.allocations;
    order_.clear();
    for (size_t i = 0; i < allocations.size(); ++i)
        order_.emplace_back(reported_at(allocations[i].start_slot, allocations[i].format), i);
    std::sort(order_.begin(), order_.end());
    const Samples next_tick = frame_.frame_start_sample + timing_.frame - timing_.tick_lead;
    for (const auto& [at, i] : order_) {
        const bool in_time = at <= next_tick;
        if (!in_time && late_.size() == late_count_) late_.emplace_back();
        sap::RxBurst& burst = in_time ? received_ : late_[late_count_].second;
        clear(burst, allocations[i]);
        burst.frame_number = frame_.frame_number;
        burst.index = static_cast<uint8_t>(i);
        receive(allocations[i], burst);
        if (in_time) report(burst, at);
        else late_[late_count_++].first = at;
    }
    for (const auto slot : expect_.contention_slots) {
        sap::RxContention contention;
        contention.frame_number = frame_.frame_number;
        contention.start_slot = slot;
        receive_codes(contention);
        report(contention);
    }
}

}  // namespace wimax::mac
