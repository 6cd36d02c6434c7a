// SPDX-License-Identifier: GPL-3.0-or-later
// The keys of a radio's front (channel/radio_front_fields.h) in a configuration.
#pragma once

#include "channel/radio_front.h"
#include "common/config.h"

namespace wimax::vrf {

/// Adds all keys below `prefix` ("rx." or ""), and their rules. Without `lo_offset`, the keys of the oscillator's
/// offset are omitted.
void declare_front(config::Schema& schema, const std::string& prefix, channel::FrontConfig& front,
                   bool lo_offset = true);

}  // namespace wimax::vrf
