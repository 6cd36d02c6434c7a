// SPDX-License-Identifier: GPL-3.0-or-later
// A PDU of the air as a record of a pcap file, for Wireshark: an Ethernet frame of Ethertype 0x08F0 with the TLVs of
// Wireshark's dissector "m2m" and one more for the properties of a WirelessMAN-OFDM burst. Fields in
// docs/wireshark.md.
#pragma once

#include "mac/pdu/cid.h"
#include "mac/report/pdu_tap.h"

#include <array>

namespace wimax::macd {

using EthernetAddress = std::array<uint8_t, 6>;

/// Of a capturing base station.
constexpr EthernetAddress address_of(uint64_t bsid) {
    EthernetAddress address{};
    for (size_t i = 0; i < address.size(); ++i) address[i] = static_cast<uint8_t>(bsid >> (40 - 8 * i));
    return address;
}

/// File header: nanoseconds, little-endian, Ethernet.
inline constexpr size_t kPcapHeaderOctets = 24;
std::array<uint8_t, kPcapHeaderOctets> pcap_header();

/// Limit for the unreadable rest of a burst; a PDU is never longer.
inline constexpr size_t kCapturedOctets = 2047;
inline constexpr size_t kRecordOctets = 16 + 14 + 4 + 3 + 5 + 3 + 3 + 3 + 4 + kCapturedOctets + 2 + 16;

class RecordEncoder {
public:
    /// `own`: BSID or MAC address of the capturing station. set_sample_rate() may follow later.
    explicit RecordEncoder(const EthernetAddress& own) : own_(own) {}
    /// Timestamps count from sample 0; until the rate is known they are 0.
    void set_sample_rate(int64_t hz) { sample_rate_hz_ = hz; }
    /// m, if known: a subscriber station does not receive it.
    void set_basic_cids(uint16_t basic_cids) { basic_cids_ = basic_cids; }
    /// Valid until the next call.
    mac::Octets encode(const mac::TappedBurst& burst, size_t offset, mac::Octets octets, mac::TappedOctets what);

private:
    void put(uint8_t octet) { record_[size_++] = octet; }
    void big_endian(uint64_t value, int octets);
    void little_endian(uint64_t value, int octets);
    void tlv(uint8_t type, uint32_t value, int octets);
    void times(mac::Samples at);
    void addresses(const mac::TappedBurst& burst);
    void describe(const mac::TappedBurst& burst, size_t offset, bool cut, mac::TappedOctets what);

    const EthernetAddress own_;
    int64_t sample_rate_hz_ = 0;
    uint16_t basic_cids_ = mac::cid::kBasicMax;
    uint16_t sequence_ = 0;
    std::array<uint8_t, kRecordOctets> record_{};
    size_t size_ = 0;
};

}  // namespace wimax::macd
