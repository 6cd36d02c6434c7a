// SPDX-License-Identifier: GPL-3.0-or-later
// TLV lists (11): type one octet; length one octet up to 127, else 0x80 + k and k octets; value.
#pragma once

#include "mac/pdu/bits.h"

#include <optional>

namespace wimax::mac {

struct Tlv {
    uint8_t type = 0;
    Octets value;
    size_t offset = 0;          ///< of the type octet in the list
    size_t value_offset = 0;    ///< of the value in the list
    bool shortest_form = true;  ///< the length was coded in as few octets as possible

    /// Big endian; nothing for an empty value or one of more than 8 octets.
    std::optional<uint64_t> unsigned_value() const;
    std::optional<int64_t> signed_value() const;
};

class TlvReader {
public:
    explicit TlvReader(Octets list) : list_(list) {}
    /// Next TLV; nothing at the end of the list or at an unreadable TLV.
    std::optional<Tlv> next();
    const std::optional<ParseError>& error() const { return error_; }

private:
    Octets list_;
    size_t offset_ = 0;
    std::optional<ParseError> error_;
};

class TlvWriter {
public:
    explicit TlvWriter(Buffer& out) : out_(out) {}

    void put(uint8_t type, Octets value);
    void put_integer(uint8_t type, uint64_t value, unsigned octets);
    /// A compound: begin(), its contents, end() with the result of begin().
    size_t begin(uint8_t type);
    void end(size_t mark);
    Buffer& buffer() { return out_; }

private:
    Buffer& out_;
};

/// Octets of the length field for a value of that size.
size_t length_field_octets(size_t value_octets);

}  // namespace wimax::mac
