// SPDX-License-Identifier: GPL-3.0-or-later
// SDUs of a service flow on the way from its queue to its PDUs: two leave the queue, and are sent as the rate limit
// permits.
#pragma once

#include "mac/flow/sdu_queue.h"
#include "mac/flow/token_bucket.h"
#include "mac/station_config.h"

namespace wimax::mac {

class StagedSdus {
public:
    struct Slot {
        SduPool::Handle handle = SduPool::kNone;
        size_t offset = 0;  ///< octets that were sent
        bool paid = false;  ///< taken from the rate limit's bucket
        bool held() const { return handle != SduPool::kNone; }
    };

    /// `pool` outlives the object.
    StagedSdus(const ServiceFlowConfig& flow, SduPool& pool, const SduQueueConfig& queue, int64_t sample_rate_hz);
    /// Releases what it holds.
    ~StagedSdus();
    StagedSdus(const StagedSdus&) = delete;
    StagedSdus& operator=(const StagedSdus&) = delete;

    /// Other QoS parameters; the queue stays.
    void change(const ServiceFlowConfig& flow);
    bool push(Octets packet, uint32_t hash, Samples now) { return queue_.push(packet, hash, now); }
    /// Updates rate limit and queue; once a frame.
    void tick(Samples now) {
        bucket_.update(now);
        queue_.mature(now);
    }

    /// Slots are sent in this order.
    Slot& current() { return current_; }
    const Slot& current() const { return current_; }
    Slot& next() { return next_; }
    const Slot& next() const { return next_; }
    void swap() { std::swap(current_, next_); }
    /// Fills an empty slot from the queue. True: it holds an SDU that may be sent.
    bool stage(Slot& slot, Samples now);
    Octets octets(SduPool::Handle sdu) const { return pool_.octets(sdu); }
    /// What of the slot's SDU was not sent.
    Octets rest(const Slot& slot) const { return pool_.octets(slot.handle).subspan(slot.offset); }
    /// The SDU, which was in a slot, is needed no more. Returns its octets.
    size_t finish(SduPool::Handle sdu);
    /// Drops the current SDU; the next one takes its place.
    void drop_current();
    /// Drops all SDUs without counting them. Returns their number.
    size_t drop_all();

    const SduQueue& queue() const { return queue_; }
    SduQueue& queue() { return queue_; }
    /// Octets that the rate limit permits beyond paid SDUs.
    size_t allowed_octets() const { return bucket_.available(); }
    /// Octets in the queue and in the slots.
    size_t waiting_octets() const;
    size_t packets() const { return queue_.packets() + current_.held() + next_.held(); }
    /// SDUs of which nothing has been sent.
    size_t whole_packets() const { return queue_.packets() + (current_.held() && current_.offset == 0) + next_.held(); }
    /// Time at which the first one was queued. Pre: there is one.
    Samples oldest() const {
        return current_.held() ? pool_.queued_at(current_.handle)
               : next_.held()  ? pool_.queued_at(next_.handle)
                               : queue_.oldest();
    }

private:
    int64_t sample_rate_hz_;
    SduPool& pool_;
    SduQueue queue_;
    TokenBucket bucket_;
    Slot current_, next_;
};

}  // namespace wimax::mac
