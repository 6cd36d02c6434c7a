// SPDX-License-Identifier: GPL-3.0-or-later
#include "vrf/rx_fifo.h"

#include <algorithm>
#include <cstring>
#include <utility>

namespace wimax::vrf {

RxFifo::RxFifo(size_t capacity_samples, RxHabits habits)
    : capacity_(capacity_samples), frames_(habits.frames), ring_(capacity_samples), restart_(habits), delays_(habits) {}

void RxFifo::command(const RxCommand& command) {
    std::lock_guard lock(mutex_);
    if (command.mode == RxCommand::Mode::stop) {
        // At once, also while the radio's time is stopped.
        ++ends_;
        stream_.stop();
        if (!packets_.empty()) packets_.back().end = true;
    } else {
        stream_.command(command);
    }
    streaming_ = stream_.commanded();
}

/// Takes commands that act before `end`. True: the stream runs from `position`.
bool RxFifo::begin(int64_t& position, int64_t end) {
    for (;;) {
        switch (stream_.take_command(position, end)) {
            case RxStream::Step::nothing: return false;
            case RxStream::Step::late_command: append_error(RxError::late_command, position); break;
            case RxStream::Step::broken_chain: append_error(RxError::broken_chain, position); return false;
            case RxStream::Step::started:
                overflowing_ = false;
                restart_.forget();
                if (stream_.active()) return true;
        }
    }
}

void RxFifo::deliver(int64_t first, std::span<const Sample> samples, bool gap) {
    std::unique_lock lock(mutex_);
    const int64_t end = first + int64_t(samples.size());
    int64_t position = first;
    if (jitters()) delays_.draw(Clock::now());
    if (gap && stream_.active()) {
        overflowing_ = true;
        ++overflows_;
    }
    while (position < end) {
        stream_.give_way();
        if (!stream_.active() && !begin(position, end)) break;
        pass_faults(position, end);
        if (position >= end) break;
        const size_t n = stream_.share(uint64_t(end - position));
        if (!append(lock, position, samples.subspan(size_t(position - first), n), stream_.take_first())) continue;
        position += int64_t(n);
        if (stream_.advance(n) && !packets_.empty()) packets_.back().end = true;
    }
    streaming_ = stream_.commanded();
    unread_ = size_t(written_ - read_);
}

void RxFifo::append_error(RxError error, int64_t tick) {
    packets_.push_back({tick, 0, 0, false, false, error, restart_.count(), delays_.readable()});
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
    if (real_time_) delays_.hold_until(Clock::now() + std::chrono::duration_cast<Clock::duration>(length));
}

void RxFifo::stop_by_overflow(int64_t tick, size_t samples, bool until_read) {
    ++overflows_;
    restart_.stop(tick, samples, until_read);
    append_error(RxError::overflow, tick);
}

/// Skips samples that do not reach the host: until a stopped stream restarts, and losses on request.
void RxFifo::pass_faults(int64_t& position, int64_t end) {
    if (const auto samples = std::exchange(wanted_overflow_, {}); samples && !restart_.stopped())
        stop_by_overflow(position, *samples != 0 ? *samples : packet_samples_.load(), real_time_);
    if (restart_.skip(position, end)) return;
    if (const auto samples = std::exchange(wanted_loss_, {})) {
        append_error(RxError::sequence, position);
        position = std::min(position + int64_t(*samples != 0 ? *samples : packet_samples_.load()), end);
    }
}

/// Packets that arrive together are readable together.
bool RxFifo::jitters() const { return real_time_ && delays_.any(); }

/// A model has a limited number of frames for packets of any length.
bool RxFifo::full(int64_t tick, size_t samples, bool start) const {
    if (capacity_ - (written_ - read_) < samples) return true;
    if (frames_ == 0 || !real_time_) return false;
    const size_t grown = std::min(samples, growth(tick, start)), limit = packet_samples_;
    return packets_.size() + (samples - grown + limit - 1) / limit > frames_;
}

/// False: the stream was stopped meanwhile, and these samples are no longer part of it.
bool RxFifo::append(std::unique_lock<std::mutex>& lock, int64_t tick, std::span<const Sample> samples, bool start) {
    if (written_ == read_) written_ = read_ = 0;
    if (full(tick, samples.size(), start)) {
        if (frames_ != 0) {
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
    const bool to_host = host_.copying = for_waiting_host(tick, samples.size(), start);
    Sample* to = to_host ? host_.room.data() + host_.samples : &ring_[at];
    lock.unlock();  // only this thread writes, and readers stop at written_
    if (to_host) {
        std::copy(samples.begin(), samples.end(), to);
    } else {
        std::memcpy(to, samples.data(), head * sizeof(Sample));
        if (samples.size() > head)
            std::memcpy(ring_.data(), samples.data() + head, (samples.size() - head) * sizeof(Sample));
    }
    lock.lock();
    host_.copying = false;
    if (ends_ != ends) return false;
    if (to_host) host_.samples += samples.size();
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
        packets_.push_back({tick + int64_t(done), n, 0, start && done == 0, false, RxError::none, restart_.count(),
                            delays_.readable()});
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
    if (overflowing_ || jitters() || written_ - read_ != host_.samples || packets_.size() > 1) return false;
    const size_t of_packet = packets_.empty() ? size_t(packet_samples_) : growth(tick, start);
    return samples <= of_packet && host_.samples + samples <= host_.room.size();
}

/// Waits for a packet, which may be delivered in `room`.
bool RxFifo::wait(std::unique_lock<std::mutex>& lock, std::span<Sample> room, std::chrono::duration<double> timeout) {
    const auto deadline = Clock::now() + std::chrono::duration_cast<Clock::duration>(timeout);
    host_.room = room;
    if (packets_.empty() && fetch_) {
        lock.unlock();
        fetch_();
        lock.lock();
    }
    // A host that only looks must not pay for a wait, which is a call of the kernel even if its time is over.
    if (timeout.count() > 0) ready_.wait_until(lock, deadline, [&] { return !packets_.empty(); });
    ready_.wait(lock, [&] { return !host_.copying; });
    host_.room = {};
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
        if (packet.error == RxError::overflow) restart_.host_has_read();
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
        const size_t n = std::min(packet.samples, out.size() - got), there = std::exchange(host_.samples, 0);
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
    stream_.stop();
    read_ = written_;
    host_.samples = 0;
    overflowing_ = false;
    restart_.forget();
    wanted_overflow_.reset();
    wanted_loss_.reset();
    delays_.forget();
    unread_ = 0;
    streaming_ = false;
}

}  // namespace wimax::vrf
