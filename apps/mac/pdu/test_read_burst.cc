// SPDX-License-Identifier: GPL-3.0-or-later
#include <gtest/gtest.h>
#include "mac/pdu/cid.h"
#include "mac/pdu/read_burst.h"

#include <random>

namespace wimax::mac {
namespace {

/// PDUs of some stations, some of them damaged, and padding.
Buffer random_burst(std::mt19937& random) {
    const auto below = [&](uint32_t n) { return random() % n; };
    Buffer burst;
    PduWriter writer(burst, 1000);
    for (uint32_t n = below(6); n > 0; --n) {
        const uint16_t cids[] = {cid::kBroadcast, cid::kPadding, 1, 700, 701};
        if (below(5) == 0) {
            BandwidthRequestHeader request;
            request.cid = 700;
            writer.request(request);
            continue;
        }
        if (!writer.begin(cids[below(5)], below(2) == 0)) break;
        writer.payload(Buffer(below(40), static_cast<uint8_t>(random())));
        writer.finish();
    }
    burst.resize(burst.size() + below(20), 0xFF);
    for (uint32_t n = below(3); n > 0 && !burst.empty(); --n)
        burst[below(static_cast<uint32_t>(burst.size()))] ^= static_cast<uint8_t>(1 + below(255));
    return burst;
}

TEST(ReadBurst, HasThePdusThatAReaderFinds) {
    std::mt19937 random(1);
    ReadBurst reading;
    size_t usable = 0, damaged = 0, stopped = 0;
    for (int n = 0; n < 3000; ++n) {
        const Buffer burst = random_burst(random);
        reading.read(burst);
        PduReader all(burst), good(burst);
        for (size_t i = 0; i < reading.size(); ++i) {
            const auto pdu = all.next_any();
            ASSERT_TRUE(pdu);
            EXPECT_EQ(reading.pdu(i).offset, pdu->offset);
            EXPECT_EQ(reading.pdu(i).cid(), pdu->cid());
            const Pdu* one = reading.usable(i);
            EXPECT_EQ(reading.usable(i), one);  // of the next listener
            const bool to_all = pdu->is_request || pdu->cid() == cid::kPadding;
            EXPECT_EQ(reading.next(to_all ? cid::kBroadcast : pdu->cid(), i), i);
            EXPECT_EQ(reading.next(699, i), reading.size());
            EXPECT_EQ(one != nullptr, pdu->crc_ok() && pdu->cid() != cid::kPadding);
            if (!one) {
                ++damaged;
                continue;
            }
            ++usable;
            const auto next = good.next();
            ASSERT_TRUE(next);
            EXPECT_EQ(one->offset, next->offset);
            EXPECT_EQ(one->crc_style, next->crc_style);
            EXPECT_EQ(one->body.data(), next->body.data());
        }
        EXPECT_FALSE(all.next_any());
        EXPECT_FALSE(good.next());
        EXPECT_EQ(reading.stopped(), all.error().has_value());
        stopped += reading.stopped();
    }
    EXPECT_GT(usable, 1000U);
    EXPECT_GT(damaged, 300U);
    EXPECT_GT(stopped, 300U);
}

Buffer message_of(uint8_t count) {
    UlMap map;
    map.ucd_count = count;
    map.ies.resize(3);
    Buffer octets;
    encode(map, octets);
    return octets;
}

const UlMap& map_in(ReadBurst& reading, Octets octets) { return reading.decoded<IndexedUlMap>(octets)->map(); }

TEST(ReadBurst, DecodesAMessageOnceForAllListeners) {
    Buffer burst = message_of(7);
    ReadBurst reading;
    reading.read(burst);
    ASSERT_TRUE(reading.decoded<IndexedUlMap>(burst));
    const UlMap& map = map_in(reading, burst);
    EXPECT_EQ(map.ucd_count, 7);
    const UlMapIe* elements = map.ies.data();
    const_cast<UlMap&>(map).ucd_count = 99;  // shows a second decoding
    EXPECT_EQ(map_in(reading, burst).ucd_count, 99);
    // The next burst lies in the same memory; lists keep theirs.
    std::ranges::copy(message_of(8), burst.begin());
    reading.read(burst);
    EXPECT_EQ(map_in(reading, burst).ucd_count, 8);
    EXPECT_EQ(map_in(reading, burst).ies.data(), elements);
    EXPECT_FALSE(reading.decoded<DlMap>(burst));
    EXPECT_FALSE(reading.decoded<IndexedUlMap>(Octets(burst).first(burst.size() - 1)));
    EXPECT_EQ(map_in(reading, burst).ucd_count, 8);
}

TEST(ReadBurst, DecodesWhatLiesElsewhereEachTime) {
    const Buffer burst(100, 0xFF);
    ReadBurst reading;
    reading.read(burst);
    Buffer decrypted = message_of(1);
    for (const uint8_t count : {1, 2, 3}) {
        std::ranges::copy(message_of(count), decrypted.begin());
        EXPECT_EQ(map_in(reading, decrypted).ucd_count, count);
    }
}

}  // namespace
}  // namespace wimax::mac
