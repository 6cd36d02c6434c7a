// SPDX-License-Identifier: GPL-3.0-or-later
#include <gnuradio/wimax/phy/ofdma/carriers/dl_pusc.h>

#include <algorithm>

namespace gr::wimax::phy::ofdma {
namespace {

constexpr int kClusters = 60, kClusterCarriers = 14;
constexpr int kRenumberingStep = 13;  // times DL_PermBase, in later zones; times the subchannel, in the carrier order

/// Logical number of each physical cluster.
constexpr std::array<uint8_t, kClusters> kRenumbering{6,  48, 37, 21, 31, 40, 42, 56, 32, 47, 30, 33, 54, 18, 10,
                                                      15, 50, 51, 58, 46, 23, 45, 16, 57, 39, 35, 7,  55, 25, 59,
                                                      53, 11, 22, 38, 28, 19, 17, 3,  27, 12, 29, 26, 5,  41, 49,
                                                      44, 9,  8,  1,  13, 36, 14, 43, 2,  20, 24, 52, 4,  34, 0};

/// First logical cluster of each major group.
constexpr std::array<int, kDlGroups + 1> kGroupFirstCluster{0, 12, 20, 32, 40, 52, 60};
/// Base sequences of groups with six and with four subchannels.
constexpr std::array<uint8_t, 6> kBase6{3, 2, 0, 4, 5, 1};
constexpr std::array<uint8_t, 4> kBase4{3, 0, 2, 1};
/// Pilots within a cluster, by even and odd symbol.
constexpr int kPilotPlaces[2][2] = {{4, 8}, {0, 12}};

constexpr int subchannels_of(int group) { return kDlGroupFirstSubchannel[group + 1] - kDlGroupFirstSubchannel[group]; }
constexpr bool is_pilot(int parity, int place) {
    return place == kPilotPlaces[parity][0] || place == kPilotPlaces[parity][1];
}

/// Place of carrier `k` of subchannel `s` among the data carriers of its group.
int place_in_group(std::span<const uint8_t> base, int k, int s, int perm_base) {
    const int count = static_cast<int>(base.size());
    const int n = (k + kRenumberingStep * s) % kDlSubchannelCarriers;
    return count * n + (base[static_cast<size_t>((n + s) % count)] + perm_base) % count;
}

}  // namespace

DlPusc::DlPusc(DlZone zone, int perm_base) {
    const int turned = zone == DlZone::later ? kRenumberingStep * perm_base : 0;
    for (int cluster = 0; cluster < kClusters; ++cluster)
        physical_[kRenumbering[static_cast<size_t>((cluster + turned) % kClusters)]] = static_cast<uint8_t>(cluster);
    for (int group = 0; group < kDlGroups; ++group) fill_group(group, perm_base);
}

void DlPusc::fill_group(int group, int perm_base) {
    const auto from = static_cast<size_t>(kGroupFirstCluster[static_cast<size_t>(group)]);
    const auto to = static_cast<size_t>(kGroupFirstCluster[static_cast<size_t>(group) + 1]);
    const std::span<const uint8_t> base =
        subchannels_of(group) == 6 ? std::span<const uint8_t>(kBase6) : std::span<const uint8_t>(kBase4);
    for (int parity = 0; parity < 2; ++parity) {
        std::vector<int16_t> data;
        auto pilot = pilots_[static_cast<size_t>(parity)].begin() + static_cast<std::ptrdiff_t>(2 * from);
        for (size_t logical = from; logical < to; ++logical)
            for (int place = 0; place < kClusterCarriers; ++place) {
                const auto carrier =
                    static_cast<int16_t>(loaded_carrier(physical_[logical] * kClusterCarriers + place));
                if (is_pilot(parity, place)) *pilot++ = carrier;
                else data.push_back(carrier);
            }
        std::sort(pilots_[static_cast<size_t>(parity)].begin() + static_cast<std::ptrdiff_t>(2 * from), pilot);
        for (int s = 0; s < subchannels_of(group); ++s)
            for (int k = 0; k < kDlSubchannelCarriers; ++k)
                subchannels_[static_cast<size_t>(parity)][static_cast<size_t>(kDlGroupFirstSubchannel[group] + s)]
                            [static_cast<size_t>(k)] = data[static_cast<size_t>(place_in_group(base, k, s, perm_base))];
    }
}

std::span<const int16_t> DlPusc::pilots(int group, int symbol) const {
    const auto from = static_cast<size_t>(kGroupFirstCluster[static_cast<size_t>(group)]);
    const auto to = static_cast<size_t>(kGroupFirstCluster[static_cast<size_t>(group) + 1]);
    return std::span(pilots_[static_cast<size_t>(symbol & 1)]).subspan(2 * from, 2 * (to - from));
}

std::vector<uint8_t> first_zone_subchannels(int segment, DlGroupSet groups) {
    std::vector<uint8_t> physical;
    const int start = kFirstZoneCyclicNumbering ? first_group(segment) : 0;
    for (int i = 0; i < kDlGroups; ++i) {
        const int group = (start + i) % kDlGroups;
        if ((groups >> group & 1) == 0) continue;
        for (int s = kDlGroupFirstSubchannel[group]; s < kDlGroupFirstSubchannel[group + 1]; ++s)
            physical.push_back(static_cast<uint8_t>(s));
    }
    return physical;
}

}  // namespace gr::wimax::phy::ofdma
