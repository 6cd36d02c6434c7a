// SPDX-License-Identifier: GPL-3.0-or-later
// Service flows of a subscriber station, in serving order, so that both ends account grants alike.
#pragma once

#include "mac/clock.h"
#include "mac/cs/flow_classifier.h"
#include "mac/cs/header_suppression.h"
#include "mac/flow/agreed_flow.h"
#include "mac/flow/flow_parameters.h"
#include "mac/flow/reassembler.h"
#include "mac/flow/transmitter.h"
#include "mac/rate_policy.h"
#include "mac/report/events.h"
#include "mac/ss/privacy_agent.h"
#include "mac/ss/request_record.h"

#include <memory>
#include <vector>

namespace wimax::mac {

struct PacketFields;

/// A service flow: an uplink flow has a transmitter, a downlink flow a reassembler.
struct SubscriberFlow : AgreedFlow {
    uint32_t sfid = 0;
    uint16_t cid = 0;
    Samples ask_again = INT64_MIN;  ///< not before, after a refused activation
    bool suspended = false;         ///< by DREG-CMD 2: its packets wait
    std::unique_ptr<FlowTransmitter> transmitter;
    std::unique_ptr<Reassembler> reassembler;
    std::unique_ptr<HeaderSuppression> suppression;  ///< if it has header suppression
    RequestRecord request;
    TokenBucket reserved;  ///< uplink: minimum reserved rate, SDU octets owed
    /// Used by the uplink builder: the flow's part of the frame being built.
    struct Plan {
        size_t octets = 0;
        size_t piggyback = 0;         ///< requested; UGS: the whole grant management subheader
        uint32_t slipped_frames = 0;  ///< UGS: in a row, with grants that have left whole packets
    } plan;
    std::optional<AgreedFlow> before;  ///< a change that is not settled yet

    bool ugs() const { return config.scheduling == SchedulingType::ugs; }
    /// Uplink and active: waiting data may be sent.
    bool sends() const { return transmitter && active_set && !suspended; }
    /// Downlink and active, or still being taken down: other stations may still receive on its connection.
    bool receives() const { return reassembler && (active_set || before); }
    size_t demand() const { return sends() ? transmitter->demand() : 0; }
    bool uplink() const { return config.direction == FlowDirection::uplink; }
};

struct FlowTotals {
    uint64_t dl_sdus = 0, dl_bytes = 0, dl_dropped = 0, ul_sdus = 0, ul_bytes = 0, ul_dropped = 0;
    void add(const SubscriberFlow& flow);
};

class FlowTable {
public:
    struct Config {
        uint32_t sdu_buffers = 2048, queue_limit_bytes = 400'000, queue_limit_packets = 0;
        float codel_target_frames = 0;  ///< none
        uint32_t codel_interval_ms = 0;
        bool ecn = true;
        uint32_t sdu_hold_frames = 0;
        UserLink link = UserLink::ip;
        FeedbackTypes arq_feedback = FeedbackTypes::all;
        float target_loss = LinkAim{}.target_loss;  ///< of flows without their own
    };
    /// All outlive the table.
    struct Dependencies {
        const FrameClock& clock;
        EventSink& event;
        PrivacyAgent& privacy;
        FlowClassifier* classifier = nullptr;  ///< null: the rules of the flows alone
    };
    FlowTable(const Config& config, const Dependencies& dependencies);

    /// These two return a confirmation code of 11.13.
    uint8_t add(const ServiceFlow& parameters, FlowDirection direction, Samples frame_samples);
    /// Applies a DSC message; until settle() the old state is kept for undoing it.
    uint8_t change(const ServiceFlow& parameters);
    /// The last change is kept, or undone.
    void settle(uint32_t sfid, bool holds);
    /// False: there is none.
    bool remove(uint32_t sfid);
    void clear();

    bool contains(uint32_t sfid) const;
    SubscriberFlow* find(uint16_t cid) {
        for (size_t i = 0; i < cids_.size(); ++i)
            if (cids_[i] == cid) return flows_[i].get();
        return nullptr;
    }
    /// CID of each flow.
    const std::vector<uint16_t>& cids() const { return cids_; }
    /// What the downlink flows want of the link.
    const LinkAim& aim() const { return aim_; }
    SubscriberFlow* find_sfid(uint32_t sfid) const;
    /// There is one in each direction.
    bool both_ways() const { return both_ways_; }
    /// Some flow has ARQ.
    bool with_arq() const { return with_arq_; }
    /// Every uplink flow is active.
    bool all_up() const { return all_up_; }
    std::vector<std::unique_ptr<SubscriberFlow>>& flows() { return flows_; }
    const std::vector<std::unique_ptr<SubscriberFlow>>& flows() const { return flows_; }

    /// Uplink flows, in serving order.
    const std::vector<SubscriberFlow*>& uplink() const { return uplink_; }

    /// DREG-CMD 2: no flow sends until it is lifted.
    void suspend(bool suspended);
    bool suspended() const { return suspended_; }

    /// Once per frame: rate limits, and T16.
    void tick();
    void expire_requests();
    /// Puts a packet into the flow with the best rule, or that a loaded classifier selects. False: no flow takes it, or
    /// its queue is full.
    bool push(Octets packet);
    /// Octets in the queue of the flow that would take it; 0: none would.
    size_t waiting_octets(Octets packet);

    /// Includes deleted flows.
    FlowTotals totals() const;
    uint64_t unclassified() const { return unclassified_; }
    uint64_t refused() const { return refused_; }
    size_t free_buffers() const { return pool_.free_buffers(); }

private:
    SubscriberFlow* classify(const PacketFields& fields, Octets packet) const;
    void put_in_force(SubscriberFlow& flow);
    void sort();
    void list();

    const Config config_;
    const FrameClock& clock_;
    EventSink& event_;
    PrivacyAgent& privacy_;
    FlowClassifier* const classifier_;
    SduPool pool_;
    std::vector<std::unique_ptr<SubscriberFlow>> flows_;
    std::vector<SubscriberFlow*> uplink_;
    std::vector<uint16_t> cids_;  ///< CID of each flow, in the order of flows_; searched for every PDU
    LinkAim aim_;
    bool both_ways_ = false, with_arq_ = false, all_up_ = true;
    FlowTotals deleted_;
    bool suspended_ = false;
    uint64_t unclassified_ = 0, refused_ = 0;
};

}  // namespace wimax::mac
