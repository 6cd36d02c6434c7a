// SPDX-License-Identifier: GPL-3.0-or-later
#include "radio/piece_queue.h"

#include "radio/vrf_nodes.h"

namespace gr::wimax {

DevicePiece* PieceQueue::free_place() {
    const std::lock_guard guard(mutex_);
    if (queued_ == kPieces) return nullptr;
    if (queued_ == 0) head_ = 0;  // with an empty queue the same memory stays in the cache
    return &pieces_[(head_ + queued_) % kPieces];
}

void PieceQueue::push() {
    {
        const std::lock_guard guard(mutex_);
        ++queued_;
    }
    wake_.notify_one();
}

std::optional<PieceQueue::Next> PieceQueue::wait() {
    std::unique_lock lock(mutex_);
    wake_.wait(lock, [&] { return ended_ || queued_ > 0; });
    if (ended_) return std::nullopt;
    sending_ = true;
    return Next{pieces_[head_], promised_};
}

void PieceQueue::done(bool sent) {
    const std::lock_guard guard(mutex_);
    if (sent) ++bursts_sent_;
    sending_ = false;
    head_ = (head_ + 1) % kPieces;
    --queued_;
    if (queued_ == 0 && commit_due_) write_commit();
}

void PieceQueue::commit(int64_t sample) {
    const std::lock_guard guard(mutex_);
    if (sample <= committed_) return;
    committed_ = sample;
    commit_due_ = true;
    if (queued_ == 0 && !sending_) write_commit();
}

void PieceQueue::write_commit() {
    commit_due_ = false;
    promised_ = device_.commit_tick(committed_);
    if (device_.lock_step()) vrf_commit(device_.usrp->get_tree(), promised_, bursts_sent_);
}

void PieceQueue::end() {
    {
        const std::lock_guard guard(mutex_);
        ended_ = true;
    }
    wake_.notify_all();
}

}  // namespace gr::wimax
