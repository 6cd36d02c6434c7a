// SPDX-License-Identifier: GPL-3.0-or-later
// Form of a configuration file: TLVs, the TLV of the signature, the end marker, and zeros up to a multiple of four
// octets. End marker and zeros have neither length nor value.
#pragma once

#include "mac/pdu/bits.h"

namespace wimax::mac {

inline constexpr size_t kMostConfigurationFileOctets = 16'384;

/// Parts of a file.
struct ConfigurationSettings {
    Octets settings;   ///< TLVs that the signature covers
    Octets signature;  ///< 32 octets, or none
};
Result<ConfigurationSettings> split_configuration_file(Octets file);
/// Appends signature, end marker and zeros to the settings.
void end_configuration_file(Octets signature, Buffer& file);

}  // namespace wimax::mac
