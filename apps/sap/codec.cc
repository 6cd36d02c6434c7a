// SPDX-License-Identifier: GPL-3.0-or-later
#include "sap/field_path.h"
#include "sap/message_fields.h"

#include <phy_sap.pb.h>

#include <algorithm>
#include <array>
#include <limits>
#include <string_view>
#include <utility>
#include <variant>

namespace wimax::sap {
namespace {

namespace pb = google::protobuf;

using FieldList = std::vector<const pb::FieldDescriptor*>;

/// Finds the schema's field of each key of a description, in the order of the description.
class FieldFinder {
public:
    FieldFinder(const pb::Descriptor& schema, FieldList& found) : schema_(schema), found_(found) {}

    void operator()(const char* key, const auto&, const auto&...) { find(key); }
    void each(const char* key, const auto&, const auto&...) { find(key); }
    void list(const char* key, const auto&, const auto&...) { find(key); }
    void text(const char* key, const auto&) { find(key); }
    void maybe(const char* key, const auto&, const auto&) { find(key); }
    void of_phy(const char*, const auto&, int, int) {}
    void payload(const std::vector<uint8_t>&, int) {}

private:
    void find(const char* key) { found_.push_back(schema_.FindFieldByName(key)); }

    const pb::Descriptor& schema_;
    FieldList& found_;
};

/// The fields of `M` in the wire's schema. Their names are looked up once, because a lookup can allocate.
/// test_sap_fields.cc asserts that every key has a field.
template <class M> const FieldList& fields_of(const pb::Descriptor& schema) {
    static const FieldList fields = [&schema] {
        FieldList found;
        FieldFinder finder(schema, found);
        const M message{};
        visit(finder, message);
        return found;
    }();
    return fields;
}

/// The position in the description of a message.
class Fields {
public:
    template <class M>
    Fields(const pb::Message& message, const M*)
        : reflection_(*message.GetReflection()), next_(fields_of<M>(*message.GetDescriptor()).begin()) {}

protected:
    const pb::FieldDescriptor* next() { return *next_++; }
    const pb::Reflection& reflection_;

private:
    FieldList::const_iterator next_;
};

/// Structure -> wire.
class WireWriter : Fields {
public:
    template <class M> static void write(const M& message, pb::Message& to) {
        WireWriter writer(to, &message);
        visit(writer, message);
    }

    template <typename T, typename... Range> void operator()(const char*, const T& value, const Range&...) {
        const auto* field = next();
        if constexpr (std::same_as<T, bool>) reflection_.SetBool(&to_, field, value);
        else if constexpr (std::same_as<T, float>) reflection_.SetFloat(&to_, field, value);
        else if constexpr (std::same_as<T, double>) reflection_.SetDouble(&to_, field, value);
        else if constexpr (std::same_as<T, int32_t>) reflection_.SetInt32(&to_, field, value);
        else if constexpr (std::same_as<T, int64_t>) reflection_.SetInt64(&to_, field, value);
        else if constexpr (std::same_as<T, uint64_t>) reflection_.SetUInt64(&to_, field, value);
        else if constexpr (std::same_as<T, FrameNumber> || std::same_as<T, Slot>)
            reflection_.SetUInt32(&to_, field, value.value());
        else reflection_.SetUInt32(&to_, field, static_cast<uint32_t>(value));
    }
    template <typename T, size_t N> void each(const char*, const std::array<T, N>& values, int, int) {
        const auto* field = next();
        for (const T value : values) reflection_.AddInt32(&to_, field, value);
    }
    template <typename M> void list(const char*, const std::vector<M>& elements, size_t) {
        const auto* field = next();
        for (const auto& element : elements) write(element, *reflection_.AddMessage(&to_, field));
    }
    template <typename M, size_t N> void list(const char*, const std::array<M, N>& elements, int count) {
        const auto* field = next();
        for (size_t i = 0; i < N && std::cmp_less(i, count); ++i)
            write(elements[i], *reflection_.AddMessage(&to_, field));
    }
    void list(const char*, const std::vector<std::string>& texts, size_t most) {
        const auto* field = next();
        for (size_t i = 0; i < texts.size() && i < most; ++i)
            reflection_.AddString(&to_, field, texts[i].substr(0, kMaxTextBytes));
    }
    void list(const char*, const std::vector<Slot>& slots, size_t, uint32_t, uint32_t) {
        const auto* field = next();
        for (const Slot slot : slots) reflection_.AddUInt32(&to_, field, slot.value());
    }
    void text(const char*, const std::string& text) {
        reflection_.SetString(&to_, next(), text.substr(0, kMaxTextBytes));
    }
    void maybe(const char* key, const auto& value, const auto&) { (*this)(key, value); }
    void of_phy(const char*, const auto&, int, int) {}
    void payload(const std::vector<uint8_t>&, int) {}

private:
    template <class M> WireWriter(pb::Message& to, const M* message) : Fields(to, message), to_(to) {}

    pb::Message& to_;
};

/// Wire -> structure. Reports what does not fit a member's type or room; ranges within those are validate()'s.
class WireReader : Fields {
public:
    template <class M> static void read(const pb::Message& from, Faults& faults, FieldPath path, M& message) {
        WireReader reader(from, faults, path, &message);
        visit(reader, message);
    }

    template <typename T, typename... Range> void operator()(const char* key, T& value, const Range&...) {
        const auto* field = next();
        if constexpr (std::same_as<T, bool>) value = reflection_.GetBool(from_, field);
        else if constexpr (std::same_as<T, float>) value = reflection_.GetFloat(from_, field);
        else if constexpr (std::same_as<T, double>) value = reflection_.GetDouble(from_, field);
        else if constexpr (std::same_as<T, int32_t>) value = reflection_.GetInt32(from_, field);
        else if constexpr (std::same_as<T, int64_t>) value = reflection_.GetInt64(from_, field);
        else if constexpr (std::same_as<T, uint64_t>) value = reflection_.GetUInt64(from_, field);
        else if constexpr (std::same_as<T, FrameNumber>) value = frame_number(key, reflection_.GetUInt32(from_, field));
        else if constexpr (std::same_as<T, Slot>) value = Slot(reflection_.GetUInt32(from_, field));
        else if constexpr (std::is_enum_v<T>)
            value = static_cast<T>(narrow<std::underlying_type_t<T>>(key, reflection_.GetUInt32(from_, field)));
        else value = narrow<T>(key, reflection_.GetUInt32(from_, field));
    }
    template <typename T, size_t N> void each(const char* key, std::array<T, N>& values, int, int) {
        const auto* field = next();
        if (!has_size(key, reflection_.FieldSize(from_, field), N, std::to_string(N))) return;
        for (size_t i = 0; i < N; ++i)
            values[i] = narrow<T>(key, reflection_.GetRepeatedInt32(from_, field, static_cast<int>(i)));
    }
    template <typename M> void list(const char* key, std::vector<M>& elements, size_t most) {
        const auto* field = next();
        const int size = reflection_.FieldSize(from_, field);
        if (!has_size(key, size, std::min<size_t>(static_cast<size_t>(size), most), "0.." + std::to_string(most)))
            return;
        elements.resize(static_cast<size_t>(size));
        for (size_t i = 0; i < elements.size(); ++i) element(field, {key, &path_, i}, elements[i]);
    }
    template <typename M, size_t N> void list(const char* key, std::array<M, N>& elements, int& count) {
        const auto* field = next();
        const int size = reflection_.FieldSize(from_, field);
        if (!has_size(key, size, std::min(static_cast<size_t>(size), N), "0.." + std::to_string(N))) return;
        count = size;
        for (size_t i = 0; std::cmp_less(i, size); ++i) element(field, {key, &path_, i}, elements[i]);
    }
    void list(const char* key, std::vector<Slot>& slots, size_t most, uint32_t, uint32_t) { list(key, slots, most); }
    void text(const char*, std::string& text) { text = reflection_.GetString(from_, next()); }
    void maybe(const char* key, auto& value, const auto&) { (*this)(key, value); }
    void of_phy(const char*, auto&, int, int) {}
    void payload(const std::vector<uint8_t>&, int) {}

private:
    template <class M>
    WireReader(const pb::Message& from, Faults& faults, FieldPath path, const M* message)
        : Fields(from, message), from_(from), faults_(faults), path_(path) {}
    template <typename M> void element(const pb::FieldDescriptor* field, FieldPath path, M& to) {
        const int i = static_cast<int>(path.index);
        if constexpr (std::same_as<M, std::string>) {
            to = reflection_.GetRepeatedString(from_, field, i);
        } else if constexpr (std::same_as<M, Slot>) {
            to = Slot(reflection_.GetRepeatedUInt32(from_, field, i));
        } else {
            read(reflection_.GetRepeatedMessage(from_, field, i), faults_, path, to);
        }
    }
    bool has_size(const char* key, int size, size_t wanted, const std::string& allowed) {
        if (static_cast<size_t>(size) == wanted) return true;
        faults_.add(path_.of(key), std::to_string(size) + " elements", allowed);
        return false;
    }
    FrameNumber frame_number(const char* key, uint32_t value) {
        if (value > FrameNumber::kLast)
            faults_.add(path_.of(key), std::to_string(value), "0.." + std::to_string(FrameNumber::kLast));
        return FrameNumber(value);
    }
    template <typename T, typename W> T narrow(const char* key, W value) {
        if (std::in_range<T>(value)) return static_cast<T>(value);
        using Limits = std::numeric_limits<T>;
        faults_.add(path_.of(key), std::to_string(value),
                    std::to_string(+Limits::min()) + ".." + std::to_string(+Limits::max()));
        return {};
    }

    const pb::Message& from_;
    Faults& faults_;
    FieldPath path_;
};

constexpr size_t kMessages = std::variant_size_v<Message>;

const pb::OneofDescriptor& body_of_envelope() {
    static const auto& body = *wire::Envelope::descriptor()->FindOneofByName("body");
    return body;
}
/// The envelope's field for a message, found by the message's name.
const pb::FieldDescriptor* field_of_envelope(std::string_view name) {
    const auto& body = body_of_envelope();
    for (int i = 0; i < body.field_count(); ++i)
        if (body.field(i)->message_type()->name() == name) return body.field(i);
    return nullptr;
}
using MessageFields = std::array<const pb::FieldDescriptor*, kMessages>;
template <size_t... I> MessageFields find_message_fields(std::index_sequence<I...>) {
    return {field_of_envelope(name_of(std::variant_alternative_t<I, Message>()))...};
}
/// The envelope's field for each alternative of Message.
const MessageFields& message_fields() {
    static const MessageFields fields = find_message_fields(std::make_index_sequence<kMessages>());
    return fields;
}

template <size_t... I> Message make_message(size_t index, std::index_sequence<I...>) {
    Message message;
    ((index == I ? void(message.emplace<I>()) : void()), ...);
    return message;
}

std::optional<Message> body(const wire::Envelope& e, Faults& faults) {
    const auto& reflection = *e.GetReflection();
    const auto* field = reflection.GetOneofFieldDescriptor(e, &body_of_envelope());
    if (field == nullptr) {
        faults.add("body", "(none)", "a message of this schema version");
        return std::nullopt;
    }
    if (e.has_probe()) return std::nullopt;
    const auto index = static_cast<size_t>(std::ranges::find(message_fields(), field) - message_fields().begin());
    Message message = make_message(index, std::make_index_sequence<kMessages>());
    const auto& from = reflection.GetMessage(e, field);
    std::visit([&](auto& m) { WireReader::read(from, faults, {from.GetDescriptor()->name()}, m); }, message);
    return message;
}

/// Session numbers travel once, in the envelope.
void set_sessions(Message& message, uint64_t mac_session, uint64_t phy_session) {
    std::visit(
        [&](auto& m) {
            if constexpr (requires { m.mac_session; }) m.mac_session = mac_session;
            if constexpr (requires { m.phy_session; }) m.phy_session = phy_session;
        },
        message);
}

void take_payloads(Message& message, std::span<const Part> parts, Faults& faults) {
    size_t expected = 0;
    if (auto* tx = std::get_if<TxFrame>(&message)) {
        expected = tx->bursts.size();
        if (parts.size() == expected)
            for (size_t i = 0; i < expected; ++i) tx->bursts[i].payload.assign(parts[i].begin(), parts[i].end());
    } else if (auto* rx = std::get_if<RxBurst>(&message)) {
        expected = 1;
        if (parts.size() == 1) rx->payload.assign(parts[0].begin(), parts[0].end());
    }
    if (parts.size() != expected) faults.add("payload parts", std::to_string(parts.size()), std::to_string(expected));
}

template <typename Answer, typename W> Message empty_answer(const W& w) {
    Answer m;
    m.frame_number = FrameNumber(w.frame_number());
    return m;
}

}  // namespace

struct Codec::Impl {
    wire::Envelope out, in;
};

Codec::Codec() : impl_(std::make_unique<Impl>()) {}
Codec::~Codec() = default;
Codec::Codec(Codec&&) noexcept = default;

template <class M> void Codec::add_payloads(const M& message) {
    if constexpr (requires { message.payload; }) payloads_.emplace_back(message.payload);
    if constexpr (requires { message.bursts; })
        for (const auto& burst : message.bursts) payloads_.emplace_back(burst.payload);
}

void Codec::encode(const std::optional<MessageRef>& message, uint32_t sequence, uint64_t mac_session,
                   uint64_t phy_session) {
    wire::Envelope& e = impl_->out;
    e.Clear();
    e.set_schema_version(kSchemaVersion);
    e.set_sequence(sequence);
    e.set_mac_session(mac_session);
    e.set_phy_session(phy_session);
    payloads_.clear();
    if (message) {
        auto& to = *e.GetReflection()->MutableMessage(&e, message_fields()[message->index()]);
        std::visit(
            [&](const auto* m) {
                WireWriter::write(*m, to);
                add_payloads(*m);
            },
            *message);
    } else {
        e.mutable_probe();
    }
    header_.clear();
    e.AppendToString(&header_);
}

tl::expected<Envelope, Faults> Codec::decode(std::span<const Part> parts) {
    Faults faults(kMaxFaults);
    wire::Envelope& e = impl_->in;
    refused_.reset();
    if (parts.empty() || parts[0].size() > (1U << 20) ||
        !e.ParseFromArray(parts[0].data(), static_cast<int>(parts[0].size()))) {
        faults.add("header", std::to_string(parts.empty() ? 0 : parts[0].size()) + " bytes", "an Envelope");
        return tl::unexpected(std::move(faults));
    }
    if (e.schema_version() != kSchemaVersion) {
        faults.add("schema_version", std::to_string(e.schema_version()), std::to_string(kSchemaVersion));
        return tl::unexpected(std::move(faults));
    }
    Envelope envelope{e.sequence(), e.mac_session(), e.phy_session(), body(e, faults)};
    if (envelope.message && faults.empty()) {
        take_payloads(*envelope.message, parts.subspan(1), faults);
        set_sessions(*envelope.message, envelope.mac_session, envelope.phy_session);
        if (faults.empty()) faults = validate(as_ref(*envelope.message));
    }
    if (faults.empty()) return envelope;
    if (e.has_tx_frame()) envelope.message = empty_answer<TxFrame>(e.tx_frame());
    if (e.has_rx_expect()) envelope.message = empty_answer<RxExpect>(e.rx_expect());
    if (e.has_config_request()) envelope.message = ConfigRequest();
    if (e.has_tx_frame() || e.has_rx_expect() || e.has_config_request()) refused_ = std::move(envelope);
    return tl::unexpected(std::move(faults));
}

}  // namespace wimax::sap
