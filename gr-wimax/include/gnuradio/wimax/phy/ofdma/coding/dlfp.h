// SPDX-License-Identifier: GPL-3.0-or-later
// DL_Frame_Prefix and frame control header of OFDMA, IEEE 802.16-2009 clause 8.4.4.3: 24 bits, sent twice as one block
// of QPSK 1/2, in four slots, not randomized.
#pragma once

#include <gnuradio/wimax/phy/ofdma/coding/slot_coder.h>

#include <optional>

namespace gr::wimax::phy::ofdma {

inline constexpr int kFchSlots = 4;  // repetitions of one slot
/// Bit of the subchannel bitmap that is sent first: that of group 0. Masks of Wireshark; all recorded bitmaps are
/// 111111.
inline constexpr bool kDlfpGroup0IsFirstBit = true;

/// Coding of the DL-MAP that the DLFP announces.
enum class MapCoding : uint8_t { cc = 0, btc = 1, ctc = 2, zt_cc = 3, cc_interleaved = 4, ldpc = 5 };

/// Fields of the DLFP. Groups: bit g of the set is major group g.
struct Dlfp {
    uint8_t groups = 0x3F;
    uint8_t repetition_code = 0;  ///< of the DL-MAP, index of kRepetitions
    MapCoding coding = MapCoding::cc;
    uint8_t map_slots = 0;  ///< of the DL-MAP, repetitions counted

    bool operator==(const Dlfp&) const = default;
};

WIMAX_API std::array<uint8_t, 3> pack_dlfp(const Dlfp& prefix);
/// nullopt if the coding is reserved.
WIMAX_API std::optional<Dlfp> parse_dlfp(std::span<const uint8_t, 3> octets);

/// Labels of the 48 points of each of the four slots.
WIMAX_API std::array<uint8_t, kSlotPoints> fch_labels(const Dlfp& prefix);
/// Decodes the soft bits of one slot (or the sum of the four), 96 in label order. nullopt if the two halves differ or a
/// field is reserved.
WIMAX_API std::optional<Dlfp> decode_fch(TailBitingDecoder& decoder, std::span<const SoftBit> soft);

/// Code of the DL-MAP: QPSK 1/2 with the coding of the DLFP; nullptr for codings that are not built.
WIMAX_API const FecCode* map_code(MapCoding coding);

}  // namespace gr::wimax::phy::ofdma
