// SPDX-License-Identifier: GPL-3.0-or-later
#include <gnuradio/wimax/phy/frame/downlink_receiver.h>

#include "phy/base/decibels.h"
#include "phy/frame/downlink_receiver_impl.h"

#include <gnuradio/wimax/phy/coding/frame_prefix.h>

#include <algorithm>
#include <cassert>
#include <cmath>

namespace gr::wimax::phy {
namespace {

constexpr int kMaxMissedPreambles = 5;
constexpr int kMaxBadPrefixes = 16;
/// Least variance of a frame's start, samples^2: multipath moves it by more than noise alone.
constexpr double kMinTimingVariance = 4e-4;
constexpr size_t kMaxChunk = 4096;

/// The prefix in it is not used.
Numerology numerology_of(int64_t bandwidth_hz) {
    const auto numerology = Numerology::make(bandwidth_hz, CyclicPrefix::g1_8);
    assert(numerology && "the bandwidth is within its limits");
    return *numerology;
}

}  // namespace

DownlinkReceiver::Impl::Impl(const DownlinkReceiverConfig& c)
    : config(c),
      frame(numerology_of(c.bandwidth_hz)),
      buffer(static_cast<size_t>(frame.most_samples) + PreambleSource::kHistorySamples + kMaxChunk),
      preambles(c.cp, frame.base, c.detector),
      receiver(kMaxFrameSymbols, Direction::downlink),
      symbols(buffer, receiver, c.transformer),
      bursts(config, frame, symbols, buffer, receiver) {
    prefix_burst.payload.reserve(64);
}

void DownlinkReceiver::Impl::store(std::span<const Complex> samples) {
    buffer.drop_before(std::max(needed_from(), buffer.end() - frame.most_samples - PreambleSource::kHistorySamples));
    buffer.store(samples);
}

int64_t DownlinkReceiver::Impl::idle_until() const {
    if (!no_more || !frame.active || !frame.clock.locked()) return 0;
    return std::llround(frame.clock.start()) - kFftSize;
}

size_t DownlinkReceiver::Impl::idle_samples() {
    if (bursts.due() != kNever) return 0;
    return static_cast<size_t>(std::max<int64_t>(0, idle_until() - buffer.end()));
}

void DownlinkReceiver::Impl::restart(int64_t sample) {
    frame.clock.reset();
    symbols.ordered().forget();
    preambles.restart(sample);
    preambles.set_known_offset(receiver.known_dc());
    acquired.reset();
    missed = bad_prefixes = 0;
    prefix_complete = sample;
    frame.link.forget_response();
    receiver.forget_sender();
}

void DownlinkReceiver::Impl::reset(int64_t sample) {
    buffer.reset(sample);
    restart(sample);
    frame.active = false;
    bursts.forget();
}

int64_t DownlinkReceiver::Impl::frame_due() const {
    if (frame.clock.locked())
        return std::max(prefix_end(std::llround(frame.clock.start()), frame.link.cp_samples), prefix_complete);
    if (acquired)
        return std::max(prefix_end(acquired->start_sample, kFftSize / static_cast<int>(acquired->cp)), prefix_complete);
    return kNever;
}

bool DownlinkReceiver::Impl::prefix_incomplete() {
    prefix_complete = frame.link.window(kFchSymbol, 0) + kFftSize + kMaxWindowErrorSamples;
    return prefix_complete > buffer.end();
}

std::optional<SampleFlow> DownlinkReceiver::Impl::step(DownlinkListener& listener) {
    const int64_t now = buffer.end();
    preambles.ask(now, frame.clock.locked());
    const int64_t burst_at = bursts.due(), frame_at = frame_due(), search_at = search_due();
    bursts.take_symbols();
    if (burst_at <= now && burst_at <= frame_at && burst_at <= search_at) return bursts.end_burst(listener);
    if (frame_at <= now && frame_at <= search_at)
        return frame.clock.locked() ? follow_frame(listener) : first_frame(listener);
    if (search_at <= now) {
        look_for_preamble();
        return SampleFlow::go_on;
    }
    next_due = std::min({burst_at, frame_at, search_at});
    return std::nullopt;
}

int64_t DownlinkReceiver::Impl::needed_from() const {
    int64_t from =
        frame.clock.locked() ? std::llround(frame.clock.start()) - kFftSize : preambles.keep_from(buffer.end());
    if (acquired) from = std::min(from, acquired->start_sample - kFftSize);
    // Bursts of the current frame may be requested until it is over.
    if (frame.active && buffer.end() < frame.sync.start_sample + 2 * frame.most_samples)
        from = std::min(from, frame.sync.start_sample - kFftSize);
    return from;
}

void DownlinkReceiver::Impl::look_for_preamble() {
    acquired = preambles.look(symbols.view());
    if (!acquired) return;
    if (const auto offset = preambles.offset()) receiver.suggest_dc(offset->value, offset->variance);
}

bool DownlinkReceiver::Impl::read_preamble(int symbol, Carriers& out) {
    const auto& link = frame.link;
    return symbols.read({symbol, link.window(symbol, 0), 0}, {link.cycles_per_sample, link.window_origin}, out);
}

bool DownlinkReceiver::Impl::measure_preamble(int64_t window, double cycles_per_sample, double prior) {
    frame.link.place(window, cycles_per_sample);
    read_preamble(0, first_symbol);
    second_as_received = read_preamble(1, second_symbol);
    prior_variance = static_cast<float>(prior);
    receiver.estimator().observe_long(first_symbol, second_symbol, frame.link.cp_samples, prior_variance, observation);
    return observation.present;
}

void DownlinkReceiver::Impl::set_prefix(CyclicPrefix cp) {
    frame.sync.cp = cp;
    frame.link.begin(Direction::downlink, kFftSize / static_cast<int>(cp), frame.base.sample_rate_hz);
}

std::optional<SampleFlow> DownlinkReceiver::Impl::first_frame(DownlinkListener& listener) {
    const Acquisition found = *acquired;
    const CyclicPrefix previous_cp = frame.sync.cp;
    set_prefix(found.cp);
    // Windows in the middle of the prefix show earlier and later paths.
    const int64_t middle = found.start_sample + frame.link.cp_samples / 2;
    bool present = measure_preamble(middle, found.cycles_per_sample, kNoPrior);
    if (present) present = measure_preamble(measured_window(), refined_cycles(), kNoPrior);
    if (present && prefix_incomplete()) {
        if (frame.active) set_prefix(previous_cp);
        return SampleFlow::go_on;
    }
    acquired.reset();
    if (!present) receiver.forget_front_end();
    if (!present) {  // the search continues where it was: a preamble may have begun since
        if (frame.active) set_prefix(previous_cp);
        return SampleFlow::go_on;
    }
    preambles.go_on(found.start_sample + kFchSymbol * frame.link.symbol_samples);
    begin_frame();
    // Without a prefix it may be a station's initial ranging burst, which starts like a frame.
    if (frame.sync.fch_ok) frame.clock.decoded(measured_start(), frame.sync.prefix.frame_lsb);
    finish_frame();
    return listener.on_frame(frame.sync);
}

std::optional<SampleFlow> DownlinkReceiver::Impl::follow_frame(DownlinkListener& listener) {
    const auto predicted = std::llround(frame.clock.start()) + frame.window_delay;
    const double frame_s = static_cast<double>(frame.clock.frame_samples()) / frame.link.sample_rate_hz;
    const double walk = LinkTracker::frequency_walk(frame.link.pace(), frame_s);
    const auto* order = symbols.ordered().begin(predicted);
    const double prior = (order ? order->phase_variance : frame.next_frequency_variance) + walk;
    bool present = measure_preamble(predicted, order ? order->cycles_per_sample : frame.next_cycles_per_sample, prior);
    if (present && std::abs(observation.window_shift) > kMaxWindowErrorSamples)
        present = measure_preamble(measured_window(), frame.next_cycles_per_sample, prior);
    if (present && prefix_incomplete()) return SampleFlow::go_on;
    if (!present) {
        frame.active = false;
        frame.next_frequency_variance += walk;
        frame.clock.advance();
        order_symbols();
        if (++missed < kMaxMissedPreambles) return SampleFlow::go_on;
        return lose_sync(listener);
    }
    missed = 0;
    const double snr = observation.power / observation.noise_variance;
    frame.clock.measured(measured_start(), std::max(kMinTimingVariance, 1e-3 / snr));
    begin_frame();
    if (frame.sync.fch_ok) {
        bad_prefixes = 0;
        frame.clock.decoded(frame.clock.start(), frame.sync.prefix.frame_lsb);
        if (!frame.clock.locked()) preambles.go_on(buffer.end());
    } else if (++bad_prefixes >= kMaxBadPrefixes) {
        return lose_sync(listener);
    }
    finish_frame();
    return listener.on_frame(frame.sync);
}

SampleFlow DownlinkReceiver::Impl::lose_sync(DownlinkListener& listener) {
    frame.active = false;
    bursts.forget();
    restart(buffer.end());
    listener.on_sync_lost(buffer.end());
    return SampleFlow::go_on;
}

void DownlinkReceiver::Impl::begin_frame() {
    receiver.begin_link(
        {observation, second_symbol, &first_symbol, prior_variance, second_as_received},
        {frame.clock.drift(frame.link.symbol_samples), frame.clock.drift_variance(frame.link.symbol_samples)},
        frame.link);
    const double snr = std::max(static_cast<double>(frame.link.channel.snr_linear()), 1e-3);
    bursts.begin_frame();

    receiver.start(frame.link, fch_format(), {.first_symbol = kFchSymbol}, Randomizer::frame_start());
    while (receiver.wants_symbol()) symbols.pass(receiver.next_window(), receiver);
    receiver.finish(prefix_burst);
    const auto prefix = parse_frame_prefix(prefix_burst.payload);
    frame.sync.fch_ok = prefix.has_value();
    if (frame.sync.fch_ok) receiver.keep_front_end();
    else receiver.forget_front_end();
    frame.sync.prefix = prefix ? *prefix : FramePrefix{};
    const double begin = measured_start();
    frame.window_delay = frame.link.window_origin - std::llround(begin);
    frame.sync.start_sample = std::llround(begin);
    frame.sync.start_fraction = begin - static_cast<double>(frame.sync.start_sample);
    frame.sync.snr_db = static_cast<float>(decibels(snr));
    frame.sync.rssi_dbfs = static_cast<float>(decibels(frame.link.channel.power));
    frame.active = true;
    no_more = false;
}

void DownlinkReceiver::Impl::finish_frame() {
    frame.learn_frequency(frame.link);
    frame.sync.frequency_offset_hz =
        static_cast<float>(frame.next_cycles_per_sample * static_cast<double>(frame.base.sample_rate_hz));
    frame.sync.set_clock_offset(frame.clock.clock_offset_ppm());
    frame.sync.frame_samples = frame.clock.frame_samples();
    if (frame.clock.locked()) frame.clock.advance();
    order_symbols();
    frame.base_link = frame.link;
    if (frame.sync.fch_ok) bursts.queue_prefix_bursts(frame.sync.prefix, 0, 0);
}

void DownlinkReceiver::Impl::order_symbols() {
    if (!frame.clock.locked() || receiver.corrects_front_end()) return;
    symbols.ordered().order({.first_window = std::llround(frame.clock.start()) + frame.window_delay,
                             .cp_samples = frame.link.cp_samples,
                             .symbols = static_cast<int>(frame.clock.frame_samples() / frame.link.symbol_samples) - 1,
                             .cycles_per_sample = frame.next_cycles_per_sample,
                             .phase_variance = frame.next_frequency_variance});
}

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
            if (const size_t idle = std::min(impl.idle_samples(), left.size()); idle > 0) {
                impl.buffer.reset(impl.buffer.end() + static_cast<int64_t>(idle));
                used += idle;
                continue;
            }
            impl.store(left.first(std::min(left.size(), kMaxChunk)));
        }
        const auto until_due = static_cast<size_t>(std::max<int64_t>(1, impl.next_due - impl.buffer.end()));
        const size_t count = std::min(until_due, impl.buffer.ahead());
        impl.buffer.show(count);
        used += count;
    }
}

void DownlinkReceiver::expect(std::span<const Expected> bursts) {
    for (const auto& burst : bursts) impl_->bursts.queue(burst, false);
}

void DownlinkReceiver::expect_no_more() { impl_->no_more = true; }

std::optional<DownlinkReceiver::UnusedSamples> DownlinkReceiver::unused() const {
    const auto last = impl_->bursts.last_due();
    const UnusedSamples unused{std::max(last.value_or(0), impl_->buffer.end()), impl_->idle_until()};
    return last && unused.from < unused.until ? std::optional(unused) : std::nullopt;
}

void DownlinkReceiver::expect_stc_zone(int start_symbol) { impl_->bursts.queue_zone(start_symbol); }

void DownlinkReceiver::set_profiles(const DiucRates& diuc_rates) { impl_->config.diuc_rates = diuc_rates; }

void DownlinkReceiver::forget_front_end() {
    impl_->receiver.reset_front_end();
    impl_->preambles.set_known_offset({});
    for (auto* link : {&impl_->frame.link, &impl_->frame.base_link}) link->tones.clear();
    impl_->bursts.forget_tones();
}

FrontEndLevels DownlinkReceiver::front_end() const { return impl_->receiver.front_end_levels(impl_->frame.link); }

void DownlinkReceiver::set_second_chance(bool on) { impl_->receiver.decoder().set_second_chance(on); }

void DownlinkReceiver::set_observer(SymbolObserver* observer) { impl_->receiver.set_observer(observer); }

DownlinkReceiver::Given DownlinkReceiver::given() const {
    return {impl_->preambles.detections(), impl_->symbols.ordered().found()};
}

bool DownlinkReceiver::synchronised() const { return impl_->frame.clock.locked() || impl_->frame.active; }

void DownlinkReceiver::reset() {
    impl_->started = false;
    forget_front_end();
    impl_->reset(0);
}

}  // namespace gr::wimax::phy
