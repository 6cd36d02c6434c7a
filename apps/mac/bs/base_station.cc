// SPDX-License-Identifier: GPL-3.0-or-later
#include "mac/bs/base_station.h"

#include "mac/air/air_factory.h"
#include "mac/flow/flow_command.h"

#include <cassert>
#include <string>

namespace wimax::mac {
namespace {

FrameClock clock_of(const FrameTiming& timing) {
    FrameClock clock;
    clock.sample_rate_hz = timing.sample_rate_hz;
    return clock;
}

}  // namespace

BaseStation::BaseStation(const BaseStationConfig& config, const AirFactory& air)
    : config_(config),
      air_(air.make(config_)),
      clock_(clock_of(air_->timing())),
      event_(clock_,
             [this](const Event& event) {
                 if (on_event) on_event(clock_.frame.value(), event);
             }),
      policies_(config.policies, {air_->grid(), clock_, air_->timing().frame_seconds()},
                [this](const std::string& line, bool replaced) {
                    event_(EventSource::own(), "mac", line, replaced ? 1 : 0);
                }),
      pool_(config.sdu_buffers),
      services_(config_, {clock_, event_, *air_, policies_, broadcast_replies_, pool_, on_management_packet}),
      parts_(config_, {clock_, services_, *air_, policies_, broadcast_replies_, bursts_, on_sdu}),
      levels_(config_, {event_, services_.stations, air_->descriptors()}) {}

sap::ConfigRequest BaseStation::phy_config() const {
    sap::ConfigRequest request;
    request.role = sap::Role::base_station;
    request.carriers = config_.carriers;
    request.tx_gain_db = config_.tx_gain_db;
    request.rx_gain_db = config_.rx_gain_db;
    request.bsid = config_.bsid;
    request.first_frame_number = phy::FrameNumber(config_.first_frame_number);
    air_->configure(request);
    return request;
}

void BaseStation::on_phy_start(const sap::ConfigConfirm& confirm) {
    services_.stations.clear();
    services_.multicast.restart(config_);
    services_.router.restart();
    services_.sources.restart();
    broadcast_replies_.clear();
    parts_.air->restart();
    parts_.polling.restart();
    parts_.half_duplex.restart();
    services_.reservations.restart();
    parts_.downlink.restart();
    parts_.fast_power.restart();
    policies_.start(confirm.lock_step);
    parts_.air->downlink().use_antennas(confirm.tx_antennas);
    started_ = false;
    silent_ = true;
    levels_.start(confirm);
    event_(EventSource::own(), "phy", "started, silent for " + std::to_string(config_.start_silence_ms) + " ms");
}

/// Of the downlink.
void BaseStation::manage_queues() {
    services_.queues.manage([this](const auto& visit) {
        for (const auto& [cid, station] : services_.stations.stations())
            for (const auto& flow : station->flows)
                if (flow->transmitter) visit(flow->transmitter->queue(), flow->cid, flow->sfid, flow->config);
        for (const auto& [cid, connection] : services_.multicast.all())
            visit(connection->flow.transmitter->queue(), cid, connection->flow.sfid, connection->flow.config);
    });
}

/// True: nothing is sent yet after a start.
bool BaseStation::silent_frame(const sap::FrameTick& tick) {
    if (started_ && tick.frame_number != clock_.frame + 1) {
        ++counters_.time_jumps;
        parts_.air->forget();
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
    Descriptors& descriptors = air_->descriptors();
    descriptors.begin_frame(tick.frame_start_sample);
    levels_.follow(tick);
    tx.dcd_count = descriptors.dcd_count();
    expect.allocations.clear();
    expect.contention_slots.clear();
    if (silent_frame(tick)) {
        bursts_.take_back(tx.bursts);
        return;
    }
    parts_.rest.begin_frame();
    if (config_.serves_half_duplex()) parts_.half_duplex.begin_frame();
    services_.entry.run_timers();
    services_.commands.run_timers();
    reprovision_settled();
    services_.links.begin_frame();
    services_.multicast.begin_frame();
    services_.reservations.review();
    parts_.receiver.run_timers();
    services_.router.begin_frame();
    manage_queues();
    parts_.fast_power.send();
    parts_.air->plan_uplink();
    parts_.downlink.build(tx);
    parts_.air->expect(expect);
    parts_.rest.end_frame();
    if (tap) air_->tap_sent(*tap, clock_, tx.bursts);
}

bool BaseStation::on_burst(const sap::RxBurst& burst, sap::RxExpect&) {
    if (tap) air_->tap_received(*tap, clock_, burst);
    parts_.receiver.receive(burst);
    return false;
}

Faults BaseStation::change_profile(const BaseStationProfile& profile) {
    auto faults = validate(profile);
    if (!faults.empty()) return faults;
    if (!air_->descriptors().change_profile(profile, clock_.now))
        return Fault{"", "", "one change at a time; the last one is not in force yet"};
    parts_.air->use_windows(profile);
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
    const AirFactory& air = air_of(config);
    const bool possible = air.check(config).empty();
    assert(possible && "validate() first");
    return possible ? std::make_unique<BaseStation>(config, air) : nullptr;
}

}  // namespace wimax::mac
