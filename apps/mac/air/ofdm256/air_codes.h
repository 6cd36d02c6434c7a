/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * The numbers of burst profiles on the air: FEC code types of descriptors, and the DIUC and UIUC that the base station
 * gives to them. A subscriber station reads the DIUC of each code from the DCD (ss/downlink_profile.h).
 */
#pragma once

#include "mac/burst_profiles.h"
#include "mac/pdu/map_ie.h"

namespace wimax::mac {

/// FEC code types 0..6 are the rows of the table.
constexpr uint8_t fec_code_of(ProfileId profile) { return static_cast<uint8_t>(profile); }
constexpr ProfileId profile_of_fec_code(uint8_t code) { return static_cast<ProfileId>(code); }

/// DIUC 1..7 are FEC code types 0..6.
constexpr uint8_t diuc_of(uint8_t fec_code) { return static_cast<uint8_t>(diuc::kFirstProfile + fec_code); }
/// UIUC 5..11 are FEC code types 0..6.
constexpr uint8_t uiuc_of(uint8_t fec_code) { return static_cast<uint8_t>(uiuc::kFirstProfile + fec_code); }

}  // namespace wimax::mac
