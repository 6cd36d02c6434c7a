// SPDX-License-Identifier: GPL-3.0-or-later
// Information elements of the OFDM maps (8.3.6.2, 8.3.6.3) and of ARQ feedback (6.3.4.2).
#pragma once

#include "mac/pdu/header.h"

#include <array>

namespace wimax::mac {

/// DIUC and UIUC values with a special meaning; burst profiles are DIUC 1..11 and UIUC 5..12.
namespace diuc {
inline constexpr uint8_t kStcZone = 0, kFirstProfile = 1, kLastProfile = 11, kGap = 13, kEndOfMap = 14, kExtended = 15;
}
namespace uiuc {
inline constexpr uint8_t kInitialRanging = 1, kReqRegionFull = 2, kReqRegionFocused = 3, kFocusedContention = 4,
                         kFirstProfile = 5, kLastProfile = 12, kNetworkEntry = 13, kEndOfMap = 14, kExtended = 15;
}
inline constexpr uint8_t kAllSubchannels = 16;

/// Contents of an extended IE: code, and the octets after the length.
struct ExtendedIe {
    uint8_t code = 0;    ///< 4 bits
    uint8_t length = 0;  ///< octets used in data, 0..15
    std::array<uint8_t, 15> data{};
    bool operator==(const ExtendedIe&) const = default;
};

struct DlMapIe {
    uint16_t cid = 0;
    uint8_t diuc = 0;
    bool preamble = false;
    uint16_t start_symbols = 0;  ///< from the first symbol of the frame, to the preamble if there is one; 11 bits
    ExtendedIe extended{};       ///< DIUC 15, in place of the two before
    bool operator==(const DlMapIe&) const = default;
};

/// UIUC 4: which contention code is being answered.
struct FocusedContention {
    uint8_t frame_lsb4 = 0, opportunity = 0 /* 3 bits */, channel = 0 /* 6 bits */, code = 0 /* 3 bits */;
    bool operator==(const FocusedContention&) const = default;
};
/// UIUC 13. The order of the fields is not certain.
struct NetworkEntry {
    uint8_t subchannel = 0 /* 5 bits */, frame_lsb4 = 0, code = 0 /* 3 bits */;
    bool operator==(const NetworkEntry&) const = default;
};

struct UlMapIe {
    uint16_t cid = 0;
    uint16_t start_symbols = 0;  ///< from the allocation start time; 11 bits
    uint8_t subchannel = kAllSubchannels;
    uint8_t uiuc = 0;
    uint16_t duration_symbols = 0;  ///< preamble and midambles included; 10 bits
    uint8_t midamble = 0;           ///< two-bit field
    FocusedContention focused{};    ///< UIUC 4
    NetworkEntry entry{};           ///< UIUC 13
    ExtendedIe extended{};          ///< UIUC 15
    bool operator==(const UlMapIe&) const = default;
};

/// Octets of a UL-MAP as a PDU without elements, and of an element; how many one PDU holds.
inline constexpr size_t kUlMapOctets = 17, kUlMapElementOctets = 6;
inline constexpr size_t kUlMapAnswerOctets = kUlMapElementOctets + 2;  ///< UIUC 4
inline constexpr size_t kMaxUlMapElements = (kMaxPduOctets - kUlMapOctets) / kUlMapElementOctets;

enum class AckType : uint8_t { selective = 0, cumulative = 1, cumulative_selective = 2, cumulative_sequences = 3 };

struct FeedbackIe {
    uint16_t cid = 0;
    bool last = false;
    AckType ack_type = AckType::cumulative;
    uint16_t bsn = 0;       ///< 11 bits
    uint8_t map_count = 0;  ///< 1..4 but for cumulative
    std::array<uint16_t, 4> maps{};
    bool operator==(const FeedbackIe&) const = default;
};

/// `ie` is overwritten, also if there is an error.
Result<void> read_map_ie(BitReader& in, DlMapIe& ie);
Result<void> read_map_ie(BitReader& in, UlMapIe& ie);
/// `strict`: reserved bits set are an error, else they are ignored.
Result<FeedbackIe> read_feedback_ie(BitReader& in, bool strict = false);
void write(BitWriter& out, const DlMapIe& ie);
void write(BitWriter& out, const UlMapIe& ie);
void write(BitWriter& out, const FeedbackIe& ie);

}  // namespace wimax::mac
