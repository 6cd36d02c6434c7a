/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * What validate() of config.h is made of (internal to the MAC): a visitor of config_fields.h that finds a fault in each
 * number out of its range.
 */
#pragma once

#include "common/faults.h"
#include "mac/config_fields.h"

#include <cstdio>
#include <string>

namespace wimax::mac {

inline constexpr Limits kBsids{0, double(sap::kMaxBsid)};

inline std::string written(double value) {
    char text[32];
    std::snprintf(text, sizeof text, "%.12g", value);
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

}  // namespace wimax::mac
