// SPDX-License-Identifier: GPL-3.0-or-later
#include "sim/cell.h"

#include "mac/report/events.h"

#include <algorithm>
#include <chrono>
#include <cmath>
#include <ctime>

namespace wimax::sim {
namespace {

/// Frames in a row that a receiver needs to synchronise, and misses before it loses synchronisation.
constexpr int kFramesToSync = 2, kFramesToLose = 5;

/// Share of a burst's power up to which the sum of the other bursts is a rounding error.
constexpr double kNothing = 1e-9;

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

Histogram wall_times() { return Histogram(1); }

}  // namespace

Cell::Cell(CellConfig config, Users& users)
    : config_(std::move(config)),
      layout_(*mac::FrameLayout::make(config_.bs)),
      users_(users),
      air_model_(make_air_model(layout_)),
      random_(config_.seed),
      bs_(mac::make_base_station(config_.bs)),
      frame_(config_.bs.first_frame_number),
      schedule_cpu_us_(wall_times()),
      base_station_us_(wall_times()),
      frame_us_(wall_times()) {
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
    c.sample_rate_hz = static_cast<uint32_t>(layout_.sample_rate_hz());
    c.tx_reference_dbm = static_cast<float>(config_.phy.reference_dbm);
    return c;
}

size_t Cell::operational() const {
    return static_cast<size_t>(
        std::count_if(terminals_.begin(), terminals_.end(), [](const auto& t) { return t.mac->operational(); }));
}

void Cell::restart_wall_times() { schedule_cpu_us_ = base_station_us_ = frame_us_ = wall_times(); }

void Cell::step() {
    const WallTime wall;
    base_station_spent_us_ = 0;
    tick_ = {};
    tick_.frame_number = frame_;
    tick_.frame_start_sample = now();
    tick_.sample_rate_hz = static_cast<uint32_t>(layout_.sample_rate_hz());
    tick_.frame_samples = static_cast<uint32_t>(layout_.frame_samples());
    tick_.cp_denominator = static_cast<uint8_t>(layout_.numerology.cp);
    tick_base_station();
    prepare_downlink();
    air_.clear();
    codes_.clear();
    for (auto& t : terminals_) step_terminal(t);
    receive_uplink();
    frame_ = frame_ + 1;
    ++counters_.frames;
    frame_us_.add(wall.us());
    base_station_us_.add(base_station_spent_us_);
}

// --- downlink --------------------------------------------------------------------------------------------------------

void Cell::tick_base_station() {
    users_.send(0, *bs_, tick_.frame_start_sample - samples_us(config_.phy.tick_lead_us));
    const WallTime wall;
    const CpuTime cpu;
    bs_->on_tick(tick_, tx_, expect_);
    schedule_cpu_us_.add(cpu.us());
    base_station_spent_us_ += wall.us();
    digest_.add(0, tx_);
    for (size_t i = 0; i < late_count_; ++i) report_to_base_station(late_[i], late_at_[i]);
    late_count_ = 0;
}

void Cell::report_to_base_station(const sap::RxBurst& burst, Samples at) {
    delivered_at_ = at;
    const WallTime wall;
    bs_->on_burst(burst, unused_);
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
        const auto end = b.start_slot.after(b.format.total_symbols(), layout_.symbol_slots);
        ends_.push_back(tick_.frame_start_sample + end.samples() + samples_us(config_.phy.report_us));
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
    const Samples lead = samples_us(config_.phy.turnaround_us), start = tick.frame_start_sample;
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
    put_on_air(t);
}

void Cell::take_profiles(Terminal& t) {
    sap::ProfilesRequest profiles;
    if (t.mac->profiles_changed(profiles)) t.profiles = profiles;
}

void Cell::put_on_air(Terminal& t) {
    const auto& path = t.path.config();
    // The power is that of all carriers; on fewer carriers the transmitter can send this much stronger.
    const double highest = config_.phy.reference_dbm + air_model_->power_gain_db(t.tx);
    const double below = config_.phy.reference_dbm - std::min(static_cast<double>(t.tx.power_dbm), highest);
    const double snr_db = t.snr_db + path.uplink_offset_db - below;
    const double rssi_dbm = config_.phy.noise_dbm + snr_db;
    const auto delay = static_cast<int>(2 * path.delay_us * 1e-6 * static_cast<double>(layout_.sample_rate_hz()));
    for (const auto& burst : t.tx.bursts)
        air_.push_back({&t, &burst, rssi_dbm, snr_db, delay - t.tx.timing_advance_samples,
                        static_cast<float>(path.carrier_offset_hz) + t.tx.frequency_adjust_hz,
                        burst.start_slot.after(burst.format.total_symbols(), layout_.symbol_slots), false});
    for (const auto& code : t.tx.codes) codes_.push_back({code, rssi_dbm});
}

// --- uplink ----------------------------------------------------------------------------------------------------------

void Cell::receive_uplink() {
    const auto& allocations = expect_.allocations;
    order_.clear();
    for (size_t i = 0; i < allocations.size(); ++i) {
        const auto& a = allocations[i];
        const auto end = a.start_slot.after(a.format.total_symbols(), layout_.symbol_slots);
        order_.emplace_back(tick_.frame_start_sample + end.samples() + samples_us(config_.phy.report_us), i);
    }
    std::sort(order_.begin(), order_.end());
    if (received_.size() < 1) received_.resize(1);
    const Samples next_tick = now() + layout_.frame_samples() - samples_us(config_.phy.tick_lead_us);
    for (const auto& [at, i] : order_) {
        const bool in_time = at <= next_tick;
        if (!in_time && late_.size() == late_count_) late_.emplace_back();
        if (!in_time && late_at_.size() == late_count_) late_at_.emplace_back();
        sap::RxBurst& r = in_time ? received_[0] : late_[late_count_];
        receive(allocations[i], i, r);
        if (in_time) report_to_base_station(r, at);
        else late_at_[late_count_++] = at;
    }
    for (const auto& burst : air_) counters_.stray_bursts += !burst.used;
    receive_codes();
}

void Cell::receive(const sap::RxAllocation& a, size_t index, sap::RxBurst& r) {
    r.frame_number = frame_;
    r.kind = a.kind;
    r.index = static_cast<uint8_t>(index);
    r.start_slot = a.start_slot;
    r.rate_id = a.format.rate_id;
    r.iuc = a.format.iuc;
    r.cid = a.cid;
    r.detected = r.fec_ok = false;
    r.failed_blocks = 0;
    r.payload.clear();
    const auto end = a.start_slot.after(a.format.total_symbols(), layout_.symbol_slots) + a.search_slots;
    // A region may be opened before its begin, for stations that arrive early.
    const auto aims = [&](const OnAir& b) {
        const int64_t later = b.burst->start_slot - a.start_slot;
        return later == 0 || (a.kind == sap::BurstKind::ranging && b.burst->format.iuc == a.format.iuc && later > 0 &&
                              later < a.search_slots);
    };
    const OnAir* best = nullptr;
    size_t aimed = 0;
    double power = 0;  // of all, against the noise
    for (auto& b : air_) {
        if (b.burst->start_slot >= end || b.end <= a.start_slot) continue;
        if (!air_model_->share_carriers(a.format, b.burst->format)) continue;
        power += std::pow(10, b.cinr_db / 10);
        if (!aims(b)) continue;
        ++aimed;
        b.used = true;
        if (!best || b.cinr_db > best->cinr_db) best = &b;
    }
    r.measured.rssi_dbm = static_cast<float>(config_.phy.noise_dbm + 10 * std::log10(1 + power));
    if (!best) return count(a, {0, false, false});
    const double own = std::pow(10, best->cinr_db / 10), others = power - own;
    const bool disturbed = others > own * kNothing;
    const bool right = decode(*best, disturbed ? others : 0, a, r);
    count(a, {aimed, disturbed, right});
}

/// True: without a wrong octet.
bool Cell::decode(const OnAir& b, double interference, const sap::RxAllocation& a, sap::RxBurst& r) {
    const int late = b.timing_samples + static_cast<int>(phy::samples_in_slots(b.burst->start_slot - a.start_slot));
    const double sinr_db = b.cinr_db - 10 * std::log10(1 + interference);
    r.measured.cinr_db = static_cast<float>(sinr_db);
    r.measured.timing_offset_samples = static_cast<float>(late);
    r.measured.frequency_offset_hz = b.frequency_hz;
    r.detected = air_model_->detects({sinr_db, late, b.frequency_hz}, a);
    if (!r.detected) return false;
    r.measured.rssi_dbm = static_cast<float>(b.rssi_dbm);
    r.payload = b.burst->payload;
    r.payload.resize(air_model_->octets(a.format), 0xFF);
    const bool drowned = interference > 0 && b.cinr_db - 10 * std::log10(interference) < config_.phy.capture_db;
    if (drowned || !air_model_->as_expected(b.burst->format, a.format)) {
        air_model_->spoil(r, random_);
        return false;
    }
    if (config_.drop.any() && a.kind == sap::BurstKind::data)
        drop_pdus(r, config_.drop, basic_cids(), random_, counters_.drops);
    const double block_error = air_model_->block_error(a.format.rate_id, Direction::uplink, sinr_db);
    return air_model_->decode(r, block_error, random_) == 0;
}

void Cell::count(const sap::RxAllocation& a, const Heard& heard) {
    if (a.kind == sap::BurstKind::data) {
        ++counters_.ul_grants;
        counters_.ul_granted_symbols += static_cast<uint64_t>(a.format.total_symbols());
        counters_.ul_bursts += heard.aimed > 0;
        counters_.ul_bursts_wrong += heard.aimed > 0 && !heard.right;
        counters_.ul_collisions += heard.disturbed;
        return;
    }
    auto& c = a.kind == sap::BurstKind::ranging ? counters_.ranging : counters_.requests;
    ++c.opportunities;
    c.attempts += heard.aimed;
    c.collisions += heard.aimed > 1;
    c.collided += heard.aimed > 1 ? heard.aimed : 0;
    c.successes += heard.right;
    c.captured += heard.right && heard.aimed > 1;
}

void Cell::receive_codes() {
    for (const auto slot : expect_.contention_slots) {
        sap::RxContention contention;
        contention.frame_number = frame_;
        contention.start_slot = slot;
        air_model_->receive_codes(codes_, contention, counters_.codes);
        ++counters_.codes.opportunities;
        const WallTime wall;
        bs_->on_contention(contention);
        base_station_spent_us_ += wall.us();
    }
}

}  // namespace wimax::sim
