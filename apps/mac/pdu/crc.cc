// SPDX-License-Identifier: GPL-3.0-or-later
#include "mac/pdu/crc.h"

#include <libdeflate.h>

#include <algorithm>
#include <boost/crc.hpp>

namespace wimax::mac {
namespace {

using Hcs = boost::crc_optimal<8, 0x07>;
using CrcMsb = boost::crc_optimal<32, 0x04C11DB7, 0xFFFFFFFF, 0xFFFFFFFF>;

template <class Crc> auto checksum(Octets octets) {
    Crc crc;
    crc.process_bytes(octets.data(), octets.size());
    return crc.checksum();
}

}  // namespace

uint8_t hcs8(Octets octets) { return checksum<Hcs>(octets); }

CrcOctets crc32(Octets octets, CrcStyle style) {
    const bool msb = style == CrcStyle::msb;
    const auto crc = msb ? checksum<CrcMsb>(octets) : ::libdeflate_crc32(0, octets.data(), octets.size());
    CrcOctets out;
    for (unsigned i = 0; i < kCrcOctets; ++i) out[i] = static_cast<uint8_t>(crc >> 8 * (msb ? 3 - i : i));
    return out;
}

std::optional<CrcStyle> matching_crc(Octets with_crc) {
    if (with_crc.size() < kCrcOctets) return std::nullopt;
    const Octets covered = with_crc.first(with_crc.size() - kCrcOctets), received = with_crc.last(kCrcOctets);
    for (const CrcStyle style : {CrcStyle::ieee8023, CrcStyle::msb})
        if (std::ranges::equal(crc32(covered, style), received)) return style;
    return std::nullopt;
}

}  // namespace wimax::mac
