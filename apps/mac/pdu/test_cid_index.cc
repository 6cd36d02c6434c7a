// SPDX-License-Identifier: GPL-3.0-or-later
#include <gtest/gtest.h>
#include "mac/pdu/cid_index.h"

#include <random>

namespace wimax::mac {
namespace {

TEST(CidIndex, FindsWhatASearchFinds) {
    std::mt19937 random(1);
    CidIndex index;
    size_t absent = 0, recognized = 0;
    for (int n = 0; n < 500; ++n) {
        std::vector<uint16_t> cids(random() % 40);
        const uint32_t different = 1 + random() % 200;
        for (auto& cid : cids) cid = static_cast<uint16_t>(0xFFFF - random() % different);
        index.clear();
        for (const uint16_t cid : cids) index.add(cid);
        ASSERT_EQ(index.size(), cids.size());
        for (uint32_t i = 0; i < different; ++i) {
            const auto cid = static_cast<uint16_t>(0xFFFF - i);
            const bool there = std::find(cids.begin(), cids.end(), cid) != cids.end();
            ASSERT_TRUE(index.may_have(cid) || !there) << cid;
            absent += !there;
            recognized += !index.may_have(cid);
            for (size_t from = 0; from <= cids.size() + 1; ++from) {
                const auto begin = cids.begin() + static_cast<std::ptrdiff_t>(std::min(from, cids.size()));
                const auto place = static_cast<size_t>(std::find(begin, cids.end(), cid) - cids.begin());
                ASSERT_EQ(index.next(cid, from), place) << cid << " from " << from;
            }
        }
    }
    EXPECT_GT(recognized, absent / 2);
}

}  // namespace
}  // namespace wimax::mac
