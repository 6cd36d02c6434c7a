// SPDX-License-Identifier: GPL-3.0-or-later
// Input that PKM refuses at either end: certificates, digests, recorded, late
// and unsolicited messages.
#include "mac/privacy/test_pkm_link.h"

namespace wimax::mac::privacy {
namespace {

using namespace test;

class PkmFaults : public ::testing::Test {
protected:
    /// Until the station has its keys.
    static void enter(PkmLink& link) {
        link.start();
        ASSERT_TRUE(link.run_until([&] { return link.client.operational(); }, 5000));
        link.run(1000);
    }
    static void expect_undisturbed(PkmLink& link) {
        const auto up = link.up, down = link.down;
        link.run(50'000);
        EXPECT_EQ(link.up.opened - up.opened, link.up.sent - up.sent);
        EXPECT_EQ(link.down.opened - down.opened, link.down.sent - down.sent);
        EXPECT_FALSE(link.nonce_twice);
    }
};

// ---- certificates ----

struct Refused {
    MadeCertificate station;
    std::string revoked;
    CertificateFault fault;
    bool permanent;
};

void expect_refused(const Refused& refused) {
    SCOPED_TRACE(to_string(refused.fault));
    PkmLink link({.revoked = refused.revoked, .station = &refused.station});
    link.start();
    link.run(3000);
    EXPECT_EQ(link.server.certificate_fault(), refused.fault);
    EXPECT_EQ(link.server.figures().auth_rejects, 1u);
    EXPECT_EQ(link.client.refusal(), refused.permanent ? PkmError::permanent : PkmError::unauthorized_ss);
    EXPECT_EQ(link.client.state(), refused.permanent ? AuthState::silent : AuthState::reject_wait);
    EXPECT_FALSE(link.client.operational());
    EXPECT_EQ(link.server.association(kBasicCid), nullptr);
    // It may pass: asked again after the reject wait timer, and not before.
    link.run(55'000);
    EXPECT_EQ(link.server.figures().auth_requests, 1u);
    link.run(5000);
    EXPECT_EQ(link.server.figures().auth_requests, refused.permanent ? 1u : 2u);
}

TEST_F(PkmFaults, CertificatesThatAreNotTaken) {
    const TestAuthority& lab = Lab::one().authority;
    expect_refused({TestAuthority("Other CA").station(), "", CertificateFault::unknown_issuer, true});
    expect_refused({TestAuthority("Lab CA").station(), "", CertificateFault::wrong_signature, true});
    expect_refused({lab.station({.to = kNow - 1}), "", CertificateFault::expired, false});
    expect_refused({lab.station({.from = kNow + 60}), "", CertificateFault::not_yet_valid, false});
    expect_refused({lab.station({.serial = 5}), lab.revoked({5}), CertificateFault::revoked, true});
    // A clone: another station's certificate in the name of this one's address.
    expect_refused({lab.station({.common_name = "02:00:00:00:00:02"}), "", CertificateFault::other_station, true});
}

TEST_F(PkmFaults, ACloneWithTheStationsOwnCertificateLearnsNoKey) {
    // A certificate is no secret: the clone sends it, and lacks the key to the answer.
    const MadeCertificate stranger = Lab::one().authority.station();
    PkmLink link;
    link.credentials.private_key = KeyPair(EVP_PKEY_dup(stranger.key.get()));
    link.start();
    link.run(30'000);
    EXPECT_GE(link.client.figures().undecryptable, 1u);
    EXPECT_EQ(link.client.state(), AuthState::auth_wait);
    EXPECT_EQ(link.server.figures().key_replies, 0u);
    // Repeated requests get the same new key.
    EXPECT_GE(link.server.figures().auth_requests, 3u);
    EXPECT_EQ(link.server.figures().authorizations, 1u);
}

TEST_F(PkmFaults, NoSuiteInCommon) {
    PkmLink link({.station_suites = {kDesCbc}, .base_suites = {kAesCcm}});
    link.start();
    link.run(3000);
    EXPECT_EQ(link.client.state(), AuthState::silent);
    EXPECT_EQ(link.server.figures().no_suite, 1u);
}

TEST_F(PkmFaults, ASuiteThatWasNotOfferedIsADowngrade) {
    PkmLink link({.station_suites = {kAesCcm, kDesCbc}, .base_suites = {kDesCbc}});
    link.start();
    link.run(kStepMs);
    // The base station receives the same request, but the station no longer accepts DES.
    PkmClient strict({{}, {kAesCcm}, {1000}, {}}, link.credentials);
    strict.start(link.now, kBasicCid);
    link.run(kStepMs);
    strict.on_message(link.now, link.last(PkmCode::auth_reply).octets);
    EXPECT_EQ(strict.figures().downgrades, 1u);
    EXPECT_EQ(strict.state(), AuthState::reject_wait);
    EXPECT_EQ(strict.association(kBasicCid), nullptr);
}

TEST_F(PkmFaults, AForgedRequestDoesNotChangeTheSuiteInUse) {
    PkmLink link({.base_suites = {kAesCcm, kDesCbc}});
    enter(link);
    PkmMessage forged;
    forged.code = PkmCode::auth_request;
    forged.identifier = 200;
    forged.ss_certificate = link.credentials.certificate;
    forged.said = kBasicCid;
    forged.suites = {kDesCbc.octets()};
    Buffer octets;
    encode_pkm(forged, octets);
    link.server.on_message(link.now, {link.trusted, kNow}, octets);
    EXPECT_EQ(link.server.figures().no_suite, 1u);
    EXPECT_EQ(link.server.suite(), kAesCcm);
    expect_undisturbed(link);
}

// ---- digests ----

TEST_F(PkmFaults, AKeyRequestWithAWrongDigestIsAnsweredOnceASecond) {
    PkmLink link;
    enter(link);
    PkmLink::Message forged = link.last(PkmCode::key_request);
    forged.octets.back() ^= 1;
    for (int i = 0; i < 8; ++i) {
        link.server.on_message(link.now, {link.trusted, kNow}, forged.octets);
        link.run(kStepMs);
    }
    EXPECT_EQ(link.server.figures().wrong_digests, 8u);
    EXPECT_EQ(link.server.figures().auth_invalids, 2u);
    // The station requests another key, as Auth Invalid demands.
    EXPECT_GE(link.client.figures().auth_invalids, 1u);
    expect_undisturbed(link);
    EXPECT_LE(link.server.figures().authorizations, 2u);
}

TEST_F(PkmFaults, ChangedAnswersAreDropped) {
    PkmLink link;
    link.start();
    ASSERT_TRUE(link.run_until([&] { return link.count(PkmCode::key_reply) > 0; }, 5000));
    const Buffer genuine = link.last(PkmCode::key_reply).octets;
    link.in_flight.clear();
    for (size_t i = 1; i < genuine.size(); ++i) {
        Buffer changed = genuine;
        changed[i] ^= 0x01;
        link.client.on_message(link.now, changed);
    }
    EXPECT_FALSE(link.client.operational());
    EXPECT_GT(link.client.figures().wrong_digests, 50u);
    EXPECT_EQ(link.client.figures().wrong_digests + link.client.figures().unreadable, genuine.size() - 1);
    link.client.on_message(link.now, genuine);
    EXPECT_TRUE(link.client.operational());
}

TEST_F(PkmFaults, SignedMessagesOfTheBaseStationNeedItsKey) {
    PkmLink link;
    enter(link);
    AuthorizationContext& ak = *link.client.keys().newest(link.now);
    PkmMessage message;
    message.code = PkmCode::tek_invalid;
    message.said = kBasicCid;
    message.error = PkmError::invalid_key_sequence;
    message.key_sequence = ak.sequence;
    Buffer octets;
    encode_pkm(message, octets);
    Buffer by_station = octets;
    ASSERT_TRUE(sign_pkm(by_station, ak.uplink));  // the other direction's
    link.client.on_message(link.now, by_station);
    EXPECT_EQ(link.client.figures().wrong_digests, 1u);
    EXPECT_EQ(link.client.tek_state(kBasicCid), TekState::operational);
    ASSERT_TRUE(sign_pkm(octets, ak.downlink));
    link.client.on_message(link.now, octets);
    EXPECT_EQ(link.client.figures().tek_invalids, 1u);
    EXPECT_EQ(link.client.tek_state(kBasicCid), TekState::op_wait);
    EXPECT_FALSE(link.client.operational());
    link.run(1000);
    EXPECT_TRUE(link.client.operational());
    EXPECT_FALSE(link.nonce_twice);
}

// ---- what was recorded ----

TEST_F(PkmFaults, WhatWasRecordedChangesNothingLater) {
    // Everything that either end has said so far, said again at many moments.
    PkmLink link;
    enter(link);
    for (int moment = 0; moment < 30; ++moment) {
        const auto recorded = link.sent;
        for (const auto& message : recorded) link.deliver(message);
        link.run(2250);
    }
    EXPECT_EQ(link.up.opened, link.up.sent);
    EXPECT_EQ(link.down.opened, link.down.sent);
    EXPECT_EQ(link.up.unprotected + link.down.unprotected, 0u);
    EXPECT_FALSE(link.nonce_twice);
    EXPECT_GT(link.client.figures().unexpected, 100u);
    // No more than one key beyond the one in force was made for all the requests.
    EXPECT_LE(link.server.figures().authorizations, 3u);
}

TEST_F(PkmFaults, ARecordedKeyReplyDoesNotBringItsKeysBack) {
    // Under one AK identifiers wrap after 256 requests, and numbers of TEKs after four. If both match, the old reply is
    // refused only for its keys.
    PkmLink link({.lifetimes = {.ak_s = 100'000, .tek_s = 20}});
    enter(link);
    const Buffer old = link.last(PkmCode::key_reply).octets;
    ASSERT_TRUE(link.run_until([&] { return link.server.figures().rekeyings == 3; }));
    for (int i = 0; i < 300; ++i) {
        link.client.on_unknown_key(link.now, kBasicCid);
        link.client.on_message(link.now, old);
        link.run(1250);
    }
    EXPECT_EQ(link.client.figures().undecryptable, 1u);
    EXPECT_GT(link.client.figures().unexpected, 250u);
    EXPECT_EQ(link.client.figures().wrong_digests, 0u);
    EXPECT_EQ(link.up.opened, link.up.sent);
    EXPECT_EQ(link.down.opened, link.down.sent);
    EXPECT_FALSE(link.nonce_twice);
}

TEST_F(PkmFaults, AStationThatMissedGenerationsHasItsKeysAgain) {
    PkmLink link({.lifetimes = {.ak_s = 100'000, .tek_s = 20}});
    enter(link);
    for (int missed = 1; missed <= 5; ++missed) {
        const uint64_t rekeyings = link.server.figures().rekeyings;
        for (size_t i = link.sent.size(); i < 10'000; ++i) link.fates[i] = Fate::lost;
        ASSERT_TRUE(link.run_until([&] { return link.server.figures().rekeyings == rekeyings + missed; }));
        link.fates.clear();
        link.run(5000);
        const auto up = link.up, down = link.down;
        link.run(2000);
        EXPECT_EQ(link.up.opened - up.opened, 8u);
        EXPECT_EQ(link.down.opened - down.opened, 8u);
    }
    EXPECT_FALSE(link.nonce_twice);
}

TEST_F(PkmFaults, ReplayedPdus) {
    PkmLink link;
    enter(link);
    EXPECT_EQ(PkmLink::opened(*link.server.association(kBasicCid), link.last_up), Opened::replayed);
    EXPECT_EQ(PkmLink::opened(*link.client.association(kBasicCid), link.last_down), Opened::replayed);
    // Reflected to its sender, it is no PDU of the other end.
    EXPECT_EQ(PkmLink::opened(*link.client.association(kBasicCid), link.last_up), Opened::forged);
    EXPECT_EQ(PkmLink::opened(*link.server.association(kBasicCid), link.last_down), Opened::forged);
    const Buffer up = link.last_up, down = link.last_down;
    link.run(25'000);
    EXPECT_EQ(PkmLink::opened(*link.server.association(kBasicCid), up), Opened::unknown_key);
    EXPECT_EQ(PkmLink::opened(*link.client.association(kBasicCid), down), Opened::unknown_key);
}

// ---- floods ----

TEST_F(PkmFaults, PdusOfUnknownKeysBringOneRequestASecond) {
    PkmLink link;
    enter(link);
    const uint64_t requests = link.client.figures().key_requests;
    for (int i = 0; i < 40; ++i) {
        link.client.on_unknown_key(link.now, kBasicCid);
        link.server.on_unknown_key(link.now, kBasicCid);
        link.run(kStepMs / 2);
    }
    EXPECT_LE(link.client.figures().key_requests - requests, 25u);
    EXPECT_LE(link.server.figures().tek_invalids, 11u);
}

TEST_F(PkmFaults, ForgedAuthInvalidsCostNoKey) {
    PkmLink link;
    enter(link);
    PkmMessage message;
    message.code = PkmCode::auth_invalid;
    message.error = PkmError::unsolicited;
    Buffer octets;
    encode_pkm(message, octets);
    for (int i = 0; i < 40; ++i) {
        link.client.on_message(link.now, octets);
        link.run(kStepMs);
    }
    EXPECT_EQ(link.up.opened, link.up.sent);
    EXPECT_EQ(link.down.opened, link.down.sent);
    EXPECT_LE(link.server.figures().authorizations, 2u);
    expect_undisturbed(link);
}

TEST_F(PkmFaults, RubbishIsCounted) {
    PkmLink link;
    enter(link);
    const Buffer request = link.last(PkmCode::auth_request).octets, reply = link.last(PkmCode::auth_reply).octets;
    for (size_t length = 0; length < request.size(); ++length)
        link.server.on_message(link.now, {link.trusted, kNow}, Octets(request).first(length));
    for (size_t length = 0; length < reply.size(); ++length)
        link.client.on_message(link.now, Octets(reply).first(length));
    EXPECT_EQ(link.server.figures().unreadable, request.size());
    EXPECT_EQ(link.client.figures().unreadable, reply.size());
    // Each at the wrong end.
    link.server.on_message(link.now, {link.trusted, kNow}, reply);
    link.client.on_message(link.now, request);
    EXPECT_EQ(link.server.figures().unreadable, request.size() + 1);
    EXPECT_EQ(link.client.figures().unreadable, reply.size() + 1);
    expect_undisturbed(link);
}

// ---- time ----

TEST_F(PkmFaults, TimersOfTheStation) {
    PkmLink link(
        {.timers = {.authorize_wait_s = 3, .reauthorize_wait_s = 5, .authorization_grace_s = 20, .tek_grace_s = 4}});
    for (size_t i = 0; i < 9; ++i) link.fates[i] = Fate::lost;  // information, request: four times, and one more
    link.start();
    std::vector<Samples> requests;
    link.run_until([&] { return link.client.operational(); }, 30'000);
    std::set<uint8_t> identifiers;
    for (const auto& message : link.sent)
        if (message.octets[1] == static_cast<uint8_t>(PkmCode::auth_request)) {
            requests.push_back(message.due);
            identifiers.insert(message.octets[2]);
        }
    EXPECT_EQ(requests, (std::vector<Samples>{0, 3000, 6000, 9000, 12'000}));
    EXPECT_EQ(identifiers.size(), 1u);  // the same request again
    // 40 s later it is the next key's turn.
    ASSERT_TRUE(link.run_until([&] { return link.client.state() == AuthState::reauth_wait; }));
    const Samples asked = link.now;
    EXPECT_NEAR(static_cast<double>(asked), 12'500 + 40'000, 1000);
    link.in_flight.clear();
    const size_t before = link.count(PkmCode::auth_request);
    ASSERT_TRUE(link.run_until([&] { return link.count(PkmCode::auth_request) > before; }));
    EXPECT_EQ(link.now - asked, 5000);
    link.run(1000);
    EXPECT_EQ(link.client.state(), AuthState::authorized);
}

TEST_F(PkmFaults, WithoutABaseStationKeysEndAndNothingGoesUnprotected) {
    PkmLink link;
    enter(link);
    for (size_t i = link.sent.size(); i < 1000; ++i) link.fates[i] = Fate::lost;
    link.run(70'000);
    EXPECT_EQ(link.client.state(), AuthState::reauth_wait);
    EXPECT_FALSE(link.client.operational());
    EXPECT_EQ(link.client.association(kBasicCid)->eks_to_send(), std::nullopt);
    // The base station had no contact either: its AK has ended, and with it all TEKs.
    EXPECT_FALSE(link.server.authorized(link.now));
    EXPECT_EQ(link.server.association(kBasicCid)->eks_to_send(), std::nullopt);
    // The station recovers.
    link.fates.clear();
    ASSERT_TRUE(link.run_until([&] { return link.client.operational(); }, 15'000));
    link.run(2000);
    const auto up = link.up, down = link.down;
    link.run(50'000);
    EXPECT_EQ(link.up.opened - up.opened, link.up.sent - up.sent);
    EXPECT_EQ(link.down.opened - down.opened, link.down.sent - down.sent);
    EXPECT_FALSE(link.nonce_twice);
}

TEST_F(PkmFaults, ARequestUnderAnEndedKeyIsInvalid) {
    PkmLink link;
    enter(link);
    const Buffer old = link.last(PkmCode::key_request).octets;
    // Both keys are in force during the grace, the first one no longer.
    ASSERT_TRUE(link.run_until([&] { return link.server.figures().authorizations == 2; }));
    link.run(1000);
    link.server.on_message(link.now, {link.trusted, kNow}, old);
    EXPECT_EQ(link.server.figures().old_keys, 0u);
    link.run(25'000);
    link.server.on_message(link.now, {link.trusted, kNow}, old);
    EXPECT_EQ(link.server.figures().old_keys, 1u);
    EXPECT_EQ(link.server.figures().auth_invalids, 1u);
}

TEST_F(PkmFaults, AStationThatIsAskedToMayChangeItsKey) {
    PkmLink link;
    enter(link);
    link.client.reauthorize(link.now);
    EXPECT_EQ(link.client.state(), AuthState::reauth_wait);
    link.run(1000);
    EXPECT_EQ(link.client.state(), AuthState::authorized);
    EXPECT_EQ(link.client.figures().authorizations, 2u);
    expect_undisturbed(link);
}

TEST_F(PkmFaults, SilentEndsByEnteringAnewAlone) {
    const MadeCertificate stranger = TestAuthority("Other CA").station();
    PkmLink link({.station = &stranger});
    link.start();
    link.run(300'000);
    EXPECT_EQ(link.client.state(), AuthState::silent);
    EXPECT_EQ(link.server.figures().auth_requests, 1u);
    link.client.start(link.now, kBasicCid);
    EXPECT_EQ(link.client.state(), AuthState::auth_wait);
    EXPECT_EQ(link.client.refusal(), std::nullopt);
}

}  // namespace
}  // namespace wimax::mac::privacy
