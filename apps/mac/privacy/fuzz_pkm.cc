// SPDX-License-Identifier: GPL-3.0-or-later
// Any octets as a PKM message: a decoded message is restored from its own
// encoding.
#include "mac/privacy/pkm_message.h"

#include <cstdlib>

using namespace wimax::mac;
using namespace wimax::mac::privacy;

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
    const auto first = decode_pkm(Octets(data, size));
    if (!first) return 0;
    static auto digest = MessageDigest::with(HmacKey());
    Buffer once, twice;
    encode_pkm(*first, once);
    if (first->digest && !sign_pkm(once, *digest)) std::abort();
    const auto second = decode_pkm(once);
    if (!second) std::abort();
    if (second->digest && !is_signed_by(once, *second, *digest)) std::abort();
    encode_pkm(*second, twice);
    if (second->digest && !sign_pkm(twice, *digest)) std::abort();
    if (once != twice) std::abort();
    return 0;
}
