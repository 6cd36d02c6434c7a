// SPDX-License-Identifier: GPL-3.0-or-later
#include "phyd/mac_session.h"

#include "common/config.h"
#include "phyd/phyd_log.h"

#include <gnuradio/wimax/phy/frame/downlink_receiver.h>

#include <algorithm>
#include <utility>

namespace wimax::phyd {
namespace {

constexpr int64_t kMostFramesHz = 50;  // frames are 20 ms long at most

size_t octets_of(const gr::wimax::TransmitFrame& frame) {
    size_t sum = 0;
    for (const auto& burst : frame.bursts) sum += burst.payload.size();
    return sum;
}

}  // namespace

MacSession::MacSession(sap::Role role, sap::Port& port, OnError on_error)
    : port_(port), on_error_(std::move(on_error)), outages_(role == sap::Role::subscriber_station) {
    context_.role = role;
}

void MacSession::attach(Transceiver& air, const sap::ConfigRequest& request) {
    air_ = &air;
    release();
    gr::wimax::Control control;
    control.attached = true;
    if (is_bs()) {
        control.first_frame_number = request.first_frame_number;
        context_.bsid_lsb = request.bsid & 0xF;
    } else {
        control.diuc_rates = gr::wimax::phy::DownlinkReceiverConfig{}.diuc_rates;
    }
    context_.uplink_per_downlink = request.carriers.uplink_per_downlink();
    one_carrier_ = request.carriers.shared();
    const auto& radio = air_->radio();
    use_levels(radio);
    confirm(radio, request);
    attached_ = true;
    listening_ = is_bs();
    if (listening_) air_->listen();
    tick_count_ = 0;
    broadcast_.reset();
    outages_.restart();
    turn_gaps_.restart(request.carriers.shared() ? std::optional(radio.turn_times) : std::nullopt,
                       radio.sample_rate_hz);
    air_->post(control);
}

void MacSession::release() {
    gr::wimax::Control control;
    control.attached = false;
    air_->post(control);
}

void MacSession::confirm(const Transceiver::Radio& radio, const sap::ConfigRequest& request) {
    sap::ConfigConfirm confirm;
    confirm.mac_session = request.mac_session;
    confirm.sample_rate_hz = static_cast<uint32_t>(radio.sample_rate_hz);
    confirm.rx_reference_dbm = static_cast<float>(context_.rx_reference_dbm);
    confirm.tx_reference_dbm = static_cast<float>(context_.tx_reference_dbm);
    confirm.lock_step = radio.lock_step;
    confirm.tx_antennas = static_cast<uint8_t>(radio.tx_antennas);
    confirm.version = config::version();
    port_.send(confirm);
}

void MacSession::use_levels(const Transceiver::Radio& radio) {
    context_.tx_reference_dbm = radio.tx_reference_dbm;
    context_.rx_reference_dbm = radio.rx_reference_dbm;
}

void MacSession::end() {
    air_ = nullptr;
    attached_ = false;
}

void MacSession::watch_mac(sap::FrameNumber frame) {
    if (!attached_ || port_.peer_alive()) return;
    attached_ = false;
    ++losses_;
    phyd_log().warn(frame.value(), "MAC lost: ticking without it");
    release();
}

void MacSession::watch_listening(sap::FrameNumber frame) {
    const auto heard = listening_ && air_ ? air_->heard() : std::nullopt;
    if (!heard) return;
    listening_ = false;
    const auto words = "before transmission the channel held " + words_of(*heard, context_.rx_reference_dbm);
    if (!heard->cell) return radio_log().info(frame.value(), "{}", words);
    radio_log().warn(frame.value(), "{}", words);
    if (attached_) port_.send(sap::ErrorIndication{0, sap::ErrorKind::another_cell, frame, 0, words});
}

const gr::wimax::Tick* MacSession::tick_of(sap::FrameNumber frame) const {
    for (size_t i = 0; i < std::min(tick_count_, ticks_.size()); ++i) {
        const auto& t = ticks_[(tick_count_ - 1 - i) % ticks_.size()];
        if (frame == t.frame_number) return &t;
    }
    return nullptr;
}

sap::FrameInForce MacSession::frame_in_force(gr::wimax::phy::CyclicPrefix cp, int64_t frame_samples) const {
    return {context_.role, static_cast<uint8_t>(cp), static_cast<uint32_t>(frame_samples), one_carrier_};
}

sap::FrameInForce MacSession::frame_of(const gr::wimax::Tick& t) const {
    if (!t.synchronised) return frame_in_force(t.cp, 0);
    // Synchronised by one preamble, the frame's length unknown: the longest there is.
    return frame_in_force(t.cp, t.frame_samples > 0 ? t.frame_samples : t.sample_rate_hz / kMostFramesHz);
}

void MacSession::invalid(sap::FrameNumber frame, const std::string& what) {
    on_error_({gr::wimax::ErrorKind::invalid, frame, 0, what});
}

void MacSession::handle(const sap::ProfilesRequest& m) {
    if (!air_) return;
    gr::wimax::Control control;
    control.diuc_rates = m.diuc_rates;
    air_->post(control);
}

/// The frame gets a response even if the MAC's is invalid, because time may wait for it.
void MacSession::handle(sap::TxFrame& m) {
    if (!air_ || !attached_) return;
    if (tick_count_ == 0) return invalid(m.frame_number, "TxFrame before any tick");
    const auto* tick = tick_of(m.frame_number);
    if (!tick) {
        invalid(m.frame_number, "TxFrame for a frame that was not ticked lately, taken as an empty answer to the last");
        tick = &ticks_[(tick_count_ - 1) % ticks_.size()];
    } else if (const auto faults = air_->check(m, frame_of(*tick)); !faults.empty()) {
        invalid(m.frame_number, "TxFrame." + faults.str());
    } else {
        if (is_bs())
            if (const auto warning = turn_gaps_.sends(m, frame_of(*tick)))
                radio_log().warn(m.frame_number.value(), "{}", *warning);
        auto frame = to_blocks(std::move(m), *tick, context_);
        phyd_log().debug(frame.frame_number.value(),
                         "transmit: {} bursts, {} bytes, advance {} samples, {} Hz, {} dBFS", frame.bursts.size(),
                         octets_of(frame), frame.timing_advance_samples, frame.frequency_hz, frame.power_dbfs);
        return air_->post(std::move(frame));
    }
    sap::TxFrame empty;
    empty.frame_number = tick->frame_number;
    air_->post(to_blocks(std::move(empty), *tick, context_));
}

void MacSession::handle(sap::RxExpect& m) {
    if (!air_ || !attached_) return;
    const bool bs = is_bs();
    const auto* tick = bs ? tick_of(m.frame_number) : nullptr;
    if (bs && !tick) return invalid(m.frame_number, "RxExpect for a frame that was not ticked lately");
    if (!bs && !broadcast_) return invalid(m.frame_number, "RxExpect before any broadcast burst");
    sap::RxExpect empty;
    empty.frame_number = m.frame_number;
    if (!bs && broadcast_->number.since(m.frame_number) >= ticks_.size()) {
        invalid(m.frame_number,
                "RxExpect for a frame that was not received lately, taken as an empty one for the last");
        empty.frame_number = broadcast_->number;
    } else if (const auto faults = air_->check(m, bs ? frame_of(*tick) : broadcast_->frame); !faults.empty()) {
        invalid(m.frame_number, "RxExpect." + faults.str());
    } else {
        if (bs) turn_gaps_.expects(m, frame_of(*tick));
        return air_->post(to_blocks(std::move(m), context_));
    }
    air_->post(to_blocks(std::move(empty), context_));
}

void MacSession::forward(const gr::wimax::Tick& t) {
    if (!attached_ || !t.attached) return;
    ticks_[tick_count_++ % ticks_.size()] = t;
    if (!is_bs() && t.synchronised) context_.bsid_lsb = t.bsid_lsb;
    port_.send(to_sap(t, context_));
}

void MacSession::forward(gr::wimax::BurstReport&& r) {
    if (!attached_ || !r.attached) return;
    const bool broadcast = !is_bs() && r.burst.index == 1;
    if (broadcast || (is_bs() && r.kind == gr::wimax::BurstKind::data))
        outages_.result(r.frame_number, r.burst.detected && r.burst.fec_ok);
    if (broadcast) {
        context_.bsid_lsb = r.prefix.bsid_lsb;
        context_.frame_lsb = r.prefix.frame_lsb;
        const auto samples = r.frame_samples > 0 ? r.frame_samples : air_->radio().sample_rate_hz / kMostFramesHz;
        broadcast_ = {r.frame_number, frame_in_force(r.cp, samples)};
    }
    port_.send(to_sap(std::move(r), context_));
}

void MacSession::forward(const gr::wimax::ContentionReport& r) {
    if (attached_ && r.attached) port_.send(to_sap(r, context_));
}

void MacSession::forward(const gr::wimax::ErrorReport& r) {
    if (attached_) port_.send(to_sap(r));
}

}  // namespace wimax::phyd
