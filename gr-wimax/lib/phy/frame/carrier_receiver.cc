// SPDX-License-Identifier: GPL-3.0-or-later
#include <gnuradio/wimax/phy/frame/carrier_receiver.h>

#include "phy/receive/burst_receiver.h"

#include <algorithm>
#include <cmath>

namespace gr::wimax::phy {

struct CarrierReceiver::Impl {
    Impl(const Numerology& numerology, Direction direction, int max_symbols) : receiver(max_symbols, direction) {
        link.begin(direction, numerology.cp_samples(), numerology.sample_rate_hz);
    }

    BurstReceiver receiver;
    LinkEstimate link;
    PreambleObservation observation;
    Carriers first, second;
    bool begun = false;

    static void load(Symbol from, Carriers& to) { std::copy(from.begin(), from.end(), to.data()); }

    bool begin(const CarrierTransform& transform, bool long_preamble) {
        link.place(transform.first_window, transform.cycles_per_sample);
        auto& estimator = receiver.estimator();
        if (long_preamble) estimator.observe_long(first, second, link.cp_samples, kNoPrior, observation);
        else estimator.observe_short(first, link.cp_samples, observation);
        begun = observation.present;
        if (!begun) return false;
        const auto a_symbol = [&](double ppm) { return ppm / 1e6 * link.symbol_samples; };
        const double deviation = a_symbol(transform.clock_deviation_ppm);
        link.forget_response();
        receiver.begin_link(observation, long_preamble, {a_symbol(transform.clock_offset_ppm), deviation * deviation},
                            link);
        return true;
    }
};

CarrierReceiver::CarrierReceiver(const Numerology& numerology, Direction direction, int max_symbols)
    : impl_(std::make_unique<Impl>(numerology, direction, max_symbols)) {}
CarrierReceiver::~CarrierReceiver() = default;
CarrierReceiver::CarrierReceiver(CarrierReceiver&&) noexcept = default;

bool CarrierReceiver::begin(const CarrierTransform& transform, Symbol first, Symbol second) {
    Impl::load(first, impl_->first);
    Impl::load(second, impl_->second);
    return impl_->begin(transform, true);
}

bool CarrierReceiver::begin(const CarrierTransform& transform, Symbol only) {
    Impl::load(only, impl_->first);
    return impl_->begin(transform, false);
}

int CarrierReceiver::window_shift() const { return impl_->observation.window_shift; }
float CarrierReceiver::first_path() const { return impl_->observation.first_path; }

bool CarrierReceiver::start(const BurstFormat& format, int first_symbol, Randomizer randomizer, int index) {
    auto& s = *impl_;
    if (!s.begun || !valid_burst_format(format) || format.stc || format.subchannel_index != kFullSubchannel)
        return false;
    const bool own = s.link.direction == Direction::downlink && format.preamble == Preamble::short_;
    s.receiver.start(s.link, format, {first_symbol, own, index}, randomizer);
    return s.receiver.wants_symbol();
}

bool CarrierReceiver::wants_symbol() const { return impl_->begun && impl_->receiver.wants_symbol(); }
int CarrierReceiver::next_symbol() const { return impl_->receiver.next_window().symbol; }
int64_t CarrierReceiver::next_window() const { return impl_->receiver.next_window().start; }

void CarrierReceiver::take(int64_t window, Symbol carriers) {
    auto& s = *impl_;
    if (!wants_symbol()) return;
    Impl::load(carriers, s.first);
    s.receiver.take(s.first, static_cast<int>(window - s.link.window(next_symbol(), 0)));
}

void CarrierReceiver::finish(ReceivedBurst& result) {
    auto& s = *impl_;
    result.detected = s.begun;
    result.measured.set_offsets(s.link.tracker.delay(), s.link.total_cycles_per_sample() * s.link.sample_rate_hz);
    s.receiver.finish(result);
}

void CarrierReceiver::set_second_chance(bool on) { impl_->receiver.decoder().set_second_chance(on); }

void CarrierReceiver::set_observer(SymbolObserver* observer) { impl_->receiver.set_observer(observer); }

}  // namespace gr::wimax::phy
