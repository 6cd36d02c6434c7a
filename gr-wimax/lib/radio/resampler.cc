/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "radio/resampler.h"

#include <liquid/liquid.h>

#include <algorithm>
#include <array>
#include <cmath>

namespace gr::wimax {
namespace {

constexpr double kReach = 12;         // channel samples on either side
constexpr float kStopbandDb = 80.0F;  // of Kaiser's window

/// Complex times real, both interleaved: `floats` is even and every tap is there twice, so that lanes are independent
/// and the compiler makes vectors of them.
Resampler::Complex dot(const float* x, const float* taps, size_t floats) {
    constexpr size_t kLanes = 8;
    std::array<float, kLanes> sum{};
    size_t i = 0;
    for (; i + kLanes <= floats; i += kLanes)
        for (size_t lane = 0; lane < kLanes; ++lane) sum[lane] += x[i + lane] * taps[i + lane];
    for (size_t lane = 0; i < floats; ++i, ++lane) sum[lane] += x[i] * taps[i];
    return {sum[0] + sum[2] + sum[4] + sum[6], sum[1] + sum[3] + sum[5] + sum[7]};
}

/// Taps on either side, in input samples; `pace`: channel samples per input sample.
int half_length(double pace) { return static_cast<int>(std::ceil(kReach / pace)); }

double device_pace(const RatePlan& plan) { return static_cast<double>(plan.down) / plan.up; }

}  // namespace

Resampler::Resampler(const RatePlan& plan, Direction direction)
    : step_(direction == Direction::to_device ? plan.down : plan.up),
      phases_(direction == Direction::to_device ? plan.up : plan.down) {
    const double pace = direction == Direction::to_device ? 1 : device_pace(plan);
    half_ = half_length(pace);
    const size_t length = 2 * static_cast<size_t>(half_), phases = static_cast<size_t>(phases_);
    // The filter at all phases; its middle belongs to input `half_ - 1` of phase 0.
    std::vector<float> prototype(length * phases + 1);
    liquid_firdes_kaiser(static_cast<unsigned>(prototype.size()), static_cast<float>(0.5 * pace / phases_), kStopbandDb,
                         0, prototype.data());
    taps_.reserve(2 * phases * length);
    for (size_t phase = 0; phase < phases; ++phase) {
        const auto tap = [&](size_t i) { return static_cast<double>(prototype[phase + (length - 1 - i) * phases]); };
        double sum = 0;
        for (size_t i = 0; i < length; ++i) sum += tap(i);
        // Every phase with the same gain at 0 Hz, else the carrier leaks into images.
        for (size_t i = 0; i < length; ++i) taps_.insert(taps_.end(), 2, static_cast<float>(tap(i) / sum));
    }
}

int64_t Resampler::first_output(int64_t input) const {
    const auto s = scale(input + half_ - 1, phases_, step_);
    return s.quotient + (s.remainder > 0);
}

void Resampler::render(std::span<const Complex> in, int64_t in_first, int64_t out_first, std::span<Complex> out) const {
    const auto length = static_cast<int64_t>(2 * half_);
    const auto size = static_cast<int64_t>(in.size());
    auto [position, phase] = scale(out_first, step_, phases_);
    for (auto& o : out) {
        const int64_t first = position - half_ + 1 - in_first;
        const int64_t lo = std::max<int64_t>(first, 0), hi = std::min(first + length, size);
        const auto* taps = taps_.data() + 2 * (phase * length + (lo - first));
        o = lo < hi ? dot(reinterpret_cast<const float*>(in.data() + lo), taps, static_cast<size_t>(2 * (hi - lo)))
                    : Complex{};
        phase += step_;
        position += phase / phases_;
        phase %= phases_;
    }
}

ReceiveResampler::ReceiveResampler(const RatePlan& plan) : resampler_(plan, Resampler::Direction::to_channel) {}

int64_t ReceiveResampler::delay_ticks(const RatePlan& plan) { return half_length(device_pace(plan)); }

size_t ReceiveResampler::room(size_t outputs) const {
    if (!running_) return std::max<size_t>(outputs, 1);  // no more comes out than goes in
    const int64_t end = held_first_ + static_cast<int64_t>(held_.size());
    return static_cast<size_t>(
        std::max<int64_t>(0, resampler_.last_input(next_output_ + static_cast<int64_t>(outputs)) - 1 - end));
}

void ReceiveResampler::push(int64_t first_tick, std::span<const Complex> samples) {
    if (!running_ || first_tick != held_first_ + static_cast<int64_t>(held_.size())) {
        held_.clear();
        held_first_ = first_tick;
        next_output_ = resampler_.first_output(first_tick);
        running_ = true;
    }
    held_.insert(held_.end(), samples.begin(), samples.end());
}

size_t ReceiveResampler::pull(std::span<Complex> out, int64_t& first_sample) {
    if (!running_) return 0;
    first_sample = next_output_;
    const int64_t end = held_first_ + static_cast<int64_t>(held_.size());
    size_t n = 0;
    while (n < out.size() && resampler_.last_input(next_output_ + static_cast<int64_t>(n)) <= end) ++n;
    resampler_.render(held_, held_first_, next_output_, out.first(n));
    next_output_ += static_cast<int64_t>(n);
    const int64_t done =
        std::clamp<int64_t>(resampler_.first_input(next_output_) - held_first_, 0, static_cast<int64_t>(held_.size()));
    held_.erase(held_.begin(), held_.begin() + static_cast<std::ptrdiff_t>(done));
    held_first_ += done;
    return n;
}

TransmitResampler::TransmitResampler(const RatePlan& plan)
    : plan_(plan), resampler_(plan, Resampler::Direction::to_device) {}

int64_t TransmitResampler::convert(int64_t start_sample, std::span<const Complex> samples,
                                   std::vector<Complex>& out) const {
    const int64_t first = plan_.tick_at(start_sample - kRingingSamples);
    const int64_t end = plan_.tick_at(start_sample + static_cast<int64_t>(samples.size()) + kRingingSamples);
    out.resize(static_cast<size_t>(end - first));
    resampler_.render(samples, start_sample, first, out);
    return first;
}

}  // namespace gr::wimax
