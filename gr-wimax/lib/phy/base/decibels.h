// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <algorithm>
#include <cmath>

namespace gr::wimax::phy {

/// Result for power 0: -200 dB.
inline constexpr double kNoPower = 1e-20;

/// dB of a ratio of powers; -200 for 0.
inline double decibels(double power) { return 10 * std::log10(std::max(power, kNoPower)); }
/// Ratio of powers.
inline double power_of_db(double db) { return std::pow(10.0, db / 10); }
/// Ratio of amplitudes.
inline double amplitude_of_db(double db) { return std::pow(10.0, db / 20); }

}  // namespace gr::wimax::phy
