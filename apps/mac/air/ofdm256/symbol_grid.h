// SPDX-License-Identifier: GPL-3.0-or-later
// The resource of OFDM-256: a unit is a symbol of the whole band or of a group of subchannels. A grant
// costs a short preamble, and midambles are among its symbols.
#pragma once

#include "mac/air/ofdm256/air_codes.h"
#include "mac/air/ofdm256/frame_layout.h"
#include "mac/resource_grid.h"

#include <array>

namespace wimax::mac {

inline constexpr std::array<BurstProfile, phy::kRates> kOfdmProfiles = [] {
    std::array<BurstProfile, phy::kRates> rows{};
    for (size_t i = 0; i < rows.size(); ++i) {
        const auto& rate = phy::kRateTable[i];
        rows[i] = {rate.name, static_cast<uint32_t>(rate.uncoded_bytes), 1, rate.snr_db};
    }
    return rows;
}();

/// Data symbols that one map element may carry in addition to its preamble.
inline constexpr uint32_t kMaxBurstDataSymbols = 1022;

class SymbolGrid final : public ResourceGrid {
public:
    constexpr SymbolGrid() : ResourceGrid(BurstProfiles(kOfdmProfiles), {1, kMaxBurstDataSymbols}) {}

    constexpr uint32_t units_for(const BurstShape& shape, size_t octets) const override {
        const uint32_t data = symbols_for(rate_id_of(shape.profile), octets, shape.width);
        return data + static_cast<uint32_t>(phy::midamble_count(shape.training, static_cast<int>(data)));
    }
    constexpr size_t octets_in(const BurstShape& shape, uint32_t units) const override {
        return bytes_in(rate_id_of(shape.profile), data_symbols_in(units, shape.training), shape.width);
    }
};
inline constexpr SymbolGrid kSymbolGrid;
/// Table 213: 1, 2, 4, 8 and 16 are the indices of the first group with that number of subchannels.
static_assert(kWholeBand == phy::kFullSubchannel && subchannels_in(8) == 8 && subchannels_in(1) == 1);

/// Octets of PDUs that data symbols on the subchannels of an index of Table 213 carry.
constexpr size_t octets_on(uint8_t subchannel, ProfileId profile, uint32_t data_symbols) {
    return kSymbolGrid.octets_in({profile, static_cast<uint8_t>(subchannels_in(subchannel))}, data_symbols);
}

/// Symbols of a grant with its preambles; a long one is cut into several bursts.
constexpr uint32_t grant_cost(uint32_t data_symbols) { return kSymbolGrid.grant().total(data_symbols); }

}  // namespace wimax::mac
