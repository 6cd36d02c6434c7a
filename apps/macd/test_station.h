// SPDX-License-Identifier: GPL-3.0-or-later
// A station of either kind that does nothing; tests override the functions that they check.
#pragma once

#include "mac/station.h"

#include <nlohmann/json.hpp>

namespace wimax::macd::test {

struct IdleStation : mac::BaseStationMac, mac::PhyChanges {
    sap::ConfigRequest phy_config() const override { return {}; }
    void on_phy_start(const sap::ConfigConfirm&) override {}
    void on_tick(const sap::FrameTick&, sap::TxFrame&, sap::RxExpect&) override {}
    bool on_burst(const sap::RxBurst&, sap::RxExpect&) override { return false; }
    void on_contention(const sap::RxContention&) override {}
    void on_error(const sap::ErrorIndication&) override {}
    void on_phy_refusal() override {}
    bool phy_config_changed(sap::ConfigRequest&) override { return false; }
    bool profiles_changed(sap::ProfilesRequest&) override { return false; }
    Faults change_profile(const mac::BaseStationProfile&) override { return Faults(); }
    bool push_sdu(mac::Octets) override { return true; }
    bool push_management_packet(mac::Octets) override { return true; }
    size_t waiting_octets(mac::Octets) override { return 0; }
    bool describe(mac::FlowCommand&) const override { return false; }
    Outcome change_flow(const mac::FlowCommand&) override { return {}; }
    Outcome command_station(const mac::StationCommand&) override { return {}; }
    tl::expected<std::vector<std::string>, Faults> reprovision(const mac::BaseStationConfig&) override { return {}; }
    nlohmann::json status() const override { return nlohmann::json::object(); }
    void report(FigureReader&) const override {}
    bool operational() const override { return true; }
};

}  // namespace wimax::macd::test
