// SPDX-License-Identifier: GPL-3.0-or-later
// A word of an AXI-Stream with its sidebands. Models process words, not cycles: any pattern of stalls of the RTL gives
// the same words.
#pragma once

#include <complex>
#include <cstdint>

namespace wimax::fpga {

struct AxisWord {
    uint32_t data = 0;  ///< a sample: I in the upper half, Q in the lower, Q1.15 each
    uint64_t time = 0;  ///< sample count of this word, if has_time
    bool has_time = false;
    bool last = false;  ///< end of a packet
    bool end_of_burst = false;

    bool operator==(const AxisWord&) const = default;
};

using FixedSample = std::complex<int16_t>;

inline uint32_t pack(FixedSample s) {
    return static_cast<uint32_t>(static_cast<uint16_t>(s.real())) << 16 | static_cast<uint16_t>(s.imag());
}

inline FixedSample unpack(uint32_t word) { return {static_cast<int16_t>(word >> 16), static_cast<int16_t>(word)}; }

/// Nearest sample, saturated; the host's 1 is full scale.
FixedSample fixed_sample(std::complex<float> s);
inline std::complex<float> float_sample(FixedSample s) {
    return {static_cast<float>(s.real()) / 32768, static_cast<float>(s.imag()) / 32768};
}

}  // namespace wimax::fpga
