/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * White complex Gaussian noise as a function of (seed, absolute sample index). Each block of samples is the sum of two
 * stretches, at hashed places and turned by hashed quarter turns, of one fixed table of Gaussian numbers.
 */
#pragma once

#include <complex>
#include <cstdint>
#include <span>

namespace wimax::channel {

class NoiseSource {
public:
    /// `variance`: mean power of a complex sample, linear. Give each receiver its own seed.
    NoiseSource(uint64_t seed, double variance);

    void set_variance(double variance);
    /// Adds the noise of samples [index, index + out.size()).
    void add(int64_t index, std::span<std::complex<float>> out) const;

private:
    uint64_t seed_;
    float scale_ = 0.0F;
};

/// Variance of the noise of a receiver: -174 dBm/Hz over the sample rate plus the noise figure, where a mean sample
/// power of 1 (0 dBFS) stands for `reference_dbm`.
double thermal_noise_variance(double sample_rate_hz, double noise_figure_db, double reference_dbm);

}  // namespace wimax::channel
