// SPDX-License-Identifier: GPL-3.0-or-later
#include "macd/privacy_options.h"

#include "common/safe_files.h"
#include "mac/config_fields.h"
#include "mac/privacy/certificates.h"
#include "mac/report/flow_status.h"
#include "macd/key_files.h"

#include <nlohmann/json.hpp>

#include <unistd.h>

#include <algorithm>
#include <array>
#include <chrono>
#include <cstdio>
#include <functional>
#include <memory>

namespace wimax::macd {
namespace {

using mac::PrivacyPolicy;

constexpr size_t kMostSuites = 2;

int64_t wall_seconds() {
    const auto now = std::chrono::system_clock::now().time_since_epoch();
    return std::chrono::duration_cast<std::chrono::seconds>(now).count();
}

std::string hex(std::span<const uint8_t> octets) {
    constexpr const char* kDigits = "0123456789abcdef";
    std::string out;
    for (const uint8_t octet : octets) out += {kDigits[octet >> 4], kDigits[octet & 15]};
    return out;
}

void declare_timers(config::Schema& s, mac::PkmTimers& t) {
    constexpr double kMostGraceS = 35 * 86'400;
    s.number("privacy.authorize_wait_s", t.authorize_wait_s, {1, 30}, "s",
             "subscriber station: time until an Auth Request is repeated");
    s.number("privacy.reauthorize_wait_s", t.reauthorize_wait_s, {1, 30}, "s",
             "subscriber station: the same when a key is renewed");
    s.number("privacy.authorization_grace_s", t.authorization_grace_s, {1, kMostGraceS}, "s",
             "subscriber station: a new authorization key is requested this time before the old one expires; at most "
             "half of its lifetime");
    s.number("privacy.operational_wait_s", t.operational_wait_s, {1, 10}, "s",
             "subscriber station: time until a Key Request is repeated");
    s.number("privacy.rekey_wait_s", t.rekey_wait_s, {1, 10}, "s",
             "subscriber station: the same when a key is renewed");
    s.number("privacy.tek_grace_s", t.tek_grace_s, {1, 302'399}, "s",
             "subscriber station: a new traffic key is requested this time before the newer one expires; at most half "
             "of its lifetime");
    s.number("privacy.authorize_reject_wait_s", t.authorize_reject_wait_s, {1, 600}, "s",
             "subscriber station: time after a temporary refusal until it requests again");
}

}  // namespace

void declare(config::Schema& s, PrivacyOptions& o) {
    s.group("privacy", "Encryption and authorization (docs/security.md)");
    s.choice<PrivacyPolicy>(
        "privacy.policy", o.policy,
        {{"off", PrivacyPolicy::off}, {"allowed", PrivacyPolicy::allowed}, {"required", PrivacyPolicy::required}},
        "off: privacy is neither offered nor requested; allowed: used if the other end supports it; required: no "
        "service without it");
    s.list(
        "privacy.suites", o.suites,
        [](config::Schema& i, mac::PrivacySuite& suite) {
            i.choice<mac::PrivacySuite>(
                "", suite, {{"aes-ccm", mac::PrivacySuite::aes_ccm}, {"des-cbc", mac::PrivacySuite::des_cbc}},
                "cipher");
        },
        "cryptographic suites in order of preference; the base station's order counts. des-cbc is broken: it does not "
        "protect data today",
        1, kMostSuites);
    s.choice<mac::UplinkNumbers>("privacy.uplink_numbers", o.forms.uplink_numbers,
                                 {{"high", mac::UplinkNumbers::high}, {"low", mac::UplinkNumbers::low}},
                                 "subscriber station: packet numbers that it sends with aes-ccm. high: with the top "
                                 "bit; low: without it, as some makers' stations. A base station accepts both");
    s.choice<mac::CbcIvForm>("privacy.cbc_iv", o.forms.cbc_iv,
                             {{"frame-number", mac::CbcIvForm::frame_number},
                              {"parameter", mac::CbcIvForm::parameter},
                              {"zero", mac::CbcIvForm::zero}},
                             "initialization vector of des-cbc, the same at both ends. frame-number: the key's vector "
                             "XOR the frame number; parameter: the key's vector, as early Rosedale stations; zero");
    s.text("privacy.authorities", o.authorities,
           "PEM file of certificates. Base station: authorities that may sign certificates of stations. Subscriber "
           "station: the authority that signed its certificate");
    s.text("privacy.revoked", o.revoked,
           "base station: PEM file of the authorities' certificate revocation lists; empty: no certificate is revoked");
    s.text("privacy.certificate", o.certificate, "subscriber station: PEM file of its certificate");
    s.text("privacy.private_key", o.private_key,
           "subscriber station: PEM file of the private key; only its owner may read it");
    s.number("privacy.ak_lifetime_s", o.lifetimes.ak_s, {10, 6'048'000}, "s",
             "base station: lifetime of authorization keys; 1 to 70 days in the standard");
    s.number(
        "privacy.tek_lifetime_s", o.lifetimes.tek_s, {2, 604'800}, "s",
        "base station: lifetime of traffic keys; two keys overlap by half of it. 30 minutes to 7 days in the standard");
    declare_timers(s, o.timers);
    s.flag("privacy.allow_key_log", o.allow_key_log,
           "allow privacy.key_log. A reader of that file can decrypt everything");
    s.text("privacy.key_log", o.key_log,
           "file for traffic keys, one JSON object per line, to decrypt captures; empty: none")
        .option("--key-log");
    s.check([&o](config::LocatedFaults& faults) {
        if (!o.key_log.empty() && !o.allow_key_log)
            faults.add("privacy.key_log", o.key_log, "only with privacy.allow_key_log: true");
        if (o.suites.size() == kMostSuites && o.suites.front() == o.suites.back())
            faults.add("privacy.suites", "one of them twice", "each once");
        if (o.lifetimes.tek_s > o.lifetimes.ak_s)
            faults.add("privacy.tek_lifetime_s", std::to_string(o.lifetimes.tek_s),
                       "no more than privacy.ak_lifetime_s");
    });
}

void load(const PrivacyOptions& o, mac::BaseStationPrivacy& to, config::LocatedFaults& faults) {
    to.policy = o.policy;
    to.lifetimes = o.lifetimes;
    to.suites = o.suites;
    to.forms = o.forms;
    to.wall_s = wall_seconds;
    if (o.policy == PrivacyPolicy::off) return;
    KeyText authorities, revoked;
    const bool trusted = read_key_file("privacy.authorities", o.authorities, authorities, faults);
    const bool listed = o.revoked.empty() || read_key_file("privacy.revoked", o.revoked, revoked, faults);
    if (!trusted || !listed) return;
    auto made = mac::privacy::TrustedAuthorities::from_pem(authorities.octets, revoked.octets);
    if (made) to.authorities = std::make_shared<mac::privacy::TrustedAuthorities>(std::move(*made));
    else faults.add("privacy.authorities", o.authorities, made.error().str());
}

void load(const PrivacyOptions& o, mac::SubscriberPrivacy& to, config::LocatedFaults& faults) {
    to.policy = o.policy;
    to.timers = o.timers;
    to.suites = o.suites;
    to.forms = o.forms;
    if (o.policy == PrivacyPolicy::off) return;
    KeyText authority, certificate, key;
    const std::array are_there{
        read_key_file("privacy.authorities", o.authorities, authority, faults),
        read_key_file("privacy.certificate", o.certificate, certificate, faults),
        read_key_file("privacy.private_key", o.private_key, key, faults, true)};  // all faults at once
    if (!std::ranges::all_of(are_there, std::identity())) return;
    auto made = mac::privacy::StationCredentials::from_pem(certificate.octets, authority.octets, key.octets);
    if (made) to.credentials = std::make_shared<mac::privacy::StationCredentials>(std::move(*made));
    else faults.add("privacy.certificate", o.certificate, made.error().str());
}

tl::expected<mac::KeyLog, Fault> open_key_log(const PrivacyOptions& o) {
    if (o.key_log.empty()) return mac::KeyLog();
    auto opened = OutputFile::open(o.key_log, OutputFile::Existing::append, OutputFile::kOwnerOnly);
    if (!opened) return failure("privacy.key_log", opened.error().str());
    const auto file = std::make_shared<OutputFile>(std::move(*opened));
    return [file](const mac::MacAddress& mac, uint16_t said, uint8_t sequence, std::span<const uint8_t> tek) {
        const nlohmann::json key{{"mac", mac::to_text(mac)}, {"said", said}, {"eks", sequence}, {"tek", hex(tek)}};
        const std::string line = key.dump() + "\n";
        [[maybe_unused]] const auto n = ::write(file->fd(), line.data(), line.size());
    };
}

}  // namespace wimax::macd
