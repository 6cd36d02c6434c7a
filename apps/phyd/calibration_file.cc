// SPDX-License-Identifier: GPL-3.0-or-later
#include "phyd/calibration_file.h"

#include "common/config.h"
#include "common/safe_files.h"

namespace wimax::phyd {

using gr::wimax::CalibrationPoint;

tl::expected<std::vector<CalibrationPoint>, Faults> parse_calibration(const std::string& yaml,
                                                                      const std::string& file) {
    std::vector<CalibrationPoint> points;
    config::Schema schema("calibration");
    schema.list(
        "points", points,
        [](config::Schema& item, CalibrationPoint& p) {
            item.text("serial", p.serial, "of the radio");
            item.choice("direction", p.transmit, {{"tx", true}, {"rx", false}}, "of the signal").required();
            item.text("antenna", p.antenna, "port");
            item.number("frequency_hz", p.frequency_hz, {0, 1e11}, "Hz", "carrier").required();
            item.number("gain_db", p.gain_db, {-200, 200}, "dB", "of the device").required();
            item.number("full_scale_dbm", p.full_scale_dbm, {-200, 100}, "dBm", "at the antenna port").required();
        },
        "what was measured");
    // A schema reads maps: the list gets a key, in an extra line before the file's first.
    const auto faults = schema.load("points:\n" + yaml, file);
    if (faults.empty()) return points;
    Faults told;
    told.add_all(faults, [](Fault fault) {
        if (fault.line > 0) --fault.line;
        return fault;
    });
    return tl::unexpected(told);
}

tl::expected<std::vector<CalibrationPoint>, Faults> read_calibration(const std::string& file) {
    const auto yaml = read_regular(file, kMostConfigurationBytes);
    if (!yaml) return tl::unexpected(Faults({"", file, "a readable YAML list; this one: " + yaml.error().allowed}));
    return parse_calibration(*yaml, file);
}

}  // namespace wimax::phyd
