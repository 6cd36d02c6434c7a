// SPDX-License-Identifier: GPL-3.0-or-later
// Octets of a burst to the labels of its slots and soft bits back, IEEE 802.16-2009 clause 8.4.9: padding, randomizer
// (restarted for each FEC block), slot concatenation, code, interleaver, repetition. A label is the bits of a data
// carrier as a number, first bit most significant (phy/carriers/constellation.h).
#pragma once

#include <gnuradio/wimax/phy/coding/randomizer.h>
#include <gnuradio/wimax/phy/ofdma/coding/ctc_decoder.h>
#include <gnuradio/wimax/phy/ofdma/coding/tail_biting.h>

namespace gr::wimax::phy::ofdma {

/// Register of the randomizer at the start of each FEC block: stages 1 to 15 are 011011100010101.
inline constexpr uint16_t kBlockRandomizerState = 0b101010001110110;
/// Octets that fill a burst after its payload.
inline constexpr uint8_t kBurstPadding = 0xFF;

/// Numbers of transmissions of each slot, by the repetition code of maps and DLFP; QPSK only.
inline constexpr std::array<int, 4> kRepetitions{1, 2, 4, 6};

/// Encodes one FEC block of `slots`, without randomizer: coded bits in order of transmission, one per octet. Returns
/// their number.
WIMAX_API size_t encode_block(const FecCode& code, int slots, std::span<const uint8_t> octets, std::span<uint8_t> bits);

/// Labels from bits, one bit per octet.
WIMAX_API void labels_of_bits(int bits_per_carrier, std::span<const uint8_t> bits, std::span<uint8_t> labels);

/// Octets of data that a burst carries. `slots`: a multiple of `repetition`.
constexpr int burst_octets(const FecCode& code, int slots, int repetition) {
    return slots / repetition * code.slot_octets;
}

class WIMAX_API SlotBurstEncoder {
public:
    /// `payload` must stay valid until the last slot; octets beyond burst_octets() are not sent.
    void start(const FecCode& code, int slots, int repetition, std::span<const uint8_t> payload);
    /// Labels of the next slot of the burst, in order of transmission.
    void next_slot(std::span<uint8_t, kSlotPoints> labels);

private:
    void encode_next_block();

    const FecCode* code_ = nullptr;
    SlotConcatenation blocks_{kFecCodes[0], 0};
    int repetition_ = 1, sent_ = 0;  // of the current slot
    size_t slot_ = 0, block_slots_ = 0;
    std::span<const uint8_t> payload_;
    std::array<uint8_t, size_t{kMaxBlockSlots} * kSlotPoints> labels_{};
};

/// Result of a received burst.
struct SlotBurstDecoded {
    int octets = 0;                          ///< written
    int blocks = 0, failed = 0;              ///< failed: CTC blocks whose decoders do not agree
    int iterations = 0;                      ///< of all CTC blocks
    int coded_bits = 0, corrected_bits = 0;  ///< received signs that differ from the decoded block encoded again
};

class WIMAX_API SlotBurstDecoder {
public:
    /// `octets` gets burst_octets() and must stay valid until the last slot.
    void start(const FecCode& code, int slots, int repetition, std::span<uint8_t> octets);
    /// Soft bits of the next slot in label order (48 carriers). Decodes a block after its last slot.
    void feed_slot(std::span<const SoftBit> soft);
    const SlotBurstDecoded& result() const { return result_; }

private:
    void decode_block();

    const FecCode* code_ = nullptr;
    SlotConcatenation blocks_{kFecCodes[0], 0};
    int repetition_ = 1, received_ = 0;
    size_t slot_ = 0, block_slots_ = 0;
    std::span<uint8_t> octets_;
    SlotBurstDecoded result_;
    std::array<SoftBit, kMaxBlockBits> soft_{};
    TailBitingDecoder cc_;
    CtcDecoder ctc_;
};

}  // namespace gr::wimax::phy::ofdma
