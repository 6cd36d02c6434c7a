// SPDX-License-Identifier: GPL-3.0-or-later
// Whether two runs sent the same.
#pragma once

#include "sap/messages.h"

#include <span>
#include <string>

namespace wimax::sim {

/// A hash (FNV-1a over words of 64 bits, little-endian) of all bursts and codes in the order in which they were sent:
/// place, profile and octets. Equal for two runs that sent the same. Levels and frequencies are not part of it: they
/// are rounded numbers.
class AirDigest {
public:
    /// `node` 0 is the base station. A frame without bursts and codes changes nothing.
    void add(size_t node, const sap::TxFrame& frame) {
        if (!frame.bursts.empty() || !frame.codes.empty()) add_contents(node, frame);
    }
    /// 16 hexadecimal digits.
    std::string text() const;

private:
    void add(uint64_t number) { hash_ = (hash_ ^ number) * 0x100000001B3ULL; }
    void add_contents(size_t node, const sap::TxFrame& frame);
    void add_octets(std::span<const uint8_t> octets);

    uint64_t hash_ = 0xCBF29CE484222325ULL;
};

}  // namespace wimax::sim
