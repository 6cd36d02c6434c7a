// SPDX-License-Identifier: GPL-3.0-or-later
// Loaded policies in the stations: admission, link adaptation at both ends, a reload while a scheduler is loaded.
#include "mac/flow/flow_command.h"
#include "mac/policy/admission_policy.h"
#include "mac/policy/link_policy.h"
#include "mac/scheduler/downlink_scheduler.h"
#include "mac/test_cells.h"

#include <gtest/gtest.h>

#include <algorithm>

using namespace wimax::mac;
using namespace wimax::mac::test;

namespace test_air_policies {

size_t lines_with(const std::vector<std::string>& events, const std::string& text) {
    return static_cast<size_t>(
        std::ranges::count_if(events, [&](const auto& e) { return e.find(text) != std::string::npos; }));
}

template <class Policy, class Kind>
std::shared_ptr<const Policies> loaded(PolicyMaker<Kind> Policies::*kind, const Policy& policy) {
    Policies of;
    of.*kind = [policy](const PolicyCell& cell) { return policy(cell); };
    return std::make_shared<const Policies>(std::move(of));
}

// Schedulers

struct Counted final : DownlinkPolicy {
    Counted(const ResourceGrid& grid, int& count) : builtin(grid), calls(count) {}
    PolicyOutcome schedule(std::vector<DownlinkClaim>& claims, std::span<const FlowClaim> flows,
                           double units) override {
        ++calls;
        return builtin.schedule(claims, flows, units);
    }
    void served(const DownlinkClaim& claim, double units) override { builtin.served(claim, units); }
    DownlinkScheduler builtin;
    int& calls;
};

TEST(LoadedScheduler, StaysDuringAReloadThatNamesAnotherOne) {
    int calls = 0;
    auto config = Air::with_stations(1);
    config.policy_files[PolicyRole::downlink].python = "first.py:First";
    config.policies = loaded(&Policies::downlink,
                             [&calls](const PolicyCell& cell) { return std::make_unique<Counted>(cell.grid, calls); });
    Air air(config);
    air.add();
    enter(air);
    auto other = config;
    other.policy_files[PolicyRole::downlink].python = "second.py:Second";
    other.dl_scheduler = SchedulerPolicy::weighted;
    other.policies.reset();  // a reload loads no file
    const auto fixed = air.bs->reprovision(other);
    ASSERT_TRUE(fixed) << fixed.error().str();
    EXPECT_EQ(*fixed, (std::vector<std::string>{"dl_scheduler", "dl_scheduler.python"}));
    const int before = calls;
    for (int i = 0; i < 20; ++i) {
        air.bs->push_sdu(ip_packet(kServer, station_address(0), 500));
        air.step();
    }
    EXPECT_GE(calls, before + 19);
    EXPECT_EQ(air.bs_status()["policies"]["dl_scheduler"]["calls"], calls);
    EXPECT_TRUE(air.terminals[0]->mac->operational());
}

// Admission

struct Rule final : AdmissionPolicy {
    using Decide = std::function<std::string(const AdmissionRequest&)>;
    explicit Rule(Decide by) : decide(std::move(by)) {}
    AdmissionVerdict admit(const AdmissionRequest& request) override {
        const std::string why = decide(request);
        if (why.empty()) return {};
        return {{}, wimax::failure("", why)};
    }
    Decide decide;
};

struct AdmissionCell : Air {
    AdmissionCell(BaseStationConfig config, const Rule::Decide& decide) : Air(with(std::move(config), decide)) {}
    static BaseStationConfig with(BaseStationConfig config, const Rule::Decide& decide) {
        config.policies =
            loaded(&Policies::admission, [decide](const PolicyCell&) { return std::make_unique<Rule>(decide); });
        return config;
    }
    /// Empty: it was admitted.
    std::string add_flow(size_t station, uint32_t bps) {
        FlowCommand command;
        command.id = ++last_id;
        command.station = mac_of(station);
        command.flow = flow(FlowDirection::downlink, SchedulingType::rtps, static_cast<uint16_t>(7000 + last_id));
        command.flow.min_reserved_rate_bps = bps;
        const auto begun = bs->change_flow(command);
        run(20);
        return begun ? "" : begun.error().allowed;
    }
    uint64_t last_id = 0;
};

TEST(LoadedAdmission, RefusesAStationWithAReason) {
    std::vector<AdmissionRequest> asked;
    AdmissionCell air(Air::with_stations(2), [&](const AdmissionRequest& r) {
        if (r.kind != AdmissionRequest::Kind::station) return std::string();
        asked.push_back(r);
        return r.stations < 1 ? "" : std::string("one is enough");
    });
    air.add();
    enter(air);
    air.add();
    air.run(air.frames(2));
    EXPECT_TRUE(air.terminals[0]->mac->operational());
    EXPECT_FALSE(air.terminals[1]->mac->operational());
    EXPECT_GE(lines_with(air.events, "02:00:00:00:00:02 refused: one is enough"), 1U) << air.events.back();
    EXPECT_GE(air.bs_status()["ranging"]["refused"], 1);
    ASSERT_GE(asked.size(), 2U);
    EXPECT_EQ(asked[0].station, Air::mac_of(0));
    EXPECT_TRUE(asked[0].known);
    EXPECT_EQ(asked[1].stations, 1U);
    EXPECT_EQ(asked[1].most_stations, air.bs_config.max_stations);
    EXPECT_GT(asked[1].cinr_db, 10);
}

TEST(LoadedAdmission, LimitsOfTheMacApplyWhateverAPolicyDecides) {
    auto config = Air::with_stations(2);
    config.max_stations = 1;
    AdmissionCell air(config, [](const AdmissionRequest&) { return std::string(); });
    air.add();
    enter(air);
    air.add();
    air.run(air.frames(2));
    EXPECT_FALSE(air.terminals[1]->mac->operational());
    EXPECT_EQ(air.bs_status()["registered"], 1);
}

TEST(LoadedAdmission, RefusesAFlowThatFitsAndOverbooks) {
    std::vector<AdmissionRequest> asked;
    bool refuse = true;
    AdmissionCell air(Air::with_stations(1), [&](const AdmissionRequest& r) {
        if (r.kind == AdmissionRequest::Kind::station || r.flow->min_reserved_rate_bps == 0) return std::string();
        asked.push_back(r);
        asked.back().flow = nullptr;
        return std::string(refuse ? "not now" : "");
    });
    air.add();
    enter(air);
    EXPECT_EQ(air.add_flow(0, 1'000'000), "not now");
    ASSERT_EQ(asked.size(), 1U);
    EXPECT_TRUE(asked[0].builtin);
    EXPECT_GT(asked[0].cost_units, 0);
    EXPECT_EQ(asked[0].reserved_units, 0);
    EXPECT_LT(asked[0].cost_units, asked[0].units);
    refuse = false;
    size_t fitted = 0;
    for (int n = 0; n < 12; ++n) {
        EXPECT_EQ(air.add_flow(0, 1'000'000), "");
        fitted += asked.back().builtin ? 1 : 0;
        EXPECT_NEAR(asked.back().reserved_units, n * asked.back().cost_units, 0.1);
    }
    EXPECT_GT(fitted, 4U);
    EXPECT_LT(fitted, 12U) << "the others were overbooked";
    air.run(30);
    const Json reserved = air.bs_status()["reserved"];
    EXPECT_GE(reserved["flows_without_room"], 12 - static_cast<int>(fitted));
    EXPECT_GT(reserved["downlink"]["symbols"], reserved["downlink"]["room"]);
    EXPECT_TRUE(air.terminals[0]->mac->operational());
    expect_clean(air);
}

// Link adaptation

struct Fixed final : LinkPolicy {
    explicit Fixed(std::vector<LinkReport>& to, size_t rate) : reports(to), row(rate) {}
    PolicyOutcome adapt(const LinkReport& link, ProfileId& rate) override {
        reports.push_back(link);
        rate = profile_in_row(row);
        return {};
    }
    std::vector<LinkReport>& reports;
    size_t row;
};

TEST(LoadedAdaptation, ChoosesTheRatesOfBothEnds) {
    constexpr size_t kUplinkRow = 2, kDownlinkRow = 4;
    std::vector<LinkReport> uplinks, downlinks;
    auto config = Air::with_stations(1);
    config.dl_lowest_rate_id = config.ul_lowest_rate_id = 0;
    config.policies = loaded(&Policies::link_adaptation,
                             [&](const PolicyCell&) { return std::make_unique<Fixed>(uplinks, kUplinkRow); });
    Air air(config);
    auto& station = air.add();
    station.config.policies = loaded(&Policies::link_adaptation, [&](const PolicyCell&) {
        return std::make_unique<Fixed>(downlinks, kDownlinkRow);
    });
    air.restart(station);
    enter(air);
    for (int i = 0; i < 100; ++i) {
        air.bs->push_sdu(ip_packet(kServer, station_address(0), 500));
        send(air, 0, 500);
        air.step();
    }
    const Json at_base = air.bs_status();
    EXPECT_EQ(at_base["stations"][0]["ul_rate_id"], kUplinkRow);
    EXPECT_EQ(at_base["stations"][0]["dl_rate_id"], kDownlinkRow);
    EXPECT_EQ(at_base["policies"]["link_adaptation"]["calls"], uplinks.size());
    EXPECT_EQ(station.status()["policies"]["link_adaptation"]["calls"], downlinks.size());
    ASSERT_FALSE(uplinks.empty() || downlinks.empty());
    EXPECT_TRUE(uplinks.back().ends.uplink);
    EXPECT_EQ(uplinks.back().ends.station, Air::mac_of(0));
    EXPECT_FALSE(downlinks.back().ends.uplink);
    EXPECT_EQ(downlinks.back().ends.station, Air::mac_of(0));
    EXPECT_GT(uplinks.back().mean_cinr_db, 20);
    EXPECT_GT(uplinks.back().bursts[kUplinkRow].bursts, 0U);
    EXPECT_EQ(row_of(downlinks.back().highest), 6U);
    for (const auto* reports : {&uplinks, &downlinks})
        for (size_t i = 1; i < reports->size(); ++i)
            EXPECT_LT((*reports)[i - 1].at, (*reports)[i].at) << "at most one call per frame";
}

TEST(LoadedAdaptation, AFaultIsAnEventOfTheStation) {
    std::vector<LinkReport> reports;
    auto config = Air::with_stations(1);
    config.dl_lowest_rate_id = config.ul_lowest_rate_id = 0;
    Air air(config);
    auto& station = air.add();
    station.config.policies = loaded(&Policies::link_adaptation, [&](const PolicyCell&) {
        return std::make_unique<Fixed>(reports, kRateCount);  // no such rate
    });
    air.restart(station);
    enter(air);
    air.run(20);
    const Json policy = station.status()["policies"]["link_adaptation"];
    EXPECT_EQ(policy["nonsense"], 3);
    EXPECT_EQ(policy["replaced"], true);
    EXPECT_EQ(lines_with(station.events, "adaptation.policy: the built-in policy replaces the loaded one"), 1U);
    EXPECT_EQ(station.status()["downlink_profile"]["rate_id"], 6) << "the built-in policy decides";
}

}  // namespace test_air_policies
