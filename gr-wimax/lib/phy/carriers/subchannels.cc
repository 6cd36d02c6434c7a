// SPDX-License-Identifier: GPL-3.0-or-later
#include <gnuradio/wimax/phy/carriers/pilots.h>
#include <gnuradio/wimax/phy/carriers/subchannels.h>

namespace gr::wimax::phy {
namespace {

constexpr int kGroups = 4;  // groups of carriers per subchannel
constexpr int kCarriersPerGroup = 3;

/// First carrier of each group, by single subchannel (index 1, 3, 5 ... 31).
constexpr std::array<std::array<int16_t, kGroups>, 16> kFirstCarriers{{
    {-100, -37, 1, 64},
    {-97, -34, 4, 67},
    {-94, -31, 7, 70},
    {-91, -28, 10, 73},
    {-87, -50, 14, 51},
    {-84, -47, 17, 54},
    {-81, -44, 20, 57},
    {-78, -41, 23, 60},
    {-75, -12, 26, 89},
    {-72, -9, 29, 92},
    {-69, -6, 32, 95},
    {-66, -3, 35, 98},
    {-62, -25, 39, 76},
    {-59, -22, 42, 79},
    {-56, -19, 45, 82},
    {-53, -16, 48, 85},
}};

/// Pilot offset of each pair of subchannels (index 2, 6, 10 ... 30).
constexpr std::array<int, 8> kPairPilots{-38, 13, -88, 63, -13, 38, -63, 88};

CarrierSet make_set(int index) {
    const int count = subchannel_count(index);
    const int first = (index - count + 1) / 2;  // row of the group's first single subchannel
    std::array<bool, 2 * kEdgeCarrier + 1> used{};
    const auto mark = [&used](int offset) -> bool& { return used[static_cast<size_t>(offset + kEdgeCarrier)]; };
    for (int s = first; s < first + count; ++s)
        for (int carrier : kFirstCarriers[static_cast<size_t>(s)])
            for (int i = 0; i < kCarriersPerGroup; ++i) mark(carrier + i) = true;
    if (count > 1)
        for (int pair = first / 2; pair < (first + count) / 2; ++pair)
            mark(kPairPilots[static_cast<size_t>(pair)]) = true;

    CarrierSet set;
    for (int offset : kDataOffsets)
        if (mark(offset)) set.data_offsets[static_cast<size_t>(set.data_count++)] = static_cast<int16_t>(offset);
    for (size_t i = 0; i < kPilotOffsets.size(); ++i)
        if (mark(kPilotOffsets[i])) set.pilots[static_cast<size_t>(set.pilot_count++)] = static_cast<uint8_t>(i);
    return set;
}

}  // namespace

const CarrierSet& carrier_set(int index) {
    static const auto sets = [] {
        std::array<CarrierSet, 32> all;
        for (int i = 1; i < 32; ++i) all[static_cast<size_t>(i)] = make_set(i);
        return all;
    }();
    return sets[static_cast<size_t>(index & 31)];
}

}  // namespace gr::wimax::phy
