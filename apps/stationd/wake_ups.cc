// SPDX-License-Identifier: GPL-3.0-or-later
#include "stationd/wake_ups.h"

#include <sys/epoll.h>
#include <unistd.h>

#include <algorithm>
#include <array>

namespace wimax::stationd {

WakeUps::WakeUps(size_t stations) : epoll_(epoll_create1(EPOLL_CLOEXEC)), readable_(2 * stations) {}

WakeUps::~WakeUps() { close(epoll_); }

void WakeUps::add(int fd, uint64_t what) {
    if (fd < 0) return;
    epoll_event event{};
    event.events = EPOLLIN;
    event.data.u64 = what;
    epoll_ctl(epoll_, EPOLL_CTL_ADD, fd, &event);
}

void WakeUps::wait(std::chrono::milliseconds timeout) {
    std::array<epoll_event, 64> events{};
    const int n = epoll_wait(epoll_, events.data(), static_cast<int>(events.size()), static_cast<int>(timeout.count()));
    std::fill(readable_.begin(), readable_.end(), false);
    for (int i = 0; i < n; ++i)
        if (const uint64_t what = events[static_cast<size_t>(i)].data.u64; what < readable_.size())
            readable_[what] = true;
}

}  // namespace wimax::stationd
