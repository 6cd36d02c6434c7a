// SPDX-License-Identifier: GPL-3.0-or-later
// Uplink of decode(): one burst, or one region of focused contention, somewhere in a recording of any length.
#include <gnuradio/wimax/phy/frame/uplink_receiver.h>
#include "tools/iq/decode.h"
#include "tools/iq/observed.h"
#include "tools/iq/sample_window.h"

#include <algorithm>

namespace wimax::iq {
namespace {

/// Searched at a time, if not a multiple of the burst's length: a quarter of a second at 5 MHz.
constexpr int64_t kSearchSamples = int64_t{1} << 20;
constexpr int kBurstsASearch = 8;
/// Earlier symbols that are searched again: a preamble and those that determine its frequency.
constexpr int kOverlapSymbols = 16;
constexpr int64_t kLongestSymbol = phy::kFftSize + phy::kFftSize / 4;

struct SymbolKeeper : phy::SymbolObserver {
    void on_symbol(const phy::SymbolObservation& seen) override { symbols.push_back(keep(seen)); }
    std::vector<SeenSymbol> symbols;
};

// The burst that begins near `start`, if there is one.
std::optional<DecodedFrame> receive_at(phy::UplinkReceiver& receiver, const phy::Numerology& numerology,
                                       const phy::BurstFormat& format, int64_t start, const SampleWindow& window,
                                       bool observed) {
    phy::UplinkAllocation allocation;
    allocation.format = format;
    allocation.index = 1;
    allocation.start_sample = start;
    // Only what the burst can reach: the receiver need not look at the rest.
    const int64_t guard = receiver.guard_samples();
    const int64_t length = int64_t{format.total_symbols()} * numerology.symbol_samples();
    const int64_t from = std::clamp(start - guard, window.begin(), window.end());
    const int64_t to = std::clamp(start + length + guard, from, window.end());
    DecodedFrame frame;
    frame.bursts.resize(1);
    auto& burst = frame.bursts[0];
    SymbolKeeper keeper;
    receiver.set_observer(observed ? &keeper : nullptr);
    receiver.receive(window.view(from, to), from, allocation, burst);
    receiver.set_observer(nullptr);
    frame.symbols = std::move(keeper.symbols);
    if (!burst.detected) return std::nullopt;
    frame.sync.start_sample = burst.start_sample;
    frame.sync.cp = numerology.cp;
    frame.sync.frequency_offset_hz = burst.measured.frequency_offset_hz;
    frame.sync.snr_db = burst.measured.cinr_db;
    frame.sync.rssi_dbfs = burst.measured.rssi_dbfs;
    return frame;
}

// A wrong prefix or start may show a preamble, but the symbols after it are worse.
bool better(const DecodedFrame& a, const DecodedFrame& b) {
    const auto& x = a.bursts[0];
    const auto& y = b.bursts[0];
    return x.fec_ok != y.fec_ok ? x.fec_ok : x.measured.cinr_db > y.measured.cinr_db;
}

/// One cyclic prefix to try: the first burst that seems to be there with it.
struct Candidate {
    phy::Numerology numerology;
    phy::UplinkReceiver receiver;
    bool tried = false;
};

std::vector<Candidate> candidates(const Spec& spec) {
    std::vector<Candidate> found;
    for (const auto cp : phy::kCyclicPrefixes) {
        if (spec.cp && *spec.cp != cp) continue;
        if (const auto numerology = phy::Numerology::make(spec.bandwidth_hz, cp))
            found.push_back({*numerology, phy::UplinkReceiver(*numerology)});
    }
    return found;
}

class BurstSearch {
public:
    BurstSearch(const Spec& spec, const SampleFeed& feed, bool observed)
        : spec_(spec),
          format_(spec.frames[0].bursts[0].format),
          window_(feed),
          candidates_(candidates(spec)),
          observed_(observed),
          reach_((format_.total_symbols() + kOverlapSymbols) * kLongestSymbol) {}

    std::optional<DecodedFrame> run() {
        if (spec_.start_sample) {
            window_.pass(*spec_.start_sample - reach_);
            window_.fill(*spec_.start_sample + reach_);
            for (auto& candidate : candidates_) try_at(candidate, *spec_.start_sample);
            return std::move(best_);
        }
        while (!search_window()) continue;
        return std::move(best_);
    }

private:
    /// True: nothing is left to look for.
    bool search_window() {
        window_.fill(window_.begin() + std::max(kSearchSamples, kBurstsASearch * reach_));
        int64_t next = window_.end() - kOverlapSymbols * kLongestSymbol;
        bool all_tried = true;
        for (auto& candidate : candidates_) {
            if (candidate.tried) continue;
            const auto start = candidate.receiver.search(window_.view(), window_.begin(), format_);
            if (start && (window_.ended() || *start + reach_ <= window_.end())) try_at(candidate, *start);
            else if (start)  // its end is still to come
                next = std::min(next, *start - kOverlapSymbols * kLongestSymbol);
            all_tried = all_tried && candidate.tried;
        }
        if (all_tried || window_.ended()) return true;
        window_.pass(next);
        return false;
    }
    void try_at(Candidate& candidate, int64_t start) {
        candidate.tried = true;
        auto frame = receive_at(candidate.receiver, candidate.numerology, format_, start, window_, observed_);
        if (frame && (!best_ || better(*frame, *best_))) best_ = std::move(frame);
    }

    const Spec& spec_;
    const phy::BurstFormat& format_;
    SampleWindow window_;
    std::vector<Candidate> candidates_;
    bool observed_;
    int64_t reach_;  ///< of the longest such burst and what its reception looks at
    std::optional<DecodedFrame> best_;
};

}  // namespace

void decode_burst(const Spec& spec, const SampleFeed& feed, const FrameSink& sink, bool observed) {
    if (spec.frames.empty()) return;
    if (auto frame = BurstSearch(spec, feed, observed).run()) sink(std::move(*frame));
}

// One frame with the codes of all opportunities; none if there is no code.
void decode_contention(const Spec& spec, const SampleFeed& feed, const FrameSink& sink) {
    DecodedFrame frame;
    frame.sync.start_sample = *spec.start_sample;
    frame.sync.cp = *spec.cp;
    phy::ContentionDetector detector(spec.numerology());
    const int64_t length = phy::kContentionSymbols * spec.numerology().symbol_samples();
    SampleWindow window(feed);
    window.pass(*spec.start_sample - length);
    window.fill(*spec.start_sample + (spec.contention->opportunities + 1) * length);
    for (int i = 0; i < spec.contention->opportunities; ++i)
        for (const auto& detection : detector.detect(window.view(), window.begin(), *spec.start_sample + i * length))
            frame.codes.push_back({i, detection});
    if (!frame.codes.empty()) sink(std::move(frame));
}

}  // namespace wimax::iq
