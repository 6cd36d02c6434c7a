// SPDX-License-Identifier: GPL-3.0-or-later
// Key material in memory: zeroed at destruction, compared in constant time, never printed. Keys and their sizes are
// those of 7.4 and 7.5.4.
#pragma once

#include "mac/pdu/bits.h"

#include <algorithm>
#include <array>
#include <optional>

namespace wimax::mac::privacy {

/// Overwrites with zeros in a way that no compiler removes.
void wipe(std::span<uint8_t> octets);
/// The time taken does not depend on where they differ; lengths are no secret.
bool equal_in_constant_time(Octets a, Octets b);
/// Fills from the system's random generator. False: none is available, and the octets are unchanged.
[[nodiscard]] bool fill_with_random(std::span<uint8_t> octets);

template <size_t N> class Secret {
public:
    static constexpr size_t kOctets = N;

    Secret() = default;
    explicit Secret(std::span<const uint8_t, N> octets) { std::ranges::copy(octets, octets_.begin()); }
    Secret(const Secret&) = default;
    Secret& operator=(const Secret&) = default;
    ~Secret() { wipe(octets_); }

    std::span<const uint8_t, N> octets() const { return octets_; }
    std::span<uint8_t, N> writable() { return octets_; }
    bool operator==(const Secret& other) const { return equal_in_constant_time(octets_, other.octets_); }

private:
    std::array<uint8_t, N> octets_{};
};

using AuthorizationKey = Secret<20>;
using KeyEncryptionKey = Secret<16>;
using HmacKey = Secret<20>;

/// TEK: 8 octets for DES, 16 for AES.
class TrafficKey {
public:
    static constexpr size_t kDesOctets = 8, kAesOctets = 16;

    TrafficKey() = default;
    /// Nothing for another length.
    static std::optional<TrafficKey> of(Octets octets);
    static std::optional<TrafficKey> random(size_t octets);

    Octets octets() const { return Octets(key_.octets()).first(size_); }
    bool is_des() const { return size_ == kDesOctets; }
    bool operator==(const TrafficKey& other) const { return equal_in_constant_time(octets(), other.octets()); }

private:
    Secret<kAesOctets> key_;
    size_t size_ = kAesOctets;
};

}  // namespace wimax::mac::privacy
