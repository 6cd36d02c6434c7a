// SPDX-License-Identifier: GPL-3.0-or-later
// The PHY service access point between a MAC and a PHY in one thread: two queues in place of ZeroMQ. There is one MAC
// and one PHY for good, so nothing is displaced, stale or malformed. A request that was refused is repeated once a
// second, as over ZeroMQ.
#pragma once

#include "sap/port.h"

#include <memory>

namespace wimax::sap {

struct LocalPorts {
    std::unique_ptr<Port> mac, phy;
};

/// Both ends, for one thread. poll() does not wait.
LocalPorts make_local_ports();

}  // namespace wimax::sap
