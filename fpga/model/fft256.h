// SPDX-License-Identifier: GPL-3.0-or-later
// The arithmetic that `ofdm_frontend` and `ofdm_backend` share, bit by bit: rotation, 256-point FFT, rounding. Every
// rounding is to the nearest integer, halves to the even one, so that none adds a constant to the signal.
#pragma once

#include "fpga/model/rom.h"

#include <array>
#include <cstdint>

namespace wimax::fpga {

struct FixedComplex {
    int32_t re = 0, im = 0;
    bool operator==(const FixedComplex&) const = default;
};
using FixedBlock = std::array<FixedComplex, 256>;

/// value / 2^bits.
constexpr int64_t rounded_shift(int64_t value, int bits) {
    if (bits == 0) return value;
    const int64_t half = (int64_t{1} << (bits - 1)) - 1;
    return (value + half + (value >> bits & 1)) >> bits;
}

/// Not normalised: X[k] = sum of x[n] exp(-j 2 pi n k / 256), both in natural order. |x| up to 2^17.5 (19 bits) gives
/// 27 bits; three roundings, each at the weight of x's last bit.
void fixed_fft256(FixedBlock& block);
/// The same with exp(+j ...): real and imaginary part exchanged before and after.
void fixed_inverse_fft256(FixedBlock& block);

/// sample * exp(-j 2 pi phase / 2^32) * 4: the phase rounded to 2^-12 turns, two bits below the sample's last one.
FixedComplex fixed_turn(FixedComplex sample, uint32_t phase);

/// Tables of the above: fft_twiddle_256, fft_twiddle_64, fft_twiddle_16, nco_quarter.
std::vector<Rom> ofdm_roms();

}  // namespace wimax::fpga
