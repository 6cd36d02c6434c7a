/* SPDX-License-Identifier: GPL-3.0-or-later */
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

void StcReceiver::start_zone(const SampleView& samples, const Link& frame, int start_symbol, ReceivedBurst& prefix) {
    start_symbol_ = start_symbol;
    link_ = frame;
    link_.tracker.advance_to(start_symbol);
    const int shift = static_cast<int>(std::lround(link_.tracker.delay()));
    auto& symbol = symbols_[0];
    shared_.reader().read(samples, link_.window(start_symbol, shift), link_.cycles_per_sample, link_.window_origin,
                          symbol);
    // Seen with the tracker's phase and delay taken off, the estimates hold for windows where the frame's did.
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

    prefix.payload.clear();
    prefix.fec_ok = false;
    auto& decoder = shared_.decoder();
    BurstFormat format = fch_format();
    format.stc = true;
    if (!decoder.start(format, Randomizer::frame_start())) return;
    equalizer_.configure(kRateTable[format.rate_id].bits_per_carrier);
    equalizer_.use_channels(link_.channel, second_channel_);
    meter_.reset(kRateTable[format.rate_id].bits_per_carrier);
    equalize_pair(samples, start_symbol + 1);
    show_pair(format, prefix.index, start_symbol + 1);
    decoder.feed(equalizer_.soft_of_repeated());
    after_prefix_ = link_.tracker;
    report(prefix);
}

void StcReceiver::equalize_pair(const SampleView& samples, int symbol) {
    link_.tracker.advance_to(symbol);
    const int shift = static_cast<int>(std::lround(link_.tracker.delay()));
    std::array<StcEqualizer::Pilots, 2> pilots;
    for (int which = 0; which < 2; ++which) {
        const auto i = static_cast<size_t>(which);
        shared_.reader().read(samples, link_.window(symbol + which, shift), link_.cycles_per_sample,
                              link_.window_origin, symbols_[i]);
        pilots[i] = pilot_values(Direction::downlink, symbol + which - start_symbol_);
    }
    equalizer_.equalize(symbols_, shift, pilots, link_.tracker, meter_);
}

void StcReceiver::receive(const SampleView& samples, const BurstFormat& format, int start_symbol, Randomizer randomizer,
                          ReceivedBurst& result) {
    result.payload.clear();
    result.fec_ok = false;
    auto& decoder = shared_.decoder();
    if (!valid_stc_format(format) || !decoder.start(format, randomizer)) return;
    if (start_symbol < link_.tracker.position()) link_.tracker = after_prefix_;
    const int bits_per_carrier = kRateTable[format.rate_id].bits_per_carrier;
    equalizer_.configure(bits_per_carrier);
    meter_.reset(bits_per_carrier);
    for (int data = 0; data < format.data_symbols; data += 2) {
        equalize_pair(samples, start_symbol + data);
        show_pair(format, result.index, start_symbol + data);
        for (int which = 0; which < 2; ++which) decoder.feed(equalizer_.soft(which));
    }
    report(result);
}

void StcReceiver::show_pair(const BurstFormat& format, int burst_index, int symbol) {
    if (shared_.observer() == nullptr) return;
    for (int which = 0; which < 2; ++which)
        shared_.observer()->on_symbol({.direction = link_.direction,
                                       .format = format,
                                       .burst_index = burst_index,
                                       .symbol = symbol + which,
                                       .points = equalizer_.points(which),
                                       .pilots = equalizer_.pilots(which),
                                       .response = {link_.channel.response.data(), kCarrierSpan},
                                       .second_response = {second_channel_.response.data(), kCarrierSpan},
                                       .response_window = link_.window_origin,
                                       .noise_variance = link_.channel.noise_variance,
                                       .phase_rad = static_cast<float>(link_.tracker.phase()),
                                       .delay_samples = static_cast<float>(link_.tracker.delay())});
}

void StcReceiver::report(ReceivedBurst& result) {
    const auto& decoder = shared_.decoder();
    const auto payload = decoder.payload();
    result.payload.assign(payload.begin(), payload.end());
    result.fec_ok = decoder.complete() && decoder.fec_ok();
    result.failed_blocks = decoder.failed_blocks();
    result.corrected_bytes = decoder.corrected_bytes();
    meter_.report(link_.channel.noise_variance, kPreambleNoiseLooks, result.measured);
}

}  // namespace gr::wimax::phy
