// SPDX-License-Identifier: GPL-3.0-or-later
// Random octets as a packet of the kernel. The first octets select an MTU and header fields to correct, so that more
// than header checks is reached. Responses and fragments must be valid packets with correct lengths and checksums. The
// fragments must contain the whole packet.
#include "mac/cs/classifier.h"
#include "macd/ipv4.h"

#include <algorithm>
#include <cstdlib>

namespace {

using namespace wimax::macd;
using Packet = std::vector<uint8_t>;

constexpr size_t kSmallestMtu = 28, kLongestAnswer = 576;

void require(bool condition) {
    if (!condition) std::abort();
}
uint32_t word(std::span<const uint8_t> p, size_t at) { return static_cast<uint32_t>(p[at] << 8 | p[at + 1]); }
bool header_is_right(std::span<const uint8_t> p) { return internet_checksum(p.first(kIpHeaderOctets)) == 0; }

void answer(const Packet& packet, uint16_t mtu) {
    const auto said = fragmentation_needed(packet, mtu);
    if (said.empty()) return;
    require(said.size() <= kLongestAnswer && is_ipv4(said) && header_is_right(said));
    require(internet_checksum(std::span(said).subspan(kIpHeaderOctets)) == 0);
    require(fragmentation_needed(said, mtu).empty());  // errors are not answered
}

void cut(const Packet& packet, uint16_t mtu) {
    const size_t begin = 8 * size_t{word(packet, 6) & 0x1FFF};
    const bool last = !(packet[6] & 0x20);
    size_t next = kIpHeaderOctets;
    bool ended = false;
    const bool done = fragment(packet, mtu, [&](std::span<const uint8_t> piece) {
        require(!ended && piece.size() <= mtu && is_ipv4(piece) && header_is_right(piece));
        require(8 * size_t{word(piece, 6) & 0x1FFF} == begin + next - kIpHeaderOctets);
        const auto part = piece.subspan(kIpHeaderOctets);
        require(part.size() <= packet.size() - next && std::equal(part.begin(), part.end(), &packet[next]));
        next += part.size();
        ended = next == packet.size();
        require((piece[6] & 0xC0) == 0 && ((piece[6] & 0x20) == 0) == (ended && last));
    });
    require(next == (done ? packet.size() : kIpHeaderOctets));
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
    if (size < 3) return 0;
    const auto mtu = static_cast<uint16_t>(std::max<size_t>(kSmallestMtu, static_cast<size_t>(data[0]) << 8 | data[1]));
    const uint8_t how = data[2];
    Packet packet(data + 3, data + std::min<size_t>(size, 3 + 65535));
    if ((how & 1) && packet.size() >= kIpHeaderOctets) {
        packet[0] = (how & 2) ? 0x45 : static_cast<uint8_t>(0x40 | (packet[0] & 0xF));
        put16(packet, 2, static_cast<uint32_t>(packet.size()));
    }
    const auto fields = wimax::mac::PacketFields::parse(packet);
    fields.hash();
    require(wimax::mac::PacketFields::parse(packet, wimax::mac::UserLink::ethernet).ethernet == (packet.size() >= 14));
    if (!is_ipv4(packet)) return 0;
    require(fields.ipv4);
    answer(packet, mtu);
    if (!must_not_fragment(packet)) cut(packet, mtu);
    return 0;
}
