// SPDX-License-Identifier: GPL-3.0-or-later
#include <gtest/gtest.h>
#include "mac/pdu/cid.h"
#include "mac/pdu/pdu.h"
#include "mac/pdu/tlv.h"
#include "phy/base/test_counting_new.h"

#include <random>

namespace wimax::mac {
namespace {

TEST(Bits, FieldsAcrossOctets) {
    Buffer octets;
    BitWriter out(octets);
    out.put(5, 3), out.put(0x155, 11), out.put(0xDEADBEEFCAFE, 48), out.put(1, 1);
    EXPECT_EQ(octets.size(), 8u);
    EXPECT_FALSE(out.aligned());
    BitReader in(octets);
    EXPECT_EQ(in.get(3), 5u);
    EXPECT_EQ(in.get(11), 0x155u);
    EXPECT_EQ(in.get(48), 0xDEADBEEFCAFEu);
    EXPECT_EQ(in.get(1), 1u);
    EXPECT_EQ(in.bits_left(), 1u);
    EXPECT_EQ(in.get(2), 0u);
    EXPECT_TRUE(in.failed());
}

TEST(Bits, FieldsOfEveryLengthAtEveryPlace) {
    std::mt19937 random(1);
    for (int n = 0; n < 2000; ++n) {
        Buffer octets(random() % 24);
        for (auto& octet : octets) octet = static_cast<uint8_t>(random());
        BitReader in(octets);
        for (size_t at = 0; !in.failed();) {
            const unsigned bits = 1 + random() % 64;
            uint64_t expected = 0;
            const bool fits = at + bits <= 8 * octets.size();
            for (size_t i = at; fits && i < at + bits; ++i)
                expected = expected << 1 | (octets[i / 8] >> (7 - i % 8) & 1);
            ASSERT_EQ(in.get(bits), expected) << bits << " bits at " << at;
            ASSERT_EQ(in.failed(), !fits);
            at += bits;
            ASSERT_EQ(in.position(), fits ? at : 8 * octets.size());
        }
    }
}

TEST(Bits, WrittenFieldsOfEveryLength) {
    std::mt19937_64 random(1);
    for (int n = 0; n < 1000; ++n) {
        Buffer octets{0xA5};  // what a buffer held before stays
        BitWriter out(octets);
        std::vector<bool> expected;
        for (uint64_t fields = random() % 12; fields > 0; --fields) {
            const uint64_t value = random();
            const auto bits = static_cast<unsigned>(1 + random() % 64);
            out.put(value, bits);
            for (unsigned i = bits; i-- > 0;) expected.push_back(value >> i & 1);
        }
        ASSERT_EQ(octets.size(), 1 + (expected.size() + 7) / 8);
        ASSERT_EQ(out.aligned(), expected.size() % 8 == 0);
        expected.resize(8 * (octets.size() - 1));  // filled up with zeros
        EXPECT_EQ(octets[0], 0xA5);
        for (size_t i = 0; i < expected.size(); ++i)
            ASSERT_EQ(octets[1 + i / 8] >> (7 - i % 8) & 1, expected[i] ? 1 : 0) << i;
    }
}

TEST(Crc, PublishedExamples) {
    EXPECT_EQ(hcs8(Buffer{0x80, 0xAA, 0xAA, 0x0F, 0x0F}), 0xD5);
    EXPECT_EQ(hcs8(Buffer{0x00, 0x40, 0x0A, 0x06, 0xC4}), 0x30);
    EXPECT_EQ(hcs8(Buffer{0x40, 0x40, 0x1A, 0x06, 0xC4}), 0x5A);
    const Buffer pdu{0x40, 0x40, 0x1A, 0x06, 0xC4, 0x5A, 0xBC, 0xF6, 0x57, 0x21, 0xE7,
                     0x55, 0x36, 0xC8, 0x27, 0xA8, 0xD7, 0x1B, 0x43, 0x2C, 0xA5, 0x48};
    EXPECT_EQ(crc32(pdu, CrcStyle::ieee8023), (CrcOctets{0xCB, 0xB6, 0x5F, 0x48}));
    EXPECT_EQ(crc32(pdu, CrcStyle::msb), (CrcOctets{0x1B, 0xD1, 0xBA, 0x21}));
    const std::string check = "123456789";
    const Octets text(reinterpret_cast<const uint8_t*>(check.data()), check.size());
    EXPECT_EQ(crc32(text), (CrcOctets{0x26, 0x39, 0xF4, 0xCB}));
}

TEST(Cid, Ranges) {
    EXPECT_TRUE(cid::is_management(0) && cid::is_management(640) && cid::is_management(0xFFFF));
    EXPECT_FALSE(cid::is_management(641) || cid::is_management(cid::kPadding));
    EXPECT_TRUE(cid::is_basic(320) && cid::is_primary(321) && cid::is_transport(641));
}

TEST(Tlv, LongForms) {
    for (const size_t size : {0u, 1u, 127u, 128u, 255u, 256u, 70000u}) {
        Buffer out;
        TlvWriter writer(out);
        const size_t mark = writer.begin(9);
        out.resize(out.size() + size, 0x5A);
        writer.end(mark);
        writer.put(10, Octets(Buffer{1}));
        Buffer direct;
        TlvWriter(direct).put(9, Buffer(size, 0x5A));
        EXPECT_TRUE(std::equal(direct.begin(), direct.end(), out.begin())) << size;
        TlvReader reader(out);
        auto tlv = reader.next();
        ASSERT_TRUE(tlv);
        EXPECT_EQ(tlv->value.size(), size);
        EXPECT_TRUE(tlv->shortest_form);
        EXPECT_EQ(reader.next()->type, 10);
        EXPECT_FALSE(reader.next());
        EXPECT_FALSE(reader.error());
    }
    EXPECT_EQ((Tlv{1, Buffer{0xFF, 0xD8}, 0, 0, true}.signed_value()), -40);
}

TEST(Tlv, BadLengths) {
    for (const Buffer& bad :
         {Buffer{1}, Buffer{1, 2, 0}, Buffer{1, 0x80}, Buffer{1, 0x82, 0}, Buffer{1, 0x85, 0, 0, 0, 0, 0}}) {
        TlvReader reader(bad);
        EXPECT_FALSE(reader.next());
        ASSERT_TRUE(reader.error());
        EXPECT_EQ(reader.error()->reason, Reason::length);
    }
}

TEST(Pdu, WriteAndReadBack) {
    Buffer burst;
    PduWriter writer(burst, 200);
    const Buffer data(20, 0x11), more(9, 0x22);
    ASSERT_TRUE(writer.request({RequestType::aggregate, 524287, 700}));
    ASSERT_TRUE(writer.begin(700));
    writer.grant_management(GrantManagementSubheader::piggyback(1500));
    writer.fragmentation({FragmentControl::first, 2047});
    writer.payload(data);
    ASSERT_TRUE(writer.finish());
    ASSERT_TRUE(writer.begin(701, false));
    writer.packed(FragmentControl::last, 5, data);
    writer.packed(FragmentControl::unfragmented, 6, more);
    ASSERT_TRUE(writer.finish());
    burst.resize(200, 0xFF);

    PduCounters counters;
    PduReader reader(burst, &counters);
    auto pdu = reader.next();
    ASSERT_TRUE(pdu && pdu->is_request);
    EXPECT_EQ(pdu->request.br, 524287u);
    pdu = reader.next();
    ASSERT_TRUE(pdu);
    auto sub = parse_subheaders(*pdu);
    ASSERT_TRUE(sub);
    EXPECT_EQ(sub->grant_management->piggyback_request(), 1500);
    EXPECT_EQ(sub->fragmentation->fsn, 2047);
    EXPECT_TRUE(std::ranges::equal(sub->rest, data));
    pdu = reader.next();
    ASSERT_TRUE(pdu);
    sub = parse_subheaders(*pdu);
    ASSERT_TRUE(sub && sub->packed);
    UnitReader units(sub->rest, pdu->header.extended());
    const auto first = units.next(), second = units.next();
    ASSERT_TRUE(first && second);
    EXPECT_EQ(first->subheader.fc, FragmentControl::last);
    EXPECT_TRUE(std::ranges::equal(second->data, more));
    EXPECT_FALSE(units.next() || units.error());
    EXPECT_FALSE(reader.next() || reader.error());
    EXPECT_EQ(reader.padding_octets(), 200u - 6 - (6 + 2 + 2 + 20 + 4) - (6 + 3 + 20 + 3 + 9));
    EXPECT_EQ(counters.pdus, 2u);
    EXPECT_EQ(counters.crc_8023, 1u);
}

TEST(Pdu, WriterStaysWithinTheBurst) {
    Buffer burst;
    PduWriter writer(burst, 30);
    ASSERT_TRUE(writer.begin(1));
    EXPECT_EQ(writer.room(), 30u - 6 - 4);
    writer.payload(Buffer(21, 0));
    EXPECT_FALSE(writer.finish());
    EXPECT_TRUE(burst.empty());
    ASSERT_TRUE(writer.begin(1));
    writer.payload(Buffer(20, 0));
    EXPECT_TRUE(writer.finish());
    EXPECT_EQ(burst.size(), 30u);
    EXPECT_FALSE(writer.begin(1));
    EXPECT_FALSE(writer.request({}));
    Buffer large;
    PduWriter unbounded(large, 10000);
    ASSERT_TRUE(unbounded.begin(1));
    EXPECT_EQ(unbounded.room(), kMaxPduOctets - 10);
    unbounded.payload(Buffer(kMaxPduOctets - 9, 0));
    EXPECT_FALSE(unbounded.finish());
}

TEST(Pdu, BadCrcDropsOnePduBadHcsTheRest) {
    Buffer burst;
    PduWriter writer(burst, 1000);
    for (uint16_t cid = 700; cid < 703; ++cid) {
        ASSERT_TRUE(writer.begin(cid));
        writer.payload(Buffer(10, 0));
        ASSERT_TRUE(writer.finish());
    }
    Buffer damaged = burst;
    damaged[8] ^= 1;
    PduCounters counters;
    PduReader reader(damaged, &counters);
    EXPECT_EQ(reader.next()->cid(), 701);
    EXPECT_EQ(reader.next()->cid(), 702);
    EXPECT_EQ(counters.bad_crc, 1u);
    burst[20 + 5] ^= 1;
    PduReader stopped(burst, &counters);
    EXPECT_EQ(stopped.next()->cid(), 700);
    EXPECT_FALSE(stopped.next());
    ASSERT_TRUE(stopped.error());
    EXPECT_EQ(stopped.error()->offset, 20u);
    EXPECT_EQ(stopped.error()->reason, Reason::hcs);
    EXPECT_EQ(counters.stopped, 1u);
}

TEST(Pdu, PaddingPduIsSkipped) {
    Buffer burst;
    PduWriter writer(burst, 100);
    ASSERT_TRUE(writer.begin(cid::kPadding, false) && writer.finish() && writer.begin(700) && writer.finish());
    PduReader reader(burst);
    EXPECT_EQ(reader.next()->cid(), 700);
    EXPECT_EQ(PduReader(burst).next_any()->cid(), cid::kPadding);
}

TEST(Pdu, CounterStylesOfCrc) {
    Buffer burst;
    PduWriter writer(burst, 100, CrcStyle::msb);
    ASSERT_TRUE(writer.begin(700) && writer.finish());
    PduCounters counters;
    PduReader reader(burst, &counters);
    ASSERT_TRUE(reader.next());
    EXPECT_EQ(counters.crc_msb, 1u);
}

TEST(Pdu, NothingIsAllocatedPerFrame) {
    DlMap map, received_map;
    for (uint16_t i = 0; i < 20; ++i) map.ies.push_back({i, 3, false, i, {}});
    const Buffer sdu(300, 0x45);
    Buffer burst;
    const auto frame = [&] {
        burst.clear();
        PduWriter writer(burst, 4000);
        (void)writer.message(cid::kBroadcast, map);
        for (uint16_t i = 0; i < 5; ++i) {
            (void)writer.begin(static_cast<uint16_t>(700 + i));
            writer.packed(FragmentControl::unfragmented, i, sdu);
            writer.packed(FragmentControl::first, i, sdu);
            (void)writer.finish();
        }
        PduReader reader(burst);
        size_t octets = 0;
        while (const auto pdu = reader.next()) {
            if (cid::is_management(pdu->cid())) {
                (void)decode(pdu->body, received_map);
                continue;
            }
            const auto sub = parse_subheaders(*pdu);
            UnitReader units(sub->rest, pdu->header.extended());
            while (const auto unit = units.next()) octets += unit->data.size();
        }
        return octets;
    };
    EXPECT_EQ(frame(), 3000u);
    EXPECT_EQ(received_map, map);
    EXPECT_EQ(gr::wimax::phy::test::allocations_of([&] { EXPECT_EQ(frame(), 3000u); }), 0u);
}

TEST(Pdu, RandomOctets) {
    std::mt19937 random(7);
    for (int i = 0; i < 20000; ++i) {
        Buffer octets(random() % 60);
        for (auto& octet : octets) octet = static_cast<uint8_t>(random());
        if (octets.size() >= 6) octets[0] &= 0x5F, octets[1] &= 0x70, octets[5] = hcs8(Octets(octets).first(5));
        PduReader reader(octets);
        size_t end = 0;
        while (const auto pdu = reader.next_any()) {
            EXPECT_EQ(pdu->offset, end);
            end += pdu->octets.size();
            const auto sub = parse_subheaders(*pdu);
            if (!sub || !sub->packed) continue;
            UnitReader units(sub->rest, pdu->header.extended());
            while (units.next()) {
            }
        }
        EXPECT_TRUE(reader.error() || end + reader.padding_octets() == octets.size());
    }
}

}  // namespace
}  // namespace wimax::mac
