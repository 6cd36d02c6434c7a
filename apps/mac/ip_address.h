// SPDX-License-Identifier: GPL-3.0-or-later
// An IPv6 address, or an IPv4 one in its mapped form (::ffff:a.b.c.d, RFC 4291), or the MAC address of an Ethernet
// frame (in ::1:0:0:0/80, which is not assigned), so that rules and tables use one kind of address.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>

namespace wimax::mac {

inline constexpr uint32_t kLimitedBroadcast = UINT32_MAX;  ///< IPv4, host order

struct IpAddress {
    uint64_t high = 0, low = 0;  ///< of the 128 bits, host order

    constexpr IpAddress() = default;
    /// From an IPv4 address in host order.
    constexpr IpAddress(uint32_t ipv4) : low(kMapped | ipv4) {}
    constexpr IpAddress(uint64_t upper, uint64_t lower) : high(upper), low(lower) {}

    constexpr explicit IpAddress(const std::array<uint8_t, 16>& octets) {
        for (size_t i = 0; i < 8; ++i) {
            high = high << 8 | octets[i];
            low = low << 8 | octets[8 + i];
        }
    }

    constexpr bool is_ipv4() const { return high == 0 && low >> 32 == kMapped >> 32; }
    /// 48 bits.
    static constexpr IpAddress of_mac(uint64_t mac) { return {0, kMac | mac}; }
    constexpr bool is_mac() const { return high == 0 && low >> 48 == kMac >> 48; }
    /// Pre: is_mac().
    constexpr uint64_t mac() const { return low & ~(uint64_t{0xFFFF} << 48); }
    /// Pre: is_ipv4().
    constexpr uint32_t ipv4() const { return static_cast<uint32_t>(low); }
    constexpr std::array<uint8_t, 16> octets() const {
        std::array<uint8_t, 16> out{};
        for (size_t i = 0; i < 8; ++i) {
            out[i] = static_cast<uint8_t>(high >> (56 - 8 * i));
            out[8 + i] = static_cast<uint8_t>(low >> (56 - 8 * i));
        }
        return out;
    }
    /// True for the address of one host: neither multicast nor unspecified.
    constexpr bool is_unicast() const {
        if (is_ipv4()) return ipv4() != 0 && ipv4() < kFirstIpv4Multicast;
        if (is_mac()) return mac() != 0 && (mac() >> 40 & 1) == 0;
        return high >> 56 != 0xFF && (high != 0 || low != 0);
    }

    constexpr bool operator==(const IpAddress&) const = default;
    friend constexpr IpAddress operator&(IpAddress a, IpAddress b) { return {a.high & b.high, a.low & b.low}; }
    friend constexpr IpAddress operator^(IpAddress a, IpAddress b) { return {a.high ^ b.high, a.low ^ b.low}; }

private:
    static constexpr uint64_t kMapped = 0xFFFF'0000'0000, kMac = uint64_t{1} << 48;
    static constexpr uint32_t kFirstIpv4Multicast = 0xE0000000;
};

/// An address matches when (its bits & mask) == (address & mask). An IPv4 mask matches only IPv4 addresses.
struct AddressMask {
    IpAddress address, mask{UINT64_MAX, UINT64_MAX};

    constexpr AddressMask() : AddressMask(uint32_t{0}) {}
    constexpr AddressMask(IpAddress where, IpAddress bits) : address(where), mask(bits) {}
    /// Address and mask in host order.
    constexpr AddressMask(uint32_t ipv4, uint32_t bits = UINT32_MAX)
        : address(ipv4), mask(UINT64_MAX, uint64_t{UINT32_MAX} << 32 | bits) {}

    constexpr bool contains(IpAddress other) const { return ((other ^ address) & mask) == IpAddress(0, 0); }
    constexpr bool is_ipv4() const {
        return address.is_ipv4() && mask.high == UINT64_MAX && mask.low >> 32 == UINT32_MAX;
    }
    static constexpr AddressMask of_mac(uint64_t address, uint64_t bits = 0xFFFF'FFFF'FFFF) {
        return {IpAddress::of_mac(address & bits), {UINT64_MAX, uint64_t{0xFFFF} << 48 | bits}};
    }
    constexpr bool is_mac() const { return address.is_mac() && mask.high == UINT64_MAX && mask.low >> 48 == 0xFFFF; }
    constexpr uint64_t mac_mask() const { return mask.low & ~(uint64_t{0xFFFF} << 48); }
    constexpr uint32_t ipv4_mask() const { return static_cast<uint32_t>(mask.low); }
    constexpr bool operator==(const AddressMask&) const = default;
};

}  // namespace wimax::mac
