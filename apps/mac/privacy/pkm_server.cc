// SPDX-License-Identifier: GPL-3.0-or-later
#include "mac/privacy/pkm_server.h"
#include "mac/privacy/key_wrap.h"
#include "mac/privacy/rsa_key.h"

namespace wimax::mac::privacy {
namespace {

/// Malformed input on a station's connections causes at most one Auth Invalid or TEK Invalid in this time.
constexpr uint32_t kQuietS = 1;
/// Time between two SA Adds of an SA whose keys the station has not requested.
constexpr uint32_t kTellAgainS = 1;

/// Faults that time or the operator may resolve; others are permanent (7.2.4.2).
bool may_pass(CertificateFault fault) {
    return fault == CertificateFault::not_yet_valid || fault == CertificateFault::expired ||
           fault == CertificateFault::revocation_list;
}

std::optional<Buffer> wrapped(const Suite& suite, EVP_PKEY& public_key, AuthorizationContext& ak,
                              const TrafficKey& tek) {
    return suite.tek == TekEncryption::rsa ? encrypt_for(public_key, tek.octets()) : wrap_tek(suite.tek, ak.kek, tek);
}

}  // namespace

PkmServer::PkmServer(PkmServerConfig config, const MacAddress& mac, uint16_t basic_cid)
    : config_(std::move(config)), mac_(mac), basic_cid_(basic_cid) {
    associations_[basic_cid].type = SaType::primary;
}

void PkmServer::on_tick(Samples now) {
    (void)quiet_.expired(now);
    for (auto& [said, association] : associations_) {
        if (association.again.expired(now)) tell(now, said, association);
        if (!association.sa) continue;
        SecurityAssociation& sa = *association.sa;
        if (!authorized(now)) {
            sa.suspend();
            continue;
        }
        // A rarely serviced station may have missed one or two key ends.
        while ((now >= sa.older_expires() || sa.nearly_used_up()) && roll(now, sa)) ++figures_.rekeyings;
    }
}

/// The newer TEK becomes the older one, and ends half a lifetime before its successor.
bool PkmServer::roll(Samples now, SecurityAssociation& sa) {
    return add_tek(now, sa, std::max(now, sa.newer_expires()) + config_.clock.from_s(config_.lifetimes.tek_s) / 2);
}

bool PkmServer::add_tek(Samples now, SecurityAssociation& sa, Samples expires) {
    const bool des = sa.suite().data != DataEncryption::aes_ccm;
    const auto tek = TrafficKey::random(des ? TrafficKey::kDesOctets : TrafficKey::kAesOctets);
    CbcCipher::Iv iv{};
    const auto before = sa.newer_sequence();
    const uint8_t sequence = before ? (*before + 1) % SecurityAssociation::kSequences : 0;
    if (!tek || !fill_with_random(iv) || !sa.install(*tek, sequence, expires, iv)) return false;
    if (sa.said() == basic_cid_) figures_.times.tek = now;
    if (config_.on_key) config_.on_key(sa.said(), sequence, tek->octets());
    return true;
}

/// Adds two TEKs if there are none yet.
bool PkmServer::complete(Samples now, Association& association, uint16_t said) {
    if (!suite_) return false;
    if (!association.sa) association.sa.emplace(said, *suite_, Direction::downlink, config_.forms);
    if (association.sa->has_key() && association.sa->older_sequence()) return true;
    const Samples lifetime = config_.clock.from_s(config_.lifetimes.tek_s);
    return add_tek(now, *association.sa, now + lifetime / 2) && add_tek(now, *association.sa, now + lifetime);
}

void PkmServer::on_message(Samples now, const CertificateTrust& trust, Octets octets) {
    const auto message = decode_pkm(octets);
    if (!message || !is_request(message->code)) {
        ++figures_.unreadable;
        return;
    }
    switch (message->code) {
        // Counts if an authority that the operator has configured has signed it.
        case PkmCode::auth_info:
            ++figures_.auth_infos;
            manufacturer_.assign(message->ca_certificate.begin(), message->ca_certificate.end());
            return;
        case PkmCode::auth_request: ++figures_.auth_requests; return on_auth_request(now, trust, *message);
        case PkmCode::key_request: ++figures_.key_requests; return on_key_request(now, octets, *message);
        default: return;
    }
}

/// Requests are not signed: a replay of the station's certificate with other suites changes nothing once the station
/// has its keys.
std::optional<Suite> PkmServer::chosen(const PkmMessage& request) const {
    for (const Suite& own : config_.suites) {
        if (proved_ && !own.same_as(*suite_)) continue;
        for (const auto& octets : request.suites)
            if (const auto suite = suite_of(octets); suite && suite->same_as(own)) return proved_ ? suite_ : suite;
    }
    return std::nullopt;
}

void PkmServer::on_auth_request(Samples now, const CertificateTrust& trust, const PkmMessage& message) {
    auto identity = trust.authorities.verify(message.ss_certificate, mac_, trust.wall_s, manufacturer_);
    if (!identity) {
        certificate_fault_ = identity.error();
        // Its Auth Info may be lost, and come with the next request.
        const bool unnamed = identity.error() == CertificateFault::unknown_issuer && manufacturer_.empty();
        return reject(message, may_pass(identity.error()) || unnamed ? PkmError::unauthorized_ss : PkmError::permanent,
                      to_string(identity.error()));
    }
    certificate_fault_.reset();
    serial_ = identity->serial;
    certificate_ends_s_ = identity->ends_s;
    if (*message.said != basic_cid_) return reject(message, PkmError::permanent, "another basic CID");
    const auto suite = chosen(message);
    if (!suite) {
        ++figures_.no_suite;
        return reject(message, PkmError::permanent, "no suite in common");
    }
    if (suite_ && *suite_ != *suite)
        for (auto& [said, association] : associations_) association.sa.reset();
    suite_ = suite;
    public_key_ = std::move(identity->public_key);
    reply(now, message, *public_key_);
}

/// The newest AK, if two are in force or the station has not proved that it has it: its request may be repeated or
/// forged. Else a new one. Identifiers do not help: they are eight bits and unsigned.
std::optional<AuthorizationKey> PkmServer::next_ak(Samples now) {
    const AuthorizationContext* newest = keys_.newest(now);
    if (newest && (keys_.count(now) > 1 || !newest->shared)) return ak_;
    AuthorizationKey ak;
    if (!fill_with_random(ak.writable())) return std::nullopt;
    // The second key's lifetime is the rest of the first one's and a whole one more.
    const Samples from = keys_.count(now) > 0 ? ak_expires_ : now;
    const auto sequence = static_cast<uint8_t>((ak_sequence_ + 1) % AuthorizationKeys::kSequences);
    const Samples expires = from + config_.clock.from_s(config_.lifetimes.ak_s);
    if (!keys_.add(ak, sequence, expires, false)) return std::nullopt;
    ak_ = ak;
    ak_sequence_ = sequence;
    ak_expires_ = expires;
    figures_.times.ak = now;
    ++figures_.authorizations;
    return ak;
}

void PkmServer::reply(Samples now, const PkmMessage& request, EVP_PKEY& public_key) {
    const auto ak = next_ak(now);
    const auto encrypted = ak ? encrypt_for(public_key, ak->octets()) : std::nullopt;
    if (!encrypted) return;
    PkmMessage message;
    message.code = PkmCode::auth_reply;
    message.identifier = request.identifier;
    message.auth_key = *encrypted;
    message.key_lifetime_s = config_.clock.left_s(now, ak_expires_);
    message.key_sequence = ak_sequence_;
    for (auto& [said, association] : associations_)
        if (complete(now, association, said)) message.sas.push_back({said, association.type, suite_->octets()});
    encode_pkm(message, outbox_.emplace_back());
}

void PkmServer::reject(const PkmMessage& request, PkmError error, std::string_view text) {
    ++figures_.auth_rejects;
    PkmMessage message;
    message.code = PkmCode::auth_reject;
    message.identifier = request.identifier;
    message.error = error;
    message.display_string = text;
    encode_pkm(message, outbox_.emplace_back());
}

void PkmServer::invalidate(Samples now, PkmError error, std::string_view text) {
    if (quiet_.running()) return;
    quiet_.start(now, config_.clock.from_s(kQuietS));
    ++figures_.auth_invalids;
    PkmMessage message;
    message.code = PkmCode::auth_invalid;
    message.error = error;
    message.display_string = text;
    encode_pkm(message, outbox_.emplace_back());
}

void PkmServer::send_signed(AuthorizationContext& ak, PkmMessage message) {
    message.key_sequence = ak.sequence;
    Buffer octets;
    encode_pkm(message, octets);
    if (sign_pkm(octets, ak.downlink)) outbox_.push_back(std::move(octets));
}

void PkmServer::on_key_request(Samples now, Octets octets, const PkmMessage& message) {
    AuthorizationContext* ak = keys_.find(*message.key_sequence, now);
    if (!ak) {
        ++figures_.old_keys;
        return invalidate(now, PkmError::invalid_key_sequence, "no such authorization key");
    }
    if (!is_signed_by(octets, message, ak->uplink)) {
        ++figures_.wrong_digests;
        return invalidate(now, PkmError::message_authentication, "wrong digest");
    }
    ak->shared = proved_ = true;
    PkmMessage answer;
    answer.identifier = message.identifier;
    answer.said = message.said;
    const auto found = associations_.find(*message.said);
    if (found == associations_.end() || !complete(now, found->second, found->first)) {
        ++figures_.key_rejects;
        answer.code = PkmCode::key_reject;
        answer.error = PkmError::unauthorized_said;
        return send_signed(*ak, answer);
    }
    const SecurityAssociation& sa = *found->second.sa;
    std::array<std::optional<Buffer>, kMaxTeks> encrypted;
    const std::array<std::pair<uint8_t, Samples>, kMaxTeks> generations{
        {{*sa.older_sequence(), sa.older_expires()}, {*sa.newer_sequence(), sa.newer_expires()}}};
    for (size_t i = 0; i < kMaxTeks; ++i) {
        const auto& [sequence, expires] = generations[i];
        encrypted[i] = wrapped(sa.suite(), *public_key_, *ak, *sa.key(sequence));
        if (!encrypted[i]) return;
        answer.teks.push_back({*encrypted[i], config_.clock.left_s(now, expires), sequence, *sa.cbc_iv(sequence)});
    }
    found->second.asked = true;
    found->second.again.stop();
    answer.code = PkmCode::key_reply;
    ++figures_.key_replies;
    send_signed(*ak, answer);
}

void PkmServer::on_unknown_key(Samples now, uint16_t said) {
    AuthorizationContext* ak = keys_.signing(now);
    if (!ak || !associations_.contains(said) || quiet_.running()) return;
    quiet_.start(now, config_.clock.from_s(kQuietS));
    ++figures_.tek_invalids;
    PkmMessage message;
    message.code = PkmCode::tek_invalid;
    message.said = said;
    message.error = PkmError::invalid_key_sequence;
    send_signed(*ak, message);
}

void PkmServer::add_association(Samples now, uint16_t said, SaType type) {
    Association& association = associations_[said];
    association.type = type;
    if (type == SaType::dynamic) tell(now, said, association);
}

void PkmServer::tell(Samples now, uint16_t said, Association& association) {
    association.again.start(now, config_.clock.from_s(kTellAgainS));
    AuthorizationContext* ak = keys_.signing(now);
    if (!ak || !complete(now, association, said)) return;
    ++figures_.sa_adds;
    PkmMessage message;
    message.code = PkmCode::sa_add;
    message.sas = {{said, association.type, suite_->octets()}};
    send_signed(*ak, message);
}

void PkmServer::remove_association(uint16_t said) {
    if (said != basic_cid_) associations_.erase(said);
}

bool PkmServer::asked_for(uint16_t said) const {
    const auto found = associations_.find(said);
    return found != associations_.end() && found->second.asked;
}

SecurityAssociation* PkmServer::association(uint16_t said) {
    const auto found = associations_.find(said);
    return found == associations_.end() || !found->second.sa ? nullptr : &*found->second.sa;
}

const SecurityAssociation* PkmServer::association(uint16_t said) const {
    const auto found = associations_.find(said);
    return found == associations_.end() || !found->second.sa ? nullptr : &*found->second.sa;
}

std::vector<Buffer> PkmServer::take_messages() { return std::exchange(outbox_, {}); }

}  // namespace wimax::mac::privacy
