// SPDX-License-Identifier: GPL-3.0-or-later
// Implementation of validate() of station_config.h (internal to the MAC): a visitor of config_fields.h that reports
// each number out of its range.
#pragma once

#include "common/faults.h"
#include "mac/config_fields.h"

#include <cmath>
#include <cstdio>
#include <string>

namespace wimax::mac {

inline constexpr Limits kBsids{0, double(sap::kMaxBsid)};

inline std::string written(double value) {
    char text[32];
    std::snprintf(text, sizeof text, "%.12g", value);
    return text;
}

inline std::string written(const MacAddress& mac) {
    char text[18];
    std::snprintf(text, sizeof text, "%02x:%02x:%02x:%02x:%02x:%02x", mac[0], mac[1], mac[2], mac[3], mac[4], mac[5]);
    return text;
}

class Check {
public:
    explicit Check(Faults& faults, std::string prefix = "") : faults_(faults), prefix_(std::move(prefix)) {}

    template <class T>
    void operator()(const std::string& key, const T& value, Limits limits, const char* = "", const char* = "") {
        const auto number = static_cast<double>(value);
        if (number >= limits.low && number <= limits.high) return;
        add(key, written(number), written(limits.low) + ".." + written(limits.high));
    }
    template <class T>
    void operator()(const std::string& key, const std::optional<T>& value, Limits limits, const char* = "",
                    const char* = "") {
        if (value) (*this)(key, *value, limits);
    }
    void operator()(const std::string&, const bool&, const char*) {}
    template <class T, size_t N>
    void each(const std::string& key, const std::array<T, N>& values, Limits limits, const char*, const char*) {
        for (size_t i = 0; i < N; ++i) (*this)(key + "[" + std::to_string(i) + "]", values[i], limits);
    }
    void add(const std::string& key, const std::string& value, const std::string& allowed) {
        faults_.add(prefix_ + key, value, allowed);
    }

private:
    Faults& faults_;
    const std::string prefix_;
};

/// `bandwidth_hz`: FDD's carriers are at least that far apart.
inline void check_spacing(Check check, const sap::Carriers& carriers, uint32_t bandwidth_hz) {
    const auto spacing_hz = static_cast<double>(carriers.duplex_spacing_hz);
    if (!carriers.shared() && std::abs(spacing_hz) < bandwidth_hz)
        check.add("duplex_spacing_hz", written(spacing_hz), "0, or at least bandwidth_hz either way");
    else if (carriers.downlink_hz >= sap::kMinFrequencyHz && carriers.downlink_hz <= sap::kMaxFrequencyHz &&
             !sap::are_frequencies(carriers))
        check.add("duplex_spacing_hz", written(spacing_hz),
                  written(static_cast<double>(sap::spacing_to(sap::kMinFrequencyHz, carriers))) + ".." +
                      written(static_cast<double>(sap::spacing_to(sap::kMaxFrequencyHz, carriers))) +
                      ", so that the uplink has a frequency");
}

inline void check_mac(Check check, const MacAddress& mac) {
    const bool zero = mac == MacAddress{};
    if (!zero && (mac[0] & 1) == 0) return;
    check.add("mac", written(mac), "an individual address: the first octet even, not 00:00:00:00:00:00");
}

}  // namespace wimax::mac
