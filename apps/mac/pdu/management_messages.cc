// SPDX-License-Identifier: GPL-3.0-or-later
// The table of dictionary.cc defines sizes and order of fixed fields, lengths
// and kinds of TLVs.
#include "mac/pdu/management_fields.h"
#include "mac/pdu/tlv.h"

#include <algorithm>
#include <concepts>
#include <type_traits>

namespace wimax::mac {
namespace {

class Encoder {
public:
    Encoder(Buffer& out, const TlvSet* set, std::span<const FieldSpec> fields)
        : tlvs_(out), set_(set), fields_(fields) {}

    template <class... Values> void fixed(Values&... values) {
        BitWriter bits(tlvs_.buffer());
        auto field = fields_.begin();
        const auto one = [&](auto& value) {
            for (; field->name.empty(); ++field) bits.put(0, field->bits);
            if constexpr (std::integral<std::remove_reference_t<decltype(value)>>) bits.put(value, field->bits);
            else
                for (const auto element : value) bits.put(element, field->bits);
            ++field;
        };
        (one(values), ...);
        for (; field != fields_.end(); ++field) bits.put(0, field->bits);
    }
    template <class T> void tlv(uint8_t type, const Opt<T>& value) {
        if (!value) return;
        if constexpr (std::is_signed_v<T>) {
            tlvs_.put_integer(type, static_cast<uint64_t>(*value), set_->find(type)->length);
        } else if constexpr (std::integral<T> || std::is_enum_v<T>) {
            // Some values have a usual length and a longer one for large values (TTG, CS support).
            const auto number = static_cast<uint64_t>(*value);
            const unsigned octets = set_->find(type)->length;
            tlvs_.put_integer(type, number, number >> 8 * octets ? sizeof(T) : octets);
        } else {
            tlvs_.put(type, *value);
        }
    }
    void tlv(uint8_t type, const Opt<HmacTuple>& value) {
        if (!value) return;
        const size_t mark = tlvs_.begin(type);
        BitWriter bits(tlvs_.buffer());
        bits.put(value->ak_sequence & 0x0Fu, 8);
        bits.put(value->digest);
        tlvs_.end(mark);
    }
    template <class T> void bits(uint8_t type, Opt<T>& value) {
        if (!value) return;
        const size_t mark = tlvs_.begin(type);
        BitWriter out(tlvs_.buffer());
        const BitPart* part = set_->find(type)->parts.data();
        parts(*value, [&](uint8_t field) { out.put(field, (part++)->bits); });
        tlvs_.end(mark);
    }
    void text(uint8_t type, const Opt<std::string>& value) {
        if (!value) return;
        const auto* data = reinterpret_cast<const uint8_t*>(value->c_str());
        tlvs_.put(type, Octets(data, value->size() + 1));
    }
    template <class T> void list(uint8_t type, const std::vector<T>& values) {
        if (values.empty()) return;
        const size_t mark = tlvs_.begin(type);
        BitWriter out(tlvs_.buffer());
        for (const T& value : values) {
            if constexpr (std::same_as<T, Ipv4Mask>) out.put(value.address, 32), out.put(value.mask, 32);
            else if constexpr (std::same_as<T, Ipv6Mask> || std::same_as<T, MacMask>)
                out.put(value.address), out.put(value.mask);
            else if constexpr (std::same_as<T, PortRange>) out.put(value.low, 16), out.put(value.high, 16);
            else out.put(value, 8);
        }
        tlvs_.end(mark);
    }
    template <class T> void compound(uint8_t type, Opt<T>& value) {
        if (value) nested(type, *value);
    }
    template <class T> void compounds(uint8_t type, std::vector<T>& values) {
        for (T& value : values) {
            const size_t mark = tlvs_.begin(type);
            if (const uint8_t* code = prefix(value)) tlvs_.buffer().push_back(*code & kPrefixMask);
            Encoder inner(tlvs_.buffer(), set_->find(type)->children, {});
            visit(inner, value);
            tlvs_.end(mark);
        }
    }
    template <class Ie> void ies(std::vector<Ie>& values) {
        BitWriter bits(tlvs_.buffer());
        for (size_t i = 0; i < values.size(); ++i) {
            if constexpr (std::same_as<Ie, FeedbackIe>) {
                FeedbackIe ie = values[i];
                ie.last = i + 1 == values.size();
                write(bits, ie);
            } else {
                write(bits, values[i]);
            }
        }
    }

private:
    template <class T> void nested(uint8_t type, T& value) {
        const size_t mark = tlvs_.begin(type);
        Encoder inner(tlvs_.buffer(), set_->find(type)->children, {});
        visit(inner, value);
        tlvs_.end(mark);
    }

    TlvWriter tlvs_;
    const TlvSet* set_;
    std::span<const FieldSpec> fields_;
};

template <class T>
void decode_tlvs(Octets list, size_t offset, const TlvSet& set, T& out, std::optional<ParseError>& error);

/// Decodes one TLV: the visit function offers every member, and the member of its type takes the value.
class TlvDecoder {
public:
    TlvDecoder(const Tlv& tlv, size_t list_offset, const TlvSet& set, std::optional<ParseError>& error)
        : tlv_(tlv), offset_(list_offset + tlv.value_offset), set_(set), error_(error) {}

    template <class... Values> void fixed(Values&...) {}
    template <class Ie> void ies(std::vector<Ie>&) {}

    template <class T> void tlv(uint8_t type, Opt<T>& out) {
        if (type != tlv_.type) return;
        if constexpr (std::integral<T> || std::is_enum_v<T>) {
            // A length other than the table's is accepted if it fits the member (TTG, CS support).
            if (tlv_.value.size() > sizeof(T)) return;
            if (const auto value = std::is_signed_v<T> ? tlv_.signed_value() : signed_from(tlv_.unsigned_value()))
                out = static_cast<T>(*value);
        } else if (tlv_.value.size() == std::tuple_size_v<T>) {
            T octets{};
            for (size_t i = 0; i < octets.size(); ++i) octets[i] = tlv_.value[i];
            out = octets;
        }
    }
    void tlv(uint8_t type, Opt<HmacTuple>& out) {
        constexpr size_t octets = 1 + std::tuple_size_v<decltype(HmacTuple::digest)>;
        if (type != tlv_.type || tlv_.value.size() != octets) return;
        HmacTuple tuple;
        tuple.ak_sequence = tlv_.value[0] & 0x0F;
        for (size_t i = 0; i < tuple.digest.size(); ++i) tuple.digest[i] = tlv_.value[1 + i];
        out = tuple;
    }
    template <class T> void bits(uint8_t type, Opt<T>& out) {
        const TlvSpec* spec = type == tlv_.type ? set_.find(type) : nullptr;
        if (!spec || tlv_.value.size() != spec->length) return;
        out.emplace();
        BitReader in(tlv_.value);
        const BitPart* part = spec->parts.data();
        parts(*out, [&](uint8_t& field) { field = in.get8((part++)->bits); });
    }
    void text(uint8_t type, Opt<std::string>& out) {
        if (type != tlv_.type) return;
        out.emplace(tlv_.value.begin(), tlv_.value.end());
        // Removes the terminating zero. A text without one gets a zero, which marks it for is_text().
        if (out->ends_with('\0')) out->pop_back();
        else out->push_back('\0');
    }
    template <class T> void list(uint8_t type, std::vector<T>& out) {
        if (type != tlv_.type) return;
        out.clear();
        constexpr unsigned octets = std::same_as<T, Ipv4Mask>    ? 8
                                    : std::same_as<T, Ipv6Mask>  ? 32
                                    : std::same_as<T, MacMask>   ? 12
                                    : std::same_as<T, PortRange> ? 4
                                                                 : 1;
        if (tlv_.value.size() % octets != 0) return;
        BitReader in(tlv_.value);
        while (in.bits_left() > 0) {
            if constexpr (std::same_as<T, Ipv4Mask>) {
                const uint32_t address = in.get32();
                out.push_back({address, in.get32()});
            } else if constexpr (std::same_as<T, Ipv6Mask> || std::same_as<T, MacMask>) {
                auto& both = out.emplace_back();
                for (auto* half : {&both.address, &both.mask})
                    for (uint8_t& octet : *half) octet = in.get8();
            } else if constexpr (std::same_as<T, PortRange>) {
                const uint16_t low = in.get16();
                out.push_back({low, in.get16()});
            } else {
                out.push_back(in.get8());
            }
        }
    }
    template <class T> void compound(uint8_t type, Opt<T>& out) {
        if (type != tlv_.type) return;
        decode_tlvs(tlv_.value, offset_, *set_.find(type)->children, out.emplace(), error_);
    }
    template <class T> void compounds(uint8_t type, std::vector<T>& out) {
        if (type != tlv_.type) return;
        T& value = out.emplace_back();
        Octets list = tlv_.value;
        size_t offset = offset_;
        if (uint8_t* code = prefix(value)) {
            if (list.empty()) {
                error_ = ParseError{offset, Reason::length, "burst profile without its code"};
                return;
            }
            *code = list[0] & kPrefixMask;
            list = list.subspan(1);
            ++offset;
        }
        decode_tlvs(list, offset, *set_.find(type)->children, value, error_);
    }

private:
    static std::optional<int64_t> signed_from(std::optional<uint64_t> value) {
        return value ? std::optional(static_cast<int64_t>(*value)) : std::nullopt;
    }

    const Tlv& tlv_;
    size_t offset_;
    const TlvSet& set_;
    std::optional<ParseError>& error_;
};

template <class T>
void decode_tlvs(Octets list, size_t offset, const TlvSet& set, T& out, std::optional<ParseError>& error) {
    TlvReader reader(list);
    while (const auto tlv = reader.next()) {
        TlvDecoder decoder(*tlv, offset, set, error);
        visit(decoder, out);
        if (error) return;
    }
    if ((error = reader.error())) error->offset += offset;
}

/// Reads fixed fields and information elements; TLVs are left to decode_tlvs.
class FixedDecoder {
public:
    FixedDecoder(Octets message, const MessageSpec& spec) : in_(message), spec_(spec) { in_.get(8); }

    template <class... Values> void fixed(Values&... values) {
        auto field = spec_.fields.begin();
        const auto one = [&](auto& value) {
            using T = std::remove_reference_t<decltype(value)>;
            for (; field->name.empty(); ++field) in_.get(field->bits);
            if constexpr (std::integral<T>) value = static_cast<T>(in_.get(field->bits));
            else
                for (auto& element : value) element = in_.get8(field->bits);
            ++field;
        };
        (one(values), ...);
        for (; field != spec_.fields.end(); ++field) in_.get(field->bits);
        if (in_.failed()) error = ParseError{in_.offset(), Reason::truncated, "fixed fields cut short"};
    }
    template <class Ie> void ies(std::vector<Ie>& out) {
        out.clear();
        while (!error && in_.bits_left() >= 8) {
            Ie& ie = out.emplace_back();
            if (const auto done = read(ie); !done) {
                error = done.error();
                out.pop_back();
                return;
            }
            if (ends_list(ie)) return;
        }
    }
    template <class T> void tlv(uint8_t, T&) {}
    template <class T> void bits(uint8_t, T&) {}
    template <class T> void text(uint8_t, T&) {}
    template <class T> void list(uint8_t, T&) {}
    template <class T> void compound(uint8_t, T&) {}
    template <class T> void compounds(uint8_t, T&) {}

    Octets rest() const { return in_.rest(); }
    size_t offset() const { return in_.offset(); }
    std::optional<ParseError> error;

private:
    Result<void> read(auto& map_ie) { return read_map_ie(in_, map_ie); }
    Result<void> read(FeedbackIe& ie) {
        return read_feedback_ie(in_).map([&](const FeedbackIe& value) { ie = value; });
    }
    static bool ends_list(const DlMapIe& ie) { return ie.diuc == diuc::kEndOfMap; }
    static bool ends_list(const UlMapIe& ie) { return ie.uiuc == uiuc::kEndOfMap; }
    static bool ends_list(const FeedbackIe& ie) { return ie.last; }

    BitReader in_;
    const MessageSpec& spec_;
};

}  // namespace

std::optional<MessageType> message_type(Octets message) {
    if (message.empty()) return std::nullopt;
    const MessageSpec& spec = message_spec(message[0]);
    if (spec.tail == Tail::octets) return std::nullopt;
    return static_cast<MessageType>(spec.type);
}

template <class Message> void encode(const Message& message, Buffer& out) {
    const MessageSpec& spec = message_spec(Message::kType);
    out.push_back(spec.type);
    Encoder encoder(out, spec.tlvs, spec.fields);
    // The visit functions serve both directions; the encoder does not change what it visits.
    visit(encoder, const_cast<Message&>(message));
}

template <class Message> tl::expected<void, ParseError> decode(Octets octets, Message& out) {
    const MessageSpec& spec = message_spec(Message::kType);
    if (octets.empty()) return parse_error(0, Reason::truncated, "empty message");
    if (octets[0] != spec.type) return parse_error(0, Reason::reserved, "another message type");
    FixedDecoder fixed(octets, spec);
    // Frequent messages are decoded into the memory of the last one.
    if constexpr (requires { out.ies; }) {
        auto kept = std::move(out.ies);
        out = Message{};
        out.ies = std::move(kept);
    } else if constexpr (requires { out.profiles; }) {
        auto kept = std::move(out.profiles);
        kept.clear();
        out = Message{};
        out.profiles = std::move(kept);
    } else {
        out = Message{};
    }
    visit(fixed, out);
    if (!fixed.error && spec.tail == Tail::tlvs)
        decode_tlvs(fixed.rest(), fixed.offset(), *spec.tlvs, out, fixed.error);
    if (fixed.error) return tl::make_unexpected(*fixed.error);
    return {};
}

#define WIMAX_MESSAGE(Message)                     \
    template void encode(const Message&, Buffer&); \
    template tl::expected<void, ParseError> decode(Octets, Message&);
WIMAX_MESSAGE(Dcd)
WIMAX_MESSAGE(Ucd)
WIMAX_MESSAGE(DlMap)
WIMAX_MESSAGE(UlMap)
WIMAX_MESSAGE(RngReq)
WIMAX_MESSAGE(RngRsp)
WIMAX_MESSAGE(SbcReq)
WIMAX_MESSAGE(SbcRsp)
WIMAX_MESSAGE(RegReq)
WIMAX_MESSAGE(RegRsp)
WIMAX_MESSAGE(DsaReq)
WIMAX_MESSAGE(DsaRsp)
WIMAX_MESSAGE(DsaAck)
WIMAX_MESSAGE(DscReq)
WIMAX_MESSAGE(DscRsp)
WIMAX_MESSAGE(DscAck)
WIMAX_MESSAGE(DsdReq)
WIMAX_MESSAGE(DsdRsp)
WIMAX_MESSAGE(DsxRvd)
WIMAX_MESSAGE(DbpcReq)
WIMAX_MESSAGE(DbpcRsp)
WIMAX_MESSAGE(McaReq)
WIMAX_MESSAGE(McaRsp)
WIMAX_MESSAGE(TftpCplt)
WIMAX_MESSAGE(TftpRsp)
WIMAX_MESSAGE(ResCmd)
WIMAX_MESSAGE(DregCmd)
WIMAX_MESSAGE(DregReq)
WIMAX_MESSAGE(RepReq)
WIMAX_MESSAGE(RepRsp)
WIMAX_MESSAGE(ArqFeedback)
WIMAX_MESSAGE(ArqDiscard)
WIMAX_MESSAGE(ArqReset)

}  // namespace wimax::mac
