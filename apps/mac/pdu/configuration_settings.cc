// SPDX-License-Identifier: GPL-3.0-or-later
#include "mac/pdu/configuration_settings.h"

#include "mac/pdu/dictionary.h"
#include "mac/pdu/tlv.h"

#include <algorithm>

namespace wimax::mac {
namespace {

constexpr size_t kSignatureOctets = 32, kPadTo = 4;

}  // namespace

Result<ConfigurationSettings> split_configuration_file(Octets file) {
    if (file.size() > kMostConfigurationFileOctets)
        return parse_error(kMostConfigurationFileOctets, Reason::length, "more than 16384 octets");
    ConfigurationSettings found;
    bool is_signed = false;
    size_t at = 0;
    while (at < file.size() && file[at] != tlv::file::end) {
        if (is_signed) return parse_error(at, Reason::length, "a TLV after the signature");
        if (file[at] == tlv::file::pad) return parse_error(at, Reason::reserved, "a pad before the end marker");
        TlvReader reader(file.subspan(at));
        const auto next = reader.next();
        if (!next) return parse_error(at, Reason::length, reader.error()->detail);
        is_signed = next->type == tlv::file::signature;
        if (is_signed && next->value.size() != kSignatureOctets)
            return parse_error(at, Reason::length, "a signature of another length");
        if (is_signed) found.signature = next->value;
        else found.settings = file.first(at + next->value_offset + next->value.size());
        at += next->value_offset + next->value.size();
    }
    if (at == file.size()) return parse_error(at, Reason::truncated, "no end marker");
    const Octets rest = file.subspan(at + 1);
    if (!std::ranges::all_of(rest, [](uint8_t octet) { return octet == tlv::file::pad; }))
        return parse_error(at + 1, Reason::length, "octets after the end marker");
    return found;
}

void end_configuration_file(Octets signature, Buffer& file) {
    TlvWriter(file).put(tlv::file::signature, signature);
    file.push_back(tlv::file::end);
    file.resize((file.size() + kPadTo - 1) / kPadTo * kPadTo, tlv::file::pad);
}

}  // namespace wimax::mac
