// SPDX-License-Identifier: GPL-3.0-or-later
// White complex Gaussian noise as a function of (seed, absolute sample index): an integer hash of a counter gives two
// 32-bit words per sample for the polar form of the normal distribution. No sample is used twice, and the distribution
// is correct up to 6.6 standard deviations.
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
    void add(int64_t index, std::span<std::complex<float>> out) const { give<false>(index, out); }
    /// The same for samples that are zero, which may be undefined before.
    void set(int64_t index, std::span<std::complex<float>> out) const { give<true>(index, out); }

private:
    template <bool Alone> void give(int64_t index, std::span<std::complex<float>> out) const;

    uint64_t seed_;
    float scale_ = 0.0F;
};

inline constexpr int kNoiseBlock = 64;

/// One block of noise, variance 1 in the real and in the imaginary part; the same bits in every instruction set.
void noise_block(uint64_t key, float* re, float* im);

/// Noise variance of a sample for an Es/N0 per data carrier, where data symbols have mean sample power 1: all 256 bins
/// hold noise, the 200 used carriers all the signal.
double snr_noise_variance(double snr_db);

/// Variance of the noise of a receiver: -174 dBm/Hz over the sample rate plus the noise figure, where a mean sample
/// power of 1 (0 dBFS) stands for `reference_dbm`.
double thermal_noise_variance(double sample_rate_hz, double noise_figure_db, double reference_dbm);

}  // namespace wimax::channel
