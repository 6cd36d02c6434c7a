/* SPDX-License-Identifier: GPL-3.0-or-later */
#include <mac/flow/transmitter.h>

#include <algorithm>

namespace wimax::mac {
namespace {

/// Shorter first fragments are not worth their subheader.
constexpr size_t kMinFragment = 24;
constexpr size_t kPackingOctets = 3;
constexpr size_t kMinBucketOctets = 3000;

size_t bucket_depth(const ServiceFlowConfig& config) {
    if (config.max_burst_bytes != 0) return std::max<size_t>(config.max_burst_bytes, kMaxSduOctets);
    return std::max<size_t>(kMinBucketOctets, config.max_sustained_rate_bps / 8 / 50);  // 20 ms of the rate
}

}  // namespace

FlowTransmitter::FlowTransmitter(uint16_t cid, const ServiceFlowConfig& config, SduPool& pool,
                                 const SduQueueConfig& queue, int64_t sample_rate_hz)
    : cid_(cid),
      fragmentation_(config.fragmentation),
      packing_(config.packing),
      crc_(config.crc),
      pool_(pool),
      queue_(pool, queue),
      bucket_(config.max_sustained_rate_bps, bucket_depth(config), sample_rate_hz) {}

FlowTransmitter::~FlowTransmitter() {
    if (current_.held()) pool_.release(current_.handle);
    if (next_.held()) pool_.release(next_.handle);
}

size_t FlowTransmitter::staged_octets() const {
    return (current_.held() ? rest(current_).size() : 0) + (next_.held() ? rest(next_).size() : 0);
}

size_t FlowTransmitter::demand() const {
    const size_t held = (current_.held() ? 1U : 0U) + (next_.held() ? 1U : 0U);
    size_t octets = staged_octets() + held * kPduOverheadOctets;
    if (!queue_.empty() && bucket_.available() > 0)
        octets += std::min(queue_.bytes(), std::max(bucket_.available(), queue_.bytes() / queue_.packets())) +
                  queue_.packets() * kPduOverheadOctets;
    return octets == 0 ? 0 : octets + kFragmentOverheadOctets;
}

bool FlowTransmitter::stage(Staged& slot, Samples now) {
    if (slot.held()) return true;
    if (bucket_.available() == 0) return false;
    slot = {queue_.pop(now), 0};
    if (slot.held()) bucket_.take(pool_.octets(slot.handle).size());
    return slot.held();
}

void FlowTransmitter::done(Staged& slot) {
    ++counters_.sdus;
    counters_.sdu_octets += pool_.octets(slot.handle).size();
    pool_.release(slot.handle);
    slot = {};
}

bool FlowTransmitter::open(PduWriter& writer, uint16_t& piggyback) {
    if (!writer.begin(cid_, crc_)) return false;
    if (piggyback != 0) writer.grant_management(GrantManagementSubheader::piggyback(piggyback));
    piggyback = 0;
    ++counters_.pdus;
    return true;
}

bool FlowTransmitter::send_fragment(PduWriter& writer, size_t room, uint16_t& piggyback) {
    const size_t overhead = kFragmentOverheadOctets + (piggyback != 0 ? GrantManagementSubheader::kOctets : 0);
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
    ++counters_.fragments;
    current_.offset += part;
    if (last) done(current_);
    return true;
}

bool FlowTransmitter::send_packed(PduWriter& writer, size_t room, Samples now, uint16_t& piggyback) {
    const size_t overhead = kPduOverheadOctets + (piggyback != 0 ? GrantManagementSubheader::kOctets : 0);
    size_t left = std::min(room, kMaxPduOctets) - overhead;
    const auto unit = [this](const Staged& s) { return rest(s).size() + kPackingOctets; };
    if (!stage(next_, now) || unit(current_) + unit(next_) > left) return false;
    if (!open(writer, piggyback)) return false;
    while (current_.held() && unit(current_) <= left) {
        left -= unit(current_);
        writer.packed(FragmentControl::unfragmented, next_fsn(), rest(current_));
        ++counters_.packed;
        done(current_);
        std::swap(current_, next_);
        stage(current_, now);
    }
    writer.finish();
    return true;
}

bool FlowTransmitter::send_whole(PduWriter& writer, size_t room, Samples now, uint16_t& piggyback) {
    const size_t overhead = kPduOverheadOctets + (piggyback != 0 ? GrantManagementSubheader::kOctets : 0);
    if (rest(current_).size() + overhead > room) return false;
    if (packing_ && send_packed(writer, room, now, piggyback)) return true;
    if (!open(writer, piggyback)) return false;
    writer.payload(rest(current_));
    writer.finish();
    done(current_);
    std::swap(current_, next_);
    return true;
}

size_t FlowTransmitter::fill(PduWriter& writer, size_t limit, Samples now, uint16_t piggyback) {
    const size_t before = writer.room();
    const size_t reserve = before - std::min(before, limit);  // room that belongs to others
    while (true) {
        if (!current_.held()) std::swap(current_, next_);
        if (!stage(current_, now)) break;
        const size_t room = writer.room() > reserve ? writer.room() - reserve : 0;
        if (room <= kFragmentOverheadOctets + GrantManagementSubheader::kOctets) break;
        if (current_.offset == 0 && send_whole(writer, room, now, piggyback)) continue;
        if (!fragmentation_ && current_.offset == 0) break;
        if (!send_fragment(writer, room, piggyback)) break;
    }
    return before - writer.room();
}

void FlowTransmitter::drop_head(Samples now) {
    if (!stage(current_, now)) return;
    pool_.release(current_.handle);
    current_ = next_;
    next_ = {};
}

}  // namespace wimax::mac
