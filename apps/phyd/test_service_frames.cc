// SPDX-License-Identifier: GPL-3.0-or-later
// The service between a MAC and the air, both played by the test: the responses that reach the air, the expectations
// that reach the receiver, and the MAC that gets the received bursts.
#include "phyd/test_service.h"

#include "sap/codec.h"

#include <gtest/gtest.h>

namespace wimax::phyd::test {
namespace {

TEST_F(ServiceTest, AnAnswerWithinItsFrameGoesOut) {
    for (const auto role : {sap::Role::base_station, sap::Role::subscriber_station}) {
        port.told.clear();
        air = {};
        attach(role);
        report(tick(100));
        const auto ticks = port.all<sap::FrameTick>();
        ASSERT_EQ(ticks.size(), 1U);
        EXPECT_EQ(ticks[0].frame_number, 100U);
        say(answer(100, 216, 197));
        ASSERT_EQ(air.frames.size(), 1U);
        EXPECT_EQ(air.frames[0].bursts.size(), 1U);
        EXPECT_EQ(air.frames[0].bursts[0].payload.size(), 5U);
        EXPECT_EQ(air.frames[0].frame_start_sample, 5'760'000);
        EXPECT_TRUE(port.all<sap::ErrorIndication>().empty());
        EXPECT_EQ(status()["errors"], 0);
    }
}

/// The socket's message is the first copy, the burst decoded from it the second; where the MAC wrote it the socket
/// reads it, and where it was decoded the modulator does.
TEST_F(ServiceTest, APayloadIsCopiedTwiceBetweenMacAndModulator) {
    attach(sap::Role::base_station);
    report(tick(100));
    auto written = answer(100, 216, 197);
    written.bursts[0].payload.assign(2000, 0x5A);
    sap::Codec mac, phy;
    mac.encode(sap::MessageRef(&written), 0, 11, 13);
    ASSERT_EQ(mac.payloads().size(), 1U);
    EXPECT_EQ(mac.payloads()[0].data(), written.bursts[0].payload.data());
    const std::vector<uint8_t> in_the_socket(mac.payloads()[0].begin(), mac.payloads()[0].end());
    auto envelope = phy.decode(std::vector<sap::Part>{mac.header(), in_the_socket});
    ASSERT_TRUE(envelope) << envelope.error().str();
    const uint8_t* decoded = std::get<sap::TxFrame>(*envelope->message).bursts[0].payload.data();
    say(std::move(*envelope->message));
    ASSERT_EQ(air.frames.size(), 1U);
    EXPECT_EQ(air.frames[0].bursts[0].payload.data(), decoded);
    const auto message = gr::wimax::to_any(std::move(air.frames[0]));
    const auto read = gr::wimax::received<gr::wimax::TransmitFrame>(message, gr::wimax::parse_transmit_frame);
    ASSERT_TRUE(read);
    EXPECT_EQ((*read)->bursts[0].payload.data(), decoded);
    EXPECT_EQ((*read)->bursts[0].payload, written.bursts[0].payload);
}

/// The two copies are made by the socket and by the decoder of the message.
TEST_F(ServiceTest, AReceivedPayloadIsCopiedTwiceBetweenReceiverAndMac) {
    attach(sap::Role::base_station);
    gr::wimax::BurstReport received;
    received.attached = true;
    received.burst.detected = received.burst.fec_ok = true;
    received.burst.payload.assign(2000, 0x5A);
    const uint8_t* octets = received.burst.payload.data();
    sap::Codec phy, mac;
    std::vector<uint8_t> in_the_socket, header;
    port.on_send = [&](const sap::MessageRef& message) {
        phy.encode(message, 0, 11, 13);
        ASSERT_EQ(phy.payloads().size(), 1U);
        EXPECT_EQ(phy.payloads()[0].data(), octets);
        in_the_socket.assign(phy.payloads()[0].begin(), phy.payloads()[0].end());
        header.assign(phy.header().begin(), phy.header().end());
    };
    report(std::move(received));
    const auto envelope = mac.decode(std::vector<sap::Part>{header, in_the_socket});
    ASSERT_TRUE(envelope) << envelope.error().str();
    EXPECT_EQ(std::get<sap::RxBurst>(*envelope->message).payload, std::vector<uint8_t>(2000, 0x5A));
}

TEST_F(ServiceTest, ABurstBeyondItsFrameMakesTheAnswerEmpty) {
    for (const auto role : {sap::Role::base_station, sap::Role::subscriber_station}) {
        port.told.clear();
        air = {};
        attach(role);
        report(tick(100));
        say(answer(100, 7272, 2000));
        ASSERT_EQ(air.frames.size(), 1U);  // the air gets a response
        EXPECT_TRUE(air.frames[0].bursts.empty());
        EXPECT_EQ(air.frames[0].frame_number, 100U);
        const auto errors = port.all<sap::ErrorIndication>();
        ASSERT_EQ(errors.size(), 1U);
        EXPECT_EQ(errors[0].kind, sap::ErrorKind::invalid);
        EXPECT_EQ(errors[0].frame_number, 100U);
        EXPECT_EQ(errors[0].detail, "TxFrame.bursts[0].end slot: value 151272: allowed at most 14400 (the frame)");
        EXPECT_EQ(status()["errors"], 1);
    }
}

TEST_F(ServiceTest, AnAnswerToNoTickAnswersTheLast) {
    attach(sap::Role::base_station);
    say(answer(100, 216, 1));
    EXPECT_TRUE(air.frames.empty());
    for (uint32_t n = 100; n < 109; ++n) report(tick(n));
    say(answer(101, 216, 1));  // eight frames late still is one
    say(answer(100, 216, 1));
    say(answer(109, 216, 1));
    ASSERT_EQ(air.frames.size(), 3U);
    EXPECT_EQ(air.frames[0].frame_number, 101U);
    EXPECT_EQ(air.frames[0].bursts.size(), 1U);
    for (size_t i : {1, 2}) {
        EXPECT_EQ(air.frames[i].frame_number, 108U);
        EXPECT_TRUE(air.frames[i].bursts.empty());
    }
    const auto errors = port.all<sap::ErrorIndication>();
    ASSERT_EQ(errors.size(), 3U);
    EXPECT_EQ(errors[1].frame_number, 100U);
    EXPECT_EQ(errors[2].frame_number, 109U);
}

/// Synchronised by one preamble: a frame may be 20 ms long.
TEST_F(ServiceTest, AFrameOfUnknownLengthIsTheLongest) {
    attach(sap::Role::subscriber_station);
    auto first = tick(100);
    first.frame_samples = 0;
    report(first);
    constexpr uint32_t kSlots = 115'200 / 4, kSymbol = 72;
    say(answer(100, kSlots - kSymbol, 1));
    EXPECT_TRUE(port.all<sap::ErrorIndication>().empty());
    EXPECT_EQ(air.frames.at(0).bursts.size(), 1U);
    say(answer(100, kSlots - kSymbol + 1, 1));
    EXPECT_EQ(port.all<sap::ErrorIndication>().size(), 1U);
}

TEST_F(ServiceTest, TheFramePrefixHasFourBitsOfTheBsid) {
    open(sap::Role::base_station);
    auto r = request();
    r.bsid = 0x123457B;
    say(r);
    ASSERT_TRUE(opened());
    report(tick(100));
    say(answer(100, 216, 1));
    ASSERT_EQ(air.frames.size(), 1U);
    EXPECT_EQ(air.frames[0].bsid_lsb, 0xB);
}

TEST_F(ServiceTest, WithoutSynchronisationNothingIsSent) {
    attach(sap::Role::subscriber_station);
    auto t = tick(0);
    t.synchronised = false;
    report(t);
    say(answer(0, 0, 1));
    ASSERT_EQ(air.frames.size(), 1U);
    EXPECT_TRUE(air.frames[0].bursts.empty());
    // Synchronised by one preamble: the frame may be the longest, 20 ms.
    t = tick(1);
    t.frame_samples = 0;
    report(t);
    say(answer(1, 0, 400));
    say(answer(1, 0, 401));
    ASSERT_EQ(air.frames.size(), 3U);
    EXPECT_EQ(air.frames[1].bursts.size(), 1U);
    EXPECT_TRUE(air.frames[2].bursts.empty());
}

/// An amplifier that is slower than the MAC's gaps is reported.
TEST_F(ServiceTest, GapsThatAreTooShortForTheAmplifierAreTold) {
    air.turn_times = {10, 120};
    attach(sap::Role::base_station);
    testing::internal::CaptureStderr();
    for (const uint32_t n : {100U, 101U}) {
        report(tick(n));
        sap::RxExpect expect;
        expect.frame_number = sap::FrameNumber(n);
        expect.allocations.resize(1);
        expect.allocations[0].start_slot = sap::Slot::of_symbol(8, 72);
        expect.allocations[0].format.data_symbols = 2;
        say(expect);
        say(answer(n, 3 * 72, 3));
    }
    const std::string said = testing::internal::GetCapturedStderr(),
                      words = "the amplifier needs 120 us from sending to receiving, the MAC leaves 100";
    EXPECT_NE(said.find(words), std::string::npos) << said;
    EXPECT_EQ(said.find(words), said.rfind(words));
    EXPECT_EQ(air.frames.size(), 2U);
    EXPECT_EQ(air.expectations.size(), 2U);
}

TEST_F(ServiceTest, ExpectationsKeepToTheirFrame) {
    attach(sap::Role::subscriber_station);
    sap::RxExpect expect;
    expect.frame_number = sap::FrameNumber(20);
    say(expect);
    EXPECT_TRUE(air.expectations.empty());  // there is no frame yet
    report(broadcast(20));
    expect.allocations.resize(1);
    expect.allocations[0].start_slot = sap::Slot(216);
    expect.allocations[0].format.data_symbols = 197;
    expect.first_uplink_slot = sap::Slot(7200);
    say(expect);
    ASSERT_EQ(air.expectations.size(), 1U);
    EXPECT_EQ(air.expectations[0].bursts.size(), 1U);
    EXPECT_EQ(air.expectations[0].first_uplink_slot, 7200U);
    expect.allocations[0].format.data_symbols = 198;
    say(expect);  // beyond it: nothing is expected
    expect.allocations[0].format.data_symbols = 1;
    expect.frame_number = sap::FrameNumber(21);
    say(expect);  // of a later frame: an empty one for the current frame
    expect.frame_number = sap::FrameNumber(13);
    say(expect);  // seven frames late: as it is, the receiver ignores it
    ASSERT_EQ(air.expectations.size(), 4U);
    for (size_t i : {1, 2}) {
        EXPECT_EQ(air.expectations[i].frame_number, 20U);
        EXPECT_TRUE(air.expectations[i].bursts.empty());
        EXPECT_EQ(air.expectations[i].first_uplink_slot, 0U);
    }
    EXPECT_EQ(air.expectations[3].frame_number, 13U);
    EXPECT_EQ(port.all<sap::ErrorIndication>().size(), 3U);
}

TEST_F(ServiceTest, TicksAndBurstsOfAnotherTimeAreNotForThisMac) {
    attach(sap::Role::base_station);
    auto foreign = tick(99);
    foreign.attached = false;
    report(foreign);
    auto burst = broadcast(99);
    burst.attached = false;
    report(burst);
    EXPECT_TRUE(port.told.empty());
    say(answer(99, 216, 1));  // and gets no response
    EXPECT_TRUE(air.frames.empty());
    report(tick(100));
    report(broadcast(100));
    EXPECT_EQ(port.all<sap::FrameTick>().size(), 1U);
    EXPECT_EQ(port.all<sap::RxBurst>().size(), 1U);
}

/// Reports for no MAC, or for the previous MAC, are dropped.
TEST_F(ServiceTest, ContentionBeforeAMacIsAttachedIsForNobody) {
    attach(sap::Role::base_station);
    gr::wimax::ContentionReport heard;
    heard.frame_number = sap::FrameNumber(100);
    heard.start_slot = sap::Slot(72);
    heard.codes.resize(2);
    heard.codes[1].what = {5, 3};
    report(heard);  // from before a MAC was attached
    EXPECT_TRUE(port.told.empty());
    heard.attached = true;
    report(heard);
    const auto told = port.all<sap::RxContention>();
    ASSERT_EQ(told.size(), 1U);
    EXPECT_EQ(told[0].frame_number, 100U);
    EXPECT_EQ(told[0].start_slot, 72U);
    ASSERT_EQ(told[0].codes.size(), 2U);
    EXPECT_EQ(told[0].codes[1].what.channel, 5);
    EXPECT_EQ(told[0].codes[1].what.code, 3);
    // The MAC disconnects while a report is on its way, and no other MAC is attached yet.
    port.alive = false;
    step();
    port.told.clear();
    report(heard);
    report(broadcast(101));
    report(gr::wimax::ErrorReport{gr::wimax::ErrorKind::late, sap::FrameNumber(101), 300, ""});
    EXPECT_TRUE(port.told.empty());
    EXPECT_EQ(status()["late"], 1);
}

TEST_F(ServiceTest, ALostMacIsCountedAndThePhyGoesOn) {
    attach(sap::Role::base_station);
    report(tick(100));
    air.controls.clear();
    port.alive = false;
    step();
    EXPECT_EQ(status()["mac_losses"], 1);
    EXPECT_EQ(status()["mac_attached"], false);
    ASSERT_EQ(air.controls.size(), 1U);
    EXPECT_EQ(air.controls[0].attached, false);
    port.told.clear();
    report(tick(101));
    say(answer(101, 216, 1));
    EXPECT_TRUE(port.told.empty());
    EXPECT_TRUE(air.frames.empty());
    step();
    EXPECT_EQ(status()["mac_losses"], 1);

    // The next one takes the same radio, and its first frame number; ticks of before are not for it.
    port.alive = true;
    auto again = request();
    again.mac_session = 12;
    again.first_frame_number = sap::FrameNumber(500);
    again.rx_gain_db = static_cast<decltype(again.rx_gain_db)>(air.gains.rx_db);
    say(again);
    EXPECT_EQ(air.opened, 1);
    EXPECT_EQ(status()["mac_sessions"], 2);
    ASSERT_EQ(port.all<sap::ConfigConfirm>().size(), 1U);
    EXPECT_EQ(port.all<sap::ConfigConfirm>()[0].mac_session, 12U);
    ASSERT_EQ(air.controls.size(), 3U);
    EXPECT_EQ(air.controls[1].attached, false);
    EXPECT_EQ(air.controls[2].attached, true);
    EXPECT_EQ(air.controls[2].first_frame_number, 500U);
    say(answer(100, 216, 1));
    EXPECT_TRUE(air.frames.empty());
}

}  // namespace
}  // namespace wimax::phyd::test
