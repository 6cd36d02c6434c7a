// SPDX-License-Identifier: GPL-3.0-or-later
#include "common/scratch.h"
#include "tools/cli/command.h"
#include "tools/cli/progress.h"
#include "tools/cli/provenance.h"
#include "tools/cli/python.h"

#include <gtest/gtest.h>

#include <filesystem>
#include <fstream>
#include <sstream>

namespace wimax::cli {
namespace {

std::string content(const std::string& path) {
    std::ifstream file(path);
    return {std::istreambuf_iterator<char>(file), {}};
}

TEST(ResultFile, IsThereWhenItIsWhole) {
    const auto path = Scratch::path("result.json");
    std::ofstream(path) << "before";
    {
        ResultFile left_alone;
        ASSERT_TRUE(left_alone.open(path, "--json"));
        ASSERT_TRUE(left_alone.add("half"));
    }
    EXPECT_EQ(content(path), "before");
    EXPECT_FALSE(std::filesystem::exists(path + ".part"));
    ResultFile file;
    ASSERT_TRUE(file.open(path, "--json"));
    ASSERT_TRUE(file.add("now "));
    EXPECT_EQ(content(path), "before");
    ASSERT_TRUE(file.add("whole"));
    ASSERT_TRUE(file.close());
    EXPECT_EQ(content(path), "now whole");
    EXPECT_FALSE(std::filesystem::exists(path + ".part"));
}

TEST(ResultFile, LinksStayAndDevicesAreWrittenInPlace) {
    const auto path = Scratch::path("target.json"), link = Scratch::path("link.json");
    std::filesystem::create_symlink(path, link);
    for (const char* text : {"made", "replaced"}) {
        ResultFile file;
        ASSERT_TRUE(file.open(link, "--json"));
        ASSERT_TRUE(file.write(text));
        EXPECT_TRUE(std::filesystem::is_symlink(link));
        EXPECT_EQ(content(path), text);
    }
    ResultFile device, nowhere;
    ASSERT_TRUE(device.open("/dev/full", "--json"));
    EXPECT_FALSE(device.write("x"));
    EXPECT_FALSE(nowhere.open("/nowhere/r.json", "--json"));
}

TEST(Provenance, HasTheCommandAndTheTextsOfItsFiles) {
    const auto path = Scratch::path("taps.yml"), large = Scratch::path("large.yml");
    std::ofstream(path) << "taps: \xff\n";
    std::ofstream(large) << std::string(2 << 20, '#');
    char program[] = "./wimax-x", words[] = "it's", broken[] = "\xfe";
    char* argv[] = {program, words, broken};
    remember_command(3, argv);
    EXPECT_FALSE(provenance("wimax-x").contains("configuration"));
    for (const auto& name : {path, large, std::string("-"), std::string("/dev/zero"), std::string("awgn")})
        remember_configuration(name);
    const auto json = provenance("wimax-x", 5);
    EXPECT_EQ(json["configuration"].size(), 1U);
    EXPECT_EQ(json["configuration"][path], "taps: \xEF\xBF\xBD\n");
    EXPECT_EQ(json["command"], "wimax-x 'it'\\''s' '\xEF\xBF\xBD'");
    EXPECT_EQ(json["seed"], 5);
    for (const char* key : {"program", "version", "commit", "machine", "date"}) EXPECT_TRUE(json.contains(key)) << key;
    EXPECT_NO_THROW(static_cast<void>(json.dump()));
}

TEST(Files, ThatCannotBeWrittenAreRefusedBeforeTheWork) {
    EXPECT_TRUE(check_archive(Scratch::path("a.tar.gz"), "archive"));
    EXPECT_TRUE(check_picture(Scratch::path("a.svg"), "plot"));
    EXPECT_EQ(check_archive("a.tar", "archive").error().str(), "archive: value a.tar: allowed .tar.gz");
    EXPECT_FALSE(check_archive("/nowhere/a.tar.gz", "archive"));
    EXPECT_FALSE(check_picture("/nowhere/a.svg", "plot"));
    EXPECT_FALSE(check_picture("a.gif", "plot"));
}

struct FakeClock {
    Progress::Clock::time_point time{};
    void pass(double seconds) {
        time += std::chrono::duration_cast<Progress::Clock::duration>(std::chrono::duration<double>(seconds));
    }
};

TEST(Progress, ATerminalHasOneLineThatIsOverwritten) {
    FakeClock clock;
    std::ostringstream out;
    Progress progress("tool", out, true, [&clock] { return clock.time; });
    progress.show(0.1, "point 1 of 9");
    EXPECT_EQ(out.str(), "");  // short work is not spoken of
    clock.pass(60);
    progress.show(0.25, "point 2 of 9");
    EXPECT_EQ(out.str(), "\r\033[Ktool: 25 %, point 2 of 9, 1 min 00 s, about 3 min 00 s left");
    clock.pass(0.1);
    progress.show(0.3, "point 3 of 9");  // too soon
    progress.clear();
    progress.clear();
    EXPECT_TRUE(out.str().ends_with("left\r\033[K")) << out.str();
}

TEST(Progress, ElsewhereLinesAreSparse) {
    FakeClock clock;
    std::ostringstream out;
    {
        Progress progress("tool", out, false, [&clock] { return clock.time; });
        for (int i = 0; i < 1000; ++i, clock.pass(0.1)) progress.show(-1, std::to_string(i));
    }
    EXPECT_EQ(out.str(), "tool: 100, 10 s\ntool: 400, 40 s\ntool: 700, 1 min 10 s\n");
}

TEST(Progress, Durations) {
    EXPECT_EQ(duration_text(0.4), "0 s");
    EXPECT_EQ(duration_text(59.4), "59 s");
    EXPECT_EQ(duration_text(200), "3 min 20 s");
    EXPECT_EQ(duration_text(7500), "2 h 05 min");
}

}  // namespace
}  // namespace wimax::cli
