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

SduQueueConfig with_seed(SduQueueConfig queue, uint64_t seed) {
    queue.seed = seed;
    return queue;
}

}  // namespace

FlowTransmitter::FlowTransmitter(uint16_t cid, const ServiceFlowConfig& config, SduPool& pool,
                                 const SduQueueConfig& queue, int64_t sample_rate_hz)
    : fragmentation_(config.fragmentation),
      packing_(config.packing),
      fixed_octets_(config.fixed_sdu_octets),
      pdus_(cid, config.crc, counters_),
      sdus_(config, pool, with_seed(queue, cid), sample_rate_hz) {
    if (config.arq.enable)
        arq_ = std::make_unique<ArqTransmission>(arq_parameters(config.arq, sample_rate_hz), packing_, sdus_, pdus_,
                                                 counters_);
}

size_t FlowTransmitter::demand_of_waiting() const {
    if (!pdus_.permitted()) return 0;
    if (arq_) return arq_->demand();
    size_t octets = 0, allowed = sdus_.allowed_octets();
    bool blocked = false;
    for (const StagedSdus::Slot* slot : {&sdus_.current(), &sdus_.next()}) {
        if (!slot->held() || blocked) continue;
        const size_t left = sdus_.rest(*slot).size();
        blocked = !slot->paid && left > allowed;
        if (blocked) continue;
        if (!slot->paid) allowed -= left;
        octets += left + pdus_.overhead_octets();
    }
    if (const SduQueue& queue = sdus_.queue(); !blocked && !queue.empty() && allowed >= queue.bytes() / queue.packets())
        octets += std::min(queue.bytes(), allowed) + queue.packets() * pdus_.overhead_octets();
    return octets == 0 ? 0 : octets + pdus_.fragment_overhead_octets();
}

size_t FlowTransmitter::demand_for(size_t sdu_octets) const {
    if (sdu_octets == 0) return 0;
    const size_t packets = backlog_packets(), mean = packets == 0 ? kMaxSduOctets : backlog_octets() / packets + 1;
    const size_t overheads = (sdu_octets / mean + 1) * pdus_.overhead_octets() + pdus_.fragment_overhead_octets();
    return std::min(demand(), sdu_octets + overheads);
}

void FlowTransmitter::done(StagedSdus::Slot& slot) {
    ++counters_.sdus;
    counters_.sdu_octets += sdus_.finish(slot.handle);
    slot = {};
    wait_.restart();
}

void FlowTransmitter::drop_current() {
    sdus_.drop_current();
    wait_.restart();
}

bool FlowTransmitter::RoomWait::ends(size_t size, size_t room, size_t overhead, Samples now) {
    if (room >= too_long_ + overhead) too_long_ = SIZE_MAX;
    if (size >= too_long_) return true;
    if (now != tried_) ++frames_;
    tried_ = now;
    if (frames_ <= kFramesToWaitForRoom) return false;
    too_long_ = size;
    return true;
}

bool FlowTransmitter::send_fragment(PduWriter& writer, size_t room, uint16_t& piggyback) {
    auto& current = sdus_.current();
    const size_t overhead = pdus_.fragment_overhead_octets(piggyback);
    const Octets left = sdus_.rest(current);
    if (room < overhead + std::min(left.size(), kMinFragment)) return false;
    const size_t part = std::min({left.size(), room - overhead, kMaxPduOctets - overhead});
    const bool first = current.offset == 0, last = part == left.size();
    if (!pdus_.open(writer, piggyback)) return false;
    const auto fc = first ? (last ? FragmentControl::unfragmented : FragmentControl::first)
                          : (last ? FragmentControl::last : FragmentControl::middle);
    writer.fragmentation({fc, pdus_.next_fsn()});
    writer.payload(left.first(part));
    writer.finish();
    counters_.payload_octets += part;
    ++counters_.fragments;
    current.offset += part;
    if (last) done(current);
    return true;
}

/// Puts as many SDUs as `left` octets hold, each after `overhead` octets; of the first one only the rest. Returns the
/// octets left.
size_t FlowTransmitter::put_whole_sdus(size_t left, size_t overhead, Samples now, const auto& put) {
    auto& current = sdus_.current();
    while (current.held() && current.paid && sdus_.rest(current).size() + overhead <= left) {
        left -= sdus_.rest(current).size() + overhead;
        put(sdus_.rest(current));
        ++counters_.packed;
        counters_.payload_octets += sdus_.rest(current).size();
        done(current);
        sdus_.swap();
        sdus_.stage(current, now);
    }
    return left;
}

/// Sends the rest of one SDU or all of it, and others after it. The last PDU of the burst adds the first part of one
/// more, which costs less here than in a separate PDU.
bool FlowTransmitter::send_packed(PduWriter& writer, size_t room, Samples now, uint16_t& piggyback) {
    auto& current = sdus_.current();
    const size_t overhead = pdus_.overhead_octets(piggyback);
    size_t left = std::min(room, kMaxPduOctets) - overhead;
    if (!sdus_.stage(sdus_.next(), now)) return false;
    const bool cuts = fragmentation_ && room <= kMaxPduOctets;
    const auto least = [&](size_t octets) { return kPackingOctets + (cuts ? std::min(octets, kMinFragment) : octets); };
    if (kPackingOctets + sdus_.rest(current).size() + least(sdus_.rest(sdus_.next()).size()) > left) return false;
    if (!pdus_.open(writer, piggyback)) return false;
    left = put_whole_sdus(left, kPackingOctets, now, [&](Octets sdu) {
        const bool whole = current.offset == 0;
        counters_.fragments += whole ? 0 : 1;
        writer.packed(whole ? FragmentControl::unfragmented : FragmentControl::last, pdus_.next_fsn(), sdu);
    });
    if (cuts && current.held() && current.paid && left >= kPackingOctets + kMinFragment) {
        const size_t part = left - kPackingOctets;
        writer.packed(FragmentControl::first, pdus_.next_fsn(), sdus_.rest(current).first(part));
        ++counters_.fragments;
        counters_.payload_octets += part;
        current.offset += part;
    }
    writer.finish();
    return true;
}

/// SDUs of one length need no subheaders; one alone is the same PDU.
bool FlowTransmitter::send_end_to_end(PduWriter& writer, size_t room, Samples now, uint16_t& piggyback) {
    const size_t overhead = pdus_.overhead_octets(piggyback);
    if (!pdus_.open(writer, piggyback)) return false;
    put_whole_sdus(std::min(room, kMaxPduOctets) - overhead, 0, now, [&](Octets sdu) { writer.payload(sdu); });
    writer.finish();
    return true;
}

bool FlowTransmitter::send_whole(PduWriter& writer, size_t room, Samples now, uint16_t& piggyback) {
    auto& current = sdus_.current();
    const size_t overhead = pdus_.overhead_octets(piggyback);
    if (sdus_.rest(current).size() + overhead > room) return false;
    if (packing_ && fixed_octets_ != 0) return send_end_to_end(writer, room, now, piggyback);
    if (!pdus_.open(writer, piggyback)) return false;
    writer.payload(sdus_.rest(current));
    writer.finish();
    counters_.payload_octets += sdus_.rest(current).size();
    done(current);
    sdus_.swap();
    return true;
}

size_t FlowTransmitter::fill(PduWriter& writer, size_t limit, Samples now, uint16_t piggyback,
                             ArqFeedbackPayload* feedback) {
    if (!pdus_.permitted()) return 0;
    if (arq_) return arq_->fill(writer, limit, now, piggyback, feedback);
    auto& current = sdus_.current();
    const size_t before = writer.room();
    const size_t reserve = before - std::min(before, limit);  // room reserved for others
    while (true) {
        if (!current.held()) sdus_.swap();
        if (!sdus_.stage(current, now)) break;
        const size_t room = writer.room() > reserve ? writer.room() - reserve : 0;
        if (room <= pdus_.fragment_overhead_octets() + GrantManagementSubheader::kOctets) break;
        if (packing_ && fixed_octets_ == 0 && send_packed(writer, room, now, piggyback)) continue;
        if (current.offset == 0 && send_whole(writer, room, now, piggyback)) continue;
        if (!fragmentation_ && current.offset == 0) {
            if (!wait_.ends(sdus_.rest(current).size(), room, pdus_.overhead_octets(), now)) break;
            ++counters_.dropped_no_room;
            drop_current();
            continue;
        }
        if (!send_fragment(writer, room, piggyback)) break;
    }
    return before - writer.room();
}

void FlowTransmitter::drop_head(Samples now) {
    auto& current = sdus_.current();
    sdus_.stage(current, now);
    if (!current.held()) return;
    ++counters_.dropped_contention;
    drop_current();
}

}  // namespace wimax::mac
