/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "radio/burst_sender.h"

#include "phy/base/decibels.h"
#include "radio/radio_tuning.h"
#include "radio/vrf_nodes.h"

#include <algorithm>
#include <chrono>
#include <cmath>

namespace gr::wimax {
namespace {

constexpr double kPollS = 0.1;  // limit for blocking calls, so that the thread ends quickly
constexpr double kGiveUpS = 2;  // a radio that takes no samples for this time has lost the burst

TransmitPiece first_part(const TransmitPiece& piece, size_t n) {
    const size_t from = std::min(piece.second_from, n);
    return {piece.first.first(n), from, piece.second.first(std::min(piece.second.size(), n - from))};
}

int64_t samples_of(double us, double rate_hz) { return static_cast<int64_t>(std::ceil(us * 1e-6 * rate_hz)); }

/// Zeros for a time that lines are on beyond a burst, at the device's rate. A gate needs none.
size_t zeros(const RadioDevice& device, const AmplifierLine& amplifier, double us) {
    const bool none = !amplifier.driven() || device.gate;
    return none ? 0 : static_cast<size_t>(samples_of(us, device.plan.tick_rate_hz));
}

/// Time that a line is on before a burst, at the channel's rate. A gate counts the device's samples and needs the line
/// no later than the burst: two samples exceed the difference of times at both rates.
int64_t lead(const RadioDevice& device, const AmplifierLine& amplifier) {
    if (!amplifier.driven()) return 0;
    return samples_of(amplifier.lead_us, static_cast<double>(device.plan.channel_rate_hz)) +
           (device.gate && !device.plan.exact() ? 2 : 0);
}

}  // namespace

BurstSender::BurstSender(const RadioDevice& device, const RadioConfig& config, const std::atomic<int64_t>& now,
                         DeviceGains& gains, ReceivePeak& heard, RadioTally& tally)
    : device_(device),
      max_piece_samples_(static_cast<size_t>(config.max_piece_samples)),
      edge_(device.gate ? 0 : static_cast<size_t>(config.burst_edge_samples)),
      answer_lead_samples_(device.lock_step() ? 0
                                              : std::llround(config.answer_lead_s.value_or(0) * config.sample_rate_hz)),
      lead_samples_(lead(device, config.amplifier)),
      front_(edge_ + zeros(device, config.amplifier, config.amplifier.lead_us)),
      behind_(edge_ + zeros(device, config.amplifier, config.amplifier.lag_us)),
      now_(now),
      tally_(tally),
      guard_(config.limits, device.plan.channel_rate_hz, device.levels.tx_dbm),
      gains_(gains),
      heard_(heard),
      digital_range_db_(config.limits.enable ? config.digital_range_db : std::nullopt),
      asked_(gains.tx_asked()),
      buffers_(device.tx_channels) {
    if (digital_range_db_)
        plan_.emplace(gain_range(device.usrp->get_tx_gain_range()), gains.tx_gain_db(), *digital_range_db_);
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
    promised_ = device_.commit_tick(committed_);
    if (device_.lock_step()) vrf_commit(device_.usrp->get_tree(), promised_, bursts_sent_);
}

void BurstSender::send_loop() {
    std::unique_lock lock(mutex_);
    for (;;) {
        wake_.wait(lock, [&] { return quit_ || queued_ > 0; });
        if (quit_) return;
        Piece& piece = pieces_[head_];
        sending_ = true;
        const int64_t promised = promised_;
        lock.unlock();
        send(piece, promised);
        collect_async();
        lock.lock();
        sending_ = false;
        head_ = (head_ + 1) % kPieces;
        --queued_;
        if (queued_ == 0 && commit_due_) write_commit();
    }
}

/// Number of leading samples of a piece whose time is already used: by edge and ringing of the previous piece, or, in
/// lock-step, by the promise that everything before has been sent.
size_t BurstSender::overlap(const Piece& piece, int64_t promised) const {
    const auto edge = static_cast<int64_t>(edge_), front = static_cast<int64_t>(front_);
    const auto between = front + static_cast<int64_t>(behind_);
    const int64_t ringing = to_device_ ? device_.plan.tick_at(2 * TransmitResampler::kRingingSamples) + 1 : 0;
    int64_t skipped = std::clamp<int64_t>(promised - piece.tick, 0, edge);
    if (const int64_t taken = sent_until_ - piece.tick; sent_until_ > piece.tick)
        skipped = std::max(skipped, taken > between + ringing ? front : taken);  // else the device decides
    return std::min(static_cast<size_t>(skipped), piece.samples[0].size());
}

/// Not while the previous piece is being sent: all received samples are from later times. In lock-step a gain is valid
/// for whole exchanges.
bool BurstSender::may_change_gain(const Piece& piece) const {
    if (sent_until_ == kNothingReceived) return true;
    if (device_.lock_step()) return sent_until_ + device_.chunk <= piece.tick;
    const int64_t now = now_.load(std::memory_order_relaxed);
    return now != kNothingReceived && device_.plan.tick_at(now) >= sent_until_;
}

void BurstSender::choose_gain(const Piece& piece) {
    if (!plan_) return;
    if (const uint64_t asked = gains_.tx_asked(); asked != asked_) {  // the device already has these
        asked_ = asked;
        more_db_ = 0;
        plan_.emplace(gain_range(device_.usrp->get_tx_gain_range()), gains_.tx_gain_db(), *digital_range_db_);
    }
    if (!may_change_gain(piece)) return;
    if (const auto gain = plan_->wanted_gain(piece.level_dbfs - gains_.spare_headroom_db())) {
        more_db_ = gains_.set_tx(*gain, piece.tick);
        plan_->use(gains_.tx_gain_now_db());
    }
}

/// Scales to the device's level, without clipping peaks.
void BurstSender::scale(Piece& piece) {
    const double most_db = std::max(0.0, gains_.spare_headroom_db() - piece.level_dbfs);
    const double more_db = std::min(more_db_, most_db);
    const float by = device_.levels.tx_scale * static_cast<float>(phy::amplitude_of_db(more_db));
    if (by == 1) return;
    for (auto& channel : piece.samples)
        for (auto& s : channel) s *= by;
}

/// Sends one UHD burst from its start to its end, also after errors.
void BurstSender::send(Piece& piece, int64_t promised) {
    if (tally_.is_lost()) return;
    if (const int64_t now = now_.load(std::memory_order_relaxed); now != kNothingReceived) {
        const int64_t slack = piece.start - lead_samples_ - now;
        tally_.note_slack(slack);
        if (slack < 0) {  // lock-step: samples directly after the received ones are not late
            ++tally_.late;
            return;
        }
    }
    uhd::tx_metadata_t md;
    md.start_of_burst = true;
    md.end_of_burst = true;
    md.has_time_spec = true;
    const size_t skipped = overlap(piece, promised);
    md.time_spec = uhd::time_spec_t::from_ticks(piece.tick + static_cast<int64_t>(skipped), device_.plan.tick_rate_hz);
    const size_t length = piece.samples[0].size();
    size_t sent = skipped;
    try {
        choose_gain(piece);
        scale(piece);
        sent_until_ = piece.tick + static_cast<int64_t>(length);
        heard_.sends(piece.tick, sent_until_);
        stream(piece, md, sent);
    } catch (const std::exception& e) {
        tally_.lose(e.what());
    }
    note_answer(piece);
    const std::lock_guard guard(mutex_);
    if (sent > skipped) ++bursts_sent_;
    ++tally_.pieces;
    if (sent < length) ++tally_.underflows;
}

/// Ignores responses to samples that have not arrived, like those of a frame's later bursts.
void BurstSender::note_answer(const Piece& piece) {
    if (answer_lead_samples_ == 0) return;
    const auto heard_ns = tally_.arrivals.when(piece.start - answer_lead_samples_);
    if (!heard_ns) return;
    const int64_t now_ns = std::chrono::steady_clock::now().time_since_epoch() / std::chrono::nanoseconds(1);
    tally_.answers.note((now_ns - *heard_ns) / 1000);
}

/// Sends from sample `sent` to the end, or as many samples as the device takes.
void BurstSender::stream(const Piece& piece, uhd::tx_metadata_t& md, size_t& sent) {
    const size_t first = sent, length = piece.samples[0].size();
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

/// Zeros after a piece: they flush the burst's end out of the device's filters and give amplifiers time. Fewer if the
/// next piece is known, or was found before, to begin earlier.
size_t BurstSender::tail_of(int64_t start, const TransmitPiece& piece) {
    if (last_unknown_) usual_gap_ = std::max<int64_t>(start - last_end_, 0);
    last_end_ = start + static_cast<int64_t>(piece.first.size());
    last_unknown_ = !piece.silence_samples;
    const int64_t silence = piece.silence_samples.value_or(usual_gap_), enough = static_cast<int64_t>(behind_);
    const int64_t ringing = to_device_ ? 2 * TransmitResampler::kRingingSamples : 0;
    if (silence >= enough + ringing) return behind_;
    return std::min(behind_, static_cast<size_t>(device_.plan.tick_at(std::max<int64_t>(0, silence - ringing))));
}

/// Appends at the device's rate. Returns the tick of the first sample.
int64_t BurstSender::append(int64_t start, TransmitPiece::Samples samples, std::vector<std::complex<float>>& to) {
    if (to_device_) {
        start = to_device_->convert(start, samples, resampled_);
        samples = resampled_;
    }
    to.insert(to.end(), samples.begin(), samples.end());
    return start;
}

/// Fills a piece at the device's rate; all channels have the length of the first.
void BurstSender::fill(Piece& piece, const TransmitPiece& from) {
    auto& first = piece.samples[0];
    first.assign(front_, {});
    piece.tick = append(piece.start, from.first, first) - static_cast<int64_t>(front_);
    first.resize(first.size() + tail_of(piece.start, from));
    if (device_.tx_channels > 1) {
        auto& other = piece.samples[1];
        other.assign(first.size(), {});
        second_.clear();
        const int64_t tick = append(piece.start + static_cast<int64_t>(from.second_from), from.second, second_);
        const auto offset = static_cast<size_t>(tick - piece.tick);
        std::copy_n(second_.begin(), std::min(second_.size(), first.size() - offset),
                    other.begin() + static_cast<std::ptrdiff_t>(offset));
    }
    piece.level_dbfs = from.level_dbfs;
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
        const int64_t deficit = now_.load(std::memory_order_relaxed) - (start_sample - lead_samples_);
        if (deficit > 0) {  // the caller counts it
            deficit_samples = deficit;
            return false;
        }
        if (queued_ == kPieces || samples.size() > max_piece_samples_) return false;
        if (queued_ == 0) head_ = 0;  // with an empty queue the same memory stays in the cache
        free_slot = (head_ + queued_) % kPieces;
    }
    // Samples that the guard withholds count as sent: the caller cannot do anything about them.
    if (const size_t n = guard_.admit(start_sample, from); n == samples.size())
        queue(free_slot, start_sample, from);
    else if (n > 0)
        queue(free_slot, start_sample, first_part(from, n));
    return true;
}

/// Only transmit() uses the free slot after the queue's end: it has one caller, the transmitter block.
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
    sample -= lead_samples_;  // pieces not queued yet switch their line on earlier by the lead
    if (sample <= committed_) return;
    committed_ = sample;
    commit_due_ = true;
    if (queued_ == 0 && !sending_) write_commit();
}

}  // namespace gr::wimax
