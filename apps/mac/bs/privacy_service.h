// SPDX-License-Identifier: GPL-3.0-or-later
// Privacy at the base station (clause 7): which stations use it, PKM with each of them, HMAC tuples of management
// messages both ways, decryption of PDUs. As provisioned, a flow of such a station is encrypted with the primary SA,
// with a separate SA, or not; multicast flows never are.
#pragma once

#include "mac/bs/subscriber.h"
#include "mac/clock.h"
#include "mac/report/events.h"

namespace wimax::mac {

/// Counts stations that are not admitted, or have to leave.
struct PrivacyServiceCounters {
    uint64_t no_privacy = 0;                            ///< where it is required
    uint64_t certificates = 0, suites = 0, others = 0;  ///< Auth Rejects: for the certificate, no suite in common
    uint64_t ended = 0;                                 ///< deleted because their authorization ended
};

class PrivacyService {
public:
    /// All outlive the object.
    struct Dependencies {
        const FrameClock& clock;
        EventSink& event;
    };
    PrivacyService(const BaseStationPrivacy& config, uint32_t basic_cids, const Dependencies& dependencies)
        : config_(config),
          clock_(dependencies.clock),
          event_(dependencies.event),
          saids_(std::make_shared<SaidPool>(basic_cids)) {}

    /// Basic capabilities: what the response contains on privacy. False: no station is admitted without it.
    bool on_capabilities(Subscriber& station, const SbcReq& request, SbcRsp& answer);
    /// A PKM-REQ.
    void receive(Subscriber& station, Octets message);
    /// Whether a management message is to be obeyed; counted and reported if it is not.
    bool proves(Subscriber& station, Octets message);
    /// For ManagementQueue::finish_with().
    void sign(Subscriber& station, Buffer& message) const;
    /// The decrypted PDU, valid until the next one. Null, and counted: it is to be dropped. `said`: of its connection;
    /// `frame`: the frame that carried the PDU.
    const Pdu* open(Subscriber& station, const std::optional<uint16_t>& said, const Pdu& pdu, phy::FrameNumber frame);
    /// Call once per frame. Why the station has to leave; null: it may stay.
    const char* run_timers(Subscriber& station);

    /// Assigns the SA of a flow being made, and its overhead. False: no SA is available.
    [[nodiscard]] static bool protect(Subscriber& station, AgreedFlow& flow);
    /// The station knows the flow's SA: the flow can be set up.
    static bool is_ready(const Subscriber& station, const AgreedFlow& flow);
    /// Encrypts the flow's PDUs from now on, if it is to be encrypted.
    static void seal(const Subscriber& station, FlowContext& flow);
    /// A flow with that SA was deleted; deletes the SA if it was the flow's alone.
    static void release(const Subscriber& station, const std::optional<uint16_t>& said);
    /// Octets that encryption adds to each PDU of such a flow of the station.
    static uint32_t sealing_octets(const Subscriber& station, const ServiceFlowConfig& flow);

    const PrivacyServiceCounters& counters() const { return counters_; }

private:
    void tell(Subscriber& station, const privacy::PkmServerFigures& before);
    void refused(Subscriber& station, bool by_suite);
    static void send(Subscriber& station);

    const BaseStationPrivacy& config_;
    const FrameClock& clock_;
    EventSink& event_;
    const std::shared_ptr<SaidPool> saids_;
    privacy::PduOpener opener_;
    PrivacyServiceCounters counters_;
};

}  // namespace wimax::mac
