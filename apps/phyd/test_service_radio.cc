// SPDX-License-Identifier: GPL-3.0-or-later
// The service between a MAC and the air, both played by the test: opened and refused radios, gains of an open radio, a
// radio that is lost.
#include "phyd/test_service.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace wimax::phyd::test {
namespace {

TEST_F(ServiceTest, ConfirmTellsLevelsRateAndTime) {
    open(sap::Role::base_station);
    say(request());
    ASSERT_TRUE(opened());
    const auto confirm = port.all<sap::ConfigConfirm>().at(0);
    EXPECT_EQ(confirm.mac_session, 11U);
    EXPECT_EQ(confirm.sample_rate_hz, 5'760'000U);
    EXPECT_EQ(confirm.tx_reference_dbm, 30);
    EXPECT_EQ(confirm.rx_reference_dbm, -40);
    EXPECT_TRUE(confirm.lock_step);
    EXPECT_EQ(confirm.version, config::version());
    EXPECT_EQ(air.started, 1);
    auto elsewhere = request();
    elsewhere.carriers.downlink_hz += 1'000'000;
    say(elsewhere);
    ASSERT_TRUE(opened());
    EXPECT_EQ(air.opened, 2);
}

TEST_F(ServiceTest, WrongRequestsAreRefusedWithAllFaults) {
    open(sap::Role::base_station);
    auto wrong = request();
    wrong.role = sap::Role::subscriber_station;
    wrong.bandwidth_hz = 1'000'000;
    say(wrong);
    wrong = request();
    wrong.frame_duration_code = 7;
    say(wrong);
    wrong = request();
    wrong.bandwidth_hz = 28'000'000;
    wrong.frame_duration_code = 6;  // 32 MS/s, symbols of 288
    say(wrong);
    const auto confirms = port.all<sap::ConfigConfirm>();
    ASSERT_EQ(confirms.size(), 3U);
    EXPECT_EQ(confirms[0].faults, (std::vector<std::string>{"role: this PHY is a bs",
                                                            "bandwidth_hz: value 1000000: allowed 1250000..28000000"}));
    EXPECT_EQ(confirms[1].faults, std::vector<std::string>{"frame_duration_code: value 7: allowed 0..6"});
    EXPECT_EQ(confirms[2].faults,
              std::vector<std::string>{"frame_duration_code: value 2222 symbols a frame: allowed at most 2047"});
    EXPECT_EQ(air.opened, 0);
    air.fault = "tx gain: 99 dB, the device allows 0 .. 60";
    say(request());
    ASSERT_TRUE(opened());
    EXPECT_EQ(port.all<sap::ConfigConfirm>().at(3).faults, std::vector<std::string>{air.fault});
    air.fault.clear();
    air.refusal = "no sample rate";  // returned, not thrown
    say(request());
    ASSERT_TRUE(opened());
    EXPECT_EQ(port.all<sap::ConfigConfirm>().at(4).faults, std::vector<std::string>{"bandwidth_hz: no sample rate"});
}

TEST_F(ServiceTest, APrefixThatIsNoneIsTheBaseStationsFaultOnly) {
    open(sap::Role::base_station);
    auto wrong = request();
    wrong.cp_denominator = 7;
    say(wrong);
    EXPECT_EQ(port.all<sap::ConfigConfirm>().at(0).faults,
              std::vector<std::string>{"cp_denominator: value 7: allowed 4, 8, 16, 32"});
    open(sap::Role::subscriber_station);  // detects the prefix
    wrong.role = sap::Role::subscriber_station;
    say(wrong);
    ASSERT_TRUE(opened());
    EXPECT_TRUE(port.all<sap::ConfigConfirm>().at(1).faults.empty());
}

/// The other values of such a request have another meaning: the PHY reports the air interface only.
TEST_F(ServiceTest, AMacOfAnotherAirInterfaceIsRefused) {
    open(sap::Role::base_station);
    auto other = request();
    other.phy = static_cast<sap::AirInterface>(1);
    other.bandwidth_hz = 1;
    say(other);
    ASSERT_TRUE(opened());
    ASSERT_EQ(port.all<sap::ConfigConfirm>().size(), 1U);
    EXPECT_EQ(port.all<sap::ConfigConfirm>()[0].faults,
              std::vector<std::string>{"phy: the MAC requests air interface 1, this PHY has only OFDM-256 (0)"});
    EXPECT_EQ(air.tried, 0);
    say(request());
    ASSERT_TRUE(opened());
    ASSERT_EQ(port.all<sap::ConfigConfirm>().size(), 2U);
    EXPECT_TRUE(port.all<sap::ConfigConfirm>()[1].faults.empty());
}

/// The MAC gets the refusal before the radio is opened.
TEST_F(ServiceTest, AChannelOutsideOfTheAllowedBandsIsRefused) {
    for (const auto role : {sap::Role::base_station, sap::Role::subscriber_station}) {
        open(role);
        auto outside = request();
        outside.carriers.downlink_hz = 3'598'000'000;  // its upper edge is outside
        say(outside);
        EXPECT_FALSE(service->opening());
        EXPECT_EQ(air.tried, 0);
        EXPECT_EQ(
            port.all<sap::ConfigConfirm>().back().faults,
            std::vector<std::string>{"radio.allowed_bands: value 3400 .. 3600 MHz: allowed bands that hold the whole "
                                     "channel at 3598000000 Hz, 3595.5 .. 3600.5 MHz"});
    }
    config.tx_enable = TransmitSwitch::off;  // it may listen anywhere
    open(sap::Role::subscriber_station);
    auto outside = request();
    outside.carriers.downlink_hz = 3'598'000'000;
    say(outside);
    ASSERT_TRUE(opened());
    EXPECT_EQ(air.tried, 1);
}

/// The allowed bands limit the carrier on which it transmits.
TEST_F(ServiceTest, EachRoleTransmitsOnItsCarrier) {
    transmit_without_pauses();
    for (const auto role : {sap::Role::base_station, sap::Role::subscriber_station}) {
        open(role);
        auto apart = request();
        apart.carriers = {3'500'000'000, 200'000'000};  // the uplink is outside
        say(apart);
        ASSERT_TRUE(opened());
        const auto faults = port.all<sap::ConfigConfirm>().back().faults;
        ASSERT_EQ(faults.size(), role == sap::Role::base_station ? 0U : 1U);
        for (const auto& fault : faults) EXPECT_THAT(fault, testing::HasSubstr("channel at 3700000000 Hz"));
    }
}

/// FDD's frames follow each other without a pause, which the limits of transmission usually exclude.
TEST_F(ServiceTest, APairOfCarriersNeedsLimitsWithoutPauses) {
    auto pair = request();
    pair.carriers.duplex_spacing_hz = -50'000'000;
    open(sap::Role::base_station);
    say(pair);
    EXPECT_EQ(air.tried, 0);
    EXPECT_EQ(
        port.all<sap::ConfigConfirm>().back().faults,
        (std::vector<std::string>{
            "radio.longest_burst_ms: value 20: allowed null with two carriers (FDD): its frames follow each other "
            "without a pause",
            "radio.max_duty_cycle: value 0.95: allowed 1 with two carriers (FDD): its frames follow each other "
            "without a pause"}));
    transmit_without_pauses();
    open(sap::Role::base_station);
    say(pair);
    ASSERT_TRUE(opened());
    EXPECT_EQ(port.all<sap::ConfigConfirm>().back().faults, std::vector<std::string>());
}

/// With two carriers the uplink of a frame may end in the next one.
TEST_F(ServiceTest, AnUplinkOnItsOwnCarrierMayBeginInItsFrameAndEndInTheNext) {
    transmit_without_pauses();
    for (const bool two : {false, true}) {
        open(sap::Role::base_station);
        auto asked = request();
        asked.carriers.duplex_spacing_hz = two ? -50'000'000 : 0;
        say(asked);
        ASSERT_TRUE(opened());
        report(tick(42));
        sap::RxExpect expect;
        expect.frame_number = sap::FrameNumber(42);
        expect.allocations.resize(1);
        expect.allocations[0].start_slot = sap::Slot(14'000);
        expect.allocations[0].format.data_symbols = 100;
        say(expect);
        EXPECT_EQ(air.expectations.back().bursts.size(), two ? 1U : 0U);
    }
}

/// Its MAC changes its mind while the radio is being opened.
TEST_F(ServiceTest, ARadioOfAnotherConfigurationIsOpenedAnew) {
    std::promise<void> there;
    gate = there.get_future();
    open(sap::Role::base_station);
    say(request());
    auto elsewhere = request();
    elsewhere.mac_session = 12;
    elsewhere.carriers.downlink_hz += 1'000'000;
    say(elsewhere);
    EXPECT_EQ(service->status_line(), "opening the radio  no MAC");
    there.set_value();
    ASSERT_TRUE(opened());
    step();
    ASSERT_TRUE(opened());
    EXPECT_EQ(air.opened, 2);
    EXPECT_EQ(air.started, 1);
    const auto confirms = port.all<sap::ConfigConfirm>();
    ASSERT_EQ(confirms.size(), 1U);
    EXPECT_EQ(confirms[0].mac_session, 12U);
}

/// A missing device is tried again, and the MAC gets no confirmation until then.
TEST_F(ServiceTest, ADeviceThatIsNotThereIsTriedAgain) {
    unavailable = true;
    open(sap::Role::base_station);
    EXPECT_EQ(service->status_line(), "waiting for a MAC  no MAC");
    say(request());
    ASSERT_TRUE(opened());
    EXPECT_TRUE(port.told.empty());
    EXPECT_EQ(service->status_line(), "opening the radio  no MAC");
    EXPECT_EQ(status()["radio_open"], false);
    unavailable = false;
    ASSERT_TRUE(until([this] { return !port.told.empty(); }));  // a second later
    EXPECT_EQ(air.opened, 1);
    EXPECT_TRUE(port.all<sap::ConfigConfirm>().at(0).faults.empty());
}

/// A MAC repeats its request every 200 ms until it gets a response. The device is tried and reported once per second.
TEST_F(ServiceTest, AMacThatAsksAgainDoesNotHurryADevice) {
    unavailable = true;
    open(sap::Role::base_station);
    for (int i = 0; i < 20; ++i) {
        say(request());
        ASSERT_TRUE(opened());
    }
    EXPECT_LT(air.tried, 5);  // 20 without the wait
    auto another = request();
    another.mac_session = 12;
    unavailable = false;
    say(another);
    ASSERT_TRUE(opened());
    step();
    EXPECT_EQ(port.all<sap::ConfigConfirm>().size(), 1U);
}

/// GNU Radio finds no memory or folder: the program continues, and the next try succeeds.
TEST_F(ServiceTest, AnAirThatDoesNotStartIsTriedAgain) {
    air.start_fault = "filesystem error: cannot create directory";
    open(sap::Role::base_station);
    say(request());
    ASSERT_TRUE(opened());
    EXPECT_EQ(air.started, 1);
    EXPECT_EQ(status()["radio_open"], false);
    EXPECT_EQ(status()["mac_attached"], false);
    step();
    EXPECT_EQ(air.opened, 1);  // not before a second
    air.start_fault.clear();
    ASSERT_TRUE(until([this] { return air.started > 1; }));
    EXPECT_EQ(air.opened, 2);
    EXPECT_EQ(status()["radio_open"], true);
    EXPECT_EQ(status()["mac_attached"], true);
}

/// As after a pulled cable: the radio is opened again, and the MAC restarts with it.
TEST_F(ServiceTest, ARadioThatIsLostIsOpenedAnew) {
    attach(sap::Role::base_station);
    report(tick(1));
    const size_t told = port.all<sap::ConfigConfirm>().size();
    air.lost = "unplugged";
    unavailable = true;
    step();
    EXPECT_EQ(status()["radio_open"], false);
    EXPECT_EQ(status()["radio_losses"], 1);
    EXPECT_EQ(status()["mac_attached"], false);
    ASSERT_TRUE(opened());
    air.lost.reset();
    unavailable = false;
    ASSERT_TRUE(until([&] { return port.all<sap::ConfigConfirm>().size() > told; }));
    EXPECT_EQ(air.opened, 2);
    EXPECT_EQ(status()["radio_losses"], 1);
    EXPECT_EQ(status()["mac_attached"], true);
}

TEST_F(ServiceTest, GainsChangeAtTheOpenRadio) {
    open(sap::Role::base_station);
    EXPECT_THAT(service->set_gain(true, 40).str(), testing::HasSubstr("only while the radio is open"));
    EXPECT_EQ(service->gain(true), nullptr);
    attach(sap::Role::base_station);
    EXPECT_EQ(service->gain(false), 20.0);
    EXPECT_TRUE(service->set_gain(false, 26).empty());
    EXPECT_EQ(air.gains.rx_db, 26);
    // The front-end state belonged to another gain.
    EXPECT_EQ(air.controls.back().forget_front_end, true);
    const size_t controls = air.controls.size();
    EXPECT_TRUE(service->set_gain(false, 26).empty());
    EXPECT_TRUE(service->set_gain(true, 50).empty());
    EXPECT_EQ(air.controls.size(), controls);
    EXPECT_EQ(air.gains.tx_db, 50);
    EXPECT_EQ(service->gain(false), 26.0);
    air.status.rssi_dbfs = -10;
    EXPECT_EQ(status()["rssi_dbm"], -56.0);  // full scale is 6 dB lower now
    EXPECT_THAT(service->set_gain(false, 80).str(), testing::HasSubstr("rx gain: too much"));
    EXPECT_THAT(service->set_gain(true, "much").str(), testing::HasSubstr("a number of dB"));
    air.agc = true;
    EXPECT_EQ(service->set_gain(false, 30).str(), "rx gain: follows what is received");
    air.agc = false;
    EXPECT_EQ(service->gain(false), 26.0);
    // The radio is not opened again for a MAC with other gains.
    auto other = request();
    other.mac_session = 12;
    other.tx_gain_db = 44;
    other.rx_gain_db = 33;
    say(other);
    EXPECT_EQ(air.opened, 1);
    EXPECT_EQ(air.gains.tx_db, 44);
    EXPECT_EQ(port.all<sap::ConfigConfirm>().back().tx_reference_dbm, 24);
}

/// Ticks have the current levels, not only the confirmation at the start.
TEST_F(ServiceTest, TicksTellTheLevelsOfTheGains) {
    attach(sap::Role::subscriber_station);
    const auto levels = [&] {
        report(tick(5));
        const auto last = port.all<sap::FrameTick>().back();
        return std::pair(last.tx_reference_dbm, last.rx_reference_dbm);
    };
    EXPECT_EQ(levels(), std::pair(30.0F, -40.0F));
    EXPECT_TRUE(service->set_gain(true, 44).empty());
    EXPECT_TRUE(service->set_gain(false, 26).empty());
    EXPECT_EQ(levels(), std::pair(24.0F, -46.0F));
}

// --- a second radio, a second MAC ----------------------------------------------------------------------------------

/// A radio that is opened again, or in another channel, counts from 0: its events are reported from the first on,
/// whatever the previous radio counted.
TEST_F(ServiceTest, ANewRadiosCountsBeginAtNothing) {
    for (const bool lost : {true, false}) {
        SCOPED_TRACE(lost);
        port.told.clear();
        air = {};
        attach(sap::Role::base_station);
        auto& radio = air.status.radio;
        radio.late = 50, radio.underflows = 20, radio.overflows = 30, radio.sequence_errors = 40;
        radio.clipped_samples = 70;
        radio.refused = {0, 5, 6, 7};
        radio.gate = {.late = 9, .last_late = {1000, kSampleRateHz / 1000}};
        report(tick(42));
        EXPECT_THAT(service->status_line(), testing::HasSubstr("U 20 (+20)  O 30 (+30)  L 50 (+50)  S 40 (+40)"));
        radio = {};
        if (lost) {
            air.lost = "gone";
            step();
            air.lost.reset();
        } else {
            auto elsewhere = request();
            elsewhere.carriers.downlink_hz += 1'000'000;
            say(elsewhere);
        }
        ASSERT_TRUE(until([&] { return air.started == 2; }));
        report(tick(43));
        EXPECT_EQ(status()["late_frames"].size(), 1U);
        radio.late = 3, radio.underflows = 2, radio.overflows = 1;
        radio.gate = {.late = 2, .last_late = {5000, 2 * kSampleRateHz / 1000}};
        report(tick(44));
        const auto lates = status()["late_frames"];
        ASSERT_EQ(lates.size(), 2U);
        EXPECT_EQ(lates[1]["frame"], 44);
        EXPECT_EQ(lates[1]["count"], 5);
        EXPECT_EQ(lates[1]["late_us"], 2000);
        EXPECT_THAT(service->status_line(), testing::HasSubstr("U 2 (+2)  O 1 (+1)  L 3 (+3)"));
        EXPECT_THAT(service->status_line(), testing::HasSubstr("U 2 (+0)  O 1 (+0)  L 3 (+0)"));
    }
}

/// A MAC after another one starts like the first: no frame has been ticked for it, no broadcast burst was received for
/// it, and expectations of the former MAC cause no outage.
TEST_F(ServiceTest, ANewMacKnowsNoFrameOfTheFormers) {
    for (const auto role : {sap::Role::base_station, sap::Role::subscriber_station}) {
        const bool bs = role == sap::Role::base_station;
        SCOPED_TRACE(bs ? "bs" : "ss");
        port.told.clear();
        port.alive = true;
        air = {};
        attach(role);
        const auto hear = [&](uint32_t number, bool good) {
            auto r = broadcast(number);
            r.burst.detected = true;
            r.burst.fec_ok = good;
            report(r);
        };
        report(tick(42));
        hear(42, true);
        hear(43, false);
        sap::RxExpect expect;
        expect.frame_number = sap::FrameNumber(42);
        say(expect);
        EXPECT_TRUE(port.all<sap::ErrorIndication>().empty());
        for (const bool lost_before : {true, false}) {
            port.alive = !lost_before;
            step();
            port.alive = true;
            auto again = request();
            again.mac_session = lost_before ? 12 : 14;
            say(again);
            ASSERT_EQ(air.opened, 1);
            port.told.clear();
            const size_t frames = air.frames.size(), expectations = air.expectations.size();
            say(answer(42, bs ? 216 : 5000, 4));
            say(expect);
            const auto told = port.all<sap::ErrorIndication>();
            ASSERT_EQ(told.size(), 2U);
            EXPECT_EQ(told[0].detail, "TxFrame before any tick");
            EXPECT_EQ(told[1].detail,
                      bs ? "RxExpect for a frame that was not ticked lately" : "RxExpect before any broadcast burst");
            EXPECT_EQ(air.frames.size(), frames);
            EXPECT_EQ(air.expectations.size(), expectations);
        }
        hear(60, true);
        hear(61, true);
        hear(62, false);
        hear(63, true);
        hear(64, true);
        // Only of the new MAC: expectations that the others left cause no outage.
        EXPECT_EQ(status()["reception"]["outages"], 1);
        EXPECT_EQ(status()["reception"]["outage_frames"], 1);
        EXPECT_EQ(status()["mac_sessions"], 3);
        EXPECT_EQ(status()["mac_losses"], 1);
    }
}

/// Slots for future ticks are empty, whatever number is requested.
TEST_F(ServiceTest, AFrameThatWasNeverTickedIsNone) {
    for (const uint32_t ticked : {1, 5, 7, 8, 9, 40}) {
        air = {};
        attach(sap::Role::base_station);
        for (uint32_t n = 0; n < ticked; ++n) report(tick(1000 + n));
        port.told.clear();
        for (const uint32_t number : {0U, 1U, 999U, 1000 + ticked}) say(answer(number, 216, 4));
        EXPECT_EQ(port.all<sap::ErrorIndication>().size(), 4U) << ticked;
        port.told.clear();
        for (uint32_t n = ticked - std::min(ticked, 8U); n < ticked; ++n) say(answer(1000 + n, 216, 4));
        EXPECT_TRUE(port.all<sap::ErrorIndication>().empty()) << ticked;
    }
}

/// Warnings that appear once per channel appear again for another MAC.
TEST_F(ServiceTest, ANewMacIsToldOfGapsThatAreTooShort) {
    air.turn_times = {1000, 1000};
    attach(sap::Role::base_station);
    const auto said = [&](uint32_t number) {
        testing::internal::CaptureStderr();
        report(tick(number));
        sap::RxExpect expect;
        expect.frame_number = sap::FrameNumber(number);
        expect.allocations.resize(1);
        expect.allocations[0].start_slot = sap::Slot(7300);
        expect.allocations[0].format.data_symbols = 2;
        say(expect);
        say(answer(number, 216, 98));  // to slot 7272
        return testing::internal::GetCapturedStderr();
    };
    EXPECT_THAT(said(42), testing::HasSubstr("from sending to receiving"));
    EXPECT_THAT(said(43), testing::Not(testing::HasSubstr("from sending to receiving")));
    auto again = request();
    again.mac_session = 12;
    say(again);
    EXPECT_THAT(said(44), testing::HasSubstr("from sending to receiving"));
    again.mac_session = 13;
    transmit_without_pauses();
    again.carriers.duplex_spacing_hz = -50'000'000;  // the amplifier need not turn
    say(again);
    ASSERT_TRUE(opened());
    EXPECT_THAT(said(45), testing::Not(testing::HasSubstr("from sending to receiving")));
}

}  // namespace
}  // namespace wimax::phyd::test
