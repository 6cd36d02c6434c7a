// SPDX-License-Identifier: GPL-3.0-or-later
// Preamble symbols of clause 8.3.3.6. Amplitudes are those of the standard: 3 dB above data symbols, mean sample
// power 2 under the normalisation of ofdm.h.
#pragma once

#include <gnuradio/wimax/phy/base/numerology.h>

#include <span>

namespace gr::wimax::phy {

/// Value of P_ALL, +-1+-j; 0 for offset 0 and outside -100..100.
WIMAX_API Complex p_all(int offset);

enum class PreambleSymbol : uint8_t {
    p_4x64,  ///< every fourth carrier: four equal parts of 64 samples
    p_even,  ///< P_2x128, even carriers: two equal parts of 128 samples
    p_odd,   ///< odd carriers, second antenna of STC only
};

/// Carriers in FFT bin order.
WIMAX_API std::span<const Complex, kFftSize> preamble_carriers(PreambleSymbol symbol);
/// Time body, 256 samples, without cyclic prefix.
WIMAX_API std::span<const Complex, kFftSize> preamble_body(PreambleSymbol symbol);

/// Amplitude on P_ALL of the preamble of a subchannelized uplink burst. Uncertain: the standard has another sequence,
/// P_SUB, which was not available; this replacement works only between stations of this project.
inline constexpr float kSubchannelPreambleAmplitude = 1.4142136F;

/// Preamble of an uplink burst on the given subchannel index: P_EVEN for the full band, else P_ALL on the allocated
/// data and pilot carriers.
WIMAX_API std::span<const Complex, kFftSize> subchannel_preamble_carriers(int subchannel_index);

}  // namespace gr::wimax::phy
