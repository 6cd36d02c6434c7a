// SPDX-License-Identifier: GPL-3.0-or-later
// Keys of privacy and the files that they name, right ones and wrong ones.
#include "mac/privacy/certificates.h"
#include "mac/privacy/test_authority.h"
#include "macd/macd_config.h"

#include <gtest/gtest.h>

#include <cstdlib>
#include <filesystem>
#include <fstream>

namespace wimax::macd {
namespace test_privacy_options {

namespace fs = std::filesystem;
namespace authority = mac::privacy::test;
using Strings = std::vector<std::string>;

class PrivacyOptionsTest : public ::testing::Test {
protected:
    PrivacyOptionsTest() {
        char name[] = "/tmp/wimax-privacy-XXXXXX";
        folder_ = mkdtemp(name);
        write("ca.pem", lab().ca.pem_text());
        write("revoked.pem", lab().ca.revoked({}));
        write("ss.pem", authority::pem(*lab().station.certificate));
        write("ss.key", authority::pem(*lab().station.key));
        write("other.key", authority::pem(*lab().ca.own().key));
        for (const char* key : {"ss.key", "other.key"}) fs::permissions(path(key), fs::perms::owner_read);
    }
    ~PrivacyOptionsTest() override { fs::remove_all(folder_); }

    struct Lab {
        authority::TestAuthority ca{"Lab CA"};
        authority::MadeCertificate station = ca.station();
    };
    static const Lab& lab() {
        static const Lab made;
        return made;
    }
    std::string path(const std::string& name) const { return (folder_ / name).string(); }
    void write(const std::string& name, const std::string& text) const { std::ofstream(path(name)) << text; }

    struct Loaded {
        MacdConfig config;
        config::Schema schema{"wimax-macd", "test"};
        Strings faults;
    };
    /// `keys`: of the group privacy.
    std::unique_ptr<Loaded> load(const std::string& role, const std::string& keys) const {
        auto out = std::make_unique<Loaded>();
        declare(out->schema, out->config);
        const std::string anyone = role == "bs" ? "bs: {accept_unknown: true}\n" : "";
        out->faults = out->schema.load("role: " + role + "\n" + anyone + "privacy: {" + keys + "}\n", "f").lines();
        return out;
    }
    std::string station_keys() const {
        return "policy: required, authorities: " + path("ca.pem") + ", certificate: " + path("ss.pem") +
               ", private_key: ";
    }
    fs::path folder_;
};

TEST_F(PrivacyOptionsTest, OffNeedsNoFiles) {
    for (const char* role : {"bs", "ss"}) {
        EXPECT_EQ(load(role, "policy: off")->faults, Strings{});
        EXPECT_EQ(load(role, "authorities: /nowhere")->faults, Strings{});
    }
}

TEST_F(PrivacyOptionsTest, BothRoles) {
    const auto bs =
        load("bs", "policy: allowed, ak_lifetime_s: 120, tek_lifetime_s: 30, authorities: " + path("ca.pem") +
                       ", revoked: " + path("revoked.pem"));
    EXPECT_EQ(bs->faults, Strings{});
    EXPECT_EQ(bs->config.bs.privacy.policy, mac::PrivacyPolicy::allowed);
    EXPECT_EQ(bs->config.bs.privacy.lifetimes.ak_s, 120u);
    EXPECT_EQ(bs->config.bs.privacy.suites, std::vector{mac::PrivacySuite::aes_ccm});
    ASSERT_TRUE(bs->config.bs.privacy.authorities);
    EXPECT_TRUE(bs->config.bs.privacy.authorities->verify(lab().station.der(), {2, 0, 0, 0, 0, 1}, authority::kNow));
    EXPECT_GT(bs->config.bs.privacy.wall_s(), authority::kNow);
    const auto ss = load("ss", station_keys() + path("ss.key") + ", tek_grace_s: 10, suites: [des-cbc, aes-ccm]");
    EXPECT_EQ(ss->faults, Strings{});
    EXPECT_EQ(ss->config.ss.privacy.suites, (std::vector{mac::PrivacySuite::des_cbc, mac::PrivacySuite::aes_ccm}));
    ASSERT_TRUE(ss->config.ss.privacy.credentials);
    EXPECT_EQ(ss->config.ss.privacy.credentials->certificate, lab().station.der());
    EXPECT_EQ(ss->config.ss.privacy.timers.tek_grace_s, 10u);
}

TEST_F(PrivacyOptionsTest, APrivateKeyIsItsOwnersAlone) {
    for (const auto also : {fs::perms::group_read, fs::perms::others_read, fs::perms::group_write}) {
        fs::permissions(path("ss.key"), fs::perms::owner_read | also);
        const auto loaded = load("ss", station_keys() + path("ss.key"));
        ASSERT_FALSE(loaded->faults.empty());
        EXPECT_NE(loaded->faults[0].find("open to its owner alone: chmod 600"), std::string::npos) << loaded->faults[0];
        EXPECT_FALSE(loaded->config.ss.privacy.credentials);
    }
}

TEST_F(PrivacyOptionsTest, WhatIsNotThereOrNotRightIsToldByItsKey) {
    write("rubbish", "rubbish");
    const auto says = [&](const Loaded& loaded, const std::string& key, const std::string& text) {
        return std::ranges::any_of(loaded.faults, [&](const auto& line) {
            return line.find(key) != std::string::npos && line.find(text) != std::string::npos;
        });
    };
    EXPECT_TRUE(says(*load("bs", "policy: required"), "privacy.authorities", "a file that can be read"));
    EXPECT_TRUE(says(*load("bs", "policy: required, authorities: " + path("none")), "privacy.authorities", "none"));
    EXPECT_TRUE(says(*load("bs", "policy: required, authorities: " + path("")), "privacy.authorities", "can be read"));
    EXPECT_TRUE(says(*load("bs", "policy: required, authorities: " + path("rubbish")), "privacy.authorities", "(PEM)"));
    EXPECT_TRUE(says(*load("bs", "policy: required, authorities: " + path("ca.pem") + ", revoked: " + path("rubbish")),
                     "privacy.authorities", "revoked"));
    const auto nothing = load("ss", "policy: required");
    for (const char* key : {"privacy.authorities", "privacy.certificate", "privacy.private_key"})
        EXPECT_TRUE(says(*nothing, key, "a file that can be read")) << key;
    EXPECT_TRUE(says(*load("ss", station_keys() + path("other.key")), "privacy.certificate", "not the one of the"));
    EXPECT_TRUE(says(*load("bs", "ak_lifetime_s: 20, tek_lifetime_s: 30"), "privacy.tek_lifetime_s", "no more than"));
    EXPECT_TRUE(says(*load("bs", "suites: [aes-ccm, aes-ccm]"), "privacy.suites", "each once"));
    EXPECT_TRUE(says(*load("bs", "suites: []"), "privacy.suites", ""));
    EXPECT_TRUE(says(*load("bs", "cbc_iv: none"), "privacy.cbc_iv", "frame-number, parameter, zero"));
    EXPECT_TRUE(says(*load("ss", "uplink_numbers: both"), "privacy.uplink_numbers", "high, low"));
    EXPECT_TRUE(says(*load("bs", "suites: [rot13]"), "privacy.suites", "aes-ccm, des-cbc"));
    EXPECT_TRUE(says(*load("bs", "policy: perhaps"), "privacy.policy", "off, allowed, required"));
}

TEST_F(PrivacyOptionsTest, KeysAreLoggedWhereThatIsAllowedAlone) {
    EXPECT_EQ(load("bs", "key_log: /tmp/keys")->faults.size(), 1u);
    const auto loaded = load("bs", "allow_key_log: true, key_log: " + path("keys"));
    ASSERT_EQ(loaded->faults, Strings{});
    const auto log = open_key_log(loaded->config.privacy);
    ASSERT_TRUE(log);
    const std::array<uint8_t, 4> tek{0, 0x1a, 0xff, 7};
    (*log)({2, 0, 0, 0, 0, 1}, 33, 2, tek);
    std::string line;
    std::ifstream file(path("keys"));
    ASSERT_TRUE(std::getline(file, line));
    EXPECT_EQ(line, R"({"eks":2,"mac":"02:00:00:00:00:01","said":33,"tek":"001aff07"})");
    EXPECT_EQ(fs::status(path("keys")).permissions(), fs::perms::owner_read | fs::perms::owner_write);
    PrivacyOptions none, wrong;
    EXPECT_FALSE(*open_key_log(none));
    wrong.key_log = path("no/where");
    EXPECT_FALSE(open_key_log(wrong));
}

TEST_F(PrivacyOptionsTest, FormsOfPdusForBothRoles) {
    const std::string forms = "uplink_numbers: low, cbc_iv: zero";
    for (const auto& found : {load("bs", forms)->config.bs.privacy.forms, load("ss", forms)->config.ss.privacy.forms}) {
        EXPECT_EQ(found.uplink_numbers, mac::UplinkNumbers::low);
        EXPECT_EQ(found.cbc_iv, mac::CbcIvForm::zero);
    }
    EXPECT_EQ(load("bs", "cbc_iv: parameter")->config.bs.privacy.forms.cbc_iv, mac::CbcIvForm::parameter);
    EXPECT_EQ(load("ss", "policy: off")->config.ss.privacy.forms.uplink_numbers, mac::UplinkNumbers::high);
}

}  // namespace test_privacy_options
}  // namespace wimax::macd
