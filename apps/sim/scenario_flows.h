/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * Service flows of a scenario's stations: one for each entry of its traffic, with rules for the entry's packets, and
 * best effort for the other direction.
 */
#pragma once

#include "sim/scenario.h"

namespace wimax::sim {

/// By this name the MAC's status knows the service flow of an entry, counted from 0.
std::string flow_name(size_t entry);
/// Entry whose service flow this one uses, its own mostly.
size_t flow_owner(const Scenario& scenario, size_t entry);
/// The service flow of an entry that owns one. What the service needs and the entry does not say follows from its
/// packets: the rate of UGS and ertPS, the reserved rate of rtPS.
mac::ServiceFlowConfig service_flow(const Scenario& scenario, size_t entry);

/// Everything that is wrong with the entries, by the keys of the scenario. True: nothing.
bool check_traffic(const Scenario& scenario, config::LocatedFaults& faults);
/// Fills in bs.stations. Pre: check_traffic() found nothing.
void provision(Scenario& scenario);

}  // namespace wimax::sim
