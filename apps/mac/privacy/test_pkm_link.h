// SPDX-License-Identifier: GPL-3.0-or-later
// Both ends of PKM and a link between them, whose messages have fates: lost, doubled, late. In each step a PDU is sent
// each way, and its result is counted. Sample time is milliseconds.
#pragma once

#include "mac/privacy/pkm_client.h"
#include "mac/privacy/pkm_server.h"
#include "mac/privacy/test_authority.h"

#include <gtest/gtest.h>

#include <map>
#include <set>

namespace wimax::mac::privacy::test {

inline constexpr Samples kStepMs = 250;
inline constexpr uint16_t kBasicCid = 33;
inline constexpr MacAddress kStationMac{2, 0, 0, 0, 0, 1};

/// An authority, a station of it and another authority: keys take long to make.
struct Lab {
    TestAuthority authority{"Lab CA"};
    MadeCertificate station = authority.station();

    static const Lab& one() {
        static const Lab lab;
        return lab;
    }
    TrustedAuthorities trusted(const std::string& revoked = "") const {
        return std::move(*TrustedAuthorities::from_pem(authority.pem_text(), revoked));
    }
    static StationCredentials credentials(const MadeCertificate& certificate, const std::string& authority) {
        return std::move(
            *StationCredentials::from_pem(pem(*certificate.certificate), authority, pem(*certificate.key)));
    }
};

/// Fate of a message of the link, by its number.
enum class Fate : uint8_t { arrives, lost, doubled, late, too_late };

struct LinkConfig {
    PkmTimers timers{.authorization_grace_s = 20, .tek_grace_s = 4};
    PkmLifetimes lifetimes{.ak_s = 60, .tek_s = 20};
    std::vector<Suite> station_suites{kAesCcm}, base_suites{kAesCcm};
    std::string revoked = "";
    const MadeCertificate* station = nullptr;  ///< the laboratory's own
    std::string issuer = "";                   ///< PEM, sent as the station's authority; empty: the laboratory's
    MacAddress mac = kStationMac;
};

class PkmLink {
public:
    struct Message {
        Samples due;
        bool up;
        Buffer octets;
    };
    struct Traffic {
        uint64_t sent = 0, opened = 0, unprotected = 0;
    };

    explicit PkmLink(const LinkConfig& config = {})
        : trusted(Lab::one().trusted(config.revoked)),
          credentials(Lab::credentials(config.station ? *config.station : Lab::one().station,
                                       config.issuer.empty() ? Lab::one().authority.pem_text() : config.issuer)),
          client({config.timers, config.station_suites, {1000}, {}}, credentials),
          server({config.lifetimes, config.base_suites, {1000}, {}}, config.mac, kBasicCid) {}

    void start() { client.start(now, kBasicCid); }

    void step() {
        collect();
        now += kStepMs;
        // Messages that are due, in the order in which they became due.
        std::stable_sort(in_flight.begin(), in_flight.end(), [](auto& a, auto& b) { return a.due < b.due; });
        while (!in_flight.empty() && in_flight.front().due <= now) {
            const Message message = std::move(in_flight.front());
            in_flight.erase(in_flight.begin());
            deliver(message);
        }
        client.on_tick(now);
        server.on_tick(now);
        collect();
        if (with_traffic && client.operational()) {
            exchange(true);
            exchange(false);
        }
    }
    void run(Samples duration_ms) {
        for (const Samples end = now + duration_ms; now < end;) step();
    }
    /// Runs until `done`, or for `at_most_ms`.
    bool run_until(const auto& done, Samples at_most_ms = 120'000) {
        for (const Samples end = now + at_most_ms; now < end && !done();) step();
        return done();
    }
    void deliver(const Message& message) {
        if (message.up) server.on_message(now, {trusted, kNow}, message.octets);
        else client.on_message(now, message.octets);
    }
    /// Messages of that code so far.
    size_t count(PkmCode code) const {
        return static_cast<size_t>(
            std::ranges::count_if(sent, [&](const Message& m) { return m.octets[1] == static_cast<uint8_t>(code); }));
    }
    const Message& last(PkmCode code) const {
        for (size_t i = sent.size(); i-- > 0;)
            if (sent[i].octets[1] == static_cast<uint8_t>(code)) return sent[i];
        throw std::logic_error("there is none");
    }

    /// A sealed PDU with a counter as payload.
    static std::optional<Buffer> sealed(SecurityAssociation& sa, uint16_t cid, uint32_t counter) {
        const auto eks = sa.eks_to_send();
        if (!eks) return std::nullopt;
        const size_t octets = kHeaderOctets + sa.overhead_octets() + sizeof counter;
        GenericHeader header;
        header.ec = true;
        header.eks = *eks;
        header.cid = cid;
        header.len = static_cast<uint16_t>(octets);
        Buffer pdu;
        header.encode(pdu);
        pdu.resize(octets);
        const size_t lead = sa.overhead_octets() ? CcmCipher::kPnOctets : 0;
        for (int i = 0; i < 4; ++i) pdu[kHeaderOctets + lead + i] = static_cast<uint8_t>(counter >> 8 * i);
        if (!sa.seal(pdu, 0)) return std::nullopt;
        return pdu;
    }
    static Opened opened(SecurityAssociation& sa, Octets pdu) {
        Buffer plain(pdu.size() - kHeaderOctets - sa.overhead_octets());
        return sa.open(pdu, plain, 0);
    }

    Samples now = 0;
    TrustedAuthorities trusted;
    StationCredentials credentials;
    PkmClient client;
    PkmServer server;
    std::map<size_t, Fate> fates;
    bool with_traffic = true;
    std::vector<Message> in_flight, sent;
    Traffic up, down;
    Buffer last_up, last_down;  ///< PDUs
    bool nonce_twice = false;

private:
    void collect() {
        for (auto& octets : client.take_messages()) send(true, std::move(octets));
        for (auto& octets : server.take_messages()) send(false, std::move(octets));
    }
    void send(bool up_, Buffer octets) {
        const auto fate = fates.find(sent.size());
        sent.push_back({now, up_, octets});
        switch (fate == fates.end() ? Fate::arrives : fate->second) {
            case Fate::lost: return;
            case Fate::doubled: in_flight.push_back({now + 3 * kStepMs, up_, octets}); [[fallthrough]];
            case Fate::arrives: in_flight.push_back({now + kStepMs, up_, std::move(octets)}); return;
            case Fate::late: in_flight.push_back({now + 3 * kStepMs, up_, std::move(octets)}); return;
            case Fate::too_late: in_flight.push_back({now + 1500, up_, std::move(octets)}); return;
        }
    }
    void exchange(bool up_) {
        SecurityAssociation* from = up_ ? client.association(kBasicCid) : server.association(kBasicCid);
        SecurityAssociation* to = up_ ? server.association(kBasicCid) : client.association(kBasicCid);
        Traffic& traffic = up_ ? up : down;
        ++traffic.sent;
        const auto pdu = from ? sealed(*from, kBasicCid, static_cast<uint32_t>(traffic.sent)) : std::nullopt;
        if (!pdu || !to) {
            ++traffic.unprotected;
            return;
        }
        if (from->suite().data == DataEncryption::aes_ccm) {
            const Octets key = from->key(*from->eks_to_send())->octets();
            Buffer nonce(key.begin(), key.end());
            const auto pn = CcmCipher::nonce_of(*pdu);
            nonce.insert(nonce.end(), pn.end() - CcmCipher::kPnOctets, pn.end());
            nonce_twice |= !nonces_.insert(nonce).second;
        }
        const Opened what = opened(*to, *pdu);
        Buffer& latest = up_ ? last_up : last_down;
        latest = *pdu;
        if (what == Opened::plain) ++traffic.opened;
        if (what == Opened::unknown_key && up_) server.on_unknown_key(now, kBasicCid);
        if (what == Opened::unknown_key && !up_) client.on_unknown_key(now, kBasicCid);
    }
    std::set<Buffer> nonces_;
};

}  // namespace wimax::mac::privacy::test
