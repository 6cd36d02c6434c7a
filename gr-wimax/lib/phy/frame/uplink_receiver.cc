// SPDX-License-Identifier: GPL-3.0-or-later
#include <gnuradio/wimax/phy/frame/uplink_receiver.h>

#include "phy/acquire/short_preamble_search.h"
#include "phy/acquire/synchronizer.h"
#include "phy/base/decibels.h"
#include "phy/receive/burst_receiver.h"
#include "phy/subchannel/subchannel_locator.h"

#include <algorithm>
#include <cmath>
#include <numbers>

namespace gr::wimax::phy {
namespace {

constexpr double kTurn = 2 * std::numbers::pi;
/// Stations lock to the base station's clock; 15 ppm also allows for those that do not yet.
constexpr double kPriorClockOffset = 15e-6;
/// Largest carrier offset of a burst with short preamble, if that exceeds a carrier: its stations have ranged.
constexpr double kMaxShortOffsetHz = 12e3;
/// A burst within half a prefix may appear this much farther off.
constexpr int kTimingSlackSamples = 3;
/// Symbols after a burst's nominal start in which it is searched for: a preamble with its window moved after echoes;
/// the plateau of a long preamble and the range searched after it; data symbols that show the frequency of a group of
/// subchannels.
constexpr int kShortLookSymbols = 2, kLongLookSymbols = 5, kSubchannelLookSymbols = 10;

}  // namespace

struct UplinkReceiver::Impl {
    Impl(const Numerology& n, int max_symbols)
        : numerology(n), receiver(max_symbols, Direction::uplink), long_search(n.cp, n), short_search(n.cp_samples()) {
        link.begin(Direction::uplink, n.cp_samples(), n.sample_rate_hz);
    }

    Numerology numerology;
    BurstReceiver receiver;
    PreambleSearch long_search;
    ShortPreambleSearch short_search;
    LinkEstimate link;
    SubchannelLocator subchannels{receiver, link};
    PreambleObservation observation;
    Carriers first_symbol, second_symbol;

    int cp() const { return link.cp_samples; }

    /// Start guesses a burst whose first cyclic prefix begins near `start`, within half a prefix.
    std::optional<double> measure_short(const SampleView& view, int64_t start) {
        const int64_t middle = start + cp() / 2;
        if (!observe_pairs(view, middle)) return std::nullopt;
        if (!observe(view, place_window(), link.cycles_per_sample, false)) return std::nullopt;
        return burst_start();
    }
    std::optional<double> measure_long(const SampleView& view, int64_t start) {
        const int64_t middle = start + cp() / 2;
        const double cycles = short_search.frequency(view, middle);  // P_4x64 repeats after 128 samples, too
        if (!observe(view, middle, cycles, true)) {
            find(view, start - cp() / 2, start + cp() / 2, true, Which::all);
            return observe_found(view, 0, true);
        }
        if (!observe(view, place_window(), refined_cycles(), true)) return std::nullopt;
        return burst_start();
    }

    /// P_2x128 in the given window. Its halves give the frequency modulo pairs of carriers. With the longest prefix two
    /// candidates may look like a channel: the one with fewer paths is correct.
    bool observe_pairs(const SampleView& view, int64_t window) {
        const double fine = short_search.frequency(view, window);
        std::optional<double> best;
        float most = 0;
        for (const int pair : {0, 1, -1}) {
            const double cycles = fine + 2.0 * pair / kFftSize;
            const bool allowed = std::abs(cycles) * static_cast<double>(numerology.sample_rate_hz) < kMaxShortOffsetHz;
            if (!(pair == 0 || allowed) || !observe(view, window, cycles, false) || observation.concentration <= most)
                continue;
            most = observation.concentration;
            best = cycles;
        }
        return best && (*best == link.cycles_per_sample || observe(view, window, *best, false));
    }
    bool observe(const SampleView& view, int64_t window, double cycles, bool both) {
        link.place(window, cycles);
        auto& reader = receiver.reader();
        auto& estimator = receiver.estimator();
        reader.read(view, link.window(0, 0), cycles, link.window_origin, first_symbol);
        if (both) {
            reader.read(view, link.window(1, 0), cycles, link.window_origin, second_symbol);
            estimator.observe_long(first_symbol, second_symbol, cp(), kNoPrior, observation);
        } else {
            estimator.observe_short(first_symbol, cp(), observation);
        }
        return observation.present;
    }
    double refined_cycles() const {
        return link.cycles_per_sample + observation.phase_step / (kTurn * link.symbol_samples);
    }
    int64_t place_window() const { return link.window_origin + observation.window_shift; }
    double burst_start() const { return static_cast<double>(link.window_origin - cp()) + observation.first_path; }

    /// Bursts seen in the last search, strongest first.
    struct Found {
        int64_t window;
        double cycles, start;
        float power;
    };
    static constexpr size_t kMostFound = 4;
    std::array<Found, kMostFound> found;
    size_t found_count = 0;

    /// Adds the burst just observed, unless it is known or weaker than enough others. False: it is known.
    bool keep_found() {
        const Found f{link.window_origin, link.cycles_per_sample, burst_start(), observation.power};
        const auto end = found.begin() + static_cast<std::ptrdiff_t>(found_count);
        if (std::any_of(found.begin(), end, [&](const Found& g) { return std::abs(g.start - f.start) < cp(); }))
            return false;
        const auto place = std::find_if(found.begin(), end, [&](const Found& g) { return g.power < f.power; });
        if (place == found.end()) return true;
        found_count = std::min(found_count + 1, kMostFound);
        std::move_backward(place, found.begin() + static_cast<std::ptrdiff_t>(found_count) - 1,
                           found.begin() + static_cast<std::ptrdiff_t>(found_count));
        *place = f;
        return true;
    }
    std::optional<double> observe_found(const SampleView& view, size_t number, bool both) {
        if (number >= found_count) return std::nullopt;
        observe(view, found[number].window, found[number].cycles, both);
        return found[number].start;
    }

    std::optional<double> locate(const SampleView& view, const UplinkAllocation& allocation) {
        short_search.set_offset(receiver.known_dc());
        const bool both = allocation.format.preamble == Preamble::long_;
        const int64_t from = allocation.start_sample;
        if (allocation.search_samples <= 0) {
            const auto start = both ? measure_long(view, from) : measure_short(view, from);
            if (start && std::abs(*start - static_cast<double>(from)) > cp() / 2 + kTimingSlackSamples)
                return std::nullopt;
            return start;
        }
        // A midamble looks like a preamble.
        const auto which = allocation.format.midamble_interval == 0 ? Which::all : Which::first;
        find(view, from - cp() / 2, from + allocation.search_samples + cp() / 2, both, which);
        return observe_found(view, 0, both);
    }

    enum class Which : uint8_t { first, all };
    /// Fills `found` with bursts that start between `from` and `to`.
    void find(const SampleView& view, int64_t from, int64_t to, bool both, Which which) {
        found_count = 0;
        if (both) find_long(view, from, to, which);
        else find_short(view, from, to, which);
    }
    void find_long(const SampleView& view, int64_t from, int64_t to, Which which) {
        const int64_t begin = std::max(from - kFftSize, view.first);
        const int64_t end = std::min(to + 4 * link.symbol_samples, view.end());
        if (end <= begin) return;
        const SampleView part{view.at(begin), begin, end - begin};
        long_search.restart(begin);
        long_search.set_known_offset(receiver.known_dc());
        while (const auto plateau = long_search.scan(part)) {
            const auto seen = long_search.acquire(part, *plateau);
            if (!seen) continue;
            receiver.suggest_dc(long_search.offset().value, long_search.offset().variance);
            if (!observe(view, seen->start_sample + cp() / 2, seen->cycles_per_sample, true)) continue;
            if (!observe(view, place_window(), refined_cycles(), true)) continue;
            if (burst_start() < static_cast<double>(from) || burst_start() > static_cast<double>(to)) continue;
            const bool fresh = keep_found();
            if (which == Which::first) return;
            // A strong preamble must not be learned as a carrier, which would hide weaker ones.
            if (fresh) long_search.restart(link.window_origin + kFftSize);
        }
    }
    void find_short(const SampleView& view, int64_t from, int64_t to, Which which) {
        int64_t at = from;
        while (const auto window = short_search.next(view, at, to + cp())) {
            at = *window + kFftSize / 2;
            if (!observe_pairs(view, *window) || !observe(view, place_window(), link.cycles_per_sample, false))
                continue;
            if (burst_start() < static_cast<double>(from) - 1 || burst_start() > static_cast<double>(to) + 1) continue;
            keep_found();
            if (which == Which::first) return;
        }
    }

    /// Sets up the reception of the data after the preamble just observed.
    void begin_burst(const UplinkAllocation& allocation, double start) {
        const BurstFormat& format = allocation.format;
        link.sender_image = {};
        if (subchannel_count(format.subchannel_index) == kFullSubchannel) {
            link.forget_response();
            const ClockDrift unknown{0, std::pow(kPriorClockOffset * link.symbol_samples, 2)};
            const bool both = format.preamble == Preamble::long_;
            if (both) receiver.begin_link({observation, second_symbol, &first_symbol}, unknown, link);
            else receiver.begin_link({observation, first_symbol, nullptr}, unknown, link);
        }
        burst_begin = start;
        receiver.start(link, format, {.first_symbol = preamble_symbols(format.preamble), .index = allocation.index},
                       burst_randomizer(format));
    }
    void end_burst(const SampleView& view, const UplinkAllocation& allocation, ReceivedBurst& result) {
        while (receiver.wants_symbol()) receiver.take_from(view, receiver.reader());
        result.found_at(std::llround(burst_begin));
        receiver.finish(result);
        if (result.fec_ok) receiver.keep_front_end();
        else receiver.forget_front_end();
        result.measured.set_offsets(
            burst_begin - static_cast<double>(allocation.start_sample),
            link.total_cycles_per_sample() * static_cast<double>(numerology.sample_rate_hz));
    }

    // The current allocation.
    enum class Stage : uint8_t { nothing, awaited, found, missed };
    Stage stage = Stage::nothing;
    UplinkAllocation at_hand;
    double burst_begin = 0;

    /// Samples up to here contain everything that the search for the burst's start uses.
    int64_t locatable_from(const UplinkReceiver& self) const {
        const int64_t complete = self.end_sample(at_hand);
        if (at_hand.search_samples > 0) return complete;
        const bool whole_band = subchannel_count(at_hand.format.subchannel_index) == kFullSubchannel;
        const int symbols = !whole_band                                  ? kSubchannelLookSymbols
                            : at_hand.format.preamble == Preamble::long_ ? kLongLookSymbols
                                                                         : kShortLookSymbols;
        const int64_t looked_at = at_hand.start_sample + int64_t{symbols} * link.symbol_samples;
        return std::min(complete, looked_at + self.guard_samples());
    }
    void look_for_burst(const SampleView& view) {
        const bool whole_band = subchannel_count(at_hand.format.subchannel_index) == kFullSubchannel;
        const auto start = whole_band ? locate(view, at_hand) : subchannels.locate(view, at_hand);
        stage = start ? Stage::found : Stage::missed;
        if (start) begin_burst(at_hand, *start);
    }

    void report_noise(const SampleView& view, const UplinkAllocation& allocation, ReceivedBurst& result) {
        receiver.reader().read(view, allocation.start_sample + cp(), 0, allocation.start_sample, first_symbol);
        double power = -std::norm(first_symbol[0]);  // a DC offset of the samples is no noise
        for (int k = -kEdgeCarrier; k <= kEdgeCarrier; ++k) power += std::norm(first_symbol[k]);
        // Noise over all 256 bins, as mean sample power.
        result.measured.rssi_dbfs = static_cast<float>(decibels(power / kUsedCarriers * kFftSize / kUsedCarriers));
    }
};

UplinkReceiver::UplinkReceiver(const Numerology& numerology, int max_symbols)
    : impl_(std::make_unique<Impl>(numerology, max_symbols)) {}
UplinkReceiver::~UplinkReceiver() = default;
UplinkReceiver::UplinkReceiver(UplinkReceiver&&) noexcept = default;

int UplinkReceiver::guard_samples() const { return impl_->cp() / 2 + kTimingSlackSamples + kMostOverhang; }

int64_t UplinkReceiver::first_sample(const UplinkAllocation& allocation) const {
    return allocation.start_sample - guard_samples();
}

int64_t UplinkReceiver::end_sample(const UplinkAllocation& allocation) const {
    const int64_t length = int64_t{allocation.format.total_symbols()} * impl_->link.symbol_samples;
    return allocation.start_sample + length + allocation.search_samples + guard_samples();
}

namespace {

void begin_result(const UplinkAllocation& allocation, ReceivedBurst& result) {
    result.format = allocation.format;
    result.index = allocation.index;
    result.start_symbol = 0;
    result.clear(allocation.start_sample);
}

}  // namespace

void UplinkReceiver::start(const UplinkAllocation& allocation) {
    auto& impl = *impl_;
    impl.at_hand = allocation;
    // Discards what another burst showed: the front end, unless that burst was decoded, and its interferers.
    impl.receiver.forget_front_end();
    impl.link.tones.clear();
    impl.found_count = 0;
    const bool valid = valid_burst_format(allocation.format) && !allocation.format.stc;
    impl.stage = valid ? Impl::Stage::awaited : Impl::Stage::nothing;
}

void UplinkReceiver::advance(std::span<const Complex> samples, int64_t first_sample) {
    auto& impl = *impl_;
    const SampleView view{samples.data(), first_sample, static_cast<int64_t>(samples.size())};
    if (impl.stage == Impl::Stage::awaited && view.end() >= impl.locatable_from(*this)) impl.look_for_burst(view);
    if (impl.stage != Impl::Stage::found) return;
    auto& receiver = impl.receiver;
    while (receiver.wants_symbol() && receiver.next_window().end() <= view.end())
        receiver.take_from(view, receiver.reader());
}

void UplinkReceiver::finish(std::span<const Complex> samples, int64_t first_sample, ReceivedBurst& result) {
    auto& impl = *impl_;
    const SampleView view{samples.data(), first_sample, static_cast<int64_t>(samples.size())};
    begin_result(impl.at_hand, result);
    if (impl.stage == Impl::Stage::awaited) impl.look_for_burst(view);
    if (impl.stage == Impl::Stage::found) impl.end_burst(view, impl.at_hand, result);
    if (impl.stage == Impl::Stage::missed) impl.report_noise(view, impl.at_hand, result);
    impl.stage = Impl::Stage::nothing;
}

void UplinkReceiver::receive(std::span<const Complex> samples, int64_t first_sample, const UplinkAllocation& allocation,
                             ReceivedBurst& result) {
    start(allocation);
    finish(samples, first_sample, result);
}

bool UplinkReceiver::receive_second(std::span<const Complex> samples, int64_t first_sample,
                                    const UplinkAllocation& allocation, ReceivedBurst& result) {
    const SampleView view{samples.data(), first_sample, static_cast<int64_t>(samples.size())};
    begin_result(allocation, result);
    const auto start = impl_->observe_found(view, 1, allocation.format.preamble == Preamble::long_);
    if (start) {
        impl_->begin_burst(allocation, *start);
        impl_->end_burst(view, allocation, result);
    }
    return result.fec_ok;
}

std::optional<int64_t> UplinkReceiver::search(std::span<const Complex> samples, int64_t first_sample,
                                              const BurstFormat& format) {
    const SampleView view{samples.data(), first_sample, static_cast<int64_t>(samples.size())};
    if (!valid_burst_format(format)) return std::nullopt;
    if (subchannel_count(format.subchannel_index) != kFullSubchannel)
        return impl_->subchannels.find(view, format.subchannel_index, view.first, view.end());
    impl_->find(view, view.first - impl_->cp(), view.end(), format.preamble == Preamble::long_, Impl::Which::first);
    if (impl_->found_count == 0) return std::nullopt;
    return std::llround(impl_->found[0].start);
}

void UplinkReceiver::forget_front_end() {
    impl_->receiver.reset_front_end();
    impl_->link.tones.clear();
}

FrontEndLevels UplinkReceiver::front_end() const { return impl_->receiver.front_end_levels(impl_->link); }

void UplinkReceiver::set_second_chance(bool on) { impl_->receiver.decoder().set_second_chance(on); }

void UplinkReceiver::set_observer(SymbolObserver* observer) { impl_->receiver.set_observer(observer); }

}  // namespace gr::wimax::phy
