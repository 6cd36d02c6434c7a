// SPDX-License-Identifier: GPL-3.0-or-later
// Sending side of a transport connection: queue, rate limit, and the cutting of SDUs into PDUs (6.3.3.3 fragmentation,
// 6.3.3.4 packing) so that a burst is filled to its end. Two large SDUs do not fit into one PDU; small ones share it.
// At the burst's end the last part of one SDU, the next one and the first part of another share a PDU, too.
#pragma once

#include "mac/flow/arq_transmission.h"
#include "mac/flow/flow_parameters.h"

namespace wimax::mac {

class FlowTransmitter {
public:
    FlowTransmitter(uint16_t cid, const ServiceFlowConfig& config, SduPool& pool, const SduQueueConfig& queue,
                    int64_t sample_rate_hz);
    FlowTransmitter(const FlowTransmitter&) = delete;
    FlowTransmitter& operator=(const FlowTransmitter&) = delete;

    /// As FlowPdus has it.
    void protect(PayloadSealer* sealer) { pdus_.protect(sealer); }
    /// Other QoS parameters; the queue stays.
    void change(const ServiceFlowConfig& config) { sdus_.change(config); }
    bool push(Octets packet, uint32_t hash, Samples now) {
        if (fixed_octets_ == 0 || packet.size() == fixed_octets_) return sdus_.push(packet, hash, now);
        ++counters_.refused_length;
        return false;
    }
    /// Updates rate limit and queue; once a frame, before demand() and fill().
    void tick(Samples now) { sdus_.tick(now); }

    /// Octets of PDUs for the waiting octets that may be sent now; 0: nothing, or there is no key.
    size_t demand() const { return arq_ || sdus_.packets() > 0 ? demand_of_waiting() : 0; }
    /// The same for `sdu_octets` of it: the demand of a guaranteed rate.
    size_t demand_for(size_t sdu_octets) const;
    /// Time at which the next SDU was queued. Pre: there is one.
    Samples oldest() const { return sdus_.oldest(); }
    /// SDU octets not sent yet.
    size_t backlog_octets() const {
        return sdus_.waiting_octets() + (arq_ ? arq_->connection().machine.unsent_octets_of_sdus() : 0);
    }
    /// Waiting packets, with ARQ including unacknowledged ones.
    size_t backlog_packets() const { return sdus_.packets() + (arq_ ? arq_->connection().machine.held_sdus() : 0); }

    /// True if nothing waits, is delayed or has to be acknowledged.
    bool idle() const { return backlog_packets() == 0 && sdus_.queue().all_packets() == 0; }
    /// SDUs of which nothing has been sent.
    size_t whole_packets() const { return sdus_.whole_packets(); }

    /// Appends PDUs of at most `limit` octets together; the first one requests `piggyback` octets if that is not 0.
    /// With ARQ the first one carries `feedback`, if there is any. Returns the octets appended.
    size_t fill(PduWriter& writer, size_t limit, Samples now, uint16_t piggyback = 0,
                ArqFeedbackPayload* feedback = nullptr);
    /// True if its PDUs can carry feedback.
    bool carries_feedback() const { return arq_ && packing_ && !arq_->connection().stopped(); }
    /// Drops the packet that waits longest (contention failed for good).
    void drop_head(Samples now);

    /// Drops all waiting packets without counting them. Not with ARQ. Returns their number.
    size_t drop_all() { return sdus_.drop_all(); }

    /// Null without ARQ.
    ArqConnection<ArqSender>* arq() const { return arq_ ? &arq_->connection() : nullptr; }

    SduQueue& queue() { return sdus_.queue(); }
    uint16_t cid() const { return pdus_.cid(); }
    const TransmitterCounters& counters() const { return counters_; }
    const SduQueueCounters& queue_counters() const { return sdus_.queue().counters(); }
    /// All SDUs that were not sent, for any reason.
    uint64_t dropped() const {
        return sdus_.queue().counters().dropped() + counters_.dropped_no_room + counters_.dropped_contention +
               counters_.dropped_arq;
    }

private:
    /// An unfragmented SDU that finds no room waits some frames for a larger burst.
    class RoomWait {
    public:
        void restart() { frames_ = 0; }
        /// An SDU of `size` octets does not fit into `room` octets of the burst. True: no larger one is expected.
        bool ends(size_t size, size_t room, size_t overhead, Samples now);

    private:
        uint32_t frames_ = 0;
        Samples tried_ = -1;
        size_t too_long_ = SIZE_MAX;  ///< SDUs from this length on are not waited for
    };

    size_t demand_of_waiting() const;
    void done(StagedSdus::Slot& slot);
    void drop_current();
    bool send_fragment(PduWriter& writer, size_t room, uint16_t& piggyback);
    bool send_whole(PduWriter& writer, size_t room, Samples now, uint16_t& piggyback);
    size_t put_whole_sdus(size_t left, size_t overhead, Samples now, const auto& put);
    bool send_packed(PduWriter& writer, size_t room, Samples now, uint16_t& piggyback);
    bool send_end_to_end(PduWriter& writer, size_t room, Samples now, uint16_t& piggyback);

    bool fragmentation_, packing_;
    size_t fixed_octets_;  ///< of each SDU; 0: any
    RoomWait wait_;
    TransmitterCounters counters_;
    FlowPdus pdus_;
    // Each frame reads the end of these, which is therefore together.
    StagedSdus sdus_;
    std::unique_ptr<ArqTransmission> arq_;  ///< null: no ARQ. Destroyed first: it gives back buffers
};

}  // namespace wimax::mac
