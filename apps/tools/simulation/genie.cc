// SPDX-License-Identifier: GPL-3.0-or-later
#include "tools/simulation/genie.h"
#include <gnuradio/wimax/phy/carriers/constellation.h>
#include <gnuradio/wimax/phy/carriers/pilots.h>
#include <gnuradio/wimax/phy/carriers/subchannels.h>

#include <algorithm>
#include <cmath>
#include <numbers>

namespace wimax::link {
namespace {

using phy::Complex;

/// x[n] *= exp(-j 2 pi cycles (first + n))
void turn_back(std::span<Complex> x, int64_t first, double cycles) {
    constexpr double kTurn = 2 * std::numbers::pi;
    std::complex<double> phasor = std::polar(1.0, -kTurn * std::remainder(cycles * static_cast<double>(first), 1.0));
    const auto step = std::polar(1.0, -kTurn * cycles);
    for (auto& sample : x) {
        sample *= Complex(phasor);
        phasor *= step;
    }
}

/// Symbols from the first data symbol to the `i`-th, midambles between them included.
int symbols_before(const phy::BurstFormat& format, int i) {
    const int interval = phy::midamble_interval(format.midamble_interval);
    return i + (interval == 0 ? 0 : i / interval);
}

}  // namespace

Genie::Genie(const phy::Numerology& numerology, double spread_s, int max_symbols)
    : numerology_(numerology), decoder_(max_symbols) {
    decoder_.set_second_chance(false);
    const double spread = std::ceil(spread_s * static_cast<double>(numerology.sample_rate_hz));
    response_.resize(static_cast<size_t>(2 * channel::kKernelHalfWidth) + 2 + static_cast<size_t>(spread));
}

/// Fills `response_` with the response to an impulse in the middle of the symbol whose body begins at transmitter
/// sample `begin`. Returns the delay of response_[0].
int64_t Genie::observe_response(const Truth& truth, int64_t begin) {
    const auto& config = truth.path.config();
    const Complex impulse = 1.0F;
    const int64_t sent = begin + phy::kFftSize / 2;
    const auto lag = static_cast<int64_t>(config.delay_samples) - channel::kKernelHalfWidth;
    std::fill(response_.begin(), response_.end(), Complex{});
    truth.path.accumulate(sent + lag, response_, {sent, {&impulse, 1}});
    turn_back(response_, sent + lag, config.carrier_offset_hz / config.sample_rate_hz);
    return lag;
}

/// Index into `response_` at which a window sees least of the neighbouring symbols: as much power arrives too early for
/// it as arrives later than the prefix.
int64_t Genie::best_window() const {
    const auto size = static_cast<int64_t>(response_.size());
    const auto power = [this](int64_t n) { return std::norm(response_[static_cast<size_t>(n)]); };
    float before = 0, after = 0;
    for (int64_t n = numerology_.cp_samples() + 1; n < size; ++n) after += power(n);
    for (int64_t at = 0; at < size; ++at) {
        before += power(at);
        if (before >= after) return at;
        const int64_t reached = at + numerology_.cp_samples() + 1;
        if (reached < size) after -= power(reached);
    }
    return 0;
}

/// Fills `gain_` for a window at response_[at]. Returns the power per carrier that neighbouring symbols, and the cut in
/// this one, add to the noise: an echo that misses the window by n samples loses n / 256 of its amplitude and brings
/// interference of twice that share of its power.
float Genie::set_gain(int64_t at) {
    float interference = 0;
    std::fill(body_.begin(), body_.end(), Complex{});
    for (int64_t n = 0; n < static_cast<int64_t>(response_.size()); ++n) {
        const int64_t outside = std::max<int64_t>({0, at - n, n - numerology_.cp_samples() - at});
        const float share = static_cast<float>(outside) / phy::kFftSize;
        const Complex tap = response_[static_cast<size_t>(n)];
        interference += 2 * share * std::norm(tap);
        body_[static_cast<size_t>(n - at) & (phy::kFftSize - 1)] += tap * (1 - share);
    }
    transform_.demodulate(body_, gain_);
    // The transform is scaled for signals (sqrt(200) / 256), a response wants none.
    const auto scale = static_cast<float>(phy::kFftSize / std::sqrt(static_cast<double>(phy::kUsedCarriers)));
    for (auto& g : gain_) g *= scale;
    return interference;
}

std::span<const uint8_t> Genie::receive(std::span<const Complex> rx, const phy::BurstFormat& format,
                                        const Truth& truth) {
    const auto& config = truth.path.config();
    const auto data = phy::carrier_set(format.subchannel_index).data();
    const std::span equalized(equalized_.data(), data.size());
    const std::span snr(snr_.data(), data.size());
    soft_.resize(static_cast<size_t>(phy::burst_symbol_bits(format)));
    if (!decoder_.start(format, phy::burst_randomizer(format))) return {};
    for (int symbol = 0; symbol < format.data_symbols; ++symbol) {
        const int64_t number = truth.first_symbol + symbols_before(format, symbol);
        const int64_t begin = number * numerology_.symbol_samples() + numerology_.cp_samples();
        const int64_t lag = observe_response(truth, begin);
        const int64_t at = best_window(), window = begin + lag + at;
        const float disturbance = static_cast<float>(truth.noise) + set_gain(at);
        std::copy_n(rx.begin() + window, phy::kFftSize, body_.begin());
        turn_back(body_, window, config.carrier_offset_hz / config.sample_rate_hz);
        transform_.demodulate(body_, carriers_);
        for (size_t i = 0; i < data.size(); ++i) {
            const auto bin = static_cast<size_t>(phy::bin_of(data[i]));
            const float power = std::max(std::norm(gain_[bin]), 1e-12F);
            equalized[i] = carriers_[bin] * std::conj(gain_[bin] * truth.phase) / power;
            snr[i] = power / disturbance;
        }
        phy::soft_demap(phy::kRateTable[format.rate_id].bits_per_carrier, equalized, snr, soft_);
        decoder_.feed(soft_);
    }
    return decoder_.payload();
}

}  // namespace wimax::link
