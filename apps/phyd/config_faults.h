/* SPDX-License-Identifier: GPL-3.0-or-later */
#pragma once

#include "phyd/phyd_config.h"
#include "sap/messages.h"

#include "common/faults.h"

namespace wimax::phyd {

/// What a MAC asks for and this PHY cannot have, before a radio is opened.
Faults config_faults(const PhydConfig& config, const sap::ConfigRequest& request);

}  // namespace wimax::phyd
