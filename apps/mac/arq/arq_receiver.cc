// SPDX-License-Identifier: GPL-3.0-or-later
#include "mac/arq/arq_receiver.h"

#include <algorithm>

namespace wimax::mac {

ArqReceiver::ArqReceiver(const ArqParameters& parameters, size_t max_sdu_octets)
    : parameters_(parameters),
      limit_(max_sdu_octets),
      slots_(parameters.window_blocks),
      memory_(std::make_unique_for_overwrite<uint8_t[]>(size_t{parameters.window_blocks} * parameters.block_octets)) {
    sdu_.reserve(limit_);
    if (!parameters_.deliver_in_order) early_.reserve(limit_);
}

/// Gives up the SDU at the window's start.
void ArqReceiver::lose() {
    if (progress_ != Progress::none) ++counters_.dropped_sdus;
    progress_ = Progress::none;
    sdu_.clear();
}

void ArqReceiver::break_off() {
    progress_ = Progress::broken;
    sdu_.clear();
}

void ArqReceiver::deliver(const Sink& sink) {
    progress_ = Progress::none;
    if (sink) sink(sdu_);
    sdu_.clear();
}

/// Only an SDU's last block may be shorter than the others.
bool ArqReceiver::fits_blocks(FragmentControl fc, Octets octets) const {
    const bool ends = fc == FragmentControl::last || fc == FragmentControl::unfragmented;
    return !octets.empty() && octets.size() <= limit_ && (ends || octets.size() % parameters_.block_octets == 0);
}

void ArqReceiver::store(BlockIndex index, Octets octets, bool first, bool last, Samples now) {
    Slot& to = slot(index);
    if (to.received) {
        ++counters_.repeated;
        return;
    }
    ++counters_.blocks;
    to = {now, static_cast<uint16_t>(octets.size()), true, first, last, false};
    std::copy(octets.begin(), octets.end(), memory_.get() + place(index) * parameters_.block_octets);
    end_ = std::max(end_, index + 1);
}

/// Blocks after a missing one are lost until the next SDU begins.
void ArqReceiver::append(const Slot& of, Octets octets) {
    if (of.first) {
        lose();
        progress_ = Progress::building;
    }
    if (progress_ != Progress::building || sdu_.size() + octets.size() > limit_) return break_off();
    sdu_.insert(sdu_.end(), octets.begin(), octets.end());
}

void ArqReceiver::pass(BlockIndex index, const Sink& sink) {
    Slot& of = slot(index);
    of.received = false;
    if (of.delivered) return lose();
    append(of, data(index));
    if (!of.last) return;
    if (progress_ == Progress::building) deliver(sink);
    else lose();
}

void ArqReceiver::pass_received(const Sink& sink) {
    const BlockIndex before = start_;
    while (start_ < end_ && slot(start_).received) pass(start_++, sink);
    if (start_ != before) stalled_ = INT64_MAX;
}

void ArqReceiver::give_up(BlockIndex last, const Sink& sink) {
    for (; start_ <= last; ++start_) {
        if (received(start_)) {
            pass(start_, sink);
            continue;
        }
        ++counters_.given_up;
        break_off();
    }
    end_ = std::max(end_, start_);
    stalled_ = INT64_MAX;
    pass_received(sink);
}

/// Delivers the SDU around the block, if all of it is in the window.
void ArqReceiver::deliver_complete(BlockIndex index, const Sink& sink) {
    BlockIndex first = index, last = index;
    while (received(first) && !slot(first).first) {
        if (first == start_) return;
        --first;
    }
    while (received(last) && !slot(last).last) ++last;
    if (!received(first) || !received(last) || slot(first).delivered) return;
    early_.clear();
    for (BlockIndex i = first; i <= last; ++i) {
        const Octets octets = data(i);
        if ((i > first && slot(i).first) || early_.size() + octets.size() > limit_) return;
        early_.insert(early_.end(), octets.begin(), octets.end());
    }
    for (BlockIndex i = first; i <= last; ++i) slot(i).delivered = true;
    if (sink) sink(early_);
}

void ArqReceiver::receive(FragmentControl fc, uint16_t bsn, Octets data, Samples now, const Sink& sink) {
    if (!fits_blocks(fc, data)) {
        ++counters_.malformed;
        return;
    }
    feedback_due_ = true;
    const size_t size = parameters_.block_octets, blocks = (data.size() + size - 1) / size;
    const BlockIndex first = start_ + static_cast<BlockIndex>(int64_t{bsn_distance(bsn, start_)});
    const bool begins = fc == FragmentControl::first || fc == FragmentControl::unfragmented;
    const bool ends = fc == FragmentControl::last || fc == FragmentControl::unfragmented;
    bool news = false;
    for (size_t i = 0; i < blocks; ++i) {
        const BlockIndex index = first + i;
        const auto ahead = static_cast<int64_t>(index - start_);
        counters_.repeated += ahead < 0;
        counters_.outside += ahead >= parameters_.window_blocks;
        news = news || ahead >= 0;
        if (ahead < 0 || ahead >= parameters_.window_blocks) continue;
        store(index, data.subspan(i * size, std::min(size, data.size() - i * size)), begins && i == 0,
              ends && i + 1 == blocks, now);
    }
    if (news) stalled_ = std::min(stalled_, now);
    pass_received(sink);
    if (parameters_.deliver_in_order) return;
    for (BlockIndex i = std::max(first, start_); i < first + blocks && received(i); ++i) deliver_complete(i, sink);
}

void ArqReceiver::discard(uint16_t bsn, const Sink& sink) {
    feedback_due_ = true;
    const int ahead = bsn_distance(bsn, start_);
    if (ahead < 0 || ahead >= parameters_.window_blocks) return;
    give_up(start_ + static_cast<BlockIndex>(ahead), sink);
}

/// A block that has waited too long for earlier blocks is processed as if they had been received.
void ArqReceiver::tick(Samples now, const Sink& sink) {
    if (parameters_.rx_purge_timeout <= 0 || start_ == end_) return;
    for (BlockIndex i = end_; i-- > start_;)
        if (slot(i).received && now - slot(i).at >= parameters_.rx_purge_timeout) {
            feedback_due_ = true;
            return give_up(i, sink);
        }
}

size_t ArqReceiver::feedback(uint16_t cid, std::array<FeedbackIe, kMaxFeedbackElements>& out) const {
    return make_feedback(
        cid, start_, static_cast<size_t>(end_ - start_), [this](size_t i) { return slot(start_ + i).received; },
        parameters_.feedback, out);
}

bool ArqReceiver::out_of_sync(Samples now) const {
    return parameters_.sync_loss_timeout > 0 && stalled_ != INT64_MAX &&
           now - stalled_ >= parameters_.sync_loss_timeout;
}

void ArqReceiver::reset() {
    lose();
    for (BlockIndex i = start_; i < end_; ++i) slot(i).received = false;
    start_ = end_ = 0;
    feedback_due_ = false;
    stalled_ = INT64_MAX;
}

}  // namespace wimax::mac
