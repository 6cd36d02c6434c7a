// SPDX-License-Identifier: GPL-3.0-or-later
#include "phy/stc/stc_receiver.h"

#include <gnuradio/wimax/phy/carriers/pilots.h>

#include <volk/volk.h>

#include <cmath>
#include <numbers>

namespace gr::wimax::phy {
namespace {

constexpr double kTurn = 2 * std::numbers::pi;
/// The zone's preamble leaves no carrier empty: its noise is that of the frame's preamble.
constexpr int kPreambleNoiseLooks = 100;

}  // namespace

void StcReceiver::start_zone(const SampleView& samples, const LinkEstimate& frame, int start_symbol,
                             ReceivedBurst& prefix) {
    zone_symbol_ = start_symbol;
    link_ = frame;
    link_.tracker.advance_to(start_symbol);
    const int shift = static_cast<int>(std::lround(link_.tracker.delay()));
    auto& symbol = symbols_[0];
    shared_.reader().read(samples, link_.window(start_symbol, shift), link_.cycles_per_sample, link_.window_origin,
                          symbol);
    // The estimates are made after correction by the tracker's phase and delay and are valid for the frame's windows.
    carrier_ramp(link_.tracker.phase(), (shift - link_.tracker.delay()) * kTurn / kFftSize, ramp_);
    volk_32fc_x2_multiply_conjugate_32fc(symbol.data(), symbol.data(), ramp_.data(), kCarrierSpan);
    const float noise_variance = frame.channel.noise_variance;
    auto& estimator = shared_.estimator();
    for (int antenna = 0; antenna < kStcAntennas; ++antenna) {
        estimator.observe_stc(symbol, antenna, link_.cp_samples, noise_variance, observation_);
        estimator.estimate(observation_, antenna == 0 ? link_.channel : second_channel_);
    }
    const double snr = std::max<double>(link_.channel.snr_linear() + second_channel_.snr_linear(), 1e-3);
    link_.tracker.renew(1 / (800 * snr), 1 / (1000 * snr));

    settled_ = link_.tracker;
    BurstFormat format = fch_format();
    format.stc = true;
    begin(format, start_symbol + 1, prefix.index, Randomizer::frame_start());
    equalizer_.use_channels(link_.channel, second_channel_);
    prefix_ = true;
    end_symbol_ += 1;
    while (wants_symbol()) take_from(samples, shared_.reader());
    finish(prefix);
    after_prefix_ = settled_;
}

void StcReceiver::start(const BurstFormat& format, int start_symbol, int index, Randomizer randomizer) {
    link_.tracker = start_symbol < settled_.position() ? after_prefix_ : settled_;
    begin(format, start_symbol, index, randomizer);
}

void StcReceiver::begin(const BurstFormat& format, int start_symbol, int index, Randomizer randomizer) {
    format_ = format;
    index_ = index;
    prefix_ = false;
    symbol_ = first_symbol_ = end_symbol_ = start_symbol;
    if (!shared_.decoder().start(format, randomizer)) return;
    end_symbol_ += format.data_symbols;
    const int bits_per_carrier = kRateTable[format.rate_id].bits_per_carrier;
    equalizer_.configure(bits_per_carrier);
    meter_.reset(bits_per_carrier);
}

FftWindow StcReceiver::next_window() {
    const int first = symbol_ - second_of_pair();
    link_.tracker.advance_to(first);
    const int shift = static_cast<int>(std::lround(link_.tracker.delay()));
    return {symbol_, link_.window(symbol_, shift), shift};
}

void StcReceiver::take(const Carriers& symbol, int shift) {
    symbols_[static_cast<size_t>(second_of_pair())] = symbol;
    const int first = symbol_ - second_of_pair();
    if (symbol_++ == first) return;
    link_.tracker.advance_to(first);
    const std::array pilots{pilot_values(Direction::downlink, first - zone_symbol_),
                            pilot_values(Direction::downlink, first + 1 - zone_symbol_)};
    equalizer_.equalize(symbols_, shift, pilots, link_.tracker, meter_);
    show_pair(first);
    auto& decoder = shared_.decoder();
    if (prefix_) decoder.feed(equalizer_.soft_of_repeated());
    else
        for (int which = 0; which < 2; ++which) decoder.feed(equalizer_.soft(which));
}

void StcReceiver::show_pair(int symbol) {
    if (shared_.observer() == nullptr) return;
    for (int which = 0; which < 2; ++which)
        shared_.observer()->on_symbol({.direction = link_.direction,
                                       .format = format_,
                                       .burst_index = index_,
                                       .symbol = symbol + which,
                                       .points = equalizer_.points(which),
                                       .pilots = equalizer_.pilots(which),
                                       .soft_bits = prefix_ ? std::span<const SoftBit>() : equalizer_.soft(which),
                                       .response = {link_.channel.response.data(), kCarrierSpan},
                                       .second_response = {second_channel_.response.data(), kCarrierSpan},
                                       .response_window = link_.window_origin,
                                       .cycles_per_sample = link_.cycles_per_sample,
                                       .noise_variance = link_.channel.noise_variance,
                                       .phase_rad = static_cast<float>(link_.tracker.phase()),
                                       .delay_samples = static_cast<float>(link_.tracker.delay())});
}

void StcReceiver::finish(ReceivedBurst& result) {
    result.clear_payload();
    if (end_symbol_ == first_symbol_) return;
    settled_ = link_.tracker;
    report_decoded(shared_.decoder(), result);
    meter_.report(link_.channel.noise_variance, kPreambleNoiseLooks, result.measured);
}

}  // namespace gr::wimax::phy
