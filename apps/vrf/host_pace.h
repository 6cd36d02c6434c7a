// SPDX-License-Identifier: GPL-3.0-or-later
// Whether the host's samples and promises allow the next TX chunk; radio.h lists the rules. The host wakes the worker
// that waits here.
#pragma once

#include <atomic>
#include <chrono>
#include <condition_variable>
#include <functional>
#include <mutex>
#include <optional>
#include <utility>

#include "vrf/radio_clock.h"
#include "vrf/rx_fifo.h"
#include "vrf/tx_fifo.h"

namespace wimax::vrf {

class HostPace {
public:
    HostPace(const RadioClock& clock, TxFifo& tx, const RxFifo& rx) : clock_(clock), tx_(tx), rx_(rx) {}

    // Host.
    void commit(int64_t tick, uint64_t bursts);
    std::pair<int64_t, uint64_t> committed() const;
    /// The host's first samples are queued, or wait for room in the queue. The clock of a held channel may run now, but
    /// not earlier: its first chunk would be sent without them.
    void host_transmits();
    void wake();
    void host_has_read();

    /// The host streams, or has.
    bool host_streams() const { return transmitted_ || rx_.streaming(); }
    /// Time waits for the host's first stream.
    bool held() const { return held_; }
    /// Number of waits for the host of more than a chunk.
    uint64_t stalls() const { return stalls_; }

    // Worker. `next`: own count of the radio up to which TX chunks were sent.
    void hold(bool on) { held_ = on; }
    /// False: `lost` is true (the link, or the end of the radio); else the host is ready.
    bool wait(int64_t next, const std::function<bool()>& lost);
    /// The same without waiting: false if the host is not ready.
    bool allows(int64_t next);
    /// The host has promised everything in the next TX chunk.
    bool promised(int64_t next) const;
    /// Sleeps, unless `stopped`.
    void rest(std::chrono::milliseconds length, const std::function<bool()>& stopped);

private:
    bool ready(int64_t next, RadioClock::Wall::time_point& since);
    void count_stall(RadioClock::Wall::time_point since);
    bool covered(int64_t next) const;

    const RadioClock& clock_;
    TxFifo& tx_;
    const RxFifo& rx_;
    mutable std::mutex mutex_;
    std::condition_variable changed_;
    int64_t commit_tick_ = INT64_MAX;
    uint64_t commit_bursts_ = 0;
    std::optional<uint64_t> given_up_reads_;  ///< host did not read for long: wait again after its next read
    bool stands_ = false;                     ///< reception has stopped and the host was waited for
    std::optional<int64_t> refused_;          ///< the last question of allows(), if the host was not ready
    RadioClock::Wall::time_point refused_at_{};
    std::atomic<bool> held_{false}, transmitted_{false};
    std::atomic<bool> reader_awaited_{false};  ///< the worker waits until the host has read
    std::atomic<uint64_t> stalls_{0};
};

}  // namespace wimax::vrf
