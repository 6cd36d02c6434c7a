// SPDX-License-Identifier: GPL-3.0-or-later
// docs/curves/awgn-downlink.json and awgn-uplink.json as texts; CMake puts them into measured_curves.cc.
#pragma once

#include <string_view>

namespace wimax::sim {

extern const std::string_view kMeasuredDownlink, kMeasuredUplink;

}  // namespace wimax::sim
