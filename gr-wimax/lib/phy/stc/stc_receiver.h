// SPDX-License-Identifier: GPL-3.0-or-later
// Receives an STC zone of a downlink frame (clause 8.3.8) once the frame's own preamble gave timing, frequency and
// noise (internal to the downlink receiver).
#pragma once

#include "phy/receive/burst_receiver.h"
#include "phy/stc/stc_equalizer.h"

namespace gr::wimax::phy {

class StcReceiver final : public Reception {
public:
    /// Borrows the burst receiver's reader, estimator and decoder.
    explicit StcReceiver(BurstReceiver& shared) : shared_(shared) {}

    /// Estimates both channels from the zone's preamble and decodes the FCH-STC into `prefix`; the observer gets its
    /// index. `frame`: the link as tracked until now.
    void start_zone(const SampleView& samples, const LinkEstimate& frame, int start_symbol, ReceivedBurst& prefix);

    /// Begins a burst of the zone; a previous one is discarded. `start_symbol` from the frame's first preamble symbol;
    /// earlier than the last one received is allowed. The observer gets `index`.
    void start(const BurstFormat& format, int start_symbol, int index, Randomizer randomizer);

    bool wants_symbol() const override { return symbol_ < end_symbol_; }
    FftWindow next_window() override;
    FrequencyCorrection correction() const override { return {link_.cycles_per_sample, link_.window_origin}; }
    /// Both symbols of a pair have the same shift.
    void take(const Carriers& symbol, int shift) override;
    void finish(ReceivedBurst& result) override;

    /// Start of the current zone; 0: none.
    int zone_start() const { return zone_symbol_; }
    void forget_zone() { zone_symbol_ = 0; }
    /// As tracked in the zone; its channel is antenna 0's.
    const LinkEstimate& link() const { return link_; }
    const ChannelEstimate& second_channel() const { return second_channel_; }

private:
    int second_of_pair() const { return (symbol_ - first_symbol_) % 2; }
    void begin(const BurstFormat& format, int start_symbol, int index, Randomizer randomizer);
    void show_pair(int symbol);

    BurstReceiver& shared_;
    int zone_symbol_ = 0;
    LinkEstimate link_;
    LinkTracker after_prefix_, settled_;  // settled: after the last finished burst
    ChannelEstimate second_channel_;
    StcEqualizer equalizer_;
    QualityMeter meter_;
    PreambleObservation observation_;
    std::array<Carriers, 2> symbols_;
    Carriers ramp_;

    // The current burst.
    BurstFormat format_;
    int index_ = 0, first_symbol_ = 0;
    int symbol_ = 0, end_symbol_ = 0;  // next symbol; end of the burst
    bool prefix_ = false;              // not a burst: the FCH-STC, one symbol sent twice
};

}  // namespace gr::wimax::phy
