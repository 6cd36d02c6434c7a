// SPDX-License-Identifier: GPL-3.0-or-later
// Octets of tests of privacy: written as hex, keys of the golden vectors.
#pragma once

#include "mac/privacy/secret.h"

#include <string>
#include <string_view>

namespace wimax::mac::privacy::test {

inline Buffer hex(std::string_view text) {
    Buffer octets;
    for (size_t i = 0; i + 1 < text.size(); i += 2)
        octets.push_back(static_cast<uint8_t>(std::stoul(std::string(text.substr(i, 2)), nullptr, 16)));
    return octets;
}

template <size_t N> Secret<N> secret(std::string_view text) {
    const Buffer octets = hex(text);
    return Secret<N>(Octets(octets).first<N>());
}

template <class Octets> Buffer buffer(const Octets& octets) { return {octets.begin(), octets.end()}; }

/// The authorization key of the golden vectors.
inline AuthorizationKey vectors_ak() { return secret<20>("000102030405060708090a0b0c0d0e0f10111213"); }

}  // namespace wimax::mac::privacy::test
