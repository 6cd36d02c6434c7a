// SPDX-License-Identifier: GPL-3.0-or-later
#include "common/config.h"
#include "common/log.h"
#include "common/scratch.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <chrono>
#include <cstdio>
#include <filesystem>
#include <fstream>
#include <sstream>

namespace wimax::log {
namespace {

std::string contents(const std::string& path) {
    std::stringstream all;
    all << std::ifstream(path).rdbuf();
    return all.str();
}

TEST(Log, LevelsByLayerAndFrameStamp) {
    const std::string path = Scratch::path("layers.log");
    std::remove(path.c_str());
    Options options;
    config::Schema schema;
    declare(schema, options, {"mac", "phy"});
    ASSERT_TRUE(schema.load("log: {level: warning, mac: debug, file: " + path + "}", "f").empty());
    ASSERT_TRUE(start(options));
    layer("mac").debug(1234, "station {} registered", 7);
    layer("phy").info(1234, "not shown");
    layer("phy").warn(kNoFrame, "shown");
    EXPECT_TRUE(set_level("phy", Level::trace));
    layer("phy").trace(5, "now shown");
    EXPECT_FALSE(set_level("nobody", Level::trace));
    stop();
    const std::string text = contents(path);
    EXPECT_NE(text.find("mac       1234 station 7 registered\n"), std::string::npos) << text;
    EXPECT_EQ(text.find("not shown"), std::string::npos) << text;
    EXPECT_NE(text.find("phy          - shown\n"), std::string::npos) << text;
    EXPECT_NE(text.find("now shown"), std::string::npos) << text;
    std::remove(path.c_str());
}

TEST(Log, LayersKeepIdentityAndLevelNamesRoundTrip) {
    EXPECT_EQ(&layer("cs"), &layer("cs"));
    for (const auto level : {Level::trace, Level::debug, Level::info, Level::warning, Level::error, Level::off}) {
        EXPECT_EQ(parse_level(to_string(level)), level);
    }
    EXPECT_EQ(parse_level("loud"), std::nullopt);
}

std::vector<std::string> lines_of(const std::string& path) {
    std::vector<std::string> all;
    std::ifstream in(path);
    for (std::string line; std::getline(in, line);) all.push_back(line);
    return all;
}

Options to_file(const std::string& path) {
    Options options;
    options.file = path;
    options.level = "debug";
    return options;
}

/// Each message is one line without control characters of terminals, at every level.
TEST(Log, LinesAreEscaped) {
    const std::string path = Scratch::path("escaped.log");
    ASSERT_TRUE(start(to_file(path)));
    const std::string name = "\x1B]0;x\x07\r\nforged \xC2\x9B \xFF";
    auto& mac = layer("escapes");
    mac.debug(1, "{}", name);
    mac.info(1, "{}", name);
    mac.warn(1, "{}", name);
    mac.error(1, "{}", name);
    mac.write(Level::info, 1, name);
    stop();
    const auto lines = lines_of(path);
    ASSERT_EQ(lines.size(), 5U);
    for (const auto& line : lines)
        EXPECT_TRUE(line.ends_with(" \\x1b]0;x\\x07\\x0d\\x0aforged \\u{009b} \\xff")) << line;
}

/// Lines of a program with many stations name the station, whatever its name is.
TEST(Log, LinesNameTheirSpeaker) {
    const std::string path = Scratch::path("speaker.log");
    ASSERT_TRUE(start(to_file(path)));
    auto& mac = layer("speakers");
    {
        const std::string name = "ss\x1B]";
        const Speaker speaker(name);
        mac.info(1, "first");
    }
    mac.info(1, "second");
    stop();
    const auto lines = lines_of(path);
    ASSERT_EQ(lines.size(), 2U);
    EXPECT_TRUE(lines[0].ends_with("        1 ss\\x1b]: first")) << lines[0];
    EXPECT_TRUE(lines[1].ends_with("        1 second")) << lines[1];
}

/// Each kind of line from level info on has its own budget. It does not affect other kinds, debug lines and lists.
TEST(Log, AFloodOfOneKindLeavesTheOthers) {
    const std::string path = Scratch::path("flood.log");
    ASSERT_TRUE(start(to_file(path)));
    auto& mac = layer("floods");
    for (int i = 0; i < 1000; ++i) mac.warn(i, "one kind {}", i);
    for (int i = 0; i < 1000; ++i) mac.info(i, "another kind {}", i);
    for (int i = 0; i < 50; ++i) mac.debug(i, "detail {}", i);
    for (int i = 0; i < 50; ++i) mac.write(Level::info, i, "list");
    testing::internal::CaptureStderr();
    mac.error(1, "fault");
    EXPECT_EQ(testing::internal::GetCapturedStderr(), "") << "the file has it";
    stop();
    const auto count = [lines = lines_of(path)](const char* text) {
        return std::ranges::count_if(lines, [&](const auto& line) { return line.find(text) != std::string::npos; });
    };
    EXPECT_GE(count("one kind"), 10);
    EXPECT_LE(count("one kind"), 25);
    EXPECT_LE(count("another kind"), 25);
    EXPECT_EQ(count("detail"), 50);
    EXPECT_EQ(count("list"), 50);
    EXPECT_EQ(count("fault"), 1);
}

/// One layer writes 20 lines of a kind and 100 in all at once, then those that the rate adds.
TEST(Log, ALayerHasABudgetForAllItsKinds) {
    const std::string path = Scratch::path("budget.log");
    ASSERT_TRUE(start(to_file(path)));
    auto& mac = layer("budget");
    const auto begin = std::chrono::steady_clock::now();
    for (int i = 0; i < 30; ++i) {
        mac.warn(i, "kind 0 {}", i), mac.warn(i, "kind 1 {}", i), mac.warn(i, "kind 2 {}", i);
        mac.warn(i, "kind 3 {}", i), mac.warn(i, "kind 4 {}", i), mac.warn(i, "kind 5 {}", i);
    }
    const std::chrono::duration<double> spent = std::chrono::steady_clock::now() - begin;
    stop();
    const auto lines = lines_of(path);
    const auto count = [&](const char* text) {
        return std::ranges::count_if(lines, [&](const auto& line) { return line.find(text) != std::string::npos; });
    };
    EXPECT_GE(count("kind"), 100);
    EXPECT_LE(static_cast<double>(count("kind")), 100 + 1 + spent.count());
    EXPECT_LE(static_cast<double>(count("kind 0")), 20 + 1 + spent.count() / 4);
}

TEST(Log, FilesRotate) {
    const std::string path = Scratch::path("rotated.log");
    Options options = to_file(path);
    config::Schema schema;
    declare(schema, options, {});
    ASSERT_TRUE(schema.load("log: {max_bytes: 1000, files: 2, file: " + path + "}", "f").empty());
    ASSERT_TRUE(start(options));
    for (int i = 0; i < 200; ++i) layer("rotates").write(Level::info, i, "line");
    stop();
    EXPECT_LE(std::filesystem::file_size(path), 1000U);
    EXPECT_LE(std::filesystem::file_size(path + ".1"), 1000U);
    EXPECT_FALSE(std::filesystem::exists(path + ".2"));
    EXPECT_NE(lines_of(path).back().find("199 line"), std::string::npos);
}

TEST(Log, FileThatCannotBeOpenedIsAFault) {
    Options options;
    options.file = "/dev/null/dir/x.log";
    const auto started = start(options);
    ASSERT_FALSE(started);
    EXPECT_TRUE(started.error().str().starts_with("log.file: /dev/null/dir/x.log: ")) << started.error().str();
}

}  // namespace
}  // namespace wimax::log
