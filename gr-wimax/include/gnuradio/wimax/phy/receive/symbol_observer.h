// SPDX-License-Identifier: GPL-3.0-or-later
// Observation of each data symbol on its way to the decoder, for displays and for measurements of modulation
// (clause 8.3.10). Without an observer it costs a receiver nothing.
#pragma once

#include <gnuradio/wimax/phy/base/burst_types.h>

namespace gr::wimax::phy {

/// One data symbol, not a preamble. References and spans are valid only while on_symbol() runs.
struct SymbolObservation {
    Direction direction = Direction::downlink;
    const BurstFormat& format;  ///< of the burst; of the FCH in symbol 2 of a downlink frame and after an STC preamble
    int burst_index = 0;        ///< ReceivedBurst::index; 0: FCH; a multiple of kStcZoneIndex: FCH-STC
    int symbol = 0;             ///< from the first preamble symbol of the frame (downlink) or burst (uplink)

    /// Data carriers after all corrections, one for each offset of carrier_set(format.subchannel_index).data() in that
    /// order; the reference constellation has unit mean power. In an STC zone: the estimate of this sent symbol from
    /// both symbols of the pair.
    std::span<const Complex> points;
    /// Pilot carriers after all corrections, divided by the sent values (1 without error), one for each of
    /// carrier_set(format.subchannel_index).pilot_indices().
    std::span<const Complex> pilots;
    /// Soft bits that the decoder gets, in the order of labels (constellation.h). Empty in an FCH-STC, whose two
    /// symbols are decoded as one.
    std::span<const int8_t> soft_bits;
    /// Channel that the points were divided by, offsets -100..100 (0 on the unused carrier 0); 1 is 0 dBFS per
    /// carrier. Its phase counts delays from the start of the FFT window: sample `response_window` for symbol 0.
    /// Carriers without a burst of this transmitter are 0.
    std::span<const Complex> response;
    std::span<const Complex> second_response;  ///< STC zone: that of antenna 1, `response` is antenna 0's; else empty
    int64_t response_window = 0;
    double cycles_per_sample = 0;  ///< frequency correction of the samples, its phase zero at sample `response_window`
    float noise_variance = 0;      ///< per carrier, on the scale of |response|^2
    /// Changes that were tracked since the channel estimate and are compensated in the points.
    float phase_rad = 0;      ///< carrier phase beyond the frequency correction
    float delay_samples = 0;  ///< positive: symbols arrive late
};

struct SymbolObserver {
    virtual ~SymbolObserver() = default;
    /// In the order of decoding: symbol of the FCH, DownlinkListener::on_frame(), symbols of a burst,
    /// DownlinkListener::on_burst() and so on; uplink symbols before UplinkReceiver::receive() returns.
    virtual void on_symbol(const SymbolObservation& observation) = 0;
};

}  // namespace gr::wimax::phy
