// SPDX-License-Identifier: GPL-3.0-or-later
// Physical slots (PS: four samples): a position in a frame as a type, counted from the frame's start. Only this header
// converts slots to samples or symbols and back.
#pragma once

#include <gnuradio/wimax/phy/base/numerology.h>

#include <compare>

namespace gr::wimax::phy {

/// Length of `slots`, in samples.
constexpr int64_t samples_in_slots(int64_t slots) { return slots * kSamplesPerSlot; }
/// Number of slots that `samples` fill completely.
constexpr int64_t slots_in_samples(int64_t samples) { return samples / kSamplesPerSlot; }
/// Number of slots needed for `samples`.
constexpr int64_t slots_for_samples(int64_t samples) { return slots_in_samples(samples + kSamplesPerSlot - 1); }
/// Slots of a symbol with a cyclic prefix of 1/4 .. 1/32, by the denominator; 0 if the prefix is unknown (0).
constexpr uint32_t slots_in_symbol(uint8_t cp_denominator) {
    return cp_denominator == 0 ? 0 : static_cast<uint32_t>(slots_in_samples(kFftSize + kFftSize / cp_denominator));
}

/// Values are not checked: counts are 0..2^32-1, symbols have at least one slot. Field ranges are in burst_requests.h.
class Slot {
public:
    constexpr Slot() = default;
    constexpr explicit Slot(uint32_t count) : count_(count) {}
    /// Start of a symbol if each has `symbol_slots`.
    static constexpr Slot of_symbol(int64_t symbol, int64_t symbol_slots) { return Slot().after(symbol, symbol_slots); }

    constexpr uint32_t value() const { return count_; }
    /// Samples from the frame's start.
    constexpr int64_t samples() const { return samples_in_slots(count_); }
    /// The symbol that contains this slot, from 0.
    constexpr int symbol(int64_t symbol_slots) const { return static_cast<int>(count_ / symbol_slots); }
    /// Position in symbols, as a fraction.
    constexpr double symbols(uint32_t symbol_slots) const { return static_cast<double>(count_) / symbol_slots; }
    constexpr bool begins_symbol(int64_t symbol_slots) const { return count_ % symbol_slots == 0; }

    /// The slot `slots` later.
    constexpr Slot operator+(int64_t slots) const { return Slot(static_cast<uint32_t>(count_ + slots)); }
    /// The slot `symbols` later, if each symbol has `symbol_slots`.
    constexpr Slot after(int64_t symbols, int64_t symbol_slots) const { return *this + symbols * symbol_slots; }
    /// Number of slots from `other` to this one; negative: earlier.
    constexpr int64_t operator-(Slot other) const { return int64_t{count_} - other.count_; }
    constexpr auto operator<=>(const Slot&) const = default;
    constexpr bool operator==(const Slot&) const = default;
    /// True if the count is equal.
    constexpr bool operator==(uint32_t value) const { return count_ == value; }

private:
    uint32_t count_ = 0;
};

}  // namespace gr::wimax::phy
