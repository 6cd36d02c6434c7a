// SPDX-License-Identifier: GPL-3.0-or-later
#include "mac/pdu/map_ie.h"

#include <algorithm>

namespace wimax::mac {
namespace {

ExtendedIe read_extended(BitReader& in) {
    ExtendedIe ie;
    ie.code = in.get8(4);
    ie.length = in.get8(4);
    for (unsigned i = 0; i < ie.length; ++i) ie.data[i] = in.get8();
    return ie;
}

void write_extended(BitWriter& out, const ExtendedIe& ie) {
    out.put(ie.code, 4);
    out.put(ie.length, 4);
    for (unsigned i = 0; i < ie.length; ++i) out.put(ie.data[i], 8);
}

tl::unexpected<ParseError> cut_short(const BitReader& in, const char* detail) {
    return parse_error(in.offset(), Reason::truncated, detail);
}

constexpr unsigned kMapCountBits = 2;

}  // namespace

Result<void> read_map_ie(BitReader& in, DlMapIe& ie) {
    ie = {};
    ie.cid = in.get16();
    ie.diuc = in.get8(4);
    if (ie.diuc == diuc::kExtended) {
        ie.extended = read_extended(in);
    } else {
        ie.preamble = in.get(1);
        ie.start_symbols = in.get16(11);
    }
    if (in.failed()) return cut_short(in, "DL-MAP IE cut short");
    return {};
}

void write(BitWriter& out, const DlMapIe& ie) {
    out.put(ie.cid, 16);
    out.put(ie.diuc, 4);
    if (ie.diuc == diuc::kExtended) return write_extended(out, ie.extended);
    out.put(ie.preamble, 1);
    out.put(ie.start_symbols, 11);
}

Result<void> read_map_ie(BitReader& in, UlMapIe& ie) {
    ie = {};
    // All of it at once: a station reads hundreds of elements in a frame.
    const uint64_t fields = in.get(8 * kUlMapElementOctets);
    ie.cid = static_cast<uint16_t>(fields >> 32);
    ie.start_symbols = fields >> 21 & 0x7FF;
    ie.subchannel = fields >> 16 & 0x1F;
    ie.uiuc = fields >> 12 & 0xF;
    ie.duration_symbols = fields >> 2 & 0x3FF;
    ie.midamble = fields & 3;
    if (ie.uiuc == uiuc::kFocusedContention) {
        ie.focused.frame_lsb4 = in.get8(4);
        ie.focused.opportunity = in.get8(3);
        ie.focused.channel = in.get8(6);
        ie.focused.code = in.get8(3);
    } else if (ie.uiuc == uiuc::kNetworkEntry) {
        ie.entry.subchannel = in.get8(5);
        ie.entry.frame_lsb4 = in.get8(4);
        ie.entry.code = in.get8(3);
    } else if (ie.uiuc == uiuc::kExtended) {
        ie.extended = read_extended(in);
    }
    if (in.failed()) return cut_short(in, "UL-MAP IE cut short");
    return {};
}

void write(BitWriter& out, const UlMapIe& ie) {
    out.put(uint64_t{ie.cid} << 32 | uint64_t{ie.start_symbols & 0x7FFU} << 21 | (ie.subchannel & 0x1FU) << 16 |
                (ie.uiuc & 0xFU) << 12 | (ie.duration_symbols & 0x3FFU) << 2 | (ie.midamble & 3U),
            8 * kUlMapElementOctets);
    if (ie.uiuc == uiuc::kFocusedContention) {
        out.put(ie.focused.frame_lsb4, 4);
        out.put(ie.focused.opportunity, 3);
        out.put(ie.focused.channel, 6);
        out.put(ie.focused.code, 3);
    } else if (ie.uiuc == uiuc::kNetworkEntry) {
        out.put(ie.entry.subchannel, 5);
        out.put(ie.entry.frame_lsb4, 4);
        out.put(ie.entry.code, 3);
    } else if (ie.uiuc == uiuc::kExtended) {
        write_extended(out, ie.extended);
    }
}

Result<FeedbackIe> read_feedback_ie(BitReader& in, bool strict) {
    FeedbackIe ie;
    const size_t start = in.offset();
    ie.cid = in.get16();
    ie.last = in.get(1);
    ie.ack_type = static_cast<AckType>(in.get(2));
    ie.bsn = in.get16(11);
    const uint8_t count = in.get8(kMapCountBits);
    if (ie.ack_type == AckType::cumulative) {
        if (strict && count != 0) return parse_error(start, Reason::reserved, "number of maps of a cumulative ACK");
    } else {
        ie.map_count = static_cast<uint8_t>(count + 1);
        for (unsigned i = 0; i < ie.map_count; ++i) ie.maps[i] = in.get16();
    }
    if (in.failed()) return cut_short(in, "ARQ feedback IE cut short");
    return ie;
}

void write(BitWriter& out, const FeedbackIe& ie) {
    out.put(ie.cid, 16);
    out.put(ie.last, 1);
    out.put(static_cast<uint8_t>(ie.ack_type), 2);
    out.put(ie.bsn, 11);
    if (ie.ack_type == AckType::cumulative) return out.put(0, kMapCountBits);
    const size_t count = std::clamp<size_t>(ie.map_count, 1, ie.maps.size());
    out.put(count - 1, kMapCountBits);
    for (size_t i = 0; i < count; ++i) out.put(ie.maps[i], 16);
}

}  // namespace wimax::mac
