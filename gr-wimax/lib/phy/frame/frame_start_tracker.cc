// SPDX-License-Identifier: GPL-3.0-or-later
#include "phy/frame/frame_start_tracker.h"

#include <cmath>

namespace gr::wimax::phy {
namespace {

/// Clock tolerance: +-20 ppm on both sides.
constexpr double kMaxClockOffset = 45e-6;
/// Prior standard deviation of the offset before anything is measured.
constexpr double kPriorClockOffset = 15e-6;
/// Timing of a found preamble may be this wrong (multipath) when durations are compared.
constexpr double kTimingSlackSamples = 8;
/// Random walk of the paths per second, s^2.
constexpr double kOffsetNoise = 3e-16;
/// A start this far off the prediction is a new situation (channel or base station changed), not an error to filter.
constexpr double kJumpSamples = 3;

}  // namespace

void FrameStartTracker::reset() {
    frame_samples_ = 0;
    last_.reset();
}

std::optional<int64_t> FrameStartTracker::legal_duration(double distance, int frames) const {
    for (const int duration_us : kFrameDurationUs) {
        const auto samples = sample_rate_hz_ * duration_us / 1'000'000;
        const double expected = static_cast<double>(samples) * frames;
        if (std::abs(distance - expected) < expected * kMaxClockOffset + kTimingSlackSamples) return samples;
    }
    return std::nullopt;
}

void FrameStartTracker::decoded(double start, uint8_t frame_lsb) {
    if (last_) {
        const int frames = (frame_lsb - last_->frame_lsb) & 15;
        const double distance = start - last_->start;
        const auto duration = frames > 0 ? legal_duration(distance, frames) : std::nullopt;
        if (duration && *duration != frame_samples_) {
            frame_samples_ = *duration;
            grid_ = std::llround(start);
            const double drift = distance / frames - static_cast<double>(*duration);
            offset_ = {start - static_cast<double>(grid_), drift, 0.01, 0.01 / frames, 0.02 / frames};
        } else if (!duration && locked()) {
            // The frame numbers contradict the distance: the base station has changed its frames. Two prefixes 16
            // frames or more apart give no evidence.
            if (distance < 15.5 * static_cast<double>(frame_samples_)) frame_samples_ = 0;
        }
    }
    last_ = Decoded{start, frame_lsb};
}

void FrameStartTracker::measured(double start, double variance) {
    const double error = start - this->start();
    if (std::abs(error) > kJumpSamples) offset_.value += error;
    else offset_.correct(error, variance);
    // Keeps the offset small and therefore exact for any sample number.
    const auto whole = std::llround(offset_.value);
    grid_ += whole;
    offset_.value -= static_cast<double>(whole);
}

void FrameStartTracker::advance() {
    grid_ += frame_samples_;
    const auto rate = static_cast<double>(sample_rate_hz_), samples = static_cast<double>(frame_samples_);
    const double seconds = samples / rate;
    offset_.advance(1, kOffsetNoise * seconds * rate * rate, LinkTracker::clock_walk(seconds) * samples * samples);
}

double FrameStartTracker::drift(double samples) const {
    return locked() ? offset_.rate * samples / static_cast<double>(frame_samples_) : 0;
}

double FrameStartTracker::drift_variance(double samples) const {
    const double prior = kPriorClockOffset * samples * kPriorClockOffset * samples;
    if (!locked()) return prior;
    const double scale = samples / static_cast<double>(frame_samples_);
    return std::min(prior, offset_.rate_variance * scale * scale);
}

}  // namespace gr::wimax::phy
