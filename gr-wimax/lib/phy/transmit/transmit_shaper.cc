// SPDX-License-Identifier: GPL-3.0-or-later
#include "phy/transmit/transmit_shaper.h"

#include "phy/base/decibels.h"

#include <gnuradio/wimax/phy/carriers/pilots.h>

#include <algorithm>
#include <cmath>
#include <numbers>

namespace gr::wimax::phy {
namespace {

constexpr int kIterations = 4;
/// A clipped peak loses this part of its height if only data carriers pass; more than its inverse overshoots at peaks
/// broader than a sample.
constexpr double kStep = 1.8;
/// Largest saving that one symbol may use, in symbols: bounds the errors of a single code block.
constexpr double kSavedSymbols = 4;

}  // namespace

SymbolWindow::SymbolWindow(const Numerology& numerology, int window_samples)
    : symbol_samples_(static_cast<size_t>(numerology.symbol_samples())),
      cp_samples_(static_cast<size_t>(numerology.cp_samples())),
      slope_(static_cast<size_t>(std::clamp(window_samples, 0, numerology.cp_samples() / 2))) {
    for (size_t i = 0; i < slope_.size(); ++i) {
        const double x = (static_cast<double>(i) + 0.5) / static_cast<double>(slope_.size());
        slope_[i] = static_cast<float>(0.5 - 0.5 * std::cos(std::numbers::pi * x));
    }
}

void SymbolWindow::apply(std::span<Complex> out) const {
    if (slope_.empty()) return;
    const size_t end = out.size() - slope_.size();
    for (size_t i = 0; i < slope_.size(); ++i) {
        out[i] *= slope_[i];
        out[end + i] = {};
    }
    for (size_t at = symbol_samples_; at <= end; at += symbol_samples_) {
        const Complex* before = &out[at - symbol_samples_ + cp_samples_];
        for (size_t i = 0; i < slope_.size(); ++i)
            out[at + i] = slope_[i] * out[at + i] + slope_[slope_.size() - 1 - i] * before[i];
    }
}

CrestReducer::CrestReducer(double target_papr_db)
    : peak_ratio_(power_of_db(std::clamp(target_papr_db, kMinTargetPaprDb, kMaxTargetPaprDb))) {}

void CrestReducer::start_burst(int rate_id, const CarrierSet& carriers) {
    carriers_ = &carriers;
    const double allowed_db = kConstellationErrorLimitDb[static_cast<size_t>(rate_id)] - kReducedErrorMarginDb;
    budget_ = carriers.data_count * power_of_db(allowed_db);
    account_ = 0;
}

bool CrestReducer::clip(std::span<const Complex, kFftSize> bins) {
    const auto spectrum = to_time_.in();
    constexpr size_t kHalf = kFftSize / 2;
    std::copy_n(bins.begin(), kHalf, spectrum.begin());
    std::fill(spectrum.begin() + kHalf, spectrum.end() - kHalf, Complex{});
    std::copy_n(bins.end() - kHalf, kHalf, spectrum.end() - kHalf);
    for (size_t i = 0; i < carriers_->data().size(); ++i)
        spectrum[static_cast<size_t>(carriers_->data()[i] & (kOversampled - 1))] += error_[i];
    to_time_.execute();

    const auto limit = static_cast<float>(peak_ratio_ * (carriers_->data_count + carriers_->pilot_count));
    const auto signal = to_time_.out();
    const auto peaks = to_carriers_.in();
    bool any = false;
    for (size_t n = 0; n < signal.size(); ++n) {
        const float power = std::norm(signal[n]);
        const bool peak = power > limit;
        peaks[n] = peak ? signal[n] * (1 - std::sqrt(limit / power)) : Complex{};
        any = any || peak;
    }
    return any;
}

void CrestReducer::correct(double allowed) {
    to_carriers_.execute();
    const auto scale = static_cast<float>(kStep / kOversampled);
    double spent = 0;
    for (size_t i = 0; i < carriers_->data().size(); ++i) {
        error_[i] -= scale * to_carriers_.out()[static_cast<size_t>(carriers_->data()[i] & (kOversampled - 1))];
        spent += std::norm(error_[i]);
    }
    if (spent <= allowed) return;
    const auto less = static_cast<float>(std::sqrt(allowed / spent));
    for (auto& e : error_) e *= less;
}

void CrestReducer::reduce(std::span<Complex, kFftSize> bins) {
    account_ = std::min(account_ + budget_, kSavedSymbols * budget_);
    error_.fill({});
    for (int i = 0; i < kIterations && clip(bins); ++i) correct(account_);
    for (size_t i = 0; i < carriers_->data().size(); ++i) {
        bins[static_cast<size_t>(bin_of(carriers_->data()[i]))] += error_[i];
        account_ -= std::norm(error_[i]);
    }
}

}  // namespace gr::wimax::phy
