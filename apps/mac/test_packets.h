// SPDX-License-Identifier: GPL-3.0-or-later
// IPv4 packets for tests: addresses, ports, and a number to recognise each by.
#pragma once

#include "mac/station.h"

#include <vector>

namespace wimax::mac::test {

inline std::vector<uint8_t> ip_packet(uint32_t source, uint32_t destination, size_t octets, uint16_t port = 5000,
                                      uint32_t number = 0, uint8_t protocol = 17) {
    std::vector<uint8_t> p(octets, 0xA5);
    p[0] = 0x45;
    p[1] = 0;
    p[2] = static_cast<uint8_t>(octets >> 8);
    p[3] = static_cast<uint8_t>(octets);
    p[6] = p[7] = 0;
    p[9] = protocol;
    for (size_t i = 0; i < 4; ++i) {
        p[12 + i] = static_cast<uint8_t>(source >> (24 - 8 * i));
        p[16 + i] = static_cast<uint8_t>(destination >> (24 - 8 * i));
        if (octets >= 32) p[28 + i] = static_cast<uint8_t>(number >> (24 - 8 * i));
    }
    p[20] = static_cast<uint8_t>(port >> 8);
    p[21] = p[23] = static_cast<uint8_t>(port);
    p[22] = p[20];
    return p;
}
inline uint32_t number_of(Octets p) {
    return p.size() < 32 ? 0 : uint32_t{p[28]} << 24 | uint32_t{p[29]} << 16 | uint32_t{p[30]} << 8 | p[31];
}
inline uint32_t source_of(Octets p) {
    return uint32_t{p[12]} << 24 | uint32_t{p[13]} << 16 | uint32_t{p[14]} << 8 | p[15];
}
inline constexpr uint32_t kServer = 0x0A000001;
inline constexpr uint32_t station_address(size_t i) { return 0x0A000100 + 256 * static_cast<uint32_t>(i) + 2; }

}  // namespace wimax::mac::test
