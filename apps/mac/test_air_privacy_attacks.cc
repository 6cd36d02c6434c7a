// SPDX-License-Identifier: GPL-3.0-or-later
// Attacks that replace bursts of a cell with privacy: recorded, changed and forged ones, and a clone.
#include "mac/pdu/cid.h"
#include "mac/station_command.h"
#include "mac/test_private_cell.h"

using namespace wimax::mac;
using namespace wimax::mac::test;
namespace sap = wimax::sap;

namespace test_air_privacy_attacks {

constexpr uint32_t kStation = station_address(0);

/// Bursts of the base station or of the station, of which one can be kept and put in another's place.
struct Recorder {
    std::vector<uint8_t> kept;
    bool replay = false;

    static bool has_encrypted(const sap::RxBurst& burst) {
        PduReader reader(burst.payload);
        while (const auto pdu = reader.next())
            if (!pdu->is_request && pdu->header.ec) return true;
        return false;
    }
    /// Keeps the first DREG-CMD, and replaces a burst after the broadcast by it.
    void command(sap::RxBurst& burst) {
        if (burst.cid != 0) return;
        PduReader reader(burst.payload);
        while (const auto pdu = reader.next())
            if (kept.empty() && message_type(pdu->body) == MessageType::dreg_cmd)
                kept.assign(pdu->octets.begin(), pdu->octets.end());
        if (burst.index > 1 && std::exchange(replay, false)) burst.payload = kept;
    }
};

/// Plain flows, and flows with ARQ and header suppression.
class PrivateAttacks : public testing::TestWithParam<bool> {
protected:
    static BaseStationConfig one_station() {
        const BaseStationConfig plain;
        auto config = Air::with_stations(1, plain);
        return GetParam() ? with_arq_and_suppression(std::move(config)) : config;
    }
};
INSTANTIATE_TEST_SUITE_P(ArqAndSuppression, PrivateAttacks, testing::Bool());

TEST_P(PrivateAttacks, AReplayedPduIsDroppedAtEitherEnd) {
    for (const bool up : {true, false}) {
        PrivateCell cell(PrivateCell::with_privacy(one_station()));
        cell.join();
        enter(cell);
        Recorder recorder;
        cell.tamper = [&](sap::RxBurst& burst) {
            const bool from_station = burst.cid != 0;
            if (from_station != up || !burst.detected || !Recorder::has_encrypted(burst)) return;
            if (recorder.kept.empty()) recorder.kept = burst.payload;
            if (std::exchange(recorder.replay, false)) burst.payload = recorder.kept;
        };
        cell.exchange();
        cell.run(20);
        ASSERT_FALSE(recorder.kept.empty());
        recorder.replay = true;
        cell.exchange();
        cell.run(20);
        const Json end = up ? cell.at_base(0) : PrivateCell::privacy_of(cell.terminals[0]->status());
        EXPECT_GE(end["pdus"]["replayed"], 1) << up;
        EXPECT_EQ(end["pdus"]["forged"], 0);
        const auto& numbers = up ? cell.ul_numbers : cell.terminals[0]->dl_numbers;
        EXPECT_EQ(std::ranges::count(numbers, 1u), 1) << "the packet came twice";
        EXPECT_TRUE(up ? cell.has_line("PDU dropped, replayed")
                       : PrivateCell::has_line(*cell.terminals[0], "PDU dropped, replayed"));
        cell.exchange();
        cell.run(20);
        EXPECT_EQ(numbers.back(), 3u);
    }
}

TEST_P(PrivateAttacks, PdusThatAreNotEncryptedOrAreChangedAreDropped) {
    PrivateCell cell(PrivateCell::with_privacy(one_station()));
    cell.join();
    enter(cell);
    bool clear = false, changed = false;
    cell.tamper = [&](sap::RxBurst& burst) {
        if (burst.cid == 0 || !Recorder::has_encrypted(burst)) return;
        PduReader reader(burst.payload);
        const auto pdu = reader.next();
        if (!pdu || pdu->is_request || !pdu->header.ec) return;
        std::vector<uint8_t> forged;
        PduWriter writer(forged, burst.payload.size());
        if (clear) {
            (void)writer.begin(pdu->cid());
            writer.payload(ip_packet(kStation, kServer, 100, 5000, 999));
            (void)writer.finish();
        } else if (changed) {
            forged = burst.payload;
            const size_t end = pdu->octets.size() - kCrcOctets;
            forged[20] ^= 1;
            const auto crc = crc32(Octets(forged).first(end), kAirCrcStyle);
            std::ranges::copy(crc, forged.begin() + static_cast<std::ptrdiff_t>(end));
        } else {
            return;
        }
        clear = changed = false;
        burst.payload = forged;
    };
    clear = true;
    cell.exchange();
    cell.run(20);
    changed = true;
    cell.exchange();
    cell.run(20);
    const Json end = cell.at_base(0);
    EXPECT_EQ(end["pdus"]["unprotected"], 1);
    EXPECT_EQ(end["pdus"]["forged"], 1);
    EXPECT_EQ(std::ranges::count(cell.ul_numbers, 999u), 0);
    EXPECT_TRUE(cell.has_line("PDU dropped, forged"));
}

void command(PrivateCell& cell, StationCommand::Kind kind) {
    StationCommand wish;
    wish.kind = kind;
    wish.station = Air::mac_of(0);
    ASSERT_TRUE(cell.bs->command_station(wish));
}

/// The recorded command again: counted and reported, and the station still sends.
void expect_unheard(PrivateCell& cell, auto& station, Recorder& recorder, const char* counter, const char* line) {
    recorder.replay = true;
    cell.exchange();
    cell.run(20);
    EXPECT_FALSE(recorder.replay);
    EXPECT_EQ(PrivateCell::privacy_of(station.status())["messages"][counter], 1);
    EXPECT_TRUE(PrivateCell::has_line(station, line));
    send(cell, 0, 100, 5000, 77);
    cell.run(20);
    EXPECT_EQ(std::ranges::count(cell.ul_numbers, 77u), 1) << "it is suspended";
}

TEST_P(PrivateAttacks, ARecordedCommandIsNotObeyedAgain) {
    PrivateCell cell(PrivateCell::with_privacy(one_station()));
    auto& station = cell.join();
    enter(cell);
    Recorder recorder;
    cell.tamper = [&](sap::RxBurst& burst) { recorder.command(burst); };
    command(cell, StationCommand::Kind::suspend);
    cell.run(20);
    ASSERT_FALSE(recorder.kept.empty());
    EXPECT_TRUE(PrivateCell::has_line(station, "suspended by the base station"));
    command(cell, StationCommand::Kind::resume);
    cell.run(50);
    const auto obeyed = std::ranges::count_if(station.events, [](const auto& line) {
        return line.find("suspended by the base station") != std::string::npos;
    });
    EXPECT_EQ(obeyed, 1);
    expect_unheard(cell, station, recorder, "replayed", "management message dropped, replayed");
}

/// Signed, but with a key that has ended meanwhile.
TEST_P(PrivateAttacks, ACommandOfAnEndedKeyIsNotObeyed) {
    PrivateCell cell(PrivateCell::with_privacy(one_station(), PrivacyPolicy::required, {.ak_s = 10, .tek_s = 6}));
    auto& station = cell.join(PrivacyPolicy::required, nullptr, {.authorization_grace_s = 5, .tek_grace_s = 2});
    enter(cell);
    Recorder recorder;
    cell.tamper = [&](sap::RxBurst& burst) { recorder.command(burst); };
    command(cell, StationCommand::Kind::suspend);
    cell.run(20);
    ASSERT_FALSE(recorder.kept.empty());
    command(cell, StationCommand::Kind::resume);
    cell.run(cell.frames(25));
    expect_unheard(cell, station, recorder, "old_key", "management message dropped, ");
}

TEST_P(PrivateAttacks, ForgedCommandsAreNotObeyed) {
    PrivateCell cell(PrivateCell::with_privacy(one_station()));
    auto& station = cell.join();
    enter(cell);
    const uint16_t basic = station.status()["basic_cid"];
    int forge = 0;
    cell.tamper = [&](sap::RxBurst& burst) {
        if (burst.cid != 0 || burst.index == 1 || forge == 0) return;
        std::vector<uint8_t> forged;
        PduWriter writer(forged, 2000);
        DregCmd leave;
        ResCmd reset;
        leave.hmac = reset.hmac = HmacTuple{};
        if (forge == 2) leave.hmac.reset();
        if (forge == 3) (void)writer.message(basic, reset);
        else (void)writer.message(basic, leave);
        burst.payload = forged;
        forge = 0;
    };
    for (const int what : {1, 2, 3}) {
        forge = what;
        cell.exchange();
        cell.run(20);
        EXPECT_EQ(forge, 0);
        EXPECT_TRUE(station.mac->operational()) << what;
    }
    const Json messages = PrivateCell::privacy_of(station.status())["messages"];
    EXPECT_EQ(messages["unsigned"].get<int>() + messages["old_key"].get<int>(), 3);
    cell.exchange();
    cell.run(20);
    EXPECT_EQ(station.dl_numbers.back(), 4u);
}

TEST_P(PrivateAttacks, ForgedMessagesOfTheStationAreNotObeyed) {
    PrivateCell cell(PrivateCell::with_privacy(one_station()));
    auto& station = cell.join();
    enter(cell);
    const uint16_t basic = station.status()["basic_cid"];
    bool forge = true;
    cell.tamper = [&](sap::RxBurst& burst) {
        if (burst.cid != basic || !burst.detected || !std::exchange(forge, false)) return;
        std::vector<uint8_t> forged;
        PduWriter writer(forged, 2000);
        DregReq bye;
        bye.hmac = HmacTuple{};
        (void)writer.message(basic, bye);
        burst.payload = forged;
    };
    cell.exchange();
    cell.run(40);
    EXPECT_FALSE(forge);
    EXPECT_EQ(cell.bs_status()["registered"], 1);
    EXPECT_TRUE(station.mac->operational());
    EXPECT_EQ(cell.at_base(0)["messages"]["unsigned"].get<int>() + cell.at_base(0)["messages"]["old_key"].get<int>(),
              1);
    EXPECT_TRUE(cell.has_line("management message dropped, "));
}

TEST_P(PrivateAttacks, APduOfAKeyThatHasEndedIsDropped) {
    // A new TEK each 3 s, four numbers of them: after 8 s no key has the number of the kept PDU.
    PrivateCell cell(PrivateCell::with_privacy(one_station(), PrivacyPolicy::required, {.ak_s = 100, .tek_s = 6}));
    cell.join(PrivacyPolicy::required, nullptr, {.authorization_grace_s = 5, .tek_grace_s = 2});
    enter(cell);
    Recorder recorder;
    cell.tamper = [&](sap::RxBurst& burst) {
        if (burst.cid == 0 || !burst.detected || !Recorder::has_encrypted(burst)) return;
        if (recorder.kept.empty()) recorder.kept = burst.payload;
        if (std::exchange(recorder.replay, false)) burst.payload = recorder.kept;
    };
    cell.exchange();
    cell.run(cell.frames(8));
    ASSERT_FALSE(recorder.kept.empty());
    EXPECT_EQ(cell.at_base(0)["pdus"]["unknown_key"], 0);
    recorder.replay = true;
    cell.exchange();
    cell.run(20);
    EXPECT_EQ(cell.at_base(0)["pdus"]["unknown_key"], 1);
    EXPECT_TRUE(cell.has_line("PDU dropped, unknown key"));
    // It gets TEK Invalid, requests keys, and has those that are in force.
    EXPECT_EQ(cell.at_base(0)["tek_invalids"], 1);
    cell.run(cell.frames(2));
    cell.exchange();
    cell.run(20);
    EXPECT_EQ(cell.ul_numbers.back(), 3u);
}

TEST_P(PrivateAttacks, ACloneOfARegisteredStationIsSentAway) {
    // With its address, certificate and private key: as much as can be stolen.
    PrivateCell cell(PrivateCell::with_privacy(one_station()));
    auto& station = cell.join();
    enter(cell);
    auto& clone = cell.join(PrivacyPolicy::required, &PrivateLab::one().stations[0]);
    clone.config.mac = Air::mac_of(0);
    cell.restart(clone);
    cell.run(cell.frames(5));
    EXPECT_TRUE(station.mac->operational());
    EXPECT_FALSE(clone.mac->operational());
    EXPECT_EQ(cell.bs_status()["registered"], 1);
    EXPECT_GE(cell.bs_status()["ranging"]["duplicates"], 1);
    EXPECT_TRUE(cell.has_line("a second station with this address"));
    cell.bs->push_sdu(ip_packet(kServer, kStation, 100, 5000, 55));
    send(cell, 0, 100, 5000, 56);
    cell.run(20);
    EXPECT_EQ(std::ranges::count(station.dl_numbers, 55u), 1);
    EXPECT_EQ(std::ranges::count(cell.ul_numbers, 56u), 1);
}

/// The first PKM message of that end is cut in its middle, or has additional octets.
void expect_pkm_message_dropped(bool up, bool longer) {
    SCOPED_TRACE(std::string(up ? "up" : "down") + (longer ? ", longer" : ", shorter"));
    PrivateCell cell(PrivateCell::with_privacy(Air::with_stations(1)));
    auto& station = cell.join(PrivacyPolicy::required, nullptr, {.authorize_wait_s = 2});  // less than T17
    bool forge = true;
    cell.tamper = [&](sap::RxBurst& burst) {
        if ((burst.cid != 0) != up || !burst.detected || !forge) return;
        PduReader reader(burst.payload);
        while (const auto pdu = reader.next()) {
            if (pdu->is_request || pdu->header.ec) continue;
            const auto type = message_type(pdu->body);
            if (type != MessageType::pkm_req && type != MessageType::pkm_rsp) continue;
            std::vector<uint8_t> octets(pdu->body.begin(), pdu->body.end()), forged;
            octets.resize(longer ? octets.size() + 3 : octets.size() / 2, 0xFF);
            PduWriter writer(forged, octets.size() + 50);
            (void)writer.begin(pdu->cid());
            writer.payload(octets);
            (void)writer.finish();
            burst.payload = forged;
            forge = false;
            return;
        }
    };
    ASSERT_GE(cell.run_until([&] { return cell.all_operational(); }, cell.frames(15)), 0);
    EXPECT_FALSE(forge);
    EXPECT_EQ(cell.at_base(0)["unreadable"], up ? 1 : 0);
    EXPECT_EQ(PrivateCell::privacy_of(station.status())["unreadable"], up ? 0 : 1);
    EXPECT_TRUE(up ? cell.has_line("PKM message dropped, unreadable")
                   : PrivateCell::has_line(station, "PKM message dropped, unreadable"));
}

TEST(PrivateMessages, TruncatedAndOversizedPkmMessagesAreDropped) {
    for (const bool up : {true, false})
        for (const bool longer : {true, false}) expect_pkm_message_dropped(up, longer);
}

TEST(PrivateOperator, CommandsAreSignedAndObeyed) {
    PrivateCell cell(PrivateCell::with_privacy(Air::with_stations(1)));
    auto& station = cell.join();
    enter(cell);
    command(cell, StationCommand::Kind::silence);
    cell.run(20);
    EXPECT_TRUE(PrivateCell::has_line(station, "silenced by the base station"));
    command(cell, StationCommand::Kind::resume);
    cell.run(200);
    EXPECT_TRUE(PrivateCell::has_line(station, "may transmit again"));
    command(cell, StationCommand::Kind::reset);
    cell.run(30);
    EXPECT_TRUE(PrivateCell::has_line(station, "reset by the base station"));
    enter(cell);
    EXPECT_EQ(cell.at_base(0)["state"], "authorized");
    command(cell, StationCommand::Kind::deregister);
    cell.run(30);
    EXPECT_TRUE(PrivateCell::has_line(station, "sent away by the base station"));
}

}  // namespace test_air_privacy_attacks
