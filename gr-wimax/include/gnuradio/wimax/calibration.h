/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * What full scale of a radio's converters is at its antenna port, where somebody has measured it.
 */
#pragma once

#include <gnuradio/wimax/api.h>

#include <optional>
#include <span>
#include <string>
#include <vector>

namespace gr::wimax {

struct CalibrationPoint {
    std::string serial;  ///< of the radio; "": of any
    bool transmit = false;
    std::string antenna;  ///< port; "": any
    double frequency_hz = 0, gain_db = 0;
    double full_scale_dbm = 0;  ///< sent for 0 dBFS, or received for it
};

/// Which point is wanted.
struct CalibrationPlace {
    std::string serial;
    bool transmit = false;
    std::string antenna;
    double frequency_hz = 0, gain_db = 0;
};

/// Between two points of a frequency by their gains, between two frequencies in proportion. Beyond the outermost gain
/// full scale goes on by 1 dB for each dB of gain, up when sending and down when receiving; beyond the outermost
/// frequency it stands. Nothing: there is no point of this radio, direction and port.
WIMAX_API std::optional<double> full_scale_dbm(std::span<const CalibrationPoint> points, const CalibrationPlace& at);

}  // namespace gr::wimax
