/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "vrf/rx_fifo.h"

#include <algorithm>
#include <cstring>
#include <utility>

namespace wimax::vrf {

RxFifo::RxFifo(size_t capacity_samples, RxHabits habits)
    : capacity_(capacity_samples), habits_(habits), random_(habits.seed), ring_(capacity_samples) {}

void RxFifo::command(const RxCommand& command) {
    std::lock_guard lock(mutex_);
    if (command.mode == RxCommand::Mode::stop) {
        // At once, also while the radio's time is stopped.
        ++ends_;
        commands_.clear();
        active_ = chained_ = false;
        if (!packets_.empty()) packets_.back().end = true;
    } else {
        commands_.push_back(command);
    }
    streaming_ = active_ || !commands_.empty();
}

/// Takes the next command that acts before `end`. True: the stream runs from `position`.
bool RxFifo::begin(int64_t& position, int64_t end) {
    while (!commands_.empty()) {
        const RxCommand command = commands_.front();
        const int64_t start = command.tick.value_or(position);
        if (start >= end) return false;
        commands_.pop_front();
        chained_ = false;
        if (start < position) {
            append_error(RxError::late_command, position);
            continue;
        }
        position = start;
        mode_ = command.mode;
        remaining_ = command.mode == RxCommand::Mode::start ? UINT64_MAX : command.samples;
        active_ = remaining_ != 0;
        first_packet_ = true;
        overflowing_ = false;
        stopped_ = false;
        if (active_) return true;
    }
    if (chained_) {
        chained_ = false;
        append_error(RxError::broken_chain, position);
    }
    return false;
}

void RxFifo::deliver(int64_t first, std::span<const Sample> samples, bool gap) {
    std::unique_lock lock(mutex_);
    const int64_t end = first + int64_t(samples.size());
    int64_t position = first;
    draw_jitter();
    if (gap && active_) {
        overflowing_ = true;
        ++overflows_;
    }
    while (position < end) {
        // A second start while running replaces the first.
        if (active_ && mode_ == RxCommand::Mode::start && !commands_.empty() && !commands_.front().tick)
            active_ = false;
        if (!active_ && !begin(position, end)) break;
        pass_faults(position, end);
        if (position >= end) break;
        const size_t n = size_t(std::min<uint64_t>(remaining_, uint64_t(end - position)));
        if (!append(lock, position, samples.subspan(size_t(position - first), n), std::exchange(first_packet_, false)))
            continue;
        position += int64_t(n);
        if (mode_ == RxCommand::Mode::start) continue;
        remaining_ -= n;
        if (remaining_ != 0) continue;
        active_ = false;
        chained_ = mode_ == RxCommand::Mode::samples_and_more;
        if (!chained_ && !packets_.empty()) packets_.back().end = true;
    }
    streaming_ = active_ || !commands_.empty();
    unread_ = size_t(written_ - read_);
    lock.unlock();
    ready_.notify_one();
}

void RxFifo::append_error(RxError error, int64_t tick) {
    packets_.push_back({tick, 0, 0, false, false, error, restarts_, readable_});
}

void RxFifo::overflow(size_t samples) {
    const std::lock_guard lock(mutex_);
    wanted_overflow_ = samples;
}

void RxFifo::lose(size_t samples) {
    const std::lock_guard lock(mutex_);
    wanted_loss_ = samples;
}

void RxFifo::hold(std::chrono::duration<double> length) {
    const std::lock_guard lock(mutex_);
    if (real_time_) held_until_ = Clock::now() + std::chrono::duration_cast<Clock::duration>(length);
}

void RxFifo::stop_by_overflow(int64_t tick, size_t samples, bool until_read) {
    ++overflows_;
    stopped_ = true;
    overflow_read_ = false;
    until_read_ = until_read;
    resumes_at_ = tick + std::max(int64_t(samples), habits_.restart_samples);
    append_error(RxError::overflow, tick);
}

/// Skips samples that do not reach the host: until a stopped stream restarts, and losses on request.
void RxFifo::pass_faults(int64_t& position, int64_t end) {
    if (const auto samples = std::exchange(wanted_overflow_, {}); samples && !stopped_)
        stop_by_overflow(position, *samples != 0 ? *samples : packet_samples_.load(), real_time_);
    if (stopped_) {
        if (until_read_ && !overflow_read_) resumes_at_ = std::max(resumes_at_, end + habits_.restart_samples);
        position = std::min(std::max(position, resumes_at_), end);
        if (position == end && resumes_at_ >= end) return;
        stopped_ = false;
        ++restarts_;
    }
    if (const auto samples = std::exchange(wanted_loss_, {})) {
        append_error(RxError::sequence, position);
        position = std::min(position + int64_t(*samples != 0 ? *samples : packet_samples_.load()), end);
    }
}

bool RxFifo::jitters() const {
    return real_time_ && (habits_.jitter.count() > 0 || held_until_ != Clock::time_point{});
}

/// Draws the delay of the samples being appended, not before that of earlier ones. Packets that arrive together are
/// readable together.
void RxFifo::draw_jitter() {
    if (!jitters()) return;
    const auto now = Clock::now();
    std::uniform_real_distribution<double> share;
    const auto late = std::chrono::duration_cast<Clock::duration>(share(random_) * habits_.jitter);
    readable_ = std::max({readable_, now + late, held_until_});
    if (held_until_ < now) held_until_ = {};
}

/// A model has a limited number of frames for packets of any length.
bool RxFifo::full(int64_t tick, size_t samples, bool start) const {
    if (capacity_ - (written_ - read_) < samples) return true;
    if (habits_.frames == 0 || !real_time_) return false;
    const size_t grown = std::min(samples, growth(tick, start)), limit = packet_samples_;
    return packets_.size() + (samples - grown + limit - 1) / limit > habits_.frames;
}

/// False: the stream was stopped meanwhile, and these samples are no longer part of it.
bool RxFifo::append(std::unique_lock<std::mutex>& lock, int64_t tick, std::span<const Sample> samples, bool start) {
    if (written_ == read_) written_ = read_ = 0;
    if (full(tick, samples.size(), start)) {
        if (habits_.frames != 0) {
            stop_by_overflow(tick, 0, true);
            return true;
        }
        if (!overflowing_) ++overflows_;
        overflowing_ = true;
        return true;
    }
    const size_t at = written_ % capacity_;
    const size_t head = std::min(samples.size(), capacity_ - at);
    const uint64_t ends = ends_;
    const bool to_host = copying_ = for_waiting_host(tick, samples.size(), start);
    Sample* to = to_host ? awaited_.data() + in_room_ : &ring_[at];
    lock.unlock();  // only this thread writes, and readers stop at written_
    if (to_host) {
        std::copy(samples.begin(), samples.end(), to);
    } else {
        std::memcpy(to, samples.data(), head * sizeof(Sample));
        if (samples.size() > head)
            std::memcpy(ring_.data(), samples.data() + head, (samples.size() - head) * sizeof(Sample));
    }
    lock.lock();
    copying_ = false;
    if (ends_ != ends) return false;
    if (to_host) in_room_ += samples.size();
    if (overflowing_) {
        overflowing_ = false;
        append_error(RxError::overflow, tick);
    }
    written_ += samples.size();
    add_packets(tick, samples.size(), start);
    return true;
}

void RxFifo::add_packets(int64_t tick, size_t samples, bool start) {
    const size_t limit = packet_samples_;
    size_t done = std::min(samples, growth(tick, start));
    if (done > 0) packets_.back().samples += done;
    while (done < samples) {
        const size_t n = std::min(samples - done, limit);
        packets_.push_back(
            {tick + int64_t(done), n, 0, start && done == 0, false, RxError::none, restarts_, readable_});
        done += n;
    }
}

/// Number of samples from `tick` on that the last packet can take.
size_t RxFifo::growth(int64_t tick, bool start) const {
    if (start || packets_.empty()) return 0;
    const Packet& last = packets_.back();
    const size_t limit = packet_samples_, length = last.taken + last.samples;
    const bool goes_on = last.error == RxError::none && !last.end && last.tick + int64_t(last.samples) == tick;
    return goes_on && length < limit ? limit - length : 0;
}

/// True if a host waits and all of these samples belong to the packet that it gets.
bool RxFifo::for_waiting_host(int64_t tick, size_t samples, bool start) const {
    if (overflowing_ || jitters() || written_ - read_ != in_room_ || packets_.size() > 1) return false;
    const size_t of_packet = packets_.empty() ? size_t(packet_samples_) : growth(tick, start);
    return samples <= of_packet && in_room_ + samples <= awaited_.size();
}

/// Waits for a packet, which may be delivered in `room`.
bool RxFifo::wait(std::unique_lock<std::mutex>& lock, std::span<Sample> room, std::chrono::duration<double> timeout) {
    const auto deadline = Clock::now() + std::chrono::duration_cast<Clock::duration>(timeout);
    awaited_ = room;
    ready_.wait_until(lock, deadline, [&] { return !packets_.empty(); });
    ready_.wait(lock, [&] { return !copying_; });
    awaited_ = {};
    while (!packets_.empty() && packets_.front().readable > Clock::now()) {
        if (Clock::now() >= deadline) return false;
        ready_.wait_until(lock, std::min(deadline, packets_.front().readable));
    }
    return !packets_.empty();
}

size_t RxFifo::receive(std::span<Sample> out, RxMeta& meta, std::chrono::duration<double> timeout, bool one_packet) {
    meta = {};
    size_t got = 0;
    int64_t expected = 0;
    std::unique_lock lock(mutex_);
    ++reads_;
    while (got < out.size()) {
        if (!wait(lock, got == 0 ? out : std::span<Sample>(), timeout)) {
            if (got == 0) meta.error = RxError::timeout;
            break;
        }
        Packet& packet = packets_.front();
        if (got != 0 && (packet.error != RxError::none || packet.tick != expected)) break;
        if (packet.error == RxError::overflow) overflow_read_ = true;
        if (got == 0) {
            meta.tick = packet.tick;
            meta.has_tick = true;
            meta.start_of_burst = packet.start;
            meta.fragment_offset = packet.taken;
            meta.error = packet.error;
            meta.restarts = packet.restarts;
        }
        if (packet.error != RxError::none) {
            packets_.pop_front();
            break;
        }
        const size_t n = std::min(packet.samples, out.size() - got), there = std::exchange(in_room_, 0);
        const size_t at = (read_ + there) % capacity_;
        const size_t head = std::min(n - there, capacity_ - at);
        Sample* to = out.data() + got + there;
        const uint64_t clears = clears_;
        lock.unlock();  // only this thread reads, and unread samples are not overwritten
        std::memcpy(to, &ring_[at], head * sizeof(Sample));
        if (n - there > head) std::memcpy(to + head, ring_.data(), (n - there - head) * sizeof(Sample));
        lock.lock();
        if (clears_ != clears) return got;
        read_ += n;
        got += n;
        packet.samples -= n;
        packet.taken += n;
        packet.tick += int64_t(n);
        packet.start = false;
        expected = packet.tick;
        meta.more_fragments = packet.samples != 0;
        if (meta.more_fragments) continue;  // no room left, or the packet has grown
        meta.end_of_burst = packet.end;
        packets_.pop_front();
        if (one_packet || meta.end_of_burst) break;
    }
    unread_ = size_t(written_ - read_);
    return got;
}

void RxFifo::clear() {
    std::lock_guard lock(mutex_);
    ++ends_;
    ++clears_;
    packets_.clear();
    commands_.clear();
    read_ = written_;
    in_room_ = 0;
    active_ = chained_ = overflowing_ = false;
    stopped_ = false;
    wanted_overflow_.reset();
    wanted_loss_.reset();
    held_until_ = readable_ = {};
    unread_ = 0;
    streaming_ = false;
}

}  // namespace wimax::vrf
