// SPDX-License-Identifier: GPL-3.0-or-later
// Reads one JSON object key by key and collects every fault, so that a user
// sees all of them at once. Reading continues after a fault with the lowest allowed value.
#pragma once

#include "common/faults.h"

#include <nlohmann/json.hpp>

#include <cstdint>
#include <optional>
#include <set>
#include <string>
#include <vector>

namespace wimax::iq {

class SpecReader {
public:
    /// `where` is the path of the object inside the file: "" or "frames[1].".
    SpecReader(const nlohmann::json& object, std::string file, std::string where, Faults& faults)
        : object_(object), file_(std::move(file)), where_(std::move(where)), faults_(faults) {}

    bool has(const char* key) const { return object_.contains(key); }
    const nlohmann::json& at(const char* key) const { return object_.at(key); }

    /// Without `fallback` the key is required.
    int64_t integer(const char* key, int64_t low, int64_t high, std::optional<int64_t> fallback = std::nullopt);
    /// Absent or null: nullopt.
    std::optional<double> number(const char* key, double low, double high);
    bool boolean(const char* key, bool fallback);  ///< true, false, 1 or 0
    /// One of `allowed`; empty on a fault.
    std::string choice(const char* key, const std::vector<std::string>& allowed);
    /// Hex octets; `octets` < 0: any number.
    std::vector<uint8_t> hex(const char* key, int octets, bool required);
    /// The key's array, or nullptr and a fault if it is none or has not `low`..`high` elements.
    const nlohmann::json* array(const char* key, size_t low, size_t high);

    void fault(const std::string& key, const std::string& reason) { fault(key, "", reason); }
    void fault(const std::string& key, const std::string& value, const std::string& allowed) {
        faults_.add({where_ + key, value, allowed, file_});
    }
    /// A fault for each key that is not among `known`, with the key that was probably meant.
    void refuse_others(const std::set<std::string>& known);

private:
    bool present(const char* key, bool required, const std::string& allowed);

    const nlohmann::json& object_;
    std::string file_, where_;
    Faults& faults_;
};

/// Upper-case hex, in transmit order.
std::string to_hex(const std::vector<uint8_t>& octets);
std::optional<std::vector<uint8_t>> from_hex(const std::string& text);

}  // namespace wimax::iq
