// SPDX-License-Identifier: GPL-3.0-or-later
// A cell with privacy: an authority, certificates for its stations, and a check of the transmitted octets.
#pragma once

#include "mac/privacy/certificates.h"
#include "mac/privacy/test_authority.h"
#include "mac/report/flow_status.h"
#include "mac/test_cells.h"

namespace wimax::mac::test {

namespace authority = privacy::test;

/// True if the octets contain the fill of test packets.
inline bool shows_payload(Octets octets) {
    const std::vector<uint8_t> marker(64, 0xA5);
    return std::search(octets.begin(), octets.end(), marker.begin(), marker.end()) != octets.end();
}

/// Keys take long to make: one authority and some stations for all tests.
struct PrivateLab {
    authority::TestAuthority ca{"Lab CA"}, other_ca{"Other CA"};
    std::vector<authority::MadeCertificate> stations;

    static const PrivateLab& one() {
        static const PrivateLab lab;
        return lab;
    }
    std::shared_ptr<const privacy::TrustedAuthorities> trusted(const std::string& revoked = "") const {
        return std::make_shared<privacy::TrustedAuthorities>(
            std::move(*privacy::TrustedAuthorities::from_pem(ca.pem_text(), revoked)));
    }
    static std::shared_ptr<const privacy::StationCredentials> credentials(const authority::MadeCertificate& made,
                                                                          const std::string& ca) {
        return std::make_shared<privacy::StationCredentials>(std::move(
            *privacy::StationCredentials::from_pem(authority::pem(*made.certificate), ca, authority::pem(*made.key))));
    }

private:
    PrivateLab() {
        for (int i = 1; i <= 3; ++i)
            stations.push_back(ca.station({.common_name = "02:00:00:00:00:0" + std::to_string(i), .serial = 100 + i}));
    }
};

/// Best effort both ways with ARQ and header suppression; stations fragment and pack anyway.
inline BaseStationConfig with_arq_and_suppression(BaseStationConfig config) {
    for (auto& station : config.stations) {
        station.flows = {flow(FlowDirection::uplink, SchedulingType::best_effort),
                         flow(FlowDirection::downlink, SchedulingType::best_effort)};
        for (auto& one : station.flows) {
            one.arq.enable = true;
            one.classifiers.emplace_back();
            one.classifiers[0].protocols = {17};
            one.classifiers[0].phsi = 1;
            one.phs.emplace_back();
            one.phs[0].phsi = 1;
            one.phs[0].ipv4_udp = true;
        }
    }
    return config;
}

class PrivateCell : public Air {
public:
    explicit PrivateCell(BaseStationConfig config) : Air(std::move(config)) { keep_numbers = true; }

    static BaseStationConfig with_privacy(BaseStationConfig config, PrivacyPolicy policy = PrivacyPolicy::required,
                                          PkmLifetimes lifetimes = {}, const std::string& revoked = "") {
        config.privacy = {policy, lifetimes, PrivateLab::one().trusted(revoked), [] { return authority::kNow; }, {}};
        return config;
    }
    static BaseStationConfig with_forms(BaseStationConfig config, const PayloadForms& forms) {
        config.privacy.forms = forms;
        return config;
    }
    /// The next station of the cell, with the laboratory's certificate for it or with another one.
    Terminal& join(PrivacyPolicy policy = PrivacyPolicy::required, const authority::MadeCertificate* other = nullptr,
                   PkmTimers timers = {}) {
        Terminal& t = add();
        const auto& made = other ? *other : PrivateLab::one().stations.at(terminals.size() - 1);
        if (policy != PrivacyPolicy::off)
            t.config.privacy = {policy, timers, PrivateLab::credentials(made, PrivateLab::one().ca.pem_text()), {}};
        restart(t);
        return t;
    }
    /// A packet each way for each station.
    void exchange(size_t octets = 500) {
        for (size_t i = 0; i < terminals.size(); ++i) {
            ++number;
            bs->push_sdu(ip_packet(kServer, station_address(i), octets, 5000, number));
            send(*this, i, octets, 5000, number);
        }
    }
    static Json privacy_of(const Json& status) { return status.value("privacy", Json()); }
    Json at_base(size_t station) const {
        const Json status = bs_status();
        for (const auto& s : status["stations"])
            if (s["mac"] == to_text(mac_of(station))) return s.value("privacy", Json());
        return {};
    }
    bool has_line(const std::string& text) const {
        return std::ranges::any_of(events, [&](const auto& line) { return line.find(text) != std::string::npos; });
    }
    static bool has_line(const Terminal& t, const std::string& text) {
        return std::ranges::any_of(t.events, [&](const auto& line) { return line.find(text) != std::string::npos; });
    }

    uint32_t number = 0;
};

}  // namespace wimax::mac::test
