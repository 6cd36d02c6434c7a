/* SPDX-License-Identifier: GPL-3.0-or-later */
#pragma once

#include <algorithm>
#include <cmath>

namespace gr::wimax::phy {

/// What counts as no power: -200 dB.
inline constexpr double kNoPower = 1e-20;

/// Of a ratio of powers; of nothing -200.
inline double decibels(double power) { return 10 * std::log10(std::max(power, kNoPower)); }
/// The ratio of powers.
inline double power_of_db(double db) { return std::pow(10.0, db / 10); }
/// The ratio of amplitudes.
inline double amplitude_of_db(double db) { return std::pow(10.0, db / 20); }

}  // namespace gr::wimax::phy
