// SPDX-License-Identifier: GPL-3.0-or-later
#include "mac/ss/subscriber_station.h"

#include "mac/air/air_factory.h"
#include "mac/flow/arq_exchange.h"
#include "mac/flow/flow_command.h"

#include <algorithm>
#include <utility>

namespace wimax::mac {
namespace {

constexpr uint8_t kBroadcastBurst = 1;
/// Choices of a loaded classifier.
constexpr size_t kRememberedConnections = 512;

uint64_t seed_of(const SubscriberConfig& config) {
    uint64_t seed = config.random_seed;
    if (seed == 0)
        for (const uint8_t octet : config.mac) seed = seed << 8 | octet;
    return seed * 0x9E3779B97F4A7C15ULL;
}

std::optional<HalfDuplexGaps> gaps_of(const SubscriberConfig& config) {
    if (!config.half_duplex || config.carriers.shared()) return std::nullopt;
    return HalfDuplexGaps{config.ssttg_us, config.ssrtg_us};
}

}  // namespace

SubscriberStation::SubscriberStation(const SubscriberConfig& config)
    : config_(config),
      event_(clock_,
             [this](const Event& event) {
                 if (on_event) on_event(air_->network_frame().value(), event);
             }),
      policies_(config.policies, {air_of(config).grid, clock_},
                [this](const std::string& line, bool replaced) {
                    event_(EventSource::own(), "mac", line, replaced ? 1 : 0);
                }),
      random_(seed_of(config)),
      channels_(config.carriers, config.scan_frequencies_hz),
      air_(air_of(config).make_subscriber(config.bsid, config.edition, clock_)),
      privacy_(config_.privacy, config_.mac, {clock_, event_, management_}),
      queues_(QueueManagement::of(policies_)),
      classifier_(FlowClassifier::of(policies_, kRememberedConnections)),
      flows_({config.sdu_buffers, config.queue_limit_bytes, config.queue_limit_packets, config.codel_target_frames,
              config.codel_interval_ms, config.ecn, config.sdu_hold_frames, config.link, config.arq_feedback,
              config.adaptation.target_loss},
             {clock_, event_, privacy_, &classifier_}),
      agent_({config.t7_ms, config.t8_ms, config.t10_ms, config.t14_ms}, {clock_, event_, flows_, management_.queue}),
      ranging_(config_, {clock_, *air_, random_, bursts_}),
      profile_(config_.adaptation, config_.mac, {clock_, *air_, ranging_, management_, policies_}),
      contention_({config.t16_ms}, {clock_, flows_, management_, random_, bursts_}),
      managed_(config_.managed, config_.arq_feedback, config_.mac, {clock_, event_, management_, privacy_, agent_}),
      entry_(config_, {clock_, event_, channels_, *air_, ranging_, management_, flows_, agent_, contention_, privacy_,
                       managed_}),
      uplink_({config.t16_ms}, {clock_, flows_, management_, bursts_}),
      receiver_({*air_, profile_, entry_, ranging_, management_, flows_, agent_, contention_, privacy_, managed_,
                 clock_, event_, on_sdu}),
      own_bursts_(gaps_of(config)) {}

sap::ConfigRequest SubscriberStation::phy_config() const {
    sap::ConfigRequest request;
    request.role = sap::Role::subscriber_station;
    request.bandwidth_hz = config_.bandwidth_hz;
    request.carriers = channels_.carriers();
    request.tx_gain_db = config_.tx_gain_db;
    request.rx_gain_db = config_.rx_gain_db;
    return request;
}

bool SubscriberStation::phy_config_changed(sap::ConfigRequest& request) {
    if (!channels_.changed()) return false;
    request = phy_config();
    return true;
}

void SubscriberStation::on_phy_start(const sap::ConfigConfirm& confirm) {
    if (confirm.sample_rate_hz != 0) clock_.sample_rate_hz = confirm.sample_rate_hz;
    clock_.now = 0;
    policies_.start(confirm.lock_step);
    own_bursts_.restart();
    ranging_.new_phy(config_.max_power_dbm.value_or(confirm.tx_reference_dbm));
    entry_.new_phy();
}

void SubscriberStation::on_tick(const sap::FrameTick& tick, sap::TxFrame& tx, sap::RxExpect&) {
    if (tick.sample_rate_hz != 0) clock_.sample_rate_hz = tick.sample_rate_hz;
    clock_.now = tick.frame_start_sample;
    clock_.frame = tick.frame_number;
    event_.begin_frame();
    ++counts_.frames;
    tx.phy_session = tick.phy_session;
    tx.frame_number = tick.frame_number;
    bursts_.take_back(tx.bursts);
    tx.codes.clear();
    if (tick.tx_reference_dbm > sap::kNoReferenceDbm)
        ranging_.corrections().limit_power(config_.max_power_dbm.value_or(tick.tx_reference_dbm));
    air_->on_tick(tick);
    count_missed_maps();
    privacy_.begin_frame(air_->network_frame());
    flows_.tick();
    queues_.manage([this](const auto& visit) {
        for (const auto& flow : flows_.flows())
            if (flow->transmitter) visit(flow->transmitter->queue(), flow->cid, flow->sfid, flow->config);
    });
    receiver_.run_timers();
    entry_.run_timers();
    profile_.begin_frame(entry_.operational(), std::exchange(granted_, false), flows_.aim());
    if (air_->state().synchronised && entry_.may_transmit())
        if (const auto* uplink = air_->uplink_of(clock_.frame)) build_uplink(*uplink, tx);
    ranging_.corrections().put_into(tx, air_->density_gain_db(tx));
    own_bursts_.sent(tick, tx);
    if (tap) air_->tap_sent(*tap, ranging_.basic_cid(), tx);
}

/// A foreign base station may grant symbols over the next maps.
void SubscriberStation::count_missed_maps() {
    if (!own_bursts_.cover(clock_.now, clock_.now + std::max<Samples>(1, air_->state().maps_samples))) return;
    ++counts_.missed_for_grants;
    entry_.on_broadcast(Broadcast::missed);
}

/// Burst #1 failed because the station transmitted.
bool SubscriberStation::deaf_to(const sap::RxBurst& broadcast) const {
    if (broadcast.detected && broadcast.fec_ok) return false;
    return own_bursts_.cover(broadcast.frame_start_sample,
                             broadcast.frame_start_sample + std::max<Samples>(1, air_->state().maps_samples));
}

void SubscriberStation::build_uplink(const SubscriberUplink& uplink, sap::TxFrame& tx) {
    ranging_.add_request(uplink, tx);
    const uint16_t basic_cid = ranging_.basic_cid();
    if (!entry_.served() || basic_cid == 0) return;
    management_.request.expire(clock_.now);
    flows_.expire_requests();
    const auto result = uplink_.build(uplink, basic_cid, tx);
    granted_ = result.granted;
    if (result.granted) entry_.on_grant();
    if (result.could_ask) contention_.spare();
    else if (auto terms = air_->contention_terms()) {
        terms->narrow = ranging_.corrections().on_part_of_band();
        contention_.add_request(uplink, *terms, basic_cid, tx);
    }
    std::sort(tx.bursts.begin(), tx.bursts.end(),
              [](const auto& a, const auto& b) { return a.start_slot < b.start_slot; });
}

bool SubscriberStation::on_burst(const sap::RxBurst& burst, sap::RxExpect& expect) {
    reading_.read(burst.detected ? Octets(burst.payload) : Octets());
    return on_read_burst(burst, reading_, expect);
}

bool SubscriberStation::on_read_burst(const sap::RxBurst& burst, ReadBurst& reading, sap::RxExpect& expect) {
    const bool broadcast = burst.index == kBroadcastBurst;
    if (broadcast && deaf_to(burst)) return false;
    if (tap) air_->tap_received(*tap, burst, broadcast);
    receiver_.receive(burst, reading, broadcast);
    if (!broadcast) return false;
    const auto* uplink = air_->uplink_of(burst.frame_number);
    if (const auto gain_db = uplink ? uplink->density_gain_db(ranging_.basic_cid()) : std::nullopt)
        ranging_.corrections().on_grants(*gain_db);
    air_->expect(burst, {ranging_.basic_cid(), ranging_.ranging(), entry_.served(), management_.polling}, expect);
    return true;
}

bool SubscriberStation::describe(FlowCommand& command) const {
    const SubscriberFlow* flow = flows_.find_sfid(command.sfid);
    if (!flow) return false;
    command.flow = flow->config;
    command.state = flow->state();
    return true;
}

Outcome SubscriberStation::change_flow(const FlowCommand& command) {
    if (entry_.state() < SsState::registered) return failure("", "not registered");
    if (command.kind == DsxKind::add) {
        if (agent_.add(command.flow, command.state, command.id)) return {};
        return failure("", "too many transactions");
    }
    if (!flows_.find_sfid(command.sfid)) return failure("", "no such service flow");
    const bool begun = command.kind == DsxKind::change
                           ? agent_.change(command.sfid, command.flow, command.state, command.id)
                           : agent_.remove(command.sfid, command.id);
    if (!begun) return failure("", "it is changing");
    return {};
}

void SubscriberStation::on_error(const sap::ErrorIndication& error) {
    ++counts_.errors;
    if (error.kind == sap::ErrorKind::late) ++counts_.late;
}

std::unique_ptr<SubscriberMac> make_subscriber_station(const SubscriberConfig& config) {
    return std::make_unique<SubscriberStation>(config);
}

}  // namespace wimax::mac
