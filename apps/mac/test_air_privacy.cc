// SPDX-License-Identifier: GPL-3.0-or-later
// Privacy over the air: entry with it, traffic while keys change, and admission.
#include "mac/pdu/cid.h"
#include "mac/test_key_search.h"
#include "mac/test_private_cell.h"

#include <algorithm>

using namespace wimax::mac;
using namespace wimax::mac::test;
namespace sap = wimax::sap;

namespace test_air_privacy {

constexpr uint32_t kStation = station_address(0);

// ---- entry and traffic ----

TEST(PrivateEntry, TakesLittleLongerThanWithout) {
    const auto frames_to_enter = [](bool with) {
        auto config = Air::with_stations(1);
        PrivateCell cell(with ? PrivateCell::with_privacy(config) : config);
        cell.join(with ? PrivacyPolicy::required : PrivacyPolicy::off);
        return cell.run_until([&] { return cell.all_operational(); }, 1000);
    };
    const int without = frames_to_enter(false), with = frames_to_enter(true);
    ASSERT_GE(without, 0);
    ASSERT_GE(with, 0);
    EXPECT_LE(with - without, 30);  // 0.3 s
}

void expect_nobody_reads(const BaseStationConfig& config) {
    for (const auto policy : {PrivacyPolicy::off, PrivacyPolicy::required}) {
        PrivateCell cell(PrivateCell::with_privacy(config, policy));
        cell.join(policy);
        cell.join(policy);
        enter(cell);
        uint64_t seen = 0;
        cell.tamper = [&](sap::RxBurst& burst) { seen += shows_payload(burst.payload); };
        for (int i = 0; i < 50; ++i) {
            cell.exchange();
            cell.run(1);
        }
        cell.run(50);
        EXPECT_EQ(cell.ul_numbers.size(), 100u);
        EXPECT_EQ(cell.terminals[0]->dl_packets + cell.terminals[1]->dl_packets, 100u);
        if (policy == PrivacyPolicy::off) EXPECT_GE(seen, 100u);
        else EXPECT_EQ(seen, 0u);
        expect_clean(cell);
    }
}

TEST(PrivateTraffic, NobodyReadsIt) {
    const BaseStationConfig plain;
    expect_nobody_reads(Air::with_stations(2, plain));
}

TEST(PrivateTraffic, NobodyReadsItWithArqAndHeaderSuppression) {
    const BaseStationConfig plain;
    expect_nobody_reads(with_arq_and_suppression(Air::with_stations(2, plain)));
}

TEST(PrivateTraffic, KeysAreFoundInAnyForm) {
    const Buffer key{0x00, 0x1A, 0xFF, 0x07, 0x80, 0x20, 0x5C, 0xC3, 0x99, 0x0D, 0xE1, 0x42, 0x6B, 0xB7, 0x3D, 0x81};
    const auto end = Octets(key).last(6);
    const std::string hex = KeySearch::hex(key), begin(key.begin(), key.begin() + 6);
    for (const std::string& text :
         {"status " + hex, KeySearch::hex(end), begin, std::string("00:1A:FF:07:80:20"),
          "[" + KeySearch::numbers(end) + "]", std::string("{0x00, 0x1a, 0xff, 0x07, 0x80, 0x20}"),
          std::string("0 26, 255,\n 7 128 32"), "tek=" + KeySearch::base64(key)})
        EXPECT_TRUE(KeySearch(text + ".").finds(key)) << text;
    for (const std::string& text :
         {hex.substr(0, 11), "1" + hex.substr(1, 11), std::string("eks 2, said 33"), std::string()})
        EXPECT_FALSE(KeySearch(text).finds(key)) << text;
}

/// Status, lines and captures of either end contain no TEKs, AKs or derived keys.
TEST(PrivateTraffic, KeysAreNowhereToBeSeen) {
    std::vector<Buffer> keys;
    auto config = PrivateCell::with_privacy(Air::with_stations(1), PrivacyPolicy::required, {.ak_s = 12, .tek_s = 6});
    config.privacy.key_log = [&](const MacAddress&, uint16_t, uint8_t, Octets tek) {
        keys.emplace_back(tek.begin(), tek.end());
    };
    PrivateCell cell(std::move(config));
    auto& station = cell.join(PrivacyPolicy::required, nullptr, {.authorization_grace_s = 5, .tek_grace_s = 2});
    CapturedPdus at_base, at_station;
    cell.bs->tap = &at_base;
    station.mac->tap = &at_station;
    enter(cell);
    std::string told;
    for (int second = 0; second < 10; ++second) {
        cell.exchange();
        cell.run(cell.frames(1));
        told += cell.bs_status().dump() + station.status().dump();
    }
    for (const auto* lines : {&cell.events, &station.events})
        for (const auto& line : *lines) told += line + "\n";
    ASSERT_GE(keys.size(), 4U);
    const auto made = at_base.authorization_keys(*PrivateLab::one().stations[0].key);
    ASSERT_GE(made.size(), 8U);  // two authorizations
    keys.insert(keys.end(), made.begin(), made.end());
    ASSERT_NE(told.find("tek_sequence"), std::string::npos);
    ASSERT_GT(at_base.octets().size(), 10'000U);
    ASSERT_GT(at_station.octets().size(), 10'000U);
    const KeySearch texts(std::move(told)), seen_at_base(at_base.octets()), seen_at_station(at_station.octets());
    for (const auto& key : keys) {
        EXPECT_FALSE(texts.finds(key));
        EXPECT_FALSE(seen_at_base.finds(key));
        EXPECT_FALSE(seen_at_station.finds(key));
    }
}

TEST(PrivateTraffic, BothEndsTellOfIt) {
    PrivateCell cell(PrivateCell::with_privacy(Air::with_stations(1)));
    cell.join();
    enter(cell);
    cell.exchange();
    cell.run(20);
    const Json station = PrivateCell::privacy_of(cell.terminals[0]->status()), base = cell.at_base(0);
    EXPECT_EQ(station["state"], "authorized");
    EXPECT_EQ(base["state"], "authorized");
    EXPECT_EQ(base["certificate"], "65");
    EXPECT_GT(base["certificate_ends_s"], 0);
    EXPECT_EQ(base["ak_sequence"], station["ak_sequence"]);
    EXPECT_EQ(base["tek_sequence"], station["tek_sequence"]);
    EXPECT_GT(station["pdus"]["opened"], 0);
    EXPECT_GT(base["pdus"]["opened"], 0);
    EXPECT_EQ(base["authorizations"], 1);
    for (const auto& end : {station, base})
        for (const char* key : {"ak", "tek"}) {
            const double age_s = end[std::string(key) + "_age_s"], left_s = end[std::string(key) + "_left_s"];
            EXPECT_GT(age_s, 0) << key;
            EXPECT_LT(age_s, 5) << key;
            const PkmLifetimes lifetimes;
            EXPECT_NEAR(age_s + left_s, key == std::string("ak") ? lifetimes.ak_s : lifetimes.tek_s, 1.1) << key;
        }
    for (const auto& end : {station, base})
        for (const char* what : {"unknown_key", "forged", "replayed", "unprotected"}) EXPECT_EQ(end["pdus"][what], 0);
    for (const auto& end : {station, base})
        for (const char* what : {"unsigned", "old_key", "replayed"}) EXPECT_EQ(end["messages"][what], 0);
}

/// Saturation both ways for `seconds`, keys change every few seconds; nothing may be lost or change its order.
void expect_nothing_lost(BaseStationConfig config, double seconds) {
    const auto suites = config.privacy.suites;
    config = PrivateCell::with_privacy(std::move(config), PrivacyPolicy::required, {.ak_s = 12, .tek_s = 6});
    config.privacy.suites = suites;
    PrivateCell cell(config);
    // A station's frame count restarts with 16 bits: until a DCD, DES-CBC cannot open received PDUs.
    if (suites.front() == PrivacySuite::des_cbc) cell.frame = phy::FrameNumber(0x20'1000);
    auto& joined = cell.join(PrivacyPolicy::required, nullptr, {.authorization_grace_s = 5, .tek_grace_s = 2});
    joined.config.privacy.suites = suites;
    cell.restart(joined);
    enter(cell);
    uint32_t down = 0, up = 0;
    auto& station = *cell.terminals[0];
    const auto fill = [&] {
        while (cell.bs->waiting_octets(ip_packet(kServer, kStation, 900)) < 20'000)
            cell.bs->push_sdu(ip_packet(kServer, kStation, 900, 5000, ++down));
        while (backlog(station) < 20'000) send(cell, 0, 900, 5000, ++up);
    };
    const int frames = cell.frames(seconds);
    for (int i = 0; i < frames; ++i) {
        fill();
        cell.run(1);
    }
    cell.run(200);
    EXPECT_EQ(cell.ul_numbers.size(), up);
    EXPECT_EQ(station.dl_numbers.size(), down);
    EXPECT_TRUE(std::ranges::is_sorted(cell.ul_numbers));
    EXPECT_TRUE(std::ranges::is_sorted(station.dl_numbers));
    const Json base = cell.at_base(0), own = PrivateCell::privacy_of(station.status());
    EXPECT_GE(base["authorizations"], static_cast<int>(seconds / 12));
    EXPECT_GE(base["key_replies"], static_cast<int>(seconds / 3));
    for (const auto& end : {own, base})
        for (const char* what : {"unknown_key", "forged", "replayed", "unprotected"})
            EXPECT_EQ(end["pdus"][what], 0) << what;
    EXPECT_EQ(cell.bs_status()["lost_stations"], 0);
    expect_clean(cell);
}

BaseStationConfig without_queue_management(BaseStationConfig config) {
    config.codel_target_frames = 0;
    return config;
}

TEST(PrivateTraffic, RekeyingLosesNothing) { expect_nothing_lost(without_queue_management(Air::with_stations(1)), 60); }

TEST(PrivateTraffic, RekeyingLosesNothingOfFlowsWithKeysOfTheirOwn) {
    auto config = without_queue_management(Air::with_stations(1));
    config.stations[0].flows = {flow(FlowDirection::uplink, SchedulingType::best_effort),
                                flow(FlowDirection::downlink, SchedulingType::best_effort)};
    for (auto& one : config.stations[0].flows) one.security_association = FlowAssociation::own;
    expect_nothing_lost(std::move(config), 30);
}

TEST(PrivateTraffic, RekeyingLosesNothingWithArqAndHeaderSuppression) {
    expect_nothing_lost(with_arq_and_suppression(without_queue_management(Air::with_stations(1))), 30);
}

TEST(PrivateTraffic, CostsWhatTheOverheadIs) {
    const auto octets_in_10_s = [](PrivacyPolicy policy) {
        PrivateCell cell(PrivateCell::with_privacy(Air::with_stations(1), policy));
        cell.join(policy);
        enter(cell);
        const auto up = cell.ul_bytes[kStation], down = cell.terminals[0]->dl_bytes;
        for (int i = 0; i < cell.frames(10); ++i) {
            for (int k = 0; k < 30; ++k) {
                cell.bs->push_sdu(ip_packet(kServer, kStation, 1500));
                send(cell, 0, 1500);
            }
            cell.run(1);
        }
        return std::pair(cell.ul_bytes[kStation] - up, cell.terminals[0]->dl_bytes - down);
    };
    const auto [up, down] = octets_in_10_s(PrivacyPolicy::off);
    const auto [private_up, private_down] = octets_in_10_s(PrivacyPolicy::required);
    // A packet of 1500 octets in a separate PDU: 12 more of 1512.
    constexpr double kExpected = 1512.0 / 1524, kTolerance = 0.985;
    EXPECT_GT(static_cast<double>(private_up), kExpected * kTolerance * static_cast<double>(up));
    EXPECT_GT(static_cast<double>(private_down), kExpected * kTolerance * static_cast<double>(down));
}

TEST(PrivateTraffic, UgsGrantsHaveRoomForIt) {
    auto config = bare(1, 6);
    set_flows(config, {flow(FlowDirection::uplink, SchedulingType::ugs, 0, 200 * 8 * 50)});
    PrivateCell cell(PrivateCell::with_privacy(std::move(config)));
    cell.join();
    enter(cell);
    for (uint32_t i = 1; i <= 200; ++i) {
        send(cell, 0, 200, kVoicePort, i);
        cell.run(2);
    }
    cell.run(10);
    EXPECT_EQ(cell.ul_numbers.size(), 200u);
    EXPECT_LE(backlog(*cell.terminals[0]), 0u);
    expect_clean(cell);
}

// ---- suites ----

using Suites = std::vector<PrivacySuite>;
constexpr auto kCcm = PrivacySuite::aes_ccm, kCbc = PrivacySuite::des_cbc;

/// One station, whose count of frames differs from the base station's.
struct SuitesCell : PrivateCell {
    SuitesCell(BaseStationConfig config, const Suites& base, const Suites& station)
        : PrivateCell(with_suites(std::move(config), base)) {
        frame = phy::FrameNumber(0x20'1000);
        auto& t = join();
        t.config.privacy.suites = station;
        restart(t);
    }
    static BaseStationConfig with_suites(BaseStationConfig config, const Suites& suites) {
        const PayloadForms forms = config.privacy.forms;
        config = with_privacy(std::move(config));
        config.privacy.suites = suites;
        config.privacy.forms = forms;
        return config;
    }
};

TEST(PrivateSuites, TheBaseStationsFirstThatTheStationOffers) {
    struct Case {
        Suites base, station;
        const char* suite;
    };
    for (const auto& [base, station, suite] :
         {Case{{kCcm}, {kCcm}, "aes-ccm"}, Case{{kCcm, kCbc}, {kCbc, kCcm}, "aes-ccm"},
          Case{{kCbc, kCcm}, {kCcm, kCbc}, "des-cbc"}, Case{{kCcm, kCbc}, {kCbc}, "des-cbc"}}) {
        SuitesCell cell(Air::with_stations(1), base, station);
        enter(cell);
        EXPECT_EQ(cell.at_base(0)["suite"], suite);
        EXPECT_EQ(PrivateCell::privacy_of(cell.terminals[0]->status())["suite"], suite);
    }
}

TEST(PrivateSuites, WithoutOneInCommonNobodyEnters) {
    SuitesCell cell(Air::with_stations(1), {kCcm}, {kCbc});
    cell.run(cell.frames(8));
    EXPECT_FALSE(cell.terminals[0]->mac->operational());
    EXPECT_GE(cell.bs_status()["privacy"]["suites"], 1);
    EXPECT_TRUE(cell.has_line("no suite in common"));
}

TEST(PrivateSuites, DesCbcBothWays) {
    for (const auto relevance : {MapRelevance::same_frame, MapRelevance::next_frame}) {
        auto config = Air::with_stations(1);
        config.map_relevance = relevance;
        SuitesCell cell(std::move(config), {kCbc}, {kCbc});
        enter(cell);
        unsigned seen = 0;
        cell.tamper = [&](sap::RxBurst& burst) { seen += shows_payload(burst.payload); };
        for (int i = 0; i < 200; ++i) {
            cell.exchange(static_cast<size_t>(60 + i * 7));
            cell.run(1);
        }
        cell.run(50);
        EXPECT_EQ(cell.ul_numbers.size(), 200u);
        EXPECT_EQ(cell.terminals[0]->dl_numbers.size(), 200u);
        EXPECT_EQ(seen, 0u);
        EXPECT_EQ(uplink_flow(cell)["malformed"], 0);
        const auto status = cell.terminals[0]->status();
        for (const auto& f : status["flows"]) EXPECT_EQ(f.value("malformed", 0), 0);
        expect_clean(cell);
    }
}

/// PDUs as other makers' equipment sends them.
TEST(PrivateSuites, FormsOfPdus) {
    struct Case {
        Suites suites;
        PayloadForms base, station;
        bool low;
    };
    constexpr auto kHigh = UplinkNumbers::high, kLow = UplinkNumbers::low;
    for (const auto& [suites, base, station, low] :
         {Case{{kCcm}, {}, {kLow, {}}, true}, Case{{kCcm}, {kLow, {}}, {}, false},
          Case{{kCbc}, {kHigh, CbcIvForm::zero}, {kLow, CbcIvForm::zero}, false},
          Case{{kCbc}, {{}, CbcIvForm::parameter}, {{}, CbcIvForm::parameter}, false}}) {
        auto config = Air::with_stations(1);
        SuitesCell cell(PrivateCell::with_forms(std::move(config), base), suites, suites);
        cell.terminals[0]->config.privacy.forms = station;
        cell.restart(*cell.terminals[0]);
        enter(cell);
        for (int i = 0; i < 50; ++i) {
            cell.exchange();
            cell.run(1);
        }
        cell.run(50);
        EXPECT_EQ(cell.ul_numbers.size(), 50u);
        EXPECT_EQ(cell.terminals[0]->dl_numbers.size(), 50u);
        const Json privacy = cell.at_base(0), opened = privacy["pdus"]["opened"];
        EXPECT_GE(opened, 50);
        EXPECT_EQ(privacy["low_numbers"], low ? opened : Json(0)) << privacy;
        EXPECT_EQ(privacy["pdus"]["forged"], 0);
        expect_clean(cell);
    }
}

TEST(PrivateSuites, RekeyingOfDesCbcLosesNothing) {
    auto config = without_queue_management(Air::with_stations(1));
    config.privacy.suites = {kCbc};
    expect_nothing_lost(std::move(config), 20);
}

// ---- who is let in ----

TEST(PrivateCellTest, OnlyCertifiedStationsEnter) {
    const auto& lab = PrivateLab::one();
    struct Case {
        authority::MadeCertificate made;
        std::string revoked, reason;
    };
    std::vector<Case> cases;
    cases.push_back({lab.other_ca.station(), "", "unknown"});
    cases.push_back({authority::TestAuthority("Lab CA").station(), "", "wrong signature"});
    cases.push_back({lab.ca.station({.to = authority::kNow - 1}), "", "expired"});
    cases.push_back({lab.ca.station({.serial = 7}), lab.ca.revoked({7}), "revoked"});
    cases.push_back({lab.ca.station({.common_name = "02:00:00:00:00:02"}), "", "another station"});
    for (const auto& one : cases) {
        SCOPED_TRACE(one.reason);
        PrivateCell cell(PrivateCell::with_privacy(Air::with_stations(1), PrivacyPolicy::required, {}, one.revoked));
        auto& station = cell.join(PrivacyPolicy::required, &one.made);
        cell.run(cell.frames(8));
        EXPECT_FALSE(station.mac->operational());
        EXPECT_EQ(cell.bs_status()["registered"], 0);
        EXPECT_GE(cell.bs_status()["privacy"]["certificates"], 1);
        EXPECT_TRUE(cell.has_line("is not authorized: "));
        EXPECT_TRUE(cell.has_line(one.reason));
        EXPECT_TRUE(PrivateCell::has_line(station, "reject wait") || PrivateCell::has_line(station, "silent"));
    }
}

TEST(PrivateCellTest, RequiredMeansNobodyWithout) {
    PrivateCell cell(PrivateCell::with_privacy(Air::with_stations(1)));
    auto& station = cell.join(PrivacyPolicy::off);
    cell.run(cell.frames(12));
    EXPECT_FALSE(station.mac->operational());
    EXPECT_EQ(cell.bs_status()["registered"], 0);
    EXPECT_GE(cell.bs_status()["privacy"]["no_privacy"], 1);
    EXPECT_TRUE(cell.has_line("has no privacy, which is required"));
    EXPECT_TRUE(PrivateCell::has_line(station, "ranging aborted by the base station"));
}

TEST(PrivateCellTest, AStationThatRequiresItTakesNoNetworkWithout) {
    PrivateCell cell(Air::with_stations(1));
    auto& station = cell.join(PrivacyPolicy::required);
    cell.run(cell.frames(12));
    EXPECT_FALSE(station.mac->operational());
    EXPECT_EQ(cell.bs_status()["registered"], 0);
    EXPECT_GE(station.status()["networks_without_privacy"], 1);
    EXPECT_TRUE(PrivateCell::has_line(station, "the base station has no privacy, which is required"));
}

TEST(PrivateCellTest, AllowedHasStationsWithAndWithoutBesideEachOther) {
    PrivateCell cell(PrivateCell::with_privacy(Air::with_stations(3), PrivacyPolicy::allowed));
    cell.join(PrivacyPolicy::required);
    cell.join(PrivacyPolicy::off);
    cell.join(PrivacyPolicy::allowed);
    enter(cell);
    for (int i = 0; i < 20; ++i) {
        cell.exchange();
        cell.run(2);
    }
    cell.run(50);
    for (const auto& t : cell.terminals) EXPECT_EQ(t->dl_packets, 20u);
    EXPECT_EQ(cell.ul_numbers.size(), 60u);
    EXPECT_FALSE(cell.at_base(0).is_null());
    EXPECT_TRUE(cell.at_base(1).is_null());
    EXPECT_FALSE(cell.at_base(2).is_null());
}

TEST(PrivateCellTest, KeysThatEndTakeTheStationWithThem) {
    // The station's messages of PKM are lost from now on; its data are not.
    PrivateCell cell(
        PrivateCell::with_privacy(Air::with_stations(1), PrivacyPolicy::required, {.ak_s = 12, .tek_s = 6}));
    cell.join(PrivacyPolicy::required, nullptr, {.authorization_grace_s = 5, .tek_grace_s = 2});
    enter(cell);
    cell.tamper = [](sap::RxBurst& burst) {
        PduReader reader(burst.payload);
        while (const auto pdu = reader.next_any())
            if (!pdu->is_request && !pdu->header.ec && pdu->header.cid > cid::kBasicMax &&
                pdu->header.cid <= 2 * cid::kBasicMax && burst.kind == sap::BurstKind::data && burst.cid != 0)
                burst.payload.assign(burst.payload.size(), 0xFF);
    };
    ASSERT_GE(cell.run_until([&] { return cell.bs_status()["registered"] == 0; }, cell.frames(20)), 0);
    EXPECT_EQ(cell.bs_status()["privacy"]["ended"], 1);
    EXPECT_TRUE(cell.has_line("its authorization has ended"));
    cell.tamper = nullptr;
    ASSERT_GE(cell.run_until([&] { return cell.bs->operational() && cell.all_operational(); }, cell.frames(10)), 0);
    cell.exchange();
    cell.run(20);
    EXPECT_EQ(cell.ul_numbers.size(), 1u);
}

}  // namespace test_air_privacy
