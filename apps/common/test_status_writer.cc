// SPDX-License-Identifier: GPL-3.0-or-later
#include "common/scratch.h"
#include "common/status_writer.h"

#include <gtest/gtest.h>

#include <filesystem>
#include <fstream>
#include <sstream>

namespace wimax {
namespace {

TEST(StatusWriter, WritesLinesOfJson) {
    const std::string path = Scratch::path("status.jsonl");
    {
        StatusWriter status(false);
        ASSERT_TRUE(status.open(path));
        status.write("for people", R"({"a":1})");
        status.write("for people", R"({"a":2})");
    }
    std::stringstream all;
    all << std::ifstream(path).rdbuf();
    EXPECT_EQ(all.str(), "{\"a\":1}\n{\"a\":2}\n");
    StatusWriter rotated(false);
    ASSERT_TRUE(rotated.open(path, {32, 2}));
    for (int i = 0; i < 10; ++i) rotated.write("", "{\"a\":" + std::to_string(i) + "}");
    EXPECT_LE(std::filesystem::file_size(path), 32U);
    EXPECT_LE(std::filesystem::file_size(path + ".1"), 32U);
    EXPECT_FALSE(std::filesystem::exists(path + ".2"));
    EXPECT_EQ(rotated.lost(), 0U);
    EXPECT_EQ(StatusWriter(false).open("/dev/null/x").error().str(), "status.json: /dev/null/x: Not a directory");
}

TEST(StatusWriter, WarningsAreRedOnATerminal) {
    EXPECT_EQ(with_colours("down 0 kbit/s, LOST 25 %  CINR 3 dB (TOO WEAK, needs 20.1), LOST 1 %"),
              "down 0 kbit/s, \033[1;31mLOST\033[0m 25 %  CINR 3 dB (\033[1;31mTOO WEAK\033[0m, needs 20.1), "
              "\033[1;31mLOST\033[0m 1 %");
    EXPECT_EQ(with_colours("late 0"), "late 0");
}

}  // namespace
}  // namespace wimax
