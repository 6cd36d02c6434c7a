// SPDX-License-Identifier: GPL-3.0-or-later
#include "vrf/poll_descriptor.h"

#include <sys/epoll.h>
#include <sys/eventfd.h>
#include <unistd.h>

namespace wimax::vrf {

PollDescriptor::PollDescriptor()
    : epoll_(epoll_create1(EPOLL_CLOEXEC)), event_(eventfd(0, EFD_NONBLOCK | EFD_CLOEXEC)) {
    follow({&event_, 1});
}

PollDescriptor::~PollDescriptor() {
    close(event_);
    close(epoll_);
}

void PollDescriptor::report() {
    if (!reported_.exchange(true)) eventfd_write(event_, 1);
}

/// The flag is reset last: a report between the two is taken with this one.
void PollDescriptor::settle() {
    if (!reported_) return;
    eventfd_t count = 0;
    eventfd_read(event_, &count);
    reported_ = false;
}

void PollDescriptor::follow(std::span<const int> fds) {
    for (const int fd : fds) {
        epoll_event event{};
        event.events = EPOLLIN;
        epoll_ctl(epoll_, EPOLL_CTL_ADD, fd, &event);
    }
}

void PollDescriptor::leave(std::span<const int> fds) {
    for (const int fd : fds) epoll_ctl(epoll_, EPOLL_CTL_DEL, fd, nullptr);
}

}  // namespace wimax::vrf
