// SPDX-License-Identifier: GPL-3.0-or-later
// Named network namespaces as `ip netns` keeps them: a bind mount /run/netns/NAME.
#pragma once

#include "common/faults.h"

#include <string>

namespace wimax::macd {

/// Moves the calling thread into the namespace, creating it first if missing. True: it is ours to remove, because this
/// call made it or a predecessor of this program did. The thread is best ended soon after.
tl::expected<bool, Fault> enter_netns(const std::string& name);

/// Removes the namespace unless some process is still in it; false if so.
bool remove_netns(const std::string& name);

/// Why the system does not do `what`, and for missing rights which and how to get them.
tl::unexpected<Fault> refused(const std::string& what, int error);

}  // namespace wimax::macd
