/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * The PHY service access point over ZeroMQ. The PHY binds and serves one MAC at a time; the MAC connects. Either may
 * come, go and come back in any order.
 *
 * PHY side. poll() hands out the ConfigRequest of a new MAC; the program answers with ConfigConfirm, and one without
 * faults makes that MAC the peer and displaces the former, whose messages are stale from then on. Repeated requests of
 * the peer are answered by the port itself. Without a peer, send() returns false and costs nothing. A ConfigConfirm
 * that nobody has asked for tells the peer that its session begins anew: another radio, another time.
 *
 * MAC side. send(ConfigRequest) starts the session: the request is repeated by poll() after every 200 ms of silence
 * until something is heard. poll() hands out a ConfigConfirm when it is the first, brings faults, begins the session
 * anew, or comes from another PHY session than before: the PHY was restarted, and its answer to the same request is
 * already there.
 */
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
