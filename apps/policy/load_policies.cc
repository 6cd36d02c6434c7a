// SPDX-License-Identifier: GPL-3.0-or-later
#include "policy/load_policies.h"

#include "mac/air/air_factory.h"
#include "policy/foreign_schedulers.h"
#include "policy/policy_library.h"

#include <gnuradio/wimax/phy/base/numerology.h>

#include <algorithm>

namespace wimax::policy {
namespace {

wimax_policy_cell cell_of(const char* direction, const mac::ResourceGrid& grid, double frame_seconds) {
    wimax_policy_cell cell{};
    cell.direction = direction;
    cell.frame_s = frame_seconds;
    for (size_t row = 0; row < WIMAX_POLICY_RATES; ++row)
        if (const auto profile = mac::profile_in_row(row); grid.profiles().has(profile))
            cell.octets_per_unit[row] = grid.octets_per_unit(profile);
    return cell;
}

/// A library with its thread; makes the schedulers of one direction.
struct Program {
    Program(PolicyLibrary of, const char* which, std::chrono::microseconds limit)
        : library(std::move(of)), direction(which), worker(std::make_shared<PolicyWorker>(*library.api, limit)) {}

    /// `error` has the reason of a refusal, which is null.
    std::shared_ptr<PolicyInstance> make(const mac::ResourceGrid& grid, double frame_seconds,
                                         wimax_policy_error& error) const {
        const auto cell = cell_of(direction, grid, frame_seconds);
        void* self = library.api->make(library.argument.c_str(), &cell, &error);
        return self != nullptr ? std::make_shared<PolicyInstance>(*library.api, self) : nullptr;
    }
    template <class Foreign, class Policy> std::unique_ptr<Policy> make(const mac::Policies::Cell& cell) const {
        wimax_policy_error error{};
        auto instance = make(cell.grid, cell.frame_seconds, error);
        return std::make_unique<Foreign>(worker, std::move(instance), std::string(error.text), cell);
    }

    PolicyLibrary library;
    const char* direction;
    std::shared_ptr<PolicyWorker> worker;
};

/// Null: a fault was added, or the built-in policy is configured.
std::shared_ptr<const Program> load(const mac::PolicyFile& file, const std::string& key, const char* direction,
                                    const mac::BaseStationConfig& config, std::chrono::microseconds limit,
                                    Faults& faults) {
    if (!file.given()) return nullptr;
    auto library = open_library(file);
    if (!library) {
        Fault fault = library.error();
        fault.key = key + "." + fault.key;
        faults.add(std::move(fault));
        return nullptr;
    }
    auto program = std::make_shared<Program>(std::move(*library), direction, limit);
    wimax_policy_error error{};
    const double frame_s = 1e-6 * mac::phy::kFrameDurationUs[config.frame_duration_code];
    if (program->make(mac::air_of(config).grid, frame_s, error)) return program;
    const bool python = !file.python.empty();
    faults.add(key + (python ? ".python" : ".library"), python ? file.python : file.library,
               std::string("a policy without faults: ") + error.text);
    return nullptr;
}

}  // namespace

Faults load_policies(mac::BaseStationConfig& config, std::chrono::microseconds limit) {
    Faults faults;
    const auto downlink = load(config.dl_policy, "dl_scheduler", "downlink", config, limit, faults);
    const auto uplink = load(config.ul_policy, "ul_scheduler", "uplink", config, limit, faults);
    config.policies.reset();
    if (!downlink && !uplink) return faults;
    mac::Policies policies;
    if (downlink)
        policies.downlink = [downlink](const mac::Policies::Cell& cell) {
            return downlink->make<ForeignDownlink, mac::DownlinkPolicy>(cell);
        };
    if (uplink)
        policies.uplink = [uplink](const mac::Policies::Cell& cell) {
            return uplink->make<ForeignUplink, mac::UplinkPolicy>(cell);
        };
    policies.on_start = [downlink, uplink, limit](bool time_waits) {
        for (const auto& program : {downlink, uplink})
            if (program) program->worker->set_limit(time_waits ? std::max(limit, kHangLimit) : limit);
    };
    config.policies = std::make_shared<const mac::Policies>(std::move(policies));
    return faults;
}

}  // namespace wimax::policy
