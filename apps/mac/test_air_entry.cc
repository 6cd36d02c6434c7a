/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * Network entry, corrections, loss and re-entry over the burst-moving PHY.
 */
#include <mac/test_air.h>

#include <gtest/gtest.h>

using namespace wimax::mac;
using namespace wimax::mac::test;

namespace {

void expect_clean(const Air& air) {
    EXPECT_EQ(air.stray_bursts, 0U);
    EXPECT_EQ(air.overlaps, 0U);
    EXPECT_EQ(air.oversized, 0U);
    EXPECT_EQ(air.too_late_maps, 0U);
}

TEST(Entry, OneStationQuickly) {
    Air air;
    auto& station = air.add();
    air.run(air.frames(0.7));  // the base station's silence
    const int frames = air.run_until([&] { return air.all_operational() && air.bs->operational(); });
    ASSERT_GE(frames, 0) << station.status().dump(1) << air.bs_status().dump(1);
    EXPECT_LT(frames * air.layout.frame_seconds(), 1.3);
    expect_clean(air);
}

}  // namespace
