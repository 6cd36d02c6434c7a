// SPDX-License-Identifier: GPL-3.0-or-later
// The numbers of burst profiles on the air: FEC code types of descriptors, and the DIUC and UIUC that the base station
// gives to them. A subscriber station reads the DIUC of each code from the DCD (ss/downlink_profile.h).
#pragma once

#include "mac/burst_profiles.h"
#include "mac/pdu/map_ie.h"

#include "sap/messages.h"

#include <optional>

namespace wimax::mac {

namespace phy = gr::wimax::phy;

/// FEC code types 0..6 are the rows of the table.
constexpr uint8_t fec_code_of(ProfileId profile) { return static_cast<uint8_t>(row_of(profile)); }
constexpr ProfileId profile_of_fec_code(uint8_t code) { return profile_in_row(code); }
/// Nullopt: absent, or a code that this implementation does not have.
constexpr std::optional<ProfileId> known_profile(std::optional<uint8_t> fec_code) {
    if (!fec_code || *fec_code >= phy::kRates) return std::nullopt;
    return profile_of_fec_code(*fec_code);
}

/// DIUC 1..7 are the rows of the table.
constexpr uint8_t diuc_of(ProfileId profile) { return static_cast<uint8_t>(diuc::kFirstProfile + row_of(profile)); }
/// Nullopt: no burst profile of the base station has this DIUC.
constexpr std::optional<ProfileId> profile_of_diuc(uint8_t diuc) {
    if (diuc < diuc::kFirstProfile || diuc >= diuc::kFirstProfile + phy::kRates) return std::nullopt;
    return profile_in_row(static_cast<size_t>(diuc - diuc::kFirstProfile));
}
/// UIUC 5..11 are the rows of the table.
constexpr uint8_t uiuc_of(ProfileId profile) { return static_cast<uint8_t>(uiuc::kFirstProfile + row_of(profile)); }

/// The PHY's table of modulation and code has the same rows.
constexpr uint8_t rate_id_of(ProfileId profile) { return static_cast<uint8_t>(row_of(profile)); }
constexpr ProfileId profile_of(const phy::BurstFormat& format) { return profile_in_row(format.rate_id); }
inline ProfileId profile_of(const sap::RxBurst& burst) { return profile_in_row(burst.rate_id); }
constexpr void set_profile(phy::BurstFormat& format, ProfileId profile) { format.rate_id = rate_id_of(profile); }

}  // namespace wimax::mac
