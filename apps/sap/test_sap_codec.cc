/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "sap/codec.h"

#include <gtest/gtest.h>

#include <cmath>
#include <limits>
#include <random>

namespace wimax::sap {
namespace {

std::vector<std::string> wire(Codec& codec, const MessageRef& message, uint32_t sequence = 7, uint64_t mac = 11,
                              uint64_t phy = 13) {
    codec.encode(message, sequence, mac, phy);
    const auto text = [](Part part) { return std::string(reinterpret_cast<const char*>(part.data()), part.size()); };
    std::vector<std::string> parts{text(codec.header())};
    for (const Part part : codec.payloads()) parts.push_back(text(part));
    return parts;
}

tl::expected<Envelope, Faults> decode(const std::vector<std::string>& parts) {
    std::vector<Part> views;
    for (const auto& part : parts) views.emplace_back(reinterpret_cast<const uint8_t*>(part.data()), part.size());
    return Codec().decode(views);
}

struct Random {
    std::mt19937 engine{20041001};
    template <typename T>
    T in(T low, T high) {
        if constexpr (std::is_floating_point_v<T>)
            return std::uniform_real_distribution<T>(low, high)(engine);
        else
            return static_cast<T>(
                std::uniform_int_distribution<int64_t>(static_cast<int64_t>(low), static_cast<int64_t>(high))(engine));
    }
    bool coin() { return in(0, 1) == 1; }
    uint8_t cp() { return static_cast<uint8_t>(4 << in(0, 3)); }
    std::vector<uint8_t> octets(int max) {
        std::vector<uint8_t> v(static_cast<size_t>(in(0, max)));
        for (auto& o : v) o = in<uint8_t>(0, 255);
        return v;
    }
};

template <typename M>
void random_format(Random& r, M& m) {
    m.start_slot = r.in(0U, 100'000U);
    m.format.rate_id = r.in<uint8_t>(0, 6);
    m.format.iuc = r.in<uint8_t>(0, 15);
    m.format.preamble = static_cast<gr::wimax::phy::Preamble>(r.in(0, 2));
    m.format.data_symbols = r.in<uint16_t>(1, 2047);
    m.format.midamble_interval = r.in<uint8_t>(0, 3);
    m.format.subchannel_index = r.in<uint8_t>(1, 31);
    m.format.frame_lsb = r.in<uint8_t>(0, 15);
    m.format.stc = r.coin();
}

Message random_message(Random& r, int kind) {
    const FrameNumber frame(r.in(0U, 0xFFFFFFU));
    switch (kind) {
        case 0:
            return ConfigRequest{11,
                                 r.coin() ? Role::base_station : Role::subscriber_station,
                                 r.in(1'250'000U, 28'000'000U),
                                 r.in<uint64_t>(1'000'000, 11'000'000'000),
                                 r.in(-50.0, 50.0),
                                 r.in(-50.0, 50.0),
                                 r.cp(),
                                 r.in<uint8_t>(0, 6),
                                 r.in<uint64_t>(0, 0xFFFFFFFFFFFF),
                                 frame};
        case 1:
            return ConfigConfirm{11,
                                 13,
                                 {"bandwidth_hz: 3, allowed 5", std::string("\xff\0x", 3)},
                                 r.in(0U, 28'000'000U),
                                 r.in(-100.F, 0.F),
                                 r.in(-100.F, 50.F),
                                 r.coin()};
        case 2: {
            ProfilesRequest m{13, r.in<uint8_t>(0, 255), {}};
            for (auto& rate : m.diuc_rates) rate = r.in<int8_t>(-1, 6);
            return m;
        }
        case 3:
            return FrameTick{13,
                             frame,
                             r.in<int64_t>(-5, 1'000'000'000'000),
                             r.in(1U, 28'000'000U),
                             r.in<int64_t>(-5, 99),
                             r.coin(),
                             r.cp(),
                             r.in(0U, 500'000U),
                             r.in(-150.F, 0.F),
                             r.in(-10.F, 40.F),
                             r.in(-1e4F, 1e4F),
                             r.in(-40.F, 40.F)};
        case 4: {
            TxFrame m{13, frame, r.in<uint8_t>(0, 255), r.in(-9999, 9999), r.in(-1e4F, 1e4F), r.in(-99.F, 30.F),
                      {}, {}};
            m.bursts.resize(static_cast<size_t>(r.in(0, 6)));
            for (auto& burst : m.bursts) {
                random_format(r, burst);
                burst.payload = r.octets(12 * burst.format.data_symbols - 1);
            }
            return m;
        }
        case 5: {
            RxExpect m{13, frame, r.in(0U, 100'000U), r.in(0U, 100'000U), r.coin(), {}, {}, {}};
            m.allocations.resize(static_cast<size_t>(r.in(0, 6)));
            for (auto& a : m.allocations) {
                random_format(r, a);
                a.kind = static_cast<BurstKind>(r.in(0, 2));
                a.search_slots = r.in<uint16_t>(0, 65535);
                a.cid = r.in<uint16_t>(0, 65535);
            }
            return m;
        }
        case 6: {
            RxBurst m;
            m.phy_session = 13;
            m.frame_number = frame;
            m.kind = static_cast<BurstKind>(r.in(0, 2));
            m.index = r.in<uint8_t>(0, 255);
            m.start_slot = r.in(0U, 100'000U);
            m.rate_id = r.in<uint8_t>(0, 6);
            m.iuc = r.in<uint8_t>(0, 15);
            m.cid = r.in<uint16_t>(0, 65535);
            m.detected = r.coin();
            m.fec_ok = r.coin();
            m.failed_blocks = r.in<uint16_t>(0, 65535);
            m.corrected_bytes = r.in<uint16_t>(0, 65535);
            m.rssi_dbm = r.in(-150.F, 0.F);
            m.cinr_db = r.in(-10.F, 50.F);
            m.evm_db = r.in(-50.F, 0.F);
            m.timing_offset_samples = r.in(-500.F, 500.F);
            m.frequency_offset_hz = r.in(-1e4F, 1e4F);
            m.frame_start_sample = r.in<int64_t>(-5, 1'000'000'000'000);
            m.prefix.bsid_lsb = r.in<uint8_t>(0, 15);
            m.prefix.change_count_lsb = r.in<uint8_t>(0, 15);
            m.prefix.frame_lsb = r.in<uint8_t>(0, 15);
            m.cp_denominator = r.cp();
            m.frame_samples = r.in(0U, 500'000U);
            m.payload = r.octets(20'000);
            return m;
        }
        default:
            return ErrorIndication{13, static_cast<ErrorKind>(r.in(0, 5)), frame, r.in<int64_t>(-99, 99'999), "detail"};
    }
}

TEST(SapCodec, RandomMessagesComeBackTheSame) {
    Random random;
    Codec codec;  // one object for all: nothing may remain of the message before
    for (int round = 0; round < 200; ++round) {
        for (int kind = 0; kind < 8; ++kind) {
            const Message message = random_message(random, kind);
            ASSERT_EQ(validate(as_ref(message)).str(), "");
            const auto parts = wire(codec, as_ref(message));
            const auto envelope = decode(parts);
            ASSERT_TRUE(envelope) << envelope.error().str();
            EXPECT_EQ(envelope->sequence, 7U);
            EXPECT_EQ(envelope->mac_session, 11U);
            EXPECT_EQ(envelope->phy_session, 13U);
            ASSERT_TRUE(envelope->message);
            ASSERT_EQ(envelope->message->index(), message.index());
            // Every field takes part in the wire form (test_sap_fields.cc), so equal forms mean equal messages.
            Codec other;
            ASSERT_EQ(wire(other, as_ref(*envelope->message)), parts);
        }
    }
}

TEST(SapCodec, AllFaultsAtOnce) {
    TxFrame frame;
    frame.power_dbm = std::numeric_limits<float>::quiet_NaN();
    frame.bursts.resize(2);
    frame.bursts[0].format.data_symbols = 1;
    frame.bursts[0].format.rate_id = 1;
    frame.bursts[0].payload.resize(24);
    frame.bursts[1].format.rate_id = 7;
    frame.bursts[1].format.subchannel_index = 0;
    EXPECT_EQ(validate(MessageRef(&frame)).str(),
              "TxFrame.power_dbm: value nan: allowed -400..400; "
              "TxFrame.bursts[0].payload bytes: value 24: allowed 0..23; "
              "TxFrame.bursts[1].rate_id: value 7: allowed 0..6; "
              "TxFrame.bursts[1].subchannel_index: value 0: allowed 1..31");
    Codec codec;
    const auto result = decode(wire(codec, MessageRef(&frame)));
    ASSERT_FALSE(result);
    EXPECT_EQ(result.error().list.size(), 4U);

    RxExpect expect;
    expect.allocations.resize(100);
    for (auto& a : expect.allocations) a.format.iuc = 99;
    const Faults faults = validate(MessageRef(&expect));
    EXPECT_EQ(faults.list.size(), Faults::kMax);
    EXPECT_EQ(faults.suppressed, 100 - Faults::kMax);
}

TEST(SapCodec, RefusesWhatDoesNotBelong) {
    Codec codec;
    TxFrame frame;
    frame.bursts.resize(1);
    frame.bursts[0].format.data_symbols = 3;
    frame.bursts[0].payload = {1, 2, 3};
    auto parts = wire(codec, MessageRef(&frame));
    ASSERT_EQ(parts.size(), 2U);
    EXPECT_TRUE(decode(parts));
    EXPECT_FALSE(decode({parts[0]}));
    EXPECT_FALSE(decode({parts[0], parts[1], parts[1]}));
    EXPECT_FALSE(decode({}));
    EXPECT_FALSE(decode({""}));
    EXPECT_FALSE(decode({"\xff\xff\xff"}));
    // Field 1 of the envelope is the schema version: 08 01.
    ASSERT_EQ(parts[0].substr(0, 2), std::string("\x08\x01"));
    parts[0][1] = 2;
    const auto other_version = decode(parts);
    ASSERT_FALSE(other_version);
    EXPECT_EQ(other_version.error().str(), "schema_version: value 2: allowed 1");
    codec.encode(std::nullopt, 0, 1, 2);
    const Part probe = codec.header();
    const auto envelope = Codec().decode({&probe, 1});
    ASSERT_TRUE(envelope);
    EXPECT_FALSE(envelope->message);
}

}  // namespace
}  // namespace wimax::sap
