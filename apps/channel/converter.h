// SPDX-License-Identifier: GPL-3.0-or-later
// Limits of amplitudes: the converter between samples and voltage, and the amplifier. Samples have the scale of 0 dBFS
// = mean sample power 1.
#pragma once

#include <complex>
#include <cstdint>
#include <span>
#include <vector>

namespace wimax::channel {

inline constexpr int kMinConverterBits = 2, kMaxConverterBits = 20;

/// Rounds I and Q separately to 2^bits steps from -full scale to a step below +full scale.
class Converter {
public:
    /// `full_scale_db`: amplitude of I or Q at full scale, over amplitude 1 (0: a tone of mean power 1 just fits).
    /// `bits` 2 to 20.
    Converter(int bits, double full_scale_db);

    /// Returns the number of samples beyond full scale in I or Q.
    uint64_t convert(std::span<std::complex<float>> samples) const;

private:
    float full_scale_, steps_, highest_, step_;
};

/// Amplitudes by the model of Rapp, phases untouched: |y| = |x| / (1 + (|x| / A)^(2p))^(1/(2p)). At |x| = A the gain is
/// down by 3.01 / p dB; 1 dB of compression is at (10^(p/10) - 1)^(1/(2p)) A.
class Amplifier {
public:
    /// `saturation_db`: 20 log10 of A. `smoothness` p, 0.5 to 20; the higher, the harder the limit.
    Amplifier(double saturation_db, double smoothness);

    void set_saturation_db(double saturation_db);
    void amplify(std::span<std::complex<float>> samples) const;

private:
    float per_power_;           ///< 1 / A^2
    std::vector<float> gains_;  ///< over u / (1 + u), u = |x|^2 / A^2; none: smoothness 2
};

}  // namespace wimax::channel
