// SPDX-License-Identifier: GPL-3.0-or-later
#include "mac/pdu/read_burst.h"

#include <functional>
#include <utility>

namespace wimax::mac {

bool is_for_all(const Pdu& pdu) {
    const uint16_t cid = pdu.cid();
    return pdu.is_request || cid == cid::kBroadcast || cid == cid::kInitialRanging || cid == cid::kPadding;
}

void ReadBurst::read(Octets burst) {
    burst_ = burst;
    std::apply([](auto&... last) { ((last.octets = {}), ...); }, decoded_);
    pdus_.clear();
    places_.clear();
    PduReader reader(burst);
    for (Pdu pdu; reader.next_header(pdu);) {
        pdus_.push_back({pdu, false});
        places_.add(is_for_all(pdu) ? cid::kBroadcast : pdu.cid());
    }
    stopped_ = reader.error().has_value();
}

const Pdu* ReadBurst::usable(size_t i) {
    auto& entry = pdus_[i];
    if (!std::exchange(entry.checked, true)) check_crc(entry.pdu);
    return entry.pdu.crc_ok() && entry.pdu.cid() != cid::kPadding ? &entry.pdu : nullptr;
}

/// A decrypted message lies elsewhere, and another one may follow in the same place.
bool ReadBurst::contains(Octets octets) const {
    const std::less_equal<const uint8_t*> no_later;
    return !octets.empty() && no_later(burst_.data(), octets.data()) &&
           no_later(octets.data() + octets.size(), burst_.data() + burst_.size());
}

}  // namespace wimax::mac
