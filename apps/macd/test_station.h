/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * A station that does nothing; tests override the functions that they check.
 */
#pragma once

#include "mac/station.h"

#include <nlohmann/json.hpp>

namespace wimax::macd::test {

struct IdleStation : mac::Station {
    sap::ConfigRequest phy_config() const override { return {}; }
    void on_phy_start(const sap::ConfigConfirm&) override {}
    void on_tick(const sap::FrameTick&, sap::TxFrame&, sap::RxExpect&) override {}
    bool on_burst(const sap::RxBurst&, sap::RxExpect&) override { return false; }
    void on_contention(const sap::RxContention&) override {}
    void on_error(const sap::ErrorIndication&) override {}
    bool phy_config_changed(sap::ConfigRequest&) override { return false; }
    bool profiles_changed(sap::ProfilesRequest&) override { return false; }
    Faults change_profile(const mac::BaseStationProfile&) override { return Faults(); }
    bool push_sdu(mac::Octets) override { return true; }
    nlohmann::json status() const override { return nlohmann::json::object(); }
    bool operational() const override { return true; }
};

}  // namespace wimax::macd::test
