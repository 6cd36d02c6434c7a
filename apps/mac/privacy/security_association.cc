// SPDX-License-Identifier: GPL-3.0-or-later
#include "mac/privacy/security_association.h"

namespace wimax::mac::privacy {
namespace {

/// A key counts as nearly used up when a quarter of the numbers is left: days at any rate of this PHY.
constexpr uint32_t kNearlyLast = kLastPacketNumber - kLastPacketNumber / 4;

/// Number of former TEKs remembered: more than the 256 identifiers that requests of one AK can have.
constexpr size_t kMostRetired = 512;

std::array<uint8_t, 32> fingerprint_of(const TrafficKey& tek) {
    std::array<uint8_t, 32> out{};
    const Octets key = tek.octets();
    // Without SHA-256 all keys look equal, and none is accepted after the first: it sends nothing then.
    (void)EVP_Digest(key.data(), key.size(), out.data(), nullptr, EVP_sha256(), nullptr);
    return out;
}
uint8_t eks_of(Octets pdu) { return pdu[1] >> 4 & 0x03; }

}  // namespace

const char* to_string(Opened opened) {
    constexpr const char* names[] = {"plain", "unknown key", "forged", "replayed"};
    return names[static_cast<unsigned>(opened)];
}

bool SecurityAssociation::install(const TrafficKey& tek, uint8_t sequence, Samples expires, const CbcCipher::Iv& iv) {
    if (Generation* there = find(sequence); there && there->tek == tek) {
        there->expires = expires;
        suspended_ = false;
        return true;
    }
    if (was_there(tek)) return false;
    Generation made{tek, sequence, expires, iv, {}, {}, 0, {}};
    if (suite_.data == DataEncryption::aes_ccm) made.ccm = CcmCipher::with(tek);
    if (suite_.data == DataEncryption::des_cbc) made.cbc = CbcCipher::with(tek);
    if (suite_.data != DataEncryption::none && !made.ccm && !made.cbc) return false;
    suspended_ = false;
    if (newer_ && (sequence + 1) % kSequences == newer_->sequence) {
        retire(older_);
        older_ = std::move(made);
        return true;
    }
    if (newer_ && newer_->sequence != sequence) {
        retire(older_);
        older_ = std::move(newer_);
        newer_.reset();
    }
    retire(newer_);
    newer_ = std::move(made);
    return true;
}

void SecurityAssociation::retire(std::optional<Generation>& generation) {
    if (!generation) return;
    if (retired_.size() == kMostRetired) retired_.erase(retired_.begin());
    retired_.push_back(fingerprint_of(generation->tek));
    generation.reset();
}

bool SecurityAssociation::was_there(const TrafficKey& tek) const {
    return std::ranges::find(retired_, fingerprint_of(tek)) != retired_.end();
}

void SecurityAssociation::expire(Samples now, Samples patience) {
    if (older_ && now >= older_->expires + patience) retire(older_);
    if (newer_ && now >= newer_->expires + patience) retire(newer_);
}

std::optional<uint8_t> SecurityAssociation::newer_sequence() const {
    if (!newer_) return std::nullopt;
    return newer_->sequence;
}

std::optional<uint8_t> SecurityAssociation::older_sequence() const {
    if (!older_) return std::nullopt;
    return older_->sequence;
}

SecurityAssociation::Generation* SecurityAssociation::find(uint8_t sequence) {
    for (auto* one : {&newer_, &older_})
        if (*one && (*one)->sequence == sequence) return &**one;
    return nullptr;
}

const TrafficKey* SecurityAssociation::key(uint8_t sequence) const {
    for (const auto* one : {&newer_, &older_})
        if (*one && (*one)->sequence == sequence) return &(*one)->tek;
    return nullptr;
}

const CbcCipher::Iv* SecurityAssociation::cbc_iv(uint8_t sequence) const {
    for (const auto* one : {&newer_, &older_})
        if (*one && (*one)->sequence == sequence) return &(*one)->iv;
    return nullptr;
}

const SecurityAssociation::Generation* SecurityAssociation::sending() const {
    const auto& preferred = sends_ == Direction::downlink && older_ ? older_ : newer_;
    return !suspended_ && preferred && preferred->sent < kLastPacketNumber ? &*preferred : nullptr;
}

std::optional<uint8_t> SecurityAssociation::eks_to_send() const {
    const Generation* with = sending();
    if (!with) return std::nullopt;
    return with->sequence;
}

bool SecurityAssociation::nearly_used_up() const {
    const Generation* with = sending();
    return newer_ && (!with || with->sent >= kNearlyLast || newer_->received.newest() >= kNearlyLast);
}

uint32_t SecurityAssociation::mask_sent() const {
    return sends_ == Direction::uplink && forms_.uplink_numbers == UplinkNumbers::high ? kUplinkPacketNumbers : 0;
}

bool SecurityAssociation::seal(std::span<uint8_t> pdu, uint32_t frame_number) {
    Generation* with = suspended_ || pdu.size() < kHeaderOctets ? nullptr : find(eks_of(pdu));
    if (!with || with->sent >= kLastPacketNumber) return false;
    if (with->ccm) return with->ccm->seal(pdu, ++with->sent ^ mask_sent());
    return with->cbc &&
           with->cbc->seal(pdu.subspan(kHeaderOctets), CbcCipher::iv_of(with->iv, frame_number, forms_.cbc_iv));
}

Opened SecurityAssociation::open_ccm(Generation& generation, Octets pdu, std::span<uint8_t> plain) {
    const auto pn = CcmCipher::packet_number(pdu);
    if (!pn) return Opened::forged;
    const uint32_t number = *pn & kLastPacketNumber, mask = *pn - number;
    const bool possible = sends_ == Direction::downlink ? mask_received_.value_or(mask) == mask : mask == 0;
    if (!possible || !generation.ccm->open(pdu, plain)) return Opened::forged;
    mask_received_ = mask;
    if (generation.received.take(number)) return Opened::plain;
    wipe(plain);
    return Opened::replayed;
}

Opened SecurityAssociation::open(Octets pdu, std::span<uint8_t> plain, uint32_t frame_number) {
    if (pdu.size() < kHeaderOctets) return Opened::forged;
    Generation* generation = suspended_ ? nullptr : find(eks_of(pdu));
    if (!generation) return Opened::unknown_key;
    if (generation->ccm) return open_ccm(*generation, pdu, plain);
    const Octets payload = pdu.subspan(kHeaderOctets);
    if (!generation->cbc || plain.size() != payload.size()) return Opened::forged;
    std::ranges::copy(payload, plain.begin());
    const auto iv = CbcCipher::iv_of(generation->iv, frame_number, forms_.cbc_iv);
    return generation->cbc->open(plain, iv) ? Opened::plain : Opened::forged;
}

bool SecurityAssociation::has_low_number(Octets pdu) const {
    if (sends_ == Direction::uplink || suite_.data != DataEncryption::aes_ccm) return false;
    return CcmCipher::packet_number(pdu).value_or(kUplinkPacketNumbers) < kUplinkPacketNumbers;
}

}  // namespace wimax::mac::privacy
