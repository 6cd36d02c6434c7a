/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * Physical slots (PS: four samples): a position in a frame as a type, counted from the frame's start, and the one place
 * where slots become samples or symbols, and these slots.
 */
#pragma once

#include <gnuradio/wimax/phy/base/numerology.h>

#include <compare>

namespace gr::wimax::phy {

/// A length of so many slots, in samples.
constexpr int64_t samples_in_slots(int64_t slots) { return slots * kSamplesPerSlot; }
/// Slots that so many samples fill.
constexpr int64_t slots_in_samples(int64_t samples) { return samples / kSamplesPerSlot; }
/// Slots that it takes for so many samples.
constexpr int64_t slots_for_samples(int64_t samples) { return slots_in_samples(samples + kSamplesPerSlot - 1); }
/// Slots of a symbol with a cyclic prefix of 1/4 .. 1/32, by the denominator; 0: of a prefix that is not known.
constexpr uint32_t slots_in_symbol(uint8_t cp_denominator) {
    return cp_denominator == 0 ? 0 : static_cast<uint32_t>(slots_in_samples(kFftSize + kFftSize / cp_denominator));
}

/// Not checked here: counts are 0..2^32-1, symbols have at least one slot. Ranges of a field are in burst_fields.h.
class Slot {
public:
    constexpr Slot() = default;
    constexpr explicit Slot(uint32_t count) : count_(count) {}
    /// Where a symbol begins, of so many slots each.
    static constexpr Slot of_symbol(int64_t symbol, int64_t symbol_slots) { return Slot().after(symbol, symbol_slots); }

    constexpr uint32_t value() const { return count_; }
    /// From the frame's start.
    constexpr int64_t samples() const { return samples_in_slots(count_); }
    /// The symbol that it lies in, from 0.
    constexpr int symbol(int64_t symbol_slots) const { return static_cast<int>(count_ / symbol_slots); }
    /// The same in parts of a symbol.
    constexpr double symbols(uint32_t symbol_slots) const { return static_cast<double>(count_) / symbol_slots; }
    constexpr bool begins_symbol(int64_t symbol_slots) const { return count_ % symbol_slots == 0; }

    /// So many slots later.
    constexpr Slot operator+(int64_t slots) const { return Slot(static_cast<uint32_t>(count_ + slots)); }
    /// So many symbols later, of so many slots each.
    constexpr Slot after(int64_t symbols, int64_t symbol_slots) const { return *this + symbols * symbol_slots; }
    /// How many slots it is later than that one; negative: earlier.
    constexpr int64_t operator-(Slot other) const { return int64_t{count_} - other.count_; }
    constexpr auto operator<=>(const Slot&) const = default;
    constexpr bool operator==(const Slot&) const = default;
    /// The one with this value.
    constexpr bool operator==(uint32_t value) const { return count_ == value; }

private:
    uint32_t count_ = 0;
};

}  // namespace gr::wimax::phy
