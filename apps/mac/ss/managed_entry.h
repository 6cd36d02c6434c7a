// SPDX-License-Identifier: GPL-3.0-or-later
// A managed subscriber station between registration and its service flows (6.3.9.10 to 6.3.9.12): its secondary
// management connection, the set-up over it, and TFTP-CPLT, which the base station answers (T26).
#pragma once

#include "mac/managed/managed_setup.h"
#include "mac/ss/privacy_agent.h"
#include "mac/ss/service_flow_agent.h"

namespace wimax::mac {

class ManagedEntry {
public:
    /// All outlive the object.
    struct Dependencies {
        const FrameClock& clock;
        EventSink& event;
        ManagementConnections& management;
        PrivacyAgent& privacy;
        ServiceFlowAgent& agent;
    };
    ManagedEntry(const ManagedSubscriber& config, FeedbackTypes arq_feedback, const MacAddress& mac,
                 const Dependencies& dependencies);

    /// What the station offers in its REG-REQ.
    void offer(RegReq& request) const;
    /// The base station has registered the station. True: as a managed one, and the set-up begins.
    bool open(const RegRsp& answer, uint16_t basic_cid, uint16_t primary_cid);
    enum class Progress : uint8_t { waiting, complete, failed };
    /// Once per frame. Complete: the base station has answered TFTP-CPLT. The address' lease is kept afterwards.
    Progress run();
    void on_response(const TftpRsp& rsp);
    /// Requests the service flows of the configuration file. The station is registered.
    void request_flows();
    void receive(Octets packet) { setup_.receive(packet); }
    /// The network is left.
    void forget();

    /// Of a failure.
    const std::string& why() const { return why_; }
    /// Nullopt: the station does not offer it.
    std::optional<ManagedFigures> figures() const {
        return config_.offered ? std::optional(setup_.figures()) : std::nullopt;
    }

private:
    Progress fail(const std::string& why);
    Progress send_complete();

    const ManagedSubscriber& config_;
    const FeedbackTypes arq_feedback_;
    const Dependencies to_;
    ManagedSetup setup_;
    uint16_t primary_cid_ = 0;
    Timer t26_;
    uint32_t sent_ = 0;  ///< TFTP-CPLT
    std::optional<uint8_t> response_;
    std::string why_;
};

}  // namespace wimax::mac
