// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "common/control.h"
#include "phyd/service.h"

namespace wimax::phyd {

/// Serves status, signal, gains and captures of `service`, which outlives the server, on the control socket.
void serve_service(ControlServer& control, Service& service);

}  // namespace wimax::phyd
