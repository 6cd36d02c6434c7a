/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * Keys of the MAC library's structures. Key and member have the same name, so that the library's own validation can be
 * reported at the right line.
 */
#pragma once

#include <common/config.h>
#include <mac/config.h>

namespace wimax::macd {

void declare_base_station(config::Schema& schema, mac::BaseStationConfig& bs);
void declare_subscriber(config::Schema& schema, mac::SubscriberConfig& ss);
/// Keys of one provisioned station below `prefix` ("" in a list).
void declare_station(config::Schema& schema, const std::string& prefix, mac::StationConfig& station);

}  // namespace wimax::macd
