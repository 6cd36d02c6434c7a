// SPDX-License-Identifier: GPL-3.0-or-later
// The loader inside a Python process, as an extension module would have it: test_in_python.py calls these functions
// while it holds the interpreter's lock.
#include "mac/air/ofdm256/symbol_grid.h"
#include "policy/load_policies.h"

#include "mac/policy/policies.h"
#include "mac/scheduler/scheduler_policy.h"

using namespace wimax;

/// Units of a station of CID 7 after a call of the Python scheduler; negative: -1, it was not loaded; -2, no result.
extern "C" double units_by(const char* python) {
    mac::BaseStationConfig config;
    config.policy_files[mac::PolicyRole::downlink].python = python;
    if (!policy::load_policies(config, policy::kHangLimit).empty()) return -1;
    mac::FrameClock clock;
    clock.sample_rate_hz = 1000;
    const auto scheduler = config.policies->downlink({mac::kSymbolGrid, clock, 0.01});
    std::vector<mac::DownlinkClaim> claims(1);
    claims[0].cid = 7;
    claims[0].shape.profile = mac::profile_in_row(6);
    return scheduler->schedule(claims, {}, 90).result == mac::PolicyResult::done ? claims[0].units : -2;
}
