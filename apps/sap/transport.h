// SPDX-License-Identifier: GPL-3.0-or-later
// The PHY service access point over ZeroMQ. The PHY binds and serves one MAC at a time; the MAC connects. Either may
// start, end and restart in any order.
//
// PHY side. poll() hands out the ConfigRequest of a new MAC, and the program answers with ConfigConfirm. One without
// faults makes that MAC the peer and displaces the former, whose messages are stale from then on. The port answers
// repeated requests of the peer. Without a peer, send() returns false and costs nothing. A ConfigConfirm without a
// request restarts the peer's session: another radio, another time base.
//
// MAC side. send(ConfigRequest) starts the session: poll() repeats the request after every 200 ms of silence until a
// message is received. poll() hands out a ConfigConfirm that is the first, has faults, restarts the session, or is of
// another PHY session: the PHY was restarted and has already confirmed the same request.
#pragma once

#include "common/exit_status.h"
#include "sap/port.h"

#include <memory>
#include <string>

namespace wimax::sap {

/// Endpoints as ZeroMQ writes them: "ipc:///run/wimax/bs", "tcp://127.0.0.1:5600". The error names endpoint and reason.
tl::expected<std::unique_ptr<Port>, DaemonFault> open_phy_port(const std::string& endpoint);
tl::expected<std::unique_ptr<Port>, DaemonFault> open_mac_port(const std::string& endpoint);

}  // namespace wimax::sap
