// SPDX-License-Identifier: GPL-3.0-or-later
#include "radio/burst_sender.h"

#include <algorithm>
#include <chrono>
#include <cmath>

namespace gr::wimax {
namespace {

constexpr double kPollS = 0.1;  // limit for blocking calls, so that the thread ends quickly
constexpr double kGiveUpS = 2;  // a radio that takes no samples for this time has lost the burst

/// End of a piece that waits for the next one: longer than windows of symbols, ringing of filters and timing
/// corrections. Base stations commit twice as much before a frame (bs_receiver_core.h).
constexpr double kHeldS = 20e-6;

TransmitPiece first_part(const TransmitPiece& piece, size_t n) {
    const size_t from = std::min(piece.second_from, n);
    return {piece.first.first(n), from, piece.second.first(std::min(piece.second.size(), n - from))};
}

tl::unexpected<PieceFault> refusal(PieceFault::Kind kind, int64_t late_samples = 0) {
    return tl::unexpected(PieceFault{kind, late_samples});
}

}  // namespace

BurstSender::BurstSender(const RadioDevice& device, const RadioConfig& config, const std::atomic<int64_t>& now,
                         DeviceGains& gains, ReceivePeak& heard, RadioTally& tally)
    : device_(device),
      max_piece_samples_(static_cast<size_t>(config.max_piece_samples)),
      answer_lead_samples_(device.lock_step() ? 0
                                              : std::llround(config.answer_lead_s.value_or(0) * config.sample_rate_hz)),
      now_(now),
      tally_(tally),
      guard_(config.limits, device.plan.channel_rate_hz, device.levels.tx_dbm),
      gain_(device, config, gains),
      heard_(heard),
      receives_itself_(config.receives_itself()),
      maker_(device, config),
      buffers_(device.tx_channels),
      queue_(device, now) {
    if (config.two_carriers())
        joiner_.emplace(device.tx_channels, static_cast<size_t>(kHeldS * device.plan.tick_rate_hz));
    thread_ = std::thread([this] { send_loop(); });
}

BurstSender::~BurstSender() {
    queue_.end();
    thread_.join();
}

void BurstSender::send_loop() {
    const auto open_until = [this] {
        return joiner_ && joiner_->open() ? std::optional(joiner_->sent_tick()) : std::nullopt;
    };
    while (const auto next = queue_.wait(open_until())) {
        const uint64_t before = bursts_ended_;
        if (next->piece) send(*next->piece, next->promised);
        else finish_burst();
        collect_async();
        queue_.done({bursts_ended_ - before, open_until()});
    }
}

/// Not while the previous piece is being sent: all received samples are from later times. In lock-step a gain is valid
/// for whole exchanges.
bool BurstSender::may_change_gain(const DevicePiece& piece) const {
    if (sent_until_ == kNothingReceived) return true;
    if (device_.lock_step()) return sent_until_ + device_.chunk <= piece.tick;
    const int64_t now = now_.load(std::memory_order_relaxed);
    return now != kNothingReceived && device_.plan.tick_at(now) >= sent_until_;
}

/// False: it starts before the newest received sample. In lock-step, samples directly after those are not late.
bool BurstSender::in_time(const DevicePiece& piece) {
    const int64_t now = now_.load(std::memory_order_relaxed);
    if (now == kNothingReceived) return true;
    const int64_t slack = piece.start - maker_.lead_samples() - now;
    tally_.note_slack(slack);
    if (slack >= 0) return true;
    ++tally_.late;
    return false;
}

/// Sends one UHD burst from its start to its end, also after errors; with two carriers a part of one.
void BurstSender::send(DevicePiece& piece, int64_t promised) {
    if (tally_.is_lost() || !in_time(piece)) return;
    const bool follows = joiner_ && joiner_->joins(piece, maker_.front());
    if (joiner_ && joiner_->open() && !follows) finish_burst();
    const size_t skipped = follows ? 0 : maker_.overlap(piece, promised, sent_until_);
    try {
        gain_.choose(piece, may_change_gain(piece));
        gain_.scale(piece);
    } catch (const std::exception& e) {
        tally_.lose(e.what());
    }
    if (follows) joiner_->join(piece, maker_.front());
    if (joiner_) joiner_->hold(piece);
    sent_until_ = joiner_ ? joiner_->end_tick() : piece.end_tick();
    if (receives_itself_) heard_.sends(piece.tick, sent_until_);
    stream(piece, {skipped, !follows, !joiner_});
    note_answer(piece);
    ++tally_.pieces;
}

/// No piece follows the open burst in time.
void BurstSender::finish_burst() {
    DevicePiece& rest = joiner_->finish(maker_.behind());
    sent_until_ = rest.end_tick();
    if (!tally_.is_lost()) stream(rest, {0, false, true});
}

/// Ignores responses to samples that have not arrived, like those of a frame's later bursts.
void BurstSender::note_answer(const DevicePiece& piece) {
    if (answer_lead_samples_ == 0) return;
    const auto heard_ns = tally_.arrivals.when(piece.start - answer_lead_samples_);
    if (!heard_ns) return;
    const int64_t now_ns = std::chrono::steady_clock::now().time_since_epoch() / std::chrono::nanoseconds(1);
    tally_.answers.note((now_ns - *heard_ns) / 1000);
}

/// Sends from a sample on to the end, or as many samples as the device takes.
void BurstSender::stream(const DevicePiece& piece, const Part& part) {
    uhd::tx_metadata_t md;
    md.start_of_burst = md.has_time_spec = part.begins;
    md.end_of_burst = part.ends;
    if (part.begins)
        md.time_spec =
            uhd::time_spec_t::from_ticks(piece.tick + static_cast<int64_t>(part.from), device_.plan.tick_rate_hz);
    size_t sent = part.from;
    try {
        stream(piece, md, sent);
    } catch (const std::exception& e) {
        tally_.lose(e.what());
    }
    if (sent < piece.length()) ++tally_.underflows;
    if (sent > part.from && (part.ends || sent < piece.length())) ++bursts_ended_;
}

void BurstSender::stream(const DevicePiece& piece, uhd::tx_metadata_t& md, size_t& sent) {
    const size_t first = sent, length = piece.length();
    auto progress = std::chrono::steady_clock::now();
    while (sent < length && !queue_.ended()) {
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
    md.end_of_burst = true;
    if (sent > first && sent < length) device_.tx->send(buffers_, 0, md, kPollS);
}

void BurstSender::collect_async() {
    using Event = uhd::async_metadata_t;
    uhd::async_metadata_t md;
    try {
        while (device_.tx->recv_async_msg(md, 0)) {
            if (md.event_code & (Event::EVENT_CODE_UNDERFLOW | Event::EVENT_CODE_UNDERFLOW_IN_PACKET))
                ++tally_.underflows;
            if (md.event_code & (Event::EVENT_CODE_SEQ_ERROR | Event::EVENT_CODE_SEQ_ERROR_IN_BURST))
                ++tally_.sequence_errors;
            if (md.event_code & Event::EVENT_CODE_TIME_ERROR) ++tally_.late;
        }
    } catch (const std::exception& e) {
        tally_.lose(e.what());
    }
}

tl::expected<void, PieceFault> BurstSender::transmit(int64_t start_sample, const TransmitPiece& from) {
    const auto samples = from.first;
    if (samples.empty()) return {};
    const bool fits = from.second.empty() || (device_.tx_channels > 1 && from.second_from <= samples.size() &&
                                              from.second.size() <= samples.size() - from.second_from);
    if (!fits) return refusal(PieceFault::Kind::antennas);
    const int64_t deficit = now_.load(std::memory_order_relaxed) - (start_sample - maker_.lead_samples());
    if (deficit > 0) return refusal(PieceFault::Kind::late, deficit);  // the caller counts it
    if (samples.size() > max_piece_samples_) return refusal(PieceFault::Kind::length);
    DevicePiece* place = queue_.free_place();
    if (place == nullptr) return refusal(PieceFault::Kind::queue_full);
    // Samples that the guard withholds count as sent: the caller cannot do anything about them.
    if (const size_t n = guard_.admit(start_sample, from); n == samples.size()) queue(*place, start_sample, from);
    else if (n > 0) queue(*place, start_sample, first_part(from, n));
    return {};
}

void BurstSender::queue(DevicePiece& place, int64_t start_sample, const TransmitPiece& from) {
    maker_.fill(place, start_sample, from);
    queue_.push();
}

void BurstSender::commit(int64_t sample) {
    // Pieces not queued yet switch their line on earlier by the lead.
    if (device_.lock_step()) queue_.commit(sample - maker_.lead_samples());
}

}  // namespace gr::wimax
