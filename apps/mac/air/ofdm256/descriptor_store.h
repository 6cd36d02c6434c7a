// SPDX-License-Identifier: GPL-3.0-or-later
// Descriptors of the channel a subscriber station listens to, by change count (the set in force and the one before),
// and their definitions of DIUC and UIUC.
#pragma once

#include "mac/air/ofdm256/air_codes.h"
#include "mac/air/ofdm256/frame_layout.h"
#include "mac/pdu/management_messages.h"

#include <array>
#include <optional>

namespace wimax::mac {

/// Keeps the two newest of DCD or UCD.
template <class Descriptor> class DescriptorStore {
public:
    /// True if it is new or its contents changed.
    bool store(const Descriptor& descriptor) {
        for (auto& slot : slots_)
            if (slot && slot->change_count == descriptor.change_count) {
                const bool changed = !(*slot == descriptor);
                slot = descriptor;
                return changed;
            }
        std::swap(slots_[0], slots_[1]);
        slots_[0] = descriptor;
        return true;
    }
    const Descriptor* find(uint8_t change_count) const {
        for (const auto& slot : slots_)
            if (slot && slot->change_count == change_count) return &*slot;
        return nullptr;
    }
    const Descriptor* newest() const { return slots_[0] ? &*slots_[0] : nullptr; }
    void clear() { slots_ = {}; }

private:
    std::array<std::optional<Descriptor>, 2> slots_;
};

using RateTable = std::array<int8_t, 16>;  ///< DIUC or UIUC to row of the table of burst profiles, -1: unknown
/// Nullopt: no descriptor has defined the DIUC or UIUC.
inline std::optional<ProfileId> profile_of(const RateTable& rates, uint8_t iuc) {
    if (iuc >= rates.size() || rates[iuc] < 0) return std::nullopt;
    return profile_in_row(static_cast<size_t>(rates[iuc]));
}
RateTable rates_of(const Dcd& dcd);
RateTable rates_of(const Ucd& ucd);

}  // namespace wimax::mac
