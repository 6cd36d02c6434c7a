// SPDX-License-Identifier: GPL-3.0-or-later
#include "mac/privacy/authorization_keys.h"
#include "mac/pdu/dictionary.h"
#include "mac/pdu/tlv.h"
#include "mac/pdu/vendor.h"

namespace wimax::mac::privacy {
namespace {

constexpr uint8_t kSequenceMask = 0x0F;

/// The TLV up to its number: all octets are known, so that reading is a comparison.
constexpr std::array<uint8_t, AuthorizationKeys::kNumberOctets - 4> kNumberHead{
    tlv::vendor_specific,   11, tlv::vendor_id, 3, vendor::kId[0], vendor::kId[1], vendor::kId[2],
    vendor::message_number, 4};

void put_number(Buffer& message, uint32_t number) {
    message.insert(message.end(), kNumberHead.begin(), kNumberHead.end());
    for (int shift = 24; shift >= 0; shift -= 8) message.push_back(static_cast<uint8_t>(number >> shift));
}

/// The message number at the end of the octets that a tuple covers.
std::optional<uint32_t> number_of(Octets covered) {
    if (covered.size() < AuthorizationKeys::kNumberOctets) return std::nullopt;
    const Octets tlv = covered.last(AuthorizationKeys::kNumberOctets);
    if (!std::ranges::equal(tlv.first(kNumberHead.size()), kNumberHead)) return std::nullopt;
    uint32_t number = 0;
    for (const uint8_t octet : tlv.subspan(kNumberHead.size())) number = number << 8 | octet;
    return number;
}

}  // namespace

const char* to_string(Proof proof) {
    constexpr const char* names[] = {"genuine", "no tuple", "old key", "wrong digest", "replayed"};
    return names[static_cast<unsigned>(proof)];
}

bool has_hmac_tuple(Octets message) {
    if (message.size() <= AuthorizationKeys::kTupleOctets) return false;
    const Octets tuple = message.last(AuthorizationKeys::kTupleOctets);
    return tuple[0] == tlv::hmac_tuple && tuple[1] == AuthorizationKeys::kTupleOctets - 2;
}

bool AuthorizationKeys::add(const AuthorizationKey& ak, uint8_t sequence, Samples expires, bool shared) {
    auto keys = derive_keys(ak);
    if (!keys) return false;
    auto downlink = MessageDigest::with(keys->hmac_downlink), uplink = MessageDigest::with(keys->hmac_uplink);
    if (!downlink || !uplink) return false;
    if (newest_ && newest_->sequence != sequence) before_ = std::move(newest_);
    newest_ =
        AuthorizationContext{sequence, expires, shared, keys->kek, std::move(*downlink), std::move(*uplink), 0, {}};
    return true;
}

void AuthorizationKeys::drop() {
    newest_.reset();
    before_.reset();
}

AuthorizationContext* AuthorizationKeys::find(uint8_t sequence, Samples now) {
    for (auto* one : {&newest_, &before_})
        if (*one && (*one)->sequence == sequence && now < (*one)->expires) return &**one;
    return nullptr;
}

AuthorizationContext* AuthorizationKeys::newest(Samples now) {
    return newest_ ? find(newest_->sequence, now) : nullptr;
}

const AuthorizationContext* AuthorizationKeys::newest(Samples now) const {
    return newest_ && now < newest_->expires ? &*newest_ : nullptr;
}

AuthorizationContext* AuthorizationKeys::signing(Samples now) {
    for (auto* one : {&newest_, &before_})
        if (*one && (*one)->shared && now < (*one)->expires) return &**one;
    return nullptr;
}

unsigned AuthorizationKeys::count(Samples now) const {
    unsigned in_force = 0;
    for (const auto* one : {&newest_, &before_})
        if (*one && now < (*one)->expires) ++in_force;
    return in_force;
}

bool AuthorizationKeys::sign(Buffer& message, Direction direction, Samples now) {
    AuthorizationContext* context = signing(now);
    if (!context || !has_hmac_tuple(message)) return false;
    const size_t unsigned_octets = message.size();
    message.resize(unsigned_octets - kTupleOctets);
    put_number(message, context->sent + 1);
    const auto digest = context->digest(direction).of(message);
    std::array<uint8_t, kTupleOctets - 2> value{context->sequence};
    if (digest) std::ranges::copy(*digest, value.begin() + 1);
    if (!digest) message.resize(unsigned_octets - kTupleOctets);
    TlvWriter(message).put(tlv::hmac_tuple, value);
    context->sent += digest ? 1 : 0;
    return digest.has_value();
}

Proof AuthorizationKeys::prove(Octets message, Direction direction, Samples now) {
    if (!has_hmac_tuple(message)) return Proof::no_tuple;
    const Octets tuple = message.last(kTupleOctets), covered = message.first(message.size() - kTupleOctets);
    AuthorizationContext* context = find(tuple[2] & kSequenceMask, now);
    if (!context) return Proof::old_key;
    if (!context->digest(direction).matches(covered, tuple.last(sizeof(Digest)))) return Proof::wrong;
    const auto number = number_of(covered);
    if (number ? !context->received.take(*number) : context->received.newest() != 0) return Proof::replayed;
    context->shared = true;
    return Proof::genuine;
}

}  // namespace wimax::mac::privacy
