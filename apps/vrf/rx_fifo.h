// SPDX-License-Identifier: GPL-3.0-or-later
// Received chunks between radio and host: stream commands select samples, packets carry them with the tick of their
// first sample, and samples that do not fit are an overflow. One thread delivers, one receives; any thread commands.
// Samples are copied outside of the lock. A waiting host gets them directly in its buffer, not through the queue. A
// packet grows until it is read: a host that lags reads more at once.
//
// RxHabits adds a model's behaviour. A stream that has overflowed stops and restarts restart_samples later; in real
// time not before the host has read the overflow. Frames and jitter apply in real time only; otherwise time waits for
// the host.
#pragma once

#include <atomic>
#include <chrono>
#include <condition_variable>
#include <cstdint>
#include <deque>
#include <functional>
#include <mutex>
#include <optional>
#include <span>
#include <vector>

#include "vrf/link.h"
#include "vrf/rx_habits.h"
#include "vrf/rx_stream.h"

namespace wimax::vrf {

enum class RxError : uint8_t { none, timeout, late_command, broken_chain, overflow, sequence };

struct RxMeta {
    int64_t tick = 0;
    bool has_tick = false, start_of_burst = false, end_of_burst = false, more_fragments = false;
    size_t fragment_offset = 0;
    RxError error = RxError::none;
    uint32_t restarts = 0;  ///< number of automatic restarts of the stream
};

class RxFifo {
public:
    explicit RxFifo(size_t capacity_samples, RxHabits habits = {});
    void set_real_time(bool on) { real_time_ = on; }

    void set_packet_samples(size_t samples) { packet_samples_ = samples; }
    size_t packet_samples() const { return packet_samples_; }
    void command(const RxCommand& command);
    /// Samples received from tick `first` on. `gap`: the channel skipped samples before them. A waiting host reads them
    /// after announce().
    void deliver(int64_t first, std::span<const Sample> samples, bool gap);
    /// Wakes a waiting host.
    void announce() { ready_.notify_one(); }
    /// `fetch` is called, without a lock, by a host that finds nothing to read: it may deliver.
    void on_empty(std::function<void()> fetch) { fetch_ = std::move(fetch); }
    /// Reads up to out.size() contiguous samples; waits up to `timeout` for each packet.
    size_t receive(std::span<Sample> out, RxMeta& meta, std::chrono::duration<double> timeout, bool one_packet);
    void clear();

    /// Faults on request, from the next chunk on: an overflow with a gap of at least `samples`; a packet that does not
    /// arrive (0 samples: of the usual length); packets that are not readable for `length`.
    void overflow(size_t samples);
    void lose(size_t samples);
    void hold(std::chrono::duration<double> length);

    size_t unread() const { return unread_; }
    size_t capacity() const { return capacity_; }
    /// A stream has overflowed and has not restarted yet.
    bool stopped() const { return restart_.stopped(); }
    /// A stream runs or is commanded.
    bool streaming() const { return streaming_; }
    uint64_t reads() const { return reads_; }
    uint64_t overflows() const { return overflows_; }

private:
    using Clock = std::chrono::steady_clock;
    struct Packet {
        int64_t tick;
        size_t samples, taken;
        bool start, end;
        RxError error;
        uint32_t restarts = 0;
        Clock::time_point readable{};
    };
    bool append(std::unique_lock<std::mutex>& lock, int64_t tick, std::span<const Sample> samples, bool start);
    void add_packets(int64_t tick, size_t samples, bool start);
    size_t growth(int64_t tick, bool start) const;
    bool for_waiting_host(int64_t tick, size_t samples, bool start) const;
    bool wait(std::unique_lock<std::mutex>& lock, std::span<Sample> room, std::chrono::duration<double> timeout);
    void append_error(RxError error, int64_t tick);
    bool begin(int64_t& position, int64_t end);
    bool full(int64_t tick, size_t samples, bool start) const;
    void stop_by_overflow(int64_t tick, size_t samples, bool until_read);
    void pass_faults(int64_t& position, int64_t end);
    bool jitters() const;

    const size_t capacity_;
    const size_t frames_;  ///< see RxHabits
    std::vector<Sample> ring_;
    std::mutex mutex_;
    std::condition_variable ready_;
    std::function<void()> fetch_;
    uint64_t written_ = 0, read_ = 0;  ///< from 0 again when empty, so that the same memory stays in the cache
    uint64_t ends_ = 0, clears_ = 0;   ///< number of stops and clears, and of clears, to detect them during a copy
    std::deque<Packet> packets_;
    struct {
        std::span<Sample> room;  ///< buffer of a host that waits for the first packet
        size_t samples = 0;      ///< of that packet in the buffer instead of the ring
        bool copying = false;    ///< into that buffer: its host must not return
    } host_;
    RxStream stream_;
    RxRestart restart_;
    RxDelays delays_;
    bool overflowing_ = false;
    std::optional<size_t> wanted_overflow_, wanted_loss_;  ///< samples
    std::atomic<size_t> packet_samples_{2048}, unread_{0};
    std::atomic<bool> streaming_{false}, real_time_{false};
    std::atomic<uint64_t> reads_{0}, overflows_{0};
};

}  // namespace wimax::vrf
