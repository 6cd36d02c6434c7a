// SPDX-License-Identifier: GPL-3.0-or-later
// Both PHYs on virtual radios with the cores of fpga/: the subscriber finds frames by the detector and reads the front
// end's carriers, both send through the gate. The received frames are the same as without cores.
#include "phyd/test_two_ends.h"

namespace wimax {
namespace {

constexpr int kCompared = 40, kSymbolsSent = 3 + 4 + 60;  // preamble and prefix, broadcast and data

TEST_F(AirTest, CoresInTheRadiosGiveTheHostsFrames) {
    advance = 2 * (7 + 16) + 1;  // a fractional delay adds 16 samples
    std::array<std::map<uint32_t, int64_t>, 2> found;
    for (const bool cores : {false, true}) {
        device_options = cores ? ",fpga=1" : "";
        start_all(
            "links: [{from: bs, to: ss, snr_db: 42, delay_samples: 7.3}]\n"
            "radios: [{name: ss, carrier_ppm: 1}]\n",
            "mode: commit, pace: free, hold: true");
        settle();
        const int late_at_first = lates;
        expect_complete(kCompared);
        EXPECT_TRUE(lock_step);
        EXPECT_EQ(lates, late_at_first);
        EXPECT_EQ(wrong, 0);
        EXPECT_GT(worst_cinr, 20);
        EXPECT_LT(std::abs(last_uplink_timing), 2);
        found[cores] = starts;
        stop_all();
    }
    int compared = 0;
    for (const auto& [frame, start] : found[0])
        if (const auto other = found[1].find(frame); other != found[1].end()) {
            EXPECT_EQ(other->second, start) << frame;
            ++compared;
        }
    EXPECT_GE(compared, kCompared);
}

/// The PHYs report the work of the cores.
TEST_F(AirTest, CoresInTheRadiosAreUsed) {
    advance = 2 * (7 + 16);
    device_options = ",fpga=1";
    start_all(R"(
links:
  - {from: bs, to: ss, snr_db: 42, delay_samples: 7}
radios:
  - {name: ss, carrier_ppm: 1, clock_ppm: 2}
)");
    settle();
    expect_complete(kCompared);
    EXPECT_EQ(wrong, 0);
    EXPECT_LT(std::abs(last_uplink_cfo), 100);
    EXPECT_EQ(bs_phy->end(SIGTERM), 0);  // the last status has the totals
    EXPECT_EQ(ss_phy->end(SIGTERM), 0);
    const auto at_bs = last_status("bs"), at_ss = last_status("ss");
    EXPECT_GE(at_ss["detected_preambles"], 2) << at_ss;
    EXPECT_GE(at_ss["transformed_symbols"], kCompared * kSymbolsSent * 9 / 10) << at_ss;
    EXPECT_EQ(at_bs["detected_preambles"], 0);
    EXPECT_EQ(at_bs["transformed_symbols"], 0);
    for (const auto& j : {at_bs, at_ss}) {
        EXPECT_GE(j["radio"]["gate"]["bursts"], kCompared) << j;
        EXPECT_EQ(j["radio"]["gate"]["underflows"], 0);
        EXPECT_EQ(j["radio"]["gate"]["too_long"], 0);
        EXPECT_EQ(j["radio"]["gate"]["too_often"], 0);
    }
}

/// The gate of a radio that may not send is shut.
TEST_F(AirTest, TheGateOfARadioThatMayNotSendIsShut) {
    tx_enable = "false";
    device_options = ",fpga=1";
    start_all("links: [{from: bs, to: ss, snr_db: 30}]\n");
    until(20, [](int) { return true; });
    EXPECT_TRUE(got.empty());
    EXPECT_EQ(bs_phy->end(SIGTERM), 0);
    EXPECT_EQ(last_status("bs")["radio"]["gate"]["bursts"], 0);
}

}  // namespace
}  // namespace wimax
