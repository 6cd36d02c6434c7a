// SPDX-License-Identifier: GPL-3.0-or-later
#include "mac/privacy/payload_protection.h"

namespace wimax::mac::privacy {

std::optional<uint8_t> AssociationSealer::key_sequence() const {
    const SecurityAssociation* association = find_();
    return association ? association->eks_to_send() : std::nullopt;
}

bool AssociationSealer::seal(std::span<uint8_t> pdu) {
    SecurityAssociation* association = find_();
    return association && association->overhead_octets() == overhead_octets() && association->seal(pdu, frame_.value());
}

void PayloadCounters::count(Opened what) {
    switch (what) {
        case Opened::plain: ++opened; break;
        case Opened::unknown_key: ++unknown_key; break;
        case Opened::forged: ++forged; break;
        case Opened::replayed: ++replayed; break;
    }
}

const Pdu* PduOpener::open(SecurityAssociation* association, const Pdu& pdu, FrameNumber frame,
                           PayloadCounters& counters) {
    const size_t trailer = pdu.header.ci ? kCrcOctets : 0;
    const Octets sealed = pdu.octets.first(pdu.octets.size() - trailer);
    const bool encrypted = association && association->suite().data != DataEncryption::none;
    const size_t more = encrypted ? association->overhead_octets() : 0;
    const bool long_enough = sealed.size() > kHeaderOctets + more;
    const size_t octets = long_enough ? sealed.size() - kHeaderOctets - more : 0;
    const auto body = std::span(octets_).subspan(kHeaderOctets, octets);
    last_ = !encrypted     ? Opened::unknown_key
            : !long_enough ? Opened::forged
                           : association->open(sealed, body, frame.value());
    counters.count(last_);
    if (last_ != Opened::plain) return nullptr;
    counters.low_numbers += association->has_low_number(sealed) ? 1 : 0;
    std::ranges::copy(sealed.first(kHeaderOctets), octets_.begin());
    plain_ = pdu;
    plain_.header.ec = false;
    plain_.header.eks = 0;
    plain_.octets = Octets(octets_).first(kHeaderOctets + octets);
    plain_.body = body;
    return &plain_;
}

}  // namespace wimax::mac::privacy
