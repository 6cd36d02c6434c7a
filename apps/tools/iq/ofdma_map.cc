// SPDX-License-Identifier: GPL-3.0-or-later
#include "tools/iq/ofdma_map.h"

#include "mac/pdu/crc.h"
#include "mac/pdu/header.h"

#include <algorithm>

namespace wimax::iq {
namespace {

namespace ofdma = gr::wimax::phy::ofdma;

constexpr uint8_t kDlMapType = 2;
constexpr uint8_t kExtendedDiuc = 15, kCidSwitch = 4;
constexpr uint16_t kBroadcastCid = 0xFFFF;
constexpr uint64_t kCompressedMap = 0b110;

template <class Range, class Value> unsigned index_of(const Range& values, const Value& value) {
    return static_cast<unsigned>(std::ranges::find(values, value) - values.begin());
}

bool with_cids(const DlMapMessage& map) {
    return std::ranges::any_of(map.elements, [](const DlMapElement& element) { return element.cid.has_value(); });
}

void put_element(const DlMapElement& element, bool cids, mac::BitWriter& out) {
    out.put(element.diuc, 4);
    if (cids) {
        out.put(1, 8);  // N_CID
        out.put(element.cid.value_or(kBroadcastCid), 16);
    }
    out.put(static_cast<uint64_t>(element.region.symbol), 8);
    out.put(static_cast<uint64_t>(element.region.subchannel), 6);
    out.put(boosting_code(element.boosting_db).value_or(0), 3);
    out.put(static_cast<uint64_t>(element.region.symbols), 7);
    out.put(static_cast<uint64_t>(element.region.subchannels), 6);
    out.put(index_of(ofdma::kRepetitions, element.repetition), 2);
}

/// Elements, then zeros up to a whole octet.
void put_elements(const DlMapMessage& map, mac::BitWriter& out) {
    const bool cids = with_cids(map);
    if (cids) {
        out.put(kExtendedDiuc, 4);
        out.put(kCidSwitch, 4);
        out.put(0, 4);  // length
    }
    for (const auto& element : map.elements) put_element(element, cids, out);
    if (!out.aligned()) out.put(0, 4);
}

void put_synchronization(const DlMapMessage& map, mac::BitWriter& out) {
    out.put(ofdma::kFrameDurationCode, 8);
    out.put(map.frame_number, 24);
    out.put(map.dcd_count, 8);
}

void append_crc(std::vector<uint8_t>& octets) {
    const auto crc = mac::crc32(octets, mac::CrcStyle::msb);
    octets.insert(octets.end(), crc.begin(), crc.end());
}

}  // namespace

std::optional<uint8_t> boosting_code(double db) {
    const unsigned code = index_of(kBoostingDb, db);
    return code < kBoostingDb.size() ? std::optional(static_cast<uint8_t>(code)) : std::nullopt;
}

std::vector<uint8_t> encode_dl_map(const DlMapMessage& map) {
    mac::Buffer message;
    mac::BitWriter out(message);
    out.put(kDlMapType, 8);
    put_synchronization(map, out);
    out.put(map.bsid, 48);
    out.put(map.symbols, 8);
    put_elements(map, out);
    mac::GenericHeader header;
    header.ci = true;
    header.cid = kBroadcastCid;
    header.len = static_cast<uint16_t>(mac::kHeaderOctets + message.size() + mac::kCrcOctets);
    mac::Buffer pdu;
    header.encode(pdu);
    pdu.insert(pdu.end(), message.begin(), message.end());
    append_crc(pdu);
    return pdu;
}

std::vector<uint8_t> encode_compressed_dl_map(const DlMapMessage& map) {
    const auto encode = [&map](uint64_t length) {
        mac::Buffer octets;
        mac::BitWriter out(octets);
        out.put(kCompressedMap, 3);
        out.put(0, 1);  // no UL-MAP appended
        out.put(0, 1);
        out.put(length, 11);  // of the map with its CRC
        put_synchronization(map, out);
        out.put(map.bsid >> 24 & 0xFF, 8);  // operator ID
        out.put(map.bsid & 0xFF, 8);        // sector ID
        out.put(map.symbols, 8);
        out.put(map.elements.size() + (with_cids(map) ? 1 : 0), 8);
        put_elements(map, out);
        return octets;
    };
    mac::Buffer octets = encode(encode(0).size() + mac::kCrcOctets);
    append_crc(octets);
    return octets;
}

}  // namespace wimax::iq
