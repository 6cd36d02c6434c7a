// SPDX-License-Identifier: GPL-3.0-or-later
#include "sim/cell.h"

#include "mac/report/events.h"

#include <algorithm>
#include <chrono>
#include <ctime>

namespace wimax::sim {
namespace {

/// Frames in a row that a receiver needs to synchronise, and misses before it loses synchronisation.
constexpr int kFramesToSync = 2, kFramesToLose = 5;

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

}  // namespace

Cell::Cell(CellConfig config, Users& users)
    : config_(std::move(config)),
      users_(users),
      air_model_(make_air_model(config_.bs)),
      random_(config_.seed),
      bs_(mac::make_base_station(config_.bs)),
      uplink_({config_.phy, config_.drop, *air_model_, random_, counters_}, basic_cids(),
              {[this](const auto& burst, Samples at) { report_to_base_station(burst, at); },
               [this](const auto& contention) { report_to_base_station(contention); }}),
      frame_(config_.bs.first_frame_number) {
    bs_->on_sdu = [this](Octets packet) { users_.receive(0, packet, delivered_at_); };
    bs_->on_event = [this](uint32_t frame, const mac::Event& event) {
        if (on_event) on_event(0, frame, event);
    };
    bs_->on_phy_start(confirm());
    for (const auto& setup : config_.stations) {
        const size_t node = terminals_.size() + 1;
        auto& t =
            terminals_.emplace_back(mac::make_subscriber_station(setup.mac), RadioPath(setup.path, random_()), node);
        t.mac->on_sdu = [this, node](Octets packet) { users_.receive(node, packet, delivered_at_); };
        t.mac->on_event = [this, node](uint32_t frame, const mac::Event& event) {
            if (on_event) on_event(node, frame, event);
        };
        t.mac->on_phy_start(confirm());
    }
}

sap::ConfigConfirm Cell::confirm() const {
    sap::ConfigConfirm c;
    c.sample_rate_hz = static_cast<uint32_t>(timing().sample_rate_hz);
    c.tx_reference_dbm = static_cast<float>(config_.phy.reference_dbm);
    return c;
}

size_t Cell::operational() const {
    return static_cast<size_t>(
        std::count_if(terminals_.begin(), terminals_.end(), [](const auto& t) { return t.mac->operational(); }));
}

void Cell::step() {
    const WallTime wall;
    base_station_spent_us_ = 0;
    tick_ = {};
    tick_.frame_number = frame_;
    tick_.frame_start_sample = now();
    air_model_->describe(tick_);
    tick_base_station();
    prepare_downlink();
    for (auto& t : terminals_) step_terminal(t);
    uplink_.receive(tick_, expect_);
    frame_ = frame_ + 1;
    ++counters_.frames;
    times_.frame.add(wall.us());
    times_.base_station.add(base_station_spent_us_);
}

// --- downlink --------------------------------------------------------------------------------------------------------

void Cell::tick_base_station() {
    users_.send(0, *bs_, tick_.frame_start_sample - samples_in_us(config_.phy.tick_lead_us, timing()));
    const WallTime wall;
    const CpuTime cpu;
    bs_->on_tick(tick_, tx_, expect_);
    times_.schedule_cpu.add(cpu.us());
    base_station_spent_us_ += wall.us();
    digest_.add(0, tx_);
    uplink_.report_late();
}

void Cell::report_to_base_station(const sap::RxBurst& burst, Samples at) {
    delivered_at_ = at;
    const WallTime wall;
    bs_->on_burst(burst, unused_);
    base_station_spent_us_ += wall.us();
}

void Cell::report_to_base_station(const sap::RxContention& contention) {
    const WallTime wall;
    bs_->on_contention(contention);
    base_station_spent_us_ += wall.us();
}

void Cell::prepare_downlink() {
    if (sent_.size() < tx_.bursts.size()) sent_.resize(tx_.bursts.size());
    ends_.clear();
    for (size_t i = 0; i < tx_.bursts.size(); ++i) {
        const auto& b = tx_.bursts[i];
        if (i > 0) counters_.dl_symbols += static_cast<uint64_t>(b.format.total_symbols());
        sap::RxBurst& r = sent_[i];
        r.frame_number = frame_;
        r.index = static_cast<uint8_t>(i + 1);
        r.start_slot = b.start_slot;
        r.rate_id = b.format.rate_id;
        r.iuc = b.format.iuc;
        r.detected = r.fec_ok = true;
        r.frame_start_sample = tick_.frame_start_sample;
        r.cp_denominator = tick_.cp_denominator;
        r.frame_samples = tick_.frame_samples;
        r.payload = b.payload;
        r.payload.resize(air_model_->octets(b.format), 0xFF);
        const auto end = air_model_->end_of(b.start_slot, b.format);
        ends_.push_back(tick_.frame_start_sample + end.samples() + samples_in_us(config_.phy.report_us, timing()));
    }
    if (!tx_.bursts.empty() && !on_air_since_) on_air_since_ = tick_.frame_start_sample;
    air_model_->announce(tx_, std::span(sent_).first(tx_.bursts.size()));
}

// --- stations --------------------------------------------------------------------------------------------------------

void Cell::step_terminal(Terminal& t) {
    const Samples start = tick_.frame_start_sample;
    t.snr_db = t.path.snr_db(seconds(start - measured_from_), seconds(start));
    const double start_lost = air_model_->start_error(t.snr_db);
    const bool on_air = !tx_.bursts.empty() && (start_lost <= 0 || uniform(random_) >= start_lost);
    t.heard = on_air ? t.heard + 1 : 0;
    t.silent = on_air ? 0 : t.silent + 1;
    if (t.heard >= kFramesToSync) t.synchronised = true;
    if (t.silent >= kFramesToLose) t.synchronised = false;
    sap::FrameTick tick = tick_;
    tick.synchronised = t.synchronised;
    tick.rssi_dbm = static_cast<float>(config_.phy.noise_dbm + t.snr_db);
    tick.cinr_db = static_cast<float>(t.snr_db);
    if (t.synchronised && on_air) return listen(t, tick);
    t.expect.first_uplink_slot = t.next_uplink_slot = {};
    tick_terminal(t, tick, start);
}

/// Bursts and the tick in the order of their arrival.
void Cell::listen(Terminal& t, const sap::FrameTick& tick) {
    const Samples lead = samples_in_us(config_.phy.turnaround_us, timing()), start = tick.frame_start_sample;
    const auto foretold = std::exchange(t.next_uplink_slot, {});
    sap::RxExpect& expect = t.expect;
    expect.allocations.clear();
    expect.first_uplink_slot = expect.next_uplink_slot = {};
    bool ticked = foretold != 0 && start + foretold.samples() - lead < ends_[0];
    if (ticked) tick_terminal(t, tick, start + foretold.samples() - lead);
    tell(t, 0, ends_[0], expect);
    take_profiles(t);
    t.next_uplink_slot = expect.next_uplink_slot;
    const auto first = foretold != 0 ? foretold : expect.first_uplink_slot;
    const Samples tick_at = first == 0 ? ends_[0] : std::max(ends_[0], start + first.samples() - lead);
    for (size_t i = 1; i < tx_.bursts.size(); ++i) {
        if (!air_model_->finds(tx_.bursts[i], t.profiles, t.expect)) continue;
        if (!ticked && ends_[i] > tick_at) {
            tick_terminal(t, tick, tick_at);
            ticked = true;
        }
        tell(t, i, ends_[i], unused_);
    }
    if (!ticked) tick_terminal(t, tick, tick_at);
    take_profiles(t);
}

void Cell::tell(Terminal& t, size_t burst, Samples at, sap::RxExpect& expect) {
    sap::RxBurst* r = &sent_[burst];
    ++counters_.dl_bursts;
    const double block_error = air_model_->block_error(r->rate_id, Direction::downlink, t.snr_db);
    if (block_error > 0 || config_.drop.any()) {
        damaged_ = *r;
        r = &damaged_;
        if (burst > 0 && config_.drop.any()) drop_pdus(*r, config_.drop, basic_cids(), random_, counters_.drops);
        counters_.dl_bursts_wrong += air_model_->decode(*r, block_error, random_) > 0;
    }
    r->measured.rssi_dbm = static_cast<float>(config_.phy.noise_dbm + t.snr_db);
    r->measured.cinr_db = static_cast<float>(t.snr_db);
    delivered_at_ = at;
    t.mac->on_burst(*r, expect);
}

void Cell::tick_terminal(Terminal& t, const sap::FrameTick& tick, Samples at) {
    users_.send(t.node, *t.mac, at);
    t.mac->on_tick(tick, t.tx, unused_);
    digest_.add(t.node, t.tx);
    uplink_.send(t.tx, t.path.config(), t.snr_db);
}

void Cell::take_profiles(Terminal& t) {
    sap::ProfilesRequest profiles;
    if (t.mac->profiles_changed(profiles)) t.profiles = profiles;
}

}  // namespace wimax::sim
