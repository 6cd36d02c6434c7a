// SPDX-License-Identifier: GPL-3.0-or-later
// The air interfaces that this PHY has: the only place that chooses one, by the MAC's request.
#pragma once

#include "phyd/transceiver.h"

namespace wimax::phyd {

/// Faults of a MAC's request that this PHY cannot satisfy, found before a radio is opened.
Faults config_faults(const PhydConfig& config, const sap::ConfigRequest& request);

/// As OpenTransceiver. Pre: config_faults() found nothing.
tl::expected<std::unique_ptr<Transceiver>, Fault> open_transceiver(const PhydConfig& config,
                                                                   const sap::ConfigRequest& request, Outbox& outbox);

}  // namespace wimax::phyd
