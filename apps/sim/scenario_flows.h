// SPDX-License-Identifier: GPL-3.0-or-later
// Service flows of a scenario's stations: one for each entry of its traffic, with rules for the entry's packets, and
// best effort for the other direction.
#pragma once

#include "sim/scenario.h"

namespace wimax::sim {

/// Name of an entry's service flow in the MAC's status, counted from 0.
std::string flow_name(size_t entry);
/// Entry whose service flow this one uses, usually itself.
size_t flow_owner(const Scenario& scenario, size_t entry);
/// The service flow of an entry that owns one. Values that the entry does not give follow from its packets: the rate of
/// UGS and ertPS, the reserved rate of rtPS.
mac::ServiceFlowConfig service_flow(const Scenario& scenario, size_t entry);

/// Reports all faults of the entries, by the keys of the scenario. True: none.
bool check_traffic(const Scenario& scenario, config::LocatedFaults& faults);
/// Fills in bs.stations. Pre: check_traffic() found nothing.
void provision(Scenario& scenario);

}  // namespace wimax::sim
