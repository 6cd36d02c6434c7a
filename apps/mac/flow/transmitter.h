// SPDX-License-Identifier: GPL-3.0-or-later
// Sending side of a transport connection: queue, rate limit, and the cutting of SDUs into PDUs (6.3.3.3 fragmentation,
// 6.3.3.4 packing) so that a burst is filled to its end. Two large SDUs do not fit into one PDU; small ones share it.
// At the burst's end the last part of one SDU, the next one and the first part of another share a PDU, too.
#pragma once

#include "mac/arq/arq_connection.h"
#include "mac/arq/arq_payload.h"
#include "mac/arq/arq_sender.h"
#include "mac/flow/flow_parameters.h"
#include "mac/flow/sdu_queue.h"
#include "mac/flow/token_bucket.h"
#include "mac/pdu/pdu.h"
#include "mac/station_config.h"

namespace wimax::mac {

/// Octets that a PDU adds to a fragment of an SDU; where it is encrypted, those of PayloadSealer as well.
inline constexpr size_t kFragmentOverheadOctets = kPduOverheadOctets + 2;

struct TransmitterCounters {
    uint64_t sdus = 0, sdu_octets = 0;  ///< completely sent; with ARQ: acknowledged
    uint64_t pdus = 0, fragments = 0, packed = 0;
    uint64_t dropped_no_room = 0;     ///< unfragmented SDUs that no burst had room for
    uint64_t dropped_contention = 0;  ///< SDUs whose bandwidth requests failed
    uint64_t refused_length = 0;      ///< packets of another length than the flow's SDUs have
    uint64_t dropped_arq = 0;         ///< SDUs given up: lifetime over, or a reset
};

class FlowTransmitter {
public:
    FlowTransmitter(uint16_t cid, const ServiceFlowConfig& config, SduPool& pool, const SduQueueConfig& queue,
                    int64_t sample_rate_hz);
    ~FlowTransmitter();
    FlowTransmitter(const FlowTransmitter&) = delete;
    FlowTransmitter& operator=(const FlowTransmitter&) = delete;

    /// All PDUs from now on are encrypted; without a key none is sent. `sealer` outlives the object; null: none.
    void protect(PayloadSealer* sealer) { sealer_ = sealer; }
    /// Other QoS parameters; the queue stays.
    void change(const ServiceFlowConfig& config);
    bool push(Octets packet, uint32_t hash, Samples now) {
        if (fixed_octets_ == 0 || packet.size() == fixed_octets_) return queue_.push(packet, hash, now);
        ++counters_.refused_length;
        return false;
    }
    /// Updates rate limit and queue; once a frame, before demand() and fill().
    void tick(Samples now) {
        bucket_.update(now);
        queue_.mature(now);
    }

    /// Octets of PDUs for the waiting octets that may be sent now; 0: nothing, or there is no key.
    size_t demand() const;
    /// The same for `sdu_octets` of it: the demand of a guaranteed rate.
    size_t demand_for(size_t sdu_octets) const;
    /// SDU octets put into PDUs so far, including those of partly sent SDUs.
    uint64_t payload_octets() const { return payload_octets_; }
    /// Time at which the next SDU was queued. Pre: there is one.
    Samples oldest() const {
        return current_.held() ? pool_.queued_at(current_.handle)
               : next_.held()  ? pool_.queued_at(next_.handle)
                               : queue_.oldest();
    }
    /// SDU octets not sent yet.
    size_t backlog_octets() const {
        return queue_.bytes() + staged_octets() + (arq_ ? arq_->machine.unsent_octets_of_sdus() : 0);
    }
    /// Waiting packets, with ARQ including unacknowledged ones.
    size_t backlog_packets() const {
        return queue_.packets() + (current_.held() ? 1 : 0) + (next_.held() ? 1 : 0) +
               (arq_ ? arq_->machine.held_sdus() : 0);
    }

    /// True if nothing waits, is delayed or has to be acknowledged.
    bool idle() const { return backlog_packets() == 0 && queue_.all_packets() == 0; }
    /// SDUs of which nothing has been sent.
    size_t whole_packets() const {
        return queue_.packets() + (current_.held() && current_.offset == 0 ? 1 : 0) + (next_.held() ? 1 : 0);
    }

    /// Appends PDUs of at most `limit` octets together; the first one requests `piggyback` octets if that is not 0.
    /// With ARQ the first one carries `feedback`, if there is any. Returns the octets appended.
    size_t fill(PduWriter& writer, size_t limit, Samples now, uint16_t piggyback = 0,
                ArqFeedbackPayload* feedback = nullptr);
    /// True if its PDUs can carry feedback.
    bool carries_feedback() const { return arq_ && packing_ && !arq_->stopped(); }
    /// Drops the packet that waits longest (contention failed for good).
    void drop_head(Samples now);

    /// Drops all waiting packets without counting them. Not with ARQ. Returns their number.
    size_t drop_all();

    /// Null without ARQ.
    ArqConnection<ArqSender>* arq() const { return arq_.get(); }

    uint16_t cid() const { return cid_; }
    const TransmitterCounters& counters() const { return counters_; }
    const SduQueueCounters& queue_counters() const { return queue_.counters(); }
    /// All SDUs that were not sent, for any reason.
    uint64_t dropped() const {
        return queue_.counters().dropped() + counters_.dropped_no_room + counters_.dropped_contention +
               counters_.dropped_arq;
    }

private:
    struct Staged {
        SduPool::Handle handle = SduPool::kNone;
        size_t offset = 0;
        bool paid = false;  ///< taken from the rate limit's bucket
        bool held() const { return handle != SduPool::kNone; }
    };
    Octets rest(const Staged& staged) const { return pool_.octets(staged.handle).subspan(staged.offset); }
    size_t staged_octets() const;
    /// True: the slot holds an SDU that may be sent.
    bool stage(Staged& slot, Samples now);
    void done(Staged& slot);
    void drop_current();
    bool give_up_waiting(size_t room, Samples now);
    bool open(PduWriter& writer, uint16_t& piggyback);
    size_t sealing_octets() const { return sealer_ ? sealer_->overhead_octets() : 0; }
    size_t pdu_overhead() const { return kPduOverheadOctets + sealing_octets(); }
    size_t fragment_overhead() const { return kFragmentOverheadOctets + sealing_octets(); }
    bool may_send() const { return !sealer_ || sealer_->key_sequence().has_value(); }
    bool send_fragment(PduWriter& writer, size_t room, uint16_t& piggyback);
    bool send_whole(PduWriter& writer, size_t room, Samples now, uint16_t& piggyback);
    size_t put_whole_sdus(size_t left, size_t overhead, Samples now, const auto& put);
    bool send_packed(PduWriter& writer, size_t room, Samples now, uint16_t& piggyback);
    bool send_end_to_end(PduWriter& writer, size_t room, Samples now, uint16_t& piggyback);
    // arq_transmission.cc
    std::unique_ptr<ArqConnection<ArqSender>> make_arq(const ServiceFlowConfig& config, int64_t sample_rate_hz);
    void arq_done(SduPool::Handle sdu, bool delivered);
    size_t arq_demand() const;
    void arq_take_next(Samples now);
    size_t arq_unit(PduWriter& writer, size_t room, Samples now);
    bool arq_joins(size_t room, Samples now);
    size_t fill_arq(PduWriter& writer, size_t limit, Samples now, uint16_t piggyback, ArqFeedbackPayload* feedback);
    uint16_t next_fsn() {
        const uint16_t fsn = fsn_;
        fsn_ = (fsn_ + 1) & 0x7FF;
        return fsn;
    }

    uint16_t cid_;
    int64_t sample_rate_hz_;
    bool fragmentation_, packing_, crc_;
    size_t fixed_octets_;  ///< of each SDU; 0: any
    PayloadSealer* sealer_ = nullptr;
    SduPool& pool_;
    SduQueue queue_;
    TokenBucket bucket_;
    Staged current_, next_;
    // State of an unfragmented SDU that finds no room
    uint32_t frames_without_room_ = 0;
    Samples tried_ = -1;
    size_t too_long_ = SIZE_MAX;  ///< SDUs from this length on are not waited for
    uint16_t fsn_ = 0;
    uint64_t payload_octets_ = 0;
    TransmitterCounters counters_;
    std::unique_ptr<ArqConnection<ArqSender>> arq_;  ///< destroyed first: it gives back buffers
};

}  // namespace wimax::mac
