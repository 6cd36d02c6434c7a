// SPDX-License-Identifier: GPL-3.0-or-later
// Timers and messages of network entry one by one: lost, late, refused or announced.
#include "mac/pdu/cid.h"
#include "mac/rate_adaptation.h"
#include "mac/test_air.h"

#include <gtest/gtest.h>

using namespace wimax::mac;
using namespace wimax::mac::test;
namespace sap = wimax::sap;

namespace test_air_messages {

struct Cell : Air {
    explicit Cell(BaseStationConfig config = {}, bool enter = true) : Air(std::move(config)), station(add()) {
        if (enter) entered = run_until([&] { return all_operational() && bs->operational(); }, frames(6)) >= 0;
        if (enter) run(50);
    }
    std::string state() { return station.status()["state"]; }
    uint16_t basic_cid() { return station.status()["basic_cid"].get<uint16_t>(); }
    uint16_t primary_cid() { return static_cast<uint16_t>(basic_cid() + cid::kBasicMax); }
    size_t flows() { return station.status()["flows"].size(); }
    /// A message as if received in a downlink burst.
    template <class Message>
    void tell(uint16_t on_cid, const Message& message, uint8_t index = 2, bool fec_ok = true, bool crc = true) {
        sap::RxBurst burst;
        burst.index = index;
        burst.detected = true;
        burst.fec_ok = fec_ok;
        burst.frame_number = sap::FrameNumber((frame + -1).value() & 0xFFFF);
        burst.prefix.frame_lsb = burst.frame_number.lsb();
        burst.cp_denominator = 8;
        burst.measured.rssi_dbm = -60;
        burst.measured.cinr_db = 40;
        PduWriter writer(burst.payload, 2000);
        writer.begin(on_cid, crc, false);
        encode(message, writer.buffer());
        writer.finish();
        sap::RxExpect none;
        station.mac->on_burst(burst, none);
    }
    size_t events_with(const std::string& text) {
        return static_cast<size_t>(std::count_if(station.events.begin(), station.events.end(),
                                                 [&](const auto& e) { return e.find(text) != std::string::npos; }));
    }

    Terminal& station;
    bool entered = false;
};

/// Rewrites the messages of one type in a burst; the others stay.
template <class Message> void rewrite(sap::RxBurst& burst, const std::function<bool(Message&)>& change) {
    Buffer out;
    PduWriter writer(out, burst.payload.size());
    PduReader reader(burst.payload);
    while (const auto pdu = reader.next()) {
        Message message;
        if (!pdu->is_request && message_type(pdu->body) == Message::kType && decode(pdu->body, message)) {
            if (change(message)) writer.message(pdu->cid(), message);
        } else {
            out.insert(out.end(), pdu->octets.begin(), pdu->octets.end());
        }
    }
    out.resize(burst.payload.size(), 0xFF);
    burst.payload = out;
}
bool from_base_station(const sap::RxBurst& burst) { return burst.index == 1 && burst.cid == 0; }

TEST(Timers, T2RunsAgainAfterAFailedAttempt) {
    Cell cell({}, false);
    cell.station.link.uplink_loss = 1;
    ASSERT_GE(cell.run_until([&] { return cell.station.status()["ranging"]["attempts"] == 1; }, cell.frames(3)), 0);
    cell.tamper = [](sap::RxBurst& burst) {  // no opportunities any more
        if (from_base_station(burst))
            rewrite<UlMap>(burst, [](UlMap& map) {
                std::erase_if(map.ies, [](const auto& ie) { return ie.uiuc == uiuc::kInitialRanging; });
                return true;
            });
    };
    cell.run(cell.frames(9.9));
    EXPECT_EQ(cell.events_with("T2"), 0U);
    cell.run(cell.frames(0.5));
    EXPECT_EQ(cell.events_with("no ranging opportunity (T2)"), 1U);
}

TEST(Timers, T4WithoutGrantsRangesAgainWithTheOldTiming) {
    Cell cell;
    ASSERT_TRUE(cell.entered);
    const Json before = cell.station.status();
    ASSERT_EQ(before["timing_advance_samples"], 20);
    const uint16_t cid = cell.basic_cid();
    cell.tamper = [cid](sap::RxBurst& burst) {
        if (from_base_station(burst)) {
            rewrite<UlMap>(burst, [cid](UlMap& map) {
                std::erase_if(map.ies, [&](const auto& ie) { return ie.cid == cid; });
                return true;
            });
            rewrite<ResCmd>(burst, [](ResCmd&) { return false; });
        } else if (burst.kind == sap::BurstKind::ranging) {
            burst.payload.assign(burst.payload.size(), 0x55);
        }
    };
    const int frames = cell.run_until([&] { return cell.state() == "ranging"; }, 400);
    EXPECT_NEAR(frames, 300, 2);  // T4 = 3 s
    EXPECT_EQ(cell.events_with("no unicast grant (T4)"), 1U);
    EXPECT_EQ(cell.station.status()["timing_advance_samples"], 20);
    const int attempts = cell.station.status()["ranging"]["attempts"];
    cell.run_until([&] { return cell.station.status()["ranging"]["attempts"] == attempts + 3; }, 400);
    EXPECT_EQ(cell.station.status()["timing_advance_samples"], 20);
    cell.run_until([&] { return cell.station.status()["ranging"]["attempts"] == attempts + 6; }, 400);
    EXPECT_EQ(cell.station.status()["timing_advance_samples"], 0);
}

TEST(Timers, T7RepeatsALostRequestOnce) {
    Cell cell({}, false);
    std::vector<phy::FrameNumber> seen;
    cell.tamper = [&](sap::RxBurst& burst) {
        if (!from_base_station(burst)) return;
        rewrite<DsaReq>(burst, [&](DsaReq& request) {
            if (!request.uplink) return true;
            seen.push_back(cell.frame);
            return seen.size() > 1;
        });
    };
    ASSERT_GE(cell.run_until([&] { return cell.all_operational(); }, cell.frames(4)), 0);
    cell.run(cell.frames(3));
    ASSERT_EQ(seen.size(), 2U);
    EXPECT_NEAR(seen[1].since(seen[0]), 100, 1);  // T7 = 1 s
}

/// Registered, with the first flow; of the second one all responses selected by `drop` are lost.
void lose_responses(Cell& cell, uint32_t t8_ms, const std::function<bool()>& drop) {
    std::optional<uint16_t> first;
    cell.station.config.t8_ms = t8_ms;
    cell.restart(cell.station);
    cell.tamper = [&cell, first, drop](sap::RxBurst& burst) mutable {
        if (burst.cid == 0) return;
        rewrite<DsaRsp>(burst, [&](DsaRsp& response) {
            if (!first) first = response.tid;
            return response.tid == *first || !drop();
        });
    };
    ASSERT_GE(cell.run_until([&] { return cell.state() == "operational"; }, cell.frames(4)), 0);
    ASSERT_EQ(cell.flows(), 2U);
}

TEST(Dsa, AResponseAfterTheRequestWasGivenUpIsRefused) {
    Cell cell({}, false);
    bool drop = true;
    lose_responses(cell, 1500, [&] { return drop; });
    const auto given_up = [&] {
        return std::any_of(cell.events.begin(), cell.events.end(),
                           [](const auto& e) { return e.find("did not answer DSA-REQ") != std::string::npos; });
    };
    ASSERT_NEAR(cell.run_until(given_up, 600), 400, 5);  // four times T7
    EXPECT_EQ(cell.flows(), 2U);
    drop = false;
    ASSERT_GE(cell.run_until([&] { return cell.events_with("refused by the acknowledgement") > 0; }, 160), 0);
    EXPECT_EQ(cell.flows(), 1U);
    EXPECT_EQ(cell.state(), "registered");
    // Half a service is none: it enters again, and has both.
    ASSERT_GE(cell.run_until([&] { return cell.state() == "ranging"; }, cell.frames(5.1)), 0);
    ASSERT_GE(cell.run_until([&] { return cell.all_operational(); }, cell.frames(4)), 0);
    EXPECT_EQ(cell.bs_status()["stations"][0]["flows"].size(), 2U);
}

TEST(Dsa, AfterT8TheFlowIsSetUpAnew) {
    Cell cell({}, false);
    bool drop = true;
    lose_responses(cell, 300, [&] { return drop; });
    ASSERT_GE(cell.run_until([&] { return cell.events_with("no acknowledgement (T8)") > 0; }, 200), 0);
    EXPECT_EQ(cell.flows(), 1U);
    drop = false;
    ASSERT_GE(cell.run_until([&] { return cell.all_operational() && cell.bs->operational(); }, 150), 0);
    cell.run(10);
    EXPECT_EQ(cell.flows(), 2U);
    const Json status = cell.bs_status();
    for (const auto& flow : status["stations"][0]["flows"]) EXPECT_TRUE(flow["active"]) << flow;
}

TEST(Dsa, ARefusedDuplicateLeavesTheFlowAlone) {
    Cell cell;
    ASSERT_TRUE(cell.entered);
    const Json flow = cell.station.status()["flows"][0];
    std::optional<uint8_t> answer;
    for (const int fresh_cid : {0, 1}) {
        DsaReq request;
        request.tid = static_cast<uint16_t>(0x9000 + fresh_cid);
        auto& parameters = request.uplink.emplace();
        parameters.sfid = flow["sfid"].get<uint32_t>();
        parameters.cid = static_cast<uint16_t>(flow["cid"].get<uint16_t>() + 100 * fresh_cid);
        answer.reset();
        cell.tamper = [&](sap::RxBurst& burst) {
            if (burst.cid != 0)
                rewrite<DsaRsp>(burst, [&](DsaRsp& r) {
                    answer = r.cc;
                    return true;
                });
            else rewrite<DsaAck>(burst, [&](DsaAck&) { return false; });
        };
        cell.tell(cell.primary_cid(), request);
        ASSERT_GE(cell.run_until([&] { return answer.has_value(); }, 100), 0);
        EXPECT_EQ(*answer, confirmation::kFlowExists);
        DsaAck ack;
        ack.tid = request.tid;
        ack.cc = confirmation::kRejectOther;
        cell.tell(cell.primary_cid(), ack);
        EXPECT_EQ(cell.flows(), 2U);
        EXPECT_EQ(cell.state(), "operational");
    }
    DsaReq request;  // no acknowledgement: T8 four times
    request.tid = 0x9002;
    request.uplink.emplace().sfid = flow["sfid"].get<uint32_t>();
    request.uplink->cid = flow["cid"].get<uint16_t>();
    cell.tell(cell.primary_cid(), request);
    cell.run(140);
    EXPECT_EQ(cell.flows(), 2U);
    EXPECT_TRUE(cell.station.mac->operational());
}

TEST(Damage, WithoutCrcNothingOfADamagedBurstIsObeyed) {
    Cell cell;
    ASSERT_TRUE(cell.entered);
    DregCmd command;
    const auto silent = [&](bool fec_ok, bool crc) {
        command.action = 1;
        cell.tell(cell.basic_cid(), command, 2, fec_ok, crc);
        const bool obeyed = !cell.station.mac->operational();
        command.action = 3;
        cell.tell(cell.basic_cid(), command);
        return obeyed;
    };
    const auto malformed = [&] { return cell.station.status()["drops"]["malformed"].get<int>(); };
    const int before = malformed();
    EXPECT_TRUE(silent(true, true));
    EXPECT_TRUE(silent(true, false));
    EXPECT_TRUE(silent(false, true));
    EXPECT_EQ(malformed(), before);
    EXPECT_FALSE(silent(false, false));
    EXPECT_EQ(malformed(), before + 1);
}

TEST(Dsd, WithoutFlowsNobodyIsOperational) {
    Cell cell;
    ASSERT_TRUE(cell.entered);
    DsdReq request;
    request.tid = 0x9000;
    request.sfid = cell.station.status()["flows"][0]["sfid"].get<uint32_t>();
    cell.tell(cell.primary_cid(), request);
    EXPECT_EQ(cell.state(), "registered");
    EXPECT_FALSE(cell.station.mac->operational());
}

TEST(Dreg, SilenceLastsUntilItIsLifted) {
    Cell cell;
    ASSERT_TRUE(cell.entered);
    const uint16_t basic = cell.basic_cid();
    DregCmd command;
    command.action = 1;
    cell.tell(basic, command);
    EXPECT_FALSE(cell.station.mac->operational());
    size_t heard = 0;
    cell.tamper = [&](sap::RxBurst& burst) {
        if (from_base_station(burst)) rewrite<ResCmd>(burst, [](ResCmd&) { return false; });
        else if (burst.cid != 0) ++heard;
    };
    cell.run(cell.frames(8));  // T4 is 3 s
    EXPECT_EQ(heard, 0U);
    EXPECT_EQ(cell.events_with("T4"), 0U);
    command.action = 3;
    cell.tell(basic, command);
    EXPECT_TRUE(cell.station.mac->operational());
    cell.tamper = nullptr;
    cell.run(cell.frames(6));  // the base station has lost it: T4, and in again
    EXPECT_TRUE(cell.station.mac->operational());
    EXPECT_TRUE(cell.bs->operational());
}

TEST(Descriptors, NewProfilesHoldFromTheMapThatAnnouncesThem) {
    Cell cell;
    ASSERT_TRUE(cell.entered);
    std::optional<Dcd> present;
    std::optional<DlMap> map;
    cell.tamper = [&](sap::RxBurst& burst) {
        if (!from_base_station(burst)) return;
        rewrite<Dcd>(burst, [&](Dcd& dcd) {
            present = dcd;
            return true;
        });
        rewrite<DlMap>(burst, [&](DlMap& m) {
            map = m;
            return true;
        });
    };
    cell.run(60);
    ASSERT_TRUE(present && map);
    sap::ProfilesRequest profiles;
    ASSERT_FALSE(cell.station.mac->profiles_changed(profiles));
    Dcd next = *present;
    next.change_count = static_cast<uint8_t>(next.change_count + 1);
    std::swap(next.profiles[0].fec, next.profiles[1].fec);
    cell.tell(cid::kBroadcast, next, 1);
    EXPECT_FALSE(cell.station.mac->profiles_changed(profiles));  // not yet in force
    map->dcd_count = next.change_count;
    cell.tell(cid::kBroadcast, *map, 1);
    ASSERT_TRUE(cell.station.mac->profiles_changed(profiles));
    EXPECT_EQ(profiles.dcd_count, next.change_count);
    EXPECT_EQ(profiles.diuc_rates[1], 1);
    EXPECT_EQ(profiles.diuc_rates[2], 0);
}

TEST(Descriptors, AMapOfAnUnknownUcdIsNotUsed) {
    Cell cell;
    ASSERT_TRUE(cell.entered);
    size_t heard = 0;
    cell.tamper = [&](sap::RxBurst& burst) {
        if (from_base_station(burst))
            rewrite<UlMap>(burst, [](UlMap& map) {
                map.ucd_count = 77;
                return true;
            });
        else if (burst.cid != 0) ++heard;
    };
    const auto unusable = cell.station.status()["maps_unusable"].get<int>();
    cell.run(40);
    EXPECT_EQ(heard, 0U);
    EXPECT_EQ(cell.station.status()["maps_unusable"].get<int>() - unusable, 40);
    EXPECT_TRUE(cell.station.mac->operational());
    cell.run(cell.frames(0.6) - 38);  // lost UL-MAP interval
    EXPECT_EQ(cell.events_with("lost UL-MAP"), 1U);
}

TEST(Descriptors, GrantsLeaveThemRoom) {
    auto config = Air::with_stations(16);
    config.bandwidth_hz = 2'000'000;
    config.frame_duration_code = 2;  // 5 ms
    config.profile.broadcast_rate_id = 0;
    config.profile.scale = false;        // other windows would be announced as well
    config.profile.unasked_symbols = 2;  // more grants than a map holds with the descriptors
    ASSERT_EQ(validate(config).str(), "");
    Air air(config);
    for (int i = 0; i < 16; ++i) air.add();
    ASSERT_GE(air.run_until([&] { return air.all_operational(); }, air.frames(10)), 0) << air.bs_status().dump(1);
    air.run(air.frames(1));  // descriptors are more frequent at first
    const Json before = air.bs_status();
    for (int n = 0; n < air.frames(2); ++n) {
        if (n % 8 == 0)
            air.terminals[size_t(n / 8) % 16]->mac->push_sdu(
                ip_packet(station_address(size_t(n / 8) % 16), kServer, 200));
        air.step();
    }
    const Json after = air.bs_status();
    const auto more = [&](const char* key) { return after[key].get<int>() - before[key].get<int>(); };
    EXPECT_GE(more("ul_map_full"), 5);
    EXPECT_EQ(more("broadcast_deferred"), 0);
    EXPECT_EQ(more("ul_maps_failed"), 0);
    EXPECT_NEAR(more("dcds"), 8, 1);  // every 250 ms
    EXPECT_NEAR(more("ucds"), 8, 1);
}

TEST(Corrections, AddUpWithoutOverflowAndAreForgotten) {
    Cell cell;
    ASSERT_TRUE(cell.entered);
    const uint16_t basic = cell.basic_cid();
    RngRsp huge;
    huge.status = RangingStatus::continue_ranging;
    huge.timing_adjust_samples = INT32_MAX;
    huge.frequency_adjust_hz = INT32_MAX;
    for (int i = 0; i < 4; ++i) cell.tell(basic, huge);
    EXPECT_EQ(cell.station.status()["timing_advance_samples"], 1'000'000);
    EXPECT_EQ(cell.station.status()["frequency_adjust_hz"], 1e6F);
    huge.timing_adjust_samples = INT32_MIN;
    huge.frequency_adjust_hz = INT32_MIN;
    for (int i = 0; i < 4; ++i) cell.tell(basic, huge);
    EXPECT_EQ(cell.station.status()["timing_advance_samples"], -1'000'000);
    EXPECT_EQ(cell.station.status()["frequency_adjust_hz"], -1e6F);
    // The base station is not received any more: the station recovers without either.
    ASSERT_GE(cell.run_until([&] { return cell.state() != "operational"; }, cell.frames(5)), 0);
    ASSERT_GE(cell.run_until([&] { return cell.station.mac->operational(); }, cell.frames(10)), 0)
        << cell.station.status().dump(1);
    EXPECT_NEAR(cell.station.status()["timing_advance_samples"].get<int>(), 20, 4);
    EXPECT_NEAR(cell.station.status()["frequency_adjust_hz"].get<float>(), 0, 450);
}

TEST(RangingResponse, AnAbortIsObeyedForItsTime) {
    Cell cell;
    ASSERT_TRUE(cell.entered);
    RngRsp abort;
    abort.status = RangingStatus::abort;
    cell.tell(cell.basic_cid(), abort);
    EXPECT_FALSE(cell.station.mac->operational());
    const auto attempts = [&] { return cell.station.status()["ranging"]["attempts"].get<int>(); };
    const int before = attempts();
    cell.run(cell.frames(4.9));
    EXPECT_EQ(attempts(), before);
    EXPECT_NE(cell.state(), "ranging");
    EXPECT_GE(cell.run_until([&] { return cell.station.mac->operational(); }, cell.frames(3)), 0);
}

TEST(RangingResponse, OnTheInitialCidMovesNoServedStation) {
    Cell cell;
    ASSERT_TRUE(cell.entered);
    const Json before = cell.station.status();
    for (const auto status : {RangingStatus::continue_ranging, RangingStatus::abort, RangingStatus::rerange}) {
        RngRsp rsp;
        rsp.status = status;
        rsp.ss_mac = Air::mac_of(0);
        rsp.timing_adjust_samples = 100;
        rsp.power_adjust_qdb = -40;
        cell.tell(cid::kInitialRanging, rsp);
        const Json after = cell.station.status();
        EXPECT_EQ(after["state"], "operational");
        EXPECT_EQ(after["timing_advance_samples"], before["timing_advance_samples"]);
        EXPECT_EQ(after["power_dbm"], before["power_dbm"]);
        EXPECT_EQ(after["restarts"], before["restarts"]);
    }
}

TEST(Reentry, CountersOfAStationGoOn) {
    Cell cell;
    ASSERT_TRUE(cell.entered);
    cell.run(100);
    const int before = cell.bs_status()["stations"][0]["ul"]["bursts"];
    EXPECT_GT(before, 50);
    cell.restart(cell.station);
    ASSERT_GE(cell.run_until([&] { return !cell.all_operational(); }, 5), 0);
    ASSERT_GE(cell.run_until([&] { return cell.all_operational() && cell.bs->operational(); }, 600), 0);
    EXPECT_GE(cell.bs_status()["stations"][0]["ul"]["bursts"].get<int>(), before);
}

TEST(Entry, TheRequestedProfileFollowsTheThresholds) {
    const auto needs = needs_db(LinkGoal::few_losses, LinkAdaptationConfig{}.target_loss);
    BaseStationConfig limited;
    limited.profile.entry_db = {4, 8, 11, 14, 17, 21, 25};
    const BaseStationConfig free;
    struct Case {
        const BaseStationConfig& config;
        float cinr_db;
        int diuc;
    };
    for (const auto& [config, cinr_db, diuc] : std::initializer_list<Case>{{free, needs[6] + 0.05F, 7},
                                                                           {free, needs[6] - 0.05F, 6},
                                                                           {free, needs[4] + 0.05F, 5},
                                                                           {free, needs[4] - 0.05F, 4},
                                                                           {free, needs[1] + 0.05F, 2},
                                                                           {free, needs[1] - 0.05F, 1},
                                                                           {limited, 25.05F, 7},
                                                                           {limited, 24.95F, 6},
                                                                           {limited, 8.05F, 2},
                                                                           {limited, 7.95F, 1}}) {
        Cell cell(config, false);
        cell.station.link.path_loss_db = 120 - cinr_db;
        int asked = -1;
        cell.tamper = [&](sap::RxBurst& burst) {
            if (burst.kind != sap::BurstKind::ranging) return;
            PduReader reader(burst.payload);
            RngReq request;
            if (const auto pdu = reader.next(); pdu && decode(pdu->body, request) && request.requested_profile)
                asked = request.requested_profile->diuc;
        };
        cell.run_until([&] { return asked >= 0; }, cell.frames(3));
        EXPECT_EQ(asked, diuc) << cinr_db;
    }
}

}  // namespace test_air_messages
