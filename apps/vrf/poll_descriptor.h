// SPDX-License-Identifier: GPL-3.0-or-later
// One descriptor for a host that polls many radios: readable after a report, and while a followed descriptor is.
#pragma once

#include <atomic>
#include <span>

namespace wimax::vrf {

class PollDescriptor {
public:
    PollDescriptor();
    ~PollDescriptor();
    PollDescriptor(const PollDescriptor&) = delete;
    PollDescriptor& operator=(const PollDescriptor&) = delete;

    int fd() const { return epoll_; }
    /// Any thread.
    void report();
    /// Takes the reports so far.
    void settle();
    void follow(std::span<const int> fds);
    void leave(std::span<const int> fds);

private:
    const int epoll_, event_;
    std::atomic<bool> reported_{false};
};

}  // namespace wimax::vrf
