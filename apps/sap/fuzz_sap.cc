// SPDX-License-Identifier: GPL-3.0-or-later
// Random octets as a SAP message: the first two are the length of the header, the rest is one payload part or several.
// An accepted message must be valid and survive encoding.
#include "sap/codec.h"

#include <algorithm>
#include <cstdlib>

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
    using namespace wimax::sap;
    if (size < 3) return 0;
    const size_t header = std::min<size_t>(static_cast<size_t>(data[0]) << 8 | data[1], size - 3);
    const size_t step = std::max<size_t>(1, data[2]);
    const Part all(data + 3, size - 3);
    std::vector<Part> parts{all.first(header)};
    for (size_t at = header; at < all.size(); at += step)
        parts.push_back(all.subspan(at, std::min(step, all.size() - at)));

    static Codec codec;
    auto first = codec.decode(parts);
    if (!first) {
        first.error().str();
        return 0;
    }
    if (!first->message) return 0;
    const MessageRef message = as_ref(*first->message);
    if (!validate(message).empty()) std::abort();
    summary(message);
    codec.encode(message, first->sequence, first->mac_session, first->phy_session);
    std::vector<Part> again{codec.header()};
    again.insert(again.end(), codec.payloads().begin(), codec.payloads().end());
    Codec other;
    const auto second = other.decode(again);
    if (!second || !second->message || second->message->index() != first->message->index()) std::abort();
    return 0;
}
