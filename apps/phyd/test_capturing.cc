// SPDX-License-Identifier: GPL-3.0-or-later
#include "phyd/capturing.h"

#include "common/scratch.h"
#include "recording/iq_file.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <filesystem>
#include <fstream>
#include <thread>

namespace wimax::phyd {
namespace {

using nlohmann::json;
using testing::HasSubstr;

struct CapturingTest : testing::Test {
    std::shared_ptr<SampleRing> ring = std::make_shared<SampleRing>(1000);
    Capturing capturing;
    std::string file = Scratch::path(testing::UnitTest::GetInstance()->current_test_info()->name()) + ".sigmf-data";

    void take(int64_t first, int64_t until) {
        for (int64_t n = first; n < until; n += 10) {
            std::vector<SampleRing::Complex> packet;
            for (int64_t i = n; i < n + 10; ++i) packet.emplace_back(static_cast<float>(i), 0.0F);
            ring->take(n, packet);
        }
    }
    Capturing::OpenRadio air(int64_t now) const { return {ring, 5.76e6, "a radio", now}; }
    Faults arm(const char* trigger, int64_t now = 0) {
        return capturing.arm({{"file", file}, {"trigger", trigger}}, air(now));
    }
    std::string state() const { return capturing.state()["state"]; }
    void write() {
        capturing.poll(ring);
        EXPECT_EQ(state(), "writing");
        while (state() == "writing") {
            std::this_thread::yield();
            capturing.poll(ring);
        }
    }
};

TEST_F(CapturingTest, ByHandWhatCameLastAndWhatComesNext) {
    take(0, 3000);
    EXPECT_TRUE(capturing.arm({{"file", file}}, air(3000)).empty());
    EXPECT_EQ(state(), "taking");
    EXPECT_THAT(arm("hand").str(), HasSubstr("one at a time"));
    capturing.poll(ring);
    EXPECT_EQ(state(), "taking");
    take(3000, 4000);
    write();
    EXPECT_EQ(capturing.state(),
              json({{"state", "idle"}, {"file", file}, {"trigger", "hand"}, {"fault", ""}, {"written", 1}}));
    const auto recording = iq::read_recording(file);
    ASSERT_TRUE(recording) << recording.error().str();
    EXPECT_EQ(recording->sample_rate_hz, 5.76e6);
    ASSERT_EQ(recording->samples.size(), 1000U);
    EXPECT_EQ(recording->samples.front().real(), 2500);
    EXPECT_EQ(recording->samples.back().real(), 3499);
    std::ifstream in(file.substr(0, file.size() - 4) + "meta");
    const auto meta = json::parse(in);
    EXPECT_EQ(meta["annotations"][0]["core:sample_start"], 500);
    EXPECT_EQ(meta["annotations"][0]["core:label"], "trigger: hand");
    EXPECT_EQ(meta["annotations"][0]["core:generator"], "wimax-phyd");
    EXPECT_EQ(meta["global"]["core:description"], "a radio");
    EXPECT_TRUE(ring->idle());  // for the next one
}

TEST_F(CapturingTest, WaitsForItsEventAlone) {
    EXPECT_TRUE(arm("late").empty());
    EXPECT_EQ(state(), "armed");
    for (const auto other :
         {CaptureTrigger::hand, CaptureTrigger::fec_failure, CaptureTrigger::sync_loss, CaptureTrigger::clip})
        EXPECT_FALSE(capturing.waits_for(other));
    ASSERT_TRUE(capturing.waits_for(CaptureTrigger::late));
    take(0, 2000);
    capturing.happened(1700, ring);
    EXPECT_FALSE(capturing.waits_for(CaptureTrigger::late));  // once
    take(2000, 3000);
    write();
    EXPECT_EQ(iq::read_recording(file)->samples.back().real(), 2199);
}

TEST_F(CapturingTest, OneThatWaitsIsReplacedOrForgotten) {
    EXPECT_TRUE(arm("clip").empty());
    EXPECT_TRUE(arm("sync_loss").empty());
    EXPECT_FALSE(capturing.waits_for(CaptureTrigger::clip));
    EXPECT_TRUE(capturing.waits_for(CaptureTrigger::sync_loss));
    EXPECT_TRUE(capturing.arm(nullptr, air(0)).empty());
    EXPECT_EQ(state(), "idle");
}

TEST_F(CapturingTest, ARadioThatGoesTakesItAlong) {
    take(0, 100);
    EXPECT_TRUE(arm("hand", 100).empty());
    capturing.poll(nullptr);
    EXPECT_EQ(state(), "idle");
    EXPECT_FALSE(std::filesystem::exists(file));
}

TEST_F(CapturingTest, WrongWords) {
    EXPECT_THAT(capturing.arm("x.sigmf-data", air(0)).str(), HasSubstr("allowed {\"file\""));
    EXPECT_THAT(capturing.arm({{"file", "x.wav"}}, air(0)).str(), HasSubstr("file: value x.wav: allowed a name that"));
    EXPECT_THAT(capturing.arm({{"file", 7}}, air(0)).str(), HasSubstr("file: value 7"));
    EXPECT_THAT(arm("never").str(),
                HasSubstr("trigger: value never: allowed hand, fec_failure, sync_loss, late, clip"));
    EXPECT_THAT(capturing.arm({{"file", file}}, {}).str(), HasSubstr("only while the radio is open"));
    EXPECT_EQ(state(), "idle");
}

TEST_F(CapturingTest, AFileThatCannotBeIsTold) {
    file = "/proc/none/x.sigmf-data";
    take(0, 2000);
    EXPECT_TRUE(arm("hand", 1000).empty());
    take(2000, 2010);
    write();
    EXPECT_THAT(std::string(capturing.state()["fault"]), HasSubstr("/proc/none/x.sigmf"));
    EXPECT_EQ(capturing.state()["written"], 0);
    EXPECT_TRUE(ring->idle());
}

}  // namespace
}  // namespace wimax::phyd
