// SPDX-License-Identifier: GPL-3.0-or-later
#include "stationd/wake_ups.h"

#include <sys/epoll.h>
#include <sys/eventfd.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cstdint>

namespace wimax::stationd {
namespace {

constexpr uint64_t kWake = UINT64_MAX, kNoStation = UINT64_MAX - 1;

}  // namespace

WakeUps::WakeUps(size_t stations)
    : epoll_(epoll_create1(EPOLL_CLOEXEC)),
      wake_(eventfd(0, EFD_NONBLOCK | EFD_CLOEXEC)),
      samples_(stations),
      requested_(stations) {
    add(wake_, kWake);
}

WakeUps::~WakeUps() {
    close(wake_);
    close(epoll_);
}

void WakeUps::add(int fd, uint64_t what) {
    if (fd < 0) return;
    epoll_event event{};
    event.events = EPOLLIN;
    event.data.u64 = what;
    epoll_ctl(epoll_, EPOLL_CTL_ADD, fd, &event);
}

void WakeUps::watch(int fd, size_t station) { add(fd, station); }
void WakeUps::watch(int fd) { add(fd, kNoStation); }

void WakeUps::report(size_t station) {
    if (samples_[station].exchange(true)) return;
    if (!waking_.exchange(true)) eventfd_write(wake_, 1);
}

void WakeUps::wait(std::chrono::milliseconds timeout) {
    std::array<epoll_event, 32> events{};
    const int n = epoll_wait(epoll_, events.data(), static_cast<int>(events.size()), static_cast<int>(timeout.count()));
    std::fill(requested_.begin(), requested_.end(), false);
    for (int i = 0; i < n; ++i) {
        const uint64_t what = events[static_cast<size_t>(i)].data.u64;
        if (what < requested_.size()) requested_[what] = true;
        if (what != kWake) continue;
        eventfd_t count = 0;
        eventfd_read(wake_, &count);
        waking_ = false;  // before samples() is asked: a report from here on wakes again
    }
}

}  // namespace wimax::stationd
