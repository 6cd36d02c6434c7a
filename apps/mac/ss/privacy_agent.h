// SPDX-License-Identifier: GPL-3.0-or-later
// Privacy at a subscriber station (clause 7): whether this network uses it, PKM with the base station, HMAC tuples of
// management messages both ways, decryption of PDUs.
#pragma once

#include "mac/clock.h"
#include "mac/flow/agreed_flow.h"
#include "mac/privacy/pkm_client.h"
#include "mac/privacy/privacy_counters.h"
#include "mac/report/events.h"
#include "mac/report/privacy_figures.h"
#include "mac/ss/management_connections.h"

#include <map>

namespace wimax::mac {

class PrivacyAgent {
public:
    /// All outlive the object.
    struct Dependencies {
        const FrameClock& clock;
        EventSink& event;
        ManagementConnections& management;
    };
    PrivacyAgent(const SubscriberPrivacy& config, const MacAddress& mac, const Dependencies& dependencies);
    PrivacyAgent(const PrivacyAgent&) = delete;
    PrivacyAgent& operator=(const PrivacyAgent&) = delete;

    /// Whether SBC-REQ offers privacy.
    bool offered() const { return config_.policy != PrivacyPolicy::off; }
    /// Next step after the base station's basic capabilities.
    enum class Next : uint8_t { registration, authorization, leave };
    Next on_capabilities(const SbcRsp& answer, uint16_t basic_cid, uint16_t primary_cid);
    /// Call once per frame.
    void run_timers();
    /// Sets the frame in which PDUs are sent from now on, by the base station's count.
    void begin_frame(phy::FrameNumber network_frame) { network_frame_ = network_frame; }
    /// A PKM-RSP.
    void receive(Octets message);
    /// The network is left, or entered again.
    void forget();

    /// This network uses privacy.
    bool active() const { return active_; }
    /// Keys are available: what is sent from now on is protected.
    bool keyed() const { return active_ && client_->operational(); }
    /// No message can be authentic any more: no key is in force.
    bool ended() const { return active_ && !client_->keys().newest(clock_.now); }
    /// The base station has permanently refused this station.
    bool refused() const { return active_ && client_->state() == privacy::AuthState::silent; }

    /// Whether a management message is to be obeyed; counted and reported if it is not.
    bool proves(Octets message);
    /// Whether the station accepts a flow with that SA.
    bool takes(const std::optional<uint16_t>& said);
    /// Sealer of an SA that it has.
    PayloadSealer* sealer(uint16_t said);
    /// No flow uses the SA any more, nothing is sealed with it. The primary one stays.
    void release(uint16_t said);
    /// The decrypted PDU, valid until the next one. Null, and counted: it is to be dropped. `said`: of its flow;
    /// `frame`: the frame that carried the PDU, by the base station's count.
    const Pdu* open(const std::optional<uint16_t>& said, const Pdu& pdu, phy::FrameNumber frame);

    /// Nullopt: this network has no privacy.
    std::optional<PrivacyFigures> figures() const;
    /// Number of times that a network was left for lack of privacy.
    uint64_t networks_without() const { return networks_without_; }

private:
    void send();
    void tell(privacy::AuthState before);
    void tell(const privacy::PkmClientFigures& before);

    const SubscriberPrivacy& config_;
    const MacAddress mac_;
    const FrameClock& clock_;
    EventSink& event_;
    ManagementConnections& management_;
    std::optional<privacy::PkmClient> client_;
    std::map<uint16_t, privacy::AssociationSealer> sealers_;
    bool active_ = false;
    uint16_t primary_cid_ = 0;
    phy::FrameNumber network_frame_;
    int64_t sample_rate_hz_ = 0;  ///< used by the client
    privacy::PduOpener opener_;
    privacy::PrivacyCounters counters_;
    uint64_t networks_without_ = 0;
};

}  // namespace wimax::mac
