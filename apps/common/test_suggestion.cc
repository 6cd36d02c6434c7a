// SPDX-License-Identifier: GPL-3.0-or-later
#include "common/suggestion.h"

#include <gtest/gtest.h>

namespace wimax {
namespace {

const std::vector<std::string> kOptions{"--in", "--set", "--snr-db", "--seconds", "--channel"};

TEST(Suggestion, TheBeginningOfAWordComesFirst) {
    EXPECT_EQ(nearest("--snr", kOptions), "--snr-db") << "two letters from --in, too";
    EXPECT_EQ(nearest("dl_rate", {"dl_share", "dl_rate_id", "dl_rate_id_longer"}), "dl_rate_id");
    EXPECT_EQ(nearest("--s", kOptions), "--in") << "one letter begins too many words";
}

TEST(Suggestion, ElseTheFewestChangedLetters) {
    EXPECT_EQ(nearest("--chanel", kOptions), "--channel");
    EXPECT_EQ(nearest("bandwith_hz", {"bursts", "bandwidth_hz"}), "bandwidth_hz");
    EXPECT_EQ(nearest("colour", {"bursts", "bandwidth_hz"}), "");
    EXPECT_EQ(nearest(std::string(1000, 'x'), {std::string(1000, 'x')}), "") << "work is limited";
    EXPECT_EQ(nearest("", kOptions), "");
}

TEST(Suggestion, AsAPartOfASentence) {
    EXPECT_EQ(did_you_mean("--chanel", kOptions), ", did you mean --channel?");
    EXPECT_EQ(did_you_mean("--nothing-like-it", kOptions), "");
}

}  // namespace
}  // namespace wimax
