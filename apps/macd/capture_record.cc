// SPDX-License-Identifier: GPL-3.0-or-later
#include "macd/capture_record.h"

#include <algorithm>
#include <cmath>

namespace wimax::macd {
namespace {

constexpr uint32_t kMagicNanoseconds = 0xA1B23C4D, kLinkEthernet = 1, kSnapLength = 65535;
constexpr uint16_t kEthertype = 0x08F0, kTlvs = 7;
constexpr size_t kPcapRecordHeader = 16;

/// TLVs of Ethertype 0x08F0; the last one is our own.
namespace tlv {
enum : uint8_t { version = 1, frame = 2, burst = 3, fragment_type = 4, fragment_number = 5, pdus = 9, ofdm = 240 };
}
constexpr uint8_t kTwoOctetLength = 0x82;

/// Flags in TLV `ofdm`.
enum Flag : uint8_t {
    kDownlink = 0x01,
    kSent = 0x02,
    kFecOk = 0x04,
    kBadCrc = 0x08,
    kUnreadable = 0x10,
    kCut = 0x20,
    kStc = 0x40,
};
constexpr int16_t kNotMeasured = INT16_MIN;

int16_t tenth_db(float value, bool known) {
    return known && std::isfinite(value) ? static_cast<int16_t>(std::clamp(std::lround(10 * value), -32767L, 32767L))
                                         : kNotMeasured;
}

}  // namespace

std::array<uint8_t, kPcapHeaderOctets> pcap_header() {
    std::array<uint8_t, kPcapHeaderOctets> out{};
    const auto word = [&](size_t at, uint32_t value) {
        for (size_t i = 0; i < 4; ++i) out[at + i] = static_cast<uint8_t>(value >> 8 * i);
    };
    word(0, kMagicNanoseconds);
    word(4, 2 | 4 << 16);  // format 2.4
    word(16, kSnapLength);
    word(20, kLinkEthernet);
    return out;
}

void RecordEncoder::big_endian(uint64_t value, int octets) {
    for (int i = octets - 1; i >= 0; --i) put(static_cast<uint8_t>(value >> 8 * i));
}

void RecordEncoder::little_endian(uint64_t value, int octets) {
    for (int i = 0; i < octets; ++i) put(static_cast<uint8_t>(value >> 8 * i));
}

void RecordEncoder::tlv(uint8_t type, uint32_t value, int octets) {
    put(type);
    put(static_cast<uint8_t>(octets));
    big_endian(value, octets);
}

void RecordEncoder::times(mac::Samples at) {
    constexpr int64_t kNanoseconds = 1'000'000'000;
    const int64_t sample = std::max<int64_t>(0, at), rate = sample_rate_hz_;
    little_endian(rate > 0 ? static_cast<uint64_t>(sample / rate) : 0, 4);
    little_endian(rate > 0 ? static_cast<uint64_t>(sample % rate * kNanoseconds / rate) : 0, 4);
}

/// The other end's address is not on the air: all stations where a base station sends, else none.
void RecordEncoder::addresses(const mac::TappedBurst& burst) {
    const auto own = [this] {
        for (const uint8_t octet : own_) put(octet);
    };
    if (burst.sent) big_endian(burst.downlink ? 0xFFFFFFFFFFFF : 0, 6);
    own();
    if (!burst.sent) big_endian(0, 6);
    big_endian(kEthertype, 2);
}

void RecordEncoder::describe(const mac::TappedBurst& burst, size_t offset, bool cut, mac::TappedOctets what) {
    uint8_t flags = 0;
    const auto flag = [&](bool on, Flag which) { flags = static_cast<uint8_t>(flags | (on ? which : 0)); };
    flag(burst.downlink, kDownlink);
    flag(burst.sent, kSent);
    flag(burst.fec_ok, kFecOk);
    flag(what == mac::TappedOctets::bad_crc, kBadCrc);
    flag(what == mac::TappedOctets::unreadable, kUnreadable);
    flag(cut, kCut);
    flag(burst.stc, kStc);
    put(tlv::ofdm);
    put(16);
    put(flags);
    put(static_cast<uint8_t>(burst.kind));
    put(static_cast<uint8_t>(burst.profile));
    put(burst.iuc);
    put(burst.subchannel);
    put(static_cast<uint8_t>(burst.phy));
    big_endian(burst.cid, 2);
    big_endian(static_cast<uint16_t>(tenth_db(burst.rssi_dbm, burst.measured)), 2);
    big_endian(static_cast<uint16_t>(tenth_db(burst.cinr_db, burst.measured)), 2);
    big_endian(std::min<size_t>(offset, UINT16_MAX), 2);
    big_endian(basic_cids_, 2);
}

mac::Octets RecordEncoder::encode(const mac::TappedBurst& burst, size_t offset, mac::Octets octets,
                                  mac::TappedOctets what) {
    const bool cut = octets.size() > kCapturedOctets;
    const auto kept = octets.first(std::min(octets.size(), kCapturedOctets));
    size_ = 0;
    times(burst.start);
    size_ += 8;  // lengths, when they are known
    addresses(burst);
    big_endian(sequence_++, 2);
    big_endian(kTlvs, 2);
    tlv(tlv::version, 1, 1);
    tlv(tlv::frame, burst.frame.value(), 3);
    tlv(tlv::burst, burst.index, 1);
    tlv(tlv::fragment_type, 0, 1);
    tlv(tlv::fragment_number, 1, 1);
    put(tlv::pdus);
    put(kTwoOctetLength);
    big_endian(kept.size(), 2);
    std::copy(kept.begin(), kept.end(), record_.begin() + static_cast<std::ptrdiff_t>(size_));
    size_ += kept.size();
    describe(burst, offset, cut, what);
    const size_t end = size_, captured = end - kPcapRecordHeader;
    size_ = 8;
    little_endian(captured, 4);
    little_endian(captured + octets.size() - kept.size(), 4);
    size_ = end;
    return mac::Octets(record_).first(size_);
}

}  // namespace wimax::macd
