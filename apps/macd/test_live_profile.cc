// SPDX-License-Identifier: GPL-3.0-or-later
#include "macd/live_profile.h"

#include <gtest/gtest.h>
#include <nlohmann/json.hpp>

using namespace wimax;
using nlohmann::json;

namespace test_live_profile {

TEST(LiveProfile, GivenKeysReplaceAndOthersStay) {
    mac::BaseStationProfile profile;
    const auto before = profile;
    const auto faults = macd::read_live_profile(
        {{"request_backoff_end", 9}, {"reservation_timeout", 30}, {"entry_db", {4, 8, 11, 14, 17, 21, 23.5}}}, profile);
    EXPECT_TRUE(faults.empty()) << faults.str();
    EXPECT_EQ(profile.request_backoff_end, 9);
    EXPECT_EQ(profile.reservation_timeout, 30);
    EXPECT_FLOAT_EQ(profile.entry_db[6], 23.5F);
    EXPECT_FLOAT_EQ(profile.entry_db[0], 4);
    EXPECT_EQ(profile.exit_db, before.exit_db);
    EXPECT_EQ(profile.request_backoff_start, before.request_backoff_start);
    EXPECT_EQ(profile.ranging_backoff_end, before.ranging_backoff_end);
}

TEST(LiveProfile, FaultsAreToldAllAtOnce) {
    mac::BaseStationProfile profile;
    const auto faults = macd::read_live_profile({{"request_backoff_end", 16},
                                                 {"ranging_backoff_start", 1.5},
                                                 {"reservation_timeout", "ten"},
                                                 {"exit_db", {1, 2, 3}},
                                                 {"entry_db", {1, 2, 3, 4, 5, 6, 64}},
                                                 {"unasked_symbols", 4}},
                                                profile);
    const std::string text = faults.str();
    EXPECT_EQ(faults.count(), 6U) << text;
    for (const char* part :
         {"request_backoff_end: value 16: allowed 0.0..15.0", "ranging_backoff_start: value 1.5",
          "reservation_timeout: value \"ten\"", "exit_db: value [1,2,3]: allowed a list of 7 numbers",
          "entry_db[6]: value 64", "unasked_symbols"})
        EXPECT_NE(text.find(part), std::string::npos) << part << "\n" << text;
    for (const json& value : {json(3), json("fast"), json::array(), json()})
        EXPECT_EQ(macd::read_live_profile(value, profile).count(), 1U) << value;
}

}  // namespace test_live_profile
