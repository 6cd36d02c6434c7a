// SPDX-License-Identifier: GPL-3.0-or-later
#include "vrf/tx_fifo.h"

#include <algorithm>
#include <cstring>

namespace wimax::vrf {
namespace {
constexpr size_t kMaxEvents = 4096;  // the memory is limited if the host never reads them
constexpr size_t kMaxLosses = 64;
constexpr size_t kLostSamples = 500;  // of radios without a limit of the packet's length
constexpr size_t kMaxRuns = 1024;
}  // namespace

TxFifo::TxFifo(size_t capacity_samples, size_t channels, std::function<void()> on_full, TxHabits habits)
    : capacity_(capacity_samples),
      on_full_(std::move(on_full)),
      habits_(habits),
      rings_(channels, std::vector<Sample>(capacity_samples)),
      filters_(channels, std::vector<Sample>(habits.tail_samples)) {}

bool TxFifo::blocked() const {
    std::lock_guard lock(mutex_);
    return wanted_ != 0 && !room(wanted_);
}

bool TxFifo::room(size_t samples) const {
    return capacity_ - size_t(written_ - read_) >= samples && (habits_.frames == 0 || packets_.size() < habits_.frames);
}

void TxFifo::pop_packet() {
    packets_.pop_front();
    if (habits_.frames != 0) room_.notify_one();
}

void TxFifo::note_slack(const TxMeta& meta) {
    if (!meta.tick || burst_open_in_ || assembled_until_ == INT64_MIN) return;
    counters_.least_slack_samples = std::min(counters_.least_slack_samples, *meta.tick - assembled_until_);
}

/// Appends. Only the pushing thread writes, and readers stop at written_.
void TxFifo::copy_in(const TxSamples& samples, size_t from, size_t n) {
    const size_t at = written_ % capacity_;
    const size_t head = std::min(n, capacity_ - at);
    for (size_t c = 0; c < rings_.size(); ++c) {
        Sample* ring = rings_[c].data();
        if (const Sample* in = samples[c]) {
            std::memcpy(ring + at, in + from, head * sizeof(Sample));
            if (n > head) std::memcpy(ring, in + from + head, (n - head) * sizeof(Sample));
        } else {
            std::fill_n(ring + at, head, Sample{});
            std::fill_n(ring, n - head, Sample{});
        }
    }
}

size_t TxFifo::push(const TxSamples& samples, const TxMeta& meta, std::chrono::duration<double> timeout) {
    const auto deadline = std::chrono::steady_clock::now() + std::chrono::duration_cast<std::chrono::nanoseconds>(
                                                                 std::min(timeout, decltype(timeout)(1e6)));
    std::unique_lock lock(mutex_);
    if (samples.size() == 0) {
        if (meta.end_of_burst && burst_open_in_) {
            ++bursts_queued_;
            burst_open_in_ = false;
        }
        packets_.push_back({meta.tick, 0, meta.start_of_burst, meta.end_of_burst});
        return 0;
    }
    note_slack(meta);
    size_t taken = 0;
    while (taken < samples.size()) {
        const size_t left = samples.size() - taken;
        // Does not wait for single samples when full, but for a useful piece or a packet.
        const size_t wanted = std::min(left, habits_.frames != 0 ? capacity_ : capacity_ / 8);
        const auto made_room = [&] { return room(wanted); };
        if (!made_room()) {
            wanted_ = wanted;
            lock.unlock();
            on_full_();
            lock.lock();
            const bool made = room_.wait_until(lock, deadline, made_room);
            wanted_ = 0;
            if (!made) break;
        }
        const size_t n = std::min(left, size_t(capacity_ - (written_ - read_)));
        if (written_ == read_) written_ = read_ = 0;
        lock.unlock();
        copy_in(samples, taken, n);
        lock.lock();
        const bool first = taken == 0, last = n == left;
        written_ += n;
        taken += n;
        burst_open_in_ = true;
        packets_.push_back(
            {first ? meta.tick : std::nullopt, n, first && meta.start_of_burst, last && meta.end_of_burst});
        if (last && meta.end_of_burst) {
            ++bursts_queued_;
            burst_open_in_ = false;
        }
    }
    return taken;
}

void TxFifo::raise(TxEvent::Kind kind, int64_t tick) {
    if (kind == TxEvent::Kind::late) ++counters_.late;
    if (kind == TxEvent::Kind::underflow) ++counters_.underflow;
    if (kind == TxEvent::Kind::burst_ack) ++counters_.bursts;
    if (events_.size() >= kMaxEvents) events_.pop_front();
    const int64_t delay = habits_.event_delay_samples;
    events_.push_back({kind, tick, delay > 0 ? now_ + delay : INT64_MIN});
}

void TxFifo::discard(size_t samples) {
    read_ += samples;
    room_.notify_one();
}

/// Handles zero-length packets and the rest of a late burst. True: the packet is used up.
bool TxFifo::take_control(const Packet& packet) {
    if (state_ == State::dropping) {
        if (packet.start && packet.samples != 0) {
            state_ = State::idle;  // the host restarted without ending the dropped burst
            return false;
        }
        discard(packet.samples);
        if (packet.end) state_ = State::idle;
        return true;
    }
    if (packet.samples != 0) return false;
    if (packet.end) {
        if (state_ == State::burst || !packet.start) raise(TxEvent::Kind::burst_ack, next_);
        state_ = State::idle;
        kept_time_.reset();
    } else if (packet.start && state_ == State::idle) {
        kept_time_ = packet.tick;
    }
    return true;
}

/// Start of the packet, or nothing if it is too late.
std::optional<int64_t> TxFifo::start_of(const Packet& packet, int64_t position) {
    if (state_ == State::burst && !packet.start) {
        // Times in seconds lose a fraction of a sample: one tick off is still contiguous.
        if (!packet.tick || std::abs(*packet.tick - next_) <= 1) return std::max(next_, position);
    }
    auto time = packet.tick;
    if (!time && kept_time_ && *kept_time_ >= position) time = kept_time_;
    if (!time) return position;
    return *time < position ? std::nullopt : time;
}

std::span<Sample> TxFifo::of_channel(std::span<Sample> out, size_t channel) const {
    const size_t chunk = out.size() / rings_.size();
    return out.subspan(channel * chunk, chunk);
}

size_t TxFifo::copy_out(Packet& packet, std::span<Sample> out, size_t offset) {
    const size_t n = std::min(packet.samples, out.size() / rings_.size() - offset);
    const size_t at = read_ % capacity_;
    const size_t head = std::min(n, capacity_ - at);
    for (size_t c = 0; c < rings_.size(); ++c) {
        Sample* to = of_channel(out, c).data() + offset;
        std::memcpy(to, &rings_[c][at], head * sizeof(Sample));
        if (n > head) std::memcpy(to + head, rings_[c].data(), (n - head) * sizeof(Sample));
        pass_filters({to, n}, filters_[c]);
    }
    packet.samples -= n;
    discard(n);
    return n;
}

/// The filters' contents are first, and as much of the end stays in them.
void TxFifo::pass_filters(std::span<Sample> samples, std::vector<Sample>& held) {
    if (held.empty()) return;
    const size_t n = std::min(samples.size(), held.size());
    std::rotate(samples.begin(), samples.end() - ptrdiff_t(n), samples.end());
    std::swap_ranges(samples.begin(), samples.begin() + ptrdiff_t(n), held.begin());
    std::rotate(held.begin(), held.begin() + ptrdiff_t(n), held.end());
}

/// Drops the first packet, or the burst that it begins.
void TxFifo::drop_late() {
    Packet& packet = packets_.front();
    raise(TxEvent::Kind::late, *packet.tick);
    if (habits_.late_packets) {
        state_ = State::idle;
        discard(packet.samples);
        pop_packet();
    } else {
        state_ = State::dropping;
        packet.start = false;
    }
}

void TxFifo::lose(TxEvent::Kind kind, size_t samples) {
    std::lock_guard lock(mutex_);
    if (losses_.size() < kMaxLosses) losses_.emplace_back(kind, samples);
}

/// Loses samples on request. True: the whole packet was lost.
bool TxFifo::lose_some(Packet& packet, int64_t start) {
    const auto [kind, wanted] = losses_.front();
    losses_.pop_front();
    raise(kind, start);
    const size_t usual = habits_.packet_samples != 0 ? habits_.packet_samples : kLostSamples;
    const size_t n = std::min(packet.samples, wanted != 0 ? wanted : usual);
    discard(n);
    packet.samples -= n;
    next_ = start + int64_t(n);
    packet.tick = next_;
    state_ = packet.samples == 0 && packet.end ? State::idle : State::burst;
    return packet.samples == 0;
}

/// Fills silence after the last sample. One of several channels is silent if it has only zeros.
uint8_t TxFifo::close_chunk(std::span<Sample> out, size_t filled) const {
    if (filled == 0) return 0;
    uint8_t sending = 0;
    for (size_t c = 0; c < rings_.size(); ++c) {
        const auto samples = of_channel(out, c);
        std::fill(samples.begin() + ptrdiff_t(filled), samples.end(), Sample{});
        const bool sounds = rings_.size() == 1 || std::any_of(samples.begin(), samples.begin() + ptrdiff_t(filled),
                                                              [](const Sample& s) { return s != Sample{}; });
        if (sounds) sending |= uint8_t(1U << c);
    }
    return sending;
}

uint8_t TxFifo::assemble(int64_t first, std::span<Sample> out, int64_t not_before, BurstSpans* on) {
    std::lock_guard lock(mutex_);
    const int64_t end = first + int64_t(out.size() / rings_.size());
    now_ = first;
    int64_t position = std::max(first, not_before);  // next tick to fill
    size_t filled = 0;                               // samples of `out` that are defined
    while (position < end) {
        if (packets_.empty()) {
            if (state_ == State::burst) {
                raise(TxEvent::Kind::underflow, position);
                state_ = State::idle;
            }
            break;
        }
        Packet& packet = packets_.front();
        if (take_control(packet)) {
            pop_packet();
            continue;
        }
        const auto start = start_of(packet, position);
        if (!start) {
            drop_late();
            continue;
        }
        if (*start >= end) break;
        kept_time_.reset();
        if (!losses_.empty()) {
            if (lose_some(packet, *start)) pop_packet();
            continue;
        }
        const size_t offset = size_t(*start - first);
        for (size_t c = 0; c < rings_.size(); ++c)
            std::fill_n(of_channel(out, c).data() + filled, offset - filled, Sample{});
        const size_t n = copy_out(packet, out, offset);
        filled = offset + n;
        if (on) on->add(offset, filled);
        position = next_ = *start + int64_t(n);
        note_run(*start, next_);
        state_ = State::burst;
        packet.start = false;
        packet.tick.reset();
        if (packet.samples != 0) break;
        if (packet.end) {
            raise(TxEvent::Kind::burst_ack, next_);
            state_ = State::idle;
        }
        pop_packet();
    }
    assembled_until_ = end;
    if (!events_.empty()) event_ready_.notify_one();
    return close_chunk(out, filled);
}

/// Handles packets without samples. True: it was one.
bool TxFifo::hand_out_control(const Packet& packet, const std::function<void(const BurstPart&)>& to) {
    if (packet.samples != 0) return false;
    if (packet.end) {
        if (state_ == State::burst) to({{}, {}, true});
        raise(TxEvent::Kind::burst_ack, next_);
        state_ = State::idle;
        kept_time_.reset();
    } else if (packet.start) {
        kept_time_ = packet.tick;
    }
    return true;
}

void TxFifo::hand_out(int64_t until, const std::function<void(const BurstPart&)>& to) {
    std::lock_guard lock(mutex_);
    now_ = until;
    while (!packets_.empty()) {
        Packet& packet = packets_.front();
        if (hand_out_control(packet, to)) {
            pop_packet();
            continue;
        }
        std::optional<int64_t> begins;
        if (state_ != State::burst || packet.start) {
            begins = packet.tick ? packet.tick : kept_time_;
            if (begins.value_or(INT64_MIN) >= until) break;
            next_ = begins.value_or(until - int64_t(packet.samples));
        }
        if (next_ >= until) break;
        if (!losses_.empty()) {
            if (state_ == State::burst) to({{}, {}, true});
            const bool all = lose_some(packet, next_);
            state_ = State::idle;  // the rest is another burst
            if (all) pop_packet();
            continue;
        }
        kept_time_.reset();
        handed_out_.resize(std::min(packet.samples, size_t(until - next_)));
        const size_t n = copy_out(packet, handed_out_, 0);
        next_ += int64_t(n);
        state_ = State::burst;
        packet.start = false;
        packet.tick.reset();
        const bool end = packet.samples == 0 && packet.end;
        to({begins, handed_out_, end});
        if (packet.samples != 0) break;
        if (end) {
            raise(TxEvent::Kind::burst_ack, next_);
            state_ = State::idle;
        }
        pop_packet();
    }
    assembled_until_ = until;
    if (!events_.empty()) event_ready_.notify_one();
}

void TxFifo::note_line(int64_t from, int64_t until) {
    std::lock_guard lock(mutex_);
    note_run(from, until);
}

void TxFifo::note_run(int64_t from, int64_t until) {
    if (!runs_.empty() && runs_.back().until == from) {
        runs_.back().until = until;
        return;
    }
    if (runs_.size() >= kMaxRuns) runs_.pop_front();
    runs_.push_back({from, until});
}

std::vector<TxRun> TxFifo::runs() const {
    std::lock_guard lock(mutex_);
    return {runs_.begin(), runs_.end()};
}

bool TxFifo::starving(int64_t first, size_t chunk_samples) {
    std::lock_guard lock(mutex_);
    int64_t tick = next_;
    if (state_ != State::burst) {
        if (state_ == State::dropping || packets_.empty() || packets_.front().samples == 0) return false;
        tick = packets_.front().tick.value_or(kept_time_.value_or(first));
    }
    const int64_t end = first + int64_t(chunk_samples);
    for (const auto& packet : packets_) {
        tick += int64_t(packet.samples);
        if (packet.end || tick >= end) return false;
    }
    return tick < end;
}

void TxFifo::lost(int64_t tick) {
    std::lock_guard lock(mutex_);
    raise(TxEvent::Kind::late, tick);
    event_ready_.notify_one();
}

void TxFifo::rebase(int64_t delta) {
    std::lock_guard lock(mutex_);
    next_ += delta;
    for (auto& run : runs_) run.from += delta, run.until += delta;
    if (assembled_until_ != INT64_MIN) assembled_until_ += delta;
    now_ += delta;
    for (auto& event : events_)
        if (event.due != INT64_MIN) event.due += delta;
}

void TxFifo::clear() {
    std::lock_guard lock(mutex_);
    packets_.clear();
    events_.clear();
    losses_.clear();
    read_ = written_;
    for (auto& filters : filters_) std::fill(filters.begin(), filters.end(), Sample{});
    state_ = State::idle;
    next_ = 0;
    kept_time_.reset();
    burst_open_in_ = false;
    bursts_queued_ = 0;
}

bool TxFifo::next_event(TxEvent& event, std::chrono::duration<double> timeout) {
    std::unique_lock lock(mutex_);
    const auto due = [&] { return !events_.empty() && events_.front().due <= assembled_until_; };
    // A host that only looks must not wait: the kernel lets it sleep even if its time is over.
    if (timeout.count() > 0) event_ready_.wait_for(lock, timeout, due);
    if (!due()) return false;
    event = events_.front();
    events_.pop_front();
    return true;
}

void TxFifo::count(VirtualRadioCounters& counters) const {
    std::lock_guard lock(mutex_);
    counters.late = counters_.late;
    counters.underflow = counters_.underflow;
    counters.bursts = counters_.bursts;
    counters.least_slack_samples = counters_.least_slack_samples;
}

}  // namespace wimax::vrf
