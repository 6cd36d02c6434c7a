// SPDX-License-Identifier: GPL-3.0-or-later
// Parts of the JSON tree that messages and PDUs share. Decoders return what is wrong, with offsets from the start of
// what they were given plus `offset`.
#pragma once

#include "mac/pdu/dictionary.h"
#include "mac/pdu/map_ie.h"
#include "mac/pdu/tlv.h"
#include "tools/pdu/format.h"

#include <optional>

namespace wimax::pdu {

using ParseFault = std::optional<mac::ParseError>;
inline ParseFault fault(size_t offset, mac::Reason reason, const char* detail) {
    return mac::ParseError{offset, reason, detail};
}

/// Adds `tlvs` and `fields` to `out`.
ParseFault decode_tlvs(Octets list, size_t offset, const mac::TlvSet* set, Json& out);

/// Null: the octets do not have the form of the TLV's kind. Compounds and bit fields: hex.
Json readable_value(const mac::TlvSpec& spec, const mac::Tlv& tlv);

/// Collects the readable values of one TLV list. A value that occurs twice becomes a list of values.
class ReadableFields {
public:
    /// `inner`: the readable values of a compound.
    void add(const mac::TlvSpec& spec, const mac::Tlv& tlv, const Json& inner);
    Json take() { return std::move(fields_); }
    static void add_bits(Json& fields, std::span<const mac::BitPart> parts, Octets value);

private:
    void insert(std::string_view key, bool repeats, Json value);
    Json fields_ = Json::object();
    std::vector<std::string> repeated_;
};

ParseFault decode_message_body(Octets message, Json& out);

/// Feedback information elements up to the one marked last; `in` is then at the first bit that follows.
ParseFault decode_feedback(mac::BitReader& in, Json& ies);

/// Opens an encrypted PDU without its CRC and adds to `out` the values of its cipher. Returns the PDU as it would be
/// without encryption; nullopt: the key is wrong.
std::optional<Buffer> open_pdu(Octets pdu, const PayloadKey& key, Json& out);

// ---- encoding ----

/// A value of the tree that knows its path. A requested value that is missing or not allowed is a fault.
/// The result is then zero or empty, so that reading continues and all faults are found.
class Node {
public:
    Node(const Json& json, std::string path, Faults& faults) : json_(&json), path_(std::move(path)), faults_(&faults) {}

    const Json& json() const { return *json_; }
    bool has(const char* key) const { return json_->is_object() && json_->contains(key); }
    /// Found so far, in the whole tree.
    size_t faults() const { return faults_->count(); }
    Node at(const char* key) const;
    /// Elements of a list that has to be there.
    std::vector<Node> elements() const;

    uint64_t integer(uint64_t max) const;
    int64_t signed_integer(int64_t min, int64_t max) const;
    uint64_t integer(const char* key, uint64_t max) const { return at(key).integer(max); }
    uint64_t integer_or(const char* key, uint64_t max, uint64_t otherwise) const {
        return has(key) ? integer(key, max) : otherwise;
    }
    std::string text() const;
    Buffer octets() const;
    Buffer octets(const char* key) const { return at(key).octets(); }

    void fail(const std::string& value, const std::string& allowed) const;
    void fail(const std::string& reason) const { fail("", reason); }

private:
    std::string shown() const;

    const Json* json_;
    std::string path_;
    Faults* faults_;
    bool missing_ = false;  ///< the fault is already reported
};

void encode_tlvs(const Node& list, mac::TlvWriter& out, unsigned depth = 0);
/// One readable value; not of a compound.
Buffer octets_of_value(const Node& value, const mac::TlvSpec& spec);
/// From readable values, by the keys or names of the set.
void encode_fields(const Node& fields, const mac::TlvSet& set, mac::TlvWriter& out);
void encode_message(const Node& message, Buffer& out);
void encode_feedback(const Node& ies, mac::BitWriter& out);

/// True if the PDU was opened with a key, or shall be encrypted.
bool is_opened(const Node& pdu);
/// `octets`: header and plaintext; room for what the cipher adds is made.
void make_room_for_cipher(const Node& pdu, Buffer& octets);
/// Encrypts such a PDU once its header is final.
void seal_pdu(const Node& pdu, const std::optional<PayloadKey>& key, Buffer& octets);

}  // namespace wimax::pdu
