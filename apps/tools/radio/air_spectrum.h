// SPDX-License-Identifier: GPL-3.0-or-later
// `wimax radio spectrum`: what is on the air about a frequency; nothing is sent.
#pragma once

#include "tools/radio/bench_radio.h"

#include <nlohmann/json.hpp>

#include <functional>

namespace wimax::radio {

struct SpectrumOptions {
    double seconds = 1;
    int bins = 512;
    double threshold_db = 6;  ///< above the noise floor: occupied
};

/// Level, floor, occupied bands, power by frequency; levels in dBm are as right as the radio's calibration. `go_on` as
/// for Loopback.
tl::expected<nlohmann::ordered_json, Fault> air_spectrum(BenchRadio& radio, const SpectrumOptions& options,
                                                         const std::function<bool(double, const std::string&)>& go_on);
std::string spectrum_table(const nlohmann::ordered_json& result);

}  // namespace wimax::radio
