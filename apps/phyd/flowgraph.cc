// SPDX-License-Identifier: GPL-3.0-or-later
#include "phyd/flowgraph.h"

#include "fpga/host/preamble_detect_driver.h"

#include <gnuradio/block.h>
#include <gnuradio/io_signature.h>
#include <gnuradio/top_block.h>
#include <gnuradio/wimax/phy/base/channel_faults.h>
#include <gnuradio/wimax/radio_source.h>

#include <fmt/format.h>

#include <utility>

namespace wimax::phyd {
namespace {

using namespace gr::wimax;

/// Consumers of every sample in addition to the receiver.
radio_source::Tap tap_of(std::shared_ptr<Listening> listening, std::shared_ptr<SampleRing> ring) {
    return
        [listening = std::move(listening), ring = std::move(ring)](int64_t first, std::span<const gr_complex> samples) {
            if (listening) listening->take(samples);
            if (ring->capacity() > 0) ring->take(first, samples);
        };
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
    : StationRadio(config, request, numerology),
      realtime_(config.realtime),
      signal_(std::make_shared<SignalTap>(front().sample_rate_hz())),
      listening_(std::make_shared<Listening>(request.bandwidth_hz, front().sample_rate_hz())),
      transmitter_(burst_transmitter::make(request.bandwidth_hz, shared_front(), config.transmit, into(outbox))),
      graph_(std::make_unique<Graph>()) {
    auto& top = *graph_->top;
    const bool bs = request.role == sap::Role::base_station;
    const auto source = radio_source::make(shared_front(), tap_of(bs ? listening_ : nullptr, ring()));
    if (bs) {
        // A base station does not read its records.
        if (const auto core = front().core(core_block::preamble_detect)) fpga::switch_off_preamble_detect(*core);
        bs_receiver::Config c;
        c.bandwidth_hz = request.bandwidth_hz;
        c.cp_denominator = request.cp_denominator;
        c.frame_duration_code = request.frame_duration_code;
        c.tick_lead_us = config.tick_lead_us;
        c.deadline_lead_us = config.deadline_lead_us;
        c.one_carrier = request.carriers.shared();
        c.first_frame_number = request.first_frame_number.value();
        c.reports = into(outbox);
        c.signal = signal_;
        receiver_ = bs_ = bs_receiver::make(c, shared_front());
    } else {
        auto c = subscriber(config, outbox);
        c.signal = signal_;
        receiver_ = ss_ = ss_receiver::make(c, shared_front());
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
    if (!radio().lock_step) go_realtime();
    graph_->top->start();
    graph_->running = true;
}

void Flowgraph::post(TransmitFrame frame) { transmitter_->_post(pmt::mp(port::tx), to_any(std::move(frame))); }

void Flowgraph::post(Expectation expectation) {
    receiver_->_post(pmt::mp(port::expect), to_any(std::move(expectation)));
}

void Flowgraph::post(const Control& control) { receiver_->_post(pmt::mp(port::control), to_any(control)); }

Transceiver::Status Flowgraph::status() const {
    Status s = radio_status();
    s.tx = transmitter_->counters();
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
        add(s, ss_->status());
    }
    return s;
}

}  // namespace wimax::phyd
