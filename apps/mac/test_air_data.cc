/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * Throughput in symbols, fairness, latency, service types and loss over the burst-moving PHY.
 */
#include <mac/test_air.h>

#include <gtest/gtest.h>

using namespace wimax::mac;
using namespace wimax::mac::test;

namespace {

/// Keeps every chosen queue filled with 1500-byte packets, a few new ones in each frame.
struct Saturation {
    Air& air;
    bool down = false, up = false;
    size_t octets = 1500;
    int per_frame = 12;
    uint32_t number = 0;

    void frame() {
        for (size_t i = 0; i < air.terminals.size(); ++i)
            for (int k = 0; k < per_frame; ++k) {
                ++number;
                if (down) air.bs->push_sdu(ip_packet(kServer, station_address(i), octets, 5000, number));
                if (up) air.terminals[i]->mac->push_sdu(ip_packet(station_address(i), kServer, octets, 5000, number));
            }
    }
    void run(int frames) {
        for (int i = 0; i < frames; ++i) {
            frame();
            air.step();
        }
    }
};

void enter(Air& air) {
    ASSERT_GE(air.run_until([&] { return air.all_operational() && air.bs->operational(); }, air.frames(6)), 0)
        << air.bs_status().dump(1);
    air.run(20);
}

double ip_symbols(uint64_t octets, int frames, int rate) {
    return static_cast<double>(octets) / frames / phy::kRateTable[static_cast<size_t>(rate)].uncoded_bytes;
}

double jain(const std::vector<double>& x) {
    double sum = 0, squares = 0;
    for (const double v : x) sum += v, squares += v * v;
    return sum * sum / (static_cast<double>(x.size()) * squares);
}

void expect_clean(const Air& air) {
    EXPECT_EQ(air.stray_bursts, 0U);
    EXPECT_EQ(air.overlaps, 0U);
    EXPECT_EQ(air.oversized, 0U);
    EXPECT_EQ(air.too_late_maps, 0U);
}

TEST(Data, SymbolsThatCarryIp) {
    Air air;
    auto& station = air.add();
    enter(air);
    Saturation load{air};
    load.down = true;
    load.run(100);
    const auto before = station.dl_bytes;
    load.run(500);
    const double down = ip_symbols(station.dl_bytes - before, 500, 6);
    EXPECT_GE(down, 92.0) << air.bs_status().dump(1);

    load.down = false;
    load.up = true;
    load.run(100);
    const auto up_before = air.ul_bytes[station_address(0)];
    load.run(500);
    const double up = ip_symbols(air.ul_bytes[station_address(0)] - up_before, 500, 6);
    EXPECT_GE(up, 93.0) << air.bs_status().dump(1);
    const auto capacity = air.bs_status()["capacity"];
    EXPECT_NEAR(down, capacity["downlink"]["ip_symbols"].get<double>(), 1.0);
    EXPECT_NEAR(up, capacity["uplink"]["ip_symbols"].get<double>(), 1.0);
    printf("symbols with IP: %.2f down, %.2f up\n", down, up);
    expect_clean(air);
}

TEST(Data, ThreeStationsShareBothWays) {
    Air air(Air::with_stations(3));
    for (int i = 0; i < 3; ++i) air.add();
    enter(air);
    Saturation load{air};
    load.down = load.up = true;
    load.run(100);
    std::vector<double> down, up;
    for (size_t i = 0; i < 3; ++i) {
        down.push_back(-static_cast<double>(air.terminals[i]->dl_bytes));
        up.push_back(-static_cast<double>(air.ul_bytes[station_address(i)]));
    }
    load.run(300);
    double down_sum = 0, up_sum = 0;
    for (size_t i = 0; i < 3; ++i) {
        down_sum += down[i] += static_cast<double>(air.terminals[i]->dl_bytes);
        up_sum += up[i] += static_cast<double>(air.ul_bytes[station_address(i)]);
    }
    EXPECT_GE(jain(down), 0.99);
    EXPECT_GE(jain(up), 0.99);
    EXPECT_GE(down_sum / 300 / 108, 90.0);
    EXPECT_GE(up_sum / 300 / 108, 89.0);
    printf("symbols with IP: %.2f down, %.2f up; Jain %.4f %.4f\n", down_sum / 300 / 108, up_sum / 300 / 108, jain(down), jain(up));
    expect_clean(air);
}

TEST(Data, NothingIsLostOrReorderedUnderLightLoad) {
    Air air;
    auto& station = air.add();
    enter(air);
    air.keep_numbers = true;
    uint32_t number = 0;
    for (int i = 0; i < 400; ++i) {
        for (int k = 0; k < 3; ++k) {
            const size_t octets = 40 + (number * 397) % 1461;
            ++number;
            ASSERT_TRUE(air.bs->push_sdu(ip_packet(kServer, station_address(0), octets, 5000, number)));
            ASSERT_TRUE(station.mac->push_sdu(ip_packet(station_address(0), kServer, octets, 5000, number)));
        }
        air.step();
    }
    air.run(10);
    ASSERT_EQ(station.dl_numbers.size(), number);
    ASSERT_EQ(air.ul_numbers.size(), number);
    EXPECT_TRUE(std::is_sorted(station.dl_numbers.begin(), station.dl_numbers.end()));
    EXPECT_TRUE(std::is_sorted(air.ul_numbers.begin(), air.ul_numbers.end()));
}

}  // namespace
