// SPDX-License-Identifier: GPL-3.0-or-later
#include "mac/arq/arq_sender.h"

#include <algorithm>
#include <utility>

namespace wimax::mac {

ArqSender::ArqSender(const ArqParameters& parameters, Release release)
    : parameters_(parameters),
      release_(std::move(release)),
      blocks_(parameters.window_blocks),
      // Each block in the window may be of another SDU, and one more SDU waits to be begun.
      sdus_(parameters.window_blocks + 2U) {}

ArqSender::~ArqSender() {
    for (; sdu_start_ < sdu_end_; ++sdu_start_) release(sdus_[sdu_start_], false);
}

size_t ArqSender::octets_of(const Sdu& of, size_t from, size_t blocks) const {
    const size_t begin = from * parameters_.block_octets;
    return std::min<size_t>(of.octets, begin + blocks * parameters_.block_octets) - begin;
}

size_t ArqSender::octets_of(BlockIndex index) const {
    const Sdu& of = sdus_[blocks_[index].sdu];
    return octets_of(of, index - of.first, 1);
}

bool ArqSender::wants_sdu() const {
    return next_ < window_end() && (sdu_end_ == sdu_start_ || sdus_[sdu_end_ - 1].begun());
}

void ArqSender::add(uint32_t handle, size_t octets) {
    const size_t blocks = (octets + parameters_.block_octets - 1) / parameters_.block_octets;
    sdus_[sdu_end_++] = {handle, static_cast<uint16_t>(octets), static_cast<uint16_t>(blocks), 0, 0, true, next_};
}

size_t ArqSender::unsent_octets_of_sdus() const {
    if (sdu_end_ == sdu_start_ || sdus_[sdu_end_ - 1].begun()) return 0;
    const Sdu& last = sdus_[sdu_end_ - 1];
    return octets_of(last, last.numbered, last.blocks);
}

size_t ArqSender::unsent_octets() const {
    return std::min<size_t>(unsent_octets_of_sdus(), (window_end() - next_) * parameters_.block_octets);
}

size_t ArqSender::window_room_octets() const {
    return (window_end() - next_) * parameters_.block_octets - unsent_octets();
}

ArqFragment ArqSender::fragment(const Sdu& of, size_t from, size_t blocks) const {
    ArqFragment out;
    out.sdu = of.handle;
    out.offset = from * parameters_.block_octets;
    out.octets = octets_of(of, from, blocks);
    const bool first = from == 0, last = from + blocks == of.blocks;
    out.fc = first ? (last ? FragmentControl::unfragmented : FragmentControl::first)
                   : (last ? FragmentControl::last : FragmentControl::middle);
    out.first = of.first + from;
    out.blocks = blocks;
    return out;
}

std::optional<ArqFragment> ArqSender::next_repeat(size_t room) {
    while (blocks_[first_waiting_].state != State::waiting) ++first_waiting_;
    const Block& head = blocks_[first_waiting_];
    const Sdu& of = sdus_[head.sdu];
    const size_t from = first_waiting_ - of.first;
    size_t blocks = 0;
    while (from + blocks < of.numbered && blocks_[of.first + from + blocks].state == State::waiting &&
           octets_of(of, from, blocks + 1) <= room)
        ++blocks;
    if (blocks == 0) return std::nullopt;
    ArqFragment out = fragment(of, from, blocks);
    out.repeat = true;
    return out;
}

std::optional<ArqFragment> ArqSender::next_new(size_t room) const {
    if (sdu_end_ == sdu_start_) return std::nullopt;
    const Sdu& of = sdus_[sdu_end_ - 1];
    if (of.begun()) return std::nullopt;
    const size_t left = octets_of(of, of.numbered, of.blocks);
    const size_t fit = left <= room ? of.blocks - of.numbered : room / parameters_.block_octets;
    const size_t blocks = std::min<size_t>(fit, window_end() - next_);
    if (blocks == 0) return std::nullopt;
    return fragment(of, of.numbered, blocks);
}

std::optional<ArqFragment> ArqSender::next(size_t room) { return waiting_ > 0 ? next_repeat(room) : next_new(room); }

void ArqSender::sent(const ArqFragment& fragment, Samples now) {
    if (start_ == next_) moved_ = now;
    ++order_;
    for (BlockIndex i = fragment.first; i < fragment.first + fragment.blocks; ++i) {
        Block& b = blocks_[i];
        if (!fragment.repeat) {
            b.sdu = sdu_end_ - 1;
            b.born = now;
        } else {
            --waiting_;
            waiting_octets_ -= octets_of(i);
        }
        b.state = State::outstanding;
        b.sent = now;
        b.order = order_;
    }
    check_at_ = std::min(check_at_, now + parameters_.retry_timeout);
    if (fragment.repeat) {
        counters_.repeats += fragment.blocks;
        return;
    }
    if (parameters_.block_lifetime > 0) check_at_ = std::min(check_at_, now + parameters_.block_lifetime);
    counters_.blocks += fragment.blocks;
    Sdu& of = sdus_[sdu_end_ - 1];
    of.numbered = static_cast<uint16_t>(of.numbered + fragment.blocks);
    next_ += fragment.blocks;
}

void ArqSender::release(Sdu& of, bool delivered) {
    if (!std::exchange(of.held, false)) return;
    ++released_;
    release_(of.handle, delivered);
}

void ArqSender::done(BlockIndex index) {
    Block& b = blocks_[index];
    if (b.state == State::done) return;
    if (b.state == State::waiting) {
        --waiting_;
        waiting_octets_ -= octets_of(index);
    }
    if (b.state != State::discarded) acknowledged_order_ = std::max(acknowledged_order_, b.order);
    b.state = State::done;
    Sdu& of = sdus_[b.sdu];
    if (++of.done == of.blocks) release(of, true);
}

void ArqSender::wait(BlockIndex index) {
    blocks_[index].state = State::waiting;
    ++waiting_;
    waiting_octets_ += octets_of(index);
    first_waiting_ = std::min(first_waiting_, index);
    if (waiting_ == 1) first_waiting_ = index;
}

void ArqSender::advance(Samples now) {
    if (start_ == next_ || blocks_[start_].state != State::done) return;
    while (start_ < next_ && blocks_[start_].state == State::done) ++start_;
    moved_ = now;
    first_waiting_ = std::max(first_waiting_, start_);
    for (; sdu_start_ < sdu_end_; ++sdu_start_, --released_) {
        const Sdu& of = sdus_[sdu_start_];
        if (of.held || of.first + of.numbered > start_) break;
    }
}

/// The BSN of a cumulative element may be the last block done already: then the element repeats known status.
void ArqSender::acknowledge(const FeedbackIe& ie, Samples now) {
    const int distance = bsn_distance(ie.bsn, start_), in_flight = static_cast<int>(next_ - start_);
    if (is_cumulative(ie.ack_type)) {
        if (distance < -1 || distance >= in_flight) {
            ++counters_.bad_feedback;
            return;
        }
        for (int i = 0; i <= distance; ++i) done(start_ + static_cast<BlockIndex>(i));
    }
    const BlockIndex base = start_ + static_cast<BlockIndex>(static_cast<int64_t>(distance));
    for (const AckRun& run : ack_runs(ie)) {
        if (!run.received) continue;
        for (BlockIndex i = base + run.first; i < base + run.first + run.count; ++i)
            if (in_window(i)) done(i);
    }
    advance(now);
}

/// A block counts as missing if something sent after it has arrived. It also counts if it was sent long enough ago for
/// the receiver to have seen it; else it may still be in transit.
void ArqSender::repeat_missing(const FeedbackIe& ie, Samples now) {
    const int distance = bsn_distance(ie.bsn, start_);
    const BlockIndex base = start_ + static_cast<BlockIndex>(static_cast<int64_t>(distance));
    for (const AckRun& run : ack_runs(ie)) {
        if (run.received) continue;
        for (BlockIndex i = base + run.first; i < base + run.first + run.count; ++i) {
            if (!in_window(i) || blocks_[i].state != State::outstanding) continue;
            const Block& b = blocks_[i];
            if (b.order < acknowledged_order_ || now - b.sent >= parameters_.retry_timeout / 2) wait(i);
        }
    }
}

/// Discards the whole SDU, including the part not sent yet, which gets no numbers.
void ArqSender::discard(uint64_t index) {
    Sdu& of = sdus_[index];
    for (BlockIndex i = of.first; i < of.first + of.numbered; ++i) {
        Block& b = blocks_[i];
        if (i < start_ || b.state == State::done) continue;
        if (b.state == State::waiting) {
            --waiting_;
            waiting_octets_ -= octets_of(i);
        }
        b.state = State::discarded;
    }
    discard_end_ = std::max(discard_end_, of.first + of.numbered);
    discard_sent_.reset();
    ++counters_.discarded_sdus;
    release(of, false);
}

void ArqSender::tick(Samples now) {
    if (now < check_at_) return;
    check_at_ = INT64_MAX;
    for (BlockIndex i = start_; i < next_; ++i) {
        const Block& b = blocks_[i];
        if (b.state != State::outstanding && b.state != State::waiting) continue;
        if (parameters_.block_lifetime > 0) {
            const Samples ends = b.born + parameters_.block_lifetime;
            if (now >= ends) {
                discard(b.sdu);
                continue;
            }
            check_at_ = std::min(check_at_, ends);
        }
        if (b.state == State::waiting) continue;
        const Samples retry = b.sent + parameters_.retry_timeout;
        if (now >= retry) {
            ++counters_.timeouts;
            wait(i);
        } else {
            check_at_ = std::min(check_at_, retry);
        }
    }
}

std::optional<uint16_t> ArqSender::discard_due(Samples now) {
    if (discard_end_ <= start_) return std::nullopt;
    if (discard_sent_ && now - *discard_sent_ < parameters_.retry_timeout) return std::nullopt;
    discard_sent_ = now;
    return bsn_of(discard_end_ - 1);
}

bool ArqSender::out_of_sync(Samples now) const {
    return parameters_.sync_loss_timeout > 0 && start_ < next_ && now - moved_ >= parameters_.sync_loss_timeout;
}

void ArqSender::reset() {
    std::optional<Sdu> kept;
    for (; sdu_start_ < sdu_end_; ++sdu_start_) {
        Sdu& of = sdus_[sdu_start_];
        if (!of.held) continue;
        if (of.numbered == 0) {
            kept = of;
            continue;
        }
        ++counters_.reset_sdus;
        release(of, false);
    }
    start_ = next_ = first_waiting_ = discard_end_ = 0;
    sdu_start_ = sdu_end_ = released_ = waiting_ = waiting_octets_ = 0;
    order_ = acknowledged_order_ = 0;
    check_at_ = INT64_MAX;
    discard_sent_.reset();
    if (kept) add(kept->handle, kept->octets);
}

}  // namespace wimax::mac
