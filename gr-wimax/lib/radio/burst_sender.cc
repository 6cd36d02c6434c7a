/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "radio/burst_sender.h"

#include "radio/vrf_nodes.h"

#include <algorithm>
#include <chrono>

namespace gr::wimax {
namespace {

constexpr double kPollS = 0.1;  // bound on anything that blocks, so that the end is quick
constexpr double kGiveUpS = 2;  // a radio that takes no samples for so long has lost the burst

TransmitPiece first_part(const TransmitPiece& piece, size_t n) {
    const size_t from = std::min(piece.second_from, n);
    return {piece.first.first(n), from, piece.second.first(std::min(piece.second.size(), n - from))};
}

}  // namespace

BurstSender::BurstSender(const RadioDevice& device, const RadioConfig& config, const std::atomic<int64_t>& now,
                         RadioTally& tally)
    : device_(device),
      max_piece_samples_(static_cast<size_t>(config.max_piece_samples)),
      now_(now),
      tally_(tally),
      guard_(config.limits, device.plan.channel_rate_hz, device.levels.tx_dbm),
      buffers_(device.tx_channels) {
    if (!device.plan.exact()) to_device_.emplace(device.plan);
    thread_ = std::thread([this] { send_loop(); });
}

BurstSender::~BurstSender() {
    {
        const std::lock_guard guard(mutex_);
        quit_ = true;
    }
    wake_.notify_all();
    thread_.join();
}

void BurstSender::write_commit() {
    commit_due_ = false;
    if (device_.lock_step()) vrf_commit(device_.usrp->get_tree(), committed_, bursts_sent_);
}

void BurstSender::send_loop() {
    std::unique_lock lock(mutex_);
    for (;;) {
        wake_.wait(lock, [&] { return quit_ || queued_ > 0; });
        if (quit_) return;
        const Piece& piece = pieces_[head_];
        sending_ = true;
        lock.unlock();
        send(piece);
        collect_async();
        lock.lock();
        sending_ = false;
        head_ = (head_ + 1) % kPieces;
        --queued_;
        if (queued_ == 0 && commit_due_) write_commit();
    }
}

/// Leading samples of a piece that the ringing of the one before has taken already.
size_t BurstSender::overlap(const Piece& piece) const {
    if (!to_device_ || sent_until_ < piece.tick) return 0;
    const int64_t samples = sent_until_ - piece.tick;
    if (samples > device_.plan.tick_at(2 * TransmitResampler::kRingingSamples) + 1)
        return 0;  // not ringing: the device's say
    return std::min(static_cast<size_t>(samples), piece.samples[0].size());
}

/// One UHD burst from its start to its end, whatever happens on the way.
void BurstSender::send(const Piece& piece) {
    if (const int64_t now = now_.load(std::memory_order_relaxed); now != kNothingReceived) {
        const int64_t slack = piece.start - now;
        tally_.note_slack(slack);
        if (slack < 0) {  // lock-step: samples right behind those received are not late
            ++tally_.late;
            return;
        }
    }
    uhd::tx_metadata_t md;
    md.start_of_burst = true;
    md.end_of_burst = true;
    md.has_time_spec = true;
    const size_t skipped = overlap(piece);
    md.time_spec = uhd::time_spec_t::from_ticks(piece.tick + static_cast<int64_t>(skipped),
                                                static_cast<double>(device_.plan.device_rate_hz));
    size_t sent = skipped;
    const size_t length = piece.samples[0].size();
    sent_until_ = piece.tick + static_cast<int64_t>(length);
    auto progress = std::chrono::steady_clock::now();
    while (sent < length && !quit_) {
        for (size_t c = 0; c < buffers_.size(); ++c) buffers_[c] = piece.samples[c].data() + sent;
        const size_t n = device_.tx->send(buffers_, length - sent, md, kPollS);
        const auto t = std::chrono::steady_clock::now();
        if (n > 0) {
            progress = t;
            sent += n;
            md.start_of_burst = md.has_time_spec = false;
        } else if (!device_.lock_step() && std::chrono::duration<double>(t - progress).count() > kGiveUpS) {
            break;
        }
    }
    const std::lock_guard guard(mutex_);
    if (sent > skipped) ++bursts_sent_;
    ++tally_.pieces;
    if (sent == length) return;
    ++tally_.underflows;
    md.end_of_burst = true;
    if (sent > skipped) device_.tx->send(buffers_, 0, md, kPollS);
}

void BurstSender::collect_async() {
    uhd::async_metadata_t md;
    while (device_.tx->recv_async_msg(md, 0)) {
        if (md.event_code &
            (uhd::async_metadata_t::EVENT_CODE_UNDERFLOW | uhd::async_metadata_t::EVENT_CODE_UNDERFLOW_IN_PACKET))
            ++tally_.underflows;
        if (md.event_code & uhd::async_metadata_t::EVENT_CODE_TIME_ERROR) ++tally_.late;
    }
}

/// At the device's rate and level; every channel as long as the first.
void BurstSender::fill(Piece& piece, const TransmitPiece& from) {
    auto& first = piece.samples[0];
    piece.tick = piece.start;
    if (to_device_)
        piece.tick = to_device_->convert(piece.start, from.first, first);
    else
        first.assign(from.first.begin(), from.first.end());
    if (device_.tx_channels > 1) {
        auto& other = piece.samples[1];
        other.assign(first.size(), {});
        TransmitPiece::Samples part = from.second;
        int64_t offset = static_cast<int64_t>(from.second_from);
        if (to_device_ && !part.empty()) {
            offset = to_device_->convert(piece.start + offset, part, second_) - piece.tick;
            part = second_;
        }
        std::copy_n(part.begin(), std::min(part.size(), first.size() - static_cast<size_t>(offset)),
                    other.begin() + static_cast<std::ptrdiff_t>(offset));
    }
    const float scale = device_.levels.tx_scale;
    if (scale == 1) return;
    for (auto& channel : piece.samples)
        for (auto& s : channel) s *= scale;
}

bool BurstSender::transmit(int64_t start_sample, const TransmitPiece& from, int64_t& deficit_samples) {
    const auto samples = from.first;
    deficit_samples = 0;
    if (samples.empty()) return true;
    const bool fits = from.second.empty() || (device_.tx_channels > 1 && from.second_from <= samples.size() &&
                                              from.second.size() <= samples.size() - from.second_from);
    if (!fits) return false;
    size_t free_slot = 0;
    {
        const std::lock_guard guard(mutex_);
        const int64_t deficit = now_.load(std::memory_order_relaxed) - start_sample;
        if (deficit > 0) {
            ++tally_.late;
            deficit_samples = deficit;
            return false;
        }
        if (queued_ == kPieces || samples.size() > max_piece_samples_) return false;
        if (queued_ == 0) head_ = 0;  // where nothing waits, the same memory stays in the cache
        free_slot = (head_ + queued_) % kPieces;
    }
    // What the guard keeps back counts as sent: whoever asked can do nothing about it.
    if (const size_t n = guard_.admit(start_sample, from); n == samples.size())
        queue(free_slot, start_sample, from);
    else if (n > 0)
        queue(free_slot, start_sample, first_part(from, n));
    return true;
}

/// Only transmit() touches the free slot behind the queue's end: it has one user, the transmitter block.
void BurstSender::queue(size_t slot, int64_t start_sample, const TransmitPiece& from) {
    pieces_[slot].start = start_sample;
    fill(pieces_[slot], from);
    {
        const std::lock_guard guard(mutex_);
        ++queued_;
    }
    wake_.notify_one();
}

void BurstSender::commit(int64_t sample) {
    if (!device_.lock_step()) return;
    const std::lock_guard guard(mutex_);
    if (sample <= committed_) return;
    committed_ = sample;
    commit_due_ = true;
    if (queued_ == 0 && !sending_) write_commit();
}

}  // namespace gr::wimax
