// SPDX-License-Identifier: GPL-3.0-or-later
// MAC headers (6.3.2.1) and subheaders (6.3.2.2). Parsing assumes the HCS was checked (PduReader does).
#pragma once

#include "mac/pdu/bits.h"

namespace wimax::mac {

inline constexpr size_t kHeaderOctets = 6;
inline constexpr size_t kMaxPduOctets = 2047;  ///< LEN is 11 bits, header and CRC included

/// Type field of the generic header, a bit mask.
namespace type {
inline constexpr uint8_t kMesh = 0x20;
inline constexpr uint8_t kArqFeedback = 0x10;
inline constexpr uint8_t kExtended = 0x08;  ///< 11-bit FSN or BSN
inline constexpr uint8_t kFragmentation = 0x04;
inline constexpr uint8_t kPacking = 0x02;
inline constexpr uint8_t kGrantManagement = 0x01;  ///< uplink only
}  // namespace type

struct GenericHeader {
    bool ec = false;
    uint8_t type = 0;  ///< bits of namespace type
    bool ci = false;
    uint8_t eks = 0;   ///< 2 bits
    uint16_t len = 0;  ///< octets of the whole PDU, 11 bits
    uint16_t cid = 0;

    bool extended() const { return type & type::kExtended; }
    /// Appends six octets, HCS last.
    void encode(Buffer& out) const;
};

enum class RequestType : uint8_t { incremental = 0, aggregate = 1 };

struct BandwidthRequestHeader {
    RequestType type = RequestType::incremental;
    uint32_t br = 0;  ///< octets requested, 19 bits, including MAC overhead
    uint16_t cid = 0;

    void encode(Buffer& out) const;
};
inline constexpr uint32_t kMaxBandwidthRequest = (1u << 19) - 1;

/// Needs kHeaderOctets. Reserved bits and values give Reason::reserved.
Result<GenericHeader> parse_generic_header(Octets octets);
Result<BandwidthRequestHeader> parse_bandwidth_request(Octets octets);

enum class FragmentControl : uint8_t { unfragmented = 0, last = 1, first = 2, middle = 3 };

struct FragmentationSubheader {
    FragmentControl fc = FragmentControl::unfragmented;
    uint16_t fsn = 0;  ///< FSN or BSN, modulo 8 or 2048

    static constexpr size_t octets(bool extended) { return extended ? 2 : 1; }
    void encode(Buffer& out, bool extended) const;
};

struct PackingSubheader {
    FragmentControl fc = FragmentControl::unfragmented;
    uint16_t fsn = 0;
    uint16_t length = 0;  ///< of the unit with this subheader, octets

    static constexpr size_t octets(bool extended) { return extended ? 3 : 2; }
    void encode(Buffer& out, bool extended) const;
};

/// Grant management subheader. The PDU does not determine its format: the receiver knows the flow's scheduling type.
struct GrantManagementSubheader {
    uint16_t raw = 0;

    static constexpr size_t kOctets = 2;
    static constexpr GrantManagementSubheader piggyback(uint16_t request_octets) { return {request_octets}; }
    static constexpr GrantManagementSubheader ugs(bool slip, bool poll_me) {
        return {static_cast<uint16_t>(slip << 15 | poll_me << 14)};
    }
    bool slip_indicator() const { return raw & 0x8000; }
    bool poll_me() const { return raw & 0x4000; }
    uint16_t piggyback_request() const { return raw; }
    void encode(Buffer& out) const;
};

}  // namespace wimax::mac
