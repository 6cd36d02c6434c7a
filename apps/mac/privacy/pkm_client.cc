// SPDX-License-Identifier: GPL-3.0-or-later
#include "mac/privacy/pkm_client.h"
#include "mac/privacy/key_wrap.h"
#include "mac/privacy/rsa_key.h"

namespace wimax::mac::privacy {
namespace {

/// Lifetimes are received in whole seconds, and so end up to one second early here.
constexpr uint32_t kLifetimeRoundingS = 1;

/// The message has the digest of an authorization key that is in force.
bool is_signed(AuthorizationKeys& keys, Samples now, Octets octets, const PkmMessage& message) {
    AuthorizationContext* ak = keys.find(*message.key_sequence, now);
    return ak && is_signed_by(octets, message, ak->downlink);
}

/// The suite, if it is one of those that the station offers.
std::optional<Suite> offered(const std::vector<Suite>& suites, const SuiteOctets& octets) {
    const auto suite = suite_of(octets);
    if (!suite) return std::nullopt;
    for (const Suite& own : suites)
        if (own.same_as(*suite)) return suite;
    return std::nullopt;
}

std::optional<TrafficKey> unwrapped(const StationCredentials& credentials, const Suite& suite,
                                    const KeyEncryptionKey& kek, Octets wrapped) {
    if (suite.tek != TekEncryption::rsa) return unwrap_tek(suite.tek, kek, wrapped);
    Secret<TrafficKey::kDesOctets> key;
    if (!decrypt_with(*credentials.private_key, wrapped, key.writable())) return std::nullopt;
    return TrafficKey::of(key.octets());
}

}  // namespace

PkmClient::PkmClient(PkmClientConfig config, const StationCredentials& credentials)
    : config_(std::move(config)), credentials_(credentials) {}

void PkmClient::start(Samples now, uint16_t basic_cid) {
    stop();
    basic_cid_ = basic_cid;
    apply(now, AuthEvent::start_of_communication);
}

void PkmClient::stop() {
    state_ = AuthState::start;
    wait_.stop();
    grace_.stop();
    keys_.drop();
    teks_.clear();
    outbox_.clear();
    refusal_.reset();
}

void PkmClient::on_tick(Samples now) {
    if (wait_.expired(now)) {
        apply(now, AuthEvent::timeout);
        if (state_ == AuthState::start) apply(now, AuthEvent::start_of_communication);
    }
    if (grace_.expired(now)) apply(now, AuthEvent::grace_timeout);
    for (auto& [said, tek] : teks_) {
        (void)tek.quiet.expired(now);
        if (tek.retry.expired(now)) apply(now, tek, TekEvent::timeout);
        if (tek.refresh.expired(now) || (tek.state == TekState::operational && tek.sa.nearly_used_up()))
            apply(now, tek, TekEvent::refresh_timeout);
        tek.sa.expire(now, config_.clock.from_s(kLifetimeRoundingS));
    }
}

void PkmClient::apply(Samples now, AuthEvent event) {
    const auto to = step(state_, event);
    if (!to) return;
    state_ = to->next;
    wait_.stop();
    const auto& timers = config_.timers;
    if (state_ == AuthState::auth_wait) wait_.start(now, config_.clock.from_s(timers.authorize_wait_s));
    if (state_ == AuthState::reauth_wait) wait_.start(now, config_.clock.from_s(timers.reauthorize_wait_s));
    if (state_ == AuthState::reject_wait) wait_.start(now, config_.clock.from_s(timers.authorize_reject_wait_s));
    if (state_ != AuthState::authorized) grace_.stop();
    if (to->actions & action::kStopTeks) {
        tell_teks(now, TekEvent::stop);
        keys_.drop();
    }
    if (to->actions & action::kAuthPend) tell_teks(now, TekEvent::auth_pend);
    if (to->actions & action::kAuthComp) tell_teks(now, TekEvent::auth_comp);
    send_auth(to->actions);
}

void PkmClient::tell_teks(Samples now, TekEvent event) {
    for (auto& [said, tek] : teks_) apply(now, tek, event);
}

void PkmClient::apply(Samples now, Tek& tek, TekEvent event) {
    const auto to = step(tek.state, event);
    if (!to) return;
    tek.state = to->next;
    tek.retry.stop();
    if (to->actions & action::kSuspendKeys) tek.sa.suspend();
    const auto& timers = config_.timers;
    if (tek.state == TekState::op_wait) tek.retry.start(now, config_.clock.from_s(timers.operational_wait_s));
    if (tek.state == TekState::rekey_wait) tek.retry.start(now, config_.clock.from_s(timers.rekey_wait_s));
    if (tek.state != TekState::operational) tek.refresh.stop();
    if (to->actions & action::kSendRequest) send_key_request(now, tek, true);
    if (to->actions & action::kRepeatRequest) send_key_request(now, tek, false);
}

void PkmClient::send_auth(uint16_t actions) {
    if (actions & action::kSendInfo) {
        PkmMessage info;
        info.code = PkmCode::auth_info;
        info.identifier = ++identifier_;
        info.ca_certificate = credentials_.ca_certificate;
        encode_pkm(info, outbox_.emplace_back());
    }
    if (!(actions & (action::kSendRequest | action::kRepeatRequest))) return;
    if (actions & action::kSendRequest) auth_identifier_ = ++identifier_;
    PkmMessage request;
    request.code = PkmCode::auth_request;
    request.identifier = auth_identifier_;
    request.ss_certificate = credentials_.certificate;
    request.said = basic_cid_;
    for (const Suite& suite : config_.suites) request.suites.push_back(suite.octets());
    encode_pkm(request, outbox_.emplace_back());
    ++figures_.auth_requests;
}

void PkmClient::send_key_request(Samples now, Tek& tek, bool anew) {
    AuthorizationContext* ak = keys_.newest(now);
    if (!ak) return;  // the grace timer has requested another long ago
    if (anew) tek.identifier = ++identifier_;
    PkmMessage request;
    request.code = PkmCode::key_request;
    request.identifier = tek.identifier;
    request.key_sequence = ak->sequence;
    request.said = tek.sa.said();
    Buffer octets;
    encode_pkm(request, octets);
    if (!sign_pkm(octets, ak->uplink)) return;
    outbox_.push_back(std::move(octets));
    ++figures_.key_requests;
}

void PkmClient::on_message(Samples now, Octets octets) {
    const auto message = decode_pkm(octets);
    if (!message || is_request(message->code)) {
        ++figures_.unreadable;
        return;
    }
    if (needs_digest(message->code) && !is_signed(keys_, now, octets, *message)) {
        ++figures_.wrong_digests;
        return;
    }
    switch (message->code) {
        case PkmCode::auth_reply: return on_auth_reply(now, *message);
        case PkmCode::auth_reject: return on_reject(now, *message);
        case PkmCode::auth_invalid: ++figures_.auth_invalids; return apply(now, AuthEvent::auth_invalid);
        case PkmCode::key_reply:
        case PkmCode::key_reject: return on_key_answer(now, *message);
        case PkmCode::tek_invalid: {
            ++figures_.tek_invalids;
            const auto tek = teks_.find(*message->said);
            if (tek != teks_.end()) apply(now, tek->second, TekEvent::tek_invalid);
            return;
        }
        case PkmCode::sa_add: return on_sa_add(now, *message);
        default: return;
    }
}

void PkmClient::on_auth_reply(Samples now, const PkmMessage& message) {
    const bool waits = state_ == AuthState::auth_wait || state_ == AuthState::reauth_wait;
    if (!waits || message.identifier != auth_identifier_) {
        ++figures_.unexpected;
        return;
    }
    for (const auto& sa : message.sas) {
        if (offered(config_.suites, sa.suite)) continue;
        ++figures_.downgrades;
        return apply(now, AuthEvent::auth_reject);
    }
    AuthorizationKey ak;
    if (!decrypt_with(*credentials_.private_key, message.auth_key, ak.writable())) {
        ++figures_.undecryptable;
        return;
    }
    const Samples lifetime = config_.clock.from_s(*message.key_lifetime_s);
    if (!keys_.add(ak, *message.key_sequence, now + lifetime, true)) return;
    ++figures_.authorizations;
    figures_.times.ak = now;
    refusal_.reset();
    apply(now, AuthEvent::auth_reply);
    // A lifetime shorter than the grace leaves half of it.
    const Samples grace = std::min(config_.clock.from_s(config_.timers.authorization_grace_s), lifetime / 2);
    grace_.start(now, lifetime - grace);
    for (auto& [said, tek] : teks_) tek.wanted = false;
    for (const auto& sa : message.sas) add_association(now, sa);
    for (auto& [said, tek] : teks_)
        if (!tek.wanted) apply(now, tek, TekEvent::stop);
}

void PkmClient::add_association(Samples now, const SaDescriptor& descriptor) {
    const auto suite = offered(config_.suites, descriptor.suite);
    if (!suite) return;
    const auto found = teks_.find(descriptor.said);
    if (found != teks_.end() && found->second.sa.suite() != *suite) teks_.erase(found);
    const auto [tek, is_new] = teks_.try_emplace(
        descriptor.said, Tek{{descriptor.said, *suite, Direction::uplink, config_.forms}, {}, {}, {}, {}, 0, true});
    tek->second.wanted = true;
    apply(now, tek->second, TekEvent::authorized);
}

void PkmClient::on_sa_add(Samples now, const PkmMessage& message) {
    ++figures_.sa_adds;
    for (const auto& sa : message.sas) {
        if (!offered(config_.suites, sa.suite)) ++figures_.downgrades;
        add_association(now, sa);
    }
}

void PkmClient::remove_association(uint16_t said) {
    if (said != basic_cid_) teks_.erase(said);
}

void PkmClient::on_reject(Samples now, const PkmMessage& message) {
    const bool waits = state_ == AuthState::auth_wait || state_ == AuthState::reauth_wait;
    if (!waits || message.identifier != auth_identifier_) {
        ++figures_.unexpected;
        return;
    }
    ++figures_.auth_rejects;
    refusal_ = *message.error;
    apply(now, message.error == PkmError::permanent ? AuthEvent::permanent_reject : AuthEvent::auth_reject);
}

void PkmClient::on_key_answer(Samples now, const PkmMessage& message) {
    const auto found = teks_.find(*message.said);
    const bool waits = found != teks_.end() &&
                       (found->second.state == TekState::op_wait || found->second.state == TekState::rekey_wait);
    if (!waits || message.identifier != found->second.identifier) {
        ++figures_.unexpected;
        return;
    }
    Tek& tek = found->second;
    if (message.code == PkmCode::key_reject) {
        ++figures_.key_rejects;
        return apply(now, tek, TekEvent::key_reject);
    }
    const AuthorizationContext* ak = keys_.find(*message.key_sequence, now);
    if (!ak || !take_keys(now, tek, message, ak->kek)) {
        ++figures_.undecryptable;
        return;
    }
    ++figures_.key_replies;
    apply(now, tek, TekEvent::key_reply);
    const Samples left = tek.sa.newer_expires() - now;
    const Samples grace = std::min(config_.clock.from_s(config_.timers.tek_grace_s), left / 2);
    tek.refresh.start(now, left - grace);
}

bool PkmClient::take_keys(Samples now, Tek& tek, const PkmMessage& message, const KeyEncryptionKey& kek) {
    if (message.teks.size() != kMaxTeks) return false;
    std::array<std::optional<TrafficKey>, kMaxTeks> keys;
    for (size_t i = 0; i < kMaxTeks; ++i) {
        keys[i] = unwrapped(credentials_, tek.sa.suite(), kek, message.teks[i].tek);
        if (!keys[i]) return false;
    }
    for (size_t i = 0; i < kMaxTeks; ++i) {
        const auto& given = message.teks[i];
        const Samples expires = now + config_.clock.from_s(given.lifetime_s);
        const TrafficKey* known = tek.sa.key(given.sequence);
        const bool is_new = !known || !(*known == *keys[i]);
        if (!tek.sa.install(*keys[i], given.sequence, expires, given.cbc_iv)) return false;
        if (is_new && tek.sa.said() == basic_cid_) figures_.times.tek = now;
        if (is_new && config_.on_key) config_.on_key(tek.sa.said(), given.sequence, keys[i]->octets());
    }
    return true;
}

void PkmClient::on_unknown_key(Samples now, uint16_t said) {
    const auto tek = teks_.find(said);
    if (tek == teks_.end() || tek->second.quiet.running()) return;
    tek->second.quiet.start(now, config_.clock.from_s(config_.timers.rekey_wait_s));
    // Any sender can send such a PDU: keys are requested, but present ones stay.
    apply(now, tek->second, TekEvent::refresh_timeout);
}

void PkmClient::reauthorize(Samples now) { apply(now, AuthEvent::reauthenticate); }

std::optional<TekState> PkmClient::tek_state(uint16_t said) const {
    const auto tek = teks_.find(said);
    if (tek == teks_.end()) return std::nullopt;
    return tek->second.state;
}

bool PkmClient::operational() const {
    const auto primary = teks_.find(basic_cid_);
    return primary != teks_.end() && primary->second.sa.has_key();
}

SecurityAssociation* PkmClient::association(uint16_t said) {
    const auto tek = teks_.find(said);
    return tek == teks_.end() ? nullptr : &tek->second.sa;
}

const SecurityAssociation* PkmClient::association(uint16_t said) const {
    const auto tek = teks_.find(said);
    return tek == teks_.end() ? nullptr : &tek->second.sa;
}

std::vector<Buffer> PkmClient::take_messages() { return std::exchange(outbox_, {}); }

}  // namespace wimax::mac::privacy
