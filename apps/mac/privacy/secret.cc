// SPDX-License-Identifier: GPL-3.0-or-later
#include "mac/privacy/secret.h"

#include <openssl/crypto.h>
#include <openssl/rand.h>

namespace wimax::mac::privacy {

void wipe(std::span<uint8_t> octets) { OPENSSL_cleanse(octets.data(), octets.size()); }

bool equal_in_constant_time(Octets a, Octets b) {
    return a.size() == b.size() && CRYPTO_memcmp(a.data(), b.data(), a.size()) == 0;
}

bool fill_with_random(std::span<uint8_t> octets) {
    return RAND_priv_bytes(octets.data(), static_cast<int>(octets.size())) == 1;
}

std::optional<TrafficKey> TrafficKey::of(Octets octets) {
    if (octets.size() != kDesOctets && octets.size() != kAesOctets) return std::nullopt;
    TrafficKey key;
    key.size_ = octets.size();
    std::ranges::copy(octets, key.key_.writable().begin());
    return key;
}

std::optional<TrafficKey> TrafficKey::random(size_t octets) {
    std::array<uint8_t, kAesOctets> drawn{};
    if (octets > drawn.size()) return std::nullopt;
    const auto part = std::span(drawn).first(octets);
    auto key = fill_with_random(part) ? of(part) : std::nullopt;
    wipe(drawn);
    return key;
}

}  // namespace wimax::mac::privacy
