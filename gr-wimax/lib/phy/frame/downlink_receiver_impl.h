// SPDX-License-Identifier: GPL-3.0-or-later
// State of DownlinkReceiver (internal): finds and follows frames. DownlinkBursts receives their bursts and zones.
#pragma once

#include "phy/frame/downlink_bursts.h"
#include "phy/frame/preamble_source.h"

#include <gnuradio/wimax/phy/frame/downlink_receiver.h>

#include <numbers>
#include <optional>

namespace gr::wimax::phy {

struct DownlinkReceiver::Impl {
    explicit Impl(const DownlinkReceiverConfig& c);

    DownlinkReceiverConfig config;
    FollowedFrame frame;
    SampleBuffer buffer;
    bool started = false;
    int64_t next_due = 0;

    PreambleSource preambles;
    std::optional<Acquisition> acquired;  // found, waits for its frame prefix
    BurstReceiver receiver;
    FrameSymbols symbols;
    DownlinkBursts bursts;
    int missed = 0, bad_prefixes = 0;
    int64_t prefix_complete = 0;  // the last preamble's frame prefix is complete before this sample

    // The last preamble.
    PreambleObservation observation;
    float prior_variance = kNoPrior;  // of its phase step
    Carriers first_symbol, second_symbol;
    bool second_as_received = false;  ///< without any correction
    ReceivedBurst prefix_burst;

    bool no_more = false;  ///< see expect_no_more()
    /// End of the samples that nothing will look at once the bursts have ended; 0: there are none.
    int64_t idle_until() const;
    /// Samples from here on that nothing will look at.
    size_t idle_samples();
    /// Stores samples; drops those that are no longer needed or exceed the capacity.
    void store(std::span<const Complex> samples);

    void restart(int64_t sample);
    void reset(int64_t sample);

    // --- what is due when -------------------------------------------------------------------------------------------

    static int64_t prefix_end(int64_t start, int cp_samples) {
        return start + kFirstBurstSymbol * (kFftSize + cp_samples);
    }
    int64_t frame_due() const;
    /// True if the preamble just measured places the windows so late that the frame prefix is incomplete: it is due
    /// again when complete.
    bool prefix_incomplete();
    int64_t search_due() const { return frame.clock.locked() || acquired ? kNever : preambles.due(); }
    /// Does the work that is due at this sample. Nullopt: none was due; next_due is the time of the next.
    std::optional<SampleFlow> step(DownlinkListener& listener);

    /// First sample that is still needed.
    int64_t needed_from() const;
    void look_for_preamble();

    // --- frames -----------------------------------------------------------------------------------------------------

    /// True: the symbol is from a transformer.
    bool read_preamble(int symbol, Carriers& out);
    /// Estimates the preamble with the first FFT window at the given sample.
    bool measure_preamble(int64_t window, double cycles_per_sample, double prior);
    int64_t measured_window() const { return frame.link.window_origin + observation.window_shift; }
    double measured_start() const {
        return static_cast<double>(frame.link.window_origin - frame.link.cp_samples) + observation.first_path;
    }
    double refined_cycles() const {
        return frame.link.cycles_per_sample +
               observation.phase_step / (2 * std::numbers::pi * frame.link.symbol_samples);
    }

    void set_prefix(CyclicPrefix cp);
    std::optional<SampleFlow> first_frame(DownlinkListener& listener);
    std::optional<SampleFlow> follow_frame(DownlinkListener& listener);
    SampleFlow lose_sync(DownlinkListener& listener);

    /// Sets channel, tracker and frame prefix from the preamble just measured.
    void begin_frame();
    /// Updates clock and frequency loop after this frame's prefix; queues the announced bursts.
    void finish_frame();
    /// Orders symbols of the next frame: all before the frame after it, because its maps are not known yet.
    void order_symbols();
};

}  // namespace gr::wimax::phy
