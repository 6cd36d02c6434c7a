// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "phyd/phyd_config.h"
#include "sap/messages.h"

#include "common/faults.h"

namespace wimax::phyd {

/// Faults of a MAC's request that this PHY cannot satisfy, found before a radio is opened.
Faults config_faults(const PhydConfig& config, const sap::ConfigRequest& request);

}  // namespace wimax::phyd
