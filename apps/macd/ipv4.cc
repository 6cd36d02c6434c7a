// SPDX-License-Identifier: GPL-3.0-or-later
#include "macd/ipv4.h"

#include <algorithm>

namespace wimax::macd {
namespace {

constexpr uint8_t kIcmp = 1, kTimeToLive = 64, kInternetworkControl = 0xC0;  // precedence of errors (RFC 1812, 4.3.2.5)
constexpr uint32_t kDontFragment = 0x4000, kMoreFragments = 0x2000, kOffset = 0x1FFF;  // offset in units of 8 octets
constexpr size_t kMostOctets = 65535;
constexpr size_t kIcmpHeaderOctets = 8, kLengthAt = 2, kFragmentAt = 6, kChecksumAt = 10, kSourceAt = 12,
                 kDestinationAt = 16;

uint32_t get16(std::span<const uint8_t> p, size_t at) { return static_cast<uint32_t>(p[at] << 8 | p[at + 1]); }
size_t header_octets(std::span<const uint8_t> p) { return size_t{4} * (p[0] & 0xF); }

/// Neither "this host", nor loopback, multicast, reserved or broadcast.
bool is_host(std::span<const uint8_t> p, size_t at) { return p[at] != 0 && p[at] != 127 && p[at] < 224; }

bool is_icmp_error(std::span<const uint8_t> p) {
    if (p[9] != kIcmp) return false;
    if (p.size() == header_octets(p)) return true;  // the type is missing
    const uint8_t type = p[header_octets(p)];
    return type != 0 && type != 8 && (type < 13 || type > 18);  // else echo, timestamp, information, address mask
}

void sum_up(std::vector<uint8_t>& p, size_t at, size_t begin, size_t end) {
    put16(p, at, 0);
    put16(p, at, internet_checksum(std::span(p).subspan(begin, end - begin)));
}

}  // namespace

bool is_ipv4(std::span<const uint8_t> p) {
    return p.size() >= kIpHeaderOctets && p[0] >> 4 == 4 && header_octets(p) >= kIpHeaderOctets &&
           header_octets(p) <= p.size() && get16(p, kLengthAt) == p.size();
}

bool must_not_fragment(std::span<const uint8_t> p) { return get16(p, kFragmentAt) & kDontFragment; }

std::vector<uint8_t> fragmentation_needed(std::span<const uint8_t> p, uint16_t mtu) {
    const bool later_fragment = get16(p, kFragmentAt) & kOffset;
    if (later_fragment || is_icmp_error(p) || !is_host(p, kSourceAt) || !is_host(p, kDestinationAt)) return {};
    const auto quote = p.first(std::min(p.size(), kIcmpQuoteOctets));
    std::vector<uint8_t> answer(kIpHeaderOctets + kIcmpHeaderOctets, 0);
    answer.insert(answer.end(), quote.begin(), quote.end());
    answer[0] = 0x45;
    answer[1] = kInternetworkControl;
    put16(answer, kLengthAt, static_cast<uint32_t>(answer.size()));
    put16(answer, kFragmentAt, kDontFragment);  // so that its identification may be 0 (RFC 6864)
    answer[8] = kTimeToLive;
    answer[9] = kIcmp;
    std::copy_n(&p[kDestinationAt], 4, &answer[kSourceAt]);
    std::copy_n(&p[kSourceAt], 4, &answer[kDestinationAt]);
    sum_up(answer, kChecksumAt, 0, kIpHeaderOctets);
    answer[kIpHeaderOctets] = 3;      // destination unreachable
    answer[kIpHeaderOctets + 1] = 4;  // fragmentation needed and DF set
    put16(answer, kIpHeaderOctets + 6, mtu);
    sum_up(answer, kIpHeaderOctets + 2, kIpHeaderOctets, answer.size());
    return answer;
}

bool fragment(std::span<const uint8_t> p, uint16_t mtu, const std::function<void(std::span<const uint8_t>)>& give) {
    if (header_octets(p) != kIpHeaderOctets) return false;
    const uint32_t place = get16(p, kFragmentAt);
    const auto payload = p.subspan(kIpHeaderOctets);
    if (size_t{8} * (place & kOffset) + payload.size() > kMostOctets - kIpHeaderOctets) return false;
    const size_t most = (mtu - kIpHeaderOctets) / 8 * 8;
    std::vector<uint8_t> piece;
    for (size_t at = 0; at < payload.size(); at += most) {
        const auto part = payload.subspan(at, std::min(most, payload.size() - at));
        const bool more = at + part.size() < payload.size() || (place & kMoreFragments);
        piece.assign(p.begin(), p.begin() + kIpHeaderOctets);
        piece.insert(piece.end(), part.begin(), part.end());
        put16(piece, kLengthAt, static_cast<uint32_t>(piece.size()));
        put16(piece, kFragmentAt, ((place & kOffset) + static_cast<uint32_t>(at / 8)) | (more ? kMoreFragments : 0));
        sum_up(piece, kChecksumAt, 0, kIpHeaderOctets);
        give(piece);
    }
    return true;
}

}  // namespace wimax::macd
