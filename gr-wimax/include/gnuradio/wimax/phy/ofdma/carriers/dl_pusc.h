// SPDX-License-Identifier: GPL-3.0-or-later
// Downlink PUSC permutation, IEEE 802.16-2009 clause 8.4.6.1.2.1: 60 clusters of 14 carriers, six major groups, 30
// subchannels of 24 data carriers per symbol. All tables are made in the constructor.
#pragma once

#include <gnuradio/wimax/phy/ofdma/carriers/ofdma_numerology.h>

#include <span>
#include <vector>

namespace gr::wimax::phy::ofdma {

/// Which zone of the subframe a permutation is of. `first`: also later zones with "use all SC" 0, whose clusters are
/// renumbered without DL_PermBase.
enum class DlZone : uint8_t { first, later };

inline constexpr int kDlSubchannelCarriers = 24;  // data carriers of a subchannel in one symbol
inline constexpr int kDlGroupFirstSubchannel[kDlGroups + 1] = {0, 6, 10, 16, 20, 26, 30};
inline constexpr float kDlPilotAmplitude = 4.0F / 3.0F;  // against a mean amplitude of data of 1

/// Groups of a subframe as a set: bit g is major group g.
using DlGroupSet = uint8_t;
inline constexpr DlGroupSet kAllDlGroups = 0x3F;

/// Subchannels of a first zone are numbered from the first subchannel of the segment's own group on, through the groups
/// in use, cyclically. One source and memory for segments 1 and 2; segment 0 is checked.
inline constexpr bool kFirstZoneCyclicNumbering = true;
/// First group of a segment at the start of a frame.
constexpr int first_group(int segment) { return 2 * segment; }

class WIMAX_API DlPusc {
public:
    /// `perm_base`: IDcell in the first zone, DL_PermBase of the zone switch IE later (0..31).
    DlPusc(DlZone zone, int perm_base);

    /// Data carriers of a physical subchannel (0..29) in symbol `symbol` of the zone, in modulation order.
    std::span<const int16_t, kDlSubchannelCarriers> carriers(int subchannel, int symbol) const {
        return subchannels_[static_cast<size_t>(symbol & 1)][static_cast<size_t>(subchannel)];
    }
    /// Pilots of a major group in symbol `symbol` of the zone, rising frequency.
    std::span<const int16_t> pilots(int group, int symbol) const;
    /// Physical cluster of each logical one.
    std::span<const uint8_t, 60> physical_clusters() const { return physical_; }

private:
    using Subchannels = std::array<std::array<int16_t, kDlSubchannelCarriers>, kDlSubchannels>;

    void fill_group(int group, int perm_base);

    std::array<uint8_t, 60> physical_{};
    std::array<Subchannels, 2> subchannels_{};
    std::array<std::array<int16_t, 2 * 60>, 2> pilots_{};
};

/// Physical subchannel of each logical one in the zone at the start of a frame.
WIMAX_API std::vector<uint8_t> first_zone_subchannels(int segment, DlGroupSet groups);

}  // namespace gr::wimax::phy::ofdma
