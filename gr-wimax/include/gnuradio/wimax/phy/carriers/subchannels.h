// SPDX-License-Identifier: GPL-3.0-or-later
// Subchannels of Table 213: 16 of 12 data carriers each, named by a 5-bit index whose lowest set bit is the size of the
// group (index 16: the whole band). Only pairs and larger groups have pilots.
#pragma once

#include <gnuradio/wimax/phy/base/numerology.h>

#include <span>

namespace gr::wimax::phy {

/// Index 1..31.
constexpr bool valid_subchannel_index(int index) { return index >= 1 && index <= 31; }

/// Subchannels in the group: 1, 2, 4, 8 or 16.
constexpr int subchannel_count(int index) { return index & -index; }

struct CarrierSet {
    std::array<int16_t, kDataCarriers> data_offsets{};  ///< rising
    int data_count = 0;
    std::array<uint8_t, kPilotCarriers> pilots{};  ///< indices into kPilotOffsets, rising
    int pilot_count = 0;

    std::span<const int16_t> data() const { return {data_offsets.data(), static_cast<size_t>(data_count)}; }
    std::span<const uint8_t> pilot_indices() const { return {pilots.data(), static_cast<size_t>(pilot_count)}; }
};

/// Carriers of a valid index.
WIMAX_API const CarrierSet& carrier_set(int index);

}  // namespace gr::wimax::phy
