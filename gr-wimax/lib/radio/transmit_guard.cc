// SPDX-License-Identifier: GPL-3.0-or-later
#include "radio/transmit_guard.h"

#include "phy/base/decibels.h"

#include <algorithm>
#include <cmath>

namespace gr::wimax {
namespace {

constexpr size_t kGuardBlock = 256;

int64_t samples_of(double ms, int64_t rate_hz) { return std::llround(ms * 1e-3 * static_cast<double>(rate_hz)); }

int64_t floor_div(int64_t a, int64_t b) { return a / b - (a % b < 0 ? 1 : 0); }

}  // namespace

int64_t& TransmitGuard::Window::here() {
    constexpr int64_t kAll = kParts + 1;
    return sent[static_cast<size_t>(newest - floor_div(newest, kAll) * kAll)];
}

double loudest_power(TransmitPiece::Samples samples) {
    double loudest = 0;
    while (!samples.empty()) {
        const size_t n =
            samples.size() < 2 * kGuardBlock ? samples.size() : kGuardBlock;  // the rest is less than a block
        float sum = 0;
        for (const auto s : samples.first(n)) sum += std::norm(s);
        loudest = std::max(loudest, static_cast<double>(sum) / static_cast<double>(n));
        samples = samples.subspan(n);
    }
    return loudest;
}

TransmitGuard::TransmitGuard(const TransmitLimits& limits, int64_t rate_hz, double reference_dbm)
    : limits_(limits),
      longest_(limits.longest_burst_ms ? samples_of(*limits.longest_burst_ms, rate_hz) : INT64_MAX),
      part_samples_((samples_of(limits.duty_window_ms, rate_hz) + kParts - 1) / kParts),
      window_share_(static_cast<int64_t>(limits.max_duty_cycle *
                                         static_cast<double>(samples_of(limits.duty_window_ms, rate_hz)))) {
    set_reference(reference_dbm);
}

void TransmitGuard::set_reference(double reference_dbm) {
    most_power_ = limits_.max_power_dbm ? phy::power_of_db(*limits_.max_power_dbm + kToleranceDb - reference_dbm) : 0;
}

size_t TransmitGuard::admit(int64_t start, const TransmitPiece& piece) {
    if (!limits_.enable) {
        ++switched_off_;
        return 0;
    }
    if (too_strong(piece)) {
        ++too_strong_;
        return 0;
    }
    const size_t n = within_burst(start, piece.first.size());
    if (n < piece.first.size()) ++too_long_;
    if (n == 0) return 0;
    if (within_duty(start, static_cast<int64_t>(n))) return n;
    ++too_often_;
    return 0;
}

bool TransmitGuard::too_strong(const TransmitPiece& piece) const {
    return loudest_power(piece.first) > most_power_ || loudest_power(piece.second) > most_power_;
}

size_t TransmitGuard::within_burst(int64_t start, size_t samples) {
    const bool goes_on = start >= burst_start_ && start <= burst_end_;
    const int64_t end = start + static_cast<int64_t>(samples);
    if (!goes_on) burst_start_ = start;
    burst_end_ = goes_on ? std::max(burst_end_, end) : end;
    const int64_t left = std::max<int64_t>(0, longest_ - (start - burst_start_));
    return std::min(samples, static_cast<size_t>(left));
}

void TransmitGuard::Window::advance(int64_t part) {
    if (newest == INT64_MIN || part > newest + kParts || part < newest - kParts) {
        sent.fill(0);
        total = 0;
        newest = part;
    }
    while (newest < part) {
        ++newest;
        total -= here();
        here() = 0;
    }
}

/// Part by part, so that each window is checked with its contents. A refused piece is not counted.
bool TransmitGuard::within_duty(int64_t start, int64_t samples) {
    if (limits_.max_duty_cycle >= 1) return true;
    if (samples > window_share_) return false;
    Window next = window_;
    for (int64_t at = start, end = start + samples; at < end;) {
        const int64_t part = floor_div(at, part_samples_);
        const int64_t n = std::min(end, (part + 1) * part_samples_) - at;
        next.advance(part);
        next.here() += n;
        next.total += n;
        if (next.total > window_share_) return false;
        at += n;
    }
    window_ = next;
    return true;
}

}  // namespace gr::wimax
