// SPDX-License-Identifier: GPL-3.0-or-later
// Admission of stations and service flows as an interface. Limits of the MAC (number of stations, CIDs, provisioning)
// are checked before a policy is asked, and apply whatever it decides.
#pragma once

#include "mac/policy/loaded_policies.h"
#include "mac/station_config.h"

#include <memory>
#include <string>

namespace wimax::mac {

struct AdmissionRequest {
    enum class Kind : uint8_t { station, new_flow, changed_flow };

    Kind kind = Kind::station;
    MacAddress station{};
    uint16_t basic_cid = 0;  ///< 0: none yet
    bool known = false;      ///< the configuration lists the station
    uint32_t stations = 0, most_stations = 0;
    float cinr_db = 0;  ///< measured in the last burst
    Outcome builtin{};  ///< decision of the built-in policy; the fault has the reason of a refusal
    // Of a flow:
    const ServiceFlowConfig* flow = nullptr;
    ProfileId rate{};                      ///< that the station has in this direction
    double weight = 1;                     ///< of the station
    double cost_units = 0;                 ///< that the flow or its change adds to `reserved_units`
    double reserved_units = 0, units = 0;  ///< reserved at present, and that can be reserved; per frame
};

struct AdmissionVerdict {
    PolicyOutcome outcome;
    Outcome admitted{};  ///< fault: the reason of a refusal. Valid if the outcome is `done`
};

class AdmissionPolicy {
public:
    virtual ~AdmissionPolicy() = default;
    virtual AdmissionVerdict admit(const AdmissionRequest& request) = 0;
    /// Of the last outcome that was not `done`.
    virtual std::string reason() const { return {}; }
};

/// The built-in policy: provisioned stations enter, and flows are admitted if their reservation fits.
class FittingAdmission final : public AdmissionPolicy {
public:
    AdmissionVerdict admit(const AdmissionRequest& request) override { return {{}, request.builtin}; }
};

/// Calls a loaded policy. After a fault the built-in one decides; after the third fault, always.
class GuardedAdmission final : public AdmissionPolicy {
public:
    /// `account` outlives the object.
    GuardedAdmission(std::unique_ptr<AdmissionPolicy> loaded, PolicyAccount& account)
        : loaded_(std::move(loaded)), account_(account) {}

    /// The outcome is always `done`.
    AdmissionVerdict admit(const AdmissionRequest& request) override;

private:
    const std::unique_ptr<AdmissionPolicy> loaded_;
    FittingAdmission builtin_;
    PolicyAccount& account_;
};

/// The built-in policy, or a loaded one below its guard. `policies` outlive it.
std::unique_ptr<AdmissionPolicy> make_admission_policy(LoadedPolicies& policies);

}  // namespace wimax::mac
