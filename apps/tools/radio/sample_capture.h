// SPDX-License-Identifier: GPL-3.0-or-later
// `wimax radio capture`: the samples around an event, as a SigMF recording that `wimax iq decode` reads.
#pragma once

#include "tools/radio/bench_radio.h"

#include <nlohmann/json.hpp>

#include <functional>

namespace wimax::radio {

enum class Trigger : uint8_t {
    hand,      ///< as soon as there is enough before
    power,     ///< a block of 64 samples with this mean power
    clip,      ///< a sample at full scale
    overflow,  ///< samples were lost
};

struct CaptureOptions {
    std::string file;  ///< name of a SigMF pair
    Trigger trigger = Trigger::hand;
    double threshold_dbfs = -20, before_s = 0.05, after_s = 0.05, timeout_s = 60;
};

/// What was written: trigger, its sample within the recording, length. A timeout is a fault, and nothing is written.
tl::expected<nlohmann::ordered_json, Fault> capture_samples(
    BenchRadio& radio, const CaptureOptions& options, const std::function<bool(double, const std::string&)>& go_on);
std::string capture_table(const nlohmann::ordered_json& result);
const char* to_string(Trigger trigger);

}  // namespace wimax::radio
