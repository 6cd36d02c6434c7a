// SPDX-License-Identifier: GPL-3.0-or-later
// Receives the data symbols of one burst once timing, frequency and channel are known. Shared by both receivers
// (internal).
#pragma once

#include "phy/carriers/symbol_reader.h"
#include "phy/channel/response_tracker.h"
#include "phy/channel/subchannel_estimator.h"
#include "phy/receive/decision_feedback.h"
#include "phy/receive/equalizer.h"
#include "phy/receive/front_end_tracker.h"
#include "phy/receive/link_estimate.h"
#include "phy/receive/reception.h"
#include "phy/receive/tone_remover.h"

#include <gnuradio/wimax/phy/coding/burst_coder.h>
#include <gnuradio/wimax/phy/receive/symbol_observer.h>

#include <optional>

namespace gr::wimax::phy {

/// Copies the decoder's results to `result`.
void report_decoded(const BurstDecoder& decoder, ReceivedBurst& result);

class BurstReceiver final : public Reception {
public:
    /// Bursts on groups of subchannels exist in the uplink only.
    BurstReceiver(int max_symbols, Direction direction);

    struct Place {
        int first_symbol = 0;       ///< first symbol of the burst's data, or of its short preamble
        bool own_preamble = false;  ///< the burst begins with a preamble that renews the channel estimate
        int index = 0;              ///< for the observer
    };
    /// Sets channel, tracker and motion from a preamble over the whole band, long or short. Motion known in
    /// link.response is used; a default one has none.
    void begin_link(const PreambleObservation& seen, bool long_preamble, const ClockDrift& clock, LinkEstimate& link);
    using SeenPreamble = phy::SeenPreamble;
    /// The same with the preamble's symbols. Errors of both front ends that they show are compensated from here on, but
    /// forgotten unless kept. The sender's image and foreign carriers are removed from the observation.
    void begin_link(const SeenPreamble& seen, const ClockDrift& clock, LinkEstimate& link);
    /// Passes a DC offset to the FrontEndTracker, before a preamble is read.
    void suggest_dc(Complex value, float variance);
    Complex known_dc() const { return front_end_.known_dc(); }
    /// True if the reader compensates significant errors of a front end: its symbols differ from received ones.
    bool corrects_front_end() const { return front_end_.felt(); }
    void keep_front_end();
    void forget_front_end();

    void forget_sender() { front_end_.forget_sender(); }
    /// Forgets everything.
    void reset_front_end();
    /// `link`: that of the last preamble.
    FrontEndLevels front_end_levels(const LinkEstimate& link) const;

    /// Begins a burst; a previous one is discarded. `link` is tracked from here on and must stay until finish(). If the
    /// decoder rejects the format, no symbol is wanted and the result is empty.
    void start(LinkEstimate& link, const BurstFormat& format, const Place& place, Randomizer randomizer);

    bool wants_symbol() const override { return symbol_ < end_symbol_; }
    FftWindow next_window() override;
    FrequencyCorrection correction() const override { return {link_->cycles_per_sample, link_->window_origin}; }
    void take(const Carriers& symbol, int shift) override;
    void finish(ReceivedBurst& result) override;

    void set_observer(SymbolObserver* observer) { observer_ = observer; }
    SymbolObserver* observer() const { return observer_; }
    SymbolReader& reader() { return reader_; }
    ChannelEstimator& estimator() { return estimator_; }
    BurstDecoder& decoder() { return decoder_; }
    ResponseTracker& response_tracker() { return response_tracker_; }
    /// Uplink only.
    SubchannelEstimator& subchannels() { return *subchannels_; }

private:
    const Carriers& without_tones(const Carriers& symbol, int shift);
    void renew_channel(const Carriers& symbol, int shift);
    void take_data(const Carriers& symbol, int shift);
    /// The channel follows what the decoder takes for sent in the symbol just fed to it.
    void follow_decoder(const Carriers& symbol, int shift, std::span<const SoftBit> soft);
    /// Learns from the symbol just equalized errors of both front ends, for the following symbols.
    void learn_front_end(const Carriers& symbol, int shift);
    void use_images(const LinkEstimate& link);
    /// Reports the symbol just equalized, read `shift` samples late, to the observer.
    void show_symbol(const Carriers& symbol, int shift, std::span<const SoftBit> soft);

    SymbolReader reader_;
    ChannelEstimator estimator_;
    std::optional<SubchannelEstimator> subchannels_;
    Equalizer equalizer_;
    ResponseTracker response_tracker_;
    FrontEndTracker front_end_;
    ToneRemover tone_remover_;
    BurstDecoder decoder_;
    DecisionFeedback feedback_;
    QualityMeter meter_;
    PreambleObservation observation_;
    ChannelEstimate fresh_;
    Carriers turned_, ramp_, clean_, sent_;
    int looks_ = 0;  ///< symbols that may still show errors of the front ends
    SymbolObserver* observer_ = nullptr;

    // The current burst.
    LinkEstimate* link_ = nullptr;
    BurstFormat format_;
    Place place_;
    int symbol_ = 0, end_symbol_ = 0;  // next symbol; end of the burst
    float still_speed_ = 0;
};

}  // namespace gr::wimax::phy
