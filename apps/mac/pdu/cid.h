// SPDX-License-Identifier: GPL-3.0-or-later
// Connection identifiers (10.4). The split m between basic and primary management CIDs is the base station's choice and
// not broadcast; common protocol analysers assume 320.
#pragma once

#include <cstdint>

namespace wimax::mac::cid {

inline constexpr uint16_t kInitialRanging = 0x0000;
inline constexpr uint16_t kBasicMax = 320;  ///< m: basic CIDs are 1..m, primary management CIDs m+1..2m
inline constexpr uint16_t kFirstTransport = 2 * kBasicMax + 1;  ///< transport and secondary management
inline constexpr uint16_t kLastTransport = 0xFEFE;
inline constexpr uint16_t kAasInitialRanging = 0xFEFF;
inline constexpr uint16_t kFirstMulticastPolling = 0xFF00;
inline constexpr uint16_t kLastMulticastPolling = 0xFFF9;  ///< 0xFFFA..0xFFFD mean other things to 802.16e stations
inline constexpr uint16_t kPadding = 0xFFFE;
inline constexpr uint16_t kBroadcast = 0xFFFF;

constexpr bool is_basic(uint16_t cid, uint16_t m = kBasicMax) { return cid >= 1 && cid <= m; }
constexpr bool is_primary(uint16_t cid, uint16_t m = kBasicMax) { return cid > m && cid <= 2u * m; }
constexpr bool is_transport(uint16_t cid, uint16_t m = kBasicMax) { return cid > 2u * m && cid <= kLastTransport; }
/// A station does not know m, which is 1 or more: any other CID than its own management CIDs may be a flow's.
constexpr bool may_be_transport(uint16_t cid) { return cid > 2 && cid <= kLastTransport; }
constexpr bool is_multicast_polling(uint16_t cid) {
    return cid >= kFirstMulticastPolling && cid <= kLastMulticastPolling;
}
/// A PDU on such a CID carries management messages.
constexpr bool is_management(uint16_t cid, uint16_t m = kBasicMax) {
    return cid == kInitialRanging || cid == kBroadcast || (cid >= 1 && cid <= 2u * m);
}

}  // namespace wimax::mac::cid
