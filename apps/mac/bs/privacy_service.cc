// SPDX-License-Identifier: GPL-3.0-or-later
#include "mac/bs/privacy_service.h"

#include "mac/capabilities.h"
#include "mac/privacy/signed_messages.h"
#include "mac/report/flow_status.h"

namespace wimax::mac {

using privacy::Direction, privacy::Proof;

namespace {

bool is_sealed(const Subscriber& station, const ServiceFlowConfig& flow) {
    return station.privacy && !flow.multicast && flow.security_association != FlowAssociation::none;
}

bool has_own_association(const ServiceFlowConfig& flow) {
    return !flow.multicast && flow.security_association == FlowAssociation::own;
}

}  // namespace

bool PrivacyService::on_capabilities(Subscriber& station, const SbcReq& request, SbcRsp& answer) {
    if (config_.policy == PrivacyPolicy::off) return true;
    if (station.privacy) answer.authorization_policy = capability::kPrivacy;
    // Its response was lost, or another station has sent this in the name of an admitted station.
    if (station.privacy || station.registered()) return true;
    const bool has_it = request.authorization_policy.value_or(0) & capability::kPrivacy;
    if (!has_it && config_.policy == PrivacyPolicy::required) {
        ++counters_.no_privacy;
        event_(station.event_source(), "privacy", to_text(station.mac) + " has no privacy, which is required");
        return false;
    }
    if (!has_it) return true;
    answer.authorization_policy = capability::kPrivacy;
    privacy::PkmServerConfig config{
        config_.lifetimes, privacy::suites_of(config_.suites), {clock_.sample_rate_hz}, {}, config_.forms};
    if (config_.key_log)
        config.on_key = [log = config_.key_log, mac = station.mac](uint16_t said, uint8_t sequence, Octets tek) {
            log(mac, said, sequence, tek);
        };
    station.privacy = std::make_unique<StationPrivacy>(config, station.mac, station.basic_cid, clock_, saids_);
    for (const auto& flow : station.config.flows)
        if (has_own_association(flow)) station.privacy->announce_association();
    station.management.finish_with([this, &station](uint16_t, Buffer& message) { sign(station, message); });
    return true;
}

void PrivacyService::receive(Subscriber& station, Octets message) {
    if (!station.privacy) {
        station.count_malformed();
        return;
    }
    privacy::PkmServer& pkm = station.privacy->pkm;
    const auto before = pkm.figures();
    pkm.on_tick(clock_.now);
    pkm.on_message(clock_.now, {*config_.authorities, config_.wall_s()}, message);
    tell(station, before);
    send(station);
}

void PrivacyService::send(Subscriber& station) {
    for (auto& message : station.privacy->pkm.take_messages())
        station.management.push(station.primary_cid, std::move(message));
}

void PrivacyService::tell(Subscriber& station, const privacy::PkmServerFigures& before) {
    const auto& pkm = station.privacy->pkm;
    const auto& now = pkm.figures();
    if (now.authorizations > before.authorizations)
        event_(station.event_source(), "privacy",
               to_text(station.mac) + " is given an authorization key, certificate " + pkm.certificate_serial());
    if (now.auth_rejects > before.auth_rejects) refused(station, now.no_suite > before.no_suite);
    const char* why = now.unreadable > before.unreadable         ? "unreadable"
                      : now.old_keys > before.old_keys           ? "a Key Request with an old key"
                      : now.wrong_digests > before.wrong_digests ? "a Key Request with a wrong digest"
                                                                 : nullptr;
    if (why) event_(station.event_source(), "privacy", to_text(station.mac) + ": PKM message dropped, " + why);
}

void PrivacyService::refused(Subscriber& station, bool by_suite) {
    const auto fault = station.privacy->pkm.certificate_fault();
    uint64_t& counter = fault ? counters_.certificates : by_suite ? counters_.suites : counters_.others;
    ++counter;
    event_(station.event_source(), "privacy",
           to_text(station.mac) + " is not authorized: " +
               (fault      ? privacy::to_string(*fault)
                : by_suite ? "no suite in common"
                           : "another basic CID"));
}

bool PrivacyService::proves(Subscriber& station, Octets message) {
    if (!station.privacy || !privacy::is_signed(message_type(message), Direction::uplink)) return true;
    const Proof proof = station.privacy->pkm.keys().prove(message, Direction::uplink, clock_.now);
    if (proof == Proof::genuine) return true;
    station.privacy->counters.count(proof);
    event_(station.event_source(), "privacy",
           to_text(station.mac) + ": management message dropped, " + privacy::to_string(proof));
    return false;
}

void PrivacyService::sign(Subscriber& station, Buffer& message) const {
    if (!station.privacy) return;
    // Without a common key the message is sent unsigned, and is not obeyed.
    (void)station.privacy->pkm.keys().sign(message, Direction::downlink, clock_.now);
}

const Pdu* PrivacyService::open(Subscriber& station, const std::optional<uint16_t>& said, const Pdu& pdu,
                                phy::FrameNumber frame) {
    const bool expected = said && station.privacy;
    if (!expected && !pdu.header.ec) return &pdu;
    if (!expected) {
        station.count_malformed();
        return nullptr;
    }
    auto& counters = station.privacy->counters.pdus;
    if (!pdu.header.ec) {
        ++counters.unprotected;
        return nullptr;
    }
    privacy::PkmServer& pkm = station.privacy->pkm;
    const Pdu* plain = opener_.open(pkm.association(*said), pdu, frame, counters);
    if (!plain && opener_.last() == privacy::Opened::unknown_key) {
        pkm.on_unknown_key(clock_.now, *said);
        send(station);
    }
    if (!plain)
        event_(station.event_source(), "privacy",
               to_text(station.mac) + ": PDU dropped, " + privacy::to_string(opener_.last()));
    return plain;
}

const char* PrivacyService::run_timers(Subscriber& station) {
    if (!station.privacy) return nullptr;
    station.privacy->pkm.on_tick(clock_.now);
    send(station);
    if (!station.registered() || station.privacy->pkm.authorized(clock_.now)) return nullptr;
    ++counters_.ended;
    return "its authorization has ended";
}

uint32_t PrivacyService::sealing_octets(const Subscriber& station, const ServiceFlowConfig& flow) {
    return is_sealed(station, flow) ? static_cast<uint32_t>(privacy::overhead_octets(station.privacy->suite())) : 0;
}

bool PrivacyService::protect(Subscriber& station, AgreedFlow& flow) {
    flow.config.sealing_octets = sealing_octets(station, flow.config);
    flow.said.reset();
    if (!is_sealed(station, flow.config)) return true;
    StationPrivacy& privacy = *station.privacy;
    flow.said = has_own_association(flow.config) ? privacy.new_association() : privacy.primary_said;
    send(station);  // the station receives the SA before the flow
    return flow.said.has_value();
}

bool PrivacyService::is_ready(const Subscriber& station, const AgreedFlow& flow) {
    return !flow.said || !station.privacy || station.privacy->is_known(*flow.said);
}

void PrivacyService::seal(const Subscriber& station, FlowContext& flow) {
    if (flow.said && flow.transmitter) flow.transmitter->protect(station.privacy->sealer(*flow.said));
}

void PrivacyService::release(const Subscriber& station, const std::optional<uint16_t>& said) {
    if (said && station.privacy) station.privacy->release(*said);
}

}  // namespace wimax::mac
