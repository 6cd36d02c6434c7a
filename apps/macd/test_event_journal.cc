/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "macd/event_journal.h"

#include "common/scratch.h"

#include <gtest/gtest.h>

#include <fstream>

namespace wimax::macd {
namespace {

using nlohmann::json;

const auto kWall = EventJournal::WallTime(std::chrono::milliseconds(1'800'000'000'045));

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
        journal.note(kWall, 12.5, 1250, "entry", "station registered");
        EXPECT_TRUE(lines(file).empty()) << "nothing is written while a frame is made";
        journal.flush();
        EXPECT_EQ(lines(file), std::vector<json>{expected});
        journal.note(kWall, 13, 1300, "entry", "named \xFF");
        EXPECT_EQ(journal.last()["events"][0], expected);
        EXPECT_EQ(journal.last()["lost"], 0);
    }
    ASSERT_EQ(lines(file).size(), 2U) << "the rest at the end";
    EXPECT_EQ(lines(file)[1]["text"], "named \xEF\xBF\xBD");
}

TEST(EventJournal, OldOnesGo) {
    EventJournal journal;
    for (uint32_t i = 1; i <= EventJournal::kKept + 5; ++i) journal.note(kWall, i, i, "phy", "late");
    const auto events = journal.last()["events"];
    ASSERT_EQ(events.size(), EventJournal::kKept);
    EXPECT_EQ(events.front()["number"], 6);
    EXPECT_EQ(events.back()["frame"], EventJournal::kKept + 5);
}

/// A flood costs lines of the file, and is counted.
TEST(EventJournal, AFloodIsCounted) {
    const auto file = Scratch::path("flood.jsonl");
    EventJournal journal;
    ASSERT_TRUE(journal.open(file));
    const std::string text(100'000, 'x');
    for (uint32_t i = 0; i < 20; ++i) journal.note(kWall, 0, i, "phy", text);
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
