// SPDX-License-Identifier: GPL-3.0-or-later
#include "common/scratch.h"
#include "sap/codec.h"
#include "sap/decorators.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <deque>
#include <filesystem>
#include <fstream>

namespace wimax::sap {
namespace test_sap_decorators {

/// A peer made of two queues.
struct QueuePort final : Port {
    using Port::send;
    bool send(const MessageRef& message) override {
        sent->push_back(std::visit([](const auto* m) { return Message(*m); }, message));
        return true;
    }
    std::optional<Message> poll(std::chrono::milliseconds, std::span<const int>) override {
        if (incoming.empty()) return std::nullopt;
        Message m = incoming.front();
        incoming.pop_front();
        return m;
    }
    bool peer_alive() override { return true; }
    uint64_t mac_session() const override { return 1; }
    uint64_t phy_session() const override { return 2; }
    const PortCounters& counters() const override { return count; }

    std::deque<Message> incoming;
    std::shared_ptr<std::deque<Message>> sent = std::make_shared<std::deque<Message>>();
    PortCounters count;
};

FrameTick tick(uint32_t n) {
    FrameTick t;
    t.frame_number = FrameNumber(n);
    t.sample_rate_hz = 5'760'000;
    return t;
}
TxFrame answer(uint32_t n) {
    TxFrame tx;
    tx.frame_number = FrameNumber(n);
    tx.bursts.resize(1);
    tx.bursts[0].format.data_symbols = 10;
    tx.bursts[0].payload = {static_cast<uint8_t>(n), 5};
    return tx;
}
constexpr std::chrono::milliseconds kNow{0};

TEST(Recorder, WhatIsRecordedPlaysBack) {
    const std::string path = Scratch::path("sap.rec");
    {
        auto inner = std::make_unique<QueuePort>();
        for (uint32_t n = 0; n < 3; ++n) inner->incoming.emplace_back(tick(n));
        auto port = with_recorder(with_log(std::move(inner)), path);
        ASSERT_TRUE(port);
        while (auto m = (*port)->poll(kNow)) (*port)->send(answer(std::get<FrameTick>(*m).frame_number.value()));
    }
    for (const bool differ : {false, true}) {
        auto replay = open_replayer(path);
        ASSERT_TRUE(replay) << replay.error().str();
        uint32_t n = 0;
        EXPECT_FALSE((*replay)->finished());
        while (auto m = (*replay)->poll(kNow)) {
            EXPECT_EQ(std::get<FrameTick>(*m).frame_number, n);
            EXPECT_FALSE((*replay)->poll(kNow)) << "the next tick came after the answer";
            EXPECT_EQ((*replay)->finished(), n == 2) << "only an answer is left after the last tick";
            (*replay)->send(answer(n + (differ && n == 1 ? 1 : 0)));
            ++n;
        }
        EXPECT_EQ(n, 3U);
        EXPECT_TRUE((*replay)->finished());
        EXPECT_EQ((*replay)->differences(), differ ? 1U : 0U);
    }
    std::fstream file(path, std::ios::in | std::ios::out | std::ios::binary);
    file.seekp(8).put(3);  // behind "WIMAXSAP": the version
    file.close();
    const auto other = open_replayer(path);
    ASSERT_FALSE(other);
    EXPECT_EQ(other.error().str(), path + ": not a recording of this version");
    EXPECT_FALSE(open_replayer("/dev/null/x"));
    EXPECT_FALSE(open_replayer("/dev/null"));
}

/// A rotated recording plays back as one, and not without its first part.
TEST(Recorder, RotatedFilesPlayBackTogether) {
    const std::string path = Scratch::path("rotated.rec");
    const auto record = [&](int files) {
        auto inner = std::make_unique<QueuePort>();
        for (uint32_t n = 0; n < 600; ++n) inner->incoming.emplace_back(tick(n));
        auto port = with_recorder(std::move(inner), path, {20'000, files});
        ASSERT_TRUE(port);
        while (auto m = (*port)->poll(kNow)) (*port)->send(answer(std::get<FrameTick>(*m).frame_number.value()));
    };
    record(20);
    ASSERT_TRUE(std::filesystem::exists(path + ".2"));
    EXPECT_LE(std::filesystem::file_size(path), 20'000U);
    auto replay = open_replayer(path);
    ASSERT_TRUE(replay) << replay.error().str();
    uint32_t n = 0;
    for (; auto m = (*replay)->poll(kNow); ++n) {
        ASSERT_EQ(std::get<FrameTick>(*m).frame_number, n);
        (*replay)->send(answer(n));
    }
    EXPECT_EQ(n, 600U);
    EXPECT_TRUE((*replay)->finished());
    EXPECT_EQ((*replay)->differences(), 0U);
    for (int i = 1; i < 30; ++i) std::filesystem::remove(path + "." + std::to_string(i));
    record(2);
    const auto cut = open_replayer(path);
    ASSERT_FALSE(cut);
    EXPECT_NE(cut.error().str().find("the beginning of the recording was rotated away"), std::string::npos)
        << cut.error().str();
}

/// A message that cannot be decoded is counted; a record without parts, or with too many, ends the recording.
TEST(Recorder, DamagedRecordsPlayBackAsFarAsTheyGo) {
    const std::string path = Scratch::path("damaged.rec");
    for (const uint32_t parts : {0U, static_cast<uint32_t>(kMaxBursts) + 2}) {
        (void)with_recorder(std::make_unique<QueuePort>(), path);
        std::ofstream file(path, std::ios::app | std::ios::binary);
        for (const uint32_t count : {1U, parts, 1U}) {
            file.put('<').write(reinterpret_cast<const char*>(&count), 4);
            for (uint32_t i = 0; i < count; ++i) file.write("\0\0\0", 4);
        }
        file.close();
        const auto replay = open_replayer(path);
        EXPECT_FALSE((*replay)->poll(kNow));
        EXPECT_EQ((*replay)->counters().malformed, 1U) << parts;
    }
}

TEST(FaultInjection, IsSeededAndCompleteWithoutDrops) {
    const auto run = [](const FaultPlan& plan) {
        auto inner = std::make_unique<QueuePort>();
        for (uint32_t n = 0; n < 500; ++n) inner->incoming.emplace_back(tick(n));
        auto sent = inner->sent;
        auto port = with_faults(std::move(inner), plan);
        std::vector<uint32_t> received;
        for (int i = 0; i < 2000; ++i)
            if (auto m = port->poll(kNow)) received.push_back(std::get<FrameTick>(*m).frame_number.value());
        for (uint32_t n = 0; n < 500; ++n) port->send(answer(n));
        std::vector<uint32_t> out;
        for (const auto& m : *sent) out.push_back(std::get<TxFrame>(m).frame_number.value());
        return std::pair(received, out);
    };
    std::vector<uint32_t> plain(500);
    for (uint32_t n = 0; n < 500; ++n) plain[n] = n;
    EXPECT_EQ(run({}), std::pair(plain, plain));
    const FaultPlan plan{.seed = 5, .drop = 0.2, .duplicate = 0.1, .swap = 0.1};
    EXPECT_EQ(run(plan), run(plan));
    const auto [in, out] = run({.seed = 5, .drop = 0.2});
    EXPECT_NEAR(static_cast<double>(in.size()), 400, 40);
    EXPECT_NEAR(static_cast<double>(out.size()), 400, 40);
    auto [swapped, swapped_out] = run({.seed = 6, .swap = 0.2});
    EXPECT_NE(swapped, plain);
    EXPECT_GE(swapped.size(), 499U);  // the last one may still be delayed
    const auto [twice, twice_out] = run({.seed = 7, .duplicate = 0.1});
    EXPECT_NEAR(static_cast<double>(twice.size()), 550, 25);
    EXPECT_NEAR(static_cast<double>(twice_out.size()), 550, 25);
    EXPECT_TRUE(std::is_sorted(twice_out.begin(), twice_out.end()));
    EXPECT_GE(swapped_out.size(), 499U);
}

/// A replay counts each thing that is not as it was recorded: another payload, a message more.
TEST(Recorder, EachDifferenceCounts) {
    const std::string path = Scratch::path("sap.rec");
    TxFrame full = answer(1);
    full.bursts.resize(2);
    full.bursts[0].payload = {1, 2, 3};
    full.bursts[1].payload = {4};
    for (auto& burst : full.bursts) burst.format.data_symbols = 1;
    {
        auto inner = std::make_unique<QueuePort>();
        inner->incoming.emplace_back(tick(1));
        auto port = with_recorder(std::move(inner), path);
        ASSERT_TRUE(port);
        (*port)->poll(kNow);
        (*port)->send(full);
    }
    const auto differences = [&](const std::vector<TxFrame>& answers) {
        auto replay = open_replayer(path);
        EXPECT_TRUE(replay);
        EXPECT_TRUE((*replay)->peer_alive());
        EXPECT_TRUE((*replay)->poll(kNow));
        for (const auto& one : answers) (*replay)->send(one);
        EXPECT_EQ((*replay)->counters().received, 1U);
        EXPECT_EQ((*replay)->counters().sent, answers.size());
        EXPECT_EQ((*replay)->peer_alive(), answers.empty());
        return (*replay)->differences();
    };
    EXPECT_EQ(differences({full}), 0U);
    EXPECT_EQ(differences({}), 0U);
    EXPECT_EQ(differences({full, full}), 1U);
    TxFrame other = full;
    other.bursts[0].payload[2] = 9;
    EXPECT_EQ(differences({other}), 1U) << "the first burst's contents";
    other = full;
    other.bursts[0].payload = {1, 2};
    other.bursts[1].payload = {3, 4};
    EXPECT_EQ(differences({other}), 1U) << "the same octets, cut elsewhere";
    other = full;
    other.power_dbm = 3;
    EXPECT_EQ(differences({other, other}), 2U);
    bool ended = false;
    auto replay = open_replayer(path, [&ended] { ended = true; });
    (*replay)->poll(kNow);
    EXPECT_FALSE(ended);
    EXPECT_TRUE((*replay)->finished());
    (*replay)->poll(kNow);
    EXPECT_TRUE(ended);
}

/// Swapped messages change places with the next one, no farther.
TEST(FaultInjection, SwapsNeighbours) {
    auto inner = std::make_unique<QueuePort>();
    for (uint32_t n = 0; n < 300; ++n) inner->incoming.emplace_back(tick(n));
    auto sent = inner->sent;
    auto port = with_faults(std::move(inner), {.seed = 3, .swap = 0.3});
    std::vector<uint32_t> in, out;
    for (int i = 0; i < 1000; ++i)
        if (auto m = port->poll(kNow)) in.push_back(std::get<FrameTick>(*m).frame_number.value());
    for (uint32_t n = 0; n < 300; ++n) port->send(answer(n));
    for (const auto& m : *sent) out.push_back(std::get<TxFrame>(m).frame_number.value());
    for (const auto* all : {&in, &out}) {
        size_t moved = 0;
        for (size_t i = 0; i < all->size(); ++i) {
            EXPECT_LE(std::abs(static_cast<int>((*all)[i]) - static_cast<int>(i)), 1) << i;
            moved += (*all)[i] != i;
        }
        EXPECT_GT(moved, 60U);
    }
}

}  // namespace test_sap_decorators
}  // namespace wimax::sap
