// SPDX-License-Identifier: GPL-3.0-or-later
// A frame of a base station as text, burst by burst: place and receiver of each burst, and the uplink allocations.
#pragma once

#include "sap/messages.h"

#include <nlohmann/json_fwd.hpp>

namespace wimax::macd {

/// {"frame", "bursts": [{"direction", "kind", "slot", "symbols", "cids", ...}, ...]}: slots from the frame's start;
/// kind maps (burst #1), data, ranging or contention; of the downlink the CIDs are those of its PDUs, each once. Then
/// the fields of the burst's format (rate_id, iuc and so on).
nlohmann::json frame_report(const sap::TxFrame& sent, const sap::RxExpect& expected);

}  // namespace wimax::macd
