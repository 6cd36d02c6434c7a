// SPDX-License-Identifier: GPL-3.0-or-later
// HMAC tuples of management messages: made, proved, and each taken once.
#include "mac/pdu/management_messages.h"
#include "mac/privacy/authorization_keys.h"
#include "mac/privacy/signed_messages.h"
#include "mac/privacy/test_pkm_vectors.h"

#include <gtest/gtest.h>

#include <set>

namespace wimax::mac::privacy {
namespace {

using namespace test;

constexpr Samples kEnd = 1000;
constexpr uint8_t kSequence = 5;

AuthorizationKey other_ak() { return secret<20>("ff0102030405060708090a0b0c0d0e0f10111213"); }

struct Ends {
    AuthorizationKeys base, station;
    Ends() {
        EXPECT_TRUE(base.add(vectors_ak(), kSequence, kEnd, false));
        EXPECT_TRUE(station.add(vectors_ak(), kSequence, kEnd, true));
    }
};

template <class Message> Buffer encoded(const Message& message) {
    Buffer out;
    encode(message, out);
    return out;
}
/// An operator's command to a station: it has an action and a tuple, and no other number.
Buffer command(uint8_t action) {
    DregCmd m;
    m.action = action;
    m.hmac = HmacTuple{};
    return encoded(m);
}

TEST(AuthorizationKeysTest, TuplesOfTheStandardAreProved) {
    // The golden vector's, which has no number.
    AuthorizationKeys keys;
    ASSERT_TRUE(keys.add(vectors_ak(), 1, kEnd, true));
    const Buffer reg = vector_message("reg_req_hmac");
    EXPECT_EQ(keys.prove(reg, Direction::uplink, 0), Proof::genuine);
    EXPECT_EQ(keys.prove(reg, Direction::downlink, 0), Proof::wrong);
    for (size_t i = 0; i < reg.size() - 21; ++i) {
        Buffer changed = reg;
        changed[i] ^= 1;
        EXPECT_NE(keys.prove(changed, Direction::uplink, 0), Proof::genuine) << i;
    }
}

TEST(AuthorizationKeysTest, SignedMessagesAreReadAsBefore) {
    Ends ends;
    Buffer message = command(1);
    const size_t octets = message.size();
    ASSERT_TRUE(ends.station.sign(message, Direction::uplink, 0));
    EXPECT_EQ(message.size(), octets + AuthorizationKeys::kNumberOctets);
    DregCmd read;
    ASSERT_TRUE(decode(message, read));
    EXPECT_EQ(read.action, 1);
    ASSERT_TRUE(read.hmac);
    EXPECT_EQ(read.hmac->ak_sequence, kSequence);
}

TEST(AuthorizationKeysTest, BothDirections) {
    Ends ends;
    Buffer up = command(1), down = command(2);
    // The base station does not sign with a key that the station may not have.
    const Buffer before = down;
    EXPECT_FALSE(ends.base.sign(down, Direction::downlink, 0));
    EXPECT_EQ(down, before);
    ASSERT_TRUE(ends.station.sign(up, Direction::uplink, 0));
    EXPECT_EQ(ends.base.prove(up, Direction::uplink, 0), Proof::genuine);
    ASSERT_TRUE(ends.base.sign(down, Direction::downlink, 0));
    EXPECT_EQ(ends.station.prove(down, Direction::downlink, 0), Proof::genuine);
    // A message reflected to its sender.
    EXPECT_EQ(ends.station.prove(up, Direction::downlink, 0), Proof::wrong);
}

TEST(AuthorizationKeysTest, EveryChangedBit) {
    Ends ends;
    Buffer message = command(3);
    ASSERT_TRUE(ends.station.sign(message, Direction::uplink, 0));
    for (size_t bit = 0; bit < message.size() * 8; ++bit) {
        // The upper half of the sequence number's octet is reserved, and covered by nothing.
        if (bit / 8 == message.size() - 21 && bit % 8 >= 4) continue;
        Buffer changed = message;
        changed[bit / 8] ^= static_cast<uint8_t>(1 << bit % 8);
        EXPECT_NE(ends.base.prove(changed, Direction::uplink, 0), Proof::genuine) << bit;
    }
    EXPECT_EQ(ends.base.prove(message, Direction::uplink, 0), Proof::genuine);
}

TEST(AuthorizationKeysTest, EachIsTakenOnce) {
    Ends ends;
    std::vector<Buffer> messages(4, command(1));
    for (auto& m : messages) ASSERT_TRUE(ends.station.sign(m, Direction::uplink, 0));
    EXPECT_NE(messages[0], messages[1]);  // the same command, said again, is another message
    EXPECT_EQ(ends.base.prove(messages[0], Direction::uplink, 0), Proof::genuine);
    EXPECT_EQ(ends.base.prove(messages[0], Direction::uplink, 0), Proof::replayed);
    // Two connections may change their order.
    EXPECT_EQ(ends.base.prove(messages[2], Direction::uplink, 0), Proof::genuine);
    EXPECT_EQ(ends.base.prove(messages[1], Direction::uplink, 0), Proof::genuine);
    for (const auto& m : {messages[0], messages[1], messages[2]})
        EXPECT_EQ(ends.base.prove(m, Direction::uplink, 0), Proof::replayed);
    // A message that fails verification does not move the window.
    Buffer forged = messages[3];
    forged.back() ^= 1;
    EXPECT_EQ(ends.base.prove(forged, Direction::uplink, 0), Proof::wrong);
    EXPECT_EQ(ends.base.prove(messages[3], Direction::uplink, 0), Proof::genuine);
}

TEST(AuthorizationKeysTest, WhoHasNumbersSendsNoneWithout) {
    AuthorizationKeys keys, sender;
    ASSERT_TRUE(keys.add(vectors_ak(), 1, kEnd, true));
    ASSERT_TRUE(sender.add(vectors_ak(), 1, kEnd, true));
    const Buffer unnumbered = vector_message("reg_req_hmac");
    // Stations of others have none, and say the same thing twice.
    EXPECT_EQ(keys.prove(unnumbered, Direction::uplink, 0), Proof::genuine);
    EXPECT_EQ(keys.prove(unnumbered, Direction::uplink, 0), Proof::genuine);
    Buffer numbered = command(1);
    ASSERT_TRUE(sender.sign(numbered, Direction::uplink, 0));
    EXPECT_EQ(keys.prove(numbered, Direction::uplink, 0), Proof::genuine);
    EXPECT_EQ(keys.prove(unnumbered, Direction::uplink, 0), Proof::replayed);
}

TEST(AuthorizationKeysTest, OldKeysAndNone) {
    Ends ends;
    Buffer message = command(1), plain;
    ASSERT_TRUE(ends.station.sign(message, Direction::uplink, 0));
    EXPECT_EQ(ends.base.prove(message, Direction::uplink, kEnd), Proof::old_key);
    EXPECT_EQ(ends.base.prove(plain, Direction::uplink, 0), Proof::no_tuple);
    for (size_t length = 0; length < message.size(); ++length)
        EXPECT_EQ(ends.base.prove(Octets(message).first(length), Direction::uplink, 0), Proof::no_tuple);
    AuthorizationKeys none;
    EXPECT_EQ(none.prove(message, Direction::uplink, 0), Proof::old_key);
    EXPECT_FALSE(none.sign(message, Direction::uplink, 0));
    DregCmd without;
    Buffer unsigned_message = encoded(without);
    EXPECT_FALSE(ends.station.sign(unsigned_message, Direction::uplink, 0));
    EXPECT_EQ(unsigned_message, encoded(without));
}

TEST(AuthorizationKeysTest, TwoKeysAroundAReauthorization) {
    Ends ends;
    Buffer under_first = command(1);
    ASSERT_TRUE(ends.station.sign(under_first, Direction::uplink, 0));
    ASSERT_TRUE(ends.base.add(other_ak(), kSequence + 1, 2 * kEnd, false));
    EXPECT_EQ(ends.base.count(0), 2u);
    // The first one is in force, and signed with until the station shows that it has the second.
    EXPECT_EQ(ends.base.prove(under_first, Direction::uplink, 0), Proof::genuine);
    EXPECT_EQ(ends.base.signing(0)->sequence, kSequence);
    ASSERT_TRUE(ends.station.add(other_ak(), kSequence + 1, 2 * kEnd, true));
    Buffer under_second = command(1);
    ASSERT_TRUE(ends.station.sign(under_second, Direction::uplink, 0));
    EXPECT_EQ(ends.base.prove(under_second, Direction::uplink, 0), Proof::genuine);
    EXPECT_EQ(ends.base.signing(0)->sequence, kSequence + 1);
    // Numbers restart with each key; each key has its own window.
    EXPECT_EQ(ends.base.prove(under_first, Direction::uplink, 0), Proof::replayed);
    EXPECT_EQ(ends.base.count(kEnd), 1u);
    ASSERT_TRUE(ends.base.add(vectors_ak(), kSequence + 2, 3 * kEnd, false));
    EXPECT_EQ(ends.base.find(kSequence, 0), nullptr);
    ends.base.drop();
    EXPECT_EQ(ends.base.count(0), 0u);
}

/// By sender (7.5.3): a base station's message is never accepted as a station's, and vice versa.
TEST(SignedMessages, AreThoseOfTheirDirection) {
    using enum MessageType;
    const std::set both{dsa_req, dsa_rsp, dsa_ack, dsc_req, dsc_rsp, dsc_ack, dsd_req, dsd_rsp};
    const std::set downlink{reg_rsp, res_cmd, dreg_cmd, tftp_rsp}, uplink{reg_req, dreg_req, tftp_cplt};
    for (int i = 0; i < 256; ++i) {
        const auto type = static_cast<MessageType>(i);
        EXPECT_EQ(is_signed(type, Direction::downlink), both.contains(type) || downlink.contains(type)) << i;
        EXPECT_EQ(is_signed(type, Direction::uplink), both.contains(type) || uplink.contains(type)) << i;
    }
    EXPECT_FALSE(is_signed(std::nullopt, Direction::downlink));
    EXPECT_FALSE(is_signed(std::nullopt, Direction::uplink));
}

}  // namespace
}  // namespace wimax::mac::privacy
