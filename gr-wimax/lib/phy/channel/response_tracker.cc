// SPDX-License-Identifier: GPL-3.0-or-later
#include "phy/channel/response_tracker.h"

#include "phy/base/simd.h"

#include <algorithm>
#include <cmath>
#include <numbers>

namespace gr::wimax::phy {
namespace {

/// Taps before the first path and after the last: skirts of paths between samples, and paths that appear later.
constexpr int kMarginTaps = 5;
/// A preamble's estimate has errors within its span and this far beyond, samples; elsewhere it is zero.
constexpr float kEstimateSkirt = 2.5F;
/// Farther than this from the used taps there is only noise.
constexpr int kNoiseDistance = 8;
/// Doppler shifts: limits, and the initial value.
constexpr double kLeastDopplerHz = 1, kFirstDopplerHz = 20, kMostDopplerHz = 600;
/// With long symbols 20 Hz would cost a constant channel too much (0.2 dB at 64-QAM). Faster motion is soon learned.
constexpr float kMostFirstSpeed = 1e-4F;
/// Weight of the previous speed, in observations; limits of one step of its logarithm.
constexpr float kSpeedPrior = 4.0F, kMaxSpeedFall = 0.4F, kMaxSpeedRise = 3.0F;
/// The rate of change is forgotten over 1 / kRateForgetting times the time in which the phase turns by a radian.
constexpr double kRateForgetting = 0.5;
/// A preamble that differs from the estimate by this much more than expected shows that wrong decisions misled it.
constexpr float kLostRatio = 4.0F;
/// A path's mean power rises at once with a measurement and falls slowly: the path may be in a fade.
constexpr float kPowerRise = 0.3F, kPowerFall = 0.02F;
/// Least mean power of a tap over the sum: a path may appear.
constexpr float kLeastPower = 1e-4F;
/// Errors are summed over as many symbols as the channel needs to change by this part of the noise of a data carrier.
constexpr float kBlockChange = 0.01F;
constexpr int kMaxBlockSymbols = 16;
/// A first speed is a guess: the channel may move ten times as fast. Sums grow by a symbol after this many looks, so
/// that the speed is known before the estimate is useless.
constexpr int kLooksPerBlock = 2;
/// Noise of a data carrier over that of a tap.
constexpr float kCarrierPerTap = float{kFftSize} * kFftSize / kUsedCarriers;

WIMAX_SIMD_BODY void correct_body(ResponseState& s, const float* seen_re, const float* seen_im, float noise,
                                  float least_power, float* change_re, float* change_im) {
    for (int i = 0; i < s.taps; ++i) {
        const auto n = static_cast<size_t>(i);
        const float scale = 1.0F / (s.variance[n] + noise);
        const float gain = s.variance[n] * scale, rate_gain = s.covariance[n] * scale;
        const float re = s.value_re[n] + seen_re[n], im = s.value_im[n] + seen_im[n];
        const float power = re * re + im * im - noise;
        const float rise = power - s.power[n];
        const float next_power = s.power[n] + rise * (rise > 0 ? kPowerRise : kPowerFall);
        s.power[n] = next_power > least_power ? next_power : least_power;
        s.value_re[n] += gain * seen_re[n];
        s.value_im[n] += gain * seen_im[n];
        s.rate_re[n] += rate_gain * seen_re[n];
        s.rate_im[n] += rate_gain * seen_im[n];
        s.rate_variance[n] -= rate_gain * s.covariance[n];
        s.covariance[n] *= 1 - gain;
        s.variance[n] *= 1 - gain;
        change_re[n] += gain * seen_re[n];
        change_im[n] += gain * seen_im[n];
    }
}
constexpr simd::Dispatched<correct_body> correct_taps;

/// Errors of a run of carriers, multiplied by the channel.
WIMAX_SIMD_BODY void spread_body(const float* re, const float* im, const Complex* response, float scale, int count,
                                 Complex* out) {
    const auto* h = reinterpret_cast<const float*>(response);
    auto* to = reinterpret_cast<float*>(out);
    for (int i = 0; i < count; ++i) {
        const float a = scale * re[i], b = scale * im[i];
        to[2 * i] = h[2 * i] * a - h[2 * i + 1] * b;
        to[2 * i + 1] = h[2 * i] * b + h[2 * i + 1] * a;
    }
}
constexpr simd::Dispatched<spread_body> spread;

WIMAX_SIMD_BODY float power_body(const Complex* values, int count) {
    const auto* x = reinterpret_cast<const float*>(values);
    alignas(64) float sums[ResponseState::kLanes] = {};
    for (int i = 0; i + ResponseState::kLanes <= 2 * count; i += ResponseState::kLanes)
        for (int lane = 0; lane < ResponseState::kLanes; ++lane) sums[lane] += x[i + lane] * x[i + lane];
    float sum = 0;
    for (const float part : sums) sum += part;
    return sum;
}
/// Over whole vectors; the remainder at the end is ignored.
constexpr simd::Dispatched<power_body> power_of;

/// A time step of the filters: `reach` is the integral of the decaying rate, `kept` the part left at the end.
struct Step {
    float reach, kept, value_noise, cross_noise, rate_noise;  // the noises over the power of the path
};
WIMAX_SIMD_BODY void predict_body(ResponseState& s, Step step, float* change_re, float* change_im) {
    for (int i = 0; i < s.taps; ++i) {
        const auto n = static_cast<size_t>(i);
        const float p = s.power[n], cov = s.covariance[n], rate = s.rate_variance[n];
        const float re = step.reach * s.rate_re[n], im = step.reach * s.rate_im[n];
        s.value_re[n] += re;
        s.value_im[n] += im;
        change_re[n] += re;
        change_im[n] += im;
        s.rate_re[n] *= step.kept;
        s.rate_im[n] *= step.kept;
        const float variance = s.variance[n] + step.reach * (2 * cov + step.reach * rate) + step.value_noise * p;
        s.variance[n] = variance < 2 * p ? variance : 2 * p;
        s.covariance[n] = step.kept * (cov + step.reach * rate) + step.cross_noise * p;
        s.rate_variance[n] = step.kept * step.kept * rate + step.rate_noise * p;
    }
}
constexpr simd::Dispatched<predict_body> predict_taps;

/// Noise of one tap of an estimate from a preamble, in the scale of a 256-point transform of the used carriers.
float preamble_noise(const ChannelEstimate& channel, float looks) {
    return channel.noise_variance / looks * (float{kUsedCarriers} / kFftSize);
}

}  // namespace

ResponseTracker::ResponseTracker() {
    std::fill(to_delay_.in().begin(), to_delay_.in().end(), Complex{});
    std::fill(to_carriers_.in().begin(), to_carriers_.in().end(), Complex{});
}

float ResponseState::speed_of(double doppler_hz, const SymbolPace& pace) {
    const double radians = 2 * std::numbers::pi * doppler_hz * pace.seconds;
    return static_cast<float>(radians * radians / 2);
}

void ResponseTracker::start(const ChannelEstimate& channel, int cp_samples, const SymbolPace& pace, double position,
                            float looks, ResponseState& state) {
    const bool known = state.speed > 0;
    const float speed =
        known ? state.speed
              : std::max(std::min(ResponseState::speed_of(kFirstDopplerHz, pace), kMostFirstSpeed), channel.speed);
    state = ResponseState{};
    state.active = true;
    state.position = position;
    state.looks = known ? kLooksPerBlock * kMaxBlockSymbols : 0;
    state.least_speed = ResponseState::speed_of(kLeastDopplerHz, pace);
    state.most_speed = ResponseState::speed_of(kMostDopplerHz, pace);
    state.speed = std::min(speed, state.most_speed);
    state.first_tap = static_cast<int>(std::floor(channel.early_path)) - kMarginTaps;
    const int last = static_cast<int>(std::ceil(std::max(channel.last_path, channel.early_path + cp_samples)));
    const int wanted = last + kMarginTaps - state.first_tap + 1;
    state.taps = std::min((wanted + ResponseState::kLanes - 1) / ResponseState::kLanes * ResponseState::kLanes,
                          static_cast<int>(ResponseState::kMaxTaps));
    transform(channel.response);
    float sum = 0;
    for (int i = 0; i < state.taps; ++i) {
        const auto n = static_cast<size_t>(i);
        const Complex tap = to_delay_.out()[static_cast<size_t>((state.first_tap + i) & 255)] / float{kFftSize};
        state.value_re[n] = tap.real();
        state.value_im[n] = tap.imag();
        state.power[n] = std::norm(tap);
        sum += state.power[n];
    }
    const float error = preamble_noise(channel, looks);
    for (size_t n = 0; n < static_cast<size_t>(state.taps); ++n) {
        state.power[n] = std::max(state.power[n], kLeastPower * sum);
        const auto delay = static_cast<float>(state.first_tap + static_cast<int>(n));
        const bool estimated =
            delay > channel.early_path - kEstimateSkirt && delay < channel.last_path + kEstimateSkirt;
        state.variance[n] = estimated ? error : 0;
        state.rate_variance[n] = state.speed * state.power[n];
    }
    if (channel.speed > 0) start_rates(channel, state);
}

/// The preamble shows how fast the taps change.
void ResponseTracker::start_rates(const ChannelEstimate& channel, ResponseState& state) {
    transform(channel.change);
    const float error = channel.change_noise / kShortPreambleLooks * (float{kUsedCarriers} / kFftSize);
    for (int i = 0; i < state.taps; ++i) {
        const auto n = static_cast<size_t>(i);
        if (state.variance[n] == 0) continue;  // beyond the estimate
        const Complex tap = to_delay_.out()[static_cast<size_t>((state.first_tap + i) & 255)] / float{kFftSize};
        const float trust = state.rate_variance[n] / (state.rate_variance[n] + error);
        state.rate_re[n] = trust * tap.real();
        state.rate_im[n] = trust * tap.imag();
        state.rate_variance[n] *= 1 - trust;
    }
}

void ResponseTracker::transform(const Carriers& carriers) {
    auto in = to_delay_.in();
    for (int k = -kEdgeCarrier; k <= kEdgeCarrier; ++k) in[static_cast<size_t>(k & 255)] = carriers[k];
    to_delay_.execute();
}

void ResponseTracker::see_taps(const ResponseState& state) {
    auto in = to_delay_.in();
    in[0] = 0.5F * (in[1] + in[kFftSize - 1]);
    to_delay_.execute();
    for (int i = 0; i < state.taps; ++i) {
        const Complex tap = to_delay_.out()[static_cast<size_t>((state.first_tap + i) & 255)];
        seen_re_[static_cast<size_t>(i)] = tap.real();
        seen_im_[static_cast<size_t>(i)] = tap.imag();
    }
}

float ResponseTracker::noise_per_tap(const ResponseState& state) {
    constexpr int kPerVector = ResponseState::kLanes / 2;
    const int count = (kFftSize - state.taps - 2 * kNoiseDistance) / kPerVector * kPerVector;
    const int from = (state.first_tap + state.taps + kNoiseDistance) & (kFftSize - 1);
    const int until_end = std::min(count, (kFftSize - from) / kPerVector * kPerVector);
    const auto out = to_delay_.out();
    // The remainder of the transform at the end of a vector is ignored.
    const float sum = power_of(&out[static_cast<size_t>(from)], until_end) + power_of(out.data(), count - until_end);
    return std::max(sum / static_cast<float>(count), 1e-20F);
}

void ResponseTracker::learn_speed(float noise, ResponseState& state) const {
    float slope = 0, information = 0;
    for (size_t n = 0; n < static_cast<size_t>(state.taps); ++n) {
        const float expected = state.variance[n] + noise, share = state.variance[n] / expected;
        slope += share * ((seen_re_[n] * seen_re_[n] + seen_im_[n] * seen_im_[n]) / expected - 1);
        information += share * share;
    }
    const float step = std::clamp(slope / (information + kSpeedPrior), -kMaxSpeedFall, kMaxSpeedRise);
    const float old = state.speed;
    state.speed = std::clamp(old * std::exp(step), state.least_speed, state.most_speed);
    const float more = state.speed - old;
    if (more <= 0) return;
    // The speed has been the same since the last observation.
    const auto symbols = static_cast<float>(state.interval);
    for (size_t n = 0; n < static_cast<size_t>(state.taps); ++n) {
        state.variance[n] += more * symbols * symbols * state.power[n];
        state.covariance[n] += more * symbols * state.power[n];
        state.rate_variance[n] += more * state.power[n];
    }
}

void ResponseTracker::believe_if_lost(float noise, ResponseState& state) const {
    float seen = 0, expected = 0, power = 0;
    for (size_t n = 0; n < static_cast<size_t>(state.taps); ++n) {
        seen += seen_re_[n] * seen_re_[n] + seen_im_[n] * seen_im_[n];
        expected += state.variance[n] + noise;
        power += state.power[n];
    }
    if (seen < kLostRatio * expected) return;
    for (size_t n = 0; n < static_cast<size_t>(state.taps); ++n) {
        state.variance[n] += seen * state.power[n] / power;
        state.rate_variance[n] += state.speed * state.power[n];
        state.rate_re[n] = state.rate_im[n] = 0;
    }
}

void ResponseTracker::correct(float noise, ResponseState& state) {
    learn_speed(noise, state);
    float sum = 0;
    for (size_t n = 0; n < static_cast<size_t>(state.taps); ++n) sum += state.power[n];
    correct_taps(state, seen_re_.data(), seen_im_.data(), noise, kLeastPower * sum, change_re_.data(),
                 change_im_.data());
}

void ResponseTracker::predict(double symbols, ResponseState& state) {
    const double turn = std::sqrt(2.0 * state.speed) * kRateForgetting;  // rad per symbol, times the forgetting
    const double left = std::exp(-turn * symbols);
    Step step;
    step.kept = static_cast<float>(left);
    step.reach = static_cast<float>(turn > 1e-9 ? (1 - left) / turn : symbols);
    const double fade = std::min(1.0, turn * symbols);
    step.value_noise = static_cast<float>(std::min(2.0, 2.0 / 3.0 * fade * state.speed * symbols * symbols));
    step.cross_noise = static_cast<float>(fade * state.speed * symbols * (1 - fade / 2));
    step.rate_noise = static_cast<float>((1 - left * left) * state.speed);
    predict_taps(state, step, change_re_.data(), change_im_.data());
    state.position += symbols;
    state.interval = symbols;
}

void ResponseTracker::apply(ResponseState& state, ChannelEstimate& channel) {
    auto in = to_carriers_.in();
    std::fill(in.begin(), in.end(), Complex{});
    for (int i = 0; i < state.taps; ++i) {
        const auto n = static_cast<size_t>(i);
        in[static_cast<size_t>((state.first_tap + i) & 255)] = {change_re_[n], change_im_[n]};
    }
    to_carriers_.execute();
    const auto* out = reinterpret_cast<const float*>(to_carriers_.out().data());
    auto* response = reinterpret_cast<float*>(channel.response.data());
    for (int i = 0; i < 2 * kEdgeCarrier; ++i) response[i] += out[2 * (kFftSize - kEdgeCarrier) + i];
    for (int i = 0; i <= 2 * kEdgeCarrier + 1; ++i) response[2 * kEdgeCarrier + i] += out[i];
    channel.complete();
    change_re_.fill(0);
    change_im_.fill(0);
}

int ResponseTracker::block_symbols(float noise, const ResponseState& state) {
    float power = 0;
    for (size_t n = 0; n < static_cast<size_t>(state.taps); ++n) power += state.power[n];
    const float change = state.speed * power * kFftSize / kUsedCarriers;
    const float symbols = std::sqrt(kBlockChange * noise * kCarrierPerTap / std::max(change, 1e-20F));
    const int most = std::min(kMaxBlockSymbols, 1 + state.looks / kLooksPerBlock);
    return static_cast<int>(std::clamp(symbols, 1.0F, static_cast<float>(most)));
}

void ResponseTracker::merge(const ChannelEstimate& fresh, double position, float looks, ResponseState& state,
                            ChannelEstimate& channel) {
    if (position > state.position) predict(position - state.position, state);
    apply(state, channel);
    auto in = to_delay_.in();
    for (int k = -kEdgeCarrier; k <= kEdgeCarrier; ++k)
        in[static_cast<size_t>(k & 255)] = (fresh.response[k] - channel.response[k]) / float{kFftSize};
    see_taps(state);
    for (size_t i = 0; i < channel.purity.values.size(); ++i)
        channel.purity.values[i] = std::min(channel.purity.values[i], fresh.purity.values[i]);
    const float noise = preamble_noise(fresh, looks);
    believe_if_lost(noise, state);
    correct(noise, state);
    predict(1, state);
    apply(state, channel);
    summed_ = 0;
}

void ResponseTracker::begin_burst(double position, ResponseState& state, ChannelEstimate& channel) {
    summed_ = 0;
    planned_ = 1;
    if (!state.active || position <= state.position) return;
    predict(position - state.position, state);
    apply(state, channel);
}

float ResponseTracker::use_sums(SymbolPlanes& planes, ResponseState& state, const ChannelEstimate& channel) {
    const float scale = 1.0F / static_cast<float>(kFftSize * summed_);
    auto in = to_delay_.in();
    spread(planes.lack_re.data(), planes.lack_im.data(), channel.response.data(), scale, kEdgeCarrier,
           &in[kFftSize - kEdgeCarrier]);
    constexpr size_t kFirst = SymbolPlanes::place(1);
    spread(&planes.lack_re[kFirst], &planes.lack_im[kFirst], &channel.response[1], scale, kEdgeCarrier, &in[1]);
    see_taps(state);
    const float noise = noise_per_tap(state);
    correct(noise, state);
    ++state.looks;
    planes.lack_re.fill(0);
    planes.lack_im.fill(0);
    return noise;
}

bool ResponseTracker::see(SymbolPlanes& planes, ResponseState& state, ChannelEstimate& channel) {
    if (!state.active || planned_ > 1) return false;
    state_before_ = state;
    response_before_ = channel.response;
    summed_ = 1;
    tap_noise_ = use_sums(planes, state, channel);
    seen_ = true;
    apply(state, channel);
    return true;
}

bool ResponseTracker::take_back(ResponseState& state, ChannelEstimate& channel) {
    if (!seen_) return false;
    seen_ = false;
    summed_ = 0;
    state = state_before_;
    channel.response = response_before_;
    channel.complete();
    return true;
}

bool ResponseTracker::follow(SymbolPlanes& planes, ResponseState& state, ChannelEstimate& channel) {
    if (!state.active) return false;
    if (!seen_) {
        if (++summed_ < planned_) return false;
        tap_noise_ = use_sums(planes, state, channel);
    }
    const int next = block_symbols(tap_noise_ * static_cast<float>(summed_), state);
    predict(0.5 * (summed_ + next), state);
    planned_ = next;
    summed_ = 0;
    seen_ = false;
    apply(state, channel);
    return true;
}

}  // namespace gr::wimax::phy
