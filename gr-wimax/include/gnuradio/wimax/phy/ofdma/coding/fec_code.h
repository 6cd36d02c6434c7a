// SPDX-License-Identifier: GPL-3.0-or-later
// Codes of OFDMA burst profiles and the concatenation of slots to FEC blocks, IEEE 802.16-2009 clause 8.4.9.2.
#pragma once

#include <gnuradio/wimax/phy/ofdma/carriers/ofdma_numerology.h>

#include <span>

namespace gr::wimax::phy::ofdma {

/// Tail-biting convolutional code, convolutional turbo code.
enum class FecKind : uint8_t { cc, ctc };

struct FecCode {
    std::string_view name;  ///< "ctc-qpsk-1/2"
    uint8_t code;           ///< FEC code type of a burst profile (UCD and DCD)
    FecKind kind;
    int bits_per_carrier;  ///< 2, 4, 6
    CodeRate rate;
    int slot_octets;      ///< octets of data in a slot
    int max_block_slots;  ///< j of the slot concatenation

    constexpr int slot_bits() const { return kSlotPoints * bits_per_carrier; }
};

inline constexpr std::array<FecCode, 15> kFecCodes{{
    {"cc-qpsk-1/2", 0, FecKind::cc, 2, CodeRate::r1_2, 6, 6},
    {"cc-qpsk-3/4", 1, FecKind::cc, 2, CodeRate::r3_4, 9, 4},
    {"cc-16qam-1/2", 2, FecKind::cc, 4, CodeRate::r1_2, 12, 3},
    {"cc-16qam-3/4", 3, FecKind::cc, 4, CodeRate::r3_4, 18, 2},
    {"cc-64qam-1/2", 4, FecKind::cc, 6, CodeRate::r1_2, 18, 2},
    {"cc-64qam-2/3", 5, FecKind::cc, 6, CodeRate::r2_3, 24, 1},
    {"cc-64qam-3/4", 6, FecKind::cc, 6, CodeRate::r3_4, 27, 1},
    {"ctc-qpsk-1/2", 13, FecKind::ctc, 2, CodeRate::r1_2, 6, 10},
    {"ctc-qpsk-3/4", 15, FecKind::ctc, 2, CodeRate::r3_4, 9, 6},
    {"ctc-16qam-1/2", 16, FecKind::ctc, 4, CodeRate::r1_2, 12, 5},
    {"ctc-16qam-3/4", 17, FecKind::ctc, 4, CodeRate::r3_4, 18, 3},
    {"ctc-64qam-1/2", 18, FecKind::ctc, 6, CodeRate::r1_2, 18, 3},
    {"ctc-64qam-2/3", 19, FecKind::ctc, 6, CodeRate::r2_3, 24, 2},
    {"ctc-64qam-3/4", 20, FecKind::ctc, 6, CodeRate::r3_4, 27, 2},
    {"ctc-64qam-5/6", 21, FecKind::ctc, 6, CodeRate::r5_6, 30, 2},
}};

/// nullptr if there is none.
WIMAX_API const FecCode* find_fec_code(std::string_view name);
WIMAX_API const FecCode* find_fec_code(int code);

/// Most of any FEC block without HARQ.
inline constexpr int kMaxBlockSlots = 10;
inline constexpr int kMaxBlockOctets = 60;
inline constexpr int kMaxBlockBits = 960;  // coded

/// Size that no CTC block of QPSK 1/2 has.
inline constexpr int kForbiddenCtcSlots = 7;

/// Sizes of the FEC blocks of a burst, in order of transmission.
class WIMAX_API SlotConcatenation {
public:
    SlotConcatenation(const FecCode& code, int slots);

    /// Slots of the next block; 0 after the last.
    int next();

private:
    int whole_blocks_ = 0, whole_slots_ = 0;
    std::array<int, 2> last_{};
};

}  // namespace gr::wimax::phy::ofdma
