/* SPDX-License-Identifier: GPL-3.0-or-later */
#include <mac/bs/base_station.h>

#include <algorithm>
#include <cassert>

namespace wimax::mac {
namespace {

/// Of packets to addresses that nobody has sent from yet, a frame.
constexpr size_t kTrialCopies = 8;

SduQueueConfig queue_config(const BaseStationConfig& config, const FrameLayout& layout) {
    SduQueueConfig queue;
    queue.codel_target = static_cast<Samples>(config.codel_target_frames * static_cast<float>(layout.frame_samples()));
    queue.codel_interval = layout.samples_from_ms(config.codel_interval_ms);
    return queue;
}

}  // namespace

BaseStation::BaseStation(const BaseStationConfig& config, const FrameLayout& layout)
    : config_(config),
      layout_(layout),
      pool_(config.sdu_buffers),
      queue_config_(queue_config(config, layout)),
      broadcasts_(config, layout),
      scheduler_({config.profile.unasked_symbols, config.profile.grant_spare, kMaxUlMapElements}),
      places_(layout.ul_symbols, layout.sample_rate_hz(), layout.frame_samples()) {}

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
    request.first_frame_number = config_.first_frame_number;
    return request;
}

void BaseStation::on_phy_start(const sap::ConfigConfirm& confirm) {
    stations_.clear();
    basic_by_transport_.clear();
    destinations_known_ = false;
    learnt_.clear();
    initial_.clear();
    for (auto& plan : plans_) plan.valid = false;
    places_.restart();
    started_ = false;
    silent_ = true;
    next_ranging_region_ = ranging_seen_until_ = INT64_MIN;
    broadcasts_.restart(0, config_.eirp_dbm.value_or(confirm.tx_reference_dbm));
    eirp_dbm_ = config_.eirp_dbm.value_or(confirm.tx_reference_dbm);
    event("phy", "started, silent for " + std::to_string(config_.start_silence_ms) + " ms");
}

void BaseStation::on_tick(const sap::FrameTick& tick, sap::TxFrame& tx, sap::RxExpect& expect) {
    if (started_ && tick.frame_number != ((frame_ + 1) & 0xFFFFFF)) {
        ++counters_.time_jumps;
        for (auto& plan : plans_) plan.valid = false;
    }
    now_ = tick.frame_start_sample;
    frame_ = tick.frame_number & 0xFFFFFF;
    if (!started_) {
        started_ = true;
        silence_until_ = now_ + layout_.samples_from_ms(config_.start_silence_ms);
    }
    tx.phy_session = expect.phy_session = tick.phy_session;
    tx.frame_number = expect.frame_number = tick.frame_number;
    tx.dcd_count = broadcasts_.dcd(frame_).change_count;
    expect.allocations.clear();
    ++counters_.frames;
    if (now_ < silence_until_) {
        ++counters_.silent_frames;
        bursts_.take_back(tx.bursts);
        return;
    }
    if (silent_) end_silence();
    run_timers();
    trial_copies_ = std::min(trial_copies_ + kTrialCopies, std::max(kTrialCopies, stations_.size()));
    plan_uplink();
    fill_downlink(tx);
    const UplinkPlan& now = plan_of(frame_);
    if (now.valid && now.frame == frame_) expect.allocations = now.allocations;
}

void BaseStation::end_silence() {
    silent_ = false;
    broadcasts_.restart(now_, eirp_dbm_);
    event("mac", "transmitting");
}

bool BaseStation::on_burst(const sap::RxBurst& burst, sap::RxExpect&) {
    switch (burst.kind) {
        case sap::BurstKind::contention: on_contention_burst(burst); break;
        case sap::BurstKind::ranging: on_ranging_burst(burst); break;
        case sap::BurstKind::data: on_data_burst(burst); break;
    }
    return false;
}

void BaseStation::on_error(const sap::ErrorIndication& error) {
    ++counters_.errors;
    if (error.kind == sap::ErrorKind::late) ++counters_.late;
}

const DestinationMap& BaseStation::destinations() {
    if (destinations_known_) return destinations_;
    destinations_known_ = true;
    destinations_.clear();
    for (const auto& [cid, station] : stations_)
        for (const auto& flow : station->flows) {
            if (!flow->active || !flow->transmitter) continue;
            bool open = flow->config.classifiers.empty();
            for (const auto& rule : flow->config.classifiers) {
                open = open || rule.destination.empty();
                for (const auto& where : rule.destination) destinations_.claim(cid, where);
            }
            if (open) destinations_.open(cid);
        }
    return destinations_;
}

void BaseStation::forget_destinations(uint16_t basic_cid) {
    destinations_known_ = false;
    learnt_.forget(basic_cid);
}

/// What an open station sends from is reached through it.
void BaseStation::learn(const Subscriber& station, Octets packet) {
    if (!destinations().is_open(station.basic_cid)) return;
    const PacketFields fields = PacketFields::parse(packet);
    constexpr uint32_t kFirstMulticast = 0xE0000000;
    if (fields.ipv4 && fields.source != 0 && fields.source < kFirstMulticast)
        learnt_.learn(fields.source, station.basic_cid);
}

/// The best rule of those stations whose rules name the destination; of equal ones that of the lowest CID.
FlowContext* BaseStation::flow_of_claimant(const PacketFields& packet) {
    FlowContext* best = nullptr;
    int best_priority = -1;
    uint16_t best_cid = 0;
    destinations().claimants(packet.destination, [&](uint16_t cid) {
        int priority = -1;
        FlowContext* flow = stations_.at(cid)->classify(packet, priority);
        if (!flow || priority < best_priority || (priority == best_priority && cid > best_cid)) return;
        best = flow;
        best_priority = priority;
        best_cid = cid;
    });
    return best;
}

FlowContext* BaseStation::flow_of(uint16_t basic_cid, const PacketFields& packet) const {
    int priority = -1;
    return stations_.at(basic_cid)->classify(packet, priority);
}

bool BaseStation::push(FlowContext* flow, const PacketFields& fields, Octets packet) {
    const bool taken = flow->transmitter->push(packet, fields.hash(), now_);
    if (!taken) ++counters_.refused_sdus;
    return taken;
}

/// Nobody has sent from that address yet. The answer will tell where it is; a scan of many addresses shall not fill the
/// downlink.
bool BaseStation::try_all(const PacketFields& fields, Octets packet) {
    const auto& open = destinations().open_stations();
    if (open.size() > trial_copies_) {
        ++counters_.unlearnt;
        return false;
    }
    trial_copies_ -= open.size();
    bool taken = false;
    for (const uint16_t cid : open)
        if (FlowContext* flow = flow_of(cid, fields)) taken = push(flow, fields, packet) || taken;
    counters_.unclassified += !taken;
    return taken;
}

bool BaseStation::push_sdu(Octets packet) {
    const PacketFields fields = PacketFields::parse(packet);
    FlowContext* flow = flow_of_claimant(fields);
    const auto& open = destinations().open_stations();
    if (!flow && !open.empty()) {
        const auto known = open.size() == 1 ? std::optional(open.front()) : learnt_.find(fields.destination);
        if (!known) return try_all(fields, packet);
        flow = flow_of(*known, fields);
    }
    if (flow) return push(flow, fields, packet);
    ++counters_.unclassified;
    return false;
}

bool BaseStation::operational() const {
    for (const auto& [cid, station] : stations_)
        if (station->state == EntryState::operational) return true;
    return false;
}

void BaseStation::event(const std::string& layer, const std::string& text) const {
    if (on_event) on_event(frame_, layer, text);
}

void BaseStation::limited_event(EventLimit& kind, const std::string& text) {
    std::string note;
    if (kind.allow(now_, layout_.sample_rate_hz(), note)) event("entry", text + note);
}

std::unique_ptr<Station> make_base_station(const BaseStationConfig& config) {
    std::vector<std::string> faults;
    const auto layout = FrameLayout::make(config, faults);
    assert(layout && "validate() first");
    return layout ? std::make_unique<BaseStation>(config, *layout) : nullptr;
}

}  // namespace wimax::mac
