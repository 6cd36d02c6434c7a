// SPDX-License-Identifier: GPL-3.0-or-later
#include <gnuradio/wimax/phy/coding/frame_prefix.h>
#include "tools/pdu/tree.h"

namespace wimax::pdu {
namespace {

using mac::BitWriter;

constexpr uint64_t kMaxPaddingOctets = 1 << 20;
/// Twice the depth of the standard's deepest compound.
constexpr unsigned kMaxCompoundDepth = 8;

constexpr uint64_t all_ones(unsigned bits) { return bits >= 64 ? ~uint64_t{0} : (uint64_t{1} << bits) - 1; }

void put(const Node& in, const char* key, unsigned bits, BitWriter& out) {
    out.put(in.integer(key, all_ones(bits)), bits);
}

void encode_dl_map_ie(const Node& in, BitWriter& out) {
    put(in, "cid", 16, out);
    put(in, "diuc", 4, out);
    if (in.integer("diuc", 15) == mac::diuc::kExtended) return out.put(in.octets("extended"));
    put(in, "preamble", 1, out);
    put(in, "start", 11, out);
}

void encode_ul_map_ie(const Node& in, BitWriter& out) {
    put(in, "cid", 16, out);
    put(in, "start", 11, out);
    put(in, "subch", 5, out);
    put(in, "uiuc", 4, out);
    put(in, "duration", 10, out);
    put(in, "midamble", 2, out);
    const uint64_t code = in.integer("uiuc", 15);
    if (code == mac::uiuc::kFocusedContention) {
        const Node focused = in.at("focused");
        put(focused, "frame_lsb4", 4, out);
        put(focused, "opportunity", 3, out);
        put(focused, "channel", 6, out);
        put(focused, "code", 3, out);
    } else if (code == mac::uiuc::kNetworkEntry) {
        const Node entry = in.at("network_entry");
        put(entry, "subch", 5, out);
        put(entry, "frame_lsb4", 4, out);
        put(entry, "code", 3, out);
    } else if (code == mac::uiuc::kExtended) {
        out.put(in.octets("extended"));
    }
}

uint16_t sequence_word(const Node& in) {
    const uint64_t format = in.integer("fmt", 1);
    const size_t count = 2 + format;
    const unsigned width = format ? 4 : 6;
    const std::string bits = in.at("bits").text();
    const auto lengths = in.at("lengths").elements();
    const bool good = bits.size() == count && bits.find_first_not_of("01") == std::string::npos;
    if (!good) in.at("bits").fail("'" + bits + "'", std::to_string(count) + " digits 0 or 1");
    if (lengths.size() != count) in.at("lengths").fail("needed are " + std::to_string(count) + " lengths");
    if (!good || lengths.size() != count) return 0;
    Buffer octets;
    BitWriter out(octets);
    out.put(format, 1);
    for (const char bit : bits) out.put(bit == '1', 1);
    for (const Node& length : lengths) out.put(length.integer(all_ones(width)), width);
    out.put(0, format ? 0 : 1);
    return static_cast<uint16_t>(octets[0] << 8 | octets[1]);
}

mac::FeedbackIe feedback_ie(const Node& in) {
    mac::FeedbackIe ie;
    ie.cid = static_cast<uint16_t>(in.integer("cid", 0xFFFF));
    ie.last = in.integer("last", 1);
    ie.ack_type = static_cast<mac::AckType>(in.integer("ack_type", 3));
    ie.bsn = static_cast<uint16_t>(in.integer("bsn", 0x7FF));
    if (ie.ack_type == mac::AckType::cumulative) return ie;
    const bool sequences = ie.ack_type == mac::AckType::cumulative_sequences;
    const Node list = in.at(sequences ? "sequences" : "maps");
    const auto words = list.elements();
    if (words.empty() || words.size() > ie.maps.size()) {
        list.fail("needed are 1..4 elements");
        return ie;
    }
    for (const Node& word : words)
        ie.maps[ie.map_count++] = sequences ? sequence_word(word) : static_cast<uint16_t>(word.integer(0xFFFF));
    return ie;
}

void encode_field(const Node& message, const mac::FieldSpec& field, BitWriter& out) {
    const std::string name(field.name);
    if (field.name.empty() || (field.optional && !message.has(name.c_str()))) return out.put(0, field.bits);
    const Node node = message.at(name.c_str());
    if (field.hex) {
        const Buffer octets = node.octets();
        if (octets.size() * 8 != field.bits) node.fail("needed are " + std::to_string(field.bits / 4) + " hex digits");
        return out.put(octets);
    }
    if (field.count == 1) return out.put(node.integer(all_ones(field.bits)), field.bits);
    const auto elements = node.elements();
    if (elements.size() != field.count) node.fail("needed are " + std::to_string(field.count) + " elements");
    for (const Node& element : elements) out.put(element.integer(all_ones(field.bits)), field.bits);
}

/// A list whose length is coded in one octet.
std::vector<Node> counted(const Node& list, BitWriter& out) {
    auto elements = list.elements();
    if (elements.size() > 255) list.fail("at most 255 elements");
    out.put(elements.size(), 8);
    return elements;
}

void put_signed_octet(const Node& in, const char* key, BitWriter& out) {
    out.put(static_cast<uint64_t>(in.at(key).signed_integer(-128, 127)), 8);
}

void encode_tail(const Node& message, mac::Tail tail, Buffer& octets) {
    BitWriter out(octets);
    switch (tail) {
        case mac::Tail::none: return;
        case mac::Tail::tlvs: {
            mac::TlvWriter tlvs(octets);
            return encode_tlvs(message.at("tlvs"), tlvs);
        }
        case mac::Tail::dl_map_ies:
            for (const Node& ie : message.at("ies").elements()) encode_dl_map_ie(ie, out);
            return;
        case mac::Tail::ul_map_ies:
            for (const Node& ie : message.at("ies").elements()) encode_ul_map_ie(ie, out);
            return;
        case mac::Tail::feedback_ies: return encode_feedback(message.at("ies"), out);
        case mac::Tail::clocks:
            for (const Node& clock : counted(message.at("clocks"), out)) {
                put(clock, "id", 8, out);
                put(clock, "seq", 8, out);
                put_signed_octet(clock, "value", out);
            }
            return;
        case mac::Tail::stations: {
            const auto stations = counted(message.at("stations"), out);
            put(message, "power_measurement_frame", 8, out);
            for (const Node& station : stations) {
                put(station, "cid", 16, out);
                put_signed_octet(station, "power_adjust", out);
            }
            return;
        }
        case mac::Tail::octets: return out.put(message.octets("payload"));
    }
}

void encode_packing(const Node& in, bool extended, Buffer& out) {
    Buffer unit;
    if (in.has("ies")) {
        BitWriter bits(unit);
        encode_feedback(in.at("ies"), bits);
    } else {
        unit = in.octets("payload");
    }
    const size_t length = unit.size() + mac::PackingSubheader::octets(extended);
    if (!in.has("len") && length > all_ones(11)) in.fail("packed unit longer than 2047 octets with its subheader");
    BitWriter bits(out);
    put(in, "fc", 2, bits);
    put(in, "fsn", extended ? 11 : 3, bits);
    bits.put(in.integer_or("len", all_ones(11), length), 11);
    bits.put(unit);
}

void encode_subheader(const Node& in, bool extended, Buffer& out) {
    const std::string kind = in.at("kind").text();
    BitWriter bits(out);
    if (kind == "grant_management") {
        if (in.has("raw")) return put(in, "raw", 16, bits);
        if (in.has("pbr")) return put(in, "pbr", 16, bits);
        put(in, "si", 1, bits);
        put(in, "pm", 1, bits);
        bits.put(0, 14);
    } else if (kind == "fragmentation") {
        put(in, "fc", 2, bits);
        put(in, "fsn", extended ? 11 : 3, bits);
        bits.put(0, 3);
    } else if (kind == "packing") {
        encode_packing(in, extended, out);
    } else if (kind == "arq_feedback") {
        encode_feedback(in.at("ies"), bits);
    } else {
        in.at("kind").fail("'" + kind + "'", "grant_management, fragmentation, packing, arq_feedback");
    }
}

/// Five header octets and the HCS, which is sent as it stands where given.
void put_header(const Node& header, Buffer& pdu, const Buffer& five) {
    std::copy(five.begin(), five.end(), pdu.begin());
    pdu[5] = static_cast<uint8_t>(header.integer_or("hcs", 0xFF, mac::hcs8(five)));
}

Buffer request_header(const Node& header) {
    Buffer five;
    BitWriter out(five);
    out.put(1, 1);
    out.put(header.integer_or("ec", 1, 0), 1);
    out.put(header.integer_or("type", 7, 0), 3);
    put(header, "br", 19, out);
    put(header, "cid", 16, out);
    return five;
}

Buffer generic_header(const Node& header, bool ec, bool ci, size_t length) {
    if (!header.has("len") && length > mac::kMaxPduOctets)
        header.fail("PDU of " + std::to_string(length) + " octets, at most 2047");
    Buffer five;
    BitWriter out(five);
    out.put(0, 1);
    out.put(header.integer_or("ec", 1, ec), 1);
    out.put(header.integer_or("type", 63, 0), 6);
    out.put(0, 1);
    out.put(ci, 1);
    out.put(header.integer_or("eks", 3, 0), 2);
    out.put(0, 1);
    out.put(header.integer_or("len", mac::kMaxPduOctets, length), 11);
    put(header, "cid", 16, out);
    return five;
}

Buffer crc_octets(const Node& in, const Buffer& covered) {
    if (in.has("crc")) {
        Buffer crc = in.octets("crc");
        if (crc.size() != mac::kCrcOctets) in.at("crc").fail("needed are 8 hex digits");
        return crc;
    }
    mac::CrcStyle style = mac::kAirCrcStyle;
    if (in.has("crc_style") && !in.at("crc_style").json().is_null()) {
        const std::string name = in.at("crc_style").text();
        if (name != "8023" && name != "msb") in.at("crc_style").fail("'" + name + "'", "8023, msb");
        if (name == "msb") style = mac::CrcStyle::msb;
    }
    const auto crc = mac::crc32(covered, style);
    return {crc.begin(), crc.end()};
}

void encode_pdu(const Node& in, const std::optional<PayloadKey>& key, Buffer& out) {
    const Node header = in.at("header");
    Buffer pdu(mac::kHeaderOctets);
    if (header.integer_or("ht", 1, 0) == 1) {
        put_header(header, pdu, request_header(header));
        out.insert(out.end(), pdu.begin(), pdu.end());
        return;
    }
    const bool extended = header.integer_or("type", 63, 0) & mac::type::kExtended;
    if (in.has("subheaders"))
        for (const Node& subheader : in.at("subheaders").elements()) encode_subheader(subheader, extended, pdu);
    if (in.has("message") && in.has("payload")) in.fail("'message' and 'payload' at once");
    if (in.has("message")) encode_message(in.at("message"), pdu);
    if (in.has("payload")) BitWriter(pdu).put(in.octets("payload"));
    // A CRC that is given but not announced would be read as the next header.
    const bool ci = header.integer_or("ci", 1, in.has("crc") ? 1 : 0), opened = is_opened(in);
    if (opened) make_room_for_cipher(in, pdu);
    put_header(header, pdu, generic_header(header, opened, ci, pdu.size() + (ci ? mac::kCrcOctets : 0)));
    if (opened) seal_pdu(in, key, pdu);
    if (ci) BitWriter(pdu).put(crc_octets(in, pdu));
    out.insert(out.end(), pdu.begin(), pdu.end());
}

gr::wimax::phy::FramePrefixEntry prefix_entry(const Node& ie, bool first) {
    gr::wimax::phy::FramePrefixEntry entry;
    const auto code = first ? ie.integer("rate_id", 15) : ie.integer("diuc", 15);
    entry.rate_id_or_diuc = static_cast<uint8_t>(code);
    if (!first && code == 0) {
        entry.length = static_cast<uint16_t>(ie.integer("start_time", all_ones(12)));
        return entry;
    }
    entry.preamble_present = !first && ie.integer("preamble_present", 1) == 1;
    entry.length = static_cast<uint16_t>(ie.integer("length", all_ones(11)));
    return entry;
}

Buffer encode_frame_prefix(const Node& in) {
    namespace phy = gr::wimax::phy;
    if (in.has("octets")) {
        Buffer octets = in.octets("octets");
        if (octets.size() != phy::kFramePrefixBytes) in.at("octets").fail("needed are 22 hex digits");
        return octets;
    }
    phy::FramePrefix prefix;
    prefix.bsid_lsb = static_cast<uint8_t>(in.integer("bsid_lsb", 15));
    prefix.frame_lsb = static_cast<uint8_t>(in.integer("frame_number_lsb", 15));
    prefix.change_count_lsb = static_cast<uint8_t>(in.integer("change_count_lsb", 15));
    const auto ies = in.at("ies").elements();
    if (ies.size() > prefix.entries.size()) {
        in.at("ies").fail("a frame prefix has at most 4 entries");
        return {};
    }
    for (const Node& ie : ies) {
        prefix.entries[static_cast<size_t>(prefix.entry_count)] = prefix_entry(ie, prefix.entry_count == 0);
        ++prefix.entry_count;
    }
    const auto octets = phy::pack_frame_prefix(prefix);
    return {octets.begin(), octets.end()};
}

}  // namespace

void encode_feedback(const Node& ies, BitWriter& out) {
    for (const Node& ie : ies.elements()) write(out, feedback_ie(ie));
}

void encode_tlvs(const Node& list, mac::TlvWriter& out, unsigned depth) {
    if (depth > kMaxCompoundDepth)
        return list.fail("compounds nested deeper than " + std::to_string(kMaxCompoundDepth));
    for (const Node& tlv : list.elements()) {
        const auto type = static_cast<uint8_t>(tlv.integer("type", 0xFF));
        if (!tlv.has("tlvs")) {
            out.put(type, tlv.octets("value"));
            continue;
        }
        const size_t mark = out.begin(type);
        if (tlv.has("prefix")) BitWriter(out.buffer()).put(tlv.octets("prefix"));
        encode_tlvs(tlv.at("tlvs"), out, depth + 1);
        out.end(mark);
    }
}

void encode_message(const Node& message, Buffer& out) {
    const size_t faults = message.faults();
    const auto type = static_cast<uint8_t>(message.integer("msg", 0xFF));
    if (message.faults() > faults) return;  // what such a message needs is not known
    const mac::MessageSpec& spec = mac::message_spec(type);
    out.push_back(type);
    BitWriter bits(out);
    for (const mac::FieldSpec& field : spec.fields) encode_field(message, field, bits);
    encode_tail(message, spec.tail, out);
}

namespace {

/// A burst, a message or a frame prefix, by its keys.
void encode_any(const Node& root, const std::optional<PayloadKey>& key, Buffer& out) {
    if (root.has("msg") && !root.has("error")) return encode_message(root, out);
    if (root.has("bsid_lsb")) {
        out = encode_frame_prefix(root);
        return;
    }
    if (!root.has("pdus") && !root.has("rest"))
        return root.fail("key 'pdus' (a burst), 'msg' (a message) or 'bsid_lsb' (a frame prefix) is needed");
    if (root.has("pdus"))
        for (const Node& pdu : root.at("pdus").elements()) encode_pdu(pdu, key, out);
    // Octets that a decoder could not parse are sent unchanged.
    if (root.has("rest")) BitWriter(out).put(root.octets("rest"));
    out.insert(out.end(), root.integer_or("padding_bytes", kMaxPaddingOctets, 0), 0xFF);
}

}  // namespace

tl::expected<Buffer, Faults> encode(const Json& json, const std::optional<PayloadKey>& key) {
    Faults faults;
    Buffer out;
    encode_any(Node(json, "", faults), key, out);
    if (!faults.empty()) return tl::unexpected(std::move(faults));
    return out;
}

}  // namespace wimax::pdu
