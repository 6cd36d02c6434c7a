// SPDX-License-Identifier: GPL-3.0-or-later
// Asks the admission policy about stations and service flows.
#pragma once

#include "mac/bs/reservations.h"
#include "mac/policy/admission_policy.h"

namespace wimax::mac {

class AdmissionControl {
public:
    /// All outlive the object.
    struct Dependencies {
        const StationTable& stations;
        Reservations& reservations;
        LoadedPolicies& policies;
    };
    AdmissionControl(const BaseStationConfig& config, const Dependencies& dependencies);

    /// A station that is not served wants to enter. Fault: why it may not.
    Outcome station(const MacAddress& mac, float cinr_db);
    /// Fault: why the flow is not admitted. `instead`: the flow that would change; null: it would be a new one.
    Outcome flow(const Subscriber& station, const ServiceFlowConfig& wanted, const FlowContext* instead);

private:
    AdmissionRequest request(AdmissionRequest::Kind kind, const MacAddress& mac, float cinr_db) const;
    Outcome ask(const AdmissionRequest& request);

    const BaseStationConfig& config_;
    const StationTable& stations_;
    Reservations& reservations_;
    const std::unique_ptr<AdmissionPolicy> policy_;
};

}  // namespace wimax::mac
