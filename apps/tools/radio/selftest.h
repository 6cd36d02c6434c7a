// SPDX-License-Identifier: GPL-3.0-or-later
// `wimax radio selftest`: does this host keep up with this radio? A minute of receiving, and of answering every 5 ms,
// as a station would.
#pragma once

#include "tools/radio/bench_radio.h"

#include <nlohmann/json.hpp>

#include <functional>

namespace wimax::radio {

struct SelftestOptions {
    double seconds = 60;
    double lead_ms = 2;        ///< of an answer ahead of the last sample received
    double level_dbfs = -200;  ///< of the bursts: -200 is silence
};

/// `go_on` as for Loopback. The verdict is in key "passed", its reasons in "faults".
tl::expected<nlohmann::ordered_json, Fault> selftest(BenchRadio& radio, const SelftestOptions& options,
                                                     const std::function<bool(double, const std::string&)>& go_on);
std::string selftest_table(const nlohmann::ordered_json& result);

}  // namespace wimax::radio
