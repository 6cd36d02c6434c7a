// SPDX-License-Identifier: GPL-3.0-or-later
// Cores of a device, by the names of their blocks, and the gate that all transmitted samples pass.
#pragma once

#include "radio/rate_plan.h"

#include <gnuradio/wimax/radio_frontend.h>

#include <uhd/usrp/multi_usrp.hpp>

#include <string>

namespace gr::wimax {

/// Finds a core of a virtual radio, or an RFNoC block whose controller provides it. Null: the device has none of that
/// name. Throws std::exception if the core cannot be used.
RadioCorePtr find_core(uhd::usrp::multi_usrp& usrp, const RatePlan& plan, const std::string& block);

/// Limits of the gate, from the configuration's limits and amplifier.
GateSettings gate_settings(const RadioConfig& config, const RatePlan& plan);

/// The gate, configured and, if transmission is enabled, open. Null: the device has none. Throws like
/// RadioFrontend::open().
std::shared_ptr<TransmitGate> open_gate(uhd::usrp::multi_usrp& usrp, const RadioConfig& config, const RatePlan& plan);

/// Names of the device's blocks.
std::string describe_cores(uhd::usrp::multi_usrp& usrp);

}  // namespace gr::wimax
