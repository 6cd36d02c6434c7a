// SPDX-License-Identifier: GPL-3.0-or-later
// Power by frequency after Welch, and which parts of it are occupied.
#pragma once

#include "tools/radio/known_burst.h"

#include <memory>
#include <span>

namespace wimax::radio {

/// Measures the power spectrum of a stream.
class SpectrumMeter {
public:
    explicit SpectrumMeter(size_t bins);
    ~SpectrumMeter();
    SpectrumMeter(const SpectrumMeter&) = delete;
    SpectrumMeter& operator=(const SpectrumMeter&) = delete;

    void add(std::span<const Complex> samples);
    /// Result as of power_spectrum().
    std::vector<double> powers() const;

private:
    struct Impl;
    std::unique_ptr<Impl> impl_;
};

/// Mean power a bin, the sum over all being that of the samples (full scale 1); bin 0 is the lowest frequency, bin
/// bins / 2 the centre.
std::vector<double> power_spectrum(std::span<const Complex> samples, size_t bins);

struct OccupiedBand {
    double low_hz = 0, high_hz = 0;  ///< from the centre
    double power = 0;                ///< full scale 1
};
/// Bands that exceed the noise floor by `threshold_db`. The floor is that of the quietest quarter of the bins; gaps of
/// less than two bins are ignored.
std::vector<OccupiedBand> occupied_bands(std::span<const double> spectrum, double sample_rate_hz, double threshold_db);
/// Density per bin of the floor, full scale 1.
double noise_floor(std::span<const double> spectrum);

}  // namespace wimax::radio
