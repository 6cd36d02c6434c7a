// SPDX-License-Identifier: GPL-3.0-or-later
// Samples between host and transmit chunks: a queue in bursts, and the rules by which a radio sends it.
//
// - A timed burst starts on its sample. If that sample is in the past, the whole burst is dropped and one `late` event
//   raised. With TxHabits::late_packets only its late packets are dropped, each with an event.
// - TxHabits::tail_samples delays a burst by this number, and sends as many of its last samples with the next one.
// - Samples without time start at once, or continue the open burst. In an open burst a time is ignored while
//   contiguous.
// - A burst without samples before its end is an underflow; the next samples start as soon as they arrive.
// - With TxHabits::frames a whole packet waits until fewer than that are in transit. The host gets events
//   TxHabits::event_delay_samples after they happen.
// - A zero-length start opens nothing (its time is kept for the samples that follow); a zero-length end closes.
//
// All TX channels of a radio share its bursts and times, but not samples. One thread pushes, one assembles. Times are
// ticks: samples of the radio's time.
#pragma once

#include <algorithm>
#include <array>
#include <atomic>
#include <chrono>
#include <concepts>
#include <condition_variable>
#include <cstdint>
#include <deque>
#include <functional>
#include <mutex>
#include <optional>
#include <span>
#include <utility>
#include <vector>

#include "vrf/burst_spans.h"
#include "vrf/link.h"

namespace wimax::vrf {

struct TxMeta {
    std::optional<int64_t> tick;  ///< of the first sample
    bool start_of_burst = false, end_of_burst = false;
};

/// Samples of the TX channels, of one length; a channel without any is silent.
class TxSamples {
public:
    TxSamples() = default;
    template <std::convertible_to<std::span<const Sample>> Samples>
    TxSamples(const Samples& first, std::span<const Sample> second = {})
        : of_{std::span<const Sample>(first).data(), second.empty() ? nullptr : second.data()},
          size_(std::max(std::span<const Sample>(first).size(), second.size())) {}
    TxSamples(const std::array<const Sample*, kMaxTxChannels>& of, size_t size) : of_(of), size_(size) {}

    size_t size() const { return size_; }
    const Sample* operator[](size_t channel) const { return of_[channel]; }

private:
    std::array<const Sample*, kMaxTxChannels> of_{};
    size_t size_ = 0;
};

/// Samples of a burst for a gate, and the time of its first one.
struct BurstPart {
    std::optional<int64_t> tick;  ///< of the first sample, at the begin of a timed burst
    std::span<const Sample> samples;
    bool end = false;  ///< of the burst
};

/// Ticks during which a radio sends without a pause: its ATR sets GPIO lines by them.
struct TxRun {
    int64_t from = 0, until = 0;
};

struct TxEvent {
    enum class Kind : uint8_t { burst_ack, underflow, late, sequence } kind;
    int64_t tick;
    int64_t due = 0;  ///< first tick at which the host may get it
};

/// Behaviour of models of radios, see personality.h.
struct TxHabits {
    bool late_packets = false;
    size_t tail_samples = 0;
    size_t frames = 0;  ///< most packets between host and antenna; 0: limited by the samples' room only
    size_t packet_samples = 0;
    int64_t event_delay_samples = 0;
};

class TxFifo {
public:
    /// `on_full` is called, without a lock, when push() begins to wait for room.
    explicit TxFifo(
        size_t capacity_samples, size_t channels = 1, std::function<void()> on_full = [] {}, TxHabits habits = {});

    /// Queues samples, waiting for room up to `timeout`. Returns the number accepted.
    size_t push(const TxSamples& samples, const TxMeta& meta, std::chrono::duration<double> timeout);
    /// Fills a chunk of each channel, one after the other, whose first sample has tick `first`. Returns a bit for each
    /// channel that sends, 0: nothing to transmit, `out` is untouched. Samples before `not_before` were already
    /// assembled (and lost with the channel). `on` gets the samples that belong to bursts.
    uint8_t assemble(int64_t first, std::span<Sample> out, int64_t not_before = INT64_MIN, BurstSpans* on = nullptr);
    /// The same for a gate, which times bursts: outputs samples due before `until`, late or not, and all samples of
    /// bursts without a time. One channel.
    void hand_out(int64_t until, const std::function<void(const BurstPart&)>& to);
    /// Reports that a gate's line was on.
    void note_line(int64_t from, int64_t until);
    /// True if the burst that is open, or opens in this chunk, has too few samples for it and no queued end: without
    /// more it underflows.
    bool starving(int64_t first, size_t chunk_samples);
    /// push() waits for room that only assemble() can make.
    bool blocked() const;
    /// Loss on request: `samples` of the next packet (0: a packet of the model) never reach the antenna, with an
    /// underflow or a sequence error. The following ones are sent at their time.
    void lose(TxEvent::Kind kind, size_t samples);
    /// The channel dropped a chunk that arrived too late: counts as late, though it was in time at the radio.
    void lost(int64_t tick);
    /// The radio's time was changed by `delta`.
    void rebase(int64_t delta);
    /// Empties the queue and ends the open burst (a new streamer).
    void clear();

    bool next_event(TxEvent& event, std::chrono::duration<double> timeout);

    uint64_t bursts_queued() const { return bursts_queued_; }  ///< ends accepted since construction or clear()
    void count(VirtualRadioCounters& counters) const;
    /// The newest runs, oldest first.
    std::vector<TxRun> runs() const;

private:
    struct Packet {
        std::optional<int64_t> tick;
        size_t samples;
        bool start, end;
    };
    enum class State : uint8_t { idle, burst, dropping };

    bool room(size_t samples) const;
    void pop_packet();
    bool lose_some(Packet& packet, int64_t start);
    bool take_control(const Packet& packet);
    bool hand_out_control(const Packet& packet, const std::function<void(const BurstPart&)>& to);
    std::optional<int64_t> start_of(const Packet& packet, int64_t position);
    void copy_in(const TxSamples& samples, size_t from, size_t n);
    size_t copy_out(Packet& packet, std::span<Sample> out, size_t offset);
    static void pass_filters(std::span<Sample> samples, std::vector<Sample>& held);
    void drop_late();
    uint8_t close_chunk(std::span<Sample> out, size_t filled) const;
    std::span<Sample> of_channel(std::span<Sample> out, size_t channel) const;
    void discard(size_t samples);
    void raise(TxEvent::Kind kind, int64_t tick);
    void note_slack(const TxMeta& meta);
    void note_run(int64_t from, int64_t until);

    const size_t capacity_;
    const std::function<void()> on_full_;
    const TxHabits habits_;
    std::vector<std::vector<Sample>> rings_;    ///< of each channel
    std::vector<std::vector<Sample>> filters_;  ///< of each channel: samples still in the filters
    mutable std::mutex mutex_;
    std::condition_variable room_, event_ready_;
    uint64_t written_ = 0, read_ = 0;  ///< from 0 again when empty, so that the same memory stays in the cache
    std::deque<Packet> packets_;
    std::deque<TxEvent> events_;
    std::deque<std::pair<TxEvent::Kind, size_t>> losses_;  ///< requested losses
    std::deque<TxRun> runs_;
    std::vector<Sample> handed_out_;
    State state_ = State::idle;
    int64_t next_ = 0;                  ///< in a burst: tick of its next sample
    std::optional<int64_t> kept_time_;  ///< of a zero-length start
    int64_t assembled_until_ = INT64_MIN;
    size_t wanted_ = 0;           ///< room that push() waits for; 0: it does not wait
    int64_t now_ = 0;             ///< tick of the current chunk, for events
    bool burst_open_in_ = false;  ///< push side: samples since the last end
    std::atomic<uint64_t> bursts_queued_{0};
    VirtualRadioCounters counters_;
};

}  // namespace wimax::vrf
