// SPDX-License-Identifier: GPL-3.0-or-later
#include <mac/pdu/crc.h>

#include <algorithm>

namespace wimax::mac {
namespace {

constexpr uint8_t kHcsPolynomial = 0x07;
constexpr uint32_t kCrcPolynomial = 0x04C11DB7, kCrcPolynomialReflected = 0xEDB88320;

constexpr auto make_hcs_table() {
    std::array<uint8_t, 256> table{};
    for (unsigned i = 0; i < 256; ++i) {
        unsigned value = i;
        for (int bit = 0; bit < 8; ++bit) value = value & 0x80 ? value << 1 ^ kHcsPolynomial : value << 1;
        table[i] = static_cast<uint8_t>(value);
    }
    return table;
}

constexpr auto make_msb_table() {
    std::array<uint32_t, 256> table{};
    for (uint32_t i = 0; i < 256; ++i) {
        uint32_t value = i << 24;
        for (int bit = 0; bit < 8; ++bit) value = value & 0x80000000 ? value << 1 ^ kCrcPolynomial : value << 1;
        table[i] = value;
    }
    return table;
}

/// Eight tables: [k][i] is the CRC of octet i followed by k zero octets, so that eight octets go in one step.
constexpr auto make_reflected_tables() {
    std::array<std::array<uint32_t, 256>, 8> tables{};
    for (uint32_t i = 0; i < 256; ++i) {
        uint32_t value = i;
        for (int bit = 0; bit < 8; ++bit) value = value & 1 ? value >> 1 ^ kCrcPolynomialReflected : value >> 1;
        tables[0][i] = value;
    }
    for (size_t k = 1; k < 8; ++k)
        for (uint32_t i = 0; i < 256; ++i) tables[k][i] = tables[k - 1][i] >> 8 ^ tables[0][tables[k - 1][i] & 0xFF];
    return tables;
}

constexpr auto kHcsTable = make_hcs_table();
constexpr auto kMsbTable = make_msb_table();
constexpr auto kReflectedTables = make_reflected_tables();

uint32_t crc_msb(Octets octets) {
    uint32_t crc = 0xFFFFFFFF;
    for (const uint8_t octet : octets) crc = crc << 8 ^ kMsbTable[crc >> 24 ^ octet];
    return ~crc;
}

uint32_t crc_reflected(Octets octets) {
    uint32_t crc = 0xFFFFFFFF;
    const auto& t = kReflectedTables;
    for (; octets.size() >= 8; octets = octets.subspan(8)) {
        const uint8_t* p = octets.data();
        crc = t[7][(crc & 0xFF) ^ p[0]] ^ t[6][(crc >> 8 & 0xFF) ^ p[1]] ^ t[5][(crc >> 16 & 0xFF) ^ p[2]] ^
              t[4][crc >> 24 ^ p[3]] ^ t[3][p[4]] ^ t[2][p[5]] ^ t[1][p[6]] ^ t[0][p[7]];
    }
    for (const uint8_t octet : octets) crc = crc >> 8 ^ t[0][(crc & 0xFF) ^ octet];
    return ~crc;
}

}  // namespace

uint8_t hcs8(Octets octets) {
    uint8_t hcs = 0;
    for (const uint8_t octet : octets) hcs = kHcsTable[hcs ^ octet];
    return hcs;
}

CrcOctets crc32(Octets octets, CrcStyle style) {
    const bool msb = style == CrcStyle::msb;
    const uint32_t crc = msb ? crc_msb(octets) : crc_reflected(octets);
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
