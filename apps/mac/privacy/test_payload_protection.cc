// SPDX-License-Identifier: GPL-3.0-or-later
// PDUs that a writer seals and an opener opens: every length, the rest of a
// burst, and the result without a key.
#include "mac/privacy/payload_protection.h"
#include "mac/privacy/test_privacy.h"

#include <gtest/gtest.h>

namespace wimax::mac::privacy {
namespace {

using namespace test;

constexpr uint16_t kSaid = 33, kCid = 700;
constexpr Samples kEnd = 1000;

struct Ends {
    explicit Ends(Suite of = kAesCcm) : suite(of) {
        for (auto* sa : {&base, &station}) EXPECT_TRUE(sa->install(key, 0, kEnd, {}));
    }
    /// The only PDU of a burst with these octets as an SDU.
    Buffer sealed(const Buffer& sdu, bool crc = true, bool fragment = true) {
        Buffer burst;
        PduWriter writer(burst, 4000);
        EXPECT_TRUE(writer.begin(kCid, crc, true, &sealer));
        if (fragment) writer.fragmentation({FragmentControl::first, 5});
        writer.payload(sdu);
        EXPECT_TRUE(writer.finish());
        return burst;
    }
    Suite suite;
    TrafficKey key = *TrafficKey::of(Buffer(suite.same_as(kDesCbc) ? 8 : 16, 0x42));
    SecurityAssociation base{kSaid, suite, Direction::downlink}, station{kSaid, suite, Direction::uplink};
    FrameNumber frame{77};
    AssociationSealer sealer{[this] { return &station; }, station.suite(), frame};
    PduOpener opener;
    PayloadCounters counters;
};

Pdu only(const Buffer& burst) {
    PduReader reader(burst);
    const auto pdu = reader.next();
    EXPECT_TRUE(pdu && !reader.next() && !reader.error());
    return pdu.value_or(Pdu{});
}

TEST(PayloadProtection, WhatIsSealedIsOpened) {
    Ends ends;
    for (const bool crc : {true, false})
        for (size_t octets : {1, 2, 20, 500, 1500, 2020}) {
            Buffer sdu(octets);
            for (size_t i = 0; i < octets; ++i) sdu[i] = static_cast<uint8_t>(i * 7);
            const Buffer burst = ends.sealed(sdu, crc);
            EXPECT_EQ(burst.size(), kHeaderOctets + 2 + octets + CcmCipher::kOverheadOctets + (crc ? kCrcOctets : 0));
            const Pdu received = only(burst);
            EXPECT_TRUE(received.header.ec);
            EXPECT_EQ(received.header.len, burst.size());
            const Pdu* plain = ends.opener.open(&ends.base, received, ends.frame, ends.counters);
            ASSERT_NE(plain, nullptr);
            EXPECT_FALSE(plain->header.ec);
            EXPECT_EQ(plain->cid(), kCid);
            EXPECT_EQ(plain->crc_style, received.crc_style);
            const auto subheaders = parse_subheaders(*plain);
            ASSERT_TRUE(subheaders);
            EXPECT_EQ(subheaders->fragmentation->fsn, 5);
            EXPECT_EQ(buffer(subheaders->rest), sdu);
        }
    EXPECT_EQ(ends.counters.opened, 12u);
}

TEST(PayloadProtection, IsTheStandardsPdu) {
    // Written by hand with the same key and packet number.
    Ends ends;
    const Buffer burst = ends.sealed(hex("00010203"), false, false);
    Buffer expected = hex("00000000000000000000000102030000000000000000");
    GenericHeader header;
    header.ec = true;
    header.cid = kCid;
    header.len = static_cast<uint16_t>(expected.size());
    Buffer head;
    header.encode(head);
    std::ranges::copy(head, expected.begin());
    expected[10] = 0, expected[11] = 1, expected[12] = 2, expected[13] = 3;
    CcmCipher cipher = std::move(*CcmCipher::with(ends.key));
    ASSERT_TRUE(cipher.seal(expected, 1 ^ kUplinkPacketNumbers));
    EXPECT_EQ(burst, expected);
}

TEST(PayloadProtection, TheWritersRoomIsWhatFits) {
    Ends ends;
    for (size_t capacity = 0; capacity < 60; ++capacity) {
        Buffer burst;
        PduWriter writer(burst, capacity);
        const size_t least = kHeaderOctets + CcmCipher::kOverheadOctets + kCrcOctets;
        ASSERT_EQ(writer.begin(kCid, true, true, &ends.sealer), capacity >= least) << capacity;
        if (capacity < least) {
            EXPECT_TRUE(burst.empty());
            continue;
        }
        EXPECT_EQ(writer.room(), capacity - least);
        writer.payload(Buffer(writer.room()));
        ASSERT_TRUE(writer.finish());
        EXPECT_EQ(burst.size(), capacity);
    }
    Buffer burst;
    PduWriter writer(burst, 5000);
    ASSERT_TRUE(writer.begin(kCid, true, true, &ends.sealer));
    EXPECT_EQ(writer.room(), kMaxPduOctets - kHeaderOctets - CcmCipher::kOverheadOctets - kCrcOctets);
    writer.payload(Buffer(writer.room() + 1));
    EXPECT_FALSE(writer.finish());
    EXPECT_TRUE(burst.empty());
    // Later PDUs are not affected.
    ASSERT_TRUE(writer.begin(kCid) && writer.finish());
    EXPECT_FALSE(only(burst).header.ec);
}

/// PDUs keep their length, and are of the frame in which they are sent.
TEST(PayloadProtection, DesCbc) {
    Ends ends(kDesCbc);
    EXPECT_EQ(ends.sealer.overhead_octets(), 0u);
    for (size_t octets : {1, 5, 6, 7, 20, 500, 2032}) {
        const Buffer sdu(octets, 0xA5), burst = ends.sealed(sdu);
        EXPECT_EQ(burst.size(), kHeaderOctets + 2 + octets + kCrcOctets);
        const Pdu received = only(burst);
        EXPECT_TRUE(received.header.ec);
        EXPECT_EQ(std::search(received.body.begin(), received.body.end(), sdu.begin(), sdu.end()), received.body.end());
        const auto opened = [&] {
            const Pdu* plain = ends.opener.open(&ends.base, received, ends.frame, ends.counters);
            if (!plain) return Buffer();
            const auto subheaders = parse_subheaders(*plain);
            return subheaders ? Buffer(subheaders->rest.begin(), subheaders->rest.end()) : Buffer();
        };
        EXPECT_EQ(opened(), sdu);
        ends.frame = ends.frame + 1;
        EXPECT_NE(opened(), sdu);
    }
    // Nothing but a header.
    Buffer empty;
    GenericHeader header;
    header.ec = true;
    header.cid = kCid;
    header.len = kHeaderOctets;
    header.encode(empty);
    EXPECT_EQ(ends.opener.open(&ends.base, only(empty), ends.frame, ends.counters), nullptr);
    EXPECT_EQ(ends.counters.forged, 1u);
}

TEST(PayloadProtection, WithoutAKeyNothingIsWritten) {
    Ends ends;
    ends.station.suspend();
    Buffer burst;
    PduWriter writer(burst, 4000);
    EXPECT_FALSE(writer.begin(kCid, true, true, &ends.sealer));
    AssociationSealer none([] { return nullptr; }, kAesCcm, ends.frame);
    EXPECT_EQ(none.key_sequence(), std::nullopt);
    EXPECT_FALSE(writer.begin(kCid, true, true, &none));
    // A suite without encryption is no protection.
    SecurityAssociation bare(kSaid, kNoEncryption, Direction::uplink);
    ASSERT_TRUE(bare.install(*TrafficKey::of(Buffer(8)), 0, kEnd, {}));
    AssociationSealer empty([&] { return &bare; }, bare.suite(), ends.frame);
    if (writer.begin(kCid, true, true, &empty)) {
        writer.payload(Buffer(10));
        EXPECT_FALSE(writer.finish());
    }
    EXPECT_TRUE(burst.empty());
}

TEST(PayloadProtection, WhatIsNotGenuineIsCounted) {
    Ends ends;
    const Buffer burst = ends.sealed(Buffer(100));
    EXPECT_EQ(ends.opener.open(nullptr, only(burst), ends.frame, ends.counters), nullptr);
    EXPECT_EQ(ends.counters.unknown_key, 1u);
    ASSERT_NE(ends.opener.open(&ends.base, only(burst), ends.frame, ends.counters), nullptr);
    EXPECT_EQ(ends.opener.open(&ends.base, only(burst), ends.frame, ends.counters), nullptr);
    EXPECT_EQ(ends.counters.replayed, 1u);
    EXPECT_EQ(ends.opener.last(), Opened::replayed);
    // Too short for a packet number and a value, or with a value that does not prove an empty payload.
    for (size_t octets = 0; octets <= CcmCipher::kOverheadOctets; ++octets) {
        Buffer shorter;
        GenericHeader header;
        header.ec = true;
        header.cid = kCid;
        header.len = static_cast<uint16_t>(kHeaderOctets + octets);
        header.encode(shorter);
        shorter.resize(kHeaderOctets + octets);
        EXPECT_EQ(ends.opener.open(&ends.base, only(shorter), ends.frame, ends.counters), nullptr) << octets;
    }
    EXPECT_EQ(ends.counters.forged, CcmCipher::kOverheadOctets + 1);
    EXPECT_EQ(ends.counters.opened, 1u);
}

}  // namespace
}  // namespace wimax::mac::privacy
