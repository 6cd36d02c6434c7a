// SPDX-License-Identifier: GPL-3.0-or-later
#include "mac/ss/privacy_agent.h"

#include "mac/capabilities.h"
#include "mac/privacy/signed_messages.h"

namespace wimax::mac {

using privacy::Direction, privacy::Proof;

PrivacyAgent::PrivacyAgent(const SubscriberPrivacy& config, const MacAddress& mac, const Dependencies& dependencies)
    : config_(config),
      mac_(mac),
      clock_(dependencies.clock),
      event_(dependencies.event),
      management_(dependencies.management) {
    management_.queue.finish_with([this](uint16_t, Buffer& message) {
        // Without a key the message is sent unsigned, and is not obeyed.
        if (active_) (void)client_->keys().sign(message, Direction::uplink, clock_.now);
    });
}

PrivacyAgent::Next PrivacyAgent::on_capabilities(const SbcRsp& answer, uint16_t basic_cid, uint16_t primary_cid) {
    const bool has_it = answer.authorization_policy.value_or(0) & capability::kPrivacy;
    if (!offered() || !has_it) {
        if (config_.policy != PrivacyPolicy::required) return Next::registration;
        ++networks_without_;
        return Next::leave;
    }
    if (!client_ || sample_rate_hz_ != clock_.sample_rate_hz) {
        sample_rate_hz_ = clock_.sample_rate_hz;
        privacy::PkmClientConfig config{
            config_.timers, privacy::suites_of(config_.suites), {sample_rate_hz_}, {}, config_.forms};
        if (config_.key_log)
            config.on_key = [this](uint16_t said, uint8_t sequence, Octets tek) {
                config_.key_log(mac_, said, sequence, tek);
            };
        client_.emplace(std::move(config), *config_.credentials);
    }
    active_ = true;
    primary_cid_ = primary_cid;
    management_.queue.may_fragment_on(primary_cid);
    client_->start(clock_.now, basic_cid);
    send();
    return Next::authorization;
}

void PrivacyAgent::run_timers() {
    if (!active_) return;
    const auto before = client_->state();
    client_->on_tick(clock_.now);
    tell(before);
    send();
}

void PrivacyAgent::receive(Octets message) {
    if (!active_) return;
    const auto before = client_->state();
    const auto counted = client_->figures();
    client_->on_message(clock_.now, message);
    tell(before);
    tell(counted);
    send();
}

void PrivacyAgent::send() {
    for (auto& message : client_->take_messages()) management_.queue.push(primary_cid_, std::move(message));
}

void PrivacyAgent::tell(privacy::AuthState before) {
    const auto state = client_->state();
    if (state == before) return;
    const auto refusal = client_->refusal();
    const bool refused = state == privacy::AuthState::reject_wait || state == privacy::AuthState::silent;
    event_("privacy",
           std::string(to_string(state)) + (refused && refusal ? std::string(": ") + to_string(*refusal) : ""));
}

void PrivacyAgent::tell(const privacy::PkmClientFigures& before) {
    const auto& now = client_->figures();
    const char* why = now.unreadable > before.unreadable         ? "unreadable"
                      : now.wrong_digests > before.wrong_digests ? "wrong digest"
                      : now.downgrades > before.downgrades       ? "a suite that was not offered"
                      : now.undecryptable > before.undecryptable ? "keys that cannot be had"
                                                                 : nullptr;
    if (why) event_("privacy", std::string("PKM message dropped, ") + why);
}

void PrivacyAgent::forget() {
    active_ = false;
    sealers_.clear();
    if (client_) client_->stop();
}

bool PrivacyAgent::proves(Octets message) {
    if (!active_ || !privacy::is_signed(message_type(message), Direction::downlink)) return true;
    const Proof proof = client_->keys().prove(message, Direction::downlink, clock_.now);
    if (proof == Proof::genuine) return true;
    counters_.count(proof);
    event_("privacy", std::string("management message dropped, ") + privacy::to_string(proof));
    return false;
}

std::optional<PrivacyFigures> PrivacyAgent::figures() const {
    if (!active_) return std::nullopt;
    const auto& pkm = client_->figures();
    PrivacyFigures s;
    s.state = to_string(client_->state());
    s.take_keys(client_->keys(), client_->association(client_->basic_cid()), client_->figures().times, clock_);
    s.take_counters(pkm, counters_);
    s.downgrades = pkm.downgrades;
    s.associations = client_->associations();
    if (const auto* primary = client_->association(client_->basic_cid())) s.suite = to_string(primary->suite().data);
    return s;
}

bool PrivacyAgent::takes(const std::optional<uint16_t>& said) {
    if (said) return active_ && client_->association(*said);
    return !active_ || config_.policy != PrivacyPolicy::required;
}

PayloadSealer* PrivacyAgent::sealer(uint16_t said) {
    const auto find = [this, said] { return client_->association(said); };
    return &sealers_.try_emplace(said, find, find()->suite(), network_frame_).first->second;
}

void PrivacyAgent::release(uint16_t said) {
    if (!active_ || said == client_->basic_cid()) return;
    sealers_.erase(said);
    client_->remove_association(said);
}

const Pdu* PrivacyAgent::open(const std::optional<uint16_t>& said, const Pdu& pdu, phy::FrameNumber frame) {
    if (!said && !pdu.header.ec) return &pdu;
    if (!pdu.header.ec) {
        ++counters_.pdus.unprotected;
        return nullptr;
    }
    const Pdu* plain =
        opener_.open(said && active_ ? client_->association(*said) : nullptr, pdu, frame, counters_.pdus);
    if (!plain && said && active_ && opener_.last() == privacy::Opened::unknown_key) {
        client_->on_unknown_key(clock_.now, *said);
        send();
    }
    if (!plain) event_("privacy", std::string("PDU dropped, ") + privacy::to_string(opener_.last()));
    return plain;
}

}  // namespace wimax::mac
