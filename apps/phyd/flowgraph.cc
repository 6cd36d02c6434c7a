// SPDX-License-Identifier: GPL-3.0-or-later
#include "phyd/flowgraph.h"

#include "fpga/host/burst_gate_driver.h"
#include "fpga/host/ofdm_frontend_driver.h"
#include "fpga/host/preamble_detect_driver.h"
#include "fpga/rfnoc/control/blocks.h"

#include <gnuradio/block.h>
#include <gnuradio/io_signature.h>
#include <gnuradio/top_block.h>
#include <gnuradio/wimax/phy/base/channel_faults.h>
#include <gnuradio/wimax/radio_source.h>

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

namespace wimax::phyd {
namespace {

using namespace gr::wimax;

ReportHandler into(Outbox& outbox) {
    return [&outbox](Report&& report) { outbox.push(std::move(report)); };
}

/// Consumers of every sample in addition to the receiver.
radio_source::Tap tap_of(std::shared_ptr<Listening> listening, std::shared_ptr<SampleRing> ring) {
    return
        [listening = std::move(listening), ring = std::move(ring)](int64_t first, std::span<const gr_complex> samples) {
            if (listening) listening->take(samples);
            if (ring->capacity() > 0) ring->take(first, samples);
        };
}

std::shared_ptr<RadioFrontend> open_radio(const PhydConfig& config, const sap::ConfigRequest& request,
                                          const phy::Numerology& numerology) {
    RadioConfig radio = config.radio;
    radio.sample_rate_hz = static_cast<double>(numerology.sample_rate_hz);
    radio.channel_bandwidth_hz = static_cast<double>(request.bandwidth_hz);
    radio.limits = transmit_limits(config);
    radio.gate = fpga::make_burst_gate;
    const bool bs = request.role == sap::Role::base_station;
    radio.answer_lead_s = 1e-6 * (bs ? config.tick_lead_us : config.turnaround_us);
    radio.tx_frequency_hz = static_cast<double>(request.carriers.sent_by(request.role));
    radio.rx_frequency_hz = static_cast<double>(request.carriers.received_by(request.role));
    radio.tx_gain_db = request.tx_gain_db;
    radio.rx_gain_db = request.rx_gain_db;
    rfnoc::register_blocks();
    return RadioFrontend::open(radio);
}

/// Uses the radio's cores for a subscriber station's receiver. The core's symbols have the converter's scale. With gain
/// control, symbols are therefore read from samples, which have one scale.
void use_cores(const RadioFrontend& radio, const phy::Numerology& numerology, ss_receiver::Config& receiver) {
    if (auto core = radio.core(core_block::preamble_detect))
        receiver.detector = fpga::make_preamble_detect(std::move(core), numerology);
    if (receiver.gains) return;
    if (auto core = radio.core(core_block::ofdm_frontend))
        receiver.transformer = fpga::make_ofdm_frontend(std::move(core));
}

/// Range of the gain control: the device's, within the operator's limits.
ReceiveGainRange gain_range(const PhydConfig& config, const RadioFrontend& radio) {
    const auto of_device = radio.rx_gains();
    ReceiveGainRange range{of_device.low_db, of_device.high_db, of_device.step_db, radio.rx_gain_db()};
    const auto on_step = [&](double db, double (*round)(double)) {
        return range.step_db > 0 ? of_device.low_db + range.step_db * round((db - of_device.low_db) / range.step_db)
                                 : db;
    };
    if (const auto low = config.rx_lowest_gain_db) range.low_db = std::max(range.low_db, on_step(*low, std::ceil));
    if (const auto high = config.rx_highest_gain_db)
        range.high_db = std::min(range.high_db, on_step(*high, std::floor));
    range.low_db = std::min(range.low_db, range.asked_db);
    range.high_db = std::max(range.high_db, range.asked_db);
    return range;
}

}  // namespace

struct Flowgraph::Graph {
    gr::top_block_sptr top = gr::make_top_block("wimax-phyd");
    bool running = false;
};

Faults Flowgraph::faults(const sap::ConfigRequest& m) {
    Faults f;
    const auto cp = phy::parse_cyclic_prefix(fmt::format("1/{}", m.cp_denominator));
    const auto numerology = phy::Numerology::make(m.bandwidth_hz, cp.value_or(phy::CyclicPrefix::g1_8));
    if (!numerology) f.add(phy::bandwidth_fault(m.bandwidth_hz));
    if (m.role != sap::Role::base_station) return f;
    if (!cp) f.add(phy::cyclic_prefix_fault(m.cp_denominator));
    if (m.frame_duration_code >= phy::kFrameDurationUs.size()) f.add(phy::frame_duration_fault(m.frame_duration_code));
    else if (numerology && numerology->frame_symbols(m.frame_duration_code) > phy::kMaxFrameSymbols)
        f.add(phy::frame_symbols_fault(numerology->frame_symbols(m.frame_duration_code)));
    return f;
}

tl::expected<std::unique_ptr<Transceiver>, Fault> Flowgraph::open(const PhydConfig& config,
                                                                  const sap::ConfigRequest& request, Outbox& outbox) {
    const auto numerology = phy::Numerology::make(request.bandwidth_hz, phy::CyclicPrefix::g1_8);
    if (!numerology) return tl::unexpected(phy::bandwidth_fault(request.bandwidth_hz));
    return std::unique_ptr<Transceiver>(new Flowgraph(config, request, *numerology, outbox));
}

Flowgraph::Flowgraph(const PhydConfig& config, const sap::ConfigRequest& request, const phy::Numerology& numerology,
                     Outbox& outbox)
    : request_(request),
      realtime_(config.realtime),
      agc_(config.rx_agc && request.role == sap::Role::subscriber_station),
      radio_(open_radio(config, request, numerology)),
      signal_(std::make_shared<SignalTap>(radio_->sample_rate_hz())),
      ring_(std::make_shared<SampleRing>(
          static_cast<size_t>(1e-3 * config.capture_length_ms * static_cast<double>(radio_->sample_rate_hz())))),
      listening_(std::make_shared<Listening>(request.bandwidth_hz, radio_->sample_rate_hz())),
      transmitter_(burst_transmitter::make(request.bandwidth_hz, radio_, config.transmit, into(outbox))),
      graph_(std::make_unique<Graph>()) {
    levels_ = {radio_->tx_reference_dbm(), radio_->rx_reference_dbm(), radio_->sample_rate_hz(), radio_->lock_step(),
               radio_->describe(),         radio_->antennas(),         radio_->turn_times()};
    auto& top = *graph_->top;
    const bool bs = request.role == sap::Role::base_station;
    const auto source = radio_source::make(radio_, tap_of(bs ? listening_ : nullptr, ring_));
    if (bs) {
        // A base station does not read its records.
        if (const auto core = radio_->core(core_block::preamble_detect)) fpga::switch_off_preamble_detect(*core);
        bs_receiver::Config c;
        c.bandwidth_hz = request.bandwidth_hz;
        c.cp_denominator = request.cp_denominator;
        c.frame_duration_code = request.frame_duration_code;
        c.tick_lead_us = config.tick_lead_us;
        c.deadline_lead_us = config.deadline_lead_us;
        c.first_frame_number = request.first_frame_number.value();
        c.reports = into(outbox);
        c.signal = signal_;
        receiver_ = bs_ = bs_receiver::make(c, radio_);
    } else {
        ss_receiver::Config c;
        c.bandwidth_hz = request.bandwidth_hz;
        c.turnaround_us = config.turnaround_us;
        c.deadline_lead_us = config.deadline_lead_us;
        c.response_us = config.response_us;
        c.one_carrier = request.carriers.shared();
        c.reports = into(outbox);
        c.signal = signal_;
        if (agc_) c.gains = gain_range(config, *radio_);
        use_cores(*radio_, numerology, c);
        receiver_ = ss_ = ss_receiver::make(c, radio_);
    }
    top.connect(source, 0, receiver_, 0);
    top.msg_connect(transmitter_, port::done, receiver_, port::done);
}

Flowgraph::~Flowgraph() {
    if (!graph_->running) return;
    graph_->top->stop();
    graph_->top->wait();
}

/// The radio's threads exist; the blocks' threads inherit. The receiver's work is long: it has a lower priority than
/// the others, which have little work and tight deadlines.
void Flowgraph::go_realtime() {
    for (const auto& line : wimax::go_realtime(realtime_)) log::layer("radio").warn(log::kNoFrame, "{}", line);
    if (realtime_.priority > 1) receiver_->set_thread_priority(realtime_.priority - 1);
}

void Flowgraph::start() {
    if (!levels_.lock_step) go_realtime();
    graph_->top->start();
    graph_->running = true;
}

void Flowgraph::post(TransmitFrame frame) { transmitter_->_post(pmt::mp(port::tx), to_any(std::move(frame))); }

void Flowgraph::post(Expectation expectation) {
    receiver_->_post(pmt::mp(port::expect), to_any(std::move(expectation)));
}

void Flowgraph::post(const Control& control) { receiver_->_post(pmt::mp(port::control), to_any(control)); }

bool Flowgraph::serves(const sap::ConfigRequest& r) const {
    const auto& o = request_;
    const bool same_radio = o.role == r.role && o.bandwidth_hz == r.bandwidth_hz && o.carriers == r.carriers;
    if (agc_ && r.rx_gain_db != o.rx_gain_db) return false;  // the control's range depends on it
    return same_radio && (r.role == sap::Role::subscriber_station ||
                          (o.cp_denominator == r.cp_denominator && o.frame_duration_code == r.frame_duration_code));
}

std::optional<std::string> Flowgraph::lost() const { return radio_->lost(); }
Transceiver::Gains Flowgraph::gains() const { return {radio_->tx_gain_db(), radio_->rx_gain_db()}; }

Outcome Flowgraph::set_gains(const Gains& gains) {
    if (agc_ && gains.rx_db != radio_->rx_gain_db())
        return failure({}, "rx gain: follows what is received (radio.rx_agc)");
    radio_->set_gains(gains.tx_db, gains.rx_db);
    levels_.tx_reference_dbm = radio_->tx_reference_dbm();
    levels_.rx_reference_dbm = radio_->rx_reference_dbm();
    return {};
}

Transceiver::Status Flowgraph::status() const {
    Status s;
    s.tx = transmitter_->counters();
    s.radio = radio_->counters();
    s.peak_dbfs = radio_->peak_dbfs();
    if (bs_) {
        const auto b = bs_->status();
        s.frames = b.frames;
        s.bursts = b.bursts;
        s.undetected = b.bursts - b.detected;
        s.fec_failures = b.fec_failures;
        s.retried = b.retried;
        s.rssi_dbfs = b.rssi_dbfs;
        s.cinr_db = b.cinr_db;
        s.frequency_offset_hz = b.frequency_offset_hz;
        s.front_end = b.front_end;
        s.position = b.position;
    } else {
        const auto b = ss_->status();
        s.frames = b.frames;
        s.bursts = b.bursts;
        s.fec_failures = b.fec_failures;
        s.retried = b.retried;
        s.sync_losses = b.sync_losses;
        s.detected_preambles = b.detected_preambles;
        s.transformed_symbols = b.transformed_symbols;
        s.synchronised = b.synchronised;
        s.rssi_dbfs = b.rssi_dbfs;
        s.cinr_db = b.snr_db;
        s.frequency_offset_hz = b.frequency_offset_hz;
        s.front_end = b.front_end;
        s.clock_offset_ppm = b.clock_offset_ppm;
        s.position = b.position;
    }
    return s;
}

}  // namespace wimax::phyd
