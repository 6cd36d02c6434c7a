// SPDX-License-Identifier: GPL-3.0-or-later
// Golden vectors of tests/vectors/phy_ofdm256.json for the unit tests.
#pragma once

#include <gnuradio/wimax/phy/base/numerology.h>

#include <nlohmann/json.hpp>

#include <fstream>
#include <string>
#include <vector>

namespace gr::wimax::phy::test {

inline const nlohmann::json& vectors() {
    static const auto json = nlohmann::json::parse(std::ifstream(WIMAX_VECTORS "/phy_ofdm256.json"));
    return json;
}

inline std::vector<uint8_t> from_hex(const std::string& text) {
    std::vector<uint8_t> bytes;
    for (size_t i = 0; i + 1 < text.size(); i += 2)
        bytes.push_back(static_cast<uint8_t>(std::stoul(text.substr(i, 2), nullptr, 16)));
    return bytes;
}
inline std::vector<uint8_t> hex_at(const nlohmann::json& object, const char* key) {
    return from_hex(object.at(key).get<std::string>());
}

/// Bytes to bits and back; one bit per element, most significant first.
inline std::vector<uint8_t> to_bits(const std::vector<uint8_t>& bytes) {
    std::vector<uint8_t> bits;
    for (uint8_t byte : bytes)
        for (int i = 7; i >= 0; --i) bits.push_back(byte >> i & 1);
    return bits;
}
inline std::vector<uint8_t> to_bytes(const std::vector<uint8_t>& bits) {
    std::vector<uint8_t> bytes(bits.size() / 8);
    for (size_t i = 0; i < bytes.size() * 8; ++i)
        bytes[i / 8] = static_cast<uint8_t>(bytes[i / 8] | bits[i] << (7 - i % 8));
    return bytes;
}
/// Labels of one symbol to bytes in transmit order.
inline std::vector<uint8_t> label_bytes(const std::vector<uint8_t>& labels, int bits_per_carrier) {
    std::vector<uint8_t> bits;
    for (uint8_t label : labels)
        for (int b = bits_per_carrier - 1; b >= 0; --b) bits.push_back(label >> b & 1);
    return to_bytes(bits);
}

inline Complex complex_of(const nlohmann::json& pair) { return {pair.at(0).get<float>(), pair.at(1).get<float>()}; }

}  // namespace gr::wimax::phy::test
