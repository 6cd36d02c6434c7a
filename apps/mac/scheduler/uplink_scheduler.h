/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * Divides the data part of an uplink subframe (clause 6.3.7). Order: guaranteed octets and polls, by deadline; a short
 * grant for stations that were lately active; requests, by the policy that was chosen; unasked short grants for
 * everybody, unless those who have data want the uplink; what is left to the active ones. A grant costs one preamble
 * symbol, so few stations share a frame when all want much.
 */
#pragma once

#include "mac/pdu/map_ie.h"
#include "mac/scheduler/share_rule.h"

#include <cstddef>
#include <cstdint>
#include <vector>

namespace wimax::mac {

struct UplinkSchedulerConfig {
    uint32_t unasked_symbols = 12;
    bool grant_spare = true;
    uint32_t max_elements = 64;  ///< of the UL-MAP, for grants
    SchedulerPolicy policy = SchedulerPolicy::fair;
};

/// Data symbols that one map element may carry beside its preamble.
inline constexpr uint32_t kMaxBurstDataSymbols = 1022;
/// Symbols with preambles; a long grant is cut into several bursts.
constexpr uint32_t grant_cost(uint32_t data_symbols) {
    return data_symbols + (data_symbols + kMaxBurstDataSymbols - 1) / kMaxBurstDataSymbols;
}

/// Adds what the claim's flows claim to what it claims by itself. Returns the octets that nobody asked for: fewer would
/// be no answer (kLeastAnswerOctets).
size_t add_flows(UplinkClaim& claim, std::span<const FlowClaim> flows);

class UplinkScheduler {
public:
    explicit UplinkScheduler(const UplinkSchedulerConfig& config) : config_(config), rule_(config.policy) {}
    /// Sets data_symbols of each claim; the sum of grant_cost() is at most `symbols`, that of map elements at most
    /// `max_elements`. Uses no heap once it has seen as many claims.
    void schedule(std::vector<UplinkClaim>& claims, std::span<const FlowClaim> flows, uint32_t symbols,
                  uint32_t max_elements);
    /// Stations without flows.
    void schedule(std::vector<UplinkClaim>& claims, uint32_t symbols, uint32_t max_elements) {
        schedule(claims, {}, symbols, max_elements);
    }
    /// Grants of the last frame for which the map had no element left; those stations wait, and so come first later.
    uint32_t refused() const { return refused_; }

private:
    uint32_t give(UplinkClaim& claim, uint32_t extra);
    void by_waiting(std::vector<UplinkClaim>& claims, bool deadlines);
    void guaranteed();
    /// With no more symbols than that.
    void polls_for_active(uint32_t most);
    size_t long_grants() const;
    void requests(std::vector<UplinkClaim>& claims, std::span<const FlowClaim> flows);
    bool wanted(const std::vector<UplinkClaim>& claims, uint32_t symbols) const;
    void unasked();
    void spare(std::vector<UplinkClaim>& claims, std::span<const FlowClaim> flows);
    void divide(std::span<const FlowClaim> flows, double capacity);

    UplinkSchedulerConfig config_;
    ShareRule rule_;
    uint32_t left_ = 0, elements_left_ = 0, refused_ = 0;
    std::vector<UplinkClaim*> order_, chosen_;
    std::vector<ServiceHistory*> busy_;
    std::vector<ShareRule::Share> shares_;
    struct Turn {
        double turn = 0;
        UplinkClaim* claim = nullptr;
    };
    std::vector<Turn> turns_;
};
static_assert(UplinkPolicy<UplinkScheduler>);

}  // namespace wimax::mac
