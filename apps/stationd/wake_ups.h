// SPDX-License-Identifier: GPL-3.0-or-later
// Wakes a thread with many stations: virtual radios report samples from their threads, sockets by their descriptors.
#pragma once

#include <atomic>
#include <chrono>
#include <cstddef>
#include <cstdint>
#include <vector>

namespace wimax::stationd {

class WakeUps {
public:
    explicit WakeUps(size_t stations);
    ~WakeUps();
    WakeUps(const WakeUps&) = delete;
    WakeUps& operator=(const WakeUps&) = delete;

    /// Wakes the waiting thread while `fd` is readable, which then counts as a request to `station`. Negative: ignored.
    void watch(int fd, size_t station);
    /// As above, of no station.
    void watch(int fd);
    /// Samples of `station` can be read. Any thread.
    void report(size_t station);

    /// Waits until something has arrived, or for `timeout`.
    void wait(std::chrono::milliseconds timeout);
    /// True: samples have arrived since the last call.
    bool samples(size_t station) { return samples_[station].exchange(false); }
    /// True: a descriptor of the station was readable when wait() returned.
    bool requested(size_t station) const { return requested_[station]; }

private:
    void add(int fd, uint64_t what);

    const int epoll_, wake_;
    std::vector<std::atomic<bool>> samples_;
    std::atomic<bool> waking_{false};  ///< the waiting thread was woken and has not looked yet
    std::vector<bool> requested_;
};

}  // namespace wimax::stationd
