// SPDX-License-Identifier: GPL-3.0-or-later
#include "radio/resampler.h"

#include "phy/base/simd.h"

#include <liquid/liquid.h>

#include <algorithm>
#include <array>
#include <cmath>

namespace gr::wimax {
namespace {

constexpr double kReach = 12;         // channel samples on either side
constexpr float kStopbandDb = 80.0F;  // of Kaiser's window

constexpr int64_t kWidth = 8;  // samples: number of taps per phase is a multiple, padded with zeros
constexpr size_t kMostTaps = size_t(2 * kReach * kMaxResampling);
static_assert(kMostTaps % kWidth == 0);

/// Position of an output: `phase` parts of an input sample after input `position`.
struct Place {
    int64_t position, phase;
};

struct Filter {
    const float* taps;                           ///< by phase, every tap twice
    int64_t length, padded, half, step, phases;  ///< taps per phase with zeros; on either side; from output to output
};

#pragma GCC diagnostic push
#pragma GCC diagnostic ignored "-Wpsabi"  // vectors stay within inlined functions

/// Complex times real, both interleaved, of a multiple of kWidth; every tap is there twice.
template <size_t Bytes> WIMAX_SIMD_BODY Resampler::Complex wide_dot(const float* x, const float* taps, int64_t floats) {
    using V = phy::simd::Vector<float, Bytes>;
    constexpr size_t kFloats = Bytes / sizeof(float);
    V sum{};
    for (int64_t i = 0; i < floats; i += kFloats) sum += phy::simd::load<V>(x + i) * phy::simd::load<V>(taps + i);
    Resampler::Complex total;
    for (size_t i = 0; i < kFloats; i += 2) total += Resampler::Complex(sum[i], sum[i + 1]);
    return total;
}

template <size_t Bytes>
WIMAX_SIMD_BODY void render_body(const Filter& filter, std::span<const Resampler::Complex> in, Place place,
                                 std::span<Resampler::Complex> out) {
    const auto size = static_cast<int64_t>(in.size());
    const auto* x = reinterpret_cast<const float*>(in.data());
    const int64_t whole = filter.step / filter.phases, rest = filter.step % filter.phases;
    for (auto& o : out) {
        const int64_t first = place.position - filter.half + 1;
        const auto* taps = filter.taps + 2 * place.phase * filter.padded;
        if (first >= 0 && first + filter.padded <= size) {
            o = wide_dot<Bytes>(x + 2 * first, taps, 2 * filter.padded);
        } else {
            // Always the same sums in the same order: else the last bits would depend on the lengths of packets.
            std::array<Resampler::Complex, kMostTaps> window{};
            const int64_t lo = std::max<int64_t>(first, 0), hi = std::min(first + filter.length, size);
            if (lo < hi) std::copy(in.begin() + lo, in.begin() + hi, window.begin() + (lo - first));
            o = wide_dot<Bytes>(reinterpret_cast<const float*>(window.data()), taps, 2 * filter.padded);
        }
        place.phase += rest;
        place.position += whole + (place.phase >= filter.phases);
        if (place.phase >= filter.phases) place.phase -= filter.phases;
    }
}

#pragma GCC diagnostic pop

constexpr phy::simd::Dispatched<render_body<16>, render_body<32>, render_body<64>> render_all;

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
    // The filter at all phases; its middle is at input `half_ - 1` of phase 0.
    std::vector<float> prototype(length * phases + 1);
    liquid_firdes_kaiser(static_cast<unsigned>(prototype.size()), static_cast<float>(0.5 * pace / phases_), kStopbandDb,
                         0, prototype.data());
    padded_ = (int64_t{2} * half_ + kWidth - 1) / kWidth * kWidth;
    taps_.reserve(2 * phases * static_cast<size_t>(padded_));
    for (size_t phase = 0; phase < phases; ++phase) {
        const auto tap = [&](size_t i) { return static_cast<double>(prototype[phase + (length - 1 - i) * phases]); };
        double sum = 0;
        for (size_t i = 0; i < length; ++i) sum += tap(i);
        // Every phase has the same gain at 0 Hz, else the carrier leaks into images.
        for (size_t i = 0; i < length; ++i) taps_.insert(taps_.end(), 2, static_cast<float>(tap(i) / sum));
        taps_.resize(2 * (phase + 1) * static_cast<size_t>(padded_));
    }
}

int64_t Resampler::first_output(int64_t input) const {
    const auto s = scale(input + half_ - 1, phases_, step_);
    return s.quotient + (s.remainder > 0);
}

int64_t Resampler::first_incomplete(int64_t end) const {
    const auto s = scale(end - half_, phases_, step_);
    return s.quotient + (s.remainder > 0);
}

void Resampler::render(std::span<const Complex> in, int64_t in_first, int64_t out_first, std::span<Complex> out) const {
    const auto [position, phase] = scale(out_first, step_, phases_);
    render_all({taps_.data(), int64_t{2} * half_, padded_, half_, step_, phases_}, in, {position - in_first, phase},
               out);
}

ReceiveResampler::ReceiveResampler(const RatePlan& plan) : resampler_(plan, Resampler::Direction::to_channel) {}

int64_t ReceiveResampler::delay_ticks(const RatePlan& plan) { return half_length(device_pace(plan)); }

size_t ReceiveResampler::room(size_t outputs) const {
    if (!running_) return std::max<size_t>(outputs, 1);  // never more outputs than inputs
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
    const int64_t complete = std::max<int64_t>(0, resampler_.first_incomplete(end) - next_output_);
    const size_t n = std::min(out.size(), static_cast<size_t>(complete));
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
