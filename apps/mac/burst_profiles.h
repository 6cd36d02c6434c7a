// SPDX-License-Identifier: GPL-3.0-or-later
// Burst profiles of a cell as the MAC sees them: a table of sizes, needed CINR and names. The air interface makes the
// table and maps its rows to the codes of messages and maps.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <span>
#include <string_view>

namespace wimax::mac {

/// Row of a cell's table of burst profiles, the most robust profile first.
enum class ProfileId : uint8_t {};
constexpr size_t row_of(ProfileId id) { return static_cast<size_t>(id); }
/// Pre: at most 255.
constexpr ProfileId profile_in_row(size_t row) { return static_cast<ProfileId>(row); }
/// Neighbours in the table. Pre: there is one.
constexpr ProfileId more_robust(ProfileId id) { return profile_in_row(row_of(id) - 1); }
constexpr ProfileId less_robust(ProfileId id) { return profile_in_row(row_of(id) + 1); }

struct BurstProfile {
    std::string_view name;     ///< modulation and code
    uint32_t octets_per_unit;  ///< carried by a resource unit of the whole band
    uint32_t tail_octets;      ///< of each burst, for the code
    double needed_cinr_db;     ///< by the standard
};

class BurstProfiles {
public:
    constexpr explicit BurstProfiles(std::span<const BurstProfile> rows) : rows_(rows) {}

    constexpr size_t size() const { return rows_.size(); }
    constexpr bool has(ProfileId id) const { return row_of(id) < rows_.size(); }
    /// Pre: has(id).
    constexpr const BurstProfile& operator[](ProfileId id) const { return rows_[row_of(id)]; }
    constexpr ProfileId least_robust() const { return profile_in_row(rows_.size() - 1); }
    /// Octets per unit of the fastest profile.
    constexpr uint32_t most_octets_per_unit() const {
        uint32_t most = 0;
        for (const auto& row : rows_) most = std::max(most, row.octets_per_unit);
        return most;
    }

private:
    std::span<const BurstProfile> rows_;
};

}  // namespace wimax::mac
