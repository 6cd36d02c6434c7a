/* SPDX-License-Identifier: GPL-3.0-or-later */
#include <mac/ss/subscriber_station.h>

namespace wimax::mac {
namespace {

constexpr uint8_t kBroadcastBurst = 1;
/// Bursts that the frame prefix announces, the first included.
constexpr size_t kPrefixBursts = 4;

uint64_t seed_of(const SubscriberConfig& config) {
    uint64_t seed = config.random_seed;
    if (seed == 0)
        for (const uint8_t octet : config.mac) seed = seed << 8 | octet;
    return seed * 0x9E3779B97F4A7C15ULL;
}

}  // namespace

SubscriberStation::SubscriberStation(const SubscriberConfig& config)
    : config_(config), pool_(config.sdu_buffers), random_(seed_of(config)), primary_(Reassembler::kManagementOctets) {
    diuc_rates_.fill(-1);
    uiuc_rates_.fill(-1);
}

sap::ConfigRequest SubscriberStation::phy_config() const {
    sap::ConfigRequest request;
    request.role = sap::Role::subscriber_station;
    request.bandwidth_hz = config_.bandwidth_hz;
    request.frequency_hz = config_.frequency_hz;
    request.tx_gain_db = config_.tx_gain_db;
    request.rx_gain_db = config_.rx_gain_db;
    return request;
}

void SubscriberStation::on_phy_start(const sap::ConfigConfirm& confirm) {
    if (confirm.sample_rate_hz != 0) sample_rate_hz_ = confirm.sample_rate_hz;
    max_power_dbm_ = config_.max_power_dbm.value_or(confirm.tx_reference_dbm);
    started_at_ = heard_at_ = -1;
    now_ = 0;
    blocked_until_ = INT64_MIN;
    diuc_rates_.fill(-1);  // a new PHY has to be told them again
    timing_advance_samples_ = 0;
    frequency_adjust_hz_ = 0;
    restart("PHY started");
}

void SubscriberStation::on_tick(const sap::FrameTick& tick, sap::TxFrame& tx, sap::RxExpect&) {
    if (tick.sample_rate_hz != 0) sample_rate_hz_ = tick.sample_rate_hz;
    now_ = tick.frame_start_sample;
    frame_ = tick.frame_number & 0xFFFFFF;
    if (started_at_ < 0) started_at_ = now_;
    synchronised_ = tick.synchronised;
    ++counters_.frames;
    tx.phy_session = tick.phy_session;
    tx.frame_number = tick.frame_number;
    bursts_.take_back(tx.bursts);
    if (tick.synchronised) {
        frequency_offset_hz_ = tick.frequency_offset_hz;
        clock_offset_ppm_ = tick.clock_offset_ppm;
        symbol_slots_ = symbol_slots(tick.cp_denominator);
    } else {
        ++counters_.unsynchronised;
    }
    for (auto& flow : flows_)
        if (flow->transmitter) flow->transmitter->tick(now_);
    run_timers();
    if (synchronised_ && !muted_ && now_ >= blocked_until_)
        if (const auto* map = map_for(frame_)) build_uplink(*map, tx);
    tx.timing_advance_samples = timing_advance_samples_;
    tx.frequency_adjust_hz = frequency_adjust_hz_;
    tx.power_dbm = power_dbm_;
}

bool SubscriberStation::on_burst(const sap::RxBurst& burst, sap::RxExpect& expect) {
    const bool broadcast = burst.index == kBroadcastBurst;
    ++counters_.bursts;
    dl_map_fresh_ = false;
    if (!burst.detected || !burst.fec_ok) ++counters_.undecoded_bursts;
    if (burst.detected) {
        if (broadcast) {
            symbol_slots_ = symbol_slots(burst.cp_denominator);
            if (frame_slots_ == 0) frame_slots_ = burst.frame_samples / phy::kSamplesPerSlot;
            rssi_dbm_ = burst.rssi_dbm;
            quality_.add(burst.rssi_dbm, burst.cinr_db);
        }
        cinr_db_ = burst.cinr_db;
        PduReader reader(burst.payload);
        while (const auto pdu = reader.next()) on_pdu(*pdu, burst);
        if (reader.error()) ++counters_.stopped_bursts;
    }
    if (!broadcast) return false;
    expect.phy_session = burst.phy_session;
    expect.frame_number = burst.frame_number;
    expect.want_prefix_bursts = true;
    expect.allocations.clear();
    const auto* map = map_for(burst.frame_number);
    expect.first_uplink_slot = map ? first_uplink_slot(*map) : 0;
    const auto* next_map = map_for(burst.frame_number + 1);
    expect.next_uplink_slot = next_map ? next_uplink_slot(*next_map) : 0;
    if (!dl_map_fresh_) return true;
    // Beyond the frame prefix. Maps may leave out burst #1; an element's burst ends where the next one begins.
    const bool has_first = !dl_map_.ies.empty() && dl_map_.ies.front().start_symbols <= kFirstBurstSymbol;
    for (size_t i = kPrefixBursts - (has_first ? 0 : 1); i + 1 < dl_map_.ies.size(); ++i) {
        const auto& ie = dl_map_.ies[i];
        if (ie.diuc < diuc::kFirstProfile || ie.diuc > diuc::kLastProfile || diuc_rates_[ie.diuc] < 0) continue;
        const int symbols = dl_map_.ies[i + 1].start_symbols - ie.start_symbols - (ie.preamble ? 1 : 0);
        if (symbols <= 0) continue;
        sap::RxAllocation a;
        a.start_slot = ie.start_symbols * symbol_slots_;
        a.rate_id = static_cast<uint8_t>(diuc_rates_[ie.diuc]);
        a.iuc = ie.diuc;
        a.preamble_symbols = ie.preamble ? 1 : 0;
        a.data_symbols = static_cast<uint16_t>(symbols);
        a.seed_frame_lsb = burst.frame_lsb;
        expect.allocations.push_back(a);
    }
    return true;
}

void SubscriberStation::on_error(const sap::ErrorIndication& error) {
    ++counters_.errors;
    if (error.kind == sap::ErrorKind::late) ++counters_.late;
}

bool SubscriberStation::profiles_changed(sap::ProfilesRequest& profiles) {
    if (!profiles_changed_) return false;
    profiles_changed_ = false;
    profiles.diuc_rates = diuc_rates_;
    profiles.dcd_count = dcd_in_force_.value_or(0);
    return true;
}

bool SubscriberStation::push_sdu(Octets packet) {
    const PacketFields fields = PacketFields::parse(packet);
    Flow* best = nullptr;
    int best_rank = -1;
    for (const auto& flow : flows_) {
        if (!flow->transmitter) continue;
        const int match = match_priority(flow->config.classifiers, fields);
        const int rank = match < 0 ? -1 : match * 2 + (flow->config.classifiers.empty() ? 0 : 1);
        if (rank > best_rank) {
            best_rank = rank;
            best = flow.get();
        }
    }
    if (!best) {
        ++counters_.unclassified;
        return false;
    }
    const bool taken = best->transmitter->push(packet, fields.hash(), now_);
    if (!taken) ++counters_.refused_sdus;
    return taken;
}

void SubscriberStation::event(const std::string& layer, const std::string& text) const {
    if (on_event) on_event((frame_ + frame_offset_) & 0xFFFFFF, layer, text);
}

std::unique_ptr<Station> make_subscriber_station(const SubscriberConfig& config) {
    return std::make_unique<SubscriberStation>(config);
}

}  // namespace wimax::mac
