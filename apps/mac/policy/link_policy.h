// SPDX-License-Identifier: GPL-3.0-or-later
// Link adaptation as a loaded policy: it gets the measurements of a link, and returns a rate. The MAC calls it through
// GuardedRate (guarded_rate.h), which is a RatePolicy as the built-in policies are.
#pragma once

#include "mac/policy/policy_outcome.h"
#include "mac/rate_adaptation.h"
#include "mac/rate_policy.h"
#include "mac/station.h"

#include <array>
#include <string>

namespace wimax::mac {

/// Direction and station of a link.
struct LinkEnds {
    MacAddress station{};
    bool uplink = false;
};

/// What has been measured on a link since the previous call.
struct LinkReport {
    struct Bursts {
        uint32_t bursts = 0, lost_bursts = 0, blocks = 0, lost_blocks = 0;
    };

    LinkEnds ends;
    uint64_t number = 0;  ///< of the link: a station that enters again has another one
    Samples at = 0;       ///< last measurement
    ProfileId rate{}, lowest{}, highest{};
    uint32_t measurements = 0;                      ///< of the CINR
    float cinr_db = 0;                              ///< last measurement
    float lowest_cinr_db = 0, highest_cinr_db = 0;  ///< since the previous call
    float mean_cinr_db = 0;                         ///< running mean, as in REP-RSP
    bool give_up = false;                           ///< the present rate fails, and no other remedy is left
    LinkAim aim;
    RateNeeds needs_db{};  ///< for the aim, in white noise
    RateThresholds limits;
    std::array<Bursts, kRateCount> bursts{};  ///< by rate
};

class LinkPolicy {
public:
    virtual ~LinkPolicy() = default;
    /// Sets `rate` if the outcome is `done`.
    virtual PolicyOutcome adapt(const LinkReport& link, ProfileId& rate) = 0;
    /// Of the last outcome that was not `done`.
    virtual std::string reason() const { return {}; }
};

}  // namespace wimax::mac
