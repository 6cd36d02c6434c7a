/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "common/config.h"
#include "common/log.h"
#include "common/scratch.h"

#include <gtest/gtest.h>

#include <cstdio>
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

TEST(Log, FileThatCannotBeOpenedIsAFault) {
    Options options;
    options.file = "/dev/null/dir/x.log";
    const auto started = start(options);
    ASSERT_FALSE(started);
    EXPECT_TRUE(started.error().str().starts_with("log.file: /dev/null/dir/x.log: ")) << started.error().str();
}

}  // namespace
}  // namespace wimax::log
