// SPDX-License-Identifier: GPL-3.0-or-later
// Carrier frequencies of a channel. With TDD both directions share one carrier; with FDD they are a spacing apart.
#pragma once

#include <algorithm>
#include <cstdint>
#include <string>

namespace wimax::sap {

inline constexpr uint64_t kMinFrequencyHz = 1'000'000, kMaxFrequencyHz = 100'000'000'000;

enum class Role : uint8_t { base_station, subscriber_station };

struct Carriers {
    uint64_t downlink_hz = 0;
    int64_t duplex_spacing_hz = 0;  ///< uplink minus downlink; 0: one carrier for both directions

    constexpr uint64_t uplink_hz() const { return downlink_hz + static_cast<uint64_t>(duplex_spacing_hz); }
    constexpr bool shared() const { return duplex_spacing_hz == 0; }
    constexpr uint64_t sent_by(Role role) const { return role == Role::base_station ? downlink_hz : uplink_hz(); }
    constexpr uint64_t received_by(Role role) const { return role == Role::base_station ? uplink_hz() : downlink_hz; }
    constexpr float uplink_per_downlink() const {
        return shared() ? 1.0F
                        : static_cast<float>(static_cast<double>(uplink_hz()) / static_cast<double>(downlink_hz));
    }
    /// Another channel of the same band.
    constexpr Carriers moved_to(uint64_t other_downlink_hz) const { return {other_downlink_hz, duplex_spacing_hz}; }

    bool operator==(const Carriers&) const = default;
};

/// Spacing from the nearest downlink that a message can name to this uplink.
constexpr int64_t spacing_to(uint64_t uplink_hz, const Carriers& carriers) {
    const uint64_t downlink_hz = std::clamp(carriers.downlink_hz, kMinFrequencyHz, kMaxFrequencyHz);
    return static_cast<int64_t>(uplink_hz) - static_cast<int64_t>(downlink_hz);
}
/// Whether a message can name both carriers.
constexpr bool are_frequencies(const Carriers& carriers) {
    return std::clamp(carriers.downlink_hz, kMinFrequencyHz, kMaxFrequencyHz) == carriers.downlink_hz &&
           carriers.duplex_spacing_hz >= spacing_to(kMinFrequencyHz, carriers) &&
           carriers.duplex_spacing_hz <= spacing_to(kMaxFrequencyHz, carriers);
}

inline std::string text_of(const Carriers& carriers) {
    const std::string downlink = std::to_string(carriers.downlink_hz) + " Hz";
    return carriers.shared() ? downlink : downlink + ", uplink at " + std::to_string(carriers.uplink_hz()) + " Hz";
}

}  // namespace wimax::sap
