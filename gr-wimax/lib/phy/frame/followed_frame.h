// SPDX-License-Identifier: GPL-3.0-or-later
// The downlink frame being received, as far as its bursts need it, and the symbols of the whole band from which they
// are received (internal to the downlink receiver).
#pragma once

#include "phy/base/sample_buffer.h"
#include "phy/frame/frame_start_tracker.h"
#include "phy/frame/ordered_symbols.h"
#include "phy/receive/burst_receiver.h"

#include <gnuradio/wimax/phy/frame/downlink_receiver.h>

#include <limits>

namespace gr::wimax::phy {

inline constexpr int64_t kNever = std::numeric_limits<int64_t>::max();
/// A preamble is measured again if its window is wrong by more than this.
inline constexpr int kMaxWindowErrorSamples = 1;

struct FollowedFrame {
    explicit FollowedFrame(const Numerology& numerology)
        : base(numerology), most_samples(base.frame_samples(6)), clock(base.sample_rate_hz) {}

    const Numerology base;  // only rates are used, not its prefix
    const int64_t most_samples;
    FrameStartTracker clock;
    bool active = false;
    FrameSync sync;
    LinkEstimate link, base_link;  // as tracked until now; after the frame prefix
    int64_t window_delay = 0;      // from the frame's start to the first FFT window, samples
    double next_cycles_per_sample = 0, next_frequency_variance = kNoPrior;

    /// The frequency that the next frame begins with.
    void learn_frequency(const LinkEstimate& used) {
        next_cycles_per_sample = used.total_cycles_per_sample();
        next_frequency_variance = used.tracker.phase_rate_variance();
    }
    void learn_oscillator(const LinkEstimate& used) {
        learn_frequency(used);
        // The tracker began with the frequency of earlier frames.
        sync.set_clock_offset(1e6 * used.tracker.delay_rate() / used.symbol_samples);
    }
};

/// Symbols from a transformer, if it has them and the front end needs no correction; others from samples.
class FrameSymbols {
public:
    FrameSymbols(const SampleBuffer& buffer, BurstReceiver& receiver, std::shared_ptr<SymbolTransformer> transformer)
        : buffer_(buffer), receiver_(receiver), ordered_(std::move(transformer)) {}

    OrderedSymbols& ordered() { return ordered_; }
    const OrderedSymbols& ordered() const { return ordered_; }
    SampleView view() const {
        const auto samples = buffer_.view();
        return {samples.data(), buffer_.begin(), static_cast<int64_t>(samples.size())};
    }
    /// True: the symbol is from a transformer.
    bool read(const FftWindow& at, const FrequencyCorrection& by, Carriers& out) {
        if (const auto* carriers = transformed(at, by)) {
            out = *carriers;
            return true;
        }
        receiver_.reader().read(view(), at.start, by.cycles_per_sample, by.phase_reference, out);
        return false;
    }
    /// Passes the next symbol, in this window, to the burst.
    void pass(const FftWindow& at, Reception& to) {
        const bool whole_band = &to == &receiver_;
        if (const auto* carriers = whole_band ? transformed(at, receiver_.correction()) : nullptr)
            receiver_.take(*carriers, 0);
        else to.take_from(view(), at, receiver_.reader());
    }

private:
    /// nullptr: no transformer has the symbol. Transformed symbols lack corrections of the front end.
    const Carriers* transformed(const FftWindow& at, const FrequencyCorrection& by) {
        return receiver_.corrects_front_end() ? nullptr : ordered_.find(at, by);
    }

    const SampleBuffer& buffer_;
    BurstReceiver& receiver_;
    OrderedSymbols ordered_;
};

}  // namespace gr::wimax::phy
