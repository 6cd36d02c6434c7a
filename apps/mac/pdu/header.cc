// SPDX-License-Identifier: GPL-3.0-or-later
#include "mac/pdu/header.h"
#include "mac/pdu/crc.h"

namespace wimax::mac {
namespace {

/// Appends the five octets of `bits` (40, most significant first) and their HCS.
void append_header(Buffer& out, uint64_t bits) {
    std::array<uint8_t, kHeaderOctets> header{};
    for (unsigned i = 0; i < 5; ++i) header[i] = static_cast<uint8_t>(bits >> 8 * (4 - i));
    header[5] = hcs8(Octets(header).first(5));
    out.insert(out.end(), header.begin(), header.end());
}

uint64_t header_bits(Octets octets) {
    uint64_t bits = 0;
    for (unsigned i = 0; i < 5; ++i) bits = bits << 8 | octets[i];
    return bits;
}

constexpr uint64_t kHt = 1ull << 39, kEc = 1ull << 38;
/// Octet 1 bits 7 (the extended subheader field of 802.16e) and 3.
constexpr uint64_t kReserved = 1ull << 31 | 1ull << 27;

}  // namespace

void GenericHeader::encode(Buffer& out) const {
    append_header(out, uint64_t{ec} << 38 | uint64_t{type & 0x3Fu} << 32 | uint64_t{ci} << 30 |
                           uint64_t{eks & 3u} << 28 | uint64_t{len & 0x7FFu} << 16 | cid);
}

void BandwidthRequestHeader::encode(Buffer& out) const {
    append_header(out, kHt | static_cast<uint64_t>(type) << 35 | uint64_t{br & kMaxBandwidthRequest} << 16 | cid);
}

Result<GenericHeader> parse_generic_header(Octets octets) {
    if (octets.size() < kHeaderOctets) return parse_error(0, Reason::truncated, "less than a header");
    const uint64_t bits = header_bits(octets);
    if (bits & kHt) return parse_error(0, Reason::reserved, "not a generic header");
    if (bits & kReserved) return parse_error(1, Reason::reserved, "reserved header bit");
    GenericHeader header;
    header.ec = bits & kEc;
    header.type = bits >> 32 & 0x3F;
    header.ci = bits >> 30 & 1;
    header.eks = bits >> 28 & 3;
    header.len = bits >> 16 & 0x7FF;
    header.cid = static_cast<uint16_t>(bits);
    if (header.type & type::kMesh) return parse_error(0, Reason::reserved, "mesh subheader");
    return header;
}

Result<BandwidthRequestHeader> parse_bandwidth_request(Octets octets) {
    if (octets.size() < kHeaderOctets) return parse_error(0, Reason::truncated, "less than a header");
    const uint64_t bits = header_bits(octets);
    if (!(bits & kHt) || bits & kEc) return parse_error(0, Reason::reserved, "HT = 1 with EC = 1");
    const auto request_type = static_cast<uint8_t>(bits >> 35 & 7);
    if (request_type > 1) return parse_error(0, Reason::reserved, "bandwidth request type above 1");
    return BandwidthRequestHeader{static_cast<RequestType>(request_type),
                                  static_cast<uint32_t>(bits >> 16 & kMaxBandwidthRequest),
                                  static_cast<uint16_t>(bits)};
}

void FragmentationSubheader::encode(Buffer& out, bool extended) const {
    BitWriter bits(out);
    bits.put(static_cast<uint8_t>(fc), 2);
    bits.put(fsn, extended ? 11 : 3);
    bits.put(0, 3);
}

void PackingSubheader::encode(Buffer& out, bool extended) const {
    BitWriter bits(out);
    bits.put(static_cast<uint8_t>(fc), 2);
    bits.put(fsn, extended ? 11 : 3);
    bits.put(length, 11);
}

void GrantManagementSubheader::encode(Buffer& out) const { BitWriter(out).put(raw, 16); }

}  // namespace wimax::mac
