// SPDX-License-Identifier: GPL-3.0-or-later
#include "sim/cell.h"

#include "mac/report/events.h"

#include <algorithm>
#include <chrono>
#include <ctime>

namespace wimax::sim {
namespace {

/// Wall time since construction, us.
class WallTime {
public:
    double us() const {
        return std::chrono::duration<double, std::micro>(std::chrono::steady_clock::now() - begin_).count();
    }

private:
    std::chrono::steady_clock::time_point begin_ = std::chrono::steady_clock::now();
};

/// CPU time of this thread since construction, us, independent of other work of the machine.
class CpuTime {
public:
    double us() const { return now_us() - begin_; }

private:
    static double now_us() {
        timespec t{};
        clock_gettime(CLOCK_THREAD_CPUTIME_ID, &t);
        return 1e6 * static_cast<double>(t.tv_sec) + 1e-3 * static_cast<double>(t.tv_nsec);
    }
    double begin_ = now_us();
};

sap::ConfigConfirm confirm_of(const mac::FrameTiming& timing, const PhyConfig& phy) {
    sap::ConfigConfirm c;
    c.sample_rate_hz = static_cast<uint32_t>(timing.sample_rate_hz);
    c.tx_reference_dbm = static_cast<float>(phy.reference_dbm);
    return c;
}

}  // namespace

Cell::Cell(CellConfig config, Users& users)
    : basic_cids(static_cast<uint16_t>(config.bs.basic_cids)),
      config_(std::move(config)),
      users_(users),
      air_model_(make_air_model(config_.bs)),
      random_(config_.seed),
      bs_(mac::make_base_station(config_.bs)),
      uplink_({config_.phy, config_.drop, *air_model_, random_, counters_}, basic_cids),
      frame_(config_.bs.first_frame_number) {
    bs_->on_sdu = [this](Octets packet) { users_.receive(0, packet, delivered_at_); };
    bs_->on_event = [this](uint32_t frame, const mac::Event& event) {
        if (on_event) on_event(0, frame, event);
    };
    bs_->on_phy_start(confirm_of(timing(), config_.phy));
    for (const auto& setup : config_.stations) {
        const size_t node = terminals_.size() + 1;
        auto& t = terminals_.emplace_back(RadioPath(setup.path, random_()), node);
        t.mac = mac::make_subscriber_station(setup.mac);
        if (setup.mac.half_duplex && !setup.mac.carriers.shared())
            t.half_duplex = mac::HalfDuplexGaps{setup.mac.ssttg_us, setup.mac.ssrtg_us};
        t.mac->on_sdu = [this, node](Octets packet) { users_.receive(node, packet, delivered_at_); };
        t.mac->on_event = [this, node](uint32_t frame, const mac::Event& event) {
            if (on_event) on_event(node, frame, event);
        };
        t.mac->on_phy_start(confirm_of(timing(), config_.phy));
        join(t);
    }
}

size_t operational(const Cell& cell) {
    size_t count = 0;
    for (size_t i = 0; i < cell.stations(); ++i) count += cell.station(i).operational() ? 1 : 0;
    return count;
}

void Cell::step() {
    const WallTime wall;
    base_station_spent_us_ = 0;
    sap::FrameTick tick;
    tick.frame_number = frame_;
    tick.frame_start_sample = now();
    air_model_->describe(tick);
    frame_measured_s_ = seconds(now() - measured_from_);
    frame_air_s_ = seconds(now());
    const auto samples = [&](uint32_t us) { return samples_in_us(us, timing()); };
    BurstLoop::step(tick, {timing().frame_samples, samples(config_.phy.tick_lead_us), samples(config_.phy.report_us),
                           samples(config_.phy.turnaround_us)});
    uplink_.end();
    frame_ = frame_ + 1;
    ++counters_.frames;
    times_.frame.add(wall.us());
    times_.base_station.add(base_station_spent_us_);
}

phy::Slot Cell::burst_end(phy::Slot start, const phy::BurstFormat& format) const {
    return air_model_->end_of(start, format);
}

// --- base station ----------------------------------------------------------------------------------------------------

void Cell::ask_base_station(const sap::FrameTick& tick, sap::TxFrame& tx, sap::RxExpect& expect) {
    users_.send(0, *bs_, tick.frame_start_sample - samples_in_us(config_.phy.tick_lead_us, timing()));
    const WallTime wall;
    const CpuTime cpu;
    bs_->on_tick(tick, tx, expect);
    times_.schedule_cpu.add(cpu.us());
    base_station_spent_us_ += wall.us();
    digest_.add(0, tx);
    if (tap) tap->on_frame(tx, expect);
    prepare_downlink();
}

void Cell::report(const sap::RxBurst& burst, Samples at) {
    delivered_at_ = at;
    const WallTime wall;
    bs_->on_burst(burst, unused_);
    base_station_spent_us_ += wall.us();
}

void Cell::report(const sap::RxContention& contention) {
    const WallTime wall;
    bs_->on_contention(contention);
    base_station_spent_us_ += wall.us();
}

void Cell::prepare_downlink() {
    const auto& bursts = downlink().bursts;
    if (sent_.size() < bursts.size()) sent_.resize(bursts.size());
    for (size_t i = 0; i < bursts.size(); ++i) {
        const auto& b = bursts[i];
        if (i > 0) counters_.dl_symbols += static_cast<uint64_t>(b.format.total_symbols());
        sap::RxBurst& r = sent_[i];
        r.frame_number = frame_;
        r.index = static_cast<uint8_t>(i + 1);
        r.start_slot = b.start_slot;
        r.rate_id = b.format.rate_id;
        r.iuc = b.format.iuc;
        r.detected = r.fec_ok = true;
        r.frame_start_sample = frame().frame_start_sample;
        r.cp_denominator = frame().cp_denominator;
        r.frame_samples = frame().frame_samples;
        r.payload = b.payload;
        r.payload.resize(air_model_->octets(b.format), 0xFF);
    }
    if (!bursts.empty() && !on_air_since_) on_air_since_ = frame().frame_start_sample;
    air_model_->announce(downlink(), std::span(sent_).first(bursts.size()));
    if (readings_.size() < bursts.size()) readings_.resize(bursts.size());
    for (size_t i = 0; i < bursts.size(); ++i) readings_[i].read(sent_[i].payload);
}

// --- stations --------------------------------------------------------------------------------------------------------

bool Cell::hears(Listener& listener, sap::FrameTick& tick) {
    auto& t = static_cast<Terminal&>(listener);
    const double snr_db = t.path.begin_frame(frame_measured_s_, frame_air_s_);
    tick.rssi_dbm = static_cast<float>(config_.phy.noise_dbm + snr_db);
    tick.cinr_db = static_cast<float>(snr_db);
    const double start_lost = air_model_->start_error(snr_db);
    return !downlink().bursts.empty() && (start_lost <= 0 || uniform(random_) >= start_lost);
}

bool Cell::finds(const Listener& listener, size_t i) {
    return air_model_->finds(downlink().bursts[i], listener.profiles, listener.expect);
}

void Cell::deliver(Listener& listener, size_t i, Samples at, sap::RxExpect& expect) {
    auto& t = static_cast<Terminal&>(listener);
    sap::RxBurst* r = &sent_[i];
    delivered_at_ = at;
    ++counters_.dl_bursts;
    const double block_error = air_model_->block_error(r->rate_id, Direction::downlink, t.path.frame_snr_db());
    if (block_error > 0 || config_.drop.any()) {
        damaged_ = *r;
        r = &damaged_;
        if (i > 0 && config_.drop.any()) drop_pdus(*r, config_.drop, basic_cids, random_, counters_.drops);
        counters_.dl_bursts_wrong += air_model_->decode(*r, block_error, random_) > 0;
    }
    r->measured.rssi_dbm = static_cast<float>(config_.phy.noise_dbm + t.path.frame_snr_db());
    r->measured.cinr_db = static_cast<float>(t.path.frame_snr_db());
    if (r == &damaged_) t.mac->on_burst(damaged_, expect);
    else t.mac->on_read_burst(*r, readings_[i], expect);
}

void Cell::ask(Listener& listener, const sap::FrameTick& tick, Samples at) {
    auto& t = static_cast<Terminal&>(listener);
    users_.send(t.node, *t.mac, at);
    t.mac->on_tick(tick, t.tx, unused_);
    digest_.add(t.node, t.tx);
    uplink_.send(t.tx, t.path.config(), t.path.frame_snr_db());
}

}  // namespace wimax::sim
