/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * What a receiver shows on its display ports: the equalised points of a burst and the channel they were divided by. The
 * core collects them only while somebody is connected, and only in one of `interval_frames` frames.
 */
#pragma once

#include <gnuradio/basic_block.h>
#include <gnuradio/wimax/block_messages.h>
#include <gnuradio/wimax/phy/receive/symbol_observer.h>

namespace gr::wimax {

class ReceiverDisplays final : private phy::SymbolObserver {
public:
    /// Registers the ports of `block`, which owns this.
    ReceiverDisplays(gr::basic_block& block, uint32_t interval_frames);

    /// Observer for the bursts of this frame from now on; nullptr where nobody would see them.
    phy::SymbolObserver* of_frame(phy::FrameNumber frame);
    bool filled() const { return !points_.empty() || !channel_.empty(); }
    /// After the last symbol of a burst: what was collected of it, with the keys of its report.
    void publish(const pmt::pmt_t& burst_pdu);

private:
    bool wanted(const pmt::pmt_t& port) const;
    void on_symbol(const phy::SymbolObservation& seen) override;

    gr::basic_block& block_;
    const uint32_t interval_frames_;
    const pmt::pmt_t constellation_, response_;
    std::vector<phy::Complex> points_, channel_;
};

}  // namespace gr::wimax
