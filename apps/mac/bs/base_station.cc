/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "mac/bs/base_station.h"

#include "mac/air/ofdm256/burst_tap.h"
#include "mac/air/ofdm256/symbol_grid.h"
#include "mac/flow/flow_command.h"

#include <cassert>
#include <string>

namespace wimax::mac {
namespace {

FrameClock clock_of(const FrameLayout& layout) {
    FrameClock clock;
    clock.sample_rate_hz = layout.sample_rate_hz();
    return clock;
}

}  // namespace

BaseStation::BaseStation(const BaseStationConfig& config, const FrameLayout& layout)
    : config_(config),
      layout_(layout),
      clock_(clock_of(layout)),
      event_(clock_,
             [this](const Event& event) {
                 if (on_event) on_event(clock_.frame.value(), event);
             }),
      pool_(config.sdu_buffers),
      broadcasts_(config, layout),
      services_(config_, layout_, {clock_, event_, broadcasts_, broadcast_replies_, pool_, kSymbolGrid}),
      parts_(config_, layout_,
             {clock_, services_, broadcasts_, broadcast_replies_, bursts_, dl_symbols_, on_sdu, kSymbolGrid}),
      levels_(config_, {event_, services_.stations, broadcasts_}) {}

sap::ConfigRequest BaseStation::phy_config() const {
    sap::ConfigRequest request;
    request.role = sap::Role::base_station;
    request.bandwidth_hz = config_.bandwidth_hz;
    request.carriers = config_.carriers;
    request.tx_gain_db = config_.tx_gain_db;
    request.rx_gain_db = config_.rx_gain_db;
    request.cp_denominator = config_.cp_denominator;
    request.frame_duration_code = config_.frame_duration_code;
    request.bsid = config_.bsid;
    request.first_frame_number = phy::FrameNumber(config_.first_frame_number);
    return request;
}

void BaseStation::on_phy_start(const sap::ConfigConfirm& confirm) {
    services_.stations.clear();
    services_.multicast.restart(config_);
    services_.router.restart();
    services_.sources.restart();
    broadcast_replies_.clear();
    parts_.planner.restart();
    parts_.polling.restart();
    services_.reservations.restart();
    parts_.downlink.restart();
    parts_.frame.use_antennas(confirm.tx_antennas);
    started_ = false;
    silent_ = true;
    levels_.start(confirm);
    event_(EventSource::own(), "phy", "started, silent for " + std::to_string(config_.start_silence_ms) + " ms");
}

/// True: nothing is sent yet after a start.
bool BaseStation::silent_frame(const sap::FrameTick& tick) {
    if (started_ && tick.frame_number != clock_.frame + 1) {
        ++counters_.time_jumps;
        parts_.plan.forget();
    }
    clock_.now = tick.frame_start_sample;
    clock_.frame = tick.frame_number;
    event_.begin_frame();
    ++counters_.frames;
    if (!started_) {
        started_ = true;
        silence_until_ = clock_.now + clock_.from_ms(config_.start_silence_ms);
    }
    if (clock_.now < silence_until_) {
        ++counters_.silent_frames;
        return true;
    }
    if (silent_) {
        silent_ = false;
        levels_.announce(clock_.now);
        event_(EventSource::own(), "mac", "transmitting");
    }
    return false;
}

void BaseStation::on_tick(const sap::FrameTick& tick, sap::TxFrame& tx, sap::RxExpect& expect) {
    tx.phy_session = expect.phy_session = tick.phy_session;
    tx.frame_number = expect.frame_number = tick.frame_number;
    broadcasts_.begin_frame(tick.frame_start_sample);
    levels_.follow(tick);
    tx.dcd_count = broadcasts_.dcd_count();
    expect.allocations.clear();
    expect.contention_slots.clear();
    if (silent_frame(tick)) {
        bursts_.take_back(tx.bursts);
        return;
    }
    parts_.rest.begin_frame();
    services_.entry.run_timers();
    services_.commands.run_timers();
    reprovision_settled();
    services_.links.begin_frame();
    services_.multicast.begin_frame();
    services_.reservations.review();
    parts_.receiver.run_timers();
    services_.router.begin_frame();
    parts_.planner.plan();
    parts_.downlink.build(tx);
    if (const auto* expected = parts_.plan.expected(clock_.frame)) expect.allocations = *expected;
    const auto slots = parts_.plan.contention_slots(clock_.frame);
    expect.contention_slots.assign(slots.begin(), slots.end());
    parts_.rest.end_frame();
    if (tap) tap_sent(*tap, {clock_.frame, clock_.now, true}, 0, tx.bursts);
}

bool BaseStation::on_burst(const sap::RxBurst& burst, sap::RxExpect&) {
    if (tap)
        tap_received(*tap, {burst.frame_number, start_of(burst.frame_number, clock_, layout_.frame_samples()), false},
                     burst);
    parts_.receiver.receive(burst);
    return false;
}

Faults BaseStation::change_profile(const BaseStationProfile& profile) {
    auto faults = validate(profile);
    if (!faults.empty()) return faults;
    if (!broadcasts_.change(descriptor_values(profile, config_.adaptation.margin_db), clock_.now))
        return Fault{"", "", "one change at a time; the last one is not in force yet"};
    parts_.planner.use_windows(profile);
    event_(EventSource::own(), "mac", "descriptors change");
    return Faults();
}

void BaseStation::on_error(const sap::ErrorIndication& error) {
    ++counters_.errors;
    if (error.kind == sap::ErrorKind::late) ++counters_.late;
}

/// The station that the command is about: by its address, or by its flow.
Subscriber* BaseStation::owner(const FlowCommand& command) const {
    for (const auto& [cid, station] : services_.stations.stations()) {
        if (command.station && (station->mac != *command.station || !station->registered())) continue;
        if (command.kind == DsxKind::add ? command.station.has_value() : station->flow_by_sfid(command.sfid) != nullptr)
            return station.get();
    }
    return nullptr;
}

bool BaseStation::describe(FlowCommand& command) const {
    Subscriber* station = owner(command);
    const FlowContext* flow = station ? station->flow_by_sfid(command.sfid) : nullptr;
    if (!flow) return false;
    command.flow = flow->config;
    command.state = flow->state();
    return true;
}

Outcome BaseStation::change_flow(const FlowCommand& command) {
    Subscriber* station = owner(command);
    if (station) services_.stations.wake(station->basic_cid);
    if (!station)
        return failure("", command.kind == DsxKind::add ? "no such station is registered" : "no such service flow");
    switch (command.kind) {
        case DsxKind::add: return services_.flows.add(*station, command.flow, command.state, command.id);
        case DsxKind::change:
            return services_.flows.change(*station, command.sfid, command.flow, command.state, command.id);
        case DsxKind::remove: return services_.flows.remove(*station, command.sfid, command.id);
    }
    return {};
}

bool BaseStation::operational() const {
    for (const auto& [cid, station] : services_.stations.stations())
        if (station->entry.operational()) return true;
    return false;
}

std::unique_ptr<BaseStationMac> make_base_station(const BaseStationConfig& config) {
    const auto layout = FrameLayout::make(config);
    assert(layout && "validate() first");
    return layout ? std::make_unique<BaseStation>(config, *layout) : nullptr;
}

}  // namespace wimax::mac
