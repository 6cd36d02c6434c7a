/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "mac/bs/base_station.h"

#include "mac/air/ofdm256/burst_tap.h"
#include "mac/air/ofdm256/symbol_grid.h"
#include "mac/flow/flow_command.h"

#include <cassert>
#include <cmath>
#include <cstdlib>
#include <string>

namespace wimax::mac {
namespace {

/// Distance of a burst's mean from the receiver's full scale: 3 dB for its preamble, 12 dB for OFDM peaks.
constexpr float kReceiveHeadroomDb = 15;

/// With one decimal place.
std::string tenths(double value) {
    const long n = std::lround(10 * value);
    return (n < 0 ? "-" : "") + std::to_string(std::labs(n) / 10) + "." + std::to_string(std::labs(n) % 10);
}

FrameClock clock_of(const FrameLayout& layout) {
    FrameClock clock;
    clock.sample_rate_hz = layout.sample_rate_hz();
    return clock;
}

SduQueueConfig queue_config(const BaseStationConfig& config, const FrameLayout& layout) {
    SduQueueConfig queue;
    queue.codel_target = static_cast<Samples>(config.codel_target_frames * static_cast<float>(layout.frame_samples()));
    queue.codel_interval = layout.samples_from_ms(config.codel_interval_ms);
    queue.ecn = config.ecn && config.link == UserLink::ip;
    queue.hold = held_back(config.sdu_hold_frames, layout.frame_samples());
    return queue;
}

ServiceFlowManager::Config flow_config(const BaseStationConfig& config, const FrameLayout& layout) {
    ServiceFlowManager::Config flows;
    flows.service_classes = &config.service_classes;
    flows.frame_ms = layout.frame_seconds() * 1000;
    flows.transactions.t7_ms = config.t7_ms;
    flows.transactions.t8_ms = config.t8_ms;
    flows.transactions.t10_ms = config.t10_ms;
    flows.queue = queue_config(config, layout);
    return flows;
}

}  // namespace

BaseStation::BaseStation(const BaseStationConfig& config, const FrameLayout& layout)
    : config_(config),
      wanted_rssi_dbm_(config.target_rssi_dbm),
      layout_(layout),
      clock_(clock_of(layout)),
      event_(clock_,
             [this](const Event& event) {
                 if (on_event) on_event(clock_.frame.value(), event);
             }),
      pool_(config.sdu_buffers),
      places_(layout.ul_symbols, layout.sample_rate_hz(), layout.frame_samples()),
      broadcasts_(config, layout),
      multicast_({queue_config(config, layout), layout.frame_seconds(), config.profile.broadcast_profile()},
                 {clock_, stations_, pool_}),
      stations_(config.basic_cids),
      sources_(config_, {clock_, event_}),
      router_({clock_, stations_, multicast_, sources_, config_.link}),
      links_(config.adaptation, config.stc, layout.frame_samples(), {clock_, stations_, broadcasts_}),
      admission_(config_, layout_, {event_, stations_, router_, sources_, broadcasts_, broadcast_replies_}),
      ranging_({config.t9_ms, layout.frame_samples()},
               {clock_, stations_, admission_, broadcasts_, links_, broadcast_replies_}),
      reservations_(config_, layout_, {clock_, event_, stations_, multicast_, kSymbolGrid}),
      flows_(flow_config(config_, layout), pool_, {clock_, event_, stations_, router_, reservations_, multicast_}),
      subchannels_(config.subchannelization, {clock_, broadcasts_.thresholds()}),
      privacy_(config_.privacy, config_.basic_cids, {clock_, event_}),
      entry_({config.t17_ms, config.station_lost_ms},
             {clock_, event_, stations_, admission_, ranging_, flows_, subchannels_, privacy_}),
      commands_({clock_, event_, stations_, admission_, flows_, links_, config_, broadcast_replies_}),
      demand_({config.t27_idle_ms, config.t27_active_ms, layout.frame_seconds(), layout.frame_samples()}, clock_,
              kSymbolGrid),
      rest_({config.least_awake_stations, layout.frame_seconds()}, {clock_, stations_, links_, demand_}),
      plan_(config.profile.ranging_symbols, layout_, clock_, places_),
      focused_({plan_}),
      polling_(config.profile.polling_group_stations, layout.frame_samples(), clock_),
      uplink_users_(config.profile.polling_group_stations > 0, {clock_, stations_, demand_, polling_}),
      planner_(config_, layout_, {clock_, uplink_users_, broadcasts_, places_, plan_, focused_}),
      broadcast_(config_, layout_, {clock_, stations_, broadcasts_, plan_, broadcast_replies_, dl_symbols_}),
      frame_(config_, layout_, {clock_, broadcasts_, plan_, dl_symbols_}),
      downlink_(config_.dl_scheduler, {clock_, stations_, multicast_, broadcast_, bursts_, kSymbolGrid, frame_}),
      management_({ranging_, entry_, flows_, links_, polling_, broadcast_replies_, privacy_}),
      quality_({clock_, ranging_, planner_, subchannels_}),
      receiver_({clock_, stations_, ranging_, management_, demand_, planner_, quality_, sources_, privacy_, on_sdu,
                 layout.frame_samples(), kSymbolGrid}) {
    broadcast_replies_.finish_with([this](uint16_t cid, Buffer& message) {
        if (Subscriber* station = stations_.find_basic(cid)) privacy_.sign(*station, message);
    });
    multicast_.provision(config_);
}

sap::ConfigRequest BaseStation::phy_config() const {
    sap::ConfigRequest request;
    request.role = sap::Role::base_station;
    request.bandwidth_hz = config_.bandwidth_hz;
    request.frequency_hz = config_.frequency_hz;
    request.tx_gain_db = config_.tx_gain_db;
    request.rx_gain_db = config_.rx_gain_db;
    request.cp_denominator = config_.cp_denominator;
    request.frame_duration_code = config_.frame_duration_code;
    request.bsid = config_.bsid;
    request.first_frame_number = phy::FrameNumber(config_.first_frame_number);
    return request;
}

void BaseStation::on_phy_start(const sap::ConfigConfirm& confirm) {
    stations_.clear();
    multicast_.restart(config_);
    router_.restart();
    sources_.restart();
    broadcast_replies_.clear();
    planner_.restart();
    polling_.restart();
    reservations_.restart();
    downlink_.restart();
    frame_.use_antennas(confirm.tx_antennas);
    started_ = false;
    silent_ = true;
    eirp_dbm_ = config_.eirp_dbm.value_or(confirm.tx_reference_dbm);
    rx_reference_dbm_ = confirm.rx_reference_dbm;
    rx_gain_db_ = config_.rx_gain_db;
    power_changed_ = false;
    aim_below_full_scale(confirm.rx_reference_dbm);
    broadcasts_.restart(0, eirp_dbm_, config_.target_rssi_dbm);
    event_(EventSource::own(), "phy", "started, silent for " + std::to_string(config_.start_silence_ms) + " ms");
}

/// Keeps a burst at the target below the receiver's full scale: preambles and peaks are above the mean, and stations
/// differ by the tolerance of power control.
void BaseStation::aim_below_full_scale(float rx_reference_dbm) {
    const float highest = rx_reference_dbm - kReceiveHeadroomDb;
    config_.target_rssi_dbm = std::min(wanted_rssi_dbm_, highest);
    if (config_.target_rssi_dbm == wanted_rssi_dbm_) return;
    event_(EventSource::own(), "phy",
           "bs.target_rssi_dbm " + tenths(wanted_rssi_dbm_) + " is " + tenths(wanted_rssi_dbm_ - rx_reference_dbm) +
               " dBFS at air.rx_gain_db " + tenths(rx_gain_db_) + ": " + tenths(highest) +
               " dBm is aimed at; a gain lower by " + tenths(wanted_rssi_dbm_ - highest) + " dB would do for it");
}

/// The PHY's operator may change the gains at any time; the announced EIRP and the target level follow.
void BaseStation::follow_gains(const sap::FrameTick& tick) {
    if (const float eirp = config_.eirp_dbm.value_or(tick.tx_reference_dbm);
        tick.tx_reference_dbm > sap::kNoReferenceDbm && eirp != eirp_dbm_) {
        eirp_dbm_ = eirp;
        power_changed_ = true;
    }
    if (const float rx = tick.rx_reference_dbm; rx > sap::kNoReferenceDbm && rx != rx_reference_dbm_) {
        rx_gain_db_ += rx_reference_dbm_ - rx;
        rx_reference_dbm_ = rx;
        aim_below_full_scale(rx);
        for (auto& [cid, station] : stations_.stations()) station->ranging.aim_at(config_.target_rssi_dbm);
        power_changed_ = true;
    }
    if (power_changed_ && broadcasts_.change_power(eirp_dbm_, config_.target_rssi_dbm, tick.frame_start_sample))
        power_changed_ = false;
}

/// True: nothing is sent yet after a start.
bool BaseStation::silent_frame(const sap::FrameTick& tick) {
    if (started_ && tick.frame_number != clock_.frame + 1) {
        ++counters_.time_jumps;
        plan_.forget();
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
        broadcasts_.restart(clock_.now, eirp_dbm_, config_.target_rssi_dbm);
        event_(EventSource::own(), "mac", "transmitting");
    }
    return false;
}

void BaseStation::on_tick(const sap::FrameTick& tick, sap::TxFrame& tx, sap::RxExpect& expect) {
    tx.phy_session = expect.phy_session = tick.phy_session;
    tx.frame_number = expect.frame_number = tick.frame_number;
    broadcasts_.begin_frame(tick.frame_start_sample);
    follow_gains(tick);
    tx.dcd_count = broadcasts_.dcd_count();
    expect.allocations.clear();
    expect.contention_slots.clear();
    if (silent_frame(tick)) {
        bursts_.take_back(tx.bursts);
        return;
    }
    rest_.begin_frame();
    entry_.run_timers();
    commands_.run_timers();
    reprovision_settled();
    links_.begin_frame();
    multicast_.begin_frame();
    reservations_.review();
    receiver_.run_timers();
    router_.begin_frame();
    planner_.plan();
    downlink_.build(tx);
    if (const auto* expected = plan_.expected(clock_.frame)) expect.allocations = *expected;
    const auto slots = plan_.contention_slots(clock_.frame);
    expect.contention_slots.assign(slots.begin(), slots.end());
    rest_.end_frame();
    if (tap) tap_sent(*tap, {clock_.frame, clock_.now, true}, 0, tx.bursts);
}

bool BaseStation::on_burst(const sap::RxBurst& burst, sap::RxExpect&) {
    if (tap)
        tap_received(*tap, {burst.frame_number, start_of(burst.frame_number, clock_, layout_.frame_samples()), false},
                     burst);
    receiver_.receive(burst);
    return false;
}

Faults BaseStation::change_profile(const BaseStationProfile& profile) {
    auto faults = validate(profile);
    if (!faults.empty()) return faults;
    if (!broadcasts_.change(descriptor_values(profile, config_.adaptation.margin_db), clock_.now))
        return Fault{"", "", "one change at a time; the last one is not in force yet"};
    planner_.use_windows(profile);
    event_(EventSource::own(), "mac", "descriptors change");
    return Faults();
}

void BaseStation::on_error(const sap::ErrorIndication& error) {
    ++counters_.errors;
    if (error.kind == sap::ErrorKind::late) ++counters_.late;
}

/// The station that the command is about: by its address, or by its flow.
Subscriber* BaseStation::owner(const FlowCommand& command) const {
    for (const auto& [cid, station] : stations_.stations()) {
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
    if (station) stations_.wake(station->basic_cid);
    if (!station)
        return failure("", command.kind == DsxKind::add ? "no such station is registered" : "no such service flow");
    switch (command.kind) {
        case DsxKind::add: return flows_.add(*station, command.flow, command.state, command.id);
        case DsxKind::change: return flows_.change(*station, command.sfid, command.flow, command.state, command.id);
        case DsxKind::remove: return flows_.remove(*station, command.sfid, command.id);
    }
    return {};
}

bool BaseStation::operational() const {
    for (const auto& [cid, station] : stations_.stations())
        if (station->entry.operational()) return true;
    return false;
}

std::unique_ptr<BaseStationMac> make_base_station(const BaseStationConfig& config) {
    const auto layout = FrameLayout::make(config);
    assert(layout && "validate() first");
    return layout ? std::make_unique<BaseStation>(config, *layout) : nullptr;
}

}  // namespace wimax::mac
