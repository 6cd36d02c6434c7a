// SPDX-License-Identifier: GPL-3.0-or-later
#include <gnuradio/wimax/phy/ofdma/coding/dlfp.h>

#include <gnuradio/wimax/phy/ofdma/carriers/dl_pusc.h>

#include <algorithm>

namespace gr::wimax::phy::ofdma {
namespace {

constexpr size_t kOctets = 3;
constexpr int kFchCode = 0;  // cc-qpsk-1/2

/// The bitmap's six bits, first bit highest, from a set of groups or back.
constexpr unsigned bitmap(unsigned groups) {
    if (!kDlfpGroup0IsFirstBit) return groups;
    unsigned bits = 0;
    for (int g = 0; g < kDlGroups; ++g) bits |= (groups >> g & 1U) << (kDlGroups - 1 - g);
    return bits;
}

}  // namespace

std::array<uint8_t, 3> pack_dlfp(const Dlfp& prefix) {
    const unsigned bits = bitmap(prefix.groups) << 18 | prefix.repetition_code * 1U << 15 |
                          static_cast<unsigned>(prefix.coding) << 12 | prefix.map_slots * 1U << 4;
    return {static_cast<uint8_t>(bits >> 16), static_cast<uint8_t>(bits >> 8), static_cast<uint8_t>(bits)};
}

std::optional<Dlfp> parse_dlfp(std::span<const uint8_t, 3> octets) {
    const unsigned bits = octets[0] * 1U << 16 | octets[1] * 1U << 8 | octets[2];
    const unsigned coding = bits >> 12 & 7U;
    if (coding > static_cast<unsigned>(MapCoding::ldpc)) return std::nullopt;
    return Dlfp{static_cast<uint8_t>(bitmap(bits >> 18)), static_cast<uint8_t>(bits >> 15 & 3U),
                static_cast<MapCoding>(coding), static_cast<uint8_t>(bits >> 4 & 0xFFU)};
}

std::array<uint8_t, kSlotPoints> fch_labels(const Dlfp& prefix) {
    const auto octets = pack_dlfp(prefix);
    std::array<uint8_t, 2 * kOctets> twice;
    std::ranges::copy(octets, twice.begin());
    std::ranges::copy(octets, twice.begin() + kOctets);
    std::array<uint8_t, 2 * size_t{kSlotPoints}> bits;
    encode_block(kFecCodes[kFchCode], 1, twice, bits);
    std::array<uint8_t, kSlotPoints> labels;
    labels_of_bits(2, bits, labels);
    return labels;
}

std::optional<Dlfp> decode_fch(TailBitingDecoder& decoder, std::span<const SoftBit> soft) {
    std::array<uint8_t, 2 * kOctets> twice;
    const FecCode& code = kFecCodes[kFchCode];
    decoder.decode(code.rate, soft, BlockInterleaver::get(code, 1).positions(), twice);
    if (!std::equal(twice.begin(), twice.begin() + kOctets, twice.begin() + kOctets)) return std::nullopt;
    return parse_dlfp(std::span(twice).first<kOctets>());
}

const FecCode* map_code(MapCoding coding) {
    switch (coding) {
        case MapCoding::cc: return find_fec_code("cc-qpsk-1/2");
        case MapCoding::ctc: return find_fec_code("ctc-qpsk-1/2");
        default: return nullptr;
    }
}

}  // namespace gr::wimax::phy::ofdma
