// SPDX-License-Identifier: GPL-3.0-or-later
// radio.calibration_file: a YAML list of
//
//     - {serial: 30AD, direction: tx, antenna: TX/RX, frequency_hz: 3.5e9, gain_db: 60, full_scale_dbm: 7.5}
//
// as `wimax radio calibrate` writes it. Without serial or antenna a point holds for all.
#pragma once

#include <gnuradio/wimax/calibration.h>
#include "common/faults.h"

#include <string>
#include <vector>

namespace wimax::phyd {

/// Reports all faults with file, line and key.
tl::expected<std::vector<gr::wimax::CalibrationPoint>, Faults> read_calibration(const std::string& file);
/// The same of a text.
tl::expected<std::vector<gr::wimax::CalibrationPoint>, Faults> parse_calibration(const std::string& yaml,
                                                                                 const std::string& file);

}  // namespace wimax::phyd
