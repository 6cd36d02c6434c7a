// SPDX-License-Identifier: GPL-3.0-or-later
// One SA at both ends: the TEK used to send, those used to receive, and that
// no key or number repeats.
#include "mac/privacy/test_pkm_link.h"

namespace wimax::mac::privacy {
namespace {

using namespace test;

constexpr uint16_t kSaid = 33;
constexpr Samples kEnd = 1000;

TrafficKey tek(uint8_t number, size_t octets = TrafficKey::kAesOctets) {
    return *TrafficKey::of(Buffer(octets, static_cast<uint8_t>(0x10 * number + 5)));
}

struct Ends {
    explicit Ends(Suite suite = kAesCcm)
        : base(kSaid, suite, Direction::downlink), station(kSaid, suite, Direction::uplink) {}
    void install(uint8_t sequence, uint8_t number) {
        const size_t octets =
            base.suite().data == DataEncryption::aes_ccm ? TrafficKey::kAesOctets : TrafficKey::kDesOctets;
        for (auto* sa : {&base, &station})
            EXPECT_TRUE(sa->install(tek(number, octets), sequence, kEnd * (number + 1), {}));
    }
    SecurityAssociation base, station;
};

Buffer seal(SecurityAssociation& sa) { return *PkmLink::sealed(sa, 700, 0x01020304); }

TEST(SecurityAssociationTest, WhichKeyIsSentWith) {
    Ends ends;
    EXPECT_EQ(ends.base.eks_to_send(), std::nullopt);
    ends.install(0, 0);
    EXPECT_EQ(ends.base.eks_to_send(), 0);
    EXPECT_EQ(ends.station.eks_to_send(), 0);
    ends.install(1, 1);
    EXPECT_EQ(ends.base.eks_to_send(), 0);     // the older one
    EXPECT_EQ(ends.station.eks_to_send(), 1);  // the newer one
    EXPECT_EQ(PkmLink::opened(ends.station, seal(ends.base)), Opened::plain);
    EXPECT_EQ(PkmLink::opened(ends.base, seal(ends.station)), Opened::plain);
    ends.install(2, 2);
    EXPECT_EQ(ends.base.eks_to_send(), 1);
    EXPECT_EQ(ends.station.eks_to_send(), 2);
}

TEST(SecurityAssociationTest, BothGenerationsAreReceivedAndNoThird) {
    Ends ends;
    ends.install(0, 0);
    const Buffer first = seal(ends.station), first_again = seal(ends.station), first_late = seal(ends.station);
    ends.install(1, 1);
    EXPECT_EQ(PkmLink::opened(ends.base, first), Opened::plain);
    ends.base.expire(kEnd - 1, 0);
    EXPECT_EQ(PkmLink::opened(ends.base, first_again), Opened::plain);
    ends.base.expire(kEnd, 0);
    EXPECT_EQ(PkmLink::opened(ends.base, first_late), Opened::unknown_key);
    EXPECT_TRUE(ends.base.has_key());
    ends.base.expire(2 * kEnd, 0);
    EXPECT_FALSE(ends.base.has_key());
}

TEST(SecurityAssociationTest, APairIsInstalledInEitherOrder) {
    SecurityAssociation sa(kSaid, kAesCcm, Direction::uplink);
    ASSERT_TRUE(sa.install(tek(3), 3, kEnd, {}));
    ASSERT_TRUE(sa.install(tek(2), 2, kEnd, {}));
    EXPECT_EQ(sa.newer_sequence(), 3);
    EXPECT_EQ(sa.older_sequence(), 2);
    // Sequence numbers wrap.
    ASSERT_TRUE(sa.install(tek(4), 0, kEnd, {}));
    EXPECT_EQ(sa.newer_sequence(), 0);
    EXPECT_EQ(sa.older_sequence(), 3);
}

TEST(SecurityAssociationTest, AKeyThatIsThereKeepsItsNumbers) {
    Ends ends;
    ends.install(0, 0);
    const Buffer before = seal(ends.station);
    EXPECT_EQ(PkmLink::opened(ends.base, before), Opened::plain);
    ends.install(0, 0);
    const Buffer after = seal(ends.station);
    EXPECT_EQ(*CcmCipher::packet_number(before), 1u ^ kUplinkPacketNumbers);
    EXPECT_EQ(*CcmCipher::packet_number(after), 2u ^ kUplinkPacketNumbers);
    EXPECT_EQ(PkmLink::opened(ends.base, before), Opened::replayed);
    // Suspended, too: it neither sends nor receives, and resumes its state later.
    ends.station.suspend();
    EXPECT_EQ(ends.station.eks_to_send(), std::nullopt);
    EXPECT_FALSE(ends.station.has_key());
    EXPECT_EQ(PkmLink::opened(ends.station, seal(ends.base)), Opened::unknown_key);
    ends.install(0, 0);
    EXPECT_EQ(*CcmCipher::packet_number(seal(ends.station)), 3u ^ kUplinkPacketNumbers);
}

/// A PDU of a station that sends with that TEK and numbers of that form.
Buffer sealed_as(UplinkNumbers form, uint8_t number, int count = 1) {
    SecurityAssociation station(kSaid, kAesCcm, Direction::uplink, {form, {}});
    EXPECT_TRUE(station.install(tek(number), number, kEnd, {}));
    Buffer pdu;
    for (int i = 0; i < count; ++i) pdu = seal(station);
    return pdu;
}

TEST(SecurityAssociationTest, BothFormsOfUplinkNumbersAreReceived) {
    for (const auto form : {UplinkNumbers::high, UplinkNumbers::low}) {
        const bool low = form == UplinkNumbers::low;
        Ends ends;
        ends.install(0, 0);
        const Buffer pdu = sealed_as(form, 0);
        EXPECT_EQ(*CcmCipher::packet_number(pdu), low ? 1u : 0x80000001u);
        EXPECT_EQ(ends.base.has_low_number(pdu), low);
        EXPECT_FALSE(ends.station.has_low_number(seal(ends.base)));
        EXPECT_EQ(PkmLink::opened(ends.base, pdu), Opened::plain);
        EXPECT_EQ(PkmLink::opened(ends.base, pdu), Opened::replayed);
        // A station has one form. Otherwise the base station's own PDUs could be sent back to it.
        const auto other = low ? UplinkNumbers::high : UplinkNumbers::low;
        EXPECT_EQ(PkmLink::opened(ends.base, sealed_as(other, 0, 2)), Opened::forged);
        EXPECT_EQ(PkmLink::opened(ends.base, sealed_as(form, 0, 2)), Opened::plain);
        ends.install(1, 1);
        EXPECT_EQ(PkmLink::opened(ends.base, sealed_as(other, 1)), Opened::forged);
        // The downlink has one form.
        EXPECT_EQ(PkmLink::opened(ends.station, sealed_as(form, 1)), low ? Opened::plain : Opened::forged);
    }
}

TEST(SecurityAssociationTest, AForgedPduDoesNotChooseTheForm) {
    Ends ends;
    ends.install(0, 0);
    Buffer forged = sealed_as(UplinkNumbers::low, 0);
    forged.back() ^= 1;
    EXPECT_EQ(PkmLink::opened(ends.base, forged), Opened::forged);
    EXPECT_EQ(PkmLink::opened(ends.base, sealed_as(UplinkNumbers::high, 0)), Opened::plain);
}

TEST(SecurityAssociationTest, FormsOfTheVectorOfDesCbc) {
    const CbcCipher::Iv iv{1, 2, 3, 4, 5, 6, 7, 8};
    constexpr std::array kForms{CbcIvForm::frame_number, CbcIvForm::parameter, CbcIvForm::zero};
    for (const auto sent : kForms)
        for (const auto expected : kForms) {
            SecurityAssociation station(kSaid, kDesCbc, Direction::uplink, {{}, sent}),
                base(kSaid, kDesCbc, Direction::downlink, {{}, expected});
            for (auto* sa : {&station, &base}) ASSERT_TRUE(sa->install(tek(0, TrafficKey::kDesOctets), 0, kEnd, iv));
            GenericHeader header;
            header.ec = true;
            header.cid = 700;
            Buffer pdu;
            header.encode(pdu);
            const Buffer payload{9, 8, 7, 6, 5, 4, 3, 2, 1, 0};
            pdu.insert(pdu.end(), payload.begin(), payload.end());
            ASSERT_TRUE(station.seal(pdu, 77));
            Buffer plain(payload.size());
            EXPECT_EQ(base.open(pdu, plain, 77), Opened::plain);
            EXPECT_EQ(plain == payload, sent == expected) << int(sent) << " " << int(expected);
        }
}

TEST(SecurityAssociationTest, AKeyDoesNotComeTwice) {
    SecurityAssociation sa(kSaid, kAesCcm, Direction::uplink);
    ASSERT_TRUE(sa.install(tek(0), 0, kEnd, {}));
    ASSERT_TRUE(sa.install(tek(1), 1, 2 * kEnd, {}));
    ASSERT_TRUE(sa.install(tek(2), 2, 3 * kEnd, {}));
    for (const uint8_t sequence : {0, 1, 2, 3}) EXPECT_FALSE(sa.install(tek(0), sequence, 9 * kEnd, {}));
    sa.expire(2 * kEnd, 0);
    EXPECT_FALSE(sa.install(tek(1), 3, 9 * kEnd, {}));
    EXPECT_EQ(sa.newer_sequence(), 2);
    // Another key of the same number takes its place, and its time.
    ASSERT_TRUE(sa.install(tek(5), 2, 3 * kEnd, {}));
    EXPECT_FALSE(sa.install(tek(2), 2, 3 * kEnd, {}));
}

TEST(SecurityAssociationTest, KeysOfAnotherSuiteAreNone) {
    SecurityAssociation aes(kSaid, kAesCcm, Direction::uplink), des(kSaid, kDesCbc, Direction::uplink);
    EXPECT_FALSE(aes.install(tek(0, TrafficKey::kDesOctets), 0, kEnd, {}));
    EXPECT_FALSE(des.install(tek(0), 0, kEnd, {}));
    EXPECT_FALSE(aes.has_key());
    EXPECT_FALSE(des.has_key());
}

TEST(SecurityAssociationTest, EveryLengthAndEveryChangedBit) {
    Ends ends;
    ends.install(0, 0);
    const Buffer pdu = seal(ends.station);
    for (size_t length = 0; length < pdu.size(); ++length) {
        Buffer plain(length > kHeaderOctets + CcmCipher::kOverheadOctets
                         ? length - kHeaderOctets - CcmCipher::kOverheadOctets
                         : 0);
        EXPECT_NE(ends.base.open(Octets(pdu).first(length), plain, 0), Opened::plain);
    }
    for (size_t bit = 0; bit < 8 * pdu.size(); ++bit) {
        if (bit / 8 == 5) continue;  // the HCS is no part of it
        Buffer changed = pdu;
        changed[bit / 8] ^= static_cast<uint8_t>(1 << bit % 8);
        EXPECT_NE(PkmLink::opened(ends.base, changed), Opened::plain) << bit;
    }
    EXPECT_EQ(PkmLink::opened(ends.base, pdu), Opened::plain);
}

TEST(SecurityAssociationTest, OutOfOrderWithinTheWindow) {
    Ends ends;
    ends.install(0, 0);
    std::vector<Buffer> pdus(kReplayWindow + 2);
    for (auto& pdu : pdus) pdu = seal(ends.base);
    EXPECT_EQ(PkmLink::opened(ends.station, pdus.back()), Opened::plain);
    for (size_t i = 0; i + 1 < pdus.size(); ++i)
        EXPECT_EQ(PkmLink::opened(ends.station, pdus[i]), i < 2 ? Opened::replayed : Opened::plain) << i;
    for (const auto& pdu : pdus) EXPECT_EQ(PkmLink::opened(ends.station, pdu), Opened::replayed);
}

TEST(SecurityAssociationTest, DesIsOpenedInItsFrame) {
    Ends ends(kDesCbc);
    ends.install(0, 0);
    EXPECT_EQ(ends.base.overhead_octets(), 0u);
    const Buffer pdu = seal(ends.base);
    Buffer plain(pdu.size() - kHeaderOctets);
    ASSERT_EQ(ends.station.open(pdu, plain, 0), Opened::plain);
    EXPECT_EQ(plain, (Buffer{4, 3, 2, 1}));
    ASSERT_EQ(ends.station.open(pdu, plain, 1), Opened::plain);
    EXPECT_NE(plain, (Buffer{4, 3, 2, 1}));
}

}  // namespace
}  // namespace wimax::mac::privacy
