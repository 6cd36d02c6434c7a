// SPDX-License-Identifier: GPL-3.0-or-later
#include "macd/event_journal.h"

#include "common/scratch.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <filesystem>
#include <fstream>

namespace wimax::macd {
namespace {

using nlohmann::json;

const auto kWall = EventJournal::WallTime(std::chrono::milliseconds(1'800'000'000'045));

mac::Event event(const char* layer, const std::string& text, mac::EventSource source = {}) {
    return {source, layer, text};
}

std::vector<json> lines(const std::string& file) {
    std::vector<json> all;
    std::ifstream in(file);
    for (std::string line; std::getline(in, line);) all.push_back(json::parse(line));
    return all;
}

TEST(EventJournal, LinesOfAFileAndTheLastOnes) {
    const auto file = Scratch::path("events.jsonl");
    const json expected = {{"number", 1},         {"wall", "2027-01-15T08:00:00.045Z"},
                           {"simulated_s", 12.5}, {"frame", 1250},
                           {"layer", "entry"},    {"text", "station registered"}};
    {
        EventJournal journal;
        ASSERT_TRUE(journal.open(file));
        journal.note(kWall, 12.5, 1250, event("entry", "station registered"));
        EXPECT_TRUE(lines(file).empty()) << "nothing is written while a frame is made";
        journal.flush();
        EXPECT_EQ(lines(file), std::vector<json>{expected});
        journal.note(kWall, 13, 1300, event("entry", "named \xFF\x1B[2J\n"));
        EXPECT_EQ(journal.last()["events"][0], expected);
        EXPECT_EQ(journal.last()["lost"], 0);
    }
    ASSERT_EQ(lines(file).size(), 2U) << "the rest at the end";
    EXPECT_EQ(lines(file)[1]["text"], "named \\xff\\x1b[2J\\x0a") << "nothing that a terminal obeys";
}

TEST(EventJournal, OldOnesGo) {
    EventJournal journal;
    for (uint32_t i = 1; i <= EventJournal::kKept + 5; ++i) journal.note(kWall, i, i, event("phy", "late"));
    const auto events = journal.last()["events"];
    ASSERT_EQ(events.size(), EventJournal::kKept);
    EXPECT_EQ(events.front()["number"], 6);
    EXPECT_EQ(events.back()["frame"], EventJournal::kKept + 5);
}

/// A peer that fills the journal replaces only events that it caused.
TEST(EventJournal, OneSourceCannotPushOutAnother) {
    constexpr auto kQuiet = mac::EventSource::peer({2, 0, 0, 0, 0, 1}),
                   kLoud = mac::EventSource::peer({2, 0, 0, 0, 0, 2});
    for (const auto& flood : {kLoud, mac::EventSource(), mac::EventSource::own()}) {
        EventJournal journal;
        for (uint32_t i = 0; i < 60; ++i) journal.note(kWall, i, i, event("flow", "early", flood));
        for (uint32_t i = 0; i < 50; ++i) journal.note(kWall, i, i, event("entry", "quiet", kQuiet));
        for (uint32_t i = 0; i < 5000; ++i) journal.note(kWall, i, i, event("flow", "loud", flood));
        const auto events = journal.last()["events"];
        ASSERT_EQ(events.size(), EventJournal::kKept);
        EXPECT_EQ(std::ranges::count_if(events, [](const json& e) { return e["text"] == "quiet"; }), 50);
        EXPECT_EQ(events.back()["number"], 60 + 50 + 5000);
        for (size_t i = 1; i < events.size(); ++i) EXPECT_LT(events[i - 1]["number"], events[i]["number"]);
    }
}

/// Two flooding sources have equal shares, whatever they have at first.
TEST(EventJournal, SharesAreEqual) {
    EventJournal journal;
    for (uint32_t i = 0; i < 500; ++i) journal.note(kWall, i, i, event("flow", "a", mac::EventSource::own()));
    for (uint32_t i = 0; i < 500; ++i) journal.note(kWall, i, i, event("flow", "b"));
    const auto events = journal.last()["events"];
    EXPECT_NEAR(std::ranges::count_if(events, [](const json& e) { return e["text"] == "a"; }), EventJournal::kKept / 2,
                1);
}

TEST(EventJournal, FilesRotate) {
    const auto file = Scratch::path("rotated.jsonl");
    EventJournal journal;
    ASSERT_TRUE(journal.open(file, {2000, 2}));
    for (uint32_t i = 0; i < 100; ++i) {
        journal.note(kWall, 0, i, event("phy", "late"));
        journal.flush();
    }
    EXPECT_EQ(lines(file).back()["frame"], 99);
    EXPECT_EQ(lines(file + ".1").back()["frame"].get<int>() + 1, lines(file).front()["frame"].get<int>());
    EXPECT_FALSE(std::filesystem::exists(file + ".2"));
    EXPECT_EQ(journal.last()["lost"], 0);
}

/// A flood costs lines of the file, and is counted.
TEST(EventJournal, AFloodIsCounted) {
    const auto file = Scratch::path("flood.jsonl");
    EventJournal journal;
    ASSERT_TRUE(journal.open(file));
    const std::string text(100'000, 'x');
    for (uint32_t i = 0; i < 20; ++i) journal.note(kWall, 0, i, event("phy", text));
    EXPECT_EQ(journal.last()["lost"], 9);
    journal.flush();
    EXPECT_EQ(lines(file).size(), 11U);
}

TEST(EventJournal, AFileThatCannotBe) {
    EventJournal journal;
    const auto opened = journal.open("/no/such/folder/events");
    ASSERT_FALSE(opened);
    EXPECT_EQ(opened.error().str(), "events.file: /no/such/folder/events: No such file or directory");
}

}  // namespace
}  // namespace wimax::macd
