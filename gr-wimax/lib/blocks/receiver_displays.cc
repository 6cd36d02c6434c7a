// SPDX-License-Identifier: GPL-3.0-or-later
#include "blocks/receiver_displays.h"

#include <gnuradio/wimax/phy/stc/stc.h>

#include <algorithm>

namespace gr::wimax {
namespace {

constexpr size_t kMostPoints = 16384;  // of a burst: as many as a display can draw ten times a second

}  // namespace

ReceiverDisplays::ReceiverDisplays(gr::basic_block& block, uint32_t interval_frames, SignalTapPtr signal)
    : block_(block),
      interval_frames_(interval_frames),
      constellation_(pmt::mp(port::constellation)),
      response_(pmt::mp(port::response)),
      signal_(std::move(signal)) {
    block_.message_port_register_out(constellation_);
    block_.message_port_register_out(response_);
    points_.reserve(kMostPoints);
}

bool ReceiverDisplays::wanted(const pmt::pmt_t& port) const { return !pmt::is_null(block_.message_subscribers(port)); }

phy::SymbolObserver* ReceiverDisplays::of_frame(phy::FrameNumber frame) {
    points_.clear();
    channel_.clear();
    to_tap_ = signal_ && signal_->watched();
    if (to_tap_) signal_->begin_frame();
    to_ports_ = frame.value() % interval_frames_ == 0 && (wanted(constellation_) || wanted(response_));
    return to_ports_ || to_tap_ ? this : nullptr;
}

void ReceiverDisplays::on_samples(std::span<const phy::Complex> samples) {
    if (signal_ && signal_->watched()) signal_->on_samples(samples);
}

void ReceiverDisplays::end_burst(const BurstReport& report) {
    if (to_tap_) signal_->end_burst(report);
}

void ReceiverDisplays::on_symbol(const phy::SymbolObservation& seen) {
    if (to_tap_) signal_->on_symbol(seen);
    if (!to_ports_) return;
    // A frame prefix, that of the frame or of an STC zone, is no burst.
    if (seen.direction == phy::Direction::downlink && seen.burst_index % phy::kStcZoneIndex == 0) return;
    const size_t n = std::min(seen.points.size(), kMostPoints - points_.size());
    points_.insert(points_.end(), seen.points.begin(), seen.points.begin() + static_cast<std::ptrdiff_t>(n));
    channel_.assign(seen.response.begin(), seen.response.end());
    channel_.insert(channel_.end(), seen.second_response.begin(), seen.second_response.end());
}

void ReceiverDisplays::publish(const pmt::pmt_t& burst_pdu) {
    const auto send = [&](const pmt::pmt_t& port, const std::vector<phy::Complex>& values) {
        if (values.empty() || !wanted(port)) return;
        block_.message_port_pub(port,
                                pmt::cons(pmt::car(burst_pdu), pmt::init_c32vector(values.size(), values.data())));
    };
    send(constellation_, points_);
    send(response_, channel_);
    points_.clear();
    channel_.clear();
}

}  // namespace gr::wimax
