// SPDX-License-Identifier: GPL-3.0-or-later
// `wimax radio calibrate`: what full scale of a radio's converters is in dBm at its port, by a power meter or
// generator, or by a peer that was calibrated before, and the file that keeps it (key radio.calibration_file of the
// PHY).
#pragma once

#include "tools/radio/bench_radio.h"

#include <gnuradio/wimax/calibration.h>
#include <nlohmann/json.hpp>

#include <functional>
#include <optional>

namespace wimax::radio {

struct CalibrateOptions {
    bool transmit = true;  ///< which end of the device under test
    std::string file;
    double seconds = 10;                   ///< of sending to a meter, or of listening to a generator
    std::optional<double> measured_dbm;    ///< what the meter showed, or the generator gives
    std::optional<double> attenuation_db;  ///< to the peer
};
using GoOn = std::function<bool(double, const std::string&)>;

/// All points of the file; none where there is no file.
tl::expected<std::vector<gr::wimax::CalibrationPoint>, Fault> known_points(const std::string& file);
/// The point replaces one of the same place; others stay.
Outcome keep_point(const std::string& file, const gr::wimax::CalibrationPoint& point);

/// Sends to a meter without a pause, 0 dBFS of a data symbol. Result: what to type next.
tl::expected<nlohmann::ordered_json, Fault> send_to_meter(BenchRadio& radio, const CalibrateOptions& options,
                                                          const GoOn& go_on);
/// The device's port as it is plugged, with what was measured there.
tl::expected<gr::wimax::CalibrationPoint, Fault> by_meter(BenchRadio& radio, const CalibrateOptions& options);
tl::expected<gr::wimax::CalibrationPoint, Fault> by_generator(BenchRadio& radio, const CalibrateOptions& options,
                                                              const GoOn& go_on);
/// `peer` was opened with the file's points.
tl::expected<gr::wimax::CalibrationPoint, Fault> by_peer(BenchRadio& radio, BenchRadio& peer,
                                                         const CalibrateOptions& options);

nlohmann::ordered_json point_json(const gr::wimax::CalibrationPoint& point);

}  // namespace wimax::radio
