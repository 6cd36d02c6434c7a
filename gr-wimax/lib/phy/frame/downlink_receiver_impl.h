/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * State of DownlinkReceiver (internal). downlink_receiver.cc finds and follows frames, downlink_bursts.cc receives
 * their bursts and zones.
 */
#pragma once

#include "phy/base/sample_buffer.h"
#include "phy/frame/frame_start_tracker.h"
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
    /// A preamble is measured again if its window is wrong by more than this.
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
    Numerology base;  // only rates are used, not its prefix
    int64_t max_frame_samples;
    SampleBuffer buffer;
    bool started = false;
    int64_t next_due = 0;

    PreambleSource preambles;
    OrderedSymbols ordered;
    std::optional<Acquisition> acquired;  // found, waits for its frame prefix
    FrameStartTracker clock;
    BurstReceiver receiver;
    int missed = 0, bad_prefixes = 0;
    int64_t prefix_complete = 0;  // the last preamble's frame prefix is complete before this sample

    // The current frame.
    bool frame_active = false;
    FrameSync sync;
    LinkEstimate link, base_link;  // as tracked until now; after the frame prefix
    int64_t window_delay = 0;      // from the frame's start to the first FFT window, samples
    double next_cycles_per_sample = 0, next_frequency_variance = kNoPrior;
    std::vector<Pending> pending;  // sorted by due time
    // The first entry, once its reception has begun; its link becomes the frame's when it ends.
    bool begun = false;
    bool asked_late = false;         // requested after the symbols that follow it were received
    Reception* reception = nullptr;  // nullptr: nothing can be received
    LinkEstimate burst_link;
    FftWindow next_symbol;
    int64_t symbol_due = kNever;  // sample at which the next symbol is complete
    int64_t begun_at = 0;         // sample; older symbols are received a few at a time
    int64_t resting_until = 0;    // sample; no older symbols are received before it
    int caught_up = 0;            // symbols
    PreambleObservation observation;
    float prior_variance = kNoPrior;  // of its phase step
    Carriers first_symbol, second_symbol;
    bool second_as_received = false;  ///< without any correction
    ReceivedBurst burst, prefix_burst;
    StcReceiver stc{receiver};
    StcZoneSync zone_sync;
    int zones = 0;  // STC zones of this frame so far

    int symbol_samples() const { return link.symbol_samples; }
    SampleView view() const {
        const auto samples = buffer.view();
        return {samples.data(), buffer.begin(), static_cast<int64_t>(samples.size())};
    }
    /// Stores samples; drops those that are no longer needed or exceed the capacity.
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
    /// True if the preamble just measured places the windows so late that the frame prefix is incomplete: it is due
    /// again when complete.
    bool prefix_incomplete();
    int64_t search_due() const { return clock.locked() || acquired ? kNever : preambles.due(); }
    /// End of the current burst, or the next time to receive older symbols. There is no event per symbol.
    int64_t burst_due();

    /// Does the work that is due at this sample. Nullopt: none was due; next_due is the time of the next.
    std::optional<SampleFlow> step(DownlinkListener& listener);

    /// First sample that is still needed.
    int64_t needed_from() const;
    void look_for_preamble();

    // --- frames -----------------------------------------------------------------------------------------------------

    /// The symbol from a transformer, else nullptr. Transformed symbols lack corrections of the front end.
    const Carriers* transformed(const FftWindow& at, const FrequencyCorrection& by) {
        return receiver.corrects_front_end() ? nullptr : ordered.find(at, by);
    }
    /// True: the symbol is from a transformer.
    bool read_preamble(int symbol, Carriers& out);
    void take_symbol(const FftWindow& at) {
        const bool whole_band = reception == &receiver;
        if (const auto* carriers = whole_band ? transformed(at, receiver.correction()) : nullptr)
            receiver.take(*carriers, 0);
        else
            reception->take_from(view(), at, receiver.reader());
    }

    /// Estimates the preamble with the first FFT window at the given sample.
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

    /// Sets channel, tracker and frame prefix from the preamble just measured.
    void begin_frame();
    /// Updates clock and frequency loop after this frame's prefix; queues the announced bursts.
    void finish_frame();
    /// Orders symbols of the next frame: all before the frame after it, because its maps are not known yet.
    void order_symbols();

    // --- bursts -----------------------------------------------------------------------------------------------------

    /// Bursts and zones of a prefix; `zone`, `zone_start`: number and start of the STC zone it belongs to, or 0.
    void queue_prefix_bursts(FramePrefix prefix, int zone, int zone_start);
    void queue(const Expected& expected, bool first);
    void queue_zone(int start_symbol) { enqueue({{}, start_symbol, 0, 0, false, true}, kStcFirstBurstSymbol); }
    void enqueue(Pending entry, int symbols);

    void begin_burst();
    /// The last symbol ends the burst: only the burst's end is due for it.
    void plan_symbol();
    void take_symbols();
    std::optional<SampleFlow> end_burst(DownlinkListener& listener);
    void report_burst();
    void report_link(const LinkEstimate& used);
    void learn_oscillator(const LinkEstimate& used);
    std::optional<SampleFlow> receive_zone(int start_symbol, DownlinkListener& listener);
    void report_stc_burst();
};

}  // namespace gr::wimax::phy
