// SPDX-License-Identifier: GPL-3.0-or-later
// The base station's end of PKM for one station (7.2, 7.4): its identity, its authorization keys, the TEKs of its SAs.
// Like PkmClient: messages and sample time in, messages and keys out. Two AKs are in force around a reauthorization,
// and each SA has two TEKs whose ends are half a lifetime apart.
//
// One object for each network entry: a station that enters again has forgotten its packet numbers, and needs new keys.
#pragma once

#include "mac/privacy/certificates.h"
#include "mac/privacy/pkm_clock.h"
#include "mac/privacy/pkm_message.h"
#include "mac/privacy/security_association.h"
#include "mac/privacy_config.h"

#include <map>

namespace wimax::mac::privacy {

struct PkmServerConfig {
    PkmLifetimes lifetimes;
    std::vector<Suite> suites = {kAesCcm};  ///< by preference: the first one that the station has
    PkmClock clock;
    KeySink on_key;  ///< may be null
    PayloadForms forms{};
};

struct PkmServerFigures {
    uint64_t auth_infos = 0, auth_requests = 0, authorizations = 0, auth_rejects = 0, auth_invalids = 0;
    uint64_t key_requests = 0, key_replies = 0, key_rejects = 0, tek_invalids = 0, rekeyings = 0;
    uint64_t sa_adds = 0;
    uint64_t unreadable = 0;  ///< messages that break a rule of PKM
    uint64_t wrong_digests = 0;
    uint64_t old_keys = 0;  ///< of an AK that is not in force
    uint64_t no_suite = 0;  ///< requests that offer none of the suites, or not the current one
    KeyTimes times{};       ///< when the newest keys were made
};

/// Trust data that certificates are currently checked against.
struct CertificateTrust {
    const TrustedAuthorities& authorities;
    int64_t wall_s;  ///< seconds since 1970
};

class PkmServer {
public:
    /// `mac`: the address with which the station has ranged.
    PkmServer(PkmServerConfig config, const MacAddress& mac, uint16_t basic_cid);

    void on_tick(Samples now);
    /// A PKM-REQ from its type octet on.
    void on_message(Samples now, const CertificateTrust& trust, Octets octets);
    /// A PDU of the SA with an unknown EKS was received.
    void on_unknown_key(Samples now, uint16_t said);
    /// Adds a static SA to each Auth Reply from now on, or announces a dynamic one by SA Add. SA Add has no response:
    /// it is sent once a second until the station requests the keys.
    void add_association(Samples now, uint16_t said, SaType type);
    void remove_association(uint16_t said);

    /// True if the station has requested keys of the SA, and so knows it.
    bool asked_for(uint16_t said) const;
    size_t associations() const { return associations_.size(); }
    bool authorized(Samples now) const { return keys_.count(now) > 0; }
    /// Reason for which the last certificate was refused.
    std::optional<CertificateFault> certificate_fault() const { return certificate_fault_; }
    const std::string& certificate_serial() const { return serial_; }
    /// When the certificate, its authority or its revocation list ends; seconds since 1970. Nothing before the first
    /// valid one.
    const std::optional<int64_t>& certificate_ends_s() const { return certificate_ends_s_; }
    /// Suite of all its SAs; nothing until the station has announced its suites.
    const std::optional<Suite>& suite() const { return suite_; }
    SecurityAssociation* association(uint16_t said);
    const SecurityAssociation* association(uint16_t said) const;
    AuthorizationKeys& keys() { return keys_; }
    const AuthorizationKeys& keys() const { return keys_; }
    std::vector<Buffer> take_messages();
    const PkmServerFigures& figures() const { return figures_; }

private:
    struct Association {
        SaType type = SaType::primary;
        std::optional<SecurityAssociation> sa;  ///< once the suite is known
        bool asked = false;                     ///< for its keys
        Timer again;                            ///< dynamic: SA Add
    };

    void on_auth_request(Samples now, const CertificateTrust& trust, const PkmMessage& message);
    void on_key_request(Samples now, Octets octets, const PkmMessage& message);
    void reject(const PkmMessage& request, PkmError error, std::string_view text);
    void invalidate(Samples now, PkmError error, std::string_view text);
    void send_signed(AuthorizationContext& ak, PkmMessage message);
    std::optional<AuthorizationKey> next_ak(Samples now);
    std::optional<Suite> chosen(const PkmMessage& request) const;
    void reply(Samples now, const PkmMessage& request, EVP_PKEY& public_key);
    void tell(Samples now, uint16_t said, Association& association);
    bool complete(Samples now, Association& association, uint16_t said);
    bool roll(Samples now, SecurityAssociation& sa);
    bool add_tek(Samples now, SecurityAssociation& sa, Samples expires);

    PkmServerConfig config_;
    MacAddress mac_;
    uint16_t basic_cid_;
    AuthorizationKeys keys_;
    AuthorizationKey ak_;  ///< the newest: Auth Replies repeat it until the station proves that it has it
    Samples ak_expires_ = 0;
    uint8_t ak_sequence_ = 0;
    KeyPair public_key_;
    std::map<uint16_t, Association> associations_;
    std::optional<Suite> suite_;
    bool proved_ = false;  ///< the station has proved that it has a key: the suite stays
    std::optional<CertificateFault> certificate_fault_;
    std::string serial_;
    Buffer manufacturer_;  ///< certificate of its issuer, as the station has sent it; empty: none yet
    std::optional<int64_t> certificate_ends_s_;
    Timer quiet_;  ///< between two messages that unauthorized senders can cause
    std::vector<Buffer> outbox_;
    PkmServerFigures figures_;
};

}  // namespace wimax::mac::privacy
