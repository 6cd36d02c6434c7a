/* SPDX-License-Identifier: GPL-3.0-or-later */
#include <gnuradio/wimax/phy/frame/downlink_receiver.h>

#include "phy/acquire/synchronizer.h"
#include "phy/base/decibels.h"
#include "phy/base/sample_buffer.h"
#include "phy/frame/frame_clock.h"
#include "phy/receive/burst_receiver.h"
#include "phy/stc/stc_receiver.h"

#include <gnuradio/wimax/phy/coding/frame_prefix.h>

#include <algorithm>
#include <cassert>
#include <cmath>
#include <limits>
#include <numbers>

namespace gr::wimax::phy {
namespace {

constexpr double kTurn = 2 * std::numbers::pi;
constexpr int kMaxMissedPreambles = 5;
constexpr int kMaxBadPrefixes = 16;
constexpr float kNoPrior = 1e6F;
/// Frame starts move by less than this (samples^2) through noise alone; multipath makes more than the estimate's own.
constexpr double kMinTimingVariance = 4e-4;
/// +-20 ppm on both sides, where nothing is known yet.
constexpr double kMaxClockOffset = 40e-6;
/// A preamble whose window should be further from where it was is measured again.
constexpr int kMaxWindowErrorSamples = 1;
constexpr size_t kMaxChunk = 4096, kHistory = 8192;
/// A burst that was asked for when some of it had passed catches up with this many symbols in the time of one, so that
/// no call has to do them all. What is left at its end is done then.
constexpr int kCatchUpSymbols = 4;
constexpr int64_t kNever = std::numeric_limits<int64_t>::max();

/// The prefix in it does not matter.
Numerology numerology_of(int64_t bandwidth_hz) {
    const auto numerology = Numerology::make(bandwidth_hz, CyclicPrefix::g1_8);
    assert(numerology && "the bandwidth is within its limits");
    return *numerology;
}

}  // namespace

struct DownlinkReceiver::Impl {
    struct Pending {
        BurstFormat format;
        int start_symbol, index;
        int64_t due;
        bool first;
        bool zone = false;  // not a burst: preamble and prefix of an STC zone
        int end_symbol = 0;
    };

    explicit Impl(const DownlinkReceiverConfig& c)
        : config(c),
          base(numerology_of(c.bandwidth_hz)),
          max_frame_samples(base.frame_samples(6)),
          buffer(static_cast<size_t>(max_frame_samples) + kHistory + kMaxChunk),
          search(c.cp, base),
          clock(base.sample_rate_hz),
          receiver(kMaxFrameSymbols, Direction::downlink) {
        pending.reserve(kMaxFrameSymbols);
        burst.payload.reserve(static_cast<size_t>(burst_capacity_bytes(kRates - 1, kMaxFrameSymbols)));
        prefix_burst.payload.reserve(64);
    }

    DownlinkReceiverConfig config;
    Numerology base;  // its prefix does not matter, only rates
    int64_t max_frame_samples;
    SampleBuffer buffer;
    bool started = false;
    int64_t next_due = 0;

    PreambleSearch search;
    std::optional<int64_t> plateau;       // passed, waits to be looked at
    std::optional<Acquisition> acquired;  // found by search, waits for its frame prefix
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
    void store(std::span<const Complex> samples) {
        buffer.drop_before(std::max(needed_from(), buffer.end() - max_frame_samples - static_cast<int64_t>(kHistory)));
        buffer.store(samples);
    }

    void restart(int64_t sample) {
        clock.reset();
        search.restart(sample);
        search.set_known_offset(receiver.known_dc());
        plateau.reset();
        acquired.reset();
        missed = bad_prefixes = 0;
        prefix_complete = sample;
        link.response = {};  // the next base station may not move
        receiver.forget_sender();
    }

    void reset(int64_t sample) {
        buffer.reset(sample);
        restart(sample);
        frame_active = false;
        forget_bursts();
    }
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
    int64_t frame_due() const {
        if (clock.locked()) return std::max(prefix_end(std::llround(clock.start()), link.cp_samples), prefix_complete);
        if (acquired)
            return std::max(prefix_end(acquired->start_sample, kFftSize / static_cast<int>(acquired->cp)),
                            prefix_complete);
        return kNever;
    }
    /// The preamble just measured may place the windows so late that the frame prefix is not wholly there yet: it is
    /// due again once it is.
    bool prefix_incomplete() {
        prefix_complete = link.window(kFchSymbol, 0) + kFftSize + kMaxWindowErrorSamples;
        return prefix_complete > buffer.end();
    }
    int64_t search_due() const {
        if (clock.locked() || acquired) return kNever;
        return plateau ? *plateau + PreambleSearch::kAcquireSamples : search.needed();
    }
    /// The end of the burst at hand, or when it may catch up with more. Symbols that come are not waited for one by
    /// one.
    int64_t burst_due() {
        if (pending.empty()) return kNever;
        if (!begun) {
            begin_burst();
            plan_symbol();
        }
        const int64_t end = pending.front().due;
        return resting_until > buffer.end() ? std::min(end, resting_until) : end;
    }

    /// Does what is due by the sample reached. Nullopt: nothing was due, and next_due says when something will be.
    std::optional<SampleFlow> step(DownlinkListener& listener) {
        const int64_t now = buffer.end();
        const int64_t burst_at = burst_due(), frame_at = frame_due(), search_at = search_due();
        take_symbols();
        if (burst_at <= now && burst_at <= frame_at && burst_at <= search_at) return end_burst(listener);
        if (frame_at <= now && frame_at <= search_at)
            return clock.locked() ? follow_frame(listener) : first_frame(listener);
        if (search_at <= now) {
            look_for_preamble();
            return SampleFlow::go_on;
        }
        next_due = std::min({burst_at, frame_at, search_at});
        return std::nullopt;
    }

    /// Nobody asks for samples before this one any more.
    int64_t needed_from() const {
        int64_t from = clock.locked() ? std::llround(clock.start()) - kFftSize : search.keep_from();
        if (acquired) from = std::min(from, acquired->start_sample - kFftSize);
        // Bursts of the frame at hand may be asked for until it is over.
        if (frame_active && buffer.end() < sync.start_sample + 2 * max_frame_samples)
            from = std::min(from, sync.start_sample - kFftSize);
        return from;
    }

    void look_for_preamble() {
        if (!plateau) {
            plateau = search.scan(view());
            return;
        }
        acquired = search.acquire(view(), *plateau);
        if (acquired) receiver.suggest_dc(search.offset().value, search.offset().variance);
        plateau.reset();
    }

    // --- frames -----------------------------------------------------------------------------------------------------

    /// Estimates the preamble with the first FFT window at the sample given.
    bool measure_preamble(int64_t window, double cycles_per_sample, double prior) {
        link.window_origin = window;
        link.cycles_per_sample = cycles_per_sample;
        auto& reader = receiver.reader();
        const auto samples = view();
        reader.read(samples, link.window(0, 0), cycles_per_sample, link.window_origin, first_symbol);
        reader.read(samples, link.window(1, 0), cycles_per_sample, link.window_origin, second_symbol);
        prior_variance = static_cast<float>(prior);
        receiver.estimator().observe_long(first_symbol, second_symbol, link.cp_samples, prior_variance, observation);
        return observation.present;
    }
    int64_t measured_window() const { return link.window_origin + observation.window_shift; }
    double measured_start() const {
        return static_cast<double>(link.window_origin - link.cp_samples) + observation.first_path;
    }
    double refined_cycles() const {
        return link.cycles_per_sample + observation.phase_step / (kTurn * link.symbol_samples);
    }

    void set_prefix(CyclicPrefix cp) {
        sync.cp = cp;
        link.cp_samples = kFftSize / static_cast<int>(cp);
        link.symbol_samples = kFftSize + link.cp_samples;
        link.sample_rate_hz = static_cast<double>(base.sample_rate_hz);
        link.direction = Direction::downlink;
    }

    std::optional<SampleFlow> first_frame(DownlinkListener& listener) {
        const Acquisition found = *acquired;
        const CyclicPrefix previous_cp = sync.cp;
        set_prefix(found.cp);
        // In the middle of the prefix earlier and later paths show.
        const int64_t middle = found.start_sample + link.cp_samples / 2;
        bool present = measure_preamble(middle, found.cycles_per_sample, kNoPrior);
        if (present) present = measure_preamble(measured_window(), refined_cycles(), kNoPrior);
        if (present && prefix_incomplete()) {
            if (frame_active) set_prefix(previous_cp);
            return SampleFlow::go_on;
        }
        acquired.reset();
        if (!present) receiver.forget_front_end();
        if (!present) {  // the search goes on where it was: a preamble may have begun meanwhile
            if (frame_active) set_prefix(previous_cp);
            return SampleFlow::go_on;
        }
        search.restart(found.start_sample + kFchSymbol * link.symbol_samples);
        begin_frame();
        // Without a prefix it could be a station's initial ranging burst, which starts like a frame.
        if (sync.fch_ok) clock.decoded(measured_start(), sync.prefix.frame_lsb);
        finish_frame();
        return listener.on_frame(sync);
    }

    std::optional<SampleFlow> follow_frame(DownlinkListener& listener) {
        const auto predicted = std::llround(clock.start()) + window_delay;
        const double frame_s = static_cast<double>(clock.frame_samples()) / link.sample_rate_hz;
        const double walk = LinkTracker::frequency_walk(link.pace(), frame_s);
        const double prior = next_frequency_variance + walk;
        bool present = measure_preamble(predicted, next_cycles_per_sample, prior);
        if (present && std::abs(observation.window_shift) > kMaxWindowErrorSamples)
            present = measure_preamble(measured_window(), next_cycles_per_sample, prior);
        if (present && prefix_incomplete()) return SampleFlow::go_on;
        if (!present) {
            frame_active = false;
            next_frequency_variance += walk;
            clock.advance();
            if (++missed < kMaxMissedPreambles) return SampleFlow::go_on;
            return lose_sync(listener);
        }
        missed = 0;
        const double snr = observation.power / observation.noise_variance;
        clock.measured(measured_start(), std::max(kMinTimingVariance, 1e-3 / snr));
        begin_frame();
        if (sync.fch_ok) {
            bad_prefixes = 0;
            clock.decoded(clock.start(), sync.prefix.frame_lsb);
            if (!clock.locked()) search.restart(buffer.end());
        } else if (++bad_prefixes >= kMaxBadPrefixes) {
            return lose_sync(listener);
        }
        finish_frame();
        return listener.on_frame(sync);
    }

    SampleFlow lose_sync(DownlinkListener& listener) {
        frame_active = false;
        forget_bursts();
        restart(buffer.end());
        listener.on_sync_lost(buffer.end());
        return SampleFlow::go_on;
    }

    /// Channel, tracker and frame prefix from the preamble just measured.
    void begin_frame() {
        receiver.begin_link({observation, second_symbol, &first_symbol, prior_variance},
                            {clock.drift(link.symbol_samples), clock.drift_variance(link.symbol_samples)}, link);
        const double snr = std::max(static_cast<double>(link.channel.snr_linear()), 1e-3);
        forget_bursts();
        stc.forget_zone();
        zones = 0;

        receiver.receive(view(), link, fch_format(), {.first_symbol = kFchSymbol}, Randomizer::frame_start(),
                         prefix_burst);
        const auto prefix = parse_frame_prefix(prefix_burst.payload);
        sync.fch_ok = prefix.has_value();
        if (sync.fch_ok)
            receiver.keep_front_end();
        else
            receiver.forget_front_end();
        sync.prefix = prefix ? *prefix : FramePrefix{};
        const double begin = measured_start();
        window_delay = link.window_origin - std::llround(begin);
        sync.start_sample = std::llround(begin);
        sync.start_fraction = begin - static_cast<double>(sync.start_sample);
        sync.snr_db = static_cast<float>(decibels(snr));
        sync.rssi_dbfs = static_cast<float>(decibels(link.channel.power));
        frame_active = true;
    }

    /// What the clock and the frequency loop say after this frame's prefix; queues the announced bursts.
    void finish_frame() {
        next_cycles_per_sample = link.total_cycles_per_sample();
        next_frequency_variance = link.tracker.phase_rate_variance();
        sync.frequency_offset_hz =
            static_cast<float>(next_cycles_per_sample * static_cast<double>(base.sample_rate_hz));
        sync.clock_offset_ppm = static_cast<float>(clock.clock_offset_ppm());
        sync.frame_samples = clock.frame_samples();
        if (clock.locked()) clock.advance();
        base_link = link;
        if (sync.fch_ok) queue_prefix_bursts(sync.prefix, 0, 0);
    }

    /// Bursts and zones of a prefix; `zone`, `zone_start`: number and start of the STC zone it belongs to, or 0.
    void queue_prefix_bursts(FramePrefix prefix, int zone, int zone_start) {
        if (!config.decode_prefix_bursts) prefix.entry_count = std::min(prefix.entry_count, 1);
        const auto content = read_prefix(prefix, config.diuc_rates, zone, zone_start);
        for (const auto& item : std::span(content.items).first(static_cast<size_t>(content.count))) {
            if (item.zone)
                queue_zone(item.burst.start_symbol);
            else
                queue(item.burst, item.first);
        }
    }

    void queue(const Expected& expected, bool first) {
        const auto& f = expected.format;
        if (f.stc ? !valid_stc_format(f) : !valid_burst_format(f)) return;
        enqueue({f, expected.start_symbol, expected.index, 0, first}, f.total_symbols());
    }
    void queue_zone(int start_symbol) { enqueue({{}, start_symbol, 0, 0, false, true}, kStcFirstBurstSymbol); }

    void enqueue(Pending entry, int symbols) {
        if (!frame_active || pending.size() == pending.capacity()) return;
        const int end = entry.end_symbol = entry.start_symbol + symbols;
        const int64_t span = static_cast<int64_t>(end) * link.symbol_samples;
        if (entry.start_symbol < kFirstBurstSymbol || span > max_frame_samples || end > kMaxFrameSymbols) return;
        // FFT windows lie a little before the end of their symbol, or behind it where echoes reach beyond the prefix.
        const int64_t overhang = std::max<int64_t>(0, window_delay - link.cp_samples + kMaxWindowErrorSamples);
        const auto samples = static_cast<double>(span);
        const double drift = clock.locked() ? clock.drift(samples) : kMaxClockOffset * samples;
        entry.due = sync.start_sample + span + overhang + static_cast<int64_t>(std::ceil(std::max(0.0, drift)));
        const auto place = std::upper_bound(pending.begin(), pending.end(), entry,
                                            [](const Pending& a, const Pending& b) { return a.due < b.due; });
        // One that is over earlier goes first: what has begun begins anew after it.
        if (place == pending.begin()) begun = false;
        pending.insert(place, entry);
    }

    // --- bursts -----------------------------------------------------------------------------------------------------

    void begin_burst() {
        const Pending& item = pending.front();
        begun = true;
        begun_at = buffer.end();
        caught_up = 0;
        reception = nullptr;
        const Randomizer randomizer = burst_randomizer(item.format, item.first);
        if (item.zone) return;
        if (item.format.stc) {
            if (stc.zone_start() == 0 || item.start_symbol < stc.zone_start() + kStcFirstBurstSymbol) return;
            stc.start(item.format, item.start_symbol, item.index, randomizer);
            reception = &stc;
            return;
        }
        // A burst asked for late, before what was received since: from the state after the frame prefix.
        asked_late = item.start_symbol < link.tracker.position();
        burst_link = asked_late ? base_link : link;
        const bool own_preamble = item.format.preamble == Preamble::short_;
        receiver.start(burst_link, item.format, {item.start_symbol, own_preamble, item.index}, randomizer);
        reception = &receiver;
    }
    /// The last symbol ends the burst: for it nothing but the burst's own time counts.
    void plan_symbol() {
        symbol_due = kNever;
        if (reception == nullptr || !reception->wants_symbol()) return;
        next_symbol = reception->next_window();
        if (next_symbol.symbol + 1 < pending.front().end_symbol) symbol_due = next_symbol.end();
    }

    void take_symbols() {
        const int64_t now = buffer.end();
        while (symbol_due <= now && resting_until <= now) {
            const bool was_there = symbol_due <= begun_at;
            reception->take_from(view(), next_symbol, receiver.reader());
            plan_symbol();
            if (was_there && ++caught_up % kCatchUpSymbols == 0) resting_until = now + symbol_samples();
        }
    }

    std::optional<SampleFlow> end_burst(DownlinkListener& listener) {
        const Pending item = pending.front();
        pending.erase(pending.begin());
        begun = false;
        resting_until = 0;
        symbol_due = kNever;
        if (item.zone) return receive_zone(item.start_symbol, listener);
        burst.format = item.format;
        burst.start_symbol = item.start_symbol;
        burst.index = item.index;
        while (reception != nullptr && reception->wants_symbol()) reception->take_from(view(), receiver.reader());
        if (item.format.stc)
            report_stc_burst();
        else
            report_burst();
        return listener.on_burst(sync, burst);
    }

    void report_burst() {
        burst.detected = true;
        receiver.finish(burst);
        report_link(burst_link);
        if (asked_late) return;
        link = burst_link;
        learn_oscillator(link);
    }

    void report_link(const LinkState& used) {
        burst.start_sample = sync.start_sample + static_cast<int64_t>(burst.start_symbol) * link.symbol_samples +
                             std::llround(sync.start_fraction + used.tracker.delay());
        burst.measured.timing_offset_samples = static_cast<float>(used.tracker.delay());
        burst.measured.frequency_offset_hz =
            static_cast<float>(used.total_cycles_per_sample() * static_cast<double>(base.sample_rate_hz));
    }
    void learn_oscillator(const LinkState& used) {
        next_cycles_per_sample = used.total_cycles_per_sample();
        next_frequency_variance = used.tracker.phase_rate_variance();
        // The tracker began with what the frames before told.
        sync.clock_offset_ppm = static_cast<float>(1e6 * used.tracker.delay_rate() / used.symbol_samples);
    }

    std::optional<SampleFlow> receive_zone(int start_symbol, DownlinkListener& listener) {
        const bool late = start_symbol < link.tracker.position();
        prefix_burst.index = kStcZoneIndex * ++zones;
        stc.start_zone(view(), late ? base_link : link, start_symbol, prefix_burst);
        const auto prefix = parse_frame_prefix(prefix_burst.payload);
        zone_sync.start_symbol = start_symbol;
        zone_sync.index = prefix_burst.index;
        zone_sync.prefix_ok = prefix.has_value();
        zone_sync.prefix = prefix ? *prefix : FramePrefix{};
        zone_sync.rssi_dbfs = {static_cast<float>(decibels(stc.link().channel.power)),
                               static_cast<float>(decibels(stc.second_channel().power))};
        if (prefix) queue_prefix_bursts(*prefix, zones, start_symbol);
        return listener.on_stc_zone(sync, zone_sync);
    }

    void report_stc_burst() {
        burst.detected = reception != nullptr;
        burst.payload.clear();
        burst.fec_ok = false;
        burst.measured = {};
        if (!burst.detected) return;
        stc.finish(burst);
        report_link(stc.link());
        learn_oscillator(stc.link());
    }
};

DownlinkReceiver::DownlinkReceiver(const DownlinkReceiverConfig& config) : impl_(std::make_unique<Impl>(config)) {}
DownlinkReceiver::~DownlinkReceiver() = default;
DownlinkReceiver::DownlinkReceiver(DownlinkReceiver&&) noexcept = default;

size_t DownlinkReceiver::process(std::span<const Complex> samples, int64_t first_sample, DownlinkListener& listener) {
    auto& impl = *impl_;
    if (!impl.started || first_sample != impl.buffer.end()) {
        const bool lost = impl.started && synchronised();
        impl.reset(first_sample);
        impl.started = true;
        if (lost) listener.on_sync_lost(first_sample);
    }
    size_t used = 0;
    while (true) {
        if (const auto flow = impl.step(listener)) {
            if (*flow == SampleFlow::go_on) continue;
            impl.buffer.forget_ahead();
            return used;
        }
        if (used == samples.size()) return used;
        if (impl.buffer.ahead() == 0) {
            const auto left = samples.subspan(used);
            impl.store(left.first(std::min(left.size(), kMaxChunk)));
        }
        const auto until_due = static_cast<size_t>(std::max<int64_t>(1, impl.next_due - impl.buffer.end()));
        const size_t count = std::min(until_due, impl.buffer.ahead());
        impl.buffer.show(count);
        used += count;
    }
}

void DownlinkReceiver::expect(std::span<const Expected> bursts) {
    for (const auto& burst : bursts) impl_->queue(burst, false);
}

void DownlinkReceiver::expect_stc_zone(int start_symbol) { impl_->queue_zone(start_symbol); }

void DownlinkReceiver::set_profiles(const DiucRates& diuc_rates) { impl_->config.diuc_rates = diuc_rates; }

void DownlinkReceiver::forget_front_end() {
    impl_->receiver.reset_front_end();
    impl_->search.set_known_offset({});
}

FrontEndLevels DownlinkReceiver::front_end() const { return impl_->receiver.front_end_levels(impl_->link); }

void DownlinkReceiver::set_observer(SymbolObserver* observer) { impl_->receiver.set_observer(observer); }

bool DownlinkReceiver::synchronised() const { return impl_->clock.locked() || impl_->frame_active; }

void DownlinkReceiver::reset() {
    impl_->started = false;
    impl_->receiver.reset_front_end();
    impl_->reset(0);
}

}  // namespace gr::wimax::phy
