// SPDX-License-Identifier: GPL-3.0-or-later
// Measured full scale of a radio's converters, in dBm at its antenna port.
#pragma once

#include <gnuradio/wimax/api.h>

#include <optional>
#include <span>
#include <string>
#include <vector>

namespace gr::wimax {

struct CalibrationPoint {
    std::string serial;  ///< of the radio; "": any radio
    bool transmit = false;
    std::string antenna;  ///< port; "": any
    double frequency_hz = 0, gain_db = 0;
    double full_scale_dbm = 0;  ///< level in dBm at the port for 0 dBFS, transmitted or received
};

/// Point to look up.
struct CalibrationPlace {
    std::string serial;
    bool transmit = false;
    std::string antenna;
    double frequency_hz = 0, gain_db = 0;
};

/// Full scale at `at`, interpolated linearly over gain and then over frequency. Beyond the outermost gain it changes by
/// 1 dB per dB of gain, up when transmitting and down when receiving. Beyond the outermost frequency it is constant.
/// Nothing: there is no point for this radio, direction and port.
WIMAX_API std::optional<double> full_scale_dbm(std::span<const CalibrationPoint> points, const CalibrationPlace& at);

}  // namespace gr::wimax
