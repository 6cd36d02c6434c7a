// SPDX-License-Identifier: GPL-3.0-or-later
#include "phy/receive/front_end_estimate.h"

#include "phy/base/decibels.h"

#include <gnuradio/wimax/phy/carriers/constellation.h>
#include <gnuradio/wimax/phy/carriers/pilots.h>
#include <gnuradio/wimax/phy/carriers/subchannels.h>

#include <volk/volk.h>

#include <algorithm>
#include <cmath>
#include <numbers>

namespace gr::wimax::phy {
namespace {

constexpr double kTurn = 2 * std::numbers::pi;
/// Two unknowns that look alike by more than this (square of their correlation) are inseparable.
constexpr double kAlike = 0.95;

template <class Body> std::complex<double> product(const Body& a, const Body& b) {
    lv_32fc_t sum;
    volk_32fc_x2_conjugate_dot_prod_32fc(&sum, a.data(), b.data(), kFftSize);
    return {lv_creal(sum), lv_cimag(sum)};
}

template <class Body> void to_body(const Carriers& carriers, FftPlan& plan, Body& out) {
    auto bins = plan.in();
    std::fill(bins.begin(), bins.end(), Complex{});
    for (int k = -kEdgeCarrier; k <= kEdgeCarrier; ++k) bins[static_cast<size_t>(bin_of(k))] = carriers[k];
    plan.execute();
    std::copy_n(plan.out().begin(), kFftSize, out.begin());
}

}  // namespace

FrontEndMeter::FrontEndMeter(const Numerology& numerology) : symbol_samples_(numerology.symbol_samples()) {}

void FrontEndMeter::listen_to(std::span<const Complex> samples, int64_t first_sample) {
    samples_ = {samples.data(), first_sample, static_cast<int64_t>(samples.size())};
}

void FrontEndMeter::reset() {
    symbols_ = 0;
    power_ = reference_ = error_ = corrected_error_ = 0;
    phase_squares_ = {};
    dc_ = images_ = {};
    phases_ = {};
}

void FrontEndMeter::on_symbol(const SymbolObservation& seen) {
    if (seen.format.stc || !seen.second_response.empty() || seen.format.subchannel_index != kFullSubchannel) return;
    const auto shift = static_cast<int>(std::lround(seen.delay_samples));
    const int64_t window = seen.response_window + int64_t{seen.symbol} * symbol_samples_ + shift;
    if (!samples_.covers(window, window + kFftSize)) return;
    reader_.read(samples_, window, seen.cycles_per_sample, seen.response_window, received_);
    rebuild(seen, shift);
    add_phase(seen);
    add_errors(seen);
    add_pairs(seen, window);
    ++symbols_;
}

void FrontEndMeter::rebuild(const SymbolObservation& seen, int shift) {
    const auto& set = carrier_set(kFullSubchannel);
    const int bits = kRateTable[seen.format.rate_id].bits_per_carrier;
    const auto& pilots = pilot_values(seen.direction, seen.symbol);
    points_[0] = 0;
    for (size_t i = 0; i < seen.points.size(); ++i) points_[set.data_offsets[i]] = nearest_point(bits, seen.points[i]);
    for (size_t i = 0; i < kPilotOffsets.size(); ++i) points_[kPilotOffsets[i]] = pilots[i];
    carrier_ramp(seen.phase_rad, (shift - seen.delay_samples) * kTurn / kFftSize, line_);
    double power = 0;
    for (int k = -kEdgeCarrier; k <= kEdgeCarrier; ++k) {
        const Complex response = seen.response[static_cast<size_t>(k + kEdgeCarrier)];
        power += std::norm(response);
        line_[k] *= response;
        sent_[k] = line_[k] * points_[k];
    }
    power_ += power / kUsedCarriers;
}

/// The phase common to all carriers is no error.
void FrontEndMeter::add_phase(const SymbolObservation& seen) {
    std::complex<double> sum{};
    for (int k = -kEdgeCarrier; k <= kEdgeCarrier; ++k) sum += received_[k] * std::conj(sent_[k]);
    const double rest = std::arg(sum), phase = seen.phase_rad + rest;
    const Complex turn(std::polar(1.0, rest));
    for (int k = -kEdgeCarrier; k <= kEdgeCarrier; ++k) {
        line_[k] *= turn;
        sent_[k] *= turn;
    }
    if (phases_.window != seen.response_window || seen.symbol <= phases_.last) {
        phases_.end(phase_squares_);
        phases_ = {};
    }
    const double x = seen.symbol;
    phases_.window = seen.response_window;
    phases_.last = seen.symbol;
    ++phases_.count;
    phases_.x += x;
    phases_.xx += x * x;
    phases_.y += phase;
    phases_.yy += phase * phase;
    phases_.xy += x * phase;
}

/// Squared deviations of phases from their line; two of them define the line.
void FrontEndMeter::Line::end(Squares& squares) const {
    if (count < 3) return;
    const double n = count, width = xx - x * x / n, slope = xy - x * y / n;
    squares.sum += std::max(yy - y * y / n - slope * slope / width, 0.0);
    squares.count += count - 2;
}

void FrontEndMeter::add_errors(const SymbolObservation& seen) {
    const auto data = carrier_set(kFullSubchannel).data();
    for (size_t i = 0; i < data.size(); ++i) {
        const int k = data[i];
        if (!(std::norm(line_[k]) > 0)) continue;
        reference_ += std::norm(points_[k]);
        error_ += std::norm(received_[k] / line_[k] - points_[k]);
        corrected_error_ += std::norm(seen.points[i] - points_[k]);
    }
}

void FrontEndMeter::add_pairs(const SymbolObservation& seen, int64_t window) {
    const auto add = [this](Pair& pair, const Body& first, const Body& second) {
        pair.first += product(first, first).real();
        pair.second += product(second, second).real();
        pair.both += product(second, first);
        pair.first_lacking += product(lacking_, first);
        pair.second_lacking += product(lacking_, second);
    };
    turn_.fill(1);
    derotate(turn_.data(), turn_.data(), kFftSize,
             seen.cycles_per_sample * static_cast<double>(window - seen.response_window), seen.cycles_per_sample);
    // The image of the received samples, with the same frequency correction.
    to_body(sent_, to_samples_, body_);
    for (size_t n = 0; n < kFftSize; ++n) body_[n] = std::conj(body_[n]) * turn_[n] * turn_[n];
    for (int k = -kEdgeCarrier; k <= kEdgeCarrier; ++k) received_[k] -= sent_[k];
    to_body(received_, to_samples_, lacking_);
    for (int k = -kEdgeCarrier; k <= kEdgeCarrier; ++k) sent_[k] = line_[k] * std::conj(points_[-k]);
    to_body(sent_, to_samples_, mirrored_);
    add(images_, body_, mirrored_);
    // The sender's leaking carrier has the channel of its neighbours.
    mirrored_.fill(0.5F * (line_[-1] + line_[1]));
    add(dc_, turn_, mirrored_);
}

FrontEndMeter::Powers FrontEndMeter::solve(const Pair& p, double first_reference, double second_reference) {
    const auto level = [](std::complex<double> value, double reference) {
        return static_cast<float>(decibels(std::norm(value) / reference));
    };
    if (std::norm(p.both) > kAlike * p.first * p.second) {
        const float all = level(p.first_lacking / p.first, first_reference);
        return {all, all, false};
    }
    const double det = p.first * p.second - std::norm(p.both);
    return {level((p.second * p.first_lacking - p.both * p.second_lacking) / det, first_reference),
            level((p.first * p.second_lacking - std::conj(p.both) * p.first_lacking) / det, second_reference), true};
}

FrontEndEstimate FrontEndMeter::estimate() const {
    FrontEndEstimate out;
    out.symbols = symbols_;
    if (symbols_ == 0) return out;
    const double power = power_ / symbols_;
    // Sums of carriers: a sample's value times the root of their number.
    const auto offsets = solve(dc_, kUsedCarriers * power, kUsedCarriers), images = solve(images_, 1, 1);
    out.dc_dbc = offsets.first_db;
    out.carrier_leak_dbc = offsets.second_db;
    out.dc_separable = offsets.separable;
    out.image_dbc = images.first_db;
    out.sender_image_dbc = images.second_db;
    out.images_separable = images.separable;
    out.evm_db = static_cast<float>(decibels(error_ / reference_));
    out.corrected_evm_db = static_cast<float>(decibels(corrected_error_ / reference_));
    out.signal_dbfs = static_cast<float>(decibels(power));
    Squares squares = phase_squares_;
    phases_.end(squares);
    out.phase_error_deg = static_cast<float>(360 / kTurn * std::sqrt(squares.sum / std::max(squares.count, 1)));
    return out;
}

}  // namespace gr::wimax::phy
