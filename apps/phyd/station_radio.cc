// SPDX-License-Identifier: GPL-3.0-or-later
#include "phyd/station_radio.h"

#include "fpga/host/burst_gate_driver.h"
#include "fpga/host/ofdm_frontend_driver.h"
#include "fpga/host/preamble_detect_driver.h"
#include "fpga/rfnoc/control/blocks.h"

#include <algorithm>
#include <cmath>

namespace wimax::phyd {
namespace {

using namespace gr::wimax;

std::shared_ptr<RadioFrontend> open_radio(const PhydConfig& config, const sap::ConfigRequest& request,
                                          const phy::Numerology& numerology, const std::function<void(int)>& watch) {
    RadioConfig radio = config.radio;
    radio.watch = watch;
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

ReportHandler into(Outbox& outbox) {
    return [&outbox](Report&& report) { outbox.push(std::move(report)); };
}

StationRadio::StationRadio(const PhydConfig& config, const sap::ConfigRequest& request,
                           const phy::Numerology& numerology, const std::function<void(int)>& watch)
    : request_(request),
      numerology_(numerology),
      agc_(config.rx_agc && request.role == sap::Role::subscriber_station),
      front_(open_radio(config, request, numerology, watch)),
      ring_(std::make_shared<SampleRing>(
          static_cast<size_t>(1e-3 * config.capture_length_ms * static_cast<double>(front_->sample_rate_hz())))),
      levels_{front_->tx_reference_dbm(), front_->rx_reference_dbm(), front_->sample_rate_hz(), front_->lock_step(),
              front_->describe(),         front_->antennas(),         front_->turn_times()} {}

ss_receiver::Config StationRadio::subscriber(const PhydConfig& config, Outbox& outbox) const {
    ss_receiver::Config c;
    c.bandwidth_hz = request_.bandwidth_hz;
    c.turnaround_us = config.turnaround_us;
    c.deadline_lead_us = config.deadline_lead_us;
    c.response_us = config.response_us;
    c.one_carrier = request_.carriers.shared();
    c.reports = into(outbox);
    if (agc_) c.gains = gain_range(config, *front_);
    use_cores(*front_, numerology_, c);
    return c;
}

bool StationRadio::serves(const sap::ConfigRequest& r) const {
    const auto& o = request_;
    const bool same_radio = o.role == r.role && o.bandwidth_hz == r.bandwidth_hz && o.carriers == r.carriers;
    if (agc_ && r.rx_gain_db != o.rx_gain_db) return false;  // the control's range depends on it
    return same_radio && (r.role == sap::Role::subscriber_station ||
                          (o.cp_denominator == r.cp_denominator && o.frame_duration_code == r.frame_duration_code));
}

Outcome StationRadio::set_gains(const Gains& gains) {
    if (agc_ && gains.rx_db != front_->rx_gain_db())
        return failure({}, "rx gain: follows what is received (radio.rx_agc)");
    front_->set_gains(gains.tx_db, gains.rx_db);
    levels_.tx_reference_dbm = front_->tx_reference_dbm();
    levels_.rx_reference_dbm = front_->rx_reference_dbm();
    return {};
}

Transceiver::Status StationRadio::radio_status() const {
    Status s;
    s.radio = front_->counters();
    s.peak_dbfs = front_->peak_dbfs();
    return s;
}

void StationRadio::add(Status& status, const ss_receiver::Status& receiver) {
    status.frames = receiver.frames;
    status.bursts = receiver.bursts;
    status.fec_failures = receiver.fec_failures;
    status.retried = receiver.retried;
    status.sync_losses = receiver.sync_losses;
    status.detected_preambles = receiver.detected_preambles;
    status.transformed_symbols = receiver.transformed_symbols;
    status.synchronised = receiver.synchronised;
    status.rssi_dbfs = receiver.rssi_dbfs;
    status.cinr_db = receiver.snr_db;
    status.frequency_offset_hz = receiver.frequency_offset_hz;
    status.front_end = receiver.front_end;
    status.clock_offset_ppm = receiver.clock_offset_ppm;
    status.position = receiver.position;
}

}  // namespace wimax::phyd
