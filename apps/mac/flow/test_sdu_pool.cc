// SPDX-License-Identifier: GPL-3.0-or-later
// One pool for all queues: a flow that hoards buffers never starves another.
#include "mac/flow/sdu_queue.h"

#include <gtest/gtest.h>

#include <unistd.h>

#include <cstdio>
#include <memory>

using namespace wimax::mac;

namespace test_sdu_pool {

std::vector<uint8_t> octets(size_t size) { return std::vector<uint8_t>(size, 0xA5); }

size_t resident_bytes() {
    size_t total = 0, resident = 0;
    FILE* file = std::fopen("/proc/self/statm", "r");
    if (std::fscanf(file, "%zu %zu", &total, &resident) != 2) resident = 0;
    std::fclose(file);
    return resident * static_cast<size_t>(::sysconf(_SC_PAGESIZE));
}

/// Tiny packets stay far below the byte limit: the share of buffers must hold.
TEST(SduPool, OneFlowOfSmallPacketsTakesHalfOfWhatIsShared) {
    SduPool pool(4096);
    SduQueue flood(pool, {}), sparse(pool, {});
    for (int i = 0; i < 20'000; ++i) EXPECT_TRUE(flood.push(octets(40), 1, 0));
    EXPECT_EQ(flood.packets(), SduPool::kReserve + 2048);
    EXPECT_EQ(flood.counters().dropped_pool, 20'000 - SduPool::kReserve - 2048);
    for (int i = 0; i < 1000; ++i) ASSERT_TRUE(sparse.push(octets(100), 1, 0)) << i;
    EXPECT_EQ(sparse.counters().dropped(), 0U);
}

/// However many flows are full, each other one still has its reserve.
TEST(SduPool, SixteenSaturatedFlowsLeaveEveryOtherItsReserve) {
    SduPool pool(256);
    std::vector<std::unique_ptr<SduQueue>> full;
    for (int i = 0; i < 16; ++i) full.push_back(std::make_unique<SduQueue>(pool, SduQueueConfig{}));
    for (int round = 0; round < 500; ++round)
        for (auto& queue : full) EXPECT_TRUE(queue->push(octets(1500), 1, 0));
    // 256 shared by 16 that all want more: each gets as much as it leaves free.
    for (auto& queue : full) EXPECT_NEAR(static_cast<double>(queue->packets()), SduPool::kReserve + 256 / 17.0, 1.0);
    std::vector<std::unique_ptr<SduQueue>> sparse;
    for (int i = 0; i < 100; ++i) {
        sparse.push_back(std::make_unique<SduQueue>(pool, SduQueueConfig{}));
        for (size_t k = 0; k < SduPool::kReserve; ++k) ASSERT_TRUE(sparse.back()->push(octets(100), 1, 0)) << i;
        EXPECT_EQ(sparse.back()->counters().dropped(), 0U);
    }
}

/// Even a pool without anything to share.
TEST(SduPool, FailsSoft) {
    SduPool pool(3);
    SduQueue a(pool, {}), b(pool, {});
    for (size_t i = 0; i < SduPool::kReserve + 10; ++i) EXPECT_TRUE(a.push(octets(100), 1, 0));
    EXPECT_EQ(a.packets(), SduPool::kReserve + 2);  // two of three: as many as it leaves, and one more never
    EXPECT_EQ(a.counters().dropped_pool, 8U);       // each the queue's oldest
    for (size_t i = 0; i < SduPool::kReserve; ++i) EXPECT_TRUE(b.push(octets(100), 1, 0));
    EXPECT_EQ(b.counters().dropped(), 0U);
    EXPECT_FALSE(a.push(octets(kMaxSduOctets + 1), 1, 0));
    EXPECT_FALSE(a.push({}, 1, 0));
    EXPECT_EQ(a.counters().refused, 2U);
    a.clear();
    b.clear();
    EXPECT_EQ(pool.free_buffers(), 3U);
}

/// A queue that holds more than its share when others join gives up two packets for each new one.
TEST(SduPool, AHoarderComesDownToItsShare) {
    SduPool pool(100);
    SduQueue first(pool, {});
    for (int i = 0; i < 100; ++i) first.push(octets(100), 1, 0);
    EXPECT_EQ(first.packets(), SduPool::kReserve + 50);
    SduQueue second(pool, {}), third(pool, {});
    for (int i = 0; i < 200; ++i) {
        first.push(octets(100), 1, 0);
        second.push(octets(100), 1, 0);
        third.push(octets(100), 1, 0);
    }
    for (auto* queue : {&first, &second, &third})
        EXPECT_NEAR(static_cast<double>(queue->packets()), SduPool::kReserve + 25, 1);
}

/// A packet counts for its flow until its buffer is given back, not only until it leaves the queue.
TEST(SduPool, PacketsOnTheirWayOutStillCount) {
    SduPool pool(2);
    SduQueue queue(pool, {});
    for (size_t i = 0; i < SduPool::kReserve + 1; ++i) queue.push(octets(100), 1, 0);
    const auto out = queue.pop(0);
    EXPECT_EQ(pool.free_buffers(), 1U);
    queue.push(octets(100), 1, 0);
    EXPECT_EQ(queue.counters().dropped_pool, 1U);
    pool.release(out);
}

TEST(SduPool, ReservesGoWithTheirQueues) {
    SduPool pool(10);
    for (int i = 0; i < 1000; ++i) {
        SduQueue queue(pool, {});
        for (int k = 0; k < 30; ++k) queue.push(octets(2000), 1, 0);
        EXPECT_EQ(queue.packets(), SduPool::kReserve + 5);
    }
    EXPECT_EQ(pool.free_buffers(), 10U);
    EXPECT_EQ(pool.buffers(), 10 + SduPool::kReserve);  // one reserve, used a thousand times
}

TEST(SduPool, MemoryIsTakenAsItIsNeeded) {
#if defined(__SANITIZE_ADDRESS__) || defined(__SANITIZE_THREAD__)
    GTEST_SKIP() << "sanitizers mark all memory when it is taken";
#endif
    const size_t before = resident_bytes();
    SduPool pool(100'000);  // 204 MB
    EXPECT_LT(resident_bytes() - before, 8U << 20);
    SduQueue queue(pool, {});
    for (int i = 0; i < 100'000; ++i) {
        queue.push(octets(1500), 1, 0);
        pool.release(queue.pop(0));
    }
    EXPECT_LT(resident_bytes() - before, 8U << 20);  // one buffer, again and again
}

}  // namespace test_sdu_pool
