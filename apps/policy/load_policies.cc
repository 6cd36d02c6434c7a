// SPDX-License-Identifier: GPL-3.0-or-later
#include "policy/load_policies.h"

#include "mac/air/air_factory.h"
#include "policy/foreign_admission.h"
#include "policy/foreign_classifier.h"
#include "policy/foreign_link.h"
#include "policy/foreign_queues.h"
#include "policy/foreign_schedulers.h"
#include "policy/policy_library.h"

#include <gnuradio/wimax/phy/base/numerology.h>

#include <algorithm>
#include <vector>

namespace wimax::policy {
namespace {

using mac::PolicyRole;

/// Whether the library has the function of the role's kind.
bool serves(const wimax_policy_api& api, PolicyRole role) {
    switch (role) {
        case PolicyRole::downlink:
        case PolicyRole::uplink: return api.schedule != nullptr;
        case PolicyRole::admission: return api.admit != nullptr;
        case PolicyRole::link_adaptation: return api.adapt != nullptr;
        case PolicyRole::queue_management: return api.manage != nullptr;
        case PolicyRole::classifier: return api.classify != nullptr;
    }
    return false;
}

wimax_policy_cell cell_of(PolicyRole role, const mac::ResourceGrid& grid, double frame_seconds) {
    wimax_policy_cell cell{};
    cell.role = names_of(role).role;
    cell.frame_s = frame_seconds;
    for (size_t row = 0; row < WIMAX_POLICY_RATES; ++row)
        if (const auto profile = mac::profile_in_row(row); grid.profiles().has(profile))
            cell.octets_per_unit[row] = grid.octets_per_unit(profile);
    return cell;
}

/// A library with its thread; makes the policies of one role.
struct Program {
    Program(PolicyLibrary of, PolicyRole which, std::chrono::microseconds limit)
        : library(std::move(of)), role(which), worker(std::make_shared<PolicyWorker>(*library.api, limit)) {}

    /// `error` has the reason of a refusal, which is null.
    template <class Instance>
    std::shared_ptr<Instance> make(const mac::ResourceGrid& grid, double frame_seconds,
                                   wimax_policy_error& error) const {
        const auto cell = cell_of(role, grid, frame_seconds);
        void* self = library.api->make(library.argument.c_str(), &cell, &error);
        return self != nullptr ? std::make_shared<Instance>(*library.api, self) : nullptr;
    }

    PolicyLibrary library;
    PolicyRole role;
    std::shared_ptr<PolicyWorker> worker;
};

/// Loads the files of one configuration.
class Loader {
public:
    Loader(const mac::PolicyFiles& files, const mac::ResourceGrid& grid, double frame_seconds,
           std::chrono::microseconds limit)
        : files_(files), grid_(grid), frame_seconds_(frame_seconds), limit_(limit) {}

    /// Sets `kind` if there is a file for the role. `ForeignKind`: with the types Policy and Instance.
    template <class ForeignKind>
    void load(PolicyRole role, mac::PolicyMaker<typename ForeignKind::Policy> mac::Policies::*kind) {
        using Instance = typename ForeignKind::Instance;
        const auto program = open(role);
        if (!program) return;
        wimax_policy_error error{};
        if (!program->make<Instance>(grid_, frame_seconds_, error))
            return refuse(role, std::string("a policy without faults: ") + error.text);
        programs_.push_back(program);
        policies_.*kind = [program](const mac::PolicyCell& cell) {
            wimax_policy_error refusal{};
            auto instance = program->make<Instance>(cell.grid, cell.frame_seconds, refusal);
            return std::make_unique<ForeignKind>(program->worker, std::move(instance), std::string(refusal.text), cell);
        };
    }

    /// Null: no file is named, or there are faults.
    std::shared_ptr<const mac::Policies> policies() {
        if (programs_.empty()) return nullptr;
        policies_.on_start = [programs = programs_, limit = limit_](bool time_waits) {
            for (const auto& program : programs)
                program->worker->set_limit(time_waits ? std::max(limit, kHangLimit) : limit);
        };
        return std::make_shared<const mac::Policies>(std::move(policies_));
    }
    const Faults& faults() const { return faults_; }

private:
    void refuse(PolicyRole role, std::string allowed) {
        const auto& file = files_[role];
        const bool python = !file.python.empty();
        faults_.add(std::string(names_of(role).key) + (python ? ".python" : ".library"),
                    python ? file.python : file.library, std::move(allowed));
    }

    /// Null: a fault was added, or the built-in policy is configured.
    std::shared_ptr<const Program> open(PolicyRole role) {
        if (!files_[role].given()) return nullptr;
        auto library = open_library(files_[role]);
        if (!library) {
            Fault fault = library.error();
            fault.key = std::string(names_of(role).key) + "." + fault.key;
            faults_.add(std::move(fault));
            return nullptr;
        }
        if (!serves(*library->api, role)) {
            refuse(role, std::string("a library with a policy for ") + names_of(role).role);
            return nullptr;
        }
        return std::make_shared<Program>(std::move(*library), role, limit_);
    }

    const mac::PolicyFiles& files_;
    const mac::ResourceGrid& grid_;
    const double frame_seconds_;
    const std::chrono::microseconds limit_;
    std::vector<std::shared_ptr<const Program>> programs_;
    mac::Policies policies_;
    Faults faults_;
};

}  // namespace

Faults load_policies(mac::BaseStationConfig& config, std::chrono::microseconds limit) {
    const double frame_s = 1e-6 * mac::phy::kFrameDurationUs[config.frame_duration_code];
    Loader loader(config.policy_files, mac::air_of(config).grid, frame_s, limit);
    loader.load<ForeignDownlink>(PolicyRole::downlink, &mac::Policies::downlink);
    loader.load<ForeignUplink>(PolicyRole::uplink, &mac::Policies::uplink);
    loader.load<ForeignAdmission>(PolicyRole::admission, &mac::Policies::admission);
    loader.load<ForeignLink>(PolicyRole::link_adaptation, &mac::Policies::link_adaptation);
    loader.load<ForeignQueues>(PolicyRole::queue_management, &mac::Policies::queue_management);
    loader.load<ForeignClassifier>(PolicyRole::classifier, &mac::Policies::classifier);
    config.policies = loader.policies();
    return loader.faults();
}

Faults load_policies(mac::SubscriberConfig& config, std::chrono::microseconds limit) {
    Loader loader(config.policy_files, mac::air_of(config).grid, 0, limit);
    loader.load<ForeignLink>(PolicyRole::link_adaptation, &mac::Policies::link_adaptation);
    loader.load<ForeignQueues>(PolicyRole::queue_management, &mac::Policies::queue_management);
    loader.load<ForeignClassifier>(PolicyRole::classifier, &mac::Policies::classifier);
    config.policies = loader.policies();
    return loader.faults();
}

}  // namespace wimax::policy
