/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "phyd/service.h"

#include "common/config.h"

#include <gnuradio/wimax/phy/base/channel_faults.h>
#include <gnuradio/wimax/phy/frame/downlink_receiver.h>

#include <fmt/format.h>

#include <sstream>
#include <thread>
#include <utility>

namespace wimax::phyd {
namespace {

namespace phy = gr::wimax::phy;
constexpr std::chrono::seconds kRetry{1};
constexpr uint32_t kTriesToTell = 60;  ///< a minute of them
constexpr int64_t kMostFramesHz = 50;  // frames are 20 ms long at most
constexpr uint64_t kSaidAtFirst = 10;  // then every hundredth: showers of errors are counted, not all told

log::Layer& phyd_log() {
    static auto& layer = log::layer("phyd");
    return layer;
}
log::Layer& radio_log() {
    static auto& layer = log::layer("radio");
    return layer;
}

size_t octets_of(const gr::wimax::TransmitFrame& frame) {
    size_t sum = 0;
    for (const auto& burst : frame.bursts) sum += burst.payload.size();
    return sum;
}

}  // namespace

/// A radio on its way, shared with the thread that opens it.
struct Service::Opening {
    std::mutex mutex;
    bool finished = false, unavailable = false;
    std::unique_ptr<Air> graph;
    std::string fault;
    sap::ConfigRequest request;
};

Service::Service(const PhydConfig& config, sap::Port& port, OpenAir open)
    : config_(config), port_(port), open_air_(std::move(open)), outages_(config.role == sap::Role::subscriber_station) {
    air_.role = config.role;
}
Service::~Service() = default;

void Service::step(std::chrono::milliseconds timeout, std::span<const int> wake) {
    std::array<int, 8> fds{};
    size_t n = 0;
    fds[n++] = outbox_.fd();
    for (const int fd : wake)
        if (n < fds.size() && fd >= 0) fds[n++] = fd;
    auto message = port_.poll(timeout, std::span(fds).first(n));
    while (message) {
        std::visit([this](auto& m) { handle(m); }, *message);
        message = port_.poll(std::chrono::milliseconds(0));
    }
    outbox_.take(reports_);
    for (auto& r : reports_) std::visit([this](auto& m) { handle(m); }, r);
    watch_radio();
    poll_opening();
    watch_mac();
    watch_refusals();
    watch_listening();
    capturing_.poll(graph_ ? graph_->ring() : nullptr);
    auto* signal = graph_ ? graph_->signal() : nullptr;
    if (signal && signal->watched() && std::chrono::steady_clock::now() >= signal_until_) signal->watch(false);
}

Faults Service::faults(const sap::ConfigRequest& m) const {
    Faults f;
    if (m.role != config_.role)
        f.add({"role", {}, fmt::format("this PHY is a {}", config_.role == sap::Role::base_station ? "bs" : "ss")});
    const auto cp = phy::parse_cyclic_prefix(fmt::format("1/{}", m.cp_denominator));
    const auto numerology = phy::Numerology::make(m.bandwidth_hz, cp.value_or(phy::CyclicPrefix::g1_8));
    if (!numerology) f.add(phy::bandwidth_fault(m.bandwidth_hz));
    if (auto fault = gr::wimax::band_fault(transmit_limits(config_), static_cast<double>(m.frequency_hz),
                                           static_cast<double>(m.bandwidth_hz))) {
        fault->key = "radio." + fault->key;
        f.add(*fault);
    }
    if (m.role != sap::Role::base_station) return f;
    if (!cp) f.add(phy::cyclic_prefix_fault(m.cp_denominator));
    if (m.frame_duration_code >= phy::kFrameDurationUs.size())
        f.add(phy::frame_duration_fault(m.frame_duration_code));
    else if (numerology && numerology->frame_symbols(m.frame_duration_code) > phy::kMaxFrameSymbols)
        f.add(phy::frame_symbols_fault(numerology->frame_symbols(m.frame_duration_code)));
    return f;
}

void Service::handle(const sap::ConfigRequest& m) {
    ++counters_.sessions;
    if (const auto f = faults(m); !f.empty()) {
        sap::ConfigConfirm confirm;
        confirm.mac_session = m.mac_session;
        confirm.faults = f.lines();
        for (const auto& fault : confirm.faults)
            phyd_log().error(log::kNoFrame, "MAC session {:016x} refused: {}", m.mac_session, fault);
        port_.send(confirm);
        return;
    }
    const bool again = wanted_ && m.mac_session == request_.mac_session;  // it asks until it is answered
    if (!again) {
        phyd_log().info(log::kNoFrame, "MAC session {:016x}: {} Hz channel at {} Hz", m.mac_session, m.bandwidth_hz,
                        m.frequency_hz);
        retry_at_ = {};
    }
    request_ = m;
    if (graph_ && graph_->serves(m)) {
        if (again) return attach();
        if (const auto f = use_gains({m.tx_gain_db, m.rx_gain_db}); !f.empty()) return refuse(f.lines().front());
        return attach();
    }
    wanted_ = true;
    graph_.reset();
    attached_ = false;
    if (!opening_ && std::chrono::steady_clock::now() >= retry_at_) open();
}

/// In its own thread: devices take up to seconds.
void Service::open() {
    opening_ = std::make_shared<Opening>();
    opening_->request = request_;
    std::thread([state = opening_, &config = config_, &outbox = outbox_, open = open_air_] {
        std::unique_ptr<Air> graph;
        std::string fault;
        bool unavailable = false;
        try {
            auto opened = open(config, state->request, outbox);
            if (opened)
                graph = std::move(*opened);
            else
                fault = opened.error().str();
        } catch (const gr::wimax::DeviceUnavailable& e) {
            fault = e.what();
            unavailable = true;
        } catch (const std::exception& e) {
            fault = e.what();
        }
        const std::lock_guard guard(state->mutex);
        state->graph = std::move(graph);
        state->fault = fault;
        state->unavailable = unavailable;
        state->finished = true;
    }).detach();
}

void Service::poll_opening() {
    if (!opening_) {
        if (wanted_ && std::chrono::steady_clock::now() >= retry_at_) open();
        return;
    }
    {
        const std::lock_guard guard(opening_->mutex);
        if (!opening_->finished) return;
    }
    const auto done = std::move(opening_);
    opening_.reset();
    if (!done->graph) {
        tell_failure(done->fault, done->unavailable);
        retry_at_ = std::chrono::steady_clock::now() + kRetry;
        if (!done->unavailable && wanted_) refuse(done->fault);
        return;
    }
    if (!done->graph->serves(request_)) return;  // another configuration came meanwhile: opened in the next step
    graph_ = std::move(done->graph);
    wanted_ = false;
    describe_radio();
    refused_ = radio_lates_ = gate_lates_ = clipped_ = 0;
    said_ = {};
    if (!transmit_limits(config_).enable)
        radio_log().warn(log::kNoFrame, "nothing is transmitted: {}",
                         config_.tx_enable == TransmitSwitch::off
                             ? "radio.tx_enable is false"
                             : "radio.tx_enable is virtual, and this is not the virtual radio (type=vrf)");
    attach();  // before the first sample: what follows does not depend on the host's speed
    start_air();
}

/// GNU Radio allocates its buffers here, which fails without shared memory, or where it cannot store its preferences.
void Service::start_air() {
    try {
        graph_->start();
    } catch (const std::exception& e) {
        tell_failure(e.what(), true);
        open_again(std::chrono::steady_clock::now() + kRetry);
        return;
    }
    if (failures_ > 0) radio_log().info(log::kNoFrame, "the radio is there, at try {}", failures_ + 1);
    failures_ = 0;
}

void Service::open_again(std::chrono::steady_clock::time_point at) {
    graph_.reset();
    attached_ = false;
    wanted_ = true;
    retry_at_ = at;
}

/// Once for each radio: a station that searches channels opens the same one again and again.
void Service::describe_radio() {
    const std::string& now = graph_->radio().description;
    if (now == std::exchange(described_, now) || !radio_log().enabled(log::Level::info)) return;
    std::istringstream lines(now);
    for (std::string line; std::getline(lines, line);)
        radio_log().write(log::Level::info, log::kNoFrame, "radio: " + line);
}

/// Each fault once, and then now and then how long it has been so.
void Service::tell_failure(const std::string& fault, bool unavailable) {
    if (fault != failure_) failures_ = 0;
    failure_ = fault;
    if (failures_ % kTriesToTell == 0)
        radio_log().error(log::kNoFrame, "{}{}{}", fault, unavailable ? "; tried again each second" : "",
                          failures_ ? fmt::format(", {} times so far", failures_) : "");
    ++failures_;
}

void Service::refuse(const std::string& fault) {
    wanted_ = false;
    sap::ConfigConfirm confirm;
    confirm.mac_session = request_.mac_session;
    confirm.faults = {fault};
    port_.send(confirm);
}

/// From here on the MAC gets ticks. What the former one left unanswered is let go first.
void Service::attach() {
    gr::wimax::Control release;
    release.attached = false;
    graph_->post(release);
    gr::wimax::Control control;
    control.attached = true;
    if (config_.role == sap::Role::base_station) {
        control.first_frame_number = request_.first_frame_number;
        air_.bsid_lsb = request_.bsid & 0xF;
    } else {
        control.diuc_rates = phy::DownlinkReceiverConfig{}.diuc_rates;
    }
    air_.tx_reference_dbm = graph_->radio().tx_reference_dbm;
    air_.rx_reference_dbm = graph_->radio().rx_reference_dbm;
    sap::ConfigConfirm confirm;
    confirm.mac_session = request_.mac_session;
    confirm.sample_rate_hz = static_cast<uint32_t>(graph_->radio().sample_rate_hz);
    confirm.rx_reference_dbm = static_cast<float>(air_.rx_reference_dbm);
    confirm.tx_reference_dbm = static_cast<float>(air_.tx_reference_dbm);
    confirm.lock_step = graph_->radio().lock_step;
    confirm.tx_antennas = static_cast<uint8_t>(graph_->radio().tx_antennas);
    confirm.version = config::version();
    port_.send(confirm);
    attached_ = true;
    listening_ = config_.role == sap::Role::base_station;
    if (listening_) graph_->listen();
    tick_count_ = 0;
    broadcast_.reset();
    outages_.restart();
    turn_gaps_.restart(graph_->radio().turn_times, graph_->radio().sample_rate_hz);
    graph_->post(control);
}

/// Unplugged, or fallen silent: opened anew, as often as it takes.
void Service::watch_radio() {
    if (!graph_) return;
    const auto why = graph_->lost();
    if (!why) return;
    ++counters_.radio_losses;
    radio_log().error(frame_.value(), "the radio is lost ({}), opening it again", *why);
    open_again({});
}

/// The host's lateness can be told from the machine's: others look at the same clock.
void Service::note_late(sap::FrameNumber frame, int64_t late_us, uint64_t count) {
    const auto now = std::chrono::steady_clock::now().time_since_epoch();
    lates_[late_count_++ % lates_.size()] = {frame, late_us, std::chrono::duration<double>(now).count(), count};
    event(CaptureTrigger::late);
}

Capturing::Air Service::capture_air() const {
    if (!graph_) return {};
    const auto& radio = graph_->radio();
    return {graph_->ring(), static_cast<double>(radio.sample_rate_hz),
            fmt::format("{} at {} Hz, bandwidth {} Hz, rx gain {} dB", config_.radio.device_args, request_.frequency_hz,
                        request_.bandwidth_hz, graph_->gains().rx_db),
            graph_->status().position};
}

/// Of the newest sample, where it has none of its own.
void Service::event(CaptureTrigger what, std::optional<int64_t> sample) {
    if (!graph_ || !capturing_.waits_for(what)) return;
    capturing_.happened(sample ? *sample : graph_->status().position, graph_->ring());
}

/// What the radio found too late or interrupted, to the frame in which it is told.
void Service::watch_radio_counts() {
    const auto radio = graph_->status().radio;
    if (radio.clipped_samples > std::exchange(clipped_, radio.clipped_samples)) event(CaptureTrigger::clip);
    const uint64_t all = radio.late + radio.underflows;
    const int64_t last_us = lateness_at_gate(radio);
    if (all > radio_lates_) note_late(frame_, last_us, all - radio_lates_);
    radio_lates_ = all;
}

/// Of the last burst that a gate in the radio has left out; 0: none since it was asked.
int64_t Service::lateness_at_gate(const gr::wimax::RadioCounters& radio) {
    if (!radio.gate || radio.gate->late == std::exchange(gate_lates_, radio.gate->late)) return 0;
    return radio.gate->last_late.by_samples * 1'000'000 / graph_->radio().sample_rate_hz;
}

Faults Service::use_gains(const Air::Gains& gains) {
    Faults f;
    const double rx_before_db = graph_->gains().rx_db;
    try {
        if (const auto set = graph_->set_gains(gains); !set) return set.error();
        air_.tx_reference_dbm = graph_->radio().tx_reference_dbm;
        air_.rx_reference_dbm = graph_->radio().rx_reference_dbm;
        if (graph_->gains().rx_db != rx_before_db) {
            gr::wimax::Control control;
            control.forget_front_end = true;
            graph_->post(control);
        }
    } catch (const std::exception& e) {
        f.add({{}, {}, e.what()});
    }
    return f;
}

Faults Service::set_gain(bool tx, const nlohmann::json& value_db) {
    Faults f;
    if (!graph_)
        f.add({{}, value_db.dump(), "only while the radio is open"});
    else if (!value_db.is_number())
        f.add({{}, value_db.dump(), "a number of dB"});
    if (!f.empty()) return f;
    Air::Gains gains = graph_->gains();
    double& wanted = tx ? gains.tx_db : gains.rx_db;
    wanted = value_db.get<double>();
    return use_gains(gains);
}

nlohmann::json Service::gain(bool tx) const {
    if (!graph_) return nullptr;
    const auto gains = graph_->gains();
    return tx ? gains.tx_db : gains.rx_db;
}

void Service::watch_mac() {
    if (!attached_ || port_.peer_alive()) return;
    attached_ = false;
    ++counters_.mac_losses;
    phyd_log().warn(frame_.value(), "MAC lost: ticking without it");
    gr::wimax::Control release;
    release.attached = false;
    graph_->post(release);
}

void Service::watch_listening() {
    const auto heard = listening_ && graph_ ? graph_->heard() : std::nullopt;
    if (!heard) return;
    listening_ = false;
    const auto words = "before transmission the channel held " + words_of(*heard, air_.rx_reference_dbm);
    if (!heard->cell) return radio_log().info(frame_.value(), "{}", words);
    radio_log().warn(frame_.value(), "{}", words);
    if (attached_) port_.send(sap::ErrorIndication{0, sap::ErrorKind::another_cell, frame_, 0, words});
}

const gr::wimax::Tick* Service::tick_of(sap::FrameNumber frame) const {
    for (size_t i = 0; i < std::min(tick_count_, ticks_.size()); ++i) {
        const auto& t = ticks_[(tick_count_ - 1 - i) % ticks_.size()];
        if (frame == t.frame_number) return &t;
    }
    return nullptr;
}

void Service::handle(const sap::ProfilesRequest& m) {
    if (!graph_) return;
    gr::wimax::Control control;
    control.diuc_rates = m.diuc_rates;
    graph_->post(control);
}

sap::FrameInForce Service::frame_of(const gr::wimax::Tick& t) const {
    sap::FrameInForce frame{config_.role, static_cast<uint8_t>(t.cp), static_cast<uint32_t>(t.frame_samples)};
    if (!t.synchronised) frame.frame_samples = 0;
    // Synchronised by one preamble, the frame's length unknown: the longest there is.
    if (t.synchronised && t.frame_samples == 0)
        frame.frame_samples = static_cast<uint32_t>(t.sample_rate_hz / kMostFramesHz);
    return frame;
}

void Service::invalid(sap::FrameNumber frame, const std::string& what) {
    handle(gr::wimax::ErrorReport{gr::wimax::ErrorKind::invalid, frame, 0, what});
}

/// Whatever a MAC says, the frame gets its answer: time may wait for it.
void Service::handle(sap::TxFrame& m) {
    if (!graph_ || !attached_) return;
    if (tick_count_ == 0) return invalid(m.frame_number, "TxFrame before any tick");
    const auto* tick = tick_of(m.frame_number);
    if (!tick) {
        invalid(m.frame_number, "TxFrame for a frame that was not ticked lately, taken as an empty answer to the last");
        tick = &ticks_[(tick_count_ - 1) % ticks_.size()];
    } else if (const auto faults = sap::check_bounds(m, frame_of(*tick)); !faults.empty()) {
        invalid(m.frame_number, "TxFrame." + faults.str());
    } else {
        if (config_.role == sap::Role::base_station)
            if (const auto told = turn_gaps_.sends(m, frame_of(*tick)))
                radio_log().warn(m.frame_number.value(), "{}", *told);
        auto frame = to_blocks(std::move(m), *tick, air_);
        phyd_log().debug(frame.frame_number.value(),
                         "transmit: {} bursts, {} bytes, advance {} samples, {} Hz, {} dBFS", frame.bursts.size(),
                         octets_of(frame), frame.timing_advance_samples, frame.frequency_hz, frame.power_dbfs);
        return graph_->post(std::move(frame));
    }
    sap::TxFrame empty;
    empty.frame_number = tick->frame_number;
    graph_->post(to_blocks(std::move(empty), *tick, air_));
}

void Service::handle(sap::RxExpect& m) {
    if (!graph_ || !attached_) return;
    const bool bs = config_.role == sap::Role::base_station;
    const auto* tick = bs ? tick_of(m.frame_number) : nullptr;
    if (bs && !tick) return invalid(m.frame_number, "RxExpect for a frame that was not ticked lately");
    if (!bs && !broadcast_) return invalid(m.frame_number, "RxExpect before any broadcast burst");
    sap::RxExpect empty;
    empty.frame_number = m.frame_number;
    if (!bs && broadcast_->number.since(m.frame_number) >= ticks_.size()) {
        invalid(m.frame_number,
                "RxExpect for a frame that was not received lately, taken as an empty one for the last");
        empty.frame_number = broadcast_->number;
    } else if (const auto faults = sap::check_bounds(m, bs ? frame_of(*tick) : broadcast_->frame); !faults.empty()) {
        invalid(m.frame_number, "RxExpect." + faults.str());
    } else {
        if (bs) turn_gaps_.expects(m, frame_of(*tick));
        return graph_->post(to_blocks(std::move(m), air_));
    }
    graph_->post(to_blocks(std::move(empty), air_));
}

void Service::handle(const gr::wimax::Tick& t) {
    frame_ = t.frame_number;
    if (graph_) watch_radio_counts();
    phyd_log().debug(t.frame_number.value(), "tick: start {}, synchronised {}, CFO {} Hz, clock {} ppm, CINR {:.2f} dB",
                     t.frame_start_sample, t.synchronised, t.frequency_offset_hz, t.clock_offset_ppm, t.cinr_db);
    if (!attached_ || !t.attached) return;
    ticks_[tick_count_++ % ticks_.size()] = t;
    if (config_.role == sap::Role::subscriber_station && t.synchronised) air_.bsid_lsb = t.bsid_lsb;
    port_.send(to_sap(t, air_));
}

void Service::handle(gr::wimax::BurstReport& r) {
    phyd_log().debug(
        r.frame_number.value(),
        "burst {}: detected {}, rate {}, {} bytes, failed blocks {}, timing {} samples, CFO {} Hz, CINR {:.2f} dB",
        r.burst.index, r.burst.detected, r.burst.format.rate_id, r.burst.payload.size(), r.burst.failed_blocks,
        r.burst.measured.timing_offset_samples, r.burst.measured.frequency_offset_hz, r.burst.measured.cinr_db);
    if (r.burst.detected && !r.burst.fec_ok) event(CaptureTrigger::fec_failure, r.burst.start_sample);
    if (!attached_ || !r.attached) return;
    const bool ss = config_.role == sap::Role::subscriber_station;
    if (ss ? r.burst.index == 1 : r.kind == gr::wimax::BurstKind::data)
        outages_.result(r.frame_number, r.burst.detected && r.burst.fec_ok);
    if (ss && r.burst.index == 1) {
        air_.bsid_lsb = r.prefix.bsid_lsb;
        air_.frame_lsb = r.prefix.frame_lsb;
        const auto samples = r.frame_samples > 0 ? r.frame_samples : graph_->radio().sample_rate_hz / kMostFramesHz;
        broadcast_ = {r.frame_number, {config_.role, static_cast<uint8_t>(r.cp), static_cast<uint32_t>(samples)}};
    }
    port_.send(to_sap(std::move(r), air_));
}

void Service::handle(const gr::wimax::ContentionReport& r) {
    phyd_log().debug(r.frame_number.value(), "contention at slot {}: {} codes", r.start_slot.value(), r.codes.size());
    if (attached_ && r.attached) port_.send(to_sap(r, air_));
}

void Service::handle(const gr::wimax::ErrorReport& r) {
    if (r.kind == gr::wimax::ErrorKind::late) {
        ++counters_.late;
        note_late(r.frame_number, r.microseconds);
        counters_.worst_late_us = std::max(counters_.worst_late_us, r.microseconds);
    } else {
        ++counters_.errors;
    }
    if (r.kind == gr::wimax::ErrorKind::sync_lost) event(CaptureTrigger::sync_loss);
    if (const uint64_t n = counters_.late + counters_.errors; n <= kSaidAtFirst || n % 100 == 0)
        phyd_log().warn(r.frame_number.value(), "{} ({} so far): {} us {}", to_string(r.kind), n, r.microseconds,
                        r.detail);
    if (attached_) port_.send(to_sap(r));
}

}  // namespace wimax::phyd
