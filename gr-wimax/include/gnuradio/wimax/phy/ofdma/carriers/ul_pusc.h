// SPDX-License-Identifier: GPL-3.0-or-later
// Uplink PUSC permutation, IEEE 802.16-2009 clause 8.4.6.2: tiles of four carriers by three symbols, six tiles per
// slot, rotation of the subchannels from slot time to slot time. Slot time t of a zone has the symbols 3t..3t+2.
#pragma once

#include <gnuradio/wimax/phy/ofdma/carriers/ofdma_numerology.h>

#include <span>
#include <vector>

namespace gr::wimax::phy::ofdma {

inline constexpr int kTileCarriers = 4;
inline constexpr int kSlotTiles = 6;  // tiles of a subchannel
inline constexpr int kUlSlotPilots = 24;

/// Tile permutation for FFT 1024: 13^(i+1) mod 37 - 2. From memory, with that construction as its proof (the checked
/// rows of other sizes are made alike); no document has been read.
inline constexpr std::array<uint8_t, kUlSubchannels> kUlTilePermutation1024{
    11, 19, 12, 32, 33, 9,  30, 7,  4,  2,  13, 8,  17, 23, 27, 5,  15, 34,
    22, 14, 21, 1,  0,  24, 3,  26, 29, 31, 20, 25, 16, 10, 6,  28, 18};

/// Subchannels by which a subchannel moves up in each slot time. Checked for the step from slot time 0 to 1.
inline constexpr int kUlRotationStep = 13;

/// Tile `n` (0..5) of subchannel `s`, for any FFT size: `permutation` has one entry per subchannel.
constexpr int ul_tile(std::span<const uint8_t> permutation, int perm_base, int s, int n) {
    const int count = static_cast<int>(permutation.size());
    return count * n + (permutation[static_cast<size_t>((s + n) % count)] + perm_base) % count;
}
/// Data carrier of a slot (in order of symbol, tile, carrier) that point `n` of the slot modulates, on subchannel `s`.
constexpr int ul_data_place(int n, int s) { return (n + 13 * s) % kSlotPoints; }

/// Carrier of a slot: its symbol within the slot time (0..2) and its number 0..1023.
struct UlPlace {
    uint8_t symbol = 0;
    int16_t carrier = 0;
};

/// Carriers of each physical subchannel for one UL_PermBase.
class WIMAX_API UlPusc {
public:
    explicit UlPusc(int perm_base);

    /// First carriers of the subchannel's tiles, n = 0..5.
    std::span<const int16_t, kSlotTiles> tiles(int subchannel) const { return tiles_[static_cast<size_t>(subchannel)]; }
    /// Where the points of a slot are sent, in the order of modulation.
    std::span<const UlPlace, kSlotPoints> data(int subchannel) const { return data_[static_cast<size_t>(subchannel)]; }
    std::span<const UlPlace, kUlSlotPilots> pilots(int subchannel) const {
        return pilots_[static_cast<size_t>(subchannel)];
    }

private:
    void fill(int subchannel);

    std::array<std::array<int16_t, kSlotTiles>, kUlSubchannels> tiles_{};
    std::array<std::array<UlPlace, kSlotPoints>, kUlSubchannels> data_{};
    std::array<std::array<UlPlace, kUlSlotPilots>, kUlSubchannels> pilots_{};
};

/// One carrier of a tile at `offset`; the zone's carriers are those that loaded_carrier() numbers.
constexpr int16_t tile_carrier(int tile, int offset) {
    return static_cast<int16_t>(loaded_carrier(tile * kTileCarriers + offset));
}

/// A region of the uplink that is no data region: ranging, fast feedback, ACK.
struct UlRegion {
    int symbol = 0, subchannel = 0, symbols = kUlSlotSymbols, subchannels = 1;
};

/// A slot of the uplink: `subchannel` is the physical one, after rotation.
struct UlSlot {
    uint8_t logical = 0, subchannel = 0;
    uint16_t slot_time = 0;
};

/// Data slots of an uplink zone in the order in which maps count them: along time, then subchannels. Slots that a
/// region touches are not counted, and the rotation of a slot time moves the other subchannels only: memory, no
/// document read.
class WIMAX_API UlSlots {
public:
    UlSlots(int symbols, bool rotation, std::span<const UlRegion> regions);

    int count() const { return static_cast<int>(slots_.size()); }
    std::span<const UlSlot> slots() const { return slots_; }

private:
    std::vector<UlSlot> slots_;
};

/// Physical subchannels in the order of the logical ones of a slot time. `free`: subchannels outside all regions,
/// rising.
WIMAX_API std::vector<uint8_t> ul_rotated(std::span<const uint8_t> free, int slot_time);

}  // namespace gr::wimax::phy::ofdma
