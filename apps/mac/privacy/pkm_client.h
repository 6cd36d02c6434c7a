// SPDX-License-Identifier: GPL-3.0-or-later
// The station's end of PKM (7.2): authorization and the keys of its SAs. Input: messages and sample time. Output:
// messages to send and keys. Unsolicited, unsigned or unreadable messages are counted and ignored.
#pragma once

#include "mac/privacy/certificates.h"
#include "mac/privacy/pkm_clock.h"
#include "mac/privacy/pkm_message.h"
#include "mac/privacy/pkm_states.h"
#include "mac/privacy/security_association.h"
#include "mac/privacy_config.h"

#include <map>

namespace wimax::mac::privacy {

struct PkmClientConfig {
    PkmTimers timers;
    std::vector<Suite> suites = {kAesCcm};  ///< choices for the base station, the first one preferred
    PkmClock clock;
    KeySink on_key;  ///< may be null
    PayloadForms forms{};
};

struct PkmClientFigures {
    uint64_t authorizations = 0, auth_requests = 0, auth_rejects = 0, auth_invalids = 0;
    uint64_t key_requests = 0, key_replies = 0, key_rejects = 0, tek_invalids = 0;
    uint64_t sa_adds = 0;        ///< messages
    uint64_t unreadable = 0;     ///< messages that break a rule of PKM
    uint64_t unexpected = 0;     ///< unsolicited responses, or another identifier
    uint64_t wrong_digests = 0;  ///< or of a key that is not in force
    uint64_t downgrades = 0;     ///< replies with a suite that was not offered
    uint64_t undecryptable = 0;  ///< an AK or TEK that this station's key does not open, or expired keys
    KeyTimes times{};            ///< when the newest keys came
};

class PkmClient {
public:
    /// `credentials` has to outlive it.
    PkmClient(PkmClientConfig config, const StationCredentials& credentials);

    /// Requests authorization once privacy is negotiated.
    void start(Samples now, uint16_t basic_cid);
    /// Deletes all keys and states: the station enters again.
    void stop();
    void on_tick(Samples now);
    /// A PKM-RSP from its type octet on.
    void on_message(Samples now, Octets octets);
    /// A PDU of the SA with an unknown EKS was received.
    void on_unknown_key(Samples now, uint16_t said);
    /// The flow that had a separate SA is deleted, and so are its keys. The primary SA stays.
    void remove_association(uint16_t said);
    /// Requests a new AK, for the user or after a change of certificate.
    void reauthorize(Samples now);

    AuthState state() const { return state_; }
    /// SAID of the primary SA.
    uint16_t basic_cid() const { return basic_cid_; }
    std::optional<TekState> tek_state(uint16_t said) const;
    /// Reason for which the base station last refused this station; nothing: it has not.
    std::optional<PkmError> refusal() const { return refusal_; }
    /// True if the primary SA has keys: PDUs are protected.
    bool operational() const;
    size_t associations() const { return teks_.size(); }
    SecurityAssociation* association(uint16_t said);
    const SecurityAssociation* association(uint16_t said) const;
    AuthorizationKeys& keys() { return keys_; }
    const AuthorizationKeys& keys() const { return keys_; }
    /// Messages to be sent, in order; each is returned once.
    std::vector<Buffer> take_messages();
    const PkmClientFigures& figures() const { return figures_; }

private:
    struct Tek {
        SecurityAssociation sa;
        TekState state = TekState::start;
        Timer retry, refresh;
        Timer quiet;  ///< after a PDU of an unknown key, which any sender can cause
        uint8_t identifier = 0;
        bool wanted = true;  ///< in the reply being processed
    };

    void apply(Samples now, AuthEvent event);
    void apply(Samples now, Tek& tek, TekEvent event);
    void tell_teks(Samples now, TekEvent event);
    void send_auth(uint16_t actions);
    void send_key_request(Samples now, Tek& tek, bool anew);
    void on_auth_reply(Samples now, const PkmMessage& message);
    void on_reject(Samples now, const PkmMessage& message);
    void on_key_answer(Samples now, const PkmMessage& message);
    void on_sa_add(Samples now, const PkmMessage& message);
    bool take_keys(Samples now, Tek& tek, const PkmMessage& message, const KeyEncryptionKey& kek);
    void add_association(Samples now, const SaDescriptor& descriptor);

    PkmClientConfig config_;
    const StationCredentials& credentials_;
    AuthState state_ = AuthState::start;
    Timer wait_, grace_;
    uint16_t basic_cid_ = 0;
    uint8_t identifier_ = 0, auth_identifier_ = 0;
    AuthorizationKeys keys_;
    std::optional<PkmError> refusal_;
    std::map<uint16_t, Tek> teks_;
    std::vector<Buffer> outbox_;
    PkmClientFigures figures_;
};

}  // namespace wimax::mac::privacy
