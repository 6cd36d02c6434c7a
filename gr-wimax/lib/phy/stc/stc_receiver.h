/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * Receives an STC zone of a downlink frame (clause 8.3.8) once the frame's own preamble gave timing, frequency and
 * noise (internal to the downlink receiver).
 */
#pragma once

#include "phy/receive/burst_receiver.h"
#include "phy/stc/stc_equalizer.h"

namespace gr::wimax::phy {

class StcReceiver {
public:
    /// Borrows the burst receiver's reader, estimator and decoder.
    explicit StcReceiver(BurstReceiver& shared) : shared_(shared) {}

    /// Estimates both channels from the zone's preamble and decodes the FCH-STC into `prefix`, whose index goes to the
    /// observer. `frame`: the link as tracked so far.
    void start_zone(const SampleView& samples, const Link& frame, int start_symbol, ReceivedBurst& prefix);
    /// A burst of the zone: `start_symbol` from the frame's first preamble symbol; earlier than the last one received
    /// is allowed.
    void receive(const SampleView& samples, const BurstFormat& format, int start_symbol, Randomizer randomizer,
                 ReceivedBurst& result);

    /// Start of the zone at hand; 0: none.
    int zone_start() const { return start_symbol_; }
    void forget_zone() { start_symbol_ = 0; }
    /// As tracked in the zone; its channel is antenna 0's.
    const Link& link() const { return link_; }
    const ChannelEstimate& second_channel() const { return second_channel_; }

private:
    void equalize_pair(const SampleView& samples, int symbol);
    void show_pair(const BurstFormat& format, int burst_index, int symbol);
    void report(ReceivedBurst& result);

    BurstReceiver& shared_;
    int start_symbol_ = 0;
    Link link_;
    LinkTracker after_prefix_;
    ChannelEstimate second_channel_;
    StcEqualizer equalizer_;
    QualityMeter meter_;
    PreambleObservation observation_;
    std::array<Carriers, 2> symbols_;
    Carriers ramp_;
};

}  // namespace gr::wimax::phy
