/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * Small pieces that both stations' status and events share.
 */
#pragma once

#include "mac/flow/transmitter.h"
#include "mac/station_config.h"

#include <nlohmann/json.hpp>

namespace wimax::mac {

const char* to_string(SchedulingType type);
std::string to_text(const MacAddress& mac);  ///< 02:00:00:00:00:01
void add_transmitter(nlohmann::json& out, const FlowTransmitter& transmitter);

}  // namespace wimax::mac
