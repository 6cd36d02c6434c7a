// SPDX-License-Identifier: GPL-3.0-or-later
// Certificates that a base station accepts, and the fault for which it
// refuses each of the others.
#include "mac/privacy/certificates.h"
#include "mac/privacy/rsa_key.h"
#include "mac/privacy/test_authority.h"
#include "mac/privacy/test_privacy.h"

#include <gtest/gtest.h>

namespace wimax::mac::privacy {
namespace {

using namespace test;

constexpr MacAddress kMac{2, 0, 0, 0, 0, 1};

class Certificates : public testing::Test {
protected:
    static const TestAuthority& authority() {
        static const TestAuthority one;
        return one;
    }
    static TrustedAuthorities trusted(const std::string& revoked = "", CertificateStrength strength = {}) {
        auto out = TrustedAuthorities::from_pem(authority().pem_text(), revoked, strength);
        EXPECT_TRUE(out) << out.error().str();
        return std::move(*out);
    }
    /// Nothing: it is taken.
    static std::optional<CertificateFault> fault(const TrustedAuthorities& trust, const Buffer& der,
                                                 int64_t now_s = kNow) {
        const auto identity = trust.verify(der, kMac, now_s);
        if (identity) return std::nullopt;
        return identity.error();
    }
};

TEST_F(Certificates, OfAStationIsTakenWithItsKey) {
    for (const unsigned bits : {1024u, 2048u}) {
        const auto station = authority().station({}, bits);
        const auto identity = trusted().verify(station.der(), kMac, kNow);
        ASSERT_TRUE(identity);
        EXPECT_EQ(identity->mac, kMac);
        EXPECT_EQ(identity->serial, "64");
        const auto encrypted = encrypt_for(*identity->public_key, vectors_ak().octets());
        AuthorizationKey ak;
        ASSERT_TRUE(encrypted && decrypt_with(*station.key, *encrypted, ak.writable()));
        EXPECT_TRUE(ak == vectors_ak());
    }
    const auto lower = authority().station({.common_name = "02:0A:bc:0d:eE:01"});
    EXPECT_TRUE(trusted().verify(lower.der(), MacAddress{0x02, 0x0A, 0xBC, 0x0D, 0xEE, 0x01}, kNow));
}

TEST_F(Certificates, OfOthersAreRefused) {
    const TestAuthority stranger("Other CA"), impostor("Lab CA");
    EXPECT_EQ(fault(trusted(), stranger.station().der()), CertificateFault::unknown_issuer);
    EXPECT_EQ(fault(trusted(), impostor.station().der()), CertificateFault::wrong_signature);
    const auto own = make({}, KeyPair(EVP_RSA_gen(1024)));
    EXPECT_EQ(fault(trusted(), own.der()), CertificateFault::unknown_issuer);
    // A certificate whose issuer is a station.
    const auto station = authority().station();
    const auto child = make({.serial = 101}, KeyPair(EVP_RSA_gen(1024)), station.certificate.get(), station.key.get());
    EXPECT_EQ(fault(trusted(), child.der()), CertificateFault::unknown_issuer);
}

/// Root, manufacturer, station: the base station knows the root, and the station sends its manufacturer's certificate.
TEST_F(Certificates, OfAManufacturerThatAnAuthorityHasSigned) {
    const auto fault_of = [](const TrustedAuthorities& trust, const MadeCertificate& station,
                             const TestAuthority& maker) {
        const auto identity = trust.verify(station.der(), kMac, kNow, maker.own().der());
        return identity ? std::nullopt : std::optional(identity.error());
    };
    const CertificateWish of_maker{.serial = 7, .to = kNow + kDay / 4, .authority = true};
    const TestAuthority maker("Maker", authority(), of_maker), stranger("Other CA");
    const auto station = maker.station();
    EXPECT_EQ(fault_of(trusted(), station, maker), std::nullopt);
    EXPECT_EQ(trusted().verify(station.der(), kMac, kNow, maker.own().der())->ends_s, of_maker.to);
    EXPECT_EQ(fault(trusted(), station.der()), CertificateFault::unknown_issuer) << "without the manufacturer's";
    EXPECT_EQ(fault_of(trusted(), authority().station(), maker), std::nullopt) << "it is not needed";
    const TestAuthority foreign("Maker", stranger, of_maker);
    EXPECT_EQ(fault_of(trusted(), foreign.station(), foreign), CertificateFault::unknown_issuer);
    EXPECT_EQ(fault_of(trusted(), stranger.station(), stranger), CertificateFault::unknown_issuer) << "self-signed";
    EXPECT_EQ(fault_of(trusted(), foreign.station(), maker), CertificateFault::wrong_signature) << "same name";
    const TestAuthority no_maker("Maker", authority(), {.serial = 7, .authority = false});
    EXPECT_EQ(fault_of(trusted(), no_maker.station(), no_maker), CertificateFault::unknown_issuer) << "no authority";
    const TestAuthority old("Maker", authority(), {.serial = 7, .to = kNow - 1, .authority = true});
    EXPECT_EQ(fault_of(trusted(), old.station(), old), CertificateFault::expired);
    const TestAuthority weak("Maker", authority(), of_maker, 1024);
    EXPECT_EQ(fault_of(trusted(), weak.station(), weak), std::nullopt);
    EXPECT_EQ(fault_of(trusted("", {.rsa_bits = 2048}), weak.station({}, 2048), weak), CertificateFault::weak);
    // With lists, the authority's and the manufacturer's are needed, and each of both certificates may be revoked.
    const auto lists = [&](const std::set<long>& makers, const std::set<long>& stations) {
        return authority().revoked(makers) + maker.revoked(stations);
    };
    EXPECT_EQ(fault_of(trusted(lists({}, {})), station, maker), std::nullopt);
    EXPECT_EQ(fault_of(trusted(lists({7}, {})), station, maker), CertificateFault::revoked);
    EXPECT_EQ(fault_of(trusted(lists({}, {100})), station, maker), CertificateFault::revoked);
    EXPECT_EQ(fault_of(trusted(authority().revoked({})), station, maker), CertificateFault::revocation_list);
    for (const auto& octets : {Buffer{1, 2, 3}, Buffer(2000, 0x30)})
        EXPECT_EQ(trusted().verify(station.der(), kMac, kNow, octets).error(), CertificateFault::unknown_issuer);
}

TEST_F(Certificates, HaveTheirTime) {
    const Buffer der = authority().station().der();
    EXPECT_EQ(fault(trusted(), der, kNow - kDay - 1), CertificateFault::not_yet_valid);
    EXPECT_EQ(fault(trusted(), der, kNow - kDay + 1), std::nullopt);
    EXPECT_EQ(fault(trusted(), der, kNow + kDay - 1), std::nullopt);
    EXPECT_EQ(fault(trusted(), der, kNow + kDay + 1), CertificateFault::expired);
}

TEST_F(Certificates, EndWithTheFirstOfTheirChain) {
    const auto end_s = [](const TrustedAuthorities& trust, int64_t to) {
        const auto identity = trust.verify(authority().station({.to = to}).der(), kMac, kNow);
        EXPECT_TRUE(identity);
        return identity ? identity->ends_s : -1;
    };
    EXPECT_EQ(end_s(trusted(), kNow + kDay), kNow + kDay);
    EXPECT_EQ(end_s(trusted(), kNow + 20 * kDay), kNow + 10 * kDay) << "its authority ends then";
    const int64_t list_ends = kNow + kDay / 2;
    EXPECT_EQ(end_s(trusted(authority().revoked({5}, list_ends)), kNow + kDay), list_ends);
}

TEST_F(Certificates, ThatAreRevokedAreRefused) {
    const Buffer first = authority().station().der(), second = authority().station({.serial = 101}).der();
    EXPECT_EQ(fault(trusted(authority().revoked({100})), first), CertificateFault::revoked);
    EXPECT_EQ(fault(trusted(authority().revoked({100})), second), std::nullopt);
    EXPECT_EQ(fault(trusted(authority().revoked({})), first), std::nullopt);
    // An expired list, or another authority's, proves nothing: no certificate is accepted.
    EXPECT_EQ(fault(trusted(authority().revoked({}, kNow - 1)), first), CertificateFault::revocation_list);
    EXPECT_EQ(fault(trusted(TestAuthority("Lab CA").revoked({})), first), CertificateFault::revocation_list);
    EXPECT_EQ(fault(trusted(TestAuthority("Other CA").revoked({})), first), CertificateFault::revocation_list);
}

TEST_F(Certificates, OfOtherStationsAreRefused) {
    EXPECT_EQ(fault(trusted(), authority().station({.common_name = "02:00:00:00:00:02"}).der()),
              CertificateFault::other_station);
    for (const char* name : {"station one", "02:00:00:00:00:1", "02:00:00:00:00:011", "02-00-00-00-00-01",
                             "02:00:00:00:00:01 ", "+2:00:00:00:00:01", "02:00:00:00:00: 1", "02:00:00:00:00:0x"})
        EXPECT_EQ(fault(trusted(), authority().station({.common_name = name}).der()), CertificateFault::no_station)
            << name;
    EXPECT_EQ(fault(trusted(), authority().own().der()), CertificateFault::no_station);
    EXPECT_EQ(fault(trusted(), authority().station({.authority = true}).der()), CertificateFault::no_station);
}

TEST_F(Certificates, WeakOnesWhereStrengthIsAskedFor) {
    const Buffer sha1 = authority().station({.digest = EVP_sha1()}).der(), small = authority().station({}, 512).der(),
                 medium = authority().station({}, 1024).der();
    EXPECT_EQ(fault(trusted(), sha1), std::nullopt);
    EXPECT_EQ(fault(trusted("", {.sha1 = false}), sha1), CertificateFault::weak);
    EXPECT_EQ(fault(trusted(), small), CertificateFault::weak);
    EXPECT_EQ(fault(trusted("", {.rsa_bits = 2048}), medium), CertificateFault::weak);
    const auto elliptic =
        make({}, KeyPair(EVP_EC_gen("P-256")), authority().own().certificate.get(), authority().own().key.get());
    EXPECT_EQ(fault(trusted(), elliptic.der()), CertificateFault::weak);
}

TEST_F(Certificates, DamagedOnesAreRefused) {
    const auto trust = trusted();
    const Buffer der = authority().station().der();
    ASSERT_EQ(fault(trust, der), std::nullopt);
    for (size_t length = 0; length < der.size(); ++length)
        EXPECT_EQ(fault(trust, Buffer(der.begin(), der.begin() + static_cast<std::ptrdiff_t>(length))),
                  CertificateFault::unreadable);
    Buffer longer = der;
    longer.push_back(0);
    EXPECT_EQ(fault(trust, longer), CertificateFault::unreadable);
    int taken = 0;
    for (size_t i = 0; i < der.size(); ++i) {
        Buffer changed = der;
        changed[i] ^= 0x01;
        taken += fault(trust, changed) ? 0 : 1;
    }
    EXPECT_EQ(taken, 0);
}

TEST_F(Certificates, WhatIsNoAuthorityIsNotTrusted) {
    const auto station = authority().station();
    const auto refused = [](const std::string& authorities, const std::string& revoked) {
        const auto trust = TrustedAuthorities::from_pem(authorities, revoked);
        return trust ? "" : trust.error().str();
    };
    EXPECT_EQ(refused("", ""), "there is no certificate of an authority (PEM)");
    EXPECT_EQ(refused("rubbish", ""), "there is no certificate of an authority (PEM)");
    EXPECT_EQ(refused(pem(*station.certificate), ""), "a certificate among them is no authority's");
    EXPECT_EQ(refused(authority().pem_text(), "rubbish"), "there is no list of revoked certificates (PEM)");
    EXPECT_EQ(refused(authority().pem_text() + TestAuthority("Other CA").pem_text(), ""), "");
}

TEST_F(Certificates, CredentialsOfAStation) {
    const auto station = authority().station(), other = authority().station();
    const auto whole =
        StationCredentials::from_pem(pem(*station.certificate), authority().pem_text(), pem(*station.key));
    ASSERT_TRUE(whole);
    EXPECT_EQ(whole->certificate, station.der());
    EXPECT_EQ(whole->ca_certificate, authority().own().der());
    const auto reason = [&](const std::string& certificate, const std::string& ca, const std::string& key) {
        return StationCredentials::from_pem(certificate, ca, key).error().str();
    };
    EXPECT_EQ(reason(pem(*station.certificate), authority().pem_text(), pem(*other.key)),
              "the private key is not the one of the certificate");
    EXPECT_EQ(reason("", authority().pem_text(), pem(*station.key)), "the station's certificate is not readable (PEM)");
    EXPECT_EQ(reason(pem(*station.certificate), "", pem(*station.key)),
              "the authority's certificate is not readable (PEM)");
    EXPECT_EQ(reason(pem(*station.certificate), authority().pem_text(), "x"),
              "the private key is not readable (PEM without a pass phrase)");
}

}  // namespace
}  // namespace wimax::mac::privacy
