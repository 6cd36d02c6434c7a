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

/// In lock-step a commit has to wait for the end of the burst; otherwise the device is about to need more samples.
bool PieceQueue::close_due() const {
    if (!open_until_) return false;
    if (device_.lock_step()) return commit_due_ && device_.commit_tick(committed_) > *open_until_;
    return until_close().count() <= 0;
}

std::chrono::duration<double> PieceQueue::until_close() const {
    const int64_t now = now_.load(std::memory_order_relaxed);
    const int64_t ticks = now == kNothingReceived ? 0 : *open_until_ - device_.plan.tick_at(now);
    return std::chrono::duration<double>(static_cast<double>(ticks) / device_.plan.tick_rate_hz - kCloseLeadS);
}

std::optional<PieceQueue::Next> PieceQueue::wait(const std::optional<int64_t>& open_until) {
    std::unique_lock lock(mutex_);
    open_until_ = open_until;
    const auto wakes = [&] { return ended_ || queued_ > 0 || close_due(); };
    while (!wakes()) {
        if (open_until_ && !device_.lock_step()) wake_.wait_for(lock, until_close());
        else wake_.wait(lock);
    }
    if (ended_) return std::nullopt;
    sending_ = true;
    closing_ = queued_ == 0;
    return Next{closing_ ? nullptr : &pieces_[head_], promised_};
}

void PieceQueue::done(const Sent& sent) {
    const std::lock_guard guard(mutex_);
    bursts_sent_ += sent.bursts_ended;
    open_until_ = sent.open_until;
    sending_ = false;
    if (!closing_) {
        head_ = (head_ + 1) % kPieces;
        --queued_;
    }
    if (queued_ == 0 && commit_due_ && !close_due()) write_commit();
}

void PieceQueue::commit(int64_t sample) {
    {
        const std::lock_guard guard(mutex_);
        if (sample <= committed_) return;
        committed_ = sample;
        commit_due_ = true;
        if (queued_ > 0 || sending_) return;
        if (!close_due()) return write_commit();
    }
    wake_.notify_one();
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
