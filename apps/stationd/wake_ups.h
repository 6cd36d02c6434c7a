// SPDX-License-Identifier: GPL-3.0-or-later
// Wakes a thread with many stations by the descriptors of their radios and sockets.
#pragma once

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

    /// Wakes the waiting thread while `fd` is readable. Negative: ignored. A closed descriptor is forgotten.
    void watch(int fd) { add(fd, kOther); }
    /// As above; counts as samples of `station`. Any thread.
    void watch_radio(int fd, size_t station) { add(fd, 2 * uint64_t(station)); }
    /// As above; counts as a request to `station`.
    void watch_requests(int fd, size_t station) { add(fd, 2 * uint64_t(station) + 1); }

    /// Waits until a descriptor is readable, or for `timeout`.
    void wait(std::chrono::milliseconds timeout);
    // True: a descriptor of the station was readable when wait() returned.
    bool sampled(size_t station) const { return readable_[2 * station]; }
    bool requested(size_t station) const { return readable_[2 * station + 1]; }

private:
    static constexpr uint64_t kOther = UINT64_MAX;
    void add(int fd, uint64_t what);

    const int epoll_;
    std::vector<bool> readable_;  ///< two for each station: radio, requests
};

}  // namespace wimax::stationd
