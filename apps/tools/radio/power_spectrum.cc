// SPDX-License-Identifier: GPL-3.0-or-later
#include "tools/radio/power_spectrum.h"

#include "phy/base/decibels.h"

#include <liquid/liquid.h>

#include <algorithm>
#include <numeric>

namespace wimax::radio {

struct SpectrumMeter::Impl {
    explicit Impl(size_t size)
        : bins(size),
          welch(spgramcf_create(static_cast<unsigned>(size), LIQUID_WINDOW_HANN, static_cast<unsigned>(size),
                                static_cast<unsigned>(size / 2))) {}
    ~Impl() { spgramcf_destroy(welch); }
    Impl(const Impl&) = delete;
    Impl& operator=(const Impl&) = delete;

    const size_t bins;
    const spgramcf welch;
    std::vector<Complex> own;  // liquid takes no constant
};

SpectrumMeter::SpectrumMeter(size_t bins) : impl_(std::make_unique<Impl>(bins)) {}
SpectrumMeter::~SpectrumMeter() = default;

void SpectrumMeter::add(std::span<const Complex> samples) {
    impl_->own.assign(samples.begin(), samples.end());
    spgramcf_write(impl_->welch, impl_->own.data(), static_cast<unsigned>(impl_->own.size()));
}

std::vector<double> SpectrumMeter::powers() const {
    std::vector<float> db(impl_->bins);
    spgramcf_get_psd(impl_->welch, db.data());
    std::vector<double> powers(impl_->bins);
    std::transform(db.begin(), db.end(), powers.begin(), [this](float value) {
        return phy::power_of_db(static_cast<double>(value)) / static_cast<double>(impl_->bins);
    });
    return powers;
}

std::vector<double> power_spectrum(std::span<const Complex> samples, size_t bins) {
    SpectrumMeter meter(bins);
    meter.add(samples);
    return meter.powers();
}

double noise_floor(std::span<const double> spectrum) {
    std::vector<double> sorted(spectrum.begin(), spectrum.end());
    const auto quarter = sorted.begin() + static_cast<std::ptrdiff_t>(sorted.size() / 4);
    std::nth_element(sorted.begin(), quarter, sorted.end());
    return std::accumulate(sorted.begin(), quarter, 0.0) / static_cast<double>(quarter - sorted.begin());
}

std::vector<OccupiedBand> occupied_bands(std::span<const double> spectrum, double sample_rate_hz, double threshold_db) {
    const double least = noise_floor(spectrum) * phy::power_of_db(threshold_db);
    const double step = sample_rate_hz / static_cast<double>(spectrum.size());
    std::vector<OccupiedBand> bands;
    size_t last = 0;
    for (size_t i = 0; i < spectrum.size(); ++i) {
        if (spectrum[i] < least) continue;
        const double edge = (static_cast<double>(i) - static_cast<double>(spectrum.size()) / 2 - 0.5) * step;
        if (bands.empty() || i > last + 2) bands.push_back({edge, edge, 0});
        bands.back().high_hz = edge + step;
        bands.back().power += spectrum[i];
        last = i;
    }
    return bands;
}

}  // namespace wimax::radio
