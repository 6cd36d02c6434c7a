// SPDX-License-Identifier: GPL-3.0-or-later
// Display ports of a receiver: the equalised points of a burst and the channel they were divided by. The core collects
// them only while a port is connected, and only in one of `interval_frames` frames.
#pragma once

#include <gnuradio/basic_block.h>
#include <gnuradio/wimax/block_messages.h>
#include <gnuradio/wimax/signal_tap.h>

namespace gr::wimax {

class ReceiverDisplays final : private phy::SymbolObserver {
public:
    /// Registers the ports of `block`, which owns this.
    ReceiverDisplays(gr::basic_block& block, uint32_t interval_frames, SignalTapPtr signal);

    /// Observer for the bursts of this frame from now on; nullptr without a reader.
    phy::SymbolObserver* of_frame(phy::FrameNumber frame);
    /// To the tap, if it is watched: samples when they arrive, a burst after its last symbol.
    void on_samples(std::span<const phy::Complex> samples);
    void end_burst(const BurstReport& report);
    bool filled() const { return !points_.empty() || !channel_.empty(); }
    /// After the last symbol of a burst: publishes its collected points, with the keys of its report.
    void publish(const pmt::pmt_t& burst_pdu);

private:
    bool wanted(const pmt::pmt_t& port) const;
    void on_symbol(const phy::SymbolObservation& seen) override;

    gr::basic_block& block_;
    const uint32_t interval_frames_;
    const pmt::pmt_t constellation_, response_;
    const SignalTapPtr signal_;
    bool to_ports_ = false, to_tap_ = false;  ///< of the frame at hand
    std::vector<phy::Complex> points_, channel_;
};

}  // namespace gr::wimax
