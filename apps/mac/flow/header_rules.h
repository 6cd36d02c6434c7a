// SPDX-License-Identifier: GPL-3.0-or-later
// Header suppression rules while a service flow changes.
#pragma once

#include "mac/flow/agreed_flow.h"

namespace wimax::mac {

/// Rules that the sending end may use: until a change is settled, the other end may not have the new rules.
template <class Flow> const std::vector<HeaderRule>& header_rules_to_send(const Flow& flow) {
    return flow.before ? flow.before->config.phs : flow.config.phs;
}

}  // namespace wimax::mac
