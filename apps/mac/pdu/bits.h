// SPDX-License-Identifier: GPL-3.0-or-later
// Octets and bit fields as transmitted: the most significant bit first, multi-octet fields big endian (6.3.2). Readers
// are views; writers append to the caller's buffer, which may keep its capacity from frame to frame.
#pragma once

#include <bit>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <span>
#include <tl/expected.hpp>
#include <vector>

namespace wimax::mac {

using Octets = std::span<const uint8_t>;
using Buffer = std::vector<uint8_t>;

/// Reason for which octets could not be parsed.
enum class Reason : uint8_t {
    hcs,        ///< header check sequence wrong: PDU boundaries are unknown from here on
    truncated,  ///< the octets end before a field or before LEN
    reserved,   ///< a reserved bit or value is set
    length,     ///< a length field contradicts its context, or octets are left over
    subheader,  ///< subheaders, packed units or feedback do not fit the PDU
};

constexpr const char* to_string(Reason reason) {
    constexpr const char* names[] = {"hcs", "truncated", "reserved", "length", "subheader"};
    return names[static_cast<size_t>(reason)];
}

struct ParseError {
    size_t offset = 0;  ///< octets from the start of the parsed span
    Reason reason = Reason::truncated;
    const char* detail = "";  ///< static text
};

template <class T> using Result = tl::expected<T, ParseError>;

inline tl::unexpected<ParseError> parse_error(size_t offset, Reason reason, const char* detail) {
    return tl::make_unexpected(ParseError{offset, reason, detail});
}

/// Reads fields of 1..64 bits. Reading past the end yields 0 and sets failed(), which then stays set.
class BitReader {
public:
    explicit BitReader(Octets octets) : octets_(octets) {}

    uint64_t get(unsigned bits) {
        if (bits > bits_left()) {
            failed_ = true;
            position_ = octets_.size() * 8;
            return 0;
        }
        const unsigned used = position_ % 8;
        const uint64_t value = octets_.size() - position_ / 8 >= kWordOctets && used + bits <= kWordBits
                                   ? in_word(used, bits)
                                   : octet_by_octet(bits);
        position_ += bits;
        return value;
    }
    uint8_t get8(unsigned bits = 8) { return static_cast<uint8_t>(get(bits)); }
    uint16_t get16(unsigned bits = 16) { return static_cast<uint16_t>(get(bits)); }
    uint32_t get32(unsigned bits = 32) { return static_cast<uint32_t>(get(bits)); }

    /// The rest, from the current octet boundary; a begun octet counts as used.
    Octets rest() const { return octets_.subspan((position_ + 7) / 8); }

    size_t bits_left() const { return octets_.size() * 8 - position_; }
    size_t position() const { return position_; }  ///< bits
    size_t offset() const { return position_ / 8; }
    bool failed() const { return failed_; }

private:
    static constexpr unsigned kWordOctets = 8, kWordBits = 8 * kWordOctets;

    /// Of the eight octets from the current one on. `used`: bits of it that were read. `bits` > 0.
    uint64_t in_word(unsigned used, unsigned bits) const {
        uint64_t word = 0;
        std::memcpy(&word, octets_.data() + position_ / 8, kWordOctets);
        if constexpr (std::endian::native == std::endian::little) word = __builtin_bswap64(word);
        return word << used >> (kWordBits - bits);
    }
    uint64_t octet_by_octet(unsigned bits) const {
        uint64_t value = 0;
        for (size_t at = position_; bits > 0;) {
            const unsigned in_octet = 8 - at % 8, take = bits < in_octet ? bits : in_octet;
            value = value << take | ((octets_[at / 8] >> (in_octet - take)) & ((1u << take) - 1));
            at += take;
            bits -= take;
        }
        return value;
    }

    Octets octets_;
    size_t position_ = 0;
    bool failed_ = false;
};

/// Appends fields of 1..64 bits to a buffer. Whole octets are in the buffer at once, the last one filled up with zeros.
class BitWriter {
public:
    explicit BitWriter(Buffer& out) : out_(out) {}

    void put(uint64_t value, unsigned bits) {
        for (; free_ == 0 && bits >= 8; bits -= 8) out_.push_back(static_cast<uint8_t>(value >> (bits - 8)));
        while (bits > 0) {
            if (free_ == 0) {
                out_.push_back(0);
                free_ = 8;
            }
            const unsigned take = bits < free_ ? bits : free_;
            const uint64_t part = (value >> (bits - take)) & ((1u << take) - 1);
            out_.back() = static_cast<uint8_t>(out_.back() | part << (free_ - take));
            free_ -= take;
            bits -= take;
        }
    }
    void put(Octets octets) {
        for (const uint8_t octet : octets) put(octet, 8);
    }
    bool aligned() const { return free_ == 0; }

private:
    Buffer& out_;
    unsigned free_ = 0;  ///< bits still free in the last octet
};

}  // namespace wimax::mac
