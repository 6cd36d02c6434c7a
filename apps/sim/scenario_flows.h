// SPDX-License-Identifier: GPL-3.0-or-later
// Service flows of a scenario's stations: one for each entry of its traffic, with rules for the entry's packets, and
// best effort for the other direction.
#pragma once

#include "sim/scenario.h"

#include <span>
#include <string_view>

namespace wimax::sim {

/// Name of an entry's service flow in the MAC's status, counted from 0.
std::string flow_name(size_t entry);
/// The inverse, with entries counted from 1; 0: the name is that of no entry.
size_t entry_of(std::string_view flow_name);
/// Entry whose service flow this one uses, usually itself.
size_t flow_owner(const Scenario& scenario, size_t entry);
/// The service flow of an entry that owns one. Values that the entry does not give follow from its packets: the rate of
/// UGS and ertPS, the reserved rate of rtPS.
mac::ServiceFlowConfig service_flow(const Scenario& scenario, size_t entry);

/// Reports all faults of the entries, by the keys of the scenario. True: none.
bool check_traffic(const Scenario& scenario, config::LocatedFaults& faults);
/// Marks the entries (from 0) as removed, and fills in bs.stations again. Faults: other entries need their service
/// flows.
Faults remove_entries(Scenario& scenario, std::span<const size_t> entries);
/// Fills in bs.stations. Pre: check_traffic() found nothing.
void provision(Scenario& scenario);

}  // namespace wimax::sim
