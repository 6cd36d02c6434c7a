// SPDX-License-Identifier: GPL-3.0-or-later
#include "sap/codec.h"
#include "sap/message_fields.h"

#include <gtest/gtest.h>

#include <cmath>
#include <limits>
#include <random>

namespace wimax::sap {
namespace test_sap_codec {

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

/// Fills every field of a message with a value that its description allows.
class Random {
public:
    Message message(size_t kind) {
        static const std::array<Message, std::variant_size_v<Message>> kinds{
            ConfigRequest(), ConfigConfirm(), ProfilesRequest(), FrameTick(),   TxFrame(),
            RxExpect(),      RxBurst(),       ErrorIndication(), RxContention()};
        Message message = kinds[kind];
        std::visit(
            [this](auto& m) {
                if constexpr (requires { m.mac_session; }) m.mac_session = 11;
                if constexpr (requires { m.phy_session; }) m.phy_session = 13;
                visit(*this, m);
            },
            message);
        return message;
    }

    template <typename T> void operator()(const char*, T& member, const auto& low, const auto& high) {
        if constexpr (std::is_floating_point_v<T>)
            member = std::uniform_real_distribution<T>(static_cast<T>(low), static_cast<T>(high))(engine_);
        else if constexpr (std::same_as<T, Slot>) member = Slot(static_cast<uint32_t>(in(low, high)));
        else member = static_cast<T>(in(static_cast<int64_t>(low), static_cast<int64_t>(high)));
    }
    template <typename T> void operator()(const char*, T& member) {
        if constexpr (std::same_as<T, FrameNumber>) member = FrameNumber(static_cast<uint32_t>(in(0, 0xFFFFFF)));
        else if constexpr (std::same_as<T, bool>) member = in(0, 1) == 1;
        else member = static_cast<T>(engine_());
    }
    template <typename T, size_t N> void operator()(const char*, T& member, const std::array<T, N>& values) {
        member = values[static_cast<size_t>(in(0, N - 1))];
    }
    void each(const char* key, auto& array, int low, int high) {
        for (auto& element : array) (*this)(key, element, low, high);
    }
    template <typename T, size_t N> void list(const char*, std::array<T, N>& elements, int& count) {
        count = static_cast<int>(in(0, N));
        for (auto& element : std::span(elements).first(static_cast<size_t>(count))) visit(*this, element);
    }
    template <typename List> void list(const char* key, List& elements, size_t, const auto&... range) {
        elements.resize(static_cast<size_t>(in(0, 6)));
        for (auto& element : elements) {
            if constexpr (std::same_as<typename List::value_type, std::string>) text(key, element);
            else if constexpr (sizeof...(range) > 0) (*this)(key, element, range...);
            else visit(*this, element);
        }
    }
    void text(const char*, std::string& text) {
        text.resize(static_cast<size_t>(in(0, 40)));
        for (auto& c : text) c = static_cast<char>(engine_());
    }
    void maybe(const char* key, auto& member, const auto&) { (*this)(key, member); }
    void of_phy(const char*, auto&, int, int) {}
    void payload(std::vector<uint8_t>& octets, int most) {
        octets.resize(static_cast<size_t>(in(0, std::min(most, 20'000))));
        for (auto& octet : octets) octet = static_cast<uint8_t>(engine_());
    }

private:
    int64_t in(int64_t low, int64_t high) { return std::uniform_int_distribution<int64_t>(low, high)(engine_); }

    std::mt19937_64 engine_{20041001};
};

TEST(SapCodec, RandomMessagesComeBackTheSame) {
    Random random;
    Codec codec;  // one object for all: nothing may remain of the message before
    for (int round = 0; round < 200; ++round) {
        for (size_t kind = 0; kind < std::variant_size_v<Message>; ++kind) {
            const Message message = random.message(kind);
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
    EXPECT_EQ(result.error().list().size(), 4U);

    RxExpect expect;
    expect.allocations.resize(100);
    for (auto& a : expect.allocations) a.format.iuc = 99;
    const Faults faults = validate(MessageRef(&expect));
    EXPECT_EQ(faults.list().size(), kMaxFaults);
    EXPECT_EQ(faults.suppressed(), 100 - kMaxFaults);
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

}  // namespace test_sap_codec
}  // namespace wimax::sap
