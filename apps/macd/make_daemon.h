// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "macd/mac_daemon.h"

#include <memory>

namespace wimax::macd {

/// The station of a configuration with its TUN interface, capture, key log and journal. `config` and `parts` outlive
/// it. A station that plays a recording back has no TUN interface.
tl::expected<std::unique_ptr<Daemon>, DaemonFault> make_daemon(const MacdConfig& config,
                                                               std::unique_ptr<sap::Port> port, DaemonParts& parts);

}  // namespace wimax::macd
