// SPDX-License-Identifier: GPL-3.0-or-later
#include "mac/flow/transmitter.h"

#include "mac/flow/rate_rules.h"

#include <algorithm>

namespace wimax::mac {
namespace {

/// Shorter first fragments are not worth their subheader.
constexpr size_t kMinFragment = 24;
constexpr size_t kPackingOctets = 3;
/// Frames that an unfragmented SDU waits for a burst with room for it. A busy cell shares a frame among many, so
/// several short bursts may follow each other. After this number no such burst is expected.
constexpr uint32_t kFramesToWaitForRoom = 32;

}  // namespace

namespace {

/// With ARQ, rounds of repetition delay data and TCP's acknowledgements for about the target: a queue that bridges a
/// sender's reductions is longer by that factor.
constexpr Samples kTargetsWithArq = 3;

SduQueueConfig queue_for(const ServiceFlowConfig& flow, SduQueueConfig queue) {
    if (flow.arq.enable) queue.codel_target *= kTargetsWithArq;
    return queue;
}

}  // namespace

FlowTransmitter::FlowTransmitter(uint16_t cid, const ServiceFlowConfig& config, SduPool& pool,
                                 const SduQueueConfig& queue, int64_t sample_rate_hz)
    : cid_(cid),
      sample_rate_hz_(sample_rate_hz),
      fragmentation_(config.fragmentation),
      packing_(config.packing),
      crc_(config.crc),
      fixed_octets_(config.fixed_sdu_octets),
      pool_(pool),
      queue_(pool, queue_for(config, queue)),
      bucket_(config.max_sustained_rate_bps, shaping_octets(config), sample_rate_hz),
      arq_(make_arq(config, sample_rate_hz)) {}

FlowTransmitter::~FlowTransmitter() {
    if (current_.held()) pool_.release(current_.handle);
    if (next_.held()) pool_.release(next_.handle);
}

void FlowTransmitter::change(const ServiceFlowConfig& config) {
    bucket_.change(config.max_sustained_rate_bps, shaping_octets(config), sample_rate_hz_);
}

size_t FlowTransmitter::staged_octets() const {
    return (current_.held() ? rest(current_).size() : 0) + (next_.held() ? rest(next_).size() : 0);
}

size_t FlowTransmitter::demand() const {
    if (!may_send()) return 0;
    if (arq_) return arq_demand();
    size_t octets = 0, allowed = bucket_.available();
    bool blocked = false;
    for (const Staged* slot : {&current_, &next_}) {
        if (!slot->held() || blocked) continue;
        const size_t left = rest(*slot).size();
        blocked = !slot->paid && left > allowed;
        if (blocked) continue;
        if (!slot->paid) allowed -= left;
        octets += left + pdu_overhead();
    }
    if (!blocked && !queue_.empty() && allowed >= queue_.bytes() / queue_.packets())
        octets += std::min(queue_.bytes(), allowed) + queue_.packets() * pdu_overhead();
    return octets == 0 ? 0 : octets + fragment_overhead();
}

size_t FlowTransmitter::demand_for(size_t sdu_octets) const {
    if (sdu_octets == 0) return 0;
    const size_t packets = backlog_packets(), mean = packets == 0 ? kMaxSduOctets : backlog_octets() / packets + 1;
    return std::min(demand(), sdu_octets + (sdu_octets / mean + 1) * pdu_overhead() + fragment_overhead());
}

bool FlowTransmitter::stage(Staged& slot, Samples now) {
    if (!slot.held()) slot = {queue_.pop(now), 0, false};
    if (!slot.held()) return false;
    const size_t size = pool_.octets(slot.handle).size();
    if (!slot.paid && size <= bucket_.available()) {
        bucket_.hold(size);
        slot.paid = true;
    }
    return slot.paid;
}

void FlowTransmitter::done(Staged& slot) {
    ++counters_.sdus;
    counters_.sdu_octets += pool_.octets(slot.handle).size();
    bucket_.settle(pool_.octets(slot.handle).size());
    pool_.release(slot.handle);
    slot = {};
    frames_without_room_ = 0;
}

void FlowTransmitter::drop_current() {
    if (current_.paid) bucket_.refund(pool_.octets(current_.handle).size());
    pool_.release(current_.handle);
    current_ = next_;
    next_ = {};
    frames_without_room_ = 0;
}

/// The next SDU does not fit into `room`. True: no larger burst is expected.
bool FlowTransmitter::give_up_waiting(size_t room, Samples now) {
    const size_t size = rest(current_).size();
    if (room >= too_long_ + pdu_overhead()) too_long_ = SIZE_MAX;
    if (size >= too_long_) return true;
    if (now != tried_) ++frames_without_room_;
    tried_ = now;
    if (frames_without_room_ <= kFramesToWaitForRoom) return false;
    too_long_ = size;
    return true;
}

bool FlowTransmitter::open(PduWriter& writer, uint16_t& piggyback) {
    if (!writer.begin(cid_, crc_, true, sealer_)) return false;
    if (piggyback != 0) writer.grant_management(GrantManagementSubheader::piggyback(piggyback));
    piggyback = 0;
    ++counters_.pdus;
    return true;
}

bool FlowTransmitter::send_fragment(PduWriter& writer, size_t room, uint16_t& piggyback) {
    const size_t overhead = fragment_overhead() + (piggyback != 0 ? GrantManagementSubheader::kOctets : 0);
    const Octets left = rest(current_);
    if (room < overhead + std::min(left.size(), kMinFragment)) return false;
    const size_t part = std::min({left.size(), room - overhead, kMaxPduOctets - overhead});
    const bool first = current_.offset == 0, last = part == left.size();
    if (!open(writer, piggyback)) return false;
    const auto fc = first ? (last ? FragmentControl::unfragmented : FragmentControl::first)
                          : (last ? FragmentControl::last : FragmentControl::middle);
    writer.fragmentation({fc, next_fsn()});
    writer.payload(left.first(part));
    writer.finish();
    payload_octets_ += part;
    ++counters_.fragments;
    current_.offset += part;
    if (last) done(current_);
    return true;
}

/// Puts as many SDUs as `left` octets hold, each after `overhead` octets; of the first one only the rest. Returns the
/// octets left.
size_t FlowTransmitter::put_whole_sdus(size_t left, size_t overhead, Samples now, const auto& put) {
    while (current_.held() && current_.paid && rest(current_).size() + overhead <= left) {
        left -= rest(current_).size() + overhead;
        put(rest(current_));
        ++counters_.packed;
        payload_octets_ += rest(current_).size();
        done(current_);
        std::swap(current_, next_);
        stage(current_, now);
    }
    return left;
}

/// Sends the rest of one SDU or all of it, and others after it. The last PDU of the burst adds the first part of one
/// more, which costs less here than in a separate PDU.
bool FlowTransmitter::send_packed(PduWriter& writer, size_t room, Samples now, uint16_t& piggyback) {
    const size_t overhead = pdu_overhead() + (piggyback != 0 ? GrantManagementSubheader::kOctets : 0);
    size_t left = std::min(room, kMaxPduOctets) - overhead;
    if (!stage(next_, now)) return false;
    const bool cuts = fragmentation_ && room <= kMaxPduOctets;
    const auto least = [&](size_t octets) { return kPackingOctets + (cuts ? std::min(octets, kMinFragment) : octets); };
    if (kPackingOctets + rest(current_).size() + least(rest(next_).size()) > left) return false;
    if (!open(writer, piggyback)) return false;
    left = put_whole_sdus(left, kPackingOctets, now, [&](Octets sdu) {
        const bool whole = current_.offset == 0;
        counters_.fragments += whole ? 0 : 1;
        writer.packed(whole ? FragmentControl::unfragmented : FragmentControl::last, next_fsn(), sdu);
    });
    if (cuts && current_.held() && current_.paid && left >= kPackingOctets + kMinFragment) {
        const size_t part = left - kPackingOctets;
        writer.packed(FragmentControl::first, next_fsn(), rest(current_).first(part));
        ++counters_.fragments;
        payload_octets_ += part;
        current_.offset += part;
    }
    writer.finish();
    return true;
}

/// SDUs of one length need no subheaders; one alone is the same PDU.
bool FlowTransmitter::send_end_to_end(PduWriter& writer, size_t room, Samples now, uint16_t& piggyback) {
    const size_t overhead = pdu_overhead() + (piggyback != 0 ? GrantManagementSubheader::kOctets : 0);
    if (!open(writer, piggyback)) return false;
    put_whole_sdus(std::min(room, kMaxPduOctets) - overhead, 0, now, [&](Octets sdu) { writer.payload(sdu); });
    writer.finish();
    return true;
}

bool FlowTransmitter::send_whole(PduWriter& writer, size_t room, Samples now, uint16_t& piggyback) {
    const size_t overhead = pdu_overhead() + (piggyback != 0 ? GrantManagementSubheader::kOctets : 0);
    if (rest(current_).size() + overhead > room) return false;
    if (packing_ && fixed_octets_ != 0) return send_end_to_end(writer, room, now, piggyback);
    if (!open(writer, piggyback)) return false;
    writer.payload(rest(current_));
    writer.finish();
    payload_octets_ += rest(current_).size();
    done(current_);
    std::swap(current_, next_);
    return true;
}

size_t FlowTransmitter::fill(PduWriter& writer, size_t limit, Samples now, uint16_t piggyback,
                             ArqFeedbackPayload* feedback) {
    if (!may_send()) return 0;
    if (arq_) return fill_arq(writer, limit, now, piggyback, feedback);
    const size_t before = writer.room();
    const size_t reserve = before - std::min(before, limit);  // room reserved for others
    while (true) {
        if (!current_.held()) std::swap(current_, next_);
        if (!stage(current_, now)) break;
        const size_t room = writer.room() > reserve ? writer.room() - reserve : 0;
        if (room <= fragment_overhead() + GrantManagementSubheader::kOctets) break;
        if (packing_ && fixed_octets_ == 0 && send_packed(writer, room, now, piggyback)) continue;
        if (current_.offset == 0 && send_whole(writer, room, now, piggyback)) continue;
        if (!fragmentation_ && current_.offset == 0) {
            if (!give_up_waiting(room, now)) break;
            ++counters_.dropped_no_room;
            drop_current();
            continue;
        }
        if (!send_fragment(writer, room, piggyback)) break;
    }
    return before - writer.room();
}

void FlowTransmitter::drop_head(Samples now) {
    stage(current_, now);
    if (!current_.held()) return;
    ++counters_.dropped_contention;
    drop_current();
}

size_t FlowTransmitter::drop_all() {
    size_t packets = queue_.all_packets();
    queue_.clear();
    for (; current_.held() || next_.held(); ++packets) {
        if (!current_.held()) std::swap(current_, next_);
        drop_current();
    }
    return packets;
}

}  // namespace wimax::mac
