// SPDX-License-Identifier: GPL-3.0-or-later
// The base station's stations for the planner of the uplink: invitations, polling groups, claims, and what a grant
// changes.
#pragma once

#include "mac/air/uplink_users.h"
#include "mac/bs/uplink_demand.h"

namespace wimax::mac {

class UplinkStations final : public UplinkUsers {
public:
    /// All outlive the object.
    struct Dependencies {
        const FrameClock& clock;
        StationTable& stations;
        UplinkDemand& demand;
        PollingGroups& polling;
    };
    /// `groups`: there are polling groups.
    UplinkStations(bool groups, const Dependencies& dependencies) : groups_(groups), to_(dependencies) {}

    Summary count() override;
    uint16_t polled_group() override { return to_.polling.next(); }
    std::optional<Invitation> next_invitation() override;
    void invited(uint16_t basic_cid) override { to_.stations.at(basic_cid).invitations.sent(); }
    void poll_after(uint32_t idle_ms, uint32_t active_ms) override;
    Claims claims() override;
    Terms terms(uint16_t basic_cid) override;
    void granted(const Grant& grant) override;

private:
    void count_groups();

    const bool groups_;
    const Dependencies to_;
};

}  // namespace wimax::mac
