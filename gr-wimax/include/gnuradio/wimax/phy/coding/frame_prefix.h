// SPDX-License-Identifier: GPL-3.0-or-later
// DL_Frame_Prefix (DLFP) of clause 8.3.5.1, Table 225: 11 bytes in the FCH, the last one a header check sequence.
#pragma once

#include <gnuradio/wimax/phy/base/burst_types.h>

#include <tl/expected.hpp>

namespace gr::wimax::phy {

inline constexpr int kFramePrefixBytes = 11;

/// CRC-8 x^8 + x^2 + x + 1, start value 0; also checks MAC headers.
WIMAX_API uint8_t header_check_sequence(std::span<const uint8_t> header);

enum class FramePrefixError : uint8_t {
    length,    ///< not 11 bytes
    all_zero,  ///< the HCS of zeros is zero, so silence would pass
    checksum,  ///< HCS wrong
};
WIMAX_API std::string_view to_string(FramePrefixError error);

/// Entry 1 is a Rate_ID entry always; later ones with code 0 announce an STC zone (12-bit start in `length`). Entries
/// beyond entry_count are sent as zero. Fields are cut to their widths.
WIMAX_API std::array<uint8_t, kFramePrefixBytes> pack_frame_prefix(const FramePrefix& prefix);
WIMAX_API tl::expected<FramePrefix, FramePrefixError> parse_frame_prefix(std::span<const uint8_t> bytes);

}  // namespace gr::wimax::phy
