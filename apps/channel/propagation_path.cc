// SPDX-License-Identifier: GPL-3.0-or-later
#include "channel/propagation_path.h"
#include "channel/fir.h"
#include "phy/base/decibels.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <numbers>

namespace wimax::channel {
namespace {

constexpr double kTwo60 = 1152921504606846976.0;
constexpr int kRotationBlock = 64;
constexpr int kMaxGrid = 1024;
// Coefficients are exact on the grid and linear in between. These limits of the change per grid step keep the error
// below -60 dB.
constexpr double kMaxGridSeconds = 0.25e-3;
constexpr double kMaxGridDopplerTurns = 0.014;
constexpr double kMaxGridDriftSamples = 0.03;

// Kaiser-windowed sinc, cut off at half the sample rate, for |t| < kKernelHalfWidth.
class Kernel {
public:
    Kernel() {
        for (int i = 0; i <= kKernelHalfWidth * kSteps; ++i) {
            const double t = static_cast<double>(i) / kSteps, u = t / kKernelHalfWidth;
            const double sinc = i == 0 ? 1.0 : std::sin(std::numbers::pi * t) / (std::numbers::pi * t);
            values_[static_cast<size_t>(i)] = sinc *
                                              std::cyl_bessel_i(0.0, kBeta * std::sqrt(std::max(0.0, 1.0 - u * u))) /
                                              std::cyl_bessel_i(0.0, kBeta);
        }
    }
    double operator()(double t) const {
        const double at = std::abs(t) * kSteps;
        const auto i = static_cast<size_t>(at);
        if (i >= static_cast<size_t>(kKernelHalfWidth) * kSteps) return 0.0;
        const double part = at - static_cast<double>(i);
        return values_[i] + part * (values_[i + 1] - values_[i]);
    }

private:
    static constexpr int kSteps = 2048;
    static constexpr double kBeta = 6.8;
    std::array<double, kKernelHalfWidth * kSteps + 1> values_{};
};

const Kernel& kernel() {
    static const Kernel instance;
    return instance;
}

int64_t floor_div(int64_t a, int64_t b) { return a >= 0 ? a / b : -((-a + b - 1) / b); }

}  // namespace

PropagationPath::PropagationPath(const PathConfig& config) : config_(config) {
    config_.clock_offset_ppm = std::clamp(config_.clock_offset_ppm, -kMaxClockOffsetPpm, kMaxClockOffsetPpm);
    config_.delay_samples = std::clamp(config_.delay_samples, -kMaxDelaySamples, kMaxDelaySamples);
    if (config_.profile.taps.empty()) config_.profile = ChannelProfile{};
    clock_drift_ = 1.0 / (1.0 + config_.clock_offset_ppm * 1e-6) - 1.0;
    drift_q60_ = std::llround(clock_drift_ * kTwo60);
    delay_q60_ = static_cast<__int128>(std::llround(config_.delay_samples * (1.0 + clock_drift_) * 0x1p30)) << 30;

    const auto& taps = config_.profile.taps;
    const double tap_delay = taps[0].delay_s * config_.sample_rate_hz;
    direct_ = config_.profile.constant() && tap_delay == 0.0 && drift_q60_ == 0 &&
              config_.delay_samples == std::floor(config_.delay_samples);
    for (size_t i = 0; i < taps.size(); ++i) {
        fading_.emplace_back(taps[i], config_.sample_rate_hz, mix64(config_.seed) + i);
    }
    moving_ = drift_q60_ != 0 || config_.profile.max_doppler_hz() > 0.0;
    set_grid();
    rotation_.resize(kRotationBlock);
    set_gain_db(config_.gain_db);
    kernel();
}

void PropagationPath::set_grid() {
    const double rate = config_.sample_rate_hz, doppler = config_.profile.max_doppler_hz();
    double longest = std::min<double>(kMaxGrid, rate * kMaxGridSeconds);
    if (doppler > 0.0) longest = std::min(longest, kMaxGridDopplerTurns * rate / doppler);
    if (clock_drift_ != 0.0) longest = std::min(longest, kMaxGridDriftSamples / std::abs(clock_drift_));
    while (grid_ > kRotationBlock && grid_ > longest) grid_ /= 2;
}

void PropagationPath::set_gain_db(double gain_db) {
    config_.gain_db = gain_db;
    amplitude_ = static_cast<float>(gr::wimax::phy::amplitude_of_db(gain_db));
    set_carrier_offset_hz(config_.carrier_offset_hz);
}

void PropagationPath::set_carrier_offset_hz(double offset_hz) {
    config_.carrier_offset_hz = offset_hz;
    const double turns = std::remainder(offset_hz / config_.sample_rate_hz, 1.0);
    phase_step_ = static_cast<uint64_t>(static_cast<int64_t>(std::llround(turns * 0x1p63))) << 1;
    for (int i = 0; i < kRotationBlock; ++i) {
        const double angle = 2.0 * std::numbers::pi * turns * i;
        rotation_[static_cast<size_t>(i)] =
            amplitude_ * Complex(static_cast<float>(std::cos(angle)), static_cast<float>(std::sin(angle)));
    }
}

Complex PropagationPath::block_phasor(int64_t rx_index) const {
    const uint64_t phase = phase_step_ * static_cast<uint64_t>(rx_index);
    const double angle = 2.0 * std::numbers::pi * static_cast<double>(phase) * 0x1p-64;
    return {static_cast<float>(std::cos(angle)), static_cast<float>(std::sin(angle))};
}

PropagationPath::Lag PropagationPath::lag_at(int64_t rx_index) const {
    const __int128 lag = delay_q60_ - (rx_index - config_.rx_epoch) * drift_q60_;
    const auto whole = static_cast<int64_t>(lag >> 60);
    const auto fraction =
        static_cast<double>(static_cast<int64_t>(lag - (static_cast<__int128>(whole) << 60))) / kTwo60;
    return {whole + config_.rx_epoch - config_.tx_epoch, fraction};
}

int64_t PropagationPath::tx_first_needed(int64_t rx_index) const {
    const Lag lag = lag_at(rx_index);
    if (direct_) return rx_index - lag.whole;
    const auto spread = static_cast<int64_t>(std::ceil(config_.profile.spread_s() * config_.sample_rate_hz));
    return rx_index - lag.whole - spread - kKernelHalfWidth - 2;
}

int64_t PropagationPath::tx_end_needed(int64_t rx_end) const {
    const Lag lag = lag_at(rx_end - 1);
    return rx_end - lag.whole + (direct_ ? 0 : kKernelHalfWidth + 1);
}

std::pair<int64_t, int64_t> PropagationPath::rx_affected(int64_t tx_first, int64_t tx_end) const {
    // Inverse of lag_at() to within a sample or two, then margins.
    const auto rx_of = [this](int64_t tx) {
        const auto elapsed = static_cast<double>(tx - config_.tx_epoch);
        const double stretch = elapsed * (config_.clock_offset_ppm * 1e-6);
        return tx - config_.tx_epoch + config_.rx_epoch +
               static_cast<int64_t>(std::floor(stretch + config_.delay_samples));
    };
    if (direct_) return {rx_of(tx_first), rx_of(tx_end)};
    const auto spread = static_cast<int64_t>(std::ceil(config_.profile.spread_s() * config_.sample_rate_hz));
    return {rx_of(tx_first) - kKernelHalfWidth - 4, rx_of(tx_end) + spread + kKernelHalfWidth + 4};
}

void PropagationPath::accumulate(int64_t rx_index, std::span<Complex> out, const TxWindow& tx) {
    if (tx.samples.empty() || out.empty()) return;
    const auto [low, high] = rx_affected(tx.first, tx.first + static_cast<int64_t>(tx.samples.size()));
    const int64_t first = std::max(rx_index, low);
    const int64_t end = std::min(rx_index + static_cast<int64_t>(out.size()), high);
    if (first >= end) return;
    const auto part = out.subspan(static_cast<size_t>(first - rx_index), static_cast<size_t>(end - first));
    if (direct_) {
        copy_direct(first, part, tx);
        return;
    }
    size_t done = 0;
    while (done < part.size()) {
        const int64_t at = first + static_cast<int64_t>(done);
        const int64_t block = floor_div(at, grid_);
        const size_t count = std::min(part.size() - done, static_cast<size_t>((block + 1) * grid_ - at));
        prepare_block(block);
        // Whole FIR blocks are computed, so samples up to one block to either side are read.
        const int longest = segments_.back().first + segments_.back().count;
        load_planar(at - block_lag_ - longest - kFirBlock, count + static_cast<size_t>(longest) + 4 * kFirBlock, tx);
        filter_block(at, part.subspan(done, count));
        done += count;
    }
}

void PropagationPath::copy_direct(int64_t rx_index, std::span<Complex> out, const TxWindow& tx) {
    const Complex* from = tx.samples.data() + (rx_index - lag_at(rx_index).whole - tx.first);
    if (phase_step_ == 0) {
        for (size_t i = 0; i < out.size(); ++i) out[i] += amplitude_ * from[i];
        return;
    }
    size_t done = 0;
    while (done < out.size()) {
        const int64_t at = rx_index + static_cast<int64_t>(done);
        const auto within = static_cast<size_t>(at & (kRotationBlock - 1));
        const size_t count = std::min(out.size() - done, kRotationBlock - within);
        const Complex base = block_phasor(at - static_cast<int64_t>(within));
        for (size_t i = 0; i < count; ++i) {
            const Complex r = rotation_[within + i], x = from[done + i];
            const float c = base.real() * r.real() - base.imag() * r.imag();
            const float s = base.real() * r.imag() + base.imag() * r.real();
            out[done + i] += Complex(x.real() * c - x.imag() * s, x.real() * s + x.imag() * c);
        }
        done += count;
    }
}

void PropagationPath::load_planar(int64_t first, size_t count, const TxWindow& tx) {
    planar_first_ = first;
    if (planar_re_.size() < count) {
        planar_re_.resize(count);
        planar_im_.resize(count);
    }
    const int64_t tx_end = tx.first + static_cast<int64_t>(tx.samples.size());
    const auto last = first + static_cast<int64_t>(count);
    const int64_t from = std::clamp(tx.first, first, last), to = std::clamp(tx_end, from, last);
    const auto head = static_cast<size_t>(from - first), body = static_cast<size_t>(to - from);
    std::fill_n(planar_re_.begin(), head, 0.0F);
    std::fill_n(planar_im_.begin(), head, 0.0F);
    const Complex* source = tx.samples.data() + (body == 0 ? 0 : from - tx.first);
    for (size_t i = 0; i < body; ++i) {
        planar_re_[head + i] = source[i].real();
        planar_im_[head + i] = source[i].imag();
    }
    std::fill(planar_re_.begin() + static_cast<std::ptrdiff_t>(head + body), planar_re_.end(), 0.0F);
    std::fill(planar_im_.begin() + static_cast<std::ptrdiff_t>(head + body), planar_im_.end(), 0.0F);
}

void PropagationPath::plan_segments(double fraction_low, double fraction_high) {
    segments_.clear();
    // Taps in rising delay; adjoining runs are joined.
    std::vector<std::pair<int, int>> reach;
    for (const auto& tap : config_.profile.taps) {
        const double delay = tap.delay_s * config_.sample_rate_hz;
        reach.emplace_back(static_cast<int>(std::ceil(delay + fraction_low)) - kKernelHalfWidth,
                           static_cast<int>(std::floor(delay + fraction_high)) + kKernelHalfWidth + 1);
    }
    std::sort(reach.begin(), reach.end());
    for (const auto& [first, end] : reach) {
        if (!segments_.empty() && first <= segments_.back().first + segments_.back().count) {
            Segment& last = segments_.back();
            last.count = std::max(last.count, end - last.first);
        } else {
            const int offset = segments_.empty() ? 0 : segments_.back().offset + segments_.back().count;
            segments_.push_back({first, end - first, offset});
        }
    }
    const auto total = static_cast<size_t>(segments_.back().offset + segments_.back().count);
    for (auto* plane : {&start_re_, &start_im_, &end_re_, &end_im_, &now_re_, &now_im_}) plane->assign(total, 0.0F);
}

const std::vector<std::complex<double>>& PropagationPath::gains_at(int64_t rx_index) {
    // The end of one block is the start of the next: the sinusoids are summed once for both.
    if (gains_.empty() || gains_index_ != rx_index) {
        gains_.resize(fading_.size());
        for (size_t i = 0; i < fading_.size(); ++i) gains_[i] = fading_[i].gain(rx_index);
        gains_index_ = rx_index;
    }
    return gains_;
}

void PropagationPath::fill_coefficients(double fraction, int64_t rx_index, std::vector<float>& re,
                                        std::vector<float>& im) {
    std::fill(re.begin(), re.end(), 0.0F);
    std::fill(im.begin(), im.end(), 0.0F);
    const auto& gains = gains_at(rx_index);
    for (size_t i = 0; i < fading_.size(); ++i) {
        const double delay = config_.profile.taps[i].delay_s * config_.sample_rate_hz + fraction;
        const auto gain = gains[i];
        const int first = static_cast<int>(std::floor(delay)) - kKernelHalfWidth;
        for (const auto& segment : segments_) {
            const int from = std::max(first, segment.first);
            const int to = std::min(first + 2 * kKernelHalfWidth + 2, segment.first + segment.count);
            for (int k = from; k < to; ++k) {
                const auto at = static_cast<size_t>(segment.offset + k - segment.first);
                const double weight = kernel()(k - delay);
                re[at] += static_cast<float>(gain.real() * weight);
                im[at] += static_cast<float>(gain.imag() * weight);
            }
        }
    }
}

void PropagationPath::prepare_block(int64_t block) {
    if (block == block_ || (!moving_ && block_ != INT64_MIN)) return;
    block_ = block;
    const Lag lag = lag_at(block * grid_);
    block_lag_ = lag.whole;
    const double end_fraction = lag.fraction - clock_drift_ * grid_;
    plan_segments(std::min(lag.fraction, end_fraction), std::max(lag.fraction, end_fraction));
    fill_coefficients(lag.fraction, block * grid_, start_re_, start_im_);
    if (moving_) {
        fill_coefficients(end_fraction, (block + 1) * grid_, end_re_, end_im_);
        // From here on end_ holds the change over the block.
        for (size_t i = 0; i < start_re_.size(); ++i) {
            end_re_[i] -= start_re_[i];
            end_im_[i] -= start_im_[i];
        }
    } else {
        now_re_ = start_re_;
        now_im_ = start_im_;
    }
}

void PropagationPath::filter_block(int64_t rx_index, std::span<Complex> out) {
    alignas(64) std::array<float, kFirBlock> re, im;
    size_t done = 0;
    while (done < out.size()) {
        const int64_t at = rx_index + static_cast<int64_t>(done);
        const int64_t aligned = at & ~static_cast<int64_t>(kFirBlock - 1);
        const auto within = static_cast<size_t>(at - aligned);
        const size_t count = std::min(out.size() - done, kFirBlock - within);
        if (moving_) {
            const auto part =
                static_cast<float>((static_cast<double>(aligned - block_ * grid_) + 0.5 * kFirBlock) / grid_);
            for (size_t i = 0; i < now_re_.size(); ++i) {
                now_re_[i] = start_re_[i] + part * end_re_[i];
                now_im_[i] = start_im_[i] + part * end_im_[i];
            }
        }
        re.fill(0.0F);
        im.fill(0.0F);
        for (const auto& segment : segments_) {
            const auto x = static_cast<std::ptrdiff_t>(aligned - block_lag_ - segment.first - planar_first_);
            fir(planar_re_.data() + x, planar_im_.data() + x, now_re_.data() + segment.offset,
                now_im_.data() + segment.offset, segment.count, re.data(), im.data());
        }
        rotate_add(at, re.data() + within, im.data() + within, out.subspan(done, count));
        done += count;
    }
}

void PropagationPath::rotate_add(int64_t rx_index, const float* re, const float* im, std::span<Complex> out) const {
    if (phase_step_ == 0) {
        for (size_t i = 0; i < out.size(); ++i) out[i] += Complex(amplitude_ * re[i], amplitude_ * im[i]);
        return;
    }
    // A FIR block lies inside one rotation block.
    const auto within = static_cast<size_t>(rx_index & (kRotationBlock - 1));
    const Complex base = block_phasor(rx_index - static_cast<int64_t>(within));
    for (size_t i = 0; i < out.size(); ++i) {
        const Complex r = rotation_[within + i];
        const float c = base.real() * r.real() - base.imag() * r.imag();
        const float s = base.real() * r.imag() + base.imag() * r.real();
        out[i] += Complex(re[i] * c - im[i] * s, re[i] * s + im[i] * c);
    }
}

}  // namespace wimax::channel
