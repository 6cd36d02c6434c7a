// SPDX-License-Identifier: GPL-3.0-or-later
// One fading tap: a constant part of power K/(K+1) and a complex Gaussian part of power 1/(K+1) with the tap's Doppler
// spectrum. The latter is a sum of sinusoids whose frequencies are drawn from that spectrum. Random access in time.
#pragma once

#include "channel/channel_profile.h"

#include <complex>
#include <cstdint>
#include <vector>

namespace wimax::channel {

/// Well-mixed 64-bit hash (a bijection of the counter): the source of every random draw of this library.
uint64_t mix64(uint64_t value);

class FadingTap {
public:
    FadingTap(const Tap& tap, double sample_rate_hz, uint64_t seed);

    /// Complex amplitude at an absolute sample index; mean power over time and seeds is tap.power.
    std::complex<double> gain(int64_t sample_index) const;

private:
    struct Sinusoid {
        uint64_t phase, step;  ///< turns in 2^-64: exact for any index
    };
    std::complex<double> constant_;
    double sinusoid_amplitude_ = 0.0;
    std::vector<Sinusoid> sinusoids_;
};

}  // namespace wimax::channel
