// SPDX-License-Identifier: GPL-3.0-or-later
// Limits of a transmitter (clause 8.3.10), and optional shaping that helps a real one to keep them: smooth
// symbol edges for the spectral mask, lower peaks for the power amplifier. The default is the plain signal of
// clause 8.3.
#pragma once

#include <gnuradio/wimax/phy/base/numerology.h>

#include <optional>

namespace gr::wimax::phy {

/// Relative constellation error, 8.3.10.1.2: RMS over carriers, symbols and frames, dB, by rate_id.
inline constexpr std::array<double, kRates> kConstellationErrorLimitDb{-13.0, -16.0, -18.5, -21.5, -25.0, -29.0, -31.0};

/// Spectral flatness, 8.3.10.1.1: energy of carriers up to `last_offset` on both sides relative to the mean of the
/// inner ones, dB.
struct FlatnessLimit {
    int last_offset;
    double low_db, high_db;
};
inline constexpr std::array<FlatnessLimit, 2> kFlatnessLimits{{{50, -2, 2}, {kEdgeCarrier, -4, 2}}};
/// Difference of neighbouring carriers' energies, dB, and energy on the unused carrier 0 relative to the total, dB.
inline constexpr double kNeighbourLimitDb = 0.1;
inline constexpr double kCarrierZeroLimitDb = -15;

/// Transmit spectral mask: density relative to that of the used carriers, linear between points. Uncertain: the
/// standard has it for licence-exempt channels of 20 and 10 MHz, where it scales with the bandwidth. We scale it to
/// other channels in the same way. Licensed bands: local regulation.
struct MaskPoint {
    double bandwidths;  ///< offset from the centre over the channel bandwidth
    double level_db;
};
inline constexpr std::array<MaskPoint, 4> kTransmitMask{{{0.475, 0}, {0.545, -25}, {0.975, -32}, {1.475, -50}}};

struct TransmitShape {
    /// Samples by which symbol edges overlap with raised-cosine slopes, from the start of the cyclic prefix.
    /// A burst begins and ends with such slopes, the last one after its last symbol. 0: none; more than half a
    /// prefix counts as half. The longest echo is shorter by this number.
    int window_samples = 0;
    /// Target of crest-factor reduction: peak power of data symbols over the mean of a full symbol, dB. Peaks stay if
    /// they would cost more constellation error than kReducedErrorMarginDb allows. Absent: none.
    std::optional<double> target_papr_db;
};
inline constexpr int kMaxWindowSamples = 32;  ///< half of the longest prefix
inline constexpr double kMinTargetPaprDb = 4, kMaxTargetPaprDb = 13;
/// Least distance in dB of a burst's constellation error from its limit after crest-factor reduction.
inline constexpr double kReducedErrorMarginDb = 3;

}  // namespace gr::wimax::phy
