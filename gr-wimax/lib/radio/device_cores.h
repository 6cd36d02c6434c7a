/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * Cores of a device, by the names of their blocks, and the gate among them, through which all that is sent goes.
 */
#pragma once

#include "radio/rate_plan.h"

#include <gnuradio/wimax/radio_frontend.h>

#include <uhd/usrp/multi_usrp.hpp>

#include <string>

namespace gr::wimax {

/// Of a virtual radio, or an RFNoC block whose controller gives it. Null: the device has none of that name. Throws
/// std::exception where it has one that cannot be used.
RadioCorePtr find_core(uhd::usrp::multi_usrp& usrp, const RatePlan& plan, const std::string& block);

/// By the configuration's limits and amplifier.
GateSettings gate_settings(const RadioConfig& config, const RatePlan& plan);

/// Set up and, where anything may be sent, open. Null: the device has none. Throws as RadioFrontend::open() does.
std::shared_ptr<TransmitGate> open_gate(uhd::usrp::multi_usrp& usrp, const RadioConfig& config, const RatePlan& plan);

/// Names of the blocks that the device has.
std::string describe_cores(uhd::usrp::multi_usrp& usrp);

}  // namespace gr::wimax
