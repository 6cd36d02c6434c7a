// SPDX-License-Identifier: GPL-3.0-or-later
// What a station offers at network entry: SBC-REQ and REG-REQ (6.3.9).
#pragma once

#include "mac/air/subscriber_air.h"
#include "mac/ss/managed_entry.h"
#include "mac/ss/ranging.h"

namespace wimax::mac {

SbcReq capabilities_request(const SubscriberConfig& config, const Ranging& ranging, const SubscriberAir& air,
                            const PrivacyAgent& privacy);
RegReq registration_request(const SubscriberConfig& config, const ManagedEntry& managed);

}  // namespace wimax::mac
