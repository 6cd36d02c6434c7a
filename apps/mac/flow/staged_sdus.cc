// SPDX-License-Identifier: GPL-3.0-or-later
#include "mac/flow/staged_sdus.h"

#include "mac/flow/rate_rules.h"

namespace wimax::mac {
namespace {

/// With ARQ, rounds of repetition delay data and TCP's acknowledgements for about the target: a queue that bridges a
/// sender's reductions is longer by that factor.
constexpr Samples kTargetsWithArq = 3;

SduQueueConfig queue_for(const ServiceFlowConfig& flow, SduQueueConfig queue) {
    if (flow.arq.enable) queue.codel_target *= kTargetsWithArq;
    return queue;
}

}  // namespace

StagedSdus::StagedSdus(const ServiceFlowConfig& flow, SduPool& pool, const SduQueueConfig& queue,
                       int64_t sample_rate_hz)
    : sample_rate_hz_(sample_rate_hz),
      pool_(pool),
      queue_(pool, queue_for(flow, queue)),
      bucket_(flow.max_sustained_rate_bps, shaping_octets(flow), sample_rate_hz) {}

StagedSdus::~StagedSdus() {
    if (current_.held()) pool_.release(current_.handle);
    if (next_.held()) pool_.release(next_.handle);
}

void StagedSdus::change(const ServiceFlowConfig& flow) {
    bucket_.change(flow.max_sustained_rate_bps, shaping_octets(flow), sample_rate_hz_);
}

size_t StagedSdus::waiting_octets() const {
    return queue_.bytes() + (current_.held() ? rest(current_).size() : 0) + (next_.held() ? rest(next_).size() : 0);
}

bool StagedSdus::stage(Slot& slot, Samples now) {
    if (!slot.held()) slot = {queue_.pop(now), 0, false};
    if (!slot.held()) return false;
    const size_t size = pool_.octets(slot.handle).size();
    if (!slot.paid && size <= bucket_.available()) {
        bucket_.hold(size);
        slot.paid = true;
    }
    return slot.paid;
}

size_t StagedSdus::finish(SduPool::Handle sdu) {
    const size_t octets = pool_.octets(sdu).size();
    bucket_.settle(octets);
    pool_.release(sdu);
    return octets;
}

void StagedSdus::drop_current() {
    if (current_.paid) bucket_.refund(pool_.octets(current_.handle).size());
    pool_.release(current_.handle);
    current_ = next_;
    next_ = {};
}

size_t StagedSdus::drop_all() {
    size_t packets = queue_.all_packets();
    queue_.clear();
    for (; current_.held() || next_.held(); ++packets) {
        if (!current_.held()) swap();
        drop_current();
    }
    return packets;
}

}  // namespace wimax::mac
