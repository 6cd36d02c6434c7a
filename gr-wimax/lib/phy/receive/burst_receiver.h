/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * Receives the data symbols of one burst once timing, frequency and channel are known: what both receivers share
 * (internal).
 */
#pragma once

#include "phy/carriers/symbol_reader.h"
#include "phy/channel/response_tracker.h"
#include "phy/channel/subchannel_estimator.h"
#include "phy/receive/equalizer.h"

#include <gnuradio/wimax/phy/coding/burst_coder.h>
#include <gnuradio/wimax/phy/receive/symbol_observer.h>

#include <optional>

namespace gr::wimax::phy {

/// What is known about the way from one transmitter, in a frame or an uplink burst. Symbol numbers count from the first
/// preamble symbol.
struct Link {
    Direction direction = Direction::downlink;
    double cycles_per_sample = 0;  ///< frequency correction applied to samples; the tracker has the rest
    int64_t window_origin = 0;     ///< FFT window of symbol 0; the correction's phase is zero here
    int symbol_samples = 0;
    int cp_samples = 0;
    double sample_rate_hz = 0;
    ChannelEstimate channel;
    LinkTracker tracker;
    ResponseState response;

    int64_t window(int symbol, int shift) const {
        return window_origin + static_cast<int64_t>(symbol) * symbol_samples + shift;
    }
    SymbolPace pace() const { return {symbol_samples / sample_rate_hz, static_cast<double>(symbol_samples)}; }
    /// Carrier offset including what the tracker found, in cycles per sample.
    double total_cycles_per_sample() const;
};

/// What a long preamble tells the tracker; `snr` of a data carrier, as a ratio. Of the clock it says nothing.
LinkTracker::Start after_long_preamble(const PreambleObservation& seen, double snr);

class BurstReceiver {
public:
    /// Bursts on groups of subchannels come in the uplink only.
    BurstReceiver(int max_symbols, Direction direction);

    /// `first_symbol`: where the burst's data (or its own short preamble, if `own_preamble`) begins. Fills payload, FEC
    /// state and measurements of `result`; its index goes to the observer.
    void receive(const SampleView& samples, Link& link, const BurstFormat& format, int first_symbol, bool own_preamble,
                 Randomizer randomizer, ReceivedBurst& result);

    void set_observer(SymbolObserver* observer) { observer_ = observer; }
    SymbolObserver* observer() const { return observer_; }
    SymbolReader& reader() { return reader_; }
    ChannelEstimator& estimator() { return estimator_; }
    BurstDecoder& decoder() { return decoder_; }
    ResponseTracker& response_tracker() { return response_tracker_; }
    /// Uplink only.
    SubchannelEstimator& subchannels() { return *subchannels_; }

private:
    void renew_channel(const SampleView& samples, Link& link, int subchannel_index, int symbol);
    /// The symbol just equalized, read `window_shift` samples late.
    void show_symbol(const Link& link, const BurstFormat& format, int burst_index, int symbol, int window_shift);

    SymbolReader reader_;
    ChannelEstimator estimator_;
    std::optional<SubchannelEstimator> subchannels_;
    Equalizer equalizer_;
    ResponseTracker response_tracker_;
    BurstDecoder decoder_;
    QualityMeter meter_;
    PreambleObservation observation_;
    ChannelEstimate fresh_;
    Carriers symbol_, ramp_;
    SymbolObserver* observer_ = nullptr;
};

}  // namespace gr::wimax::phy
