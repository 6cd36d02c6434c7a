// SPDX-License-Identifier: GPL-3.0-or-later
// Both ends of PKM over a link that loses, doubles and delays: entry, TEKs
// every 10 s, an AK every 40 s, and a PDU each way in each step. Whatever happens to the messages, no PDU is lost, none
// is sent unprotected, and no nonce repeats.
#include "mac/privacy/test_pkm_link.h"

namespace wimax::mac::privacy {
namespace {

using namespace test;

constexpr Samples kRunMs = 100'000;
constexpr std::array kFates{Fate::lost, Fate::doubled, Fate::late, Fate::too_late};

struct Outcome {
    size_t messages = 0;
    uint64_t authorizations = 0, rekeyings = 0;
};

std::string str(const std::map<size_t, Fate>& fates) {
    constexpr const char* names[] = {"arrives", "lost", "doubled", "late", "too late"};
    std::string out;
    for (const auto& [number, fate] : fates)
        out += " " + std::to_string(number) + " " + names[static_cast<unsigned>(fate)];
    return out;
}

Outcome run(const std::map<size_t, Fate>& fates, const LinkConfig& config = {}) {
    SCOPED_TRACE("messages" + str(fates));
    PkmLink link(config);
    link.fates = fates;
    link.start();
    link.run(kRunMs);
    EXPECT_TRUE(link.client.operational());
    EXPECT_TRUE(link.server.authorized(link.now));
    for (const auto* traffic : {&link.up, &link.down}) {
        EXPECT_GT(traffic->sent, 200u);
        EXPECT_EQ(traffic->unprotected, 0u);
        EXPECT_EQ(traffic->opened, traffic->sent);
    }
    EXPECT_FALSE(link.nonce_twice);
    EXPECT_EQ(link.client.figures().undecryptable, 0u);
    EXPECT_EQ(link.client.figures().wrong_digests + link.server.figures().wrong_digests, 0u);
    EXPECT_EQ(link.client.figures().unreadable + link.server.figures().unreadable, 0u);
    EXPECT_EQ(link.server.figures().auth_invalids + link.server.figures().tek_invalids, 0u);
    return {link.sent.size(), link.client.figures().authorizations, link.server.figures().rekeyings};
}

TEST(PkmExchange, EntersAndRekeys) {
    const Outcome clean = run({});
    // Authorized at once, after 40 and 100 s; of the 20 s of a TEK one ends every 10 s.
    EXPECT_EQ(clean.authorizations, 2u);
    EXPECT_EQ(clean.rekeyings, 9u);
    EXPECT_LT(clean.messages, 40u);
}

/// Root, manufacturer, station. The Auth Info with the manufacturer's certificate may be lost: it is repeated.
TEST(PkmExchange, AManufacturersStationEnters) {
    const TestAuthority maker("Maker", Lab::one().authority, {.serial = 7, .to = kNow + 10 * kDay, .authority = true});
    const auto station = maker.station();
    const LinkConfig config{.station = &station, .issuer = maker.pem_text()};
    run({}, config);
    for (const Fate fate : {Fate::lost, Fate::late}) {
        PkmLink link(config);
        link.fates = {{0, fate}};
        link.start();
        link.run(2 * kRunMs);
        EXPECT_TRUE(link.client.operational());
        EXPECT_TRUE(link.server.authorized(link.now));
    }
    const LinkConfig without{.station = &station};  // sends the root as its issuer
    PkmLink link(without);
    link.start();
    link.run(kRunMs);
    EXPECT_FALSE(link.server.authorized(link.now));
    EXPECT_EQ(link.server.certificate_fault(), CertificateFault::unknown_issuer);
}

TEST(PkmExchange, EveryMessageLostDoubledOrLate) {
    const size_t messages = run({}).messages;
    for (size_t i = 0; i < messages && !::testing::Test::HasFailure(); ++i)
        for (const Fate fate : kFates) {
            const Outcome outcome = run({{i, fate}});
            // Each fate costs at most four messages, and no additional keys.
            EXPECT_LE(outcome.messages, messages + 4);
            EXPECT_LE(outcome.authorizations, 2u);
            EXPECT_LE(outcome.rekeyings, 9u);
        }
}

TEST(PkmExchange, EveryTwoMessagesThatAreClose) {
    const size_t messages = run({}).messages;
    for (size_t i = 0; i < messages && !::testing::Test::HasFailure(); ++i)
        for (size_t j = i + 1; j <= i + 2; ++j)
            for (const Fate first : {Fate::lost, Fate::doubled, Fate::too_late})
                for (const Fate second : {Fate::lost, Fate::late, Fate::too_late})
                    EXPECT_LE(run({{i, first}, {j, second}}).messages, messages + 8);
}

TEST(PkmExchange, TekThatIsUnderWayWhileTheAuthorizationKeyChanges) {
    // Ends of both kinds of key at all distances from each other.
    for (uint32_t ak_s = 30; ak_s <= 50 && !::testing::Test::HasFailure(); ++ak_s)
        run({}, {.timers = {.authorization_grace_s = 10, .tek_grace_s = 4}, .lifetimes = {.ak_s = ak_s, .tek_s = 20}});
}

TEST(PkmExchange, WithDesAndWithRsa) {
    for (const Suite& suite : {kDesCbc, kDesCbcRsa}) {
        PkmLink link({.station_suites = {suite}, .base_suites = {suite}});
        link.start();
        link.run(kRunMs);
        EXPECT_TRUE(link.client.operational());
        EXPECT_EQ(link.server.suite(), suite);
        EXPECT_EQ(link.up.opened, link.up.sent);
        EXPECT_EQ(link.down.opened, link.down.sent);
        EXPECT_EQ(link.server.figures().rekeyings, 9u);
    }
}

TEST(PkmExchange, TheBaseStationsPreferenceCounts) {
    const auto agreed = [](std::vector<Suite> station, std::vector<Suite> base) {
        PkmLink link({.station_suites = std::move(station), .base_suites = std::move(base)});
        link.start();
        link.run(2000);
        EXPECT_TRUE(link.client.operational());
        return *link.server.suite();
    };
    EXPECT_EQ(agreed({kDesCbc, kAesCcm}, {kAesCcm, kDesCbc}), kAesCcm);
    EXPECT_EQ(agreed({kAesCcm, kDesCbc}, {kDesCbc, kAesCcm}), kDesCbc);
    EXPECT_EQ(agreed({kDesCbc}, {kAesCcm, kDesCbc}), kDesCbc);
    constexpr Suite later{DataEncryption::aes_ccm, 1, TekEncryption::aes_ecb};
    EXPECT_EQ(agreed({later}, {kAesCcm}), later);
}

TEST(PkmExchange, AnEntryAnewHasOtherKeys) {
    std::set<Buffer> teks;
    for (int entry = 0; entry < 3; ++entry) {
        PkmLink link;
        link.start();
        link.run(2000);
        SecurityAssociation& sa = *link.server.association(kBasicCid);
        for (const uint8_t sequence : {0, 1}) {
            const Octets key = sa.key(sequence)->octets();
            EXPECT_TRUE(teks.insert({key.begin(), key.end()}).second);
        }
    }
}

TEST(PkmExchange, AStaticAssociationAndADynamicOne) {
    PkmLink link;
    link.server.add_association(link.now, 700, SaType::fixed);
    link.start();
    link.run(2000);
    EXPECT_EQ(link.client.tek_state(700), TekState::operational);
    // A dynamic one is announced when there is a key that the station is known to have.
    link.server.add_association(link.now, 701, SaType::dynamic);
    EXPECT_EQ(link.client.tek_state(701), std::nullopt);
    link.run(2000);
    EXPECT_EQ(link.client.tek_state(701), TekState::operational);
    SecurityAssociation &here = *link.server.association(701), &there = *link.client.association(701);
    EXPECT_EQ(PkmLink::opened(there, *PkmLink::sealed(here, 900, 1)), Opened::plain);
    EXPECT_EQ(PkmLink::opened(here, *PkmLink::sealed(there, 900, 2)), Opened::plain);
    // A request for a removed SA is refused with a signed Key Reject; the station's SA stops at the next Auth Reply.
    link.server.remove_association(701);
    link.run(20'000);
    EXPECT_EQ(link.client.tek_state(701), TekState::start);
    EXPECT_GE(link.client.figures().key_rejects, 1u);
    EXPECT_EQ(link.client.association(701)->eks_to_send(), std::nullopt);
    EXPECT_EQ(link.client.tek_state(700), TekState::operational);
    link.server.remove_association(kBasicCid);
    EXPECT_NE(link.server.association(kBasicCid), nullptr);
}

/// One Auth Reply names them all.
TEST(PkmExchange, AnAssociationForEachFlowThatAStationCanHave) {
    constexpr uint16_t kFirst = 700, kFlows = 32;
    PkmLink link;
    for (uint16_t i = 0; i < kFlows; ++i) link.server.add_association(link.now, kFirst + i, SaType::fixed);
    link.start();
    link.run(2000);
    for (uint16_t i = 0; i < kFlows; ++i) EXPECT_EQ(link.client.tek_state(kFirst + i), TekState::operational) << i;
    EXPECT_EQ(link.client.associations(), kFlows + 1u);
    EXPECT_EQ(link.client.figures().unreadable, 0u);
    // An SA that is added again has other keys.
    link.client.remove_association(kFirst);
    link.server.remove_association(kFirst);
    link.server.add_association(link.now, kFirst, SaType::dynamic);
    link.run(2000);
    SecurityAssociation &here = *link.server.association(kFirst), &there = *link.client.association(kFirst);
    EXPECT_EQ(PkmLink::opened(there, *PkmLink::sealed(here, 900, 1)), Opened::plain);
    EXPECT_EQ(PkmLink::opened(here, *PkmLink::sealed(there, 900, 2)), Opened::plain);
    link.client.remove_association(kFirst);
    link.client.remove_association(kBasicCid);
    EXPECT_EQ(link.client.tek_state(kFirst), std::nullopt);
    EXPECT_EQ(link.client.associations(), kFlows);
}

/// Nothing answers SA Add but a Key Request.
TEST(PkmExchange, SaAddIsToldAgainUntilKeysAreAskedFor) {
    PkmLink link;
    link.start();
    link.run(2000);
    const auto told_in = [&](Samples ms) {
        const auto before = link.server.figures().sa_adds;
        for (const Samples end = link.now + ms; link.now < end; ++link.now) {
            link.server.on_tick(link.now);
            (void)link.server.take_messages();  // they are lost
        }
        return link.server.figures().sa_adds - before;
    };
    link.server.add_association(link.now, 701, SaType::dynamic);
    EXPECT_FALSE(link.server.asked_for(701));
    EXPECT_EQ(told_in(3500), 3u);
    link.run(2000);
    EXPECT_TRUE(link.server.asked_for(701));
    EXPECT_EQ(link.client.tek_state(701), TekState::operational);
    EXPECT_EQ(told_in(3500), 0u);
    link.server.add_association(link.now, 702, SaType::dynamic);
    link.server.remove_association(702);
    EXPECT_EQ(told_in(3500), 0u);
}

}  // namespace
}  // namespace wimax::mac::privacy
