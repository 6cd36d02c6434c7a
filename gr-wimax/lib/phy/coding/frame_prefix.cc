// SPDX-License-Identifier: GPL-3.0-or-later
#include <gnuradio/wimax/phy/coding/frame_prefix.h>

#include <algorithm>
#include <boost/crc.hpp>

namespace gr::wimax::phy {
namespace {

constexpr uint16_t kLengthMask = 0x7FF;
constexpr uint16_t kZoneStartMask = 0xFFF;

uint16_t pack_entry(const FramePrefixEntry& e, bool first) {
    const auto code = static_cast<unsigned>(e.rate_id_or_diuc & 15U);
    if (code == 0 && !first) return e.length & kZoneStartMask;
    return static_cast<uint16_t>(code << 12 | (e.preamble_present ? 1U << 11 : 0U) | (e.length & kLengthMask));
}

FramePrefixEntry parse_entry(unsigned word, bool first) {
    FramePrefixEntry e;
    e.rate_id_or_diuc = static_cast<uint8_t>(word >> 12);
    if (e.rate_id_or_diuc == 0 && !first) {
        e.length = static_cast<uint16_t>(word & kZoneStartMask);
    } else {
        e.preamble_present = (word >> 11 & 1U) != 0;
        e.length = static_cast<uint16_t>(word & kLengthMask);
    }
    return e;
}

}  // namespace

uint8_t header_check_sequence(std::span<const uint8_t> header) {
    boost::crc_optimal<8, 0x07> crc;  // x^8 + x^2 + x + 1
    crc.process_bytes(header.data(), header.size());
    return crc.checksum();
}

std::string_view to_string(FramePrefixError error) {
    switch (error) {
        case FramePrefixError::length: return "not 11 bytes";
        case FramePrefixError::all_zero: return "all zero";
        case FramePrefixError::checksum: return "header check sequence wrong";
    }
    return "unknown";
}

std::array<uint8_t, kFramePrefixBytes> pack_frame_prefix(const FramePrefix& prefix) {
    std::array<uint8_t, kFramePrefixBytes> out{};
    out[0] = static_cast<uint8_t>((prefix.bsid_lsb & 15U) << 4 | (prefix.frame_lsb & 15U));
    out[1] = static_cast<uint8_t>((prefix.change_count_lsb & 15U) << 4);
    const auto count = static_cast<size_t>(std::clamp(prefix.entry_count, 0, kPrefixEntries));
    for (size_t i = 0; i < count; ++i) {
        const uint16_t word = pack_entry(prefix.entries[i], i == 0);
        out[2 + 2 * i] = static_cast<uint8_t>(word >> 8);
        out[3 + 2 * i] = static_cast<uint8_t>(word & 255);
    }
    out.back() = header_check_sequence(std::span(out).first(kFramePrefixBytes - 1));
    return out;
}

tl::expected<FramePrefix, FramePrefixError> parse_frame_prefix(std::span<const uint8_t> bytes) {
    if (bytes.size() != kFramePrefixBytes) return tl::unexpected(FramePrefixError::length);
    if (std::all_of(bytes.begin(), bytes.end(), [](uint8_t b) { return b == 0; }))
        return tl::unexpected(FramePrefixError::all_zero);
    if (header_check_sequence(bytes.first(kFramePrefixBytes - 1)) != bytes.back())
        return tl::unexpected(FramePrefixError::checksum);
    FramePrefix prefix;
    prefix.bsid_lsb = bytes[0] >> 4;
    prefix.frame_lsb = bytes[0] & 15;
    prefix.change_count_lsb = bytes[1] >> 4;
    for (size_t i = 0; i < prefix.entries.size(); ++i) {
        const auto entry = parse_entry(static_cast<unsigned>(bytes[2 + 2 * i] << 8 | bytes[3 + 2 * i]), i == 0);
        if (entry.length == 0) break;
        prefix.entries[i] = entry;
        ++prefix.entry_count;
    }
    return prefix;
}

}  // namespace gr::wimax::phy
