/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * What DownlinkReceiver is made of (internal). Frames are found and followed in downlink_receiver.cc, their bursts and
 * zones received in downlink_bursts.cc.
 */
#pragma once

#include "phy/base/sample_buffer.h"
#include "phy/frame/frame_clock.h"
#include "phy/frame/ordered_symbols.h"
#include "phy/frame/preamble_source.h"
#include "phy/receive/burst_receiver.h"
#include "phy/stc/stc_receiver.h"

#include <gnuradio/wimax/phy/frame/downlink_receiver.h>

#include <limits>
#include <numbers>
#include <optional>
#include <vector>

namespace gr::wimax::phy {

inline constexpr int64_t kNever = std::numeric_limits<int64_t>::max();

struct DownlinkReceiver::Impl {
    static constexpr float kNoPrior = 1e6F;
    /// A preamble whose window should be further from where it was is measured again.
    static constexpr int kMaxWindowErrorSamples = 1;

    struct Pending {
        BurstFormat format;
        int start_symbol, index;
        int64_t due;
        bool first;
        bool zone = false;  // not a burst: preamble and prefix of an STC zone
        int end_symbol = 0;
    };

    explicit Impl(const DownlinkReceiverConfig& c);

    DownlinkReceiverConfig config;
    Numerology base;  // its prefix does not matter, only rates
    int64_t max_frame_samples;
    SampleBuffer buffer;
    bool started = false;
    int64_t next_due = 0;

    PreambleSource preambles;
    OrderedSymbols ordered;
    std::optional<Acquisition> acquired;  // found, waits for its frame prefix
    FrameClock clock;
    BurstReceiver receiver;
    int missed = 0, bad_prefixes = 0;
    int64_t prefix_complete = 0;  // the last preamble's frame prefix is wholly there before this sample

    // The frame at hand.
    bool frame_active = false;
    FrameSync sync;
    LinkState link, base_link;  // as tracked so far, and as it was after the frame prefix
    int64_t window_delay = 0;   // of the first FFT window after the frame's start, samples
    double next_cycles_per_sample = 0, next_frequency_variance = kNoPrior;
    std::vector<Pending> pending;  // by the time when they are due
    // The first of them once its reception has begun; its link becomes the frame's when it ends.
    bool begun = false;
    bool asked_late = false;         // it was asked for after what came behind it was received
    Reception* reception = nullptr;  // nullptr: nothing can be received
    LinkState burst_link;
    SymbolWindow next_symbol;
    int64_t symbol_due = kNever;  // sample; the next symbol is there
    int64_t begun_at = 0;         // sample; what was there then is caught up with, a few symbols at a time
    int64_t resting_until = 0;    // sample; before it no more is caught up with
    int caught_up = 0;            // symbols
    PreambleObservation observation;
    float prior_variance = kNoPrior;  // of its phase step
    Carriers first_symbol, second_symbol;
    bool second_as_received = false;  ///< nothing has been taken off it
    ReceivedBurst burst, prefix_burst;
    StcReceiver stc{receiver};
    StcZoneSync zone_sync;
    int zones = 0;  // STC zones of this frame so far

    int symbol_samples() const { return link.symbol_samples; }
    SampleView view() const {
        const auto samples = buffer.view();
        return {samples.data(), buffer.begin(), static_cast<int64_t>(samples.size())};
    }
    /// Those that nobody asks for may go, and those that there is no room for do.
    void store(std::span<const Complex> samples);

    void restart(int64_t sample);
    void reset(int64_t sample);
    void forget_bursts() {
        pending.clear();
        begun = false;
        resting_until = 0;
        symbol_due = kNever;
    }

    // --- what is due when -------------------------------------------------------------------------------------------

    static int64_t prefix_end(int64_t start, int cp_samples) {
        return start + kFirstBurstSymbol * (kFftSize + cp_samples);
    }
    int64_t frame_due() const;
    /// The preamble just measured may place the windows so late that the frame prefix is not wholly there yet: it is
    /// due again once it is.
    bool prefix_incomplete();
    int64_t search_due() const { return clock.locked() || acquired ? kNever : preambles.due(); }
    /// The end of the burst at hand, or when it may catch up with more. Symbols that come are not waited for one by
    /// one.
    int64_t burst_due();

    /// Does what is due by the sample reached. Nullopt: nothing was due, and next_due says when something will be.
    std::optional<SampleFlow> step(DownlinkListener& listener);

    /// Nobody asks for samples before this one any more.
    int64_t needed_from() const;
    void look_for_preamble();

    // --- frames -----------------------------------------------------------------------------------------------------

    /// As a transformer gives it, else nullptr: samples have what it does not know of, a front end to be corrected.
    const Carriers* transformed(const SymbolWindow& at, const FrequencyCorrection& by) {
        return receiver.corrects_front_end() ? nullptr : ordered.find(at, by);
    }
    /// True: as a transformer gave it.
    bool read_preamble(int symbol, Carriers& out);
    void take_symbol(const SymbolWindow& at) {
        const bool whole_band = reception == &receiver;
        if (const auto* carriers = whole_band ? transformed(at, receiver.correction()) : nullptr)
            receiver.take(*carriers, 0);
        else
            reception->take_from(view(), at, receiver.reader());
    }

    /// Estimates the preamble with the first FFT window at the sample given.
    bool measure_preamble(int64_t window, double cycles_per_sample, double prior);
    int64_t measured_window() const { return link.window_origin + observation.window_shift; }
    double measured_start() const {
        return static_cast<double>(link.window_origin - link.cp_samples) + observation.first_path;
    }
    double refined_cycles() const {
        return link.cycles_per_sample + observation.phase_step / (2 * std::numbers::pi * link.symbol_samples);
    }

    void set_prefix(CyclicPrefix cp);
    std::optional<SampleFlow> first_frame(DownlinkListener& listener);
    std::optional<SampleFlow> follow_frame(DownlinkListener& listener);
    SampleFlow lose_sync(DownlinkListener& listener);

    /// Channel, tracker and frame prefix from the preamble just measured.
    void begin_frame();
    /// What the clock and the frequency loop say after this frame's prefix; queues the announced bursts.
    void finish_frame();
    /// Of the next frame: all that begin before the one behind it, as its maps are still to come.
    void order_symbols();

    // --- bursts -----------------------------------------------------------------------------------------------------

    /// Bursts and zones of a prefix; `zone`, `zone_start`: number and start of the STC zone it belongs to, or 0.
    void queue_prefix_bursts(FramePrefix prefix, int zone, int zone_start);
    void queue(const Expected& expected, bool first);
    void queue_zone(int start_symbol) { enqueue({{}, start_symbol, 0, 0, false, true}, kStcFirstBurstSymbol); }
    void enqueue(Pending entry, int symbols);

    void begin_burst();
    /// The last symbol ends the burst: for it nothing but the burst's own time counts.
    void plan_symbol();
    void take_symbols();
    std::optional<SampleFlow> end_burst(DownlinkListener& listener);
    void report_burst();
    void report_link(const LinkState& used);
    void learn_oscillator(const LinkState& used);
    std::optional<SampleFlow> receive_zone(int start_symbol, DownlinkListener& listener);
    void report_stc_burst();
};

}  // namespace gr::wimax::phy
