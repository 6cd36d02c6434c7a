// SPDX-License-Identifier: GPL-3.0-or-later
#include "mac/pdu/tlv.h"

#include <array>

namespace wimax::mac {
namespace {

constexpr uint8_t kLongForm = 0x80;
constexpr size_t kMaxLengthOctets = 4;  ///< more can not be meant by a message of at most 2047 octets

/// Writes the length field of a value to `field`; returns its octets.
size_t code_length(size_t value_octets, std::array<uint8_t, 1 + sizeof(size_t)>& field) {
    if (value_octets < kLongForm) {
        field[0] = static_cast<uint8_t>(value_octets);
        return 1;
    }
    const size_t k = length_field_octets(value_octets) - 1;
    field[0] = static_cast<uint8_t>(kLongForm + k);
    for (size_t i = 0; i < k; ++i) field[1 + i] = static_cast<uint8_t>(value_octets >> 8 * (k - 1 - i));
    return 1 + k;
}

}  // namespace

size_t length_field_octets(size_t value_octets) {
    if (value_octets < kLongForm) return 1;
    size_t k = 0;
    for (; value_octets > 0; value_octets >>= 8) ++k;
    return 1 + k;
}

std::optional<uint64_t> Tlv::unsigned_value() const {
    if (value.empty() || value.size() > 8) return std::nullopt;
    return BitReader(value).get(static_cast<unsigned>(8 * value.size()));
}

std::optional<int64_t> Tlv::signed_value() const {
    const auto raw = unsigned_value();
    if (!raw) return std::nullopt;
    const auto unused = static_cast<unsigned>(64 - 8 * value.size());
    return static_cast<int64_t>(*raw << unused) >> unused;
}

std::optional<Tlv> TlvReader::next() {
    if (error_ || offset_ == list_.size()) return std::nullopt;
    const auto fail = [&](Reason reason, const char* detail) {
        error_ = ParseError{offset_, reason, detail};
        return std::nullopt;
    };
    const Octets rest = list_.subspan(offset_);
    if (rest.size() < 2) return fail(Reason::length, "TLV without length");
    Tlv tlv;
    tlv.type = rest[0];
    tlv.offset = offset_;
    size_t length = rest[1], field = 1;
    if (length >= kLongForm) {
        const size_t k = length - kLongForm;
        if (k == 0 || k > kMaxLengthOctets || rest.size() < 2 + k) return fail(Reason::length, "length field of a TLV");
        field += k;
        length = BitReader(rest.subspan(2)).get(static_cast<unsigned>(8 * k));
    }
    if (length > rest.size() - 1 - field) return fail(Reason::length, "TLV runs over the end");
    tlv.shortest_form = field == length_field_octets(length);
    tlv.value_offset = offset_ + 1 + field;
    tlv.value = rest.subspan(1 + field, length);
    offset_ = tlv.value_offset + length;
    return tlv;
}

void TlvWriter::put(uint8_t type, Octets value) {
    std::array<uint8_t, 1 + sizeof(size_t)> field{};
    const size_t octets = code_length(value.size(), field);
    out_.push_back(type);
    out_.insert(out_.end(), field.begin(), field.begin() + static_cast<std::ptrdiff_t>(octets));
    out_.insert(out_.end(), value.begin(), value.end());
}

void TlvWriter::put_integer(uint8_t type, uint64_t value, unsigned octets) {
    out_.push_back(type);
    out_.push_back(static_cast<uint8_t>(octets));
    BitWriter(out_).put(value, 8 * octets);
}

size_t TlvWriter::begin(uint8_t type) {
    out_.push_back(type);
    return out_.size();
}

void TlvWriter::end(size_t mark) {
    std::array<uint8_t, 1 + sizeof(size_t)> field{};
    const size_t octets = code_length(out_.size() - mark, field);
    out_.insert(out_.begin() + static_cast<std::ptrdiff_t>(mark), field.begin(),
                field.begin() + static_cast<std::ptrdiff_t>(octets));
}

}  // namespace wimax::mac
