// SPDX-License-Identifier: GPL-3.0-or-later
// Divides the data part of an uplink subframe (clause 6.3.7). Order: guaranteed octets and polls, by deadline; a short
// grant for recently active stations; requests, by the chosen policy; unsolicited short grants for all, unless stations
// with data need the uplink; spare units for active stations. Each burst has an overhead, so few stations share a frame
// when all want much.
#pragma once

#include "mac/pdu/map_ie.h"
#include "mac/scheduler/scheduler_policy.h"
#include "mac/scheduler/share_rule.h"

#include <compare>
#include <cstddef>
#include <cstdint>
#include <vector>

namespace wimax::mac {

struct UplinkSchedulerConfig {
    uint32_t unasked_units = 12;
    bool grant_spare = true;
    uint32_t max_elements = 64;  ///< of the UL-MAP, for grants
    SchedulerPolicy policy = SchedulerPolicy::fair;
};

/// Adds the flows' claims to the station's own claim. Returns the octets of unsolicited grants: smaller grants answer
/// no request (kLeastAnswerOctets).
size_t add_flows(UplinkClaim& claim, std::span<const FlowClaim> flows);

class UplinkScheduler final : public UplinkPolicy {
public:
    /// `grid` outlives the object.
    UplinkScheduler(const ResourceGrid& grid, const UplinkSchedulerConfig& config)
        : grid_(grid), config_(config), rule_(grid, config.policy) {}
    /// Uses no heap once it has seen as many claims.
    PolicyOutcome schedule(std::vector<UplinkClaim>& claims, std::span<const FlowClaim> flows, uint32_t units,
                           uint32_t max_elements) override;
    /// Stations without flows.
    void schedule(std::vector<UplinkClaim>& claims, uint32_t units, uint32_t max_elements) {
        schedule(claims, {}, units, max_elements);
    }
    /// Stations without an element wait, and are served first later.
    uint32_t refused() const override { return refused_; }

private:
    uint32_t give(UplinkClaim& claim, uint32_t extra);
    void by_waiting(std::vector<UplinkClaim>& claims, bool deadlines);
    void guaranteed();
    /// `most`: units of all polls together.
    void polls_for_active(uint32_t most);
    size_t long_grants() const;
    void requests(std::vector<UplinkClaim>& claims, std::span<const FlowClaim> flows);
    bool wanted(const std::vector<UplinkClaim>& claims, uint32_t units) const;
    void unasked();
    void spare(std::vector<UplinkClaim>& claims, std::span<const FlowClaim> flows);
    void divide(std::span<const FlowClaim> flows, double capacity);

    uint32_t cost_of(uint32_t units) const { return grid_.grant().total(units); }
    uint32_t elements_of(uint32_t units) const { return grid_.grant().bursts(units); }
    /// Overhead of the claim's first burst, as long as it has none.
    uint32_t first_overhead(const UplinkClaim& claim) const {
        return claim.units == 0 ? grid_.grant().overhead_units : 0;
    }
    uint32_t request_units(const UplinkClaim& claim) const;
    uint32_t poll_units(const UplinkClaim& claim) const;

    const ResourceGrid& grid_;
    UplinkSchedulerConfig config_;
    ShareRule rule_;
    uint32_t left_ = 0, elements_left_ = 0, refused_ = 0;
    /// Place of a claim in the list, with the criteria of its order. Lower is sooner.
    class Rank {
    public:
        Rank(Samples deadline, uint32_t sooner, uint32_t place)
            : deadline_(deadline), rest_(uint64_t{sooner} << 32 | place) {}
        uint32_t place() const { return static_cast<uint32_t>(rest_); }
        auto operator<=>(const Rank&) const = default;

    private:
        Samples deadline_;
        uint64_t rest_;  ///< the place in the lower half
    };
    std::vector<Rank> ranks_;
    std::vector<UplinkClaim*> order_, chosen_;
    std::vector<ServiceHistory*> busy_;
    std::vector<ShareRule::Share> shares_;
    struct Turn {
        double turn = 0;
        UplinkClaim* claim = nullptr;
    };
    std::vector<Turn> turns_;
};

}  // namespace wimax::mac
